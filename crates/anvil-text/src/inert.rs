//! Markdown in which a forge notifies no user, links to nothing, loads nothing and runs nothing.
//!
//! In an issue, GitHub, Gitea and Forgejo turn `@name` into a mention, and `#12`, `!12`, `GH-12`,
//! `owner/name#12`, the address of an issue and the id of a commit into a reference. They do not do
//! that in code. So each of these becomes a code span, and every word stays.
//!
//! A picture becomes a link: a backslash goes before its `!`. A link with a scheme other than http,
//! https and mailto becomes text: a backslash goes before its bracket.
//!
//! Entities would not work, because forges search for names after decoding them. A zero-width
//! joiner would be one more invisible character.

use std::collections::HashSet;
use std::ops::Range;

use pulldown_cmark::{CowStr, Event, LinkType, Options, Parser, Tag, TagEnd};

use super::references::{may_hold, open_address, tokens};
use super::{is_bounded, visible};

/// Most passes over a text. Code in one place can turn code in another place into text.
const MAX_PASSES: usize = 16;

/// Longest run of backticks that every reader accepts as a code mark.
const MAX_MARK: usize = 80;

/// The Markdown dialects of the forges.
fn readers() -> [Options; 3] {
    let tables = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    [Options::empty(), tables, tables | Options::ENABLE_FOOTNOTES | Options::ENABLE_GFM]
}

/// The Markdown without live parts, and without entities that hide invisible characters. Raw HTML
/// becomes text first, because readers differ in what they take for HTML.
pub fn inert(markdown: &str) -> String {
    let mut text = markdown.to_owned();
    let passes = if is_bounded(markdown) { MAX_PASSES } else { 0 };
    for _ in 0..passes {
        let Some(edits) = readers()
            .into_iter()
            .map(|reader| edits(&text, reader))
            .find(|edits| !edits.is_empty())
        else {
            return text;
        };
        text = apply_edits(&text, &edits);
    }
    // Nothing in a block of code is live.
    let fence = "`".repeat(longest_run(&text).max(2) + 1);
    format!("{fence}\n{}\n{fence}\n", text.trim_end_matches('\n'))
}

type Edit = (Range<usize>, String);

fn apply_edits(text: &str, edits: &[Edit]) -> String {
    let mut out = String::with_capacity(text.len() + edits.len() * 4);
    let mut done = 0;
    for (range, new) in edits {
        if range.start >= done {
            out.push_str(&text[done..range.start]);
            out.push_str(new);
            done = range.end;
        }
    }
    out.push_str(&text[done..]);
    out
}

/// True for a link to something other than a page or a mailbox.
fn is_strange(url: &str) -> bool {
    scheme(url).is_some_and(|scheme| {
        !["http", "https", "mailto"].iter().any(|known| scheme.eq_ignore_ascii_case(known))
    })
}

/// The scheme of an address as a browser reads it: without invisible characters. `None`: the
/// address is relative.
fn scheme(url: &str) -> Option<String> {
    let seen: String =
        visible(url).0.chars().filter(|char| !char.is_whitespace() && !char.is_control()).collect();
    let (scheme, _) = seen.split_once(':')?;
    (!scheme.contains(['/', '?', '#'])).then(|| scheme.to_owned())
}

/// Text that a reader takes as one piece, and its position.
struct ReadPiece<'a> {
    read: CowStr<'a>,
    at: Range<usize>,
    is_code: bool,
}

/// A character as it is read, and its position.
struct ReadChar {
    char: char,
    at: Range<usize>,
    is_code: bool,
}

impl ReadChar {
    /// True if a code mark next to it would merge with it.
    fn clings(&self) -> bool {
        self.is_code || self.char == '`'
    }
}

