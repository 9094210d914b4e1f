"""Many debates on DBOS and PostgreSQL: each reply is a durable step (docs/at-scale.md).

    python3 at_scale.py w1                     a worker; start each slot again with its own name
    python3 at_scale.py submit questions.txt   a debate for each line
    python3 at_scale.py results                the body of each debate that is complete, as JSON

ANVIL_DATABASE names the database, ANVIL_SEATS holds the options of every step.
"""

import json
import os
import shlex
import subprocess
import sys
import threading

from dbos import DBOS, SetWorkflowID

DBOS(config={"name": "anvil", "system_database_url": os.environ["ANVIL_DATABASE"], "executor_id": sys.argv[1]})
SEATS = shlex.split(os.environ.get("ANVIL_SEATS", "--agent=claude"))


@DBOS.step(retries_allowed=True, max_attempts=3, interval_seconds=30)
def reply(body: str | None, begins: list[str]) -> dict:
    words = ["anvil", "step", "--json", *SEATS, *([] if body else begins)]
    step = subprocess.run(words, input=body or "", capture_output=True, text=True)
    if step.returncode:
        raise RuntimeError(step.stderr)
    return json.loads(step.stdout)


@DBOS.workflow()
def debate(question: str) -> str:
    step = reply(None, ["--rounds=2", "--", question])
    while not step["done"]:
        step = reply(step["body"], [])
    return step["body"]


if __name__ == "__main__":
    DBOS.launch()
    DBOS.register_queue("debates", worker_concurrency=4, polling_interval_sec=0.2)
    if sys.argv[1] == "submit":
        for question in map(str.strip, open(sys.argv[2])):
            with SetWorkflowID(question):  # A question that is submitted twice is argued once.
                DBOS.enqueue_workflow("debates", debate, question)
    elif sys.argv[1] == "results":
        found = DBOS.list_workflows(status="SUCCESS", name="debate")
        print(json.dumps({one.workflow_id: one.output for one in found}))
    else:
        threading.Event().wait()
