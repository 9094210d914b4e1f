//! One debate, argued by this process. `argue` supplies its tasks, `saving` saves each reply
//! and writes the issue.

pub(crate) mod argue;
pub(crate) mod saving;

pub(crate) use argue::DebateRun;
pub(crate) use saving::FORGE_LIMIT;
