//! A document that is revised, and the replies about it.

/// A token in the document.
pub const SECRET: &str = "ghp_aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5";

/// Line ends of two kinds, a byte order mark, a secret, and no line break at the end.
pub fn document() -> String {
    format!(
        "\u{FEFF}# Plan\r\n\r\nMove on Monday.\r\nKey: {SECRET}\r\nThen tell sales.\nThen tell sales \
         again.\r\nEnd"
    )
}

/// The critic: one objection blocks, one is minor.
pub const OBJECTS: &str = "**C1. There is no way back.** [blocks] \"Move on Monday\" has no rollback \
    [reasoning].\n\n**C2. Sales hears it late.** [minor] \"Then tell sales again\" is too late \
    [reasoning].\n";

/// The advocate: a change for one, a rebuttal of the other.
pub const ANSWERS: &str = "**Grants C1:** because a rollback was missing.\n\n```old\nMove on \
    Monday.\n```\n\n```new\nMove on Monday.\nGo back on Tuesday if it fails.\n```\n\n**Rebuts C2:** \
    they know since May.\n";

/// The critic after the change.
pub const WITHDRAWS: &str = "**Withdraws C1:** because the way back is there.\n";

/// The synthesis that accepts the changed document.
pub const ACCEPTS: &str = "It was mended.\n\n### What to do\n\n1. Go.\n\n```anvil\nmotion: accept the document as it stands\nC1 weakened: it was mended\n\
    C2 fell: they know\nagainst: the time\nrecommendation: Take it.\nverdict: do\nconfidence: 80\nrests on: C1\n\
    flips if: it rains\nunknown: the day\n```\n";
