//! A debate that follows its transcript: the question, the cycle, the pointer and the judgments.

use super::Repair;
use crate::StateFile;
use anvil_core::debate::{Debate, PlainReason, Status};
use anvil_core::limits::{MAX_CYCLES, MAX_JUDGES, MAX_QUESTION_CHARS, MAX_ROUNDS};
use anvil_core::place::{Place, Schedule, Seat, furthest, may_wait_at, waits_at};
use anvil_core::transcript::{self, Entries, EntryKind};

/// Makes the debate agree with its transcript: cycle, question, pointer, judgments and step.
pub(super) fn repair_position(
    mut state: StateFile,
    title: Option<String>,
    newest: Option<&StateFile>,
    repair: &mut Repair,
) -> StateFile {
    let requested = newest.map_or(state.debate.place(), |newest| newest.debate.place());
    let entries = transcript::parse(&state.body);
    let (cycle, _) = entries.last_cycle();
    let furthest = furthest_of(&entries, cycle, state.debate.schedule());
    if state.debate.cycle() != cycle && cycle <= MAX_CYCLES {
        repair.edit(format!("the sections are of cycle {cycle}"));
        state.debate.set_cycle(cycle);
    }
    repair_title(&mut state, title, newest, repair);
    if let Some(newest) = newest {
        repair_motion(&mut state.debate, newest, &entries);
    }
    repair_sections(&mut state, (furthest, &entries), newest, repair);
    repair_awaits_block(&mut state.debate, &entries);
    let is_other_judge = repair_judgments(&mut state.debate, &entries, repair);
    let step = state.debate.step();
    let last = newest.map_or(step, |newest| newest.debate.step());
    if last > step {
        let is_earlier = newest.is_some_and(|newest| newest.body.starts_with(&state.body));
        let verb = if is_earlier { "redo".to_owned() } else { format!("undo --to {last}") };
        repair.edit(format!(
            "it is an earlier state (step {step} of {last}); {verb} restores the later one"
        ));
        // Another branch of the debate never overwrites a snapshot.
        state.debate.take_step_after(last);
    } else if newest.is_some_and(|newest| is_other_decision(newest, &state.debate, &entries)) {
        // The snapshot of the finished debate stays as it is.
        state.debate.take_step_after(last);
    }
    let place = state.debate.place();
    repair.moved = is_other_judge || requested != place;
    state
}

/// True if the newest state was finished, and its question or its synthesis has changed since.
fn is_other_decision(newest: &StateFile, debate: &Debate, entries: &Entries) -> bool {
    let text = |entries: &Entries| entries.synthesis().map(|entry| entry.text.clone());
    newest.debate.status() == Status::Completed
        && (newest.debate.question != debate.question
            || text(&transcript::parse(&newest.body)) != text(entries))
}

/// Rounds beyond the last possible one are the user's own headings.
fn furthest_of(entries: &Entries, cycle: u32, schedule: Schedule) -> Option<Place> {
    furthest(
        entries.places_in(cycle, schedule).filter(|place| place.number() <= MAX_ROUNDS),
        schedule,
    )
}

/// Question and title are one text; the one that differs from the snapshot was edited. If both
/// differ, and not alike, the question counts, and the original file is kept.
fn repair_title(
    state: &mut StateFile,
    title: Option<String>,
    newest: Option<&StateFile>,
    repair: &mut Repair,
) {
    let question = &mut state.debate.question;
    let is_old_question = newest.is_some_and(|newest| newest.debate.question == *question);
    if title.as_deref() == Some(&*transcript::normalise(question)) {
        if newest.is_some() && !is_old_question {
            repair.edit("the question was edited, with its title");
            repair.asks_anew = true;
        }
        return;
    }
    let old_title = newest.and_then(|newest| transcript::question(&newest.body));
    match title {
        Some(title)
            if is_old_question
                && !title.trim().is_empty()
                && title.chars().count() <= MAX_QUESTION_CHARS =>
        {
            repair.edit("the title was edited: it is the question now");
            repair.asks_anew = true;
            *question = title;
        }
        Some(title) => {
            if is_old_question {
                repair.damage(
                    "the title was edited and can't be a question: the question is the title again",
                );
            } else if old_title.as_ref() == Some(&title) {
                repair.edit("the question was edited: it is the title now");
            } else if old_title.is_some() {
                repair.damage(
                    "the title and the question were both edited: the question is the title now",
                );
            } else {
                repair.damage(
                    "it is unknown whether the title or the question was edited: the question is \
                     the title now",
                );
            }
            repair.asks_anew = true;
            state.body = transcript::retitle(&state.body, question);
        }
        None => {
            repair.edit("the title was missing: it is the question again");
            state.body = transcript::retitle(&state.body, question);
        }
    }
}

