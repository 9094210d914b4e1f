//! Invisible characters: controls, direction marks, tags, and joiners and selectors with nothing to
//! join or select. They can carry a text that only a program reads. And characters that end a line
//! for some readers only.

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation as _;

/// The text without invisible characters, and their number. Joiners stay inside words and emoji.
/// One variant selector stays if the character has variants. Line breaks and tabs stay; a character
/// that ends a line for some readers only becomes a space.
pub fn visible(text: &str) -> (Cow<'_, str>, usize) {
    if is_plain(text.as_bytes()) || !text.chars().any(is_unseen) {
        return (Cow::Borrowed(text), 0);
    }
    let mut text = plain_line_ends(text);
    let mut count = 0;
    // A removal can bring two joiners together. A second pass removes all of them; a test checks
    // this.
    loop {
        let (next, removed) = pass(&text);
        text = next;
        count += removed;
        if removed == 0 {
            return (Cow::Owned(text), count);
        }
    }
}

/// True for printable ASCII, line feeds and tabs. Most texts are that, and each is looked at again
/// and again: eight bytes at once take a sixth of the time.
fn is_plain(text: &[u8]) -> bool {
    const EACH: u64 = u64::MAX / 0xFF;
    let is_plain = |byte: &u8| matches!(byte, b' '..=b'~' | b'\n' | b'\t');
    let (eights, rest) = text.as_chunks::<8>();
    let are_printable = |eight: &[u8; 8]| {
        let bytes = u64::from_ne_bytes(*eight);
        // The high bit of a byte: it is no ASCII, below a blank, or 0x7F.
        let others = bytes | bytes.wrapping_sub(EACH * 0x20) | bytes.wrapping_add(EACH);
        others & (EACH * 0x80) == 0
    };
    eights.iter().all(|eight| are_printable(eight) || eight.iter().all(is_plain))
        && rest.iter().all(is_plain)
}

/// Line ends become line feeds; what ends a line for some readers only becomes a space.
fn plain_line_ends(text: &str) -> String {
    let mut chars = text.chars().peekable();
    let mut out = String::with_capacity(text.len());
    while let Some(char) = chars.next() {
        match char {
            '\r' if chars.peek() == Some(&'\n') => {}
            '\r' => out.push('\n'),
            char if is_doubtful_end(char) => out.push(' '),
            char => out.push(char),
        }
    }
    out
}

