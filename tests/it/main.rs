//! The program from outside: one binary, one module per feature. Hermetic: cleared environment,
//! fake home, fixed clock.

#![expect(
    clippy::unwrap_used,
    reason = "a test that finds something else than it expects has failed"
)]

mod accounts;
mod any_order;
#[cfg(unix)]
mod api;
mod arguments;
mod asked;
#[cfg(target_os = "linux")]
mod attack;
mod beginnings;
mod body;
#[cfg(unix)]
mod canaries;
mod choices;
mod claiming;
mod claims;
#[cfg(target_os = "linux")]
mod concurrency;
#[cfg(unix)]
mod console;
mod corpus;
mod defaults;
mod doctor;
#[cfg(unix)]
mod elsewhere;
#[cfg(unix)]
mod evals;
mod expansion;
#[cfg(unix)]
mod file_system;
mod finished;
#[cfg(unix)]
mod forge;
#[cfg(target_os = "linux")]
mod growth;
mod hints;
mod history;
mod house;
mod installation;
mod interrupted;
#[cfg(unix)]
mod journal;
#[cfg(target_os = "linux")]
mod kill_points;
mod kinds_of_seats;
#[cfg(target_os = "linux")]
mod limits;
mod loop_of_replies;
mod material;
mod motion;
mod notes;
mod one_home;
mod ownership;
mod person;
#[cfg(unix)]
mod plan_dialog;
mod plans;
mod prompt_budget;
mod reading;
#[cfg(unix)]
mod recheck;
mod recovery;
#[cfg(unix)]
mod repeat;
mod report;
mod round_trip;
#[cfg(target_os = "linux")]
mod run;
mod screen;
#[cfg(target_os = "linux")]
mod security;
mod shells;
mod start;
mod statusline;
mod steering;
#[cfg(target_os = "linux")]
mod strace;
mod took;
mod undo;
#[cfg(target_os = "linux")]
mod unheard;
#[cfg(target_os = "linux")]
mod unseen;
mod voices;
#[cfg(target_os = "linux")]
mod watch;
mod worktrees;
