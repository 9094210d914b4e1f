//! Whose a debate is, and whether who asks may change it: the facts for the one rule in `debate/permission.rs`.

use super::{Engine, Note, Session};
use crate::debate::{Asker, Debate, Owner, Refusal, Verb, may_change};
use crate::error::{Error, Result};
use crate::state::{Client, Project, SessionRecord, ancestors};

use jiff::Timestamp;

/// Who owns a debate, for status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnerStatus {
    /// The session.
    pub session_id: String,
    /// It is the one that asks.
    pub is_own: bool,
    /// Whether its client runs, where that is known.
    pub is_running: Option<bool>,
    /// Since when, where this machine knows.
    pub since: Option<Timestamp>,
}

/// What the name of a session begins with whose seats are filled by programs.
pub const RUN: &str = "run-";

impl Engine<'_> {
    /// Refuses what the rule refuses. `true`: the debate is taken from a session that runs.
    pub(super) fn check_may_change(
        &self,
        verb: Verb,
        debate: &Debate,
        session: Option<&Session>,
        take_over: bool,
    ) -> Result<bool> {
        let (owner, asker) = (self.owner(debate), self.asker(debate, session));
        let effect = verb.effect(debate.is_active());
        may_change(effect, asker, owner, take_over).map_err(|refusal| refused(refusal, verb, session.is_some()))?;
        Ok(may_change(effect, asker, owner, false).is_err())
    }

    /// Whoever takes a debate from a session that runs owns it; a shell leaves it to the next session that resumes it.
    pub(super) fn take_from_owner(&self, debate: &mut Debate, session: Option<&Session>, project: &Project) {
        debate.assign_to(session.map(|session| session.id.clone()));
        if let Some(session) = session {
            self.remember(session, project);
        }
    }

    /// Notes on this machine that the session owns the debate of this project; if it did already, since when stays.
    pub(super) fn remember(&self, session: &Session, project: &Project) {
        let known = self.machine.session(&session.id).filter(|known| known.root == project.root());
        self.remember_since(session, project, known.and_then(|known| known.since));
    }

    /// Notes that Claude knows that the protocol of this session's debate does not hold for now.
    pub(super) fn remember_release(&self, session: &Session, project: &Project) {
        let known = self.machine.session(&session.id).filter(|known| known.root == project.root());
        let known = known.unwrap_or_else(|| SessionRecord::of(project.root(), session.client));
        // Without a memory it is said at each prompt, which is no harm.
        let _ = self.machine.remember(&session.id, &SessionRecord { is_informed: true, ..known });
    }

    /// The same for a debate that begins.
    pub(super) fn remember_new(&self, session: &Session, project: &Project) {
        self.remember_since(session, project, None);
    }

    fn remember_since(&self, session: &Session, project: &Project, since: Option<i64>) {
        let since = since.or_else(|| Some(self.world.now.as_millisecond()));
        let record = SessionRecord {
            since,
            for_client: session.for_client,
            ..SessionRecord::of(project.root(), session.client)
        };
        let remembered = self.machine.remember(&session.id, &record);
        if let Err(error) = remembered
            && project.root() != self.here()
        {
            self.add_note(Note::SessionNotRemembered { root: project.root().to_owned(), why: error.to_string() });
        }
    }

    /// Who owns a debate. `None`: no session does.
    pub(super) fn ownership(&self, debate: &Debate, session: Option<&Session>) -> Option<OwnerStatus> {
        let session_id = debate.ownership.session_id.clone()?;
        let is_running = match self.owner(debate) {
            Owner::Alive => Some(true),
            Owner::Dead => Some(false),
            Owner::Unknown | Owner::None => None,
        };
        let is_own = session.is_some_and(|session| session.id == session_id);
        let since = self.machine.session(&session_id).and_then(|record| record.since);
        let since = since.and_then(|since| Timestamp::from_millisecond(since).ok());
        Some(OwnerStatus { session_id, is_own, is_running, since })
    }

    /// True while the owner of the debate is a running client other than this one.
    pub(super) fn runs_elsewhere(&self, debate: &Debate, session: Option<&Session>) -> bool {
        self.owner(debate) == Owner::Alive && self.asker(debate, session) != Asker::Owner
    }

    pub(super) fn owner(&self, debate: &Debate) -> Owner {
        match (&debate.ownership.session_id, self.owning_client(debate)) {
            (None, _) => Owner::None,
            (Some(_), Some(client)) if client.is_alive() => Owner::Alive,
            (Some(_), Some(_)) if cfg!(unix) => Owner::Dead,
            (Some(_), _) => Owner::Unknown,
        }
    }

    fn owning_client(&self, debate: &Debate) -> Option<Client> {
        self.owner_record(debate)?.client
    }

    fn owner_record(&self, debate: &Debate) -> Option<SessionRecord> {
        self.machine.session(debate.ownership.session_id.as_deref()?)
    }

    /// The process whose programs fill the seats of this debate, while it runs.
    #[must_use]
    pub fn runner(&self, debate: &Debate) -> Option<Client> {
        let is_run = Self::is_argued_by_programs(debate);
        self.owning_client(debate).filter(|client| is_run && debate.is_active() && client.is_alive())
    }

    /// True where programs filled its seats last.
    pub(super) fn is_argued_by_programs(debate: &Debate) -> bool {
        debate.ownership.session_id.as_deref().is_some_and(|id| id.starts_with(RUN))
    }

    fn asker(&self, debate: &Debate, session: Option<&Session>) -> Asker {
        let record = self.owner_record(debate);
        let owner = record.as_ref().and_then(|record| record.client);
        let for_client = record.and_then(|record| record.for_client);
        match session {
            Some(session) if debate.ownership.session_id.as_deref() == Some(&session.id) => Asker::Owner,
            // Another conversation of the same client, as after /clear: the earlier one is over. Or the one for which programs argue.
            Some(session) if is_of([session.client, session.for_client], [owner, for_client]) => Asker::Owner,
            Some(_) => Asker::OtherSession,
            None => self.shell(debate, for_client.or(owner)),
        }
    }

    /// Whose shell this program runs in. The kernel knows its parents; what the environment says could be set by anyone, so it
    /// can take rights away and give none.
    fn shell(&self, debate: &Debate, owner: Option<Client>) -> Asker {
        let others = self.machine.clients();
        let nearest = ancestors().into_iter().find(|process| Some(*process) == owner || others.contains(process));
        let named = match (self.world.client_pid, &self.world.client_session) {
            (Some(pid), _) => Some(owner.is_some_and(|owner| owner.pid == pid)),
            (None, Some(id)) => Some(debate.ownership.session_id.as_ref() == Some(id)),
            (None, None) => None,
        };
        match (nearest, named) {
            (_, Some(false)) => Asker::ShellOfOther,
            (Some(client), _) if Some(client) == owner => Asker::ShellOfOwner,
            (Some(_), _) => Asker::ShellOfOther,
            (None, None) if self.world.is_below_client => Asker::ShellOfOther,
            (None, _) => Asker::Shell,
        }
    }
}

