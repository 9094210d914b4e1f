//! The text that a debate is about: a question or a statement, how convinced its author is, and
//! the motion and the options that it names.

mod alternatives;
pub mod motion;

pub(crate) use alternatives::without_stop;
pub use alternatives::{Alternatives, bare};

use std::borrow::Cow;
use std::ops::Range;

use anvil_text::{ascii_mark, is_question};

/// Openers of a conviction, in lower case: what follows is the text without the leaning. A longer
/// opener comes before a shorter one that it begins with.
const OPENERS: [&str; 46] = [
    "i am absolutely convinced that",
    "i am absolutely convinced",
    "i'm absolutely convinced that",
    "i'm absolutely convinced",
    "i am absolutely sure that",
    "i am absolutely sure",
    "i am convinced that",
    "i am convinced",
    "i'm convinced that",
    "i'm convinced",
    "i am certain that",
    "i am certain",
    "i'm certain that",
    "i'm certain",
    "i am sure that",
    "i am sure",
    "i'm sure that",
    "i'm sure",
    "i am confident that",
    "i'm confident that",
    "i strongly believe that",
    "i strongly believe",
    "i firmly believe that",
    "i firmly believe",
    "i really think that",
    "i really think",
    "i believe that",
    "i believe",
    "i think that",
    "i think",
    "i feel that",
    "i feel",
    "we are convinced that",
    "we are convinced",
    "we believe that",
    "we believe",
    "we think that",
    "we think",
    "in my opinion",
    "in my view",
    "it is obvious that",
    "it is clear that",
    "it's obvious that",
    "obviously",
    "clearly",
    "no doubt",
];

/// Adverbs of conviction between "we" and what should be done.
const ADVERBS: [&str; 6] =
    ["obviously", "clearly", "definitely", "certainly", "surely", "absolutely"];

/// Words after an opener with which no statement begins.
const NO_BEGINNING: [&str; 12] =
    ["about", "at", "for", "in", "not", "of", "on", "over", "so", "through", "to", "with"];

/// Words with which a statement begins after an adverb.
const SUBJECTS: [&str; 12] =
    ["we", "i", "you", "they", "it", "he", "she", "this", "that", "these", "the", "our"];

/// Abbreviations that end no sentence, beside those of [`ends_sentence`].
const SHORT: [&str; 9] = ["dr", "fig", "incl", "mr", "mrs", "ms", "prof", "resp", "st"];

/// Words with which a question begins.
const MODALS: [&str; 11] =
    ["should", "shall", "do", "does", "can", "could", "must", "will", "would", "is", "are"];

/// A sentence that begins with a modal: "Shouldn't we move?".
#[derive(Clone, Copy, Debug)]
struct Inversion<'a> {
    pub modal: &'static str,
    /// "Shouldn't".
    pub is_negated: bool,
    /// The subject and all after it.
    pub after: &'a str,
}

impl<'a> Inversion<'a> {
    fn parse(sentence: &'a str) -> Option<Self> {
        let (first, after) = sentence.split_once(char::is_whitespace)?;
        // No modal is longer.
        let first = first.get(..first.len().min(12))?.replace('’', "'").to_ascii_lowercase();
        let (word, is_negated) = match first.as_str() {
            "can't" | "cannot" => ("can", true),
            "won't" => ("will", true),
            first => first.strip_suffix("n't").map_or((first, false), |word| (word, true)),
        };
        let modal = MODALS.into_iter().find(|modal| *modal == word)?;
        Some(Self { modal, is_negated, after: after.trim_start() })
    }

    /// The first word of the subject, in lower case.
    fn subject(&self) -> String {
        let first = self.after.split_whitespace().next().unwrap_or_default();
        first.trim_end_matches([',', '?', '.', '!']).to_lowercase()
    }

    /// True if it asks even without a question mark. "Do the migration", "Can openers rust" and
    /// "Should the build fail, we retry" do not.
    fn asks(&self) -> bool {
        let subject = self.subject();
        let is_pronoun = matches!(&*subject, "we" | "i" | "you" | "they");
        let is_condition = self.after.match_indices(", ").any(|(at, _)| {
            let next = self.after[at + 2..].split_whitespace().next().unwrap_or_default();
            ["we", "i", "you", "they", "it", "the", "then"]
                .iter()
                .any(|word| next.eq_ignore_ascii_case(word))
        });
        let fits = match self.modal {
            "do" => is_pronoun,
            "can" | "will" | "must" => {
                is_pronoun
                    || matches!(&*subject, "it" | "our" | "my" | "the" | "this" | "that")
                    || self.after.starts_with(char::is_uppercase)
            }
            _ => !subject.is_empty(),
        };
        fits && !is_condition
    }

