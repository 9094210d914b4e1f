//! This session's debate: the one place that finds it, and that checks under the lock whether it still is its own.
//!
//! A hook asks for a [`Turn`], reads what that needs to be given, and hands it over. In a session without a debate this
//! costs one or two looks at the disk: nothing is read, locked or written.

use jiff::Timestamp;

use super::{Engine, LOCK_WAIT, Note, Nothing, Session, Stopped};
use crate::debate::Debate;
use crate::error::{Error, Result};
use crate::state::{Change, Loaded, Locked, Project, SessionRecord, Store};

/// A turn of the client in a session whose debate is in progress, as one look without a lock has found it.
///
/// What it is given counts only if the debate still is this session's and waits for the same phase: that is checked
/// under the lock.
#[derive(Debug)]
pub struct Turn<'a> {
    pub(super) engine: &'a Engine<'a>,
    pub(super) session: &'a Session,
    pub(super) store: Store,
    pub(super) debate: Debate,
}

impl Turn<'_> {
    /// When the phase was asked for: a reply to it is newer.
    #[must_use]
    pub fn asked_at(&self) -> Timestamp {
        self.debate.progress.updated_at
    }

    /// The phase's cue asked for a Read of the debate's file; a reply without it is not filed.
    #[must_use]
    pub fn must_read(&self) -> bool {
        self.debate.ownership.must_read
    }

    /// When the phase was asked for, if its reply may be whole without a Stop having filed it. `None` while Claude may
    /// be writing it: in this very turn, or in any where the client does not name its turns.
    #[must_use]
    pub fn unfiled_since(&self) -> Option<Timestamp> {
        let may_be_writing = self.session.prompt_id.is_none() || is_writing(&self.debate, self.session);
        (!may_be_writing).then(|| self.asked_at())
    }
}

impl Engine<'_> {
    /// The turn that ends with a Stop of this session. That its debate was cancelled, replaced or taken over elsewhere is
    /// said once.
    pub fn turn<'a>(&'a self, session: &'a Session) -> Result<Turn<'a>, Stopped> {
        self.own_turn(session).map_err(|stopped| match stopped {
            Stopped::Nothing(Nothing::NoDebate | Nothing::NotOwner) if self.machine.session(&session.id).is_some() => {
                self.machine.end(&session.id);
                Nothing::Lost.into()
            }
            other => other,
        })
    }

    /// The same for any other event.
    pub(super) fn own_turn<'a>(&'a self, session: &'a Session) -> Result<Turn<'a>, Stopped> {
        let (store, debate) = self.own(session, self.machine.read_session(&session.id))?;
        check_own_active(&debate, session)?;
        Ok(Turn { engine: self, session, store, debate })
    }

    /// This session's debate, whatever its status. `record` is what this machine knows of the session.
    pub(super) fn own(
        &self,
        session: &Session,
        record: std::io::Result<Option<SessionRecord>>,
    ) -> Result<(Store, Debate), Stopped> {
        if matches!(&record, Ok(Some(record)) if record.follows.is_some()) {
            return Err(Nothing::Follows.into());
        }
        let recorded = record.and_then(Self::project_of);
        let (is_recorded, is_unknown) = (matches!(recorded, Ok(Some(_))), recorded.is_err());
        let recorded = recorded.unwrap_or_default();
        // Without records the session may have begun it for the whole checkout; with them, this folder is looked at and no other.
        let unrecorded = || if self.machine.can_remember() { Project::at(self.here()) } else { self.project_meant() };
        let store = Store::of(recorded.unwrap_or_else(unrecorded), self.world);
        let debate = match store.read_head() {
            Ok(debate) => debate,
            // Whose it is may be written where nothing can be read just now.
            Err(error) if is_unknown => return Err(error.into()),
            Err(_) if !is_recorded => return Err(Nothing::NotReadable.into()),
            // This session had a debate there: the rest of the file says what it was, or its checkpoints do.
            Err(_) => self.repair_own(&store, session)?,
        };
        let debate = debate.ok_or(Nothing::NoDebate)?;
        if !debate.is_owned_by(&session.id) {
            return Err(Nothing::NotOwner.into());
        }
        Ok((store, debate))
    }

    /// A recorded session's file whose head can't be read. Where nothing says any more whose it is, it is this session's,
    /// and waits for the user; that is written down at once.
    fn repair_own(&self, store: &Store, session: &Session) -> Result<Option<Debate>> {
        let is_nobodys =
            |loaded: &Loaded| loaded.repair.is_some() && loaded.state.debate.ownership.session_id.is_none();
        let Some(loaded) = store.load()? else { return Ok(None) };
        if !is_nobodys(&loaded) {
            return Ok(Some(loaded.state.debate));
        }
        let locked = store.lock(LOCK_WAIT)?;
        let Some(mut loaded) = locked.load()? else { return Ok(None) };
        if is_nobodys(&loaded) {
            loaded.state.debate.assign_to(Some(session.id.clone()));
            if loaded.state.debate.progress.status.is_unfinished() && !loaded.is_lost {
                loaded.state.debate.pause("the file does not record its owner".to_owned(), self.world.now);
            }
            let change = if loaded.is_lost { Change::Fail } else { Change::Pause };
            self.commit(&locked, &loaded.state, &change)?;
            self.add_note(Note::OwnerUnknown { is_lost: loaded.is_lost });
        }
        Ok(Some(loaded.state.debate))
    }
}

