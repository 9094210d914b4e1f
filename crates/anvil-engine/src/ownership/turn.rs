//! Finds this session's debate, and checks under the lock that the session still owns it.
//!
//! A hook requests a [`OwnedTurn`], reads what the turn needs and passes that on. A session without
//! a debate costs at most three looks at the disk: no file is read, locked or written.

use jiff::Timestamp;

use super::error::OwnershipError;
use super::held::lock_any;
use crate::{Context, LOCK_WAIT, Note, Session, Skipped, Stopped};
use anvil_core::debate::{Debate, PlainReason, Status};
use anvil_store::{Loaded, Project, SessionRecord, Store};
use anvil_text::error::Result;

/// A turn of the client in a session with a debate in progress. It was found without a lock.
///
/// Its input counts only if the session still owns the debate and the same phase waits. That is
/// checked under the lock.
#[derive(Debug)]
pub struct OwnedTurn<'a> {
    pub context: &'a Context<'a>,
    pub session: &'a Session,
    pub store: Store,
    pub debate: Debate,
}

impl OwnedTurn<'_> {
    /// When the phase was requested. A reply to it is newer.
    pub fn phase_began(&self) -> Timestamp {
        self.debate.updated_at()
    }

    /// The phase requires a Read of the debate's file. A reply without the Read is not saved.
    pub fn must_read(&self) -> bool {
        self.debate.must_read()
    }

    /// How far a prompt of this session shows that Claude does not write the phase any more. The
    /// client holds a slash command back while Claude writes; what is typed then has the turn's id.
    pub fn silence(&self) -> Silence {
        let Self { context, session, debate, .. } = self;
        // Only a record tells if agents work.
        let Some(record) = context.machine.session(&session.id) else {
            return Silence::InTranscript;
        };
        let is_elsewhere = record.client.is_some_and(|recorded| {
            recorded.is_alive() && session.client.is_some_and(|client| !client.is_same(recorded))
        });
        if is_elsewhere || record.agents_work_since == Some(self.phase_began().as_millisecond()) {
            return Silence::Unknown;
        }
        match (debate.prompt_id(), &session.prompt_id) {
            (Some(of_debate), Some(now)) if of_debate == now => Silence::Unknown,
            (Some(_), Some(_)) => Silence::Shown,
            _ => Silence::InTranscript,
        }
    }
}

/// How far an event shows that Claude does not write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Silence {
    /// Claude may be writing.
    Unknown,
    /// Only the client's transcript can show it.
    InTranscript,
    /// The event shows it, unless an agent works for the turn.
    Shown,
}

/// The turn that ends with a Stop of this session. Reports once, as [`Skipped::Lost`], that the
/// debate was cancelled, replaced or taken over elsewhere.
pub fn stop_turn<'a>(
    context: &'a Context<'a>,
    session: &'a Session,
) -> Result<OwnedTurn<'a>, Stopped> {
    owned_turn(context, session).map_err(|stopped| match stopped {
        Stopped::Skipped(Skipped::NoDebate | Skipped::NotOwner)
            if context.machine.session(&session.id).is_some() =>
        {
            context.machine.end(&session.id);
            Skipped::Lost.into()
        }
        other => other,
    })
}

/// The turn of any event. A lost debate is [`Skipped::NoDebate`] or [`Skipped::NotOwner`] here.
pub fn owned_turn<'a>(
    context: &'a Context<'a>,
    session: &'a Session,
) -> Result<OwnedTurn<'a>, Stopped> {
    let (store, debate) =
        find_owned_debate(context, session, context.machine.read_session(&session.id))?;
    check_owned_active(&debate, session)?;
    Ok(OwnedTurn { context, session, store, debate })
}

/// This session's debate in any status. `record` is this machine's record of the session.
pub(crate) fn find_owned_debate(
    context: &Context<'_>,
    session: &Session,
    record: std::io::Result<Option<SessionRecord>>,
) -> Result<(Store, Debate), Stopped> {
    if matches!(&record, Ok(Some(record)) if record.follows.is_some()) {
        return Err(Skipped::Follows.into());
    }
    let recorded = record.and_then(Context::project_of_record);
    let is_recorded = matches!(recorded, Ok(Some(_)));
    let is_unknown = recorded.is_err();
    let recorded = recorded.unwrap_or_default();
    let project = match recorded {
        Some(project) => project,
        None if context.machine.can_remember() => Project::at(context.here()),
        // Without records on this machine, the session may have started the debate for the whole
        // checkout.
        None => context.selected_project(),
    };
    let mut store = Store::new(project, context.world);
    let debate = match store.read_head() {
        Ok(debate) => debate,
        // The owner may be in a file that can't be read just now.
        Err(error) if is_unknown => return Err(error.into()),
        Err(_) if !is_recorded => return Err(Skipped::NotReadable.into()),
        // This session had a debate there. Other parts of the file or its snapshots may restore
        // it.
        Err(_) => repair_owned(context, &mut store, session)?,
    };
    let debate = debate.filter(|debate| debate.status() != Status::Cancelled);
    let debate = debate.ok_or(Skipped::NoDebate)?;
    if !debate.is_owned_by(&session.id) {
        return Err(Skipped::NotOwner.into());
    }
    Ok((store, debate))
}

