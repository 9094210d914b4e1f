//! The report as Markdown: the verdict first, then the synthesis, then the record.

use std::fmt::Write as _;

use super::Verdict;
use crate::debate::{Debate, Phase};
use crate::say;
use crate::transcript::Section;

/// Renders a finished debate.
#[must_use]
pub fn markdown(debate: &Debate, sections: &[Section]) -> String {
    let mut out = String::with_capacity(sections.iter().map(|section| section.text.len() + 64).sum::<usize>() + 2048);
    let _ = writeln!(out, "# {}\n", say::clean(&debate.question, 200));
    if say::clean(&debate.question, 200) != debate.question {
        out.push_str(&quote(&debate.question));
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
        let _ = writeln!(out, "The person who asked leaned to:\n\n{}", quote(position));
    }
    let (synthesis, record): (Vec<&Section>, Vec<&Section>) =
        sections.iter().partition(|section| section.place.phase == Phase::Synthesizer);
    for section in &synthesis {
        out.push_str("## Verdict\n\n");
        if Verdict::of(&section.text).recommendation.is_none() {
            out.push_str("*The synthesis does not state its recommendation in the usual form; it stands here as it was written.*\n\n");
        }
        let _ = writeln!(out, "{}\n", section.text);
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
        let _ = writeln!(out, "\n#### {title}\n\n{}", quote(&section.text).trim_end());
    }
    out
}

fn quote(text: &str) -> String {
    text.lines().fold(String::new(), |mut out, line| {
        out.push_str(if line.is_empty() { ">" } else { "> " });
        out.push_str(line);
        out.push('\n');
        out
    })
}
