//! A verdict that was reached stays within reach of `history` and `report`: after every verb, after
//! every pair of verbs, and after a fault at each operation of a verb that leaves it.

use super::crashes::Event::{Prompt, Redo, Restore, SessionEnd, Stop, Undo};
use super::crashes::{
    Accident, Case, Event, Kept, Place, all_words, check_ending, chosen, edit, happen, played,
    resumed, status,
};
use anvil_core::ledger::Standing;
use anvil_core::tasks::SeatFilter;
use anvil_engine::{
    Claimant, Claimed, Context, Extent, body_from, history, issues, reports, session, tasks,
};
use anvil_store::{Holder, Scope};
use anvil_system::disk::{Disk, Operation};
use testkit::host::WHOLE;

/// The recommendation of the verdict that was reached.
const REACHED: &str = "Do it.";

/// Another synthesis.
const OTHER: &str = "T.\n\n```anvil\nagainst: what was not measured\nrecommendation: Leave it.\n\
    verdict: do not\nconfidence: 60\nrests on: nothing\nflips if: more than 5 fail\nunknown: how \
    many there are\n```";

const ENOSPC: i32 = 28;

/// What a user can do to a debate.
#[derive(Clone, Debug)]
enum Verb {
    Event(Event),
    /// A program starts a debate, as an MCP client does.
    Start,
    /// A program claims the next task and writes it.
    Claim,
    /// The debate replaces the block of a body, whatever is in it.
    Embed,
    /// The user edits the file.
    Edit(fn(&Place)),
}

fn finished() -> Vec<Event> {
    vec![Prompt("/anvil:debate Why? --rounds 1"), Stop("A1."), Stop("C1."), Stop(WHOLE)]
}

fn verbs() -> Vec<Verb> {
    let prompts = [
        "/anvil:again And now?",
        "/anvil:cancel",
        "/anvil:cancel --take-over",
        "/anvil:resume",
        "/anvil:resume --take-over",
        "/anvil:undo 3",
        "/anvil:steer Look at the cost.",
        "/anvil:steer --synthesize",
        "/anvil:steer --rounds 2",
        "/anvil:debate Another? --rounds 1",
        "/anvil:debate Another? --rounds 1 --replace",
        "/anvil:history --outcome right",
        "Wait.",
    ];
    let events = [Undo, Redo, Restore(1), Restore(5), Stop("A2."), Stop(OTHER), SessionEnd];
    let edits: [fn(&Place); 4] = [
        |place| {
            try_edit(place, |text| text.replace("question: \"Why?\"", "question: \"Why not?\""));
        },
        |place| {
            let without = |text: &str| {
                let (before, _) = text.split_once("\n## Synthesis").unwrap_or((text, ""));
                format!("{before}\n")
            };
            try_edit(place, without);
        },
        |place| try_edit(place, |text| text[..text.len() / 2].to_owned()),
        |place| drop(fs_err::remove_file(place.state_path())),
    ];
    let events = prompts.map(Prompt).into_iter().chain(events).map(Verb::Event);
    events.chain([Verb::Start, Verb::Claim, Verb::Embed]).chain(edits.map(Verb::Edit)).collect()
}

fn try_edit(place: &Place, change: fn(&str) -> String) {
    if place.bytes().is_some() {
        edit(place, change);
    }
}

fn act(place: &mut Place, verb: &Verb) {
    match verb {
        Verb::Event(event) => drop(place.send(event, Disk::default())),
        Verb::Start => {
            let world = place.world(Disk::default());
            let _ = session::start_for_program(&Context::new(&world), "Another?", &[]);
        }
        Verb::Claim => claim(place),
        Verb::Embed => {
            let world = place.world(Disk::default());
            let context = Context::new(&world);
            if let Ok(state) = issues::state_of(&context, None) {
                let body = body_from(&b"An issue."[..], "a body").unwrap();
                issues::embed(&context, &body, state, true).unwrap();
            }
        }
        Verb::Edit(change) => change(place),
    }
}

fn claim(place: &mut Place) {
    let world = place.world(Disk::default());
    let context = Context::new(&world);
    let Ok(state) = issues::state_of(&context, None) else { return };
    let name = "codex".to_owned();
    let claimant = Claimant { name, holder: Holder::user(), reopens: true };
    let any = SeatFilter::Any;
    let claimed = tasks::claim(&context, &state.debate.id, &claimant, any, |_| 100_000);
    if let Ok(Claimed::Task(ticket, _)) = claimed {
        let reply = if ticket.task.contains("synthesis") { OTHER } else { "A3." };
        let _ = tasks::submit(&context, &ticket, reply.into());
    }
}

