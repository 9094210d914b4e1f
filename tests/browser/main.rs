//! The page of a report in a real browser: it collapses, links and prints; it is legible in light
//! and dark mode and on a phone; it requests nothing and runs nothing.
//!
//! A plain `cargo test` ignores these tests, since they need Chromium and poppler's `pdftotext`. To
//! run them:
//!
//! ```text
//! cargo test --test browser -- --ignored
//! ```

#![cfg(unix)]

mod chromium;
#[path = "../../src/report/hostile.rs"]
mod hostile;
mod pages;

use std::collections::HashSet;
use std::process::Command;

use chromium::{PHONE, Page, WIDE};
use pages::{TextKind, VISIBLE_TEXTS};

/// A4 without the margins of the page, at 96 pixels an inch.
const A4: (u32, u32) = (680, 1009);

/// Fails if a page did more than being read.
fn assert_silent(page: &Page) {
    assert_eq!(page.noise(), [""; 0]);
}

/// Fails if a text has too little contrast.
fn assert_legible(page: &Page) {
    let texts = page.ask(VISIBLE_TEXTS);
    let texts = texts.as_array().expect("texts");
    assert!(texts.len() > 150, "{}", texts.len());
    for text in texts {
        assert!(text[1].as_f64().expect("a ratio") >= 4.5, "{text}");
    }
}

#[test]
#[ignore = "needs Chromium"]
fn every_act_of_a_page_is_noticed() {
    let text_kind = TextKind::new();
    let page = Page::new();
    for (does, method) in [
        ("<img src=http://127.0.0.1:9/x.png>", "Network.requestWillBeSent"),
        ("<link rel=stylesheet href=style.css>", "Network.requestWillBeSent"),
        ("<style>body{background:url(x.png)}</style>", "Network.requestWillBeSent"),
        ("<script>console.log(1)</script>", "Runtime.consoleAPICalled"),
        ("<script>alert(1)</script>", "Page.javascriptDialogOpening"),
        ("<script>throw 1</script>", "Runtime.exceptionThrown"),
        (
            "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'\"><script>1</script>",
            "Log.entryAdded",
        ),
    ] {
        page.open(
            &text_kind.put(
                "noisy.html",
                format!("<!doctype html><html lang=en><title>x</title>{does}<p>x"),
            ),
        );
        let noise = page.noise();
        assert!(noise.iter().any(|line| line.starts_with(method)), "{does}: {noise:#?}");
    }
}

#[test]
#[ignore = "needs Chromium"]
fn a_round_opens_and_collapses_by_mouse_and_keyboard() {
    let text_kind = TextKind::new();
    let page = Page::of(&text_kind.debate());
    let shown = "document.querySelector('#record article').checkVisibility({ contentVisibilityAuto: true })";
    let summary = "#record summary";
    assert!(page.is(shown), "rounds are open at first");
    page.click(summary);
    assert!(!page.is(shown));
    page.click(summary);
    assert!(page.is(shown));

    page.ask(&format!("document.querySelector({summary:?}).focus()"));
    page.press("Enter");
    assert!(!page.is(shown));
    page.press(" ");
    assert!(page.is(shown));

    assert_silent(&page);
}

#[test]
#[ignore = "needs Chromium"]
fn the_keyboard_reaches_the_verdict_with_visible_focus() {
    let text_kind = TextKind::new();
    let page = Page::of(&text_kind.debate());
    page.press("Tab");
    assert_eq!(page.ask("document.activeElement.className"), "skip");
    assert!(
        page.is("document.activeElement.getBoundingClientRect().left >= 0"),
        "it is in view while it is in focus"
    );
    page.press("Enter");
    assert_eq!(page.ask("location.hash"), "#verdict");
    page.press("Tab");
    assert!(
        page.is("document.activeElement.matches('#verdict .claim')"),
        "the contents were skipped"
    );

    // Every tab stop of the page has a focus ring, and the contents hide none of them.
    page.screen(PHONE, "light");
    page.ask("document.querySelectorAll('details').forEach(part => part.open = true)");
    page.ask("location.hash = ''; document.activeElement.blur(); document.querySelector('.skip').focus()");
    let stops =
        page.ask("document.querySelectorAll('a, summary').length").as_u64().expect("a number");
    let mut seen = HashSet::new();
    for _ in 1..stops {
        page.press("Tab");
        let stop = page.ask(
            "(stop => { const { top, bottom } = stop.getBoundingClientRect(), style = getComputedStyle(stop), \
             bar = stop.closest('nav') ? 0 : document.querySelector('nav').getBoundingClientRect().bottom; \
             return [[...document.querySelectorAll('a, summary')].indexOf(stop), style.outlineStyle != 'none' && parseFloat(style.outlineWidth) >= 2, \
             top >= bar && bottom <= innerHeight]; })(document.activeElement)",
        );
        assert!(stop[1] == true && stop[2] == true, "{stop}");
        seen.insert(stop[0].to_string());
    }
    assert_eq!(seen.len() as u64, stops - 1, "{seen:?}");
    assert_silent(&page);
}

