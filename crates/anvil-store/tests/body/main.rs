//! A debate in the body of an issue: it round-trips, and nothing else changes.

#![expect(
    clippy::unwrap_used,
    reason = "a test that finds something else than it expects has failed"
)]

mod debates;

use anvil_core::debate::StopReason;
use std::time::{Duration, Instant};

use anvil_store::issue_body::{
    self, BodyError, MAX_UNITS, PortableDebate, contains, extract, strip, units,
};
use anvil_text::error::Failure as _;
use base64::Engine as _;
use proptest::prelude::*;
use serde_json::{Value, json};
use testkit::bodies;

fn carried(state: anvil_store::StateFile, revision: u64) -> PortableDebate {
    PortableDebate::new(state, revision, &anvil_text::Scrubber::default()).unwrap()
}

fn whole(body: &str) -> PortableDebate {
    extract(body).unwrap().unwrap()
}

/// As the program embeds a debate unless it is forced: only where every block can be read.
fn embed(body: &str, debate: &PortableDebate) -> Result<String, BodyError> {
    extract(body)?;
    Ok(issue_body::embed(body, debate)?.body)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn a_body_has_no_path_and_no_secret_whatever_field_has_it(state in debates::state()) {
        let secret = format!("ghp_{}", "aB3dE5gH1jK2".repeat(4));
        // In front: a name that is cut would keep the folder as its last part.
        let planted = |text: &str| format!("/home/me/planted-folder/x {secret} {text}");
        let mut state = state;
        state.debate = state.debate.with_texts(&planted);
        let mut body = anvil_core::transcript::open(&state.debate.question);
        for entry in anvil_core::transcript::parse(&state.body).0 {
            entry.with_texts(&planted).append_to(&mut body);
        }
        state.body = body;
        let scrubber = anvil_text::Scrubber::new([], [std::path::Path::new("/home/me")]);
        let debate = PortableDebate::new(state, 1, &scrubber).unwrap();
        let json = debate.to_json();
        prop_assert!(!json.contains("planted-folder") && !json.contains(&secret), "{}", json);
        prop_assert_eq!(&whole(&embed("", &debate).unwrap()), &debate);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn embedding_round_trips_and_changes_nothing_else(
        text in bodies::body(),
        state in debates::state(),
        revision: u64,
    ) {
        prop_assert_eq!(contains(&text), !matches!(extract(&text), Ok(None)));
        let expected = debates::travels(state.clone());
        let debate = PortableDebate::new(state, revision, &anvil_text::Scrubber::default()).unwrap();
        prop_assert_eq!((&debate.state().debate, &debate.state().body), (&expected.debate, &expected.body));
        let Ok(with) = embed(&text, &debate) else {
            // The body had a false block, or several.
            prop_assert!(contains(&text) && extract(&text).is_err());
            if let Ok(fresh) = issue_body::embed(&text, &debate) {
                prop_assert_eq!(&whole(&fresh.body), &debate);
                let around = strip(&text);
                let is_one = fresh.removed.len() == 1;
                let around = if is_one { around } else { strip(&around) };
                prop_assert_eq!(strip(&fresh.body), around);
                prop_assert!(fresh.removed.iter().all(|removed| text.contains(removed)) && !fresh.removed.is_empty());
            }
            return Ok(());
        };
        prop_assert_eq!(&whole(&with), &debate);
        prop_assert_eq!(strip(&with), strip(&text));
        prop_assert_eq!(embed(&with, &debate).unwrap(), with.clone());
        prop_assert!(contains(&with));
        prop_assert!(contains(&text) || with.contains(text.trim_start_matches('\u{feff}')), "{:?}", with);
        let rendered = debate.state().render().unwrap();
        prop_assert_eq!(whole(&with).state().render().unwrap(), rendered);
        // Another parser sees a comment, which no reader sees.
        if !text.contains("anvil-state") {
            let block = &with[with.find("<!-- anvil-state").unwrap()..];
            let block = &block[..block.find("-->").unwrap() + 3];
            prop_assert!(comments(&with).iter().any(|comment| comment.trim() == block), "{:?}", with);
        }
    }

    #[test]
    fn an_update_keeps_one_block_in_its_place(
        text in bodies::body(),
        behind in "[a-z\n]{0,20}",
        states in prop::collection::vec(debates::state(), 1..4),
    ) {
        prop_assume!(!contains(&text));
        let first = PortableDebate::new(states[0].clone(), 0, &anvil_text::Scrubber::default()).unwrap();
        let mut now = embed(&text, &first).unwrap();
        let is_on_top = now.trim_start_matches('\u{feff}').starts_with("<!-- anvil-state\n") && !text.is_empty();
        if !is_on_top {
            now.push('\n');
            now.push_str(&behind);
        }
        let reader = strip(&now);
        for (revision, state) in (1..).zip(states) {
            let debate = PortableDebate::new(state, revision, &anvil_text::Scrubber::default()).unwrap();
            now = embed(&now, &debate).unwrap();
            prop_assert_eq!(whole(&now), debate);
            prop_assert_eq!(strip(&now), reader.clone());
        }
    }
}

#[test]
fn every_real_or_unclosed_body_accepts_a_block() {
    let debate = carried(debates::plain(3, "A text --> with -- marks"), 1);
    for text in bodies::REAL {
        let with = embed(text, &debate).unwrap();
        assert!(with.starts_with(text) && with.ends_with("\n-->"), "{text}");
        assert_eq!((strip(&with).as_str(), whole(&with)), (text, debate.clone()));
    }
    for text in bodies::OPEN {
        let with = embed(text, &debate).unwrap();
        assert_eq!((strip(&with).as_str(), whole(&with)), (text, debate.clone()));
        let block = embed("", &debate).unwrap();
        assert!(comments(&with).iter().any(|comment| comment.trim() == block), "{with:?}");
    }
    let with = embed("```\ncode", &debate).unwrap();
    assert!(with.starts_with("<!-- anvil-state\n") && with.ends_with("-->\n```\ncode"));
}

#[test]
fn changed_line_ends_do_no_harm() {
    let debate = carried(debates::plain(3, "Text\nof lines"), 1);
    for text in bodies::REAL {
        let with = embed(text, &debate).unwrap().replace("\r\n", "\n").replace('\n', "\r\n");
        assert_eq!(whole(&with), debate);
        assert_eq!(strip(&with), text.replace("\r\n", "\n").replace('\n', "\r\n"));
    }
}

#[test]
fn a_block_is_found_between_the_tags_of_an_element_unless_they_hold_text() {
    let debate = carried(debates::plain(1, "A"), 1);
    let block = embed("", &debate).unwrap();
    for (element, found) in [("details", Some(debate)), ("pre", None)] {
        for indent in ["", "  "] {
            let body = format!("<{element}>\n{indent}{block}\n</{element}>\n");
            assert_eq!(extract(&body).unwrap(), found, "{body}");
            assert_eq!(strip(&body).contains("anvil-state"), found.is_none(), "{body}");
        }
    }
}

#[test]
fn unreadable_parts_are_named_and_kept() {
    let debate = carried(debates::plain(1, "A"), 1);
    let sound = embed("Text", &debate).unwrap();
    let twice = format!("{sound}\n\n{}", embed("", &debate).unwrap());
    let broken = sound.replace("\"version\":1", "\"version\":");
    let newer = sound.replace("\"version\":1", "\"version\":2");
    let cut = &sound[..sound.len() - 4];
    let begun_twice = sound.replace("<!-- anvil-state\n", "<!-- anvil-state\n<!-- anvil-state\n");
    for (text, count) in
        [(twice.as_str(), 2), (&broken, 1), (&newer, 1), (cut, 1), (&begun_twice, 1)]
    {
        let error = extract(text).unwrap_err();
        assert_eq!(embed(text, &debate).unwrap_err(), error);
        assert!(contains(text));
        let fresh = issue_body::embed(text, &debate).unwrap();
        assert_eq!(
            (whole(&fresh.body), strip(&fresh.body).as_str(), fresh.removed.len()),
            (debate.clone(), "Text", count)
        );
    }
    assert_eq!(extract(&twice).unwrap_err(), BodyError::Several(2));
    assert!(matches!(extract(&broken).unwrap_err(), BodyError::Broken(_)));
    assert_eq!(extract(&newer).unwrap_err(), BodyError::Newer(2));
    assert_eq!(extract(cut).unwrap_err(), BodyError::Unclosed);
}

#[test]
fn a_value_out_of_range_is_named() {
    let sound = embed("", &carried(debates::plain(1, "A"), 1)).unwrap();
    for (from, to, named) in [
        ("\"round\":1,\"started_at\"", "\"round\":99,\"started_at\"", "round"),
        ("\"id\":\"2026", "\"id\":\"../2026", "id"),
        ("\"kind\":\"advocate\"", "\"kind\":\"judge\"", "section 1"),
        ("\"revision\":1", "\"revision\":-1", "revision"),
        ("\"options\":{", "\"options\":{\"position\":{\"a\":1},", "position"),
        ("\"pointer\":{", "\"pointer\":{\"mode\":\"analyst\",", "mode"),
        ("\"options\":{", "\"added\":{\"session_id\":\"x\"},\"options\":{", "session_id"),
        ("\"version\":1", "\"version\":0", "its version"),
    ] {
        assert!(sound.contains(from), "{from} is not in {sound}");
        let error = extract(&sound.replace(from, to)).unwrap_err();
        assert!(error.to_string().contains(named), "{error}");
    }
}

#[test]
fn no_session_or_machine_data_enters_or_leaves_a_body() {
    let mut state = debates::plain(1, "A");
    state.debate.claim("secret-session", None, state.debate.updated_at());
    state.debate.options.output = Some("/home/me/report.md".into());
    state.debate.options.context_source =
        Some("src, /home/me/notes.md, ~/one.md, C:\\home\\two.md".into());
    state.debate.options.follow_up = Some("/home/me/past.md".into());
    let with = embed("", &carried(state, 1)).unwrap();
    assert!(!with.contains("secret-session") && !with.contains("/home"), "{with}");
    assert!(with.contains("\"follow_up\":\"past.md\""), "{with}");
    assert!(
        with.contains("\"context_source\":\"src, notes.md, one.md, two.md\"")
            && with.contains("\"status\":\"paused\"")
    );
    let text = debates::plain(1, "A").render().unwrap();
    let text = text.replacen("\n---\n", "\nmine: [\"/home/me/own.md\", 7]\n---\n", 1);
    let own = anvil_store::StateFile::parse(&text).unwrap();
    let scrubber = anvil_text::Scrubber::new([], [std::path::Path::new("/home/me")]);
    let own = PortableDebate::new(own, 1, &scrubber).unwrap().to_json();
    assert!(own.contains("\"mine\":[") && !own.contains("/home"), "{own}");
    // It is not trusted either if somebody has put it there.
    let forged = with.replace(
        "\"options\":{",
        "\"options\":{\"output\":\"/etc/x\",\"session_id\":\"mine\",\"active\":true,",
    );
    let carried = whole(&forged.replace("\"status\":\"paused\"", "\"status\":\"in_progress\""));
    let debate = carried.state().debate.clone();
    assert_eq!(
        (debate.options.output.as_deref(), debate.session_id(), debate.status()),
        (None, None, anvil_core::debate::Status::Paused)
    );
}

/// The blocks of HTML on the top level, as a parser of GitHub's family finds them, with its
/// extensions.
fn comments(body: &str) -> Vec<String> {
    let arena = comrak::Arena::new();
    let mut options = comrak::Options::default();
    (options.extension.table, options.extension.tasklist, options.extension.strikethrough) =
        (true, true, true);
    (options.extension.footnotes, options.extension.autolink, options.extension.alerts) =
        (true, true, true);
    let root = comrak::parse_document(&arena, body, &options);
    let html = root.children().filter_map(|node| match &node.data.borrow().value {
        comrak::nodes::NodeValue::HtmlBlock(html) => Some(html.literal.clone()),
        _ => None,
    });
    html.collect()
}

/// A text that compression does not make smaller.
fn noise(length: usize) -> String {
    let mut seed = 1_u64;
    let mut next = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(b'!' + (seed >> 33) as u8 % 90)
    };
    (0..length).map(|_| next()).collect()
}

