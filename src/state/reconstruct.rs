//! A debate that nothing is known of but its transcript: who argued, how far it came, what it was given.

use jiff::Timestamp;

use super::new_id;
use crate::debate::{
    DEFAULT_ROUNDS, Debate, Format, MAX_CYCLES, MAX_NAME_CHARS, MAX_QUESTION_CHARS, MAX_ROUNDS, Mode, Named, Phase,
    Schedule, Slot, furthest, waits_at,
};
use crate::transcript::{self, Kind, Section};

/// What a question is when nothing tells it any more.
const LOST_QUESTION: &str = "(the question was lost; write it here and into `question` above)";

/// Rounds beyond the last possible one are the user's own headings.
pub(super) fn furthest_of(sections: &[Section], cycle: u32, schedule: Schedule) -> Option<Slot> {
    let of_cycle = sections.iter().filter(|section| section.cycle == cycle);
    furthest(of_cycle.map(|section| section.slot).filter(|slot| slot.round <= MAX_ROUNDS), schedule)
}

/// The debate that a transcript alone tells of. Whose it was is not known, so it waits.
pub(super) fn debate_of_sections(
    title: Option<String>,
    body: &str,
    sections: &[Section],
    cycle: u32,
    now: Timestamp,
) -> Debate {
    let fits = |title: &String| !title.trim().is_empty() && title.chars().count() <= MAX_QUESTION_CHARS;
    let question = title.filter(fits).unwrap_or_else(|| LOST_QUESTION.to_owned());
    let mut debate = Debate::new(new_id(&question, now, ""), question, DEFAULT_ROUNDS, now);
    debate.follow_cycle(cycle.min(MAX_CYCLES));
    take_voices(&mut debate, sections);
    let notes = transcript::notes(body);
    let has = |kind: Kind| notes.iter().any(|note| note.kind == kind).then(|| "the file".to_owned());
    debate.options.context_source = has(Kind::Context);
    debate.options.follow_up = has(Kind::PriorAnalysis);
    debate.options.versus = has(Kind::PositionA).and(has(Kind::PositionB));
    let opens = sections.iter().find(|section| section.cycle == cycle).map(|section| section.slot);
    debate.options.blind = opens == Some(Slot { phase: Phase::Critic, round: 1 });
    let filed = furthest_of(sections, cycle, debate.schedule());
    if debate.format() == Format::Seats {
        debate.options.max_rounds = filed.map_or(DEFAULT_ROUNDS, |filed| filed.round.max(DEFAULT_ROUNDS));
    }
    debate.pause("its frontmatter was lost".to_owned(), now);
    if let Some(slot) = waits_at(filed, debate.schedule()) {
        debate.stand_at(slot);
    } else {
        debate.stand_at(filed.unwrap_or(Slot::FIRST));
        debate.complete(now);
    }
    debate
}

/// Who took turns, as far as the sections name them.
fn take_voices(debate: &mut Debate, sections: &[Section]) {
    let is_voice = |section: &&Section| matches!(section.slot.phase, Phase::Stakeholder | Phase::Persona);
    let voices: Vec<&Section> =
        sections.iter().filter(is_voice).filter(|section| section.slot.round <= MAX_ROUNDS).collect();
    let Some(last) = voices.iter().map(|section| section.slot.round).max() else { return };
    let (mode, fewest) = match voices[0].slot.phase {
        Phase::Stakeholder => (Mode::Stakeholders, 2),
        _ => (Mode::Analyst, 3),
    };
    let name = |round: u8| {
        let section = voices.iter().find(|section| section.slot.round == round);
        let name = section.and_then(|section| section.voice.clone()).unwrap_or_else(|| format!("voice {round}"));
        Named { name: name.chars().take(MAX_NAME_CHARS).collect(), text: None }
    };
    debate.options.max_rounds = last.max(fewest);
    debate.options.voices = (1..=debate.options.max_rounds).map(name).collect();
    debate.options.mode = mode;
}
