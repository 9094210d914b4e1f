//! Reads replies in order: their claims, their moves, and their faults. Faults depend on all
//! earlier replies.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell};
use std::collections::{BTreeMap, HashMap};

use super::earlier::Earlier;
use super::graph::grounded_labelling;
use super::own::source;
use super::read::{Depth, Items, ReadClaim, ReadMove, Reading};
use super::words::{fold, occurrences, pieces};
use super::{
    Claim, ClaimResult, ClaimStatus, Fault, Finding, Id, Label, Ledger, LedgerReply, LedgerSection,
    Move, MoveKind, Standing, Synthesis, findings,
};
use crate::id::any_ids_in;
use crate::place::Seat;
use crate::question::Alternatives;

/// Most times that the whole debate is searched for quotes. A debate of twenty long replies needs a
/// few hundred. A debate of only quotes would take quadratic time.
const MAX_SEARCHES: usize = 1_000;

/// Most claims and moves of a debate together; a long one has some 200.
const MAX_ITEMS_OF_DEBATE: usize = 3_000;

/// In bytes. In a shorter debate every quote is searched.
const MIN_BYTES: usize = 100_000;

#[derive(Default)]
pub(crate) struct Reader<'a> {
    ledger: Ledger,
    /// The index of each claim.
    known: BTreeMap<Id, usize>,
    /// Every reply, for the search of quotes.
    texts: Vec<ReplyText<'a>>,
    /// Bytes of those replies, and bytes that were searched for quotes.
    bytes: usize,
    searched: Cell<usize>,
    /// The last synthesis, and the index of its reply.
    last_synthesis: Option<(usize, LedgerReply<'a>)>,
}

struct ReplyText<'a> {
    seat: Seat,
    text: Cow<'a, str>,
    folded: OnceCell<String>,
}

impl ReplyText<'_> {
    fn fold(&self) -> &str {
        self.folded.get_or_init(|| fold(&self.text))
    }
}

impl<'a> Reader<'a> {
    pub(crate) fn new(among: &Alternatives) -> Self {
        let ledger = Ledger { among: among.clone(), ..Ledger::default() };
        Self { ledger, ..Self::default() }
    }

    /// Reads the last reply whole, and earlier ones to this depth.
    pub(crate) fn read(
        mut self,
        replies: impl IntoIterator<Item = LedgerReply<'a>>,
        depth: Depth,
    ) -> Ledger {
        let is_whole = depth == Depth::Whole;
        let mut replies = replies.into_iter().enumerate().peekable();
        while let Some((section, reply)) = replies.next() {
            let seat = reply.place.seat;
            let mut has_items = false;
            let text = if seat == Seat::Synthesizer {
                self.last_synthesis = Some((section, reply));
                source(reply.text)
            } else {
                let depth = if replies.peek().is_none() { Depth::Whole } else { depth };
                let reading = Reading::new(reply.text);
                let mut items = reading.items(depth);
                has_items = items.count() > 0;
                self.drop_excess(&mut items, section);
                // A move may name a claim that its own reply makes further below.
                for claim in items.claims {
                    self.add_claim(claim, section, reply);
                }
                for made in &items.moves {
                    self.add_moves(made, section, reply, &reading.source);
                }
                if is_whole && seat == Seat::Critic {
                    self.ledger.stated.extend(reading.statements(seat, section));
                }
                // A cue needs no finding about named claims.
                if is_whole {
                    self.note_named(&reading, seat);
                }
                reading.source
            };
            self.bytes += text.len();
            self.texts.push(ReplyText { seat, text, folded: OnceCell::new() });
            self.ledger.sections.push(LedgerSection {
                place: reply.place,
                cycle: reply.cycle,
                has_items,
            });
        }
        // A cue shows no label.
        if is_whole {
            self.set_labels();
        }
        self.apply_synthesis_results();
        let mut ledger = self.ledger;
        findings::complete(&mut ledger);
        ledger
    }

    /// Drops all items of a reply that would exceed the limit of the debate.
    fn drop_excess(&mut self, items: &mut Items, section: usize) {
        let Ledger { claims, moves, findings, .. } = &mut self.ledger;
        if claims.len() + moves.len() + items.count() <= MAX_ITEMS_OF_DEBATE {
            return;
        }
        *items = Items::default();
        if !findings.iter().any(|finding| finding.fault == Fault::NotAllRead) {
            findings.push(Finding { section, fault: Fault::NotAllRead });
        }
    }

