//! Tasks that a person, a script or another program claims and submits: each reply is filed once.

use crate::first_attempt;
use anvil_core::attempt::Generation;
use anvil_core::place::Seat;
use anvil_core::tasks::{SeatFilter, TaskStatus};
use anvil_core::transcript::{Author, EntryKind, NoteKind, count_words};
use anvil_engine::{
    Claimant, Claimed, Context, Filed, MAX_TRIES, Session, Stopped, Submitted, Ticket, Waiting,
    history, programs, session, tasks,
};
use anvil_prompt::prompt::Why;
use anvil_store::Holder;
use anvil_system::process::ProcessId;
use anvil_text::error::Kind;
use testkit::world::{Client, TestWorld, failure};

/// A debate that waits for the one who claims its tasks.
fn prepared(typed: &str) -> TestWorld {
    let world = TestWorld::new();
    world.prepare(typed);
    world
}

fn submit(world: &TestWorld, ticket: &Ticket, text: &str) -> Result<Submitted, Stopped> {
    world.run(|context| tasks::submit(context, ticket, text.into()))
}

/// Claims a task of this seat.
#[track_caller]
fn claim(world: &TestWorld, seat: &str) -> Ticket {
    let id = world.state().debate.id;
    let claimant = Claimant { name: "a".to_owned(), holder: Holder::user(), reopens: true };
    let seat: SeatFilter = seat.parse().unwrap();
    match world.run(|context| tasks::claim(context, &id, &claimant, seat, |_| 100_000)) {
        Ok(Claimed::Task(ticket, _)) => ticket,
        other => panic!("{other:?}"),
    }
}

#[test]
fn who_waits_for_a_change_sees_a_claim() {
    let world = prepared("Why? --rounds 1");
    let id = world.state().debate.id;
    let signature = || world.run(|context| tasks::signature(context, &id));
    let before = signature();
    assert_eq!(signature(), before);
    claim(&world, "advocate");
    assert_ne!(signature()[1], before[1]);
}

fn put_aside(world: &TestWorld, text: &str) -> usize {
    let texts = world.aside_files().into_iter();
    texts.filter(|(_, bytes)| String::from_utf8_lossy(bytes).contains(text)).count()
}

/// The authors of the notes of this kind.
fn authors(world: &TestWorld, kind: NoteKind) -> Vec<String> {
    let notes = world.entries().into_iter().filter(|entry| entry.what == EntryKind::Note(kind));
    notes
        .map(|note| note.author.map_or_else(String::new, |author| author.name().to_owned()))
        .collect()
}

fn status_of(world: &TestWorld, task: &str) -> TaskStatus {
    let board = world.run(|context| tasks::list(context, None)).unwrap();
    board.tasks.iter().find(|one| one.id == task).unwrap().status
}

/// The program is killed after it has saved a reply: before it notes the end of the attempt, or
/// that the debate has the reply.
#[test]
fn a_submit_that_died_after_its_commit_is_answered_as_saved() {
    for lost in [1, 2] {
        let world = prepared("Why? --rounds 1");
        let ticket = world.ticket("a");
        let saved = submit(&world, &ticket, "**A1. It pays.** So.");
        assert!(matches!(saved, Ok(Submitted::Filed(Filed::Saved { .. }))), "{saved:?}");
        let record = world.debate_folder().join("attempts.jsonl");
        let whole = fs_err::read_to_string(&record).unwrap();
        let kept: Vec<&str> = whole.lines().collect();
        fs_err::write(&record, kept[..kept.len() - lost].join("\n") + "\n").unwrap();
        let again = submit(&world, &ticket, "**A1. It pays.** So.");
        assert!(matches!(again, Ok(Submitted::SavedBefore)), "{again:?}");
        assert_eq!((world.reply_texts().len(), world.aside_files().len()), (1, 0));
        assert_eq!(world.entries()[0].author.as_ref().map(Author::name), Some("a"));
        let noted = fs_err::read_to_string(&record).unwrap();
        let events = ["started", "ended", "submitted"];
        assert_eq!(noted.lines().count(), events.len());
        for (line, event) in noted.lines().zip(events) {
            assert!(line.contains(&format!("\"event\":\"{event}\"")), "{line}");
        }
    }
}

