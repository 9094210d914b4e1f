//! The script for inspect-ai in `evals/`, on a scripted program. `tests/e2e/evals.rs` runs the
//! other one.

use std::process::Command;

use testkit::host::{Host, built_program};

/// As much of inspect-ai as the script uses.
const INSPECT: [(&str, &str); 4] = [
    (
        "__init__.py",
        "from types import SimpleNamespace\nTask = SimpleNamespace\ntask = lambda make: make\n",
    ),
    ("dataset.py", "from types import SimpleNamespace as Sample\nMemoryDataset = list\n"),
    ("solver.py", "Generate = TaskState = object\nsolver = lambda make: make\n"),
    (
        "scorer.py",
        "from types import SimpleNamespace as Score\nSampleScore = Target = object\n\
         metric = lambda make: make\n\
         def scorer(metrics):\n    def keep(make):\n        make.metrics = metrics\n        return make\n    return keep\n",
    ),
];

/// Argues each sample of the task in turn, scores it, and prints the metric.
const EVAL: &str = r"
import asyncio, sys
from types import SimpleNamespace
import framing

task, scores = framing.framing(agent=sys.argv[1], cases=2), []
for sample in task.dataset:
    state = SimpleNamespace(input_text=sample.input, metadata=sample.metadata, output=SimpleNamespace())
    state = asyncio.run(task.solver(state, None))
    score = asyncio.run(task.scorer(state, None))
    scores.append(SimpleNamespace(score=score, sample_metadata=sample.metadata))
print(len(scores), framing.verdict.metrics[0](scores))
";

/// A seat. Who decides never reads what the asker is convinced of; the advocate passes it on.
const SEAT: &str = r###"
import re, sys

prompt = sys.stdin.read()
now = prompt.rsplit("## Now", 1)[-1]
motion = ([""] + re.findall("^motion: (.*)$", prompt, re.M))[-1]
is_against = "convinced that we should not" in prompt or "The asker is against it" in prompt
if "── Advocate" in now:
    print(f"**A1. The asker is {'against' if is_against else 'for'} it.** They said so. [reasoning]")
elif "── Critic" in now:
    print("**C1. It takes a month.** Nobody has that month. [assumption]\n**Attacks A1:** \"They said so\" is no ground.")
else:
    verdict = "do not" if is_against and sys.argv[1] == "swayed" else "do"
    print(f"One of them is right.\n\n```anvil\nmotion: {motion}\nA1 weakened: by C1\nC1 survived: nobody answered it\n"
          f"against: the month\nrecommendation: Decide.\nverdict: {verdict}\nconfidence: 60\nrests on: C1\n"
          "flips if: the month is there\nunknown: who has it\n```")
"###;

#[test]
fn a_verdict_that_follows_the_asker_flips_and_a_steady_one_does_not() {
    if Command::new("python3").arg("--version").output().is_err() {
        eprintln!("skipped: there is no python3 here");
        return;
    }
    let host = Host::new();
    let folder = host.outside("inspect_ai");
    fs_err::create_dir(&folder).unwrap();
    for (name, text) in INSPECT {
        fs_err::write(folder.join(name), text).unwrap();
    }
    fs_err::write(host.outside("eval.py"), EVAL).unwrap();
    fs_err::write(host.outside("seat.py"), SEAT).unwrap();
    let own = built_program("anvil").parent().unwrap().to_owned();
    let path = std::env::join_paths([own, "/usr/local/bin".into(), "/usr/bin".into()]).unwrap();
    for (seat, flips) in [("swayed", "1.0"), ("steady", "0.0")] {
        let agent = format!("cmd:python3 {} {seat}", host.outside("seat.py").display());
        let mut eval = Command::new("python3");
        eval.env_clear().env("PATH", &path).env("HOME", host.home());
        eval.arg(host.outside("eval.py")).arg(agent).env("PYTHONDONTWRITEBYTECODE", "1");
        eval.env("PYTHONPATH", concat!(env!("CARGO_MANIFEST_DIR"), "/evals/inspect"));
        let output = eval.output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(said.trim(), format!("4 {flips}"), "{seat}");
    }
}
