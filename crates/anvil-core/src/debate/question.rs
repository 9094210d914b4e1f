//! The text that a debate is about: a question or a statement, and how convinced its author is.

use std::borrow::Cow;

use anvil_text::is_question;

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

/// True if the text is no question.
pub fn is_statement(question: &str) -> bool {
    !is_question(question)
}

/// The text without the openers that say how convinced its author is. `None` for a question
/// without one. Only these words go: the others stay as they are.
pub fn without_leaning(question: &str) -> Option<String> {
    let plain = without_openers(question.trim());
    let is_plain = plain == question.trim();
    if is_plain && !is_statement(question) {
        return None;
    }
    let mut chars = plain.chars();
    let first = chars.next().filter(|_| !is_plain);
    Some(first.map_or(plain.to_string(), |first| first.to_uppercase().chain(chars).collect()))
}

/// The text without its openers, and without an adverb between "we" and what should be done.
pub(super) fn without_openers(text: &str) -> Cow<'_, str> {
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
    use super::*;

    #[test]
    fn an_opener_goes_and_every_other_word_stays() {
        for (text, plain) in [
            ("Should we move?", None),
            ("Redis or Memcached?", None),
            ("We should move.", Some("We should move.")),
            ("I am convinced that we should move.", Some("We should move.")),
            ("I'm convinced, we should move!", Some("We should move!")),
            ("I think we should move. Should we?", Some("We should move. Should we?")),
            ("In my opinion, I think that Redis is enough", Some("Redis is enough")),
            ("we obviously should move", Some("We should move")),
            ("I think", Some("I think")),
            ("I thinking of it", Some("I thinking of it")),
            ("I believe in tests", Some("I believe in tests")),
            ("We think about moving to Go?", None),
            ("I think not", Some("I think not")),
            ("Clearly defined interfaces help", Some("Clearly defined interfaces help")),
            ("Clearly, we should move", Some("We should move")),
            ("No doubt remains: move", Some("No doubt remains: move")),
            ("\u{130}\u{130} think we should", Some("\u{130}\u{130} think we should")),
            ("", Some("")),
        ] {
            assert_eq!(without_leaning(text).as_deref(), plain, "{text}");
        }
    }

    #[test]
    fn a_question_ends_with_its_mark() {
        for text in ["Why?", "Why? ", "Is it \"so?\"", "なぜ？", "(Should we?)", "Really?!"] {
            assert!(!is_statement(text), "{text}");
        }
        for text in ["We should.", "Why? Because.", "", "I am sure"] {
            assert!(is_statement(text), "{text}");
        }
    }

    #[test]
    fn an_opener_is_found_before_its_own_beginning() {
        for (at, opener) in OPENERS.iter().enumerate() {
            let hidden =
                OPENERS[..at].iter().find(|earlier| opener.starts_with(&format!("{earlier} ")));
            assert_eq!(hidden, None, "{opener}");
            let text = format!("{opener} we see that day");
            assert!(without_leaning(&text).is_some_and(|plain| plain.ends_with("e see that day")));
        }
    }
}
