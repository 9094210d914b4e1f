//! Programs that argue a debate, and the session that follows it.

use crate::first_attempt;
use anvil_core::attempt::{EndedLine, Generation, Slot};
use anvil_core::place::Seat;
use anvil_core::reply::WrittenReply;
use anvil_core::transcript::{EntryKind, NoteKind};
use anvil_engine::{
    Awaited, Checked, ConcurrentOptions, Filed, Note, Objections, Request, ResumeAction, SeatView,
    Session, Skipped, StepDebate, Stopped, UnreadClaim, generation_of, history, programs, session,
};
use anvil_prompt::prompt::Why;
use anvil_store::issue_body::{self, PortableDebate};
use anvil_store::{AttemptEvent, Attempts, RunRecord, digest};
use anvil_system::process::ProcessId;
use anvil_text::Scrubber;
use testkit::revision::{ANSWERS, OBJECTS, document};
use testkit::world::{Client, TestWorld, failure, parse_debate};

/// A run in this process, which has taken the debate here up.
fn taken_up(world: &TestWorld) -> Session {
    let run = Session::of_run(ProcessId::current());
    let id = world.state().debate.id;
    world.run(|context| programs::take_up(context, &run, &id, false)).unwrap();
    run
}

/// Prepares a debate of programs, typed as `QUESTION OPTIONS`.
fn prepare_for_run(world: &TestWorld, typed: &str, revise: Option<&str>) {
    let (question, mut options) = parse_debate(typed);
    options.revise = revise.map(str::to_owned);
    let record = RunRecord::default();
    world
        .run(|context| session::start_for_run(context, None, &question, &options, &record))
        .unwrap();
}

/// The request for the next reply.
fn request(world: &TestWorld, run: &Session, view: SeatView) -> Request {
    let (_, attempts) = world.run(|context| programs::attempts(context, None)).unwrap();
    world.run(|context| programs::next_request(context, run, view, &attempts, |_| 100_000)).unwrap()
}

/// The requests for replies at the same time as the next one.
fn concurrent(world: &TestWorld, run: &Session, is_busy: &dyn Fn(Slot) -> bool) -> Vec<Request> {
    let attempts = &Attempts::default();
    let options = ConcurrentOptions { in_project: false, most: 9, attempts, is_busy };
    world.run(|context| programs::concurrent_requests(context, run, &options, |_| 100_000)).unwrap()
}

/// Submits a reply to the next place.
fn submit(world: &TestWorld, run: &Session, written: WrittenReply<'_>) -> Option<Filed> {
    let generation = generation_of(&world.state().debate);
    world.run(|context| programs::submit(context, run, generation, written)).unwrap()
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
    for (replies, without) in [
        // Asked once more, it has no claim either.
        (&["It is so.", "It is so."][..], Seat::Advocate),
        (&["**A1. First.** x", "**Attacks A1:** no."], Seat::Critic),
    ] {
        let world = TestWorld::new();
        let one = world.debating("Why? --rounds 2");
        for reply in replies {
            let _ = one.stop(reply);
        }
        assert_eq!(facts(&world).unread, Some(UnreadClaim::Seat(without)), "{replies:?}");
    }
}

#[test]
fn the_advocate_of_a_document_answers_in_a_form_that_is_read_and_needs_no_claim() {
    let world = TestWorld::new();
    fs_err::write(world.path("plan.md"), document()).unwrap();
    prepare_for_run(&world, "Is it good? --rounds 2", Some("plan.md"));
    let run = taken_up(&world);
    submit(&world, &run, OBJECTS.into());
    let prose = submit(&world, &run, "They are right.".into());
    assert!(matches!(prose, Some(Filed::Again(Why::Unnumbered(_)))), "{prose:?}");
    submit(&world, &run, ANSWERS.into());
    let id = world.state().debate.id;
    let facts = world.run(|context| programs::gate_facts(context, &id)).unwrap();
    assert_eq!((world.reply_texts().len(), facts.unread), (2, None));
}

