//! `anvil publish` and `anvil pull`: a debate in an issue or pull request.

use std::time::Duration;

use crate::domain::command::{PublishOptions, PullOptions};
use crate::engine::Engine;
use crate::error::Result;
use crate::messages;
use crate::text::door::Door;

/// Longest time for all requests to a forge.
const TIMEOUT: Duration = Duration::from_mins(2);

pub(super) fn publish(engine: &Engine<'_>, options: &PublishOptions) -> Result<()> {
    super::print(&messages::published(&engine.issues().publish(None, options, TIMEOUT)?)?)
}

pub(super) fn pull(engine: &Engine<'_>, options: &PullOptions) -> Result<()> {
    super::print(&messages::pulled(&engine.issues().pull(None, options, TIMEOUT)?, Door::Shell))
}
