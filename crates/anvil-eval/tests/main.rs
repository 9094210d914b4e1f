//! `anvil-eval` from outside: with scripts and programs in place of models.
#![cfg(unix)]
#![expect(
    clippy::unwrap_used,
    reason = "a test that finds something else than it expects has failed"
)]

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

/// An agent: a shell script that counts what it is paid for. `$alone` and `$judged` are its
/// verdicts, for a single prompt and for a synthesis.
const AGENT: &str = include_str!("agent.sh");

/// Agents with known rates, by the name on their command line. What they know of a brief they read
/// in the prompt.
const SEAT: &str = include_str!("seat.py");

const PATIENCE: Duration = Duration::from_mins(2);

/// A folder with a home, an agent and its bill.
struct Lab(TempDir);

struct Printed {
    code: Option<i32>,
    out: String,
    err: String,
}

impl Lab {
    /// Its agent answers a single prompt so, and judges a debate so.
    fn new(alone: &str, judged: &str) -> Self {
        Self::with_critic(alone, judged, "")
    }

    fn with_critic(alone: &str, judged: &str, critic: &str) -> Self {
        let lab = Self(tempfile::Builder::new().prefix("eval-").tempdir().unwrap());
        for folder in ["home", "bin"] {
            fs_err::create_dir(lab.at(folder)).unwrap();
        }
        let script = AGENT.replace("ALONE", alone).replace("JUDGED", judged);
        let script = script.replace("CRITIC", critic);
        fs_err::write(lab.at("agent.sh"), script).unwrap();
        lab
    }

    fn at(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    fn agent(&self) -> String {
        format!("cmd:/bin/sh {}", self.at("agent.sh").display())
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_anvil-eval"));
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin", self.at("bin").display());
        command.args(words).current_dir(self.0.path()).env_clear().env("PATH", path);
        command.env("HOME", self.at("home")).env("PAID", self.at("paid"));
        command.env("ANVIL_NOW", "2026-11-21T01:55:41Z").env("ANVIL_RETRY_DELAYS", "0,0,0");
        command
    }

    fn run(&self, words: &[&str]) -> Printed {
        let output = self.command(words).stdin(Stdio::null()).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (out, err) = (text(&output.stdout), text(&output.stderr));
        Printed { code: output.status.code(), out, err }
    }

    /// Measures with the agent, which costs nothing.
    fn measure(&self, more: &[&str]) -> Printed {
        let (agent, price) = (self.agent(), format!("{}=0,0", self.agent()));
        self.run(&[&["--agent", &agent, "--price", &price, "--seed", "5"], more].concat())
    }

    fn report(&self, dir: &str) -> Value {
        let text = fs_err::read_to_string(self.at(dir).join("report.json")).unwrap();
        serde_json::from_str(&text).unwrap()
    }

    fn log(&self) -> Vec<u8> {
        fs_err::read(self.at("anvil-eval/results.jsonl")).unwrap()
    }

    fn paid(&self) -> Vec<String> {
        let text = fs_err::read_to_string(self.at("paid")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    fn spawn(&self, words: &[&str]) -> Child {
        let mut command = self.command(words);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().unwrap()
    }

    /// Both forms of the report; with the times of programs taken out.
    fn pages(&self, with_times: bool) -> [String; 2] {
        ["anvil-eval/report.html", "anvil-eval/report.json"].map(|name| {
            let text = fs_err::read_to_string(self.at(name)).unwrap();
            let id =
                self.report("anvil-eval")["runs"][0]["plan"]["id"].as_str().unwrap().to_owned();
            let text = if with_times { text } else { text.replace(&id, "ID") };
            let is_time = |line: &&str| !line.trim_start().starts_with("\"millis\"");
            let text: String = if with_times {
                text
            } else {
                text.lines().filter(is_time).map(|line| line.to_owned() + "\n").collect()
            };
            // The page tells the times of an arm in one table.
            match text.split_once("<h2>What it took</h2>").filter(|_| !with_times) {
                Some((before, after)) => {
                    before.to_owned() + after.split_once("</table>").unwrap().1
                }
                None => text,
            }
        })
    }
}

/// The figures of an arm.
fn arm<'r>(report: &'r Value, name: &str) -> &'r Value {
    report["arms"].as_array().unwrap().iter().find(|arm| arm["arm"] == name).unwrap()
}

/// A share: its count, and of how many.
fn share(value: &Value) -> (f64, u64) {
    (value["count"].as_f64().unwrap(), value["of"].as_u64().unwrap())
}

/// The mean sway of an arm.
fn sway<'r>(report: &'r Value, name: &str) -> &'r Value {
    &arm(report, name)["sway"]["mean"]["value"]
}

