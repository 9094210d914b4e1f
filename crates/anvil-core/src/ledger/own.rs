//! The words of a reply that are its seat's own, as a Markdown reader sees them: block by block,
//! outside of quotes, code and HTML.

use std::borrow::Cow;
use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use crate::transcript::normalise;
use anvil_text::{is_bounded, visible};

/// Elements of HTML whose text a page does not show as the writer's words.
const HIDING: [&str; 17] = [
    "blockquote",
    "code",
    "del",
    "iframe",
    "kbd",
    "noscript",
    "pre",
    "q",
    "s",
    "samp",
    "script",
    "strike",
    "style",
    "template",
    "textarea",
    "title",
    "tt",
];

/// Elements that only change how text looks.
const STYLING: [&str; 18] = [
    "a", "abbr", "b", "big", "center", "em", "font", "i", "ins", "mark", "nobr", "p", "small",
    "span", "strong", "sub", "sup", "u",
];

/// A heading, a paragraph, the text of an item, or a row of a table.
#[derive(Clone, Debug, Default)]
pub(super) struct OwnBlock {
    /// Its words as a page shows them. Code keeps its marks; a line break is one of the source, or
    /// stands between two cells.
    pub text: String,
    /// Where bold begins in the text.
    pub bold: Vec<usize>,
    pub is_heading: bool,
    pub is_row: bool,
    /// Its place in the source.
    pub place: Range<usize>,
    /// The index after the last block of its item; 0 outside of lists.
    pub item_end: usize,
    /// The same of its outermost list.
    pub list_end: usize,
    /// `None`: it has no code.
    without_code: Option<String>,
    pieces: Vec<Piece>,
}

/// A part of a block that stands in the source in one piece.
#[derive(Clone, Copy, Debug)]
struct Piece {
    at: usize,
    source: usize,
    /// It stands inside emphasis.
    is_marked: bool,
}

impl OwnBlock {
    /// The text with an `X` for each byte of code. What is read is read here.
    pub(super) fn words(&self) -> &str {
        self.without_code.as_deref().unwrap_or(&self.text)
    }

    fn piece(&self, at: usize) -> Option<Piece> {
        let after = self.pieces.partition_point(|piece| piece.at <= at);
        after.checked_sub(1).map(|before| self.pieces[before])
    }

    /// The place in the source of a position of the text.
    pub(super) fn source_of(&self, at: usize) -> usize {
        let piece = self.piece(at).map(|piece| piece.source + (at - piece.at));
        piece.unwrap_or(self.place.start).clamp(self.place.start, self.place.end)
    }

    /// The place in the source of a part of the text. `None`: it begins inside emphasis, so its
    /// marks do not match.
    pub(super) fn whole_source_of(&self, part: &Range<usize>) -> Option<Range<usize>> {
        let is_marked = self.piece(part.start).is_some_and(|piece| piece.is_marked);
        (!is_marked).then(|| self.source_range(part))
    }

    /// The place in the source of a part of the text. One that ends with a line has no marks of the
    /// next.
    pub(super) fn source_range(&self, part: &Range<usize>) -> Range<usize> {
        let end = match part.end {
            end if end >= self.text.len() => self.place.end,
            end if self.text[..end].ends_with('\n') => self.source_of(end - 1),
            end => self.source_of(end),
        };
        let start = self.source_of(part.start);
        start..end.max(start)
    }

    /// Where its lines begin.
    pub(super) fn lines(&self) -> impl Iterator<Item = usize> {
        let breaks = memchr::memchr_iter(b'\n', self.words().as_bytes()).map(|at| at + 1);
        std::iter::once(0).chain(breaks)
    }

    /// True if the text from here on begins in bold, after any marks.
    pub(super) fn begins_bold(&self, at: usize) -> bool {
        let next = self.bold.partition_point(|bold| *bold < at);
        self.bold.get(next).is_some_and(|bold| {
            !self.text[at..*bold].contains(|char: char| char.is_alphanumeric() || char == '\n')
        })
    }
}

/// A reply without invisible characters, with line feeds alone: the words that are read.
pub(super) fn source(reply: &str) -> Cow<'_, str> {
    match normalise(reply) {
        Cow::Borrowed(text) => visible(text).0,
        Cow::Owned(text) => Cow::Owned(visible(&text).0.into_owned()),
    }
}

