//! The limits of a debate, each with its reason. Sizes are in characters (Unicode scalar values).

/// Fewest rounds: one exchange.
pub const MIN_ROUNDS: u8 = 1;
/// Most rounds. Gains saturate after two or three; ten is for those who want to see it.
pub const MAX_ROUNDS: u8 = 10;
/// Rounds when nobody says otherwise.
pub const DEFAULT_ROUNDS: u8 = 3;
/// Fewest judges that judge each for itself. One writes the synthesis.
pub const MIN_JUDGES: u8 = 2;
/// Most judges. Each reads the whole debate, and what five agree on a sixth does not change.
pub const MAX_JUDGES: u8 = 5;
/// Longest question. Above this it is a document, and belongs into a file that the question names.
pub const MAX_QUESTION_CHARS: usize = 8_000;
/// Longest position. It is quoted whole in every protocol, which must stay below its own limit.
pub const MAX_POSITION_CHARS: usize = 1_000;
/// Longest path of a report.
pub const MAX_OUTPUT_CHARS: usize = 1_000;
/// Most voices that take turns: one phase each.
pub const MAX_VOICES: usize = 10;
/// Longest name of a voice, a mode or a framework: it stands in a heading and in a cue.
pub const MAX_NAME_CHARS: usize = 60;
/// Longest focus in the user's own words.
pub const MAX_FOCUS_CHARS: usize = 200;
/// Longest text of the user's own for a voice, a mode, a framework or the house rules.
pub const MAX_OWN_CHARS: usize = 2_400;
/// Longest direction that the user gives in mid-debate.
pub const MAX_STEERING_CHARS: usize = 8_000;
/// Most times that a finished debate is opened again.
pub const MAX_CYCLES: u32 = 20;
/// Highest step. A debate of ten rounds takes 21; undoing and redoing all day does not get here, and if it does, steps stay there.
pub const MAX_STEP: u32 = 1_000_000;
/// How often one phase is asked again after an unusable reply before the debate fails.
pub const MAX_RETRIES: u8 = 3;
