//! End-to-end tests: whole debates in the real Claude Code client against a Messages API on
//! loopback.
//!
//! A plain `cargo test` ignores them, since they need the clients, tmux and gh. To run them:
//!
//! ```text
//! npm ci --prefix tests/e2e
//! cargo test --test e2e -- --ignored --test-threads=2
//! ```
//!
//! The first modules are the harness (mock API, client, screen, an independent reader of the state
//! file); each of the others holds the tests of one feature.

#![cfg(unix)]

mod client;
mod github;
mod hostile;
mod mock;
mod model;
mod process;
mod responses;
mod screen;
mod statefile;
mod talk;
mod world;

mod agents;
mod choices;
mod claims;
mod coming_back;
mod commands;
mod cycles;
mod evals;
mod forge;
mod frameworks;
mod fresh_conversation;
mod interactive;
mod interrupted;
mod interruptions;
mod isolated;
mod leftovers;
mod material;
mod mcp;
mod modes;
mod more_apis;
mod newcomer;
mod other_hooks;
mod ownership;
mod plan_dialog;
mod plans;
mod reading;
mod readme;
mod recovery;
mod release;
mod repeat;
mod replies;
mod rounds;
mod sdk;
mod silence;
mod steering;
mod tasks;
mod tokens;
mod took;
mod versions;
