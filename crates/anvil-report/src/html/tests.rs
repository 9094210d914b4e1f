//! Pages of hostile texts, and the style.

use jiff::Timestamp;
use strum::VariantArray as _;

use super::*;
use crate::hostile::HOSTILE;
use crate::{Files, ReportSource};
use anvil_core::debate::Debate;
use anvil_core::options::{Mode, Named};
use anvil_core::place::{Place, Seat};
use anvil_core::transcript::{self, Entries, EntryKind};

type Filed = transcript::Entry;

/// A start tag with its attributes, or an end tag: every `<` of a page begins one.
fn tags(page: &str) -> Vec<(String, Vec<(String, String)>)> {
    let (before, after) = page.split_once("<style>").unwrap();
    let page = format!("{before}{}", after.split_once("</style>").unwrap().1);
    let page = page.strip_prefix("<!doctype html>").unwrap();
    let tag = |text: &str| {
        let (inside, outside) = text.split_once('>').unwrap();
        assert!(!outside.contains('>'), "{text}");
        let (name, mut unread) = inside.split_once(' ').unwrap_or((inside, ""));
        let mut attributes = Vec::new();
        while !unread.is_empty() {
            let (key, after) = unread.split_once("=\"").unwrap_or((unread, "\""));
            let (value, after) = after.split_once('"').unwrap();
            attributes.push((key.trim().to_owned(), value.to_owned()));
            unread = after.trim_start();
            // `open` has no value.
            if let Some((name, key)) = attributes.last().unwrap().0.clone().split_once(' ') {
                assert_eq!(name, "open");
                attributes.last_mut().unwrap().0 = key.to_owned();
            }
        }
        (name.to_owned(), attributes)
    };
    page.split('<').skip(1).map(tag).collect()
}

/// Checks the properties of a page that hold for every text.
fn check(page: &str) {
    let tags = tags(page);
    let known = "html head meta title body a header p h1 h2 h3 h4 h5 h6 div nav ul li main \
        section dl dt dd figure figcaption \
                 details summary table caption thead tbody tr th td article aside time span \
        blockquote pre code ol em strong del br hr b i";
    let attributes = "charset http-equiv content name class href id aria-labelledby \
        aria-label aria-describedby aria-hidden hidden rel scope datetime start lang open role tabindex";
    let mut open = Vec::new();
    let mut ids = Vec::new();
    let mut targets = Vec::new();
    let mut level = 0;
    for (name, found) in &tags {
        if let Some(end) = name.strip_prefix('/') {
            assert_eq!(open.pop(), Some(end), "{page}");
            continue;
        }
        assert!(known.split_whitespace().any(|known| known == name), "<{name}>");
        assert!(name != "a" || !open.contains(&"a"), "a link in a link: {page}");
        if !["meta", "br", "hr"].contains(&name.as_str()) {
            open.push(name.as_str());
        }
        for (key, value) in found {
            assert!(
                attributes.split_whitespace().any(|known| known == key),
                "{name} {key}=\"{value}\""
            );
            match key.as_str() {
                "id" => ids.push(value.clone()),
                "aria-describedby" | "aria-labelledby" => {
                    targets.extend(value.split(' ').map(str::to_owned));
                }
                "href" if value.starts_with('#') => targets.push(value[1..].to_owned()),
                "href" => {
                    let live = ["http://", "https://", "mailto:"];
                    assert!(
                        live.iter().any(|scheme| value.to_ascii_lowercase().starts_with(scheme)),
                        "{value}"
                    );
                }
                _ => {}
            }
        }
        if let Some(number) = name.strip_prefix('h').and_then(|number| number.parse::<u8>().ok()) {
            assert!(number <= level + 1, "h{number} behind h{level}: {page}");
            assert!(number > 1 || level == 0, "one h1");
            level = number;
        }
    }
    assert_eq!(open, [""; 0], "something is open");
    let mut single = ids.clone();
    single.sort_unstable();
    single.dedup();
    assert_eq!(single.len(), ids.len(), "an id stands twice: {ids:?}");
    assert!(targets.iter().all(|target| ids.contains(target)), "{targets:?} {ids:?}");
    // Characters that join letters and emoji, or select a variant, may stay.
    let joins = |char: char| {
        let code = u32::from(char);
        matches!(
            code,
            0x34F | 0x200C..=0x200D | 0x180B..=0x180F | 0xFE00..=0xFE0F | 0xE0100..=0xE01EF
        )
    };
    assert!(page.chars().all(|char| char == '\n' || anvil_text::is_shown(char) || joins(char)));
}

