//! Reads the claims and moves of one reply, in order.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use super::claim::{citation, first_mark};
use super::head::{Head, MAX_ITEMS, MoveKind, begins_like_id, first_ids, head};
use super::own::{OwnBlock, own_blocks, source};
use super::questions::question_of;
use super::words::{
    first_quote, is_around, is_quote_mark, strip, up_to_full_stop, weight_in, without_weight,
};
use super::{Citation, Ground, Id};
use crate::place::Seat;
use crate::question::motion;
use anvil_text::{ascii_mark, clean, cut};

/// Longest sentence, ground, quote or reason, in characters.
pub(super) const MAX_TEXT: usize = 1_000;

/// Most characters of a claim's paragraph that a fact-checker sees.
const MAX_AROUND: usize = 800;

/// Longest shown part of a line that is no claim, in UTF-16 units.
const MAX_SHOWN: usize = 60;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadClaim {
    pub(crate) id: Id,
    pub sentence: String,
    pub(crate) ground: Ground,
    pub(crate) citation: Option<Citation>,
    /// The text after the sentence.
    pub(crate) reasons: String,
    /// A mark follows the id, so the sentence is the claim and not prose about it.
    pub is_marked: bool,
    /// True for `[blocks]`, false for `[minor]` alone.
    pub blocks: Option<bool>,
    /// The words that it quotes.
    pub quote: Option<String>,
}

/// A line in which a seat speaks of one of its own claims.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stated {
    /// The reply, counted from 0 through the debate.
    pub section: usize,
    pub id: Id,
    /// The seat gives the claim up. Else it holds to the claim, in whatever form.
    pub is_withdrawn: bool,
    /// `None`: there is no sentence.
    pub claim: Option<ReadClaim>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ReadMove {
    pub kind: MoveKind,
    pub targets: Vec<Id>,
    pub after: Vec<Id>,
    /// The claim of the same paragraph.
    pub by: Option<Id>,
    /// The words that it quotes.
    pub quote: Option<String>,
    /// The move begins with the quote.
    pub begins_with_quote: bool,
    /// The remaining text.
    pub reason: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Items {
    pub claims: Vec<ReadClaim>,
    pub moves: Vec<ReadMove>,
}

impl Items {
    /// Claims, and moves on one claim each.
    pub(crate) fn count(&self) -> usize {
        self.claims.len() + self.moves.iter().map(|made| made.targets.len()).sum::<usize>()
    }
}

/// How much of a reply is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Depth {
    /// Everything.
    Whole,
    /// Claims without their grounds and weights, and moves without their words. A grant keeps its
    /// reason.
    Heads,
}

/// A part of a reply that the ledger can't read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unread {
    /// A text that may be a claim and is none, and no move.
    Text(String),
    /// A line with a `[blocks]` that belongs to no claim.
    Blocks(String),
}

/// A reply as it is read: once, as Markdown.
pub(crate) struct Reading<'a> {
    /// The reply without invisible characters.
    pub source: Cow<'a, str>,
    /// `None`: it has too much Markdown.
    blocks: Option<Vec<OwnBlock>>,
    items: Vec<Item>,
}

/// A part of a block's text.
#[derive(Clone, Debug)]
struct Part {
    block: usize,
    at: Range<usize>,
}

/// A claim or a move.
#[derive(Debug)]
struct Item {
    head: Head,
    /// The claim that makes the move.
    by: Option<Id>,
    /// The words after the head.
    parts: Vec<Part>,
    /// Where it begins: its block and its line there.
    block: usize,
    line: usize,
    /// The index after the last block that belongs to it.
    until: usize,
}

/// The index after the blocks that belong to an item of this block. Its list item belongs to it;
/// below a heading, and below a text that has nothing else, the next paragraph or list.
fn extent(blocks: &[OwnBlock], at: usize, is_lone: bool) -> usize {
    let block = &blocks[at];
    let below = blocks.get(at + 1).filter(|next| !next.is_heading);
    match below {
        _ if block.is_row => at + 1,
        _ if block.item_end > 0 => block.item_end,
        Some(next) if block.is_heading || is_lone => next.list_end.max(at + 2),
        _ => at + 1,
    }
}