/// The state under the lock, if it still is this session's debate in progress.
pub(super) fn load_own_active(locked: &Locked<'_>, session: &Session) -> Result<Loaded, Stopped> {
    let loaded = locked.load()?.ok_or(Nothing::NoDebate)?;
    let is_damaged = loaded.repair.as_ref().is_some_and(|repair| repair.damaged);
    if is_damaged && loaded.state.debate.ownership.session_id.is_none() {
        // It was this session's a moment ago.
        return Err(Stopped::Failed(Error::failed(
            "the state file is damaged, and what told whose it is can't be read any more",
            "type /anvil:resume to go on, with what Claude wrote",
        )));
    }
    check_own_active(&loaded.state.debate, session)?;
    Ok(loaded)
}

pub(super) fn check_own_active(debate: &Debate, session: &Session) -> Result<(), Nothing> {
    if !debate.is_owned_by(&session.id) {
        Err(Nothing::NotOwner)
    } else if debate.is_active() {
        Ok(())
    } else {
        Err(Nothing::NotActive)
    }
}

/// True when this event came while Claude was writing for the debate: it has the id of its turn.
pub(super) fn is_writing(debate: &Debate, session: &Session) -> bool {
    debate.is_active()
        && debate.is_owned_by(&session.id)
        && session.prompt_id.is_some()
        && debate.ownership.prompt_id == session.prompt_id
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::DebateOptions;
    use crate::debate::Phase;
    use crate::engine::{Interruption, Outcome};
    use crate::reply::{Reply, TurnOutput};
    use crate::world::World;

    #[test]
    fn what_was_read_before_another_event_moved_the_debate_on_is_not_filed() {
        let home = tempfile::tempdir().unwrap();
        let world = |now: &str| {
            let var = |name: &str| match name {
                "HOME" => Some(home.path().into()),
                "ANVIL_NOW" => Some(now.into()),
                _ => None,
            };
            World { cwd: home.path().to_owned(), ..World::gather(var).unwrap() }
        };
        let session = Session { id: "one".to_owned(), prompt_id: None, client: None, for_client: None };
        let start = world("2026-11-21T10:00:00Z");
        Engine::new(&start).start(Some(&session), "Is it so?", &DebateOptions::default()).unwrap();

        let world = world("2026-11-21T10:01:00Z");
        let engine = Engine::new(&world);
        let turns = [(); 3].map(|()| engine.turn(&session).unwrap());
        let reply = |text: &str| Reply { asked_at: start.now, texts: vec![text.to_owned()], ..Reply::default() };
        assert!(turns.iter().all(|turn| turn.asked_at() == start.now));
        let [first, again, prompt] = turns;
        let filed = first.record(TurnOutput::Reply(reply("A1. One."))).unwrap();
        assert!(matches!(filed, Outcome::Advanced { words: 2, .. }), "{filed:?}");
        let stopped = again.record(TurnOutput::Reply(reply("A1. Another."))).unwrap_err();
        assert!(matches!(stopped, Stopped::Nothing(Nothing::Redelivered)), "{stopped:?}");
        match prompt.interrupt(Some(reply("A1. A third."))).unwrap() {
            Interruption::Paused(debate) => assert_eq!(debate.progress.slot.phase, Phase::Critic),
            other => panic!("{other:?}"),
        }
        assert!(engine.take_notes().is_empty());
    }
}
