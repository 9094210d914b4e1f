//! The comment of a decision record, written and read back.

use anvil_core::debate::Debate;
use anvil_core::ledger::{RestedClaim, RestedWords};
use anvil_core::place::{Place, Seat};
use anvil_core::transcript::{self, Entry, EntryKind};
use anvil_report::{AdrRecord, Files, Model, RecordedDecision, ReportSource, adr, is_report};
use jiff::Timestamp;
use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser, Tag};

const BEGINS: &str = "<!-- anvil-decision: ";
const WORDS: &str = "max_retries = 5";
const QUESTION: &str = "Should we retry?";

/// Texts that would forge a comment, or end one.
const FORGERS: [&str; 10] = [
    "<!-- anvil-decision: {\"id\":\"x\",\"question\":\"\",\"claims\":[]} -->",
    "a\n<!-- anvil-decision: {} -->\nb",
    "a\n\n```\n<!-- anvil-decision: {} -->\n```\n",
    "```<!-- anvil-decision: {} -->",
    "-->\n<!-- anvil-decision: {} -->",
    "--> --!> ]]> \\u002d\\u002d>",
    "a\u{2028}<!-- anvil-decision: {} -->\u{2029}b",
    "a\r<!-- anvil-decision: {} -->\u{85}b",
    "@user #12 GH-12 o/n#3 \u{1b}[31m\u{202e}",
    "---\nstatus: rejected\n---\n# Forged",
];

fn at() -> Timestamp {
    Timestamp::from_second(1_795_230_000).unwrap()
}

/// A debate that rests on A1 and C1.
fn model(question: &str, claim: &str) -> Model {
    let mut debate = Debate::new("2026-11-21-it-0001".into(), question.into(), 1, at());
    debate.complete(at());
    debate.options.position = Some(claim.to_owned());
    let mut body = transcript::open(question);
    let reply = |seat| EntryKind::Reply(Place { seat, round: 1 });
    let synthesis =
        format!("recommendation: {claim}\nverdict: do\nrests on: A1, C1\nconfidence: 70");
    let synthesis = testkit::host::synthesis(&synthesis, &["A1".into(), "C1".into()], None);
    for (seat, text) in [
        (Seat::Advocate, format!("**A1. {claim}** x")),
        (Seat::Critic, format!("**C1. It costs.** {claim}")),
        (Seat::Synthesizer, synthesis),
    ] {
        Entry::new(reply(seat), at(), &text).append_to(&mut body);
    }
    let entries = transcript::parse(&body);
    let scrubber = anvil_text::Scrubber::default();
    let source = ReportSource { debate: &debate, entries: &entries, scrubber: &scrubber };
    Model::from_source(&source, &Files::default())
}

fn claim(id: &str, words: Option<(&str, &str)>) -> RestedClaim {
    let words = words.map(|(path, words)| RestedWords {
        path: path.to_owned(),
        line: Some(41),
        words: words.to_owned(),
        commit: Some("3f2a".to_owned()),
    });
    RestedClaim { id: id.parse().unwrap(), words, file: None }
}

fn decision(question: &str, path: &str, words: &str) -> RecordedDecision {
    RecordedDecision {
        id: "2026-11-21-it-0001".into(),
        question: question.into(),
        number: Some(7),
        claims: vec![claim("A1", Some((path, words))), claim("C1", None)],
        ..RecordedDecision::default()
    }
}

/// The record of a decision.
fn record(decision: RecordedDecision) -> String {
    let model = model(&decision.question, "Retries help");
    adr(&model, Some(&AdrRecord { decision, ..AdrRecord::default() }))
}

fn usual() -> String {
    record(decision(QUESTION, "src/queue.rs", WORDS))
}

fn comments(text: &str) -> usize {
    text.lines().filter(|line| line.starts_with(BEGINS)).count()
}

fn with_comment(json: &str) -> String {
    format!("# Any\n\n{BEGINS}{json} -->\n")
}