/// The claims and moves of a reply's blocks.
fn items_of(blocks: &[OwnBlock]) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    let mut open: Option<Item> = None;
    // The claim that makes the moves up to this block.
    let mut claim: Option<(Id, usize)> = None;
    for (index, block) in blocks.iter().enumerate() {
        items.extend(open.take_if(|open| open.until <= index));
        claim = claim.filter(|(_, until)| *until > index);
        let mut from = 0;
        for line in block.lines() {
            let Some((head, after)) = head(&block.words()[line..]) else { continue };
            if let Some(mut done) = open.take() {
                done.parts.push(Part { block: index, at: from.min(line)..line });
                items.push(done);
            }
            let by = match head {
                Head::Claim { id, .. } => {
                    claim = Some((id, extent(blocks, index, false)));
                    None
                }
                Head::Move { .. } => claim.map(|(id, _)| id),
            };
            from = block.words().len() - after.len();
            open = Some(Item { head, by, parts: Vec::new(), block: index, line, until: index + 1 });
        }
        if let Some(open) = &mut open {
            if open.block == index {
                let words = &block.words()[from..];
                let rest = match open.head {
                    Head::Claim { .. } => &words[end_of_sentence(words)..],
                    Head::Move { .. } => words,
                };
                open.until = extent(blocks, index, !has_words(rest));
            }
            open.parts.push(Part { block: index, at: from..block.words().len() });
        }
    }
    items.extend(open);
    items
}

fn has_words(text: &str) -> bool {
    text.contains(char::is_alphanumeric)
}

impl<'a> Reading<'a> {
    pub(crate) fn new(reply: &'a str) -> Self {
        let source = source(reply);
        let blocks = own_blocks(&source);
        let items = blocks.as_deref().map_or(Vec::new(), items_of);
        Self { source, blocks, items }
    }

    fn blocks(&self) -> &[OwnBlock] {
        self.blocks.as_deref().unwrap_or_default()
    }

    fn words(&self, part: &Part) -> &str {
        &self.blocks()[part.block].words()[part.at.clone()]
    }

    /// A part as the reply writes it. Blank: it has no words.
    fn source_of(&self, part: &Part) -> &str {
        let block = &self.blocks()[part.block];
        if block.text[part.at.clone()].trim().is_empty() {
            return "";
        }
        &self.source[block.source_range(&part.at)]
    }

    /// A part as a page shows it: with its emphasis, unless it begins inside of it.
    fn page_text(&self, part: &Part) -> &str {
        let block = &self.blocks()[part.block];
        let text = &block.text[part.at.clone()];
        match block.whole_source_of(&part.at) {
            Some(place) if !text.trim().is_empty() => &self.source[place],
            _ => text,
        }
    }

    /// All claims and moves, at most as many as a reply may have.
    pub(crate) fn items(&self, depth: Depth) -> Items {
        let mut items = Items::default();
        for item in &self.items {
            let room = MAX_ITEMS.saturating_sub(items.count());
            if room == 0 {
                break;
            }
            match &item.head {
                Head::Claim { id, is_marked } => {
                    items.claims.extend(self.claim(*id, &item.parts, *is_marked, depth));
                }
                Head::Move { kind, targets, after } => {
                    let mut targets = targets.clone();
                    targets.truncate(room);
                    let (kind, after) = (*kind, after.clone());
                    items.moves.push(self.build_move(item, kind, targets, after, depth));
                }
            }
        }
        items
    }

    fn build_move(
        &self,
        item: &Item,
        kind: MoveKind,
        targets: Vec<Id>,
        after: Vec<Id>,
        depth: Depth,
    ) -> ReadMove {
        let has_words = depth == Depth::Whole || kind == MoveKind::Grant;
        let parts = if has_words { item.parts.as_slice() } else { &[] };
        let written = parts.iter().map(|part| self.source_of(part)).collect::<Vec<_>>().join(" ");
        let shown = parts.iter().map(|part| self.page_text(part)).collect::<Vec<_>>().join(" ");
        let reason = match first_quote(&shown) {
            Some((quote, after)) => {
                let begins = shown.find(quote).unwrap_or_default();
                let before =
                    shown[..begins].trim_end_matches(|char| is_quote_mark(char) || char == ' ');
                Cow::Owned(format!("{before} {after}"))
            }
            None => Cow::Borrowed(&*shown),
        };
        let begins_with_quote = shown.trim_start().starts_with(is_quote_mark);
        let quote = first_quote(&written).map(|(quote, _)| clean(quote, MAX_TEXT));
        let reason = clean(reason.trim(), MAX_TEXT);
        ReadMove { kind, targets, after, by: item.by, quote, begins_with_quote, reason }
    }

