//! Whole documents, as they are, of debates that are built here: no clock, no disk.

use anvil::internal::debate::{Debate, Mode, Named, Phase, Slot, Status};
use anvil::internal::report::{Files, Model, Source, html, markdown};
use anvil::internal::transcript::{self, Kind};
use expect_test::expect_file;
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
        let source =
            Source { debate: &self.debate, entries: &entries, places: &anvil::internal::text::Places::default() };
        Model::of(&source, &Files { debate: "state.md".into(), reports: vec!["a.md".into(), "a.html".into()] })
    }

    fn markdown(&self) -> String {
        markdown(&self.model())
    }

    /// The page without its style.
    fn page(&self) -> String {
        let page = html(&self.model());
        let (before, after) = page.split_once("<style>").unwrap();
        let page = format!("{before}{}", after.split_once("</style>\n").unwrap().1);
        page.replace(env!("CARGO_PKG_VERSION"), "VERSION")
    }

    /// The same, without what is shown on hover; a link to a claim is `[shown](where it leads)`.
    fn linked(&self) -> String {
        let page = self.page();
        let mut pieces = page.split("<a class=\"claim\"");
        let first = pieces.next().unwrap().to_owned();
        let link = |piece: &str| {
            let (tag, rest) = piece.split_once('>').unwrap();
            let (shown, rest) = rest.split_once("<span class=\"tip\" aria-hidden=\"true\" hidden>").unwrap();
            let to = tag.split_once("href=\"#").unwrap().1.split('"').next().unwrap();
            format!("[{shown}]({to}){}", rest.split_once("</span></a>").unwrap().1)
        };
        first + &pieces.map(link).collect::<String>()
    }
}

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(1_795_230_000 + seconds).unwrap()
}

const SYNTHESIS: &str = "**Recommendation:** Wait a *year*.\n**Confidence:** 70 %, as A1 fell.\n**Would flip if:** p95 > 60 min.\n\n### What survived\n\n- **A1** fell: no ground.\n- **C1** survived";

fn small() -> Built {
    small_with(SYNTHESIS)
}

fn small_with(synthesis: &str) -> Built {
    Built::new("Split it <now>?")
        .said(Phase::Advocate, 1, "**A1. Faster.** See [it](https://a.example/x).")
        .noted(Kind::Steering, "Look at the </details> cost")
        .said(Phase::Critic, 1, "**C1. Dearer.** <b>Twice</b>.\n\n# Up")
        .said(Phase::Synthesizer, 1, synthesis)
}

#[test]
fn a_small_debate_as_markdown() {
    expect_file!["small.md"].assert_eq(&small().markdown());
}

