//! The options of a decision: those that the user typed, or two that the question plainly names.

use unicode_normalization::UnicodeNormalization as _;

use crate::limits::MAX_NAME_CHARS;
use anvil_text::{ascii_mark, clean};

/// The options that a verdict can name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "facts of a debate, each read by itself")]
pub struct Alternatives {
    pub names: Vec<String>,
    /// The user typed them: the verdict is one of them, or depends. Otherwise the question names
    /// two, and do and do not are verdicts too.
    pub are_typed: bool,
    /// The action that do and do not are about, where it is known.
    pub motion: Option<String>,
    /// The last round, if it brings no new claims.
    pub last_round: Option<u8>,
    /// A plan is argued about, so that the block lists changes to it.
    pub has_plan: bool,
    /// A document is argued about: the critic may have nothing left to object to.
    pub is_document: bool,
    /// The openings were written without each other.
    pub is_blind: bool,
    /// The question of the debate: "yes" answers it only if it asks for the motion.
    pub question: String,
}

/// Words of a question that are no part of an option's name. A question with one of them where a
/// name would be does not plainly name two options.
const NO_NAME: &str = "again all also always am an another any anything are be been both but buy can \
    could did do does either else ever every everything fewer first five four had has have he her \
    here his how i if is it its keep kill last later less let's make many may might more most must \
    my never neither no none not nothing now off once one only other others our own rather same \
    shall she should so some something soon stay still stop ten than that the their them then \
    there these they this those three today tomorrow too two wait was we were what whatever when \
    where whether which who why will wise worth would wrong yes yet you your";

/// Words that end the second name.
const AFTER: [&str; 24] = [
    "about", "across", "after", "and", "as", "at", "before", "between", "by", "for", "from", "if",
    "in", "inside", "instead", "into", "on", "over", "since", "to", "under", "when", "while",
    "with",
];

/// The first words of a lead that ends with a comma.
const LEADS: [&str; 7] = ["which", "what", "who", "where", "whom", "for", "to"];

/// The words before the first name, whole: an opening, and at most one of the verbs.
const OPENINGS: [&str; 8] = [
    "should we",
    "should i",
    "shall we",
    "do we",
    "would you",
    "can we",
    "could we",
    "is it better to",
];
const VERBS: [&str; 20] = [
    "use",
    "choose",
    "pick",
    "take",
    "adopt",
    "prefer",
    "select",
    "deploy",
    "run",
    "go with",
    "move to",
    "switch to",
    "migrate to",
    "go for",
    "stick with",
    "standardise on",
    "standardize on",
    "build on",
    "rely on",
    "settle on",
];

/// Most words of a name in a question.
const MAX_WORDS: usize = 3;

impl Alternatives {
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The option of this name, compared by [`bare`].
    pub fn find(&self, text: &str) -> Option<&str> {
        let text = bare(text);
        self.names.iter().find(|name| bare(name) == text).map(String::as_str)
    }

    /// The two options that a question plainly names: `A or B?`, after a colon or comma, or after
    /// the words of [`OPENINGS`] and [`VERBS`]. None for any other question.
    pub fn in_question(question: &str) -> Self {
        let names = two_names(question).unwrap_or_default();
        Self { names, ..Self::default() }
    }
}

/// A name as it is compared: NFC, without case, with single blanks.
pub fn bare(name: &str) -> String {
    let folded: String = name.nfc().flat_map(char::to_lowercase).nfc().collect();
    folded.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A value without one final full stop.
pub(crate) fn without_stop(value: &str) -> &str {
    let last = value.chars().next_back().filter(|char| ascii_mark(*char) == '.');
    last.map_or(value, |last| value[..value.len() - last.len_utf8()].trim_end())
}

fn two_names(question: &str) -> Option<Vec<String>> {
    let line = question.trim();
    let asks = line.strip_suffix('?')?;
    if line.lines().count() > 1 || asks.contains(['?', '!', ';']) || line.contains(". ") {
        return None;
    }
    let (before, after) = asks.split_once(" or ")?;
    if after.contains(" or ") || after.contains(',') {
        return None;
    }
    let first = after_lead(before)?.trim();
    // An opening without one of these verbs stays: `Should we hire or train?` names no options.
    let opened = strip_first_of(first, &OPENINGS).unwrap_or(first);
    let first = strip_first_of(opened, &VERBS).unwrap_or(first);
    let second: Vec<&str> = after
        .split_whitespace()
        .take_while(|word| !AFTER.contains(&word.to_lowercase().as_str()))
        .collect();
    let [first, second] = [name(first)?, name(&second.join(" "))?];
    (bare(&first) != bare(&second)).then(|| vec![first, second])
}

/// The text after a colon, or after the comma that ends a lead: `Which cache, Redis`. `None`: a
/// comma divides a list.
fn after_lead(text: &str) -> Option<&str> {
    let Some((lead, first)) = text.rsplit_once(',') else {
        return Some(text.rsplit(':').next().unwrap_or(text));
    };
    let begins = LEADS.iter().any(|word| strip_words(lead.trim(), word).is_some());
    (begins && !lead.contains([':', ','])).then_some(first)
}

/// The text after the first of these phrases that it begins with.
fn strip_first_of<'a>(text: &'a str, phrases: &[&str]) -> Option<&'a str> {
    phrases.iter().find_map(|words| strip_words(text, words))
}

/// The text after these words, if it begins with them in any case.
fn strip_words<'a>(text: &'a str, words: &str) -> Option<&'a str> {
    let begins = text.get(..words.len())?;
    let after = text[words.len()..].strip_prefix(' ')?;
    begins.eq_ignore_ascii_case(words).then(|| after.trim_start())
}

/// One to three words without an article, each of them a word that can be in a name.
fn name(text: &str) -> Option<String> {
    let article = ["a", "an", "the"].iter().find_map(|article| strip_words(text, article));
    let text = article.unwrap_or(text);
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_verb = VERBS.iter().any(|verb| strip_words(text, verb).is_some() || text == *verb);
    let fits = (1..=MAX_WORDS).contains(&words.len())
        && words.iter().all(|word| {
            word.chars().any(char::is_alphanumeric)
                && !word.contains(['"', '(', ')', '“', '”', '`', '*', '<', '>'])
                && !NO_NAME.split(' ').any(|no| word.eq_ignore_ascii_case(no))
        })
        && !is_verb;
    (fits && text.chars().count() <= MAX_NAME_CHARS).then(|| clean(&words.join(" "), usize::MAX))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn two_options_are_read_from_a_list_of_200_questions() {
        let list = include_str!("../../../../tests/questions.txt");
        let wrong: Vec<String> = list
            .lines()
            .filter_map(|line| {
                let (question, names) = line.split_once(" | ").unwrap();
                let read = Alternatives::in_question(question).names.join(" | ");
                let read = if read.is_empty() { "-" } else { &read };
                (read != names).then(|| format!("{question}: {read}, not {names}"))
            })
            .collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
        assert_eq!(list.lines().count(), 200);
    }

    proptest! {
        #[test]
        fn any_question_names_two_different_options_or_none(text in "\\PC{0,80}( or \\PC{0,40})?\\??") {
            let read = Alternatives::in_question(&text);
            prop_assert!(!read.are_typed && [0, 2].contains(&read.names.len()));
            for name in &read.names {
                let typed = name.to_ascii_uppercase().replace(' ', "\u{a0} ");
                prop_assert_eq!(read.find(&format!(" {typed} ")), Some(name.as_str()));
            }
        }
    }
}
