//! Reads the claims and moves of one reply, in order.

use std::borrow::Cow;
use std::collections::HashSet;

use super::claim::citation;
use super::head::{ItemHead, MAX_ITEMS, MoveKind, after_ids, begins_with_id, head};
use super::loose::begins_block;
use super::words::{
    first_sentence, is_around, is_quote_mark, own_lines, quoted, weight_in, without_weight,
    without_weight_at_end,
};
use super::{Citation, Ground, Id};
use crate::debate::Seat;
use anvil_text::{ascii_mark, clean};

/// Longest sentence, ground, quote or reason, in characters.
pub(super) const MAX_TEXT: usize = 1_000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadClaim {
    pub(crate) id: Id,
    pub sentence: String,
    pub(crate) ground: Ground,
    pub(crate) citation: Option<Citation>,
    /// The text of its paragraph after the sentence.
    pub(crate) reasons: String,
    /// A mark follows the id, so the sentence is the claim and not prose about it.
    pub is_marked: bool,
    /// True for `[blocks]` in its paragraph, false for `[minor]` alone.
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

/// Reads a reply. Code and block quotes are skipped: they are not the seat's own words.
pub(super) fn items(reply: &str, depth: Depth) -> Items {
    let mut items = Items::default();
    each_head(reply, depth, |head, by, more| add(head, by, more, depth, &mut items));
    items
}

/// A claim or a move that may have more lines.
struct OpenItem<'a> {
    head: ItemHead<'a>,
    /// The claim of its paragraph.
    by: Option<Id>,
    /// The lines after it.
    more: String,
}

impl OpenItem<'_> {
    /// Adds a line after a space, or after a line break if it begins a block of Markdown.
    fn add(&mut self, line: &str, depth: Depth) {
        if depth == Depth::Whole || self.head.needs_more() {
            self.more.push(if line.is_empty() || begins_block(line) { '\n' } else { ' ' });
            self.more.push_str(line);
        }
    }
}

/// Calls `take` with each claim and move of a reply: its head, the claim of its paragraph, and the
/// lines after it.
fn each_head<'a>(
    reply: &'a str,
    depth: Depth,
    mut take: impl FnMut(ItemHead<'a>, Option<Id>, &str),
) {
    let mut close = |open: Option<OpenItem<'a>>| {
        if let Some(OpenItem { head, by, more }) = open {
            take(head, by, &more);
        }
    };
    let mut open: Option<OpenItem<'_>> = None;
    let mut claim_of_paragraph = None;
    for line in own_lines(reply) {
        let text = line.trim_start();
        if text.is_empty() {
            claim_of_paragraph = None;
            if let Some(open) = &mut open {
                open.add(text, depth);
            }
        } else if line.starts_with("    ") && open.is_none() {
            // Code.
        } else if let Some(head) = head(line) {
            close(open.take());
            let by = match &head {
                ItemHead::Claim { id, .. } => {
                    claim_of_paragraph = Some(*id);
                    None
                }
                ItemHead::Move { .. } => claim_of_paragraph,
            };
            open = Some(OpenItem { head, by, more: String::new() });
        } else if text.starts_with('#') || is_label(text) {
            close(open.take());
        } else if let Some(open) = &mut open {
            open.add(text, depth);
        }
    }
    close(open);
}

/// The lines in which a seat speaks of its own claims: claims and moves in order, then lines of no
/// known form. An objection in such a form is still one.
pub(super) fn stated(reply: &str, seat: Seat, section: usize) -> Vec<Stated> {
    let mut lines = Vec::new();
    let mut read = HashSet::new();
    let mut push = |ids: &[Id], is_withdrawn, claim: Option<ReadClaim>| {
        for &id in ids.iter().filter(|id| id.seat() == seat) {
            lines.push(Stated { section, id, is_withdrawn, claim: claim.clone() });
        }
    };
    each_head(reply, Depth::Whole, |head, _, more| match head {
        ItemHead::Claim { id, bold, remaining, is_marked } => {
            read.insert(id);
            let text = joined(remaining, more);
            push(&[id], false, claim(id, bold, &text, is_marked, Depth::Whole));
        }
        ItemHead::Move { kind, targets, remaining, .. } => {
            read.extend(&targets);
            // A grant of an own claim gives it up.
            let is_withdrawn = matches!(kind, MoveKind::Grant | MoveKind::Withdraw);
            push(&targets, is_withdrawn, claim(targets[0], "", remaining, false, Depth::Whole));
        }
    });
    for (mut ids, text) in own_lines(reply).filter_map(after_ids) {
        let first = ids[0];
        ids.retain(|id| read.insert(*id));
        push(&ids, false, claim(first, "", text, false, Depth::Whole));
    }
    lines
}

/// The critic's claims that a reply answers: the offset of each move, and its targets.
pub(crate) fn answered_at(reply: &str) -> Vec<(usize, Vec<Id>)> {
    let start = reply.as_ptr().addr();
    let moves = own_lines(reply).filter_map(|line| match head(line)? {
        ItemHead::Move { mut targets, .. } => {
            targets.retain(|target| target.seat() == Seat::Critic);
            Some((line.as_ptr().addr() - start, targets))
        }
        ItemHead::Claim { .. } => None,
    });
    moves.filter(|(_, targets)| !targets.is_empty()).collect()
}

/// True if a line of the reply begins with an id of this seat.
pub fn is_numbered(reply: &str, seat: Seat) -> bool {
    own_lines(reply).any(|line| begins_with_id(line).is_some_and(|id| id.seat() == seat))
}

