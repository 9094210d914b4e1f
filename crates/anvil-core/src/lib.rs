//! The core of Anvil: a debate as data, and the rules that move it on. Pure.
//!
//! A [`Debate`](debate::Debate) has options, a place in its schedule and an owner; a transcript has
//! its replies. Everything else is derived from these two: the claims and the verdict, the tasks,
//! the revised document. No clock, no file and no environment: everything comes in as a value and
//! goes out as one.
//!
//! * [`debate`]: a debate and its state machine.
//!   [`option`](debate::option) has a row for each option, [`options`](debate::options) the options
//!   of one debate, [`limits`](debate::limits) their bounds;
//!   [`progress`](debate::progress) has its state, [`ownership`](debate::ownership) its session,
//!   and [`transitions`](debate::transitions) alone changes these two.
//!   [`seat`](debate::seat) says who speaks, [`place`](debate::place) which reply it is,
//!   [`phase`](debate::phase) has the words of places in files, and
//!   [`schedule`](debate::schedule) their order.
//!   [`advance`](mod@debate::advance) decides the next step, [`judges`](debate::judges) the next
//!   judge, [`position`](debate::position) the place by the transcript.
//!   [`stop`](debate::stop) ends a turn for the user, [`continuation`](mod@debate::continuation) at
//!   the client's cap; [`permission`](debate::permission) decides who may change a debate.
//!   [`question`](debate::question) reads the question, [`motion`](debate::motion) its motion,
//!   [`alternatives`](debate::alternatives) its options; [`label`](debate::label) names the debate
//!   in a line.
//! * [`transcript`]: entries to Markdown and back.
//!   [`headings`](transcript::headings) finds the sections, [`read`](transcript::read) parses them;
//!   [`kind`](transcript::kind) has the kinds of notes, [`author`](transcript::author) the author
//!   of a reply. [`reach`](transcript::reach) finds the last place without reading the replies,
//!   [`skipped`](mod@transcript::skipped) the places without a reply.
//! * [`ledger`]: the claims of a debate, the moves on them, and the faults that a program finds.
//!   [`ledger_reply`](mod@ledger::ledger_reply) has its input, [`reader`](ledger::reader) reads all
//!   replies and [`read`](ledger::read) one of them; [`head`](ledger::head) is the start of a claim
//!   or move, [`id`](ledger::id) its number, [`claim`](ledger::claim) a claim with its ground and
//!   result. [`words`](ledger::words) finds quotes, [`loose`](ledger::loose) claims in other forms,
//!   [`questions`](ledger::questions) questions back to the user, [`checks`](ledger::checks) the
//!   lines of a fact-check, [`citation`](ledger::citation) the places of evidence.
//!   [`block`](ledger::block) reads the block of a synthesis,
//!   [`synthesis`](ledger::synthesis) its values, [`prose`](ledger::prose) the text around it;
//!   [`verdict`](ledger::verdict) shows the result, [`verdicts`](ledger::verdicts) combines several
//!   judgments, [`earlier`](ledger::earlier) keeps the result of a debate that is argued again.
//!   [`graph`](ledger::graph) labels the claims, [`fault`](ledger::fault) has a row for each fault,
//!   [`findings`](ledger::findings) finds them, [`doubts`](ledger::doubts) are those for the next
//!   speaker.
//! * [`document`]: a document that is argued about. [`hunk`](document::hunk) reads the changes in a
//!   reply, [`revision`](document::revision) applies them and tracks the objections.
//! * [`reply`]: the text to save of what the model wrote, and its signal;
//!   [`end_mark`](reply::end_mark) finds the line that ends the argument.
//! * [`attempt`]: an attempt to get a reply. [`generation`](attempt::generation) is the request
//!   that it answers, [`lines`](attempt::lines) and [`failure`](attempt::failure) its end,
//!   [`earlier`](attempt::earlier) its summary for the next attempt; [`metrics`](attempt::metrics)
//!   and [`effort`](attempt::effort) add up many, [`bounds`](attempt::bounds) refuses absurd
//!   numbers.
//! * [`options`]: the options and requests of a user. [`debate`](options::debate) and
//!   [`seats`](options::seats) are those of a debate, [`values`](options::values) reads each;
//!   [`steering`](options::steering), [`choice`](options::choice), [`claims`](options::claims) and
//!   [`outcome_note`](options::outcome_note) are those of later commands.
//! * [`tasks`]: a debate as a list of tasks. [`task`](tasks::task) derives them,
//!   [`status`](tasks::status) has their states, [`rules`](tasks::rules) decides who may claim one,
//!   [`seat_filter`](tasks::seat_filter) reads which ones a user names.
//! * [`issue`]: an issue on a forge, and the options of publish and pull.
//! * [`journal`]: the outcomes of decisions; [`calibration`](journal::calibration) compares them
//!   with the stated confidence.

#[cfg(test)]
extern crate self as anvil_core;

pub mod attempt;
pub mod debate;
pub mod document;
pub mod issue;
pub mod journal;
pub mod ledger;
#[cfg(all(test, target_os = "linux"))]
mod linear;
pub mod options;
pub mod reply;
pub mod tasks;
pub mod transcript;