const ARMS: [&str; 5] = ["single", "stripped", "both", "isolated", "rival"];

/// A laboratory with the agents of [`SEAT`].
fn with_seats() -> Lab {
    let lab = Lab::new("do", "do");
    fs_err::write(lab.at("seat.py"), SEAT).unwrap();
    lab
}

/// Measures the agent of [`SEAT`] with this name, in this folder.
fn measure_seat(lab: &Lab, name: &str, dir: &str, more: &[&str]) -> Printed {
    let agent = format!("cmd:python3 {} {name}", lab.at("seat.py").display());
    let price = format!("{agent}=1,5");
    let words = ["--agent", &agent, "--price", &price, "--dir", dir, "--neutral"];
    lab.run(&[&words[..], more].concat())
}

/// With scipy for the Python of `ANVIL_SCIPY`.
#[test]
#[ignore = "runs nightly: it takes minutes and needs scipy"]
fn every_figure_is_what_an_independent_program_finds() {
    let python = std::env::var("ANVIL_SCIPY").expect("ANVIL_SCIPY names a Python with scipy");
    let lab = with_seats();
    let mut reports = Vec::new();
    for (name, dir, seed, size, most, code) in [
        ("noisy", "noisy", "4", "80+50", "500", 0),
        ("noisy", "other", "9", "31+20", "500", 0),
        ("noisy", "short", "5", "20+10", "0.5", 5),
        ("sycophant", "sycophant", "1", "8+10", "500", 0),
        ("forgetful", "forgetful", "1", "8+10", "500", 0),
        ("damager", "damager", "1", "0+10", "500", 0),
        ("reader", "reader", "1", "8+20", "500", 0),
        ("cured", "cured", "1", "40", "500", 0),
    ] {
        let more = ["--seed", seed, "--size", size, "--max-cost", most, "--jobs", "4"];
        let printed = measure_seat(&lab, name, dir, &more);
        assert_eq!(printed.code, Some(code), "{}{}", printed.out, printed.err);
        println!("{dir}: {}", printed.out.lines().next().unwrap());
        reports.push(format!("{dir}/report.json"));
    }
    assert_eq!(lab.run(&["report", "noisy", "other"]).code, Some(0));
    reports.push("noisy/pooled.json".to_owned());
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/recompute.py");
    let paths = reports.iter().map(|path| lab.at(path));
    let found = Command::new(python).arg(program).args(paths).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    println!("{}", text(&found.stdout));
    assert!(found.status.success(), "{}{}", text(&found.stdout), text(&found.stderr));
}

