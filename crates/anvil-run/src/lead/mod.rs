//! One debate, argued by this process. `argue` is its source of tasks, `filed` saves each reply.
//! This module knows `run/work` and the engine, and no door.

mod argue;
mod filed;

pub(super) use argue::Run;