#[test]
fn long_texts_are_compressed_and_too_long_ones_reported() {
    let prose = "Words that are said again and again. ".repeat(400);
    let small = carried(debates::plain(2, &prose), 1);
    assert!(embed("", &small).unwrap().contains("\"sections\":["));
    let large = carried(debates::plain(9, &prose), 1);
    let with = embed("Text", &large).unwrap();
    assert!(
        with.contains("\"deflated\":\"")
            && with.contains("\"phase\":\"")
            && with.contains("\"mode\":"),
        "{with}"
    );
    assert!(units(&with) < 10_000);
    assert_eq!(whole(&with), large);
    let huge = carried(debates::plain(9, &noise(60_000)), 1);
    let Err(error @ BodyError::TooLong { units: over }) = embed("Text", &huge) else {
        panic!("it fits")
    };
    assert!(
        error.to_string().contains(&format!("{} more than the 65536", over - MAX_UNITS)),
        "{error}"
    );
    assert!(error.hint().plain().contains("--comment` posts the report"));
    assert_eq!(issue_body::room("Text", &huge), Ok(None));
    let left = issue_body::room("Text", &large).unwrap().unwrap();
    assert_eq!(left, MAX_UNITS - units(&with));
}

/// A body with this list in its block, packed.
fn with_sections(sections: &Value) -> String {
    let packed = miniz_oxide::deflate::compress_to_vec_zlib(sections.to_string().as_bytes(), 9);
    let mut body = embed("", &carried(debates::plain(3, "Words"), 1)).unwrap();
    let begin = body.find(",\"sections\":").unwrap();
    let packed = base64::engine::general_purpose::STANDARD.encode(packed);
    body.truncate(begin);
    body + &format!(",\"deflated\":\"{packed}\"}}\n-->")
}

