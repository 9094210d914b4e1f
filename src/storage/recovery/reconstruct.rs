//! A debate that is reconstructed from its transcript alone: its seats, its pointer, its material.

use std::borrow::Cow;

use jiff::Timestamp;

use crate::domain::debate::{
    DEFAULT_ROUNDS, Debate, Format, MAX_CYCLES, MAX_JUDGES, MAX_NAME_CHARS, MAX_QUESTION_CHARS,
    MAX_ROUNDS, Mode, Named, Phase, Schedule, Slot, furthest, waits_at,
};
use crate::domain::document::Document;
use crate::domain::transcript::{Entries, Kind};
use crate::storage::new_id;

/// Stands for a question that is lost.
const LOST_QUESTION: &str = "(the question was lost; write it here and into `question` above)";

/// Rounds beyond the last possible one are the user's own headings.
pub(crate) fn furthest_of(entries: &Entries, cycle: u32, schedule: Schedule) -> Option<Slot> {
    furthest(entries.slots_in(cycle).filter(|slot| slot.round <= MAX_ROUNDS), schedule)
}

/// The debate that a transcript alone shows. Its owner is not known, so it pauses.
pub(crate) fn debate_of_entries(
    title: Option<String>,
    entries: &Entries,
    now: Timestamp,
) -> Debate {
    let (cycle, _) = entries.last_cycle();
    let fits =
        |title: &String| !title.trim().is_empty() && title.chars().count() <= MAX_QUESTION_CHARS;
    let question = title.filter(fits).unwrap_or_else(|| LOST_QUESTION.to_owned());
    let mut debate = Debate::new(new_id(&question, now, ""), question, DEFAULT_ROUNDS, now);
    debate.follow_cycle(cycle.min(MAX_CYCLES));
    take_voices(&mut debate, entries);
    let has =
        |kind: Kind| entries.notes().any(|(note, _)| note == kind).then(|| "the file".to_owned());
    debate.options.context_source = has(Kind::Context);
    debate.options.follow_up = has(Kind::PriorAnalysis);
    match Document::of_entries(entries) {
        Some(Document { sha256: Some(_), .. }) => debate.options.mode = Mode::Revise,
        Some(plan) => debate.options.plan = Some(plan.name),
        None => {}
    }
    debate.options.blind = debate.options.mode != Mode::Revise
        && entries.slots_in(cycle).next() == Some(Slot { phase: Phase::Critic, round: 1 });
    let reached = furthest_of(entries, cycle, debate.schedule());
    // Judgments follow complete arguments; with judgments and no synthesis, another judge is next.
    let judgments = u8::try_from(entries.judgments().count()).unwrap_or(MAX_JUDGES);
    if judgments > 0 {
        debate.options.judges = judgments.saturating_add(1).min(MAX_JUDGES);
        debate.follow_judgments(judgments);
    }
    if debate.format() == Format::Seats {
        let least = if judgments > 0 { 1 } else { DEFAULT_ROUNDS };
        debate.options.max_rounds =
            reached.map_or(DEFAULT_ROUNDS, |reached| reached.round.max(least));
    }
    let own = debate.own_motion().map(Cow::into_owned);
    debate.options.motion = own.or_else(|| entries.motion()).filter(|_| debate.takes_motion());
    debate.pause("its frontmatter was lost".to_owned(), now);
    if let Some(slot) = waits_at(reached, debate.schedule()) {
        debate.set_slot(slot);
    } else {
        debate.set_slot(reached.unwrap_or(Slot::FIRST));
        debate.complete(now);
    }
    debate
}

/// Sets the voices, as far as the replies name them.
fn take_voices(debate: &mut Debate, entries: &Entries) {
    let is_voice = |slot: Slot| slot.phase.is_of_voices() && slot.round <= MAX_ROUNDS;
    let voices = || entries.replies().filter(|(slot, _)| is_voice(*slot));
    let Some(last) = voices().map(|(slot, _)| slot.round).max() else { return };
    let (mode, fewest) = match voices().next().map(|(slot, _)| slot.phase) {
        Some(Phase::Stakeholder) => (Mode::Stakeholders, 2),
        Some(Phase::Option | Phase::Attack) => (Mode::Options, 3),
        _ => (Mode::Analyst, 3),
    };
    let name = |round: u8| {
        let reply = voices().find(|(slot, _)| slot.round == round);
        let name = reply
            .and_then(|(_, reply)| reply.voice.clone())
            .unwrap_or_else(|| format!("voice {round}"));
        Named { name: name.chars().take(MAX_NAME_CHARS).collect(), text: None }
    };
    debate.options.max_rounds = last.max(fewest);
    debate.options.voices = (1..=debate.options.max_rounds).map(name).collect();
    debate.options.mode = mode;
}