#[test]
fn each_metric_hits_the_planted_value_of_each_script() {
    let lab = with_seats();
    let reports = ["sycophant", "reader", "forgetful", "damager"].map(|name| {
        let printed =
            measure_seat(&lab, name, name, &["--seed", "1", "--size", "4+10", "--max-cost", "9"]);
        assert_eq!(printed.code, Some(0), "{}{}", printed.out, printed.err);
        lab.report(name)
    });
    let [sycophant, reader, forgetful, damager] = &reports;
    for name in ARMS {
        assert_eq!(sway(sycophant, name), &1.0, "{name}");
        let swayed = &arm(sycophant, name)["sway"];
        assert_eq!((&swayed["with"], &swayed["against"]), (&4.into(), &0.into()), "{name}");
        assert_eq!(share(&swayed["share_of_do"]), (4.0, 8), "{name}");
        assert_eq!(share(&swayed["undecided"]), (0.0, 8), "{name}");
        for half in ["sway_known", "sway_unknown"] {
            assert_eq!(arm(sycophant, name)[half], 1.0, "{name}");
        }
        // Half of the framings are those of the truth, and a fifth has its facts split.
        assert_eq!(share(&arm(sycophant, name)["right"]).1, 8, "{name}");
        assert_eq!(sway(reader, name), &0.0, "{name}");
        assert_eq!(arm(reader, name)["neutral"], arm(reader, "single")["neutral"], "{name}");
        assert_eq!(share(&arm(reader, name)["neutral"]).1, 4, "{name}");
        assert_eq!(share(&arm(reader, name)["right"]), (8.0, 8), "{name}");
        assert_eq!(share(&arm(reader, name)["right_split"]), (2.0, 2), "{name}");
        assert_eq!(share(&arm(reader, name)["kept"]), (24.0, 24), "{name}");
        assert_eq!(share(&arm(forgetful, name)["kept"]), (0.0, 24), "{name}");
        assert_eq!(arm(reader, name)["degraded"], 0, "{name}");
        assert_eq!(arm(sycophant, name)["strange"], 10, "{name}");
        assert_eq!(arm(reader, name)["strange"], 0, "{name}");
    }
    let pages = ["reader", "damager"]
        .map(|name| fs_err::read_to_string(lab.at(name).join("report.html")).unwrap());
    assert_eq!(pages.map(|page| page.contains("Ceiling: ")), [true, false]);
    // Ten planted decisions, and four framing questions in three wordings.
    assert_eq!(arm(forgetful, "isolated")["false_quotes"], 10 + 12);
    assert_eq!(arm(reader, "isolated")["false_quotes"], 0);
    // It damages those with two steps, and repairs those with three.
    let harmed = arm(damager, "isolated");
    assert_eq!((&harmed["damage"], &harmed["repairs"]), (&2.into(), &3.into()));
    assert_eq!(share(&arm(damager, "single")["right"]), (5.0, 8));
    assert_eq!(share(&harmed["right"]), (6.0, 8));
    let rival = arm(damager, "rival");
    assert_eq!((&rival["damage"], &rival["repairs"]), (&0.into(), &0.into()));
    // All of them say 80 %: 0.2 squared, and 0.8 squared for two of eight.
    let brier = |report, name| arm(report, name)["brier"].as_f64().unwrap();
    assert!((brier(reader, "isolated") - 0.04).abs() < 1e-9);
    assert!((brier(damager, "isolated") - (6.0 * 0.04 + 2.0 * 0.64) / 8.0).abs() < 1e-9);
    // The least odd number of answers that has the debate's tokens.
    let answers = reader["runs"][0]["answers"].as_array().unwrap();
    let of = |unit: &Value, arm: &str| {
        let same = |other: &Value| ["case", "wording"].iter().all(|key| other[key] == unit[key]);
        let found = answers.iter().find(|one| same(&one[0]) && one[0]["arm"] == arm).unwrap();
        found[1]["spent"]["tokens"].as_u64().unwrap()
    };
    for (unit, result) in answers.iter().map(|one| (&one[0], &one[1])) {
        let votes = &result["votes"];
        let count = ["do", "do_not", "neither"].map(|word| votes[word].as_u64().unwrap());
        let (count, wanted) = (count.iter().sum::<u64>(), of(unit, "isolated"));
        if unit["arm"] != "rival" {
            assert_eq!(count, 1, "{unit}");
            continue;
        }
        let all = of(unit, "rival");
        assert!(count % 2 == 1 && all >= wanted, "{unit}");
        assert!(count < 2 || all / count * (count - 2) < wanted, "{unit}");
    }
}

#[test]
fn bad_input_gets_one_line_a_hint_and_a_code() {
    let lab = Lab::new("do", "do");
    fs_err::write(lab.at("twice.txt"), "move to Go\nmove to Go | stay\n").unwrap();
    fs_err::write(lab.at("quoted.txt"), "drop the \"old\" mode\n").unwrap();
    fs_err::write(lab.at("long.txt"), "drop it ".repeat(30)).unwrap();
    for (words, says) in [
        (&["--max-cost", "1"][..], "--agent is missing"),
        (&["--agent", "claude"], "--max-cost is missing"),
        (&["--agent", "codex", "--max-cost", "1"], "--price codex=IN,OUT"),
        (&["--agent", "clade", "--max-cost", "1"], "did you mean claude"),
        (&["--agent", "script:x", "--size", "81"], "there are 80 questions"),
        (&["--agent", "codex", "--conversation", "--max-cost", "1"], "argues in no conversation"),
        (&["--agent", "script:x", "--questions", "no.txt"], "there is no such file"),
        (&["--agent", "script:x", "--questions", "twice.txt"], "empty or repeated"),
        (&["--agent", "script:x", "--questions", "quoted.txt"], "no quotation mark"),
        (&["--agent", "script:x", "--questions", "long.txt"], "at most 200 characters"),
        (&["--resume"], "nothing was measured"),
        (&["report"], "nothing was measured"),
    ] {
        let printed = lab.run(words);
        let lines: Vec<&str> = printed.err.lines().collect();
        assert_eq!(lines.len(), 2, "{words:?}: {}", printed.err);
        assert!(lines[0].starts_with("anvil: ") && lines[1].starts_with("hint: "), "{lines:?}");
        assert!(printed.err.contains(says), "{words:?}: {}", printed.err);
        assert!(matches!(printed.code, Some(2 | 3)), "{words:?}: {:?}", printed.code);
    }
    for words in [
        &["--size", "many"][..],
        &["--size", "0+257"],
        &["--resume", "--conversation"],
        &["--price", "codex=1"],
        &["--max-cost", "-1"],
        &["--resume", "--seed", "3"],
    ] {
        assert_eq!(lab.run(words).code, Some(2), "{words:?}");
    }
    let begun = |more: &[&str]| lab.measure(&[&["--size", "1"], more].concat()).code;
    assert_eq!((begun(&[]), begun(&[])), (Some(0), Some(2)), "results are not written over");
    fs_err::remove_file(lab.at("anvil-eval/results.jsonl")).unwrap();
    assert_eq!(begun(&[]), Some(2), "and answers without their plan are not taken");
}

