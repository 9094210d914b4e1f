//! The opening: the protocol of this debate and the cue of its place, for the prompt that starts or resumes it.

use std::path::Path;

use super::texts::{conditions, lens, premise, roles, rules, voices};
use super::{Cue, MAX_LONG_CUE, MAX_OPENING, MAX_PATH, cut, file_name, filled, quoted, utf16_len};
use crate::debate::{Debate, Format, Mode};
use crate::error::{Error, Result};

const PROTOCOL: &str = include_str!("../../prompts/protocol.md");

/// Most of a question that the protocol quotes, in UTF-16 units; the rest is in the state file.
const MAX_QUOTED: usize = 1_500;

/// What is kept free for question and position, in UTF-16 units, whatever the user's own texts say.
const ROOM_FOR_QUESTION: usize = 1_000;

/// What a voice has at least, in UTF-16 units.
const ROOM_FOR_VOICE: usize = 60;

/// A protocol with its first cue, within its limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening(String);

impl Opening {
    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Composes the protocol of a debate, followed by `cue`. `again` is what the user said when they opened it once more.
#[must_use]
pub fn opening(debate: &Debate, again: &str, state_file: &Path, cue: &Cue) -> Opening {
    let file = file_name(state_file);
    let with =
        |voices: &str, question: &str, position: &str| composed(debate, again, &file, voices, question, position, cue);
    // Gaps that close around what is empty open again around what is not.
    let room = |text: &str| MAX_OPENING.saturating_sub(utf16_len(text) + 8);
    let mut told = voices(debate, 0);
    if !debate.options.voices.is_empty() {
        let free = room(&with(&told, "", "")).saturating_sub(ROOM_FOR_QUESTION);
        told = voices(debate, free / debate.options.voices.len());
    }
    let free = room(&with(&told, "", ""));
    let position = position(debate, &file, free * 2 / 5);
    let free = free.saturating_sub(utf16_len(&position));
    let question = quoted_question(&debate.question, &file, free.min(MAX_QUOTED));
    let text = with(&told, &question, &position);
    debug_assert!(utf16_len(&text) <= MAX_OPENING, "{} units", utf16_len(&text));
    Opening(text)
}

/// Refuses a debate whose own texts leave no room for its question.
pub fn check_room(debate: &Debate) -> Result<()> {
    // Another cycle's news, the longest path and the longest cue.
    let longest = Cue::of_length(MAX_LONG_CUE);
    let mut debate = debate.clone();
    debate.follow_cycle(2);
    let file = "x".repeat(MAX_PATH);
    let bare = composed(&debate, &"x".repeat(600), &file, &voices(&debate, ROOM_FOR_VOICE), "", "", &longest);
    let needed = utf16_len(&bare) + ROOM_FOR_QUESTION;
    if needed <= MAX_OPENING {
        return Ok(());
    }
    Err(Error::usage(
        format!(
            "your own texts are {} characters too long together to be given to Claude at once",
            needed - MAX_OPENING
        ),
        "shorten the mode, the framework or the house rules that this debate uses",
    ))
}

fn composed(
    debate: &Debate,
    again: &str,
    file: &str,
    voices: &str,
    question: &str,
    position: &str,
    cue: &Cue,
) -> String {
    let rounds = match debate.format() {
        Format::Seats => format!("Rounds: {}.", debate.options.max_rounds),
        Format::Stakeholders | Format::Personas => format!("Voices, once each: {}.", debate.options.max_rounds),
    };
    let mut text = filled(PROTOCOL, |name| {
        Some(match name {
            "premise" => premise(debate.format()).to_owned(),
            "question" => question.to_owned(),
            "position" => position.to_owned(),
            "course" => format!("{rounds} The debate's file, kept by the hook: {file}"),
            "material" => conditions(debate, again),
            "rules" => rules(debate.format()),
            "lens" => lens(debate, true),
            "roles" => roles(debate, voices),
            _ => return None,
        })
    });
    // What this debate does not have leaves no gap. Whatever the user or a file has said is quoted: no line of it is empty.
    while text.contains("\n\n\n") {
        text = text.replace("\n\n\n", "\n\n");
    }
    text.truncate(text.trim_end().len());
    text.push_str("\n\n## Now\n\n");
    text.push_str(cue.as_str());
    text
}

fn quoted_question(question: &str, file: &str, most: usize) -> String {
    let quoted = quoted(question);
    if utf16_len(&quoted) <= most {
        return quoted;
    }
    let pointer =
        format!("\n\n(This is its beginning. Read the whole of it below the title of {file} before you argue.)");
    format!("{}{pointer}", cut(&quoted, most.saturating_sub(utf16_len(&pointer))))
}

/// What the user's position is to a debate of this mode.
#[must_use]
pub fn about_position(mode: &Mode) -> &'static str {
    match mode {
        Mode::DevilsAdvocate => "The person who asks holds this position. It is what the debate is about:",
        Mode::Analyst | Mode::Philosopher | Mode::Stakeholders | Mode::Custom(_) => {
            "The person who asks leans to this position. It is to be tested like any other claim, neither favoured nor punished:"
        }
    }
}

fn position(debate: &Debate, file: &str, most: usize) -> String {
    let Some(position) = debate.options.position.as_deref() else { return String::new() };
    let what = about_position(&debate.options.mode);
    let whole = quoted(position);
    let around = utf16_len(what) + 6;
    if utf16_len(&whole) + around <= most {
        return format!("\n{what}\n\n{whole}\n");
    }
    let pointer = format!("\n\n(Its beginning. The whole of it is the line `position` of {file}.)");
    let part = cut(&whole, most.saturating_sub(around + utf16_len(&pointer)));
    format!("\n{what}\n\n{part}{pointer}\n")
}
