//! The opening: the protocol of a debate and its first cue, for the prompt that starts or resumes
//! it.

use std::path::Path;

use super::PromptError;
use super::texts::{conditions, course, ends, lens, premise, roles, rules, voices};
use super::{Cue, MAX_LONG_CUE, MAX_OPENING, MAX_PATH, block_quote, file_name, fill, without_gaps};
use anvil_core::debate::Debate;
use anvil_core::options::Mode;
use anvil_text::error::Result;
use anvil_text::{cut, utf16_len};

const PROTOCOL: &str = include_str!("../../prompts/protocol.md");

/// Longest quote of a question, in UTF-16 units; the state file has all of it.
const MAX_QUOTED: usize = 1_500;

/// Room that is reserved for question and position, in UTF-16 units, for every length of the user's
/// own texts.
const ROOM_FOR_QUESTION: usize = 1_000;

/// Least room of a voice, in UTF-16 units.
const ROOM_FOR_VOICE: usize = 60;

/// A protocol with its first cue. Its length is within the limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening(String);

impl Opening {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Composes the protocol of a debate, followed by `cue`. `again` is the user's text for a debate
/// that was opened again.
pub fn opening(debate: &Debate, again: &str, state_file: &Path, cue: &Cue) -> Opening {
    let file = file_name(state_file);
    let with = |voices: &str, question: &str, position: &str| {
        compose(debate, again, &file, &QuotedParts { voices, question, position }, cue)
    };
    let mut voice_texts = voices(debate, 0);
    if !debate.options.voices.is_empty() {
        let free = room_after(&with(&voice_texts, "", "")).saturating_sub(ROOM_FOR_QUESTION);
        voice_texts = voices(debate, free / debate.options.voices.len());
    }
    let free = room_after(&with(&voice_texts, "", ""));
    let position = position(debate, &file, free * 2 / 5);
    let free = free.saturating_sub(utf16_len(&position));
    let question = quoted_question(&debate.question, &file, free.min(MAX_QUOTED));
    let text = with(&voice_texts, &question, &position);
    debug_assert!(utf16_len(&text) <= MAX_OPENING, "{} units", utf16_len(&text));
    Opening(text)
}

/// The room that an opening with empty parts leaves for them, in UTF-16 units. A filled part needs
/// line breaks around it.
fn room_after(text: &str) -> usize {
    MAX_OPENING.saturating_sub(utf16_len(text) + 8)
}

/// Refuses a debate if its own texts leave no room for its question.
pub fn check_room(debate: &Debate) -> Result<()> {
    // The text of another cycle, the longest path and the longest cue.
    let longest = Cue::with_length(MAX_LONG_CUE);
    let mut debate = debate.clone();
    debate.set_cycle(2);
    let file = "x".repeat(MAX_PATH);
    let quoted =
        QuotedParts { voices: &voices(&debate, ROOM_FOR_VOICE), question: "", position: "" };
    let bare = compose(&debate, &"x".repeat(600), &file, &quoted, &longest);
    let needed = utf16_len(&bare) + ROOM_FOR_QUESTION;
    if needed <= MAX_OPENING {
        return Ok(());
    }
    Err(PromptError::OwnTexts(needed - MAX_OPENING).into())
}

/// The parts of a debate that the protocol quotes, cut to their room.
struct QuotedParts<'a> {
    voices: &'a str,
    question: &'a str,
    position: &'a str,
}

fn compose(
    debate: &Debate,
    again: &str,
    file: &str,
    quoted: &QuotedParts<'_>,
    cue: &Cue,
) -> String {
    let text = fill(PROTOCOL, |name| {
        Some(match name {
            "premise" => premise(debate.format()).to_owned(),
            "question" => quoted.question.to_owned(),
            "position" => quoted.position.to_owned(),
            "motion" => motion(debate, debate.motion(), "The first reply begins"),
            "course" => format!("{} The debate's file, kept by the hook: {file}", course(debate)),
            "material" => conditions(debate, again),
            "rules" => rules(debate, None, true),
            "ends" => ends(debate).to_owned(),
            "lens" => lens(debate, true),
            "roles" => roles(debate, quoted.voices),
            _ => return None,
        })
    });
    without_gaps(text) + "\n\n## Now\n\n" + cue.as_str()
}

fn quoted_question(question: &str, file: &str, limit: usize) -> String {
    let quoted = block_quote(question);
    if utf16_len(&quoted) <= limit {
        return quoted;
    }
    let pointer = format!(
        "\n\n(This is its beginning. Read the whole of it below the title of {file} before you \
         argue.)"
    );
    format!("{}{pointer}", cut(&quoted, limit.saturating_sub(utf16_len(&pointer))))
}

/// The sentence before the user's position in a debate of this mode.
pub(crate) fn about_position(mode: &Mode) -> &'static str {
    match mode {
        Mode::DevilsAdvocate => {
            "The person who asks holds this position. It is what the debate is about:"
        }
        Mode::Analyst
        | Mode::Philosopher
        | Mode::Stakeholders
        | Mode::Options
        | Mode::Revise
        | Mode::Custom(_) => {
            "The person who asks leans to this position. It is one among others: test and \
             weigh it like any claim, neither favoured nor punished:"
        }
    }
}

/// The motion, if it is known; else the form in which an opening reply states it. `who` names that
/// reply.
pub(super) fn motion(debate: &Debate, known: Option<&str>, who: &str) -> String {
    match known {
        Some(_) if debate.argues_position() => {
            "\nIt is the motion: \"do\" means that it holds.\n".to_owned()
        }
        Some(motion) => format!("\nThe motion: {motion}; FOR and \"do\" mean doing that.\n"),
        None if debate.is_place_of_motion() => format!(
            "\n{who} with a line `**Motion:** …`: the action that FOR and \"do\" mean, in few words.\n"
        ),
        None => String::new(),
    }
}

fn position(debate: &Debate, file: &str, limit: usize) -> String {
    let Some(position) = debate.options.position.as_deref() else { return String::new() };
    let what = about_position(&debate.options.mode);
    let whole = block_quote(position);
    let around = utf16_len(what) + 6;
    if utf16_len(&whole) + around <= limit {
        return format!("\n{what}\n\n{whole}\n");
    }
    let pointer = format!("\n\n(Its beginning. The whole of it is the line `position` of {file}.)");
    let part = cut(&whole, limit.saturating_sub(around + utf16_len(&pointer)));
    format!("\n{what}\n\n{part}{pointer}\n")
}
