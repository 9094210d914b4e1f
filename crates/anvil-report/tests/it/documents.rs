//! Whole documents of debates that are built here: no clock, no disk.

use anvil_core::debate::Debate;
use anvil_core::ledger::{Ledger, compose};
use anvil_core::options::{Mode, Named};
use anvil_core::place::{Place, Seat};
use anvil_core::question::Alternatives;
use anvil_core::transcript::{self, Author, Entry, EntryKind, NoteKind};
use anvil_report::{Files, Format, Model, ReportSource, adr, html, json, markdown, plain};
use expect_test::expect_file;
use jiff::Timestamp;

struct Built {
    debate: Debate,
    body: String,
    /// Of the next replies and notes.
    author: Option<Author>,
}

impl Built {
    fn new(question: &str) -> Self {
        let mut debate = Debate::new("2026-11-21-it-0001".into(), question.into(), 1, at(0));
        debate.complete(at(0));
        debate.set_place(Place { seat: Seat::Synthesizer, round: 1 });
        Self { debate, body: transcript::open(question), author: None }
    }

    fn by(self, author: Author) -> Self {
        Self { author: Some(author), ..self }
    }

    /// Adds a reply. A synthesis that begins with the line `recommendation` gets a whole block.
    fn said(mut self, seat: Seat, round: u8, text: &str) -> Self {
        let is_short = seat == Seat::Synthesizer && text.starts_with("recommendation: ");
        let text = if is_short { &self.synthesis(text) } else { text };
        let place = Place { seat, round };
        let (voices, task) = (&self.debate.options.voices, self.debate.schedule().task(place));
        let voice = voices.get(usize::from(place.number()) - 1).map(|voice| voice.name.clone());
        let author = self.author.clone();
        Entry { voice, task, author, ..Entry::new(EntryKind::Reply(place), at(60), text) }
            .append_to(&mut self.body);
        self.debate.touch(at(3_600));
        self
    }

    fn synthesis(&self, text: &str) -> String {
        let among = self.debate.alternatives();
        let ledger = Ledger::of_entries(&transcript::parse(&self.body), &among);
        let ids: Vec<String> = ledger.claims.iter().map(|claim| claim.id.to_string()).collect();
        testkit::host::synthesis(text, &ids, among.motion.as_deref())
    }

    fn noted(mut self, kind: NoteKind, text: &str) -> Self {
        let author = self.author.clone();
        Entry { author, ..Entry::new(EntryKind::Note(kind), at(30), text) }
            .append_to(&mut self.body);
        self
    }

    fn model(&self) -> Model {
        let entries = transcript::parse(&self.body);
        let source = ReportSource {
            debate: &self.debate,
            entries: &entries,
            scrubber: &anvil_text::Scrubber::default(),
        };
        Model::from_source(
            &source,
            &Files { debate: "state.md".into(), reports: vec!["a.md".into(), "a.html".into()] },
        )
    }

    fn markdown(&self) -> String {
        markdown(&self.model())
    }

    /// The page without its style.
    fn page(&self) -> String {
        let page = html(&self.model());
        let (before, after) = page.split_once("<style>").unwrap();
        let page = format!("{before}{}", after.split_once("</style>").unwrap().1);
        page.replace(env!("CARGO_PKG_VERSION"), "VERSION").replace("&quot;", "\"")
    }

    /// The page without hover texts; a link to a claim is `[shown](its target)`.
    fn linked(&self) -> String {
        let page = self.page();
        let mut pieces = page.split("<a class=\"claim\"");
        let first = pieces.next().unwrap().to_owned();
        let link = |piece: &str| {
            let (tag, rest) = piece.split_once('>').unwrap();
            let (shown, rest) =
                rest.split_once("<span class=\"tip\" aria-hidden=\"true\" hidden>").unwrap();
            let to = tag.split_once("href=\"#").unwrap().1.split('"').next().unwrap();
            format!("[{shown}]({to}){}", rest.split_once("</span></a>").unwrap().1)
        };
        first + &pieces.map(link).collect::<String>()
    }
}

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(1_795_230_000 + seconds).unwrap()
}

const SYNTHESIS: &str = "recommendation: Wait a *year*.\nverdict: do not\nconfidence: 70\nagainst: A1 > C1\n\
    flips if: p95 > 60 min.\nA1 fell: no ground.\nC1 survived:\n\n- **A1** fell: no <ground>.";

/// A synthesis with these lines, and no line for another claim.
fn lines_alone(lines: &str) -> String {
    testkit::host::synthesis(lines, &[], None)
}

/// What the badge of a verdict with one caution ends with.
const ONE_CAUTION: &str = "<a class=\"caution\" href=\"#cautions\">! 1 caution</a>";

/// The badge of a page.
fn badge(class: &str, sign: &str, text: &str) -> String {
    format!("<p class=\"badge {class}\"><span aria-hidden=\"true\">{sign} </span>{text}</p>")
}