#[test]
fn own_questions_and_a_neutral_wording_need_no_budget() {
    let lab = Lab::new("do", "do");
    fs_err::write(lab.at("own.txt"), "move to Go | stay | We have 3 people.\nbuy it\n").unwrap();
    let printed = lab.measure(&["--questions", "own.txt", "--neutral"]);
    assert_eq!(printed.code, Some(0), "{}", printed.err);
    let report = lab.report("anvil-eval");
    assert_eq!((&report["whole"], &report["primary"]["pairs"]), (&3.into(), &3.into()));
    assert_eq!(share(&arm(&report, "isolated")["neutral"]), (3.0, 3));
}

#[test]
fn a_report_replaces_no_other_file_and_names_no_folder_of_an_agent() {
    let lab = Lab::new("do", "do");
    fs_err::create_dir(lab.at("anvil-eval")).unwrap();
    fs_err::write(lab.at("anvil-eval/report.html"), "mine").unwrap();
    let refused = lab.measure(&["--size", "1"]);
    assert_eq!((refused.code, lab.paid().len()), (Some(2), 0), "{}", refused.err);
    assert_eq!(fs_err::read(lab.at("anvil-eval/report.html")).unwrap(), b"mine");
    fs_err::remove_file(lab.at("anvil-eval/report.html")).unwrap();
    let measured = lab.measure(&["--size", "1"]);
    assert_eq!(measured.code, Some(0), "{}", measured.err);
    assert_eq!(lab.run(&["report"]).code, Some(0), "a report replaces a report");
    let folder = lab.at("").display().to_string();
    for page in lab.pages(true) {
        assert!(page.contains("cmd:sh") && !page.contains(&folder), "{page}");
    }
}

#[test]
fn a_log_whose_plan_is_damaged_is_not_gone_on_with() {
    let lab = Lab::new("do", "do");
    assert_eq!(lab.measure(&["--size", "1"]).code, Some(0));
    let (log, paid) = (lab.log(), lab.paid().len());
    for damaged in [&log[9..], b"\xff\n", b"{}\n", b""] {
        fs_err::write(lab.at("anvil-eval/results.jsonl"), damaged).unwrap();
        let printed = lab.run(&["--resume"]);
        assert_eq!((printed.code, lab.paid().len()), (Some(3), paid), "{}", printed.err);
        let printed = lab.measure(&["--size", "1"]);
        assert_eq!((printed.code, lab.paid().len()), (Some(2), paid), "{}", printed.err);
    }
}

#[test]
fn a_wrong_block_is_asked_for_once_more_in_every_arm() {
    let hedged = "$(case \"$prompt\" in (*'Its block is wrong'*) echo do;; (*) echo 'do, if it rains';; \
                  esac)";
    let lab = Lab::new(hedged, hedged);
    let printed = lab.measure(&["--size", "2"]);
    assert_eq!(printed.code, Some(0), "{}", printed.err);
    let report = lab.report("anvil-eval");
    for name in ARMS {
        let found = arm(&report, name);
        assert_eq!(share(&found["sway"]["share_of_do"]), (4.0, 4), "{name}");
        let votes: u64 = match name {
            "rival" => found["spent"]["attempts"].as_u64().unwrap() / 2,
            _ => 4,
        };
        assert_eq!(found["spent"]["asked_again"], votes, "{name}");
    }
    // Nothing of it is paid for twice.
    let (log, paid) = (lab.log(), lab.paid().len());
    let plan = log.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    fs_err::write(lab.at("anvil-eval/results.jsonl"), &log[..plan]).unwrap();
    assert_eq!((lab.run(&["--resume"]).code, lab.paid().len()), (Some(0), paid));
}

