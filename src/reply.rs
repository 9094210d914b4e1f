//! A reply: what the model wrote in one phase, and what it means for the debate. Pure.

use std::borrow::Cow;

use crate::debate::Signal;
use crate::transcript::normalise;

/// Alone on a line, it ends the argument early. It never reaches the transcript.
pub const END_MARK: &str = "<anvil-complete/>";

/// What was heard when the model stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Heard {
    /// The model spoke.
    Reply(Reply),
    /// The turn ended with the client's report of an API error; nobody spoke.
    ApiError,
    /// The model waits for agents it has started; the client will wake it.
    AgentsRunning,
}

/// The texts of one phase, in order; the last one is what the turn ended with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// Texts between tool calls. Beginnings that belong to the phase before may still be among them.
    pub texts: Vec<String>,
    /// The model called a tool in this phase.
    pub used_tool: bool,
}

/// A reply that is ready to be filed, or the reason why it can't be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Usable {
    /// File this text.
    Text(String, Signal),
    /// Nothing was written.
    Empty,
    /// It is the section before it, word for word.
    Repeated,
}

impl Reply {
    /// The text to file. `previous` is the section before; a text that ends it was filed with it already.
    #[must_use]
    pub fn usable(&self, previous: Option<&str>) -> Usable {
        let filed = |text: &String| {
            let (text, _) = clean(text);
            !text.is_empty() && previous.is_some_and(|previous| ends_with_paragraphs(previous, &text))
        };
        let own = self.texts.iter().rposition(filed).map_or(0, |at| at + 1);
        if own > 0 && own == self.texts.len() {
            return Usable::Repeated;
        }
        let mut whole = String::new();
        let mut last = false;
        for text in &self.texts[own..] {
            let (text, marked) = clean(text);
            last |= marked;
            if !text.is_empty() {
                if !whole.is_empty() {
                    whole.push_str("\n\n");
                }
                whole.push_str(&text);
            }
        }
        if whole.is_empty() {
            return Usable::Empty;
        }
        Usable::Text(whole, if last { Signal::FiledAsLast } else { Signal::Filed })
    }
}

/// Takes the end mark and the white space around a text off; says whether the mark was there.
fn clean(text: &str) -> (Cow<'_, str>, bool) {
    let marked = text.contains(END_MARK) && text.lines().any(is_mark);
    let plain = text.trim_end().trim_start_matches(['\n', '\r']);
    if !marked && !text.contains(['\r', '\0']) {
        return (Cow::Borrowed(plain), false);
    }
    let text = normalise(text);
    let kept: Vec<&str> = text.lines().filter(|line| !is_mark(line)).collect();
    (Cow::Owned(kept.join("\n").trim_end().trim_start_matches('\n').to_owned()), marked)
}

/// True when `text` is all of `section`, or its last paragraphs.
fn ends_with_paragraphs(section: &str, text: &str) -> bool {
    section.strip_suffix(text).is_some_and(|before| before.is_empty() || before.ends_with("\n\n"))
}

fn is_mark(line: &str) -> bool {
    line.trim() == END_MARK
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(texts: &[&str]) -> Reply {
        Reply { texts: texts.iter().map(|text| (*text).to_owned()).collect(), used_tool: false }
    }

    fn filed(text: &str) -> Usable {
        Usable::Text(text.to_owned(), Signal::Filed)
    }

    #[test]
    fn what_was_written_around_tool_calls_is_one_reply() {
        assert_eq!(reply(&["A1. First.\n", "A2. Second."]).usable(None), filed("A1. First.\n\nA2. Second."));
    }

    #[test]
    fn texts_that_were_filed_with_the_phase_before_are_left_out() {
        let heard = reply(&["before", "advocate's end", "critic"]);
        assert_eq!(heard.usable(Some("A1\n\nadvocate's end")), filed("critic"));
        assert_eq!(heard.usable(None), filed("before\n\nadvocate's end\n\ncritic"));
    }

    #[test]
    fn an_empty_reply_and_a_repeated_one_are_not_usable() {
        assert_eq!(reply(&[]).usable(None), Usable::Empty);
        assert_eq!(reply(&["", " \n"]).usable(Some("x")), Usable::Empty);
        assert_eq!(reply(&["same"]).usable(Some("same")), Usable::Repeated);
        assert_eq!(reply(&["same\r\n"]).usable(Some("same")), Usable::Repeated);
        assert_eq!(reply(&["<anvil-complete/>"]).usable(Some("x")), Usable::Empty);
    }

    #[test]
    fn the_end_mark_counts_alone_on_a_line_and_never_stays() {
        let last = |text: &str| Usable::Text(text.to_owned(), Signal::FiledAsLast);
        assert_eq!(reply(&["C9. Done.\n\n  <anvil-complete/>  \n"]).usable(None), last("C9. Done."));
        assert_eq!(reply(&["<anvil-complete/>\nC9. Done."]).usable(None), last("C9. Done."));
        let inline = "Say `<anvil-complete/>` when done.";
        assert_eq!(reply(&[inline]).usable(None), filed(inline));
    }

    #[test]
    fn indentation_at_the_beginning_is_kept() {
        assert_eq!(reply(&["\n\n    code\ntext\n"]).usable(None), filed("    code\ntext"));
    }
}