    /// True if it asks about an action, not about a fact: "Is Redis slow?" asks about a fact.
    fn is_about_action(&self) -> bool {
        match &*self.subject() {
            "we" | "i" | "our" | "my" | "you" => true,
            "it" => self.after.contains(" to ") || self.after.contains(" worth "),
            _ => matches!(self.modal, "should" | "shall" | "must"),
        }
    }
}

/// The sentence that asks: the first one that a modal begins and that is about an action; else the
/// first one that a modal begins; else the first one with a question mark. The others are its
/// background. `None`: the text is a statement.
pub(crate) fn asking_sentence(text: &str) -> Option<&str> {
    let sentences: Vec<&str> =
        sentences(text).into_iter().map(|range| bare_sentence(&text[range])).collect();
    let inverted: Vec<(&str, Inversion<'_>)> = sentences
        .iter()
        .filter_map(|sentence| Some((*sentence, Inversion::parse(sentence)?)))
        .filter(|(sentence, inversion)| is_question(sentence) || inversion.asks())
        .collect();
    let action = inverted.iter().find(|(_, inversion)| inversion.is_about_action());
    let best = action.or(inverted.first()).map(|(sentence, _)| *sentence);
    best.or_else(|| sentences.into_iter().find(|sentence| is_question(sentence)))
}

/// The sentence without marks of a heading, of an item and of emphasis around it.
fn bare_sentence(sentence: &str) -> &str {
    sentence.trim_start_matches(['#', '>', '-', '+', ' ']).trim_matches(['*', '_', ' '])
}

/// True if no sentence of the text asks.
pub fn is_statement(text: &str) -> bool {
    asking_sentence(text).is_none()
}

/// The sentences of a text. A paragraph and an item of a list end theirs; a line break alone does
/// not.
fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut add = |range: Range<usize>| {
        let part = &text[range.clone()];
        let begin = range.end - part.trim_start().len();
        let range = begin..begin + part.trim().len();
        found.extend(text[range.clone()].contains(char::is_alphanumeric).then_some(range));
    };
    let mut begin = 0;
    for (at, char) in text.char_indices().filter(|(_, char)| *char == '\n' || is_end(*char)) {
        let end = at + char.len_utf8();
        let after = &text[end..];
        let ends = match char {
            '\n' => begins_block(after),
            _ => is_end_at(text, at, char),
        };
        if ends {
            let closers = after.len() - after.trim_start_matches(is_closer).len();
            add(begin..end + closers);
            begin = end + closers;
        }
    }
    add(begin..text.len());
    found
}

fn is_end(char: char) -> bool {
    matches!(ascii_mark(char), '.' | '!' | '?')
}

fn is_closer(char: char) -> bool {
    matches!(ascii_mark(char), '*' | '_' | '"' | '\'' | ')' | '`')
}

/// True if this mark ends a sentence. A full stop after a single letter or in "U.S." may not.
fn is_end_at(text: &str, at: usize, mark: char) -> bool {
    if ascii_mark(mark) != '.' {
        let after = text[at + mark.len_utf8()..].trim_start_matches(is_closer);
        return after.is_empty()
            || after.starts_with(char::is_whitespace)
            || ends_sentence(text, at, mark);
    }
    (ends_sentence(text, at, mark) || begins_small(&text[at + mark.len_utf8()..])) && {
        let word = text[..at].rsplit(char::is_whitespace).next().unwrap_or_default();
        let word = word.trim_start_matches('(');
        let is_letter = word.len() == 1 && word.starts_with(char::is_alphabetic);
        let is_dotted = word.split('.').count() > 1
            && word.split('.').all(|part| part.len() == 1 && part.is_ascii());
        !is_letter && !is_dotted && !SHORT.iter().any(|short| word.eq_ignore_ascii_case(short))
    }
}

/// True if the mark at this position ends a sentence: it is full-width, or white space follows,
/// then no small letter, and no abbreviation precedes it. Each check is short, so a text of only
/// marks stays cheap.
pub(crate) fn ends_sentence(text: &str, at: usize, mark: char) -> bool {
    if matches!(mark, '\u{3000}'..='\u{303F}' | '\u{FF00}'..='\u{FFEF}') {
        return true;
    }
    let after = text[at + mark.len_utf8()..]
        .trim_start_matches(|char| matches!(ascii_mark(char), '*' | '_' | '"' | ')'));
    if !after.chars().next().is_none_or(char::is_whitespace)
        || after.trim_start().starts_with(char::is_lowercase)
    {
        return false;
    }
    let word =
        text[..at].rsplit(char::is_whitespace).next().unwrap_or_default().trim_start_matches('(');
    !(text[at..].starts_with('.')
        && ["i.e", "e.g", "vs", "approx", "cf"]
            .iter()
            .any(|short| word.eq_ignore_ascii_case(short)))
}