#[test]
fn a_small_debate_as_a_page() {
    expect_file!["small.html"].assert_eq(&small().page());
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
    let page = built.linked();
    for part in [
        "<summary><h3>engineering</h3></summary>",
        "<article class=\"voice\" id=\"reply-2\">\n<h4>the &lt;sales&gt; team</h4>",
        "<li class=\"weakened\">[V1.1 weakened](V1.1)</li>",
        "<li class=\"untold\">[V2.1 undisposed](V2.1)</li>",
        "<dt>Confidence</dt><dd><p class=\"quiet\">not stated</p></dd>",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert_eq!(page.matches("<tr id=\"row-").count(), 2, "what a voice quotes is not its own");
}

#[test]
fn a_page_says_where_each_voice_stands_as_far_as_it_says_so_itself() {
    let mut built = Built::new("Should we?");
    built.debate.options.max_rounds = 4;
    let said = [
        ("the <sales> team", "**V1.1. FOR on one condition: a price.**", "conditional", "± for on one condition"),
        ("the CFO", "AGAINST, for the bill. FOR is dear.", "against", "− against"),
        ("the SRE", "FOR: V1.1 is right.", "for", "+ for"),
        ("the poet", "Ask what a queue is for.", "untold", "? not stated"),
    ];
    built.debate.options.voices = said.iter().map(|(name, ..)| Named { name: (*name).into(), text: None }).collect();
    for (round, (_, text, ..)) in (1..).zip(said) {
        built = built.said(Phase::Persona, round, text);
    }
    let page = built.linked();
    for (reply, (name, _, class, told)) in (1..).zip(said) {
        let name = name.replace('<', "&lt;").replace('>', "&gt;");
        let row = format!("<a href=\"#reply-{reply}\">{name}</a><p class=\"stance {class}\">{told}</p></th>");
        assert!(page.contains(&row) && page.contains(&format!("{told}: 1</li>")), "{row}: {page}");
    }
    assert!(!page.contains("<svg") && !page.contains("Bars"), "{page}");
    assert!(!small().page().contains("stance"), "the sides of an advocate and a critic are in their names");
}

#[test]
fn every_number_of_a_claim_leads_to_it_and_no_other_number_leads_anywhere() {
    let page = small().linked();
    for part in [
        "<div class=\"sure\"><dt>Confidence</dt><dd><p class=\"figure\">70\u{a0}%</p><p>as [A1](A1) fell.</p></dd></div>",
        "<li class=\"fell\">[A1 ✕](A1)</li>",
        "<tr id=\"row-A1\"><th scope=\"row\">[A1](A1)<p class=\"quiet\">Advocate, round 1</p>",
        "<li><strong>[A1](A1)</strong> fell: no ground.</li>",
        "<p><strong>[A1](row-A1). Faster.</strong>",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let mut built = Built::new("A1 or C1?")
        .said(Phase::Advocate, 1, "**A1. Cheap.** Before C1, and A9.\n\n`A1` [A1](https://a.example/A1) [A1](#A1)")
        .said(Phase::Critic, 1, "**C1. Dear.** A1 is wrong; A4-sized.")
        .said(Phase::Synthesizer, 1, "**Recommendation:** As C1 says.\n\n- **A1** fell: C1");
    built.debate.progress.cycle = 2;
    transcript::append_cycle(&mut built.body, 2, at(90), "Is C1 so?");
    let page = built.said(Phase::Advocate, 1, "**A1. Quick.** Not A1 again, but C1.").linked();
    for part in [
        "<h1>A1 or C1?</h1>",
        "<strong>[A1](row-A1). Cheap.</strong> Before C1, and A9.</p><p><code>A1</code> <a rel=\"noopener noreferrer nofollow\" href=\"https://a.example/A1\">A1</a> [A1](A1) (#A1)</p>",
        "<strong>[C1](row-C1). Dear.</strong> [A1](A1) is wrong; A4-sized.</p>",
        "<h3>Cycle 2</h3><p>Is [C1](C1) so?</p>",
        // The first sentence of a number counts.
        "<strong>[A1](A1). Quick.</strong> Not [A1](A1) again, but [C1](C1).</p>",
        "Advocate, round 1, cycle 1</p>",
        "<li>[A1](A1) stands before another sentence later (advocate, round 1, cycle 2). The first one counts.</li>",
        "<div class=\"lead\"><p>As [C1](C1) says.</p></div>",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
}

#[test]
fn what_to_do_stands_in_the_verdict_and_nothing_in_its_place_where_it_is_missing() {
    let synthesis = format!("{SYNTHESIS}\n\n### What to do\n\n1. Ask who said C1.\n2. Wait.");
    let page = small_with(&synthesis).linked();
    let (verdict, rest) = page.split_once("</section>").unwrap();
    assert!(
        verdict.contains("<h3>What to do</h3><ol><li>Ask who said [C1](C1).</li><li>Wait.</li></ol></div>"),
        "{verdict}"
    );
    assert!(!rest.contains("What to do") && rest.contains("<h3>What survived</h3>"), "{rest}");
    assert!(small_with(&synthesis).markdown().contains("### What to do\n\n1. Ask"));
    assert!(!small().page().contains("What to do"));
    // Where the synthesis has no recommendation it stands as it was written.
    let page = small_with("Perhaps.\n\n### What to do\n\nWait.").page();
    assert!(page.matches("What to do").count() == 1 && page.contains("<p>Perhaps.</p><h3>What to do</h3>"), "{page}");
}

#[test]
fn what_the_verdict_comes_to_and_rests_on_stands_whole_in_every_form() {
    let lines = "**Verdict:** depends on the load test\nof March\n**Rests on:** C1, though A1 matters";
    let built = small_with(&format!("{SYNTHESIS}\n\n{lines}"));
    let text = built.markdown();
    for line in ["**Verdict:** depends on the load test of March\n", "**Rests on:** C1, though A1 matters\n"] {
        assert!(text.split("## Synthesis").next().unwrap().contains(line), "{text}");
        assert_eq!(text.matches(line).count(), 1, "{text}");
    }
    let page = built.linked();
    let (card, rest) = page.split_once("</section>").unwrap();
    for line in [
        "<dt>Verdict</dt><dd><p>depends on the load test of March</p></dd>",
        "<dt>Rests on</dt><dd><p>[C1](C1), though [A1](A1) matters</p></dd>",
    ] {
        assert!(card.contains(line), "{line}: {card}");
    }
    assert!(!rest.contains("load test"), "{rest}");
    let json: serde_json::Value = serde_json::from_str(&anvil::internal::report::json(&built.model())).unwrap();
    assert_eq!(json["verdict"]["call_text"], "depends on the load test of March");
    assert_eq!(json["verdict"]["rests_on_text"], "C1, though A1 matters");
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
    let page = built.linked();
    let places: Vec<_> = ["Cycle 1: Round 1</h3>", "Cycle 1: Synthesis</h3>", "And the cost?", "Cycle 2: Round 1</h3>"]
        .iter()
        .map(|part| page.find(part).unwrap_or_else(|| panic!("{part}: {page}")))
        .collect();
    assert!(places.is_sorted());
    // The last synthesis speaks of the claims of all cycles.
    for part in ["[A1 weakened](A1)", "[A2 fell](A2)", "[C1 fell](C1)", ">Cycle 2</th>"] {
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
    for part in ["class=\"figure\"", "class=\"fates\"", "class=\"claim\"", "At a glance"] {
        assert!(!page.contains(part), "{part}: {page}");
    }
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

/// Two rounds with moves of every kind.
fn moved(synthesis: Option<&str>) -> Built {
    let mut built = Built::new("Split it?");
    built.debate.options.max_rounds = 2;
    let built = built
        .said(
            Phase::Advocate,
            1,
            "**A1. It is | \"faster\" <b>.** x [evidence: the audit | of 2024]\n\n**A2. It is safer.** y",
        )
        .said(
            Phase::Critic,
            1,
            "**C1. It is dear.** z [reasoning]\n**Attacks A1:** \"slow\" </svg> ]]> no.\n\n**Grants A2:** because so.",
        )
        .said(Phase::Advocate, 2, "**Repairs A1 (after C1):** it is.\n\n**Withdraws A2:** because no.");
    match synthesis {
        Some(synthesis) => built.said(Phase::Synthesizer, 2, synthesis),
        None => built,
    }
}

const DISPOSED: &str = "**Recommendation:** Wait.\n**Verdict:** do not\n**Rests on:** C1\n\n- **A1** fell: C1 | holds\n- **C1** survived: so";

#[test]
fn claims_are_a_table_with_what_happened_and_what_is_wrong_below() {
    let text = moved(Some(DISPOSED)).markdown();
    for part in [
        "## Verdict\n\n*2 of 3 claims disposed of.*\n",
        "| **A1** It is &#124; \"faster\" &lt;b> | evidence: the audit &#124; of 2024 | attacked by C1, repaired | fell: C1 &#124; holds |\n",
        "| **A2** It is safer | no ground given | granted by the critic, withdrawn | undisposed |\n",
        "| **C1** It is dear | reasoning |  | survived: so |\n",
        "### Checked by Anvil\n\n* A move on A1 quotes words that are in no earlier reply of its side (critic, round 1): “slow”.\n",
        "* The synthesis leaves out A2.\n",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let page = moved(Some(DISPOSED)).linked();
    for part in [
        "<p class=\"quiet\">2 of 3 claims disposed of: <a href=\"#checked\">checked by Anvil</a>.</p>",
        "<p class=\"quiet\">evidence: the audit | of 2024; attacked by [C1](C1), repaired</p><div class=\"fate\"><b id=\"fate-A1\" class=\"fell\">✕ fell</b>",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let other = DISPOSED.replace("- **A1** fell", "- **A2** fell: withdrawn\n- **A1** survived");
    let all = moved(Some(&other)).linked();
    let differs = "<li>[A1](A1) fell, says the synthesis; by the moves alone it is in. Neither is called right.</li>";
    assert!(page.contains(differs), "{page}");
    assert!(!all.contains("by the moves alone") && !all.contains("claims disposed of"), "{all}");
}

#[test]
fn the_map_shows_who_attacks_whom_and_what_stands_without_colours() {
    let page = moved(Some(DISPOSED)).page();
    let map = page.split_once("<svg ").unwrap().1.split_once("</svg>").unwrap().0;
    for part in [
        // Left the advocate, right the critic; the shape and the sign of what fell, of what survived, and of neither.
        "<a class=\"node fell\" href=\"#A1\"><title>A1 fell: It is | \"faster\" &lt;b&gt;</title><path class=\"box\" d=\"M10 40h84l8 8v12l-8 8h-84l-8 -8v-12z\"></path><text x=\"52\" y=\"59\">A1 ✕</text></a>",
        "<a class=\"node survived\" href=\"#C1\">",
        "<a class=\"node untold\" href=\"#A2\">",
        // An attack is a solid line from right to left with a head; what the critic grants comes from a node of its own. Lines
        // begin in the middle of a node. Arrows end above it and all else below, so that none covers another.
        "<g class=\"against\"><title>C1 attacks A1</title><path class=\"line\" d=\"M226 54C164 54 164 47 110 47\"></path><path class=\"head\" d=\"M102 47L110 43V51Z\">",
        "<g class=\"aids\"><title>critic, round 1 grants A2</title>",
        "<circle class=\"head\" cx=\"106\" cy=\"61\" r=\"3\">",
        "<g class=\"aids\"><title>advocate, round 2 repairs A1</title>",
        "<g class=\"against\"><title>advocate, round 2 withdraws A2</title>",
        "<a class=\"node move\" href=\"#reply-2\"><title>critic, round 1, grants A2: because so.</title>",
        ">grants A2</text>",
        ">Round 2</text>",
    ] {
        assert!(map.contains(part), "{part}: {map}");
    }
    assert!(
        page.contains("<a href=\"#map\">The map of claims</a>") && page.contains("<figure class=\"map\" id=\"map\">")
    );
    // Before there is a synthesis, the moves say what stands.
    let page = moved(None).page();
    assert!(page.contains("<text x=\"52\" y=\"59\">A1 +</text>") && page.contains("C1 +</text>"), "{page}");
    // Claims that nobody touches have nothing to be mapped.
    assert!(!small().page().contains("<svg"));
}

#[test]
fn a_map_that_nobody_could_follow_is_left_out_and_that_is_said() {
    let claims = |count: u8| {
        (1..=count).map(|number| format!("**A{number}. Claim {number}.**")).collect::<Vec<_>>().join("\n\n")
    };
    let page = |count: u8| {
        let built = Built::new("Why?").said(Phase::Advocate, 1, &claims(count));
        built.said(Phase::Critic, 1, "**Attacks A1:** no.").page()
    };
    assert!(page(40).contains("<svg"));
    assert!(!page(41).contains("<svg") && page(41).contains("up to 40 claims and 120 moves, and there are 41 and 1."));
}

#[test]
fn voices_are_rows_of_one_column() {
    let mut built = Built::new("Should we?");
    built.debate.options.mode = Mode::Stakeholders;
    built.debate.options.max_rounds = 2;
    built.debate.options.voices =
        ["sales", "the <legal> team"].map(|name| Named { name: name.into(), text: None }).into();
    let page = built
        .said(Phase::Stakeholder, 1, "**S1.1. Yes.** x")
        .said(Phase::Stakeholder, 2, "**S2.1. No.** y\n**Attacks S1.1:** no.")
        .page();
    for part in [
        ">sales</text>",
        ">the &lt;legal&gt; team</text>",
        "<title>S2.1 attacks S1.1</title><path class=\"line\" d=\"M102 98C",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
}
