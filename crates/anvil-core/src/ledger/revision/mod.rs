//! A document with the changes of a debate in order, and the critic's objections. Versions are
//! computed from the hunks in the replies and are never stored.

mod hunk;
mod nearest;

pub use hunk::Hunk;
use hunk::{MAX_HUNKS, MAX_OLD_CHARS};
use nearest::nearest;

use std::cell::OnceCell;
use std::collections::HashMap;

use super::{Id, Ledger, Move, MoveKind, Stated, stands_in};
use crate::document::{Document, MAX_DOCUMENT_CHARS};
use crate::place::Seat;
use crate::transcript::Entries;
use anvil_text::masking::MASK;
use anvil_text::{is_unseen, number_of};

/// Why a hunk changes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HunkFault {
    /// A block `old` without a block `new` after it, or the other way round.
    Half,
    /// [`MAX_HUNKS`] others stand before it in the reply.
    TooMany,
    /// The old text has more than [`MAX_OLD_CHARS`] characters.
    TooLong,
    /// The version would have more than [`MAX_DOCUMENT_CHARS`] characters.
    TooLarge,
    /// The document has a secret there, which no seat sees.
    HasMask,
    /// Old and new text make the beginning of a mask together.
    MakesMask,
    /// The new text has more of an invisible character than the old text.
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
    pub fn reason(self) -> String {
        match self {
            Self::Half => "needs a block `old` and a block `new`".to_owned(),
            Self::TooMany => format!("comes after {MAX_HUNKS} others, the most of one reply"),
            Self::TooLarge => {
                let most = anvil_text::group(MAX_DOCUMENT_CHARS);
                format!("makes the document longer than {most} characters")
            }
            Self::MakesMask => "would look like a masked secret; write it otherwise".to_owned(),
            Self::TooLong => {
                let most = anvil_text::group(MAX_OLD_CHARS);
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

/// A hunk of the debate, and its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    pub hunk: Hunk,
    /// Its reply, counted from 0 through the debate.
    section: usize,
    pub cycle: u32,
    pub round: u8,
    /// The line of the version before it at which it begins, counted from 1; or why it has none.
    pub line: Result<usize, HunkFault>,
}

/// An objection of the critic to the document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Objection {
    pub id: Id,
    pub sentence: String,
    /// Nobody may accept the document while it stands. An objection without a mark blocks.
    pub blocks: bool,
    /// The words of the document that it quotes.
    pub quote: Option<String>,
    /// True if a version that the critic could see has those words.
    pub quote_found: bool,
    /// Since the critic stated it last, the advocate has rebutted it, or granted it and changed
    /// something for it; or the critic has withdrawn it.
    pub is_answered: bool,
    /// The critic's reply that states it last, counted from 0 through the debate.
    section: usize,
}

/// A document with the changes of a debate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revision {
    pub document: Document,
    /// The newest version.
    pub text: String,
    /// In order.
    pub changes: Vec<Change>,
    /// In the order in which they were made.
    pub objections: Vec<Objection>,
}

/// A version of the document that the critic could see.
struct Version {
    /// The critic's reply, counted from 0 through the debate.
    section: usize,
    text: String,
    folded: OnceCell<String>,
}

impl Version {
    fn new(section: usize, text: &str) -> Self {
        Self { section, text: text.to_owned(), folded: OnceCell::new() }
    }
}

impl Revision {
    /// The document with the changes of the replies. `None`: the debate revises none.
    pub fn of_entries(entries: &Entries, ledger: &Ledger) -> Option<Self> {
        let document = Document::of_entries(entries).filter(|found| found.sha256.is_some())?;
        let mut revision =
            Self { text: document.text.clone(), document, changes: vec![], objections: vec![] };
        let mut versions = Vec::new();
        for (section, (place, reply)) in entries.replies().enumerate() {
            match place.seat {
                Seat::Advocate => revision.take(&reply.text, section, reply.cycle, place.number()),
                Seat::Critic => versions.push(Version::new(section, &revision.text)),
                _ => {}
            }
        }
        // For a reply that is not saved yet.
        versions.push(Version::new(usize::MAX, &revision.text));
        let objections = revision.objections_in(ledger, &versions);
        Some(Self { objections, ..revision })
    }

    /// Applies the hunks of a reply.
    fn take(&mut self, reply: &str, section: usize, cycle: u32, round: u8) {
        for (at, hunk) in Hunk::read(reply).into_iter().enumerate() {
            let made = if at < MAX_HUNKS {
                apply_hunk(&self.text, "", &hunk)
            } else {
                Err(HunkFault::TooMany)
            };
            let line = made.map(|(text, line)| {
                self.text = text;
                line
            });
            self.changes.push(Change { hunk, section, cycle, round, line });
        }
    }

