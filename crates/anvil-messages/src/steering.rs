//! The user's changes to a debate in progress.

use super::Door;
use anvil_core::debate::{Debate, Status};
use anvil_core::limits::MAX_MOTION_CHARS;
use anvil_core::options::{Choice, Steering};
use anvil_core::question::motion::is_open_question;
use anvil_engine::Steered;
use anvil_text::{Hint, Verb, clean, hint, number_of};

/// Longest quote of a direction in its confirmation, in characters.
const MAX_DIRECTION: usize = 60;

/// Confirms a change: the new number of rounds, and the effect after the current reply or on the
/// next one.
pub fn steering_line(debate: &Debate, steering: &Steering, door: &Door) -> String {
    let resume = super::resume(debate, door);
    let is_running = debate.status() == Status::InProgress;
    let direction = steering.direction.as_deref();
    let direction = direction.map(|words| format!("{} is used as the direction", quote(words)));
    let synthesis = steering.synthesize.then(|| "the synthesis starts".to_owned());
    let wishes: Vec<String> = direction.into_iter().chain(synthesis).collect();
    let rounds = steering.rounds.map(|_| format!("{} now", rounds(debate.options.max_rounds)));
    let next = debate.place_label();
    match (rounds, wishes.join(", and ")) {
        // Esc ends a turn without calling a hook.
        (Some(rounds), wishes) if wishes.is_empty() && is_running => format!(
            "Anvil: {rounds}. Next: {next}. If Claude is not writing, {resume} asks for it."
        ),
        (Some(rounds), wishes) if wishes.is_empty() => {
            format!("Anvil: {rounds}. Next: {next}; {resume} continues.")
        }
        (rounds, wishes) => {
            let when =
                if is_running { "when this reply is written" } else { "when the debate continues" };
            let rounds = rounds.map(|rounds| format!("{rounds}; ")).unwrap_or_default();
            let hint = if is_running { String::new() } else { format!(": {resume}") };
            format!("Anvil: noted; {rounds}{wishes} {when}{hint}.")
        }
    }
}

pub const FACT_NOTED: &str =
    "Anvil: noted. Later replies get it, quoted and unchecked; nothing else changes.";

pub fn motion_correction_line(debate: &Debate, door: &Door) -> String {
    format!("Anvil: noted; later replies get it.\n{}", motion(debate, door).unwrap_or_default())
}

/// `  Motion: move the cache to Redis. FOR and "do" mean doing that.`, or who states it. `None`: the
/// debate has no motion, because it compares options or results.
pub fn motion(debate: &Debate, door: &Door) -> Option<String> {
    motion_line(debate).map(|line| door.text(line))
}

/// The same for any door.
pub fn motion_line(debate: &Debate) -> Option<Hint> {
    if !debate.takes_motion() {
        return None;
    }
    let Some(motion) = debate.motion() else { return Some(motion_to_come(debate)) };
    let means = if debate.argues_position() {
        "The advocate argues against it; \"do\" means that it holds."
    } else {
        "FOR and \"do\" mean doing that."
    };
    Some(format!("  Motion: {}. {means}", clean(motion, MAX_MOTION_CHARS)).into())
}

fn motion_to_come(debate: &Debate) -> Hint {
    // Options don't go with a plan of who speaks.
    let is_free = debate.options.voices.is_empty();
    let list = match debate.alternatives().names.as_slice() {
        names if !is_free || names.is_empty() && !is_open_question(&debate.question) => {
            let corrects = Verb::Steer.with("--motion TEXT");
            return hint!["  The first reply states the motion; ", corrects, " corrects it."];
        }
        [] => "A, B".to_owned(),
        names => clean(&names.join(", "), 200),
    };
    format!("  The first reply proposes a motion; --options \"{list}\" compares options instead.")
        .into()
}

pub fn answer_line(question: &str) -> String {
    format!("Anvil: answered: {} Every later reply gets the answer.", clean(question, 300))
}

/// `Anvil: advocate, round 2 of 3, with your direction: "the cost of leaving"`
pub fn direction_line(debate: &Debate, direction: &str) -> String {
    format!("Anvil: {}, with your direction: {}", debate.place_label(), quote(direction))
}

/// The next step of a debate, after the text that the user typed between two rounds.
pub fn prompt_direction_line(steered: &Steered, words: &str) -> String {
    let debate = &steered.debate;
    match steered.choice {
        None if steered.question.is_some() => {
            format!("Anvil: {}, with your answer: {}", debate.place_label(), quote(words))
        }
        Some(Choice::Skip) if steered.question.is_some() => {
            format!("Anvil: continues with {}, without an answer", debate.place_label())
        }
        None => self::direction_line(debate, words),
        Some(Choice::Skip) => "Anvil: skips to the synthesis".to_owned(),
        Some(Choice::GoOn | Choice::Stop) => {
            format!("Anvil: continues with {}", debate.place_label())
        }
    }
}

/// A direction in the user's own words, on one line.
fn quote(direction: &str) -> String {
    format!("\"{}\"", clean(direction, MAX_DIRECTION))
}

pub(super) fn rounds(count: u8) -> String {
    number_of(count.into(), "round", "rounds")
}
