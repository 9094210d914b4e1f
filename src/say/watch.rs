//! The live view of a debate: its phases, its words, the end of the last reply.

use jiff::Timestamp;

use super::slot;
use crate::debate::{Debate, Slot, Status};
use crate::text::{age, clean, fit, group};
use crate::transcript::Entries;

/// Lines of the last reply that are shown.
const LAST_LINES: usize = 4;

/// A debate as it is watched.
#[derive(Clone, Copy, Debug)]
pub struct Watched<'a> {
    /// The debate.
    pub debate: &'a Debate,
    /// What stands in its transcript.
    pub entries: &'a Entries,
    /// The time of looking.
    pub now: Timestamp,
    /// With colours.
    pub color: bool,
}

impl Watched<'_> {
    /// One line, for who is no terminal: the same as long as nothing changes.
    #[must_use]
    pub fn line(&self) -> String {
        let status = self.debate.progress.status.label();
        let (color, line) = match self.debate.progress.status {
            Status::Completed | Status::Cancelled => ("32", format!("Anvil: {status} · {} words", group(self.words()))),
            _ => ("1", format!("Anvil: {} · {status} · {} words", slot(self.debate), group(self.words()))),
        };
        self.painted(color, &line)
    }

    /// The lines of a screen, none wider than `columns` and not more than `rows`.
    #[must_use]
    pub fn screen(&self, columns: usize, rows: usize) -> Vec<String> {
        let debate = self.debate;
        let head = format!("Anvil: {}", clean(&debate.question, 300));
        let mut lines = vec![self.painted("1", &fit(&head, columns))];
        for at in debate.schedule().slots() {
            lines.push(self.phase(at, columns));
        }
        let sum = format!(
            "  {} words · {} · started {}",
            group(self.words()),
            debate.progress.status.label(),
            age(self.now, debate.progress.started_at)
        );
        lines.push(fit(&sum, columns));
        if let Some((_, last)) = self.entries.replies().next_back() {
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
        self.entries.words()
    }

    fn phase(&self, at: Slot, columns: usize) -> String {
        let debate = self.debate;
        let name = debate.voice_at(at).map_or_else(String::new, |voice| format!(" ({})", clean(&voice.name, 40)));
        let cycle = debate.progress.cycle;
        let reply = self.entries.replies().find(|(slot, reply)| reply.cycle == cycle && *slot == at);
        let (color, line) = match reply {
            Some((_, reply)) => ("32", format!("  ✓ {at}{name}, {} words", group(reply.words()))),
            None if at == debate.progress.slot && debate.progress.status.is_unfinished() => {
                ("1", format!("  ▸ {at}{name}"))
            }
            None => ("", format!("  · {at}{name}")),
        };
        self.painted(color, &fit(&line, columns))
    }

    fn painted(&self, color: &str, line: &str) -> String {
        if self.color && !color.is_empty() { format!("\u{1B}[{color}m{line}\u{1B}[0m") } else { line.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_screen_keeps_to_its_rows_and_columns() {
        let mut debate = Debate::new("id".into(), "Why? ".repeat(40), 10, Timestamp::UNIX_EPOCH);
        debate.progress.status = Status::InProgress;
        for color in [false, true] {
            let watched = Watched { debate: &debate, entries: &Entries::default(), now: Timestamp::UNIX_EPOCH, color };
            for rows in [1, 2, 5, 22, 23, 24, 80] {
                let lines = watched.screen(20, rows);
                assert_eq!(lines.len(), rows.min(23));
                assert!(color || lines.iter().all(|line| line.chars().count() <= 20), "{lines:?}");
                assert!(lines[0].contains("Anvil: Why?"));
            }
        }
    }
}
