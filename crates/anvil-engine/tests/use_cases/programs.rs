//! Programs that argue a debate, and the session that follows it.

use anvil_core::attempt::Slot;
use anvil_core::place::Seat;
use anvil_engine::{
    Filed, Objections, ResumeAction, SeatView, Session, StepDebate, Stopped, UnreadClaim,
    generation_of, history, programs, session,
};
use anvil_store::{Attempts, RunRecord};
use anvil_system::process::ProcessId;
use testkit::world::{Client, TestWorld, parse_debate};

/// A run in this process, which has taken the debate here up.
fn taken_up(world: &TestWorld) -> Session {
    let run = Session::of_run(ProcessId::current());
    let id = world.state().debate.id;
    world.run(|context| programs::take_up(context, &run, &id, false)).unwrap();
    run
}

#[test]
fn a_gate_learns_which_claims_are_open_and_which_seat_made_none() {
    let facts = |world: &TestWorld| {
        let id = world.state().debate.id;
        world.run(|context| programs::gate_facts(context, &id)).unwrap()
    };
    let world = TestWorld::new();
    let one = world.debating("Why? --rounds 2");
    let case = "**A1. First.** x\n\n**A2. Second.** y\n\n**A3. Third.** z";
    one.argue(&[case, "**C1. Fourth.** z\n\n**Attacks A1:** no.\n\n**Attacks A3:** no."]);
    one.argue(&["**Repairs A1:** yes.\n\n**Rebuts C1:** so.\n\n**Supports A2:** w."]);
    let open = |world: &TestWorld| {
        let open = facts(world).open.into_iter();
        open.map(|claim| (claim.id.to_string(), claim.is_repaired)).collect::<Vec<_>>()
    };
    assert_eq!(open(&world), [("A1".to_owned(), true), ("A2".to_owned(), false)]);
    let known = facts(&world);
    assert_eq!((known.unread, known.objections), (None, Objections::NoDocument));
    let other = world.run(|context| programs::gate_facts(context, "another-0001"));
    assert!(other.is_err());
    let world = TestWorld::new();
    let one = world.debating("Why? --rounds 1");
    // Asked once more, it has no claim either.
    let _ = [one.stop("It is so."), one.stop("It is so.")];
    assert_eq!(world.reply_texts().len(), 1);
    assert_eq!(facts(&world).unread, Some(UnreadClaim::Seat(Seat::Advocate)));
}

#[test]
fn a_run_waits_for_a_reply_until_the_debate_has_moved_on() {
    let world = TestWorld::new();
    world.prepare("Why? --rounds 1");
    let run = taken_up(&world);
    let view = SeatView::default();
    let attempts = Attempts::default();
    let request = world
        .run(|context| programs::next_request(context, &run, view, &attempts, |_| 100_000))
        .unwrap();
    let waits = |session: &Session, slot: Slot| {
        world.run(|context| programs::still_waits(context, session, slot, request.generation))
    };
    assert!(waits(&run, request.slot) && !waits(&Session::new("two"), request.slot));
    let text = "**A1. It pays.** So.";
    let filed = world
        .run(|context| programs::submit(context, &run, request.generation, text.into()).unwrap());
    assert!(matches!(filed, Some(Filed::Saved { .. })), "{filed:?}");
    assert!(!waits(&run, request.slot));
    // It may be written just now.
    let whole = world.state_text();
    fs_err::write(world.state_path(), [0xFF]).unwrap();
    assert!(waits(&run, request.slot));
    fs_err::write(world.state_path(), whole).unwrap();
}

