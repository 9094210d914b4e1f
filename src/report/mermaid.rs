//! The map of claims as a drawing for Mermaid.

use std::fmt::Write as _;

use super::checked::{is_against, words_of};
use super::mark::CLASSES;
use super::signs;
use crate::domain::ledger::{Claim, Ledger};
use crate::text;

/// Longest text of a node in a drawing, in characters.
const MAX_LABEL: usize = 120;

/// The map as a flowchart for Mermaid, which forges draw inside Markdown. A move that no claim
/// makes is a separate node.
pub fn mermaid(ledger: &Ledger) -> String {
    let mut out = String::from("flowchart RL\n");
    for claim in &ledger.claims {
        let label = quoted(&format!("{}: {}", claim.id, text::clean(&claim.sentence, MAX_LABEL)));
        let _ = writeln!(out, "  {}[{label}]:::{}", node(claim), signs::class(claim.result));
    }
    for (number, made) in (1..).zip(&ledger.moves) {
        let Some(target) = ledger.claim(made.target) else { continue };
        let claim = made.by.and_then(|by| ledger.claim(by));
        let from = claim.map_or_else(|| format!("M{number}"), node);
        if claim.is_none() {
            let label = quoted(&text::clean(&words_of(made), MAX_LABEL));
            let _ = writeln!(out, "  {from}([{label}])");
        }
        let arrow = if is_against(made) { "-->" } else { "-.->" };
        let word = made.kind.word().to_lowercase();
        let _ = writeln!(out, "  {from} {arrow}|{word}| {}", node(target));
    }
    out + CLASSES + "\n"
}

/// An id that Mermaid accepts: `S2_1`.
fn node(claim: &Claim) -> String {
    claim.id.to_string().replace('.', "_")
}

/// A text between quotes, where some characters need entities.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for char in text.chars() {
        match char {
            '"' | '#' | '&' | '<' | '>' | '`' | ';' | '\\' | '@' => {
                let _ = write!(out, "#{};", u32::from(char));
            }
            other => out.push(other),
        }
    }
    out + "\""
}

#[cfg(test)]
mod tests {
    use super::super::hostile::HOSTILE;
    use super::*;
    use crate::domain::debate::{Alternatives, Phase, Slot};
    use crate::domain::ledger::Spoken;

    fn ledger() -> Ledger {
        let replies = [
            (Phase::Advocate, "**A1. Say \"yes\" & go; <b> #1.** x [evidence: the audit]"),
            (
                Phase::Critic,
                "**C1. It costs.** y\n**Attacks A1:** \"go\" is dear.\n\n**Attacks A1:** no.",
            ),
            (Phase::Synthesizer, "```anvil\nA1 fell: dear\nC1 survived: true\n```"),
        ];
        let spoken = replies.map(|(phase, text)| Spoken::new(Slot { phase, round: 1 }, 1, text));
        Ledger::from_replies(spoken, &Alternatives::default())
    }

    #[test]
    fn a_drawing_shows_claims_moves_and_their_authors() {
        let mermaid = mermaid(&ledger());
        for line in [
            "  A1[\"A1: Say #34;yes#34; #38; go#59; #60;b#62; #35;1\"]:::fell",
            "  C1 -->|attacks| A1",
            "  M2([\"no.\"])",
        ] {
            assert!(mermaid.contains(line), "{line}\n{mermaid}");
        }
    }

    #[test]
    fn a_hostile_text_stays_inside_its_quotes() {
        for text in HOSTILE {
            let claim = format!("**A1. {text} \\ \" ]]> end** x [evidence: {text}]");
            let attack = format!("**C1. {text}** y\n\n**Attacks A1:** \"{text}\" \\\" {text}");
            let spoken = [(Phase::Advocate, &claim), (Phase::Critic, &attack)]
                .map(|(phase, text)| Spoken::new(Slot { phase, round: 1 }, 1, text));
            let ledger = Ledger::from_replies(spoken, &Alternatives::default());
            assert!(!ledger.claims.is_empty());
            for line in mermaid(&ledger).lines() {
                let outside: String = line.split('"').step_by(2).collect();
                let is_ours =
                    |char: char| char.is_ascii_alphanumeric() || " [](){}:_->|.".contains(char);
                assert!(
                    outside.chars().all(is_ours) && line.matches('"').count() % 2 == 0,
                    "{line}"
                );
            }
        }
    }
}