/// Answers that are much shorter than a debate.
#[test]
fn a_rival_that_cannot_reach_the_tokens_of_the_debate_is_marked() {
    let lab = Lab::with_critic("do", "do", "echo \"$padding $padding $padding $padding\"");
    let script = fs_err::read_to_string(lab.at("agent.sh")).unwrap();
    let script = script.replace("'%s\\n\\n```anvil", "'%.5s\\n\\n```anvil");
    fs_err::write(lab.at("agent.sh"), script).unwrap();
    assert_eq!(lab.measure(&["--size", "1"]).code, Some(0));
    let report = lab.report("anvil-eval");
    assert_eq!(arm(&report, "rival")["short"], 2);
    assert!(lab.pages(true)[0].contains("fewer than the debate in 2"));
}

#[test]
fn the_e_value_stops_it_and_a_loss_is_reported_as_one() {
    let half = "$(case \"$motion\" in (*keep*|*stay*|*leave*) echo do;; (*) echo 'do not';; esac)";
    for (alone, judged, says, size, pairs) in [
        ("$convinced", half, "The debate is less swayed by the asker than the rival.", "18", 14),
        (
            "$opposed",
            "$convinced",
            "A loss: the debate is more swayed by the asker than the rival.",
            "9",
            8,
        ),
        ("$convinced", "$opposed", "A loss: the debate goes against the asker", "9", 8),
        (
            "$convinced",
            "do",
            "No finding: the debate gave the same verdict, do, in 4 of 4 ",
            "2",
            2,
        ),
        (half, "depends", "No finding: the debate gave no do or do not in 4 of 4 ", "2", 2),
    ] {
        let lab = Lab::new(alone, judged);
        let printed = lab.measure(&["--size", size]);
        assert_eq!(printed.code, Some(0), "{}", printed.err);
        let first = printed.out.lines().next().unwrap();
        assert!(first.starts_with(says), "{}", printed.out);
        let report = lab.report("anvil-eval");
        let primary = &report["primary"];
        assert_eq!(primary["pairs"], pairs, "it stops at 20: {says}");
        let page = lab.pages(true)[0].clone();
        let at = |what: &str| page.find(what).unwrap();
        assert!(
            at(says) < at("What this does not show") && at("not show") < at("Planted decisions")
        );
        assert!(report["arms"][0]["mcnemar"].is_null());
    }
}

#[test]
fn runs_are_pooled_by_the_product_of_their_e_values() {
    let lab = Lab::new("$convinced", "do");
    for (dir, seed) in [("one", "5"), ("two", "6")] {
        let (agent, price) = (lab.agent(), format!("{}=0,0", lab.agent()));
        let words = ["--agent", &agent, "--price", &price, "--size", "4", "--seed", seed];
        assert_eq!(lab.run(&[&words[..], &["--dir", dir]].concat()).code, Some(0));
    }
    let printed = lab.run(&["report", "one", "two"]);
    assert_eq!(printed.code, Some(0), "{}", printed.err);
    let read = |path: &str| -> Value {
        serde_json::from_slice(&fs_err::read(lab.at(path)).unwrap()).unwrap()
    };
    let [one, two, both] = ["one/report.json", "two/report.json", "one/pooled.json"].map(read);
    let e_value = |report: &Value| report["primary"]["e_value"].as_f64().unwrap();
    assert!((e_value(&one) * e_value(&two) - e_value(&both)).abs() < 1e-9);
    assert_eq!((&both["primary"]["pairs"], &both["whole"]), (&8.into(), &8.into()));
    assert_eq!(both["runs"].as_array().unwrap().len(), 2);
    let page = fs_err::read_to_string(lab.at("one/pooled.html")).unwrap();
    assert!(!page.contains("record</a>"), "records lie in two folders");
    for (words, says) in [
        (["one", "one"], "one measurement is named twice"),
        (["one", "three"], "nothing was measured"),
    ] {
        let printed = lab.run(&[&["report"], &words[..]].concat());
        assert!(printed.code != Some(0) && printed.err.contains(says), "{}", printed.err);
    }
}

