//! The list of tasks: docs/tasks.md has its schema.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde::Serialize;

use super::Place;
use super::status::{Hold, Status};
use crate::debate::{self, Debate, Phase, Seat};
use crate::state::{Claim, Claims};
use crate::transcript::Entries;

/// What a worker should know beside the prompt.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Context {
    /// Files of the project that the task is about.
    pub files: Vec<String>,
    /// How it is taken, or what it waits for.
    pub hints: Vec<String>,
}

/// What came of a task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Outcome {
    /// The reply.
    pub output: String,
    /// The file that holds it.
    pub files_modified: Vec<String>,
}

/// One reply to write.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Task {
    /// Its name within the debate.
    pub id: String,
    /// What is to be done, in a sentence.
    pub description: String,
    /// Where it stands.
    pub status: Status,
    /// Replies that wait for this one, itself counted: what holds up most comes first.
    pub priority: u32,
    /// Who holds it or has it: a worker, or what leads the debate.
    pub claimed_by: Option<String>,
    /// The tasks that have to be done before it can be begun.
    pub dependencies: Vec<String>,
    /// What a worker should know.
    pub context: Context,
    /// What came of it.
    pub result: Option<Outcome>,
    /// When its debate began.
    pub created_at: Timestamp,
    /// When it was claimed.
    pub claimed_at: Option<Timestamp>,
    /// When its reply came.
    pub completed_at: Option<Timestamp>,
    /// Where its reply goes.
    #[serde(skip)]
    pub place: Place,
    /// What is known of its claim.
    #[serde(skip)]
    pub hold: Hold,
    /// Everything that it waits for is done.
    #[serde(skip)]
    pub is_ready: bool,
}

/// What tasks are told by.
#[derive(Clone, Copy, Debug)]
pub struct Facts<'a> {
    /// The debate.
    pub debate: &'a Debate,
    /// Its sections.
    pub entries: &'a Entries,
    /// Who holds what.
    pub claims: &'a Claims,
    /// What leads the debate and writes the reply that is next, where something does.
    pub leader: Option<&'a str>,
    /// The debate's file, as the user would name it.
    pub file: &'a str,
}

/// The tasks of the running cycle, in the order of their places.
#[must_use]
pub fn tasks(facts: &Facts<'_>) -> Vec<Task> {
    let debate = facts.debate;
    let places = Place::all(debate);
    let next = Place::of(debate);
    let is_over = !debate.progress.status.is_unfinished();
    let cycle = debate.progress.cycle;
    let replies: BTreeMap<_, _> = facts.entries.replies().filter(|(_, entry)| entry.cycle == cycle).collect();
    // Those that the synthesis is made of, or is to be made of.
    let synthesis =
        facts.entries.0.iter().rposition(|entry| {
            entry.cycle == cycle && entry.slot().is_some_and(|slot| slot.phase == Phase::Synthesizer)
        });
    let judgments: Vec<_> = facts
        .entries
        .judgments_before(synthesis.unwrap_or(facts.entries.0.len()))
        .filter(|entry| entry.cycle == cycle)
        .collect();
    let filed = |place: &Place| match place.judge {
        Some(judge) => judgments.get(usize::from(judge) - 1).copied(),
        None => replies.get(&place.slot).copied(),
    };
    let waits: BTreeMap<Place, Vec<Place>> = places.iter().map(|place| (*place, place.dependencies(debate))).collect();
    let position = |place: &Place| places.iter().position(|other| other == place);
    places
        .iter()
        .map(|place| {
            let id = place.id(cycle);
            let claim = facts.claims.on(&id);
            let hold = match claim {
                None => Hold::Free,
                Some(claim) if claim.is_dead() => Hold::Dead,
                Some(_) => Hold::Held,
            };
            let entry = filed(place);
            let is_behind = is_over || position(place) < position(&next);
            let dependencies = &waits[place];
            let is_ready = dependencies.iter().all(|needed| filed(needed).is_some())
                || (*place == next || place.judge.is_some() && place.slot == next.slot);
            let is_led = *place == next && debate.is_active() && facts.leader.is_some() && hold != Hold::Held;
            let status = match (entry, claim.filter(|_| hold == Hold::Held)) {
                (Some(_), _) => Status::Done,
                (None, _) if is_behind => Status::Skipped,
                (None, Some(claim)) if claim.received_at.is_some() => Status::Done,
                (None, Some(claim)) if claim.started_at.is_some() => Status::InProgress,
                (None, Some(_)) => Status::Claimed,
                (None, None) if is_led => Status::InProgress,
                (None, None) if *place == next && debate.progress.status == debate::Status::Failed => Status::Failed,
                (None, None) => Status::Available,
            };
            let holder = claim.filter(|_| hold == Hold::Held).map(called);
            Task {
                description: description(debate, *place),
                status,
                priority: priority(*place, &waits),
                claimed_by: holder.or_else(|| facts.leader.filter(|_| is_led).map(str::to_owned)),
                dependencies: dependencies.iter().map(|place| place.id(cycle)).collect(),
                context: Context { files: vec![facts.file.to_owned()], hints: hints(*place, status, is_ready) },
                result: entry
                    .map(|entry| Outcome { output: entry.text.clone(), files_modified: vec![facts.file.to_owned()] }),
                created_at: debate.progress.started_at,
                claimed_at: claim.filter(|_| hold == Hold::Held).map(|claim| claim.claimed_at),
                completed_at: entry.and_then(|entry| entry.at).or_else(|| claim.and_then(|claim| claim.received_at)),
                place: *place,
                hold,
                is_ready,
                id,
            }
        })
        .collect()
}