#[test]
fn more_sections_than_a_debate_can_have_are_refused_at_once() {
    let section = json!({
        "at": "2026-11-25T03:27:24Z", "kind": "advocate", "round": 1, "cycle": 1, "text": "x",
        "words": 1
    });
    let body = with_sections(&Value::from(vec![section.clone(); 60_000]));
    assert!(body.len() < 30_000);
    let begin = Instant::now();
    let error = extract(&body).unwrap_err();
    assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());
    assert_eq!(error.to_string(), "the debate has 60000 sections, and a body takes at most 10000");
    // Their headings are more than a state file can have.
    let error = extract(&with_sections(&Value::from(vec![section; 10_000]))).unwrap_err();
    assert!(error.to_string().contains("more than 5000 headings"), "{error}");
}

#[test]
fn the_documented_limits_are_exact() {
    let debate = carried(debates::plain(3, "Words"), 1);
    // In a body of that many characters; the text before the block fills the rest.
    let in_body_of =
        |most: usize, packing: &str, embed: &dyn Fn(&str) -> Result<String, BodyError>| {
            let probe = embed(&"a".repeat(most - 5_000)).unwrap();
            assert!(probe.contains(packing), "{probe}");
            (
                embed(&"a".repeat(most - 5_000 + most - units(&probe))),
                most - 5_000 + most - units(&probe),
            )
        };
    let whole = |text: &str| embed(text, &debate);
    let (plain, length) = in_body_of(60_000, "\"sections\":[", &whole);
    let plain = plain.unwrap();
    assert!(units(&plain) == 60_000 && plain.contains("\"sections\":["));
    assert!(whole(&"a".repeat(length + 1)).unwrap().contains("\"deflated\":\""));
    let (full, length) = in_body_of(MAX_UNITS, "\"deflated\":\"", &whole);
    assert_eq!(units(&full.unwrap()), MAX_UNITS);
    let error = whole(&"a".repeat(length + 1)).unwrap_err();
    assert_eq!(error, BodyError::TooLong { units: MAX_UNITS + 1 });
    assert!(error.to_string().contains(", 1 more than"), "{error}");
}