#[test]
fn a_reply_without_a_good_token_files_nothing_and_lies_aside() {
    const GOOD: &str = "**A1. It pays.** So.";
    let world = prepared("Why? --rounds 1");
    let ticket = world.ticket("a");
    let guessed = Ticket { token: "0".repeat(ticket.token.len()), ..ticket.clone() };
    let unknown = Ticket { task: String::new(), attempt: 0, ..guessed.clone() };
    for (ticket, text) in [(&guessed, "Guessed."), (&unknown, "Cut off."), (&unknown, "No token.")]
    {
        assert!(matches!(submit(&world, ticket, text), Ok(Submitted::Late)), "{text}");
        assert_eq!((put_aside(&world, text), world.reply_texts().len()), (1, 0), "{text}");
    }
    // Of texts with unknown tokens the last three are kept.
    submit(&world, &unknown, "One more.").unwrap();
    assert_eq!((put_aside(&world, "Guessed."), put_aside(&world, "One more.")), (0, 1));

    // A dropped claim is no failure, and its task is free again at once.
    let holds = |ticket: &Ticket| world.run(|context| tasks::still_holds(context, ticket));
    assert_eq!(status_of(&world, "advocate-1"), TaskStatus::Claimed);
    assert!(holds(&ticket) && !holds(&guessed));
    world.run(|context| tasks::drop_claim(context, "advocate-1")).unwrap();
    let dropped = world.clock.get();
    assert_eq!(status_of(&world, "advocate-1"), TaskStatus::Available);
    assert!(!holds(&ticket));
    let other = world.ticket("b");
    for _ in 0..2 {
        assert!(matches!(submit(&world, &ticket, GOOD), Ok(Submitted::Late)));
    }
    assert_eq!(put_aside(&world, GOOD), 1, "a late reply lies aside once");
    for text in ["Guessed again.", "Guessed twice.", "Guessed once more."] {
        submit(&world, &unknown, text).unwrap();
    }
    assert_eq!(put_aside(&world, GOOD), 1, "it is none of the texts with unknown tokens");
    submit(&world, &other, GOOD).unwrap();
    let saved = world.clock.get();
    assert_eq!(world.reply_texts(), [GOOD]);
    let (_, attempts) = world.run(|context| programs::attempts(context, None)).unwrap();
    for (claim, (at, message, bytes, words)) in attempts.claims.iter().zip([
        (dropped, "its user dropped it", 0, 0),
        (saved, "", GOOD.len() as u64, count_words(GOOD)),
    ]) {
        let ended = claim.ended.as_ref().unwrap();
        assert_eq!((ended.at, &*ended.message, ended.words), (at, message, words));
        let took = at.duration_since(claim.started.at).as_millis();
        assert_eq!((i128::from(ended.exit.duration_ms), ended.exit.bytes), (took, bytes));
    }
}

#[test]
fn an_early_reply_is_kept_until_its_turn() {
    let world = prepared("Why? --stakeholders \"a, b, c\"");
    let voice = |at: usize| format!("**S{at}.1. Voice {at} says so.** It is so [reasoning].");
    let tickets = [1, 2, 3].map(|at| claim(&world, &format!("voice-{at}")));
    for at in [3, 2] {
        let kept = submit(&world, &tickets[at - 1], &voice(at));
        assert!(matches!(kept, Ok(Submitted::Kept)), "{kept:?}");
    }
    assert_eq!(world.reply_texts(), [""; 0]);
    // It files all that is due, in order.
    let id = world.state().debate.id;
    let signature = || world.run(|context| tasks::signature(context, &id));
    let before = signature();
    assert_eq!(signature(), before, "a look changes nothing");
    submit(&world, &tickets[0], &voice(1)).unwrap();
    assert_ne!(signature(), before);
    assert_eq!(world.reply_texts(), [1, 2, 3].map(voice));
    let authors: Vec<_> = world.entries().into_iter().filter_map(|entry| entry.author).collect();
    assert_eq!(authors.iter().map(Author::name).collect::<Vec<_>>(), ["a"; 3]);
    // Undone, it is to be written again.
    assert_eq!(status_of(&world, "voice-3"), TaskStatus::Done);
    world.run(|context| history::undo(context, None, 1, false)).unwrap();
    assert_eq!(status_of(&world, "voice-3"), TaskStatus::Available);
}

