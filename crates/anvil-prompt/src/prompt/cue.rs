//! The cue: one short line that names the phase and its task.

use std::path::Path;

use super::again::{unmade, wrong_in_block};
use super::standing::{open_against, standing};
use super::{MAX_CUE, MAX_LONG_CUE, file_name};
use anvil_core::debate::Debate;
use anvil_core::ledger::Ledger;
use anvil_core::options::Mode;
use anvil_core::place::{Seat, VoiceTask};
use anvil_text::without_controls;
use anvil_text::{cut, utf16_len};

/// Its length is within the limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cue(String);

impl Cue {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// A cue of this length, for measurements.
    pub(crate) fn with_length(units: usize) -> Self {
        Self("x".repeat(units))
    }
}

/// The facts from which a cue is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ask<'a> {
    pub why: Why,
    /// The part of the state file that Claude has to Read first.
    pub read: Read,
    /// The user's direction for this phase.
    pub steering: Option<&'a str>,
    pub ledger: &'a Ledger,
}

/// The reason for the cue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// The phase is next.
    Turn,
    /// The user opened the finished debate again.
    Again,
    /// The user has just typed a direction.
    Steered,
    /// The model wrote the last reply without the required Read.
    Unread,
    Empty,
    /// The last reply repeated the phase before it, word for word.
    Repeated,
    /// A seat's first reply had no numbered claim, or a later reply had no claim and no move.
    Unnumbered(Next),
    /// An option attacked fewer than two others.
    TooFewAttacked,
    /// Changes of a document that can't be made: `change 2 quotes …`, a phrase each.
    Unmade(Vec<String>),
    /// The user edited the file: the question, or the last section.
    Edited,
}

/// The number of a seat's next claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Next {
    seat: Seat,
    number: u16,
}

impl Next {
    /// Continues the numbers of the ledger.
    pub fn for_seat(seat: Seat, ledger: &Ledger) -> Self {
        Self { seat, number: ledger.next_number(seat) }
    }

    /// True if the seat has no claim yet.
    pub fn is_first(self) -> bool {
        self.number == 1
    }

    /// `C3`, and with 1 the number after it.
    pub fn id(self, after: u16) -> String {
        let number = self.number.saturating_add(after);
        match self.seat {
            Seat::Advocate | Seat::Synthesizer | Seat::Judge(_) => format!("A{number}"),
            Seat::Critic => format!("C{number}"),
            Seat::Voice(voice) => format!("S{voice}.{number}"),
        }
    }
}

/// The part of the state file that Claude has to Read first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Read {
    /// Nothing: the conversation holds the debate.
    Nothing,
    /// A few lines from this line on: the client's count of continuations is near its cap, and a
    /// tool call resets it.
    Few(usize),
    /// The material from before the first round: its first line, and the number of lines.
    Material(usize, usize),
    /// Everything from this line on: the conversation does not hold the debate.
    From(usize),
    /// Everything from this line on, if the conversation turns out not to hold the debate.
    IfMissing(usize),
}

impl Read {
    /// True if a reply without the Read would be argued blind.
    pub fn is_needed(self) -> bool {
        match self {
            Self::Material(..) | Self::From(_) => true,
            Self::Nothing | Self::Few(_) | Self::IfMissing(_) => false,
        }
    }
}

/// The number of lines to read if only the tool call matters.
const FEW_LINES: usize = 3;

/// Longest quote of a direction, in UTF-16 units; the state file has all of it.
const MAX_STEERING: usize = 380;

/// Longest quote of a noted fact, in UTF-16 units; the state file has all of it.
const MAX_NOTE: usize = 300;

/// Longest name of a voice, in characters; the protocol has all of it.
const MAX_NAME: usize = 40;

