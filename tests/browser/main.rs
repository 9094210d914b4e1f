//! The page of a report in a real browser: it opens, links and prints; it is legible in light and
//! dark mode and on a phone; axe-core finds nothing; it requests nothing and runs nothing.
//!
//! A plain `cargo test` ignores these tests, since they need Chromium, poppler's `pdftotext`, and
//! the packages of `tests/e2e`. To run them:
//!
//! ```text
//! npm --prefix tests/e2e ci
//! cargo test --test browser -- --ignored
//! ```

#![cfg(unix)]

mod chromium;
#[path = "../../crates/anvil-report/src/hostile.rs"]
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

/// Opens every closed part.
const OPEN_ALL: &str = "document.querySelectorAll('details').forEach(part => part.open = true)";

#[test]
#[ignore = "needs Chromium"]
fn a_claim_opens_and_collapses_by_mouse_and_keyboard() {
    let text_kind = TextKind::new();
    let page = Page::of(&text_kind.debate());
    for (part, summary) in [
        ("#thread-A1", ".thread summary"),
        ("#record article", ".folded summary"),
        (".course p", ".course summary"),
    ] {
        let shown = format!(
            "document.querySelector('{part}').checkVisibility({{ contentVisibilityAuto: true }})"
        );
        assert!(!page.is(&shown), "{part} is closed at first");
        page.click(summary);
        assert!(page.is(&shown), "{part}");
        page.click(summary);
        assert!(!page.is(&shown), "{part}");
        page.ask(&format!("document.querySelector('{summary}').focus()"));
        page.press("Enter");
        assert!(page.is(&shown), "{part}");
        page.press(" ");
        assert!(!page.is(&shown), "{part}");
    }
    assert_silent(&page);
}

#[test]
#[ignore = "needs Chromium"]
fn the_keyboard_reaches_the_claims_with_visible_focus() {
    let text_kind = TextKind::new();
    let page = Page::of(&text_kind.debate());
    page.press("Tab");
    assert_eq!(page.ask("document.activeElement.className"), "skip");
    assert!(
        page.is("document.activeElement.getBoundingClientRect().left >= 0"),
        "it is in view while it is in focus"
    );
    page.press("Enter");
    assert_eq!(page.ask("location.hash"), "#claims");
    page.press("Tab");
    assert!(page.is("document.activeElement.matches('#claims summary')"), "the card was skipped");

    // Every tab stop of the page has a focus ring.
    page.screen(PHONE, "light");
    page.ask(OPEN_ALL);
    page.ask("location.hash = ''; document.activeElement.blur(); document.querySelector('.skip').focus()");
    let stops =
        page.ask("document.querySelectorAll('a, summary').length").as_u64().expect("a number");
    let mut seen = HashSet::new();
    for _ in 1..stops {
        page.press("Tab");
        let stop = page.ask(
            "(stop => { const { top, bottom } = stop.getBoundingClientRect(), style = getComputedStyle(stop); \
             return [[...document.querySelectorAll('a, summary')].indexOf(stop), style.outlineStyle != 'none' && parseFloat(style.outlineWidth) >= 2, \
             top >= 0 && bottom <= innerHeight, stop.outerHTML.slice(0, 300), top, bottom]; })(document.activeElement)",
        );
        assert!(stop[1] == true && stop[2] == true, "{stop}");
        seen.insert(stop[0].to_string());
    }
    assert_eq!(seen.len() as u64, stops - 1, "{seen:?}");
    assert_silent(&page);
}

#[test]
#[ignore = "needs Chromium"]
fn axe_finds_nothing_wrong_on_any_screen() {
    let modules = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/e2e/node_modules");
    let axe = std::fs::read_to_string(format!("{modules}/axe-core/axe.min.js"))
        .expect("npm --prefix tests/e2e ci");
    let text_kind = TextKind::new();
    let page = Page::new();
    let files = [
        text_kind.debate(),
        text_kind.crowded(),
        text_kind.voices(),
        text_kind.options(),
        text_kind.judges(),
    ];
    for file in files {
        page.open(&file);
        page.ask(&format!("{axe}; 0"));
        for before in ["0", OPEN_ALL] {
            page.ask(before);
            for screen in [WIDE, PHONE] {
                for scheme in ["light", "dark"] {
                    page.screen(screen, scheme);
                    let found = page.ask(
                        "axe.run().then(found => found.violations.map(one => [one.id, one.nodes[0].html]))",
                    );
                    assert_eq!(found, serde_json::json!([]), "{file:?} {screen:?} {scheme}");
                }
            }
        }
    }
}

