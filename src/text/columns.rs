//! How wide a text is on a terminal, and what of it fits.

use unicode_truncate::UnicodeTruncateStr as _;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// The line, cut where it would be wider.
#[must_use]
pub fn fit(line: &str, columns: usize) -> String {
    if self::columns(line) <= columns {
        return line.to_owned();
    }
    let (part, _) = line.unicode_truncate(columns.saturating_sub(1));
    format!("{part}…")
}

/// Columns that a text takes.
#[must_use]
pub fn columns(text: &str) -> usize {
    text.width()
}

/// Rows of three columns, two spaces before and between them.
#[must_use]
pub fn table(rows: &[[String; 3]]) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0).min(48);
    let (first, second) = (width(0), width(1));
    let line =
        |[one, two, three]: &[String; 3]| format!("  {one:<first$}  {two:<second$}  {three}").trim_end().to_owned();
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Rows that a terminal of so many columns breaks a text into.
#[must_use]
pub fn rows(text: &str, columns: usize) -> usize {
    let (mut rows, mut used) = (1, 0);
    for width in text.chars().map(width) {
        used += width;
        if used > columns {
            (rows, used) = (rows + 1, width);
        }
    }
    rows
}

/// Columns that a character takes by itself. One that a terminal obeys takes none.
fn width(char: char) -> usize {
    char.width().unwrap_or(0)
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
    fn a_wide_character_is_not_broken_at_the_end_of_a_row() {
        for (text, wide, broken) in
            [("", 5, 1), ("abcde", 5, 1), ("abcdef", 5, 2), ("日本語", 5, 2), ("日本語日本", 5, 3)]
        {
            assert_eq!(rows(text, wide), broken, "{text}");
        }
    }
}
