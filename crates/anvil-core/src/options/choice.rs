//! Answers that the user types between two rounds of an interactive debate.

/// One of the answers that the end of a round offers. Any other text is a direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// The debate continues unchanged.
    GoOn,
    /// The synthesis is next.
    Skip,
    /// The debate waits until the user resumes it.
    Stop,
}

impl Choice {
    /// The answer that these words name. Case, white space and full stops at the end do not matter.
    pub fn parse(words: &str) -> Option<Self> {
        let words: Vec<String> = words.split_whitespace().map(str::to_lowercase).collect();
        Some(match words.join(" ").trim_end_matches(['.', ' ']) {
            "g" | "go on" | "continue" => Self::GoOn,
            "s" | "skip" | "skip to the synthesis" | "synthesize" | "synthesise" => Self::Skip,
            "t" | "stop" => Self::Stop,
            _ => return None,
        })
    }

    /// The letter of a choice that the end of a round lists: `true` is A, a fresh conversation,
    /// `false` is B, this one.
    pub fn letter(words: &str) -> Option<bool> {
        let word = words.trim().trim_end_matches(['.', ')']);
        match word {
            "a" | "A" => Some(true),
            "b" | "B" => Some(false),
            _ => None,
        }
    }
}

/// True for a text that only asks Claude to go on with what was interrupted.
pub fn goes_on(words: &str) -> bool {
    let words = words.trim().trim_end_matches(['.', '!', ' ']);
    Choice::parse(words) == Some(Choice::GoOn) || words.eq_ignore_ascii_case("try again")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_typed_text_is_the_answer() {
        for (words, choice) in [
            ("go on", Some(Choice::GoOn)),
            ("  Go\n On. ", Some(Choice::GoOn)),
            ("CONTINUE", Some(Choice::GoOn)),
            ("g", Some(Choice::GoOn)),
            ("skip", Some(Choice::Skip)),
            ("Skip to the synthesis.", Some(Choice::Skip)),
            ("Synthesize .", Some(Choice::Skip)),
            ("S", Some(Choice::Skip)),
            ("stop...", Some(Choice::Stop)),
            ("t.", Some(Choice::Stop)),
            ("", None),
            (".", None),
            ("go", None),
            ("stop at nothing", None),
            ("skip the cost, look at the risk", None),
            ("continue?", None),
            ("stop!", None),
        ] {
            assert_eq!(Choice::parse(words), choice, "{words:?}");
        }
    }
}
