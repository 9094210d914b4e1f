//! The limits: an input of any size and depth has a clear outcome, within 256 MB and without an
//! abort.
//!
//! The shell that starts the program limits its address space: a program that needs more is
//! aborted, and the test fails. A run whose time is quadratic in its input is killed as hanging.
//! Long lists of inputs are tried like attacks: a few, or as many as `ANVIL_ATTACKS` says.

use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::PathBuf;

use anvil_core::transcript;
use serde_json::{Value, json};

use testkit::host::{Answer, Host};
use testkit::sample::try_sample;

const MB: usize = 1024 * 1024;

/// 256 MB, in the KB of `ulimit`.
const LIMITED: &[&str] = &["/bin/sh", "-c", "ulimit -v 262144; exec \"$0\" \"$@\""];

/// Deeper than any parser's stack.
const DEEP: usize = 100_000;

#[test]
fn a_small_stack_ends_no_hook() {
    let small = ["/bin/sh", "-c", "ulimit -s 64; exec \"$0\" \"$@\""];
    let host = Host::new().through(&small).debating("Why? --rounds 1");
    let answer = host.stop("one", "**A1. It pays.** It does. [reasoning]");
    assert!(answer.context().contains("Critic"), "{answer:?}");
    assert!(host.state_text().contains("It pays"));
    assert_eq!(host.run(&["claims"]).code, 0);
}

fn debating(rounds: u8) -> Host {
    Host::new().through(LIMITED).debating(&format!("Why? --rounds {rounds}"))
}

/// The input was processed or refused, and the user knows it.
fn is_clear(answer: &Answer) {
    assert!(
        !answer.message().is_empty() || !answer.reason().is_empty() || !answer.context().is_empty(),
        "{answer:?}"
    );
    assert!(answer.message().len() + answer.reason().len() < 2_000);
}

