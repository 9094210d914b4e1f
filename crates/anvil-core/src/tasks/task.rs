//! The list of tasks: docs/tasks.md has its schema.

use std::collections::{BTreeMap, BTreeSet};
use std::iter;

use jiff::Timestamp;
use serde::Serialize;

use super::status::{Hold, TaskStatus};
use crate::attempt::Slot;
use crate::debate::{self, Debate};
use crate::place::{Place, Seat};
use crate::transcript::{Entries, Entry, NoteKind};

/// What the writer should know in addition to the prompt.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "context", deny_unknown_fields))]
pub struct TaskContext {
    /// The debate's file, and the material as its user named it.
    pub files: Vec<String>,
    /// How it is taken, what it waits for, and the facts that were noted.
    pub hints: Vec<String>,
}

/// What came of a task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "result", deny_unknown_fields))]
pub struct TaskOutcome {
    /// The reply.
    pub output: String,
    /// The file that holds it.
    pub files_modified: Vec<String>,
}

/// Who has claimed a task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "holder", deny_unknown_fields))]
pub struct TaskHolder {
    /// The name that the claim gives.
    pub name: String,
    /// The user there; empty if that is not known.
    pub user: String,
    /// The machine.
    pub host: String,
    /// The process there that waits for the reply. `null`: the task was claimed in a shell.
    pub process: Option<u32>,
    /// The number of the attempt.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub attempt: u32,
    /// The process is gone, so the task is free.
    pub is_gone: bool,
    /// When the task was claimed.
    #[serde(skip)]
    pub claimed_at: Timestamp,
    /// When the reply came, which waits for the replies before it.
    pub received_at: Option<Timestamp>,
}

/// The state of a reply that a program writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByProgram {
    Writes,
    /// The time at which the reply came. It waits for the replies before it.
    Wrote(Timestamp),
}

impl TaskHolder {
    /// The name for others: its own, and its process or user and machine.
    fn label(&self) -> String {
        let Self { name, user, host, process, .. } = self;
        match (process, user.as_str()) {
            (Some(process), _) => format!("{name} (process {process} on {host})"),
            (None, "") => format!("{name} on {host}"),
            (None, user) => format!("{name} ({user} on {host})"),
        }
    }
}

/// A time of a task. Marks of sections have whole seconds, so the others have no more: times that
/// follow each other never look reversed.
pub fn to_second(at: Timestamp) -> Timestamp {
    Timestamp::from_second(at.as_second()).unwrap_or(at)
}

/// One reply to write.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "task", deny_unknown_fields))]
pub struct Task {
    /// Its name within the debate.
    pub id: String,
    /// What is to be done, in a sentence.
    pub description: String,
    /// Where it stands.
    pub status: TaskStatus,
    /// Replies that wait for this one, itself counted: what holds up most comes first.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub priority: u32,
    /// Who wrote it; before that, who has claimed it or what argues the debate.
    pub claimed_by: Option<String>,
    /// Who has claimed it.
    pub holder: Option<TaskHolder>,
    /// The tasks that have to be done before it can be begun.
    pub dependencies: Vec<String>,
    /// What its writer should know.
    pub context: TaskContext,
    /// What came of it.
    pub result: Option<TaskOutcome>,
    /// When its debate began.
    pub created_at: Timestamp,
    /// When it was claimed, or a program was asked for it.
    pub claimed_at: Option<Timestamp>,
    /// When its reply came.
    pub completed_at: Option<Timestamp>,
    /// The place of its reply.
    #[serde(skip)]
    pub place: Place,
    #[serde(skip)]
    pub hold: Hold,
    /// Everything that it waits for is done.
    #[serde(skip)]
    pub is_ready: bool,
}

/// The output of `anvil tasks --json`.
#[derive(Serialize)]
#[cfg_attr(
    test,
    derive(schemars::JsonSchema),
    schemars(
        title = "The tasks of a debate",
        description = "What `anvil tasks --json` prints: the replies that the running cycle \
                            of a debate needs, in order.",
        deny_unknown_fields
    )
)]
pub struct TaskList<'a> {
    /// The version of this form.
    #[cfg_attr(test, schemars(extend("const" = 1)))]
    pub schema: u32,
    /// The id of the debate.
    pub debate: &'a str,
    /// The running cycle.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub cycle: u32,
    /// Its tasks.
    pub tasks: &'a [Task],
}

