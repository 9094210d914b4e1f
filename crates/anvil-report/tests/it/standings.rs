//! What a verdict is worth, in every form of a report: each reason why it is void, each caution,
//! and texts that are cleaned only when they are shown.

use std::collections::BTreeSet;
use std::path::Path;

use anvil_core::debate::Debate;
use anvil_core::document::Document;
use anvil_core::ledger::{Claim, Ledger, Standing, compose};
use anvil_core::options::{Mode, Named};
use anvil_core::place::{Place, Seat};
use anvil_core::transcript::{self, Entries, Entry, EntryKind, NoteKind};
use anvil_report::{Files, Format, Model, ReportSource, html, markdown, plain, summary};
use anvil_text::Scrubber;
use jiff::Timestamp;
use proptest::prelude::*;
use proptest::sample::{Index, select};

const RECOMMENDATION: &str = "Move it in May.";
const BLOCK: &str = "motion: move\nA1 survived: by the profile\nA2 survived: granted\n\
    A3 weakened: one vendor\nC1 weakened: the vendor runs it\nC2 survived: granted\n\
    against: one day was bad\nrecommendation: Move it in May.\nverdict: do not\nconfidence: 70\n\
    rests on: A1, A2\nflips if: the load falls\nunknown: the load in June";

/// A debate of two rounds, and its block.
#[derive(Clone)]
struct Built {
    debate: Debate,
    parts: Vec<(EntryKind, String)>,
    block: String,
    repeat: Option<String>,
}

fn reply(seat: Seat, round: u8) -> EntryKind {
    EntryKind::Reply(Place { seat, round })
}

impl Built {
    fn new() -> Self {
        let at = Timestamp::UNIX_EPOCH;
        let mut debate = Debate::new("2026-11-21-it-0001".into(), "Should we move?".into(), 2, at);
        debate.complete(at);
        debate.set_place(Place { seat: Seat::Synthesizer, round: 2 });
        debate.options.motion = Some("move".to_owned());
        let parts = [
            (
                reply(Seat::Advocate, 1),
                "**A1. It is fast.** x [evidence: src/a.rs:2 \"max_retries = 5\"]\n\n\
                 **A2. It is cheap.** y [reasoning]\n\n**A3. It is known.** z [assumption]",
            ),
            (
                reply(Seat::Critic, 1),
                "**C1. It is one more thing.** x [reasoning]\n**Attacks A1:** \"It is fast\" once.\n\n\
                 **C2. It is late.** y [reasoning]\n**Attacks A3:** \"It is known\" to one.\n\n\
                 **Grants A2:** because the price is public.",
            ),
            (
                reply(Seat::Advocate, 2),
                "**Repairs A1 (after C1):** it is fast each week.\n\n**Rebuts C1:** \"one more thing\" \
                 of the vendor.\n\n**Grants C2:** because May is near.",
            ),
        ];
        let parts = parts.map(|(what, text)| (what, text.to_owned())).to_vec();
        Self { debate, parts, block: BLOCK.to_owned(), repeat: None }
    }

    /// The same with other options and no motion.
    fn typed(names: [&str; 2]) -> Self {
        let mut built = Self::new();
        built.debate.options.mode = Mode::Options;
        built.debate.options.voices =
            names.map(|name| Named { name: name.to_owned(), text: None }).to_vec();
        built.debate.options.motion = None;
        let [one, two] = names;
        built.block = BLOCK.replace("motion: move\n", "").replace("do not", one)
            + &format!("\n1. {one}\n2. {two}\noption 1: fast\noption 2: known");
        built
    }

    fn with(mut self, from: &str, to: &str) -> Self {
        assert!(self.block.contains(from), "{from}");
        self.block = self.block.replacen(from, to, 1);
        self
    }

    fn replaced(mut self, at: usize, text: &str) -> Self {
        text.clone_into(&mut self.parts[at].1);
        self
    }

    fn noted(mut self, after: usize, kind: NoteKind, text: &str) -> Self {
        self.parts.insert(after, (EntryKind::Note(kind), text.to_owned()));
        self
    }

    fn repeated(mut self, from: &str, to: &str) -> Self {
        assert!(BLOCK.contains(from), "{from}");
        self.repeat = Some(format!("```anvil\n{}\n```", BLOCK.replacen(from, to, 1)));
        self
    }