#[test]
fn two_simultaneous_claims_never_get_the_same_task() {
    let world = prepared("Why? --rounds 1");
    let id = world.state().debate.id;
    let claimant =
        Claimant { name: "one of two".to_owned(), holder: Holder::this(), reopens: true };
    let (world, both) = (world.next(), std::sync::Barrier::new(2));
    let claim = || {
        let context = Context::new(&world);
        let mut won = 0;
        for _ in 0..100 {
            both.wait();
            let seat = "advocate".parse().unwrap();
            let claimed = tasks::claim(&context, &id, &claimant, seat, |_| 100_000).unwrap();
            both.wait();
            match claimed {
                Claimed::Task(ticket, _) => {
                    won += 1;
                    tasks::leave(&context, &ticket, "for the other one").unwrap();
                }
                Claimed::Waits(Waiting::Held(_)) => {}
                other => panic!("{other:?}"),
            }
        }
        won
    };
    let (one, other) = std::thread::scope(|scope| {
        let (one, other) = (scope.spawn(claim), scope.spawn(claim));
        (one.join().unwrap(), other.join().unwrap())
    });
    assert_eq!(one + other, 100, "{one} and {other}");
}

/// One driver: who claims a task takes none from a conversation, and it takes none.
#[test]
fn a_conversation_takes_no_claimed_task_and_nobody_claims_from_it() {
    let world = prepared("Why? --rounds 1");
    let ticket = world.ticket("a");
    let one = world.conversation("one");
    assert_eq!(failure(one.resume().unwrap_err()), "Claimed");
    submit(&world, &ticket, "**A1. It pays.** So.").unwrap();
    let ticket = world.ticket("a");
    world.run(tasks::drop_claims).unwrap();
    one.resume().unwrap();
    let board = world.run(|context| tasks::list(context, None)).unwrap();
    let critic = board.tasks.iter().find(|task| task.id == ticket.task).unwrap();
    // Nothing shows when a client that is not known began.
    assert_eq!((critic.status, critic.claimed_at), (TaskStatus::InProgress, None));
    assert!(matches!(submit(&world, &ticket, "C1. No."), Ok(Submitted::Late)));
    assert_eq!(world.reply_texts().len(), 1);
    assert_eq!(failure(world.claim("b").unwrap_err()), "Driven");
    one.argue(&["**C1. No.** So."]);
}

#[test]
fn each_judge_is_asked_and_the_last_one_completes_the_debate() {
    let world = prepared("Why? --rounds 1");
    world.edit("max_rounds: 1\n", "max_rounds: 1\njudges: 3\n");
    for reply in ["**A1. It pays.** So.", "**C1. It costs.** So."] {
        submit(&world, &world.ticket("a"), reply).unwrap();
    }
    let judgment = |says: &str| world.synthesis(&format!("recommendation: {says}"));
    let lacks = judgment("Second.").replace("C1 weakened: by what was said\n", "");
    // The user is asked for no direction between two judges.
    world.edit("judges: 3\n", "judges: 3\ninteractive: true\n");
    let mut ticket = claim(&world, "judge-1");
    for (reply, next, status) in [
        (judgment("First."), Some("judge-2"), "in progress"),
        // Its block is asked for once more.
        (lacks, None, "in progress"),
        (judgment("Second, whole."), Some("judge-3"), "in progress"),
        (judgment("Third."), None, "completed"),
    ] {
        submit(&world, &ticket, &reply).unwrap();
        assert_eq!(world.progress().1, status, "{reply}");
        let is_done = next.is_some() || status == "completed";
        assert_eq!(status_of(&world, &ticket.task) == TaskStatus::Done, is_done, "{reply}");
        if let Some(next) = next {
            ticket = claim(&world, next);
        }
    }
    assert_eq!(world.reply_texts().len(), 3);
    assert_eq!(authors(&world, NoteKind::Judgment), ["a"; 3]);
    assert_eq!(authors(&world, NoteKind::VerdictBlock), ["a"]);
}

#[test]
fn a_reply_after_a_judgment_is_judged_by_every_judge() {
    let world = prepared("Why? --rounds 1");
    world.edit("max_rounds: 1\n", "max_rounds: 1\njudges: 2\n");
    for reply in ["**A1. It pays.** So.", "**C1. It costs.** So."] {
        submit(&world, &world.ticket("a"), reply).unwrap();
    }
    submit(&world, &world.ticket("a"), &world.synthesis("recommendation: Wait.")).unwrap();
    assert_eq!(world.state().debate.judgments(), 1);
    world.edit("active: true", "active: false");
    world.run(|context| session::change_rounds(context, None, 2, false)).unwrap();
    submit(&world, &world.ticket("a"), "**Rebuts C1:** so.").unwrap();
    assert_eq!((world.reply_texts().len(), world.state().debate.judgments()), (3, 0));
}

