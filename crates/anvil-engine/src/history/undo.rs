//! Undoes and redoes phases, lists and restores snapshots.
//!
//! Text that leaves the state file stays aside, and the earlier state stays a snapshot.

use std::path::PathBuf;

use jiff::Timestamp;

use super::error::HistoryError;
use crate::lookup::{LookupError, check_not_elsewhere};
use crate::ownership::{HeldDebate, check_may_change, lock_for, take_from_owner};
use crate::{Context, LOCK_WAIT, Session, no_debate};
use anvil_core::debate::{Debate, PlainReason, Status, StopReason, UserAction};
use anvil_core::place::{Place, Schedule, Seat, furthest, waits_at};
use anvil_core::transcript::{self, Entries, Entry};
use anvil_store::{Commit, Loaded, Project, Scope, Snapshot, StateFile, Store, Transaction};
use anvil_text::error::Result;

/// The result of an undo, a redo or a restore.
#[derive(Debug)]
pub struct HistoryChange {
    /// The debate after the change.
    pub debate: Debate,
    /// Parts that left the file.
    pub gone: Vec<UndonePart>,
    /// Parts that came back into the file.
    pub back: Vec<UndonePart>,
    /// The file, put aside, with the state before the change, if parts left it.
    pub aside: Option<PathBuf>,
    /// Snapshot of the state before the change, if it is still kept.
    pub before: Option<u32>,
    pub project: Project,
}

/// A part of a transcript that left the file or came back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UndonePart {
    Reply {
        place: Place,
        /// Number of words.
        words: usize,
    },
    /// The text of one of several judges.
    Judgment {
        /// Number of words.
        words: usize,
    },
    /// The heading of a cycle without replies.
    Opening {
        /// The number of the cycle.
        cycle: u32,
    },
}

/// A snapshot in the list for the user.
#[derive(Debug)]
pub struct SnapshotEntry {
    /// The number that `anvil undo --to` takes.
    pub number: u32,
    /// The debate at that time. `None`: the snapshot is damaged.
    pub debate: Option<Debate>,
    /// Number of words saved at that time.
    pub words: usize,
    /// True for the current state of the debate.
    pub is_now: bool,
}

/// The snapshots of a debate, the oldest first.
#[derive(Debug)]
pub struct SnapshotList {
    /// Question of the newest snapshot that can be read.
    pub question: String,
    pub kept: Vec<SnapshotEntry>,
    /// The time at which the list was made.
    pub now: Timestamp,
}

/// A change to a state that is not written yet.
struct UnwrittenChange {
    gone: Vec<UndonePart>,
    back: Vec<UndonePart>,
    /// The state file, put aside.
    aside: Option<PathBuf>,
    /// The step of the state before.
    before: Option<u32>,
}

/// A state and its parsed transcript.
struct ReadState {
    state: StateFile,
    entries: Entries,
}

impl ReadState {
    fn new(state: StateFile) -> Self {
        let entries = transcript::parse(&state.body);
        Self { state, entries }
    }
}

/// Takes the last `phases` sections out of the debate. The debate then waits for the first of
/// them.
pub fn undo(
    context: &Context<'_>,
    session: Option<&Session>,
    phases: usize,
    take_over: bool,
) -> Result<HistoryChange> {
    let mut store = context.selected_store(session);
    let mut held = lock_for(context, &mut store, UserAction::Undo, session, take_over, readable)?;
    let entries = transcript::parse(&held.state.body);
    let sections = sections(&entries);
    let first = sections
        .len()
        .checked_sub(phases)
        .filter(|first| *first < sections.len())
        .ok_or_else(|| not_undone(sections.len()))?;
    let (place, undone) = sections[first];
    let aside = Some(held.transaction.put_undone_aside(&held.state.debate.id)?);
    held.take_from_owner(session);
    let HeldDebate { transaction, mut state, .. } = held;
    let before = Some(state.debate.step());
    let now = context.world.now;
    let highest = highest_step(transaction.store(), &state.debate);
    // A cycle without replies is the last change, so one undo removes only its heading.
    let opening = transcript::begins_cycle(&state.body, state.debate.cycle())
        .filter(|begins| phases == 1 && *begins > undone.begins);
    let debate = &mut state.debate;
    let gone = if let Some(begins) = opening {
        cut(&mut state.body, begins);
        let cycle = debate.cycle();
        debate.go_back(place, undone.cycle, highest);
        debate.complete(now);
        vec![UndonePart::Opening { cycle }]
    } else {
        let begins = begins_with_judgments(&entries, undone);
        cut(&mut state.body, begins);
        let place = waits_without(&sections, first, debate.schedule());
        debate.go_back(place, undone.cycle, highest);
        let left = transcript::parse(&state.body);
        debate.drop_lost_motion(entries.motion().as_deref(), left.motion());
        let judgments = left.judgments().count();
        debate.set_judgments(u8::try_from(judgments).unwrap_or(u8::MAX));
        debate.require_read(false);
        debate.pause(StopReason::Undone(phases), now);
        entries.originals().filter(|entry| entry.begins >= begins).map(part).collect()
    };
    let change = UnwrittenChange { gone, back: Vec::new(), aside, before };
    write_change(context, transaction, state, change)
}

