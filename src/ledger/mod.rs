//! The ledger: every claim of a debate, every move on it, and what can be checked of them without a model. Pure.
//!
//! It is derived from the transcript, and from nothing else: whoever edits the file edits the ledger. docs/ledger.md says how a
//! claim, a move and a synthesis are read, and what each finding means.

mod checks;
mod earlier;
mod findings;
#[cfg(test)]
mod grammar;
mod graph;
mod head;
mod id;
#[cfg(all(test, target_os = "linux"))]
#[path = "../../tests/linear/ledger.rs"]
pub(crate) mod linear;
mod lines;
mod read;
mod reader;
mod shortfall;
mod synthesis;
mod verdict;
mod verdicts;
mod words;

pub use checks::{Check, CheckVerdict, MAX_CHECKED, around, lines_on, of_files, of_web};
pub use earlier::Earlier;
pub use findings::{Fault, Finding};
pub use graph::{Label, grounded};
pub use head::MoveKind;
pub use id::{Id, NotAnId};
pub use read::{has_item, is_numbered};
pub use shortfall::Shortfall;
pub use synthesis::{Call, Disposed, Disposition, Synthesis};
pub use verdict::{Unread, Verdict, after_percent, what_to_do, without_verdict};
pub use verdicts::composed;
pub use words::first_sentence;

use std::collections::HashSet;

use serde::Serialize;

use crate::debate::{Seat, Slot};
use crate::transcript::{Entries, Kind, What};
use read::Depth;
use reader::Reader;

/// A reply, as the ledger reads it.
#[derive(Clone, Copy, Debug)]
pub struct Spoken<'a> {
    /// Whose reply, in which round.
    pub slot: Slot,
    /// The cycle it belongs to.
    pub cycle: u32,
    /// What was written.
    pub text: &'a str,
}

/// What a claim stands on, as its own side marks it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind", content = "named")]
#[non_exhaustive]
pub enum Ground {
    /// Something that can be checked, and what is named. Empty where nothing is.
    Evidence(String),
    /// It follows from something else.
    Reasoning,
    /// A guess.
    Assumption,
    /// It is not marked.
    NotGiven,
}

/// Where a claim stands by the moves on it alone. The last move counts; what was withdrawn stays so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Status {
    /// Nobody else has answered it, or its own side has repaired it since.
    Open,
    /// Another seat has attacked or rebutted it.
    Answered,
    /// Another seat has granted it.
    Granted,
    /// Its own side has given it up.
    Withdrawn,
}

impl Status {
    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Answered => "answered",
            Self::Granted => "granted",
            Self::Withdrawn => "withdrawn",
        }
    }
}

/// A claim.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Claim {
    /// Its id, which nothing else in the debate has.
    pub id: Id,
    /// The cycle in which it was made.
    pub cycle: u32,
    /// The round in which it was made.
    pub round: u8,
    /// The reply in which it was made, counted from 0 through the debate.
    pub section: usize,
    /// The claim.
    pub sentence: String,
    /// What it stands on.
    pub ground: Ground,
    /// Where it stands by the moves.
    pub status: Status,
    /// Where it stands when every move is taken at its word.
    pub label: Label,
    /// What the last synthesis says of it. `None`: nothing.
    pub disposition: Option<Disposition>,
    /// Why.
    pub why: String,
    /// What a fact-checker found of it. `None`: nobody has looked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check: Option<Check>,
}

/// What a reply does to a claim.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Move {
    /// What it does.
    pub kind: MoveKind,
    /// The claim.
    pub target: Id,
    /// What it answers, where it says so.
    pub after: Vec<Id>,
    /// The claim in whose paragraph it stands, which then makes the move.
    pub by: Option<Id>,
    /// Who makes it.
    #[serde(serialize_with = "as_text")]
    pub seat: Seat,
    /// The cycle in which it was made.
    pub cycle: u32,
    /// The round.
    pub round: u8,
    /// The reply in which it stands, counted from 0 through the debate.
    pub section: usize,
    /// The words that it quotes.
    pub quote: Option<String>,
    /// Those words stand in a reply of the claim's side. `None`: nothing is quoted, or the words are not there and the move does not
    /// begin with them, so that they may be anybody's.
    pub quote_found: Option<bool>,
    /// What else it says.
    pub reason: String,
}

