//! The machine: disk, processes, forges, environment.
//!
//! The only crate that changes the world outside of the program. It does not know what a debate is.
//!
//! * [`disk`]: the only place that writes files. [`folders`](disk::folders) and
//!   [`modes`](disk::modes): permissions of folders and files; [`mount`](disk::mount): the file
//!   system of a path; [`seam`](disk::seam): a test makes a disk fail.
//! * [`process`]: runs programs. [`find`](mod@process::find): only in absolute folders of PATH;
//!   [`runner`](process::runner): within limits; [`git`](process::git): the one way to call it;
//!   [`browser`](process::browser): shows a page; [`attempt`](process::attempt): a program that
//!   writes a reply; [`background`](process::background): a program that outlives this one;
//!   [`family`](process::family): the end of a program with all its children;
//!   [`id`](process::id): the identity of a process; [`signals`](process::signals): those to end.
//! * [`forge`]: an issue or pull request, by gh or tea. [`remote`](forge::remote): the repository
//!   and its forge; [`logins`](forge::logins): the hosts that may get requests;
//!   [`comments`](forge::comments): those of an issue; [`error`](forge::error): refusals.
//! * [`world`]: the clock, folders and environment, gathered at the door.

#[allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "only this module writes files"
)]
pub mod disk;
pub mod forge;
#[allow(clippy::disallowed_types, reason = "only this module runs programs")]
pub mod process;
pub mod world;
