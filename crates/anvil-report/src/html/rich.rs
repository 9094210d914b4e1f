//! Untrusted Markdown as safe HTML: raw HTML is shown as text, and images are not loaded. Only
//! plain links to the web and to mail and the numbers of known claims are live. No id and no class
//! comes from a text.

use maud::{Markup, PreEscaped, Render, html};
use pulldown_cmark::{Event, Options, Parser, Tag, TextMergeStream};

use super::claims::KnownClaims;
use super::words::visible_text;

/// Deepest nesting of blocks that is shown; browsers flatten deeper ones.
const MAX_DEPTH: usize = 64;

/// Longest address that is live or shown, in characters.
const MAX_URL: usize = 2_000;

/// Renders a text; its own headings begin at `first_heading`. Numbers of known claims become links.
pub(crate) fn rich(text: &str, first_heading: u8, known: &mut KnownClaims<'_>) -> Markup {
    if !anvil_text::is_bounded(text) {
        return html! { pre { code { (visible_text(text)) } } };
    }
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    let levels = Parser::new_ext(text, options).filter_map(|event| match event {
        Event::Start(Tag::Heading { level, .. }) => Some(level as u8),
        _ => None,
    });
    let mut writer = RichWriter {
        highest: levels.min().unwrap_or(1),
        events: TextMergeStream::new(Parser::new_ext(text, options)),
        known,
        begins: Begins::Line,
        has_no_links: false,
        in_head: false,
        first_heading,
        last: first_heading - 1,
    };
    writer.inside(0)
}

/// A heading. Level 1 is for the page's title, never for a text.
pub(crate) fn heading(level: u8, title: &impl Render) -> Markup {
    match level {
        ..=2 => html! { h2 { (title) } },
        3 => html! { h3 { (title) } },
        4 => html! { h4 { (title) } },
        5 => html! { h5 { (title) } },
        6.. => html! { h6 { (title) } },
    }
}

/// The effect of an event on the text after it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Begins {
    Line,
    /// Bold text at the beginning of a line.
    BoldLine,
    Nothing,
}

impl Begins {
    /// The state after this event.
    fn then(self, event: &Event<'_>) -> Self {
        match event {
            Event::Start(Tag::Strong) if self == Self::Line => Self::BoldLine,
            Event::Start(Tag::Paragraph | Tag::Item) | Event::SoftBreak | Event::HardBreak => {
                Self::Line
            }
            _ => Self::Nothing,
        }
    }
}

struct RichWriter<'a, 'k, E> {
    events: E,
    known: &'a mut KnownClaims<'k>,
    begins: Begins,
    /// Inside a live link or code.
    has_no_links: bool,
    in_head: bool,
    first_heading: u8,
    /// The highest level of heading in the text.
    highest: u8,
    /// The level of the last heading: levels are not skipped.
    last: u8,
}

impl<'e, E: Iterator<Item = Event<'e>>> RichWriter<'_, '_, E> {
    /// Writes up to the end of the open element. Below the deepest level it writes no elements.
    fn inside(&mut self, depth: usize) -> Markup {
        let mut out = String::new();
        let mut too_deep = 0_usize;
        while let Some(event) = self.events.next() {
            let begins = self.begins;
            self.begins = begins.then(&event);
            match event {
                Event::End(_) if too_deep == 0 => break,
                Event::End(_) => too_deep -= 1,
                Event::Start(tag) if depth >= MAX_DEPTH => {
                    too_deep += 1;
                    // Separates the words of blocks that are too deep.
                    if matches!(tag, Tag::Paragraph | Tag::Item | Tag::TableCell) {
                        out.push(' ');
                    }
                }
                Event::Start(tag) => self.element(tag, depth + 1).render_to(&mut out),
                Event::Text(text) if !self.has_no_links => {
                    self.known.write(&text, begins == Begins::BoldLine).render_to(&mut out);
                }
                Event::Text(text) | Event::Html(text) => visible_text(&text).render_to(&mut out),
                Event::Code(text)
                | Event::InlineHtml(text)
                | Event::InlineMath(text)
                | Event::DisplayMath(text) => {
                    html! { code { (visible_text(&text)) } }.render_to(&mut out);
                }
                Event::SoftBreak => out.push('\n'),
                Event::HardBreak => html! { br; }.render_to(&mut out),
                Event::Rule => html! { hr; }.render_to(&mut out),
                Event::FootnoteReference(_) | Event::TaskListMarker(_) => {}
            }
        }
        PreEscaped(out)
    }

