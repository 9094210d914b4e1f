//! A debate must account for its claims: what a cue says of them, what is requested again, and when
//! the argument ends early.

use testkit::host::{Answer, Host};

const CASE: &str = "**A1. One is so.** x [reasoning]\n\n**A2. Two is so.** y [assumption]";
const OBJECTION: &str = "**C1. It is not.** z [reasoning]\n**Attacks A1:** \"One is so\" fails.";

/// A synthesis with these lines about claims, and every other line.
fn synthesis(lines: &str) -> String {
    let rests_on = if lines.is_empty() { "nothing" } else { "A2" };
    let named = format!("recommendation: Do it.\nverdict: do\nrests on: {rests_on}\n");
    testkit::host::synthesis(&(named + lines), &[], None)
}

fn argued(options: &str) -> Host {
    let host = Host::new().debating(&format!("Why? {options}"));
    host.stop_with("one", CASE);
    host.stop_with("one", OBJECTION);
    host
}

/// Texts put aside that hold these words.
fn kept(host: &Host, words: &str) -> usize {
    let files = host.aside_files().into_iter();
    files.filter(|(_, bytes)| String::from_utf8_lossy(bytes).contains(words)).count()
}

fn asks_again(answer: &Answer, why: &str) {
    assert!(answer.message().is_empty() && answer.context().contains(why), "{answer:?}");
    assert!(answer.context().contains(", once more ── "), "{answer:?}");
}

#[test]
fn a_cue_names_open_claims_and_missing_quotes() {
    let host = Host::new().debating("Why? --rounds 3");
    assert!(host.stop_with("one", CASE).context().contains("── Critic · round 1 of 3 ── "));
    let cue = host.stop_with("one", OBJECTION);
    assert!(cue.context().ends_with("── answer C1, then press on."), "{cue:?}");
    let cue = host.stop_with("one", "**Rebuts C1:** \"It was never so\" is wrong.");
    assert!(
        cue.context()
            .ends_with(" Attacked: C1. Open against you: A2. The quote on C1 is not in your case."),
        "{cue:?}"
    );
    let cue = host.stop_with(
        "one",
        "**C2. Two is not.** x\n**Attacks A2:** \"Two was so\" fails.\n\n**Grants A1:** as it is.",
    );
    let doubts = "answer C2; no new claims. C2's quote is not in your case.";
    assert!(cue.context().ends_with(doubts), "{cue:?}");
    // A resume names the open claims again.
    host.prompt("one", "wait");
    assert!(host.prompt("one", "/anvil:resume").context().contains(doubts));
}

#[test]
fn a_later_reply_without_claim_or_move_is_retried_once() {
    let host = Host::new().debating("Why? --rounds 3");
    host.stop("one", "**A1. One is so.** x [reasoning]");
    host.stop("one", "**C1. No.** y [reasoning]");
    let again = host.stop_with(
        "one",
        "You are right that the cost is what matters here, and so I have looked at it.",
    );
    asks_again(&again, "it has no claim and no move; number your claims: A2., A3., …");
    assert!(again.context().contains("**A2. One claim"), "{again:?}");
    assert_eq!(host.sections().len(), 2);
    host.stop("one", "I still say that the cost is what matters.");
    assert_eq!(host.sections().len(), 3, "it is asked for once");
    // A move alone is enough, and so is a line that begins with the seat's own number.
    host.stop("one", "**Attacks A1:** \"One is so\" fails.");
    host.stop("one", "A1 holds as it did.");
    assert_eq!(host.sections().len(), 5);
    // If nobody has numbered a claim, nothing is required.
    let host = Host::new().debating("Why? --rounds 2");
    for reply in ["Yes.", "No.", "Still yes.", "Still no."] {
        host.stop("one", reply);
    }
    assert_eq!(host.sections().len(), 4);
}