#[test]
fn a_direction_waits_for_the_next_place() {
    let world = prepared("Why? --stakeholders \"a, b, c\"");
    world.run(|context| session::steer(context, None, "Cost.", false)).unwrap();
    for (seat, waits) in [("voice-2", Some("Cost.")), ("voice-1", None)] {
        claim(&world, seat);
        assert_eq!(world.state().debate.steering(), waits, "{seat}");
    }
    assert_eq!(world.entries()[0].text, "Cost.");
}

#[test]
fn a_note_about_another_motion_has_the_author_of_its_reply() {
    let world = prepared("Why? --rounds 1 --motion \"We split it\"");
    let reply = "**Motion:** We wait.\n\n**A1. It pays.** So.";
    submit(&world, &world.ticket("a"), reply).unwrap();
    assert_eq!(authors(&world, NoteKind::Noted), ["a"]);
}

#[test]
fn a_claim_whose_holder_is_gone_is_not_shown_and_holds_nothing_while_a_run_writes() {
    let client = Client::start();
    let world = prepared("Why?");
    let id = world.state().debate.id;
    let holder = Holder { process: ProcessId::from_pid(client.pid()), ..Holder::this() };
    let claimant = Claimant { name: "a".to_owned(), holder, reopens: true };
    let claimed =
        world.run(|context| tasks::claim(context, &id, &claimant, SeatFilter::Any, |_| 100_000));
    let Ok(Claimed::Task(ticket, _)) = claimed else { panic!("{claimed:?}") };
    let holds = || world.run(|context| tasks::still_holds(context, &ticket));
    let holders = || world.run(|context| session::look(context, None)).unwrap().claims.len();
    assert_eq!(holders(), 1);
    client.end();
    assert_eq!((holders(), holds()), (0, true));
    let run = Session::of_run(ProcessId::current());
    world.run(|context| programs::take_up(context, &run, &id, false)).unwrap();
    assert!(!holds());
    assert!(matches!(submit(&world, &ticket, "**A1. It pays.** So."), Ok(Submitted::Late)));
    assert_eq!(world.reply_texts().len(), 0);
}

#[test]
fn a_ticket_serves_its_own_debate_as_it_was_alone() {
    let world = prepared("First?");
    let ticket = world.ticket("a");
    let note = || {
        let text = "It is 5.";
        world
            .run(|context| tasks::note_fact(context, &ticket, text, Author::person()))
            .map_err(failure)
    };
    let holds = || world.run(|context| tasks::still_holds(context, &ticket));
    assert!(holds());
    world.prepare("Second? --replace");
    assert!(!holds());
    let before = world.state_text();
    let claimant = Claimant { name: "a".to_owned(), holder: Holder::user(), reopens: true };
    let claimed = world
        .run(|context| tasks::claim(context, &ticket.id, &claimant, SeatFilter::Any, |_| 100_000));
    assert!(matches!(claimed, Ok(Claimed::Over(None))), "{claimed:?}");
    assert_eq!(world.state_text(), before);
    assert_eq!((note(), world.entries().len()), (Err("NotHeld".to_owned()), 0));

    let world = prepared("First?");
    let ticket = world.ticket("a");
    world.edit("question: \"First?\"", "question: \"Fifth?\"");
    assert!(matches!(submit(&world, &ticket, "A1. To the old question."), Ok(Submitted::Late)));
    assert!(world.entries().is_empty() && put_aside(&world, "the old question") == 1);

    let ticket = world.ticket("a");
    world.run(|context| session::cancel(context, None, false)).unwrap();
    for _ in 0..2 {
        assert_eq!(failure(submit(&world, &ticket, "A1. Too late.").unwrap_err()), "Cancelled");
        assert_eq!(put_aside(&world, "Too late."), 1);
    }
}