#[test]
#[ignore = "needs Chromium"]
fn paper_shows_the_card_the_claims_and_their_threads() {
    let text_kind = TextKind::new();
    let page = Page::of(&text_kind.debate());
    page.ask("document.querySelector('#verdict .claim').focus({ focusVisible: true })");
    page.paper(A4, "dark");
    for left_out in [".skip", ".folded", ":focus > .tip"] {
        assert_eq!(
            page.ask(&format!("getComputedStyle(document.querySelector('{left_out}')).display")),
            "none",
            "{left_out}"
        );
    }
    assert_eq!(
        page.ask("getComputedStyle(document.documentElement).backgroundColor"),
        "rgb(255, 255, 255)"
    );
    assert!(page.is("[...document.querySelectorAll('.thread')].every(part => !part.open)"));
    assert!(page.is(
        "[...document.querySelectorAll('.thread > :not(summary)')].every(part => part.checkVisibility({ contentVisibilityAuto: true }))"
    ));
    assert!(page.is("document.documentElement.scrollWidth <= innerWidth"), "nothing is cut off");
    assert_legible(&page);

    let texts_of = |selector: &str| {
        let texts = page.ask(&format!("[...document.querySelectorAll({selector:?})].map(part => {{ const shown = part.cloneNode(true); shown.querySelectorAll('.tip').forEach(tip => tip.remove()); return shown.textContent; }})"));
        let texts = texts.as_array().expect("texts").iter().filter_map(|text| text.as_str());
        texts.map(str::to_owned).collect::<Vec<String>>()
    };
    let close = |text: &str| text.split_whitespace().collect::<String>();
    let printed = |pdf: Vec<u8>| {
        let printed = text_kind.put("printed.pdf", pdf);
        let read = Command::new("pdftotext").arg("-raw").arg(printed).arg("-").output();
        let text = String::from_utf8(read.expect("poppler's pdftotext").stdout).expect("text");
        (text.matches('\u{c}').count(), close(&text))
    };
    let (sheets, text) = printed(page.pdf());
    assert_eq!(sheets, 3, "the demo is three pages");
    let texts = texts_of("main > section p, main > section li, .thread summary, .card dd, h2[id]");
    assert!(texts.len() > 50, "{}", texts.len());
    for one in texts {
        assert!(text.contains(&close(&one)), "{one}");
    }
    // Who argued counts on paper too; the rest of that part is closed.
    assert!(text.contains("Howitcameabout"));
    for left_out in ["Skiptotheclaims", "Therecord", "Aboutthisdebate"] {
        assert!(!text.contains(left_out), "{left_out}");
    }
    // The record is printed where it is open.
    page.ask("document.querySelector('.folded').open = true");
    let (sheets, text) = printed(page.pdf());
    assert!(sheets > 3, "{sheets}");
    for one in texts_of("#record p, #record li, #record h3, #record h4") {
        assert!(text.contains(&close(&one)), "{one}");
    }
    assert_silent(&page);
}

#[test]
#[ignore = "needs Chromium"]
fn the_card_says_what_to_do_before_what_is_doubted() {
    let text_kind = TextKind::new();
    let page = Page::of(&text_kind.debate());
    page.screen(PHONE, "light");
    let parts = "['h1', '.badge', '.lead', '.steps', '.cautions', 'dl'].map(part => \
                 document.querySelector('#verdict ' + part).getBoundingClientRect())";
    let is_below = "(part, at, all) => !at || all[at - 1].bottom <= part.top";
    assert!(page.is(&format!("{parts}.every({is_below})")), "one below the other");
    page.screen(WIDE, "light");
    assert!(page.is(&format!("(all => all[3].left >= all[5].right)({parts})")), "on the right");
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
        page.ask(OPEN_ALL);
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
        page.ask(OPEN_ALL);
        let widest = page.ask(
            "(wide => [document.documentElement.scrollWidth, wide && wide.outerHTML.slice(0, 200)])\
             ([...document.querySelectorAll('main *')].find(part => part.getBoundingClientRect().right > innerWidth + 1 && !part.closest('table')))",
        );
        assert_eq!(widest, serde_json::json!([PHONE.0, null]));
        // Letters of 14 pixels, and WCAG 2.2's smallest size of a touch target.
        assert!(page.is(
            "(lines => lines.length > 7 && lines.every(line => { const { left, right, width, height } = line.getBoundingClientRect(); \
             return left >= 0 && right <= innerWidth && width >= 24 && height >= 24 && parseFloat(getComputedStyle(line).fontSize) >= 14; }))\
             ([...document.querySelectorAll('.thread > summary')])"
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
        ["1. PostgreSQL", "2. nothing new", "3. Redis", "4. a store of our own that we write"];
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
        assert_eq!(page.ask("document.body.children.length"), 2, "{text:?}");
        // A page whose findings are all cautions of its verdict has no third section.
        let sections =
            page.ask("[...document.querySelectorAll('main > section')].map(part => part.id)");
        let known = [
            serde_json::json!(["verdict", "claims"]),
            serde_json::json!(["verdict", "claims", "checked"]),
        ];
        assert!(known.contains(&sections), "{text:?}: {sections}");
    }
}

#[test]
#[ignore = "needs Chromium"]
fn a_number_previews_its_claim_and_links_to_it_and_back() {
    let text_kind = TextKind::new();
    let page = Page::of(&text_kind.debate());
    let shown = "[...document.querySelectorAll('.tip')].filter(tip => tip.checkVisibility()).map(tip => tip.innerText.replace(/\\s+/g, ' '))";
    page.ask(OPEN_ALL);
    let c4 = "Critic, round 1 The split gives up transactions on the paths that carry money";
    assert_eq!(page.ask(shown), serde_json::json!([]));
    for (screen, scheme) in [(WIDE, "light"), (WIDE, "dark"), (PHONE, "light"), (PHONE, "dark")] {
        page.screen(screen, scheme);
        for selector in ["#verdict .rests", "#record .critic p", "#record .advocate p"] {
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
                "The split gives up transactions on the paths that carry money"
            );
            assert_legible(&page);
        }
    }
    page.screen(WIDE, "light");
    page.point("h1");
    page.ask("document.querySelectorAll('details').forEach(part => part.open = false)");
    let is_in_view = "(({ top, bottom }) => top >= 0 && bottom <= innerHeight)(document.querySelector(':target').getBoundingClientRect())";
    for (from, to) in [
        ("#verdict .claim[href='#thread-C4']", "#thread-C4"),
        ("#thread-C4 a[href='#C4']", "#record article.critic strong > #C4"),
        ("#C4", "#thread-C4"),
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
        assert!(page.is(is_in_view), "{from} opens what it leads to");
    }
    assert_silent(&page);
}
