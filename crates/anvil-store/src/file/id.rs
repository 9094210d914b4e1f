//! The id of a debate, made once and safe as a file name everywhere, and the id of a run.

use std::fmt;

use jiff::Timestamp;

use anvil_system::process::ProcessId;

/// Longest id, in bytes.
pub(crate) const MAX_ID_BYTES: usize = 100;

/// True for a name that is safe as a file name everywhere.
pub(crate) fn is_safe_id(id: &str) -> bool {
    id.starts_with(|char: char| char.is_ascii_alphanumeric())
        && id.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
}

/// Names a debate: its day, the first words of its question, four digits that distinguish debates
/// of one day and question.
pub fn new_id(question: &str, now: Timestamp, salt: &str) -> String {
    use std::hash::{DefaultHasher, Hash as _, Hasher as _};
    let mut slug = String::new();
    // The name travels with the debate, so it has no folders of this machine.
    for word in anvil_text::without_paths(question)
        .split(|char: char| !char.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .take(4)
    {
        if slug.len() + word.len() > 32 {
            break;
        }
        slug.push_str(&word.to_ascii_lowercase());
        slug.push('-');
    }
    let mut hasher = DefaultHasher::new();
    (question, now.as_nanosecond(), salt).hash(&mut hasher);
    format!("{}-{slug}{:04x}", now.strftime("%Y-%m-%d"), hasher.finish() & 0xFFFF)
}

/// The session id of a run, which has no client session: `run-PID-START`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunId {
    pub pid: u32,
    started: u64,
}

impl RunId {
    /// `None`: the session belongs to Claude Code.
    pub fn parse(session: &str) -> Option<Self> {
        let (pid, started) = session.strip_prefix("run-")?.split_once('-')?;
        let run = Self { pid: pid.parse().ok()?, started: started.parse().ok()? };
        Some(run).filter(|run| run.to_string() == session)
    }
}

impl From<ProcessId> for RunId {
    fn from(process: ProcessId) -> Self {
        Self { pid: process.pid, started: process.started }
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "run-{}-{}", self.pid, self.started)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_process_session_is_a_run() {
        let run = RunId::from(ProcessId { pid: 7, started: 0, boot: None });
        assert_eq!((run.to_string().as_str(), RunId::parse("run-7-0")), ("run-7-0", Some(run)));
        for session in ["", "run-", "run-7", "run-7-", "run--7", "run-07-1", "run-7-1-2", "run-a-1"]
        {
            assert_eq!(RunId::parse(session), None, "{session}");
        }
    }

    #[test]
    fn a_name_is_made_of_the_day_and_the_first_words() {
        let now: Timestamp = "2026-11-21T01:55:41Z".parse().unwrap();
        let id = new_id("Should we, really, move to microservices?", now, "");
        assert!(
            id.starts_with("2026-11-21-should-we-really-move-")
                && id.len() == "2026-11-21-should-we-really-move-".len() + 4,
            "{id}"
        );
        let id = new_id("Move /home/ada/secret-project/x?", now, "");
        assert!(id.starts_with("2026-11-21-move-x-"), "{id}");
        for question in ["", "😀", "../../etc", &"x".repeat(100)] {
            assert!(is_safe_id(&new_id(question, now, "")), "{question}");
        }
        // Whole words, 32 characters with their hyphens but the last.
        let words = |lengths: &[usize]| {
            let words: Vec<String> = lengths.iter().map(|length| "x".repeat(*length)).collect();
            new_id(&words.join(" "), now, "").len() - "2026-11-21-0000".len()
        };
        for (lengths, length) in
            [(&[32][..], 33), (&[33], 0), (&[100], 0), (&[20, 11], 33), (&[20, 12, 1], 21)]
        {
            assert_eq!(words(lengths), length, "{lengths:?}");
        }
        assert_ne!(new_id("Q", now, "one"), new_id("Q", now, "two"));
    }
}