#[test]
fn a_first_reply_without_a_number_is_retried_once() {
    for (typed, free) in
        [("Why? --rounds 1", "We should."), ("Why? --stakeholders \"sales, legal\"", "We gain.")]
    {
        let host = Host::new().debating(typed);
        let again = host.stop_with("one", free);
        asks_again(&again, "number your claims: ");
        assert!(again.context().contains("1. One claim in one sentence.**`"), "{again:?}");
        assert_eq!(
            (host.head("retry_count"), host.head("form_retry")),
            ("0".into(), "true".into())
        );
        assert!(host.sections().is_empty() && kept(&host, free) == 1);
        let next = host.stop_with("one", &format!("{free} Still."));
        assert!(!next.context().contains("once more"), "{next:?}");
        assert_eq!(host.sections()[0].text, format!("{free} Still."));
        assert!(!host.state_text().contains("form_retry"), "the next phase has its own");
    }
    // A number is enough, whatever follows it; later replies need none.
    let host = Host::new().debating("Why? --rounds 2");
    for reply in ["A1.", "Well.\n\n- C1", "As I said.", "As they said."] {
        assert!(!host.stop_with("one", reply).context().contains("once more"), "{reply}");
    }
    let end = host.stop_with("one", &synthesis(""));
    assert!(end.message().contains("Page: "), "free prose owes no account: {end:?}");
}

#[test]
fn a_synthesis_that_omits_claims_is_asked_once_for_its_block() {
    let host = argued("--rounds 1 --framework adr");
    let first = synthesis("A1 fell: C1\nA7 survived: x");
    let again = host.stop_with("one", &first);
    asks_again(&again, "A2, C1 are missing");
    assert!(!again.context().contains("### "), "headings are for people: {again:?}");
    assert_eq!((kept(&host, "A7 survived"), host.sections().len()), (0, 3), "it is saved");
    let end = host.stop_with("one", &synthesis("A1 fell: C1\nC1 survived: x"));
    for part in [
        "\nYes: do it, 70% sure. Do it.\n",
        "  Claims    1 fell, 1 unanswered, 1 left out; rests on A2\n",
        "  Caution   The synthesis leaves out A2.\n",
    ] {
        assert!(end.message().contains(part), "{part}: {end:?}");
    }
}

#[test]
fn each_missing_part_of_a_block_is_requested() {
    let claims = "A1 fell: C1\nA2 survived: x\nC1 survived: y";
    let whole = synthesis(claims);
    assert!(whole.contains("\nverdict: do\n"), "{whole}");
    for (from, to, why) in [
        ("verdict: do\n", "", "\"verdict\" is missing, or has other words"),
        ("verdict: do\n", "verdict: do it\n", "\"verdict\" is missing, or has other words"),
        ("rests on: A2\n", "", "\"rests on\" is missing"),
        ("rests on: A2", "rests on: A8", "\"rests on\" names no claim of this debate"),
        ("rests on: A2", "A8 fell: z\nrests on: A8", "\"rests on\" names no claim of this debate"),
        (
            "against: ",
            "the other side: ",
            "\"the other side: what was not measured\" is no line of it",
        ),
        ("flips if: more than 5 fail\n", "", "\"flips if\" is missing"),
        ("unknown: how many there are\n", "", "\"unknown\" is missing"),
        ("confidence: 70", "confidence: high", "\"confidence\" is no whole number"),
        ("verdict: do\n", "verdict: depends\n", "\"depends on\" is missing"),
        (
            "verdict: do\n",
            "verdict: do\ndepends on: a trial\n",
            "\"depends on\" has no place there",
        ),
        ("\n```", "", "there is an `anvil` block that is not closed"),
    ] {
        assert!(whole.contains(from), "{from} is not in {whole}");
        let wrong = whole.replacen(from, to, 1);
        // The last fence is the closing one.
        let wrong = if from == "\n```" { whole.trim_end_matches('`').to_owned() } else { wrong };
        asks_again(&argued("--rounds 1").stop_with("one", &wrong), why);
    }
    let end = argued("--rounds 1").stop_with("one", &whole);
    assert!(end.message().contains("Do it."), "{end:?}");
    // No repeat can mend these: the verdict stands, and says what is doubted.
    for (from, to, doubt) in [
        ("rests on: A2", "rests on: A2, A8", "The verdict rests on A8, which nobody argued."),
        ("rests on: A2", "A8 fell: z\nrests on: A2", "has a line on A8, which does not exist."),
        ("C1 survived: y", "C1 survived: y\nC1 fell: no", "lists C1 more than once."),
    ] {
        let end = argued("--rounds 1").stop_with("one", &whole.replacen(from, to, 1));
        assert!(
            end.message().contains("Yes: do it, 70% sure") && end.message().contains(doubt),
            "{end:?}"
        );
    }
}