fn at(seat: Seat, round: u8) -> Place {
    Place { seat, round }
}

fn entry(what: EntryKind, text: &str, begins: usize) -> Filed {
    let is_persona = matches!(what, EntryKind::Reply(slot) if slot.seat.is_voice());
    let voice = is_persona.then(|| text.to_owned());
    let names = serde_json::json!({
        "agent": text, "model": text, "family": text, "instead_of": text
    });
    let author = serde_json::from_value(names).ok();
    Filed { voice, author, begins, ..Filed::new(what, Timestamp::UNIX_EPOCH, text) }
}

fn page(debate: &Debate, mut entries: Vec<Filed>) -> String {
    entries.sort_unstable_by_key(|entry| entry.begins);
    let note = entries.iter().find(|entry| matches!(entry.what, EntryKind::Note(_)));
    let opening = note.map(|note| Filed { what: EntryKind::Cycle, cycle: 2, ..note.clone() });
    entries.extend(opening);
    let source = ReportSource {
        debate,
        entries: &Entries(entries),
        scrubber: &anvil_text::Scrubber::default(),
    };
    html(&Model::from_source(
        &source,
        &Files { debate: debate.question.clone(), reports: vec![debate.question.clone()] },
    ))
}

#[test]
fn a_page_of_hostile_texts_loads_nothing_and_is_well_formed() {
    for text in HOSTILE {
        let mut debate = Debate::new("x".to_owned(), (*text).to_owned(), 1, Timestamp::UNIX_EPOCH);
        let named = || Some((*text).to_owned());
        (
            debate.options.position,
            debate.options.focus,
            debate.options.context_source,
            debate.options.follow_up,
        ) = (named(), named(), named(), named());
        debate.options.mode = Mode::Custom((*text).to_owned());
        debate.options.framework = Some(Named { name: (*text).to_owned(), text: None });
        let claim = format!(
            "**A1. {text}** {text} [evidence: {text}]\n\n{text}\n\n**Repairs A1:** \"{text}\" \
             {text}"
        );
        let synthesis = format!(
            "**Recommendation:** {text}\n**Confidence:** {text}\n**Would flip if:** \
             {text}\n\n- **A1** fell: {text}\n\n{text}"
        );
        let kinds = transcript::NoteKind::VARIANTS.iter().copied().enumerate();
        let notes: Vec<Filed> =
            kinds.map(|(index, kind)| entry(EntryKind::Note(kind), text, index + 1)).collect();
        let seats = [
            (Seat::Advocate, 1, claim.as_str()),
            (Seat::Critic, 1, text),
            (Seat::Synthesizer, 1, text),
        ];
        let voices = [(Seat::Voice(1), 1, *text), (Seat::Voice(2), 1, &claim)];
        for (spoken, count) in [(&seats[..], 1), (&voices[..], 3)] {
            debate.options.voices = vec![Named { name: (*text).to_owned(), text: None }; count];
            let ended = [(Seat::Synthesizer, 1, synthesis.as_str())];
            let spoken = spoken.iter().chain(&ended).enumerate();
            let reply = |(index, (seat, round, text)): (usize, &(Seat, u8, &str))| {
                entry(EntryKind::Reply(at(*seat, *round)), text, 2 * index)
            };
            let mut entries: Vec<Filed> = spoken.map(reply).collect();
            if let Some(last) = entries.last_mut() {
                last.cycle = 2;
            }
            debate.set_cycle(2);
            entries.extend(notes.iter().cloned());
            check(&page(&debate, entries));
        }
    }
}

