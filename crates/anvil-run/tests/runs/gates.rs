//! Gates of a run: each is closed by a verdict that can't be read for certain.

use super::{CLOSED, OPEN, REPLIES, Room, VOID};

const ROUND: [&str; 3] = ["Why?", "--rounds", "1"];

fn run(room: &Room, more: &[&str]) -> u8 {
    room.run(&[&ROUND, more].concat()).unwrap()
}

#[test]
fn a_hidden_or_odd_verdict_opens_no_gate() {
    let room = Room::new();
    let block = "```anvil\n1. PostgreSQL\n2. Redis (managed)\noption 1: A1\noption 2: C1\nA1 survived: x\n\
        C1 survived: x\nagainst: x\nrecommendation: So.\nverdict: PostgreSQL\nconfidence: 90\nrests on: C1\n\
        flips if: x\nunknown: x\n```\n";
    let run = |synthesis: &str| {
        room.says("synthesizer", &[synthesis]);
        let options = ["--options", "Redis (managed), PostgreSQL", "--replace"];
        let code = run(&room, &[&options[..], &["--fail-on", "not=Redis (managed)"]].concat());
        let blocks = room
            .world
            .state_text()
            .matches(
                "
### Verdict Block
",
            )
            .count();
        (code, blocks)
    };
    // What stands around the block is for people.
    for around in ["", "> verdict: Redis (managed)\n\n", "**Verdict:** Redis (managed)\n\n"] {
        assert_eq!(run(&format!("{around}{block}")), (OPEN, 0), "{around}");
    }
    let line = "verdict: PostgreSQL\n";
    for odd in [
        "verdict: PostgreSQL\nverdict: PostgreSQL\n",
        "verdict: PostgreSQL\n- VERDICT : Redis (managed)\n",
        "verdict: PostgreSQL or Redis (managed)\n",
        "verdict: PostgreSQL\n  or Redis (managed)\n",
        "verdict: PostgreSQL\nnot at all\n",
        "verdict: Postgre\u{200b}SQL\n",
        "**Verdict:** PostgreSQL\n",
        "",
    ] {
        assert_eq!(run(&block.replace(line, odd)).0, VOID, "{odd}");
    }
    for hidden in [
        format!("<!--\n{block}-->\n"),
        format!("{block}\n{block}"),
        block.replace("```anvil", "> ```anvil").replace('\n', "\n> "),
        block.trim_end().trim_end_matches('`').to_owned(),
        block.replace("```", "````").replace("````anvil", "````text\n```anvil"),
    ] {
        assert_eq!(run(&hidden).0, VOID, "{hidden}");
    }
}

#[test]
fn a_gate_closes_over_a_complete_debate() {
    for (words, code) in [
        (&["--fail-on", "low-confidence=60"][..], OPEN),
        (&["--motion", "wait", "--fail-on", "do-not,low-confidence=70"], CLOSED),
    ] {
        let room = Room::new();
        assert_eq!(run(&room, words), code, "{words:?}");
        assert_eq!(room.world.progress().1, "completed");
        assert_eq!(room.world.reply_texts(), REPLIES.map(|(_, reply)| reply.trim_end()));
    }
}

#[test]
fn a_text_that_may_be_a_claim_closes_the_gate() {
    let room = Room::new();
    let row = "| Claim | Why |\n|---|---|\n| **C1 costs a month.** | Nobody has it |\n\n\
               **Attacks A1:** it comes too late.\n";
    room.says("critic", &[row]);
    assert_eq!(run(&room, &["--fail-on", "open-claims"]), CLOSED);
    assert!(room.facts().unread.is_some());
}