/// The blocks of a text that are its seat's own. `None`: it has too much Markdown to be read.
pub(super) fn own_blocks(source: &str) -> Option<Vec<OwnBlock>> {
    is_bounded(source).then(|| blocks_of(source, true))
}

/// `may_indent`: an indented block is text. Inside of one, another is code.
fn blocks_of(source: &str, may_indent: bool) -> Vec<OwnBlock> {
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut maker = Maker { source, may_indent, ..Maker::default() };
    for (event, place) in Parser::new_ext(source, options).into_offset_iter() {
        maker.take(event, place);
    }
    maker.close();
    maker.blocks
}

#[derive(Default)]
struct Maker<'a> {
    source: &'a str,
    may_indent: bool,
    blocks: Vec<OwnBlock>,
    open: Option<OwnBlock>,
    /// Open quotes, blocks of code and of HTML, pictures and struck texts.
    hidden: usize,
    /// The element of HTML that hides the text after it, up to the end of its block.
    hiding: Option<String>,
    /// Open marks of emphasis.
    marks: usize,
    is_heading: bool,
    is_row: bool,
    /// For each open item, the blocks that stand in it and in no item of it.
    items: Vec<Vec<usize>>,
    /// Open lists, and the first block of the outermost.
    lists: usize,
    list: usize,
    /// The lines of an indented block, each with its place.
    indented: Option<Vec<Range<usize>>>,
}

