//! Collects the facts for the one rule, [`may_change`]: the owner, and the caller that wants a
//! change.

use std::path::PathBuf;

use jiff::Timestamp;

use super::error::OwnershipError;
use crate::programs::generation_at_head;
use crate::{Context, NextReply, Note, Session};
use anvil_core::debate::{Asker, Debate, Owner, UserAction, may_change};
use anvil_store::{Project, RunId, SessionRecord, Store};
use anvil_system::process::{ProcessId, ancestors};
use anvil_text::error::Result;
use anvil_text::{Hint, Verb, clean};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnerStatus {
    pub session_id: String,
    /// The run with this id, if it is not a session of Claude Code.
    pub run: Option<RunId>,
    /// The caller is the owner.
    pub is_own: bool,
    /// True while its client runs. `None`: this machine does not know.
    pub is_running: Option<bool>,
    /// The start of the ownership. `None`: this machine does not know.
    pub since: Option<Timestamp>,
    /// The client's transcript of it, if it is on record.
    pub transcript: Option<PathBuf>,
}

/// Refuses the verb if the rule refuses it. `true`: the verb takes the debate from a session that
/// runs.
pub(crate) fn check_may_change(
    context: &Context<'_>,
    action: UserAction,
    debate: &Debate,
    session: Option<&Session>,
    take_over: bool,
) -> Result<bool> {
    let owner = owner(context, debate);
    let asker = asker(context, debate, session);
    let effect = action.effect(is_being_written(context, debate));
    may_change(effect, asker, owner, take_over)
        .map_err(|refusal| OwnershipError::Refused { refusal, action })?;
    Ok(may_change(effect, asker, owner, false).is_err())
}

/// True while somebody may be writing the next reply.
fn is_being_written(context: &Context<'_>, debate: &Debate) -> bool {
    if !debate.is_active() {
        return false;
    }
    let attempts = context.selected_store(None).attempts(&debate.id).unwrap_or_default();
    let owner = owner_status(context, debate, None);
    let answers = generation_at_head(debate);
    NextReply::now(context, debate, answers, &attempts, owner.as_ref()).is_written()
}

/// Assigns a debate that was taken from its owner to this session. Without one, as in a shell,
/// the debate waits for the next session that resumes it.
pub(crate) fn take_from_owner(
    context: &Context<'_>,
    debate: &mut Debate,
    session: Option<&Session>,
    project: &Project,
) {
    debate.assign_to(session.map(|session| session.id.clone()));
    if let Some(session) = session {
        remember(context, session, project, Since::AsKnown);
    }
}

/// When a session has begun to own a debate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Since {
    /// A start time that is already saved stays.
    AsKnown,
    Now,
}

/// Saves on this machine that the session owns the debate of this project.
pub(crate) fn remember(context: &Context<'_>, session: &Session, project: &Project, since: Since) {
    let known = context.machine.session(&session.id);
    let known = known.filter(|known| since == Since::AsKnown && known.root == project.root());
    let record = SessionRecord {
        since: known
            .and_then(|known| known.since)
            .or_else(|| Some(context.world.now.as_millisecond())),
        for_client: session.for_client,
        transcript: session.transcript.clone(),
        ..SessionRecord::new(project.root(), session.client)
    };
    if let Err(error) = context.machine.remember(&session.id, &record)
        && project.root() != context.here()
    {
        let root = project.root().to_owned();
        let why = error.to_string();
        context.add_note(Note::SessionNotRemembered { root, why });
    }
}

/// Saves that Claude has read this: the protocol of this session's debate does not apply now.
pub(crate) fn remember_release(context: &Context<'_>, session: &Session, project: &Project) {
    let known = context.machine.session(&session.id).filter(|known| known.root == project.root());
    let known = known.unwrap_or_else(|| SessionRecord::new(project.root(), session.client));
    // If this is not saved, Claude reads it at each prompt, which does no harm.
    let informed = SessionRecord { is_informed: true, ..known };
    let _ = context.machine.remember(&session.id, &informed);
}

/// Saves if agents of the turn that was to write the next reply work on after its Stop.
pub(crate) fn remember_agents(context: &Context<'_>, session: &Session, since: Option<Timestamp>) {
    let since = since.map(Timestamp::as_millisecond);
    let known = context.machine.session(&session.id);
    if let Some(known) = known.filter(|known| known.agents_work_since != since) {
        let record = SessionRecord { agents_work_since: since, ..known };
        let _ = context.machine.remember(&session.id, &record);
    }
}

/// `None`: no session owns the debate.
pub(crate) fn owner_status(
    context: &Context<'_>,
    debate: &Debate,
    session: Option<&Session>,
) -> Option<OwnerStatus> {
    let session_id = debate.session_id()?.to_owned();
    let is_running = match owner(context, debate) {
        Owner::Alive => Some(true),
        Owner::Dead => Some(false),
        Owner::Unknown | Owner::None => None,
    };
    let is_own = session.is_some_and(|session| session.id == session_id);
    let record = context.machine.session(&session_id);
    let since = record.as_ref().and_then(|record| record.since);
    let since = since.and_then(|since| Timestamp::from_millisecond(since).ok());
    let run = RunId::parse(&session_id);
    let transcript = record.and_then(|record| record.transcript);
    Some(OwnerStatus { session_id, run, is_own, is_running, since, transcript })
}