#[test]
fn only_programs_that_run_or_a_saved_reply_take_a_debate_up() {
    let client = Client::start();
    let world = TestWorld::new();
    let one = world.conversation("one").of_client(client.pid());
    let started = one.start("Why? --rounds 1").unwrap();
    let is_taken =
        || world.run(|context| programs::is_taken_up(context, &started.project, &started.debate));
    assert!(!is_taken(), "a conversation writes");
    one.type_words("Wait.", None).unwrap();
    let run = Session::of_run(ProcessId::current());
    let id = &started.debate.id;
    let take_up = |session: &Session| {
        world.run(|context| programs::take_up(context, session, id, true)).unwrap();
    };
    take_up(&run);
    assert!(is_taken());
    world.run(|context| programs::stop_debate(context, &run, false, "So")).unwrap();
    assert!(!is_taken());
    one.resume_with(ResumeAction::AsItIs, true).unwrap();
    one.argue(&["A1."]);
    assert!(is_taken());
}

#[test]
fn a_debate_requested_of_programs_twice_at_once_begins_once() {
    let world = TestWorld::new();
    let one = world.conversation("one");
    let (question, options) = parse_debate("Why? --replace");
    let start = || {
        world.run(|context| {
            let run = RunRecord::default();
            let started =
                session::start_for_run(context, Some(&one.session), &question, &options, &run)?;
            programs::follow(context, &one.session, &started.project, &started.debate);
            Ok(started.debate.id)
        })
    };
    let first = start().unwrap();
    world.wait(-10);
    let again: Result<String, Stopped> = start();
    assert!(matches!(again, Err(Stopped::Skipped(_))), "{again:?}");
    world.wait(60);
    assert_ne!(start().unwrap(), first);
}

#[test]
fn a_step_lets_a_paused_debate_go_on_with_its_direction() {
    let world = TestWorld::new();
    world.debating("Why?").argue(&["A1."]);
    world.run(|context| history::undo(context, None, 1, false)).unwrap();
    world.run(|context| session::steer(context, None, "Look at the cost.", false)).unwrap();
    let mut step = StepDebate::read(&world.state_text()).unwrap();
    assert!(!step.debate().is_active() && step.debate().steering().is_some());
    step.go_on(world.clock.get());
    assert!(step.debate().is_active() && step.debate().steering().is_none());
}

#[test]
fn the_news_of_programs_come_once() {
    let world = TestWorld::new();
    let one = world.conversation("one");
    let started = one.world.run(|context| {
        let (question, options) = parse_debate("Why? --rounds 3");
        let record = RunRecord::default();
        session::start_for_run(context, Some(&one.session), &question, &options, &record)
    });
    let started = started.unwrap();
    let (project, debate) = (&started.project, &started.debate);
    world.run(|context| programs::follow(context, &one.session, project, debate));
    let news = || {
        let news = world.run(|context| programs::news(context, &one.session, false)).unwrap();
        let text = news.map(|news| format!("{news:?}")).unwrap_or_default();
        text.split('(').next().unwrap_or_default().to_owned()
    };
    let take_up = |process: &Client| {
        let run = Session::of_run(ProcessId::from_pid(process.pid()));
        world.run(|context| programs::take_up(context, &run, &debate.id, true)).unwrap();
        run
    };
    let submit = |run: &Session, text: &str| {
        let generation = generation_of(&world.state().debate);
        let filed = world.run(|context| programs::submit(context, run, generation, text.into()));
        assert!(matches!(filed, Ok(Some(Filed::Saved { .. }))), "{filed:?}");
    };
    let process = Client::start();
    let run = take_up(&process);
    assert_eq!(news(), "");
    submit(&run, "**A1. It pays.** So.");
    submit(&run, "**C1. It costs.** So.");
    assert_eq!([news(), news()], ["Round", ""]);
    process.end();
    assert_eq!([news(), news()], ["IsDead", ""]);
    let process = Client::start();
    let run = take_up(&process);
    submit(&run, "**Rebuts C1:** it is cheap.");
    assert_eq!(news(), "");
    world.run(|context| programs::stop_debate(context, &run, false, "So")).unwrap();
    assert_eq!([news(), news()], ["Paused", ""]);
}