impl Maker<'_> {
    fn take(&mut self, event: Event<'_>, place: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(&tag, place),
            Event::End(tag) => self.end(tag, place),
            Event::Text(_) if self.indented.is_some() => {
                self.indented.get_or_insert_default().push(place);
            }
            _ if self.hidden > 0 => {}
            Event::InlineHtml(tag) => self.html(&tag, place),
            _ if self.hiding.is_some() => {}
            Event::Text(text) => {
                if self.source.get(place.clone()) == Some(&*text) {
                    self.push(&text, false, place);
                } else {
                    // An entity may stand for an invisible character.
                    self.push(&visible(&text).0, false, place);
                }
            }
            Event::Code(_) => self.push(&self.source[place.clone()], true, place),
            Event::SoftBreak | Event::HardBreak => self.push("\n", false, place),
            _ => {}
        }
    }

    /// The open block, with this place.
    fn at(&mut self, place: &Range<usize>) -> &mut OwnBlock {
        let block = self.open.get_or_insert_with(|| OwnBlock {
            is_heading: self.is_heading,
            is_row: self.is_row,
            place: place.clone(),
            ..OwnBlock::default()
        });
        block.place.end = block.place.end.max(place.end);
        block
    }

    fn push(&mut self, text: &str, is_code: bool, place: Range<usize>) {
        let is_marked = self.marks > 0;
        let block = self.at(&place);
        block.pieces.push(Piece { at: block.text.len(), source: place.start, is_marked });
        if is_code {
            let words = block.without_code.get_or_insert_with(|| block.text.clone());
            words.extend(std::iter::repeat_n('X', text.len()));
        } else if let Some(words) = &mut block.without_code {
            words.push_str(text);
        }
        block.text.push_str(text);
    }

    fn start(&mut self, tag: &Tag<'_>, place: Range<usize>) {
        match tag {
            Tag::Strong | Tag::Emphasis => {
                self.marks += 1;
                if self.hidden == 0 && self.hiding.is_none() {
                    let block = self.at(&place);
                    if *tag == Tag::Strong {
                        block.bold.push(block.text.len());
                    }
                }
            }
            Tag::Link { .. } => {}
            Tag::Strikethrough | Tag::Image { .. } => self.hidden += 1,
            Tag::TableCell => self.hiding = None,
            block => {
                self.close();
                match block {
                    Tag::CodeBlock(CodeBlockKind::Indented)
                        if self.may_indent && self.hidden == 0 =>
                    {
                        self.indented = Some(Vec::new());
                    }
                    Tag::BlockQuote(_) | Tag::HtmlBlock | Tag::CodeBlock(_) => self.hidden += 1,
                    Tag::Heading { .. } => self.is_heading = true,
                    Tag::TableHead | Tag::TableRow => self.is_row = true,
                    Tag::Item => self.items.push(Vec::new()),
                    Tag::List(_) => {
                        if self.lists == 0 {
                            self.list = self.blocks.len();
                        }
                        self.lists += 1;
                    }
                    _ => {}
                }
            }
        }
    }

    fn end(&mut self, tag: TagEnd, place: Range<usize>) {
        match tag {
            TagEnd::Strong | TagEnd::Emphasis => {
                self.marks -= 1;
                if let Some(open) = &mut self.open {
                    open.place.end = open.place.end.max(place.end);
                }
            }
            TagEnd::Link => {}
            TagEnd::Strikethrough | TagEnd::Image => self.hidden -= 1,
            TagEnd::TableCell => {
                if self.hidden == 0 && self.open.is_some() {
                    self.push("\n", false, place.end..place.end);
                }
            }
            block => {
                self.close();
                match block {
                    TagEnd::CodeBlock if self.indented.is_some() => self.unindent(),
                    TagEnd::BlockQuote(_) | TagEnd::HtmlBlock | TagEnd::CodeBlock => {
                        self.hidden -= 1;
                    }
                    TagEnd::Heading(_) => self.is_heading = false,
                    TagEnd::TableHead | TagEnd::TableRow => self.is_row = false,
                    TagEnd::Item => {
                        let end = self.blocks.len();
                        for block in self.items.pop().unwrap_or_default() {
                            self.blocks[block].item_end = end;
                        }
                    }
                    TagEnd::List(_) => {
                        self.lists -= 1;
                        if self.lists == 0 {
                            let end = self.blocks.len();
                            for block in &mut self.blocks[self.list..] {
                                block.list_end = end;
                            }
                        }
                    }
                    _ => {}
                }
            }
        }
    }

    /// A tag or a comment inside of a line.
    fn html(&mut self, tag: &str, place: Range<usize>) {
        let closes = tag.starts_with("</");
        let name = tag.trim_start_matches(['<', '/']);
        let end = name.find(|char: char| !char.is_ascii_alphanumeric()).unwrap_or(name.len());
        let name = name[..end].to_ascii_lowercase();
        match &self.hiding {
            Some(hiding) if closes && *hiding == name => self.hiding = None,
            Some(_) => {}
            None if HIDING.contains(&&*name) => self.hiding = (!closes).then_some(name),
            None if name == "br" => self.push("\n", false, place),
            // A comment has no name.
            None if name.is_empty() || STYLING.contains(&&*name) => {
                if matches!(&*name, "b" | "strong") && !closes {
                    let block = self.at(&place);
                    block.bold.push(block.text.len());
                }
            }
            // `Vec<String>` is words.
            None => self.push(tag, true, place),
        }
    }

    fn close(&mut self) {
        self.hiding = None;
        if let Some(block) = self.open.take().filter(|block| !block.text.trim().is_empty()) {
            if let Some(item) = self.items.last_mut() {
                item.push(self.blocks.len());
            }
            self.blocks.push(block);
        }
    }

    /// Adds an indented block as text: its lines without their indentation.
    fn unindent(&mut self) {
        let lines = self.indented.take().unwrap_or_default();
        let mut inside = String::new();
        // The place in the text and in the source of each line.
        let mut begins: Vec<(usize, usize)> = Vec::new();
        for line in lines {
            let text = self.source[line.clone()].trim_start_matches([' ', '\t']);
            begins.push((inside.len(), line.end - text.len()));
            inside.push_str(text);
        }
        let source_of = |at: usize| {
            let after = begins.partition_point(|(begin, _)| *begin <= at);
            let (begin, source) = begins[after - 1];
            source + (at - begin)
        };
        let before = self.blocks.len();
        for mut block in blocks_of(&inside, false) {
            block.place =
                source_of(block.place.start)..source_of(block.place.end.saturating_sub(1)) + 1;
            for piece in &mut block.pieces {
                piece.source = source_of(piece.source);
            }
            match self.items.last_mut() {
                Some(item) if block.item_end == 0 => item.push(self.blocks.len()),
                _ if block.item_end > 0 => block.item_end += before,
                _ => {}
            }
            if block.list_end > 0 {
                block.list_end += before;
            }
            self.blocks.push(block);
        }
    }
}

