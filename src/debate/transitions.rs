//! What changes a debate: everything that moves, pauses, claims or ends it.

use jiff::Timestamp;

use super::{Debate, MAX_JUDGES, MAX_STEP, Ownership, Pending, Slot, Status};

/// Where it stands.
impl Debate {
    /// It stands at this place; no step of its own.
    pub fn stand_at(&mut self, slot: Slot) {
        self.progress.slot = slot;
    }

    /// Another place is next: a step of its own, with all its retries.
    pub fn move_to(&mut self, slot: Slot) {
        self.stand_at(slot);
        (self.progress.retry_count, self.progress.form_retry) = (0, false);
        self.take_step_after(0);
    }

    /// It is taken back to an earlier place; its step comes after `step`.
    pub fn go_back(&mut self, slot: Slot, cycle: u32, step: u32) {
        self.follow_cycle(cycle);
        self.stand_at(slot);
        self.progress.retry_count = 0;
        (self.progress.synthesis_requested, self.progress.form_retry) = (false, false);
        self.take_step_after(step);
    }

    /// What is no reply was filed, and the same place waits: a step of its own, with all its retries.
    pub fn pass_aside(&mut self) {
        (self.progress.retry_count, self.progress.form_retry) = (0, false);
        self.take_step_after(0);
    }

    /// The next step, after `other` too.
    pub fn take_step_after(&mut self, other: u32) {
        self.progress.step = self.progress.step.max(other).saturating_add(1).min(MAX_STEP);
    }

    /// Its sections are of this cycle.
    pub fn follow_cycle(&mut self, cycle: u32) {
        self.progress.cycle = cycle;
    }

    /// A judgment is filed; another judge is next: a step of its own, with all its retries.
    pub fn count_judgment(&mut self) {
        let filed = self.progress.judgments.saturating_add(1).min(MAX_JUDGES);
        self.move_to(self.progress.slot);
        self.follow_judgments(filed);
    }

    /// So many judgments stand after its last reply.
    pub fn follow_judgments(&mut self, filed: u8) {
        self.progress.judgments = filed.min(MAX_JUDGES);
    }

    /// Its phase is asked for again after `count` unusable replies.
    pub fn retry(&mut self, count: u8) {
        self.progress.retry_count = count;
    }

    /// Its phase was asked for `count` times more, and for its form where `for_form`.
    pub fn follow_retries(&mut self, count: u8, for_form: bool) {
        (self.progress.retry_count, self.progress.form_retry) = (count, for_form);
    }

    /// Its phase is asked for once more, for its form.
    pub fn retry_for_form(&mut self) {
        self.progress.form_retry = true;
    }

    /// Something of it changed now.
    pub fn touch(&mut self, now: Timestamp) {
        self.progress.updated_at = now;
    }
}

/// Whether it runs.
impl Debate {
    /// It is this session's from now on, in this turn of the client's, and in progress.
    pub fn claim(&mut self, session_id: &str, prompt_id: Option<&str>, now: Timestamp) {
        self.ownership = Ownership { session_id: Some(session_id.to_owned()), ..Ownership::default() };
        self.enter_turn(prompt_id);
        self.progress.status = Status::InProgress;
        self.progress.status_detail.clear();
        self.progress.retry_count = 0;
        self.touch(now);
    }

    /// Whoever holds it in memory goes on with it, seat by seat: it is no session's, and in progress. One that had failed has all
    /// its chances anew.
    pub fn take_up(&mut self) {
        self.ownership = Ownership { apart: true, ..Ownership::default() };
        if self.progress.status == Status::Failed {
            // What was written before answers another step.
            self.pass_aside();
        }
        self.progress.status = Status::InProgress;
        self.progress.status_detail.clear();
    }

    /// Stops the debate where it is; `why` is a sentence without its full stop. The count of continuations starts anew.
    pub fn pause(&mut self, why: impl Into<String>, now: Timestamp) {
        self.rest(Status::Paused, why.into());
        self.ownership.continuations = 0;
        self.touch(now);
    }

    /// The phase has had its chances; `why` is a sentence without its full stop.
    pub fn fail(&mut self, why: impl Into<String>) {
        self.rest(Status::Failed, why.into());
    }

    /// It has its synthesis.
    pub fn complete(&mut self, now: Timestamp) {
        self.rest(Status::Completed, String::new());
        (self.progress.synthesis_requested, self.progress.form_retry) = (false, false);
        self.follow_judgments(0);
        self.touch(now);
    }

    /// Says the status's detail in other words.
    pub fn reword_detail(&mut self, reword: impl FnOnce(&str) -> String) {
        self.progress.status_detail = reword(&self.progress.status_detail);
    }

    /// The user ends it; `why` is empty, or a sentence without its full stop.
    pub fn cancel(&mut self, why: impl Into<String>, now: Timestamp) {
        self.rest(Status::Cancelled, why.into());
        self.touch(now);
    }

    /// A finished debate is opened for another cycle, at its first place.
    pub fn reopen(&mut self) {
        self.progress.cycle += 1;
        self.progress.synthesis_requested = false;
        self.move_to(self.schedule().first());
    }

    fn rest(&mut self, status: Status, why: String) {
        self.progress.status = status;
        self.progress.status_detail = why;
        self.ownership.pending = Pending::Nothing;
    }
}

/// What the user wants of it.
impl Debate {
    /// The next phase gets this direction.
    pub fn steer(&mut self, direction: String) {
        self.progress.steering = Some(direction);
    }

    /// The direction that waits is given now.
    pub fn take_steering(&mut self) -> Option<String> {
        self.progress.steering.take()
    }

    /// The synthesis comes next, after the reply that is being written.
    pub fn request_synthesis(&mut self) {
        self.progress.synthesis_requested = true;
    }

    /// Another number of rounds; whoever wants that no longer wants the synthesis at once.
    pub fn change_rounds(&mut self, rounds: u8) {
        self.options.max_rounds = rounds;
        self.progress.synthesis_requested = false;
    }

    /// It pauses after the reply that is being written.
    pub fn request_pause(&mut self) {
        self.ownership.pending = Pending::Pause;
    }

    /// The next words that the user types in its session are its direction.
    pub fn await_direction(&mut self) {
        self.ownership.pending = Pending::Direction;
    }
}

/// Whose it is.
impl Debate {
    /// It belongs to this session, and does not run for that.
    pub fn assign_to(&mut self, session_id: Option<String>) {
        self.ownership.session_id = session_id;
    }

    /// Its seats are filled one by one, each in a context of its own, for as long as this session owns it.
    pub fn fill_apart(&mut self) {
        self.ownership.apart = true;
    }

    /// It belongs to nobody, and names no path of this machine.
    pub fn disown(&mut self) {
        self.ownership = Ownership::default();
        self.options.output = None;
    }

    /// It runs in this turn of the client's from now on.
    pub fn enter_turn(&mut self, prompt_id: Option<&str>) {
        self.ownership.prompt_id = prompt_id.map(str::to_owned);
    }

    /// The cue of this phase asks for a Read of the debate's file, or not.
    pub fn require_read(&mut self, is_required: bool) {
        self.ownership.must_read = is_required;
    }

    /// The turn was continued once more; `count` times since the model last used a tool.
    pub fn count_continuations(&mut self, count: u32) {
        self.ownership.continuations = count;
    }
}