/// Drops a motion from the question if the question has changed, and a motion from an opening also
/// if the opening is gone. A motion that the user typed stays.
fn repair_motion(debate: &mut Debate, newest: &StateFile, entries: &Entries) {
    let before = &newest.debate;
    if before.options.motion != debate.options.motion {
        return;
    }
    let stated = transcript::parse(&newest.body).motion();
    if before.question == debate.question {
        debate.drop_lost_motion(stated.as_deref(), entries.motion());
        return;
    }
    if stated.is_some() && stated == debate.options.motion {
        debate.options.motion = None;
    }
    debate.renew_motion(before);
}

/// Moves the pointer to the phase after the last section.
fn repair_sections(
    state: &mut StateFile,
    (furthest, entries): (Option<Place>, &Entries),
    newest: Option<&StateFile>,
    repair: &mut Repair,
) {
    let debate = &mut state.debate;
    let has_synthesis = furthest.is_some_and(|furthest| furthest.seat == Seat::Synthesizer);
    let ends = furthest.map_or_else(
        || "there are no sections".to_owned(),
        |furthest| format!("the sections end at {furthest}"),
    );
    match debate.status() {
        Status::Cancelled => return,
        Status::Completed if has_synthesis => return,
        Status::Completed => {
            debate.pause(PlainReason::SynthesisGone, debate.updated_at());
            repair.edit("the synthesis is gone: the debate is open again");
        }
        _ if has_synthesis && debate.awaits_block() && !has_block(entries) => {
            if let Some(place) = furthest.filter(|_| debate.place().seat != Seat::Synthesizer) {
                debate.set_place(place);
                repair.edit("the synthesis is there: its block is next");
            }
            return;
        }
        _ if has_synthesis => {
            debate.complete(debate.updated_at());
            repair.edit("the synthesis is there: the debate is complete");
            return;
        }
        Status::NotStarted | Status::InProgress | Status::Paused | Status::Failed => {
            if is_where_it_waits(debate, furthest, newest) {
                return;
            }
        }
    }
    let Some(place) = waits_at(furthest, debate.schedule()) else { return };
    if place == debate.place() {
        return;
    }
    repair.edit(format!("{ends}: {} is next", debate.label_of(place)));
    debate.move_to(place);
}

/// True if the last synthesis or judgment has its block from a second request.
fn has_block(entries: &Entries) -> bool {
    entries.originals().last().is_some_and(|last| entries.repeat_of(last).is_some())
}

/// A block is requested only after a synthesis or a judgment without one.
fn repair_awaits_block(debate: &mut Debate, entries: &Entries) {
    let is_decided = entries.originals().last().is_some_and(|last| match last.what {
        EntryKind::Reply(place) => place.seat == Seat::Synthesizer,
        EntryKind::Note(_) | EntryKind::Cycle => true,
    });
    if debate.awaits_block() && (!is_decided || has_block(entries)) {
        debate.set_awaits_block(false);
    }
}

/// Sets the number of judgments to those in the file. True if another judge is next because of
/// that.
fn repair_judgments(debate: &mut Debate, entries: &Entries, repair: &mut Repair) -> bool {
    let count = u8::try_from(entries.judgments().count()).unwrap_or(MAX_JUDGES).min(MAX_JUDGES);
    if count == debate.judgments() {
        return false;
    }
    let before = debate.place_name();
    debate.set_judgments(count);
    let is_other = debate.place_name() != before;
    if is_other {
        let judgments =
            if count == 1 { "1 judgment is".to_owned() } else { format!("{count} judgments are") };
        repair.edit(format!("{judgments} saved: {} is next", debate.place_label()));
        debate.take_step_after(0);
    }
    is_other
}