    /// The objections and whether each has an answer. A grant answers only with a change that was
    /// made, and nothing answers an objection that the critic states again.
    fn objections_in(&self, ledger: &Ledger, versions: &[Version]) -> Vec<Objection> {
        let mut objections: Vec<Objection> = Vec::new();
        let mut known: HashMap<Id, usize> = HashMap::new();
        for stated in &ledger.stated {
            if stated.is_withdrawn {
                if let Some(&at) = known.get(&stated.id) {
                    objections[at].is_answered = true;
                }
                continue;
            }
            let at = *known.entry(stated.id).or_insert(objections.len());
            if at == objections.len() {
                objections.push(Objection::unread(stated.id));
            }
            let seen = versions.partition_point(|version| version.section < stated.section);
            objections[at].state(stated, &versions[seen]);
        }
        let answers: HashMap<Id, &Move> = ledger
            .moves
            .iter()
            .filter(|made| made.seat == Seat::Advocate)
            .filter(|made| made.kind.is_attack() || made.kind == MoveKind::Grant)
            .map(|made| (made.target, made))
            .collect();
        // True: a change for the objection was made after it was stated.
        let mut changes: HashMap<Id, bool> = HashMap::new();
        for change in &self.changes {
            for id in &change.hunk.answers {
                if known.get(id).is_some_and(|&at| objections[at].section < change.section) {
                    *changes.entry(*id).or_default() |= change.line.is_ok();
                }
            }
        }
        for objection in &mut objections {
            let id = objection.id;
            let answer = answers.get(&id).filter(|made| made.section > objection.section);
            objection.is_answered |= answer.is_some_and(|made| {
                changes.get(&id).copied().unwrap_or(made.kind != MoveKind::Grant)
            });
            if objection.sentence.is_empty() {
                "its sentence can't be read".clone_into(&mut objection.sentence);
            }
        }
        objections
    }

    /// The changes that a further reply would make, those that fail included.
    pub fn changes_of(&self, reply: &str) -> Vec<Change> {
        let mut next = Self { changes: Vec::new(), objections: Vec::new(), ..self.clone() };
        next.take(reply, 0, 1, 1);
        next.changes
    }

    /// Why a further reply's change is not made, as a phrase after its number. `None`: it is made.
    /// Where the document has other words, it names them.
    pub fn fault_of(&self, change: &Change) -> Option<String> {
        let fault = change.line.err()?;
        let near = match fault {
            HunkFault::NotFound => nearest(&self.text.replace("\r\n", "\n"), &change.hunk.old),
            _ => None,
        };
        let near = near.map_or_else(String::new, |near| format!("; {near}"));
        Some(fault.reason() + &near)
    }

    /// The objections without an answer.
    pub fn unanswered_objections(&self) -> impl Iterator<Item = &Objection> {
        self.objections.iter().filter(|objection| !objection.is_answered)
    }

    /// The objections that block and have no answer.
    pub fn standing(&self) -> impl Iterator<Item = &Objection> {
        self.unanswered_objections().filter(|objection| objection.blocks)
    }

