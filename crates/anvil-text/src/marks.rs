//! Marks of every script as their ASCII forms: the one place that knows them.

/// The ASCII mark that a mark stands for: `.` for `。`, `"` for `「`, `-` for a dash of any length.
/// Any other character is itself.
pub fn ascii_mark(char: char) -> char {
    match char {
        '\0'..='\x7f' => char,
        '。' | '｡' | '︒' | '﹒' | '۔' | '।' | '॥' | '።' | '։' => '.',
        '、' | '､' | '︐' | '︑' | '﹐' | '﹑' | '،' | '፣' => ',',
        '︓' | '﹕' | '፡' => ':',
        '︔' | '﹔' | '؛' | '፤' => ';',
        '\u{37E}' | '؟' | '՞' | '፧' | '⁇' | '⁈' | '‽' | '⸮' | '︖' | '﹖' => '?',
        '՜' | '‼' | '⁉' | '︕' | '﹗' => '!',
        '﹙' | '︵' => '(',
        '﹚' | '︶' => ')',
        _ if is_dash(char) => '-',
        '«' | '»' | '“' | '”' | '„' | '‟' | '″' | '⹂' | '「' | '」' | '『' | '』' | '〝' | '〞'
        | '〟' | '﹁' | '﹂' | '﹃' | '﹄' | '｢' | '｣' => '"',
        '‘' | '’' | '‚' | '‛' | '‹' | '›' | '′' => '\'',
        '\u{FF01}'..='\u{FF5E}' => u8::try_from(u32::from(char) - 0xFEE0)
            .ok()
            .filter(u8::is_ascii_punctuation)
            .map_or(char, char::from),
        _ => char,
    }
}

/// True for the characters of Unicode's class Dash.
pub fn is_dash(char: char) -> bool {
    matches!(
        char,
        '-' | '֊' | '־' | '᐀' | '᠆' | '\u{2010}'
            ..='\u{2015}'
                | '⁓'
                | '⁻'
                | '₋'
                | '−'
                | '⸗'
                | '⸚'
                | '⸺'
                | '⸻'
                | '⹀'
                | '\u{2E5D}'
                | '〜'
                | '〰'
                | '゠'
                | '︱'
                | '︲'
                | '﹘'
                | '﹣'
                | '－'
                | '\u{10D6E}'
                | '\u{10EAD}'
    )
}

/// The mark that closes a quote which this one opens. `None`: it opens none.
pub fn closing_quote(open: char) -> Option<char> {
    Some(match open {
        '"' | '\'' | '”' | '’' | '＂' | '＇' => open,
        '“' | '‟' => '”',
        '‘' | '‛' => '’',
        '„' | '⹂' => '“',
        '‚' => '‘',
        '«' => '»',
        '»' => '«',
        '‹' => '›',
        '›' => '‹',
        '「' => '」',
        '『' => '』',
        '｢' => '｣',
        '﹁' => '﹂',
        '﹃' => '﹄',
        '〝' => '〞',
        _ => return None,
    })
}

/// True for a text that ends with a question mark, maybe inside quotes or brackets. Greek asks with
/// a semicolon.
pub fn is_question(text: &str) -> bool {
    let text = text.trim_end_matches(|char: char| {
        char.is_whitespace()
            || matches!(ascii_mark(char), '.' | '!' | '"' | '\'' | ')' | '*' | '_' | '`')
    });
    match text.chars().next_back() {
        Some(';') => text
            .chars()
            .rev()
            .find(|char| char.is_alphabetic())
            .is_some_and(|char| matches!(char, '\u{370}'..='\u{3FF}' | '\u{1F00}'..='\u{1FFF}')),
        last => last.is_some_and(|last| ascii_mark(last) == '?'),
    }
}

/// True for a character that goes on with a word: a digit, or a letter of a script with capitals.
/// Other scripts may not separate words.
pub fn is_of_word(char: char) -> bool {
    char.is_lowercase() || char.is_uppercase() || char.is_numeric()
}

#[cfg(test)]
mod tests {
    use regex_syntax::hir::{Class, HirKind};

    use super::*;

    /// The characters of a class of Unicode.
    fn class(name: &str) -> Vec<char> {
        let parsed = regex_syntax::parse(&format!(r"\p{{{name}}}")).unwrap();
        let HirKind::Class(Class::Unicode(class)) = parsed.into_kind() else { panic!("{name}") };
        class.iter().flat_map(|range| range.start()..=range.end()).collect()
    }

    #[test]
    fn dashes_and_quote_marks_are_those_of_unicode() {
        let all = || '\0'..=char::MAX;
        assert_eq!(all().filter(|char| is_dash(*char)).collect::<Vec<_>>(), class("Dash"));
        let quotes = class("Quotation_Mark");
        for char in all() {
            let is_quote = matches!(ascii_mark(char), '"' | '\'') && !matches!(char, '′' | '″');
            assert_eq!(is_quote, quotes.contains(&char), "{char}");
            assert!(closing_quote(char).is_none_or(|close| quotes.contains(&close)), "{char}");
        }
        let is_wide =
            |char: &char| matches!(char, '\u{3000}'..='\u{303F}' | '\u{FE10}'..='\u{FFEF}');
        for char in class("Terminal_Punctuation").into_iter().filter(is_wide) {
            assert!(ascii_mark(char).is_ascii_punctuation(), "{char} {:x}", u32::from(char));
        }
    }

    #[test]
    fn a_question_ends_with_the_mark_of_its_script() {
        for text in [
            "Should we?",
            "我们应该吗？",
            "هل ننتقل؟",
            "Πρέπει να μεταβούμε;",
            "Πρέπει να μεταβούμε\u{37E}",
            "**Should we?**",
            "Il faut migrer ?",
            "« Πρέπει; »",
            "「行くか？」",
        ] {
            assert!(is_question(text), "{text}");
        }
        for text in ["We should.", "We should;", "Πρέπει.", "我们应该。", ";", "", "let x = 1;"]
        {
            assert!(!is_question(text), "{text}");
        }
    }
}
