//! A reply in a few lines: its claims, each with its moves.

use anvil_core::ledger::{Ledger, LedgerReply, Move};
use anvil_core::place::{Place, Seat};
use anvil_core::question::Alternatives;
use anvil_text::clean;

/// Longest line, in characters. A terminal shows what fits.
const MAX_LINE: usize = 240;

/// Most lines that are shown of one reply.
const MAX_LINES: usize = 12;

/// The main lines of a reply, for a user who watches. Of a synthesis none: what it is worth is known
/// once it is saved, and then its verdict is shown.
pub fn heads(place: Place, reply: &str) -> Vec<String> {
    if place.seat == Seat::Synthesizer {
        return Vec::new();
    }
    let spoken = [LedgerReply::new(place, 1, reply)];
    let ledger = Ledger::from_replies(spoken, &Alternatives::default());
    let mut all: Vec<String> =
        ledger.moves.iter().filter(|made| made.by.is_none()).map(line_of).collect();
    for claim in &ledger.claims {
        all.push(clean(&format!("{}. {}", claim.id, claim.sentence), MAX_LINE));
        all.extend(ledger.moves.iter().filter(|made| made.by == Some(claim.id)).map(line_of));
    }
    if all.len() > MAX_LINES {
        let more = all.len() - MAX_LINES + 1;
        all.truncate(MAX_LINES - 1);
        all.push(format!("… {more} more"));
    }
    all
}

fn line_of(made: &Move) -> String {
    let quote = made.quote.as_deref().map(|quote| format!("\"{quote}\" ")).unwrap_or_default();
    clean(&format!("{} {}: {quote}{}", made.kind.word(), made.target, made.reason), MAX_LINE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_shows_its_claims_and_moves_and_a_synthesis_its_verdict() {
        let at = |seat, round| Place { seat, round };
        let reply = "**Grants A2:** because it is so.\n\n**C1. No.** [reasoning]\n**Attacks A1:** \
            \"we can\" fails.";
        assert_eq!(
            heads(at(Seat::Critic, 1), reply),
            ["Grants A2: because it is so.", "C1. No", "Attacks A1: \"we can\" fails."]
        );
        let many =
            (1..=20).map(|number| format!("**C{number}. No.** x\n\n")).collect::<Vec<_>>().concat();
        let lines = heads(at(Seat::Critic, 1), &many);
        assert_eq!((lines.len(), lines[11].as_str()), (12, "… 9 more"));
        let synthesis = "Prose.\n\n```anvil\nverdict: do not\n```";
        assert!(heads(at(Seat::Synthesizer, 1), synthesis).is_empty());
        assert!(heads(at(Seat::Advocate, 1), "Prose.").is_empty());
    }
}