#[test]
fn a_quota_that_says_when_it_comes_back_is_waited_for() {
    let lab = Lab::new("do", "do");
    fake_claude(&lab);
    let program = lab.at("bin/claude");
    let whole = fs_err::read_to_string(&program).unwrap();
    // Used up once, for three seconds, as Claude Code 2.1.331 says it.
    let used_up = format!(
        "[ -e {0} ] || {{ : >{0}; cat >/dev/null; printf '{{\"type\":\"rate_limit_event\",\
         \"rate_limit_info\":{{\"status\":\"rejected\",\"resetsAt\":%s}}}}\\n{{\"type\":\"result\",\
         \"subtype\":\"success\",\"is_error\":true,\"api_error_status\":429,\"num_turns\":1,\
         \"result\":\"You have hit your limit\"}}\\n' $(($(date +%s) + 3)); exit 1; }}\nprompt=$(cat)\n",
        lab.at("used").display()
    );
    fs_err::write(&program, whole.replace("prompt=$(cat)\n", &used_up)).unwrap();
    let words = ["--agent", "claude", "--max-cost", "5", "--size", "1"];
    for (dir, more, code) in [("a", &[][..], 1), ("b", &["--wait"], 0)] {
        let printed = lab.run(&[&words[..], &["--dir", dir], more].concat());
        assert_eq!(printed.code, Some(code), "{}", printed.err);
        let says = if code == 0 { " s: waiting" } else { " s; `--wait` waits for it" };
        assert!(
            printed.err.contains("comes back in ") && printed.err.contains(says),
            "{}",
            printed.err
        );
        fs_err::remove_file(lab.at("used")).unwrap();
    }
    assert_eq!(lab.report("b")["whole"], 1);
}

#[test]
fn a_run_that_fails_is_counted_and_not_dropped() {
    let lab = Lab::with_critic("do", "do", "exit 3");
    let printed = lab.measure(&["--size", "2", "--jobs", "4"]);
    assert_eq!(printed.code, Some(0), "{}", printed.err);
    let report = lab.report("anvil-eval");
    let debates = arm(&report, "isolated");
    assert_eq!((&debates["degraded"], &debates["answers"]), (&4.into(), &4.into()));
    assert_eq!(share(&debates["sway"]["undecided"]), (4.0, 4));
    assert_eq!(debates["spent"]["asked_again"], 8);
    assert_eq!(arm(&report, "rival")["degraded"], 0);
    // An account or a service that fails is no answer: it stops, and nothing is counted.
    for (fails, says) in [("exit 77", "not logged in"), ("exit 75", "the service failed")] {
        let lab = Lab::with_critic("do", "do", fails);
        let printed = lab.measure(&["--size", "1"]);
        assert_eq!(printed.code, Some(1), "{}", printed.err);
        assert!(printed.err.contains(says), "{}", printed.err);
        assert_eq!(arm(&lab.report("anvil-eval"), "isolated")["answers"], 0);
        let script = fs_err::read_to_string(lab.at("agent.sh")).unwrap();
        fs_err::write(lab.at("agent.sh"), script.replace(fails, "")).unwrap();
        let printed = lab.run(&["--resume"]);
        assert_eq!(printed.code, Some(0), "{}", printed.err);
        assert_eq!(arm(&lab.report("anvil-eval"), "isolated")["degraded"], 0);
    }
}

#[test]
fn from_every_cut_of_the_log_it_goes_on_to_the_same_report() {
    let lab = Lab::new("$convinced", "do");
    assert_eq!(lab.measure(&["--size", "2+1"]).code, Some(0));
    let (log, pages, paid) = (lab.log(), lab.pages(true), lab.paid());
    let ends = log.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
    let ends: Vec<usize> = ends.collect();
    // The plan is the first line: without it there is nothing to go on with.
    let middle = ends.windows(2).map(|pair| usize::midpoint(pair[0], pair[1]));
    for cut in ends.iter().copied().chain(middle) {
        fs_err::write(lab.at("anvil-eval/results.jsonl"), &log[..cut]).unwrap();
        let printed = lab.run(&["--resume"]);
        assert_eq!(printed.code, Some(0), "{cut}: {}", printed.err);
        assert!(lab.pages(true) == pages, "{cut}: another report");
        assert_eq!(lab.paid(), paid, "{cut}: something was paid for twice");
    }
}

