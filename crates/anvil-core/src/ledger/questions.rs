//! The questions that seats ask the user back, and the answers: `**Ask:** How large is the team?`
//! as the last line of a reply.

use super::own::{own_blocks, source};
use super::words::strip;
use crate::place::Seat;
use crate::transcript::{Entry, EntryKind, NoteKind};
use anvil_text::{ascii_mark, is_question};

/// Most questions that a debate asks; later ones are not read.
const MAX_ASKED: usize = 2;

/// Longest question, in characters.
const MAX_QUESTION_CHARS: usize = 300;

const LABEL: &str = "**Ask:**";

/// A question back to the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskedQuestion {
    pub question: String,
    /// The section of the reply that asks, counted from 0.
    pub section: usize,
    pub state: AskedState,
    /// No reply was written since the answer.
    pub is_new: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AskedState {
    Open,
    /// The user went on without an answer.
    Skipped,
    Answered(String),
}

impl AskedQuestion {
    pub fn is_open(&self) -> bool {
        self.state == AskedState::Open
    }

    pub fn answer(&self) -> Option<&str> {
        match &self.state {
            AskedState::Answered(answer) => Some(answer),
            AskedState::Open | AskedState::Skipped => None,
        }
    }
}

/// The question that a reply ends with: its last line, in the seat's own words.
pub fn question_of(reply: &str) -> Option<String> {
    let source = source(reply);
    let whole = source.trim_end();
    // Only a reply that ends in this way is read as Markdown.
    if !is_question(whole) {
        return None;
    }
    let blocks = own_blocks(&source)?;
    let block = blocks.last().filter(|block| block.place.end == whole.len())?;
    let begins = block.lines().last()?;
    let asks = strip(&block.words()[begins..], "Ask").filter(|_| block.begins_bold(begins))?;
    let asked = asks.strip_prefix(|char| ascii_mark(char) == ':')?.trim();
    let at = block.text.trim_end().len() - asked.len()..block.text.len();
    let question = match block.whole_source_of(&at) {
        Some(place) => source[place].trim(),
        None => block.text[at].trim(),
    };
    let length = question.chars().count();
    let fits = is_question(question) && (2..=MAX_QUESTION_CHARS).contains(&length);
    fits.then(|| question.to_owned())
}

/// The text of a note: the question, and the answer if the user gave one.
pub fn note_of_answer(question: &str, answer: Option<&str>) -> String {
    match answer {
        Some(answer) => format!("{LABEL} {question}\n\n{answer}"),
        None => format!("{LABEL} {question}"),
    }
}

/// Applies an entry: a reply may ask, and an answer is to the oldest open question.
pub(super) fn apply(questions: &mut Vec<AskedQuestion>, entry: &Entry, section: usize) {
    match entry.what {
        EntryKind::Reply(place) => {
            for earlier in questions.iter_mut() {
                earlier.is_new = false;
            }
            let may_ask = place.seat != Seat::Synthesizer && questions.len() < MAX_ASKED;
            if let Some(question) = question_of(&entry.text).filter(|_| may_ask) {
                questions.push(AskedQuestion {
                    question,
                    section,
                    state: AskedState::Open,
                    is_new: false,
                });
            }
        }
        EntryKind::Note(NoteKind::Answer) => {
            if let Some(oldest) = questions.iter_mut().find(|question| question.is_open()) {
                let answer = entry.text.split_once("\n\n").map(|(_, answer)| answer.to_owned());
                oldest.state = answer.map_or(AskedState::Skipped, AskedState::Answered);
                oldest.is_new = true;
            }
        }
        EntryKind::Note(_) | EntryKind::Cycle => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::Place;
    use jiff::Timestamp;

    #[test]
    fn only_the_last_line_of_its_own_prose_asks() {
        for (reply, asks) in [
            ("**A1. Yes.**\n\n**Ask:** How large is the team?", Some("How large is the team?")),
            ("**Ask:** How large?\n", Some("How large?")),
            ("**Ask:** How large?\nMore.", None),
            ("**Ask:** Tell me.", None),
            ("**Ask:** Πρέπει να μεταβούμε;", Some("Πρέπει να μεταβούμε;")),
            ("**Ask：** 团队有多大？", Some("团队有多大？")),
            ("__Ask:__ How large?", Some("How large?")),
            ("**Ask**: How `large`?", Some("How `large`?")),
            ("**Ask: How large?**", Some("How large?")),
            ("\u{feff}**A\u{200b}sk:** How large?\u{200b}", Some("How large?")),
            ("**Ask:** ?", None),
            ("> **Ask:** How large?", None),
            ("> He said:\n**Ask:** How large?", None),
            ("```\n**Ask:** How large?", None),
            ("```\n**Ask:** How large?\n```", None),
            ("Ask: How large?", None),
            ("<!--\n**Ask:** How large?", None),
            ("- One.\n**Ask:** How large?", Some("How large?")),
            ("", None),
        ] {
            assert_eq!(question_of(reply).as_deref(), asks, "{reply}");
        }
        assert_eq!(question_of(&format!("**Ask:** {}?", "x".repeat(MAX_QUESTION_CHARS))), None);
    }

    #[test]
    fn two_questions_are_read_and_an_answer_is_to_the_oldest_open_one() {
        let at = Timestamp::UNIX_EPOCH;
        let reply = |seat, text: &str| {
            Entry::new(EntryKind::Reply(Place { seat, round: 1 }), at, text.to_owned())
        };
        let answer =
            |text: &str| Entry::new(EntryKind::Note(NoteKind::Answer), at, text.to_owned());
        let mut asked = Vec::new();
        for (section, entry) in [
            answer("**Ask:** Nothing was asked?\n\nSo?"),
            reply(Seat::Advocate, "**Ask:** One?"),
            reply(Seat::Critic, "**Ask:** Two?"),
            answer(&note_of_answer("One?", Some("Eight people."))),
            reply(Seat::Advocate, "**Ask:** Three?"),
            answer(&note_of_answer("Two?", None)),
            reply(Seat::Synthesizer, "**Ask:** Four?"),
        ]
        .into_iter()
        .enumerate()
        {
            apply(&mut asked, &entry, section);
        }
        let states: Vec<(&str, &AskedState)> =
            asked.iter().map(|asked| (&*asked.question, &asked.state)).collect();
        let given = AskedState::Answered("Eight people.".to_owned());
        assert_eq!(states, [("One?", &given), ("Two?", &AskedState::Skipped)]);
    }
}