/// Takes the last undo back. It restores the newest snapshot that has all sections of this
/// debate, and more.
pub fn redo(
    context: &Context<'_>,
    session: Option<&Session>,
    take_over: bool,
) -> Result<HistoryChange> {
    let mut store = context.selected_store(session);
    let mut held = lock_for(context, &mut store, UserAction::Redo, session, take_over, readable)?;
    let has = transcript::parse(&held.state.body);
    let cycle = held.state.debate.cycle();
    let newer = held
        .transaction
        .store()
        .snapshots(&held.state.debate.id)
        .into_iter()
        .rev()
        .filter_map(|snapshot| snapshot.read())
        .map(ReadState::new)
        .find(|kept| {
            // A cycle that was opened has no reply yet.
            let is_opened = kept.state.debate.cycle() > cycle;
            begins_with(&kept.entries, &has)
                && (is_opened || kept.entries.originals().count() > has.originals().count())
        });
    let Some(kept) = newer else {
        return Err(HistoryError::NothingToRedo.into());
    };
    held.take_from_owner(session);
    let HeldDebate { transaction, state, .. } = held;
    let now = Some(ReadState { state, entries: has });
    bring_back(context, transaction, now, kept, PlainReason::Redone)
}

/// True if all sections of `earlier` come first in `entries`.
fn begins_with(entries: &Entries, earlier: &Entries) -> bool {
    let mut sections = entries.originals();
    earlier.originals().all(|one| sections.next().is_some_and(|other| is_same(one, other)))
}

/// Restores a snapshot of this project's debate, or of a debate that has lost its file.
pub fn restore(
    context: &Context<'_>,
    session: Option<&Session>,
    number: u32,
    selector: Option<&str>,
    take_over: bool,
) -> Result<HistoryChange> {
    let mut store = context.selected_store(session);
    // Check first: the lock makes folders in the project.
    selected_id(&store, selector)?.ok_or(HistoryError::NoSnapshot(number))?;
    let (transaction, loaded) = store.lock(LOCK_WAIT)?.load();
    let store = transaction.store();
    let id = selected_id(store, selector)?.ok_or(HistoryError::NoSnapshot(number))?;
    check_not_elsewhere(store, &id)?;
    let mut now = loaded?.filter(|loaded| !loaded.is_lost).map(|loaded| loaded.state);
    if let Some(now) = now.as_ref().filter(|now| now.debate.id != id) {
        return Err(HistoryError::AnotherHere(now.debate.label()).into());
    }
    let snapshot = store
        .snapshots(&id)
        .into_iter()
        .rev()
        .find(|snapshot| snapshot.step == number)
        .ok_or(HistoryError::NoSnapshot(number))?;
    let kept = snapshot.read().ok_or(HistoryError::Damaged(number))?;
    if let Some(now) = &mut now
        && check_may_change(context, UserAction::Restore, &now.debate, session, take_over)?
    {
        take_from_owner(context, &mut now.debate, session, transaction.project());
    }
    let now = now.map(ReadState::new);
    let kept = ReadState::new(kept);
    bring_back(context, transaction, now, kept, PlainReason::EarlierState)
}

/// Lists the snapshots of the debate `selector`, or of this project's debate. If the file of
/// that debate is gone, lists those of the last debate.
pub fn snapshots(
    context: &Context<'_>,
    session: Option<&Session>,
    selector: Option<&str>,
) -> Result<SnapshotList> {
    let store = context.selected_store(session);
    let id = selected_id(&store, selector)?.ok_or_else(|| no_debate(&store))?;
    let here = store.read_head().ok().flatten().filter(|debate| debate.id == id);
    let step = here.map(|debate| debate.step());
    let list = store.snapshots(&id);
    if list.is_empty() {
        return Err(HistoryError::NoSnapshots.into());
    }
    let newest = list.iter().rev().find_map(Snapshot::read);
    let question = newest.map(|newest| newest.debate.question).unwrap_or_default();
    let kept = list
        .into_iter()
        .map(|snapshot| {
            let number = snapshot.step;
            let state = snapshot.read();
            let words = state.as_ref().map_or(0, |state| transcript::parse(&state.body).words());
            let debate = state.map(|state| state.debate);
            SnapshotEntry { number, debate, words, is_now: step == Some(number) }
        })
        .collect();
    Ok(SnapshotList { question, kept, now: context.world.now })
}