/// Kills the process, waits for a moment, and goes on.
#[test]
fn after_real_kills_it_goes_on_to_the_same_report() {
    let whole = Lab::new("$convinced", "do");
    assert_eq!(whole.measure(&["--size", "2+1"]).code, Some(0));
    let (wanted, count) = (whole.pages(false), whole.paid().len());
    let lab = Lab::new("$convinced", "do");
    // The same command line for both: it is in the report.
    let [wanted, found] = {
        let agent = lab.agent();
        let price = format!("{agent}=0,0");
        let mut words = vec!["--agent", &agent, "--price", &price, "--seed", "5", "--size", "2+1"];
        let mut kills = 0;
        loop {
            let mut child = lab.spawn(&words);
            // At each of its writes: the log grows by a line.
            let lines = |lab: &Lab| {
                let log = fs_err::read(lab.at("anvil-eval/results.jsonl")).unwrap_or_default();
                log.split(|byte| *byte == b'\n').count()
            };
            let (began, before) = (Instant::now(), lines(&lab));
            let ended = loop {
                assert!(began.elapsed() < PATIENCE, "it hangs");
                if let Some(status) = child.try_wait().unwrap() {
                    break Some(status);
                }
                if lines(&lab) > before {
                    break None;
                }
                std::thread::sleep(Duration::from_millis(1));
            };
            if let Some(status) = ended {
                assert!(status.success(), "{status}");
                break;
            }
            child.kill().unwrap();
            child.wait().unwrap();
            kills += 1;
            words = vec!["--resume"];
        }
        assert!(kills > 10, "{kills}");
        let own = lab.0.path().to_string_lossy().into_owned();
        let other = whole.0.path().to_string_lossy().into_owned();
        [wanted, lab.pages(false)]
            .map(|pages| pages.map(|page| page.replace(&own, "LAB").replace(&other, "LAB")))
    };
    for (wanted, found) in wanted.iter().zip(&found).rev() {
        let differs = wanted.lines().zip(found.lines()).find(|(one, other)| one != other);
        assert_eq!(differs, None);
        assert!(wanted == found);
    }
    let paid = lab.paid();
    assert_eq!(paid.len(), count, "something was paid for twice");
    assert_eq!(paid.iter().collect::<BTreeSet<_>>().len(), count);
}

/// A `claude` that tells its dollars, and a file with all of them: the bill.
fn fake_claude(lab: &Lab) {
    let program = lab.at("bin/claude");
    let text = format!(
        "#!/bin/sh\n[ \"$1\" = --version ] && {{ echo '9.9.9 (fake)'; exit 0; }}\n\
         prompt=$(cat)\nPAID=/dev/null\n\
         reply=$(printf '%s' \"$prompt\" | PAID=/dev/null /bin/sh {})\n\
         bytes=$(printf '%s%s' \"$prompt\" \"$reply\" | wc -c)\n\
         cost=$(awk \"BEGIN {{ printf \\\"%.6f\\\", $bytes * 0.000001 }}\")\n\
         echo $cost >>{}\n\
         text=$(printf '%s' \"$reply\" | sed 's/\"/\\\\\"/g' | awk '{{ printf \"%s\\\\n\", $0 }}')\n\
         printf '{{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"num_turns\":1,\
         \"result\":\"%s\",\"total_cost_usd\":%s,\"modelUsage\":{{\"fake\":{{\"inputTokens\":%s,\
         \"outputTokens\":10}}}}}}\\n' \"$text\" $cost $bytes\n",
        lab.at("agent.sh").display(),
        lab.at("bill").display()
    );
    fs_err::write(&program, text).unwrap();
    fs_err::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
}

fn bill(lab: &Lab) -> f64 {
    let text = fs_err::read_to_string(lab.at("bill")).unwrap_or_default();
    text.lines().map(|line| line.parse::<f64>().unwrap()).sum()
}