    /// The result in a line: `plan.md: 3 changes, 1 not made; C5 stands.`
    pub fn summary(&self) -> String {
        let made = number_of(self.applied_changes().count(), "change", "changes");
        let unmade = match self.changes.len() - self.applied_changes().count() {
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
    fn applied_changes(&self) -> impl Iterator<Item = &Change> {
        self.changes.iter().filter(|change| change.line.is_ok())
    }

    /// Makes the changes of the debate in the document's own text, with its line ends.
    pub fn apply(&self, original: &str) -> Result<String, HunkFault> {
        // Versions have no last line break: with it, the document could have an old text twice.
        let end = ["\r\n", "\n"].into_iter().find(|end| original.ends_with(end)).unwrap_or("");
        let mut text = original[..original.len() - end.len()].to_owned();
        for change in self.applied_changes() {
            text = apply_hunk(&text, end, &change.hunk)?.0;
        }
        Ok(text + end)
    }
}

impl Objection {
    /// An objection before its sentence is read. It blocks until the critic says otherwise.
    fn unread(id: Id) -> Self {
        Self {
            id,
            sentence: String::new(),
            blocks: true,
            quote: None,
            quote_found: false,
            is_answered: false,
            section: 0,
        }
    }

    /// Applies a statement of the critic. The objection then waits for an answer.
    fn state(&mut self, stated: &Stated, seen: &Version) {
        let is_newer = stated.section > self.section || self.sentence.is_empty();
        (self.section, self.is_answered) = (stated.section, false);
        let Some(claim) = &stated.claim else { return };
        self.blocks = match claim.blocks {
            Some(blocks) if is_newer => blocks,
            Some(blocks) => blocks || self.blocks,
            // Another objection with the number of this one.
            None => self.blocks || claim.is_marked && claim.sentence != self.sentence,
        };
        if is_newer && (claim.is_marked || self.sentence.is_empty()) {
            self.sentence.clone_from(&claim.sentence);
            self.quote_found = claim
                .quote
                .as_ref()
                .is_some_and(|quote| stands_in(quote, &seen.text, &seen.folded));
            self.quote.clone_from(&claim.quote);
        }
    }
}

/// A text with a hunk applied, and the line at which the hunk begins. Line ends do not matter for
/// where the old text stands; the new text takes those around it. `end`: the line break after the
/// text.
fn apply_hunk(text: &str, end: &str, hunk: &Hunk) -> Result<(String, usize), HunkFault> {
    let new = hunk.new.as_deref().filter(|_| !hunk.old.is_empty()).ok_or(HunkFault::Half)?;
    if hunk.old.chars().count() > MAX_OLD_CHARS {
        return Err(HunkFault::TooLong);
    }
    if hunk.old.contains(MASK) || new.contains(MASK) {
        return Err(HunkFault::HasMask);
    }
    if brings_unseen(&hunk.old, new) {
        return Err(HunkFault::Unseen);
    }
    if hunk.old == new {
        return Err(HunkFault::Same);
    }
    let plain = text.replace("\r\n", "\n");
    let mut count = 0;
    let mut first = 0;
    let mut from = 0;
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
    let before = &plain[..first];
    let after = &plain[first + hunk.old.len()..];
    if masks(&plain).any(|(begins, ends)| begins < first + hunk.old.len() && first < ends) {
        return Err(HunkFault::HasMask);
    }
    let version = format!("{before}{new}{after}");
    if version.chars().count() > MAX_DOCUMENT_CHARS {
        return Err(HunkFault::TooLarge);
    }
    if version.matches(MASK).count() != plain.matches(MASK).count() {
        return Err(HunkFault::MakesMask);
    }
    let (equal, old, new) = without_equal_lines(&hunk.old, new);
    let begins = real_offset(text, first + equal);
    let ends = real_offset(text, first + equal + old.len());
    let around = match (text[ends..].find('\n'), text[..begins].rfind('\n')) {
        (Some(at), _) => line_end(&text[..=ends + at]),
        (None, _) if !end.is_empty() => end,
        (None, Some(at)) => line_end(&text[..=at]),
        (None, None) => "\n",
    };
    let new = with_line_ends(new, &text[begins..ends], around);
    let line = before.matches('\n').count() + 1;
    Ok((format!("{}{new}{}", &text[..begins], &text[ends..]), line))
}

/// True if the new text has more of an invisible character than the old one.
fn brings_unseen(old: &str, new: &str) -> bool {
    let is_unseen = |char: &char| is_unseen(*char) && !matches!(char, '\n' | '\t' | ' ');
    let mut left: HashMap<char, usize> = HashMap::new();
    for char in old.chars().filter(is_unseen) {
        *left.entry(char).or_default() += 1;
    }
    for char in new.chars().filter(is_unseen) {
        match left.get_mut(&char) {
            Some(count) if *count > 0 => *count -= 1,
            _ => return true,
        }
    }
    false
}

/// Old and new text without the whole lines with which both begin and end, since those stay as they
/// are; and the length of the lines before them.
fn without_equal_lines<'a>(old: &'a str, new: &'a str) -> (usize, &'a str, &'a str) {
    let before = old.bytes().zip(new.bytes()).take_while(|(old, new)| old == new).count();
    let before = old.as_bytes()[..before].iter().rposition(|byte| *byte == b'\n');
    let before = before.map_or(0, |at| at + 1);
    let old = &old[before..];
    let new = &new[before..];
    let ends = old.bytes().rev().zip(new.bytes().rev());
    let after = ends.take_while(|(old, new)| old == new).count();
    let break_at = old.as_bytes()[old.len() - after..].iter().position(|byte| *byte == b'\n');
    let after = break_at.map_or(0, |at| after - at);
    (before, &old[..old.len() - after], &new[..new.len() - after])
}

/// A text with the line ends of the passage that it replaces, one by one, and then those around it.
fn with_line_ends(new: &str, passage: &str, around: &str) -> String {
    let mut ends = passage.split_inclusive('\n').filter(|line| line.ends_with('\n')).map(line_end);
    let mut out = String::with_capacity(new.len());
    let mut last = around;
    for line in new.split_inclusive('\n') {
        match line.strip_suffix('\n') {
            Some(line) => {
                last = ends.next().unwrap_or(last);
                out.push_str(line);
                out.push_str(last);
            }
            None => out.push_str(line),
        }
    }
    out
}

/// The line end of a text that ends with one.
fn line_end(text: &str) -> &'static str {
    if text.ends_with("\r\n") { "\r\n" } else { "\n" }
}

/// The offset in a text, from the offset in it with line feeds alone.
fn real_offset(text: &str, plain: usize) -> usize {
    let mut left = plain;
    let mut at = 0;
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