#[test]
fn an_attack_without_a_move_is_asked_for_its_form_first() {
    let world = TestWorld::new();
    world.prepare("Why? --options \"a, b, c\"");
    let run = taken_up(&world);
    for option in 1..=3 {
        submit(&world, &run, (*format!("**S{option}.1. It pays.** So [reasoning].")).into());
    }
    let prose = submit(&world, &run, "The others are worse.".into());
    assert!(matches!(prose, Some(Filed::Again(Why::Unnumbered(_)))), "{prose:?}");
    assert_eq!(world.reply_texts().len(), 3);
}

#[test]
fn a_reply_settles_an_argument_before_its_last_round_only() {
    const OPENS: [&str; 2] =
        ["**A1. It pays.** So.", "**C1. It costs.** So.\n\n**Attacks A1:** no."];
    const INSISTS: [&str; 2] = ["**Repairs A1:** it pays in May.", "**Attacks A1:** no, never."];
    const SETTLES: [&str; 2] = [
        "**Grants C1:** because it does.\n\n**Repairs A1:** it pays later.",
        "**Grants A1:** because it pays later.",
    ];
    for (replies, settles) in
        [([OPENS, SETTLES].concat(), true), ([OPENS, INSISTS, SETTLES].concat(), false)]
    {
        let world = TestWorld::new();
        world.prepare("Why? --rounds 3");
        let run = taken_up(&world);
        let is_settled = replies.iter().map(|text| match submit(&world, &run, (*text).into()) {
            Some(Filed::Saved { is_settled }) => is_settled,
            other => panic!("{text}: {other:?}"),
        });
        let mut is_settled: Vec<bool> = is_settled.collect();
        assert_eq!((is_settled.pop(), is_settled.contains(&true)), (Some(settles), false));
        assert_eq!(world.progress().0, "synthesis");
    }
}

#[test]
fn only_a_faulty_block_that_a_limit_keeps_is_noted() {
    for is_whole in [true, false] {
        let world = TestWorld::new();
        world.prepare("Why? --rounds 1");
        let run = taken_up(&world);
        for text in ["**A1. It pays.** So.", "**C1. It costs.** So."] {
            submit(&world, &run, text.into());
        }
        let mut text = world.synthesis("recommendation: Wait.");
        if !is_whole {
            text = text.replace("C1 weakened: by what was said\n", "");
        }
        let limit = Some("--max-cost");
        let filed = submit(&world, &run, WrittenReply { limit, ..text.as_str().into() });
        assert!(matches!(filed, Some(Filed::Completed(_))), "{filed:?}");
        let is_noted = |note: &Note| matches!(note, Note::NotRepeated { .. });
        assert_eq!(world.notes().iter().any(is_noted), !is_whole);
    }
}

/// The reply of an attempt is there again only if the debate has refused it.
#[test]
fn a_seat_is_shown_its_reply_that_was_not_saved() {
    let world = TestWorld::new();
    world.prepare("Why? --rounds 1");
    let run = taken_up(&world);
    let id = world.state().debate.id;
    let request = || request(&world, &run, SeatView::default());
    let first = request();
    world.run(|context| {
        let record = programs::attempt_record(context, &id);
        let process = std::process::id();
        record.note(first_attempt(&world, first.slot, first.generation, process)).unwrap();
        record.prepare(1, "").unwrap();
        record.keep_reply(1, "").unwrap();
        let reply = Some(digest(b""));
        let ended = EndedLine { attempt: 1, reply, ..EndedLine::default() };
        record.note(AttemptEvent::Ended(ended)).unwrap();
    });
    assert!(!request().is_again, "it is not submitted yet");
    let filed = submit(&world, &run, "".into());
    assert!(matches!(filed, Some(Filed::Again(Why::Empty))), "{filed:?}");
    assert!(request().is_again);
    world.run(|context| programs::stop_debate(context, &run, false, "So")).unwrap();
    taken_up(&world);
    assert!(!request().is_again, "the retries begin anew");
}

