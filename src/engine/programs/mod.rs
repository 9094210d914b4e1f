//! A debate between programs: the request for the next reply, the attempts, and the sessions that
//! follow the debate.

pub(super) mod agents;
pub(super) mod attempts;
pub(super) mod concurrent;
pub(super) mod fact_check;
pub(super) mod follow;
pub(super) mod request;
pub(super) mod run;
pub(super) mod step;

pub use agents::{SeatDefaults, duration};
pub(super) use agents::{at, refuse_seats_of_project};
pub use attempts::ShownAttempt;
pub use concurrent::Concurrent;
pub use follow::{Followed, News, Runs};
pub use request::Request;
pub(crate) use request::{Asked, answer, generation_of, request};
pub(super) use request::{accept_form, answered};
pub(super) use run::file_reply;
pub use run::{GateFacts, Objections, Open, SeatView, UnreadClaim};
pub use step::StepDebate;

pub use agents::{project_root, seat_defaults};
pub use attempts::{attempt_record, attempts, check_chooses_nobody, run_record, shown_attempt};
pub use concurrent::{concurrent_requests, still_waits};
pub use fact_check::{check_due, leave_check_out, submit_check};
pub(crate) use follow::follow_again;
pub use follow::{
    can_have_programs, client_of, follow, followed, has_just_begun, has_news_of_end, is_released,
    is_taken_up, may_go_on, news, resumes_here, runs, waits_alone,
};
pub(crate) use run::with_reports;
pub use run::{
    cut_short, gate_facts, keep_late, may_take_up, next_request, remember_run, rest, submit,
    take_up, unfinished_run,
};