#[test]
fn a_body_for_no_forge_has_at_most_8_mib() {
    let debate = carried(debates::plain(3, "Words"), 1);
    let embed = |length: usize| issue_body::embed_long(&"a".repeat(length), &debate);
    let most = (8 << 20) - (embed(100_000).unwrap().body.len() - 100_000);
    assert_eq!(embed(most).unwrap().body.len(), 8 << 20);
    assert_eq!(embed(most + 1), Err(BodyError::Huge));
}

#[test]
fn a_compression_bomb_is_refused() {
    let large = carried(debates::plain(9, &"Words said again. ".repeat(800)), 1);
    let with = embed("", &large).unwrap();
    let at = with.find("\"deflated\":\"").unwrap() + 12;
    let end = at + with[at..].find('"').unwrap();
    // A sound list after this many spaces.
    let bomb = |mebibytes: usize| {
        let list = format!("{}[]", " ".repeat((mebibytes << 20) - 2));
        let packed = miniz_oxide::deflate::compress_to_vec_zlib(list.as_bytes(), 9);
        let packed = base64::engine::general_purpose::STANDARD.encode(packed);
        extract(&format!("{}{packed}{}", &with[..at], &with[end..]))
    };
    assert!(bomb(8).is_ok());
    let error = bomb(40).unwrap_err();
    assert!(error.to_string().contains("unpacked"), "{error}");
    assert_eq!(extract(&"a".repeat(issue_body::MAX_BODY_BYTES + 1)).unwrap_err(), BodyError::Huge);
}

