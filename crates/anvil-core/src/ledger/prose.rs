//! The prose of a synthesis: what people read, and no program.

use std::ops::Range;

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag};

use super::{block, first_sentence};
use anvil_text::is_bounded;

/// The heading of the changes to a plan. The block has an index to it.
pub const PLAN_CHANGES: &str = "What to change in the plan";

/// Stands before the prose of a judge, in a synthesis that the program composed.
pub(super) const TEXT_OF_JUDGE: &str = "The text is judge ";

/// The section `### What to do`, word for word, and the synthesis without it. `None`: missing or
/// empty.
pub fn what_to_do(synthesis: &str) -> Option<(String, String)> {
    section(&without_block(synthesis), "what to do")
}

/// The section on the changes to a plan, word for word, and the synthesis without it.
pub fn plan_changes(synthesis: &str) -> Option<(String, String)> {
    section(&without_block(synthesis), PLAN_CHANGES)
}

/// The text without its block.
pub fn without_block(text: &str) -> String {
    let Some(place) = block::place(text) else { return text.trim_end().to_owned() };
    let before = text[..place.start].trim_end();
    let after = text[place.end..].trim();
    let gap = if before.is_empty() || after.is_empty() { "" } else { "\n\n" };
    format!("{before}{gap}{after}")
}

/// The first sentence of a synthesis, as plain text; without a sentence that only says whose text it
/// is. `None`: it begins with none.
pub(super) fn why(synthesis: &str) -> Option<String> {
    let prose = without_block(synthesis);
    if !is_bounded(&prose) {
        return None;
    }
    let mut text = String::new();
    let mut depth = 0_usize;
    let mut is_paragraph = false;
    for event in Parser::new_ext(&prose, Options::ENABLE_TABLES) {
        match event {
            Event::Start(tag) => {
                is_paragraph |= depth == 0 && tag == Tag::Paragraph;
                depth += 1;
            }
            Event::End(_) => {
                depth -= 1;
                if is_paragraph && depth == 0 {
                    is_paragraph = false;
                    if !text.starts_with(TEXT_OF_JUDGE) {
                        break;
                    }
                    text.clear();
                }
            }
            Event::Text(words) | Event::Code(words) if is_paragraph => text.push_str(&words),
            Event::SoftBreak | Event::HardBreak if is_paragraph => text.push(' '),
            _ => {}
        }
    }
    let sentence = first_sentence(text.trim());
    (!sentence.is_empty()).then(|| sentence.to_owned())
}

/// The section of this name, and the synthesis without it. `None`: missing or empty.
fn section(synthesis: &str, name: &str) -> Option<(String, String)> {
    if !is_bounded(synthesis) {
        return None;
    }
    // Headings at the top level: level, range, text.
    let mut headings: Vec<(HeadingLevel, Range<usize>, String)> = Vec::new();
    let mut depth = 0_usize;
    let mut is_in_heading = false;
    for (event, place) in Parser::new_ext(synthesis, Options::ENABLE_TABLES).into_offset_iter() {
        match event {
            Event::Start(Tag::Heading { level, .. }) if depth == 0 => {
                headings.push((level, place, String::new()));
                (depth, is_in_heading) = (1, true);
            }
            Event::Start(_) => depth += 1,
            Event::End(_) => {
                depth -= 1;
                is_in_heading &= depth > 0;
            }
            Event::Text(text) | Event::Code(text) if is_in_heading => {
                headings.iter_mut().next_back()?.2.push_str(&text);
            }
            _ => {}
        }
    }
    let at = headings
        .iter()
        .position(|(_, _, title)| title.trim_matches([' ', ':', '.']).eq_ignore_ascii_case(name))?;
    let (level, heading, _) = &headings[at];
    let next = headings[at + 1..].iter().find(|(other, ..)| other <= level);
    let end = next.map_or(synthesis.len(), |(_, place, _)| place.start);
    let steps = synthesis[heading.end..end].trim_matches('\n').trim_end();
    let remaining = format!("{}\n\n{}", synthesis[..heading.start].trim_end(), &synthesis[end..]);
    (!steps.trim().is_empty()).then(|| (steps.to_owned(), remaining.trim_matches('\n').to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_is_found_by_its_heading_and_kept_word_for_word() {
        let found = |text: &str| what_to_do(text).map(|(steps, _)| steps);
        let text = "Wait.\n\n### What to do\n\n1. One.\n\n   ```\n   # not a heading\n   ```\n2. \
            Two.\n\n#### Later\n\nThree.\n\n### Dissents\n\nEnd.\n\n```anvil\nverdict: do\n```";
        let (steps, remaining) = what_to_do(text).expect("steps");
        assert!(steps.starts_with("1. One.") && steps.ends_with("#### Later\n\nThree."), "{steps}");
        assert_eq!(remaining, "Wait.\n\n### Dissents\n\nEnd.");
        assert_eq!(found("## **What to do:**\nWait.\n").as_deref(), Some("Wait."));
        assert_eq!(found("What to do\n---\n    code\n").as_deref(), Some("    code"));
        for text in [
            "",
            "What to do: wait.",
            "### What to do\n\n",
            "### What to do\n```anvil\nverdict: do\n```",
            "### What to do\n### Next\nx",
            "> ### What to do\n> x",
            "```\n### What to do\nx\n```",
            "### What to do about C4\nx",
            "### What to change in the plan\nx",
        ] {
            assert_eq!(found(text), None, "{text}");
        }
        let plan = format!("### {PLAN_CHANGES}\n\n1. Name who rolls back (C2).");
        assert_eq!(plan_changes(&plan).unwrap().0, "1. Name who rolls back (C2).");
    }

    #[test]
    fn the_reason_is_the_first_sentence_of_the_first_paragraph() {
        for (synthesis, expected) in [
            ("Keep **it**, `v1.2`\nas it is. More.", Some("Keep it, v1.2 as it is.")),
            ("# Outcome\n\n- a list\n\n> a quote\n\nWait. Soon.", Some("Wait.")),
            ("### What to change\n\n1. Copy.\n2. Tell.\n", None),
            ("The text is judge 2's.\n\nWait.", Some("Wait.")),
            ("```anvil\nverdict: do\n```", None),
            ("", None),
        ] {
            assert_eq!(why(synthesis).as_deref(), expected, "{synthesis}");
        }
    }

    #[test]
    fn only_the_one_block_is_taken_out() {
        let block = "```anvil\nverdict: do\n```";
        for (text, prose) in [
            (format!("One.\n\n{block}\n\nTwo.\n"), "One.\n\nTwo."),
            (format!("One.\n{block}"), "One."),
            (format!("{block}\nTwo."), "Two."),
            (block.to_owned(), ""),
            ("One.\n".to_owned(), "One."),
        ] {
            assert_eq!(without_block(&text), prose, "{text}");
        }
        for kept in [format!("{block}\n{block}"), format!("> {}", block.replace('\n', "\n> "))] {
            assert_eq!(without_block(&kept), kept, "it is not the one block");
        }
    }
}
