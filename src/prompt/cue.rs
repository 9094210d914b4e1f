//! The cue: one short line that names the phase and what it does now.

use std::path::Path;

use super::standing::{listed, standing};
use super::{MAX_CUE, MAX_LONG_CUE, cut, file_name, utf16_len};
use crate::debate::{Debate, Mode, Phase, Seat};
use crate::ledger::{Ledger, Shortfall};

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
    /// What was claimed and answered so far.
    pub ledger: &'a Ledger,
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
    /// The first reply of a seat was without a single numbered claim, or a later one without any claim and any move.
    Unnumbered(Next),
    /// The synthesis lacks something that a program reads in it.
    Incomplete(Lacks),
    /// The user edited the file: its question, or where it ends.
    Edited,
}

/// The number that the next claim of a seat has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Next {
    seat: Seat,
    number: u16,
}

impl Next {
    /// That of a seat in a debate with these claims.
    #[must_use]
    pub fn of(seat: Seat, ledger: &Ledger) -> Self {
        Self { seat, number: ledger.next_number(seat) }
    }

    /// True where the seat has no claim yet.
    #[must_use]
    pub fn is_first(self) -> bool {
        self.number == 1
    }

    /// `C3`, and with 1 the one after it.
    #[must_use]
    pub fn id(self, after: u16) -> String {
        let number = self.number.saturating_add(after);
        match self.seat {
            Seat::Advocate | Seat::Synthesizer => format!("A{number}"),
            Seat::Critic => format!("C{number}"),
            Seat::Voice(voice) => format!("S{voice}.{number}"),
        }
    }
}

/// What a synthesis lacks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lacks {
    /// Headings of its framework.
    pub headings: Vec<String>,
    /// What it says of the claims.
    pub account: Shortfall,
}

impl Lacks {
    /// True where it lacks nothing.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        self.headings.is_empty() && self.account.is_nothing()
    }
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
const MAX_MISSING: usize = 200;

/// Most of the ids in one sentence about a synthesis, in UTF-16 units.
const MAX_IDS: usize = 90;

/// Most of those that it leaves out: what is not named is forgotten again. Three quarters of 90 claims fit.
const MAX_LEFT_OUT: usize = 400;

/// What a synthesis is that lacks no heading.
const INCOMPLETE: &str = "is not complete.";

/// Composes the cue of the debate's place.
#[must_use]
pub fn cue(debate: &Debate, state_file: &Path, ask: &Ask<'_>) -> Cue {
    let phase = who(debate);
    let task = task(debate);
    let tail = tail(state_file, ask);
    let is_short = ask.steering.is_none() && matches!(ask.why, Why::Turn | Why::Again);
    let limit = if is_short { MAX_CUE } else { MAX_LONG_CUE };
    let room = limit.saturating_sub(utf16_len(&tail));
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
        Why::Unnumbered(next) => {
            let lacks = if next.is_first() { "no claim has its number" } else { "it has no claim and no move" };
            format!(
                "{phase}, once more: {lacks}, so that reply was not filed. Write it anew, each claim as `**{}. One claim in one sentence.**` and its ground; {task}",
                next.id(0)
            )
        }
        Why::Incomplete(lacks) => incomplete(&phase, lacks, room),
    };
    if !matches!(ask.why, Why::Incomplete(_)) {
        text.push_str(&standing(debate, ask.ledger, room.saturating_sub(utf16_len(&text))));
    }
    text.push_str(&tail);
    debug_assert!(utf16_len(&text) <= limit, "{text}");
    Cue(text)
}

/// What follows the task: what is to be read, and the user's direction.
fn tail(state_file: &Path, ask: &Ask<'_>) -> String {
    let file = || file_name(state_file);
    let mut tail = match ask.read {
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
    if let Some(steering) = ask.steering {
        tail.push_str(&quoted_steering(steering));
    }
    tail
}

/// What a synthesis lacks, by name, in at most `most` UTF-16 units: that of the claims, and as many headings as fit.
fn incomplete(phase: &str, lacks: &Lacks, most: usize) -> String {
    let ends = " Write it again, whole, with one line for every claim.";
    let account = &lacks.account;
    let lines = match (account.lacks_call, account.lacks_carriers) {
        (true, true) => "the lines **Verdict:** do | do not | depends and **Rests on:**",
        (true, false) => "the line **Verdict:** do | do not | depends",
        (false, true) => "the line **Rests on:**",
        (false, false) => "",
    };
    let begins = format!("{phase}, once more: the synthesis ");
    let most = most.saturating_sub(utf16_len(&begins) + utf16_len(INCOMPLETE) + utf16_len(ends));
    let room_for_ids = most.saturating_sub(" It has no line for .".len());
    let mut said = String::new();
    for (before, names) in [
        ("It has no line for ", listed(&account.left_out, MAX_LEFT_OUT.min(room_for_ids)).as_str()),
        ("Nobody claimed ", &listed(&account.invented, MAX_IDS)),
        ("It lacks ", lines),
        ("Said twice, or survived although given up: ", &listed(&account.contradictory, MAX_IDS)),
    ] {
        let sentence = format!(" {before}{names}.");
        if !names.is_empty() && utf16_len(&said) + utf16_len(&sentence) <= most {
            said.push_str(&sentence);
        }
    }
    let left = (most + INCOMPLETE.len()).saturating_sub(utf16_len(&said));
    let headings = lacks.headings.iter().map(|heading| format!("### {heading}")).collect::<Vec<_>>().join(", ");
    let what = match cut(&headings, MAX_MISSING.min(left.saturating_sub("lacks .".len()))) {
        "" => INCOMPLETE.to_owned(),
        headings => format!("lacks {headings}."),
    };
    format!("{begins}{what}{said}{ends}")
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
        Phase::Synthesizer => "account for every claim, then decide.",
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