#[test]
fn a_body_keeps_a_mebibyte_free_for_a_reply() {
    let world = TestWorld::new();
    world.prepare("Why? --rounds 1");
    let debate = PortableDebate::new(world.state(), 1, &Scrubber::default()).unwrap();
    let is_room = |length: usize| {
        let body = issue_body::embed_long(&"a".repeat(length), &debate).unwrap().body;
        assert!(body.len() < length + 10_000);
        StepDebate::read(&body).unwrap().check_room().map_err(failure)
    };
    assert_eq!(is_room((7 << 20) - 10_000), Ok(()));
    assert_eq!(is_room(7 << 20), Err("NoRoom".to_owned()));
}

#[test]
fn a_step_refuses_what_is_no_debate_of_its_own_with_the_reason() {
    let world = TestWorld::new();
    world.prepare("Why? --rounds 1");
    let read = |text: &str| StepDebate::read(text).map(drop).map_err(failure);
    let text = world.state_text();
    let debate = PortableDebate::new(world.state(), 1, &Scrubber::default()).unwrap();
    let body = issue_body::embed("", &debate).unwrap().body;
    for (text, from, to, why) in [
        (&text, "", "", None),
        (&text, "# Why?", "# Who?", Some("Disorderly")),
        // It begins like a state file, so it is a broken one.
        (&text, "question: ", "question ", Some("Unreadable")),
        (&text, "---", "***", Some("NoDebate")),
        (&body, "", "", None),
        (&body, "\"version\":1", "\"version\":2", Some("Newer")),
        (&body, "\"options\":{", "\"options\":{\"agent\":\"claude\",", Some("NamesAgent")),
        (&body, "\"version\":1", "\"version\":", Some("Unreadable")),
    ] {
        assert!(text.contains(from), "{from} is not in {text}");
        assert_eq!(read(&text.replacen(from, to, 1)).err().as_deref(), why, "{to}");
    }
}

#[test]
fn a_run_waits_for_a_reply_until_the_debate_has_moved_on() {
    let world = TestWorld::new();
    world.prepare("Why? --rounds 1");
    let run = taken_up(&world);
    let request = request(&world, &run, SeatView::default());
    let waits = |session: &Session, slot: Slot| {
        world.run(|context| programs::still_waits(context, session, slot, request.generation))
    };
    assert!(waits(&run, request.slot) && !waits(&Session::new("two"), request.slot));
    let text = "**A1. It pays.** So.";
    let filed = world
        .run(|context| programs::submit(context, &run, request.generation, text.into()).unwrap());
    assert!(matches!(filed, Some(Filed::Saved { .. })), "{filed:?}");
    assert!(!waits(&run, request.slot));
    let late = world.run(|context| {
        programs::submit(context, &run, request.generation, "**C1. It costs.** So.".into())
    });
    assert!(matches!(late, Ok(None)), "{late:?}");
    assert_eq!((world.reply_texts().len(), world.aside_files().len()), (1, 1));
    // A reply that was begun side by side answers a cycle.
    let critic = Slot::from(world.state().debate.next_place());
    let answers = |slot, cycle| {
        let generation = Generation::Cycle(cycle);
        world.run(|context| programs::still_waits(context, &run, slot, generation))
    };
    assert!(answers(critic, 1) && !answers(critic, 2) && !answers(request.slot, 1));
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
        let filed = submit(&world, run, text.into());
        assert!(matches!(filed, Some(Filed::Saved { .. })), "{filed:?}");
    };
    let process = Client::start();
    let run = take_up(&process);
    // Another session follows only if the debate is argued for its client.
    let two = world.conversation("two").session;
    world.run(|context| session::start_notice(context, &two, true)).unwrap();
    let news_of_two = world.run(|context| programs::news(context, &two, false));
    assert!(matches!(news_of_two, Err(Stopped::Skipped(Skipped::NoDebate))), "{news_of_two:?}");
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
    let awaited = || world.run(|context| programs::next_awaited(context, &one.session, &mut None));
    assert_eq!(awaited(), Awaited::Runs);
    world.run(|context| programs::stop_debate(context, &run, false, "So")).unwrap();
    assert_eq!(awaited(), Awaited::News);
    assert_eq!([news(), news()], ["Paused", ""]);
    assert_eq!(awaited(), Awaited::Nothing);
}

