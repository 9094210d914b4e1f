//! Finds the parts of decoded text that GitHub, Gitea and Forgejo may take for a mention or a
//! reference.

use std::ops::Range;

/// Fewest and most digits of a commit's id.
pub(super) const COMMIT: std::ops::RangeInclusive<usize> = 7..=64;

/// The parts that a forge may take for a mention or a reference, in order and without overlaps.
pub(super) fn tokens(text: &str, makes_links: bool) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let bytes = text.as_bytes();
    let mut at = 0;
    // The start of an address that has not ended. The address includes all text up to a space, also
    // code marks.
    let mut link = None;
    while at < bytes.len() {
        let is_in_word = at > 0 && bytes[at - 1].is_ascii_alphanumeric();
        if bytes[at].is_ascii_whitespace() || bytes[at] == b'<' {
            link = None;
        } else if link.is_none() && is_address(bytes, at) {
            link = Some(at);
        }
        let token = match bytes[at] {
            0 if link.is_some() => Some((at..at + 1, true)),
            b'h' | b'H' if link == Some(at) => address(text, at, makes_links),
            b'@' if !is_in_word => mention(bytes, at),
            b'#' | b'!' => number_sign(bytes, at),
            b'g' | b'G' if !is_in_word => github_number(bytes, at),
            _ => None,
        }
        .or_else(|| if is_in_word { None } else { Some((commit(bytes, at)?, true)) });
        let Some((range, is_live)) = token else {
            at += 1;
            continue;
        };
        at = range.end.max(at + 1);
        if is_live {
            let mut start = link.map_or(range.start, |link| range.start.min(link));
            let mut end = range.end;
            while let Some(known) = found.pop_if(|known| known.end >= start) {
                (start, end) = (start.min(known.start), end.max(known.end));
            }
            found.push(start..end);
        }
    }
    found
}

/// A cheap check. False: [`tokens`] finds nothing in the text, and it has no backtick.
pub(super) fn may_hold(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut digits = 0;
    bytes.iter().enumerate().any(|(at, byte)| {
        digits = if byte.is_ascii_hexdigit() { digits + 1 } else { 0 };
        match byte {
            b'`' | b'@' => true,
            b'#' | b'!' | b'-' => bytes.get(at + 1).is_some_and(u8::is_ascii_digit),
            // Part of `http://`, and `www.`.
            b'/' => bytes.get(at + 1) == Some(&b'/'),
            b'.' => at >= 3 && bytes[at - 3..at].eq_ignore_ascii_case(b"www"),
            _ => digits >= *COMMIT.start(),
        }
    })
}

/// True at the start of an address that readers turn into a link without a mark.
fn is_address(bytes: &[u8], at: usize) -> bool {
    ["http://", "https://", "ftp://", "www."].into_iter().any(|scheme| begins(bytes, at, scheme))
}

fn begins(bytes: &[u8], at: usize, scheme: &str) -> bool {
    bytes
        .get(at..at + scheme.len())
        .is_some_and(|begin| begin.eq_ignore_ascii_case(scheme.as_bytes()))
}

/// The start of an address that goes on to the end of the text.
pub(super) fn open_address(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let last_word = bytes
        .iter()
        .rposition(|byte| byte.is_ascii_whitespace() || *byte == b'<')
        .map_or(0, |end| end + 1);
    (last_word..bytes.len()).find(|at| is_address(bytes, *at))
}

/// The end of the run of bytes that match.
fn run(bytes: &[u8], from: usize, is: impl Fn(u8) -> bool) -> usize {
    from + bytes[from.min(bytes.len())..].iter().take_while(|byte| is(**byte)).count()
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.')
}

fn is_account(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
}