/// The facts from which the list of tasks is derived.
#[derive(Clone, Copy, Debug)]
pub struct Facts<'a> {
    pub debate: &'a Debate,
    /// The sections of the debate.
    pub entries: &'a Entries,
    /// The holders of claimed tasks, by task id.
    pub holders: &'a BTreeMap<String, TaskHolder>,
    /// Replies that programs write.
    pub programs: &'a BTreeMap<Slot, ByProgram>,
    /// The conversation or run that writes the next reply, and since when. `None`: a person, or
    /// nobody.
    pub writer: Option<(&'a str, Option<Timestamp>)>,
    /// The path of the debate's file, for the user.
    pub file: &'a str,
}

/// The tasks of the running cycle, in the order of their places.
pub fn tasks(facts: &Facts<'_>) -> Vec<Task> {
    let cycle = Cycle::new(facts);
    cycle.places.iter().map(|place| cycle.task(*place)).collect()
}

/// The running cycle of a debate: its replies, and the places that each place waits for.
struct Cycle<'a> {
    facts: &'a Facts<'a>,
    number: u32,
    next: Place,
    replies: BTreeMap<Place, &'a Entry>,
    /// The judgments from which the synthesis is made.
    judgments: Vec<&'a Entry>,
    places: Vec<Place>,
    dependencies: BTreeMap<Place, Vec<Place>>,
}

impl<'a> Cycle<'a> {
    fn new(facts: &'a Facts<'a>) -> Self {
        let debate = facts.debate;
        let entries = facts.entries;
        let number = debate.cycle();
        let synthesis = entries.0.iter().rposition(|entry| {
            entry.cycle == number
                && entry.place().is_some_and(|place| place.seat == Seat::Synthesizer)
        });
        let places = debate.places();
        Self {
            facts,
            number,
            next: debate.next_place(),
            replies: entries
                .replies()
                .filter(|(_, entry)| entry.cycle == number && entry.is_of(debate.schedule()))
                .collect(),
            judgments: entries
                .judgments_before(synthesis.unwrap_or(entries.0.len()))
                .filter(|entry| entry.cycle == number)
                .collect(),
            dependencies: places
                .iter()
                .map(|place| (*place, debate.dependencies(*place)))
                .collect(),
            places,
        }
    }

