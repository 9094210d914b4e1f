//! The cost of a debate: every request sends the whole conversation again, so the measure is the
//! sum of the JSON of all `messages`.

use crate::mock::Exchange;
use crate::model::{Manner, Reads, Seat, Turn};
use crate::world::World;

/// The size of a reply in the measured debates.
const REPLY: usize = 4 * 1024;

/// The bytes of `messages` in all requests of a three-round debate with such replies, in which
/// `reads` requests are Reads.
fn three_rounds(manner: Reads, reads: usize) -> usize {
    let world = World::new(Manner { reads: manner, size: REPLY, ..Manner::default() });
    world.client().prompt("/anvil:debate Should we rewrite it? --rounds 3").run().ok();
    world.assert_completed(3);
    let log = world.mock.main();
    assert_eq!(log.len(), 7 + reads);
    assert_eq!(log.iter().filter(|exchange| exchange.answer.calls_tool()).count(), reads);
    log.iter().map(|exchange| exchange.request.messages_bytes()).sum()
}

/// The budget of the issue. A three-round debate is 7 requests; each carries the client's own first
/// messages (about 8 KB), the protocol once, and the replies so far. No cue of such a debate
/// requests a Read, so the first figure is its cost.
///
/// The second figure is for a model that reads the record nevertheless, once per round, before the
/// critic attacks: 40 lines of the state file each time. A Read costs little for its text (1.6 KB
/// here) and much for its extra request, which carries the whole conversation again. For that
/// reason the third figure, a Read before every reply, has no budget: 14 requests instead of 7 are
/// twice the first figure before any line is read.
#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn three_rounds_of_4_kb_replies_stay_within_the_budget() {
    let without = three_rounds(Reads::Never, 0);
    println!("messages bytes without Reads: {without}");
    let with = three_rounds(Reads::OnceARound, 3);
    println!("messages bytes with Reads: {with}");
    let always = three_rounds(Reads::Always, 7);
    println!("messages bytes with a Read before every reply: {always}");
    assert!(without <= 270_000, "{without} bytes without Reads");
    assert!(with <= 350_000, "{with} bytes with Reads");
    assert!(always <= 775_000 * 2 / 3, "{always} bytes with a Read before every reply");
}

/// The growth of the conversation between two requests, without the reply to the first.
fn overhead(before: &Exchange, after: &Exchange) -> (Seat, usize) {
    let seat = Turn::of(&after.request).seat.expect("every request belongs to the debate");
    let reply = serde_json::to_string(&before.answer.texts().concat()).expect("a string").len();
    (seat, after.request.messages_bytes() - before.request.messages_bytes() - reply)
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn the_overhead_of_a_phase_does_not_grow_with_the_round() {
    const ROUNDS: u32 = 9;
    let world = World::new(Manner { reads: Reads::Never, size: REPLY, ..Manner::default() });
    let client = world.client().env("CLAUDE_CODE_STOP_HOOK_BLOCK_CAP", "100");
    client.prompt(format!("/anvil:debate Should we rewrite it? --rounds {ROUNDS}")).run().ok();
    world.assert_completed(ROUNDS);
    let log = world.mock.main();
    let added: Vec<(Seat, usize)> =
        log.windows(2).map(|pair| overhead(&pair[0], &pair[1])).collect();
    println!("bytes added besides the reply: {added:?}");
    // Round 1 has other tasks (nothing to answer yet), and so has the last one; the rounds between
    // them may not differ.
    let of = |pick: fn(u32) -> Seat| (2..ROUNDS).map(pick);
    for seats in [of(Seat::Advocate).collect::<Vec<_>>(), of(Seat::Critic).collect()] {
        let bytes: Vec<usize> = seats
            .iter()
            .filter_map(|seat| Some(added.iter().find(|(s, _)| s == seat)?.1))
            .collect();
        assert_eq!(bytes.len(), seats.len());
        assert!(bytes.iter().all(|b| *b == bytes[0]), "{seats:?} add {bytes:?}");
    }
    assert!(
        added.iter().all(|(_, bytes)| *bytes < 1_000),
        "a phase adds a few hundred bytes: {added:?}"
    );
}
