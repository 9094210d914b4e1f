//! A reply: the model's text of one phase, and its meaning for the debate. Pure.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use self::end_mark::before_end_mark;
use crate::place::Signal;
use crate::transcript::{Author, normalise};

pub(crate) mod end_mark;
pub(crate) mod one_fence;

/// The output of the model at its stop, as the hook read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TurnOutput {
    Reply(Reply),
    /// The turn ended without a whole reply.
    Cut(CutTurn),
}

/// A turn that the user or an API error ended before its reply was whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CutTurn {
    /// When its phase was requested.
    pub phase_began: Timestamp,
    /// The client's report of an API error.
    pub error: Option<String>,
    /// The user stopped it. Without that and without an error, the cause is not known.
    pub is_stopped: bool,
    /// The time of its last line, if the client's transcript has one.
    pub ended: Option<Timestamp>,
    pub model: Option<String>,
    pub usage: Option<Usage>,
    /// The reply so far, if it ended with a plan for the user's approval: a whole synthesis.
    pub before_plan: Option<Box<Reply>>,
}

/// The texts of one phase, in order. The last one ended the turn. [`Reply::in_order`] completes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// When its phase was requested. It is read without a lock: if the debate has moved on since,
    /// the reply does not answer the current phase.
    pub phase_began: Timestamp,
    /// Texts between tool calls.
    pub texts: Vec<String>,
    /// Texts right before `texts`, with times from before the request for the phase: the clock was
    /// set back, or they belong to the phase before.
    pub older: Vec<String>,
    /// An earlier part of the reply may exist where the program did not read.
    pub beginning_missing: bool,
    pub used_tool: bool,
    /// The number of its last texts that follow a plan for the user's approval. A synthesis that
    /// ends with a plan is whole before them.
    pub after_plan: Option<usize>,
    /// A limit leaves no room to ask for it again.
    pub is_final: bool,
    /// The tool calls that named the debate's file. `None`: the client's transcript does not show
    /// all of them.
    pub reads: Option<Vec<FileRead>>,
    /// The author by the client or the program. A reply's own words do not count.
    pub author: Option<Author>,
    /// The tokens of all requests of the phase. `None`: the client does not tell all of them.
    pub usage: Option<Usage>,
}

/// The whole text of a reply, and who wrote it.
#[derive(Clone, Copy, Debug)]
pub struct WrittenReply<'a> {
    pub text: &'a str,
    pub author: Option<&'a Author>,
    /// The option that sets the reached limit. A second request is not possible, so a reply without
    /// its form is taken as it is.
    pub limit: Option<&'static str>,
}

/// A tool call that named the debate's file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileRead {
    /// The path, if the tool is Read; other tools name files in other ways.
    pub path: Option<String>,
    /// The tool returned a result without an error.
    pub worked: bool,
}

impl<'a> From<&'a str> for WrittenReply<'a> {
    /// The reply of an unknown author.
    fn from(text: &'a str) -> Self {
        Self { text, author: None, limit: None }
    }
}

/// Tokens of requests to a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Sent, and not in the service's cache.
    pub fresh: u64,
    /// Sent, and read from the service's cache.
    pub cached: u64,
    /// Written by the model.
    pub out: u64,
}

impl Usage {
    /// All tokens, in and out.
    pub fn sum(self) -> u64 {
        self.input().saturating_add(self.out)
    }

    /// The tokens that were sent.
    pub fn input(self) -> u64 {
        self.fresh.saturating_add(self.cached)
    }

    /// The larger number of each kind.
    #[must_use]
    pub fn largest(self, other: Self) -> Self {
        Self {
            fresh: self.fresh.max(other.fresh),
            cached: self.cached.max(other.cached),
            out: self.out.max(other.out),
        }
    }

    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            fresh: self.fresh.saturating_add(other.fresh),
            cached: self.cached.saturating_add(other.cached),
            out: self.out.saturating_add(other.out),
        }
    }
}

/// The use of a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplyUse {
    /// Save this text.
    Text(String, Signal),
    /// Only the end mark: nothing to save, and the argument ends.
    EndMark,
    Empty,
    /// The reply equals the section before it, word for word.
    Repeated,
}

