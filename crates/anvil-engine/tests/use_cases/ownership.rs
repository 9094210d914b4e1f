//! Only its own session advances a debate; another one has to take it over.

use anvil_core::options::Steering;
use anvil_core::reply::{Reply, TurnOutput};
use anvil_core::transcript::Author;
use anvil_engine::{
    Context, Interruption, Note, ResumeAction, Session, Silence, Skipped, Stopped, TurnEnd,
    history, programs, session,
};
use anvil_system::world::World;
use anvil_text::error::Result;
use testkit::world::{Client, Conversation, TestWorld, Typing, failure, parse_debate};

fn is_refused(result: Result<(), Stopped>) -> bool {
    matches!(&result, Err(Stopped::Failed(error)) if format!("{error:?}").contains("OwnedElsewhere"))
}

fn is_skipped<T>(result: &Result<T, Stopped>, why: Skipped) -> bool {
    matches!(result, Err(Stopped::Skipped(skipped)) if *skipped == why)
}

#[test]
fn a_session_without_a_debate_writes_nothing() {
    let world = TestWorld::new();
    let one = world.conversation("one");
    assert!(is_skipped(&one.type_words("hello", None), Skipped::NoDebate));
    assert!(is_skipped(&one.stop("Hello."), Skipped::NoDebate));
    assert!(is_skipped(&one.end(), Skipped::NoDebate));
    let notice = world.run(|context| session::start_notice(context, &one.session, true)).unwrap();
    assert!(notice.unfinished.is_none() && notice.reviews.is_none());
    assert_eq!(world.files(), []);
    assert_eq!(fs_err::read_dir(world.home()).unwrap().count(), 0);
}

#[test]
fn a_second_session_neither_changes_nor_is_changed() {
    let world = TestWorld::new();
    let one = world.debating("Why?");
    let two = world.conversation("two");
    let before = world.files();
    assert!(is_skipped(&two.type_words("hello", None), Skipped::NotOwner));
    assert!(is_skipped(&two.stop("Hello."), Skipped::NotOwner));
    assert!(is_skipped(&two.end(), Skipped::NotOwner));
    assert_eq!(world.files(), before);
    one.argue(&["A1."]);
}

#[test]
fn the_debate_follows_its_session_into_any_folder() {
    let world = TestWorld::new();
    let one = world.debating("Why?");
    let elsewhere = world.outside("elsewhere");
    // Two replies took 10 and 20 seconds, and three are left.
    let folders = [(world.path("src/deep"), None), (elsewhere.clone(), Some(3 * 15))];
    for (number, (folder, left)) in folders.into_iter().enumerate() {
        fs_err::create_dir_all(&folder).unwrap();
        world.folder.replace(folder);
        one.argue(&[&format!("reply {number}\n\nA1.\nC1.")]);
        let look = world.run(|context| session::look(context, Some(&one.session))).unwrap();
        assert_eq!(look.debate.question, "Why?");
        assert_eq!(look.left.map(|left| left.as_secs()), left);
    }
    // Its next debate starts there too.
    let elsewhere = World { project_folder: Some(elsewhere), ..world.next() };
    let context = Context::new(&elsewhere);
    let started = ["No?", "No? --replace"].map(|typed| {
        let (question, options) = parse_debate(typed);
        let started = session::start(&context, Some(&one.session), &question, &options);
        started.map(drop).map_err(failure)
    });
    assert_eq!(started, [Err("AnotherHere".to_owned()), Ok(())]);
    assert_eq!(world.state().debate.question, "No?");
}

