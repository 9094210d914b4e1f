//! At each door through which somebody else's text comes, four times the text takes at most eight
//! times the CPU time of the program and its children.
//!
//! Ignored: only the release build (`ANVIL_TESTED`) is fast enough. A few texts are tried at each
//! door, or all if `ANVIL_ATTACKS=all`.

use std::fmt::Write as _;
use std::process::Command;
use std::time::Duration;

use serde_json::json;
use testkit::host::Host;

use testkit::sample::try_sample;

/// Four times the text may take this many times as long; a quadratic function takes 16 times.
const MOST: u32 = 8;

/// Below this, the start of the program and the noise of the clock are most of the time.
const FLOOR: Duration = Duration::from_millis(60);

/// Adds the CPU time of the program and its children to a file.
const TIMED: &[&str] = &[
    "/bin/bash",
    "-c",
    "TIMEFORMAT='%3U %3S'; exec 3>&2; { time \"$0\" \"$@\" 2>&3; } 2>>\"$HOME/times\"",
];

const KB: usize = 1024;
const MB: usize = 1024 * KB;

struct Door {
    name: &'static str,
    /// In bytes.
    limit: usize,
    /// Prepares a host, and measures what meets the text.
    meets: fn(&Host, &str),
}

const DOORS: &[Door] = &[
    Door {
        name: "a question",
        limit: 48 * KB,
        meets: |host, text| {
            measured(host);
            host.prompt("one", &format!("/anvil:debate {text}"));
            host.run(&["run", "--dry-run", text]);
        },
    },
    Door {
        name: "a reply",
        limit: 8 * MB,
        meets: |host, text| {
            host.prompt("one", "/anvil:debate Should we cache? --rounds 1");
            measured(host);
            host.stop_with("one", &format!("**A1. One.** a\n\n{text}"));
        },
    },
    Door {
        name: "a synthesis",
        limit: 8 * MB,
        meets: |host, text| {
            argued(host);
            measured(host);
            host.stop_with("one", &format!("{text}\n\n{}", host.synthesis("verdict: do")));
            host.run(&["report", "--format", "md"]);
        },
    },
    Door {
        name: "a block",
        limit: 128 * KB,
        meets: |host, text| {
            argued(host);
            measured(host);
            host.stop_with("one", &format!("Yes.\n\n```anvil\n{text}\nverdict: do\n```"));
        },
    },
    Door {
        name: "a state file",
        limit: 8 * MB,
        meets: |host, text| {
            argued(host);
            let state = host.state_text();
            fs_err::write(host.state_path(), format!("{state}\n{text}")).unwrap();
            measured(host);
            host.run(&["status"]);
            host.run(&["claims"]);
        },
    },
    Door {
        name: "the head of a state file",
        limit: 120 * KB,
        meets: |host, text| {
            argued(host);
            host.edit("schema: 3\n", &format!("schema: 3\n{text}\n"));
            measured(host);
            host.run(&["status"]);
        },
    },
    Door {
        name: "the body of an issue",
        limit: 7 * MB,
        meets: |host, text| {
            argued(host);
            let state = host.state_path().display().to_string();
            measured(host);
            let body = host.pipe(&["body", "embed", "--state", &state], text).stdout;
            host.pipe(&["body", "extract", "--state"], &body);
        },
    },
    Door {
        name: "the client's transcript",
        limit: 16 * MB,
        meets: |host, text| {
            host.prompt("one", "/anvil:debate Should we cache? --rounds 1");
            let path = host.outside("session.jsonl");
            fs_err::write(&path, text).unwrap();
            measured(host);
            let reply = "**A1. One.** a";
            host.event(
                "one",
                "Stop",
                &json!({"last_assistant_message": reply, "transcript_path": path}),
            );
        },
    },
    Door {
        name: "material",
        limit: 4 * MB - 64 * KB,
        meets: |host, text| {
            fs_err::write(host.path("notes.txt"), text).unwrap();
            measured(host);
            host.prompt("one", "/anvil:debate Should we cache? --context notes.txt");
        },
    },
    Door {
        name: "a document",
        limit: 60 * KB,
        meets: |host, text| {
            fs_err::write(host.path("plan.md"), text).unwrap();
            run(host, &["--revise", "plan.md"], "");
        },
    },
    Door {
        name: "a diff",
        limit: 7 * MB,
        meets: |host, text| {
            host.git(&["init", "-q", "-b", "main"]);
            fs_err::write(host.path("a.txt"), "a\n").unwrap();
            host.git(&["add", "-A"]);
            host.git(&["commit", "-q", "-m", "x"]);
            fs_err::write(host.path("a.txt"), text).unwrap();
            measured(host);
            host.prompt("one", "/anvil:debate Should we cache? --diff");
        },
    },
    Door {
        name: "settings",
        limit: 60 * KB,
        meets: |host, text| {
            fs_err::create_dir_all(host.path(".claude")).unwrap();
            let settings = format!("---\n{text}\n---\n");
            fs_err::write(host.path(".claude/anvil.local.md"), settings).unwrap();
            measured(host);
            host.run(&["config"]);
        },
    },
    Door {
        name: "a decision record",
        limit: 990_000,
        meets: |host, text| {
            let record = "<!-- anvil-decision: {\"id\":\"i\",\"question\":\"q\",\"claims\":[]} -->";
            fs_err::write(host.path("0001-a.md"), format!("# A\n\n{text}\n\n{record}\n")).unwrap();
            measured(host);
            host.run(&["recheck", "0001-a.md"]);
            host.run(&["recheck", "."]);
        },
    },
    Door {
        name: "the record of attempts",
        limit: 7 * MB,
        meets: |host, text| {
            argued(host);
            fs_err::write(host.debate_folder_here().join("attempts.jsonl"), text).unwrap();
            measured(host);
            host.run(&["attempts", "--json"]);
        },
    },
    Door {
        name: "the output of an agent",
        limit: 8 * MB,
        meets: |host, text| {
            run(host, &["Should we cache?"], text);
        },
    },
];