    /// The claim in these parts. `None`: they have no words.
    fn claim(&self, id: Id, parts: &[Part], is_marked: bool, depth: Depth) -> Option<ReadClaim> {
        let first = parts.iter().position(|part| has_words(self.words(part)))?;
        let parts = &parts[first..];
        let block = &self.blocks()[parts[0].block];
        let words = self.words(&parts[0]);
        // The sentence of a row is in one cell.
        let (blank, cell) = if block.is_row {
            let cells = words.trim_start();
            (words.len() - cells.len(), cells.split('\n').next().unwrap_or_default())
        } else {
            (0, words)
        };
        let sentence = without_marks(cell);
        let begins = blank + cell.len() - sentence.len();
        let ends = begins + end_of_sentence(sentence);
        let at = parts[0].at.start;
        let sentence = block.text[at + begins..at + ends].trim_matches(is_around);
        let sentence = sentence.trim_end_matches(|char| {
            is_around(char) || matches!(ascii_mark(char), '-' | ',' | ';' | '(')
        });
        let sentence = clean(sentence, MAX_TEXT);
        if sentence.is_empty() {
            return None;
        }
        let mut claim = ReadClaim {
            id,
            sentence,
            ground: Ground::NotGiven,
            citation: None,
            reasons: String::new(),
            is_marked,
            blocks: None,
            quote: None,
        };
        if depth == Depth::Heads {
            return Some(claim);
        }
        if let Some((part, (at, mark))) =
            parts.iter().find_map(|part| Some((part, first_mark(self.words(part))?)))
        {
            let block = &self.blocks()[part.block];
            let at = part.at.start + at;
            let source = &self.source[block.source_range(&(at..part.at.end))];
            claim.ground = Ground::parse(mark, &block.text[part.at.start..at], source);
            if matches!(claim.ground, Ground::Evidence(_)) {
                claim.citation = citation(source);
            }
        }
        let rest = Part { block: parts[0].block, at: at + ends..parts[0].at.end };
        let rest: Vec<Part> = std::iter::once(rest).chain(parts[1..].iter().cloned()).collect();
        let written = rest.iter().map(|part| self.source_of(part)).collect::<Vec<_>>().join(" ");
        let quote = first_quote(&written).or_else(|| first_quote(self.source_of(&parts[0])));
        claim.quote = quote.map(|(quote, _)| clean(quote, MAX_TEXT));
        let shown = rest.iter().map(|part| self.page_text(part)).collect::<Vec<_>>().join(" ");
        claim.reasons = clean(shown.trim_start_matches([' ', '.', ':']), MAX_TEXT);
        // A paragraph below another one gives no less weight: "all else is [minor]".
        let is_own = |part: &&Part| {
            part.block == parts[0].block || block.is_heading || block.item_end > 0 || first > 0
        };
        for part in parts {
            let cells = self.words(part).split(|char| block.is_row && char == '\n');
            let weight = cells.filter_map(weight_in).max();
            let weight = weight.filter(|blocks| *blocks || is_own(&part));
            claim.blocks = claim.blocks.max(weight);
        }
        Some(claim)
    }

