//! The changes that a reply makes to a document: a block `old`, then a block `new`.

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};

use crate::document::with_line_feeds;
use crate::ledger::{Id, answered_at};
use anvil_text::is_bounded;

/// Longest old text of a hunk, in characters: a hunk changes a passage, and rewrites no document.
pub(crate) const MAX_OLD_CHARS: usize = 2_000;

/// Most hunks of one reply that count.
pub(super) const MAX_HUNKS: usize = 100;

/// One change of a reply, as it is written there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hunk {
    /// The exact words of the document.
    pub old: String,
    /// The words in their place; empty removes them. `None`: the block `new` is missing.
    pub new: Option<String>,
    /// The objections that it answers: those of the move above it.
    pub answers: Vec<Id>,
}

/// A block of code that is part of a hunk.
struct HunkBlock {
    is_new: bool,
    text: String,
    /// Its line in the reply, counted from 0.
    line: usize,
}

impl Hunk {
    /// The hunks of a reply, in order, and one more than count if there are too many. Blocks in
    /// quotes do not count: they are not the seat's own.
    pub fn read(reply: &str) -> Vec<Self> {
        let moves = answered_at(reply);
        let mut hunks: Vec<Self> = Vec::new();
        for block in blocks(reply) {
            let is_full = hunks.len() > MAX_HUNKS;
            match hunks.last_mut() {
                Some(last) if block.is_new && last.new.is_none() => last.new = Some(block.text),
                _ if is_full => break,
                _ => {
                    let above = moves.partition_point(|(at, _)| *at < block.line);
                    let answers = above.checked_sub(1).map_or(Vec::new(), |at| moves[at].1.clone());
                    let (old, new) = if block.is_new {
                        (String::new(), Some(block.text))
                    } else {
                        (block.text, None)
                    };
                    hunks.push(Self { old, new, answers });
                }
            }
        }
        hunks
    }
}

/// The blocks of code named `old` and `new`, in order.
fn blocks(reply: &str) -> Vec<HunkBlock> {
    // Most replies have none, and parsing takes longer than a search.
    if !["```", "~~~"].iter().any(|fence| reply.contains(fence)) || !is_bounded(reply) {
        return Vec::new();
    }
    let mut blocks: Vec<HunkBlock> = Vec::new();
    let mut quotes = 0_usize;
    let mut open = false;
    let (mut line, mut done) = (0, 0);
    for (event, range) in Parser::new(reply).into_offset_iter() {
        match event {
            Event::Start(Tag::BlockQuote(_)) => quotes += 1,
            Event::End(TagEnd::BlockQuote(_)) => quotes = quotes.saturating_sub(1),
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) if quotes == 0 => {
                let word = info.split_whitespace().next().unwrap_or_default().to_ascii_lowercase();
                open = matches!(word.as_str(), "old" | "new");
                if open {
                    let is_new = word == "new";
                    let before = &reply.as_bytes()[done..range.start];
                    line += memchr::memchr_iter(b'\n', before).count();
                    done = range.start;
                    blocks.push(HunkBlock { is_new, text: String::new(), line });
                }
            }
            Event::Text(text) if open => {
                if let Some(block) = blocks.last_mut() {
                    block.text.push_str(&text);
                }
            }
            Event::End(TagEnd::CodeBlock) => open = false,
            _ => {}
        }
    }
    for block in &mut blocks {
        block.text = with_line_feeds(&block.text);
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(reply: &str) -> Vec<HunkAsText> {
        let ids = |ids: &[Id]| ids.iter().map(Id::to_string).collect::<Vec<_>>().join(", ");
        let shown = |hunk: Hunk| (hunk.old, hunk.new, ids(&hunk.answers));
        Hunk::read(reply).into_iter().map(shown).collect()
    }

    fn hunk(old: &str, new: Option<&str>, answers: &str) -> Vec<HunkAsText> {
        vec![(old.to_owned(), new.map(str::to_owned), answers.to_owned())]
    }

    type HunkAsText = (String, Option<String>, String);

    #[test]
    fn a_hunk_is_an_old_block_and_a_new_one() {
        for (reply, expected) in [
            (
                "**Grants C1:** because x\n\n```old\na\n```\n```new\nb\n```",
                hunk("a", Some("b"), "C1"),
            ),
            (
                "**Grants C1:** x\n```old\na\nb\n```\n\n~~~new\n```\nc\n```\n~~~",
                hunk("a\nb", Some("```\nc\n```"), "C1"),
            ),
            (
                "**Rebuts C2, C3:** x\n\n- so:\n  ```old\n  a\n  ```\n  ```new\n  ```",
                hunk("a", Some(""), "C2, C3"),
            ),
            ("```old\na\n```\n```new\nb\n```", hunk("a", Some("b"), "")),
            ("**Grants C1:** x\n```old\na\n```", hunk("a", None, "C1")),
            ("```new\na\n```", hunk("", Some("a"), "")),
            ("> ```old\n> a\n> ```\n> ```new\n> b\n> ```", Vec::new()),
            ("```rust\nold\n```\n\n    ```old\n    a\n    ```", Vec::new()),
            // A block in a block is text.
            ("````md\n```old\na\n```\n````", Vec::new()),
            ("plain", Vec::new()),
        ] {
            assert_eq!(read(reply), expected, "{reply}");
        }
    }

    #[test]
    fn each_hunk_answers_the_move_above_it() {
        let reply = "**Grants C1:** because x\n```old\na\n```\n```new\nb\n```\n```old\nc\n```\n\
            ```new\nd\n```\n\n**Grants C2:** because y\n```old\ne\n```\n```new\nf\n```";
        let answers: Vec<_> = read(reply).into_iter().map(|(_, _, answers)| answers).collect();
        assert_eq!(answers, ["C1", "C1", "C2"]);
    }
}
