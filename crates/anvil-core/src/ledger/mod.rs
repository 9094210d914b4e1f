//! The ledger: the claims and moves of a debate, and the checks of them that need no model. Pure.
//!
//! The ledger is derived from the transcript alone, so an edit of the file edits the ledger.
//! docs/ledger.md says how claims, moves and syntheses are read, and what each finding means.

pub(crate) mod block;
pub(crate) mod checks;
pub(crate) mod citation;
pub(crate) mod claim;
pub(crate) mod doubts;
pub(crate) mod earlier;
pub(crate) mod fault;
pub(crate) mod findings;
pub(crate) mod graph;
pub(crate) mod head;
pub(crate) mod ledger_reply;
pub(crate) mod own;
pub(crate) mod prose;
pub(crate) mod questions;
pub(crate) mod read;
pub(crate) mod reader;
pub(crate) mod revision;
pub(crate) mod standing;
pub(crate) mod stray;
pub(crate) mod synthesis;
pub(crate) mod texts;
pub(crate) mod verdicts;
pub(crate) mod words;

pub use crate::id::{Id, NotAnId};
pub use block::{NoBlock, block_of};
pub use checks::{Check, CheckVerdict, MAX_CHECKED, lines_on, of_files, of_web};
pub use citation::{BareText, Citation, CitedWords, RestedClaim, RestedWords, Sighting};
pub use claim::{Claim, ClaimResult, ClaimStatus, Ground};
pub use doubts::Doubt;
pub use earlier::Earlier;
pub use fault::{Correction, Fault, FaultRow, Finding, Weight, id_list, sentences};
pub use graph::Label;
pub use head::MoveKind;
pub use ledger_reply::{LedgerReply, ledger_replies};
pub use prose::{PLAN_CHANGES, plan_changes, what_to_do, without_block};
pub use questions::{AskedQuestion, AskedState, note_of_answer, question_of};
use read::answered_at;
pub use read::{Stated, Unread, around, has_item, is_numbered, unread};
pub use revision::{Change, Hunk, HunkFault, Objection, Revision};
pub use standing::{Standing, Verdict};
pub use synthesis::{NoVerdict, OptionLine, PlanChange, ResultLine, Synthesis, VerdictWord};
pub use verdicts::compose;
pub use words::{first_sentence, stands_in};

use std::collections::HashSet;

use serde::Serialize;

use crate::debate::Debate;
use crate::place::{Place, Seat};
use crate::question::Alternatives;
use crate::transcript::{Entries, EntryKind, NoteKind};
use read::Depth;
use reader::Reader;

/// A move: one act of a reply on one claim.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Move {
    pub kind: MoveKind,
    pub target: Id,
    /// The claims that it answers, if it names them.
    pub after: Vec<Id>,
    /// The claim that makes the move: the one of the same paragraph.
    pub by: Option<Id>,
    #[serde(serialize_with = "as_text")]
    pub seat: Seat,
    pub cycle: u32,
    pub round: u8,
    /// The reply with this move, counted from 0 through the debate.
    pub section: usize,
    /// The words that it quotes.
    pub quote: Option<String>,
    /// True if a reply of the claim's side has those words. `None`: nothing is quoted, or the words
    /// were not found and the move does not begin with them. Then they may be from anywhere.
    pub quote_found: Option<bool>,
    /// The remaining text.
    pub reason: String,
}

impl Move {
    /// True for an attack or rebuttal of this claim by another seat.
    fn is_attack_on(&self, id: Id) -> bool {
        self.target == id && self.seat != id.seat() && self.kind.is_attack()
    }

