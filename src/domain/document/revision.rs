//! A document and what became of it: the changes in order, and the critic's objections.

use super::{Document, Hunk, MASK, MAX_OLD_CHARS};
use crate::domain::debate::{Phase, Seat};
use crate::domain::ledger::{Claim, ClaimStatus, Id, Ledger, stands_in};
use crate::domain::transcript::Entries;
use crate::text::{is_unseen, number_of};

/// Why a hunk changes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HunkFault {
    /// A block `old` without a block `new` after it, or the other way round.
    Half,
    /// The old text has more than [`MAX_OLD_CHARS`] characters.
    TooLong,
    /// A secret stands there in the document, which no seat sees.
    HasMask,
    /// The new text has characters that nobody sees, and that the old text does not have.
    Unseen,
    /// The document as it stands then does not have the old text.
    NotFound,
    /// The document has the old text this many times.
    FoundTimes(usize),
    /// Old and new text are the same.
    Same,
}

impl HunkFault {
    /// The reason, as a phrase after the number of a change.
    pub(crate) fn reason(self) -> String {
        match self {
            Self::Half => "needs a block `old` and a block `new`".to_owned(),
            Self::TooLong => {
                let most = crate::text::group(MAX_OLD_CHARS);
                format!("replaces more than {most} characters; change passages, one by one")
            }
            Self::HasMask => "holds a masked secret; leave it out of the passage".to_owned(),
            Self::Unseen => "brings invisible characters; leave them out".to_owned(),
            Self::NotFound => {
                "quotes what the document, as it stands now, does not have".to_owned()
            }
            Self::FoundTimes(count) => {
                format!("quotes what stands there {count} times; quote more around it")
            }
            Self::Same => "changes nothing".to_owned(),
        }
    }
}

/// A hunk of the debate, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) hunk: Hunk,
    pub(crate) cycle: u32,
    pub(crate) round: u8,
    /// The line of the version before it at which it begins, counted from 1; or why it has none.
    pub(crate) line: Result<usize, HunkFault>,
}

/// An objection of the critic to the document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Objection {
    pub(crate) id: Id,
    pub(crate) sentence: String,
    /// Nobody may accept the document while it stands. An objection without a mark blocks.
    pub(crate) blocks: bool,
    /// The words of the document that it quotes.
    pub(crate) quote: Option<String>,
    /// True if a version that the critic could see has those words.
    pub(crate) quote_found: bool,
    /// The advocate has granted or rebutted it since the critic made it or last repaired it, or the
    /// critic has withdrawn it.
    pub(crate) is_answered: bool,
}

/// A document with the changes of a debate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Revision {
    pub(crate) document: Document,
    /// The newest version.
    pub(crate) text: String,
    /// In order.
    pub(crate) changes: Vec<Change>,
    /// In the order in which they were made.
    pub(crate) objections: Vec<Objection>,
}

impl Revision {
    /// What the replies make of the document. `None`: the debate revises none.
    pub(crate) fn of_entries(entries: &Entries, ledger: &Ledger) -> Option<Self> {
        let document = Document::of_entries(entries).filter(|found| found.sha256.is_some())?;
        let mut revision =
            Self { text: document.text.clone(), document, changes: vec![], objections: vec![] };
        let mut shown = Vec::new();
        for (slot, reply) in entries.replies() {
            match slot.phase {
                Phase::Advocate => revision.take(&reply.text, reply.cycle, slot.round),
                Phase::Critic => shown.push((reply.cycle, slot.round, revision.text.clone())),
                _ => {}
            }
        }
        let of_critic = ledger.claims.iter().filter(|claim| claim.id.seat() == Seat::Critic);
        let seen = |claim: &Claim| {
            let at = shown.iter().position(|seen| (seen.0, seen.1) == (claim.cycle, claim.round));
            at.map_or(revision.document.text.as_str(), |at| &shown[at].2)
        };
        let objections = of_critic.map(|claim| revision.objection(claim, seen(claim))).collect();
        Some(Self { objections, ..revision })
    }

    /// Applies the hunks of a reply.
    fn take(&mut self, reply: &str, cycle: u32, round: u8) {
        for hunk in Hunk::read(reply) {
            let line = match changed(&self.text, &hunk) {
                Ok((text, line)) => {
                    self.text = text;
                    Ok(line)
                }
                Err(fault) => Err(fault),
            };
            self.changes.push(Change { hunk, cycle, round, line });
        }
    }

    /// The changes that a further reply would make, those that fail included.
    pub(crate) fn changes_of(&self, reply: &str) -> Vec<Change> {
        let mut next = Self { changes: Vec::new(), objections: Vec::new(), ..self.clone() };
        next.take(reply, 1, 1);
        next.changes
    }

    /// The objections that block and that nobody has answered.
    pub(crate) fn standing(&self) -> impl Iterator<Item = &Objection> {
        self.objections.iter().filter(|objection| objection.blocks && !objection.is_answered)
    }