    /// Notes the claims that a reply names, also in quotes and in code.
    fn note_named(&mut self, reading: &Reading<'_>, seat: Seat) {
        let mut accepted = reading.accepted_claims().peekable();
        let mut at = 0;
        for line in reading.source.split_inclusive('\n') {
            at += line.len();
            let mut of_line: Vec<Id> = Vec::new();
            while let Some((_, targets)) = accepted.next_if(|(place, _)| *place < at) {
                of_line.extend(targets);
            }
            for id in any_ids_in(line) {
                self.ledger.named.insert(id);
                if id.seat() == seat {
                    self.ledger.named_by_own.insert(id);
                } else if self.known.contains_key(&id) {
                    self.ledger.named_by_others.insert(id);
                    if !of_line.contains(&id) {
                        self.ledger.disputed_by_others.insert(id);
                    }
                }
            }
        }
    }

    fn add_claim(&mut self, read: ReadClaim, section: usize, reply: LedgerReply<'_>) {
        if read.id.seat() != reply.place.seat {
            // A quoted claim of another side, with its number.
            return;
        }
        if let Some(&known) = self.known.get(&read.id) {
            let earlier = &self.ledger.claims[known];
            if read.is_marked
                && earlier.sentence != read.sentence
                && plain(&earlier.sentence) != plain(&read.sentence)
            {
                let fault = Fault::ReusedId { id: read.id, first: earlier.section };
                self.ledger.findings.push(Finding { section, fault });
            }
            return;
        }
        self.known.insert(read.id, self.ledger.claims.len());
        self.ledger.claims.push(Claim {
            id: read.id,
            cycle: reply.cycle,
            round: reply.place.number(),
            section,
            sentence: read.sentence,
            ground: read.ground,
            citation: read.citation,
            reasons: read.reasons,
            status: ClaimStatus::Open,
            label: Label::Undecided,
            result: None,
            why: String::new(),
            resolved: None,
            answered: true,
            check: None,
        });
    }

    fn add_moves(&mut self, read: &ReadMove, section: usize, reply: LedgerReply<'_>, text: &str) {
        let seat = reply.place.seat;
        let own = OnceCell::new();
        let own = || own.get_or_init(|| fold(text));
        for &target in &read.targets {
            // The owner of the claim decides between the two kinds.
            let kind = match read.kind {
                MoveKind::Grant if target.seat() == seat => MoveKind::Withdraw,
                MoveKind::Withdraw if target.seat() != seat => MoveKind::Grant,
                other => other,
            };
            let quote_found = read
                .quote
                .as_deref()
                .and_then(|quote| self.is_quoted(quote, target, seat, own))
                .filter(|is_found| *is_found || read.begins_with_quote);
            let made = Move {
                kind,
                target,
                after: read.after.clone(),
                by: read.by.filter(|by| by.seat() == seat && *by != target),
                seat,
                cycle: reply.cycle,
                round: reply.place.number(),
                section,
                quote: read.quote.clone(),
                quote_found,
                reason: read.reason.clone(),
            };
            let known = self.known.get(&target).copied();
            self.check_move(&made, known.is_some());
            if let Some(known) = known {
                let status = &mut self.ledger.claims[known].status;
                *status = status.after(&made);
            }
            self.ledger.moves.push(made);
        }
    }