    /// The lines in which a seat speaks of its own claims: claims and moves in order, then lines of
    /// no known form. An objection in such a form is still one.
    pub(super) fn statements(&self, seat: Seat, section: usize) -> Vec<Stated> {
        let mut lines = Vec::new();
        let mut read = HashSet::new();
        let mut push = |ids: &[Id], is_withdrawn, claim: Option<ReadClaim>| {
            for &id in ids.iter().filter(|id| id.seat() == seat) {
                lines.push(Stated { section, id, is_withdrawn, claim: claim.clone() });
            }
        };
        for item in &self.items {
            match &item.head {
                Head::Claim { id, is_marked } => {
                    read.insert(*id);
                    push(&[*id], false, self.claim(*id, &item.parts, *is_marked, Depth::Whole));
                }
                Head::Move { kind, targets, .. } => {
                    read.extend(targets);
                    let claim = self.claim(targets[0], &item.parts, false, Depth::Whole);
                    // A grant of an own claim gives it up.
                    push(targets, matches!(kind, MoveKind::Grant | MoveKind::Withdraw), claim);
                }
            }
        }
        for (index, block) in self.blocks().iter().enumerate() {
            for line in block.lines() {
                let Some((mut ids, after)) = first_ids(&block.words()[line..]) else { continue };
                let first = ids[0];
                ids.retain(|id| read.insert(*id));
                if !ids.is_empty() {
                    let at = block.words().len() - after.len()..block.words().len();
                    let parts = [Part { block: index, at }];
                    push(&ids, false, self.claim(first, &parts, false, Depth::Whole));
                }
            }
        }
        lines
    }

    /// The claims of other seats that it grants or supports, each with the place of the move.
    pub(super) fn accepted_claims(&self) -> impl Iterator<Item = (usize, &[Id])> {
        self.items.iter().filter_map(|item| match &item.head {
            Head::Move { kind: MoveKind::Grant | MoveKind::Support, targets, .. } => {
                Some((self.place(item), targets.as_slice()))
            }
            _ => None,
        })
    }

    /// Where an item begins in the source.
    fn place(&self, item: &Item) -> usize {
        self.blocks()[item.block].source_of(item.line)
    }

    /// True if a line begins with an id of this seat, or the reply is not read.
    fn names(&self, seat: Seat) -> bool {
        let is_own = |(ids, _): (Vec<Id>, &str)| ids.iter().any(|id| id.seat() == seat);
        let names = |block: &OwnBlock| {
            block.lines().any(|line| first_ids(&block.words()[line..]).is_some_and(is_own))
        };
        self.blocks.as_ref().is_none_or(|blocks| blocks.iter().any(names))
    }

    /// True if this item makes a claim of the seat.
    fn makes_claim(&self, item: &Item, seat: Seat) -> bool {
        matches!(&item.head, Head::Claim { id, is_marked } if id.seat() == seat
            && self.claim(*id, &item.parts, *is_marked, Depth::Heads).is_some())
    }

    /// The text that makes a claim, up to the next claim.
    fn around(&self, id: Id) -> Option<&str> {
        let is_claim = |item: &&Item| matches!(item.head, Head::Claim { .. });
        let at = self
            .items
            .iter()
            .position(|item| matches!(item.head, Head::Claim { id: other, .. } if other == id))?;
        let item = &self.items[at];
        let begins = self.source[..self.place(item)].rfind('\n').map_or(0, |at| at + 1);
        let ends = self.blocks()[item.until - 1].place.end;
        let next = self.items[at + 1..]
            .iter()
            .find(is_claim)
            .map(|next| self.source[..self.place(next)].rfind('\n').map_or(0, |at| at + 1));
        let ends = next.map_or(ends, |next| ends.min(next)).max(begins);
        Some(&self.source[begins..ends])
    }

