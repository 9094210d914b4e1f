//! The words of a decision in the name of its file.

use std::fmt::Write as _;

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// Most characters of a decision in the name of its file.
const MAX_CHARS: usize = 60;

/// Most bytes: most file systems take 255 for a whole name.
const MAX_BYTES: usize = 180;

/// The words of a decision, joined by `separator`. A letter of the Latin script loses its marks,
/// every other script stays as it is written. `is_lower`: without capitals.
pub(crate) fn slug(text: &str, separator: &str, is_lower: bool) -> String {
    let mut slug = String::new();
    let (mut chars, mut is_cut) = (0, false);
    for word in words(text) {
        let word = if is_lower { plain(&word.to_lowercase()) } else { word };
        let room = MAX_CHARS.saturating_sub(chars + usize::from(chars > 0));
        let length = word.chars().count();
        let is_first = slug.is_empty();
        if !is_first && (length > room || slug.len() + separator.len() + word.len() > MAX_BYTES) {
            is_cut = true;
        }
        if is_cut {
            break;
        }
        if !is_first {
            slug += separator;
            chars += 1;
        }
        // A script without spaces has its sentence in one word.
        for char in word.chars().take(room) {
            if slug.len() + char.len_utf8() > MAX_BYTES {
                break;
            }
            slug.push(char);
            chars += 1;
        }
    }
    if slug.is_empty() { "decision".to_owned() } else { slug.nfc().collect() }
}

/// The words of a text: `C++` is two, and `don't` is one.
fn words(text: &str) -> Vec<String> {
    let mut spelled = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    let mut is_letter = false;
    while let Some(char) = chars.next() {
        let next = chars.peek().copied();
        match char {
            // A word of its own, once: C++, C#, F#.
            '+' if is_letter && next == Some('+') => {
                while chars.next_if_eq(&'+').is_some() {}
                spelled += " plus plus ";
                is_letter = false;
            }
            '#' if is_letter && next.is_none_or(|next| !next.is_alphanumeric()) => {
                spelled += " sharp ";
                is_letter = false;
            }
            '\'' | '’' if is_letter && next.is_some_and(|next| matches!(next, 's' | 't')) => {}
            _ => {
                is_letter = char.is_alphanumeric() || (is_letter && is_combining_mark(char));
                let _ = write!(spelled, "{char}");
            }
        }
    }
    let spelled = plain(&spelled);
    let is_of_word = |char: char| {
        char.is_alphanumeric() || is_combining_mark(char) || matches!(char, '\u{200c}' | '\u{200d}')
    };
    let words = spelled.split(|char| !is_of_word(char));
    let words = words.map(|word| word.trim_matches(['\u{200c}', '\u{200d}']));
    words.filter(|word| word.contains(char::is_alphanumeric)).map(str::to_owned).collect()
}

/// Latin letters without their marks (NFKD), everything else in NFC.
fn plain(text: &str) -> String {
    let mut is_after_latin = false;
    let mut out = String::with_capacity(text.len());
    for char in text.nfd() {
        if is_combining_mark(char) {
            if !is_after_latin {
                out.push(char);
            }
            continue;
        }
        is_after_latin = is_latin(char);
        if is_after_latin {
            out.extend([char].into_iter().nfkd().filter(|char| !is_combining_mark(*char)));
        } else {
            out.push(char);
        }
    }
    out.nfc().collect()
}

/// True for the blocks of Latin letters, with those for phonetics, ligatures and full width.
fn is_latin(char: char) -> bool {
    char.is_alphabetic()
        && matches!(char,
            'A'..='z' | 'ª' | 'º' | 'À'..='\u{24f}' | '\u{1e00}'..='\u{1eff}'
            | '\u{2c60}'..='\u{2c7f}' | '\u{a720}'..='\u{a7ff}' | '\u{ab30}'..='\u{ab64}'
            | '\u{fb00}'..='\u{fb06}' | 'Ａ'..='ｚ')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latin_letters_lose_their_marks_and_other_scripts_stay() {
        for (text, expected) in [
            ("Faut-il déplacer le cache ?", "faut-il-deplacer-le-cache"),
            ("Fau\u{74}-il de\u{301}placer", "faut-il-deplacer"),
            (
                "Keep the monolith, enforce module boundaries in CI",
                "keep-the-monolith-enforce-module-boundaries-in-ci",
            ),
            ("C++ or C#", "c-plus-plus-or-c-sharp"),
            ("F#, C++17 and 2+2, #12", "f-sharp-c-plus-plus-17-and-2-2-12"),
            ("Don't use Ann's cache, l'API", "dont-use-anns-cache-l-api"),
            ("移動すべきか", "移動すべきか"),
            // An accent that the Japanese script needs, in NFC.
            ("カ\u{3099}ス", "ガス"),
            ("Перейти на Йогурт", "перейти-на-йогурт"),
            ("हिन्दी में", "हिन्दी-में"),
            ("İstanbul ŁÓDŹ straße ﬁle Ｒｅｄｉｓ", "istanbul-łodz-straße-file-redis"),
            ("../../etc/passwd\0 con: \u{202e}x", "etc-passwd-con-x"),
            ("…!?", "decision"),
            ("", "decision"),
        ] {
            assert_eq!(slug(text, "-", true), expected, "{text}");
        }
        assert_eq!(slug("Use CamelCase names", "_", false), "Use_CamelCase_names");
    }

    proptest::proptest! {
        #[test]
        fn a_slug_is_a_short_part_of_a_file_name(text in ".{0,200}", is_lower: bool) {
            let made = slug(&text, "-", is_lower);
            proptest::prop_assert!(!made.is_empty() && made.len() <= 200, "{}", made);
            proptest::prop_assert!(made.chars().count() <= MAX_CHARS);
            proptest::prop_assert!(!made.contains(['/', '\\', '.', ':', '\0', ' ', '#', '%']));
            proptest::prop_assert!(!made.starts_with('-') && !made.ends_with('-'), "{}", made);
        }
    }
}