    fn element(&mut self, tag: Tag<'_>, depth: usize) -> Markup {
        match tag {
            Tag::Heading { level, .. } => {
                let wanted = self.first_heading + (level as u8).saturating_sub(self.highest);
                self.last = wanted.min(self.last + 1).min(6);
                heading(self.last, &self.inside(depth))
            }
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => self.link(&dest_url, depth),
            Tag::List(Some(1)) => html! { ol { (self.inside(depth)) } },
            Tag::List(Some(first)) => html! { ol start=(first) { (self.inside(depth)) } },
            Tag::List(None) => html! { ul { (self.inside(depth)) } },
            Tag::Item => html! { li { (self.inside(depth)) } },
            Tag::Paragraph => html! { p { (self.inside(depth)) } },
            Tag::BlockQuote(_) => html! { blockquote { (self.inside(depth)) } },
            Tag::CodeBlock(_) | Tag::HtmlBlock => {
                html! { pre { code { (self.without_links(depth)) } } }
            }
            Tag::Table(_) => self.table(depth),
            Tag::TableRow => html! { tr { (self.inside(depth)) } },
            Tag::TableCell if self.in_head => html! { th { (self.inside(depth)) } },
            Tag::TableCell => html! { td { (self.inside(depth)) } },
            Tag::Emphasis => html! { em { (self.inside(depth)) } },
            Tag::Strong => html! { strong { (self.inside(depth)) } },
            Tag::Strikethrough => html! { del { (self.inside(depth)) } },
            Tag::TableHead
            | Tag::Superscript
            | Tag::Subscript
            | Tag::FootnoteDefinition(_)
            | Tag::DefinitionList
            | Tag::DefinitionListTitle
            | Tag::DefinitionListDefinition
            | Tag::MetadataBlock(_) => self.inside(depth),
        }
    }

    /// A table begins with its head.
    fn table(&mut self, depth: usize) -> Markup {
        self.events.next();
        self.in_head = true;
        let head = self.inside(depth + 1);
        self.in_head = false;
        html! { table tabindex="0" { thead { tr { (head) } } tbody { (self.inside(depth)) } } }
    }

    /// A live link; or the link's words, followed by its address.
    fn link(&mut self, url: &str, depth: usize) -> Markup {
        if self.has_no_links {
            return self.inside(depth);
        }
        if let Some(url) = live(url) {
            let words = self.without_links(depth);
            return html! { a rel="noopener noreferrer nofollow" href=(url) { (words) } };
        }
        let address = anvil_text::clean(url, MAX_URL);
        html! { (self.inside(depth)) @if !address.is_empty() { " (" (address) ")" } }
    }

    fn without_links(&mut self, depth: usize) -> Markup {
        self.has_no_links = true;
        let inside = self.inside(depth);
        self.has_no_links = false;
        inside
    }
}

/// A live address, escaped for an attribute: http or https to a plain host, or mail. An address
/// with a name and password, or a host that looks like another one, is shown as text.
fn live(url: &str) -> Option<String> {
    let is_plain =
        url.chars().all(|char| anvil_text::is_shown(char) && !char.is_whitespace() && char != '\\');
    if url.chars().count() > MAX_URL || !is_plain {
        return None;
    }
    let web = after_scheme(url, "https://").or_else(|| after_scheme(url, "http://"));
    let is_live = match (web, after_scheme(url, "mailto:")) {
        (Some(address), _) => {
            is_plain_host(address.split(['/', '?', '#']).next().unwrap_or_default())
        }
        (None, Some(address)) => address.contains('@') && !address.starts_with('/'),
        (None, None) => false,
    };
    is_live.then(|| url.replace('"', "%22").replace('<', "%3C").replace('>', "%3E"))
}

fn after_scheme<'a>(url: &'a str, scheme: &str) -> Option<&'a str> {
    let start = url.get(..scheme.len())?;
    start.eq_ignore_ascii_case(scheme).then(|| &url[scheme.len()..])
}

fn is_plain_host(host: &str) -> bool {
    let (name, port) = host.split_once(':').unwrap_or((host, "80"));
    let labels: Vec<&str> = name.strip_suffix('.').unwrap_or(name).split('.').collect();
    let is_number =
        labels.last().is_some_and(|label| label.starts_with(|char: char| char.is_ascii_digit()));
    let is_address = labels.len() == 4
        && labels.iter().all(|label| {
            label.parse::<u8>().is_ok() && (label.len() == 1 || !label.starts_with('0'))
        });
    port.parse::<u16>().is_ok()
        && name.len() <= 253
        && labels.iter().all(|label| is_label(label))
        && (!is_number || is_address)
}

