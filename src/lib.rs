//! Anvil: a structured debate inside Claude Code.
//!
//! The map of the rooms, from the doors down. Arrows point down only: a room knows those below it and none above.
//!
//! ```text
//! cli        a door: the command line
//! hook       a door: Claude Code's events
//! run        a door: programs that hold the seats
//! messages   what the user reads, one place for each sentence
//! engine     the use cases; the only place where pure and impure meet
//! context    material: files, changes, pull requests   report   a finished debate as a document
//! body       a debate in the body of an issue
//! seats      what one seat is shown, and who fills it
//! forge      issues on GitHub and Gitea
//! prompt     what Claude is told                       library  the texts it can be told, ours and the user's
//! state      the files                                 process  runs git, gh and tea
//! transcript, command, reply    pure translations of text
//! debate     what is argued, who speaks next; THE match
//! world      the clock, the folders, the environment  disk     the only place that writes
//! text       hygiene of text                           error    known to all
//! ```

pub mod body;
pub mod cli;
pub mod command;
pub mod context;
pub mod debate;
pub mod disk;
pub mod engine;
pub mod error;
pub mod forge;
pub mod hook;
pub mod journal;
pub mod ledger;
pub mod library;
pub mod messages;
mod process;
pub mod prompt;
pub mod reply;
pub mod report;
mod run;
pub mod seats;
pub mod state;
pub mod text;
pub mod transcript;
pub mod world;