#[cfg(test)]
mod tests {
    use comrak::nodes::NodeValue;
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;

    fn texts(source: &str) -> Vec<String> {
        own_blocks(source).unwrap().into_iter().map(|block| block.text).collect()
    }

    #[test]
    fn a_block_is_its_plain_text() {
        for (source, expected) in [
            ("__A1. One.__ *Two* \\*three\\*", &["A1. One. Two *three*"][..]),
            ("# A\n\nB\nC\n\nD\n---", &["A", "B\nC", "D"]),
            ("- a\n- [x] b\n\n  c\n  - d", &["a", "b", "c", "d"]),
            ("| a | b |\n|---|---|\n| c | *d* |", &["a\nb\n", "c\nd\n"]),
            ("> a\n\nb\n\n```\nc\n```\n\n    d\n    **e**", &["b", "d\ne"]),
            ("1. a\n\n       b\n\nc", &["a", "b", "c"]),
            ("a <!-- b --> <i>c</i> ~~d~~ `e` Vec<F>", &["a  c  `e` Vec<F>"]),
            ("a <script>b</script> c\n\n<del>d\n\ne", &["a  c", "e"]),
            ("<div>\na\n</div>\n\n![b](c) [d](e) &amp; f&#8203;g", &[" d & fg"]),
            ("> a\nb", &[]),
        ] {
            assert_eq!(texts(source), expected, "{source}");
        }
    }

    #[test]
    fn every_piece_has_its_place_in_the_source() {
        for source in [
            "**A1. Ä.** `c` &amp; *d* \\* e\n  f",
            "- > q\n- **A1.** x\n\n      indented **y**\n      z",
            "text\n\n    Ä one\n\n    - two **b**\n      three",
            "| **a** | b |\n|---|---|\n| `c` | d |",
        ] {
            for block in own_blocks(source).unwrap() {
                for (at, char) in block.text.char_indices().filter(|(_, char)| *char != '\n') {
                    let found = source[block.source_of(at)..].chars().next().unwrap();
                    assert!(found == char || found == '&', "{source}: {char} at {at}, {found}");
                }
            }
        }
    }

    /// The letters that another reader takes for the writer's own, outside of code.
    fn own_letters(text: &str) -> String {
        let mut options = comrak::Options::default();
        options.extension.table = true;
        options.extension.strikethrough = true;
        options.extension.tasklist = true;
        let arena = comrak::Arena::new();
        let root = comrak::parse_document(&arena, text, &options);
        let mut letters = String::new();
        for node in root.descendants() {
            let is_hidden = node.ancestors().any(|above| {
                matches!(
                    above.data.borrow().value,
                    NodeValue::BlockQuote | NodeValue::Strikethrough | NodeValue::Image(_)
                )
            });
            if let NodeValue::Text(text) = &node.data.borrow().value
                && !is_hidden
            {
                letters.extend(text.chars().filter(char::is_ascii_lowercase));
            }
        }
        letters
    }

    // They differ on a closing tag alone in a line below a quote; nothing hides there.
    proptest! {
        #[test]
        fn two_markdown_readers_agree_on_what_is_a_seats_own(
            lines in prop::collection::vec(select(vec![
                "a one", "**b two** c", "__d__ e", "> f", "> **g**", "- h", "  - i", "1. **j**",
                "- [ ] k", "```", "~~~", "```rust", "````", "<!-- l -->", "<!--", "-->",
                "<script>", "<script>s</script>", "<div>", "</div>", "<b>m</b> n", "o `p` q",
                "~~r~~ s", "# t", "### **u** ###", "---", "***", "", "", "", "\\*v\\*", "w *x `y*` z*",
            ]), 0..12)
        ) {
            let text = lines.join("\n");
            let own: String = own_blocks(&text).unwrap().iter().map(OwnBlock::words).collect();
            let own: String = own.chars().filter(char::is_ascii_lowercase).collect();
            prop_assert_eq!(own, own_letters(&text), "{}", text);
        }
    }
}