    /// Judges with these verdicts, and what they come to.
    fn judged(mut self, verdicts: &[&str]) -> Self {
        for verdict in verdicts {
            let block = self.block.replace("verdict: do not", &format!("verdict: {verdict}"));
            let judgment = format!("It is so.\n\n```anvil\n{block}\n```");
            self.parts.push((EntryKind::Note(NoteKind::Judgment), judgment));
        }
        let composed = compose(&transcript::parse(&self.body()), &self.debate.alternatives());
        self.parts.push((reply(Seat::Synthesizer, 2), composed));
        self
    }

    fn revising(mut self) -> Self {
        self.debate.options.mode = Mode::Revise;
        let text = "The cache moves in May.\nNobody is on call.".to_owned();
        let document = Document { name: "plan.md".into(), sha256: Some("ab".repeat(32)), text };
        self.parts.insert(0, (EntryKind::Note(NoteKind::Document), document.note()));
        self
    }

    fn body(&self) -> String {
        let mut body = transcript::open(&self.debate.question);
        for (what, text) in &self.parts {
            Entry::new(*what, Timestamp::UNIX_EPOCH, text).append_to(&mut body);
        }
        body
    }

    fn entries(&self) -> Entries {
        let mut body = self.body();
        let at = Timestamp::UNIX_EPOCH;
        if !self.parts.iter().any(|(what, _)| *what == reply(Seat::Synthesizer, 2)) {
            let text = format!("It does not pay. Soon it may.\n\n```anvil\n{}\n```", self.block);
            Entry::new(reply(Seat::Synthesizer, 2), at, text).append_to(&mut body);
        }
        if let Some(repeat) = &self.repeat {
            transcript::append_note(&mut body, NoteKind::VerdictBlock, at, repeat);
        }
        transcript::parse(&body)
    }

    fn ledger(&self) -> Ledger {
        Ledger::of_entries(&self.entries(), &self.debate.alternatives())
    }

    fn model(&self, scrubber: &Scrubber) -> Model {
        let entries = self.entries();
        let source = ReportSource { debate: &self.debate, entries: &entries, scrubber };
        Model::from_source(&source, &Files::default())
    }
}

/// The text of a part of a page.
fn text_of(page: &str) -> String {
    let mut pieces = page.split("<span class=\"tip\"");
    let mut shown = pieces.next().unwrap().to_owned();
    for piece in pieces {
        shown.push_str(piece.split_once("</span>").unwrap().1);
    }
    let mut text = String::new();
    for piece in shown.split('<') {
        text.push_str(piece.split_once('>').map_or(piece, |(_, after)| after));
    }
    text.replace("&quot;", "\"").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}

/// What each form says about the verdict, without the replies.
fn verdicts(model: &Model) -> [(&'static str, String); 5] {
    let page = html(model);
    let (_, card) = page.split_once("<section class=\"card\"").unwrap();
    let markdown = markdown(model);
    let markdown =
        markdown.split("## Synthesis").next().unwrap().split("## Claims").next().unwrap();
    let plain = plain(model, None);
    let record = Format::Adr.render(model);
    let (_, outcome) = record.split_once("## Decision Outcome").unwrap();
    [
        ("page", text_of(card.split_once("</section>").unwrap().0)),
        ("Markdown", markdown.to_owned()),
        ("summary", summary(model, 10_000)),
        ("plain", plain.split("── Claims").next().unwrap().to_owned()),
        ("record", outcome.split("\n## ").next().unwrap().to_owned()),
    ]
}

fn json(model: &Model) -> serde_json::Value {
    serde_json::from_str(&Format::Json.render(model)).unwrap()
}

/// The names of the findings with this effect on the page about them, which a test of the core
/// holds true.
fn documented(effect: &str) -> BTreeSet<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/ledger.md");
    let page = std::fs::read_to_string(path).unwrap();
    let rows = page.split_once("## Findings\n").unwrap().1.split("\n## ").next().unwrap();
    let rows = rows.lines().filter_map(|row| {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let name = cells.get(1)?.strip_prefix('`')?.strip_suffix('`')?;
        cells.get(3)?.starts_with(effect).then(|| name.to_owned())
    });
    rows.collect()
}

fn names(cases: &[(&str, Built)]) -> BTreeSet<String> {
    cases.iter().map(|(name, _)| (*name).to_owned()).collect()
}

fn has_finding(ledger: &Ledger, name: &str) -> bool {
    ledger.findings.iter().any(|finding| {
        serde_json::to_value(&finding.fault).unwrap()["fault"] == serde_json::json!(name)
    })
}

