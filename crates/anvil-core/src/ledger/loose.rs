//! Claims in forms that the ledger does not read. Their result is unknown, so they close gates.

use super::Id;
use super::head::{ItemHead, begins_with_id, head, without_bullet};
use super::words::{own_lines, weight_in};
use crate::debate::Seat;
use anvil_text::clean;

/// In characters.
const MAX_SHOWN: usize = 60;

/// The seat's ids that begin a line, whatever stands before them: `(C2)`, `| C2 |`, `<b>C2.</b>`.
pub fn ids_at_beginnings(reply: &str, seat: Seat) -> impl Iterator<Item = Id> {
    own_lines(reply).filter_map(loose_id).filter(move |id| id.seat() == seat)
}

/// The first line with a `[blocks]` in a paragraph that begins with no claim of the seat.
pub fn stray_blocks(reply: &str, seat: Seat) -> Option<String> {
    let mut is_claim = false;
    let mut is_heading = false;
    own_lines(reply).find_map(|line| {
        // Everything below a heading belongs to it.
        if begins_block(line) && !(is_heading && line.trim().is_empty()) {
            let id = match head(line) {
                Some(ItemHead::Claim { id, .. }) => Some(id),
                Some(ItemHead::Move { targets, .. }) => targets.first().copied(),
                None => begins_with_id(line),
            };
            is_claim = id.is_some_and(|id| id.seat() == seat);
            is_heading = is_claim && line.trim_start().starts_with('#');
        }
        (!is_claim && weight_in(line) == Some(true)).then(|| clean(line.trim(), MAX_SHOWN))
    })
}

/// True for a line that continues no paragraph: a blank one, one that begins a block of Markdown,
/// or one that begins with an id.
pub(super) fn begins_block(line: &str) -> bool {
    let line = line.trim();
    line.is_empty() || ends_paragraph(line) || head(line).is_some() || loose_id(line).is_some()
}

/// True for a line that starts a new block: blank, a rule, an item, a heading, a row, a label or a
/// claim.
fn ends_paragraph(line: &str) -> bool {
    let is_rule = line.chars().all(|char| matches!(char, '-' | '=' | '*' | '_' | ' '));
    let is_block = line.starts_with(['#', '|']) || without_bullet(line).len() < line.len();
    is_rule
        || is_block
        || line.starts_with("**") && begins_with_id(line).is_some()
        || is_label(line)
}

/// True for a line that begins with any label in bold: `**Dissent:** …`.
fn is_label(line: &str) -> bool {
    let bold = line.strip_prefix("**").and_then(|line| line.split_once("**"));
    bold.is_some_and(|(bold, after)| bold.ends_with(':') || after.starts_with(':'))
}

/// The id at the start of a line, after marks, tags and cells.
fn loose_id(line: &str) -> Option<Id> {
    let mut text = line;
    loop {
        text = text.trim_start_matches(|char: char| !char.is_alphanumeric() && char != '<');
        match text.strip_prefix('<') {
            Some(tag) => text = tag.split_once('>').map_or("", |(_, after)| after),
            None => return Id::read(text).map(|(id, _)| id),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Forms in which models write a claim and the ledger reads none.
    const FORMS: [&str; 9] = [
        "| C2 | Two is wrong. [blocks] |",
        "(C2) Two is wrong. [blocks]",
        "❌ C2. Two is wrong. [blocks]",
        "<b>C2.</b> Two is wrong. [blocks]",
        "[C2] Two is wrong. [blocks]",
        "“C2” Two is wrong. [Blocks]",
        "<p><strong>C2</strong> Two is wrong. [blocks]",
        "2. Two is wrong. [blocks]",
        "Two is wrong. [blocks]",
    ];

    #[test]
    fn a_mark_that_belongs_to_no_claim_is_found_in_every_form() {
        for form in FORMS {
            for reply in
                [format!("**C1. Typo.** [minor]\n\n{form}"), format!("> a\n\n{form}"), form.into()]
            {
                assert!(stray_blocks(&reply, Seat::Critic).is_some(), "{reply}");
            }
        }
        for form in &FORMS[..8] {
            let reply = format!("**C1. Typo.** [minor]\n{form}");
            assert!(stray_blocks(&reply, Seat::Critic).is_some(), "{reply}");
        }
        for reply in [
            "**C1. Two is wrong.** [blocks]",
            "**C1. Two is wrong.**\nIt is so. [blocks]",
            "C1 two is wrong. [blocks]",
            "- C1: two is wrong [blocks]",
            "**Repairs C1:** two is wrong. [blocks]",
            "### C1\n\nTwo is wrong. [blocks]",
            "> [blocks]",
            "```\n[blocks]\n```",
            "It says \"[blocks]\" and `[blocks]`.",
        ] {
            assert_eq!(stray_blocks(reply, Seat::Critic), None, "{reply}");
        }
    }

    #[test]
    fn an_id_begins_a_line_after_any_marks() {
        for form in &FORMS[..7] {
            let ids: Vec<Id> = ids_at_beginnings(form, Seat::Critic).collect();
            assert_eq!(ids, ["C2".parse().unwrap()], "{form}");
        }
        for line in ["As C2 says", "> C2. Quoted", "A2. Another side's", "2. Two", "<C2", "<a"] {
            assert_eq!(ids_at_beginnings(line, Seat::Critic).count(), 0, "{line}");
        }
    }
}