    /// True for a grant that gives no reason.
    fn lacks_reason(&self) -> bool {
        self.kind == MoveKind::Grant && self.reason.is_empty() && self.quote.is_none()
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn as_text<S: serde::Serializer>(seat: &Seat, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(seat)
}

/// A reply without its text. `has_items`: it has a claim or a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct LedgerSection {
    place: Place,
    cycle: u32,
    has_items: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ledger {
    /// In the order in which they were made.
    pub claims: Vec<Claim>,
    /// In order. A move on two claims counts as two.
    pub moves: Vec<Move>,
    /// In the order of the replies.
    pub findings: Vec<Finding>,
    /// The last synthesis. `None`: the debate has no synthesis, or replies follow it.
    pub synthesis: Option<Synthesis>,
    /// The facts that somebody noted after the last saved reply. Nobody has checked them.
    pub noted: Vec<String>,
    /// The questions back to the user, in order.
    asked: Vec<AskedQuestion>,
    /// The last synthesis, if replies follow it.
    pub earlier: Option<Earlier>,
    /// The options that its verdict can name, and its motion.
    pub among: Alternatives,
    /// The synthesis is composed of judgments.
    is_of_judges: bool,
    sections: Vec<LedgerSection>,
    /// The lines in which the critic speaks of its own claims, in order; only in a whole reading.
    pub stated: Vec<Stated>,
    /// The objections to a document that wait for an answer, in order. The caller that has the
    /// document fills it.
    pub unanswered: Vec<Id>,
    /// The labels of the claims without attacks after which the claim's side had no reply.
    labels_in_time: Vec<Label>,
    /// Claims that a later reply of another seat names.
    named_by_others: HashSet<Id>,
    /// Claims among those that another seat names outside of a grant or support of them.
    disputed_by_others: HashSet<Id>,
    /// Ids that seats name as their own, also ids without a readable claim.
    named_by_own: HashSet<Id>,
    /// Every id that a reply names.
    named: HashSet<Id>,
}

/// The number of claims by status, or by result once the synthesis exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Counts {
    /// No synthesis, or replies follow it.
    Argued {
        claims: usize,
        /// No attack, rebuttal or grant since they were made or repaired.
        open: usize,
        /// Attacked or rebutted since.
        contested: usize,
        /// Granted by another seat.
        granted: usize,
        /// Withdrawn by their own side.
        withdrawn: usize,
    },
    /// The last reply is a synthesis.
    Judged {
        claims: usize,
        /// Without the unanswered ones.
        survived: usize,
        /// Claims that survived in part.
        weakened: usize,
        fell: usize,
        /// Claims that survived, and that no seat could answer.
        unanswered: usize,
        /// Claims without a line in the synthesis.
        left_out: usize,
    },
}

impl Counts {
    /// The number of all claims.
    pub fn claims(self) -> usize {
        match self {
            Self::Argued { claims, .. } | Self::Judged { claims, .. } => claims,
        }
    }
}

impl Default for Counts {
    fn default() -> Self {
        Ledger::default().counts()
    }
}

impl Ledger {
    /// Reads all replies of a debate, in order. `among`: the options that its verdict can name.
    pub fn from_replies<'a>(
        replies: impl IntoIterator<Item = LedgerReply<'a>>,
        among: &Alternatives,
    ) -> Self {
        Reader::new(among).read(replies, Depth::Whole)
    }

