//! The status of a debate, line by line.

use std::fmt::Write as _;

use jiff::Timestamp;

use super::past::how;
use super::stops::what_now;
use super::turns::counted;
use crate::debate::{Debate, Phase, Status};
use crate::engine::{Look, OwnerStatus, RUN};
use crate::ledger::Ledger;
use crate::report;
use crate::state::{Claim, Repair};
use crate::tasks::Place;
use crate::text::{age, clean, duration, group};

/// Characters of a session's id that tell it from the others.
const SESSION_CHARS: usize = 8;

fn owner(owner: &OwnerStatus, workers: &[Claim], now: Timestamp) -> String {
    let id: String = clean(&owner.session_id, 200).chars().take(SESSION_CHARS).collect();
    let whose = match owner.session_id.strip_prefix(RUN).and_then(|rest| rest.split('-').next()) {
        Some(pid) => {
            let is_its = |claim: &&Claim| claim.holder.process.pid.to_string() == pid;
            match workers.iter().find(is_its) {
                Some(claim) => clean(&claim.worker, 60),
                None => format!("anvil run (process {})", clean(pid, 12)),
            }
        }
        None if owner.is_own => "this session".to_owned(),
        None => format!("session {id}"),
    };
    let runs = match owner.is_running {
        _ if owner.is_own => "",
        Some(true) => ", running",
        Some(false) => ", gone",
        None => "",
    };
    let since = owner.since.map_or_else(String::new, |since| format!(", took it up {}", age(now, since)));
    format!("{whose}{runs}{since}")
}
/// What `/anvil:status` and `anvil status` show, without a final line break.
#[must_use]
pub fn status(look: &Look) -> String {
    let debate = &look.debate;
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
            format!(", next: {}", debate.slot_label())
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
    if let Some(skipped) = &look.skipped {
        let _ = writeln!(out, "  skipped   {skipped}");
    }
    if let Some(steering) = &debate.progress.steering {
        let _ = writeln!(out, "  steering  {} (for the next phase)", clean(steering, 200));
    }
    if debate.progress.synthesis_requested && debate.progress.slot.phase != Phase::Synthesizer {
        let when = if debate.is_active() { "comes after this reply" } else { "comes with /anvil:resume" };
        let _ = writeln!(out, "  synthesis asked for: it {when}");
    }
    let _ = writeln!(out, "  words     {}", group(look.words));
    let ledger = Ledger::of_entries(&look.entries);
    if let Some(counted) = counted(ledger.counts()) {
        let _ = writeln!(out, "  ledger    {counted}");
    }
    if let Some(contradicted) = report::contradicted(&ledger).filter(|_| debate.progress.status == Status::Completed) {
        let _ = writeln!(out, "  {}", clean(&contradicted, 400));
    }
    if let Some((agent, since)) = &look.writing {
        let seconds = u64::try_from(look.now.duration_since(*since).as_secs()).unwrap_or(0);
        let _ = writeln!(out, "  writing   {}, for {}", clean(agent, 80), duration(seconds));
    }
    if !look.workers.is_empty() {
        let _ = writeln!(out, "  workers   {}", look.workers.iter().map(worker).collect::<Vec<_>>().join(", "));
    }
    if let Some(effort) = &look.effort {
        let _ = writeln!(out, "  programs  {}", effort.line());
    }
    let _ = writeln!(
        out,
        "  started   {}, last change {}",
        age(look.now, debate.progress.started_at),
        age(look.now, debate.progress.updated_at)
    );
    if let Some(owner) = look.owner.as_ref().filter(|_| debate.progress.status.is_unfinished()) {
        let _ = writeln!(out, "  owner     {}", self::owner(owner, &look.workers, look.now));
    }
    let _ = write!(out, "  file      {}", clean(&look.project.display(&look.project.state_file()), usize::MAX));
    if look.is_report_due {
        out.push_str("\n  report    missing: `anvil report` writes it");
    } else if let Some(report) = &look.report {
        let _ = write!(out, "\n  report    {}", clean(&look.project.display(report), usize::MAX));
    }
    if let Some(repair) = &look.repair {
        let _ = write!(out, "\n  note      {}", clean(&self::repair(repair), 600));
    }
    if let Some(hint) = next_step(look) {
        let _ = write!(out, "\n  {hint}");
    }
    out
}
/// How a state file differs from the debate that was read from it.
#[must_use]
pub fn repair(repair: &Repair) -> String {
    format!("{} (the next change writes it so)", repair.said.join("; "))
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
        debate.options.fact_check.map(|check| format!("fact check: {}", check.word())),
        flag(debate.options.research, "research"),
        flag(debate.options.interactive, "interactive"),
        (debate.options.judges > 1).then(|| format!("judges: {}", debate.options.judges)),
        flag(!debate.options.early_end, "early end: no"),
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

/// A worker and its task.
fn worker(claim: &Claim) -> String {
    let how = match (claim.received_at, claim.started_at) {
        (Some(_), _) => " (written)",
        (None, Some(_)) => " (writes)",
        (None, None) => "",
    };
    format!("{}: {}{how}", clean(&claim.worker, 60), clean(&claim.task, 60))
}

fn next_step(look: &Look) -> Option<&'static str> {
    let Look { debate, owner, workers, .. } = look;
    let next = Place::of(debate).id(debate.progress.cycle);
    if debate.is_active() && workers.iter().any(|claim| claim.task == next) {
        return Some("A worker writes it. `anvil workers` says more, /anvil:resume --take-over writes it here.");
    }
    let runs = owner.as_ref().filter(|owner| owner.session_id.starts_with(RUN)).and_then(|owner| owner.is_running);
    match debate.progress.status {
        Status::InProgress if runs == Some(true) => {
            Some("Programs write it. /anvil:steer TEXT gives it a direction, /anvil:cancel ends it.")
        }
        Status::InProgress if runs == Some(false) => Some("What wrote it is gone. /anvil:resume goes on."),
        Status::Paused if debate.awaits_direction() => Some(what_now(debate)),
        Status::InProgress => Some("If Claude is not writing, /anvil:resume asks for the phase again."),
        Status::NotStarted => Some("Type /anvil:resume in Claude Code to begin."),
        Status::Paused | Status::Failed => Some("/anvil:resume goes on, /anvil:cancel archives it."),
        Status::Completed | Status::Cancelled => None,
    }
}
