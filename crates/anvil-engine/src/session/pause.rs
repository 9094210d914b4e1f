//! The user types, or the session ends: the debate pauses, or takes the text as its direction.

use super::steer::{ResumeAction, Steered, note};
use crate::filing::{cut_off, open_question};
use crate::ownership::{
    HeldDebate, OwnedTurn, find_owned_debate, is_writing, lock_any, lock_owned, owned_turn,
    remember_agents, remember_release,
};
use crate::reports::Completed;
use crate::session::steer::{go_on_by_prompt, is_given, is_question_skipped};
use crate::{Context, LOCK_WAIT, SAME_PROMPT, Session, Skipped, Stopped};
use anvil_core::attempt::Generation;
use anvil_core::debate::{Debate, PlainReason};
use anvil_core::options::Choice;
use anvil_core::place::Seat;
use anvil_core::reply::{CutTurn, TurnOutput};
use anvil_store::{AttemptRecord, SessionRecord, StateFile, Store};
use anvil_text::error::Result;

/// The effect of a prompt on the debate of its session.
#[derive(Debug)]
pub enum PromptOutcome<'a> {
    /// The debate goes on. A reply that is being written is saved first.
    GoesOn,
    /// The debate goes on with this text as its direction, or as an answer that it offers.
    Steered(Box<Steered>),
    /// The debate waited for a direction after a round, and the user stopped it.
    Stopped(Box<Debate>),
    /// The debate waits or is over, and Claude has not read yet that the protocol does not apply
    /// now.
    Released(Released),
    /// The user wants to go on in a fresh conversation, which only the user can begin.
    Fresh,
    /// The debate must pause: see [`OwnedTurn::interrupt`].
    Interrupts(Box<OwnedTurn<'a>>),
}

/// Why the protocol of a debate does not apply to what the user types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Released {
    Waits,
    /// The debate was cancelled, replaced or taken over.
    Over,
}

/// The effect of a prompt or of the session's end on a debate in progress.
#[derive(Debug)]
pub enum Interruption {
    Paused(Box<Debate>),
    /// The debate pauses after the reply that is being written.
    AfterReply,
    /// The unsaved reply was the synthesis, so the debate is complete.
    Completed(Box<Completed>),
}

/// The user typed their own prompt in this session. It comes before the debate.
///
/// After a round of an interactive debate, and while its replies are written, the text is the
/// direction for the next phase. Any other text pauses a debate in progress.
pub fn prompt_typed<'a>(
    context: &'a Context<'a>,
    session: &'a Session,
    words: &str,
) -> Result<PromptOutcome<'a>, Stopped> {
    let record = context.machine.read_session(&session.id);
    let known = record.as_ref().ok().cloned().flatten();
    let found = find_owned_debate(context, session, record);
    if let Err(Stopped::Skipped(Skipped::NoDebate | Skipped::NotOwner)) = found
        && is_news_that_it_is_over(context, session, known.as_ref())
    {
        return Ok(PromptOutcome::Released(Released::Over));
    }
    let (mut store, debate) = found?;
    let steers =
        debate.awaits_direction() || (debate.options.interactive && is_writing(&debate, session));
    // A slash command, such as another plugin's, is not a direction.
    if steers && !words.trim().is_empty() && !words.trim_start().starts_with('/') {
        let choice = Choice::parse(words);
        // The debate pauses after the reply that is being written.
        if choice != Some(Choice::Stop) || !debate.is_active() {
            return answer_by_prompt(context, &mut store, session, choice, words);
        }
    } else if !debate.is_active() {
        let is_aware = known.is_some_and(|known| known.is_informed);
        let waits = debate.status().is_unfinished() && !debate.awaits_direction();
        if waits && !is_aware && !words.trim().is_empty() {
            remember_release(context, session, store.project());
            return Ok(PromptOutcome::Released(Released::Waits));
        }
        return Err(Skipped::NotActive.into());
    } else if debate.options.interactive && context.is_delivered_again(&debate, session, |_| true) {
        // The plugin is installed twice, and the other copy has taken this text as a direction.
        let choice = Choice::parse(words);
        if store.load()?.is_some_and(|loaded| is_answered(&loaded.state, choice, words)) {
            return Err(Skipped::Redelivered.into());
        }
    }
    let turn = OwnedTurn { context, session, store, debate };
    Ok(PromptOutcome::Interrupts(Box::new(turn)))
}

