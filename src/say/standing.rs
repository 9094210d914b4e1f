//! The status of a debate, line by line.

use std::fmt::Write as _;

use jiff::Timestamp;

use super::stops::what_now;
use super::{how, slot};
use crate::debate::{Debate, Status};
use crate::text::{age, clean};

/// What `/anvil:status` and `anvil status` show.
#[derive(Clone, Debug)]
pub struct Standing<'a> {
    /// The debate.
    pub debate: &'a Debate,
    /// Words filed so far.
    pub words: usize,
    /// The places that were passed over on the way to the synthesis.
    pub skipped: Option<String>,
    /// The session that owns it.
    pub owner: Option<OwnerRow<'a>>,
    /// The state file, as the user reads the path.
    pub state_file: String,
    /// The report, when it is written.
    pub report: Option<String>,
    /// It has none although the debate is complete, or only that of an earlier cycle.
    pub is_report_due: bool,
    /// What is to be said of the file.
    pub note: Option<String>,
    /// The time of asking.
    pub now: Timestamp,
}

/// Who owns a debate.
#[derive(Clone, Copy, Debug)]
pub struct OwnerRow<'a> {
    /// The session.
    pub session_id: &'a str,
    /// It is the one that asks.
    pub is_own: bool,
    /// Whether its client runs, where that is known.
    pub is_running: Option<bool>,
    /// Since when, where that is known.
    pub since: Option<Timestamp>,
}

/// Characters of a session's id that tell it from the others.
const SESSION_CHARS: usize = 8;

impl OwnerRow<'_> {
    fn render(&self, now: Timestamp) -> String {
        let id: String = clean(self.session_id, 200).chars().take(SESSION_CHARS).collect();
        let whose = if self.is_own { "this session".to_owned() } else { format!("session {id}") };
        let runs = match self.is_running {
            _ if self.is_own => "",
            Some(true) => ", running",
            Some(false) => ", gone",
            None => "",
        };
        let since = self.since.map_or_else(String::new, |since| format!(", took it up {}", age(now, since)));
        format!("{whose}{runs}{since}")
    }
}

impl Standing<'_> {
    /// The lines, without a final line break.
    #[must_use]
    pub fn render(&self) -> String {
        let debate = self.debate;
        let (done, total) = debate.progress();
        let filled = (done * 14).div_ceil(total.max(1)) as usize;
        let bar: String = (0..14).map(|at| if at < filled { '█' } else { '░' }).collect();
        let mut out = format!("Anvil: {}\n", clean(&debate.question, 300));
        let detail = match clean(&debate.progress.status_detail, 300) {
            detail if detail.is_empty() => detail,
            detail => format!(" ({detail})"),
        };
        let _ = writeln!(out, "  status    {}{detail}", debate.progress.status.label());
        let next = match debate.progress.status {
            Status::Completed | Status::Cancelled => String::new(),
            Status::InProgress | Status::NotStarted | Status::Paused | Status::Failed => {
                format!(", next: {}", slot(debate))
            }
        };
        let _ = writeln!(out, "  progress  {bar} {done} of {total} phases{next}");
        let _ = writeln!(out, "  mode      {}", how(debate));
        if let Some(voices) = voices(debate) {
            let _ = writeln!(out, "  voices    {voices}");
        }
        if let Some(options) = options(debate) {
            let _ = writeln!(out, "  options   {options}");
        }
        if let Some(skipped) = &self.skipped {
            let _ = writeln!(out, "  skipped   {skipped}");
        }
        if let Some(steering) = &debate.progress.steering {
            let _ = writeln!(out, "  steering  {} (for the next phase)", clean(steering, 200));
        }
        let _ = writeln!(out, "  words     {}", self.words);
        let _ = writeln!(
            out,
            "  started   {}, last change {}",
            age(self.now, debate.progress.started_at),
            age(self.now, debate.progress.updated_at)
        );
        if let Some(owner) = self.owner.filter(|_| debate.progress.status.is_unfinished()) {
            let _ = writeln!(out, "  owner     {}", owner.render(self.now));
        }
        let _ = write!(out, "  file      {}", clean(&self.state_file, usize::MAX));
        if self.is_report_due {
            out.push_str("\n  report    missing: `anvil report` writes it");
        } else if let Some(report) = &self.report {
            let _ = write!(out, "\n  report    {}", clean(report, usize::MAX));
        }
        if let Some(note) = &self.note {
            let _ = write!(out, "\n  note      {}", clean(note, 600));
        }
        if let Some(hint) = next_step(debate) {
            let _ = write!(out, "\n  {hint}");
        }
        out
    }
}

fn voices(debate: &Debate) -> Option<String> {
    let names: Vec<String> = debate.options.voices.iter().map(|voice| clean(&voice.name, 40)).collect();
    (!names.is_empty()).then(|| names.join(", "))
}

/// What else was asked for.
fn options(debate: &Debate) -> Option<String> {
    let named = |what: &str, name: Option<&str>| name.map(|name| format!("{what}: {}", clean(name, 80)));
    let flag = |set: bool, what: &str| set.then(|| what.to_owned());
    let said = [
        flag(debate.options.blind, "blind"),
        flag(debate.options.research, "research"),
        flag(debate.options.interactive, "interactive"),
        debate.options.boundary.map(|boundary| format!("boundary: {}", boundary.word())),
        named("focus", debate.options.focus.as_deref()),
        named("framework", debate.options.framework.as_ref().map(|framework| framework.name.as_str())),
        named("context", debate.options.context_source.as_deref()),
        named("follows", debate.options.follow_up.as_deref()),
        named("versus", debate.options.versus.as_deref()),
    ];
    let said: Vec<String> = said.into_iter().flatten().collect();
    (!said.is_empty()).then(|| said.join(", "))
}

fn next_step(debate: &Debate) -> Option<&'static str> {
    match debate.progress.status {
        Status::Paused if debate.awaits_direction() => Some(what_now(debate)),
        Status::InProgress => Some("If Claude is not writing, /anvil:resume asks for the phase again."),
        Status::NotStarted => Some("Type /anvil:resume in Claude Code to begin."),
        Status::Paused | Status::Failed => Some("/anvil:resume goes on, /anvil:cancel archives it."),
        Status::Completed | Status::Cancelled => None,
    }
}
