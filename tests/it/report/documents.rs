//! Whole documents, as they are, of debates that are built here: no clock, no disk.

use anvil::debate::{Debate, Mode, Named, Phase, Slot, Status};
use anvil::report::{Files, Model, Source, html, markdown};
use anvil::transcript::{self, Kind};
use jiff::Timestamp;

struct Built {
    debate: Debate,
    body: String,
}

impl Built {
    fn new(question: &str) -> Self {
        let mut debate = Debate::new("2026-11-21-it-0001".into(), question.into(), 1, at(0));
        debate.progress.status = Status::Completed;
        debate.progress.slot = Slot { phase: Phase::Synthesizer, round: 1 };
        Self { debate, body: transcript::open(question) }
    }

    fn said(mut self, phase: Phase, round: u8, text: &str) -> Self {
        let voice = self.debate.options.voices.get(usize::from(round) - 1).map(|voice| voice.name.clone());
        transcript::append(&mut self.body, Slot { phase, round }, voice.as_deref(), at(60), text);
        self.debate.progress.updated_at = at(3_600);
        self
    }

    fn noted(mut self, kind: Kind, text: &str) -> Self {
        transcript::append_note(&mut self.body, kind, at(30), text);
        self
    }

    fn model(&self) -> Model {
        let entries = transcript::parse(&self.body);
        let source = Source { debate: &self.debate, entries: &entries, places: &anvil::text::Places::default() };
        Model::of(&source, &Files { debate: "state.md".into(), reports: vec!["a.md".into(), "a.html".into()] })
    }

    fn markdown(&self) -> String {
        markdown(&self.model())
    }

    /// The page without its style.
    fn page(&self) -> String {
        let page = html(&self.model());
        let (before, behind) = page.split_once("<style>").unwrap();
        let page = format!("{before}{}", behind.split_once("</style>\n").unwrap().1);
        page.replace(env!("CARGO_PKG_VERSION"), "VERSION")
    }
}

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(1_795_230_000 + seconds).unwrap()
}

const SYNTHESIS: &str = "**Recommendation:** Wait a *year*.\n**Confidence:** 70 %, as A1 fell.\n**Would flip if:** p95 > 60 min.\n\n### What survived\n\n- **A1** fell: no ground.\n- **C1** survived";

fn small() -> Built {
    Built::new("Split it <now>?")
        .said(Phase::Advocate, 1, "**A1. Faster.** See [it](https://a.example/x).")
        .noted(Kind::Steering, "Look at the </details> cost")
        .said(Phase::Critic, 1, "**C1. Dearer.** <b>Twice</b>.\n\n# Up")
        .said(Phase::Synthesizer, 1, SYNTHESIS)
}

/// Compares line by line, and prints all of it where it differs.
fn same(made: &str, expected: &str) {
    let differs = made.lines().zip(expected.lines()).find(|(made, expected)| made != expected);
    assert!(made.trim_end() == expected.trim_end(), "{differs:#?}\n{made}");
}

#[test]
fn a_small_debate_as_markdown() {
    same(&small().markdown(), include_str!("small.md"));
}

#[test]
fn a_small_debate_as_a_page() {
    same(&small().page(), include_str!("small.html"));
}

#[test]
fn voices_stand_one_below_the_other() {
    let mut built = Built::new("Should we?");
    built.debate.options.mode = Mode::Stakeholders;
    built.debate.options.voices =
        ["engineering", "the <sales> team"].map(|name| Named { name: name.into(), text: None }).into();
    built.debate.options.max_rounds = 2;
    let built = built
        .said(Phase::Stakeholder, 1, "**V1.1. Yes.** x")
        .said(Phase::Stakeholder, 2, "**V2.1. No.** y\n\n**V1.1. quoted.**")
        .said(Phase::Synthesizer, 2, "**Recommendation:** No.\n\n- **V1.1** weakened: by V2.1");
    let text = built.markdown();
    for part in
        ["stakeholders mode, voices: 2", "#### engineering\n\n> **V1.1. Yes.** x", "#### the &lt;sales> team\n\n> "]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("### Round"));
    let page = built.page();
    for part in [
        "<summary><h3>engineering</h3></summary>",
        "<article class=\"voice\">\n<h4>the &lt;sales&gt; team</h4>",
        "<li class=\"weakened\">V1.1 weakened</li>",
        "<li class=\"untold\">V2.1 not told</li>",
        "the &lt;sales&gt; team: 1 not told of 1.",
        "<dt>Confidence</dt><dd><p class=\"quiet\">not stated</p></dd>",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert_eq!(page.matches("class=\"chip").count(), 2, "what a voice quotes is not its own");
}