#[test]
fn a_debate_has_all_of_another_that_lacks_only_later_sections() {
    type Change<'a> = &'a dyn Fn(&mut anvil_store::StateFile);
    let at = |replies: usize| carried(debates::plain(replies, "A"), 1);
    for one in 0..=9 {
        for other in 0..=9 {
            assert_eq!(at(one).has_all_of(&at(other)), one >= other, "{one} and {other}");
        }
    }
    let changed = |replies: usize, change: Change<'_>| {
        let mut state = debates::plain(replies, "A");
        change(&mut state);
        carried(state, 9)
    };
    // The shorter one: has it something that the longer one lacks?
    let is_covered = |change: Change<'_>| at(3).has_all_of(&changed(2, change));
    assert!(is_covered(&|_| {}));
    assert!(is_covered(&|state| state
        .debate
        .pause(StopReason::Said("a reason".into()), state.debate.updated_at())));
    // An undo is a later step with fewer sections.
    assert!(is_covered(&|state| state.debate.take_step_after(9)));
    let covers: [Change<'_>; 6] = [
        &|state| state.body = state.body.replace("> A", "> B"),
        &|state| state.debate.id = "another".into(),
        &|state| state.debate.question = "Else?".into(),
        &|state| state.debate.options.max_rounds = 5,
        &|state| state.debate.steer("look at costs".into()),
        &|state| state.debate.request_synthesis(),
    ];
    for (number, change) in covers.into_iter().enumerate() {
        assert!(!is_covered(change), "{number}");
        assert!(number > 3 || !changed(3, change).has_all_of(&at(2)), "{number}");
    }
    // What waits in both is not lost.
    let waits: Change<'_> = &|state| state.debate.steer("costs".into());
    assert!(changed(3, waits).has_all_of(&changed(2, waits)));
    // With the same words the later one has more.
    let paused: Change<'_> = &|state| {
        let later = state.debate.updated_at() + Duration::from_secs(1);
        state.debate.pause(StopReason::Said("a reason".into()), later);
    };
    assert!(changed(3, paused).has_all_of(&at(3)) && !at(3).has_all_of(&changed(3, paused)));
    // A word within a section is no section.
    let cut: Change<'_> = &|state| state.body.truncate(state.body.trim_end().len() - 1);
    assert!(!at(3).has_all_of(&changed(3, cut)));
}