/// True once if the debate of this conversation is over and Claude has not read that yet.
fn is_news_that_it_is_over(
    context: &Context<'_>,
    session: &Session,
    known: Option<&SessionRecord>,
) -> bool {
    match known {
        Some(known) if known.is_over => {
            context.machine.forget(&session.id);
            true
        }
        // The Stop of the current reply shows this to the user.
        Some(known) if !known.is_informed => {
            let informed = SessionRecord { is_informed: true, ..known.clone() };
            let _ = context.machine.remember(&session.id, &informed);
            true
        }
        Some(_) | None => false,
    }
}

/// True if a debate in progress already follows the text.
fn is_answered(state: &StateFile, choice: Option<Choice>, words: &str) -> bool {
    match choice {
        None => is_given(state, words),
        Some(Choice::GoOn) => true,
        Some(Choice::Skip) => {
            is_question_skipped(state)
                || state.debate.synthesis_requested()
                || state.debate.place().seat == Seat::Synthesizer
        }
        Some(Choice::Stop) => false,
    }
}

/// The user's text in an interactive debate: an answer that it offers, or a direction.
fn answer_by_prompt<'a>(
    context: &'a Context<'a>,
    store: &mut Store,
    session: &Session,
    choice: Option<Choice>,
    words: &str,
) -> Result<PromptOutcome<'a>, Stopped> {
    let held = lock_any(context, store, LOCK_WAIT)?.ok_or(Skipped::NoDebate)?;
    let debate = &held.state.debate;
    if !debate.is_owned_by(&session.id) {
        return Err(Skipped::NotOwner.into());
    }
    let is_asked = debate.awaits_direction() && open_question(&held.state).is_none();
    let choice = match Choice::letter(words).filter(|_| is_asked) {
        Some(true) => return Ok(PromptOutcome::Fresh),
        Some(false) => Some(Choice::GoOn),
        None => choice,
    };
    let stops = choice == Some(Choice::Stop);
    if !debate.awaits_direction() && (stops || !debate.is_active()) {
        return Err(Skipped::NotActive.into());
    }
    if stops {
        let held = held.pause(PlainReason::Stopped)?;
        return Ok(PromptOutcome::Stopped(Box::new(held.into_debate())));
    }
    if context.is_delivered_again(debate, session, |_| is_answered(&held.state, choice, words)) {
        return Err(Skipped::Redelivered.into());
    }
    if is_writing(debate, session) {
        let action = match choice {
            None => ResumeAction::Steered(words),
            Some(Choice::Skip) => ResumeAction::ToSynthesis(None),
            Some(Choice::GoOn | Choice::Stop) => return Ok(PromptOutcome::GoesOn),
        };
        note(held, action)?;
        return Ok(PromptOutcome::GoesOn);
    }
    let steered = go_on_by_prompt(context, held, session, choice, words)?;
    Ok(PromptOutcome::Steered(Box::new(steered)))
}

/// Saves a reply of this session that no Stop has saved, before programs continue the debate.
/// `Some`: the reply was the synthesis.
pub fn save_unsaved(
    context: &Context<'_>,
    session: &Session,
    unsaved: Option<TurnOutput>,
) -> Result<Option<Box<Completed>>, Stopped> {
    let Some(unsaved) = unsaved else { return Ok(None) };
    let mut store = context.selected_store(Some(session));
    let held = lock_owned(context, &mut store, session)?;
    let (held, completed) = held.recover_unsaved(session, Some(unsaved))?;
    let held = held.note_turn();
    Ok(completed.map(|completed| held.write_reports(completed)))
}

/// The session ends. Any session can resume its debate then: see [`OwnedTurn::end_session`].
pub fn session_ends<'a>(
    context: &'a Context<'a>,
    session: &'a Session,
) -> Result<OwnedTurn<'a>, Stopped> {
    owned_turn(context, session).inspect_err(|_| context.machine.forget(&session.id))
}

/// A turn began without a prompt of the user, for example with the message that an agent has
/// finished. The debate runs in this turn.
pub fn turn_began(context: &Context<'_>, session: &Session) -> Result<(), Stopped> {
    let mut turn = owned_turn(context, session)?;
    let is_cut = turn.is_cut_noted();
    let mut held = lock_owned(context, &mut turn.store, session)?;
    held.state.debate.enter_turn(session.prompt_id.as_deref());
    if is_cut {
        // This turn is another request for the reply.
        held.state.debate.touch(context.world.now);
    }
    remember_agents(context, session, None);
    held.commit()?;
    Ok(())
}