/// True if the pointer's phase can be the next one.
fn is_where_it_waits(debate: &Debate, furthest: Option<Place>, newest: Option<&StateFile>) -> bool {
    let place = debate.place();
    // The user removed rounds. A round that has begun is argued to its end.
    if debate.schedule().opens(place)
        && place.number() > debate.options.max_rounds
        && debate.status() != Status::InProgress
    {
        return false;
    }
    if may_wait_at(place, furthest, debate.schedule()) {
        return true;
    }
    if place.seat != Seat::Synthesizer {
        return false;
    }
    // Anvil writes a debate like this when the argument was ended early.
    newest.is_none_or(|newest| {
        let is_that_step = newest.debate.step() == debate.step()
            && newest.debate.place() == place
            && newest.debate.options.max_rounds == debate.options.max_rounds
            && furthest_of(&transcript::parse(&newest.body), debate.cycle(), debate.schedule())
                == furthest;
        // An older snapshot is no evidence against it.
        newest.debate.step() < debate.step() || is_that_step
    })
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::recovery::{Recovered, recover};
    use anvil_core::transcript::NoteKind;

    const AT: Timestamp = Timestamp::UNIX_EPOCH;

    /// A debate of one round that waits for its synthesis, or for a block.
    fn state(judges: u8, awaits_block: bool, notes: &[Option<NoteKind>]) -> StateFile {
        let mut debate = Debate::new("2026-11-21-why-0000".into(), "Why?".into(), 1, AT);
        debate.options.judges = judges;
        debate.set_place(Place { seat: Seat::Synthesizer, round: 1 });
        debate.claim("one", None, AT);
        debate.isolate_seats();
        let mut state = StateFile::new(debate);
        for seat in [Seat::Advocate, Seat::Critic] {
            transcript::append(&mut state.body, Place { seat, round: 1 }, None, AT, "Text.");
        }
        for note in notes {
            if let Some(kind) = note {
                transcript::append_note(&mut state.body, *kind, AT, "Text.");
            } else {
                let place = Place { seat: Seat::Synthesizer, round: 1 };
                transcript::append(&mut state.body, place, None, AT, "Text.");
            }
        }
        let judgments = transcript::parse(&state.body).judgments().count();
        state.debate.set_judgments(u8::try_from(judgments).unwrap());
        state.debate.set_awaits_block(awaits_block);
        state
    }

    /// The state that a file without a snapshot has after its repair.
    #[track_caller]
    fn recovered(state: &StateFile) -> (StateFile, Repair) {
        recovered_from(&state.render().unwrap(), None)
    }

    /// The state of a file after its repair from this snapshot.
    #[track_caller]
    fn recovered_from(text: &str, newest: Option<&StateFile>) -> (StateFile, Repair) {
        match recover(text.as_bytes(), &|_| newest.cloned(), AT) {
            Recovered::State(state, repair) => (*state, repair),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_cycle_and_the_number_of_judgments_are_those_of_the_sections() {
        for (headings, says) in [(1, 1), (2, 1), (1, 2)] {
            let mut before = state(1, false, &[None]);
            for cycle in 2..=headings {
                transcript::append_cycle(&mut before.body, cycle, AT, "And now?");
            }
            before.debate.set_cycle(says);
            assert_eq!(recovered(&before).0.debate.cycle(), headings, "{headings} {says}");
        }
        let mut before = state(3, false, &[Some(NoteKind::Judgment)]);
        let step = before.debate.step();
        assert_eq!(recovered(&before).0.debate.step(), step);
        before.debate.set_judgments(2);
        let (after, repair) = recovered(&before);
        assert_eq!((after.debate.judgments(), after.debate.step()), (1, step + 1));
        assert!(repair.moved && repair.repairs.len() == 1, "{repair:?}");
    }

    #[test]
    fn a_block_is_awaited_after_a_synthesis_or_judgment_that_has_none() {
        use Status::{Completed, InProgress};
        const SYNTHESIS: Option<NoteKind> = None;
        const JUDGMENT: Option<NoteKind> = Some(NoteKind::Judgment);
        const BLOCK: Option<NoteKind> = Some(NoteKind::VerdictBlock);
        // The sections after the argument; the file says that it waits; then what holds.
        for (judges, notes, says, awaits, status) in [
            (1, &[SYNTHESIS][..], true, true, InProgress),
            (1, &[SYNTHESIS], false, false, Completed),
            (1, &[SYNTHESIS, BLOCK], true, false, Completed),
            (1, &[SYNTHESIS, BLOCK], false, false, Completed),
            (1, &[], true, false, InProgress),
            (1, &[], false, false, InProgress),
            (3, &[JUDGMENT], true, true, InProgress),
            (3, &[JUDGMENT], false, false, InProgress),
            (3, &[JUDGMENT, BLOCK], true, false, InProgress),
            (3, &[JUDGMENT, BLOCK], false, false, InProgress),
            (3, &[JUDGMENT, BLOCK, JUDGMENT], true, true, InProgress),
            (3, &[JUDGMENT, JUDGMENT, BLOCK], true, false, InProgress),
        ] {
            let before = state(judges, says, notes);
            let text = before.render().unwrap();
            let (after, repair) = recovered(&before);
            let debate = &after.debate;
            assert_eq!((debate.awaits_block(), debate.status()), (awaits, status), "{text}");
            assert_eq!(debate.judgments(), before.debate.judgments(), "{text}");
            assert!(!repair.damaged && after.body == before.body, "{repair:?}");
            // Whoever reads the headings alone agrees.
            let is_right = after == before;
            assert_eq!(before.is_orderly_by_itself(), is_right, "{text}");
            assert!(after.is_orderly_by_itself(), "{text}");
        }
    }

    #[test]
    fn only_another_decision_takes_a_step_after_the_finished_one() {
        let unfinished = state(1, false, &[]);
        let finished = recovered(&state(1, false, &[None])).0;
        assert_eq!(finished.debate.status(), Status::Completed);
        for (newest, edited, is_other) in [
            (&finished, finished.render().unwrap().replace("Why?", "Who?"), true),
            (&finished, finished.render().unwrap().replacen("> Text.", "> Word.", 1), false),
            (&finished, finished.render().unwrap().replacen("Text.", "Word.", 3), true),
            (&unfinished, unfinished.render().unwrap().replace("Why?", "Who?"), false),
        ] {
            let (after, _) = recovered_from(&edited, Some(newest));
            let step = newest.debate.step() + u32::from(is_other);
            assert_eq!(after.debate.step(), step, "{edited}");
        }
    }

    #[test]
    fn a_round_that_has_begun_is_argued_to_its_end_and_no_hand_skips_to_the_synthesis() {
        let argued = |count: usize, rounds: u8, waits: Place| {
            let mut state = state(1, false, &[]);
            state.body = transcript::open(&state.debate.question);
            let seats = [Seat::Advocate, Seat::Critic].into_iter().cycle();
            for (seat, index) in seats.zip(0..count) {
                let round = u8::try_from(index / 2 + 1).unwrap();
                transcript::append(&mut state.body, Place { seat, round }, None, AT, "Text.");
            }
            state.debate.options.max_rounds = rounds;
            state.debate.set_place(waits);
            state
        };
        let advocate = |round| Place { seat: Seat::Advocate, round };
        let critic = |round| Place { seat: Seat::Critic, round };
        let synthesis = |round| Place { seat: Seat::Synthesizer, round };
        for (count, waits, is_paused, next) in [
            (3, critic(2), true, critic(2)),
            (2, advocate(2), false, advocate(2)),
            (2, advocate(2), true, synthesis(1)),
            // The argument was ended early.
            (3, synthesis(2), true, synthesis(2)),
        ] {
            let mut before = argued(count, 1, waits);
            if is_paused {
                before.debate.pause(PlainReason::StoppedInFile, AT);
            }
            assert_eq!(recovered(&before).0.debate.place(), next, "{before:?}");
        }
        let newest = argued(1, 3, critic(1));
        let mut moved = newest.clone();
        moved.debate.set_place(synthesis(1));
        let (after, _) = recovered_from(&moved.render().unwrap(), Some(&newest));
        assert_eq!(after.debate.place(), critic(1));
    }

    #[test]
    fn a_head_without_a_usable_question_or_id_says_nothing_of_another_debate() {
        let before = state(1, false, &[]);
        let id = &before.debate.id;
        let newest = |id: Option<&str>| id.is_none().then(|| before.clone());
        let text = before.render().unwrap().replace(id, "../x");
        let Recovered::State(after, _) = recover(text.as_bytes(), &newest, AT) else { panic!() };
        assert_eq!(&after.debate.id, id);
        let long = "x".repeat(MAX_QUESTION_CHARS + 1);
        for (question, is_lost) in [("Why?", false), (" ", true), (&long, true)] {
            let text = format!("---\nquestion: \"{question}\"\n---\n\n## Round 1\n");
            let is = matches!(recover(text.as_bytes(), &|_| None, AT), Recovered::Lost);
            assert_eq!(is, is_lost, "{question}");
        }
    }
}
