//! The width of text on a terminal, and how to make it fit.

use unicode_truncate::UnicodeTruncateStr as _;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// The narrowest useful width.
const LEAST_COLUMNS: usize = 8;

/// Cuts the line to the width.
pub fn fit(line: &str, columns: usize) -> String {
    if self::columns(line) <= columns {
        return line.to_owned();
    }
    let (part, _) = line.unicode_truncate(columns.saturating_sub(1));
    format!("{part}…")
}

/// The width of a text.
pub fn columns(text: &str) -> usize {
    text.width()
}

/// Rows of three columns, with two spaces before and between them. The last column wraps below
/// itself.
pub fn table(rows: &[[String; 3]], columns: usize) -> String {
    let [first, second] = [0, 1].map(|column| {
        rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0).min(48)
    });
    let before = first + second + 6;
    let mut lines = Vec::with_capacity(rows.len());
    for [one, two, three] in rows {
        let three = if before + self::columns(three) <= columns {
            three.clone()
        } else {
            wrap(three, columns.saturating_sub(before)).join(&format!("\n{:before$}", ""))
        };
        let line = format!("  {one:<first$}  {two:<second$}  {three}");
        lines.push(line.trim_end().to_owned());
    }
    lines.join("\n")
}

/// Breaks a paragraph between words. A longer word of ASCII stays whole, and so does a path; other
/// scripts have no blanks between words.
pub fn wrap(paragraph: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(LEAST_COLUMNS);
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut used = 0;
    for mut word in paragraph.split_whitespace() {
        let mut width = self::columns(word);
        if used > 0 && used + 1 + width > columns {
            lines.push(std::mem::take(&mut line));
            used = 0;
        }
        while width > columns && !word.is_ascii() && !is_path(word) {
            let (part, taken) = word.unicode_truncate(columns);
            lines.push(part.to_owned());
            (word, width) = (&word[part.len()..], width - taken);
        }
        if used > 0 {
            line.push(' ');
            used += 1;
        }
        line.push_str(word);
        used += width;
    }
    if used > 0 {
        lines.push(line);
    }
    lines
}

/// True for a path that begins at a root, a home or here.
fn is_path(word: &str) -> bool {
    let word = word.trim_start_matches(['`', '"', '\'', '(']);
    ["/", "~/", "./", "../"].iter().any(|begin| word.starts_with(begin))
}

/// The lines of a Markdown text, with its prose broken to the width. Code and tables stay
/// unchanged; continued list items and quotes are indented like their first line.
pub fn wrap_markdown(text: &str, columns: usize) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 32);
    let mut is_code = false;
    for line in text.lines() {
        let begins = line.trim_start();
        let is_fence = begins.starts_with("```") || begins.starts_with("~~~");
        is_code ^= is_fence;
        if is_code
            || is_fence
            || begins.starts_with('|')
            || line.starts_with("    ")
            || self::columns(line) <= columns
        {
            out.push_str(line);
        } else {
            let prefix = &line[..line.len() - begins.len() + marker(begins)];
            let indent: String =
                prefix.chars().map(|char| if char == '>' { '>' } else { ' ' }).collect();
            let parts = wrap(&line[prefix.len()..], columns.saturating_sub(self::columns(prefix)));
            for (at, part) in parts.iter().enumerate() {
                out.push_str(if at == 0 { prefix } else { "\n" });
                out.push_str(if at == 0 { "" } else { &indent });
                out.push_str(part);
            }
        }
        out.push('\n');
    }
    out
}

/// Bytes of a Markdown line before its words: `- `, `12. `, `> `.
fn marker(line: &str) -> usize {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let Some((mark, after)) = line.split_at_checked(digits + 1) else { return 0 };
    let is_mark = matches!(mark, "-" | "*" | "+" | ">") || digits > 0 && mark.ends_with(['.', ')']);
    if is_mark && after.starts_with(' ') { mark.len() + 1 } else { 0 }
}

/// Rows that a text takes on a terminal of this width. A control character has no width.
pub fn rows(text: &str, columns: usize) -> usize {
    let mut rows = 1;
    let mut used = 0;
    for width in text.chars().map(|char| char.width().unwrap_or(0)) {
        used += width;
        if used > columns {
            (rows, used) = (rows + 1, width);
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_cut_at_its_columns_not_at_its_characters() {
        assert_eq!(fit("abcdef", 6), "abcdef");
        assert_eq!(fit("abcdefg", 6), "abcde…");
        assert_eq!(fit("日本語です", 6), "日本…");
        assert_eq!(fit("e\u{301}e\u{301}e\u{301}", 3), "e\u{301}e\u{301}e\u{301}");
    }

    #[test]
    fn a_paragraph_wraps_between_words_and_a_path_stays_whole() {
        assert_eq!(wrap("one two  three four", 9), ["one two", "three", "four"]);
        assert_eq!(
            wrap("see /a/very/long/path.html now", 10),
            ["see", "/a/very/long/path.html", "now"]
        );
        assert_eq!(wrap("日本語日本語 です", 8), ["日本語日", "本語", "です"]);
        let path = "(~/用户/决定/报告.html)";
        assert_eq!(wrap(&format!("见 {path} 了"), 8), ["见", path, "了"]);
        assert!(wrap(" ", 10).is_empty());
    }

    #[test]
    fn markdown_prose_is_wrapped_and_code_is_not() {
        let text = "- one two three\n> one two three\n12. one two three\n| a | b | c | d |\n```\n\
            let one = two;\n```\nend";
        let wrapped = "- one two\n  three\n> one two\n> three\n12. one two\n    three\n| a | b | \
            c | d |\n```\nlet one = two;\n```\nend\n";
        assert_eq!(wrap_markdown(text, 12), wrapped);
    }

    #[test]
    fn a_wide_character_is_not_split_at_the_end_of_a_row() {
        for (text, wide, broken) in
            [("", 5, 1), ("abcde", 5, 1), ("abcdef", 5, 2), ("日本語", 5, 2), ("日本語日本", 5, 3)]
        {
            assert_eq!(rows(text, wide), broken, "{text}");
        }
    }
}