/// The id of the one debate.
fn id(place: &mut Place) -> String {
    let world = place.world(Disk::default());
    let past = history::past(&Context::new(&world), None, Scope::Repository).unwrap();
    past.debates[0].debate.id.clone()
}

/// True if `history` lists the debate with the verdict that was reached, or names the state that
/// has it, or if the report has its words.
fn is_reached(place: &mut Place, id: &str) -> Result<(), String> {
    let world = place.world(Disk::default());
    let context = Context::new(&world);
    let past =
        history::past(&context, None, Scope::Repository).map_err(|error| error.to_string())?;
    let row = past.debates.iter().find(|row| row.debate.id == id).ok_or("not in the history")?;
    let undone = row.undone.iter().map(|undone| &undone.standing);
    let verdicts = row.standing.iter().chain(undone).filter_map(Standing::verdict);
    if verdicts.into_iter().any(|verdict| verdict.recommendation.as_deref() == Some(REACHED)) {
        return Ok(());
    }
    let view = Extent::Whole { columns: None };
    let shown = reports::show(&context, None, Some(id), view).map_err(|error| error.to_string())?;
    if shown.text.contains(REACHED) { Ok(()) } else { Err(shown.text) }
}

#[test]
fn a_verdict_stays_within_reach_after_every_verb_and_every_pair_of_verbs() {
    std::thread::scope(|scope| {
        for snapshots in [None, Some(1)] {
            scope.spawn(move || every_pair(snapshots));
        }
    });
}

fn every_pair(snapshots: Option<usize>) {
    let mut place = Place::new();
    place.snapshots = snapshots;
    for event in finished() {
        place.send(&event, Disk::default());
    }
    assert_eq!(status(&place), "completed");
    let id = id(&mut place);
    let begin = Kept::of(place);
    for first in &verbs() {
        let mut place = begin.again();
        act(&mut place, first);
        is_reached(&mut place, &id).unwrap_or_else(|why| panic!("{first:?}: {why}"));
        let after_first = Kept::of(place);
        for second in &verbs() {
            let mut place = after_first.again();
            act(&mut place, second);
            is_reached(&mut place, &id)
                .unwrap_or_else(|why| panic!("{snapshots:?}, {first:?}, then {second:?}: {why}"));
        }
    }
}

#[test]
fn again_and_cancel_survive_a_fault_at_each_operation() {
    let cycle = || [finished(), vec![Prompt("/anvil:again And now?"), Stop("A2.")]].concat();
    let case = |name, before: Vec<Event>, event| Case {
        name,
        before,
        by_hand: |_| {},
        event,
        ends: false,
        carries_on: resumed,
    };
    for case in [
        case("again", finished(), Prompt("/anvil:again And now?")),
        case("cancel of a cycle", cycle(), Prompt("/anvil:cancel")),
        case("an undone end", finished(), Undo),
        case("cancel of an undone end", [finished(), vec![Undo]].concat(), Prompt("/anvil:cancel")),
        case(
            "a start that replaces a cycle",
            cycle(),
            Prompt("/anvil:debate Another? --rounds 1 --replace"),
        ),
    ] {
        let (before, after, operations) = played(&case);
        assert!(before.bytes != after.bytes && operations.len() > 3, "{}", case.name);
        let id = id(&mut before.again());
        for (at, operation) in operations.iter().enumerate() {
            let mut kinds = vec![Accident::Death, Accident::Full, Accident::Failure(ENOSPC)];
            if *operation == Operation::Write {
                kinds.extend([Accident::TornDeath, Accident::Tear]);
            }
            for &kind in chosen(&kinds, at) {
                let context = format!("{}: {kind:?} at {at}", case.name);
                let mut place = before.again();
                happen(&case, &mut place, kind, at);
                let is_done = place.bytes() == after.bytes;
                assert!(is_done || place.bytes() == before.bytes, "{context}");
                is_reached(&mut place, &id).unwrap_or_else(|why| panic!("{context}: {why}"));
                let words = all_words(&place);
                for text in ["> A1.", "> C1.", "> S.", "> A2."] {
                    let is_kept = words.contains(text) || !before.words.contains(text);
                    assert!(is_kept, "{context}: {text} is gone");
                }
                if !is_done {
                    place.clock = before.clock;
                    happen(&case, &mut place, Accident::None, 0);
                    assert_eq!(place.bytes(), after.bytes, "{context}: done again");
                }
                check_ending(&case, &before, &after, kind, at);
            }
        }
    }
}