impl Reply {
    /// The reply as one text, and true if the end mark was its last line. A reply in one block of
    /// code is the inside of that.
    pub fn whole(&self) -> (String, bool) {
        let texts = self.texts.iter().map(|text| clean(text)).filter(|text| !text.is_empty());
        let whole = texts.collect::<Vec<_>>().join("\n\n");
        let whole = match one_fence::inside(&whole) {
            Some(inside) => clean(inside),
            None => whole,
        };
        match before_end_mark(&whole) {
            Some(before) => (before.to_owned(), true),
            None => (whole, false),
        }
    }

    /// The reply without the texts that follow a plan.
    #[must_use]
    pub fn before_plan(mut self) -> Self {
        if let Some(after) = self.after_plan.filter(|after| *after < self.texts.len()) {
            self.texts.truncate(self.texts.len() - after);
            self.after_plan = Some(0);
        }
        self
    }

    /// Puts the older texts before the reply, unless they belong to the phase before. `section` is
    /// the text of that phase.
    pub fn in_order(mut self, section: impl FnOnce() -> Option<String>) -> Self {
        if self.older.is_empty() {
            return self;
        }
        let older = std::mem::take(&mut self.older);
        // The requests of older texts are not counted.
        let usage = self.usage.take();
        let new = std::mem::take(&mut self.texts);
        let before = Self { texts: older.clone(), ..Self::default() }.whole().0;
        self.texts = older.into_iter().chain(new.iter().cloned()).collect();
        let Some(section) = section().filter(|section| !section.is_empty()) else { return self };
        if ends_with_paragraphs(&self.whole().0, &section) {
            // The event was delivered again, and more of the reply is known.
            self.texts = vec![section];
            self.beginning_missing = false;
        } else if ends_with_paragraphs(&before, &section) {
            // The cue between them was not recognised.
            self.texts = new;
            self.usage = usage;
            self.beginning_missing = false;
        } else if format!("\n\n{before}\n\n").contains(&format!("\n\n{section}\n\n")) {
            // Either the event was repeated with new texts after the section, or the reply is in
            // the words of the section. Only the new texts are certain.
            self.texts = new;
            self.beginning_missing = true;
        }
        self
    }

    /// Decides the use of the reply. `is_previous` is true for the text of the section before.
    pub fn decide_use(&self, is_previous: impl FnOnce(&str) -> bool) -> ReplyUse {
        match self.whole() {
            (whole, true) if whole.is_empty() => ReplyUse::EndMark,
            (whole, false) if whole.is_empty() => ReplyUse::Empty,
            (whole, _) if is_previous(&whole) => ReplyUse::Repeated,
            (whole, true) => ReplyUse::Text(whole, Signal::SavedAsLast),
            (whole, false) => ReplyUse::Text(whole, Signal::Saved),
        }
    }

    /// True if `section` is this reply or ends with it, or if there is no reply. A second event
    /// right after the one that saved the section looks the same as the first.
    pub fn is_echo_of(&self, section: Option<&str>) -> bool {
        let (whole, _) = self.whole();
        whole.is_empty() || section.is_some_and(|section| ends_with_paragraphs(section, &whole))
    }
}

/// True if `text` is `end`, or ends with it as separate paragraphs.
fn ends_with_paragraphs(text: &str, end: &str) -> bool {
    text.strip_suffix(end).is_some_and(|before| before.is_empty() || before.ends_with("\n\n"))
}