/// Characters that end a line for some readers only: for Python and JavaScript, for an editor or a
/// terminal, but not for Markdown.
pub fn is_doubtful_end(char: char) -> bool {
    matches!(char, '\u{B}' | '\u{C}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

fn pass(text: &str) -> (String, usize) {
    let mut out = String::with_capacity(text.len());
    let mut removed = 0;
    let mut clusters = text.graphemes(true).peekable();
    while let Some(cluster) = clusters.next() {
        let after = clusters.peek().and_then(|cluster| cluster.chars().next());
        let begins = out.len();
        // Each visible character is searched once: a cluster may be a million joiners.
        let mut seen = cluster.char_indices().filter(|(_, char)| !is_unseen(*char)).peekable();
        for (at, char) in cluster.char_indices() {
            while seen.next_if(|(place, _)| *place <= at).is_some() {}
            let next_in_cluster = seen.peek().map(|(_, char)| *char);
            // In its own cluster a character belongs to the one before it; a joiner may fill the
            // cluster.
            let around = Around {
                base: out[begins..].chars().next(),
                before: out.chars().next_back(),
                next_in_cluster,
                next: next_in_cluster.or(after),
            };
            if is_unseen(char) && !around.needs(char) {
                removed += 1;
            } else {
                out.push(char);
            }
        }
    }
    (out, removed)
}

/// The surroundings of a character.
struct Around {
    /// The first character of its cluster.
    base: Option<char>,
    before: Option<char>,
    /// The next visible character.
    next: Option<char>,
    next_in_cluster: Option<char>,
}

impl Around {
    /// True if the visible text would change without this character.
    fn needs(&self, char: char) -> bool {
        let Some(before) = self.before else {
            return char == '\u{200D}' && self.next.is_some_and(is_joined);
        };
        match char {
            // One joiner is enough.
            '\u{200C}' | '\u{200D}' if is_joiner(before) => false,
            '\u{200C}' => is_joined(before) && self.next.is_some_and(is_joined),
            // Between two emoji, it is inside their cluster.
            '\u{200D}' => {
                self.base.is_some_and(is_symbol) && self.next_in_cluster.is_some_and(is_symbol)
                    || is_joined(before)
                    || self.next.is_some_and(is_joined)
            }
            '\u{34F}' => is_hebrew(before) && self.next.is_some_and(is_hebrew),
            '\u{FE00}'..='\u{FE0F}' | '\u{E0100}'..='\u{E01EF}' => {
                self.base.is_some() && (has_variants(before) || is_keycap(before, char, self.next))
            }
            // A selector of Mongolian, after a letter of it.
            '\u{180B}'..='\u{180F}' => matches!(before, '\u{1820}'..='\u{18AA}'),
            _ => false,
        }
    }
}

/// Control characters, and those that Unicode calls "default ignorable": a terminal or a page obeys
/// them instead of showing them. Line breaks and tabs are not included.
pub fn is_unseen(char: char) -> bool {
    if (' '..='~').contains(&char) {
        return false;
    }
    let is_ignorable = matches!(
        u32::from(char),
        0xAD | 0x34F
            | 0x61C
            | 0x115F..=0x1160
            | 0x17B4..=0x17B5
            | 0x180B..=0x180F
            | 0x200B..=0x200F
            | 0x202A..=0x202E
            | 0x2060..=0x206F
            | 0x3164
            | 0xFE00..=0xFE0F
            | 0xFEFF
            | 0xFFA0
            | 0xFFF0..=0xFFFB
            | 0x1BCA0..=0x1BCA3
            | 0x1D173..=0x1D17A
            | 0xE0000..=0xE0FFF
    );
    is_ignorable || is_doubtful_end(char) || (char.is_control() && !matches!(char, '\n' | '\t'))
}

fn is_joiner(char: char) -> bool {
    matches!(char, '\u{200C}' | '\u{200D}')
}

/// Scripts with letters that change their form when joined, from Hebrew to Mongolian.
fn is_joined(char: char) -> bool {
    let is_script = matches!(
        u32::from(char),
        0x590..=0x109F | 0x1700..=0x1CFF | 0xA800..=0xABFF | 0xFB1D..=0xFDFF | 0xFE70..=0xFEFC
            | 0x1_0A00..=0x1_1FFF | 0x1_E900..=0x1_E95F
    );
    is_script && !is_unseen(char) && !char.is_whitespace()
}

fn is_hebrew(char: char) -> bool {
    matches!(char, '\u{591}'..='\u{5F4}')
}

/// Emoji and other symbols from U+2000 on.
fn is_symbol(char: char) -> bool {
    u32::from(char) >= 0x2000
        && !char.is_alphanumeric()
        && !char.is_whitespace()
        && !is_unseen(char)
}

fn has_variants(char: char) -> bool {
    let is_ideograph = matches!(
        u32::from(char),
        0x1000..=0x109F | 0x2E80..=0x9FFF | 0xA840..=0xA87F | 0xAA60..=0xAA7F | 0xF900..=0xFAFF
            | 0x2_0000..=0x3_FFFF
    );
    is_ideograph || is_symbol(char) || matches!(char, '©' | '®' | 'ℹ' | 'Ⓜ')
}

fn is_keycap(before: char, selector: char, next: Option<char>) -> bool {
    matches!(before, '0'..='9' | '#' | '*') && selector == '\u{FE0F}' && next == Some('\u{20E3}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn hidden(text: &str) -> usize {
        visible(text).1
    }

    #[test]
    fn all_default_ignorable_characters_are_known() {
        let class =
            regex_syntax::parse(r"[\p{Default_Ignorable_Code_Point}--[\x{1F3F3}]]").unwrap();
        let regex_syntax::hir::HirKind::Class(regex_syntax::hir::Class::Unicode(class)) =
            class.into_kind()
        else {
            panic!("no class")
        };
        let listed = |char: char| {
            class.ranges().iter().any(|range| (range.start()..=range.end()).contains(&char))
        };
        for char in ('\0'..=char::MAX).filter(|char| !char.is_control()) {
            // Annotation anchors and separators are invisible, although they are not ignorable.
            assert_eq!(
                is_unseen(char),
                listed(char) || matches!(char, '\u{FFF9}'..='\u{FFFB}' | '\u{2028}' | '\u{2029}'),
                "{:x}",
                u32::from(char)
            );
        }
    }

    #[test]
    fn words_and_emoji_keep_their_joiners() {
        for text in [
            "می\u{200c}خواهم",
            "کتاب\u{200c}ها",
            "ه\u{200d}.ش",
            "יְרוּשָׁלִַ\u{34f}ם",
            "שָׁלוֹם",
            "क्\u{200d}ष",
            "क्\u{200c}ष",
            "ශ්\u{200d}රී",
            "👨\u{200d}👩\u{200d}👧\u{200d}👦",
            "👩🏽\u{200d}🚀",
            "🏳\u{fe0f}\u{200d}🌈",
            "❤\u{fe0f}\u{200d}🔥",
            "🧑\u{200d}🤝\u{200d}🧑",
            "1\u{fe0f}\u{20e3} #\u{fe0f}\u{20e3}",
            "☎\u{fe0e} ☎\u{fe0f} ©\u{fe0f}",
            "葛\u{e0100}飾",
            "🇩🇪 e\u{301} 한국어 ᠮᠣᠩᠭᠣᠯ",
            "tab\tand\nline",
        ] {
            assert_eq!(visible(text), (text.into(), 0), "{text:?}");
        }
    }

    #[test]
    fn invisible_characters_are_removed_and_counted() {
        for (text, seen, count) in [
            ("a\u{200b}b\u{feff}", "ab", 2),
            ("\u{202e}abc\u{2066}\u{200f}", "abc", 3),
            ("run\u{e0072}\u{e006d}\u{e007f}\u{e0001}", "run", 4),
            ("a\u{200d}b\u{200c}c \u{200d}", "abc ", 3),
            ("中\u{200d}文", "中文", 1),
            ("می\u{200c}\u{200c}\u{200d}\u{200c}خواهم", "می\u{200c}خواهم", 3),
            ("😀\u{fe0f}\u{fe01}\u{fe02}\u{e0101}", "😀\u{fe0f}", 3),
            ("a\u{fe0f}b\u{e0100}1\u{fe0f}", "ab1", 3),
            ("👨\u{200d}\u{200d}👩", "👨👩", 2),
            ("so\u{ad}ft \u{3164}\u{115f}", "soft ", 3),
            ("\u{1b}[31mred\u{7}\u{0}", "[31mred", 3),
            ("a\r\nb\rc\u{b}d\u{2028}e", "a\nb\nc d e", 0),
        ] {
            assert_eq!(visible(text), (seen.into(), count), "{text:?}");
        }
        assert_eq!(
            hidden("🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}"),
            6,
            "tags carry any text"
        );
    }

    proptest! {
        #[test]
        fn no_reader_sees_another_line_end_in_a_cleaned_text(
            text in "[a\n\r\t \u{b}\u{c}\u{1c}-\u{1e}\u{85}\u{2028}\u{2029}\u{200b}é]{0,40}",
        ) {
            let is_end = |char: char| char == '\r' || is_doubtful_end(char);
            let seen = visible(&text).0;
            prop_assert!(!seen.contains(is_end), "{seen:?}");
            let breaks = text.replace("\r\n", "\n").matches(['\n', '\r']).count();
            prop_assert_eq!(seen.matches('\n').count(), breaks);
            for shown in [crate::clean_lines(&text), crate::without_controls(&text)] {
                prop_assert!(!shown.contains(is_end), "{shown:?}");
            }
            prop_assert!(!crate::clean(&text, 100).contains(|char| char == '\n' || is_end(char)));
            let json = crate::harmless_json(&serde_json::to_string(&text).unwrap());
            prop_assert!(!json.contains(is_end), "{json}");
            prop_assert_eq!(crate::from_json::<String>(&json).unwrap(), text);
        }

        #[test]
        fn only_invisible_characters_are_removed(
            text in "(\\PC|[a-zא-תآ-ی]|[\u{200b}-\u{200f}\u{fe00}-\u{fe0f}\u{e0000}-\u{e007f}\
                \u{202a}-\u{202e}]|👨|❤|\u{301}|\n){0,40}",
        ) {
            let (shown, count) = visible(&text);
            prop_assert_eq!(visible(&shown), (shown.clone(), 0));
            let twice = pass(&pass(&plain_line_ends(&text)).0).0;
            prop_assert_eq!(pass(&twice).1, 0, "a third pass takes something out");
            let is_seen = |char: &char| !is_unseen(*char);
            let seen = |text: &str| text.chars().filter(is_seen).collect::<String>();
            prop_assert_eq!(seen(&shown), seen(&plain_line_ends(&text)));
            prop_assert_eq!(text.chars().count() - shown.chars().count(), count);
            let selectors =
                |char| matches!(char, '\u{FE00}'..='\u{FE0F}' | '\u{E0100}'..='\u{E01EF}');
            let all: Vec<char> = shown.chars().collect();
            for (at, char) in all.iter().copied().enumerate().filter(|(_, char)| is_unseen(*char)) {
                let is_mark = matches!(char, '\u{34f}' | '\u{180b}'..='\u{180f}');
                prop_assert!(is_joiner(char) || selectors(char) || is_mark, "{:?}", shown);
                let next = all.get(at + 1).copied();
                prop_assert!(!(is_joiner(char) && next.is_some_and(is_joiner)), "{:?}", shown);
                prop_assert!(!(selectors(char) && next.is_some_and(selectors)), "{:?}", shown);
                prop_assert!(at > 0 || char == '\u{200d}', "{:?}", shown);
            }
        }
    }
}