/// True for a text that begins a sentence with a small letter: " should we wait", " we wait".
fn begins_small(text: &str) -> bool {
    if !text.starts_with(char::is_whitespace) {
        return false;
    }
    let mut words = text.split_whitespace();
    let first = words.next();
    let second = words.next().unwrap_or_default();
    first.is_some_and(|first| {
        matches!(first, "we" | "our" | "it" | "they" | "there" | "i")
            || MODALS.contains(&first) && matches!(second, "we" | "i" | "our" | "it")
    })
}

/// True for a text whose first line begins a block of Markdown: a blank line, an item, a heading.
fn begins_block(text: &str) -> bool {
    let line = text.lines().next().unwrap_or_default().trim_start();
    let item = line.trim_start_matches(|char: char| char.is_ascii_digit());
    line.is_empty()
        || ["- ", "* ", "+ ", "#", ">", "|", "```"].iter().any(|mark| line.starts_with(mark))
        || item.len() < line.len() && (item.starts_with(". ") || item.starts_with(") "))
}

/// The text without the words that say how convinced its author is: openers go, and sentences beside
/// the question that only say what should be done with it. All others stay as they are.
pub fn without_leaning(text: &str) -> String {
    let text = text.trim();
    let asked = asking_sentence(text);
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for range in sentences(text) {
        let sentence = &text[range.clone()];
        let is_stance = asked.is_some_and(|asked| {
            bare_sentence(sentence) != asked && motion::is_stance(sentence, asked)
        });
        if !is_stance {
            out.push_str(&text[done..range.start]);
            let plain = without_openers(sentence);
            let mut chars = plain.chars();
            let first = chars.next().filter(|_| plain != sentence);
            out.extend(first.into_iter().flat_map(char::to_uppercase));
            out.push_str(if first.is_some() { chars.as_str() } else { &plain });
        }
        done = range.end;
    }
    (out + &text[done..]).trim_start().to_owned()
}

/// The text without its openers, and without an adverb between "we" and what should be done.
fn without_openers(text: &str) -> Cow<'_, str> {
    let mut plain = text;
    while let Some(after) = OPENERS.iter().find_map(|opener| after_words(plain, opener)) {
        plain = after;
    }
    let mut words = plain.splitn(3, ' ');
    if let (Some(who), Some(adverb), Some(after)) = (words.next(), words.next(), words.next())
        && ADVERBS.contains(&&*adverb.to_lowercase())
        && matches!(&*who.to_lowercase(), "we" | "i" | "you" | "they")
    {
        return format!("{who} {after}").into();
    }
    plain.into()
}

