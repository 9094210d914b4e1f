//! All changes to a debate: moves, pauses, owners, ends.

use jiff::Timestamp;

use super::{Debate, Ownership, Pending, Status, StopReason};
use crate::limits::{MAX_JUDGES, MAX_STEP};
use crate::place::Place;

/// Changes of the place.
impl Debate {
    /// Sets the place without a new step.
    pub fn set_place(&mut self, place: Place) {
        self.progress.place = place;
    }

    /// Goes to another place: a new step, with all retries.
    pub fn move_to(&mut self, place: Place) {
        self.set_place(place);
        self.advance_step();
    }

    /// Goes back to an earlier place; the new step comes after `step`.
    pub fn go_back(&mut self, place: Place, cycle: u32, step: u32) {
        self.set_cycle(cycle);
        self.set_place(place);
        self.progress.retry_count = 0;
        (self.progress.synthesis_requested, self.progress.form_retry) = (false, false);
        self.progress.awaits_block = false;
        self.take_step_after(step);
    }

    /// Stays at the place after a section that is not a reply was saved: a new step, with all
    /// retries.
    pub fn advance_step(&mut self) {
        (self.progress.retry_count, self.progress.form_retry) = (0, false);
        self.progress.awaits_block = false;
        self.take_step_after(0);
    }

    /// The next step, also after `other`.
    pub fn take_step_after(&mut self, other: u32) {
        self.progress.step = self.progress.step.max(other).saturating_add(1).min(MAX_STEP);
    }

    pub fn set_cycle(&mut self, cycle: u32) {
        self.progress.cycle = cycle;
    }

    /// A judgment is saved and another judge is next: a new step, with all retries.
    pub fn count_judgment(&mut self) {
        let judgments = self.progress.judgments.saturating_add(1).min(MAX_JUDGES);
        self.move_to(self.progress.place);
        self.set_judgments(judgments);
    }

    /// Sets the number of judgments after the last reply.
    pub fn set_judgments(&mut self, judgments: u8) {
        self.progress.judgments = judgments.min(MAX_JUDGES);
    }

    /// Counts `count` unusable replies of the phase.
    pub fn retry(&mut self, count: u8) {
        self.progress.retry_count = count;
    }

    /// The phase had `count` unusable replies. `for_form`: it was also asked to repair the form.
    pub fn set_retries(&mut self, count: u8, for_form: bool) {
        (self.progress.retry_count, self.progress.form_retry) = (count, for_form);
    }

    /// The phase is asked once to repair the form.
    pub fn retry_for_form(&mut self) {
        self.progress.form_retry = true;
    }

    /// The synthesis or a judgment is saved, and its block has to be written once more: a new step.
    pub fn await_block(&mut self) {
        self.advance_step();
        self.progress.awaits_block = true;
    }

    /// Sets whether a block has to be written once more.
    pub fn set_awaits_block(&mut self, awaits_block: bool) {
        self.progress.awaits_block = awaits_block;
    }

    pub fn touch(&mut self, now: Timestamp) {
        self.progress.updated_at = now;
    }
}

/// Changes of the status.
impl Debate {
    /// Gives the debate to this session and turn, and starts it.
    pub fn claim(&mut self, session_id: &str, prompt_id: Option<&str>, now: Timestamp) {
        self.ownership =
            Ownership { session_id: Some(session_id.to_owned()), ..Ownership::default() };
        self.enter_turn(prompt_id);
        self.progress.status = Status::InProgress;
        self.progress.stop_reason = None;
        self.progress.retry_count = 0;
        self.touch(now);
    }

    /// Starts the debate without a session, for a run that holds it in memory and fills its seats
    /// one by one. A failed debate gets all its retries again.
    pub fn take_up(&mut self) {
        self.ownership = Ownership { isolated: true, ..Ownership::default() };
        if self.progress.status == Status::Failed {
            // Text that was written before belongs to another step.
            self.advance_step();
        }
        self.progress.status = Status::InProgress;
        self.progress.stop_reason = None;
    }

    /// Stops the debate at its place. The count of continuations starts again.
    pub fn pause(&mut self, why: impl Into<StopReason>, now: Timestamp) {
        self.stop(Status::Paused, Some(why.into()));
        self.ownership.continuations = 0;
        self.touch(now);
    }

    /// The phase has used up its retries.
    pub fn fail(&mut self, why: impl Into<StopReason>) {
        self.stop(Status::Failed, Some(why.into()));
    }

    /// The synthesis is saved.
    pub fn complete(&mut self, now: Timestamp) {
        self.stop(Status::Completed, None);
        (self.progress.synthesis_requested, self.progress.form_retry) = (false, false);
        self.progress.awaits_block = false;
        self.set_judgments(0);
        self.touch(now);
    }

    /// The user ends the debate.
    pub fn cancel(&mut self, why: Option<StopReason>, now: Timestamp) {
        self.stop(Status::Cancelled, why);
        self.touch(now);
    }

    /// Opens a finished debate for another cycle, at its first place.
    pub fn reopen(&mut self) {
        self.progress.cycle += 1;
        self.progress.synthesis_requested = false;
        self.move_to(self.schedule().first());
    }

    fn stop(&mut self, status: Status, why: Option<StopReason>) {
        self.progress.status = status;
        self.progress.stop_reason = why;
        self.ownership.pending = Pending::Nothing;
    }
}

/// The user's requests.
impl Debate {
    /// Sets the direction for the next phase.
    pub fn steer(&mut self, direction: String) {
        self.progress.steering = Some(direction);
    }

    /// Takes the direction, for the prompt.
    pub fn take_steering(&mut self) -> Option<String> {
        self.progress.steering.take()
    }

    /// The synthesis comes after the reply that is being written.
    pub fn request_synthesis(&mut self) {
        self.progress.synthesis_requested = true;
    }

    /// Changes the number of rounds, and takes back a request for the synthesis.
    pub fn change_rounds(&mut self, rounds: u8) {
        self.options.max_rounds = rounds;
        self.progress.synthesis_requested = false;
    }

    /// The debate pauses after the reply that is being written.
    pub fn request_pause(&mut self) {
        self.ownership.pending = Pending::Pause;
    }

    /// The next text that the user types in the session is the direction.
    pub fn await_direction(&mut self) {
        self.ownership.pending = Pending::Direction;
    }
}

/// Changes of the owner.
impl Debate {
    /// Gives the debate to this session without starting it.
    pub fn assign_to(&mut self, session_id: Option<String>) {
        self.ownership.session_id = session_id;
    }

    /// Fills each seat in a context of its own, while this session owns the debate.
    pub fn isolate_seats(&mut self) {
        self.ownership.isolated = true;
    }

    /// Removes the owner and the path of the report, which is of this machine.
    pub fn disown(&mut self) {
        self.ownership = Ownership::default();
        self.options.output = None;
    }

    /// The debate runs in this turn of the client from now on.
    pub fn enter_turn(&mut self, prompt_id: Option<&str>) {
        self.ownership.prompt_id = prompt_id.map(str::to_owned);
    }

    /// Notes if the cue of this phase requires a Read of the debate's file.
    pub fn require_read(&mut self, is_required: bool) {
        self.ownership.must_read = is_required;
    }

    /// The model made `count` continuations since it last used a tool.
    pub fn count_continuations(&mut self, count: u32) {
        self.ownership.continuations = count;
    }
}
