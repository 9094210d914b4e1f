//! The MCP server from outside: handwritten JSON-RPC lines over its standard input and output.

#![expect(
    clippy::unwrap_used,
    reason = "a test that finds something else than it expects has failed"
)]

mod bounds;
mod driver;
mod installation;
mod malformed;
#[path = "../../../tests/it/attack/mutate.rs"]
mod mutate;
mod mutated;
mod schemas;
mod standing;
mod tokens;
mod whole;
