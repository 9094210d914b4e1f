//! The cue: one short line that names the phase and what it does now.

use std::path::Path;

use super::{MAX_CUE, MAX_LONG_CUE, cut, file_name, utf16_len};
use crate::debate::{Debate, Mode, Phase};

/// A cue, within its limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cue(String);

impl Cue {
    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// One of this length, to measure with.
    pub(super) fn of_length(units: usize) -> Self {
        Self("x".repeat(units))
    }
}

/// What a cue is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ask<'a> {
    /// Why the phase is asked for.
    pub why: Why,
    /// What of the state file Claude is asked to Read first.
    pub read: Read,
    /// The user's direction for this phase.
    pub steering: Option<&'a str>,
}

/// Why the phase is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// It is its turn.
    Turn,
    /// The finished debate is opened once more.
    Again,
    /// The user has just typed what it should look at.
    Steered,
    /// The last reply was written without the Read that was asked for.
    Unread,
    /// The last reply was empty.
    Empty,
    /// The last reply was the phase before it, word for word.
    Repeated,
    /// The synthesis lacks these headings of its framework.
    MissingHeadings(Vec<String>),
    /// The user edited the file: its question, or where it ends.
    Edited,
}

/// What of the state file Claude is asked to Read first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Read {
    /// Nothing: the conversation holds the debate.
    Nothing,
    /// A few lines, from this one on: the client's count of continuations is near its cap, and a tool call resets it.
    Few(usize),
    /// What was gathered before the first round: so many lines from this one on.
    Material(usize, usize),
    /// Everything from this line on: the conversation does not hold the debate.
    From(usize),
    /// The same, if the conversation turns out not to hold it.
    IfMissing(usize),
}

impl Read {
    /// True where a reply without it would be argued blind.
    #[must_use]
    pub fn is_needed(self) -> bool {
        match self {
            Self::Material(..) | Self::From(_) => true,
            Self::Nothing | Self::Few(_) | Self::IfMissing(_) => false,
        }
    }
}

/// Lines that are read where only the tool call matters.
const FEW_LINES: usize = 3;

/// Most of a direction that a cue quotes, in UTF-16 units; the rest is in the state file.
const MAX_STEERING: usize = 380;

/// Most of a voice's name, in characters; the protocol has all of it.
const MAX_NAME: usize = 40;

/// Most of the names of missing headings, in UTF-16 units.
const MAX_MISSING: usize = 250;

/// Composes the cue of the debate's place.
#[must_use]
pub fn cue(debate: &Debate, state_file: &Path, ask: &Ask<'_>) -> Cue {
    let phase = who(debate);
    let task = task(debate);
    let mut text = match &ask.why {
        Why::Turn | Why::Again => format!("{phase}: {task}"),
        Why::Steered => format!(
            "The message above is the person's steering for the debate under the Anvil debate protocol: look where it points, then write this phase.\n\n{phase}: {task}"
        ),
        Why::Unread => format!(
            "{phase}, once more: the debate's file was not read, so that reply was not filed. Write it anew; {task}"
        ),
        Why::Empty => format!("{phase}, once more: nothing usable was written. Write this reply now; {task}"),
        Why::Edited => format!("{phase}, for the debate as it was edited by hand: {task}"),
        Why::Repeated => {
            format!("{phase}, once more: that was the previous phase's reply again. Write this phase's own; {task}")
        }
        Why::MissingHeadings(missing) => {
            let missing = missing.iter().map(|heading| format!("### {heading}")).collect::<Vec<_>>().join(", ");
            let missing = cut(&missing, MAX_MISSING);
            format!("{phase}, once more: the synthesis lacks {missing}. Write it again, whole, with every heading.")
        }
    };
    let file = || file_name(state_file);
    let request = match ask.read {
        Read::Nothing => String::new(),
        Read::Few(line) => format!(" First, without comment, Read {} (offset {line}, limit {FEW_LINES}).", file()),
        Read::Material(line, count) => {
            format!(" First, without comment, Read the material: {} (offset {line}, limit {count}).", file())
        }
        Read::From(line) => format!(" First, without comment, Read {} from line {line} to its end.", file()),
        Read::IfMissing(line) => format!(
            " If this conversation does not hold the debate so far, first Read {} from line {line} to its end.",
            file()
        ),
    };
    text.push_str(&request);
    if let Some(steering) = ask.steering {
        text.push_str(&quoted_steering(steering));
    }
    let is_short = ask.steering.is_none() && matches!(ask.why, Why::Turn | Why::Again);
    debug_assert!(utf16_len(&text) <= if is_short { MAX_CUE } else { MAX_LONG_CUE }, "{text}");
    Cue(text)
}