/// Repeated; `{n}` and `{v}` are other numbers each time.
const PIECES: &[&str] = &[
    // Long texts.
    "x",
    "x ",
    " ",
    "\n",
    "\r\n\t",
    "é日👩\u{200d}",
    "\u{200b}",
    "\u{1b}[",
    "`",
    "` a",
    "```\n",
    "[",
    "![a](",
    "[a][",
    "*a_",
    "**a",
    "~~a ",
    "\"a",
    "(",
    "> ",
    "- ",
    "1. ",
    "| a ",
    "<a ",
    "<!-- ",
    "<x y=\"",
    "&amp;",
    "\\`",
    "/a/b ",
    "http://a.b/c ",
    "@a #1 ",
    "--x{n} ",
    "a. e.g. ",
    "A{n}, ",
    "-----BEGIN token=a ",
    "{\"a\":",
    "{a: [",
    // Many entries.
    "{n}`{v}",
    "> - {n}\n",
    "k{n}{v}: {n}\n",
    "## a{v}{n}\n\na\n\n",
    "[a{v}{n}]: b\n[a{n}] ",
    "[^{v}{n}]: a\n[^{n}] ",
    "**A{n}. One {v}.** a [evidence: a{n}/b.rs:{n} \"a {v}\"]\n\n",
    "**S{v}.{n}. One.** a\n\n",
    "**Attacks A{n}:** \"One {v}\" is old\n\n",
    "**Grants A{n}:** because {v}{n}\n\n",
    "A{n} survived: a{v}\n",
    "rests on: A{n}, A{v}\n",
    "{n}. a{v}\n",
    "### Advocate\n<!-- anvil {\"at\":\"2026-11-21T00:00:00Z\",\"words\":1} -->\n> **A{n}. a {v}** b\n\n",
    "## Cycle {n}\n<!-- anvil {\"at\":\"2026-11-21T00:00:00Z\",\"words\":1} -->\n> a\n\n",
    "{\"at\":\"2026-11-21T00:00:00Z\",\"id\":\"a{v}{n}\",\"attempt\":{n},\"event\":\"started\"}\n",
    "{\"type\":\"assistant\",\"timestamp\":\"2026-11-21T00:00:00Z\",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"a\"}]}}\n",
    "<!-- anvil-decision: {\"id\":\"a{v}{n}\",\"claims\":[]} -->\n",
    "<!-- anvil-state\n{}\n-->\n",
    "fn a{v}{n}() {\n",
    "change {n} (A{v}): a\n",
];

