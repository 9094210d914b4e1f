//! Untrusted Markdown as HTML that can do nothing: raw HTML is shown as text, images are not loaded, and only plain links to the
//! web and to mail are live, and the numbers of claims that were made. No id and no class comes from a text.

use std::borrow::Cow;
use std::fmt::Write as _;

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TextMergeStream};

use super::claims::Known;
use super::escape::{escape, escaped};
use crate::text;

/// Deepest nesting of blocks that is shown; browsers flatten what is much deeper.
const MAX_DEPTH: usize = 64;

/// Longest address that is live or shown, in characters.
const MAX_URL: usize = 2_000;

const CODE_END: &str = "</code></pre>";

/// Renders a text; its own headings begin at this level. Numbers of claims that it can know become links.
pub(super) fn rich(text: &str, first_heading: u8, known: &mut Known<'_>, out: &mut String) {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    let levels = Parser::new_ext(text, options).filter_map(|event| match event {
        Event::Start(Tag::Heading { level, .. }) => Some(level as u8),
        _ => None,
    });
    let highest = levels.min().unwrap_or(1);
    let mut writer = Writer {
        out,
        known,
        ends: Vec::new(),
        anchors: 0,
        begins: Begins::Line,
        in_head: false,
        first_heading,
        highest,
        last: first_heading - 1,
    };
    for event in TextMergeStream::new(Parser::new_ext(text, options)) {
        let begins = writer.begins.then(&event);
        writer.take(event);
        writer.begins = begins;
    }
}

/// What a piece of text begins.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Begins {
    Line,
    /// What is bold, at the beginning of a line.
    BoldLine,
    Nothing,
}

impl Begins {
    /// What the piece after this event begins.
    fn then(self, event: &Event<'_>) -> Self {
        match event {
            Event::Start(Tag::Strong) if self == Self::Line => Self::BoldLine,
            Event::Start(Tag::Paragraph | Tag::Item) | Event::SoftBreak | Event::HardBreak => Self::Line,
            _ => Self::Nothing,
        }
    }
}

struct Writer<'a, 'k> {
    out: &'a mut String,
    known: &'a mut Known<'k>,
    /// What closes the open elements.
    ends: Vec<Cow<'static, str>>,
    /// Live links that are open: none stands in another one.
    anchors: usize,
    begins: Begins,
    in_head: bool,
    first_heading: u8,
    /// The highest level of heading in the text.
    highest: u8,
    /// The level of the last heading: none is skipped.
    last: u8,
}

impl Writer<'_, '_> {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) if self.ends.len() >= MAX_DEPTH => {
                // Words of what is too deep don't run together.
                if matches!(tag, Tag::Paragraph | Tag::Item | Tag::TableCell) {
                    self.out.push(' ');
                }
                self.ends.push("".into());
            }
            Event::Start(tag) => {
                let end = self.start(tag);
                self.ends.push(end);
            }
            Event::End(_) => {
                let end = self.ends.pop().unwrap_or_default();
                self.anchors -= usize::from(end == "</a>");
                self.in_head &= !end.starts_with("</tr></thead>");
                self.out.push_str(&end);
            }
            Event::Text(text) if self.anchors == 0 && self.ends.last().is_none_or(|end| end != CODE_END) => {
                self.known.write(&text, self.begins == Begins::BoldLine, self.out);
            }
            Event::Text(text) | Event::Html(text) => escape(&text, self.out),
            Event::Code(text) | Event::InlineHtml(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                self.out.push_str("<code>");
                escape(&text, self.out);
                self.out.push_str("</code>");
            }
            Event::SoftBreak => self.out.push('\n'),
            Event::HardBreak => self.out.push_str("<br>"),
            Event::Rule => self.out.push_str("<hr>"),
            Event::FootnoteReference(_) | Event::TaskListMarker(_) => {}
        }
    }

    /// Opens an element; gives back what closes it.
    fn start(&mut self, tag: Tag<'_>) -> Cow<'static, str> {
        let (start, end): (&str, &'static str) = match tag {
            Tag::Heading { level, .. } => return self.heading(level),
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => return self.link(&dest_url),
            Tag::List(Some(number)) if number != 1 => {
                let _ = write!(self.out, "<ol start=\"{number}\">");
                ("", "</ol>")
            }
            Tag::List(Some(_)) => ("<ol>", "</ol>"),
            Tag::List(None) => ("<ul>", "</ul>"),
            Tag::Item => ("<li>", "</li>"),
            Tag::Paragraph => ("<p>", "</p>"),
            Tag::BlockQuote(_) => ("<blockquote>", "</blockquote>"),
            Tag::CodeBlock(CodeBlockKind::Fenced(_) | CodeBlockKind::Indented) | Tag::HtmlBlock => {
                ("<pre><code>", CODE_END)
            }
            Tag::Table(_) => ("<table>", "</tbody></table>"),
            Tag::TableHead => {
                self.in_head = true;
                ("<thead><tr>", "</tr></thead><tbody>")
            }
            Tag::TableRow => ("<tr>", "</tr>"),
            Tag::TableCell if self.in_head => ("<th>", "</th>"),
            Tag::TableCell => ("<td>", "</td>"),
            Tag::Emphasis => ("<em>", "</em>"),
            Tag::Strong => ("<strong>", "</strong>"),
            Tag::Strikethrough => ("<del>", "</del>"),
            Tag::Superscript
            | Tag::Subscript
            | Tag::FootnoteDefinition(_)
            | Tag::DefinitionList
            | Tag::DefinitionListTitle
            | Tag::DefinitionListDefinition
            | Tag::MetadataBlock(_) => ("", ""),
        };
        self.out.push_str(start);
        end.into()
    }

    fn heading(&mut self, level: HeadingLevel) -> Cow<'static, str> {
        let wanted = self.first_heading + (level as u8).saturating_sub(self.highest);
        let level = wanted.min(self.last + 1).min(6);
        self.last = level;
        let _ = write!(self.out, "<h{level}>");
        format!("</h{level}>").into()
    }

    /// A live link, or the words of one with its address after them.
    fn link(&mut self, url: &str) -> Cow<'static, str> {
        let is_outermost = self.anchors == 0;
        if is_outermost && let Some(url) = live(url) {
            self.anchors += 1;
            self.out.push_str("<a rel=\"noopener noreferrer nofollow\" href=\"");
            escape(&url, self.out);
            self.out.push_str("\">");
            return "</a>".into();
        }
        match text::clean(url, MAX_URL) {
            shown if !is_outermost || shown.is_empty() => "".into(),
            shown => format!(" ({})", escaped(&shown)).into(),
        }
    }
}