    /// Reads what a cue needs, in less than half the time: the status of every claim, and the
    /// doubts about the last reply. Earlier replies are read without grounds, without the words of
    /// moves, and without the findings about those. No claim has a label.
    pub fn for_cue<'a>(replies: impl IntoIterator<Item = LedgerReply<'a>>) -> Self {
        Reader::new(&Alternatives::default()).read(replies, Depth::Heads)
    }

    pub fn of_entries(entries: &Entries, among: &Alternatives) -> Self {
        let mut ledger = Self::from_replies(ledger_replies(entries), among).with_notes(entries);
        if let Some(earlier) = &mut ledger.earlier {
            earlier.standing = Self::of_entries(&entries.until_synthesis(), among).standing();
        }
        ledger
    }

    /// The ledger of a debate whose last reply is this judgment, with its corrected block.
    pub fn of_judgment(
        entries: &Entries,
        (judgment, repeat): (&str, Option<&str>),
        among: &Alternatives,
    ) -> Self {
        let (cycle, _) = entries.last_cycle();
        let last = entries.replies().last().map_or(1, |(place, _)| place.round);
        let judgment =
            LedgerReply { repeat, ..LedgerReply::new(Place::synthesis(last), cycle, judgment) };
        Self::from_replies(ledger_replies(entries).chain([judgment]), among).with_notes(entries)
    }

    /// Adds what the notes of the transcript say: facts that somebody found, answers of the user,
    /// fact-checks, and sightings of cited words. The first one for a claim counts.
    pub fn with_notes(mut self, entries: &Entries) -> Self {
        let mut section = 0;
        let mut news = vec![0];
        let mut conflicts = Vec::new();
        for entry in &entries.0 {
            questions::apply(&mut self.asked, entry, section);
            match entry.what {
                EntryKind::Reply(_) => {
                    section += 1;
                    news.push(0);
                    self.noted.clear();
                }
                EntryKind::Note(NoteKind::Noted) => {
                    news[section] += 1;
                    self.noted.push(entry.text.clone());
                }
                EntryKind::Note(NoteKind::Steering | NoteKind::Answer) => news[section] += 1,
                EntryKind::Note(NoteKind::FactCheck) => {
                    for (id, check) in checks::read_checks(&entry.text, section) {
                        if check.verdict == CheckVerdict::Conflicting {
                            conflicts.push(id);
                            continue;
                        }
                        let claim = self.claims.iter_mut().find(|claim| claim.id == id);
                        if let Some(claim) = claim.filter(|claim| claim.section < section) {
                            claim.check.get_or_insert(check);
                        }
                    }
                }
                EntryKind::Note(NoteKind::EvidenceCheck) => {
                    for (id, seen) in citation::sightings(&entry.text) {
                        self.add_sighting(id, seen, section);
                    }
                }
                EntryKind::Note(_) | EntryKind::Cycle => {}
            }
        }
        findings::of_checks(&mut self, &conflicts);
        findings::of_document(&mut self, entries);
        findings::of_last_round(&mut self, &news);
        self
    }

    /// Adds what the program saw of a claim's citation. `section`: the number of replies before it.
    pub fn add_sighting(&mut self, id: Id, seen: Sighting, section: usize) {
        let claim = self.claims.iter_mut().find(|claim| claim.id == id && claim.section < section);
        let Some(claim) = claim else { return };
        let Some(citation) = claim.citation.as_mut().filter(|known| known.seen.is_none()) else {
            return;
        };
        let path = seen.path.clone();
        let fault = match seen.found {
            CitedWords::NotThere => Some(Fault::EvidenceNotFound { id, path }),
            CitedWords::NoSuchFile => Some(Fault::FileNotFound { id, path }),
            CitedWords::There | CitedWords::Elsewhere | CitedWords::NotLookedAt => None,
        };
        self.findings.extend(fault.map(|fault| Finding { section: claim.section, fault }));
        citation.seen = Some(seen);
    }

    /// The claims that a valid verdict rests on, each with the words that the program saw for it.
    pub fn rested_claims(&self) -> Vec<RestedClaim> {
        let standing = self.standing();
        let ids = standing.verdict().and_then(|verdict| verdict.rests_on.as_deref());
        let rested = |id: &Id| {
            let citation = self.claim(*id).and_then(|claim| claim.citation.as_ref());
            let words = citation.and_then(Citation::rested_words);
            let named = citation.filter(|citation| words.is_none() && citation.names_file());
            let file = named.map(|citation| citation.path.clone());
            RestedClaim { id: *id, words, file }
        };
        ids.unwrap_or_default().iter().map(rested).collect()
    }

    /// The claims of the last reply that cite a file.
    pub fn cited_last(&self) -> impl Iterator<Item = (Id, &Citation)> {
        let last = self.sections.len().checked_sub(1);
        self.claims
            .iter()
            .filter(move |claim| Some(claim.section) == last)
            .filter_map(|claim| Some((claim.id, claim.citation.as_ref()?)))
    }

    /// The questions back to the user; none if the user switched them off.
    pub fn questions(&self, debate: &Debate) -> &[AskedQuestion] {
        if debate.options.questions { &self.asked } else { &[] }
    }

    /// The oldest question back that waits for its answer.
    pub fn open_question(&self, debate: &Debate) -> Option<&AskedQuestion> {
        self.questions(debate).iter().find(|question| question.is_open())
    }

    /// The questions back that have no answer.
    pub fn unanswered_questions(&self, debate: &Debate) -> impl Iterator<Item = &str> {
        self.questions(debate)
            .iter()
            .filter(|question| question.answer().is_none())
            .map(|question| question.question.as_str())
    }

    pub fn claim(&self, id: Id) -> Option<&Claim> {
        self.claims.iter().find(|claim| claim.id == id)
    }

    /// Claims that the fact-check contradicts and that their own side has not repaired since.
    pub fn contradicted_claims(&self) -> impl Iterator<Item = &Claim> {
        self.claims.iter().filter(|claim| {
            claim.check.as_ref().is_some_and(|check| {
                check.verdict == CheckVerdict::Contradicted
                    && !self.moves.iter().any(|made| {
                        made.target == claim.id
                            && made.kind == MoveKind::Repair
                            && made.section >= check.section
                    })
            })
        })
    }

    /// True if the last reply makes a claim or a move.
    pub fn has_item_in_last(&self) -> bool {
        let last = self.sections.len().checked_sub(1);
        self.claims.iter().any(|claim| Some(claim.section) == last)
            || self.moves.iter().any(|made| Some(made.section) == last)
    }

    /// The number of the next claim of a seat.
    pub fn next_number(&self, seat: Seat) -> u16 {
        self.claims
            .iter()
            .filter(|claim| claim.id.seat() == seat)
            .map(|claim| claim.id.number())
            .max()
            .unwrap_or(0)
            .saturating_add(1)
    }

    /// The open claims of the other side, the newest first. Empty for a seat without another side.
    pub fn open_against(&self, seat: Seat) -> impl Iterator<Item = &Claim> {
        let opponent = seat.opponent();
        self.claims.iter().rev().filter(move |claim| {
            claim.status == ClaimStatus::Open && Some(claim.id.seat()) == opponent
        })
    }

    /// True if the last reply attacks the claims of fewer than two other seats, although two have
    /// claims.
    pub fn attacks_too_few(&self) -> bool {
        let Some(last) = self.sections.len().checked_sub(1) else { return false };
        let speaker = self.sections[last].place.seat;
        let mut attacked: HashSet<Seat> = self
            .moves
            .iter()
            .filter(|made| made.section == last && made.kind.is_attack())
            .map(|made| made.target.seat())
            .collect();
        let mut others: HashSet<Seat> = self.claims.iter().map(|claim| claim.id.seat()).collect();
        attacked.remove(&speaker);
        others.remove(&speaker);
        attacked.len() < 2 && others.len() >= 2
    }

    /// True for a claim that survived although the other side, which had a reply after it, made no
    /// move on it and did not name it.
    pub fn is_uncontested(&self, claim: &Claim) -> bool {
        let id = claim.id;
        let other = id.seat().opponent().filter(|seat| self.speaks_after(*seat, claim.section));
        other.is_some()
            && claim.result == Some(ClaimResult::Survived)
            && !self.named_by_others.contains(&id)
            && !self.moves.iter().any(|made| made.target == id && made.seat != id.seat())
    }

    /// True if this seat has a reply after this section.
    fn speaks_after(&self, seat: Seat, section: usize) -> bool {
        self.sections.iter().skip(section + 1).any(|later| later.place.seat == seat)
    }

    pub fn counts(&self) -> Counts {
        let claims = self.claims.len();
        if self.synthesis.is_some() {
            let [survived, weakened, fell, left_out] = ClaimResult::ALL.map(|result| {
                self.claims.iter().filter(|claim| claim.result == Some(result)).count()
            });
            let unanswered = self.claims.iter().filter(|claim| !claim.answered).count();
            let survived = survived - unanswered;
            return Counts::Judged { claims, survived, weakened, fell, unanswered, left_out };
        }
        let [open, contested, granted, withdrawn] = ClaimStatus::ALL
            .map(|status| self.claims.iter().filter(|claim| claim.status == status).count());
        Counts::Argued { claims, open, contested, granted, withdrawn }
    }

    /// True if this round settled the argument: no new claim, no open claim and no unanswered
    /// attack. Always false before round 2, if a reply of the round has no claim and no move, or
    /// after a grant without a ground.
    pub fn is_settled_in(&self, cycle: u32, round: u8) -> bool {
        let replies: Vec<(usize, &LedgerSection)> = self
            .sections
            .iter()
            .enumerate()
            .filter(|(_, section)| {
                section.cycle == cycle
                    && section.place.number() == round
                    && section.place.seat != Seat::Synthesizer
            })
            .collect();
        round >= 2
            && [Seat::Advocate, Seat::Critic].iter().all(|seat| {
                replies.iter().any(|(_, reply)| reply.place.seat == *seat && reply.has_items)
            })
            && !self.claims.is_empty()
            && !self.claims.iter().any(|claim| {
                replies.iter().any(|(at, _)| claim.section == *at)
                    || claim.status == ClaimStatus::Open
                    || self.attack_on(claim).is_some()
            })
            && !self.moves.iter().any(Move::lacks_reason)
    }
}
