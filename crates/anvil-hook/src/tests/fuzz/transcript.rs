//! The transcript: an appended section is parsed back exactly, and another parser sees the same
//! headings, with all its extensions, also in the whole file.

use anvil_core::debate::Debate;
use anvil_core::place::{Place, Seat};
use anvil_core::transcript::{append, normalise, parse, question};
use anvil_store::StateFile;
use comrak::nodes::NodeValue;
use comrak::{Arena, Options, parse_document};
use jiff::Timestamp;
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;

use super::hostile::{changed, changes, cut, text};
use super::try_inputs;

/// A reply in a model's style.
const REPLY: &str = "**A1. One claim.** Its ground, with `code` and a [link](http://x).\n\n> \"quoted words\"\n\n\
    1. first\n   - nested\n\n```rust\nfn main() {}\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n<details>\n\nmore\n\n</details>\n\n\
    ## A heading of its own\n\nlast words";

fn replies() -> impl Strategy<Value = Vec<String>> {
    let broken = changes(4)
        .prop_map(|changes| String::from_utf8_lossy(&changed(REPLY, &changes)).into_owned());
    let reply = prop_oneof![1 => text(), 1 => broken];
    (1..=3_usize).prop_flat_map(move |rounds| prop::collection::vec(reply.clone(), 2 * rounds + 1))
}

fn debates() -> impl Strategy<Value = (String, Vec<String>)> {
    (text(), replies())
}

fn slots(rounds: u8) -> Vec<Place> {
    let argued = (1..=rounds)
        .flat_map(|round| [Seat::Advocate, Seat::Critic].map(|seat| Place { seat, round }));
    argued.chain([Place { seat: Seat::Synthesizer, round: rounds }]).collect()
}

fn heading(slot: Place) -> Vec<String> {
    match slot.seat {
        Seat::Advocate => vec![format!("## Round {}", slot.number()), "### Advocate".into()],
        Seat::Critic => vec!["### Critic".into()],
        Seat::Synthesizer => vec!["## Synthesis".into()],
        _ => unreachable!("these debates have two seats"),
    }
}

/// The lines of the headings at depth 0, as comrak sees them.
fn second_opinion(text: &str, options: &Options<'_>) -> Vec<String> {
    let arena = Arena::new();
    let root = parse_document(&arena, text, options);
    let lines: Vec<&str> = text.lines().collect();
    let headings = root.children().filter_map(|node| {
        let data = node.data.borrow();
        matches!(data.value, NodeValue::Heading(_))
            .then(|| lines[data.sourcepos.start.line - 1].to_owned())
    });
    headings.collect()
}

fn every_extension() -> Options<'static> {
    let mut options = Options::default();
    let extension = &mut options.extension;
    extension.front_matter_delimiter = Some("---".to_owned());
    extension.table = true;
    extension.strikethrough = true;
    extension.autolink = true;
    extension.tasklist = true;
    extension.superscript = true;
    extension.footnotes = true;
    extension.description_lists = true;
    extension.multiline_block_quotes = true;
    extension.alerts = true;
    extension.math_dollars = true;
    extension.math_code = true;
    extension.wikilinks_title_after_pipe = true;
    extension.underline = true;
    extension.spoiler = true;
    options
}

fn holds((asked, replies): (String, Vec<String>)) -> TestCaseResult {
    let asked = match cut(asked.trim(), 2_000).trim() {
        "" => "Why?".to_owned(),
        asked => asked.to_owned(),
    };
    let slots = slots((replies.len() as u8 - 1) / 2);
    let mut state = StateFile::new(Debate::new(
        "2026-11-21-why-0000".into(),
        asked.clone(),
        3,
        Timestamp::UNIX_EPOCH,
    ));
    for (slot, reply) in slots.iter().zip(&replies) {
        append(&mut state.body, *slot, None, Timestamp::UNIX_EPOCH, reply);
    }
    let entries = parse(&state.body);
    let found: Vec<_> = entries.replies().map(|(slot, reply)| (slot, reply.text.clone())).collect();
    let given: Vec<_> = slots
        .iter()
        .copied()
        .zip(replies.iter().map(|reply| normalise(reply).into_owned()))
        .collect();
    prop_assert_eq!(found, given);
    prop_assert_eq!(question(&state.body), Some(normalise(&asked).into_owned()));

    let ours: Vec<String> = slots.into_iter().flat_map(heading).collect();
    let whole = state.render().unwrap();
    for (text, options) in [(&state.body, Options::default()), (&whole, every_extension())] {
        let seen = second_opinion(text, &options);
        prop_assert_eq!(seen.get(1..), Some(&ours[..]));
        prop_assert!(seen[0].starts_with("# "));
    }
    Ok(())
}

#[test]
fn two_parsers_find_every_appended_section() {
    try_inputs(150, &debates(), holds);
}
