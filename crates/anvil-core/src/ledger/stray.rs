//! A line of a block that is not in its grammar: does it have a word of the grammar? Then somebody
//! may read a value there that the program does not read, so the block decides nothing.

use unicode_normalization::UnicodeNormalization as _;
use unicode_security::confusable_detection::skeleton;

use super::Id;
use crate::question::Alternatives;
use anvil_text::visible;

/// The keys and the fixed words of a block.
const WORDS: [&str; 15] = [
    "motion",
    "against",
    "recommendation",
    "verdict",
    "confidence",
    "rests on",
    "depends on",
    "flips if",
    "unknown",
    "judges",
    "confidence range",
    "do",
    "don't",
    "not",
    "depends",
];

/// True if the line has a key, a fixed word, an id, or the name or index of an option, whatever
/// marks, look-alikes of other scripts and invisible characters are in it.
pub(super) fn has_word_of_grammar(line: &str, among: &Alternatives) -> bool {
    let line: String =
        visible(line).0.nfkc().filter(|char| !anvil_text::is_unseen(*char)).collect();
    // `rests-on` is two words, `ver**dict**` one, and `S2.3` an id.
    let split = line.split(|char: char| !char.is_alphanumeric());
    let split: Vec<String> = split.filter(|word| !word.is_empty()).map(fold_word).collect();
    let joined: Vec<String> =
        line.split_whitespace().map(plain).map(|word| fold_word(&word)).collect();
    let names = || among.names.iter().map(String::as_str);
    [&split, &joined].into_iter().any(|words| {
        WORDS.into_iter().chain(names()).any(|known| has_phrase(words, &phrase(known)))
    }) || line.split_whitespace().any(is_id)
        || split.iter().any(|word| is_id(word))
        || line
            .split(|char: char| !char.is_numeric())
            .any(|number| number.parse().is_ok_and(|at| (1..=among.names.len()).contains(&at)))
}

/// A word as somebody sees it, in lower case.
fn fold_word(word: &str) -> String {
    skeleton(&word.to_lowercase()).collect::<String>().to_lowercase()
}

/// A word without marks.
fn plain(word: &str) -> String {
    word.chars().filter(|char| char.is_alphanumeric()).collect()
}

/// The words of a key or of a name.
fn phrase(known: &str) -> Vec<String> {
    let words = known.nfkc().collect::<String>();
    let words = words.split_whitespace().map(|word| fold_word(&plain(word)));
    words.filter(|word| !word.is_empty()).collect()
}

fn has_phrase(words: &[String], phrase: &[String]) -> bool {
    !phrase.is_empty() && words.windows(phrase.len()).any(|part| part == phrase)
}

/// True for an id with marks around it, also with a look-alike of its letter.
fn is_id(word: &str) -> bool {
    let word = word.trim_matches(|char: char| !char.is_alphanumeric());
    let Some(letter) = word.chars().next() else { return false };
    let number = &word[letter.len_utf8()..];
    let letter: String = skeleton(letter.encode_utf8(&mut [0; 4])).collect();
    format!("{letter}{number}").parse::<Id>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_of_the_grammar_is_seen_in_every_disguise() {
        let typed = Alternatives {
            names: ["PostgreSQL", "nothing new"].map(str::to_owned).to_vec(),
            are_typed: true,
            ..Alternatives::default()
        };
        for line in [
            "**verdict:** no",
            "final verdict: no",
            "[verdict]: no",
            "> Verdict - no",
            "verdi\u{441}t: no",
            "v\u{435}rdict",
            "ver\u{200b}dict no",
            "ver\u{ad}dict",
            "ver**dict**",
            "v.e.r.d.i.c.t",
            "\u{ff56}\u{ff45}\u{ff52}\u{ff44}\u{ff49}\u{ff43}\u{ff54}",
            "v\u{336}e\u{336}r\u{336}d\u{336}i\u{336}c\u{336}t\u{336}",
            "\u{1d42f}\u{1d41e}\u{1d42b}\u{1d41d}\u{1d422}\u{1d41c}\u{1d42d}",
            "rests-on them",
            "so: not",
            "do it",
            "don't",
            "don\u{2019}t",
            "It depends.",
            "(A1)",
            "\u{410}1 fell",
            "a1",
            "S2.3, too",
            "1) PostgreSQL",
            "postgresql",
            "2\u{fe0f}\u{20e3}",
            "\u{2460}",
            "**Nothing** new",
        ] {
            assert!(has_word_of_grammar(line, &typed), "{line}");
        }
        for line in ["", "That is close.", "Note: a month", "-- 3 --", "document", "verdicts"] {
            assert!(!has_word_of_grammar(line, &typed), "{line}");
        }
        assert!(!has_word_of_grammar("1) Redis", &Alternatives::default()));
    }
}