fn small() -> Built {
    small_with(SYNTHESIS)
}

fn small_with(synthesis: &str) -> Built {
    Built::new("Split it <now>?")
        .said(Seat::Advocate, 1, "**A1. Faster.** See [it](https://a.example/x).")
        .noted(NoteKind::Steering, "Look at the </details> cost")
        .said(Seat::Critic, 1, "**C1. Dearer.** <b>Twice</b>.\n\n# Up")
        .said(Seat::Synthesizer, 1, synthesis)
}

#[test]
fn a_small_debate_as_markdown() {
    expect_file!["small.md"].assert_eq(&small().markdown());
}

#[test]
fn a_small_debate_as_a_page() {
    expect_file!["small.html"].assert_eq(&small().page().replace("><", ">\n<"));
}

#[test]
fn voices_are_shown_one_below_the_other() {
    let mut built = Built::new("Should we?");
    built.debate.options.mode = Mode::Stakeholders;
    built.debate.options.voices = ["engineering", "the <sales> team"]
        .map(|name| Named { name: name.into(), text: None })
        .into();
    built.debate.options.max_rounds = 2;
    let built = built
        .said(Seat::Voice(1), 1, "**V1.1. Yes.** x")
        .said(Seat::Voice(2), 1, "**V2.1. No.** y\n\n**V1.1. quoted.**")
        .said(Seat::Synthesizer, 2, &lines_alone("recommendation: No.\nV1.1 weakened: by V2.1"));
    let text = built.markdown();
    for part in [
        "stakeholders mode, voices: 2",
        "#### engineering\n\n> **V1.1. Yes.** x",
        "#### the &lt;sales> team\n\n> ",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("### Round"));
    let page = built.linked();
    for part in [
        "<h3>engineering <span class=\"stance untold\">? not stated</span></h3>\
         <details class=\"thread\">",
        "<article class=\"voice\" id=\"reply-2\"><h4>the &lt;sales&gt; team</h4>",
        "<b class=\"sign weakened\"><span role=\"img\" aria-label=\"weakened\">~</span> V1.1</b>",
        "<b class=\"sign untold\"><span role=\"img\" aria-label=\"left out\">?</span> V2.1</b>",
        "2 voices spoke one after the other, each for its own side. Each claim stands with the \
         voice that made it.",
        "<dt>Would change if</dt><dd><p>more than 5 fail</p></dd>",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert_eq!(
        page.matches("<details class=\"thread\"").count(),
        2,
        "what a voice quotes is not its own"
    );
}

#[test]
fn a_page_shows_each_voices_stance_if_the_voice_states_it() {
    let mut built = Built::new("Should we?");
    built.debate.options.max_rounds = 4;
    let said = [
        (
            "the <sales> team",
            "**V1.1. FOR on one condition: a price.**",
            "conditional",
            "± for on one condition",
        ),
        ("the CFO", "AGAINST, for the bill. FOR is dear.", "against", "− against"),
        ("the SRE", "FOR: V1.1 is right.", "for", "+ for"),
        ("the poet", "Ask what a queue is for.", "untold", "? not stated"),
    ];
    built.debate.options.voices =
        said.iter().map(|(name, ..)| Named { name: (*name).into(), text: None }).collect();
    for (round, (_, text, ..)) in (1..).zip(said) {
        built = built.said(Seat::Voice(round), 1, text);
    }
    let page = built.linked();
    for (name, _, class, told) in said {
        let name = name.replace('<', "&lt;").replace('>', "&gt;");
        let row = format!("<h3>{name} <span class=\"stance {class}\">{told}</span></h3>");
        assert!(page.contains(&row) && page.contains(&format!("{told}: 1</li>")), "{row}: {page}");
    }
    assert!(
        !small().page().contains("stance"),
        "the sides of an advocate and a critic are in their names"
    );
}

#[test]
fn only_claim_numbers_are_linked_and_each_to_its_claim() {
    let page = small().linked();
    for part in [
        "<dt>Counterargument</dt><dd><p>[A1](thread-A1) &gt; [C1](thread-C1)</p></dd></div>",
        "<li><strong>[A1](thread-A1)</strong> fell: no <code>&lt;ground&gt;</code>.</li>",
        "<p><strong>[A1](thread-A1). Faster.</strong>",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let mut built = Built::new("A1 or C1?")
        .said(
            Seat::Advocate,
            1,
            "**A1. Cheap.** Before C1, and A9.\n\n`A1` [A1](https://a.example/A1) [A1](#A1)",
        )
        .said(Seat::Critic, 1, "**C1. Dear.** A1 is wrong; A4-sized.")
        .said(Seat::Synthesizer, 1, "recommendation: As C1 says.\nA1 fell: C1");
    built.debate.set_cycle(2);
    transcript::append_cycle(&mut built.body, 2, at(90), "Is C1 so?");
    let page = built.said(Seat::Advocate, 1, "**A1. Quick.** Not A1 again, but C1.").linked();
    for part in [
        "<div class=\"question\"><h1 id=\"title\">A1 or C1?</h1>",
        "<p class=\"lead\">As [C1](thread-C1) says.</p>",
        "<li>The verdict rests on [A1](thread-A1), which fell.</li>",
        "<strong>[A1](thread-A1). Cheap.</strong> Before C1, and A9.</p><p><code>A1</code> <a rel=\"noopener noreferrer nofollow\" href=\"https://a.example/A1\">A1</a> [A1](thread-A1) (#A1)</p>",
        "<strong>[C1](thread-C1). Dear.</strong> [A1](thread-A1) is wrong; A4-sized.</p>",
        "<h3>Cycle 2</h3><p>Is [C1](thread-C1) so?</p>",
        "<p>Cycle 2 asked: Is C1 so?</p>",
        // The first sentence of a number counts.
        "<strong>[A1](thread-A1). Quick.</strong> Not [A1](thread-A1) again, but [C1](thread-C1).</p>",
        "<a href=\"#A1\">Advocate, round 1, cycle 1</a>",
        "<li>[A1](thread-A1) is reused for another sentence (advocate, round 1, cycle 2). The first one counts.</li>",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
}

#[test]
fn the_verdict_has_what_to_do_only_if_it_was_written() {
    let synthesis = format!("{SYNTHESIS}\n\n### What to do\n\n1. Ask who said C1.\n2. Wait.");
    let page = small_with(&synthesis).linked();
    let (verdict, rest) = page.split_once("</section>").unwrap();
    assert!(
        verdict.contains(
            "<h2>What to do</h2><ol><li>Ask who said [C1](thread-C1).</li><li>Wait.</li></ol></div>"
        ),
        "{verdict}"
    );
    let (above, record) = rest.split_once("<div id=\"record\"").unwrap();
    assert!(!above.contains("What to do") && !above.contains("flips if"), "{above}");
    assert!(
        record.contains("flips if: p95") && record.contains("<h5>What to do</h5>"),
        "word for word: {record}"
    );
    assert!(small_with(&synthesis).markdown().contains("### What to do\n\n1. Ask"));
    assert!(!small().page().contains("What to do"));
    // Without a valid verdict it stands in the record alone.
    let page = small_with("Perhaps.\n\n### What to do\n\nWait.").page();
    assert_eq!(page.matches("What to do").count(), 1, "{page}");
    assert!(page.contains("<p>Perhaps.</p><h5>What to do</h5>"), "{page}");
}

#[test]
fn every_form_shows_the_whole_verdict_and_what_it_rests_on() {
    let lines = "recommendation: Wait.\nverdict: depends\ndepends on: the load test\n  of March\n\
                 rests on: C1, A1\nA1 weakened: so\nC1 survived: so";
    let built = small_with(lines);
    let text = built.markdown();
    for line in [
        "**Depends, 70% sure, on: the load test of March.**\n",
        "**Recommendation:** Wait.\n",
        "**Why:** So it is.\n",
        "**Caution:** The critic answered no claim of the others.\n",
        "**Rests on:** C1, A1\n",
    ] {
        assert!(text.split("## Synthesis").next().unwrap().contains(line), "{text}");
        assert_eq!(text.matches(line).count(), 1, "{text}");
    }
    let page = built.linked();
    let (card, rest) = page.split_once("</section>").unwrap();
    for line in [
        "<p><b>Depends on</b> the load test of March</p>",
        "<dt>Rests on</dt><dd><ul class=\"rests\"><li>[C1](thread-C1) <span>Dearer (no ground given; unanswered)</span></li>\
         <li>[A1](thread-A1) <span>Faster (no ground given; weakened)</span></li></ul></dd>",
    ] {
        assert!(card.contains(line), "{line}: {card}");
    }
    assert!(!rest.split("<div id=\"record\"").next().unwrap().contains("load test"), "{rest}");
    let json: serde_json::Value =
        serde_json::from_str(&anvil_report::json(&built.model())).unwrap();
    for (key, value) in [("verdict", "depends"), ("depends_on", "the load test of March")] {
        assert_eq!(json[key], value);
    }
    assert_eq!(json["rests_on"], serde_json::json!(["C1", "A1"]));
}

#[test]
fn every_cycle_is_shown_and_the_last_synthesis_is_the_verdict() {
    let mut built = small();
    built.debate.set_cycle(2);
    transcript::append_cycle(&mut built.body, 2, at(90), "And the cost?");
    let built = built
        .said(Seat::Advocate, 1, "**A2. Cheap.** z")
        .said(Seat::Critic, 1, "**C1. Another first.**")
        .said(
            Seat::Synthesizer,
            1,
            "recommendation: Never.\nA1 weakened: after all\nA2 fell: no\nC1 fell: no",
        );
    let text = built.markdown();
    for part in [
        "cycles: 2",
        "## Verdict\n\n**Depends, 70% sure, on: a trial; do if it works, do not if not.**\n\n\
         **Recommendation:** Never.",
        "#### Synthesis of this cycle\n\n> - **A1** fell",
        "> recommendation: Wait a *year*.",
        "### Cycle 2\n\n> And the cost?\n\n### Round 1\n\n#### Advocate\n\n> **A2.",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let page = built.linked();
    let record = page.split_once("<div id=\"record\"").unwrap().1;
    let places: Vec<_> = [
        "Cycle 1: Round 1</h3>",
        "Cycle 1: Synthesis</h3>",
        "And the cost?",
        "Cycle 2: Round 1</h3>",
    ]
    .iter()
    .map(|part| record.find(part).unwrap_or_else(|| panic!("{part}: {record}")))
    .collect();
    assert!(places.is_sorted());
    // The last synthesis covers the claims of all cycles.
    for part in ["1\u{a0}weakened · ", "2\u{a0}fell</p>", "Advocate, round 1, cycle 2</a>"] {
        assert!(page.contains(part), "{part}: {page}");
    }
}

#[test]
fn a_missing_verdict_is_stated_and_not_invented() {
    let built = Built::new("Why?").said(Seat::Advocate, 1, "It is so.").said(
        Seat::Synthesizer,
        1,
        "# Outcome\n\nPerhaps. Confidence is low.\n\n</details><script>",
    );
    let text = built.markdown();
    assert!(
        text.contains("## Verdict\n\n**No valid verdict: the synthesis has no `anvil` block.**\n"),
        "{text}"
    );
    assert!(
        text.contains("> # Outcome\n>\n> Perhaps.") && text.contains("> &lt;/details>&lt;script>"),
        "{text}"
    );
    assert!(!text.contains("**Confidence"), "{text}");
    let page = built.page();
    assert!(
        page.contains("<h1 id=\"title\">Why?</h1>")
            && page.contains(&badge("void", "?", "No valid verdict"))
            && page.contains(
                "<p><b>Why</b> the synthesis has no `anvil` block. The synthesis stands "
            )
            && page.contains("<h5>Outcome</h5>"),
        "{page}"
    );
    for part in ["class=\"sign", "class=\"claim\"", "class=\"thread\""] {
        assert!(!page.contains(part), "{part}: {page}");
    }
}

#[test]
fn a_long_question_is_whole_below_its_title_with_the_position() {
    let long = "why ".repeat(100);
    let mut built = Built::new(&format!("{long}\n</details>\n\n*really*?"));
    built.debate.options.position = Some("We wait.\n# Now".into());
    built.debate.options.mode = Mode::DevilsAdvocate;
    let text = built.markdown();
    assert!(
        text.contains("> &lt;/details>\n>\n> *really*?")
            && text.contains("The position that was tested:\n\n> We wait.\n> # Now"),
        "{text}"
    );
    assert!(
        text.lines().next().unwrap().chars().count() < 210
            && text.contains("*There is no synthesis yet.*"),
        "{text}"
    );
    let page = built.page();
    assert_eq!(page.matches("<h1 ").count(), 1);
    assert!(page.contains("<em>really</em>") && page.contains("<p>We wait.</p>"), "{page}");
}

/// Two rounds with moves of every kind.
fn moved(synthesis: Option<&str>) -> Built {
    let mut built = Built::new("Split it?");
    built.debate.options.max_rounds = 2;
    let built = built
        .said(
            Seat::Advocate,
            1,
            "**A1. It is | \"faster\" \\<b>.** x [evidence: the audit | of 2024]\n\n**A2. It is safer.** y",
        )
        .said(
            Seat::Critic,
            1,
            "**C1. It is dear.** z [reasoning]\n**Attacks A1:** \"slow\" </svg> ]]> no.\n\n**Grants A2:** because so.",
        )
        .said(Seat::Advocate, 2, "**Repairs A1 (after C1):** it is.\n\n**Withdraws A2:** because no.");
    match synthesis {
        Some(synthesis) => built.said(Seat::Synthesizer, 2, synthesis),
        None => built,
    }
}

const DISPOSED: &str = "Prose.\n\n```anvil\nrecommendation: Wait.\nverdict: do not\nconfidence: 70\nrests on: C1\n\
    A1 fell: C1 | holds\nC1 survived: so\nagainst: a\nflips if: b\nunknown: c\n```";

#[test]
fn claims_are_a_table_with_moves_and_checks_below() {
    let text = moved(Some(DISPOSED)).markdown();
    for part in [
        "\n\n3 claims: 1 survived, 1 fell, 1 left out.\n",
        "| **A1** It is &#124; \"faster\" &lt;b> | evidence: the audit &#124; of 2024 | attacked by C1 · repaired in round 2 | fell: C1 &#124; holds |\n",
        "| **A2** It is safer | no ground given | granted by the critic · withdrawn in round 2 | left out |\n",
        "| **C1** It is dear | reasoning |  | survived: so |\n",
        "### Checked by Anvil\n\n* A move on A1 quotes words that are in no earlier reply of its side (critic, round 1): “slow”.\n",
        "* The synthesis leaves out A2.\n",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let page = moved(Some(DISPOSED)).linked();
    // A difference from the labelling is shown only to programs.
    assert!(!page.contains("by its moves alone"), "{page}");
}

#[test]
fn a_thread_shows_each_move_on_a_claim_its_quote_and_the_result() {
    let page = moved(Some(DISPOSED)).linked();
    let thread = |id: &str| {
        let begin = format!("<div id=\"thread-{id}\">");
        page.split_once(&begin).unwrap().1.split_once("</div></details>").unwrap().0.to_owned()
    };
    let one = "<p class=\"quiet\"><a href=\"#A1\">Advocate, round 1</a> · evidence: the audit | of 2024</p>\
               <ul class=\"moves\"><li>x [evidence: the audit | of 2024]</li>\
               <li class=\"against\">[C1](thread-C1) attacks, <a href=\"#reply-2\">round 1</a>: “slow” \
               <code>&lt;/svg&gt;</code> ]]&gt; no.</li>\
               <li class=\"aids\">repaired by the advocate, <a href=\"#reply-3\">round 2</a> (after [C1](thread-C1)): \
               it is.</li></ul><div class=\"judged\">Synthesis: [C1](thread-C1) | holds";
    assert_eq!(thread("A1").trim_end_matches("</div>"), one);
    let two = thread("A2");
    for part in [
        "<li>y</li>",
        "<li class=\"aids\">granted by the critic, <a href=\"#reply-2\">round 1</a>: because so.</li>",
        "<li class=\"against\">withdrawn by the advocate, <a href=\"#reply-3\">round 2</a>: because no.</li>",
    ] {
        assert!(two.contains(part), "{part}: {two}");
    }
    assert!(!two.contains("Synthesis"), "{two}");
    // The list links to it, and so does the reply.
    for part in [
        "<p class=\"counts\"><b class=\"sign survived\">✓</b>\u{a0}1\u{a0}survived · <b class=\"sign fell\">✕</b>\u{a0}1\u{a0}fell · \
         <b class=\"sign untold\">?</b>\u{a0}1\u{a0}left out</p>",
        "<details class=\"thread\"><summary><b class=\"sign fell\"><span role=\"img\" aria-label=\"fell\">✕</span> A1</b> \
         <span id=\"says-A1\">It is | \"faster\" &lt;b&gt;</span></summary>",
        "<strong>[A1](thread-A1). It is",
        "<strong>Attacks [A1](thread-A1):</strong>",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let above = page.split_once("<div id=\"record\"").unwrap().0;
    assert_eq!(above.matches(">It is | \"faster\" &lt;b&gt;<").count(), 1, "once: {above}");
}

#[test]
fn lists_and_threads_show_claim_states_during_the_debate() {
    let page = moved(None).linked();
    let no_synthesis = badge("void", "…", "No synthesis yet");
    for part in [
        "<p class=\"counts\"><b class=\"sign untold\">?</b>\u{a0}2\u{a0}open · <b class=\"sign fell\">-</b>\u{a0}1\u{a0}withdrawn</p>",
        "<b class=\"sign fell\"><span role=\"img\" aria-label=\"withdrawn\">-</span> A2</b>",
        "<b class=\"sign untold\"><span role=\"img\" aria-label=\"open\">?</span> A1</b>",
        &no_synthesis,
        "A claims, the advocate's, are its case; C claims, the critic's, are the objections to that.</p>",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(!page.contains("left out"), "{page}");
}

#[test]
fn what_the_person_said_stands_at_its_place_in_the_threads() {
    let page = Built::new("Why?")
        .said(Seat::Advocate, 1, "**A1. So.** It is.")
        .noted(NoteKind::Steering, "Look at <the> cost of A1.")
        .said(Seat::Critic, 1, "**C1. No.**\n**Attacks A1:** no.")
        .noted(NoteKind::Answer, "How many? Eight.")
        .said(Seat::Advocate, 2, "**Repairs A1:** it is.")
        .linked();
    let thread = |id: &str| {
        let begin = format!("<div id=\"thread-{id}\">");
        page.split_once(&begin).unwrap().1.split_once("</details>").unwrap().0.to_owned()
    };
    let places = |id: &str| {
        let thread = thread(id);
        let parts = ["<li>It is.", "cost of", "attacks", "Eight", "repaired"];
        parts.map(|part| thread.find(part))
    };
    let all = places("A1");
    assert!(all.is_sorted() && all[0].is_some() && all[4].is_some(), "{all:?}: {}", thread("A1"));
    assert_eq!(page.split_once("<div id=\"record\"").unwrap().0.matches("cost of").count(), 1);
    assert!(page.contains("The person who asked directed it once."));
}

#[test]
fn moves_of_voices_show_their_names() {
    let mut built = Built::new("Should we?");
    built.debate.options.mode = Mode::Stakeholders;
    built.debate.options.max_rounds = 2;
    built.debate.options.voices =
        ["sales", "the <legal> team"].map(|name| Named { name: name.into(), text: None }).into();
    let page = built
        .said(Seat::Voice(1), 1, "**S1.1. Yes.** x")
        .said(
            Seat::Voice(2),
            1,
            "**S2.1. No.** y\n**Attacks S1.1:** no.\n\n**Grants S1.1:** because so.",
        )
        .linked();
    for part in [
        "<h3>sales <span class=\"stance untold\">? not stated</span></h3><details class=\"thread\">",
        "<li class=\"against\">[S2.1](thread-S2.1) attacks, <a href=\"#reply-2\">the &lt;legal&gt; team</a>: no.</li>",
        "<li class=\"aids\">granted by <a href=\"#reply-2\">the &lt;legal&gt; team</a>: because so.</li>",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
}

#[test]
fn the_verdict_card_shows_sentences_and_contradicted_claims() {
    let built = Built::new("Why?")
        .said(Seat::Advocate, 1, "**A1. It is <cheap>.** x [evidence: a]")
        .said(Seat::Critic, 1, "**C1. It is dear.** y")
        .noted(
            NoteKind::FactCheck,
            "**A1:** contradicted, `src/a.rs:2` \"x\" (the words are there)",
        );
    let page = |rests_on: &str| {
        let synthesis =
            format!("recommendation: No.\nverdict: do not\nconfidence: 70\nrests on: {rests_on}");
        Built { debate: built.debate.clone(), body: built.body.clone(), author: None }
            .said(Seat::Synthesizer, 1, &synthesis)
            .linked()
    };
    let card = page("C1, A1").split_once("</section>").unwrap().0.to_owned();
    let badge = badge("no", "✕", &format!("No: not do it · 70% sure {ONE_CAUTION}"));
    for part in [
        "<h1 id=\"title\">Why?</h1>",
        &badge,
        "<p class=\"lead\">No.</p><p><b>Why</b> So it is.</p>",
        "<div class=\"cautions\" id=\"cautions\"><p><b>Caution</b>, by Anvil's checks</p><ul><li>The critic answered no \
         claim of the others.</li></ul></div>",
        "<div class=\"contradicted\"><p><b>✕ Contradicted by the fact-check</b></p><ul class=\"rests\">\
         <li>[A1](thread-A1) <span>It is &lt;cheap&gt; (src/a.rs:2)</span></li></ul>",
        "<dt>Rests on</dt><dd><ul class=\"rests\"><li>[C1](thread-C1) <span>It is dear (no ground \
         given; weakened)</span></li><li>[A1](thread-A1) <span>It is &lt;cheap&gt; (evidence: a; weakened)</span></li></ul></dd>",
    ] {
        assert!(card.contains(part), "{part}: {card}");
    }
    assert!(!card.contains("<dt>Verdict</dt>") && !card.contains("<dt>Confidence</dt>"), "{card}");
    assert!(page("nothing").contains("<dt>Rests on</dt><dd><p>nothing</p></dd>"));
    assert!(!small().page().contains("Contradicted"));
}

#[test]
fn a_ground_keeps_its_code_and_loses_the_marks_of_the_next_line() {
    let page = Built::new("Why?")
        .said(Seat::Advocate, 1, "**A1. Go is faster.** `go build` takes two seconds.")
        .said(Seat::Critic, 1, "**C1. It is not.** So **they** say.\n**Attacks A1:** \"Go\" is.")
        .page();
    let thread = |id: &str| page.split_once(&format!("<div id=\"thread-{id}\">")).unwrap().1;
    for (id, ground) in [
        ("A1", "<li><code>go build</code> takes two seconds.</li>"),
        ("C1", "<li>So <strong>they</strong> say.</li>"),
    ] {
        let thread = thread(id).split("<h4").next().unwrap();
        assert!(thread.contains(ground), "{id}: {thread}");
    }
}

#[test]
fn every_form_says_where_cited_words_are() {
    let built = |found: &str| {
        let case = "**A1. It retries.** x [evidence: src/queue.rs:41 \"max_retries = 5\"]";
        let mut built = Built::new("Why?").said(Seat::Advocate, 1, case);
        if !found.is_empty() {
            let note = format!("**A1:** {found}, commit 3f2a\n**C9:** there, `b.rs`");
            built = built.noted(NoteKind::EvidenceCheck, &note);
        }
        let synthesis = "recommendation: No.\nverdict: do not\nconfidence: 70\nrests on: A1";
        built.said(Seat::Critic, 1, "**C1. No.** y\n**Attacks A1:** \"It retries\" late.").said(
            Seat::Synthesizer,
            1,
            synthesis,
        )
    };
    for (found, expected) in [
        ("", ""),
        ("there, `src/queue.rs:43`", "; the words are there"),
        ("elsewhere, `src/queue.rs:90`", "; the words are at line 90"),
        ("not there, `src/queue.rs`", "; the words are not in the file"),
    ] {
        let built = built(found);
        let model = built.model();
        let cited = format!("evidence: src/queue.rs:41 \"max_retries = 5\"{expected}");
        let card = built.linked().split_once("</section>").unwrap().0.to_owned();
        let thread = built.page().split_once("<div id=\"thread-A1\">").unwrap().1.to_owned();
        for (text, shown) in [
            (built.markdown(), format!("| {cited} | attacked by C1 |")),
            (plain(&model, None), format!("{cited}; attacked by C1\n")),
            (adr(&model, None), format!("({cited}; weakened)")),
            (card, format!("It retries ({cited}; weakened)</span>")),
            (thread, format!(" · {cited}</p>")),
        ] {
            assert!(text.contains(&shown), "{shown}: {text}");
        }
        if !found.is_empty() {
            let line = format!("> **A1:** {found}, commit 3f2a\n>\n> **C9:** there, `b.rs`");
            let note = format!("#### Evidence check\n\n{line}");
            assert!(built.markdown().contains(&note), "{}", built.markdown());
        }
        let json: serde_json::Value = serde_json::from_str(&json(&model)).unwrap();
        let seen = &json["claims"][0]["citation"]["seen"];
        assert_eq!(seen["path"].as_str(), (!found.is_empty()).then_some("src/queue.rs"), "{json}");
        let page = built.page();
        let is_wrong = page.contains("cites words that are not in src/queue.rs");
        assert_eq!(is_wrong, found.starts_with("not"), "{page}");
        let is_found = page.contains("every quoted passage was found");
        assert_eq!(is_found, !is_wrong && !found.is_empty(), "{page}");
    }
}

#[test]
fn judge_agreement_is_shown_once_and_dissent_at_its_claim() {
    let judgment = |on_c1: &str| {
        lines_alone(&format!(
            "recommendation: Wait.\nverdict: do not\nrests on: C1\nconfidence: 70\n\
             A1 fell: no ground\nC1 {on_c1}: so"
        ))
    };
    let page = |on_c1: [&str; 3]| {
        let judgments = on_c1.map(judgment);
        let mut built = Built::new("Why?").said(Seat::Advocate, 1, "**A1. Cheap.**").said(
            Seat::Critic,
            1,
            "**C1. Dear.**",
        );
        for judgment in &judgments {
            built = built.noted(NoteKind::Judgment, judgment);
        }
        let composed = compose(&transcript::parse(&built.body), &Alternatives::default());
        let page = built.said(Seat::Synthesizer, 1, &composed).linked();
        page.split_once("<div id=\"record\"").unwrap().0.to_owned()
    };
    let agreed = page(["survived"; 3]);
    assert!(
        agreed.contains(&badge(
            "no",
            "✕",
            &format!("No: not do it · 70% sure, 3 of 3 judges {ONE_CAUTION}")
        )),
        "{agreed}"
    );
    assert_eq!(agreed.matches("of 3 judges").count(), 1, "{agreed}");
    for (on_c1, part) in [
        (
            ["survived", "fell", "survived"],
            "<div class=\"judged\">Synthesis: 2 of 3 judges: so</div></div></details>",
        ),
        (
            ["survived", "fell", "weakened"],
            "<p class=\"quiet\">The judges differ: judge 1 says survived, judge 2 says fell, judge 3 says weakened.</p>",
        ),
    ] {
        let page = page(on_c1);
        assert!(page.contains(part), "{part}: {page}");
        assert!(
            page.contains("<div class=\"judged\">Synthesis: no ground</div></div></details>"),
            "{page}"
        );
    }
}

#[test]
fn every_form_names_who_argued_and_a_degraded_seat_above_the_verdict() {
    let opus = || Author::new("claude", Some("claude_opus_4"), Some("anthropic"));
    let gpt = Author::new("codex", Some("gpt-5.2"), Some("openai"));
    let built = Built::new("Split it?")
        .by(opus())
        .said(Seat::Advocate, 1, "**A1. Faster.** [reasoning]")
        .by(gpt)
        .said(Seat::Critic, 1, "**C1. Dearer.** [reasoning]")
        .by(opus())
        .said(Seat::Advocate, 2, "**A2. Still.** [reasoning]")
        .by(opus().instead_of("codex"))
        .said(Seat::Critic, 2, "**C2. No.** [reasoning]")
        .by(opus())
        .said(Seat::Synthesizer, 2, SYNTHESIS);
    let model = built.model();
    let who = "Argued by claude_opus_4 (advocate), gpt-5.2, then claude_opus_4 (critic); \
        judged by claude_opus_4";
    let degraded = "degraded: the critic was claude from round 2 on, instead of codex";
    for text in [
        built.markdown(),
        built.page(),
        plain(&model, None),
        // Its title is the decision itself.
        Format::Adr.render(&model).split_once("## Context").unwrap().1.replace('\n', " "),
    ] {
        assert!(text.contains(who) || text.contains(&who.replace("Argued", "argued")), "{text}");
        let (before, after) = text.split_once(degraded).unwrap_or_else(|| panic!("{text}"));
        assert!(!before.contains("Wait a") && after.contains("Wait a"), "{text}");
    }
    let json: serde_json::Value = serde_json::from_str(&Format::Json.render(&model)).unwrap();
    assert_eq!(
        json["degraded"],
        serde_json::json!([{
            "seat": "critic", "agent": "claude", "instead_of": "codex", "when": "from round 2 on"
        }])
    );
    assert_eq!(json["claims"][1]["author"]["model"], "gpt-5.2");
    assert_eq!(json["sections"][3]["author"]["instead_of"], "codex");
    assert!(!Format::Json.render(&small().model()).contains("author"));
}

#[test]
fn an_author_that_names_a_folder_of_the_machine_is_cut_to_its_last_part() {
    let author = Author::new("claude", Some("lora /home/me/models/llama"), None);
    let built = Built::new("Split it?").by(author).said(Seat::Advocate, 1, "**A1. Faster.**");
    let entries = transcript::parse(&built.body);
    let home = std::path::Path::new("/home/me");
    let scrubber = anvil_text::Scrubber::new([], [home]);
    let source = ReportSource { debate: &built.debate, entries: &entries, scrubber: &scrubber };
    let model = Model::from_source(&source, &Files::default());
    for text in [Format::Json.render(&model), plain(&model, None), html(&model)] {
        assert!(text.contains("lora llama") && !text.contains("/home/me"), "{text}");
    }
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(40))]

    #[test]
    fn no_form_shows_a_path_or_a_secret_whatever_field_has_it(
        folder in "[a-z]{4,9}-folder",
        secret in "ghp_[A-Za-z0-9]{40}",
    ) {
        let plant = format!(
            " see /home/me/{folder}/x file:///home/me/{folder}/y -I/home/me/{folder}/z \
             /ho\u{200b}me/me/{folder}/w, {secret}"
        );
        let planted = |text: &str| format!("{text}{plant}");
        let built = small();
        let mut debate = built.debate.clone();
        let options = &mut debate.options;
        for text in [
            &mut options.position, &mut options.motion, &mut options.mode_text, &mut options.focus,
            &mut options.context_source, &mut options.plan, &mut options.follow_up,
            &mut options.house_rules,
        ] {
            *text = Some(String::new());
        }
        options.framework = Some(Named { name: "F".into(), text: Some(String::new()) });
        let debate = debate.with_texts(&planted);
        let entries = transcript::parse(&built.body);
        let author = Author::new("claude", Some("m"), Some("f"));
        let entries = entries.0.into_iter().map(|entry| {
            Entry { author: Some(author.clone()), ..entry }.with_texts(&planted)
        });
        let entries = transcript::Entries(entries.collect());
        let scrubber = anvil_text::Scrubber::new([], [std::path::Path::new("/home/me")]);
        let source = ReportSource { debate: &debate, entries: &entries, scrubber: &scrubber };
        let files = Files { debate: planted(""), reports: vec![planted("")] };
        let noted = anvil_core::journal::Decision {
            note: Some(plant.clone()),
            question: plant.clone(),
            outcome: Some(anvil_core::journal::Outcome::Right),
            ..Default::default()
        };
        let model = Model::from_source(&source, &files)
            .with_recovered(std::slice::from_ref(&plant), &scrubber)
            .with_decision(Some(noted), &scrubber);
        let words = anvil_core::ledger::RestedWords {
            path: "a.rs".into(), line: None, words: plant.clone(), commit: None,
        };
        let claim = anvil_core::ledger::RestedClaim { id: "A1".parse().unwrap(), words: Some(words), file: None };
        let other = anvil_core::ledger::RestedClaim { words: None, file: Some(plant.clone()), ..claim.clone() };
        let decision = anvil_report::RecordedDecision {
            id: model.id.clone(), question: plant.clone(), claims: vec![claim, other],
            supersedes: Some(plant.clone()), ..Default::default()
        };
        let earlier = Some((plant.clone(), "0001-before.md".to_owned()));
        let record = anvil_report::AdrRecord::new(decision, earlier, &scrubber);
        for text in [
            markdown(&model), html(&model), json(&model), adr(&model, Some(&record)),
            adr(&model, None), plain(&model, None), anvil_report::summary(&model, 92),
            anvil_report::brief(&model),
        ] {
            proptest::prop_assert!(!text.contains(&folder) && !text.contains(&secret), "{}", text);
        }
    }
}