/// The changes that the text needs for one reader.
fn edits(text: &str, reader: Options) -> Vec<Edit> {
    let mut finder = Finder {
        text,
        runs: None,
        makes_links: !text.contains('['),
        line: Vec::new(),
        edits: Vec::new(),
    };
    // A forge ignores code and the text of links.
    let mut in_code = 0_usize;
    let mut in_link = 0_usize;
    for (event, range) in Parser::new_ext(text, reader).into_offset_iter() {
        match event {
            Event::Text(read) if in_code == 0 && in_link == 0 => {
                // This may be an escape for this reader only.
                finder.edits.extend(colon_of_link(text, range.start));
                finder.text(read, range);
            }
            // A backtick counts also after a link.
            Event::Text(_) if in_code == 0 => loose_backticks(text, range, &mut finder.edits),
            Event::Code(read) if in_code == 0 && in_link == 0 => finder.code(read, range),
            Event::Start(tag @ (Tag::Link { .. } | Tag::Image { .. })) => {
                finder.flush();
                in_link += 1;
                // A picture loads without a click.
                let may_stay = matches!(
                    &tag,
                    Tag::Link { link_type, dest_url, .. }
                        if *link_type == LinkType::Email || !is_strange(dest_url)
                );
                if !may_stay {
                    let escape = (range.start..range.start, "\\".to_owned());
                    finder.edits.push(colon_of_link(text, range.start).unwrap_or(escape));
                }
            }
            Event::End(TagEnd::Link | TagEnd::Image) => in_link = in_link.saturating_sub(1),
            Event::Start(Tag::CodeBlock(_) | Tag::HtmlBlock | Tag::MetadataBlock(_)) => {
                finder.flush();
                in_code += 1;
            }
            Event::End(TagEnd::CodeBlock | TagEnd::HtmlBlock | TagEnd::MetadataBlock(_)) => {
                in_code = in_code.saturating_sub(1);
            }
            _ => finder.flush(),
        }
    }
    finder.flush();
    finder.edits.sort_by_key(|(range, _)| range.start);
    finder.edits
}

/// Goes through a text as a reader sees it.
struct Finder<'a> {
    text: &'a str,
    /// The lengths of the runs of backticks in the text. A code mark needs another length.
    runs: Option<HashSet<usize>>,
    /// After an open bracket, readers do not turn plain addresses into links.
    makes_links: bool,
    /// The pieces that are read together.
    line: Vec<ReadPiece<'a>>,
    edits: Vec<Edit>,
}

impl<'a> Finder<'a> {
    fn text(&mut self, read: CowStr<'a>, at: Range<usize>) {
        let between = self.line.last().map_or("", |last| &self.text[last.at.end..at.start]);
        if between.contains(|char| char != '\\') {
            self.flush();
        }
        self.line.push(ReadPiece { read, at, is_code: false });
    }

    fn code(&mut self, read: CowStr<'a>, at: Range<usize>) {
        let words = &self.text[at.clone()];
        if longest_run(words) > MAX_MARK || meets_a_rule(self.text, &at) {
            let code = self.as_code(&read);
            self.edits.push((at.clone(), code));
        }
        self.line.push(ReadPiece { read, at, is_code: true });
    }