/// Sends an event with these fields after the session.
fn raw(host: &Host, name: &str, rest: &[u8]) -> Answer {
    let mut event = format!(r#"{{"session_id":"one","hook_event_name":"{name}","#).into_bytes();
    event.extend_from_slice(rest);
    host.hook_raw(&event, host.root(), Some(host.root()))
}

#[test]
fn a_head_of_aliases_nesting_or_floods_ends_in_a_clear_outcome() {
    let nine = |name: &str| [name; 9].join(", ");
    let mut aliases = vec![format!("a: &a [{}]\n", nine("x"))];
    for (before, name) in "abcdefghijklmno".chars().zip("bcdefghijklmnop".chars()) {
        aliases.push(format!("{name}: &{name} [{}]\n", nine(&format!("*{before}"))));
    }
    let aliases = aliases.concat() + &"# so that it has 64 KB\n".repeat(64 * 1024 / 23);
    let keys: Vec<String> = (0..10_000).map(|number| format!("k{number}: 1\n")).collect();
    for head in [
        aliases,
        format!("z: {}\n", "- ".repeat(60_000)),
        format!("z: {}\n", "[".repeat(DEEP)),
        format!("{}\n", "[".repeat(DEEP)),
        format!("z: {}\n", "{a: ".repeat(30_000)),
        "? ".repeat(60_000) + "\n",
        format!("z: {}\n", "&a ".repeat(40_000)),
        format!("z: {}\n", "!!a ".repeat(30_000)),
        format!("z: \"{}", "x\n".repeat(60_000)),
        format!("z: {}\n", "a:".repeat(60_000)),
        "%YAML 1.2\n".repeat(12_000),
        (0..500).map(|depth| " ".repeat(depth) + "a:\n").collect(),
        keys.concat(),
        format!("z: [{}x]\n", "x, ".repeat(20_000)),
        format!("z: {}\n", "x".repeat(120_000)),
        format!("z: >\n{}", " x\n".repeat(40_000)),
        "#\n".repeat(60_000),
        "\n".repeat(120_000),
        "a: b\n".repeat(40_000),
    ] {
        let host = debating(3);
        host.edit("schema: 3\n", &format!("schema: 3\n{head}"));
        let before = host.state_text().into_bytes();
        let answer = host.stop("one", "A1.");
        is_clear(&answer);
        let printed = host.run(&["status"]);
        assert_eq!(printed.code, 0, "{head:.40}: {printed:?}");
        let is_filed = host.sections().iter().any(|section| section.text == "A1.");
        assert_eq!(is_filed, !answer.context().is_empty(), "{head:.40}: {answer:?}");
        // A repaired file is put aside unchanged, and a refused file is unchanged in its
        // place.
        let is_read = !answer.message().contains("repaired") && is_filed;
        assert!(
            is_read || host.all_files().iter().any(|(_, content)| *content == before),
            "{head:.40}: {answer:?}"
        );
    }
}

#[test]
fn a_hook_input_of_any_depth_is_read_or_refused() {
    let open = "[".repeat(DEEP);
    let shut = "]".repeat(DEEP);
    for rest in [
        format!("\"new\":{open}"),
        format!("\"cwd\":{open}"),
        format!("\"background_tasks\":{open}{shut}}}"),
        format!("\"prompt_id\":{}", "{\"a\":".repeat(DEEP)),
    ] {
        is_clear(&raw(&debating(3), "Stop", rest.as_bytes()));
    }
    let rest = format!("\"new\":{open}{shut},\"last_assistant_message\":\"A1.\"}}");
    assert!(raw(&debating(3), "Stop", rest.as_bytes()).context().starts_with("── Critic"));
    for whole in [open, "{\"a\":".repeat(DEEP)] {
        let host = Host::new().through(LIMITED);
        is_clear(&host.hook_raw(whole.as_bytes(), host.root(), None));
    }
}

#[test]
fn a_body_of_any_depth_is_read() {
    let pieces = [
        "> ", "- ", "1. ", "> - ", "*a ", "*_", "[", "![", "[a](", "[a][", "[^", "<a ", "<!-- ",
        "<x y=\"", "&", "@a` ", "http://",
    ];
    try_sample(pieces.len(), 3, |case| {
        let piece = pieces[case];
        let host = debating(1);
        host.stop("one", "A1.");
        let text = host.state_text();
        fs_err::write(host.state_path(), format!("{text}\n{}\n", piece.repeat(DEEP))).unwrap();
        assert!(host.run(&["status"]).stdout.contains("1 of 3 replies"), "{piece}");
        assert!(!host.stop("one", "C1.").context().is_empty(), "{piece}");
        assert!(host.stop("one", "recommendation: Yes.").message().contains("Page: "), "{piece}");
    });
}

#[test]
fn an_event_beyond_the_limit_is_refused_and_changes_nothing() {
    let host = debating(3);
    let before = host.files();
    let mut event = vec![b' '; 64 * MB];
    event.extend_from_slice(b"{\"hook_event_name\":\"Stop\",\"session_id\":\"one\"}");
    let answer = host.hook_raw(&event, host.root(), Some(host.root()));
    assert!(
        answer.message().contains("larger than") && answer.message().contains("/anvil:resume"),
        "{answer:?}"
    );
    assert_eq!(host.files(), before);
}

#[test]
fn an_event_with_many_unknown_fields_is_read() {
    let mut rest = b"\"new\":[".to_vec();
    rest.extend(b"1,".repeat(12 * MB));
    rest.extend(b"1],\"last_assistant_message\":\"A1.\"}");
    assert!(raw(&debating(3), "Stop", &rest).context().starts_with("── Critic"));
}

#[test]
fn an_event_with_huge_known_fields_is_read_or_refused() {
    for (name, field, item) in [
        ("Stop", "background_tasks", "{},"),
        ("Stop", "cwd", "1,"),
        ("Stop", "transcript_path", "[],"),
        ("SessionStart", "source", "{},"),
    ] {
        let rest = format!(
            "\"{field}\":[{}1],\"last_assistant_message\":\"A1.\"}}",
            item.repeat(60 * MB / item.len())
        );
        let answer = raw(&debating(3), name, rest.as_bytes());
        is_clear(&answer);
    }
}

#[test]
fn a_typed_line_of_megabytes_is_refused() {
    for line in ["--x ", "word ", "--rounds 2 ", "\" ", "— "] {
        let host = debating(3);
        let prompt = format!(
            "\"command_name\":\"anvil:debate\",\"command_args\":\"{}\"}}",
            json!(line.repeat(3 * MB / line.len())).to_string().trim_matches('"')
        );
        is_clear(&raw(&host, "UserPromptExpansion", prompt.as_bytes()));
    }
}

#[test]
fn a_typed_line_of_megabytes_is_refused_by_every_command() {
    for command in ["status", "resume", "cancel"] {
        let arguments = "--x ".repeat(15 * MB);
        let line =
            format!("\"command_name\":\"anvil:{command}\",\"command_args\":\"{arguments}\"}}");
        is_clear(&raw(&debating(3), "UserPromptExpansion", line.as_bytes()));
    }
}

/// A transcript in which the file's holes are lines of NULs.
struct Session {
    file: fs_err::File,
    path: PathBuf,
    at: String,
}

impl Session {
    fn of(host: &Host) -> Self {
        let path = host.outside("session.jsonl");
        Self { file: fs_err::File::create(&path).unwrap(), path, at: host.last_run_time() }
    }

    fn hole(mut self, bytes: usize) -> Self {
        self.file.seek(SeekFrom::Current(i64::try_from(bytes).unwrap())).unwrap();
        self
    }

    fn write(mut self, bytes: impl AsRef<[u8]>) -> Self {
        self.file.write_all(bytes.as_ref()).unwrap();
        self
    }

    fn said(self, text: &str) -> Self {
        let message = json!({ "model": "m", "content": [{ "type": "text", "text": text }] });
        let line = json!({ "type": "assistant", "timestamp": self.at, "message": message });
        self.write(format!("\n{line}\n"))
    }

    /// The texts of the section that is saved when Claude stops with `last`.
    fn filed(self, host: &Host, last: &str) -> String {
        let fields: Value = json!({ "last_assistant_message": last, "transcript_path": self.path });
        let answer = host.event("one", "Stop", &fields);
        assert!(answer.context().starts_with("── Critic"), "{answer:?}");
        host.sections()[0].text.clone()
    }
}

#[test]
fn only_the_end_of_a_transcript_of_a_gigabyte_is_read() {
    for (before, after) in [(1024 * MB, 0), (0, 1024 * MB), (900 * MB, 100 * MB), (1024 * MB, 1000)]
    {
        let host = debating(3);
        let session = Session::of(&host)
            .hole(before)
            .said("A1. First.")
            .hole(after)
            .write("\n")
            .said("A2. Second.");
        let filed = session.filed(&host, "A2. Second.");
        assert!(filed.ends_with("A2. Second."), "{filed:.100}");
        assert_eq!(filed.contains("A1. First."), after < 16 * MB, "{filed:.100}");
    }
}

#[test]
fn a_line_of_a_hundred_megabytes_hides_no_other_line() {
    let open = "\n{\"type\":\"assistant\",\"message\":{\"model\":\"m\",\"content\":[{\"type\":\"text\",\"text\":\"x";
    let host = debating(3);
    let session = Session::of(&host).write(open).hole(100 * MB).write("\"}]}}\n").said("A1.");
    assert_eq!(session.filed(&host, "A1."), "A1.");
    // The long line is the last one: the event itself has the reply.
    let host = debating(3);
    let session = Session::of(&host).said("A1.").write(open).hole(100 * MB).write("\"}]}}\n");
    assert_eq!(session.filed(&host, "A2."), "A2.");
}

#[test]
fn hostile_transcript_lines_do_not_hide_the_reply() {
    let deep = format!("{{\"type\":\"assistant\",\"message\":{}\n", "[".repeat(DEEP));
    let floods = [
        "\n".to_owned(),
        "\"user\"\n".to_owned(),
        deep,
        "{\"type\":\"user\"}\n".to_owned(),
        "\"assistant\" \\ud83d ".to_owned(),
    ];
    for flood in floods {
        let host = debating(3);
        let session = Session::of(&host).write(flood.repeat(MB / 2 / flood.len())).said("A1.");
        assert_eq!(session.filed(&host, "A1."), "A1.", "{flood:.20}");
    }
}

#[test]
fn a_transcript_line_of_many_blocks_is_read_or_skipped() {
    let host = debating(3);
    let blocks = "{\"type\":\"text\"},".repeat(900_000);
    let line = format!(
        "{{\"type\":\"assistant\",\"message\":{{\"content\":[{blocks}{{\"type\":\"text\",\"text\":\"A1.\"}}]}}}}\n"
    );
    assert!(Session::of(&host).write(line).filed(&host, "A2.").ends_with("A2."));
}

/// The reply is in the file word for word, or put aside if it is requested again, or it was
/// refused and the file is unchanged.
fn is_filed_or_refused(reply: &str) {
    let host = debating(3);
    let before = host.state_text();
    let answer = host.stop_with("one", reply);
    is_clear(&answer);
    let given = transcript::normalise(reply);
    let given = given.trim_end().trim_start_matches('\n');
    if answer.context().is_empty() {
        assert_eq!(host.state_text(), before);
    } else if ["once more ── number your claims", "it has no claim and no move"]
        .iter()
        .any(|why| answer.context().contains(why))
    {
        let kept = host
            .aside_files()
            .iter()
            .any(|(_, content)| content.trim_ascii_end() == given.as_bytes());
        assert!(kept, "{reply:.40}");
    } else {
        assert!(transcript::last_text(&host.state().body).as_deref() == Some(given), "{reply:.40}");
    }
}

/// The same with a number at its start and without.
fn is_filed_or_refused_in_both_forms(reply: &str) {
    is_filed_or_refused(reply);
    is_filed_or_refused(&format!("A1. {reply}"));
}

#[test]
fn a_reply_of_twenty_megabytes_is_saved_whole_or_refused() {
    is_filed_or_refused(&format!("A1. {}", "a line of words\n".repeat(20 * MB / 16)));
}

#[test]
#[ignore = "slow where the program is not optimised"]
fn fuzz_replies_of_twenty_megabytes() {
    for piece in ["x", "é ", "> ", "\n\nx", "<anvil-complete/> ", "\u{1b}"] {
        is_filed_or_refused_in_both_forms(&piece.repeat(20 * MB / piece.len()));
    }
}

#[test]
#[ignore = "slow where the program is not optimised; .ci/run runs it in release"]
fn a_huge_reply_of_any_form_is_saved_or_refused() {
    for (piece, size) in
        [("a\r", 20), ("a\n", 20), ("a\r\n", 20), ("x", 60), ("a\n", 40), ("\u{85}x\n", 20)]
    {
        is_filed_or_refused_in_both_forms(&piece.repeat(size * MB / piece.len()));
    }
}

#[test]
fn replies_with_only_moves_are_saved() {
    let lines =
        |count, line: &dyn Fn(usize) -> String| (0..count).map(line).collect::<Vec<_>>().join("\n");
    let all = (1..300).map(|number| format!("A{number}")).collect::<Vec<_>>().join(", ");
    let claims =
        |round: usize| lines(50, &|number| format!("**A{}. Point.** x\n", round * 50 + number + 1));
    let grants =
        |round: usize| lines(50, &|line| format!("**Grants {all}:** because {round} {line}"));
    // By a claim that follows it: each move falls with it.
    let moves = |round: usize| {
        let both = |line| format!("**Attacks A1:** {line}\n**Grants A1:** because {round} {line}");
        format!("**C{}. Claim.** x\n{}", round + 1, lines(49, &both))
    };
    for critic in [&grants as &dyn Fn(usize) -> String, &moves] {
        let host = Host::new().through(LIMITED).debating("Why? --rounds 10 --early-end=no");
        for round in 0..10 {
            for reply in [claims(round), critic(round)] {
                let answer = host.stop("one", &reply);
                if answer.context().is_empty() {
                    host.prompt("one", "/anvil:resume");
                }
            }
        }
        assert_eq!(host.sections().len(), 20);
        assert!(host.run(&["claims"]).stdout.contains("claims"));
    }
}

/// A debate with the advocate's reply, followed by this much of this text.
fn with_state_of(size: usize, piece: &str) -> Host {
    let host = debating(1);
    host.stop("one", "A1.");
    let text = host.state_text();
    fs_err::write(host.state_path(), format!("{text}\n{}", piece.repeat(size / piece.len())))
        .unwrap();
    host
}

/// Every action on a debate ends well.
fn everything_is_clear(host: &Host) {
    for _ in 0..2 {
        is_clear(&host.stop("one", "recommendation: Yes."));
        let printed = host.run(&["status"]);
        assert!(printed.code == 0 || printed.stderr.starts_with("anvil: "), "{printed:?}");
        is_clear(&host.prompt("one", "/anvil:resume"));
        host.session_start("one", "compact");
    }
    let printed = host.run(&["cancel"]);
    assert!(
        printed.stdout.contains("cancelled") || printed.stderr.starts_with("anvil: "),
        "{printed:?}"
    );
}

#[test]
fn a_state_file_of_fifty_megabytes_of_prose_is_handled_or_refused() {
    everything_is_clear(&with_state_of(50 * MB, &format!("> {}\n", "word ".repeat(40))));
}

#[test]
fn a_state_file_of_fifty_megabytes_is_handled_or_refused() {
    let pieces = ["a\n", "> a\n", ">\n", "\n", "# x\n", "- a\n", "*a_b*", "### Advocate\n"];
    try_sample(pieces.len(), 2, |case| everything_is_clear(&with_state_of(50 * MB, pieces[case])));
}

#[test]
fn a_state_file_beyond_the_limit_is_refused_and_left_untouched() {
    let host = debating(3);
    let file = fs_err::OpenOptions::new().write(true).open(host.state_path()).unwrap();
    file.set_len(1024 * MB as u64).unwrap();
    for answer in [
        host.stop("one", "A1."),
        host.prompt("one", "/anvil:status"),
        host.prompt("one", "/anvil:debate Q"),
    ] {
        assert!(
            answer.message().contains("more than") || answer.reason().contains("more than"),
            "{answer:?}"
        );
    }
    assert_eq!(host.run(&["status"]).code, 1);
    assert_eq!(file.metadata().unwrap().len(), 1024 * MB as u64);
}

#[test]
fn a_full_journal_is_read_quickly() {
    let host = debating(1);
    host.stop("one", "A1.");
    host.stop("one", "C1.");
    host.stop("one", "recommendation: Wait.");
    assert_eq!(host.run(&["history", "--outcome", "right", "--review", "1d"]).code, 0);
    let file = host.records().join("decisions.jsonl");
    let due = fs_err::read_to_string(&file).unwrap();
    // Those of other projects.
    let line = |number: usize| {
        let (id, note) = (format!("2026-01-01-{number:06x}"), "x".repeat(60));
        format!("{{\"at\":\"2026-01-01T00:00:00Z\",\"id\":\"{id}\",\"question\":\"{note}\"}}\n")
    };
    let journal = (0..60_000).map(line).collect::<String>() + &due;
    assert!(journal.len() > 7 * MB, "{}", journal.len());
    fs_err::write(&file, journal).unwrap();
    host.wait(2 * 24 * 3_600);
    assert!(host.session_start("two", "startup").message().contains("a review is due"));
    assert!(host.run(&["history", "--due"]).stdout.contains("Why?"));
}
