"""Many debates on DBOS and PostgreSQL: each reply is a durable step (docs/at-scale.md).

    python3 at_scale.py w1                     a worker, which first makes the tables; a slot that is
                                               started again keeps its name
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

from dbos import DBOS, DBOSClient

DATABASE = os.environ["ANVIL_DATABASE"]
SEATS = shlex.split(os.environ.get("ANVIL_SEATS", "--agent=claude"))


@DBOS.step(retries_allowed=True, max_attempts=3, interval_seconds=30)
def reply(body: str | None, begins: list[str]) -> dict:
    words = ["anvil", "step", "--json", *SEATS, *([] if body else begins)]
    step = subprocess.run(words, input=body or "", capture_output=True, text=True)
    if step.returncode:
        raise RuntimeError(step.stderr)
    return json.loads(step.stdout)


@DBOS.workflow(name="debate")
def debate(question: str) -> str:
    step = reply(None, ["--rounds=2", "--", question])
    while not step["done"]:
        step = reply(step["body"], [])
    return step["body"]


if sys.argv[1] == "submit":
    client = DBOSClient(system_database_url=DATABASE)
    for question in map(str.strip, open(sys.argv[2])):  # One that is submitted twice is argued once.
        client.enqueue({"queue_name": "debates", "workflow_name": "debate", "workflow_id": question}, question)
elif sys.argv[1] == "results":
    found = DBOSClient(system_database_url=DATABASE).list_workflows(status="SUCCESS", name="debate")
    print(json.dumps({one.workflow_id: one.output for one in found}))
else:
    DBOS(config={"name": "anvil", "system_database_url": DATABASE, "executor_id": sys.argv[1]})
    DBOS.launch()
    DBOS.register_queue("debates", worker_concurrency=4, polling_interval_sec=0.2)
    threading.Event().wait()
