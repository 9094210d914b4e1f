//! The map of claims as a drawing for Mermaid.

use std::fmt::Write as _;

use super::signs;
use crate::domain::ledger::{Claim, Ledger, Move, MoveKind};
use crate::text;

/// Longest text of a node in a drawing, in characters.
const MAX_LABEL: usize = 120;

/// A move from one claim to another.
struct Edge<'a> {
    made: &'a Move,
    /// The claim that makes the move; without one, the move is a node of its own.
    from: Option<&'a Claim>,
    to: &'a Claim,
    index: usize,
}

impl Edge<'_> {
    fn node(&self) -> String {
        self.from.map_or_else(|| format!("M{}", self.index + 1), node)
    }

    fn is_against(&self) -> bool {
        matches!(self.made.kind, MoveKind::Attack | MoveKind::Rebut | MoveKind::Withdraw)
    }
}

/// An id that Mermaid accepts: `S2_1`.
fn node(claim: &Claim) -> String {
    claim.id.to_string().replace('.', "_")
}

fn edges(ledger: &Ledger) -> impl Iterator<Item = Edge<'_>> {
    ledger.moves.iter().enumerate().filter_map(|(index, made)| {
        let from = made.by.and_then(|by| ledger.claim(by));
        Some(Edge { made, from, to: ledger.claim(made.target)?, index })
    })
}

/// The text in the node of a move.
fn label(made: &Move) -> String {
    let quote = made.quote.as_deref().map(|quote| format!("“{quote}” ")).unwrap_or_default();
    text::clean(&format!("{quote}{}", made.reason), MAX_LABEL)
}

/// The map as a flowchart for Mermaid, which forges draw inside Markdown.
pub fn mermaid(ledger: &Ledger) -> String {
    // Inside quotes, these characters need entities.
    let quoted = |text: &str| {
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
    };
    let mut out = String::from("flowchart RL\n");
    for claim in &ledger.claims {
        let label = format!("{}: {}", claim.id, text::clean(&claim.sentence, MAX_LABEL));
        let _ =
            writeln!(out, "  {}[{}]:::{}", node(claim), quoted(&label), signs::class(claim.result));
    }
    for edge in edges(ledger) {
        if edge.from.is_none() {
            let _ = writeln!(out, "  {}([{}])", edge.node(), quoted(&label(edge.made)));
        }
        let arrow = if edge.is_against() { "-->" } else { "-.->" };
        let _ = writeln!(
            out,
            "  {} {arrow}|{}| {}",
            edge.node(),
            edge.made.kind.word().to_lowercase(),
            node(edge.to)
        );
    }
    out + "  classDef survived stroke-width:3px\n  classDef weakened stroke-dasharray:6 3\n  \
        classDef fell stroke-dasharray:2 3\n  classDef untold stroke-width:1px\n"
}

#[cfg(test)]
mod tests {
    use super::super::hostile::HOSTILE;
    use super::*;
    use crate::domain::debate::{Phase, Slot};
    use crate::domain::ledger::Spoken;

    fn ledger() -> Ledger {
        let replies = [
            (Phase::Advocate, "**A1. Say \"yes\" & go; <b> #1.** x [evidence: the audit]"),
            (
                Phase::Critic,
                "**C1. It costs.** y\n**Attacks A1:** \"go\" is dear.\n\n**Attacks A1:** no.",
            ),
            (Phase::Synthesizer, "- **A1** fell: dear\n- **C1** survived: true"),
        ];
        let spoken =
            replies.map(|(phase, text)| Spoken { slot: Slot { phase, round: 1 }, cycle: 1, text });
        Ledger::of(spoken)
    }

    #[test]
    fn a_drawing_shows_claims_moves_and_who_makes_them() {
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
    fn a_hostile_text_stays_inside_of_its_quotes() {
        for text in HOSTILE {
            let claim = format!("**A1. {text} \\ \" ]]> end** x [evidence: {text}]");
            let attack = format!("**C1. {text}** y\n\n**Attacks A1:** \"{text}\" \\\" {text}");
            let spoken = [(Phase::Advocate, &claim), (Phase::Critic, &attack)]
                .map(|(phase, text)| Spoken { slot: Slot { phase, round: 1 }, cycle: 1, text });
            let ledger = Ledger::of(spoken);
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