/// About this many bytes of a piece.
fn text_of(piece: &str, size: usize) -> String {
    if !piece.contains("{n}") {
        return piece.repeat(size / piece.len());
    }
    let mut text = String::with_capacity(size + piece.len());
    for at in 0.. {
        let (voice, number) = ((at / 999) % 250 + 1, at % 999 + 1);
        text += &piece.replace("{v}", &voice.to_string()).replace("{n}", &number.to_string());
        if text.len() >= size {
            break;
        }
    }
    text
}

/// A debate in which both sides have made claims, and the synthesis waits.
fn argued(host: &Host) {
    host.prompt("one", "/anvil:debate Should we cache? --rounds 1");
    let claims = |letter: char| {
        let mut text = String::new();
        for number in 1..=90 {
            write!(text, "**{letter}{number}. Reason {number}.** a\n\n").unwrap();
        }
        text
    };
    host.stop("one", &claims('A'));
    host.stop("one", &format!("{}**Attacks A1:** \"Reason 1\" is old.", claims('C')));
    assert_eq!(host.head("phase"), "synthesizer");
}

/// Argues with a program that writes claims of both sides, and this text.
fn run(host: &Host, words: &[&str], text: &str) {
    let path = host.outside("reply.md");
    fs_err::write(&path, format!("**A1. One.** a\n\n**C1. Two.** b [minor]\n\n{text}")).unwrap();
    let agent = format!("--agent=cmd:cat {}", path.display());
    measured(host);
    host.run(&[&["run"], words, &["--rounds=1", "--questions=no", &agent]].concat());
}

/// From here on the CPU time counts.
fn measured(host: &Host) {
    fs_err::write(host.home().join("times"), "").unwrap();
}

/// The CPU time that a text takes at a door.
fn cpu(door: &Door, text: &str) -> Duration {
    let host = Host::new().through(TIMED);
    (door.meets)(&host, text);
    let times = fs_err::read_to_string(host.home().join("times")).unwrap();
    let seconds = times.split_whitespace().map(|time| time.parse::<f64>().expect("a time"));
    Duration::from_secs_f64(seconds.sum())
}

fn grows_with_its_text(door: &Door, piece: &str) {
    let (small, large) = (text_of(piece, door.limit / 4), text_of(piece, door.limit));
    let (mut short, mut long) = (Duration::MAX, Duration::MAX);
    for _ in 0..3 {
        short = short.min(cpu(door, &small));
        long = long.min(cpu(door, &large));
        // What is far from the limit is not measured again.
        if long < FLOOR.max(short * MOST * 3 / 4) {
            break;
        }
    }
    println!("{}, {piece:?}: {short:?}, then {long:?}", door.name);
    assert!(
        long < FLOOR.max(short * MOST),
        "{} of {piece:?}: {short:?}, four times as much {long:?}",
        door.name
    );
}

#[test]
#[ignore = "takes minutes; .ci/run runs it with the release build"]
fn four_times_the_text_takes_at_most_eight_times_the_time() {
    try_sample(DOORS.len() * PIECES.len(), 60, |case| {
        grows_with_its_text(&DOORS[case % DOORS.len()], PIECES[case / DOORS.len()]);
    });
}

/// Folders of files, records and earlier debates: many entries that are no text.
#[test]
#[ignore = "takes minutes; .ci/run runs it with the release build"]
fn four_times_the_files_take_at_most_eight_times_the_time() {
    const RECORD: &str = "<!-- anvil-decision: {\"id\":\"i\",\"question\":\"q\",\"claims\":[]} -->";
    const FOLDER: Door = Door {
        name: "a folder",
        limit: 20_000,
        meets: |host, names| {
            for name in names.lines() {
                fs_err::write(host.path(&format!("{name}.md")), format!("# {name}\n\n{RECORD}\n"))
                    .unwrap();
            }
            measured(host);
            host.prompt("one", "/anvil:debate Should we cache? --context .");
            host.run(&["recheck", "."]);
        },
    };
    const DEBATES: Door = Door {
        name: "earlier debates",
        limit: 4_000,
        meets: |host, names| {
            argued(host);
            let one = host.debate_folder_here();
            for name in names.lines() {
                let other = host.debate_folder(&format!("2026-11-21-{name}"));
                assert!(
                    Command::new("cp").arg("-r").arg(&one).arg(&other).status().unwrap().success()
                );
            }
            measured(host);
            host.run(&["history", "--all"]);
        },
    };
    grows_with_its_text(&FOLDER, "{v}-{n}\n");
    grows_with_its_text(&DEBATES, "{v}-{n}\n");
}