/// Composes the cue for the debate's place.
pub fn cue(debate: &Debate, state_file: &Path, ask: &Ask<'_>) -> Cue {
    let tail = tail(state_file, ask);
    let questions = about_questions(debate, ask.ledger);
    let is_short = ask.steering.is_none()
        && ask.ledger.noted.is_empty()
        && questions.is_empty()
        && !debate.awaits_block()
        && matches!(ask.why, Why::Turn | Why::Again);
    let limit = if is_short { MAX_CUE } else { MAX_LONG_CUE };
    let room = limit.saturating_sub(utf16_len(&tail));
    let now = border(debate, "");
    let again = border(debate, ", once more");
    let task = task(debate, ask.ledger, room.saturating_sub(utf16_len(&now) + 1));
    let mut text = match &ask.why {
        _ if debate.awaits_block() => block_again(&again, ask.ledger, room),
        Why::Turn | Why::Again => format!("{now} {task}"),
        Why::Steered => format!(
            "The message above is the person's steering for the debate under the Anvil debate \
             protocol: look where it points, then write this phase.\n\n{now} {task}"
        ),
        Why::Unread => format!(
            "{again} the debate's file was not read, so that reply was not saved. Write it anew; \
             {task}"
        ),
        Why::Empty => format!("{again} nothing usable was written. Write this reply now; {task}"),
        Why::Edited => format!("{now} the debate's file was edited by hand; {task}"),
        Why::Repeated => {
            format!("{again} that was the previous phase's reply. Write this phase's own; {task}")
        }
        Why::Unnumbered(next) => {
            let lacks = if next.is_first() { "" } else { "it has no claim and no move; " };
            let first = next.id(0);
            let second = next.id(1);
            format!(
                "{again} {lacks}number your claims: {first}., {second}., … Write the whole reply \
                 anew, each claim as `**{first}. One claim in one sentence.**` and its ground."
            )
        }
        Why::TooFewAttacked => format!(
            "{again} attack at least two of the other options, each on a line of its own: \
             `**Attacks S1.1:** \"exact words\" what fails`. Write the whole reply anew; {task}"
        ),
        Why::Unmade(faults) => unmade(&again, faults, room),
    };
    // An attack is written without the attacks of others.
    let is_blind = debate.place().is_attack();
    if !debate.awaits_block() && !is_blind {
        text.push_str(&standing(debate, ask.ledger, room.saturating_sub(utf16_len(&text))));
        for part in questions {
            if utf16_len(&text) + utf16_len(&part) <= room {
                text.push_str(&part);
            }
        }
        for note in &ask.ledger.noted {
            // The words are not Anvil's: they stay between the quotation marks and draw no border.
            let note = note.replace(['"', '─'], "'");
            let shown = cut(&note, MAX_NOTE);
            let more = if shown.len() < note.len() { "…" } else { "" };
            let note = format!(" Noted, unchecked: \"{shown}{more}\"");
            if utf16_len(&text) + utf16_len(&note) <= room {
                text.push_str(&note);
            }
        }
    }
    text.push_str(&tail);
    debug_assert!(utf16_len(&text) <= limit, "{text}");
    Cue(text)
}

/// Asks for the block of a synthesis once more.
fn block_again(border: &str, ledger: &Ledger, room: usize) -> String {
    let start = format!("{border} one sentence, then the whole block: ");
    let wrong = wrong_in_block(ledger, room.saturating_sub(utf16_len(&start) + 1));
    format!("{start}{wrong}.")
}

/// The end of the cue: the required Read and the user's direction.
fn tail(state_file: &Path, ask: &Ask<'_>) -> String {
    let file = file_name(state_file);
    let first = " First, without comment, Read";
    let read = match ask.read {
        Read::Nothing => String::new(),
        Read::Few(line) => format!("{first} {file} (offset {line}, limit {FEW_LINES})."),
        Read::Material(line, count) => {
            format!("{first} the material: {file} (offset {line}, limit {count}).")
        }
        Read::From(line) => format!("{first} {file} from line {line} to its end."),
        Read::IfMissing(line) => format!(
            " If this conversation does not hold the debate so far, first Read {file} from line \
             {line} to its end."
        ),
    };
    read + &ask.steering.map(quoted_steering).unwrap_or_default()
}

/// A line that is easy to find on a screen: `── Critic · round 1 of 3 ──`, `── Voice 2 of 3: legal
/// ──`.
fn border(debate: &Debate, again: &str) -> String {
    let place = debate.place();
    // The user may have lowered the number of rounds in the file.
    let rounds = debate.options.max_rounds.max(place.number());
    let name = debate.voice_at(place).map(|voice| anvil_text::clean(&voice.name, MAX_NAME));
    let before_name = match place.seat {
        Seat::Advocate | Seat::Critic if debate.options.mode == Mode::Options => ", for ",
        Seat::Advocate | Seat::Critic => ", as ",
        Seat::Voice(_) | Seat::Synthesizer | Seat::Judge(_) => ": ",
    };
    let name = name.map_or_else(String::new, |name| format!("{before_name}{name}"));
    let phase = match place.seat {
        Seat::Advocate => format!("Advocate{name} · {}", round(debate, rounds)),
        Seat::Critic => format!("Critic{name} · {}", round(debate, rounds)),
        Seat::Voice(voice) => {
            let does = if place.is_attack() { "Attack" } else { "Voice" };
            format!("{does} {voice} of {rounds}{name}")
        }
        Seat::Synthesizer | Seat::Judge(_) => "Synthesis".to_owned(),
    };
    format!("── {phase}{again} ──")
}

/// `round 2 of 2, the last`
fn round(debate: &Debate, rounds: u8) -> String {
    let round = debate.place().number();
    let last = if debate.is_last_round(round) { ", the last" } else { "" };
    format!("round {round} of {rounds}{last}")
}

/// The task of the phase, in at most `limit` UTF-16 units. For a synthesis it has the number of
/// claims, and the reason if the argument ended early.
fn task(debate: &Debate, ledger: &Ledger, limit: usize) -> String {
    let (place, cycle) = (debate.place(), debate.cycle());
    if place.seat != Seat::Synthesizer {
        return argument(debate, ledger, limit);
    }
    let claims = match ledger.claims.len() {
        0 => "every claim".to_owned(),
        1 => "the 1 claim".to_owned(),
        count => format!("all {count} claims"),
    };
    let rounds = debate.options.max_rounds;
    let is_early = debate.options.early_end
        && debate.may_end_early()
        && place.number() < rounds
        && ledger.is_settled_in(cycle, place.number());
    let task = format!("weigh {claims}, then decide; end with the block.");
    let settled =
        format!(" Round {} of {rounds} brought nothing new and left nothing open.", place.number());
    if is_early && utf16_len(&task) + utf16_len(&settled) <= limit { task + &settled } else { task }
}

