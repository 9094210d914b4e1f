//! The MCP server from outside: JSON-RPC a line, by hand, over its standard input and output.

#![expect(clippy::unwrap_used, reason = "a test that finds something else than it expects has failed")]

mod driver;
mod installation;
mod malformed;
mod schemas;
mod standing;
mod tokens;
mod watching;
mod whole;
