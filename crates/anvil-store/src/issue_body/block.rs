//! Finds a block in a body, puts it in and takes it out.
//!
//! A block counts only if a forge reads it as an HTML comment: on the top level of the Markdown, at
//! the beginning of a line. In code, in a quote or in a list it is text. When it is removed, the
//! two line ends before it go too.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memmem;
use pulldown_cmark::{Event, Options, Parser, Tag};

use super::{BodyError, MAX_BODY_BYTES};

/// The first line of a block.
pub(super) const BEGINS: &str = "<!-- anvil-state";
/// The last line of a block.
pub(super) const ENDS: &str = "-->";

/// Elements in which everything up to the closing tag is text, even a comment.
const TEXT_ELEMENTS: [&str; 4] = ["script", "pre", "style", "textarea"];

/// A block in a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FoundBlock {
    /// From its `<` to after its end.
    pub range: Range<usize>,
    is_closed: bool,
}

impl FoundBlock {
    /// The content of the block. `None`: the block has no end.
    pub(crate) fn inner<'a>(&self, body: &'a str) -> Option<&'a str> {
        self.is_closed
            .then(|| body[self.range.start + BEGINS.len()..self.range.end - ENDS.len()].trim())
    }
}

/// True if a body has a block of any kind. A body that is too large to be read has none.
pub fn contains(body: &str) -> bool {
    find(body).is_ok_and(|found| !found.is_empty())
}

/// The body as a reader sees it: without any block.
pub fn strip(body: &str) -> String {
    let mut out = String::with_capacity(body.len());
    let mut done = 0;
    for found in find(body).unwrap_or_default() {
        let range = with_gap(body, &found.range, done);
        out.push_str(&body[done..range.start]);
        done = range.end;
    }
    out.push_str(&body[done..]);
    out
}

/// Every block of a body, in order.
pub(super) fn find(body: &str) -> Result<Vec<FoundBlock>, BodyError> {
    if body.len() > MAX_BODY_BYTES {
        return Err(BodyError::Huge);
    }
    // Most bodies have no block, and their Markdown need not be parsed.
    if memmem::find(body.as_bytes(), BEGINS.as_bytes()).is_none() {
        return Ok(Vec::new());
    }
    let body = &*line_feeds(body);
    let mut found: Vec<FoundBlock> = Vec::new();
    let mut depth = 0_usize;
    let begin = first_line(body);
    for (event, range) in Parser::new_ext(&body[begin..], Options::empty()).into_offset_iter() {
        match event {
            Event::Start(tag) => {
                if depth == 0 && tag == Tag::HtmlBlock {
                    look_into(body, begin + range.start..begin + range.end, &mut found);
                }
                depth += 1;
            }
            Event::End(_) => depth -= 1,
            _ => {}
        }
    }
    Ok(found)
}

/// The offset of the first line: after the byte order mark, if any.
fn first_line(body: &str) -> usize {
    if body.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 }
}

/// The body with a line feed for each carriage return that stands alone. `CommonMark` ends a line
/// there; `pulldown-cmark` 0.13 does not do so everywhere. All offsets stay.
fn line_feeds(body: &str) -> Cow<'_, str> {
    let bytes = body.as_bytes();
    if body.match_indices('\r').all(|(at, _)| bytes.get(at + 1) == Some(&b'\n')) {
        return Cow::Borrowed(body);
    }
    let mut chars = body.chars().peekable();
    let mut out = String::with_capacity(body.len());
    while let Some(char) = chars.next() {
        out.push(if char == '\r' && chars.peek() != Some(&'\n') { '\n' } else { char });
    }
    Cow::Owned(out)
}

/// The line of the body in which a block has this key, counted from 1.
pub(super) fn line_of_key(body: &str, block: &Range<usize>, key: &str) -> Option<usize> {
    let quoted = format!("\"{key}\"");
    let at = memmem::find_iter(body[block.clone()].as_bytes(), quoted.as_bytes())
        .map(|at| block.start + at)
        .find(|at| body[at + quoted.len()..].trim_start().starts_with(':'))?;
    Some(body[..at].matches('\n').count() + 1)
}

/// Looks for blocks in HTML: the HTML itself, or blocks between the tags of an element.
fn look_into(body: &str, html: Range<usize>, found: &mut Vec<FoundBlock>) {
    let mut at = html.start;
    for line in body[html.clone()].split_inclusive('\n') {
        let start = at + (line.len() - line.trim_start_matches(' ').len());
        let is_inside = found.last().is_some_and(|last| start < last.range.end);
        let text = &body[start..html.end];
        if !is_inside && begins(text) {
            let end = text.find(ENDS).map(|end| start + end + ENDS.len());
            found.push(FoundBlock {
                range: start..end.unwrap_or(html.end),
                is_closed: end.is_some(),
            });
        } else if at == html.start && !is_element(text) {
            return;
        }
        at += line.len();
    }
}

/// True for the first line of a block. `<!-- anvil-statement` belongs to another tool.
fn begins(text: &str) -> bool {
    text.strip_prefix(BEGINS)
        .is_some_and(|after| after.is_empty() || after.starts_with(char::is_whitespace))
}

/// True for HTML that begins with a tag, except the tags in `TEXT_ELEMENTS`.
fn is_element(html: &str) -> bool {
    let name = html.strip_prefix('<').unwrap_or_default().trim_start_matches('/');
    let name: String = name.chars().take_while(char::is_ascii_alphanumeric).collect();
    let name = name.to_ascii_lowercase();
    !name.is_empty() && !TEXT_ELEMENTS.contains(&name.as_str())
}

/// Replaces an old block, or puts the block at the end. If the text would swallow it there (code or
/// HTML that is not closed), it goes to the beginning.
pub(super) fn put(body: &str, old: Option<Range<usize>>, block: &str) -> String {
    if let Some(old) = old {
        return format!("{}{block}{}", &body[..old.start], &body[old.end..]);
    }
    let gap = if body.is_empty() { "" } else { "\n\n" };
    let with_empty_block = format!("{body}{gap}{BEGINS}\n{ENDS}");
    let start = body.len() + gap.len();
    if find(&with_empty_block)
        .is_ok_and(|found| found.iter().any(|found| found.range.start == start))
    {
        return format!("{body}{gap}{block}");
    }
    let (mark, lines) = body.split_at(first_line(body));
    format!("{mark}{block}\n{lines}")
}

/// A block with its line ends: the two before it; the one after it if the block is the beginning of
/// the body.
fn with_gap(body: &str, block: &Range<usize>, done: usize) -> Range<usize> {
    if block.start == first_line(body) {
        let after = &body[block.end..];
        let gap = if after.starts_with("\r\n") { 2 } else { usize::from(after.starts_with('\n')) };
        return block.start..block.end + gap;
    }
    let before = &body[done..block.start];
    // The two line ends are of one kind: a body may end in a line end of the other kind.
    let end = if before.ends_with("\r\n") { "\r\n" } else { "\n" };
    let left = before
        .strip_suffix(end)
        .map_or(before, |before| before.strip_suffix(end).unwrap_or(before));
    done + left.len()..block.end
}
