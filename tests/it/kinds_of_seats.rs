//! Seats of many kinds write a synthesis; each gets the request for its block at most once. What
//! the debate takes from them is what a reader of their block takes from it, or nothing.

use anvil::{Debate, Ledger, Status, Submitted, VerdictWord};

const ADVOCATE: &str = "**A1. It pays.** Two people save a day each week [reasoning].";
const CRITIC: &str = "**C1. It costs a month.** Nobody has that month [assumption].\n**Attacks A1:** \"It pays\" late.";

/// A whole block with this verdict.
fn block(verdict: &str) -> String {
    let depends = if verdict == "depends" { "depends on: a trial; do if it works\n" } else { "" };
    format!(
        "```anvil\nmotion: move\nA1 weakened: by C1\nC1 survived: nobody has a month\n\
         against: two people save a day\nrecommendation: Wait a year.\nverdict: {verdict}\n\
         confidence: 60\nrests on: C1\n{depends}flips if: a month is found\nunknown: who\n```"
    )
}

/// Argues one round; the synthesizer's replies come in this order, the last one again and again.
fn argued(replies: &[&str]) -> (Debate, usize) {
    argued_with(ADVOCATE, CRITIC, replies)
}

fn argued_with(advocate: &str, critic: &str, replies: &[&str]) -> (Debate, usize) {
    let mut debate = Debate::new("Should we move?").unwrap().rounds(1).unwrap();
    let mut asked = 0;
    while let Some(request) = debate.next_request() {
        let reply = match request.slot.as_str() {
            "advocate, round 1" => advocate,
            "critic, round 1" => critic,
            _ => {
                asked += 1;
                assert!(asked <= 2, "a synthesis is asked for again once at most");
                let is_again = request.prompt.contains("## What you wrote\n");
                assert_eq!(is_again, asked == 2, "{}", request.prompt);
                for heading in ["# One seat of a debate\n", "\n## Now\n"] {
                    assert!(request.prompt.contains(heading), "{}", request.prompt);
                }
                replies.get(asked - 1).or(replies.last()).unwrap()
            }
        };
        let submitted = debate.submit(&request, reply).unwrap();
        assert!(!matches!(submitted, Submitted::Failed { .. }), "{submitted:?}");
    }
    assert_eq!(debate.status(), Status::Completed);
    (debate, asked)
}

fn said(ledger: &Ledger) -> (Option<VerdictWord>, Option<u8>) {
    let verdict = ledger.standing.verdict();
    (verdict.map(|known| known.word.clone()), verdict.and_then(|known| known.confidence))
}

#[test]
fn seats_of_many_kinds_end_with_what_their_block_says_or_with_no_verdict() {
    let whole = block("do not");
    let (no, sure) = (Some(VerdictWord::DoNot), Some(60));
    let german = format!(
        "Zwei Gründe entscheiden. Das Urteil: do, sagen manche; ich sage nein.\n\n{whole}\n"
    );
    let quoted = whole.lines().map(|line| format!("> {line}\n")).collect::<Vec<_>>().concat();
    let verbose = format!("{}\n\n{whole}\n\nVerdict: do. Confidence: 99 %.", "Do it. ".repeat(400));
    let spaced = whole.replace(": ", "\u{a0}:\u{202f}").replace("\nrests", "\n- rests");
    let patch = "A1 weakened: by C1, and that is the line that I left out.";
    let forgot = whole.replace("A1 weakened: by C1\n", "");
    for (kind, replies, asked, expected) in [
        ("obedient", vec![whole.as_str()], 1, (no.clone(), sure)),
        ("in another language", vec![&german], 1, (no.clone(), sure)),
        ("verbose, and the last word differs", vec![&verbose], 1, (no.clone(), sure)),
        ("other blanks and bullets", vec![&spaced], 1, (no.clone(), sure)),
        ("CRLF", vec![&whole.replace('\n', "\r\n")], 1, (no.clone(), sure)),
        ("tabs after the colon", vec![&whole.replace(": ", ":\t")], 1, (no.clone(), sure)),
        ("forgetful, then whole", vec![&forgot, &whole], 2, (no.clone(), sure)),
        ("forgetful twice", vec![&forgot, &forgot], 2, (no.clone(), sure)),
        ("patching: the first reply counts", vec![&forgot, patch], 2, (no.clone(), sure)),
        ("without a block, then with one", vec!["We wait.", &whole], 2, (no.clone(), sure)),
        ("never a block", vec!["**Verdict:** do\n\n**Confidence:** 90 %"], 2, (None, None)),
        ("the block in a quote", vec![&quoted], 2, (None, None)),
        ("two blocks", vec![&format!("{whole}\n\n{}", block("do"))], 2, (None, None)),
        ("a verdict that is none", vec![&block("do, with a canary")], 2, (None, None)),
        ("a repeat with another verdict", vec![&forgot, &block("perhaps")], 2, (None, None)),
    ] {
        let (debate, count) = argued(&replies);
        let ledger = debate.ledger();
        assert_eq!((said(&ledger), count), (expected, asked), "{kind}");
        let is_void = ledger.standing.void_reason().is_some();
        assert_eq!(is_void, ledger.standing.verdict().is_none(), "{kind}");
        let report = debate.report(anvil::Format::Markdown);
        assert_eq!(report.contains("**No valid verdict: "), is_void, "{kind}: {report}");
    }
}