#[test]
#[ignore = "needs Chromium"]
fn the_contents_follow_the_reader_and_link_correctly() {
    let text_kind = TextKind::new();
    let page = Page::of(&text_kind.debate());
    let in_view = "(({ top, bottom }) => top >= 0 && bottom <= innerHeight)(document.querySelector('nav').getBoundingClientRect())";
    for screen in [WIDE, PHONE] {
        page.screen(screen, "light");
        let links =
            page.ask("[...document.querySelectorAll('nav a')].map(a => [a.hash, a.innerText])");
        assert_eq!(
            links.as_array().map(Vec::len),
            Some(10),
            "the verdict, the claims, the threads, what was checked, the record with four parts, the facts"
        );
        for link in links.as_array().into_iter().flatten() {
            let (hash, text) =
                (link[0].as_str().expect("a target"), link[1].as_str().expect("a text"));
            page.click(&format!("nav a[href='{hash}']"));
            // A heading of that name scrolls into view, below the contents of a phone.
            let heading = page.ask(&format!(
                "(target => {{ const heading = (target.closest('details') ?? target).querySelector('h2, h3'); const top = heading.getBoundingClientRect().top; \
                 const bar = innerWidth < 1024 ? document.querySelector('nav').getBoundingClientRect().bottom : 0; \
                 return [heading.innerText, top >= bar && top < innerHeight, [...document.querySelectorAll('nav a:target-current')].map(a => a.hash)]; }})(document.querySelector('{hash}'))"
            ));
            assert_eq!(heading[0], text);
            assert_eq!(heading[1], true, "{text} is in view at {screen:?}");
            // The last headings share the last screen.
            let is_at_end =
                page.is("scrollY + innerHeight >= document.documentElement.scrollHeight - 1");
            assert!(
                is_at_end || heading[2] == serde_json::json!([hash]),
                "{text}: {heading} is marked"
            );
            assert!(page.is(in_view), "the contents beside {text} at {screen:?}");
        }
        page.ask("scrollTo(0, document.documentElement.scrollHeight)");
        assert!(page.is(in_view), "the contents at the end, at {screen:?}");
    }
    page.click("#record summary");
    assert!(!page.is("document.querySelector('#record details').open"));
    page.click("nav a[href='#part-1']");
    assert!(
        page.is("document.querySelector('#record details').open"),
        "a link opens the round that it leads to"
    );
    assert_silent(&page);
}

#[test]
#[ignore = "needs Chromium"]
fn paper_shows_every_word_and_no_contents() {
    let text_kind = TextKind::new();
    let page = Page::of(&text_kind.debate());
    page.ask("document.querySelectorAll('details').forEach(part => part.open = false)");
    page.ask("document.querySelector('#verdict .claim').focus({ focusVisible: true })");
    page.paper(A4, "dark");
    for left_out in ["nav", ".skip", ":focus > .tip"] {
        assert_eq!(
            page.ask(&format!("getComputedStyle(document.querySelector('{left_out}')).display")),
            "none"
        );
    }
    assert_eq!(
        page.ask("getComputedStyle(document.documentElement).backgroundColor"),
        "rgb(255, 255, 255)"
    );
    assert!(page.is("[...document.querySelectorAll('details')].every(part => !part.open)"));
    assert!(page.is(
        "[...document.querySelectorAll('details > :not(summary)')].every(part => part.checkVisibility({ contentVisibilityAuto: true }))"
    ));
    assert!(page.is("document.documentElement.scrollWidth <= innerWidth"), "nothing is cut off");
    assert_legible(&page);

    let printed = text_kind.put("printed.pdf", page.pdf());
    let read = Command::new("pdftotext")
        .arg("-raw")
        .arg(printed)
        .arg("-")
        .output()
        .expect("poppler's pdftotext");
    let text = String::from_utf8(read.stdout).expect("text");
    let close = |text: &str| text.split_whitespace().collect::<String>();
    let whole = close(&text);
    let texts = page.ask("[...document.querySelectorAll('main p, main li, main h2, main h3, main h4, main dd, main summary, main td:not(:has(p))')].map(part => { const shown = part.cloneNode(true); shown.querySelectorAll('.tip').forEach(tip => tip.remove()); return shown.textContent; })");
    let texts: Vec<&str> =
        texts.as_array().expect("texts").iter().filter_map(|text| text.as_str()).collect();
    assert!(texts.len() > 100, "{}", texts.len());
    for text in texts {
        assert!(whole.contains(&close(text)), "{text}");
    }
    assert!(!whole.contains("Skiptotheverdict"));
    assert!(!text.contains("Claims\nThreads\nChecked by Anvil"));
    assert_silent(&page);
}

