//! The bound on Markdown that is parsed. It is counted before the parse, and is no clock: the same
//! text is parsed everywhere or nowhere.

/// Most marks and lines of a text. A long reply has a thousand; a parse of this many takes 40 ms and
/// 30 MB.
const MAX_MARKS: usize = 200_000;

/// Most quotes and lists that one line opens.
const MAX_DEPTH: usize = 100;

/// True for Markdown whose parse is short: it has a bounded number of marks and of nested blocks.
/// Other text is shown as it is written, and nothing is read in it.
pub fn is_bounded(markdown: &str) -> bool {
    let bytes = markdown.as_bytes();
    // A byte is at most two marks, and a line two more: a usual reply need not be counted.
    if bytes.len() < MAX_MARKS / 2 {
        let mut begin = 0;
        return memchr::memchr_iter(b'\n', bytes).chain([bytes.len()]).all(|end| {
            let line = &bytes[begin..end];
            begin = end + 1;
            openers(line).0 <= MAX_DEPTH
        });
    }
    let mut marks = 0_usize;
    for line in bytes.split(|byte| *byte == b'\n') {
        let (depth, is_block) = openers(line);
        let inline = line.iter().filter(|byte| {
            matches!(byte, b'*' | b'_' | b'`' | b'~' | b'[' | b']' | b'<' | b'&' | b'\\' | b'|')
        });
        marks += inline.count() + depth + usize::from(is_block) + 1;
        if marks > MAX_MARKS || depth > MAX_DEPTH {
            return false;
        }
    }
    true
}

/// The number of quotes and list items that a line opens, and whether it begins with another mark.
fn openers(line: &[u8]) -> (usize, bool) {
    let mut rest = line;
    let mut depth = 0;
    loop {
        rest = rest.trim_ascii_start();
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let mark = match rest.get(digits) {
            Some(b'>') if digits == 0 => 1,
            Some(b'-' | b'+' | b'*') if digits == 0 => 2,
            Some(b'.' | b')') if (1..=9).contains(&digits) => digits + 2,
            _ => 0,
        };
        match rest.split_at_checked(mark) {
            Some((opens, after)) if mark == 1 || mark > 1 && opens.ends_with(b" ") => rest = after,
            _ => return (depth, rest.first().is_some_and(|byte| b"#=-".contains(byte))),
        }
        depth += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_marks_lines_and_depth_count() {
        assert!(is_bounded(&"A long text, and some *words* in it.\n".repeat(40_000)));
        assert!(is_bounded(&"- a\n".repeat(90_000)));
        for hostile in ["`", "*_", "[a](b", "<a ", "&a", "\\", "|a", "~~a ", "# a\n", "> a\n", "\n"]
        {
            assert!(!is_bounded(&hostile.repeat(4_000_000 / hostile.len())), "{hostile}");
        }
        for deep in ["> ", "- ", "1. ", "> - ", "2) > "] {
            assert!(is_bounded(&format!("{}a", deep.repeat(40))), "{deep}");
            assert!(!is_bounded(&format!("a\n{}a", deep.repeat(101))), "{deep}");
        }
    }
}
