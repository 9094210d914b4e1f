//! The report as Markdown: the verdict first, then the synthesis, then the record.

use std::fmt::Write as _;

use pulldown_cmark::{Event, Options, Parser, Tag};

use super::Verdict;
use crate::debate::{Debate, Format, Mode, Phase};
use crate::say;
use crate::transcript::{Kind, Note, Section, quote};

/// Renders a finished debate: its last synthesis as the verdict, and everything that was said as the record. `cycles` says why each
/// was opened.
#[must_use]
pub fn markdown(debate: &Debate, sections: &[Section], notes: &[Note], cycles: &[(u32, String)]) -> String {
    let mut out = String::with_capacity(sections.iter().map(|section| section.text.len() + 64).sum::<usize>() + 2048);
    let _ = writeln!(out, "# {}\n", say::clean(&debate.question, 200));
    if say::clean(&debate.question, 200) != debate.question {
        out.push_str(&quoted(&debate.question));
        out.push('\n');
    }
    let _ = writeln!(out, "*{}*\n", about(debate, sections));
    if let Some(position) = &debate.position {
        let leaned =
            if debate.mode == Mode::DevilsAdvocate { "The position" } else { "The person who asked leaned to" };
        let _ = writeln!(out, "{leaned}:\n\n{}", quoted(position));
    }
    let verdict = sections.iter().rposition(|section| section.place.phase == Phase::Synthesizer);
    if let Some(section) = verdict.map(|at| &sections[at]) {
        out.push_str("## Verdict\n\n");
        if Verdict::of(&section.text).recommendation.is_none() {
            out.push_str("*The synthesis does not state its recommendation in the usual form; it stands here as it was written.*\n\n");
        }
        let text = if is_closed(&section.text) { section.text.clone() } else { quoted(&section.text) };
        let _ = writeln!(out, "{}\n", text.trim_end());
    }
    out.push_str("## Record\n");
    let mut round = (1, 0);
    let mut steering = notes.iter().filter(|note| note.kind == Kind::Steering).peekable();
    for (index, section) in sections.iter().enumerate() {
        if section.cycle != round.0 {
            round = (section.cycle, 0);
            let _ = writeln!(out, "\n### Cycle {}", section.cycle);
            let why = cycles.iter().find(|(cycle, why)| *cycle == section.cycle && !why.trim().is_empty());
            if let Some((_, why)) = why {
                let _ = writeln!(out, "\n{}", quoted(why).trim_end());
            }
        }
        let title = match section.place.phase {
            Phase::Advocate => Some("Advocate".to_owned()),
            Phase::Critic => Some("Critic".to_owned()),
            Phase::Stakeholder | Phase::Persona => {
                Some(say::clean(section.voice.as_deref().unwrap_or(section.place.phase.word()), 200))
            }
            // It stands above.
            Phase::Synthesizer if Some(index) == verdict => None,
            Phase::Synthesizer => Some("Synthesis of this cycle".to_owned()),
        };
        let has_rounds = matches!(section.place.phase, Phase::Advocate | Phase::Critic);
        if has_rounds && section.place.round != round.1 {
            round.1 = section.place.round;
            let _ = writeln!(out, "\n### Round {}", round.1);
        }
        while let Some(note) = steering.next_if(|note| note.begins < section.begins) {
            let _ = writeln!(out, "\n#### Steering\n\n{}", quoted(&note.text).trim_end());
        }
        if let Some(title) = title {
            let _ = writeln!(out, "\n#### {title}\n\n{}", quoted(&section.text).trim_end());
        }
    }
    out
}

/// What kind of debate it was, in a line.
fn about(debate: &Debate, sections: &[Section]) -> String {
    let words: usize = sections.iter().map(Section::words).sum();
    let mut said = vec![format!("{} mode", debate.mode.word())];
    let argued = || sections.iter().filter(|section| section.place.phase != Phase::Synthesizer);
    match debate.format() {
        Format::Seats => {
            let rounds = argued().map(|section| section.place.round).max().unwrap_or(0);
            said.push(format!("rounds: {rounds}"));
            match debate.voices.as_slice() {
                [critic] => said.push(format!("critic: {}", say::clean(&critic.name, 60))),
                [advocate, critic] => said.push(format!(
                    "argued by {} and {}",
                    say::clean(&advocate.name, 60),
                    say::clean(&critic.name, 60)
                )),
                _ => {}
            }
        }
        Format::Stakeholders | Format::Personas => said.push(format!("voices: {}", argued().count())),
    }
    if debate.cycle > 1 {
        said.push(format!("cycles: {}", debate.cycle));
    }
    if let Some(focus) = &debate.focus {
        said.push(format!("focus: {}", say::clean(focus, 100)));
    }
    if let Some(framework) = &debate.framework {
        said.push(format!("framework: {}", say::clean(&framework.name, 60)));
    }
    let flags = [(debate.blind, "blind openings"), (debate.research, "with research")];
    said.extend(flags.iter().filter(|(set, _)| *set).map(|(_, what)| (*what).to_owned()));
    for (what, source) in
        [("context", &debate.context_source), ("follows", &debate.follow_up), ("versus", &debate.versus)]
    {
        said.extend(source.iter().map(|source| format!("{what}: {}", say::clean(source, 200))));
    }
    said.push(format!("{words} words"));
    if let Some(skipped) = say::skipped(debate, sections) {
        said.push(format!("skipped: {skipped}"));
    }
    // Emphasis ends where a star stands.
    let said = said.join(", ").replace(['*', '_'], " ");
    format!("A structured debate by Anvil, {}: {said}.", debate.updated_at.strftime("%Y-%m-%d"))
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