#[test]
fn every_form_says_why_a_verdict_is_void_and_shows_none() {
    let typed = || Built::typed(["Redis", "PostgreSQL"]);
    let cases = [
        ("no_block", Built::new().with("unknown: ", "```\n\n```anvil\nunknown: ")),
        ("no_verdict", Built::new().with("verdict: do not", "verdict: perhaps")),
        ("no_majority", Built::new().judged(&["do", "do not"])),
        ("changed", Built::new().with("unknown: the load in June", "").repeated("do not", "do")),
        ("stray_line", Built::new().with("verdict: do not", "verdict: do not\n**verdict:** do")),
        ("no_motion", Built::new().with("motion: move\n", "")),
        ("other_motion", Built::new().with("motion: move", "motion: stay")),
        ("wrong_ranking", typed().with("2. PostgreSQL", "3. PostgreSQL")),
        ("other_first", typed().with("verdict: Redis", "verdict: PostgreSQL")),
        ("rests_on_nobody", Built::new().with("A1, A2", "A7, A9")),
    ];
    assert_eq!(names(&cases), documented("void"));
    for (name, built) in cases {
        let ledger = built.ledger();
        assert!(has_finding(&ledger, name), "{name}: {:?}", ledger.findings);
        let standing = ledger.standing();
        let reason = standing.void_reason().unwrap_or_else(|| panic!("{name}: {standing:?}"));
        let model = built.model(&Scrubber::default());
        for (form, text) in verdicts(&model) {
            assert!(text.contains("No valid verdict"), "{name}, {form}: {text}");
            // Markdown escapes the marks of its headline.
            assert!(text.replace(r"\*", "*").contains(reason), "{name}, {form}, {reason}: {text}");
            for part in ["sure", "70%", RECOMMENDATION, "Chosen option", "Caution"] {
                assert!(!text.contains(part), "{name}, {form}, {part}: {text}");
            }
        }
        let json = json(&model);
        assert_eq!((&json["standing"], &json["void_reason"]), (&"void".into(), &reason.into()));
        for key in ["verdict", "confidence_percent", "recommendation", "rests_on", "why"] {
            assert!(json[key].is_null(), "{name}, {key}: {json}");
        }
    }
}

/// A reply of 100 claims, after nine rounds of 100 moves on the other side's.
fn many_items(letter: char, other: char, round: u16) -> String {
    let first = (round - 1) % 9 * 100;
    let item = |number| match round {
        1..=9 => format!("**{letter}{number}. One of many.** x\n\n"),
        _ => format!("**Attacks {other}{number}:** no.\n\n"),
    };
    (1..=100).map(|at| item(first + at)).collect()
}

