#!/usr/bin/env python3
"""How often does a real model write the block of a synthesis right: at first, and after one repeat?

    evals/blocks.py --plugin DIR --dir RESULTS haiku sonnet

Argues 20 debates on your account: on each model in turn, in the conversation and isolated, and three
of them in another language. DIR is the plugin's folder (`anvil install --to DIR`), and `anvil` and
`claude` are on the PATH. Each debate has a folder in RESULTS, and blocks.jsonl there has a line for
each. What is there is not argued again, so the script can be stopped.

Ends with 0 if at least 95 % are right at first and 99 % after the repeat, else with 1.
"""

import argparse
import json
import subprocess
import sys
from itertools import cycle, product
from pathlib import Path

AT_FIRST, AFTER_REPEAT = 95, 99
WAYS = ("conversation", "isolated")
QUESTIONS = Path(__file__).parents[0] / "questions.md"
OTHER_LANGUAGES = (
    "Sollen wir den Monolithen in Dienste aufteilen?",
    "Devons-nous réécrire le serveur en Rust ?",
    "キャッシュを Redis に移すべきですか？",
)
FAULTS = Path(__file__).parents[1] / "docs/ledger.md"


def faults_of_the_block() -> set[str]:
    """What is wrong with a block: the findings for which it is asked for again, in the page's table."""
    rows = FAULTS.read_text(encoding="utf-8").split("## Findings\n")[1].splitlines()
    cells = [[cell.strip() for cell in row.split("|")] for row in rows if row.startswith("| `")]
    return {cell[1].strip("`") for cell in cells if cell[3].endswith("asked")}


WRONG = faults_of_the_block()


def questions(count: int) -> list[str]:
    """The debates, with those in another language spread over models and ways."""
    lines = QUESTIONS.read_text(encoding="utf-8").splitlines()
    decisions = [line[3:].split(" | ")[0] for line in lines if line.startswith("## ")]
    asked = [f"Should we {decision}?" for decision in decisions][:count]
    for place, question in zip((1, 6, 11), OTHER_LANGUAGES):
        if place < len(asked):
            asked[place] = question
    return asked


def run(words: list[str], folder: Path) -> str:
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    (folder / "output.txt").write_text(done.stdout + done.stderr, encoding="utf-8")
    return done.stdout


def argue(question: str, model: str, way: str, arguments: argparse.Namespace, folder: Path) -> None:
    rounds = f"--rounds={arguments.rounds}"
    if way == "isolated":
        words = ["anvil", "run", f"--agent=claude:{model}", rounds, "--questions=no", "--", question]
    else:
        plugin = [f"--plugin-dir={arguments.plugin}"] if arguments.plugin else []
        typed = f"/anvil:debate {rounds} -- {question}"
        words = ["claude", *plugin, "--model", model, "--allowedTools", "Read", "-p", typed]
    run(words, folder)


def judged(folder: Path) -> dict | None:
    """The state of the block of the debate in this folder. None: the debate is not complete."""
    state = folder / ".claude/anvil-state.local.md"
    text = state.read_text(encoding="utf-8") if state.exists() else ""
    if "\nstatus: completed\n" not in text:
        return None
    findings = json.loads(run(["anvil", "claims", "--json"], folder))["findings"]
    wrong = [finding for finding in findings if finding["fault"] in WRONG]
    was_repeated = "\n### Verdict Block\n" in text
    return {"at_first": not was_repeated and not wrong, "after_repeat": not wrong, "wrong": wrong}


def percent(results: list[dict], key: str) -> float:
    return 100 * sum(result[key] for result in results) / max(len(results), 1)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("models", nargs="+", metavar="MODEL")
    parser.add_argument("--dir", type=Path, default=Path("anvil-blocks"), help="folder of the results")
    parser.add_argument("--plugin", type=Path, help="folder of the plugin, unless Claude Code has it")
    parser.add_argument("--debates", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=2)
    arguments = parser.parse_args()
    arguments.plugin = arguments.plugin and arguments.plugin.resolve()
    arguments.dir.mkdir(parents=True, exist_ok=True)
    log = arguments.dir / "blocks.jsonl"
    known = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    seen = {result["number"] for result in known}
    arms = cycle(product(arguments.models, WAYS))
    for number, (question, (model, way)) in enumerate(zip(questions(arguments.debates), arms), 1):
        if number in seen:
            continue
        folder = arguments.dir / f"{number:02}"
        folder.mkdir(exist_ok=True)
        if (found := judged(folder)) is None:
            argue(question, model, way, arguments, folder)
            found = judged(folder)
        if found is None:
            print(f"debate {number} is not complete: see {folder}/output.txt; a new run needs a new folder there")
            return 2
        result = {"number": number, "question": question, "model": model, "way": way, **found}
        known.append(result)
        with log.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps(result, ensure_ascii=False) + "\n")
        print(f"{number:2} {model}, {way}: {'right' if found['at_first'] else found}", flush=True)
    for model, way in product(arguments.models, WAYS):
        of = [result for result in known if (result["model"], result["way"]) == (model, way)]
        first, after = (sum(result[key] for result in of) for key in ("at_first", "after_repeat"))
        print(f"{model}, {way}: {first} of {len(of)} at first, {after} after the repeat")
    first, after = percent(known, "at_first"), percent(known, "after_repeat")
    print(f"at first: {first:.0f} %, at least {AT_FIRST} % are wanted")
    print(f"after the repeat: {after:.0f} %, at least {AFTER_REPEAT} % are wanted")
    return 0 if known and first >= AT_FIRST and after >= AFTER_REPEAT else 1


if __name__ == "__main__":
    sys.exit(main())
