//! What Claude Code writes of a session on this machine: the end of its transcript. Anvil only
//! reads it.

mod line;
mod tail;

pub use line::PlanCall;
pub use tail::{
    CutOff, Tail, TailStart, TextPiece, cut_off_since, join_pieces, rejected_plan,
    shows_running_turn,
};