    /// What became of the document: `plan.md: 3 changes, 1 not made; C5 stands.`
    pub(crate) fn summary(&self) -> String {
        let made = number_of(self.made().count(), "change", "changes");
        let unmade = match self.changes.len() - self.made().count() {
            0 => String::new(),
            count => format!(", {count} not made"),
        };
        let standing: Vec<String> = self.standing().map(|one| one.id.to_string()).collect();
        let standing = match standing.as_slice() {
            [] if self.objections.is_empty() => "no objection has a number".to_owned(),
            [] => "no objection blocks".to_owned(),
            [one] => format!("{one} stands"),
            all => format!("{} stand", all.join(", ")),
        };
        format!("{}: {made}{unmade}; {standing}.", self.document.name)
    }

    /// The changes that were made.
    pub(crate) fn made(&self) -> impl Iterator<Item = &Change> {
        self.changes.iter().filter(|change| change.line.is_ok())
    }

    /// Makes the changes of the debate in the document's own text, with its line ends.
    pub(crate) fn apply(&self, original: &str) -> Result<String, HunkFault> {
        let mut text = original.to_owned();
        for change in self.made() {
            text = changed(&text, &change.hunk)?.0;
        }
        Ok(text)
    }

    /// `seen`: the version that the critic could see.
    fn objection(&self, claim: &Claim, seen: &str) -> Objection {
        let quote = claim.quote.clone();
        let mut own = self.changes.iter().filter(|change| change.hunk.answers == Some(claim.id));
        // An answer whose every change failed has changed nothing.
        let mut is_empty_answer = own.clone().next().is_some();
        is_empty_answer &= !own.any(|change| change.line.is_ok());
        Objection {
            id: claim.id,
            sentence: claim.sentence.clone(),
            blocks: !claim.is_minor,
            quote_found: quote.as_deref().is_some_and(|quote| stands_in(quote, seen)),
            quote,
            is_answered: match claim.status {
                ClaimStatus::Open => false,
                ClaimStatus::Contested | ClaimStatus::Granted => !is_empty_answer,
                ClaimStatus::Withdrawn => true,
            },
        }
    }
}

/// A text with a hunk applied, and the line at which the hunk begins. Line ends do not matter for
/// where the old text stands; the new text takes those around it.
fn changed(text: &str, hunk: &Hunk) -> Result<(String, usize), HunkFault> {
    let new = hunk.new.as_deref().filter(|_| !hunk.old.is_empty()).ok_or(HunkFault::Half)?;
    if hunk.old.chars().count() > MAX_OLD_CHARS {
        return Err(HunkFault::TooLong);
    }
    if hunk.old.contains(MASK) || new.contains(MASK) {
        return Err(HunkFault::HasMask);
    }
    let brings = |char: char| is_unseen(char) && !matches!(char, '\n' | '\t' | ' ');
    if new.chars().any(|char| brings(char) && !hunk.old.contains(char)) {
        return Err(HunkFault::Unseen);
    }
    if hunk.old == new {
        return Err(HunkFault::Same);
    }
    let plain = text.replace("\r\n", "\n");
    let (mut count, mut first, mut from) = (0, 0, 0);
    while let Some(at) = plain[from..].find(&hunk.old).map(|at| from + at) {
        if count == 0 {
            first = at;
        }
        count += 1;
        // The next one may overlap this one.
        from = at + plain[at..].chars().next().map_or(1, char::len_utf8);
        if count > 99 {
            break;
        }
    }
    match count {
        0 => return Err(HunkFault::NotFound),
        1 => {}
        _ => return Err(HunkFault::FoundTimes(count)),
    }
    if masks(&plain).any(|(begins, ends)| begins < first + hunk.old.len() && first < ends) {
        return Err(HunkFault::HasMask);
    }
    let begins = real_offset(text, first);
    let ends = real_offset(text, first + hunk.old.len());
    let passage = &text[begins..ends];
    let has_crlf =
        if passage.contains('\n') { passage.contains("\r\n") } else { text.contains("\r\n") };
    let new = if has_crlf { new.replace('\n', "\r\n") } else { new.to_owned() };
    let line = plain[..first].matches('\n').count() + 1;
    Ok((format!("{}{new}{}", &text[..begins], &text[ends..]), line))
}

/// The offset in a text, from the offset in it with line feeds alone.
fn real_offset(text: &str, plain: usize) -> usize {
    let (mut left, mut at) = (plain, 0);
    for line in text.split_inclusive('\n') {
        let length = if line.ends_with("\r\n") { line.len() - 1 } else { line.len() };
        if left < length {
            break;
        }
        left -= length;
        at += line.len();
    }
    at + left
}

/// The ranges of the masks in a text.
fn masks(text: &str) -> impl Iterator<Item = (usize, usize)> {
    text.match_indices(MASK).map(|(at, _)| {
        let end = text[at..].find(']').map_or(text.len(), |end| at + end + 1);
        (at, end)
    })
}