/// True where one of these clients is among the others.
fn is_of(clients: [Option<Client>; 2], others: [Option<Client>; 2]) -> bool {
    clients.into_iter().any(|client| client.is_some() && others.contains(&client))
}

fn refused(refusal: Refusal, verb: Verb, is_typed: bool) -> Error {
    let door = if is_typed { "/anvil:" } else { "anvil " };
    let line = match verb {
        Verb::Resume => "resume --take-over",
        Verb::Steer => "steer --take-over TEXT",
        Verb::Synthesize => "synthesize --take-over",
        Verb::Rounds => "rounds N --take-over",
        Verb::Again => "again --take-over",
        Verb::Undo => "undo --take-over",
        Verb::Redo => "redo --take-over",
        Verb::Restore => "restore NUMBER --take-over",
        Verb::Cancel => "cancel --take-over",
        Verb::Replace if is_typed => "debate QUESTION --replace --take-over",
        Verb::Replace => "start QUESTION --replace --take-over",
        Verb::Pull => "pull N --take-over",
        Verb::Publish => "publish N --take-over",
    };
    match refusal {
        Refusal::OwnedElsewhere => Error::failed(
            "another running session owns this debate",
            format!("do it there, or take the debate over: {door}{line}"),
        ),
        Refusal::DiscardsReply => Error::failed(
            "a running session owns this debate, and the reply that Claude may be writing would be lost",
            format!("wait for the reply, or do it now: {door}{line}"),
        ),
    }
}