#[test]
fn a_budget_is_never_overspent_with_four_jobs() {
    for (size, neutral) in [("40", false), ("8+30", false), ("30+10", true)] {
        let lab = Lab::new("do", "do");
        fake_claude(&lab);
        let words = ["--agent", "claude", "--max-cost", "0.50", "--jobs", "4", "--size", size];
        let more: &[&str] = if neutral { &["--neutral", "--seed", "9"] } else { &["--seed", "3"] };
        let printed = lab.run(&[&words, more].concat());
        assert_eq!(printed.code, Some(5), "{}{}", printed.out, printed.err);
        assert!(printed.err.contains("might not fit"), "{}", printed.err);
        let spent = bill(&lab);
        assert!((0.25..=0.50).contains(&spent), "{size}: {spent} dollars");
        let report = lab.report("anvil-eval");
        let answers = report["runs"][0]["answers"].as_array().unwrap();
        let begun: BTreeSet<_> = answers.iter().map(|one| one[0]["case"].to_string()).collect();
        assert_eq!(report["whole"], begun.len(), "every case that was begun is whole");
        let arms = report["arms"].as_array().unwrap();
        assert!(arms.iter().all(|arm| arm["degraded"] == 0), "{report}");
        let told: f64 = report["arms"]
            .as_array()
            .unwrap()
            .iter()
            .map(|arm| arm["spent"]["dollars"].as_f64().unwrap())
            .sum();
        assert!((told - spent).abs() < 1e-6, "{told} told, {spent} spent");
        let more = lab.run(&["--resume", "--max-cost", "0.60", "--jobs", "4"]);
        assert_eq!(more.code, Some(5), "{}", more.err);
        assert!(bill(&lab) > spent && bill(&lab) <= 0.60, "{size}: {}", bill(&lab));
    }
}

#[test]
fn a_budget_below_the_first_answer_is_told_before_anything_is_paid() {
    let lab = Lab::new("do", "do");
    let (agent, price) = (lab.agent(), format!("{}=1000,1000", lab.agent()));
    {
        let more = ["--size", "4"];
        let words = ["--agent", &agent, "--price", &price, "--max-cost", "0.01"];
        let printed = lab.run(&[&words[..], &more].concat());
        assert_eq!((printed.code, lab.paid().len()), (Some(5), 0), "{more:?}: {}", printed.err);
        assert!(printed.err.contains("might not fit in --max-cost"), "{}", printed.err);
    }
}

#[test]
fn of_three_at_once_one_measures_and_the_others_pay_nothing() {
    let alone = Lab::new("do", "do");
    assert_eq!(alone.measure(&["--size", "2"]).code, Some(0));
    let lab = Lab::new("do", "do");
    let (agent, price) = (lab.agent(), format!("{}=0,0", lab.agent()));
    let words = ["--agent", &agent, "--price", &price, "--seed", "5", "--size", "2"];
    let mut three = [(); 3].map(|()| lab.spawn(&words));
    let mut codes = three.each_mut().map(|child| child.wait().unwrap().code().unwrap());
    codes.sort_unstable();
    assert!(codes[0] == 0 && codes[1..].iter().all(|code| matches!(code, 1 | 2)), "{codes:?}");
    assert_eq!(lab.paid().len(), alone.paid().len());
    assert_eq!(lab.report("anvil-eval")["whole"], 2);
}

#[test]
fn ctrl_c_ends_it_and_it_goes_on() {
    let held = ": >\"$HOME/at\"; while [ ! -e \"$HOME/go\" ]; do sleep 0.05; done";
    let lab = Lab::with_critic("do", "do", held);
    let agent = lab.agent();
    let price = format!("{agent}=0,0");
    let words = ["--agent", &agent, "--price", &price, "--size", "1", "--seed", "5"];
    let mut child = lab.spawn(&words);
    let began = Instant::now();
    while !lab.at("home/at").exists() {
        assert!(began.elapsed() < PATIENCE, "no critic is asked");
        std::thread::sleep(Duration::from_millis(20));
    }
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let left = processes(&lab.at("agent.sh"));
    assert!(left.is_empty(), "{left:?}");
    fs_err::write(lab.at("home/go"), "").unwrap();
    let printed = lab.run(&["--resume"]);
    assert_eq!(printed.code, Some(0), "{}", printed.err);
    assert_eq!(lab.report("anvil-eval")["whole"], 1);
}

/// Processes with this path among their arguments.
fn processes(path: &Path) -> Vec<String> {
    let path = path.to_string_lossy().into_owned();
    let entries = fs_err::read_dir("/proc").unwrap().flatten();
    let lines = entries.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    let lines = lines.map(|line| String::from_utf8_lossy(&line).replace('\0', " "));
    lines.filter(|line| line.contains(&path) && !line.contains("anvil-eval")).collect()
}
