//! The thinking that some models print before their reply.

use anvil_text::Fences;

/// The tags around a model's thinking.
const TAGS: [(&str, &str); 2] = [("<think>", "</think>"), ("<thinking>", "</thinking>")];

/// The lines around the thinking that `ollama run` prints.
const OPENS: [&str; 2] = ["Thinking...", "Thinking…"];
const CLOSES: [&str; 2] = ["...done thinking.", "…done thinking."];

/// The text without its thinking, which is a block at its beginning. If the block is not closed,
/// nothing is left. A server may swallow the first tag: then the last tag alone on a line ends it.
pub(super) fn without_thinking(text: &str) -> &str {
    let mut rest = text;
    let mut had_block = false;
    loop {
        let start = rest.trim_start();
        if let Some((open, close)) = TAGS.iter().find(|(open, _)| start.starts_with(open)) {
            let inside = &start[open.len()..];
            rest = inside.split_once(close).map_or("", |(_, after)| after);
        } else if let Some(after) = after_done(start) {
            rest = after;
        } else {
            break;
        }
        had_block = true;
    }
    if had_block {
        return rest.trim_start();
    }
    after_last_tag(text).unwrap_or(text)
}

/// The text after `…done thinking.`, if it begins with `Thinking…`.
fn after_done(text: &str) -> Option<&str> {
    let (first, mut rest) = text.split_once('\n')?;
    if !OPENS.contains(&first.trim_end()) {
        return None;
    }
    while let Some((line, after)) = rest.split_once('\n') {
        if CLOSES.contains(&line.trim()) {
            return Some(after);
        }
        rest = after;
    }
    CLOSES.contains(&rest.trim()).then_some("")
}

/// The text after the last closing tag that is alone on a line outside of code.
fn after_last_tag(text: &str) -> Option<&str> {
    let mut fences = Fences::default();
    let mut end = 0;
    let mut found = None;
    for line in text.split_inclusive('\n') {
        end += line.len();
        let line = line.trim_end();
        // Four blanks make a block of code.
        let is_tag = TAGS.iter().any(|(_, close)| line.trim_start() == *close)
            && !line.starts_with("    ")
            && !line.starts_with('\t');
        if !fences.is_code(line) && is_tag {
            found = Some(end);
        }
    }
    let after = text[found?..].trim_start();
    (!after.is_empty()).then_some(after)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinking_is_not_the_reply() {
        for (text, reply) in [
            ("<think>A1: latency first?</think>**A1. So.**", "**A1. So.**"),
            ("\n <think>\nA1?\n</think>\n\n**A1. So.**\n", "**A1. So.**\n"),
            ("<thinking>A1?</thinking>\nSo.", "So."),
            ("<think></think>\n<think>again</think>\nSo.", "So."),
            ("<think>cut off", ""),
            ("<think>all of it</think>\n", ""),
            ("I think so.\n</think>\n\nSo.", "So."),
            ("One.\n</think>\nTwo.\n</thinking>\nSo.", "So."),
            ("Thinking...\nA1: latency first?\n...done thinking.\n\nSo.", "So."),
            ("Thinking…\r\nA1?\r\n…done thinking.\r\nSo.", "So."),
            ("Thinking...\nA1?\n...done thinking.", ""),
        ] {
            assert_eq!(without_thinking(text), reply, "{text:?}");
        }
    }

    #[test]
    fn a_tag_that_a_reply_speaks_of_stays() {
        for text in [
            "**A1. The tag <think> costs tokens.**",
            "It ends with </think> and goes on.",
            "```\n</think>\n```\nSo.",
            "- a list\n  ```\n  </think>\n  ```\nSo.",
            "    </think>\nSo.",
            "It ends with\n</think>\n",
            "Thinking... costs time.\nSo.",
            "Thinking...\nNobody says when it is done.",
            "`<think>` is a tag.",
            "",
            " \n",
        ] {
            assert_eq!(without_thinking(text), text, "{text:?}");
        }
    }
}