    /// The characters of these pieces.
    fn characters(&self, pieces: &[ReadPiece<'_>]) -> Vec<ReadChar> {
        let mut line = Vec::new();
        for ReadPiece { read, at, is_code } in pieces {
            // After a backslash or an entity, the character read differs from the one in the text.
            let is_same = !is_code && self.text.get(at.clone()) == Some(&**read);
            for (offset, char) in read.char_indices() {
                let start = at.start + offset;
                let at = if is_same { start..start + char.len_utf8() } else { at.clone() };
                line.push(ReadChar { char, at, is_code: *is_code });
            }
        }
        line
    }

    /// Words as code.
    fn as_code(&mut self, words: &str) -> String {
        let taken = self.runs.get_or_insert_with(|| runs(self.text));
        // A backtick that was escaped or adjacent to others may now be a run of its own.
        let inside = runs(words);
        let length = (1..=taken.len() + inside.len() + 1)
            .find(|length| !taken.contains(length) && !inside.contains(length))
            .unwrap_or(1);
        let mark = "`".repeat(length);
        let room = if words.starts_with('`') || words.ends_with('`') { " " } else { "" };
        format!("{mark}{room}{words}{room}{mark}")
    }

    /// Processes the pieces read so far.
    fn flush(&mut self) {
        let pieces = std::mem::take(&mut self.line);
        // Most lines have nothing live.
        if !self.may_need_edits(&pieces) {
            return;
        }
        let line = self.characters(&pieces);
        let mut covered = Vec::new();
        let mut done = 0;
        for token in self.live_tokens(&line) {
            let Range { start: mut begin, mut end } = token;
            // Adjacent code or backticks would merge with the code mark.
            while begin > 0 && line[begin - 1].clings() {
                begin -= 1;
            }
            while end < line.len() && line[end].clings() {
                end += 1;
            }
            if begin < done {
                continue;
            }
            done = end;
            let mut start = line[begin].at.start;
            let stop = line[end - 1].at.end;
            let words: String = line[begin..end].iter().map(|read| read.char).collect();
            let mut new = String::new();
            if !backslashes_before(self.text, start).is_multiple_of(2) {
                if begin == 0 || line[begin - 1].at.end < start {
                    start -= 1;
                } else {
                    // The backslash before `start` would escape the code mark.
                    new.push('\\');
                }
            }
            new += &self.as_code(&words);
            covered.push(start..stop);
            self.edits.push((start..stop, new));
        }
        self.hidden_by_entities(&line);
        self.backticks_outside(&line, &covered);
    }

    /// A cheap check. False: the pieces have no token, no backtick and no entity.
    fn may_need_edits(&self, pieces: &[ReadPiece<'_>]) -> bool {
        let may_have_token = match pieces {
            [one] if !one.is_code => may_hold(&one.read),
            _ => {
                let whole =
                    pieces.iter().map(|piece| if piece.is_code { "\0" } else { &piece.read });
                may_hold(&whole.collect::<String>())
            }
        };
        let bytes = self.text.as_bytes();
        may_have_token || pieces.iter().any(|piece| bytes.get(piece.at.start) == Some(&b'&'))
    }

    /// The parts to write as code, as indices into the line.
    fn live_tokens(&self, line: &[ReadChar]) -> Vec<Range<usize>> {
        // Code is not part of a word.
        let read: String =
            line.iter().map(|read| if read.is_code { '\u{0}' } else { read.char }).collect();
        let mut tokens = tokens(&read, self.makes_links);
        if let Some(address) = open_address(&read)
            && takes_in_a_mark(&self.text[line[line.len() - 1].at.end..])
        {
            let start = tokens
                .iter()
                .find(|token| token.end > address)
                .map_or(address, |token| token.start.min(address));
            tokens.retain(|token| token.end <= start);
            tokens.push(start..read.len());
        }
        let starts: Vec<usize> = read.char_indices().map(|(at, _)| at).collect();
        let chars_before = |byte: usize| starts.partition_point(|start| *start < byte);
        tokens.into_iter().map(|token| chars_before(token.start)..chars_before(token.end)).collect()
    }

    /// Escapes the backticks outside of the covered ranges, which are in order.
    fn backticks_outside(&mut self, line: &[ReadChar], covered: &[Range<usize>]) {
        for read in line.iter().filter(|read| read.char == '`' && !read.is_code) {
            let next = covered.partition_point(|range| range.end <= read.at.start);
            if covered.get(next).is_none_or(|range| range.start > read.at.start) {
                loose_backticks(self.text, read.at.clone(), &mut self.edits);
            }
        }
    }

    /// Removes entities such as `&#8238;` that stand for invisible characters.
    fn hidden_by_entities(&mut self, line: &[ReadChar]) {
        let mut begin = 0;
        while begin < line.len() {
            let at = line[begin].at.clone();
            let same = line[begin..].iter().take_while(|read| read.at == at);
            let words: String = same.map(|read| read.char).collect();
            let is_entity = self.text[at.clone()].starts_with('&') && !line[begin].is_code;
            if is_entity && words.chars().all(|char| visible(char.encode_utf8(&mut [0; 4])).1 > 0) {
                self.edits.push((at, String::new()));
            }
            begin += words.chars().count();
        }
    }
}

/// True for code of several lines where one line, or the line after the code, is one that some
/// readers take for the rule below a table's head: to them it is not code.
fn meets_a_rule(text: &str, code: &Range<usize>) -> bool {
    if !text[code.clone()].contains('\n') {
        return false;
    }
    // Code of several lines ends in a line of its own: no line is read for two of them.
    let after: usize = text[code.end..].split_inclusive('\n').take(2).map(str::len).sum();
    text[code.start..code.end + after]
        .lines()
        .skip(1)
        .any(|line| line.contains('-') && line.bytes().all(|byte| b"|:-> \t\r".contains(&byte)))
}

/// True if an address that continues here would include the mark of code or of a link, also after
/// emphasis. The text after that mark would be live.
fn takes_in_a_mark(remaining: &str) -> bool {
    remaining
        .split(|char: char| char.is_ascii_whitespace() || char == '<')
        .next()
        .is_some_and(|remaining| remaining.contains(['`', '[']))
}

fn backslashes_before(text: &str, at: usize) -> usize {
    text[..at].bytes().rev().take_while(|byte| *byte == b'\\').count()
}

/// The change that disables a link such as `<file:///a>` here. A plain address would include a
/// backslash, and would continue after an entity in place of the bracket.
fn colon_of_link(text: &str, at: usize) -> Option<Edit> {
    let remaining = text[at..].strip_prefix('<')?;
    // Stops at the first character that cannot be in a link. A text may have any number of links
    // that never end.
    let inside = &remaining[..remaining.find(['<', '>', ' ', '\n'])?];
    let colon = at
        + 1
        + inside
            .find(':')
            .filter(|_| remaining[inside.len()..].starts_with('>') && is_strange(inside))?;
    Some((colon..colon + 1, "&#58;".to_owned()))
}

/// Escapes a backtick that marks no code: some readers miss code after one.
fn loose_backticks(text: &str, range: Range<usize>, edits: &mut Vec<Edit>) {
    for at in text[range.clone()].match_indices('`').map(|(offset, _)| range.start + offset) {
        if backslashes_before(text, at).is_multiple_of(2) {
            edits.push((at..at, "\\".to_owned()));
        }
    }
}

/// The lengths of the runs of backticks in a text.
fn runs(text: &str) -> HashSet<usize> {
    text.split(|char| char != '`').map(str::len).filter(|length| *length > 0).collect()
}

/// The longest run of backticks in a text. A fence around the text has to be longer.
pub fn longest_run(text: &str) -> usize {
    text.split(|char| char != '`').map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::references::COMMIT;
    use super::*;

    #[test]
    fn mentions_and_references_become_code_and_all_else_stays() {
        for (text, expected) in [
            ("ping @octo, please", "ping `@octo`, please"),
            ("@octo-org/team_1!", "`@octo-org/team_1`!"),
            ("(@a) *@b* **@c**\n@d", "(`@a`) *`@b`* **`@c`**\n`@d`"),
            ("fixes #3, closes GH-4 and gh-5", "fixes `#3`, closes `GH-4` and `gh-5`"),
            (
                "octo/hello#12 hello#1 C#12 !7 o/n!7",
                "`octo/hello#12` `hello#1` `C#12` `!7` `o/n!7`",
            ),
            (
                "at 1a2b3c4 and octo/n@0123456789abcdef0123456789abcdef01234567.",
                "at `1a2b3c4` and octo/n@`0123456789abcdef0123456789abcdef01234567`.",
            ),
            ("&#64;octo &commat;octo \\@octo \\#3 &num;4", "`@octo` `@octo` `@octo` `#3` `#4`"),
            ("\\\\@octo \\GH-1", "\\\\`@octo` \\\\`GH-1`"),
            ("`code`@octo and `@octo` @octo`", "``code@octo`` and `@octo` `` @octo` ``"),
            ("a ` b", "a \\` b"),
            ("\\```@a``@b", "`` `@a@b ``"),
            (
                "see https://github.com/o/n/issues/3#x and <https://x.example/@a>",
                "see `https://github.com/o/n/issues/3#x` and <https://x.example/@a>",
            ),
            ("a&#8238;b&#xE0041;c&zwnj;", "abc"),
            (
                "> - @octo\n>   #1\n\n| @a |\n|---|\n| #2 |",
                "> - `@octo`\n>   `#1`\n\n| `@a` |\n|---|\n| `#2` |",
            ),
            ("# @octo", "# `@octo`"),
            (
                "![a](https://b.example/c.png) \\\\![d][e]\n\n[e]: f.png",
                "\\![a](https://b.example/c.png) \\\\\\![d][e]\n\n[e]: f.png",
            ),
            ("[![a](b.png)](https://c.example)", "[\\![a](b.png)](https://c.example)"),
            (
                "[a](javascript:b) <file:///c> [d](<java&#9;script:e>)",
                "\\[a](javascript:b) <file&#58;///c> \\[d](<java&#9;script:e>)",
            ),
            ("**(http://x.y)**` @a`", "**(``http://x.y)``**` @a`"),
            ("*a www.x.y*[b](c`d`)", "*a ``www.x.y``*[b](c`d`)"),
            ("*http://x.y* `@a` *http://x.y*<d:e>`", "*http://x.y* `@a` *http://x.y*<d&#58;e>\\`"),
            ("(http://x.y)![a @b](c)", "(`http://x.y)`\\![a @b](c)"),
            ("`<vbs:e>\n|-|\n`", "``<vbs:e> |-| ``"),
            ("`<vbs:e>\n`\n|-|\n", "``<vbs:e> ``\n|-|\n"),
            ("(http://x.y)\\<vbs:e>", "(http://x.y)\\<vbs&#58;e>"),
            ("[a][b] [b]\n\n[b]: DATA:c", "\\[a]\\[b] \\[b]\n\n[b]: DATA:c"),
            ("[^1]\n\n[^1]: @octo", "[^1]\n\n[^1]: `@octo`"),
        ] {
            let made = inert(text);
            assert_eq!(made.replace("```", "`"), expected.replace("```", "`"), "{text}");
        }
    }

    #[test]
    fn text_that_is_not_live_stays_unchanged() {
        for text in [
            "me@example.org wrote C# and F#, 50 % of #x, !important",
            "```\n@octo #12\n```\n\n    @octo\n\n`@octo #12`",
            "[@octo](https://example.com) and https://example.com/octo end",
            "https://example.com/@octo/#12 end",
            "A1. **A2.** 2026-11-21, 1,000,000, $100000, UTF-8, e.g. decade",
            "<!-- @octo -->",
            "[a](https://b.example) [c](mailto:d@e.example) <f@g.example> [h](src/i.rs#j) \
                [k](#l:m) `![n](o)`",
            "",
        ] {
            assert_eq!(inert(text), text);
        }
    }

    fn walk(node: comrak::Node<'_>, is_open: bool, live: &mut Vec<String>) {
        use comrak::nodes::NodeValue;
        let is_open = is_open
            && !matches!(node.data.borrow().value, NodeValue::Link(_) | NodeValue::Image(_));
        match &node.data.borrow().value {
            NodeValue::Text(text) if is_open => live.last_mut().unwrap().push_str(text),
            _ => live.push(String::new()),
        }
        for child in node.children() {
            walk(child, is_open, live);
        }
        if !matches!(node.data.borrow().value, NodeValue::Text(_)) {
            live.push(String::new());
        }
    }

    /// The text of a page outside of code and links, by another reader.
    fn live(markdown: &str) -> Vec<String> {
        let arena = comrak::Arena::new();
        let mut live = vec![String::new()];
        walk(comrak::parse_document(&arena, markdown, &comrak_options()), true, &mut live);
        live
    }

    fn comrak_options() -> comrak::Options<'static> {
        let mut options = comrak::Options::default();
        options.extension.table = true;
        options.extension.strikethrough = true;
        options.extension.autolink = true;
        options.extension.tasklist = true;
        options.extension.footnotes = true;
        options
    }

    /// The visible text without emphasised words: next to code they may be part of another word.
    fn words(markdown: &str) -> String {
        let events = Parser::new_ext(markdown, Options::empty());
        let texts = events.map(|event| match event {
            Event::Text(text) | Event::Code(text) => text.to_string(),
            _ => String::new(),
        });
        texts
            .flat_map(|text| text.chars().collect::<Vec<_>>())
            .filter(|char| !char.is_whitespace() && !"*_~".contains(*char))
            .collect()
    }

    /// The rules of the forges again, as patterns.
    fn is_live(text: &str) -> bool {
        let chars: Vec<char> = text.chars().collect();
        let word = |char: Option<&char>| char.is_some_and(char::is_ascii_alphanumeric);
        (0..chars.len()).any(|at| {
            let before = at.checked_sub(1).and_then(|before| chars.get(before));
            let next = chars.get(at + 1);
            let hex = chars[at..].iter().take_while(|char| char.is_ascii_hexdigit()).count();
            let is_commit = !word(before) && COMMIT.contains(&hex) && !word(chars.get(at + hex));
            let is_gh =
                !word(before) && matches!(&chars[at..], ['g' | 'G', 'h' | 'H', '-', '0'..='9', ..]);
            match chars[at] {
                '@' => !word(before) && (word(next) || next == Some(&'-')),
                '#' => next.is_some_and(char::is_ascii_digit),
                _ => is_commit || is_gh,
            }
        })
    }

    /// Pictures, and links to other schemes, by another reader.
    fn leads_astray(markdown: &str) -> bool {
        use comrak::nodes::NodeValue;
        let arena = comrak::Arena::new();
        let page = comrak::parse_document(&arena, markdown, &comrak_options());
        page.descendants().any(|node| match &node.data.borrow().value {
            NodeValue::Image(_) => true,
            NodeValue::Link(link) => {
                let url: String = link.url.to_lowercase().split_whitespace().collect();
                let relative = !url.split(['/', '?', '#']).next().unwrap_or_default().contains(':');
                !relative
                    && !["http:", "https:", "mailto:", "ftp:"]
                        .iter()
                        .any(|scheme| url.starts_with(scheme))
            }
            _ => false,
        })
    }

    fn is_inert(made: &str) -> bool {
        readers().into_iter().all(|reader| edits(made, reader).is_empty())
            && !live(made).iter().any(|text| is_live(text))
            && !leads_astray(made)
    }

    proptest! {
            #![proptest_config(ProptestConfig::with_cases(128))]
            #[test]
            fn no_markup_is_live_and_every_word_stays(
                text in "(@[a-z]{1,3}|#[0-9]|GH-1|o/n#2|abcdef1|&#64;|&#x23;|\\\\|`{1,3}|\
                    [*_~>\\[\\]()|!#:-]|[a-z ]|\n|\n\n|> |    |- |1\\. \
                    |https://x\\.y/|http://x/a/b/issues/1|<b>|\\[a\\]: |\t){0,24}",
            ) {
                let made = inert(&text);
                prop_assert!(is_inert(&made), "{:?} -> {:?}", text, made);
                prop_assert_eq!(inert(&made), made.clone());
            }

            #[test]
            fn pictures_and_strange_links_are_disabled(
                text in "(!?\\[[a-z!]?\\]|!\\[[a-z]|\\[[a-z]|\\]|\\]\\(|\\(java|script:b\\)|\
                    \\(<?data:c>?\\)|\\(http://x\\.y\\)|\\(d\\.png\\)|<vbs:e>|\n\n\\[[a-z]\\]: \
                    (f:g|h\\.png)\n\n|@a|`|\\\\|!|<|>|\\*\\*|\\^| |\n|> |- |\\| |\\|-\\|\n){0,24}",
            ) {
                // Raw HTML becomes text first, and readers differ in what a declaration is.
                prop_assume!(!text.contains("<!"));
                let made = inert(&text);
                prop_assert!(is_inert(&made), "{:?} -> {:?}", text, made);
                prop_assert_eq!(inert(&made), made.clone());
            }

            #[test]
            fn the_visible_words_stay(
                text in "(@[a-z]{1,3}|#[0-9]|GH-1|o/n#2|abcdef1|&#64;|\\\\|`{1,2}|\\*\\*|[a-z ]|\n\
                    |\n\n|> |- ){0,20}",
            ) {
    prop_assert_eq!(words(&inert(&text)), words(&text), "{:?} -> {:?}", text, inert(&text));
            }
        }
}