/// A text without white space around it. The first line keeps its indentation.
fn clean(text: &str) -> String {
    normalise(text).trim_end().trim_start_matches('\n').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owned(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    fn reply(texts: &[&str]) -> Reply {
        Reply { texts: owned(texts), ..Reply::default() }
    }

    fn saved(text: &str) -> ReplyUse {
        ReplyUse::Text(text.to_owned(), Signal::Saved)
    }

    #[test]
    fn texts_around_tool_calls_are_one_reply() {
        assert_eq!(
            reply(&["A1. First.\n", "A2. Second."]).decide_use(|_| false),
            saved("A1. First.\n\nA2. Second.")
        );
    }

    #[test]
    fn an_echo_repeats_the_previous_section_or_its_end() {
        let section = Some("A1. Before.\n\nA2. After.");
        assert!(reply(&["A2. After.\n"]).is_echo_of(section));
        assert!(reply(&["A1. Before.", "A2. After."]).is_echo_of(section));
        assert!(reply(&[]).is_echo_of(section));
        assert!(!reply(&["After."]).is_echo_of(section));
        assert!(!reply(&["C1.", "A2. After."]).is_echo_of(section));
        assert!(!reply(&["A2. After."]).is_echo_of(None));
    }

    /// The section before, the older texts, the new texts, and the expected reply. The flags: the
    /// reply may lack its beginning, first if the transcript was read back to a cue, then if it was
    /// not.
    type Order<'a> = (Option<&'a str>, &'a [&'a str], &'a [&'a str], &'a str, [bool; 2]);

    #[test]
    fn older_texts_belong_to_a_reply_unless_saved_before() {
        let cases: [Order<'_>; 10] = [
            (None, &[], &["A2."], "A2.", [false, true]),
            (None, &["A1."], &["A2."], "A1.\n\nA2.", [false, true]),
            (Some("A1."), &["C1."], &["C2."], "C1.\n\nC2.", [false, true]),
            (Some("A1."), &["C1. Not A1."], &["C2."], "C1. Not A1.\n\nC2.", [false, true]),
            // The cue between them is not known.
            (Some("A1.\n\nA2."), &["A1.", "A2."], &["C1."], "C1.", [false, false]),
            (Some("A1."), &["C0.", "A1.\n"], &["C1."], "C1.", [false, false]),
            (Some("A1."), &["A1.", "C1."], &["C2."], "C2.", [true, true]),
            // The event that saved the section was delivered again.
            (Some("A1.\n\nA2."), &["A1."], &["A2."], "A1.\n\nA2.", [false, false]),
            (Some("A2."), &["A1."], &["A2."], "A2.", [false, false]),
            (Some("A2.\n\nA3."), &["A1.", "A2."], &["A3."], "A2.\n\nA3.", [false, false]),
        ];
        for (section, older, new, whole, missing) in cases {
            for (beginning_missing, is_missing) in [false, true].into_iter().zip(missing) {
                let reply = Reply { older: owned(older), beginning_missing, ..reply(new) };
                let ordered = reply.in_order(|| section.map(str::to_owned));
                assert_eq!(ordered.whole().0, whole, "{section:?} {older:?} {new:?}");
                assert_eq!(ordered.beginning_missing, is_missing, "{section:?} {older:?} {new:?}");
                assert!(ordered.older.is_empty());
            }
        }
    }

    #[test]
    fn repeated_words_among_new_words_are_kept() {
        assert_eq!(
            reply(&["C1. New.", "That is all."]).decide_use(|text| text == "A1.\n\nThat is all."),
            saved("C1. New.\n\nThat is all.")
        );
        assert_eq!(
            reply(&["That is all."]).decide_use(|text| text == "A1.\n\nThat is all."),
            saved("That is all.")
        );
    }

    #[test]
    fn an_empty_reply_and_a_repeated_one_are_not_usable() {
        assert_eq!(reply(&[]).decide_use(|_| false), ReplyUse::Empty);
        assert_eq!(reply(&["", " \n"]).decide_use(|text| text == "x"), ReplyUse::Empty);
        assert_eq!(reply(&["same"]).decide_use(|text| text == "same"), ReplyUse::Repeated);
        assert_eq!(reply(&["same\r\n"]).decide_use(|text| text == "same"), ReplyUse::Repeated);
        assert_eq!(reply(&["<anvil-complete/>"]).decide_use(|text| text == "x"), ReplyUse::EndMark);
    }

    #[test]
    fn the_end_mark_of_the_last_text_ends_the_argument() {
        let last = |text: &str| ReplyUse::Text(text.to_owned(), Signal::SavedAsLast);
        assert_eq!(
            reply(&["A1. First.", "C9. Done.\r\n\r\n<anvil-complete/>\r\n"]).decide_use(|_| false),
            last("A1. First.\n\nC9. Done.")
        );
        assert_eq!(
            reply(&["C9. Done.", "<anvil-complete/>", " "]).decide_use(|_| false),
            last("C9. Done.")
        );
        for texts in [["C9.\n\n<anvil-complete/>", "C10."], ["```", "<anvil-complete/>"]] {
            assert_eq!(
                reply(&texts).decide_use(|_| false),
                saved(&texts.join("\n\n")),
                "{texts:?}"
            );
        }
    }

    #[test]
    fn indentation_at_the_beginning_is_kept() {
        assert_eq!(reply(&["\n\n    code\ntext\n"]).decide_use(|_| false), saved("    code\ntext"));
    }
}
