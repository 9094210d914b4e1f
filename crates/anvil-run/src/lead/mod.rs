//! One debate, argued by this process. `argue` supplies its tasks, `filed` saves each reply.

pub(crate) mod argue;
pub(crate) mod saving;

pub(crate) use argue::DebateRun;