/// An address that may be live, as an attribute can hold it: http or https to a plain host, or mail. One that has a name and
/// password in it, or a host that looks like another one, is shown as text.
fn live(url: &str) -> Option<String> {
    let is_plain = |char: char| text::is_shown(char) && !char.is_whitespace() && char != '\\';
    if url.chars().count() > MAX_URL || !url.chars().all(is_plain) {
        return None;
    }
    let after = |scheme: &str| {
        let start = url.get(..scheme.len())?;
        start.eq_ignore_ascii_case(scheme).then(|| &url[scheme.len()..])
    };
    let is_live = match (after("https://").or_else(|| after("http://")), after("mailto:")) {
        (Some(rest), _) => is_plain_host(rest.split(['/', '?', '#']).next().unwrap_or_default()),
        (None, Some(rest)) => rest.contains('@') && !rest.starts_with('/'),
        (None, None) => false,
    };
    is_live.then(|| url.replace('"', "%22").replace('<', "%3C").replace('>', "%3E"))
}

fn is_plain_host(host: &str) -> bool {
    let (name, port) = host.split_once(':').unwrap_or((host, "80"));
    let is_label = |label: &str| {
        let is_plain = label.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
        let lower = label.to_ascii_lowercase();
        (1..=63).contains(&label.len()) && is_plain && !lower.starts_with("xn--") && lower.get(2..4) != Some("--")
    };
    let labels: Vec<&str> = name.strip_suffix('.').unwrap_or(name).split('.').collect();
    let is_number = labels.last().is_some_and(|label| label.starts_with(|char: char| char.is_ascii_digit()));
    let decimal = |label: &&str| label.parse::<u8>().is_ok() && (label.len() == 1 || !label.starts_with('0'));
    let is_address = labels.len() == 4 && labels.iter().all(decimal);
    port.parse::<u16>().is_ok()
        && name.len() <= 253
        && labels.iter().all(|label| is_label(label))
        && (!is_number || is_address)
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use proptest::prelude::*;

    use super::super::claims::Claims;
    use super::super::hostile::HOSTILE;
    use super::*;

    fn page(text: &str) -> String {
        let mut out = String::new();
        rich(text, 3, &mut Claims::default().before(0), &mut out);
        out
    }

    /// Exactly what this file may write: what a sanitizer would change should not be there.
    fn oracle() -> ammonia::Builder<'static> {
        let tags = "p h3 h4 h5 h6 blockquote pre code ul ol li table thead tbody tr th td em strong del a br hr";
        let mut oracle = ammonia::Builder::empty();
        oracle
            .tags(tags.split(' ').collect())
            .tag_attributes(HashMap::from([("a", HashSet::from(["href", "rel"])), ("ol", HashSet::from(["start"]))]))
            .url_schemes(HashSet::from(["http", "https", "mailto"]))
            .link_rel(None);
        oracle
    }

    #[test]
    fn a_sanitizer_has_nothing_to_take_out_of_a_hostile_text() {
        let oracle = oracle();
        assert!(HOSTILE.len() >= 60);
        for text in HOSTILE {
            for text in [
                (*text).to_owned(),
                format!("> - {text}"),
                format!("a **b {text} c**"),
                format!("| {text} |\n|---|\n| {text} |"),
            ] {
                let page = page(&text);
                assert_eq!(oracle.clean(&page).to_string(), page, "{text}");
            }
        }
        let whole = page(&HOSTILE.join("\n\n"));
        assert_eq!(oracle.clean(&whole).to_string(), whole);
    }

    #[test]
    fn only_plain_links_to_the_web_and_to_mail_are_live() {
        for url in [
            "https://example.com",
            "HTTP://Example.COM:8080/a?b=c&d#e",
            "https://127.0.0.1/x",
            "https://a-b.example.com./ü",
            "mailto:a@example.com",
        ] {
            let page = page(&format!("[x](<{url}>)"));
            let href = escaped(url);
            assert_eq!(page, format!("<p><a rel=\"noopener noreferrer nofollow\" href=\"{href}\">x</a></p>"));
        }
        for url in [
            "javascript:alert(1)",
            "//example.com",
            "src/main.rs",
            "#verdict",
            "https:example.com",
            "https://a@example.com/",
            "https://exаmple.com/",
            "https://xn--a.com",
            "https://256.1.1.1/",
            "https://1.2.3/",
            "https://a..b/",
            "https://a.example:port/",
            "mailto:nobody",
            "ftp://example.com/",
        ] {
            let page = page(&format!("[x](<{url}>)"));
            assert_eq!(page, format!("<p>x ({url})</p>"));
        }
        assert_eq!(page("[x](<java&#9;script:alert(1)>)"), "<p>x (java script:alert(1))</p>");
    }

    #[test]
    fn pictures_are_not_loaded_and_links_do_not_stand_in_links() {
        let one = "<a rel=\"noopener noreferrer nofollow\" href=\"https://a.example/\">";
        assert_eq!(page("![alt](https://a.example/)"), format!("<p>{one}alt</a></p>"));
        assert_eq!(page("[![alt](https://b.example/)](https://a.example/)"), format!("<p>{one}alt</a></p>"));
        assert_eq!(page("![a [b](https://b.example/)](https://a.example/)"), format!("<p>{one}a b</a></p>"));
        assert_eq!(page("![alt](x.png)"), "<p>alt (x.png)</p>");
    }

    #[test]
    fn html_is_shown_as_text_and_headings_follow_each_other() {
        assert_eq!(page("a <b>c</b>"), "<p>a <code>&lt;b&gt;</code>c<code>&lt;/b&gt;</code></p>");
        assert_eq!(page("<div>\nx"), "<pre><code>&lt;div&gt;\nx</code></pre>");
        assert_eq!(page("# a\n#### b\n## c"), "<h3>a</h3><h4>b</h4><h4>c</h4>");
        assert_eq!(page("### a\n# b"), "<h3>a</h3><h3>b</h3>");
        assert_eq!(page("3. x\n4. y"), "<ol start=\"3\"><li>x</li><li>y</li></ol>");
        assert_eq!(
            page("|a|\n|-|\n|b|"),
            "<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>b</td></tr></tbody></table>"
        );
        assert_eq!(page("a\u{202E}b&#x202E;c"), "<p>abc</p>");
    }

    #[test]
    fn nothing_is_nested_deeper_than_a_browser_follows() {
        let text = format!("{}deep", "> - ".repeat(5_000));
        let page = page(&text);
        assert!(page.matches("<blockquote>").count() <= MAX_DEPTH && page.contains("deep"));
        assert_eq!(oracle().clean(&page).to_string(), page);
    }

    proptest! {
        #[test]
        fn any_text_is_rendered_and_well_formed(
            pieces in prop::collection::vec(prop_oneof![
                prop::sample::select(HOSTILE).prop_map(str::to_owned),
                prop::sample::select(vec!["\n", "\n\n", "> ", "- ", "1. ", "# ", "**", "*", "_", "`", "```", "~~", "[", "](", ")", "![", "<", ">", "|", "|-|\n", "    ", "\t", "\\", "&", "https://a.example"]).prop_map(str::to_owned),
                any::<String>(),
            ], 0..24)
        ) {
            let page = page(&pieces.concat());
            prop_assert_eq!(oracle().clean(&page).to_string(), page);
        }
    }
}
