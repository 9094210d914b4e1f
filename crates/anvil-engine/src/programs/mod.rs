//! A debate between programs: the request for the next reply, the attempts, and the sessions that
//! follow the debate.

pub(crate) mod attempts;
pub(crate) mod concurrent;
mod error;
pub(crate) mod fact_check;
pub(crate) mod follow;
pub(crate) mod request;
pub(crate) mod run;
pub(crate) mod step;

pub use attempts::{
    ShownAttempt, attempt_record, attempts, check_chooses_nobody, run_record, shown_attempt,
};
pub use concurrent::{ConcurrentOptions, concurrent_requests, still_waits};
pub use fact_check::{Checked, check_due, leave_check_out, submit_check};
pub use follow::{
    Awaited, News, Runs, begin_to_wait, can_have_programs, follow, is_last_waiter, is_released,
    is_taken_up, may_go_on, news, next_awaited, resumes_here, runs,
};
pub(crate) use follow::{follow_again, has_just_begun};
pub use request::{Request, RequestOptions, answer, generation_of, request};
pub(crate) use request::{answer_generation, generation_at_head, reply_of};
pub use run::{
    GateFacts, Objections, OpenClaim, SeatView, UnreadClaim, cut_short, gate_facts, may_take_up,
    next_request, paused_debate, project_root, put_late_aside, remember_run, stop_debate, submit,
    take_up, unfinished_run,
};
pub use step::{StepDebate, Stepped};