    /// The first part that may be a claim of the seat and can't be read. `is_known`: a claim of the
    /// debate has this id.
    fn unread(&self, seat: Seat, is_known: impl Fn(Id) -> bool) -> Option<Unread> {
        let show = |text: &str| clean(cut(text.trim_start(), MAX_SHOWN), usize::MAX);
        let Some(blocks) = &self.blocks else {
            return Some(Unread::Text(show(&self.source)));
        };
        let mut count = 0;
        let mut read = HashSet::new();
        for item in &self.items {
            count += match &item.head {
                Head::Claim { .. } => 1,
                Head::Move { targets, .. } => targets.len(),
            };
            let is_known = matches!(item.head, Head::Claim { id, .. } if is_known(id));
            let is_move = matches!(item.head, Head::Move { .. });
            if (count <= MAX_ITEMS || is_known) && (is_move || self.makes_claim(item, seat)) {
                read.insert((item.block, item.line));
            }
        }
        let asks = question_of(&self.source).is_some();
        let has_motion = motion::of_reply(&self.source).is_some();
        for (index, block) in blocks.iter().enumerate() {
            for line in block.lines().filter(|line| !read.contains(&(index, *line))) {
                let words = &block.words()[line..];
                let begins = line == 0 || block.is_row;
                let ids = first_ids(words);
                let is_only_named =
                    block.is_heading && ids.as_ref().is_some_and(|(_, after)| !has_words(after));
                let may_be_claim = if begins {
                    begins_like_id(&block.text[line..]) && !is_only_named
                } else {
                    let own = |id: &Id| id.seat() == seat && !is_known(*id);
                    ids.is_some_and(|(ids, _)| ids.iter().any(own))
                };
                let is_bold = !block.is_heading && block.begins_bold(line);
                let is_label = is_bold
                    && (asks && index + 1 == blocks.len() && begins_with(words, "ask")
                        || has_motion && index == 0 && begins_with(words, "motion")
                        || begins_with(words, "would change my mind")
                        || seat.is_voice()
                            && ["for", "against"].iter().any(|word| begins_with(words, word)));
                if may_be_claim || is_bold && !is_label {
                    let line = block.text[line..].split('\n').next().unwrap_or_default();
                    return Some(Unread::Text(show(line)));
                }
            }
        }
        self.stray_mark(seat).map(|at| {
            let begins = self.source[..at].rfind('\n').map_or(0, |at| at + 1);
            let line = self.source[begins..].split('\n').next().unwrap_or_default();
            Unread::Blocks(show(line))
        })
    }

    /// The place of the first `[blocks]` that is no word of a claim of the seat.
    fn stray_mark(&self, seat: Seat) -> Option<usize> {
        let mut own = HashSet::new();
        for item in &self.items {
            let is_own = match &item.head {
                Head::Claim { id, .. } => id.seat() == seat,
                Head::Move { targets, .. } => targets.iter().any(|id| id.seat() == seat),
            };
            for part in item.parts.iter().filter(|_| is_own) {
                let words = self.words(part);
                let marks = memchr::memchr_iter(b'[', words.as_bytes());
                let block = &self.blocks()[part.block];
                own.extend(marks.map(|at| block.source_of(part.at.start + at)));
            }
        }
        let source = &self.source;
        memchr::memchr_iter(b'[', source.as_bytes()).find(|at| {
            let inside = source[at + 1..].bytes().filter(|byte| !b"*_~`\\".contains(byte));
            let is_mark = inside.take(7).map(|byte| byte.to_ascii_lowercase()).eq(*b"blocks]");
            is_mark && !own.contains(at)
        })
    }
}

/// True if a line begins with this label, in any case.
fn begins_with(line: &str, label: &str) -> bool {
    let line = line.trim_start_matches(|char: char| !char.is_alphanumeric());
    strip(line, label).is_some_and(|after| !after.starts_with(char::is_alphanumeric))
}

/// The words after marks of weight and of grounds.
fn without_marks(words: &str) -> &str {
    let mut words = without_weight(words).0;
    while let Some((0, _)) = first_mark(words.trim_start()) {
        let Some((_, after)) = words.split_once(']') else { break };
        words = without_weight(after).0;
    }
    words
}

/// Where the sentence of a claim ends: at its first full stop, or before a mark.
fn end_of_sentence(words: &str) -> usize {
    let end = up_to_full_stop(words).len();
    let weight = memchr::memchr_iter(b'[', &words.as_bytes()[..end])
        .find(|at| without_weight(&words[*at..]).1.is_some());
    let ground = first_mark(&words[..end]).map(|(at, _)| at);
    [weight, ground].into_iter().flatten().fold(end, usize::min)
}

/// The critic's claims that a reply answers: the line of each move, counted from 0, and its targets.
pub(crate) fn answered_at(reply: &str) -> Vec<(usize, Vec<Id>)> {
    let reading = Reading::new(reply);
    let (mut line, mut done) = (0, 0);
    let mut answers = Vec::new();
    for item in &reading.items {
        let Head::Move { targets, .. } = &item.head else { continue };
        let critics = |id: &&Id| id.seat() == Seat::Critic;
        let targets: Vec<Id> = targets.iter().filter(critics).copied().collect();
        let place = reading.place(item);
        line +=
            memchr::memchr_iter(b'\n', &reading.source.as_bytes()[done.min(place)..place]).count();
        done = place;
        if !targets.is_empty() {
            answers.push((line, targets));
        }
    }
    answers
}

