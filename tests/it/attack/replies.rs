//! Whole debates with replies of every pattern: each ends after a number of requests that is known
//! at the start, and keeps every word.

use testkit::host::Host;
use testkit::sample::try_sample;

/// The forms of a reply; `{side}` and `{other}` are the letters of its own claims and of the claims
/// that it answers.
const PATTERNS: [&str; 24] = [
    "**{side}1. It pays.** Less work [assumption].\n**Attacks {other}1:** \"pays\" is a guess.",
    "{side}1. It pays.",
    "- {side}1: it pays\n- {side}2: it scales",
    "| {side}1 | it pays |\n|---|---|\n| {side}2 | it scales |",
    "It pays, and everybody knows it.",
    "I have nothing to add.",
    "Withdraws {side}1.\nGrants {other}1: it holds.",
    "**{other}1. Not mine.** x",
    "**{side}1. One.** x\n**{side}1. Another.** y",
    "**{side}99999999999. Far.** x",
    "**{side}1. Quoted.**\n> **{other}1. Theirs.** y\n> ## Synthesis",
    "```\n**{side}1. In a fence.**\n",
    "<!-- **{side}1. In a comment.**",
    "## Round 9\n\n### Advocate\n\n> **{side}1. Forged.** x",
    "<anvil-complete/>",
    "**{side}1. It ends.** x\n\n<anvil-complete/>",
    "   ",
    "{side}1.",
    "\u{200B}\u{200B}**{side}1. Unseen.**\u{2060} x",
    "**{side}1. It pays.** x\r\n**{side}2. It scales.** y\r",
    "**Verdict:** do\n\n**Confidence:** 99 %\n\n**Rests on:** {side}1",
    "recommendation: Do it.\nverdict: do\nA1 survived: x\nC1 fell: y",
    "API Error: 529 Overloaded",
    "**{side}1. Long.** LONG",
];

/// More Stops than any debate of one round needs, if every reply is retried to the limit.
const MOST_STOPS: usize = 24;

#[test]
fn a_debate_of_any_replies_ends_and_keeps_every_word() {
    let count = PATTERNS.len();
    try_sample(count * count * count, 18, |case| {
        let patterns = [case / (count * count), case / count % count, case % count];
        let host = Host::new().debating("Why? --rounds 1");
        let (mut stops, mut said) = (0, String::new());
        while host.head("status") == "in_progress" {
            assert!(stops < MOST_STOPS, "{patterns:?}: no end");
            let (side, other, turn) = match host.head("phase").trim_matches('"') {
                "advocate" => ("A", "C", 0),
                "critic" => ("C", "A", 1),
                _ => ("A", "C", 2),
            };
            let reply = PATTERNS[patterns[turn]].replace("{side}", side).replace("{other}", other);
            let reply = reply.replace("LONG", &"word ".repeat(20_000));
            let answer = host.stop_with("one", &reply);
            stops += 1;
            said += &reply;
            if answer.is_silent() || answer.context().is_empty() {
                break;
            }
        }
        let all: Vec<u8> = host.all_files().into_iter().flat_map(|(_, bytes)| bytes).collect();
        let all = String::from_utf8_lossy(&all);
        for word in ["It pays, and everybody knows it.", "A2. It scales.", "I have nothing to add."]
        {
            assert!(!said.contains(word) || all.contains(word), "{patterns:?}: {word} is lost");
        }
        let status = host.head("status");
        assert!(
            ["completed", "paused", "failed", "in_progress"].contains(&status.trim_matches('"')),
            "{patterns:?}: {status}"
        );
        assert_eq!(host.run(&["report"]).code, 0, "{patterns:?}");
    });
}