#[test]
#[ignore = "needs Chromium"]
fn every_text_is_legible_in_light_and_dark_mode() {
    let text_kind = TextKind::new();
    let page = Page::of(&text_kind.debate());
    let mut grounds = Vec::new();
    for file in [text_kind.debate(), text_kind.crowded()] {
        page.open(&file);
        page.ask("document.querySelectorAll('details').forEach(part => part.open = true)");
        for scheme in ["light", "dark"] {
            page.screen(WIDE, scheme);
            assert_legible(&page);
            grounds.push(page.ask("getComputedStyle(document.documentElement).backgroundColor"));
        }
        assert_silent(&page);
    }
    assert!(grounds[0] != grounds[1] && grounds[..2] == grounds[2..], "{grounds:?}");
}

#[test]
#[ignore = "needs Chromium"]
fn a_phone_shows_usable_claims_without_sideways_scrolling() {
    let text_kind = TextKind::new();
    let page = Page::new();
    let options = text_kind.options();
    for file in [text_kind.debate(), text_kind.crowded(), text_kind.voices(), options] {
        page.open(&file);
        page.screen(PHONE, "light");
        page.ask("document.querySelectorAll('details').forEach(part => part.open = true)");
        let widest = page.ask(
            "(wide => [document.documentElement.scrollWidth, wide && wide.outerHTML.slice(0, 200)])\
             ([...document.querySelectorAll('main *')].find(part => part.getBoundingClientRect().right > innerWidth + 1 && !part.closest('table')))",
        );
        assert_eq!(widest, serde_json::json!([PHONE.0, null]));
        // The contents scroll, and fade where they continue.
        assert!(page.is(
            "(list => list.parentNode.scrollWidth > innerWidth && getComputedStyle(list, '::after').position == 'sticky' \
             && getComputedStyle(list, '::after').backgroundImage.startsWith('linear-gradient'))(document.querySelector('nav ul'))"
        ));
        // Letters of 14 pixels, and WCAG 2.2's smallest size of a touch target.
        assert!(page.is(
            "(lines => lines.length > 7 && lines.every(line => { const { left, right, width, height } = line.getBoundingClientRect(); \
             return left >= 0 && right <= innerWidth && width >= 24 && height >= 24 && parseFloat(getComputedStyle(line).fontSize) >= 14; }))\
             ([...document.querySelectorAll('.lines a')])"
        ));
        assert_silent(&page);
    }
}

#[test]
#[ignore = "needs Chromium"]
fn options_are_columns_and_stand_one_below_the_other_on_a_phone() {
    let text_kind = TextKind::new();
    let page = Page::of(&text_kind.options());
    let lefts = "new Set([...document.querySelectorAll('.columns > div')].map(part => \
                 Math.round(part.getBoundingClientRect().left))).size";
    let names = "[...document.querySelectorAll('.columns h3')].map(part => part.textContent)";
    let ranked =
        ["3. Redis", "1. PostgreSQL", "2. nothing new", "4. a store of our own that we write"];
    for (screen, columns) in [(WIDE, 2..=4), (PHONE, 1..=1)] {
        page.screen(screen, "light");
        assert_eq!(page.ask(names), serde_json::json!(ranked));
        let found = page.ask(lefts).as_u64().unwrap_or_default();
        assert!(columns.contains(&found), "{found} columns at {screen:?}");
        assert_legible(&page);
        assert_eq!(page.ask("document.documentElement.scrollWidth"), screen.0);
    }
    assert_silent(&page);
}