    /// True if a reply of the claim's side has these words. The reply that makes the claim is
    /// searched first. `None`: not searched, because earlier quotes used up the limit.
    fn is_quoted<'t>(
        &self,
        quote: &str,
        target: Id,
        seat: Seat,
        own: impl Fn() -> &'t String,
    ) -> Option<bool> {
        if self.searched.get() > MAX_SEARCHES * self.bytes.max(MIN_BYTES) {
            return None;
        }
        let made_in = self
            .known
            .get(&target)
            .and_then(|&known| self.texts.get(self.ledger.claims[known].section));
        // Most quotes are exact.
        if made_in.is_some_and(|earlier| occurrences(&earlier.text, quote).next().is_some()) {
            return Some(true);
        }
        let pieces = pieces(&fold(quote));
        let is_found = made_in.is_some_and(|earlier| self.has_pieces(earlier.fold(), &pieces, 0))
            || self.texts.iter().any(|earlier| {
                earlier.seat == target.seat() && self.has_pieces(earlier.fold(), &pieces, 0)
            })
            // The reply itself contains the quote once, as a quote.
            || target.seat() == seat && self.has_pieces(own(), &pieces, 1);
        Some(is_found)
    }

    /// True if a folded text has each piece more than `times` times, in one of its two forms.
    fn has_pieces(&self, text: &str, pieces: &[[String; 2]], times: usize) -> bool {
        self.searched.set(self.searched.get() + text.len() * 2 * pieces.len());
        !pieces.is_empty()
            && pieces.iter().all(|forms| {
                forms.iter().any(|words| occurrences(text, words).nth(times).is_some())
            })
    }

    /// Adds the faults of a move in view of all earlier replies.
    fn check_move(&mut self, made: &Move, is_known: bool) {
        let id = made.target;
        let section = made.section;
        let mut add = |fault| self.ledger.findings.push(Finding { section, fault });
        if !is_known {
            // The claim may have a form that the ledger cannot read.
            if !self.ledger.named_by_own.contains(&id) {
                add(Fault::UnknownClaim { id });
            }
        } else if made.quote_found == Some(false) {
            let quote = made.quote.clone().unwrap_or_default();
            add(Fault::QuoteNotFound { id, quote });
        }
        if made.lacks_reason() {
            add(Fault::GrantWithoutReason { id });
        }
    }

    /// Sets the labels of the claims. A synthesis is also compared with a labelling without the
    /// attacks that had no chance of an answer.
    fn set_labels(&mut self) {
        let labels = self.labels(|_| true);
        for (claim, label) in self.ledger.claims.iter_mut().zip(labels) {
            claim.label = label;
        }
        if self.last_synthesis.is_some() {
            let last: HashMap<Seat, usize> = self
                .ledger
                .sections
                .iter()
                .enumerate()
                .map(|(at, section)| (section.place.seat, at))
                .collect();
            self.ledger.labels_in_time = self.labels(|made| {
                !made.kind.is_attack()
                    || last.get(&made.target.seat()).is_some_and(|last| *last > made.section)
            });
        }
    }

    /// The grounded labelling of the claims and of those moves that count.
    fn labels(&self, counts: impl Fn(&Move) -> bool) -> Vec<Label> {
        let Ledger { claims, moves, .. } = &self.ledger;
        // The node of a move is its index after those of all claims.
        let offset = claims.len();
        let mut attacks = Vec::new();
        // By claim: the moves that attack it so far, and the nodes that attack it in the graph.
        let mut earlier: Vec<Vec<usize>> = vec![Vec::new(); claims.len()];
        let mut attackers: Vec<Vec<usize>> = vec![Vec::new(); claims.len()];
        for (at, made) in moves.iter().enumerate().filter(|(_, made)| counts(made)) {
            let Some(&target) = self.known.get(&made.target) else { continue };
            let node = offset + at;
            match made.kind {
                MoveKind::Attack | MoveKind::Rebut | MoveKind::Withdraw => {
                    attackers[target].push(node);
                }
                // A repair that names claims answers only the attacks that these make.
                MoveKind::Repair => {
                    for &before in &earlier[target] {
                        let attack = &moves[before];
                        let is_answered = made.after.is_empty()
                            || attack.by.is_none_or(|by| made.after.contains(&by));
                        if attack.seat != made.seat && is_answered {
                            attacks.push((node, offset + before));
                        }
                    }
                }
                // A seat that grants a claim takes back its attacks on it.
                MoveKind::Grant => attacks.extend(
                    earlier[target]
                        .iter()
                        .filter(|before| moves[**before].seat == made.seat)
                        .map(|before| (node, offset + before)),
                ),
                MoveKind::Support => {}
            }
            if made.kind.is_attack() {
                earlier[target].push(at);
            }
        }
        // A move of a claim falls with that claim: an attack on the claim attacks the move.
        for (at, made) in moves.iter().enumerate() {
            if let Some(&by) = made.by.and_then(|by| self.known.get(&by)) {
                attacks.extend(attackers[by].iter().map(|from| (*from, offset + at)));
            }
        }
        for (target, attackers) in attackers.iter().enumerate() {
            attacks.extend(attackers.iter().map(|from| (*from, target)));
        }
        let mut labels = grounded_labelling(claims.len() + moves.len(), &attacks);
        labels.truncate(claims.len());
        labels
    }

    /// Sets the results of the claims before the last synthesis. If replies follow it, the results
    /// stand until the next synthesis.
    fn apply_synthesis_results(&mut self) {
        let Some((section, reply)) = self.last_synthesis else { return };
        let among = &self.ledger.among;
        let synthesis = Synthesis::with_repeat(reply.text, reply.repeat, reply.is_of_judges, among);
        for line in &synthesis.results {
            if let Some(claim) =
                self.known.get(&line.id).map(|&known| &mut self.ledger.claims[known])
                && claim.section < section
                && claim.result.is_none()
            {
                claim.result = Some(line.result);
                claim.why.clone_from(&line.why);
            }
        }
        for claim in self.ledger.claims.iter_mut().filter(|claim| claim.section < section) {
            claim.result.get_or_insert(ClaimResult::LeftOut);
        }
        let ledger = &self.ledger;
        let answered: Vec<bool> = ledger
            .claims
            .iter()
            .map(|claim| {
                let opponent = claim.id.seat().opponent();
                claim.result != Some(ClaimResult::Survived)
                    || opponent.is_none_or(|seat| ledger.speaks_after(seat, claim.section))
            })
            .collect();
        for (claim, answered) in self.ledger.claims.iter_mut().zip(answered) {
            claim.answered = answered;
        }
        self.ledger.is_of_judges = reply.is_of_judges;
        if section + 1 == self.ledger.sections.len() {
            self.ledger.synthesis = Some(synthesis);
        } else {
            self.ledger.earlier =
                Some(Earlier { cycle: reply.cycle, synthesis, standing: Standing::default() });
        }
    }
}

