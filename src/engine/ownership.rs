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
        let root = project.root().to_owned();
        let known = known.unwrap_or(SessionRecord {
            root,
            client: session.client,
            since: None,
            is_informed: false,
            is_over: false,
        });
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
            root: project.root().to_owned(),
            client: session.client,
            since,
            is_informed: false,
            is_over: false,
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

    fn owner(&self, debate: &Debate) -> Owner {
        match (&debate.ownership.session_id, self.owning_client(debate)) {
            (None, _) => Owner::None,
            (Some(_), Some(client)) if client.is_alive() => Owner::Alive,
            (Some(_), Some(_)) if cfg!(unix) => Owner::Dead,
            (Some(_), _) => Owner::Unknown,
        }
    }

    fn owning_client(&self, debate: &Debate) -> Option<Client> {
        self.machine.session(debate.ownership.session_id.as_deref()?)?.client
    }

    fn asker(&self, debate: &Debate, session: Option<&Session>) -> Asker {
        let owner = self.owning_client(debate);
        match session {
            Some(session) if debate.ownership.session_id.as_deref() == Some(&session.id) => Asker::Owner,
            // Another conversation of the same client, as after /clear: the earlier one is over.
            Some(session) if session.client.is_some() && session.client == owner => Asker::Owner,
            Some(_) => Asker::OtherSession,
            None => self.shell(debate, owner),
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
