//! The live view of a debate: its phases, its words, the end of the last reply.

use jiff::Timestamp;

use super::{age, clean, group, place};
use crate::debate::{Debate, Place, Status};
use crate::transcript::Section;

/// Lines of the last reply that are shown.
const LAST_LINES: usize = 4;

/// A debate as it is watched.
#[derive(Clone, Copy, Debug)]
pub struct Watched<'a> {
    /// The debate.
    pub debate: &'a Debate,
    /// Its replies.
    pub sections: &'a [Section],
    /// The time of looking.
    pub now: Timestamp,
    /// With colours.
    pub color: bool,
}

impl Watched<'_> {
    /// One line, for who is no terminal: the same as long as nothing changes.
    #[must_use]
    pub fn line(&self) -> String {
        let status = self.debate.status.label();
        match self.debate.status {
            Status::Completed | Status::Cancelled => format!("Anvil: {status} · {} words", group(self.words())),
            _ => format!("Anvil: {} · {status} · {} words", place(self.debate), group(self.words())),
        }
    }

    /// The lines of a screen, none wider than `columns` and not more than `rows`.
    #[must_use]
    pub fn screen(&self, columns: usize, rows: usize) -> Vec<String> {
        let debate = self.debate;
        let head = format!("Anvil: {}", clean(&debate.question, 300));
        let mut lines = vec![self.painted("1", &fit(&head, columns))];
        for at in debate.course().places() {
            lines.push(self.phase(at, columns));
        }
        let sum = format!(
            "  {} words · {} · started {}",
            group(self.words()),
            debate.status.label(),
            age(self.now, debate.started_at)
        );
        lines.push(fit(&sum, columns));
        if let Some(last) = self.sections.last() {
            let said: Vec<&str> = last.text.lines().filter(|line| !line.trim().is_empty()).collect();
            for line in &said[said.len().saturating_sub(LAST_LINES)..] {
                lines.push(self.painted("2", &fit(&format!("  │ {}", clean(line, 1_000)), columns)));
            }
        }
        let gone = lines.len().saturating_sub(rows.max(1));
        lines.drain(1..=gone.min(lines.len() - 1)).for_each(drop);
        lines.truncate(rows.max(1));
        lines
    }

    fn words(&self) -> usize {
        self.sections.iter().map(Section::words).sum()
    }

    fn phase(&self, at: Place, columns: usize) -> String {
        let debate = self.debate;
        let name = debate.voice_at(at).map_or_else(String::new, |voice| format!(" ({})", clean(&voice.name, 40)));
        let reply = self.sections.iter().find(|section| section.cycle == debate.cycle && section.place == at);
        let (color, line) = match reply {
            Some(reply) => ("32", format!("  ✓ {at}{name}, {} words", group(reply.words()))),
            None if at == debate.place && debate.status.is_unfinished() => ("1", format!("  ▸ {at}{name}")),
            None => ("", format!("  · {at}{name}")),
        };
        self.painted(color, &fit(&line, columns))
    }

    fn painted(&self, color: &str, line: &str) -> String {
        if self.color && !color.is_empty() { format!("\u{1B}[{color}m{line}\u{1B}[0m") } else { line.to_owned() }
    }
}

/// The line, cut where it would be wider.
fn fit(line: &str, columns: usize) -> String {
    if line.chars().map(width).sum::<usize>() <= columns {
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
    fn a_screen_keeps_to_its_rows_and_columns() {
        let mut debate = Debate::new("id".into(), "Why? ".repeat(40), 10, Timestamp::UNIX_EPOCH);
        debate.status = Status::InProgress;
        for color in [false, true] {
            let watched = Watched { debate: &debate, sections: &[], now: Timestamp::UNIX_EPOCH, color };
            for rows in [1, 2, 5, 22, 23, 24, 80] {
                let lines = watched.screen(20, rows);
                assert_eq!(lines.len(), rows.min(23));
                assert!(color || lines.iter().all(|line| line.chars().count() <= 20), "{lines:?}");
                assert!(lines[0].contains("Anvil: Why?"));
            }
        }
    }
}
