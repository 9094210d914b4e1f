//! Debates of every shape for the block.

use anvil_core::debate::{Debate, Ownership, Pending, PlainReason, Progress, Status, StopReason};
use anvil_core::options::{FactCheck, Mode, Named};
use anvil_core::transcript::{self, NoteKind};
use anvil_store::StateFile;
use jiff::Timestamp;
use proptest::prelude::*;
use strum::VariantArray as _;

pub(super) const AT: Timestamp = Timestamp::UNIX_EPOCH;

/// Texts that try to break out of the block, the quote or the JSON.
pub(super) fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "(-->|--!>|<!--|<!-- anvil-state|```|~~~|\n|\r\n|\r|\"|\\\\|-|--|> |## Round 1|@you|#12|😀|\u{2028}|\u{202e}|</script>|\\{|\\}|a){0,30}",
    ]
}

/// A debate that was argued to some place, with notes, steering, cycles and the user's own edits.
pub(super) fn state() -> impl Strategy<Value = StateFile> {
    (
        "[a-z][^\x00]{0,60}",
        prop::collection::vec(text(), 1..12),
        (0..5_usize, 0..16_u8, any::<u8>(), any::<u16>(), 0..10_usize),
        prop::option::of("(\n## Mine\n\nBy hand.\n|no end|\n\n\n|\r\n<!-- x -->\n|\n### Critic\n\nwritten by hand\n)"),
    )
        .prop_map(|(question, texts, (mode, material, flags, wishes, argued), by_hand)| {
            build(&question, &texts, mode, material, (flags, wishes), argued, by_hand.as_deref())
        })
}

fn build(
    question: &str,
    texts: &[String],
    mode: usize,
    material: u8,
    (flags, wishes): (u8, u16),
    argued: usize,
    by_hand: Option<&str>,
) -> StateFile {
    let has = |bit: u8| flags & (1 << bit) != 0;
    let wants = |bit: u8| wishes & (1 << bit) != 0;
    let mut texts = texts.iter().cycle().cloned();
    let mut text = move || texts.next().unwrap_or_default();
    let mut debate = Debate::new("2026-11-21-why-0001".into(), question.to_owned(), 2, AT);
    let own = |bit: u8| wants(bit).then(|| "Argue --> \"so\",\n## as I @say.".to_owned());
    debate.options.mode =
        Mode::ALL.get(mode).cloned().unwrap_or_else(|| Mode::Custom("mine --".into()));
    debate.options.mode_text = if mode < Mode::ALL.len() {
        own(0).filter(|_| debate.options.mode != Mode::Options)
    } else {
        Some("Argue.".into())
    };
    let names = ["Ann", "Bob -->", "é, \"x\"", "Eve"].iter().take(usize::from(wishes >> 14));
    debate.options.voices =
        names.map(|name| Named { name: (*name).into(), text: own(1) }).collect();
    debate.options.framework = wants(2).then(|| Named { name: "adr".into(), text: own(3) });
    (debate.options.house_rules, debate.options.position) = (own(4), own(5));
    debate.options.follow_up = wants(7).then(|| "docs/past --.md".to_owned());
    debate.options.interactive = wants(8);
    if matches!(debate.options.mode, Mode::Stakeholders | Mode::Options) {
        debate.options.voices = ["legal", "the \"ops\" -- people"]
            .map(|name| Named { name: name.into(), text: None })
            .into();
    }
    debate.options.max_rounds = debate.schedule().max_rounds;
    debate.options.focus = has(0).then(|| "cost --> value".to_owned());
    debate.options.research = has(1);
    debate.options.fact_check = has(2).then_some(FactCheck::Files);
    let is_blind = has(2) && debate.options.mode != Mode::Stakeholders;
    debate.options.blind = is_blind;
    debate.options.context_source = has(4).then(|| "src, /home/me/notes.md".to_owned());
    debate.options.output = has(5).then(|| "/home/me/report.md".to_owned());
    let schedule = debate.schedule();
    let status = Status::VARIANTS[usize::from(flags) % 6];
    // A pause without a reason is somebody's edit.
    let has_reason = wants(13) || status == Status::Paused;
    let progress = Progress {
        status,
        stop_reason: StopReason::parse("why it waits --").filter(|_| has_reason),
        place: schedule.first(),
        retry_count: u8::from(wants(11)) * 2,
        steering: has(7).then(|| "look at -->".to_owned()),
        synthesis_requested: wants(9),
        form_retry: wants(10),
        ..Progress::new(AT)
    };
    let ownership = Ownership {
        session_id: has(6).then(|| "a-session".to_owned()),
        pending: if wants(12) { Pending::Pause } else { Pending::Nothing },
        ..Ownership::default()
    };
    let Debate { id, question, options, .. } = debate;
    let mut state = StateFile::new(Debate::of_parts(id, question, options, progress, ownership));
    for (bit, &kind) in NoteKind::VARIANTS.iter().take(4).enumerate() {
        if material & (1 << bit) != 0 {
            transcript::append_note(&mut state.body, kind, AT, &text());
        }
    }
    let slots: Vec<_> = schedule.places().collect();
    for index in 0..argued {
        let slot = slots[index % slots.len()];
        if index > 0 && index % slots.len() == 0 {
            state.debate.set_cycle(state.debate.cycle() + 1);
            transcript::append_cycle(&mut state.body, state.debate.cycle(), AT, &text());
        }
        if index % 4 == 3 {
            transcript::append_note(&mut state.body, NoteKind::Steering, AT, &text());
        }
        if index % 4 == 2 {
            transcript::append_note(&mut state.body, NoteKind::FactCheck, AT, &text());
        }
        if index % 4 == 1 {
            transcript::append_note(&mut state.body, NoteKind::EvidenceCheck, AT, &text());
        }
        let voice = state.debate.voice_at(slot).map(|voice| voice.name.clone());
        let text = text();
        let author = transcript::Author::new(&text, Some(&text), None);
        transcript::Entry {
            voice,
            author: (index % 2 == 0).then_some(author),
            beginning_missing: index % 3 == 2,
            ..transcript::Entry::new(transcript::EntryKind::Reply(slot), AT, text)
        }
        .append_to(&mut state.body);
        state.debate.set_place(slot);
        state.debate.take_step_after(0);
        if let Some(by_hand) = by_hand.filter(|_| index == 1) {
            state.body.push_str(by_hand);
        }
    }
    state
}

/// A plain debate with this many replies of this text.
pub(super) fn plain(replies: usize, text: &str) -> StateFile {
    build("Should we?", &[text.to_owned()], 0, 0, (0, 0), replies, None)
}

/// The debate that must come out of an issue, by `docs/issue-body.md`.
pub(super) fn travels(mut state: StateFile) -> StateFile {
    let debate = &mut state.debate;
    debate.disown();
    debate.options.context_source =
        debate.options.context_source.as_ref().map(|_| "src, notes.md".to_owned());
    if debate.status() == Status::InProgress {
        let at = debate.updated_at();
        debate.pause(PlainReason::Carried, at);
    }
    state
}