#[test]
fn a_record_has_its_claims_in_one_comment_before_its_last_line() {
    let text = usual();
    let comment = "<!-- anvil-decision: {\"id\":\"2026-11-21-it-0001\",\
        \"question\":\"Should we retry?\",\"number\":7,\"claims\":[{\"id\":\"A1\",\
        \"path\":\"src/queue.rs\",\"line\":41,\"words\":\"max_retries = 5\",\
        \"commit\":\"3f2a\"},{\"id\":\"C1\"}]} -->\n<!-- anvil-report -->\n";
    assert!(text.ends_with(comment), "{text}");
    let expected = RecordedDecision {
        status: "proposed".into(),
        title: "Retries help".into(),
        ..decision(QUESTION, "src/queue.rs", WORDS)
    };
    assert_eq!(RecordedDecision::read(&text), Some(Ok(expected)));
    assert!(is_report(text.as_bytes()));
}

#[test]
fn what_a_person_writes_around_the_comment_does_not_matter() {
    let text = usual();
    let read = RecordedDecision::read(&text).unwrap().unwrap();
    let accepted = text.replace("status: proposed\n", "deciders: [a]\nstatus: \"accepted\"\n");
    for changed in [
        format!("\u{feff}{accepted}"),
        accepted.replace('\n', "\r\n"),
        format!(
            "{accepted}\n\nstatus: rejected\n\n```\n{BEGINS}{{}} -->\n```\n> {BEGINS}{{}} -->\n"
        ),
    ] {
        let (status, owners) = ("accepted".into(), "a".into());
        let expected = RecordedDecision { status, owners, ..read.clone() };
        assert_eq!(RecordedDecision::read(&changed), Some(Ok(expected)), "{changed}");
    }
}

#[test]
fn a_mark_without_a_record_on_its_line_is_an_error_and_no_mark_is_none() {
    let comment = with_comment("{\"id\":\"x\",\"question\":\"\",\"claims\":[]}");
    for text in [
        comment.replace("<!-- ", "  <!-- "),
        comment.replace("<!-- ", "<!--"),
        comment.replace("decision: ", "decision:\n"),
        format!("```\n{comment}"),
        "# A report\n\n<!-- anvil-report -->\n".to_owned(),
    ] {
        let why = RecordedDecision::read(&text).unwrap().unwrap_err();
        assert!(why.contains("no record on a line"), "{text}: {why}");
    }
    assert_eq!(RecordedDecision::read("# Ours\n\nNo debate.\n"), None);
}

#[test]
fn a_decision_stands_unless_its_status_says_otherwise() {
    for (status, stands) in [
        ("proposed", true),
        ("accepted", true),
        ("\"superseded by [ADR-0005](0005-x.md)\"", false),
        ("Superseded by ADR-0005", false),
        ("rejected", false),
        ("deprecated, see 5", false),
        ("", true),
    ] {
        let comment = with_comment("{\"id\":\"x\",\"question\":\"\",\"claims\":[]}");
        let text = format!("---\nstatus: {status}\n---\n{comment}");
        let read = RecordedDecision::read(&text).unwrap().unwrap();
        assert_eq!(read.stands(), stands, "{status}: {read:?}");
    }
}

#[test]
fn a_decision_that_rests_on_nothing_is_a_record_too() {
    let decision = RecordedDecision { claims: Vec::new(), ..decision(QUESTION, "a", WORDS) };
    let read = RecordedDecision::read(&record(decision)).unwrap().unwrap();
    assert_eq!(read.claims, []);
}

#[test]
fn a_comment_that_is_broken_or_too_large_is_one_line_of_error() {
    let claims = vec!["{\"id\":\"A1\"}"; 21].join(",");
    for text in [
        with_comment("{"),
        with_comment("{\"id\":\"x\",\"question\":\"\"}"),
        with_comment("{\"id\":\"x\",\"question\":\"\",\"claims\":[{\"id\":\"<b>\\n\"}]}"),
        with_comment(&format!("{{\"id\":\"x\",\"question\":\"\",\"claims\":[{claims}]}}")),
        usual().replace("} -->", "}"),
        usual().replace(WORDS, &"x".repeat(1_001)),
        usual().replace("\"line\":41", &format!("\"line\":41{}", " ".repeat(200_000))),
        usual().repeat(2),
    ] {
        let why = RecordedDecision::read(&text).unwrap().unwrap_err();
        assert!(why.lines().count() == 1 && why.len() < 300, "{why}");
        assert!(why.starts_with("it ") || why.starts_with("its anvil-decision"), "{why}");
    }
}

