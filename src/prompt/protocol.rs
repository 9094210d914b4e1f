//! The opening: the protocol of this debate and the cue of its place, for the prompt that starts or resumes it.

use std::path::Path;

use super::{Cue, MAX_OPENING, cut, file_name, utf16_len};
use crate::debate::{Debate, Mode};
use crate::transcript::{normalise, quote};

const PROTOCOL: &str = include_str!("../../prompts/protocol.md");
const ANALYST: [&str; 3] = [
    include_str!("../../prompts/advocate.md"),
    include_str!("../../prompts/critic.md"),
    include_str!("../../prompts/synthesizer.md"),
];

/// Most of a question that the protocol quotes, in UTF-16 units; the rest is in the state file.
const MAX_QUOTED: usize = 1_500;

/// A protocol with its first cue, within its limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening(String);

impl Opening {
    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Composes the protocol of a debate, followed by `cue`.
#[must_use]
pub fn opening(debate: &Debate, state_file: &Path, cue: &Cue) -> Opening {
    let file = file_name(state_file);
    let roles = match debate.mode {
        Mode::Analyst => ANALYST.map(str::trim_end).join("\n\n"),
    };
    let mut text = String::with_capacity(8 * 1024);
    for (index, piece) in PROTOCOL.split(['{', '}']).enumerate() {
        match (index % 2, piece) {
            (0, prose) => text.push_str(prose),
            (_, "question") => text.push_str(&quoted_question(&debate.question, &file)),
            (_, "position") => text.push_str(&position(debate.position.as_deref())),
            (_, "rounds") => text.push_str(&debate.max_rounds.to_string()),
            (_, "file") => text.push_str(&file),
            (_, "roles") => text.push_str(&roles),
            (_, unknown) => unreachable!("the protocol has no value for {unknown}"),
        }
    }
    text.push_str("\n## Now\n\n");
    text.push_str(cue.as_str());
    debug_assert!(utf16_len(&text) <= MAX_OPENING);
    Opening(text)
}

fn quoted_question(question: &str, file: &str) -> String {
    let quoted = quoted(question);
    let part = cut(&quoted, MAX_QUOTED);
    if part.len() == quoted.len() {
        return quoted;
    }
    format!("{part}\n\n(This is its beginning. Read the whole of it below the title of {file} before you argue.)")
}

fn position(position: Option<&str>) -> String {
    position.map_or_else(String::new, |position| {
        format!(
            "\nThe person who asks leans to this position. It is to be tested like any other claim, neither favoured nor punished:\n\n{}\n",
            quoted(position)
        )
    })
}

fn quoted(text: &str) -> String {
    let mut out = String::new();
    quote(&normalise(text), &mut out);
    out.truncate(out.trim_end().len());
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::debate::{MAX_POSITION_CHARS, MAX_QUESTION_CHARS, MAX_ROUNDS, Phase, Place};
    use crate::prompt::{MAX_CUE, MAX_RETRY_CUE, Read, Why, cue};
    use jiff::Timestamp;

    /// Every combination of what can make a prompt long.
    fn every_debate() -> Vec<Debate> {
        let mut all = Vec::new();
        // A character counts at most 2.5 units once it is quoted: two beside a line break.
        let longest = |text: &str, most: usize| text.chars().cycle().take(most).collect::<String>();
        let worst = ["😀", "😀\n", "x\n", "\n"];
        let short = ["Why?", "{file}{roles}"].map(str::to_owned);
        let questions: Vec<String> = worst.iter().map(|text| longest(text, MAX_QUESTION_CHARS)).chain(short).collect();
        let positions: Vec<Option<String>> =
            worst.iter().map(|text| Some(longest(text, MAX_POSITION_CHARS))).chain([None]).collect();
        for question in &questions {
            for position in &positions {
                for max_rounds in [1, MAX_ROUNDS] {
                    for round in [1, max_rounds] {
                        for phase in Phase::ALL {
                            let mut debate =
                                Debate::new("id".into(), question.clone(), max_rounds, Timestamp::UNIX_EPOCH);
                            debate.position.clone_from(position);
                            debate.place = Place { phase, round };
                            all.push(debate);
                        }
                    }
                }
            }
        }
        all
    }

    #[test]
    fn every_prompt_is_within_its_limit() {
        let paths = [
            format!("/{}", "d".repeat(190)),
            format!("/{}", "d".repeat(4_000)),
            "/p/.claude/anvil-state.local.md".into(),
        ];
        let (mut longest, mut longest_cue) = (0, 0);
        for debate in every_debate() {
            for path in paths.iter().map(Path::new) {
                for why in [Why::Turn, Why::Empty, Why::Repeated] {
                    for read in [Read::Nothing, Read::Few(99_999), Read::From(99_999), Read::IfMissing(99_999)] {
                        let cue = cue(&debate, path, why, read);
                        let limit = if why == Why::Turn { MAX_CUE } else { MAX_RETRY_CUE };
                        assert!(utf16_len(cue.as_str()) <= limit, "{}", cue.as_str());
                        assert!(!cue.as_str().contains('\n'));
                        longest_cue = longest_cue.max(utf16_len(cue.as_str()));
                        let opening = opening(&debate, path, &cue);
                        longest = longest.max(utf16_len(opening.as_str()));
                        assert!(utf16_len(opening.as_str()) <= MAX_OPENING);
                    }
                }
            }
        }
        assert!(longest > 6_000 && longest_cue > 200, "the enumeration reaches long prompts: {longest}, {longest_cue}");
    }

    #[test]
    fn a_cue_in_its_turn_is_one_line_of_a_screen() {
        for debate in every_debate() {
            let cue = cue(&debate, Path::new("/p"), Why::Turn, Read::Nothing);
            assert!(cue.as_str().len() <= 76, "{}", cue.as_str());
        }
    }

    #[test]
    fn the_protocol_holds_its_rules_and_no_placeholder_is_left() {
        let mut debate = Debate::new("id".into(), "Should we?\nReally {file}?".into(), 3, Timestamp::UNIX_EPOCH);
        debate.position = Some("Wait a year".into());
        let cue = cue(&debate, Path::new("/p/s.md"), Why::Turn, Read::Nothing);
        let text = opening(&debate, Path::new("/p/s.md"), &cue).0;
        for line in [
            "# Anvil debate protocol",
            "> Should we?\n> Really {file}?",
            "> Wait a year",
            "Rounds: 3. The debate's file, kept by the hook: /p/s.md",
            "quote the exact words",
            "**Would change my mind:**",
            "new to the debate",
            "One line for every number of both sides",
            "**Recommendation:**",
            "**Confidence:**",
            "**Would flip if:**",
            "**Still unknown:**",
            "<anvil-complete/>",
            "## Now\n\nAdvocate, round 1 of 3: open the case for it.",
        ] {
            assert!(text.contains(line), "missing: {line}\n{text}");
        }
        assert!(!text.replace("Really {file}?", "").contains(['{', '}']), "{text}");
    }
}
