"""Reads a debate of Anvil's: python3 read_debate.py STATE_FILE [LEDGER [TASKS]], which `anvil claims --json` and `tasks --json` print.

Prints an object: the head (state-file.schema.json), every reply, what became of each claim (ledger.schema.json) and task (tasks.schema.json).
"""
import json
import re
import sys

PLACE = re.compile(r"(?:### (Advocate|Critic)|## (Synthesis)|## (?:Stakeholder|Persona|Option|Attack by option) \d+: (.*))$")


def value(text):
    """A text and a list are JSON, and so are numbers and flags; a word is plain."""
    try:
        return json.loads(text)
    except ValueError:
        return text


with open(sys.argv[1], encoding="utf-8", newline="\n") as file:
    _, head, body = file.read().split("---\n", 2)
head = {key: value(text) for key, text in (line.split(": ", 1) for line in head.splitlines())}
replies, reply = [], None
for line in body.split("\n"):
    if line.startswith("#"):
        place = PLACE.match(line)
        reply = {"by": next(filter(None, place.groups())), "lines": []} if place else None
        if reply:
            replies.append(reply)
    elif reply and line.startswith("<!-- anvil "):
        reply.update(json.loads(line[len("<!-- anvil "):-len(" -->")]))
    elif reply and line.startswith(">"):
        reply["lines"].append(line[2:])
for reply in replies:
    reply["text"] = "\n".join(reply.pop("lines"))
given = [json.load(open(path, encoding="utf-8")) for path in sys.argv[2:]]
became = {claim["id"]: claim["result"] or claim["status"] for claim in (given[0]["claims"] if given else [])}
tasks = {task["id"]: task["status"] for task in (given[1]["tasks"] if len(given) > 1 else [])}
print(json.dumps({"head": head, "replies": replies, "claims": became, "tasks": tasks}, ensure_ascii=False))