#[test]
fn every_form_shows_each_caution_next_to_the_verdict() {
    let typed = || Built::typed(["Redis", "PostgreSQL"]);
    let agrees = "I agree with all of that.";
    let objection = "**C1. Nobody answers at night.** \"Nobody is on call\" [blocks]";
    let without = |key: &str| {
        let line = BLOCK.lines().find(|line| line.starts_with(key)).unwrap();
        Built::new().with(&format!("{line}\n"), "")
    };
    let mut many = Built::new();
    many.debate.options.max_rounds = 20;
    many.debate.place().round = 2;
    many.parts = (1..=18)
        .flat_map(|round| [(Seat::Advocate, 'A', 'C', round), (Seat::Critic, 'C', 'A', round)])
        .map(|(seat, own, other, round)| (reply(seat, round), many_items(own, other, round.into())))
        .collect();
    let cases = vec![
        (
            "evidence_not_found",
            Built::new().noted(
                1,
                NoteKind::EvidenceCheck,
                "**A1:** not there, `src/a.rs`, commit 3f2a",
            ),
        ),
        (
            "file_not_found",
            Built::new().noted(1, NoteKind::EvidenceCheck, "**A1:** no such file, `src/a.rs`"),
        ),
        ("line_missing", without("flips if")),
        ("line_unreadable", Built::new().with("confidence: 70", "confidence: high")),
        ("line_twice", Built::new().with("against: ", "against: x\nagainst: ")),
        ("line_refused", Built::new().with("against: ", "judges: 2 of 3\nagainst: ")),
        ("unknown_line", Built::new().with("against: ", "So be it.\nagainst: ")),
        ("left_out", without("C1")),
        ("invented", Built::new().with("against: ", "A8 fell: x\nagainst: ")),
        ("listed_twice", Built::new().with("against: ", "A2 survived: granted\nagainst: ")),
        (
            "survived_though_given_up",
            Built::new().replaced(2, "**Withdraws A1:** because it was once.\n\n**Rebuts C1:** \"one more thing\" is old.\n\n**Grants C2:** because so."),
        ),
        (
            "survived_though_contradicted",
            Built::new().noted(
                3,
                NoteKind::FactCheck,
                "**A1:** contradicted, `src/a.rs:2` \"x\" (the words are there)",
            ),
        ),
        ("rests_on_fallen", Built::new().with("A1 survived", "A1 fell")),
        ("rests_on_unknown", Built::new().with("A1, A2", "A1, A9")),
        ("rests_on_nothing", Built::new().with("A1, A2", "nothing")),
        ("rests_on_many", Built::new().with("A1, A2", "A1, A2, A3, C1, C2")),
        ("rests_on_assumption", Built::new().with("A1, A2", "A1, A3")),
        (
            "overconfident",
            Built::new().with("A1, A2", "A1, A3").with("confidence: 70", "confidence: 90"),
        ),
        ("unknown_option", typed().with("2. PostgreSQL", "2. MySQL")),
        ("option_left_out", typed().with("\noption 2: known", "")),
        ("no_claims", Built::new().replaced(1, agrees)),
        ("no_moves", Built::new().replaced(1, "**C1. It is late.** x [reasoning]")),
        ("judges_differ", Built::new().judged(&["do not", "do", "do not"])),
        ("check_conflicts", Built::new().noted(3, NoteKind::FactCheck, "**A1:** contradicts itself")),
        ("objection_stands", Built::new().replaced(1, objection).replaced(2, "I wait.").revising()),
        ("not_all_read", many),
    ];
    assert_eq!(names(&cases), documented("caution"));
    for (name, built) in cases {
        let ledger = built.ledger();
        assert!(has_finding(&ledger, name), "{name}: {:?}", ledger.findings);
        let standing = ledger.standing();
        let verdict = standing.verdict().unwrap_or_else(|| panic!("{name}: {standing:?}"));
        assert!(!verdict.cautions.is_empty(), "{name}");
        let model = built.model(&Scrubber::default());
        for (form, text) in verdicts(&model) {
            for caution in &verdict.cautions {
                assert!(text.contains(caution), "{name}, {form}, {caution}: {text}");
            }
            assert!(text.contains("Caution"), "{name}, {form}: {text}");
        }
        let page = html(&model);
        let badge = page.split_once("<p class=\"badge").unwrap().1.split_once("</p>").unwrap().0;
        assert!(badge.contains("href=\"#cautions\""), "{name}: {badge}");
        let json = json(&model);
        assert_eq!(json["standing"], "valid");
        assert_eq!(json["cautions"], serde_json::json!(verdict.cautions), "{name}");
    }
}

#[test]
fn a_verdict_without_a_caution_shows_none() {
    for (built, headline, class) in [
        (Built::new(), "No, 70% sure", "no"),
        (Built::new().with("do not", "do"), "Yes, 70% sure", "yes"),
        (Built::typed(["Redis", "PostgreSQL"]), "Redis, 70% sure", "option"),
    ] {
        let model = built.model(&Scrubber::default());
        assert_eq!(model.standing.cautions(), [""; 0], "{headline}");
        assert!(html(&model).contains(&format!("<p class=\"badge {class}\">")));
        for (form, text) in verdicts(&model) {
            let badge = headline.replace(", ", " · ");
            assert!(text.contains(headline) || text.contains(&badge), "{form}: {text}");
            assert!(text.contains(RECOMMENDATION), "{form}: {text}");
            assert!(text.contains("It does not pay."), "{form}, why: {text}");
            assert!(!text.contains("aution"), "{form}: {text}");
        }
    }
}