#[test]
fn an_early_reply_that_stays_unusable_frees_its_task() {
    let world = prepared("Why? --stakeholders \"a, b, c\"");
    let ticket = claim(&world, "voice-2");
    let mut given_up = None;
    for tries in 0..=MAX_TRIES {
        let end = submit(&world, &ticket, "");
        let is_last = matches!(end, Ok(Submitted::GivenUp(_)));
        assert_eq!(is_last, tries == MAX_TRIES, "{tries}: {end:?}");
        if let Ok(Submitted::GivenUp(why)) = end {
            given_up = Some((why, world.clock.get()));
        }
    }
    assert_eq!(status_of(&world, &ticket.task), TaskStatus::Available);
    let (_, attempts) = world.run(|context| programs::attempts(context, None)).unwrap();
    let ended = attempts.claims[0].ended.as_ref().map(|ended| (ended.message.clone(), ended.at));
    assert!(ended.is_some() && ended == given_up, "{ended:?} {given_up:?}");
}

#[test]
fn a_task_that_is_written_or_that_nobody_holds_is_not_dropped() {
    let world = prepared("Why? --stakeholders \"a, b, c\"");
    let ticket = claim(&world, "voice-2");
    submit(&world, &ticket, "**S2.1. We say so.** It is so [reasoning].").unwrap();
    let first = world.run(|context| tasks::list(context, None)).unwrap().tasks[0].id.clone();
    for (task, why) in [(&ticket.task, "Written"), (&first, "NotClaimed")] {
        let refused = world.run(|context| tasks::drop_claim(context, task)).unwrap_err();
        assert_eq!((refused.kind(), &*failure(refused)), (Kind::Nothing, why), "{task}");
    }
    // A conversation that writes the first one saves it too.
    let one = world.conversation("one");
    one.resume().unwrap();
    one.stop("**S1.1. We say so.** It is so [reasoning].").unwrap();
    assert_eq!((world.reply_texts().len(), one.seat()), (2, Seat::Voice(3)));
}

#[test]
fn a_program_writes_a_later_task_as_long_as_it_runs() {
    let world = prepared("Why? --stakeholders \"a, b, c\"");
    let run = Session::of_run(ProcessId::current());
    let id = world.state().debate.id;
    world.run(|context| programs::take_up(context, &run, &id, false)).unwrap();
    let client = Client::start();
    let second = world.state().debate.places()[1].into();
    let started = first_attempt(&world, second, Generation::Cycle(1), client.pid());
    world.run(|context| programs::attempt_record(context, &id).note(started)).unwrap();
    let voices = || {
        let tasks = world.run(|context| tasks::list(context, None)).unwrap().tasks;
        [0, 1, 2].map(|voice: usize| tasks[voice].status == TaskStatus::InProgress)
    };
    assert_eq!(voices(), [true, true, false]);
    client.end();
    assert_eq!(voices(), [true, false, false]);
}

#[test]
fn a_block_is_asked_for_in_the_same_words_if_the_answer_was_lost() {
    for judges in ["", "judges: 2\n"] {
        let world = prepared("Why? --rounds 1");
        world.edit("max_rounds: 1\n", &format!("max_rounds: 1\n{judges}"));
        submit(&world, &world.ticket("a"), "**A1. It pays.** So.").unwrap();
        let ticket = world.ticket("a");
        let repeated = submit(&world, &ticket, "**A1. It pays.** So.");
        let is_again = matches!(repeated, Ok(Submitted::Filed(Filed::Again(Why::Repeated))));
        assert!(is_again, "no block is awaited: {repeated:?}");
        submit(&world, &ticket, "**C1. It costs.** So.").unwrap();
        let whole = world.synthesis("recommendation: Wait.");
        let lacks = whole.replace("C1 weakened: by what was said\n", "");
        let ticket = world.ticket("a");
        let [first, again] = [(); 2].map(|()| match submit(&world, &ticket, &lacks) {
            Ok(Submitted::Filed(Filed::BlockAgain(why))) => why,
            other => panic!("{judges}: {other:?}"),
        });
        assert!(first.contains("C1") && again == first, "{judges}: {first} {again}");
    }
}

#[test]
fn a_task_that_claude_writes_is_taken_since_its_request() {
    let client = Client::start();
    let world = TestWorld::new();
    world.conversation("one").of_client(client.pid()).start("Why?").unwrap();
    let requested = world.state().debate.updated_at();
    let board = world.run(|context| tasks::list(context, None)).unwrap();
    let first = &board.tasks[0];
    assert_eq!((first.status, first.claimed_at), (TaskStatus::InProgress, Some(requested)));
}
