//! The report as Markdown: the verdict first, then the synthesis, then the record.

use std::fmt::Write as _;

use pulldown_cmark::{Event, Options, Parser, Tag};

use super::Verdict;
use crate::debate::{Debate, Phase};
use crate::say;
use crate::transcript::{Section, quote};

/// Renders a finished debate.
#[must_use]
pub fn markdown(debate: &Debate, sections: &[Section]) -> String {
    let mut out = String::with_capacity(sections.iter().map(|section| section.text.len() + 64).sum::<usize>() + 2048);
    let _ = writeln!(out, "# {}\n", say::clean(&debate.question, 200));
    if say::clean(&debate.question, 200) != debate.question {
        out.push_str(&quoted(&debate.question));
        out.push('\n');
    }
    let words: usize = sections.iter().map(Section::words).sum();
    let rounds = sections.iter().map(|section| section.place.round).max().unwrap_or(0);
    let early =
        if rounds < debate.max_rounds { format!(" of {} (ended early)", debate.max_rounds) } else { String::new() };
    let _ = writeln!(
        out,
        "*A structured debate by Anvil, {}: {} mode, rounds: {rounds}{early}, {words} words.*\n",
        debate.updated_at.strftime("%Y-%m-%d"),
        debate.mode.word(),
    );
    if let Some(position) = &debate.position {
        let _ = writeln!(out, "The person who asked leaned to:\n\n{}", quoted(position));
    }
    let (synthesis, record): (Vec<&Section>, Vec<&Section>) =
        sections.iter().partition(|section| section.place.phase == Phase::Synthesizer);
    for section in &synthesis {
        out.push_str("## Verdict\n\n");
        if Verdict::of(&section.text).recommendation.is_none() {
            out.push_str("*The synthesis does not state its recommendation in the usual form; it stands here as it was written.*\n\n");
        }
        let text = if is_closed(&section.text) { section.text.clone() } else { quoted(&section.text) };
        let _ = writeln!(out, "{}\n", text.trim_end());
    }
    out.push_str("## Record\n");
    let mut round = 0;
    for section in record {
        if section.place.round != round {
            round = section.place.round;
            let _ = writeln!(out, "\n### Round {round}");
        }
        let title = match section.place.phase {
            Phase::Advocate => "Advocate",
            Phase::Critic => "Critic",
            Phase::Synthesizer => "Synthesis",
        };
        let _ = writeln!(out, "\n#### {title}\n\n{}", quoted(&section.text).trim_end());
    }
    out
}

fn quoted(text: &str) -> String {
    let mut out = String::new();
    quote(text, &mut out);
    out
}

/// True when what comes behind `text` is not swallowed by it: no fence, comment or tag is left open. Asked of a parser.
fn is_closed(text: &str) -> bool {
    let document = format!("{text}\n\n## Record\n");
    let end = document.len() - "## Record\n".len();
    let mut depth = 0_usize;
    Parser::new_ext(&document, Options::empty()).into_offset_iter().any(|(event, range)| match event {
        Event::Start(tag) => {
            depth += 1;
            depth == 1 && range.start == end && matches!(tag, Tag::Heading { .. })
        }
        Event::End(_) => {
            depth -= 1;
            false
        }
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_would_swallow_the_record_is_told() {
        for open in ["```\ncode", "<!-- x", "a\n~~~~", "<script>\nx", "> quote\n\n```"] {
            assert!(!is_closed(open), "{open}");
        }
        for closed in ["**Recommendation:** yes", "```\ncode\n```", "- a\n- b", "> quote", "# A heading", ""] {
            assert!(is_closed(closed), "{closed}");
        }
    }
}