/// True if a line of the reply begins with an id of this seat. Too much Markdown may hold one.
pub fn is_numbered(reply: &str, seat: Seat) -> bool {
    Reading::new(reply).names(seat)
}

/// True if the reply has a move, or a line that begins with an id of this seat.
pub fn has_item(reply: &str, seat: Seat) -> bool {
    let reading = Reading::new(reply);
    reading.items.iter().any(|item| matches!(item.head, Head::Move { .. })) || reading.names(seat)
}

/// The text that makes a claim, up to the next claim or paragraph.
pub fn around(reply: &str, id: Id) -> String {
    let reading = Reading::new(reply);
    let whole = reading.around(id).unwrap_or_default();
    let end = whole.char_indices().nth(MAX_AROUND).map_or(whole.len(), |(at, _)| at);
    whole[..end].trim_end().to_owned()
}

/// The first part of a reply that may be a claim of its seat and can't be read: a text that begins
/// in bold, or with a letter and a digit, and is no claim, move, question or motion; and a
/// `[blocks]` that belongs to no claim. `is_known`: a claim of the debate has this id.
pub fn unread(reply: &str, seat: Seat, is_known: impl Fn(Id) -> bool) -> Option<Unread> {
    Reading::new(reply).unread(seat, is_known)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(reply: &str) -> Items {
        Reading::new(reply).items(Depth::Whole)
    }

    #[test]
    fn a_claim_is_one_sentence_and_its_ground() {
        for (reply, sentence, ground) in [
            (
                "**A1. One claim.** [evidence: the 2024 audit] x",
                "One claim",
                Ground::Evidence("the 2024 audit".into()),
            ),
            (
                "**A1. One claim.** [evidence] The 2024 audit, page 3. More.",
                "One claim",
                Ground::Evidence("The 2024 audit, page 3.".into()),
            ),
            (
                "**A1. One claim.** First. The audit of 2024 [evidence]",
                "One claim",
                Ground::Evidence("The audit of 2024".into()),
            ),
            ("**A1. One claim.** It follows [reasoning].", "One claim", Ground::Reasoning),
            ("**A1. One claim.**\nIt is a guess\n[Assumption].", "One claim", Ground::Assumption),
            ("**A1.** One claim. Two [reasoning].", "One claim", Ground::Reasoning),
            ("**A1. One claim.** Nothing.", "One claim", Ground::NotGiven),
            (
                "**A1。缓存便宜。** 见记录 [evidence：审计]。",
                "缓存便宜",
                Ground::Evidence("审计".into()),
            ),
            ("A1、缓存便宜。没有数据 [reasoning]。", "缓存便宜", Ground::Reasoning),
        ] {
            let claims = whole(reply).claims;
            assert_eq!(
                (claims.len(), claims[0].sentence.as_str(), &claims[0].ground),
                (1, sentence, &ground),
                "{reply}"
            );
        }
    }

    #[test]
    fn a_minor_objection_has_its_mark_at_the_start_of_a_sentence() {
        for (reply, blocks) in [
            ("**C1. Typo.** [minor]", Some(false)),
            ("**C1. Typo.**\nOne word. [Minor].", Some(false)),
            ("**C1. Typo in line 3 [minor].** So.", None),
            ("**C1. Typo.** ([minor]) So.", Some(false)),
            ("**C1. Typo.** [minor] And it never ends [blocks].", Some(true)),
            ("- **C1. Typo.**\n\n  One word. [minor]", Some(false)),
            ("### C1. Typo\n\n[minor] One word.", Some(false)),
            ("| C1. Typo | [minor] |\n|-|-|\n| a | b |", Some(false)),
            ("**C1. Typo.** It is \"Move\". [minor]", Some(false)),
            ("**C1. Typo.** It is \"Move\", and [minor].", None),
            ("**C1. Typo.** That is [Minor].", None),
            ("**C1. Typo.** \"[minor]\" is its word.", None),
            ("**C1. Typo.** This is not [minor].", None),
            ("**C1. Typo.** Some call this [minor], but it stops us.", None),
            ("**C1. This isn't [minor].**", None),
            ("**C1. Typo.** So.\n\nAll else is [minor].", None),
            ("**C1. Typo.**\n\nAll else is done. [minor]", None),
            ("**C1. Typo.** So.\n- Two. [minor]", None),
            ("**C1. Typo.** \"all is [minor]\" and `[minor]`.", None),
            ("**C1. Typo.** `[minor]`", None),
            ("**C1. Typo.** ~~[minor]~~", None),
            ("**C1. Typo.** <!-- [minor] -->", None),
            ("**C1. Typo.** <script>[minor]</script>", None),
            ("**C1. Typo.** So.", None),
        ] {
            assert_eq!(whole(reply).claims[0].blocks, blocks, "{reply}");
        }
    }

    #[test]
    fn a_move_has_its_quote_and_its_reason() {
        let read = whole(
            "**Attacks A1:** \"the words\" hide the cost,\nwhich is real.\n\n**Grants C1:** \
                because new.\n\n**Would change my mind:** x",
        )
        .moves;
        assert_eq!(
            (read[0].quote.as_deref(), read[0].reason.as_str()),
            (Some("the words"), "hide the cost, which is real.")
        );
        assert_eq!((read[1].quote.as_deref(), read[1].reason.as_str()), (None, "because new."));
        assert_eq!(read.len(), 2);
        for (text, quote) in [
            ("**Attacks A1：** 「缓存便宜」忽略了成本。", "缓存便宜"),
            ("**Attacks A1：** « le cache » 忽略了成本。", "le cache"),
        ] {
            let read = &whole(text).moves[0];
            assert_eq!(
                (read.quote.as_deref(), read.reason.as_str(), read.begins_with_quote),
                (Some(quote), "忽略了成本。", true),
                "{text}"
            );
        }
    }

    #[test]
    fn a_list_of_ids_cannot_exceed_the_limit_of_a_reply() {
        let all = |numbers: std::ops::Range<u32>| {
            numbers.map(|number| format!("A{number}")).collect::<Vec<_>>().join(", ")
        };
        let read =
            whole(&format!("**C1. One.** x\n\n**Grants {}:** y\n**Attacks A1:** z", all(1..999)));
        assert_eq!((read.count(), read.claims.len(), read.moves.len()), (MAX_ITEMS, 1, 1));
    }

    #[test]
    fn a_move_inside_a_claims_paragraph_belongs_to_that_claim() {
        let by = |reply| whole(reply).moves[0].by.map(|id| id.to_string());
        assert_eq!(by("**C1. One.** x\n**Attacks A1:** \"y\" z"), Some("C1".to_owned()));
        assert_eq!(by("**C1. One.** x\n\n**Attacks A1:** \"y\" z"), None);
    }

    #[test]
    fn a_reply_is_numbered_if_a_line_begins_with_its_seats_id() {
        for (reply, is, has) in [
            ("**A1. One claim.** x", true, true),
            ("### A1\n\nOne claim.", true, true),
            ("Intro.\n\n- A2: and more", true, true),
            ("A1.", true, true),
            ("- A2 and no more", true, true),
            ("__Ａ2 and no more__", true, true),
            ("Attacks C1: no", false, true),
            ("As A1 says, no", false, false),
            ("**C1. Another side's.** x", false, false),
            ("```\nA1. In code\n```\n> A2. Quoted", false, false),
            ("", false, false),
        ] {
            assert_eq!(is_numbered(reply, Seat::Advocate), is, "{reply}");
            assert_eq!(has_item(reply, Seat::Advocate), has, "{reply}");
        }
        assert!(
            is_numbered("**S2.1. x**", Seat::Voice(2)) && is_numbered("V2.1. x", Seat::Voice(2))
        );
        assert!(!is_numbered("**S2.1. x**", Seat::Voice(1)));
    }

    #[test]
    fn a_claim_ends_with_its_block() {
        for (reply, reasons, ground) in [
            ("### A1. One\n\nTwo. [reasoning]\n\nThree.", "Two. [reasoning]", Ground::Reasoning),
            ("**A1. One.**\n\nTwo. [reasoning]", "Two. [reasoning]", Ground::Reasoning),
            ("**A1. One.** Two.\n\nThree. [reasoning]", "Two.", Ground::NotGiven),
            (
                "- **A1. One.**\n  - Two.\n  - [reasoning]\n\nThree.",
                "Two. [reasoning]",
                Ground::Reasoning,
            ),
            ("- A1. One.\n- Two. [reasoning]", "", Ground::NotGiven),
            ("### A1. One\n### Two\n\n[reasoning]", "", Ground::NotGiven),
            (
                "**A1. One.** Two **so**.\n**Attacks C1:** \"x\" fails.",
                "Two **so**.",
                Ground::NotGiven,
            ),
            (
                "**A1. Go is faster.** `go build` takes two seconds.",
                "`go build` takes two seconds.",
                Ground::NotGiven,
            ),
            ("**A1. One. `__init__` is** slow.", "`__init__` is slow.", Ground::NotGiven),
        ] {
            let claim = &whole(reply).claims[0];
            assert_eq!((&*claim.reasons, &claim.ground), (reasons, &ground), "{reply}");
        }
    }

    #[test]
    fn quotes_and_evidence_are_those_of_the_source() {
        let read = whole(
            "**Attacks A1: \"__init__ is slow\" is old.** So.\n\n\
             **C1. It is new.** [evidence: src/__init__.py:3 \"def __init__(self):\"]",
        );
        assert_eq!(read.moves[0].quote.as_deref(), Some("__init__ is slow"));
        let claim = &read.claims[0];
        let citation = claim.citation.as_ref().unwrap();
        assert_eq!(
            (&*citation.path, citation.words.as_deref()),
            ("src/__init__.py", Some("def __init__(self):"))
        );
        let named = "src/__init__.py:3 \"def __init__(self):\"";
        assert_eq!(claim.ground, Ground::Evidence(named.into()));
    }

    #[test]
    fn the_words_around_a_claim_end_where_the_next_one_begins() {
        let reply = "Before.\n\n**A1. One.** So [evidence: x].\nMore.\n**Attacks C1:** no.\n\n\
            **A2. Two.** y\n**A3. Three.** z\n\n### A4. Four\n\nBecause.\n\nAfter.";
        let id = |id: &str| id.parse().unwrap();
        let first = "**A1. One.** So [evidence: x].\nMore.\n**Attacks C1:** no.";
        assert_eq!(around(reply, id("A1")), first);
        assert_eq!(around(reply, id("A2")), "**A2. Two.** y");
        assert_eq!(around(reply, id("A4")), "### A4. Four\n\nBecause.");
        assert_eq!(around(reply, id("A5")), "");
    }

    #[test]
    fn more_claims_than_are_read_are_unread() {
        let claims = |count| {
            let claims = (1..=count).map(|number| format!("**C{number}. One.** x\n\n"));
            claims.collect::<Vec<_>>().concat()
        };
        let unread = |count| unread(&claims(count), Seat::Critic, |_| false);
        assert_eq!((unread(100), unread(101).is_some()), (None, true));
    }

    #[test]
    fn too_much_markdown_is_not_read_and_closes_gates() {
        for hostile in ["`", "*_", "[a](b"] {
            let reply = format!("**C1. One.** x\n\n{}", hostile.repeat(4_000_000 / hostile.len()));
            assert_eq!(whole(&reply), Items::default());
            assert!(unread(&reply, Seat::Critic, |_| true).is_some(), "{hostile}");
            assert!(is_numbered(&reply, Seat::Critic), "it is not asked for again: {hostile}");
        }
    }

    #[test]
    fn code_and_block_quotes_hold_no_claims() {
        assert_eq!(
            whole("```\n**A1. One.**\n```\n> **A2. Two.**\n~~~text\n```\n**A3. Three.**\n~~~"),
            Items::default()
        );
        assert_eq!(
            whole("```\n```rust\n**A1. One.**\n```\n````md\n```\n**A2. Two.**\n````"),
            Items::default()
        );
        for reply in ["```\ncode\n```\n**A1. One.**", "```b``` is it.\n\n**A1. One.**"] {
            assert_eq!(whole(reply).claims.len(), 1, "{reply}");
        }
    }
}