/// A sentence without case, punctuation and emphasis, for comparison.
fn plain(text: &str) -> String {
    text.split(|char: char| !char.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
        .to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::Label;
    use crate::place::{Place, Seat};

    fn label_of_a1(replies: &[(Seat, u8, &str)]) -> Label {
        let spoken = replies.iter().map(|(seat, round, text)| {
            LedgerReply::new(Place { seat: *seat, round: *round }, 1, text)
        });
        let ledger = Ledger::from_replies(spoken, &Alternatives::default());
        ledger.claim("A1".parse().unwrap()).unwrap().label
    }

    #[test]
    fn claims_and_moves_beyond_the_bound_are_a_finding() {
        let texts: Vec<String> = (0..40)
            .map(|reply| {
                let numbers = (1..=99).map(|number| reply * 99 + number);
                let lines = numbers.map(|number| format!("**A{}. One.** x", number % 990 + 1));
                lines.collect::<Vec<_>>().join("\n\n")
            })
            .chain((0..80).map(|_| "**Attacks A1:** no.\n\n".repeat(99)))
            .collect();
        let place = |at: usize| {
            let seat = if at < 40 { Seat::Advocate } else { Seat::Critic };
            Place { seat, round: 1 }
        };
        let spoken = texts.iter().enumerate();
        let spoken = spoken.map(|(at, text)| LedgerReply::new(place(at), 1, text));
        let ledger = Ledger::from_replies(spoken, &Alternatives::default());
        assert!(ledger.claims.len() + ledger.moves.len() <= MAX_ITEMS_OF_DEBATE);
        let told = |found: &&Finding| found.fault == Fault::NotAllRead;
        assert_eq!(ledger.findings.iter().filter(told).count(), 1);
    }

    #[test]
    fn an_attack_counts_until_repair_withdrawal_or_its_claims_fall() {
        const A: (Seat, u8, &str) = (Seat::Advocate, 1, "**A1. One.** x");
        const BY_CLAIM: (Seat, u8, &str) =
            (Seat::Critic, 1, "**C1. Two.** y\n**Attacks A1:** \"One\" fails.");
        const BY_MOVE: (Seat, u8, &str) =
            (Seat::Critic, 1, "**C1. Two.** y\n\n**Attacks A1:** \"One\" fails.");
        let after = |critic, text| label_of_a1(&[A, critic, (Seat::Advocate, 2, text)]);
        assert_eq!(label_of_a1(&[A]), Label::In);
        for critic in [BY_CLAIM, BY_MOVE] {
            assert_eq!(label_of_a1(&[A, critic]), Label::Out);
            assert_eq!(after(critic, "**Repairs A1 (after C1):** now."), Label::In);
            assert_eq!(after(critic, "**Withdraws A1:** because x"), Label::Out);
            assert_eq!(
                label_of_a1(&[A, critic, (Seat::Critic, 2, "**Grants A1:** because x")]),
                Label::In
            );
        }
        assert_eq!(after(BY_CLAIM, "**Rebuts C1:** no."), Label::In);
        assert_eq!(after(BY_MOVE, "**Rebuts C1:** no."), Label::Out);
        let again = (Seat::Critic, 2, "**Attacks A1:** still.");
        assert_eq!(
            label_of_a1(&[A, BY_CLAIM, (Seat::Advocate, 2, "**Repairs A1:** now."), again]),
            Label::Out
        );
    }
}