/// A worker, as others are told of it.
fn called(claim: &Claim) -> String {
    let Claim { worker, holder, .. } = claim;
    format!("{worker} (process {} on {})", holder.process.pid, holder.host)
}

fn description(debate: &Debate, place: Place) -> String {
    let voice = debate.voice_at(place.slot).map(|voice| format!(" as {}", voice.name)).unwrap_or_default();
    match (place.seat(), place.judge) {
        (_, Some(judge)) => format!("Judge the debate, for yourself alone, as judge {judge}."),
        (Seat::Advocate, _) => format!("Argue for, in round {}{voice}.", place.slot.round),
        (Seat::Critic, _) => format!("Argue against, in round {}{voice}.", place.slot.round),
        (Seat::Voice(_), _) => format!("Say what it means{voice}."),
        (Seat::Synthesizer, _) => "Write the synthesis: what survived, what to do, how sure to be.".to_owned(),
    }
}

fn hints(place: Place, status: Status, is_ready: bool) -> Vec<String> {
    let seat = match (place.slot.phase, place.judge) {
        (_, Some(judge)) => format!("judge-{judge}"),
        (phase @ (Phase::Stakeholder | Phase::Persona), _) => format!("{}-{}", phase.word(), place.slot.round),
        (phase, _) => phase.word().to_owned(),
    };
    let mut hints = Vec::new();
    if matches!(status, Status::Available | Status::Failed) {
        hints.push(format!("`anvil join --as {seat}` takes it"));
    }
    if !is_ready && !matches!(status, Status::Done | Status::Skipped) {
        hints.push("its dependencies come first".to_owned());
    }
    hints
}

/// How many replies can't be written before this one, itself counted.
fn priority(place: Place, waits: &BTreeMap<Place, Vec<Place>>) -> u32 {
    let mut held_up = BTreeSet::from([place]);
    let mut known = 0;
    while known < held_up.len() {
        known = held_up.len();
        for (later, needed) in waits {
            if needed.iter().any(|needed| held_up.contains(needed)) {
                held_up.insert(*later);
            }
        }
    }
    u32::try_from(held_up.len()).unwrap_or(u32::MAX)
}
