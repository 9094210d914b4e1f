//! How wide a text is on a terminal, and what of it fits.

/// The line, cut where it would be wider.
pub(super) fn fit(line: &str, columns: usize) -> String {
    if self::columns(line) <= columns {
        return line.to_owned();
    }
    let (mut out, mut used) = (String::new(), 1);
    for char in line.chars() {
        used += width(char);
        if used > columns {
            break;
        }
        out.push(char);
    }
    out + "…"
}

/// Columns that a text takes.
pub(super) fn columns(text: &str) -> usize {
    text.chars().map(width).sum()
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

/// Columns that a character takes: two for those of East Asia and pictures, none for what stands on another.
fn width(char: char) -> usize {
    match u32::from(char) {
        0x300..=0x36F
        | 0x483..=0x489
        | 0x591..=0x5BD
        | 0x610..=0x61A
        | 0x64B..=0x65F
        | 0x200B..=0x200F
        | 0x1AB0..=0x1AFF
        | 0x1DC0..=0x1DFF
        | 0x20D0..=0x20FF
        | 0xFE00..=0xFE0F
        | 0xFE20..=0xFE2F => 0,
        0x1100..=0x115F
        | 0x2E80..=0x303E
        | 0x3041..=0xA4CF
        | 0xA960..=0xA97F
        | 0xAC00..=0xD7A3
        | 0xF900..=0xFAFF
        | 0xFE30..=0xFE6F
        | 0xFF00..=0xFF60
        | 0xFFE0..=0xFFE6
        | 0x231A..=0x231B
        | 0x23E9..=0x23F3
        | 0x2614..=0x2615
        | 0x26A1
        | 0x2705
        | 0x274C
        | 0x2753..=0x2757
        | 0x1F000..=0x1FAFF
        | 0x20000..=0x3FFFD => 2,
        _ => 1,
    }
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