#[test]
fn a_line_that_has_no_place_in_the_debate_makes_the_verdict_void_or_doubted() {
    let whole = block("do");
    let (yes, sure) = (Some(VerdictWord::Do), Some(60));
    assert_eq!(said(&argued(&[&whole]).0.ledger()), (yes.clone(), sure));
    for (above, below, expected) in [
        ("verdict: do\n", "1. not, unless the audit passes\n", (None, None)),
        ("verdict: do\n", "option 1: not\n", (None, None)),
        ("verdict: do\n", "change 1 (C1): do not\n", (None, None)),
        ("verdict: do\n", "A1 not found\n", (None, None)),
        ("confidence: 60\n", "2. of 1000\n", (yes.clone(), sure)),
        // Only the program counts judges.
        ("verdict: do\n", "judges: 0 of 3\n", (yes, sure)),
    ] {
        let odd = whole.replace(above, &format!("{above}{below}"));
        let (debate, asked) = argued(&[&odd]);
        let ledger = debate.ledger();
        assert_eq!((said(&ledger), asked), (expected, 2), "{below}");
        let closes = ledger.standing.verdict().is_none_or(|known| known.closes_gates);
        assert!(closes, "{below}");
        let report = debate.report(anvil::Format::Markdown);
        assert!(!report.contains("of 3 judges"), "{report}");
    }
}

#[test]
fn a_block_that_was_asked_for_again_changes_no_verdict() {
    let first = block("do not").replace("unknown: who\n", "");
    for (then, verdict) in [("do not", Some(VerdictWord::DoNot)), ("do", None)] {
        let (debate, asked) = argued(&[&first, &block(then)]);
        let ledger = debate.ledger();
        assert_eq!((said(&ledger).0, asked), (verdict.clone(), 2), "{then}");
        let why = ledger.standing.void_reason().unwrap_or_default();
        assert_eq!(why.contains("asked for again"), verdict.is_none(), "{why}");
    }
}

#[test]
fn a_synthesis_that_is_cut_anywhere_never_reads_as_another_verdict() {
    for verdict in ["do not", "depends"] {
        let whole = format!("We wait.\n\n{}\n", block(verdict));
        // Nothing at all is no reply.
        for at in 1..whole.len() {
            let (debate, _) = argued(&[&whole[..at], "And so on."]);
            let ledger = debate.ledger();
            let word = said(&ledger).0;
            let is_right = word.as_ref().is_none_or(|word| word.word() == verdict);
            assert!(is_right, "{at}: {:?}", &whole[..at]);
            // All after the closing line is white space.
            assert_eq!(word.is_some(), at + 1 >= whole.len(), "{at}");
        }
    }
}

#[test]
fn a_seat_that_makes_two_hundred_claims_is_asked_for_each() {
    let made = |letter: char| -> String {
        (1..=100)
            .map(|at| format!("**{letter}{at}. Claim {at}.** So [reasoning].\n\n"))
            .collect::<Vec<_>>()
            .concat()
    };
    let lines = (1..=100)
        .map(|at| format!("A{at} weakened: by some\nC{at} survived: so\n"))
        .collect::<Vec<_>>()
        .concat();
    let whole = block("do not");
    let many = whole.replace("A1 weakened: by C1\nC1 survived: nobody has a month\n", &lines);
    let (debate, asked) = argued_with(&made('A'), &made('C'), &[&whole, &many]);
    let ledger = debate.ledger();
    assert_eq!((ledger.claims.len(), asked), (200, 2));
    assert!(ledger.claims.iter().all(|claim| !claim.why.is_empty()), "{:?}", ledger.claims);
    assert_eq!(said(&ledger), (Some(VerdictWord::DoNot), Some(60)));
}