/// True if a line of the reply begins with an id of this seat or with a move.
pub fn has_item(reply: &str, seat: Seat) -> bool {
    is_numbered(reply, seat) || !items(reply, Depth::Heads).moves.is_empty()
}

/// A line that begins with a label, such as `**Would change my mind:**`.
fn is_label(line: &str) -> bool {
    line.strip_prefix("**")
        .and_then(|line| line.split_once("**"))
        .is_some_and(|(bold, _)| bold.ends_with(|char| ascii_mark(char) == ':'))
}

/// Adds a claim or a move, with its remaining lines.
fn add(mut head: ItemHead<'_>, by: Option<Id>, more: &str, depth: Depth, items: &mut Items) {
    let room = MAX_ITEMS.saturating_sub(items.count());
    if room == 0 {
        return;
    }
    if let ItemHead::Move { targets, .. } = &mut head {
        targets.truncate(room);
    }
    match head {
        ItemHead::Claim { id, bold, remaining, is_marked } => {
            items.claims.extend(claim(id, bold, &joined(remaining, more), is_marked, depth));
        }
        ItemHead::Move { kind, targets, after, remaining } => {
            let has_words = depth == Depth::Whole || kind == MoveKind::Grant;
            let text = if has_words { joined(remaining, more) } else { Cow::Borrowed("") };
            let found = quoted(&text);
            let reason = match found {
                Some((quote, after)) => {
                    let begins = text.find(quote).unwrap_or_default();
                    match text[..begins].trim_end_matches(|char| is_quote_mark(char) || char == ' ')
                    {
                        "" => Cow::Borrowed(after),
                        before => Cow::Owned(format!("{before} {after}")),
                    }
                }
                None => Cow::Borrowed(&*text),
            };
            let begins_with_quote = text.trim_start().starts_with(is_quote_mark);
            let quote = found.map(|(quote, _)| clean(quote, MAX_TEXT));
            let reason = clean(reason.trim(), MAX_TEXT);
            items.moves.push(ReadMove {
                kind,
                targets,
                after,
                by,
                quote,
                begins_with_quote,
                reason,
            });
        }
    }
}

/// The claim with this bold text and the text after that. `None`: there is only an id, such as in a
/// heading.
fn claim(id: Id, bold: &str, text: &str, is_marked: bool, depth: Depth) -> Option<ReadClaim> {
    let paragraph = text.split('\n').next().unwrap_or_default();
    let (start, before) = without_weight(if bold.is_empty() { text } else { bold });
    let (sentence, text) =
        if bold.is_empty() { start.split_at(first_sentence(start).len()) } else { (start, text) };
    let (plain, at_end) = without_weight_at_end(sentence);
    let (_, after) = without_weight(text);
    // If a mark follows the sentence, a lighter one at its end is a word.
    let sentence = if after.is_some() { sentence } else { plain };
    let sentence = clean(sentence.trim_matches(is_around), MAX_TEXT);
    if sentence.is_empty() {
        return None;
    }
    if depth == Depth::Heads {
        return Some(ReadClaim {
            id,
            sentence,
            ground: Ground::NotGiven,
            citation: None,
            reasons: String::new(),
            is_marked,
            blocks: None,
            quote: None,
        });
    }
    let ground = Ground::parse(text);
    let citation = citation(text);
    let quote = quoted(text).or_else(|| quoted(start));
    let quote = quote.map(|(quote, _)| clean(quote, MAX_TEXT));
    let near = before.max(at_end).max(after);
    let blocks = near.max(weight_in(bold)).max(weight_in(paragraph));
    let reasons = text.split('\n').next().unwrap_or_default();
    let reasons = reasons.trim_start_matches([' ', '.', ':']);
    let reasons = clean(reasons, MAX_TEXT);
    Some(ReadClaim { id, sentence, ground, citation, reasons, is_marked, blocks, quote })
}

/// A line and the lines after it, with a line break before each new paragraph.
fn joined<'a>(line: &'a str, more: &str) -> Cow<'a, str> {
    if more.is_empty() { Cow::Borrowed(line) } else { Cow::Owned(format!("{line}{more}")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(reply: &str) -> Items {
        items(reply, Depth::Whole)
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
    fn a_mark_of_weight_counts_anywhere_in_the_claims_paragraph() {
        for (reply, blocks) in [
            ("**C1. Typo.** It is \"Move\", and [minor].", Some(false)),
            ("**C1. Typo.**\nOne word.\nThat is [Minor].", Some(false)),
            ("**C1. Typo.** [minor] And it never ends [blocks].", Some(true)),
            ("**C1. Typo.** So.\n\nAll else is [minor].", None),
            ("**C1. Typo.** So.\n(C2) Two. [minor]", None),
            ("**C1. Typo.** So.\n- Two. [minor]", None),
            ("**C1. Typo.** \"all is [minor]\" and `[minor]`.", None),
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
        for (reply, is) in [
            ("**A1. One claim.** x", true),
            ("A1.", true),
            ("Intro.\n\n- A2 and no more", true),
            ("### A1", true),
            ("As A1 says, no", false),
            ("**C1. Another side's.** x", false),
            ("```\nA1. In code\n```\n> A2. Quoted", false),
            ("Attacks A1: no", false),
            ("", false),
        ] {
            assert_eq!(is_numbered(reply, Seat::Advocate), is, "{reply}");
        }
        assert!(is_numbered("**S2.1. x**", Seat::Voice(2)) && is_numbered("V2.1", Seat::Voice(2)));
        assert!(!is_numbered("**S2.1. x**", Seat::Voice(1)));
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
