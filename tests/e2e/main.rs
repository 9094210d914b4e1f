//! End-to-end tests: whole debates in the real Claude Code client against a Messages API on
//! loopback.
//!
//! They are ignored by a plain `cargo test`, since they need the clients, tmux and gh. To run them:
//!
//! ```text
//! npm ci --prefix tests/e2e
//! cargo test --test e2e -- --ignored --test-threads=2
//! ```
//!
//! The first rooms are the harness (mock API, client, screen, a stranger's reader of the state
//! file); the others hold the tests, one room a feature.

#![cfg(unix)]

mod claims;
mod client;
mod github;
mod hostile;
mod mock;
mod model;
mod process;
mod responses;
mod screen;
mod statefile;
mod world;

mod agents;
mod boundaries;
mod cycles;
mod evals;
mod forge;
mod frameworks;
mod interactive;
mod interruptions;
mod isolated;
mod material;
mod mcp;
mod modes;
mod ownership;
mod reading;
mod readme;
mod recovery;
mod release;
mod replies;
mod rounds;
mod silence;
mod steering;
mod tokens;
mod versions;
mod workers;
