//! The live view of a debate: its phases, its words, the end of the last reply.

use super::turns::counted;
use crate::debate::{Slot, Status};
use crate::engine::Look;
use crate::ledger::Ledger;
use crate::text::{age, clean, fit, group};

/// Lines of the last reply that are shown.
const LAST_LINES: usize = 4;

/// What the view ends with when its debate is gone.
pub const WATCHED_IS_GONE: &str = "Anvil: the debate was moved to the archive.";

/// One line, for who is no terminal: the same as long as nothing changes.
#[must_use]
pub fn watch_line(look: &Look, color: bool) -> String {
    let status = look.debate.progress.status.label();
    let (shade, line) = match look.debate.progress.status {
        Status::Completed | Status::Cancelled => ("32", format!("Anvil: {status} · {} words", group(look.words))),
        _ => ("1", format!("Anvil: {} · {status} · {} words", look.debate.slot_label(), group(look.words))),
    };
    painted(color, shade, &line)
}

/// The lines of a screen, none wider than `columns` and not more than `rows`.
#[must_use]
pub fn watch_screen(look: &Look, color: bool, columns: usize, rows: usize) -> Vec<String> {
    let debate = &look.debate;
    let head = format!("Anvil: {}", clean(&debate.question, 300));
    let mut lines = vec![painted(color, "1", &fit(&head, columns))];
    for at in debate.schedule().slots() {
        let (shade, line) = phase(look, at);
        lines.push(painted(color, shade, &fit(&line, columns)));
    }
    let counted = counted(Ledger::of_entries(&look.entries).counts());
    let sum = format!(
        "  {} words · {} · started {}",
        group(look.words),
        debate.progress.status.label(),
        age(look.now, debate.progress.started_at)
    );
    lines.push(fit(&sum, columns));
    lines.extend(counted.map(|counted| fit(&format!("  {counted}"), columns)));
    if let Some((_, last)) = look.entries.replies().next_back() {
        let said: Vec<&str> = last.text.lines().filter(|line| !line.trim().is_empty()).collect();
        for line in &said[said.len().saturating_sub(LAST_LINES)..] {
            lines.push(painted(color, "2", &fit(&format!("  │ {}", clean(line, 1_000)), columns)));
        }
    }
    let gone = lines.len().saturating_sub(rows.max(1));
    lines.drain(1..=gone.min(lines.len() - 1)).for_each(drop);
    lines.truncate(rows.max(1));
    lines
}

fn phase(look: &Look, at: Slot) -> (&'static str, String) {
    let debate = &look.debate;
    let name = debate.voice_at(at).map_or_else(String::new, |voice| format!(" ({})", clean(&voice.name, 40)));
    let cycle = debate.progress.cycle;
    let reply = look.entries.replies().find(|(slot, reply)| reply.cycle == cycle && *slot == at);
    match reply {
        Some((_, reply)) => ("32", format!("  ✓ {at}{name}, {} words", group(reply.words()))),
        None if at == debate.progress.slot && debate.progress.status.is_unfinished() => {
            ("1", format!("  ▸ {at}{name}"))
        }
        None => ("", format!("  · {at}{name}")),
    }
}

fn painted(color: bool, shade: &str, line: &str) -> String {
    if color && !shade.is_empty() { format!("\u{1B}[{shade}m{line}\u{1B}[0m") } else { line.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::debate::Debate;
    use crate::state::Project;
    use crate::transcript::Entries;
    use jiff::Timestamp;

    #[test]
    fn a_screen_keeps_to_its_rows_and_columns() {
        let mut debate = Debate::new("id".into(), "Why? ".repeat(40), 10, Timestamp::UNIX_EPOCH);
        debate.progress.status = Status::InProgress;
        let look = Look {
            debate,
            entries: Entries::default(),
            words: 0,
            skipped: None,
            project: Project::at("/project"),
            owner: None,
            report: None,
            repair: None,
            is_lost: false,
            is_report_due: false,
            now: Timestamp::UNIX_EPOCH,
        };
        for color in [false, true] {
            for rows in [1, 2, 5, 22, 23, 24, 80] {
                let lines = watch_screen(&look, color, 20, rows);
                assert_eq!(lines.len(), rows.min(23));
                assert!(color || lines.iter().all(|line| line.chars().count() <= 20), "{lines:?}");
                assert!(lines[0].contains("Anvil: Why?"));
            }
        }
    }
}
