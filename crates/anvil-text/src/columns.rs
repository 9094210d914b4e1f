//! The width of text on a terminal, and how to make it fit.

use unicode_linebreak::linebreaks;
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
        rows.iter().map(|row| self::columns(&row[column])).max().unwrap_or(0).min(48)
    });
    let before = first + second + 6;
    let mut lines = Vec::with_capacity(rows.len());
    for [one, two, three] in rows {
        let three = if before + self::columns(three) <= columns {
            three.clone()
        } else {
            wrap(three, columns.saturating_sub(before)).join(&format!("\n{:before$}", ""))
        };
        let [one, two] = [(one, first), (two, second)].map(|(text, width)| {
            let blanks = width.saturating_sub(self::columns(text));
            format!("{text}{:blanks$}", "")
        });
        let line = format!("  {one}  {two}  {three}");
        lines.push(line.trim_end().to_owned());
    }
    lines.join("\n")
}

/// Breaks a paragraph between words, and a word that is longer than a line where Unicode allows it.
/// A word of ASCII and a path stay whole.
pub fn wrap(paragraph: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(LEAST_COLUMNS);
    let mut lines: Vec<String> = Vec::new();
    let mut used = 0;
    for word in paragraph.split_whitespace() {
        let mut gap = " ";
        for part in parts(word, columns) {
            let width = self::columns(part);
            match lines.last_mut() {
                Some(line) if used + gap.len() + width <= columns => {
                    line.push_str(gap);
                    line.push_str(part);
                    used += gap.len() + width;
                }
                _ => {
                    lines.push(part.to_owned());
                    used = width;
                }
            }
            gap = "";
        }
    }
    lines
}

/// The parts of a word between which a line may break. One that is longer than a line is cut at its
/// columns: Thai has no blanks.
fn parts(word: &str, columns: usize) -> Vec<&str> {
    if word.is_ascii() || is_path(word) || self::columns(word) <= columns {
        return vec![word];
    }
    let mut parts = Vec::new();
    let mut rest = word;
    for (end, _) in linebreaks(word) {
        let begins = word.len() - rest.len();
        let (mut part, after) = rest.split_at(end - begins);
        while self::columns(part) > columns {
            let (cut, _) = part.unicode_truncate(columns);
            parts.push(cut);
            part = &part[cut.len()..];
        }
        parts.push(part);
        rest = after;
    }
    parts
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
        assert_eq!(wrap("数据库使用PostgreSQL", 18), ["数据库使用", "PostgreSQL"]);
        assert_eq!(wrap("这是一句话，好。", 10), ["这是一句", "话，好。"]);
        assert_eq!(wrap("กกกกกกกกกกกก", 8), ["กกกกกกกก", "กกกก"]);
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
