//! One debate, argued by this process seat after seat. `argue` is its source of tasks, `filed`
//! saves each reply, `workers` follows replies of other processes, such as the helpers of
//! `--jobs`. This module knows `run/work` and the engine, and no door.

mod argue;
mod filed;
mod workers;

pub(super) use argue::Run;