#[test]
fn every_cycle_is_told_and_the_last_synthesis_is_the_verdict() {
    let mut built = small();
    built.debate.progress.cycle = 2;
    transcript::append_cycle(&mut built.body, 2, at(90), "And the cost?");
    let built =
        built.said(Phase::Advocate, 1, "**A2. Cheap.** z").said(Phase::Critic, 1, "**C1. Another first.**").said(
            Phase::Synthesizer,
            1,
            "**Recommendation:** Never.\n\n- **A1** weakened: after all\n- **A2** conceded\n- **C1** fell",
        );
    let text = built.markdown();
    for part in [
        "cycles: 2",
        "## Verdict\n\n**Recommendation:** Never.",
        "#### Synthesis of this cycle\n\n> **Recommendation:** Wait",
        "### Cycle 2\n\n> And the cost?\n\n### Round 1\n\n#### Advocate\n\n> **A2.",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let page = built.page();
    let places: Vec<_> = ["Cycle 1: Round 1</h3>", "Cycle 1: Synthesis</h3>", "And the cost?", "Cycle 2: Round 1</h3>"]
        .iter()
        .map(|part| page.find(part).unwrap_or_else(|| panic!("{part}: {page}")))
        .collect();
    assert!(places.is_sorted());
    // The second synthesis speaks of what the first one had told, and of the later of two with the same number.
    for part in ["A1 weakened</li>", "A2 conceded</li>", "C1 survived</li>", "C1 fell</li>"] {
        assert!(page.contains(part), "{part}: {page}");
    }
}

#[test]
fn where_there_is_no_recommendation_that_is_said_and_nothing_is_made_up() {
    let built = Built::new("Why?").said(Phase::Advocate, 1, "It is so.").said(
        Phase::Synthesizer,
        1,
        "# Outcome\n\nPerhaps. Confidence is low.\n\n</details><script>",
    );
    let text = built.markdown();
    assert!(
        text.contains("## Verdict\n\n*The synthesis does not state its recommendation in the usual form;"),
        "{text}"
    );
    assert!(text.contains("> # Outcome\n>\n> Perhaps.") && text.contains("> &lt;/details>&lt;script>"), "{text}");
    assert!(!text.contains("**Confidence"), "{text}");
    let page = built.page();
    assert!(page.contains("does not state its recommendation in the usual form") && page.contains("<h3>Outcome</h3>"));
    assert!(
        !page.contains("class=\"bar\"") && !page.contains("class=\"fates\"") && !page.contains("class=\"chip"),
        "{page}"
    );
}

#[test]
fn a_long_question_is_whole_below_its_title_and_a_position_is_told() {
    let long = "why ".repeat(100);
    let mut built = Built::new(&format!("{long}\n</details>\n\n*really*?"));
    built.debate.options.position = Some("We wait.\n# Now".into());
    built.debate.options.mode = Mode::DevilsAdvocate;
    let text = built.markdown();
    assert!(
        text.contains("> &lt;/details>\n>\n> *really*?") && text.contains("The position:\n\n> We wait.\n> # Now"),
        "{text}"
    );
    assert!(
        text.lines().next().unwrap().chars().count() < 210 && text.contains("*There is no synthesis yet.*"),
        "{text}"
    );
    let page = built.page();
    assert_eq!(page.matches("<h1>").count(), 1);
    assert!(page.contains("<em>really</em>") && page.contains("<p>We wait.</p>"), "{page}");
}