/// Repairs the file of a recorded session if its head can't be read. If no owner can be read, this
/// session gets the debate, and an unfinished one pauses. Both are saved at once.
fn repair_owned(
    context: &Context<'_>,
    store: &mut Store,
    session: &Session,
) -> Result<Option<Debate>> {
    let Some(loaded) = store.load()? else { return Ok(None) };
    if loaded.repair.is_none() || loaded.state.debate.session_id().is_some() {
        return Ok(Some(loaded.state.debate));
    }
    let Some(mut held) = lock_any(context, store, LOCK_WAIT)? else { return Ok(None) };
    let is_lost = held.is_lost;
    let debate = &mut held.state.debate;
    if held.repair.is_some() && debate.session_id().is_none() {
        debate.assign_to(Some(session.id.clone()));
        if debate.status().is_unfinished() && !is_lost {
            debate.pause(PlainReason::NoOwner, context.world.now);
        }
        held = held.commit()?;
        context.add_note(Note::OwnerUnknown { is_lost });
    }
    Ok(Some(held.into_debate()))
}

/// The state under the lock, if this session still owns the debate and it is in progress.
pub(crate) fn check_still_owned(
    loaded: Option<Loaded>,
    session: &Session,
) -> Result<Loaded, Stopped> {
    let loaded = loaded.ok_or(Skipped::NoDebate)?;
    let is_damaged = loaded.repair.as_ref().is_some_and(|repair| repair.damaged);
    if is_damaged && loaded.state.debate.session_id().is_none() {
        // This session owned the debate a moment ago.
        return Err(Stopped::Failed(OwnershipError::OwnerLost.into()));
    }
    check_owned_active(&loaded.state.debate, session)?;
    Ok(loaded)
}

pub(crate) fn check_owned_active(debate: &Debate, session: &Session) -> Result<(), Skipped> {
    if debate.status() == Status::Cancelled {
        Err(Skipped::NoDebate)
    } else if !debate.is_owned_by(&session.id) {
        Err(Skipped::NotOwner)
    } else if debate.is_active() {
        Ok(())
    } else {
        Err(Skipped::NotActive)
    }
}

/// True if the event came while Claude was writing for the debate: it has the id of the debate's
/// turn.
pub(crate) fn is_writing(debate: &Debate, session: &Session) -> bool {
    debate.is_active()
        && debate.is_owned_by(&session.id)
        && session.prompt_id.is_some()
        && debate.prompt_id() == session.prompt_id.as_deref()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Context, Interruption, TurnEnd};
    use anvil_core::options::DebateOptions;
    use anvil_core::place::Seat;
    use anvil_core::reply::{Reply, TurnOutput};
    use anvil_system::world::World;

    #[test]
    fn a_reply_read_before_a_newer_step_is_not_saved() {
        let home = tempfile::tempdir().unwrap();
        let world = |now: &str| {
            let var = |name: &str| match name {
                "HOME" => Some(home.path().into()),
                "ANVIL_NOW" => Some(now.into()),
                _ => None,
            };
            World { cwd: home.path().to_owned(), ..World::gather(var).unwrap() }
        };
        let session = Session::new("one");
        let start = world("2026-11-21T10:00:00Z");
        crate::session::start(
            &Context::new(&start),
            Some(&session),
            "Is it so?",
            &DebateOptions::default(),
        )
        .unwrap();

        let world = world("2026-11-21T10:01:00Z");
        let engine = Context::new(&world);
        let turns = [(); 3].map(|()| stop_turn(&engine, &session).unwrap());
        let reply = |text: &str| Reply {
            phase_began: start.now,
            texts: vec![text.to_owned()],
            ..Reply::default()
        };
        assert!(turns.iter().all(|turn| turn.phase_began() == start.now));
        let [first, again, prompt] = turns;
        let filed = first.record(Some(reply("A1. One."))).unwrap();
        assert!(matches!(filed, TurnEnd::GoesOn(_)), "{filed:?}");
        let stopped = again.record(Some(reply("A1. Another."))).unwrap_err();
        assert!(matches!(stopped, Stopped::Skipped(Skipped::Redelivered)), "{stopped:?}");
        match prompt.interrupt(Some(TurnOutput::Reply(reply("A1. A third.")))).unwrap() {
            Interruption::Paused(debate) => assert_eq!(debate.place().seat, Seat::Critic),
            other => panic!("{other:?}"),
        }
        assert!(engine.take_notes().is_empty());
    }
}