/// True for a part of a host's name in plain ASCII. A label such as `xn--…` stands for other
/// letters.
fn is_label(label: &str) -> bool {
    let is_plain =
        label.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    let lower = label.to_ascii_lowercase();
    (1..=63).contains(&label.len())
        && is_plain
        && !lower.starts_with("xn--")
        && lower.get(2..4) != Some("--")
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use proptest::prelude::*;

    use super::super::claims::ClaimLinks;
    use super::*;
    use crate::hostile::HOSTILE;

    fn page(text: &str) -> String {
        let page = rich(text, 3, &mut ClaimLinks::default().before(0)).into_string();
        // Both forms stand for the same character; the sanitizer uses these.
        page.replace("&quot;", "\"").replace('\u{a0}', "&nbsp;")
    }

    /// Allows exactly the HTML that this file may write: a sanitizer must not change the page.
    fn oracle() -> ammonia::Builder<'static> {
        let tags = "p h3 h4 h5 h6 blockquote pre code ul ol li table thead tbody tr th td em \
            strong del a br hr";
        let mut oracle = ammonia::Builder::empty();
        oracle
            .tags(tags.split(' ').collect())
            .tag_attributes(HashMap::from([
                ("a", HashSet::from(["href", "rel"])),
                ("ol", HashSet::from(["start"])),
                ("table", HashSet::from(["tabindex"])),
            ]))
            .url_schemes(HashSet::from(["http", "https", "mailto"]))
            .link_rel(None);
        oracle
    }

    #[test]
    fn a_sanitizer_removes_nothing_from_a_rendered_hostile_text() {
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
    fn only_plain_web_and_mail_links_are_live() {
        for url in [
            "https://example.com",
            "HTTP://Example.COM:8080/a?b=c&d#e",
            "https://127.0.0.1/x",
            "https://a-b.example.com./ü",
            "mailto:a@example.com",
        ] {
            let page = page(&format!("[x](<{url}>)"));
            let href = url.replace('&', "&amp;");
            assert_eq!(
                page,
                format!("<p><a rel=\"noopener noreferrer nofollow\" href=\"{href}\">x</a></p>")
            );
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
    fn pictures_are_not_loaded_and_links_are_not_nested() {
        let one = "<a rel=\"noopener noreferrer nofollow\" href=\"https://a.example/\">";
        assert_eq!(page("![alt](https://a.example/)"), format!("<p>{one}alt</a></p>"));
        assert_eq!(
            page("[![alt](https://b.example/)](https://a.example/)"),
            format!("<p>{one}alt</a></p>")
        );
        assert_eq!(
            page("![a [b](https://b.example/)](https://a.example/)"),
            format!("<p>{one}a b</a></p>")
        );
        assert_eq!(page("![alt](x.png)"), "<p>alt (x.png)</p>");
    }

    #[test]
    fn html_is_shown_as_text_and_headings_are_in_order() {
        assert_eq!(page("a <b>c</b>"), "<p>a <code>&lt;b&gt;</code>c<code>&lt;/b&gt;</code></p>");
        assert_eq!(page("<div>\nx"), "<pre><code>&lt;div&gt;\nx</code></pre>");
        assert_eq!(page("# a\n#### b\n## c"), "<h3>a</h3><h4>b</h4><h4>c</h4>");
        assert_eq!(page("### a\n# b"), "<h3>a</h3><h3>b</h3>");
        assert_eq!(page("3. x\n4. y"), "<ol start=\"3\"><li>x</li><li>y</li></ol>");
        assert_eq!(
            page("|a|\n|-|\n|b|"),
            "<table tabindex=\"0\"><thead><tr><th>a</th></tr></thead><tbody><tr><td>b</td></tr></tbody></table>"
        );
        assert_eq!(page("a\u{202E}b&#x202E;c"), "<p>abc</p>");
    }

    #[test]
    fn nesting_stays_within_browser_limits() {
        let text = format!("{}deep", "> - ".repeat(5_000));
        let page = page(&text);
        assert!(page.matches("<blockquote>").count() <= MAX_DEPTH && page.contains("deep"));
        assert_eq!(oracle().clean(&page).to_string(), page);
    }

    #[test]
    fn too_much_markdown_is_shown_as_it_is_written() {
        let text = "[a](b".repeat(800_000);
        assert_eq!(page(&text), format!("<pre><code>{text}</code></pre>"));
    }

    proptest! {
        #[test]
        fn any_text_is_rendered_and_well_formed(
            pieces in prop::collection::vec(prop_oneof![
                prop::sample::select(HOSTILE).prop_map(str::to_owned),
                prop::sample::select(vec![
                    "\n", "\n\n", "> ", "- ", "1. ", "# ", "**", "*", "_", "`", "```", "~~", "[",
                    "](", ")", "![", "<", ">", "|", "|-|\n", "    ", "\t", "\\", "&",
                    "https://a.example",
                ])
                .prop_map(str::to_owned),
                any::<String>(),
            ], 0..24)
        ) {
            let page = page(&pieces.concat());
            prop_assert_eq!(oracle().clean(&page).to_string(), page);
        }
    }
}
