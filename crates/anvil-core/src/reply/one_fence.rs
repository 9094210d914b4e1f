//! A reply that some models put into one block of code as a whole.

use anvil_text::is_unseen;

/// The inside of a text that is one block of code, named `markdown`, `md` or nothing. `None`: it is
/// something else. A block inside of it may have a fence of the same length.
pub(super) fn inside(text: &str) -> Option<&str> {
    let text = text.trim_matches(|char: char| char.is_whitespace() || is_unseen(char));
    let (first, rest) = text.split_once('\n')?;
    let fence = Fence::read(first)?;
    let is_markdown =
        ["", "markdown", "md"].iter().any(|name| name.eq_ignore_ascii_case(fence.name));
    if !is_markdown {
        return None;
    }
    let (inside, last) = rest.rsplit_once('\n')?;
    let closes = |line: &str, open: &Fence<'_>| {
        Fence::read(line).is_some_and(|fence| {
            fence.name.is_empty() && fence.mark == open.mark && fence.length >= open.length
        })
    };
    if !closes(last, &fence) {
        return None;
    }
    let mut open: Option<Fence<'_>> = None;
    for line in inside.split('\n') {
        match &open {
            Some(inner) if closes(line, inner) => open = None,
            Some(_) => {}
            None if closes(line, &fence) => return None,
            None => open = Fence::read(line),
        }
    }
    // The last line closes the block inside.
    open.is_none().then_some(inside)
}

/// A line of marks that opens or closes a block of code.
struct Fence<'a> {
    mark: char,
    length: usize,
    name: &'a str,
}

impl<'a> Fence<'a> {
    fn read(line: &'a str) -> Option<Self> {
        let marks = line.trim_start_matches(' ');
        let mark = marks.chars().next().filter(|char| matches!(char, '`' | '~'))?;
        let after = marks.trim_start_matches(mark);
        let length = marks.len() - after.len();
        let name = after.trim();
        let is_fence =
            length >= 3 && line.len() - marks.len() < 4 && !(mark == '`' && name.contains(mark));
        is_fence.then_some(Self { mark, length, name })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_in_one_fence_is_its_inside() {
        for (text, expected) in [
            ("```markdown\nA1. One.\n```", Some("A1. One.")),
            ("```md\nA1. One.\n\nA2. Two.\n```", Some("A1. One.\n\nA2. Two.")),
            ("```\nA1. One.\n```\n", Some("A1. One.")),
            ("\u{feff}```\nA1. One.\n```\u{200b}", Some("A1. One.")),
            ("~~~ Markdown\nA1. One.\n~~~~", Some("A1. One.")),
            ("```md\nA.\n```anvil\nverdict: do\n```\n```", Some("A.\n```anvil\nverdict: do\n```")),
            ("````md\nA.\n```\ncode\n```\n````", Some("A.\n```\ncode\n```")),
            ("```rust\nA1. One.\n```", None),
            ("```anvil\nverdict: do\n```", None),
            ("```\nA1. One.\n```\n\n```\nA2. Two.\n```", None),
            ("```md\nA.\n```anvil\nverdict: do\n```", None),
            ("```md\nA1. One.", None),
            ("A1.\n```\ncode\n```", None),
            ("· A1.\n· A2.", None),
            ("```\ncode\n```\nA1.", None),
            ("``` a`b\nA1.\n```", None),
            ("", None),
        ] {
            assert_eq!(inside(text), expected, "{text}");
        }
    }
}