impl Move {
    /// True for a grant without `because`, which is how its ground is asked for.
    fn lacks_ground(&self) -> bool {
        self.kind == MoveKind::Grant && reader::ground_of_grant(&self.reason).is_none()
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn as_text<S: serde::Serializer>(seat: &Seat, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(seat)
}

/// A reply without its text: who spoke where, and whether the ledger found anything in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Section {
    slot: Slot,
    cycle: u32,
    has_items: bool,
}

/// The ledger of a debate.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ledger {
    /// Every claim, in the order in which they were made.
    pub claims: Vec<Claim>,
    /// Every move, in order. A move on two claims is two.
    pub moves: Vec<Move>,
    /// What is wrong, in the order of the replies.
    pub findings: Vec<Finding>,
    /// The last synthesis, where nothing was argued after it.
    pub synthesis: Option<Synthesis>,
    /// The last synthesis, where something was: the debate is argued again.
    pub earlier: Option<Earlier>,
    sections: Vec<Section>,
    /// The claims that replies of another seat name after they were made.
    named_by_others: HashSet<Id>,
    /// Those of them that are named elsewhere than in a grant of the claim or in support of it.
    disputed_by_others: HashSet<Id>,
    /// The ids of their own that seats name, also where no claim that is read has one.
    named_by_own: HashSet<Id>,
}

/// How many claims stand, fall and are neither.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Those that were tested or granted, and stand by every move so far.
    pub stand: usize,
    /// Those that an attack without an answer, or their own side, has brought down.
    pub fall: usize,
    /// All others, of which messages say that they wait: the status `open` is another thing.
    pub open: usize,
}

impl Counts {
    /// How many there are.
    #[must_use]
    pub fn claims(self) -> usize {
        self.stand + self.fall + self.open
    }
}

impl Ledger {
    /// Reads the replies of a debate, all of them, in order.
    #[must_use]
    pub fn of<'a>(replies: impl IntoIterator<Item = Spoken<'a>>) -> Self {
        Reader::default().read(replies, Depth::Whole)
    }

    /// What a cue needs of it, in less than half the time: where every claim stands, and what does not hold in the last reply. Of
    /// the replies before that one it has neither the grounds of claims nor the words of moves, and no finding about those.
    #[must_use]
    pub fn for_cue<'a>(replies: impl IntoIterator<Item = Spoken<'a>>) -> Self {
        Reader::default().read(replies, Depth::Heads)
    }

    /// Reads a transcript.
    #[must_use]
    pub fn of_entries(entries: &Entries) -> Self {
        let spoken = entries.replies().map(|(slot, reply)| Spoken { slot, cycle: reply.cycle, text: &reply.text });
        Self::of(spoken).checked(entries)
    }

    /// With what fact-checkers found, as the notes of the transcript say; the first check of a claim counts.
    #[must_use]
    pub fn checked(mut self, entries: &Entries) -> Self {
        let mut section = 0;
        for entry in &entries.0 {
            match entry.what {
                What::Reply(_) => section += 1,
                What::Note(Kind::FactCheck) => {
                    for (id, check) in checks::recorded(&entry.text, section) {
                        let claim = self.claims.iter_mut().find(|claim| claim.id == id && claim.section < section);
                        if let Some(claim) = claim.filter(|claim| claim.check.is_none()) {
                            claim.check = Some(check);
                        }
                    }
                }
                What::Note(_) | What::Cycle => {}
            }
        }
        findings::of_checks(&mut self);
        self
    }

    /// The claim of this id.
    #[must_use]
    pub fn claim(&self, id: Id) -> Option<&Claim> {
        self.claims.iter().find(|claim| claim.id == id)
    }

    /// Claims that the fact-check contradicts, and that their own side has not repaired since.
    pub fn contradicted(&self) -> impl Iterator<Item = &Claim> {
        let is_repaired = |claim: &Claim, check: &Check| {
            let mut since = self.moves.iter().filter(|made| made.target == claim.id && made.section >= check.section);
            since.any(|made| made.kind == MoveKind::Repair)
        };
        self.claims.iter().filter(move |claim| {
            let check = claim.check.as_ref().filter(|check| check.verdict == CheckVerdict::Contradicted);
            check.is_some_and(|check| !is_repaired(claim, check))
        })
    }

    /// The number that the next claim of a seat has.
    #[must_use]
    pub fn next_number(&self, seat: Seat) -> u16 {
        let of_seat = self.claims.iter().filter(|claim| claim.id.seat() == seat);
        of_seat.map(|claim| claim.id.number()).max().unwrap_or(0).saturating_add(1)
    }

    /// The open claims of the other side, the newest first. Nothing for a seat that has no other side.
    pub fn open_against(&self, seat: Seat) -> impl Iterator<Item = &Claim> {
        self.claims.iter().rev().filter(move |claim| claim.status == Status::Open && is_opposed(claim.id.seat(), seat))
    }

    /// How many claims stand, fall and are neither.
    #[must_use]
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for claim in &self.claims {
            let was_tested = self
                .moves
                .iter()
                .any(|made| made.target == claim.id && made.seat != claim.id.seat() && made.kind != MoveKind::Support);
            match (claim.label, claim.status) {
                (Label::Out, _) | (_, Status::Withdrawn) => counts.fall += 1,
                (Label::In, _) if was_tested => counts.stand += 1,
                (Label::In | Label::Undecided, _) => counts.open += 1,
            }
        }
        counts
    }

    /// Claims that the last synthesis has disposed of.
    #[must_use]
    pub fn disposed(&self) -> usize {
        self.claims.iter().filter(|claim| claim.disposition.is_some()).count()
    }

    /// True when this round has settled the argument: it has brought no new claim, nothing is open and no attack waits for an
    /// answer. Never before round 2, where a reply of the round has neither a claim nor a move, or where a claim was closed by a
    /// grant without a ground.
    #[must_use]
    pub fn is_settled_in(&self, cycle: u32, round: u8) -> bool {
        let replies = || {
            self.sections.iter().enumerate().filter(move |(_, section)| {
                section.cycle == cycle && section.slot.round == round && section.slot.seat() != Seat::Synthesizer
            })
        };
        let has_spoken = |seat| replies().any(|(_, section)| section.slot.seat() == seat && section.has_items);
        let is_new = |claim: &Claim| replies().any(|(at, _)| claim.section == at);
        let waits = |claim: &Claim| claim.status == Status::Open || self.attack_on(claim).is_some();
        let repeats = |finding: &Finding| matches!(finding.fault, Fault::GrantRepeatsReason { .. });
        round >= 2
            && has_spoken(Seat::Advocate)
            && has_spoken(Seat::Critic)
            && !self.claims.is_empty()
            && !self.claims.iter().any(|claim| is_new(claim) || waits(claim))
            && !self.moves.iter().any(Move::lacks_ground)
            && !self.findings.iter().any(repeats)
    }
}

