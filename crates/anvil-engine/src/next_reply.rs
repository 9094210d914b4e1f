//! What becomes of the next reply: who writes it, since when, and which try it is. Pure; every
//! screen reads this answer and no other.

use std::time::Duration;

use jiff::Timestamp;

use crate::tasks::holder;
use crate::{Context, OwnerStatus};
use anvil_core::attempt::{Generation, Slot};
use anvil_core::debate::{Debate, Status};
use anvil_core::limits::MAX_RETRIES;
use anvil_core::tasks::TaskHolder;
use anvil_prompt::brief_api_error;
use anvil_store::client::{CutOff, cut_off_since};
use anvil_store::{Attempt, Attempts};

/// The next reply of a debate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NextReply {
    pub state: ReplyState,
    /// The tries that have begun: 0 if nobody has begun to write. It only grows until the reply is
    /// saved.
    pub tries: u32,
}

/// Most tries of a reply by a conversation. Then the debate stops as failed.
pub const MAX_TRIES: u32 = MAX_RETRIES as u32;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplyState {
    /// It waits for a writer: a conversation, a run, or the holder of its task.
    Awaited,
    /// The user decides first: the debate is paused.
    Paused,
    /// The user is asked for a direction.
    AwaitsDirection,
    Written {
        writer: Writer,
        /// `None`: the writer is on another machine.
        since: Option<Timestamp>,
        /// It was requested so long ago that Claude may not write it any more.
        is_overdue: bool,
    },
    /// A program has written it, and nobody has saved it yet.
    Received,
    /// Its writer has stopped.
    Interrupted { since: Timestamp, why: String },
    /// Every try failed.
    Failed,
    /// No reply follows.
    Over,
}

/// The writer of a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Writer {
    Conversation,
    /// `anvil run`, with the agent that it has asked. `None`: it has asked none yet.
    Run(Option<String>),
    /// The holder of its task.
    Holder(String),
}

/// What the state of the next reply is decided by.
struct Facts<'a> {
    pub debate: &'a Debate,
    pub answers: Generation,
    pub attempts: &'a Attempts,
    pub owner: Option<&'a OwnerStatus>,
    /// The holder of the next reply's task, unless its process has ended.
    pub holder: Option<&'a TaskHolder>,
    /// The end of its turn, as the client's transcript shows it.
    pub cut: Option<&'a CutOff>,
    pub now: Timestamp,
}

/// A reply of Claude takes less. After this time Claude may have stopped, because Esc ends a turn
/// without a hook.
const LONGEST_REPLY: Duration = Duration::from_mins(10);

impl NextReply {
    /// That of a debate now. `answers`: the state that its next reply answers. `owner`: the owner's
    /// status.
    pub(crate) fn now(
        context: &Context<'_>,
        debate: &Debate,
        answers: Generation,
        attempts: &Attempts,
        owner: Option<&OwnerStatus>,
    ) -> Self {
        let task = debate.next_place().id(debate.cycle());
        let claim = attempts.open_claims().find(|attempt| {
            attempt.claim().is_some_and(|claim| claim.task == task) && !attempt.is_dead()
        });
        // The owner's next event writes the end of its turn: a screen only reads.
        let transcript = owner.and_then(|owner| owner.transcript.as_deref());
        let cut = transcript
            .filter(|_| debate.is_active())
            .and_then(|path| cut_off_since(path, debate.updated_at()..=context.world.now));
        Self::of(&Facts {
            debate,
            answers,
            attempts,
            owner,
            holder: claim.and_then(holder).as_ref(),
            cut: cut.as_ref(),
            now: context.world.now,
        })
    }

    fn of(facts: &Facts<'_>) -> Self {
        let (state, is_on_record) = state(facts);
        let slot = Slot::from(facts.debate.next_place());
        let tries = facts.attempts.tries(slot, facts.answers);
        let ended = tries.max(facts.debate.retry_count().into());
        Self { state, tries: ended + u32::from(!is_on_record) }
    }