#[test]
#[ignore = "needs Chromium"]
fn hostile_texts_run_nothing_and_request_nothing() {
    let text_kind = TextKind::new();
    let page = Page::new();
    page.ignore_policies();
    let odd = "[...document.querySelectorAll('*')].filter(part => [...part.attributes].some(({ name }) => name.startsWith('on')) \
               || /^(script|img|iframe|object|embed|form|base|link|style|video|audio)$/i.test(part.localName) && part.parentNode != document.head \
               || part.localName == 'a' && !/^(https?:|mailto:|file:)/.test(part.href) \
               || part.localName == 'a' && part.protocol == 'file:' && !document.getElementById(part.hash.slice(1))).map(part => part.outerHTML)";
    for text in hostile::HOSTILE {
        let file = text_kind.hostile(text);
        page.open(&file);
        assert_eq!(page.noise(), [""; 0], "{text:?}");
        assert_eq!(page.ask(odd), serde_json::json!([]), "{text:?}");
        assert_eq!(
            page.ask("[document.body.children.length, document.querySelectorAll('main > section').length]"),
            serde_json::json!([3, 7]),
            "{text:?}"
        );
    }
}

#[test]
#[ignore = "needs Chromium"]
fn a_number_previews_its_claim_and_links_to_it_and_back() {
    let text_kind = TextKind::new();
    let page = Page::of(&text_kind.debate());
    let shown = "[...document.querySelectorAll('.tip')].filter(tip => tip.checkVisibility()).map(tip => tip.innerText.replace(/\\s+/g, ' '))";
    let c4 = "Critic, round 1 The split gives up transactions on the paths that carry money";
    assert_eq!(page.ask(shown), serde_json::json!([]));
    for (screen, scheme) in [(WIDE, "light"), (WIDE, "dark"), (PHONE, "light"), (PHONE, "dark")] {
        page.screen(screen, scheme);
        for selector in
            ["#synthesis p", "#verdict .rests", "#record .critic p", "#record .advocate p"]
        {
            let selector = format!("{selector} .claim[href='#thread-C4']");
            page.ask("document.activeElement.blur()");
            page.point(&selector);
            assert_eq!(page.ask(shown), serde_json::json!([c4]), "{selector} at {screen:?}");
            page.point("h1");
            assert_eq!(page.ask(shown), serde_json::json!([]), "{selector} at {screen:?}");
            page.ask(&format!(
                "document.querySelector({selector:?}).focus({{ focusVisible: true }})"
            ));
            page.settle();
            assert_eq!(page.ask(shown), serde_json::json!([c4]), "{selector} at {screen:?}");
            assert!(page.is(
                "(({ left, right, top, bottom }) => left >= 0 && right <= innerWidth && top >= 0 && bottom <= innerHeight)\
                 (document.querySelector(':focus > .tip').getBoundingClientRect())"
            ), "{selector} at {screen:?}");
            // A screen reader gets the same text.
            assert_eq!(
                page.ask("document.activeElement.getAttribute('aria-describedby').split(' ').map(id => document.getElementById(id).innerText).join(' ')"),
                "C4 The split gives up transactions on the paths that carry money"
            );
            assert_legible(&page);
        }
    }
    page.screen(WIDE, "light");
    page.point("h1");
    page.ask("document.querySelectorAll('details').forEach(part => part.open = false)");
    let is_in_view = "(({ top, bottom }) => top >= 0 && bottom <= innerHeight)(document.querySelector(':target').getBoundingClientRect())";
    for (from, to) in [
        ("#verdict .claim[href='#thread-C4']", "article.thread#thread-C4"),
        ("#thread-C4 a[href='#C4']", "#record article.critic strong > #C4"),
        ("#C4", "article.thread#thread-C4"),
        ("#thread-C4 a[href='#claim-C4']", "#claims li#claim-C4"),
        ("#claim-C4 a", "article.thread#thread-C4"),
        ("#thread-C4 .moves a[href='#reply-3']", "#record article.advocate#reply-3"),
    ] {
        page.click(from);
        assert!(
            page.is(&format!("document.querySelector(':target').matches({to:?})")),
            "{from} leads to {to}"
        );
        let is_in_view = if to.ends_with("reply-3") {
            "document.querySelector(':target').getBoundingClientRect().top >= 0"
        } else {
            is_in_view
        };
        assert!(page.is(is_in_view), "{from} opens the round that it leads to");
    }
    assert_silent(&page);
}