    /// The reply in the transcript. `None`: no reply, or its block has to be written once more.
    fn entry(&self, place: Place) -> Option<&'a Entry> {
        if self.facts.debate.awaits_block() && place == self.next {
            return None;
        }
        match place.seat.judge() {
            Some(judge) => self.judgments.get(usize::from(judge) - 1).copied(),
            None => self.replies.get(&place.in_schedule()).copied(),
        }
    }

    /// True if the debate has passed this place.
    fn is_past(&self, place: Place) -> bool {
        !self.facts.debate.status().is_unfinished()
            || self.position(place) < self.position(self.next)
    }

    fn position(&self, place: Place) -> Option<usize> {
        self.places.iter().position(|other| *other == place)
    }

    fn is_ready(&self, place: Place) -> bool {
        self.dependencies[&place].iter().all(|needed| self.entry(*needed).is_some())
            || place == self.next
            || place.seat.judge().is_some() && place.in_schedule() == self.next.in_schedule()
    }

    /// The state of this reply if a program writes it.
    fn by_program(&self, place: Place) -> Option<ByProgram> {
        self.facts.programs.get(&place.into()).copied()
    }

    /// The conversation or run that writes this reply: with the next one perhaps others.
    fn writer(&self, place: Place) -> Option<&'a str> {
        let is_written = place == self.next || self.by_program(place).is_some();
        self.facts.writer.filter(|_| is_written).map(|(writer, _)| writer)
    }

    fn status(&self, place: Place, holder: Option<&TaskHolder>) -> TaskStatus {
        if self.entry(place).is_some() {
            return TaskStatus::Done;
        }
        if self.is_past(place) {
            return TaskStatus::Skipped;
        }
        let has_failed = self.facts.debate.status() == debate::Status::Failed;
        match holder {
            Some(holder) if holder.received_at.is_some() => TaskStatus::Done,
            Some(_) => TaskStatus::Claimed,
            None if matches!(self.by_program(place), Some(ByProgram::Wrote(_))) => TaskStatus::Done,
            None if self.writer(place).is_some() => TaskStatus::InProgress,
            None if place == self.next && has_failed => TaskStatus::Failed,
            None if !self.is_ready(place) => TaskStatus::Waiting,
            None => TaskStatus::Available,
        }
    }

    fn task(&self, place: Place) -> Task {
        let debate = self.facts.debate;
        let id = place.id(self.number);
        let last_holder = self.facts.holders.get(&id);
        let holder = last_holder.filter(|holder| !holder.is_gone);
        let hold = match (last_holder, holder) {
            (None, _) => Hold::Free,
            (Some(_), None) => Hold::Dead,
            (Some(_), Some(_)) => Hold::Held,
        };
        let entry = self.entry(place);
        let file = self.facts.file.to_owned();
        let status = self.status(place, holder);
        let is_ready = self.is_ready(place);
        let author = entry.and_then(|entry| entry.author.as_ref());
        let received_at = match self.by_program(place) {
            Some(ByProgram::Wrote(at)) => Some(at),
            _ => last_holder.and_then(|holder| holder.received_at),
        };
        let dependencies = &self.dependencies[&place];
        Task {
            description: description(debate, place),
            status,
            priority: priority(place, &self.dependencies),
            holder: last_holder.cloned(),
            claimed_by: author
                .map(|author| author.agent().to_owned())
                .or_else(|| holder.map(TaskHolder::label))
                .or_else(|| self.writer(place).map(str::to_owned)),
            dependencies: dependencies.iter().map(|place| place.id(self.number)).collect(),
            context: TaskContext {
                files: iter::once(file.clone()).chain(self.material()).collect(),
                hints: self.hints(place, status, is_ready),
            },
            result: entry.map(|entry| TaskOutcome {
                output: entry.text.clone(),
                files_modified: vec![file],
            }),
            created_at: to_second(debate.started_at()),
            claimed_at: holder.map(|holder| holder.claimed_at).or_else(|| {
                let (_, since) = self.facts.writer.filter(|_| place == self.next)?;
                since.map(to_second)
            }),
            completed_at: entry.and_then(|entry| entry.at).or(received_at.map(to_second)),
            place,
            hold,
            is_ready,
            id,
        }
    }

    fn material(&self) -> impl Iterator<Item = String> {
        let source = self.facts.debate.options.context_source.iter();
        source.flat_map(|source| source.split(", ").map(str::to_owned))
    }

    fn hints(&self, place: Place, status: TaskStatus, is_ready: bool) -> Vec<String> {
        let mut hints = Vec::new();
        if matches!(status, TaskStatus::Available | TaskStatus::Failed) {
            hints.push(format!("`anvil claim {}` takes it", place.id(self.number)));
        }
        if matches!(status, TaskStatus::Done | TaskStatus::Skipped) {
            return hints;
        }
        if !is_ready {
            hints.push("its dependencies come first".to_owned());
        }
        let answers = self.facts.entries.notes().filter(|(kind, _)| *kind == NoteKind::Answer);
        hints.extend(answers.map(|(_, note)| format!("answered by the user: {}", note.text)));
        let noted = self.facts.entries.notes().filter(|(kind, _)| *kind == NoteKind::Noted);
        hints.extend(noted.map(|(_, note)| format!("noted, unchecked: \"{}\"", note.text)));
        hints
    }
}

fn description(debate: &Debate, place: Place) -> String {
    let voice =
        debate.voice_at(place).map(|voice| format!(" as {}", voice.name)).unwrap_or_default();
    if debate.awaits_block() && place == debate.next_place() {
        return "Write the block once more: the reply is saved, and its block is wrong.".to_owned();
    }
    match place.seat {
        Seat::Judge(judge) => format!("Judge the debate, for yourself alone, as judge {judge}."),
        Seat::Advocate => format!("Argue for, in round {}{voice}.", place.round),
        Seat::Critic => format!("Argue against, in round {}{voice}.", place.round),
        Seat::Voice(_) => format!("Say what it means{voice}."),
        Seat::Synthesizer => {
            "Write the synthesis: what survived, what to do, how sure to be.".to_owned()
        }
    }
}

/// The number of replies that wait for this one, itself counted.
fn priority(place: Place, dependencies: &BTreeMap<Place, Vec<Place>>) -> u32 {
    let mut held_up = BTreeSet::from([place]);
    let mut known = 0;
    while known < held_up.len() {
        known = held_up.len();
        for (later, needed) in dependencies {
            if needed.iter().any(|needed| held_up.contains(needed)) {
                held_up.insert(*later);
            }
        }
    }
    u32::try_from(held_up.len()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use expect_test::expect_file;
    use schemars::generate::SchemaSettings;

    use super::*;

    #[test]
    fn the_schema_of_tasks_matches_the_types() {
        let settings = SchemaSettings::draft2020_12().for_serialize();
        let schema = settings.into_generator().into_root_schema_for::<TaskList<'_>>();
        let text = serde_json::to_string_pretty(&schema).unwrap() + "\n";
        expect_file![concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/tasks.schema.json")]
            .assert_eq(&text);
    }
}