/// The text after these words at its beginning, if it is a statement of its own: "I believe in
/// tests" has no opener.
fn after_words<'a>(text: &'a str, words: &str) -> Option<&'a str> {
    let beginning = text.get(..words.len())?;
    let after = text[words.len()..].strip_prefix([' ', ',', ':'])?.trim_start_matches([' ', ',']);
    let first = after.split(|char: char| !char.is_alphanumeric()).next()?.to_lowercase();
    let goes_on = after.split_whitespace().nth(1).is_some();
    // "Clearly defined interfaces" and "no doubt remains" are no openers either.
    let is_adverb = ["obviously", "clearly", "no doubt"].contains(&words);
    let is_own =
        if is_adverb { SUBJECTS.contains(&&*first) } else { !NO_BEGINNING.contains(&&*first) };
    (beginning.to_lowercase() == words && goes_on && is_own).then_some(after)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_conviction_goes_and_every_other_word_stays() {
        for (text, plain) in [
            ("Should we move?", "Should we move?"),
            ("Redis or Memcached?", "Redis or Memcached?"),
            ("We should move.", "We should move."),
            ("I am convinced that we should move.", "We should move."),
            ("I'm convinced, we should move!", "We should move!"),
            ("I think we should move. Should we?", "We should move. Should we?"),
            ("In my opinion, I think that Redis is enough", "Redis is enough"),
            ("we obviously should move", "We should move"),
            ("I think", "I think"),
            ("I thinking of it", "I thinking of it"),
            ("I believe in tests", "I believe in tests"),
            ("We think about moving to Go?", "We think about moving to Go?"),
            ("I think not", "I think not"),
            ("Clearly defined interfaces help", "Clearly defined interfaces help"),
            ("Clearly, we should move", "We should move"),
            ("No doubt remains: move", "No doubt remains: move"),
            ("\u{130}\u{130} think we should", "\u{130}\u{130} think we should"),
            // Beside a question.
            (
                "We run 31 workers.\n\nI think the budget is 900 dollars. Should we move?",
                "We run 31 workers.\n\nThe budget is 900 dollars. Should we move?",
            ),
            ("I am sure that we should move. Should we move?", "Should we move?"),
            (
                "Should we move? I think we shouldn't do it. It is new.",
                "Should we move? It is new.",
            ),
            ("Should we move? We should spend less.", "Should we move? We should spend less."),
            ("", ""),
        ] {
            assert_eq!(without_leaning(text), plain, "{text}");
        }
    }

    #[test]
    fn the_sentence_of_the_decision_asks() {
        for (text, sentence) in [
            ("Should we drop Redis? We run 31 workers.", "Should we drop Redis?"),
            ("We run 31 workers. Should we drop Redis?", "Should we drop Redis?"),
            ("should we drop redis", "should we drop redis"),
            ("We run 31 workers. should we drop redis", "should we drop redis"),
            ("should we drop redis. we run 31 workers", "should we drop redis."),
            ("Do we need Kafka?", "Do we need Kafka?"),
            ("do we need kafka", "do we need kafka"),
            ("Shall we wait", "Shall we wait"),
            ("Can we wait", "Can we wait"),
            ("Are we ready to move", "Are we ready to move"),
            ("Should Postgres replace Redis", "Should Postgres replace Redis"),
            ("Would it be a mistake to wait", "Would it be a mistake to wait"),
            ("Is Redis slow? Should we drop it?", "Should we drop it?"),
            ("Is Redis slow? It has 3 GB.", "Is Redis slow?"),
            ("Can Redis do that? Our team can't.", "Can Redis do that?"),
            ("How do we go on? We run 31 workers.", "How do we go on?"),
            ("Why? Because.", "Why?"),
            ("Why now? Do we need it?", "Do we need it?"),
            (
                "Do we use Node.js v2.0 e.g. for the API? We do.",
                "Do we use Node.js v2.0 e.g. for the API?",
            ),
            ("We asked Dr. Who. Should we wait?", "Should we wait?"),
            ("# Should we wait\n\nWe run 31 workers.", "Should we wait"),
            ("Facts:\n- Should we wait\n- We run 31 workers", "Should we wait"),
            (
                "Should we move the cache\nto Redis? It is slow.",
                "Should we move the cache\nto Redis?",
            ),
            ("(Should we wait?) It is late.", "(Should we wait?)"),
            ("I think so. Is it \"so?\"", "Is it \"so?\""),
            ("なぜ？急ぐから。", "なぜ？"),
            ("我们有数据。我们应该迁移吗？", "我们应该迁移吗？"),
            ("Sollen wir umziehen? Wir haben Zeit.", "Sollen wir umziehen?"),
            ("Really?!", "Really?!"),
        ] {
            assert_eq!(asking_sentence(text), Some(sentence), "{text}");
        }
        for text in [
            "We should.",
            "",
            "I am sure",
            "Do not cache.",
            "Do the migration now.",
            "Can openers rust",
            "Must-have features win.",
            "Should the build fail, we retry.",
            "Should we fail, we go back.",
            "Will is strong.",
            "Redis is fast enough.",
        ] {
            assert_eq!(asking_sentence(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn sentences_are_parts_of_the_text_in_order(text in "(Should we |e\\.g\\. |[a-zA-Z0-9]{1,4}|[.?!。？ \n*\"')#-]){0,40}") {
            let mut end = 0;
            for range in sentences(&text) {
                prop_assert!(range.start >= end);
                prop_assert!(!text[end..range.start].contains(char::is_alphanumeric));
                end = range.end;
            }
            prop_assert!(!text[end..].contains(char::is_alphanumeric));
            let plain = without_leaning(&text);
            prop_assert_eq!(without_leaning(&plain), plain);
        }
    }

    #[test]
    fn an_opener_is_found_before_its_own_beginning() {
        for (at, opener) in OPENERS.iter().enumerate() {
            let hidden =
                OPENERS[..at].iter().find(|earlier| opener.starts_with(&format!("{earlier} ")));
            assert_eq!(hidden, None, "{opener}");
            let text = format!("{opener} we see that day");
            assert!(without_leaning(&text).ends_with("e see that day"));
        }
    }
}