/// True while the owner of the debate is a running client other than this one.
pub(crate) fn runs_elsewhere(
    context: &Context<'_>,
    debate: &Debate,
    session: Option<&Session>,
) -> bool {
    owner(context, debate) == Owner::Alive && asker(context, debate, session) != Asker::Owner
}

pub(crate) fn owner(context: &Context<'_>, debate: &Debate) -> Owner {
    match (debate.session_id(), owning_client(context, debate)) {
        (None, _) => Owner::None,
        (Some(_), Some(client)) if client.is_alive() => Owner::Alive,
        (Some(_), Some(_)) if cfg!(unix) => Owner::Dead,
        (Some(_), _) => Owner::Unknown,
    }
}

fn owning_client(context: &Context<'_>, debate: &Debate) -> Option<ProcessId> {
    owner_record(context, debate)?.client
}

fn owner_record(context: &Context<'_>, debate: &Debate) -> Option<SessionRecord> {
    context.machine.session(debate.session_id()?)
}

/// The process of the run that fills the seats of this debate, while it runs.
pub(crate) fn runner(context: &Context<'_>, debate: &Debate) -> Option<ProcessId> {
    let is_run = is_argued_by_programs(debate);
    owning_client(context, debate)
        .filter(|client| is_run && debate.is_active() && client.is_alive())
}

/// True if programs were the last to fill its seats.
pub fn is_argued_by_programs(debate: &Debate) -> bool {
    let session = debate.session_id();
    session.and_then(RunId::parse).is_some()
}

/// A hint that begins with the command that continues a debate. In a shell, programs go on with
/// what they argued (`is_run`).
pub(crate) fn resume_hint(is_run: bool, then: Hint) -> Hint {
    let resume = then.clone().after(Verb::Resume);
    if is_run { (then.after(Verb::Run.with("--resume")), resume).into() } else { resume }
}

fn asker(context: &Context<'_>, debate: &Debate, session: Option<&Session>) -> Asker {
    let record = owner_record(context, debate);
    let owner = record.as_ref().and_then(|record| record.client);
    let for_client = record.and_then(|record| record.for_client);
    match session {
        Some(session) if debate.is_owned_by(&session.id) => Asker::Owner,
        // Another conversation of the owner's client, as after /clear: the earlier one is over.
        // Or the conversation for which programs argue.
        Some(session) if is_of([session.client, session.for_client], [owner, for_client]) => {
            Asker::Owner
        }
        Some(_) => Asker::OtherSession,
        None => shell(context, debate, for_client.or(owner)),
    }
}

/// The kind of shell that this program runs in. The kernel knows the parent processes. Any program
/// can set the environment, so the environment can only take rights away.
fn shell(context: &Context<'_>, debate: &Debate, owner: Option<ProcessId>) -> Asker {
    let clients = context.machine.clients();
    let nearest = ancestors().into_iter().find(|process| {
        owner.is_some_and(|owner| owner.is_same(*process))
            || clients.iter().any(|client| client.is_same(*process))
    });
    let named = match (context.world.client_pid, &context.world.client_session) {
        (Some(pid), _) => Some(owner.is_some_and(|owner| owner.pid == pid)),
        (None, Some(id)) => Some(debate.is_owned_by(id)),
        (None, None) => None,
    };
    match (nearest, named) {
        (_, Some(false)) => Asker::ShellOfOther,
        (Some(client), _) if owner.is_some_and(|owner| owner.is_same(client)) => {
            Asker::ShellOfOwner
        }
        (Some(_), _) => Asker::ShellOfOther,
        (None, None) if context.world.is_below_client => Asker::ShellOfOther,
        (None, _) => Asker::Shell,
    }
}

/// True if one of these clients is also in `others`.
fn is_of(clients: [Option<ProcessId>; 2], others: [Option<ProcessId>; 2]) -> bool {
    clients
        .into_iter()
        .flatten()
        .any(|client| others.iter().flatten().any(|other| other.is_same(client)))
}

/// Refuses a driver for a debate with claimed tasks that may still be written.
pub(crate) fn check_unclaimed(store: &Store, debate: &Debate) -> Result<()> {
    let attempts = store.attempts(&debate.id)?;
    let next = debate.next_place();
    let tasks_left: Vec<String> = debate
        .places()
        .into_iter()
        .skip_while(|place| *place != next)
        .map(|place| place.id(debate.cycle()))
        .collect();
    let open: Vec<String> = attempts
        .open_claims()
        .filter(|claim| !claim.is_dead())
        .filter_map(|claim| Some((&claim.claim()?.task, &claim.started.origin.agent)))
        .filter(|(task, _)| tasks_left.contains(task))
        .map(|(task, name)| format!("{} ({})", clean(task, 60), clean(name, 60)))
        .collect();
    if open.is_empty() {
        return Ok(());
    }
    Err(OwnershipError::Claimed(open.join(", ")).into())
}