impl Ledger {
    /// Claims of this seat that were attacked by no claim, in an attack that waits for an answer.
    pub fn attacked(&self, seat: Seat) -> impl Iterator<Item = &Claim> {
        let is_bare = |claim: &&Claim| self.attack_on(claim).is_some_and(|made| made.by.is_none());
        self.claims.iter().filter(move |claim| claim.id.seat() == seat).filter(is_bare)
    }

    /// The last attack on a claim that is answered, where its own side has not spoken since.
    fn attack_on(&self, claim: &Claim) -> Option<&Move> {
        let is_attack = |made: &&Move| {
            made.target == claim.id
                && made.seat != claim.id.seat()
                && matches!(made.kind, MoveKind::Attack | MoveKind::Rebut)
        };
        let last = self.moves.iter().rev().find(is_attack).filter(|_| claim.status == Status::Answered)?;
        let mut since = self.sections.iter().skip(last.section + 1);
        (!since.any(|section| section.slot.seat() == claim.id.seat())).then_some(last)
    }

    /// What in the last reply does not hold, for this seat where it did not write that reply.
    #[must_use]
    pub fn doubts(&self, seat: Seat) -> Vec<Doubt> {
        let Some(last) = self.sections.len().checked_sub(1).filter(|&last| self.sections[last].slot.seat() != seat)
        else {
            return Vec::new();
        };
        let moves = self.moves.iter().filter(|made| made.section == last && self.claim(made.target).is_some());
        let mut doubts: Vec<Doubt> = moves
            .filter(|made| made.quote_found == Some(false))
            .map(|made| Doubt::Quote { on: made.target, by: made.by })
            .collect();
        let groundless = self.moves.iter().filter(|made| made.section == last && made.lacks_ground());
        let repeated = self.findings.iter().filter(|finding| finding.section == last).filter_map(|finding| {
            if let Fault::GrantRepeatsReason { id, .. } = finding.fault { Some(id) } else { None }
        });
        doubts.extend(groundless.map(|made| made.target).chain(repeated).map(Doubt::Grant));
        doubts
    }
}

/// What the next speaker is told of a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// The words that it quotes are not there.
    Quote {
        /// The claim that the move is on.
        on: Id,
        /// The claim that makes the move.
        by: Option<Id>,
    },
    /// It grants this claim without a ground, or with the ground of an earlier grant.
    Grant(Id),
}

/// True for the advocate and the critic.
fn is_opposed(one: Seat, other: Seat) -> bool {
    matches!((one, other), (Seat::Advocate, Seat::Critic) | (Seat::Critic, Seat::Advocate))
}
