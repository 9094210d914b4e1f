//! The limits of a debate, each with its reason. Sizes are in characters (Unicode scalar values).

/// Fewest rounds: one exchange.
pub const MIN_ROUNDS: u8 = 1;
/// Most rounds. Gains saturate after two or three; ten is for users who want to see that.
pub const MAX_ROUNDS: u8 = 10;
pub const DEFAULT_ROUNDS: u8 = 2;
/// Fewest judges. A single one would be the synthesizer.
pub const MIN_JUDGES: u8 = 2;
/// Most judges. Each reads the whole debate, and a sixth does not change what five agree on.
pub const MAX_JUDGES: u8 = 5;
/// Longest question. A longer one is a document, and belongs in a file that the question names.
pub const MAX_QUESTION_CHARS: usize = 8_000;
/// Longest position. Every protocol quotes it whole and must stay below its own limit.
pub const MAX_POSITION_CHARS: usize = 1_000;
/// Longest motion. Every prompt of a seat has it whole, on one line.
pub const MAX_MOTION_CHARS: usize = 200;
/// Longest path of a report.
pub const MAX_OUTPUT_CHARS: usize = 1_000;
/// Most voices: one phase each.
pub const MAX_VOICES: usize = 10;
/// Most options of one decision. Each speaks twice, and attacks two of the others.
pub const MAX_OPTIONS: usize = 6;
/// Longest name of a voice, a mode or a framework. It goes into a heading and a cue.
pub const MAX_NAME_CHARS: usize = 60;
/// Longest focus in the user's own words.
pub const MAX_FOCUS_CHARS: usize = 200;
/// Longest text of the user for a voice, a mode, a framework or the house rules.
pub const MAX_OWN_CHARS: usize = 2_400;
/// Longest direction that the user gives during a debate.
pub const MAX_STEERING_CHARS: usize = 8_000;
/// Most cycles of a debate.
pub const MAX_CYCLES: u32 = 20;
/// Highest step. A debate of ten rounds takes 21, and a day of undo and redo does not reach this;
/// the step then stays the same.
pub const MAX_STEP: u32 = 1_000_000;
/// Most requests for a phase after unusable replies, before the debate fails.
pub const MAX_RETRIES: u8 = 3;