#[test]
fn an_objection_to_a_document_is_resolved_or_stands() {
    let objects = "**C1. Nobody answers at night.** \"Nobody is on call\" [blocks]\n\n\
                   **C2. May is late.** \"in May\" [minor]";
    let answers = "**Grants C1:** because so.\n\n```old\nNobody is on call.\n```\n\n```new\nAda is on \
                   call.\n```";
    let block = "motion: move\nC1 survived: it was met\nC2 weakened: it is minor\nagainst: x\n\
        recommendation: Take it.\nverdict: do\nconfidence: 70\nrests on: C1\nflips if: y\nunknown: z";
    let mut built = Built::new().replaced(0, "The plan stands.").replaced(1, objects);
    built = built.replaced(2, answers).revising();
    built.block = block.to_owned();
    let model = built.model(&Scrubber::default());
    let verdict = model.standing.verdict().unwrap();
    assert_eq!(verdict.rests_on, None, "a met objection carries nothing");
    let page = text_of(&html(&model));
    for text in [page, markdown(&model), summary(&model, 10_000)] {
        assert!(text.contains("resolved") && text.contains("stands"), "{text}");
        assert!(!text.contains("fell") && !text.contains("unanswered"), "{text}");
    }
    let json = json(&model);
    for (claim, resolved) in [("C1", true), ("C2", false)] {
        let claims = json["claims"].as_array().unwrap();
        let known = claims.iter().find(|known| known["id"] == claim).unwrap();
        assert_eq!(known["resolved"], resolved, "{known}");
    }
}

/// What a standing says, whatever its texts.
fn reading(ledger: &Ledger, standing: &Standing) -> String {
    let verdict = standing.verdict().map(|verdict| {
        let option = verdict.word.word().split('/').next_back().unwrap().to_owned();
        (option, verdict.confidence, verdict.rests_on.clone(), verdict.ranking.len())
    });
    let claims: Vec<_> =
        ledger.claims.iter().map(|claim| (claim.id, claim.outcome(), claim.result)).collect();
    let cautions = standing.cautions().len();
    format!("{:?} {verdict:?} {cautions} {claims:?}", standing.void_reason().is_some())
}

/// A report reads what the ledger of the saved words reads.
fn check_report(built: &Built, scrubber: &Scrubber) -> Result<(), TestCaseError> {
    let ledger = built.ledger();
    let model = built.model(scrubber);
    let saved = reading(&ledger, &ledger.standing());
    prop_assert_eq!(reading(&model.ledger, &model.standing), saved.clone());
    let json = json(&model);
    let standing = ledger.standing();
    let percent = standing.verdict().and_then(|verdict| verdict.confidence);
    prop_assert_eq!(&json["confidence_percent"], &serde_json::json!(percent));
    let outcomes: Vec<_> = ledger.claims.iter().map(Claim::outcome).collect();
    let shown: Vec<_> = model.ledger.claims.iter().map(Claim::outcome).collect();
    prop_assert_eq!(outcomes, shown);
    let headline = if standing.verdict().is_some() { "sure" } else { "No valid verdict" };
    for (form, text) in verdicts(&model) {
        let is_sure = percent.is_some() || standing.verdict().is_none();
        prop_assert!(!is_sure || text.contains(headline), "{}: {}", form, text);
    }
    Ok(())
}

#[test]
fn paths_and_unseen_characters_are_read_as_they_were_saved() {
    let home = Path::new("/home/u");
    let scrubber = Scrubber::new([], [home]);
    for built in [
        Built::typed(["/home/u/a/conf", "/home/u/b/conf"]),
        Built::typed(["/home/u/a/conf", "/home/u/b/conf"]).with("1. /home/u/a", "1. /home/u/b"),
        Built::new().with("A1 survived: by", "A1 survived: it\u{200b} stands by"),
        Built::new().with("verdict: do not", "verdict: do\u{200b} not"),
        Built::new().with("verdict: do not", "verdict\u{200b}: do not"),
        Built::new().with("motion: move", "motion: mo\u{ad}ve"),
        Built::new().with("rests on: A1", "rests on: /home/u/A1"),
        Built::new().with("against: one", "against: /home/u/one"),
        Built::new().with("unknown: the", "unknown: the\u{202e}"),
        Built::new().replaced(1, "**C1. It is\u{200b} late.** /home/u/x\n**Attacks A1:** no."),
    ] {
        check_report(&built, &scrubber).unwrap();
        let model = built.model(&scrubber);
        for (form, text) in verdicts(&model) {
            assert!(!text.contains("/home/u") && !text.contains('\u{200b}'), "{form}: {text}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn a_report_reads_unseen_characters_as_the_ledger_does(
        places in prop::collection::vec((any::<Index>(), select(&["\u{200b}", "\u{202e}", "\u{ad}", "\u{feff}", "\u{1b}", "\u{2028}"][..])), 1..5),
    ) {
        let mut chars: Vec<String> = BLOCK.chars().map(String::from).collect();
        for (at, unseen) in places {
            chars.insert(at.index(chars.len() + 1), unseen.to_owned());
        }
        let built = Built { block: chars.concat(), ..Built::new() };
        check_report(&built, &Scrubber::default())?;
    }
}
