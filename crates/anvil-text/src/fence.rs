//! Blocks of code in Markdown, line by line.

/// Follows the fences of code blocks through a text, as `CommonMark` reads them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fences {
    /// The kind of the open fence, and its length.
    open: Option<(char, usize)>,
    /// The column at which the text of the current list item begins.
    item: usize,
}

impl Fences {
    /// True if the next line is in a block of code, or opens or closes one.
    pub fn is_code(&mut self, line: &str) -> bool {
        if line.is_empty() {
            return self.open.is_some();
        }
        if self.open.is_none() && line.starts_with(|char: char| char.is_ascii_alphabetic()) {
            self.item = 0;
            return false;
        }
        let mut plain = line.trim_start_matches(' ');
        let indent = line.len() - plain.len();
        if self.open.is_none() && !plain.is_empty() {
            if indent < self.item {
                self.item = 0;
            }
            if let Some(text) = item_text(plain).filter(|_| indent < self.item + 4) {
                (self.item, plain) = (line.len() - text.len(), text);
            }
        }
        let mark = plain.chars().next().unwrap_or(' ');
        let after = plain.trim_start_matches(mark);
        let length = plain.len() - after.len();
        let indent = (line.len() - plain.len()).saturating_sub(self.item);
        let is_fence = matches!(mark, '`' | '~') && length >= 3 && indent < 4;
        match self.open {
            // Backticks after backticks: code in a line.
            None if is_fence && !(mark == '`' && after.contains('`')) => {
                self.open = Some((mark, length));
                true
            }
            None => false,
            Some((kind, least)) => {
                if is_fence && mark == kind && length >= least && after.trim().is_empty() {
                    self.open = None;
                }
                true
            }
        }
    }
}

/// The text after the mark of a list item.
fn item_text(line: &str) -> Option<&str> {
    let digits = line.trim_start_matches(|char: char| char.is_ascii_digit());
    let after = match line.len() - digits.len() {
        0 => line.strip_prefix(['-', '*', '+']),
        1..=9 => digits.strip_prefix(['.', ')']),
        _ => None,
    };
    after?.strip_prefix(' ').map(|text| text.trim_start_matches(' '))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag};

    use super::*;

    fn code(text: &str) -> Vec<bool> {
        let mut fences = Fences::default();
        text.lines().map(|line| fences.is_code(line)).collect()
    }

    proptest! {
        #[test]
        fn fences_are_those_of_commonmark(
            lines in prop::collection::vec(
                "(|   |    )(```|````|~~~|~~~~)(| |rust| a`b|b``` c)|text|",
                0..10,
            ),
        ) {
            let text = lines.join("\n");
            let mut expected = vec![false; text.lines().count()];
            for (event, range) in Parser::new(&text).into_offset_iter() {
                if let Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_))) = event {
                    let first = text[..range.start].matches('\n').count();
                    let count = text[range.start..range.end].lines().count();
                    expected[first..first + count].fill(true);
                }
            }
            for ((line, found), expected) in text.lines().zip(code(&text)).zip(expected) {
                prop_assert!(line.trim().is_empty() || found == expected, "{line:?} of {text:?}");
            }
        }
    }

    #[test]
    fn a_fence_in_a_list_is_indented_with_its_item() {
        for (text, expected) in [
            ("1. a\n\n    ```\n    b\n    ```\nc", [false, false, true, true, true, false]),
            ("- ```\n  a\n  ```\n- b\n\nc", [true, true, true, false, false, false]),
            ("- a\n  - b\n    ~~~\n    c\n    ~~~\nd", [false, false, true, true, true, false]),
            ("a\n\n    ```\n    b\n    ```\nc", [false; 6]),
        ] {
            assert_eq!(code(text), expected, "{text}");
        }
    }
}