#[test]
fn voices_can_begin_side_by_side_and_no_claim_waits_for_a_check() {
    let world = TestWorld::new();
    prepare_for_run(&world, "Why? --stakeholders \"a, b, c\" --fact-check", None);
    let run = taken_up(&world);
    let seats = |is_busy: &dyn Fn(Slot) -> bool| -> Vec<Seat> {
        concurrent(&world, &run, is_busy).iter().map(|request| request.seat).collect()
    };
    assert_eq!(seats(&|_| false), [Seat::Voice(2), Seat::Voice(3)]);
    let alone = concurrent(&world, &run, &|_| false).swap_remove(0).prompt;
    let second = Slot::from(world.state().debate.places()[1]);
    assert_eq!(seats(&|slot| slot == second), [Seat::Voice(3)]);
    // After the first reply the next voice still sees no other one.
    let prompt = || {
        let view = SeatView { is_side_by_side: true, ..SeatView::default() };
        let next = request(&world, &run, view);
        (next.seat, next.prompt)
    };
    submit(&world, &run, "**S1.1. We say so.** It is so [reasoning].".into());
    assert_eq!(prompt(), (Seat::Voice(2), alone));
}

#[test]
fn a_late_reply_lies_aside_once_and_only_with_its_own_debate() {
    let world = TestWorld::new();
    world.prepare("Why?");
    let id = world.state().debate.id;
    let late = |id: &str| {
        world.run(|context| programs::put_late_aside(context, id, "A1. Too late.")).unwrap();
        world.aside_files().len()
    };
    assert_eq!([late("another-0001"), late(&id), late(&id)], [0, 1, 1]);
}

#[test]
fn the_findings_that_the_debate_waits_for_are_saved_once() {
    let world = TestWorld::new();
    prepare_for_run(&world, "Why? --rounds 2 --fact-check", None);
    world.edit("max_rounds: 2\n", "max_rounds: 2\njudges: 2\n");
    let run = taken_up(&world);
    let argue = |texts: [&str; 2]| {
        for text in texts {
            submit(&world, &run, text.into());
        }
    };
    let due = || world.run(|context| programs::check_due(context, &run)).unwrap().unwrap();
    let submit = |due: &Request, id: &str| {
        let findings = format!("**{id}:** supported, `src/x.rs:3` \"it pays\"");
        let submitted = world.run(|context| {
            programs::submit_check(context, &run, due.generation, (&*findings).into())
        });
        let notes = world.entries().into_iter();
        let notes = notes.filter(|entry| entry.what == EntryKind::Note(NoteKind::FactCheck));
        (submitted.unwrap(), notes.count())
    };
    argue(["**A1. It pays.** So [evidence: src/x.rs:3].", "**C1. It costs.** So."]);
    let first = due();
    let saved = submit(&first, "A1");
    assert!(matches!(&saved, (Some(Checked::Lines(lines)), 1) if lines.len() == 1), "{saved:?}");
    assert_eq!(submit(&first, "A1"), (None, 1));
    // While another check is due, findings of the first one are late; so are any after an edit.
    argue(["**A2. It lasts.** So [evidence: src/x.rs:3].", "**C2. It rusts.** So."]);
    assert_eq!(submit(&first, "A2"), (None, 1));
    let second = due();
    let judges = || -> Vec<u8> {
        let requests = concurrent(&world, &run, &|_| false);
        requests.iter().filter_map(|one| one.place.seat.judge()).collect()
    };
    assert_eq!(judges(), [0; 0], "all judge the text with its findings");
    world.edit("question: \"Why?\"", "question: \"Why now?\"");
    assert_eq!(submit(&second, "A2"), (None, 1));
    assert_eq!(submit(&due(), "A2").1, 2);
    assert_eq!(judges(), [2]);
    // The synthesis is next; the check before it was none.
    let next = request(&world, &run, SeatView::default());
    assert!(next.is_synthesis() && !first.is_synthesis());
}