    /// Why it is not being written, if its writer has stopped.
    pub fn interruption(&self) -> Option<&str> {
        match &self.state {
            ReplyState::Interrupted { why, .. } => Some(why),
            _ => None,
        }
    }

    pub fn is_overdue(&self) -> bool {
        matches!(self.state, ReplyState::Written { is_overdue: true, .. })
    }

    pub(crate) fn is_written(&self) -> bool {
        matches!(self.state, ReplyState::Written { .. })
    }

    /// The program that writes it. `None`: nobody, or a person.
    pub(crate) fn program(&self) -> Option<&'static str> {
        match self.state {
            ReplyState::Written { writer: Writer::Conversation, .. } => Some("Claude Code"),
            ReplyState::Written { writer: Writer::Run(_), .. } => Some("anvil run"),
            _ => None,
        }
    }

    /// When its writer began. `None`: nobody writes it, or it is unknown.
    pub(crate) fn since(&self) -> Option<Timestamp> {
        match self.state {
            ReplyState::Written { since, .. } => since,
            _ => None,
        }
    }

    pub(crate) fn is_written_by_run(&self) -> bool {
        matches!(self.state, ReplyState::Written { writer: Writer::Run(_), .. })
    }

    /// The stable word of its state, for programs.
    pub fn word(&self) -> &'static str {
        match self.state {
            ReplyState::Awaited => "awaiting-invocation",
            ReplyState::Paused => "paused",
            ReplyState::AwaitsDirection => "awaiting-direction",
            ReplyState::Written { .. } => "writing",
            ReplyState::Received => "received",
            ReplyState::Interrupted { .. } => "interrupted",
            ReplyState::Failed => "failed",
            ReplyState::Over => "over",
        }
    }
}

/// `false`: a turn of a conversation, which is on record only when a hook has seen its end.
fn state(facts: &Facts<'_>) -> (ReplyState, bool) {
    let Facts { debate, answers, attempts, owner, holder, cut, now } = *facts;
    match debate.status() {
        Status::Completed | Status::Cancelled => return (ReplyState::Over, true),
        Status::Failed => return (ReplyState::Failed, true),
        Status::Paused if debate.awaits_direction() => return (ReplyState::AwaitsDirection, true),
        Status::Paused => return (ReplyState::Paused, true),
        Status::NotStarted => return (ReplyState::Awaited, true),
        Status::InProgress => {}
    }
    let requested_at = debate.updated_at();
    let written = |writer, since| ReplyState::Written { writer, since, is_overdue: false };
    let interrupted = |since, why: &str| ReplyState::Interrupted { since, why: why.to_owned() };
    if let Some(holder) = holder {
        return (written(Writer::Holder(holder.name.clone()), Some(holder.claimed_at)), true);
    }
    let slot = Slot::from(debate.next_place());
    if attempts.waiting(slot, &[answers]).is_some() {
        return (ReplyState::Received, true);
    }
    // A program outlives its run.
    let runs = attempts.open().find(|attempt| {
        attempt.started.slot == slot && !attempt.is_over && attempt.started.process.is_alive()
    });
    if let Some(Attempt { started, .. }) = runs {
        let writer = Writer::Run(Some(started.origin.agent.clone()));
        return (written(writer, Some(started.at)), true);
    }
    if let Some(turn) = attempts.cut_turn(Generation::Turn(debate.into()), requested_at) {
        let why = match turn.message.as_str() {
            "" => "its turn ended without a reply".to_owned(),
            why => brief_api_error(why),
        };
        return (interrupted(turn.at, &why), true);
    }
    let Some(owner) = owner else { return (ReplyState::Awaited, true) };
    if let Some(cut) = cut {
        let why = cut.error.as_deref().map_or("you stopped it".to_owned(), brief_api_error);
        return (interrupted(cut.at, &why), false);
    }
    match (owner.run, owner.is_running) {
        (_, _) if owner.is_own => (written_by_claude(Some(requested_at), debate, now), false),
        (Some(_), Some(true)) => (written(Writer::Run(None), Some(requested_at)), true),
        (Some(_), Some(false)) => (interrupted(requested_at, "its run ended"), true),
        (Some(_), None) => (written(Writer::Run(None), None), true),
        (None, Some(true)) => (written_by_claude(Some(requested_at), debate, now), false),
        (None, Some(false)) => (interrupted(requested_at, "Claude Code ended"), false),
        (None, None) => (written_by_claude(None, debate, now), false),
    }
}