#[test]
fn a_debate_of_a_running_owner_is_taken_over_only_on_request() {
    let (owner, other) = (Client::start(), Client::start());
    let world = TestWorld::new();
    let one = world.conversation("one").of_client(owner.pid());
    one.start("Why? --rounds 3").unwrap();
    one.argue(&["A1."]);
    let two = world.conversation("two").of_client(other.pid());
    let notice = world.run(|context| session::start_notice(context, &two.session, true)).unwrap();
    assert!(notice.runs_elsewhere);
    assert!(is_refused(two.resume().map(drop)));
    assert!(one.owns());
    let asked = world.state().debate.updated_at();
    two.resume_with(ResumeAction::AsItIs, true).unwrap();
    let (_, attempts) = world.run(|context| programs::attempts(context, None)).unwrap();
    assert_eq!(attempts.turns.last().map(|lost| (lost.asked, lost.words)), Some((asked, 0)));
    assert!(two.owns());
    assert_eq!(world.progress(), ("critic, round 1".into(), "in progress"));
    assert!(world.state().debate.must_read(), "this conversation knows nothing of it");
    assert!(is_skipped(&one.stop("Late."), Skipped::Lost));
    assert!(is_skipped(&one.stop("Later."), Skipped::NotOwner));
    assert_eq!(world.reply_texts(), ["A1."]);
}

#[test]
fn a_debate_is_free_once_its_client_is_gone() {
    let (owner, other) = (Client::start(), Client::start());
    let world = TestWorld::new();
    let one = world.conversation("one").of_client(owner.pid());
    one.start("Why?").unwrap();
    let two = world.conversation("two").of_client(other.pid());
    assert!(is_refused(two.resume().map(drop)));
    owner.end();
    let notice = world.run(|context| session::start_notice(context, &two.session, true)).unwrap();
    assert!(notice.unfinished.is_some() && !notice.runs_elsewhere);
    two.resume().unwrap();
    assert!(two.owns());
}

#[test]
fn a_session_that_ends_pauses_its_debate_and_frees_it() {
    let (owner, other) = (Client::start(), Client::start());
    let world = TestWorld::new();
    let one = world.conversation("one").of_client(owner.pid());
    one.start("Why?").unwrap();
    one.argue(&["A1."]);
    assert!(matches!(one.end().unwrap(), Interruption::Paused(_)));
    assert_eq!(world.progress(), ("critic, round 1".into(), "paused"));
    let two = world.conversation("two").of_client(other.pid());
    two.resume().unwrap();
    assert!(two.owns());
}

#[test]
fn a_compacted_conversation_gets_protocol_and_progress_again() {
    let world = TestWorld::new();
    let one = world.debating("Why? --rounds 3");
    one.argue(&["reply 1", "reply 2", "reply 3"]);
    let before = world.state_text();
    let again = world.run(|context| session::after_compaction(context, &one.session)).unwrap();
    let opening = again.opening.as_str();
    assert!(opening.starts_with("# Anvil debate protocol"), "{opening}");
    let line = opening.split("from line ").nth(1).unwrap().split(' ').next().unwrap();
    let line: usize = line.parse().unwrap();
    assert_eq!(before.lines().nth(line - 1), Some("## Round 1"));
    assert_eq!(world.state_text(), before);
    // An argument needs no more than the last exchange.
    one.argue(&["reply 4"]);
    let again = world.run(|context| session::after_compaction(context, &one.session)).unwrap();
    let line = again.opening.as_str().split("from line ").nth(1).unwrap();
    let line: usize = line.split(' ').next().unwrap().parse().unwrap();
    assert_eq!(world.state_text().lines().nth(line - 1), Some("## Round 2"));
    let two = world.conversation("two");
    let other = world.run(|context| session::after_compaction(context, &two.session));
    assert!(is_skipped(&other, Skipped::NotOwner));
}

/// A debate of session `one` with two replies, one of which was undone and is written again.
fn owned<'w>(world: &'w TestWorld, owner: &Client) -> Conversation<'w> {
    let one = world.conversation("one").of_client(owner.pid());
    one.start("Why?").unwrap();
    one.argue(&["A1.", "C1."]);
    one.undo(1).unwrap();
    one.resume().unwrap();
    one
}

