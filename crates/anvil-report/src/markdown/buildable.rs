//! Markdown that also MDX can build: it reads `{` and `<` as code, has no `<https://…>`, no code by
//! indentation, and takes a line that begins with `import` or `export` for JavaScript.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, LinkType, Options, Parser, Tag};

/// Most passes over a text: a character that becomes text can end code elsewhere.
const MAX_PASSES: usize = 8;

/// The text of a record, which has no HTML. Everything reads as before.
pub(crate) fn buildable(markdown: &str) -> String {
    let mut text = without_indents(markdown);
    for _ in 0..MAX_PASSES {
        if !anvil_text::is_bounded(&text) {
            break;
        }
        let Some(next) = escape_once(&text) else { return without_modules(&text) };
        text = next;
    }
    without_modules(&text.replace('{', "&#123;").replace('<', "&lt;"))
}

/// The text without a live link: an address stays a text.
pub(crate) fn without_links(markdown: &str) -> String {
    let text = buildable(markdown);
    let code = Spans::new(&text, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH);
    let mut out = String::with_capacity(text.len() + 16);
    for (at, char) in text.char_indices() {
        let rest = &text[at..];
        let before = &text[..at];
        match char {
            _ if code.is_code(at) => out.push(char),
            ':' if rest.starts_with("://") => out += "&#58;",
            '.' if before.to_ascii_lowercase().ends_with("www") => out += "&#46;",
            '(' | ':' | '[' if before.ends_with(']') => {
                out.push('\\');
                out.push(char);
            }
            _ => out.push(char),
        }
    }
    out
}

/// The text with its next escapes. `None`: it needs none.
fn escape_once(text: &str) -> Option<String> {
    let dialects = [Options::empty(), Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH];
    let [plain, tables] = dialects.map(|options| Spans::new(text, options));
    let links = &plain.links;
    let is_code = |at: usize| plain.is_code(at) && tables.is_code(at);
    let mut out = String::with_capacity(text.len() + 16);
    let mut is_same = true;
    for (at, char) in text.char_indices() {
        match char {
            '<' | '>' if links.iter().any(|link| at == link.start || at + 1 == link.end) => {}
            '<' if !is_code(at) => out += "&lt;",
            '{' if !is_code(at) => out += "&#123;",
            _ => {
                out.push(char);
                continue;
            }
        }
        is_same = false;
    }
    (!is_same).then_some(out)
}

/// Code, and addresses in `<>`.
struct Spans {
    code: Vec<Range<usize>>,
    links: Vec<Range<usize>>,
}

impl Spans {
    fn new(text: &str, options: Options) -> Self {
        let mut spans = Self { code: Vec::new(), links: Vec::new() };
        for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
            match event {
                Event::Code(_) | Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_))) => {
                    spans.code.push(range);
                }
                Event::Start(Tag::Link {
                    link_type: LinkType::Autolink | LinkType::Email, ..
                }) => spans.links.push(range),
                _ => {}
            }
        }
        spans
    }

    fn is_code(&self, at: usize) -> bool {
        let next = self.code.partition_point(|range| range.end <= at);
        self.code.get(next).is_some_and(|range| range.contains(&at))
    }
}

/// Code by indentation becomes text. Its lines keep their place.
fn without_indents(text: &str) -> String {
    let is_indented =
        |event: &Event<'_>| matches!(event, Event::Start(Tag::CodeBlock(CodeBlockKind::Indented)));
    if !anvil_text::is_bounded(text) || !Parser::new(text).any(|event| is_indented(&event)) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut fences = anvil_text::Fences::default();
    for line in text.split_inclusive('\n') {
        let is_code = fences.is_code(line.trim_end_matches(['\n', '\r']));
        let (mut line, mut quotes) = (line, "");
        // A quote has its own indentation.
        if let Some(after) = line.strip_prefix("> ") {
            (line, quotes) = (after, "> ");
        }
        let text = line.trim_start_matches([' ', '\t']);
        let indent = &line[..line.len() - text.len()];
        let is_deep = !is_code && (indent.len() > 3 || indent.contains('\t'));
        out += quotes;
        out += if is_deep { text } else { line };
    }
    out
}

/// `import` and `export` at the beginning of a line become text.
fn without_modules(text: &str) -> String {
    let mut fences = anvil_text::Fences::default();
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let is_code = fences.is_code(line.trim_end_matches(['\n', '\r']));
        match line.chars().next().filter(|_| !is_code) {
            Some('i') if line.starts_with("import ") => out = out + "&#105;" + &line[1..],
            Some('e') if line.starts_with("export ") => out = out + "&#101;" + &line[1..],
            _ => out += line,
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_mdx_takes_for_code_is_text() {
        for (text, expected) in [
            ("p95 <5 ms, `{a}` and {b}\n", "p95 &lt;5 ms, `{a}` and &#123;b}\n"),
            ("<https://a.example/{x}> <a@b.example>", "https://a.example/&#123;x} a@b.example"),
            ("[a](https://b.example)", "[a](https://b.example)"),
            ("```rust\nif a < b { c }\n```\n{d}", "```rust\nif a < b { c }\n```\n&#123;d}"),
            ("a\n\n    let {b}\n", "a\n\nlet &#123;b}\n"),
            ("import {a} from 'b'\n\nexported\n", "&#105;mport &#123;a} from 'b'\n\nexported\n"),
            ("> a {b}\n", "> a &#123;b}\n"),
            ("Keep it.\n", "Keep it.\n"),
        ] {
            assert_eq!(buildable(text), expected, "{text}");
        }
    }

    #[test]
    fn an_address_is_no_link() {
        for (text, expected) in [
            ("see https://a.example/x", "see https&#58;//a.example/x"),
            ("www.a.example", "www&#46;a.example"),
            ("[a](https://a.example)", r"[a]\(https&#58;//a.example)"),
            ("<https://a.example>", "https&#58;//a.example"),
            ("`https://a.example`", "`https://a.example`"),
        ] {
            assert_eq!(without_links(text), expected, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn outside_of_code_no_brace_and_no_tag_is_left(text in "([<>{}`a-b/ \t\n|-]|```|    ){0,60}") {
            let made = buildable(&text);
            for options in [Options::empty(), Options::ENABLE_TABLES] {
                let spans = Spans::new(&made, options);
                for (at, _) in made.match_indices(['{', '<']) {
                    proptest::prop_assert!(spans.is_code(at), "{:?}", made);
                }
            }
        }
    }
}