fn written_by_claude(since: Option<Timestamp>, debate: &Debate, now: Timestamp) -> ReplyState {
    let waited = now.duration_since(debate.updated_at()).try_into();
    let is_overdue = waited.is_ok_and(|waited: Duration| waited > LONGEST_REPLY);
    ReplyState::Written { writer: Writer::Conversation, since, is_overdue }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::programs::generation_of;
    use anvil_core::attempt::{FailureKind, TurnLine};
    use anvil_store::{Origin, RunId, StartedLine};
    use anvil_system::process::ProcessId;
    use jiff::SignedDuration;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::UNIX_EPOCH + SignedDuration::from_secs(seconds)
    }

    fn owner(is_run: bool, is_own: bool, is_running: Option<bool>) -> OwnerStatus {
        let session_id = if is_run { "run-7-1" } else { "one" }.to_owned();
        let run = RunId::parse(&session_id);
        OwnerStatus { session_id, run, is_own, is_running, since: None, transcript: None }
    }

    fn holder() -> TaskHolder {
        TaskHolder {
            name: "ada".into(),
            user: String::new(),
            host: String::new(),
            process: None,
            attempt: 1,
            is_gone: false,
            claimed_at: at(5),
            received_at: None,
        }
    }

    /// What shows that the turn has ended without a reply.
    #[derive(Clone, Copy, Debug, PartialEq)]
    enum End {
        None,
        OnRecord,
        InTranscript(Option<&'static str>),
    }

    /// The state of a debate whose reply was requested at 0, seen at 60.
    fn seen_phrase(owner: Option<&OwnerStatus>, holder: Option<&TaskHolder>, end: End) -> String {
        let mut debate = Debate::new("id".into(), "Why?".into(), 2, at(0));
        debate.claim("one", None, at(0));
        let mut attempts = Attempts::default();
        let mut cut = None;
        match end {
            End::None => {}
            End::OnRecord => {
                let turn = TurnLine::new(&debate, at(0), at(30));
                attempts.turns.push(turn.with_failure(FailureKind::Interrupted, ""));
            }
            End::InTranscript(error) => {
                cut = Some(CutOff { at: at(30), error: error.map(str::to_owned) });
            }
        }
        let cut = cut.as_ref();
        let facts = Facts {
            debate: &debate,
            answers: generation_of(&debate),
            attempts: &attempts,
            owner,
            holder,
            cut,
            now: at(60),
        };
        let next = NextReply::of(&facts);
        let what = match &next.state {
            ReplyState::Written { writer, since, .. } => {
                let since = since.map_or("?".to_owned(), |since| since.as_second().to_string());
                format!("{writer:?} since {since}")
            }
            ReplyState::Interrupted { since, why } => format!("{why} at {}", since.as_second()),
            other => format!("{other:?}"),
        };
        format!("{what}, {}", next.tries)
    }

    #[test]
    fn the_truth_table_of_a_reply_that_is_due() {
        let conversation = |is_own, runs| Some(owner(false, is_own, runs));
        let run = |runs| Some(owner(true, false, runs));
        let (none, cut) = (End::None, End::OnRecord);
        let (esc, error) = (End::InTranscript(None), End::InTranscript(Some("API Error: 529 x")));
        for (owner, is_held, end, expected) in [
            (None, false, none, "Awaited, 0"),
            (None, true, none, "Holder(\"ada\") since 5, 0"),
            (conversation(true, Some(true)), false, none, "Conversation since 0, 1"),
            (conversation(true, None), false, none, "Conversation since 0, 1"),
            (conversation(false, Some(true)), false, none, "Conversation since 0, 1"),
            (conversation(false, None), false, none, "Conversation since ?, 1"),
            (conversation(false, Some(false)), false, none, "Claude Code ended at 0, 1"),
            (conversation(false, Some(false)), true, none, "Holder(\"ada\") since 5, 0"),
            (conversation(true, Some(true)), true, cut, "Holder(\"ada\") since 5, 0"),
            (conversation(true, Some(true)), false, cut, "its turn ended without a reply at 30, 0"),
            (None, false, cut, "its turn ended without a reply at 30, 0"),
            (conversation(false, Some(true)), false, esc, "you stopped it at 30, 1"),
            (conversation(false, Some(false)), false, esc, "you stopped it at 30, 1"),
            (conversation(true, Some(true)), false, error, "API error 529: x at 30, 1"),
            (conversation(false, Some(true)), true, esc, "Holder(\"ada\") since 5, 0"),
            (run(Some(true)), false, none, "Run(None) since 0, 0"),
            (run(Some(false)), false, none, "its run ended at 0, 0"),
            (run(None), false, none, "Run(None) since ?, 0"),
            (run(Some(false)), true, none, "Holder(\"ada\") since 5, 0"),
        ] {
            let held = holder();
            let holder = is_held.then_some(&held);
            assert_eq!(
                seen_phrase(owner.as_ref(), holder, end),
                expected,
                "{owner:?} {is_held} {end:?}"
            );
        }
    }

    #[test]
    fn a_program_of_the_next_slot_that_outlives_its_run_is_the_writer() {
        let mut debate = Debate::new("id".into(), "Why?".into(), 2, at(0));
        debate.claim("run-7-1", None, at(0));
        let owner = owner(true, false, Some(false));
        let alive = ProcessId::current();
        let dead = ProcessId { started: alive.started + 1, ..alive };
        let (next, other) = (Slot::from(debate.next_place()), Slot::Critic { round: 1 });
        for (slot, is_over, process, is_writer) in [
            (next, false, alive, true),
            (other, false, alive, false),
            (next, true, alive, false),
            (next, false, dead, false),
        ] {
            let started = StartedLine {
                attempt: 1,
                at: at(5),
                seat: slot.to_string(),
                slot,
                generation: generation_of(&debate),
                origin: Origin::default(),
                command: Vec::new(),
                process,
                token: String::new(),
                recovery: String::new(),
                claim: None,
            };
            let mut attempts = Attempts::default();
            let (returned, ended) = (None, None);
            attempts.all.push(Attempt { started, returned, ended, is_submitted: false, is_over });
            let reply = NextReply::of(&Facts {
                debate: &debate,
                answers: generation_of(&debate),
                attempts: &attempts,
                owner: Some(&owner),
                holder: None,
                cut: None,
                now: at(60),
            });
            assert_eq!(reply.is_written_by_run(), is_writer, "{slot} {is_over} {process:?}");
        }
    }

    #[test]
    fn a_reply_that_is_late_may_have_no_writer() {
        let mut debate = Debate::new("id".into(), "Why?".into(), 2, at(0));
        debate.claim("one", None, at(0));
        for (seconds, is_overdue) in [(600, false), (601, true)] {
            let owner = owner(false, false, Some(true));
            let next = NextReply::of(&Facts {
                debate: &debate,
                answers: generation_of(&debate),
                attempts: &Attempts::default(),
                owner: Some(&owner),
                holder: None,
                cut: None,
                now: at(seconds),
            });
            assert_eq!(next.is_overdue(), is_overdue);
        }
    }
}