fn bring_back(
    context: &Context<'_>,
    mut transaction: Transaction<'_>,
    now: Option<ReadState>,
    ReadState { mut state, entries: gets }: ReadState,
    why: PlainReason,
) -> Result<HistoryChange> {
    let (now, has) =
        now.map_or_else(Default::default, |ReadState { state, entries }| (Some(state), entries));
    let before = now.as_ref().map(|now| now.debate.step());
    let same =
        has.originals().zip(gets.originals()).take_while(|(has, gets)| is_same(has, gets)).count();
    let gone: Vec<UndonePart> = has.originals().skip(same).map(part).collect();
    let back: Vec<UndonePart> = gets.originals().skip(same).map(part).collect();
    let mut aside = None;
    if let Some(now) = now {
        if !gone.is_empty() {
            aside = Some(transaction.put_undone_aside(&now.debate.id)?);
        }
        state.debate.assign_to(now.debate.session_id().map(str::to_owned));
    }
    let debate = &mut state.debate;
    let highest = highest_step(transaction.store(), debate);
    debate.take_step_after(highest.max(before.unwrap_or_default()));
    debate.touch(context.world.now);
    if debate.status() != Status::Completed {
        let awaits = debate.awaits_direction();
        debate.pause(why, context.world.now);
        if awaits {
            debate.await_direction();
        }
    }
    write_change(context, transaction, state, UnwrittenChange { gone, back, aside, before })
}

fn write_change(
    context: &Context<'_>,
    transaction: Transaction<'_>,
    state: StateFile,
    UnwrittenChange { gone, back, aside, before }: UnwrittenChange,
) -> Result<HistoryChange> {
    let (transaction, details) = transaction.commit(&state, Commit::Undoable)?;
    context.add_details(details);
    let project = transaction.project().clone();
    let kept = transaction.store().snapshots(&state.debate.id);
    let before = before.filter(|step| kept.iter().any(|snapshot| snapshot.step == *step));
    Ok(HistoryChange { debate: state.debate, gone, back, aside, before, project })
}

/// The id that begins with `selector`. Without one, the id of this project's debate; if its file is
/// gone or can't be read, that of the last one.
fn selected_id(store: &Store, selector: Option<&str>) -> Result<Option<String>> {
    let Some(selector) = selector else {
        let here = store.load()?.filter(|loaded| !loaded.is_lost);
        let id = here.map(|loaded| loaded.state.debate.id);
        return Ok(id.or_else(|| store.last_debate()));
    };
    let id = store.id_of(selector, Scope::Place)?;
    let id = id.filter(|id| !store.snapshots(id).is_empty());
    Ok(Some(id.ok_or_else(|| HistoryError::NoDebate(selector.to_owned()))?))
}

/// The error for an undo of 0 replies, or of more replies than are saved.
fn not_undone(saved: usize) -> HistoryError {
    match saved {
        0 => HistoryError::NoReply,
        1 => HistoryError::OneReply,
        saved => HistoryError::Replies(saved),
    }
}

fn readable(loaded: Loaded) -> Result<Loaded> {
    if loaded.is_lost {
        return Err(HistoryError::Lost.into());
    }
    let debate = &loaded.state.debate;
    if debate.status() == Status::Cancelled {
        return Err(LookupError::Cancelled { id: debate.id.clone() }.into());
    }
    Ok(loaded)
}

/// Removes the text from `begins` on, and white space before it.
pub(crate) fn cut(body: &mut String, begins: usize) {
    body.truncate(begins);
    body.truncate(body.trim_end().len());
    body.push('\n');
}

/// Highest step of the debate, also of states that an undo left.
fn highest_step(store: &Store, debate: &Debate) -> u32 {
    store.snapshots(&debate.id).last().map_or(0, |newest| newest.step)
}

/// The place that a debate waits for if it keeps the sections before `first`.
fn waits_without(sections: &[(Place, &Entry)], first: usize, schedule: Schedule) -> Place {
    let (undone, Entry { cycle, .. }) = sections[first];
    let kept = sections[..first]
        .iter()
        .filter(|(_, section)| section.cycle == *cycle && section.is_of(schedule));
    match waits_at(furthest(kept.map(|(place, _)| *place), schedule), schedule) {
        // A synthesis that came early is requested again too.
        _ if undone.seat == Seat::Synthesizer => undone,
        Some(place) => place,
        None => undone,
    }
}

fn is_same(one: &Entry, other: &Entry) -> bool {
    one.what == other.what && one.text == other.text
}

fn part(written: &Entry) -> UndonePart {
    let words = written.words();
    written
        .place()
        .map_or(UndonePart::Judgment { words }, |place| UndonePart::Reply { place, words })
}

/// The units of undo: each reply, and last the judgments that no synthesis uses yet.
fn sections(entries: &Entries) -> Vec<(Place, &Entry)> {
    let mut sections: Vec<(Place, &Entry)> = entries.replies().collect();
    let round = sections.last().map_or(1, |(place, _)| place.number());
    sections.extend(
        entries.judgments().next().map(|first| (Place { seat: Seat::Synthesizer, round }, first)),
    );
    sections
}

/// Start of a section. The judgments for a synthesis are part of its section.
fn begins_with_judgments(entries: &Entries, section: &Entry) -> usize {
    if section.place().is_none_or(|place| place.seat != Seat::Synthesizer) {
        return section.begins;
    }
    let at = entries
        .0
        .iter()
        .position(|entry| entry.begins == section.begins)
        .unwrap_or(entries.0.len());
    entries.judgments_before(at).next().map_or(section.begins, |first| first.begins)
}