#[test]
fn a_withdrawn_claim_that_survived_is_a_caution() {
    let host = argued("--rounds 2");
    host.stop_with("one", "**Withdraws A1:** because C1 is so.");
    host.stop_with("one", "**Attacks A2:** \"Two is so\" fails.");
    let claims = "A1 survived: x\nA2 weakened: x\nC1 survived: y";
    let end = host.stop_with("one", &synthesis(claims));
    let caution = "  Caution   A1 survived, says the synthesis, but its own side withdrew it";
    assert!(end.message().contains(caution), "{end:?}");
}

/// Round 2 of a debate of four rounds, with these replies; returns the answer to the critic's Stop.
fn second_round(options: &str, advocate: &str, critic: &str) -> (Host, Answer) {
    let host = argued(&format!("--rounds 4 {options}"));
    if options.contains("interactive") {
        host.prompt("one", "/anvil:resume");
    }
    host.stop_with("one", advocate);
    let answer = host.stop_with("one", critic);
    (host, answer)
}

#[test]
fn a_round_without_news_or_open_claims_is_the_last() {
    let advocate = "**Grants C1:** because the log shows it.\n\n**Withdraws A1:** because of C1.";
    let critic = "**Grants A2:** because the audit shows it.";
    let (host, end) = second_round("", advocate, critic);
    assert!(end.context().starts_with("── Synthesis ──"), "{end:?}");
    let why = " Round 2 of 4 brought nothing new and left nothing open.";
    assert!(end.context().ends_with(why), "{end:?}");
    assert_eq!((host.head("phase"), host.head("round")), ("synthesizer".into(), "2".into()));
    // The next event accepts it, and a resume requests the same.
    host.prompt("one", "wait");
    assert!(host.prompt("one", "/anvil:resume").context().contains("── Synthesis ──"));
    let end = host.stop("one", "recommendation: Do it.");
    assert!(end.message().contains("Do it."), "{end:?}");

    let given_up = &format!("{advocate}\n\n**Withdraws A2:** because of C1.");
    for (options, advocate, critic, why) in [
        ("--early-end=no", advocate, critic, "the user wants every round"),
        ("", given_up, "**C2. New.** x", "a new claim"),
        ("", "**Withdraws A1:** because of C1.", critic, "C1 is open"),
        ("", given_up, "**Grants A2:**", "a grant without a ground"),
        ("", advocate, "**Attacks A2:** no.", "an attack that waits"),
    ] {
        let (_, next) = second_round(options, advocate, critic);
        assert!(next.context().starts_with("── Advocate · round 3"), "{why}: {next:?}");
        assert!(!next.context().contains("nothing new"), "{why}: {next:?}");
    }
    let (_, waits) = second_round("--interactive", advocate, critic);
    assert!(
        waits.context().is_empty() && waits.message().contains("nothing new and left nothing open"),
        "{waits:?}"
    );
    assert!(waits.message().contains("Next: advocate, round 3 of 4."), "{waits:?}");
}

#[test]
fn the_status_counts_the_claims() {
    let host = argued("--rounds 2");
    assert!(
        host.run(&["status"]).stdout.contains("\n  3 claims, 2 open: "),
        "{:?}",
        host.run(&["status"])
    );
    let host = Host::new().debating("Why?");
    host.stop("one", "A1.");
    assert!(!host.run(&["status"]).stdout.contains("claims"));
}