/// A verb of another session or, without one, of a shell; the last value takes the debate over.
type Verb = fn(&TestWorld, Option<&Conversation<'_>>, bool) -> Result<(), Stopped>;

fn steer(
    world: &TestWorld,
    asker: Option<&Conversation<'_>>,
    take_over: bool,
    steering: &Steering,
) -> Result<(), Stopped> {
    let session = asker.map(|asker| &asker.session);
    Ok(world.run(|context| session::direct(context, session, steering, take_over)).map(drop)?)
}

const DIRECTION: Verb = |world, asker, take_over| {
    if let Some(asker) = asker {
        asker.resume_with(ResumeAction::Steered("look at the cost"), take_over).map(drop)
    } else {
        let direction = Some("look".to_owned());
        steer(world, asker, take_over, &Steering { rounds: None, direction, synthesize: false })
    }
};

const SYNTHESIS: Verb = |world, asker, take_over| {
    if let Some(asker) = asker {
        asker.resume_with(ResumeAction::ToSynthesis(None), take_over).map(drop)
    } else {
        let synthesis = Steering { rounds: None, direction: None, synthesize: true };
        steer(world, asker, take_over, &synthesis)
    }
};

const ROUNDS: Verb = |world, asker, take_over| {
    let rounds = Steering { rounds: Some(2), direction: None, synthesize: false };
    steer(world, asker, take_over, &rounds)
};

const RESUME: Verb =
    |_, asker, take_over| asker.unwrap().resume_with(ResumeAction::AsItIs, take_over).map(drop);

/// The verbs that discard the reply that is being written.
const DISCARDING: [(&str, Verb); 5] = [
    ("undo", |world, asker, take_over| {
        let session = asker.map(|asker| &asker.session);
        Ok(world.run(|context| history::undo(context, session, 1, take_over)).map(drop)?)
    }),
    ("redo", |world, asker, take_over| {
        let session = asker.map(|asker| &asker.session);
        Ok(world.run(|context| history::redo(context, session, take_over)).map(drop)?)
    }),
    ("restore", |world, asker, take_over| {
        let session = asker.map(|asker| &asker.session);
        let restored = world.run(|context| history::restore(context, session, 2, None, take_over));
        Ok(restored.map(drop)?)
    }),
    ("cancel", |world, asker, take_over| {
        let session = asker.map(|asker| &asker.session);
        Ok(world.run(|context| session::cancel(context, session, take_over)).map(drop)?)
    }),
    ("replace", |world, asker, take_over| {
        let session = asker.map(|asker| &asker.session);
        let line = if take_over { "No? --replace --take-over" } else { "No? --replace" };
        let (question, options) = parse_debate(line);
        world.run(|context| session::start(context, session, &question, &options)).map(drop)
    }),
];

const WAITING: [(&str, Verb); 3] =
    [("direction", DIRECTION), ("synthesis", SYNTHESIS), ("rounds", ROUNDS)];

#[test]
fn no_verb_of_a_second_session_changes_a_debate_with_a_running_owner() {
    for (name, verb) in [("resume", RESUME)].into_iter().chain(WAITING).chain(DISCARDING) {
        let (owner, other) = (Client::start(), Client::start());
        let world = TestWorld::new();
        let one = owned(&world, &owner);
        let two = world.conversation("two").of_client(other.pid());
        let before = world.files();
        assert!(is_refused(verb(&world, Some(&two), false)), "{name}");
        assert_eq!(world.files(), before, "{name}");
        one.argue(&["C1, anew."]);
        // The owner itself may go on in another client.
        let moved = world.conversation("one").of_client(other.pid());
        assert!(!is_refused(verb(&world, Some(&moved), false)), "{name}");
    }
}

#[test]
fn every_verb_of_a_second_session_works_when_it_takes_the_debate_over() {
    for (name, verb) in [("resume", RESUME)].into_iter().chain(WAITING).chain(DISCARDING) {
        let (owner, other) = (Client::start(), Client::start());
        let world = TestWorld::new();
        let one = owned(&world, &owner);
        let two = world.conversation("two").of_client(other.pid());
        verb(&world, Some(&two), true).unwrap();
        let late = one.stop("C1, anew.");
        if name == "rounds" {
            assert!(matches!(late, Ok(TurnEnd::GoesOn(_))), "{name}: {late:?}");
        } else {
            assert!(is_skipped(&late, Skipped::Lost), "{name}: {late:?}");
        }
    }
}

#[test]
fn the_users_shell_confirms_before_a_reply_is_discarded() {
    for (name, verb) in WAITING {
        let owner = Client::start();
        let world = TestWorld::new();
        let one = owned(&world, &owner);
        verb(&world, None, false).unwrap_or_else(|why| panic!("{name}: {why:?}"));
        one.argue(&["C1, anew."]);
    }
    for (name, verb) in DISCARDING {
        let owner = Client::start();
        let world = TestWorld::new();
        let one = owned(&world, &owner);
        let before = world.files();
        let Err(Stopped::Failed(refused)) = verb(&world, None, false) else { panic!("{name}") };
        assert!(format!("{refused:?}").contains("DiscardsReply"), "{name}: {refused:?}");
        assert!(refused.hint().plain().contains("--take-over"), "{name}: {refused:?}");
        assert_eq!(world.files(), before, "{name}");
        verb(&world, None, true).unwrap();
        assert!(is_skipped(&one.stop("C1, anew."), Skipped::Lost), "{name}");
    }
}

#[test]
fn a_shell_in_another_client_may_answer_and_note_but_not_steer() {
    let owner = Client::start();
    let world = TestWorld::new();
    let one = world.conversation("one").of_client(owner.pid());
    one.start("Why? --rounds 3").unwrap();
    one.argue(&["A1. So.\n\n**Ask:** How large is the team?"]);
    let run = |act: &dyn Fn(&Context<'_>) -> Result<()>| {
        let shell = World { client_session: Some("two".to_owned()), ..world.next() };
        act(&Context::new(&shell)).map_err(Stopped::from)
    };
    let steered = run(&|context| session::steer(context, None, "Cost.", false).map(drop));
    assert!(is_refused(steered));
    run(&|context| session::answer(context, None, "Eight.", false).map(drop)).unwrap();
    let author = Author::person;
    run(&|context| session::note_fact(context, None, "It is 5.", author(), false)).unwrap();
    assert!(one.owns());
    one.start("Should we? --motion \"We split it\" --replace").unwrap();
    let motion = "We split it in May";
    run(&|context| session::correct_motion(context, None, motion, false).map(drop)).unwrap();
    assert_eq!(world.state().debate.motion(), Some(motion));
    assert!(one.owns());
}

#[test]
fn a_shell_needs_no_confirmation_in_a_paused_debate() {
    let owner = Client::start();
    let world = TestWorld::new();
    let one = owned(&world, &owner);
    assert!(matches!(one.type_words("hello", None), Ok(Typing::Interrupts(_))));
    for (name, verb) in DISCARDING.into_iter().filter(|(name, _)| ["undo", "cancel"].contains(name))
    {
        verb(&world, None, false).unwrap_or_else(|why| panic!("{name}: {why:?}"));
    }
}

#[test]
fn anyone_may_reopen_a_completed_debate() {
    let (owner, other) = (Client::start(), Client::start());
    let world = TestWorld::new();
    let one = world.conversation("one").of_client(owner.pid());
    one.start("Why? --rounds 1").unwrap();
    one.argue(&["A1.", "C1."]);
    one.stop("recommendation: No.").unwrap();
    let two = world.conversation("two").of_client(other.pid());
    two.again("the cost").unwrap();
    // Now the debate runs again, owned by the second session.
    assert!(two.owns());
    assert!(is_refused(one.undo(1).map(drop).map_err(Stopped::from)));
}

#[test]
fn a_look_says_who_owns_the_debate_and_since_when() {
    let owner = Client::start();
    let world = TestWorld::new();
    let started = world.clock.get();
    let one = owned(&world, &owner);
    let look = || world.run(|context| session::look(context, None)).unwrap().owner.unwrap();
    let seen = look();
    assert_eq!(
        (seen.session_id.as_str(), seen.is_own, seen.is_running),
        ("one", false, Some(true))
    );
    let since = seen.since.unwrap().duration_since(started).as_secs();
    assert_eq!(since, 10, "since it began, though it was resumed");
    one.type_words("Wait.", None).unwrap();
    assert_eq!(look(), seen);
    one.start("Another? --replace").unwrap();
    let started = world.clock.get();
    assert_eq!(look().since, Some(started));
    owner.end();
    assert_eq!(look().is_running, Some(false));
    assert!(one.owns());
}

#[test]
fn a_session_that_takes_a_debate_over_brings_no_reply_to_it() {
    let world = TestWorld::new();
    world.debating("Why?").argue(&["A1."]);
    let two = world.conversation("two");
    let phase_began = world.state().debate.updated_at();
    let reply = Reply { phase_began, texts: vec!["C1, of two.".to_owned()], ..Reply::default() };
    let unsaved = Some(TurnOutput::Reply(reply));
    let act = ResumeAction::AsItIs;
    world.run(|context| session::resume(context, &two.session, true, act, unsaved)).unwrap();
    assert!(two.owns());
    assert_eq!(world.reply_texts(), ["A1."]);
}

#[test]
fn the_truth_table_of_what_a_prompt_shows_of_the_turn() {
    let (client, other) = (Client::start(), Client::start());
    let world = TestWorld::new();
    world.conversation("one").of_client(client.pid()).in_turn("t1").start("Why?").unwrap();
    for (client, turn, silence) in [
        (&client, Some("t1"), Silence::Unknown),
        (&client, Some("t2"), Silence::Shown),
        (&client, None, Silence::InTranscript),
        // The session goes on in another client.
        (&other, Some("t2"), Silence::Unknown),
    ] {
        let mut one = world.conversation("one").of_client(client.pid());
        one.session.prompt_id = turn.map(str::to_owned);
        let shown = world
            .run(|context| session::owned_turn(context, &one.session).map(|turn| turn.silence()));
        assert_eq!(shown.unwrap(), silence, "{turn:?}");
    }
}

#[test]
fn a_session_that_is_not_remembered_is_said_if_its_debate_lies_in_another_folder() {
    let known = TestWorld::new();
    known.debating("Why?");
    let mut sessions = fs_err::read_dir(known.records().join("sessions")).unwrap();
    let record = sessions.next().unwrap().unwrap().file_name();
    let (question, options) = parse_debate("Why?");
    for is_elsewhere in [false, true] {
        let world = TestWorld::new();
        fs_err::create_dir_all(world.records().join("sessions").join(&record)).unwrap();
        fs_err::create_dir(world.path("part")).unwrap();
        // The debate lies at the root of a checkout.
        if is_elsewhere {
            fs_err::create_dir(world.path(".git")).unwrap();
        }
        let part = World { project_folder: Some(world.path("part")), ..world.next() };
        let context = Context::new(&part);
        session::start(&context, Some(&Session::new("one")), &question, &options).unwrap();
        let notes = context.take_notes();
        let is_it = |note: &Note| matches!(note, Note::SessionNotRemembered { .. });
        assert_eq!(notes.iter().any(is_it), is_elsewhere, "{notes:?}");
    }
}

#[test]
fn a_session_may_read_the_file_of_the_debate_that_it_argues_now() {
    let world = TestWorld::new();
    let (one, two) = (world.debating("Why?"), world.conversation("two"));
    let may_read = |conversation: &Conversation<'_>, path: &str| {
        world.run(|context| session::may_read(context, &conversation.session, path.as_ref()))
    };
    let own = ".claude/anvil-state.local.md";
    assert!(may_read(&one, own) && may_read(&one, world.state_path().to_str().unwrap()));
    assert!(!may_read(&two, own) && !may_read(&one, ".claude/anvil.local.md"));
    one.type_words("Wait.", None).unwrap();
    assert!(!may_read(&one, own));
}

#[test]
fn programs_and_a_lock_need_folders_to_write_in() {
    let world = TestWorld::new();
    world.run(programs::can_have_programs).unwrap();
    world.run(session::try_lock).unwrap();
    let homeless = World { home: None, config_folder: None, ..world.next() };
    let refused = programs::can_have_programs(&Context::new(&homeless)).unwrap_err();
    assert_eq!(failure(refused), "NoFolder");
    fs_err::create_dir_all(world.path(".claude/anvil-state.lock.local.md")).unwrap();
    world.run(session::try_lock).unwrap_err();
}