proptest::proptest! {
    #[test]
    fn any_transcript_makes_a_well_formed_page(
        replies in proptest::collection::vec(
            (0..5_usize, 0..4_u8, 1..4_u32, proptest::sample::select(HOSTILE), ".*"),
            0..9,
        ),
        notes in proptest::collection::vec(
            (0..5_usize, 0..12_usize, proptest::sample::select(HOSTILE)),
            0..5,
        ),
        voices in 0..4_usize,
        cycle in 1..4_u32,
    ) {
        let mut debate =
            Debate::new("x".to_owned(), "Why?".to_owned(), 3, Timestamp::UNIX_EPOCH);
        debate.options.voices = vec![Named { name: "x".to_owned(), text: None }; voices];
        debate.set_cycle(cycle);
        let replies = replies.into_iter().enumerate();
        let replies = replies.map(|(begins, (seat, round, cycle, text, other))| {
            let text = format!("**A{round}. {text}** {other}\n**Attacks A1:** \"{text}\" \
                {other}\n\n- **A1** fell: {text}");
            let seats =
                [Seat::Advocate, Seat::Critic, Seat::Synthesizer, Seat::Voice(1), Seat::Voice(2)];
            let what = EntryKind::Reply(at(seats[seat], round));
            Filed { cycle, ..entry(what, &text, 2 * begins) }
        });
        let notes = notes.into_iter().map(|(kind, begins, text)| {
            entry(EntryKind::Note(transcript::NoteKind::VARIANTS[kind]), text, 2 * begins + 1)
        });
        check(&page(&debate, replies.chain(notes).collect()));
    }
}

#[test]
fn the_style_loads_nothing_and_a_page_without_texts_is_small() {
    for word in ["url(", "@import", "@font-face", "http:", "https:", "//", "expression", "</"] {
        assert!(!STYLE.contains(word), "{word}");
    }
    let mut debate = Debate::new("x".to_owned(), "Why?".to_owned(), 3, Timestamp::UNIX_EPOCH);
    assert!(page(&debate, Vec::new()).contains("No synthesis yet"));
    debate.options.max_rounds = 10;
    let rounds = (1..=10).flat_map(|round| [at(Seat::Advocate, round), at(Seat::Critic, round)]);
    let entries: Vec<Filed> = rounds
        .enumerate()
        .map(|(index, slot)| {
            let side = if slot.seat == Seat::Advocate { 'A' } else { 'C' };
            let first = (slot.number() - 1) * 4;
            let claims: Vec<String> =
                (first + 1..=first + 4).map(|number| format!("**{side}{number}.**")).collect();
            entry(EntryKind::Reply(slot), &claims.join("\n"), index)
        })
        .collect();
    let page = page(&debate, entries);
    check(&page);
    assert!(page.len() < 105_000, "{} bytes for ten rounds of four arguments a side", page.len());
}

#[test]
fn colours_are_distinguishable_in_light_and_dark_mode() {
    let palette = |css: &str| -> Vec<(String, [f64; 3])> {
        let inside = css.split_once(":root{").unwrap().1.split_once('}').unwrap().0;
        let colour = |hex: &str| {
            let hex = if hex.len() == 3 {
                hex.chars().flat_map(|char| [char, char]).collect()
            } else {
                hex.to_owned()
            };
            [0, 2, 4].map(|at| f64::from(u8::from_str_radix(&hex[at..at + 2], 16).unwrap()) / 255.0)
        };
        inside
            .split(';')
            .map(|line| line.split_once(":#").unwrap())
            .map(|(name, hex)| (name.to_owned(), colour(hex)))
            .collect()
    };
    let light = |colour: [f64; 3]| {
        let linear = colour.map(|part| {
            if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        });
        0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    };
    for css in [STYLE, STYLE.split_once("prefers-color-scheme:dark").unwrap().1] {
        let palette = palette(css);
        let of = |name: &str| palette.iter().find(|(known, _)| known == name).unwrap().1;
        let contrast = |one: &str, other: &str| {
            let one = light(of(one));
            let other = light(of(other));
            (one.max(other) + 0.05) / (one.min(other) + 0.05)
        };
        assert!(contrast("--card", "--accent") >= 4.5, "the badge");
        for ground in ["--bg", "--card", "--tint"] {
            for ink in ["--ink", "--muted", "--accent"] {
                assert!(
                    contrast(ink, ground) >= 4.5,
                    "{ink} on {ground}: {:.2}",
                    contrast(ink, ground)
                );
            }
        }
    }
}