impl OwnedTurn<'_> {
    /// Pauses the debate for the user's prompt, and first saves a reply that no Stop has saved.
    ///
    /// The client gives a prompt that was typed while Claude was writing the id of the running
    /// turn. In this case the Stop saves the reply, and then the debate pauses. With a client that
    /// does not name its turns, the debate pauses at once.
    pub fn interrupt(mut self, unsaved: Option<TurnOutput>) -> Result<Interruption, Stopped> {
        let mut held = lock_owned(self.context, &mut self.store, self.session)?;
        if is_writing(&held.state.debate, self.session) {
            held.state.debate.request_pause();
            held.commit()?;
            return Ok(Interruption::AfterReply);
        }
        Ok(pause(self.session, held, unsaved, PlainReason::Typed)?)
    }

    /// Notes that the turn of the phase was cut off. Its first end counts.
    pub fn note_cut(&self, cut: CutTurn) -> Result<()> {
        if self.store.load()?.is_some_and(|loaded| !loaded.state.is_newer()) {
            let turn = cut_off(&self.debate, cut, self.context.world.now);
            AttemptRecord::new(&self.store, &self.debate.id).note_turn(turn);
        }
        Ok(())
    }

    /// True if it is noted that the turn of the phase was cut off.
    pub fn is_cut_noted(&self) -> bool {
        let attempts = self.store.attempts(&self.debate.id).unwrap_or_default();
        attempts.cut_turn(Generation::Turn((&self.debate).into()), self.phase_began()).is_some()
    }

    /// True for a turn that was cut off after a whole synthesis, which a plan followed.
    pub fn has_synthesis(&self, cut: &CutTurn) -> bool {
        cut.before_plan.is_some() && self.debate.place().seat == Seat::Synthesizer
    }

    /// Saves a whole reply that no Stop has saved: the next look at the transcript would not find
    /// it. Then the debate pauses. `Some`: the reply was the synthesis.
    pub fn save_late(mut self, reply: TurnOutput) -> Result<Option<Box<Completed>>, Stopped> {
        let held = lock_owned(self.context, &mut self.store, self.session)?;
        let why = PlainReason::EndNotReported;
        Ok(match pause(self.session, held, Some(reply), why)? {
            Interruption::Completed(completed) => Some(completed),
            Interruption::Paused(_) | Interruption::AfterReply => None,
        })
    }

    /// An API error has ended the turn. An event of an earlier turn, or a second copy of one, says
    /// nothing about this one.
    pub fn fail_turn(self, cut: CutTurn) -> Result<(), Stopped> {
        let is_shown = cut.ended.is_some();
        let is_new = self.context.is_within(SAME_PROMPT, self.phase_began()) && !is_shown;
        match (self.debate.prompt_id(), &self.session.prompt_id) {
            (Some(current), Some(failed)) if current != failed => Err(Skipped::Redelivered.into()),
            (None, _) | (_, None) if is_new => Err(Skipped::Redelivered.into()),
            _ => Ok(self.note_cut(cut)?),
        }
    }

    /// True if this session's prompt has just requested the phase: the plugin is installed twice.
    pub fn is_redelivered(&self) -> bool {
        self.context.is_delivered_again(&self.debate, self.session, |_| true)
    }

    /// Pauses the debate at the end of its session, and first saves a reply that no Stop has saved.
    pub fn end_session(mut self, unsaved: Option<TurnOutput>) -> Result<Interruption, Stopped> {
        let paused = lock_owned(self.context, &mut self.store, self.session)
            .and_then(|held| Ok(pause(self.session, held, unsaved, PlainReason::SessionEnded)?));
        self.context.machine.forget(&self.session.id);
        paused
    }
}

fn pause(
    session: &Session,
    held: HeldDebate<'_>,
    unsaved: Option<TurnOutput>,
    why: PlainReason,
) -> Result<Interruption> {
    let (held, completed) = held.recover_unsaved(session, unsaved)?;
    if let Some(completed) = completed {
        return Ok(Interruption::Completed(held.write_reports(completed)));
    }
    let held = held.pause(why)?;
    remember_release(held.context, session, held.transaction.project());
    Ok(Interruption::Paused(Box::new(held.into_debate())))
}
