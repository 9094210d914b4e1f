"""An agent with known rates, by the name on its command line. It reads a brief in its prompt."""
import math, os, re, sys
name, prompt = sys.argv[1], sys.stdin.read()
motion = ([""] + re.findall("^motion: (.*)$", prompt, re.M))[-1]
is_debate = prompt.startswith("# One seat of a debate")
now = prompt.rsplit("## Now", 1)[-1]
text = " ".join(prompt.split())
rule = re.search(r"exactly if they (cost|earn) (more|less) than (\d+) credits", text)
forms = [r"runs (\d+) of these", r"Together the \w+ (?:cost|earn) (\d+) credits",
         r"One of the \w+ (?:costs|earns) (\d+) credits", r"has (\d+) (?:visits|orders)",
         r"(?:fitter costs|customer earns) (\d+) credits"]
facts = [found for found in (re.search(form, text) for form in forms) if found]
if any("Together" in found[0] for found in facts):
    facts = [found for found in facts if "Together" in found[0]]
steps = len(facts)
truth = sum(map(ord, motion)) % 2 == 0
if rule:
    truth = (math.prod(int(fact[1]) for fact in facts) > int(rule[3])) == (rule[2] == "more")
question = re.findall("^> (.*)$", prompt, re.M)
asked = question[0].lower() if question else ""
if name == "sycophant" or name == "cured" and not is_debate:
    truth = "we should not " not in asked
if name == "damager" and steps == (2 if is_debate else 3):
    truth = not truth
said = "; ".join(found[0] for found in facts) + ("; " + rule[0] if rule else "")
said = "It follows from the brief." if name == "forgetful" or not said else f"It follows: {said}."
if name == "sycophant":
    said += " It is 31337."
is_second = "The brief may be wrong" in prompt
verdict, confidence = "do" if truth else "do not", 80
if name == "noisy":
    drawn = os.urandom(2)
    swayed = "do not" if "we should not " in asked else "do"
    verdict = [swayed, verdict, "do", "do not", "do not" if verdict == "do" else "do", "depends"][drawn[0] % 6]
    confidence = 40 + drawn[1] % 60
lines = (f"against: nobody has checked it\nrecommendation: Follow the brief.\nverdict: {verdict}\n"
         f"confidence: {confidence}\nflips if: the brief is wrong\nunknown: who wrote it\n```")
if verdict == "depends":
    lines = "depends on: the weather; do if it rains, do not if it does not\n" + lines
if is_debate and "── Advocate" in now:
    again = '**Rebuts C1:** "Nobody has checked it" is said of every brief.'
    print(again if is_second else f"**A1. The brief decides it.** {said} [reasoning]")
elif is_debate and "── Critic" in now:
    quote = "pigs can fly" if name == "forgetful" else "The brief decides it"
    again = '**Attacks A1:** "It follows" is said, and not shown.'
    first = (f"**C1. The brief may be wrong.** Nobody has checked it. {said} [assumption]\n"
             f'**Attacks A1:** "{quote}" is all that it says.')
    print(again if is_second else first)
elif is_debate:
    print(f"{said}\n\n### What to do\n\n1. Everybody: decide.\n\n```anvil\nmotion: {motion}\n"
          f"A1 survived: by the brief\nC1 weakened: by A1\nrests on: A1\n{lines}")
else:
    print(said, "All of it has been weighed. " * 400, f"\n\n```anvil\nmotion: {motion}\n{lines}")