#[test]
fn no_text_of_others_forges_a_comment_or_ends_one() {
    for text in FORGERS {
        let decision = RecordedDecision {
            supersedes: Some(text.into()),
            claims: vec![claim("A1", Some((text, text)))],
            ..decision(text, "", "")
        };
        let record = AdrRecord {
            decision,
            supersedes: Some((text.into(), text.into())),
            ..AdrRecord::default()
        };
        let made = adr(&model(text, text), Some(&record));
        assert_eq!(comments(&made), 1, "{made}");
        let line = made.lines().find(|line| line.starts_with(BEGINS)).unwrap();
        let json = line.strip_prefix(BEGINS).unwrap().strip_suffix(" -->").unwrap();
        assert!(!json.contains(['<', '>', '@', '#']) && !json.contains("--"), "{json}");
        assert!(json.chars().all(anvil_text::is_shown), "{json}");
        let read = RecordedDecision::read(&made).unwrap().unwrap();
        assert_eq!(read.claims, record.decision.claims, "{made}");
        assert_eq!(read.status, "proposed", "{made}");
        assert!(is_report(made.as_bytes()), "{made}");
    }
}

/// The links of a text, as each dialect reads them.
fn links(text: &str) -> Vec<String> {
    let tables = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut links = Vec::new();
    for options in
        [Options::empty(), tables, tables | Options::ENABLE_FOOTNOTES | Options::ENABLE_GFM]
    {
        links.extend(Parser::new_ext(text, options).filter_map(|event| match event {
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                Some(dest_url.to_string())
            }
            Event::Html(html) if !html.starts_with("<!-- anvil-") => Some(html.to_string()),
            Event::InlineHtml(html) => Some(html.to_string()),
            _ => None,
        }));
    }
    links
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(
        question in "(\\PC|[<>@#\\\\\"\n-]| -->){1,80}",
        path in "[a-z<>@#|\"-]{1,20}(/[^\\p{C}\\p{Z}]{1,20}){0,3}",
        words in "[^\\p{C}\\p{Z}]{12,40}( [<>!@#\"-]{1,5}){0,5}",
        number in any::<Option<u32>>(),
    ) {
        let decision = RecordedDecision {
            number,
            claims: vec![claim("A1", Some((&path, &words))), claim("S2.1", None)],
            ..decision(&question, "", "")
        };
        let read = RecordedDecision::read(&record(decision.clone())).unwrap().unwrap();
        let status = read.status.clone();
        let title = read.title.clone();
        let written = RecordedDecision { status, title, ..decision };
        prop_assert_eq!(read, written);
    }

    #[test]
    fn an_earlier_record_is_one_link_to_its_file(
        title in "(\\PC|[<>@#|`*_\\[\\]()!:\\\\\"\n-]|https://a.example|www.a.example|&#93;){0,40}",
        file in "([a-z0-9.-]|[ <>()\\[\\]\"'#?%:|\\\\é]){1,20}",
    ) {
        let supersedes = Some((title, file.clone()));
        let record = AdrRecord {
            decision: decision("Why?", "src/queue.rs", WORDS),
            supersedes,
            ..AdrRecord::default()
        };
        let made = adr(&model("Why?", "It is so"), Some(&record));
        let found = links(&made);
        prop_assert_eq!(found.len(), 3, "{}", made);
        for link in found {
            let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._%".contains(&byte);
            prop_assert!(link.bytes().all(is_plain), "{}", link);
            prop_assert_eq!(decoded(&link), file.clone());
        }
    }
}

fn decoded(address: &str) -> String {
    let mut bytes = Vec::new();
    let mut pieces = address.split('%');
    bytes.extend(pieces.next().unwrap().bytes());
    for piece in pieces {
        bytes.push(u8::from_str_radix(&piece[..2], 16).unwrap());
        bytes.extend(piece[2..].bytes());
    }
    String::from_utf8(bytes).unwrap()
}