/// The phase as the protocol calls it: `Critic, round 1 of 3`, `Stakeholder 2 of 3, legal`.
fn who(debate: &Debate) -> String {
    let slot = debate.progress.slot;
    // The user may have lowered the number of rounds in the file.
    let rounds = debate.options.max_rounds.max(slot.round);
    let name = debate.voice_at(slot).map(|voice| crate::text::clean(&voice.name, MAX_NAME));
    let voice = |name: Option<String>| name.map_or_else(String::new, |name| format!(", {name}"));
    let seat = |name: Option<String>| name.map_or_else(String::new, |name| format!(", as {name}"));
    match slot.phase {
        Phase::Advocate => format!("Advocate, round {} of {rounds}{}", slot.round, seat(name)),
        Phase::Critic => format!("Critic, round {} of {rounds}{}", slot.round, seat(name)),
        Phase::Stakeholder => format!("Stakeholder {} of {rounds}{}", slot.round, voice(name)),
        Phase::Persona => format!("Persona {} of {rounds}{}", slot.round, voice(name)),
        Phase::Synthesizer => "Synthesizer".to_owned(),
    }
}

/// What the phase does now.
fn task(debate: &Debate) -> &'static str {
    let attacks_position = debate.options.mode == Mode::DevilsAdvocate;
    let is_versus = debate.options.versus.is_some();
    let round = debate.progress.slot.round;
    let opens = round == 1 && debate.progress.cycle == 1;
    // After blind openings nothing is answered yet.
    let meets = debate.options.blind && round == 2 && debate.progress.cycle == 1;
    match debate.progress.slot.phase {
        Phase::Advocate if opens && debate.options.blind && attacks_position => {
            "attack the position, as if the critic had not written."
        }
        Phase::Advocate if opens && attacks_position => "attack the position.",
        Phase::Advocate if opens && debate.options.blind && is_versus => {
            "open the case for Position A, as if the critic had not written."
        }
        Phase::Advocate if opens && is_versus => "open the case for Position A.",
        Phase::Advocate if opens && debate.options.blind => "open the case for it, as if the critic had not written.",
        Phase::Advocate if opens => "open the case for it.",
        Phase::Advocate if attacks_position => "answer every open point, then press the attack.",
        Phase::Advocate => "answer every open point, then press on.",
        Phase::Critic if opens && debate.options.blind && attacks_position => {
            "defend the position; nobody has attacked it yet."
        }
        Phase::Critic if opens && attacks_position => "defend the position against this attack.",
        Phase::Critic if opens && debate.options.blind && is_versus => {
            "open the case for Position B; there is none for A yet."
        }
        Phase::Critic if opens && is_versus => "attack the case just made; argue for B.",
        Phase::Critic if opens && debate.options.blind => "open the case against it; there is none for it yet.",
        Phase::Critic if opens => "quote and attack the case just made.",
        Phase::Critic if meets && !attacks_position => "quote and attack the case that was opened.",
        Phase::Critic if attacks_position => "defend the position where the attack is weakest.",
        Phase::Critic => "test the answers, strike at the weakest.",
        Phase::Stakeholder if round == 1 => "speak for them alone.",
        Phase::Persona if round == 1 => "speak as this person.",
        Phase::Stakeholder => "speak for them alone; answer the voices before.",
        Phase::Persona => "speak as this person; answer the voices before.",
        Phase::Synthesizer => "account for every numbered argument, then decide.",
    }
}

/// A direction on one line; what does not fit is in the file.
fn quoted_steering(steering: &str) -> String {
    let folded = steering.split_whitespace().collect::<Vec<_>>().join(" ");
    let folded = crate::text::without_controls(&folded);
    let part = cut(&folded, MAX_STEERING);
    let is_cut = part.len() < folded.len();
    let rest = if is_cut { " … (read the rest under the last ### Steering of the debate's file)" } else { "" };
    format!(" Steering: \"{part}\"{rest}")
}