/// `@name`, `@org/team`.
fn mention(bytes: &[u8], at: usize) -> Option<(Range<usize>, bool)> {
    let mut end = run(bytes, at + 1, is_account);
    if end == at + 1 {
        return None;
    }
    while bytes.get(end) == Some(&b'/') {
        let next = run(bytes, end + 1, is_account);
        if next == end + 1 {
            break;
        }
        end = next;
    }
    Some((at..end, true))
}

/// `#12`, `owner/name#12`, `!12`.
fn number_sign(bytes: &[u8], at: usize) -> Option<(Range<usize>, bool)> {
    if !bytes.get(at + 1)?.is_ascii_digit() {
        return None;
    }
    let before =
        bytes[..at].iter().rev().take_while(|byte| is_name(**byte) || **byte == b'/').count();
    let begin = at - before;
    // An exclamation mark before a number counts, but not after a word.
    let is_live = bytes[at] == b'#' || before == 0 || bytes[begin..at].contains(&b'/');
    is_live.then(|| (begin..run(bytes, at + 1, |byte| byte.is_ascii_alphanumeric()), true))
}

/// `GH-12`.
fn github_number(bytes: &[u8], at: usize) -> Option<(Range<usize>, bool)> {
    let is_prefix = bytes.get(at..at + 3)?.eq_ignore_ascii_case(b"GH-");
    (is_prefix && bytes.get(at + 3)?.is_ascii_digit())
        .then(|| (at..run(bytes, at + 3, |byte| byte.is_ascii_alphanumeric()), true))
}

/// The id of a commit, or the start of one.
fn commit(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    let end = run(bytes, at, |byte| byte.is_ascii_hexdigit());
    // A link ends a word.
    let is_word_over =
        is_address(bytes, end) || bytes.get(end).is_none_or(|byte| !byte.is_ascii_alphanumeric());
    (COMMIT.contains(&(end - at)) && is_word_over).then_some(at..end)
}

/// A web address. It is a link, and a forge ignores everything else in it. The address of an issue,
/// a pull request or a commit is live, because the forge links back from there.
fn address(text: &str, at: usize, makes_links: bool) -> Option<(Range<usize>, bool)> {
    let bytes = text.as_bytes();
    let scheme = ["https://", "http://"].into_iter().find(|scheme| begins(bytes, at, scheme))?;
    // GitHub's rules for a link without a mark.
    let is_linked =
        at == 0 || matches!(bytes[at - 1], b' ' | b'\n' | b'\t' | b'*' | b'_' | b'~' | b'(');
    let host = at + scheme.len();
    let host_end =
        run(bytes, host, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.'));
    let mut end = run(bytes, host_end, |byte| {
        byte.is_ascii_alphanumeric() || b"-._~/?#@!$&'*+,;=%:".contains(&byte)
    });
    while end > host_end && b"?!.,:*_~'".contains(&bytes[end - 1]) {
        end -= 1;
    }
    let is_of_forge = is_reference(&text[host_end..end]);
    let has_domain =
        text[host..host_end].trim_end_matches('.').contains('.') && bytes[host] != b'.';
    // An address that may be no link is searched like other text.
    (is_of_forge || (makes_links && is_linked && has_domain)).then_some((at..end, is_of_forge))
}

/// True for the path of an issue, a pull request or a commit.
fn is_reference(path: &str) -> bool {
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    // OWNER/NAME/KIND/NUMBER, maybe below a folder.
    parts.windows(2).skip(2).any(|pair| {
        matches!(
            pair[0],
            "issues"
                | "issue"
                | "pull"
                | "pulls"
                | "commit"
                | "commits"
                | "discussions"
                | "compare"
        )
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_cheap_check_misses_nothing(
            text in "(@|#|!|[gG][hH]-|[0-9a-f]{1,7}|h|[a-z]| \
                |/|:|https?:|www|\\.|\u{0}|ftp:/|issues/|_){0,24}",
            makes_links: bool,
        ) {
            prop_assert!(may_hold(&text) || tokens(&text, makes_links).is_empty(), "{:?}", text);
        }
    }
}