/// The task of an advocate, a critic or a voice.
fn argument(debate: &Debate, ledger: &Ledger, limit: usize) -> String {
    let attacks_position = debate.options.mode == Mode::DevilsAdvocate;
    let (place, cycle) = (debate.place(), debate.cycle());
    let round = place.number();
    if debate.options.mode == Mode::Revise {
        return revising(place.seat, ledger, limit);
    }
    let blind = debate.options.blind;
    let opens = round == 1 && cycle == 1;
    let is_first = round == 1 || ledger.claims.is_empty();
    // After blind openings no claim has an answer yet.
    let follows_blind_openings = blind && round == 2 && cycle == 1;
    let task = match place.seat {
        Seat::Advocate if opens => {
            let task = match debate.options.mode {
                Mode::DevilsAdvocate => "attack the position",
                Mode::Options => "open the case for the first option",
                _ => "open the case for it",
            };
            let alone = if blind { ", as if the critic had not written" } else { "" };
            return format!("{task}{alone}.");
        }
        Seat::Advocate => {
            let then = match attacks_position {
                _ if debate.is_last_round(round) => "; no new claims",
                true => ", then press the attack",
                false => ", then press on",
            };
            return match open_against(ledger, Seat::Advocate, limit.saturating_sub(40)).as_str() {
                "" => format!("answer every open point{then}."),
                ids => format!("answer {ids}{then}."),
            };
        }
        Seat::Critic if opens && blind => match debate.options.mode {
            Mode::DevilsAdvocate => "defend the position; nobody has attacked it yet.",
            Mode::Options => {
                "open the case for the second option; there is none for the first yet."
            }
            _ => "open the case against it; there is none for it yet.",
        },
        Seat::Critic if opens => match debate.options.mode {
            Mode::DevilsAdvocate => "defend the position against this attack.",
            Mode::Options => "attack the case just made; argue for the second option.",
            _ => "quote and attack the case just made.",
        },
        Seat::Critic if debate.is_last_round(round) => "test the answers; no new claims.",
        Seat::Critic if attacks_position => "defend the position where the attack is weakest.",
        Seat::Critic if follows_blind_openings => "quote and attack the case that was opened.",
        Seat::Critic => "test the answers, strike at the weakest.",
        Seat::Voice(_) => match debate.schedule().task(place).unwrap_or(VoiceTask::Persona) {
            VoiceTask::Stakeholder if is_first => "speak for them alone.",
            VoiceTask::Persona if is_first => "speak as this person.",
            VoiceTask::Stakeholder => "speak for them alone; answer the voices before.",
            VoiceTask::Persona => "speak as this person; answer the voices before.",
            VoiceTask::Option => "make the case for this option; attack nobody yet.",
            VoiceTask::Attack => "attack at least two others, as if nobody had attacked yet.",
        },
        Seat::Synthesizer | Seat::Judge(_) => "weigh every claim, then decide; end with the block.",
    };
    task.to_owned()
}

/// The task in a debate that revises a document.
fn revising(seat: Seat, ledger: &Ledger, limit: usize) -> String {
    if seat == Seat::Critic {
        return "object to the document as it now stands.".to_owned();
    }
    let room = limit.saturating_sub(40);
    match open_against(ledger, Seat::Advocate, room).as_str() {
        "" => "answer every objection, change the document.".to_owned(),
        ids => format!("answer {ids}, change the document."),
    }
}

/// The user's new answers; for the synthesis also the questions without one.
fn about_questions(debate: &Debate, ledger: &Ledger) -> Vec<String> {
    let decides = debate.place().seat == Seat::Synthesizer;
    let mut sentences = Vec::new();
    for entry in ledger.questions(debate) {
        let question = quoted_note(&entry.question);
        match entry.answer() {
            Some(answer) if entry.is_new => {
                let answer = quoted_note(answer);
                sentences.push(format!(" Asked: {question} The user answers: {answer}"));
            }
            None if decides => {
                sentences.push(format!(" {question} has no answer: it is still unknown."));
            }
            _ => {}
        }
    }
    sentences
}

/// A quote of words that are not Anvil's. They stay between the quotation marks and draw no border.
fn quoted_note(text: &str) -> String {
    let text = without_controls(text).replace(['"', '─'], "'");
    format!("\"{}\"", cut(&text, MAX_NOTE))
}

/// A direction on one line; the file has all of it.
fn quoted_steering(steering: &str) -> String {
    let folded = steering.split_whitespace().collect::<Vec<_>>().join(" ");
    let folded = without_controls(&folded);
    match cut(&folded, MAX_STEERING) {
        whole if whole == folded => format!(" Steering: \"{whole}\""),
        part => format!(
            " Steering: \"{part}\" … (read the rest under the last ### Steering of the debate's \
             file)"
        ),
    }
}
