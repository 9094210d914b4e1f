//! A debate in an issue: what a publish and a pull do to the issue and to the debates of two
//! machines, and what they leave alone.

use std::ffi::OsString;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use anvil_core::debate::Status;
use anvil_core::issue::{Publishing, Pulling};
use anvil_core::options::Steering;
use anvil_engine::{
    Context, Note, Posted, Publication, PublishResult, Pulled, history, issues, session,
};
use anvil_store::issue_body::units;
use anvil_store::{IssueFix, Scope, issue_body};
use anvil_system::world::{Programs, World};
use anvil_text::error::Result;
use testkit::bodies::{OPEN, REAL};
use testkit::forge::{Fault, Forge, the_issue};
use testkit::world::{Client, Conversation, TestWorld, failure};

/// Longest time for the requests to a forge.
const LIMIT: Duration = Duration::from_secs(20);

fn to_issue() -> Publishing {
    Publishing { issue: the_issue(), ..Publishing::default() }
}

fn forced() -> Publishing {
    Publishing { force: true, ..to_issue() }
}

fn publish_with(world: &TestWorld, publishing: &Publishing) -> Result<Publication> {
    world.run(|context| issues::publish(context, None, None, publishing, LIMIT))
}

fn publish(world: &TestWorld) -> Result<Publication> {
    publish_with(world, &to_issue())
}

fn pull_with(world: &TestWorld, force: bool, take_over: bool) -> Result<Pulled> {
    let pulling = Pulling { issue: the_issue(), force, take_over };
    world.run(|context| issues::pull(context, None, &pulling, LIMIT))
}

fn pull(world: &TestWorld) -> Result<Pulled> {
    pull_with(world, false, false)
}

/// The revision that is written now.
#[track_caller]
fn written_revision(published: Result<Publication>) -> u64 {
    match published.unwrap() {
        Publication { written: PublishResult::Now, side, .. } => side.revision,
        other => panic!("{other:?}"),
    }
}

/// The revision that was there before.
#[track_caller]
fn unchanged(published: Result<Publication>) -> u64 {
    match published.unwrap() {
        Publication { written: PublishResult::Before, side, .. } => side.revision,
        other => panic!("{other:?}"),
    }
}

/// Why the issue has to be pulled first.
#[track_caller]
fn pull_first(published: Result<Publication>) -> String {
    match published.unwrap() {
        Publication { written: PublishResult::PullFirst(error), .. } => failure(error),
        other => panic!("{other:?}"),
    }
}

/// The revision that is taken.
#[track_caller]
fn pulled_revision(pulled: Result<Pulled>) -> u64 {
    match pulled.unwrap() {
        Pulled { taken: Some(_), side, .. } => side.revision,
        other => panic!("{other:?}"),
    }
}

/// True if the issue lacks a part of what is here, and nothing is taken.
#[track_caller]
fn is_behind(pulled: Result<Pulled>) -> bool {
    match pulled.unwrap() {
        Pulled { taken: None, is_behind, .. } => is_behind,
        other => panic!("{other:?}"),
    }
}

/// The issue that the status calls behind.
fn behind(world: &TestWorld) -> Option<IssueFix> {
    let look = world.run(|context| session::look(context, None)).unwrap();
    look.behind.map(|lag| lag.helps)
}

fn undo(world: &TestWorld) {
    world.run(|context| history::undo(context, None, 1, false)).unwrap();
}

fn direct(world: &TestWorld, text: &str) {
    let direction = Some(text.to_owned());
    let steering = Steering { rounds: None, direction, synthesize: false };
    world.run(|context| session::direct(context, None, &steering, false)).unwrap();
}

/// How often these words were put aside.
fn put_aside(world: &TestWorld, words: &str) -> usize {
    let texts = world.aside_files().into_iter().map(|(_, text)| String::from_utf8(text).unwrap());
    texts.filter(|text| text.contains(words)).count()
}

/// A machine with a debate whose advocate has spoken, published as revision 1, and a second machine
/// that has pulled it.
fn two(forge: &Arc<Forge>) -> (TestWorld, TestWorld) {
    let (here, there) = (TestWorld::at(forge), TestWorld::at(forge));
    here.debating("Should we? --rounds 2").argue(&["A1. Yes, and the advocate says why."]);
    assert_eq!(written_revision(publish(&here)), 1);
    assert_eq!(pulled_revision(pull(&there)), 1);
    (here, there)
}

/// The conversation of the second machine, which has resumed the debate.
fn resumed(there: &TestWorld) -> Conversation<'_> {
    let two = there.conversation("two");
    two.resume().unwrap();
    two
}

/// The second machine advances by one phase and publishes that.
fn goes_on<'w>(there: &'w TestWorld, says: &str) -> Conversation<'w> {
    let two = resumed(there);
    two.argue(&[says]);
    assert_eq!(written_revision(publish(there)), 2);
    two
}

/// A conversation of this world that says nothing more.
fn paused(world: &TestWorld) {
    world.conversation("one").type_words("Let us wait.", None).unwrap();
}

fn forget(world: &TestWorld) {
    let record = world.debate_folder().join("debate.json");
    let text = fs_err::read_to_string(&record).unwrap();
    fs_err::write(&record, text.replace("\"published\"", "\"unknown\"")).unwrap();
}

#[test]
fn the_status_says_that_a_debate_has_gone_on_since_it_was_published() {
    let forge = Forge::new("What to do?");
    let (here, there) = two(&forge);
    let both = || [behind(&here), behind(&there)];
    assert_eq!(both(), [None, None]);
    let two = resumed(&there);
    assert_eq!(both(), [None, None], "nothing was said since");
    two.argue(&["C1. No, and the critic says why."]);
    assert_eq!(both(), [None, Some(IssueFix::Publish)]);
    publish(&there).unwrap();
    assert_eq!(both(), [None, None]);
    undo(&there);
    assert_eq!(both(), [None, Some(IssueFix::Publish)]);
}

#[test]
fn foreign_published_work_is_not_overwritten_unless_forced() {
    const OTHER: &str = "C1. The other side says no.";
    let forge = Forge::new("");
    let (here, there) = two(&forge);
    goes_on(&there, OTHER);
    let theirs = forge.body();
    here.conversation("one").argue(&["C1. This side says no as well."]);
    paused(&here);
    let before = here.files();
    assert_eq!(pull_first(publish(&here)), "PublishedSince");
    assert_eq!(failure(pull(&here).unwrap_err()), "Diverged");
    assert!(forge.body() == theirs && here.files() == before);

    assert_eq!(written_revision(publish_with(&here, &forced())), 3);
    assert!(matches!(&here.notes()[..], [Note::Replaced(file)] if file.contains("aside/block-")));
    assert_eq!(put_aside(&here, OTHER), 1);
    // The second machine accepts that and keeps its own settings. Nothing has changed there since
    // it published, but its words are in the issue no longer: they are put aside.
    assert_eq!(pull_first(publish(&there)), "PublishedSince");
    there.edit("\nretry_count: 0\n", "\nretry_count: 0\noutput: \"mine.md\"\n");
    let step = there.state().debate.step();
    assert_eq!(pulled_revision(pull(&there)), 3);
    assert!(matches!(there.notes()[..], [Note::Replaced(_)]));
    let state = there.state();
    assert_eq!(state.body, here.state().body);
    assert_eq!(state.debate.options.output.as_deref(), Some("mine.md"));
    assert!(state.debate.step() > step, "the snapshot numbers continue");
    assert_eq!(put_aside(&there, OTHER), 1);
    // A text next to a debate is not a debate.
    let all = there.run(|context| history::past(context, None, Scope::Place)).unwrap();
    assert_eq!(all.debates.len(), 1);
    // The two go on from there.
    resumed(&there).argue(&["A2. Yes, all the same."]);
    assert_eq!((written_revision(publish(&there)), pulled_revision(pull(&here))), (4, 4));
}

#[test]
fn the_longer_version_wins_if_it_continues_the_other() {
    let forge = Forge::new("");
    let (here, there) = two(&forge);
    goes_on(&there, "C1. The other side says no.");
    assert_eq!(pull_first(publish(&here)), "PublishedSince");
    paused(&here);
    let pulled = pull(&here).unwrap();
    assert_eq!(pulled.side.label(), "revision 2, advocate, round 2 of 2, 13 words");
    assert!(!pulled.taken.unwrap().brings_options, "it has the same options");
    assert_eq!(here.state().body, there.state().body);
    // The old owner session has lost it.
    assert_eq!(here.state().debate.session_id(), None);

    // The local debate is ahead, and does not know the published revision: it loses nothing.
    let one = here.conversation("one");
    one.resume().unwrap();
    one.argue(&["A2. Once more."]);
    forget(&here);
    let before = here.state_text();
    assert!(is_behind(pull(&here)) && here.state_text() == before);
    forget(&here);
    assert_eq!(written_revision(publish(&here)), 3);
}

#[test]
fn another_running_sessions_debate_is_neither_published_nor_pulled() {
    let forge = Forge::new("");
    let (here, there) = (TestWorld::at(&forge), TestWorld::at(&forge));
    let client = Client::start();
    let one = here.conversation("one").of_client(client.pid());
    one.start("Should we? --rounds 2").unwrap();
    one.argue(&["A1. Yes."]);
    let over = Publishing { take_over: true, ..to_issue() };
    assert_eq!(written_revision(publish_with(&here, &over)), 1);
    pulled_revision(pull(&there));
    goes_on(&there, "C1. The other side says no.");
    let before = here.files();
    let other = here.conversation("other");
    let session = Some(&other.session);
    let published = here.run(|context| issues::publish(context, session, None, &to_issue(), LIMIT));
    assert_eq!(failure(published.unwrap_err()), "Refused");
    for force in [false, true] {
        let pulling = Pulling { issue: the_issue(), force, take_over: false };
        let pulled = here.run(|context| issues::pull(context, session, &pulling, LIMIT));
        assert_eq!(failure(pulled.unwrap_err()), "Refused", "{force}");
    }
    assert_eq!(here.files(), before);
    assert_eq!(pulled_revision(pull_with(&here, false, true)), 2);
}

#[test]
fn an_undo_is_published_and_pulled_like_any_other_step() {
    let forge = Forge::new("");
    let (here, there) = two(&forge);
    goes_on(&there, "C1. The other side says no.");
    pulled_revision(pull(&here));
    undo(&there);
    assert_eq!(written_revision(publish(&there)), 3);
    // Nothing has changed here since the pull.
    assert_eq!(pulled_revision(pull(&here)), 3);
    assert_eq!(here.state().body, there.state().body);
    let kept =
        here.files().into_iter().map(|(_, text)| String::from_utf8_lossy(&text).into_owned());
    assert!(kept.collect::<String>().contains("The other side says no."), "it is not lost");
    // An undo that nobody has seen is not overwritten by what it took out, and not taken back:
    // whoever has gone on, and however far.
    let one = here.conversation("one");
    one.resume().unwrap();
    one.argue(&["C1. This side says no."]);
    written_revision(publish(&here));
    pulled_revision(pull(&there));
    undo(&here);
    assert_eq!(written_revision(publish(&here)), 5);
    let two = resumed(&there);
    for says in ["A2. More.", "C2. Less."] {
        two.argue(&[says]);
        assert_eq!(pull_first(publish(&there)), "PublishedSince");
        assert_eq!(failure(pull(&there).unwrap_err()), "Diverged");
    }
    written_revision(publish_with(&there, &forced()));
    here.wait(3_600);
    // One that is not published is not taken back either.
    pulled_revision(pull(&here));
    undo(&here);
    two.stop("recommendation: wait.\nconfidence: 70").unwrap();
    written_revision(publish(&there));
    assert_eq!(failure(pull(&here).unwrap_err()), "Diverged");
}

#[test]
fn a_cancelled_cycle_is_replaced_in_the_issue_and_not_pulled_back() {
    let forge = Forge::new("What to do?");
    let here = TestWorld::at(&forge);
    let one = here.debating("Should we? --rounds 1");
    one.argue(&["A1. Yes.", "C1. No."]);
    one.stop("recommendation: wait.\nconfidence: 70").unwrap();
    one.again("").unwrap();
    one.argue(&["A2. Now."]);
    written_revision(publish(&here));
    // Another machine publishes the same words once more.
    let there = TestWorld::at(&forge);
    pulled_revision(pull(&there));
    resumed(&there).type_words("Wait.", None).unwrap();
    publish(&there).unwrap();
    here.run(|context| session::cancel(context, None, true)).unwrap();
    let finished = here.state_text();
    for _ in 0..2 {
        assert!(is_behind(pull(&here)) && here.state_text() == finished);
    }
    assert_eq!(behind(&here), Some(IssueFix::Publish));
    let published = publish(&here).unwrap();
    assert_eq!(published.side.debate.status(), Status::Completed);
    assert!(!forge.body().contains("A2. Now."));
    pulled_revision(pull(&there));
    assert_eq!((there.progress().1, there.reply_texts().len()), ("completed", 3));
}

#[test]
fn a_debate_in_which_nobody_spoke_since_takes_any_course_of_the_issue() {
    let forge = Forge::new("");
    let (here, there) = two(&forge);
    undo(&there);
    written_revision(publish(&there));
    // A pause says nothing.
    paused(&here);
    assert_eq!(pulled_revision(pull(&here)), 2);
    assert_eq!(here.progress().0, "advocate, round 1");
    // Here, a direction waits.
    direct(&here, "Look at the costs.");
    resumed(&there).argue(&["A1. Again."]);
    written_revision(publish(&there));
    assert_eq!(failure(pull(&here).unwrap_err()), "Diverged");
}

#[test]
fn a_pull_keeps_a_waiting_direction() {
    let forge = Forge::new("");
    let (here, there) = two(&forge);
    paused(&here);
    direct(&here, "Look at the costs.");
    goes_on(&there, "C1. The other side says no.");
    let before = here.files();
    assert_eq!(failure(pull(&here).unwrap_err()), "Diverged");
    assert_eq!(here.files(), before);
    pulled_revision(pull_with(&here, true, false));
    assert!(matches!(here.notes()[..], [Note::Replaced(_)]));
    assert_eq!(put_aside(&here, "Look at the costs."), 1);
}

#[test]
fn what_was_written_from_here_is_known_whatever_fails() {
    let forge = Forge::new("");
    let (here, _) = two(&forge);
    let one = here.conversation("one");
    // The answer is lost, and the next write does not arrive.
    one.argue(&["C1. No."]);
    forge.fails(Fault::LosesAnswer);
    assert_eq!(failure(publish(&here).unwrap_err()), "NoAnswer");
    undo(&here);
    forge.fails(Fault::IsLate);
    assert_eq!(failure(publish(&here).unwrap_err()), "NoAnswer");
    written_revision(publish(&here));
    // A run names the issue in another way, and its forge fails.
    testkit::host::git(&here.root(), &["init", "-q"]);
    let origin = "git@github.com:octo/hello.git";
    testkit::host::git(&here.root(), &["remote", "add", "origin", origin]);
    one.resume().unwrap();
    one.argue(&["C1. No."]);
    written_revision(publish(&here));
    undo(&here);
    forge.fails(Fault::Refuses("gh: Bad Gateway (HTTP 502)"));
    let id = here.state().debate.id;
    let lag = here.run(|context| issues::keep_current(context, &one.session, &id, 7, LIMIT));
    let lag = lag.unwrap();
    assert_eq!((&*lag.why, lag.helps), ("github.com answers 502: Bad Gateway", IssueFix::Publish));
    assert_eq!(behind(&here), Some(IssueFix::Publish));
    forge.fails(Fault::None);
    written_revision(publish(&here));
    // A body is one's own too, if it is what was published.
    let body = forge.body();
    undo(&here);
    let embedded = here.run(|context| {
        let state = issues::state_of(context, None)?;
        issues::embed(context, &body, state, false)
    });
    assert_eq!(embedded.unwrap().kept, None);
}

#[test]
fn a_pull_request_has_a_known_place_only_in_a_checkout_of_its_forge() {
    let world = TestWorld::at(&Forge::new(""));
    let check = || world.run(|context| issues::check_repository(context, 7, LIMIT));
    check().unwrap_err();
    testkit::host::git(&world.root(), &["init", "-q"]);
    check().unwrap_err();
    let origin = "git@github.com:octo/hello.git";
    testkit::host::git(&world.root(), &["remote", "add", "origin", origin]);
    check().unwrap();
}

#[test]
fn a_first_publish_whose_answer_is_lost_is_known() {
    let forge = Forge::new("");
    let here = TestWorld::at(&forge);
    here.debating("Should we? --rounds 2").argue(&["A1. Yes.", "C1. No."]);
    forge.fails(Fault::LosesAnswer);
    assert_eq!(failure(publish(&here).unwrap_err()), "NoAnswer");
    forge.fails(Fault::None);
    assert!(forge.body().contains("C1. No."));
    undo(&here);
    assert_eq!(written_revision(publish(&here)), 2);
    assert!(!forge.body().contains("C1. No."));
}

#[test]
fn a_write_that_arrives_late_or_twice_is_known_and_overwritten() {
    let forge = Forge::new("What to do?");
    let (here, there) = two(&forge);
    let one = here.conversation("one");
    one.argue(&["C1. No."]);
    // The forge takes it after its answer was given up.
    forge.fails(Fault::IsLate);
    assert_eq!(failure(publish(&here).unwrap_err()), "NoAnswer");
    let second = forge.issue().late.take().unwrap();
    forge.set(&second);
    assert!(second.contains("C1. No."));
    assert_eq!((unchanged(publish(&here)), behind(&here)), (2, None));
    // It takes an old write once more, after a newer one.
    one.argue(&["A2. Yes."]);
    assert_eq!(written_revision(publish(&here)), 3);
    forge.set(&second);
    assert!(is_behind(pull(&here)), "it says nothing new");
    assert_eq!(written_revision(publish(&here)), 4);
    assert!(forge.body().contains("A2. Yes."));
    // It gives its answer twice: no half of it is taken.
    let before = (forge.body(), here.files(), there.files());
    forge.fails(Fault::AnswersTwice);
    assert_eq!(failure(publish(&here).unwrap_err()), "Unreadable");
    for world in [&here, &there] {
        assert_eq!(failure(pull(world).unwrap_err()), "Unreadable");
    }
    assert!((forge.body(), here.files(), there.files()) == before);
}

#[test]
fn a_refusing_or_broken_forge_changes_nothing() {
    let forge = Forge::new("");
    let (here, there) = two(&forge);
    here.conversation("one").argue(&["C1. No."]);
    // Only what was sent is recorded.
    let files = || {
        let mut files = [here.files(), there.files()].concat();
        files.retain(|(path, _)| !path.ends_with("debate.json"));
        files
    };
    let before = files();
    forge.fails(Fault::Refuses("gh: Must have admin rights (HTTP 403)"));
    assert_eq!(failure(publish(&here).unwrap_err()), "Forbidden");
    assert_eq!(failure(pull(&there).unwrap_err()), "Forbidden");
    forge.fails(Fault::Stores("not what it was given"));
    assert_eq!(failure(publish(&here).unwrap_err()), "NotStored");
    assert!(files() == before);
}

#[test]
fn real_bodies_come_back_from_an_issue_byte_for_byte() {
    let forge = Forge::new("");
    let (here, there) = two(&forge);
    let lines = "A long text of a report, with a line end of a browser.\r\n".repeat(1_153);
    let all: Vec<&str> = REAL.into_iter().chain(OPEN).chain([&*lines]).collect();
    assert!(all.len() == 33 && lines.len() > 63_000);
    for text in all {
        forge.set(text);
        written_revision(publish(&here));
        let body = forge.body();
        assert!(units(&body) > 65_000 || text.len() < 60_000, "{}", units(&body));
        assert_eq!(issue_body::strip(&body), text);
        let parts: Vec<&str> = body.split("<!-- anvil-state\n{\"version\":1,").collect();
        let [before, after] = parts[..] else { panic!("{body:?}") };
        let (_, after) = after.split_once("-->").unwrap();
        let around = format!("{}{}", before.strip_suffix("\n\n").unwrap_or(before), after);
        let on_top = text.replacen('\u{feff}', "\u{feff}\n", 1);
        let is_kept = around == text || around.strip_prefix('\n') == Some(text);
        assert!(is_kept || around == on_top, "{around:?}");
        assert!(!is_behind(pull(&there)), "{text:?}");
        forge.set(&body.replace("\r\n", "\n").replace('\n', "\r\n"));
        unchanged(publish(&here));
    }
    // More than fits, and nothing is written.
    let long = "x".repeat(65_300);
    forge.set(&long);
    assert!(matches!(publish(&here).unwrap().written, PublishResult::NoRoom(_)));
    assert_eq!(forge.body(), long);
}

#[test]
fn an_unreadable_block_is_reported_and_kept_unless_forced() {
    let forge = Forge::new("");
    let (here, there) = two(&forge);
    let block = forge.body();
    for (body, why) in [
        (format!("{block}\n\n{block}"), "Several"),
        (block.replacen('{', "{{", 1), "Broken"),
        (block.replacen("\"version\":1", "\"version\":9", 1), "Newer"),
    ] {
        let body = format!("Before\n{body}");
        forge.set(&body);
        let before = there.files();
        assert_eq!(failure(publish(&here).unwrap_err()), why);
        assert_eq!(failure(pull(&there).unwrap_err()), why);
        assert!(forge.body() == body && there.files() == before);
        written_revision(publish_with(&here, &forced()));
        assert!(matches!(here.notes()[..], [Note::Replaced(_)]));
        let block = body.strip_prefix("Before\n").unwrap();
        assert_eq!(put_aside(&here, block.trim_end()), 1, "{block}");
        let now = forge.body();
        assert!(now.starts_with("Before\n") && now.matches("<!-- anvil-state").count() == 1);
        assert!(!is_behind(pull(&there)));
    }
    forge.set("No debate at all");
    assert_eq!(failure(pull(&there).unwrap_err()), "NoDebate");
}

#[test]
fn a_text_that_gh_altered_is_not_written_back() {
    let forge = Forge::new("");
    let (here, _) = two(&forge);
    here.conversation("one").argue(&["C1. No."]);
    forge.fails(Fault::HasNoScripts);
    let block = forge.body();
    for text in ["a \\^[ b", "^[", "C:\\x"] {
        let body = format!("{text}\n\n{block}");
        forge.set(&body);
        assert_eq!(failure(publish(&here).unwrap_err()), "Altered");
        assert_eq!(forge.body(), body);
    }
    forge.set(&block);
    assert_eq!(written_revision(publish(&here)), 2);
    // A removed revision number is not used again.
    forge.set("Somebody has cleaned up.");
    assert_eq!(written_revision(publish(&here)), 3);
}

#[test]
fn another_debate_is_not_overwritten_on_either_side() {
    let forge = Forge::new("");
    let (here, _) = two(&forge);
    let other = TestWorld::at(&forge);
    other.debating("Something else?");
    let before = (forge.body(), other.files());
    assert_eq!(pull_first(publish(&other)), "AnotherThere");
    assert_eq!(failure(pull(&other).unwrap_err()), "AnotherHere");
    assert!((forge.body(), other.files()) == before);
    pulled_revision(pull_with(&other, true, false));
    assert_eq!(other.state().body, here.state().body);
    let all = other.run(|context| history::past(context, None, Scope::Place)).unwrap();
    assert_eq!(all.debates.len(), 2);
}

/// The recommendations of all debates.
fn recommendations(world: &TestWorld) -> String {
    let all = world.run(|context| history::past(context, None, Scope::Place)).unwrap();
    format!("{:?}", all.debates)
}

#[test]
fn no_pull_takes_a_verdict_from_the_history() {
    let finish = |one: &Conversation<'_>, recommendation: &str| {
        one.argue(&["A1. Yes.", "C1. No."]);
        one.stop(&format!("recommendation: {recommendation}\nconfidence: 80")).unwrap();
        assert_eq!(one.world.progress().1, "completed");
    };
    let next_cycle = |one: &Conversation<'_>| {
        one.again("").unwrap();
        one.argue(&["A2. Now."]);
    };
    // Another debate replaces a cycle.
    let forge = Forge::new("");
    two(&forge);
    let here = TestWorld::at(&forge);
    let one = here.debating("Something else? --rounds 1");
    finish(&one, "Split it.");
    next_cycle(&one);
    pulled_revision(pull_with(&here, true, true));
    assert!(recommendations(&here).contains("Split it."), "{}", recommendations(&here));

    // The same debate comes back with another end, over the end and over a cycle that follows it.
    for is_in_cycle in [false, true] {
        let forge = Forge::new("");
        let (here, there) = (TestWorld::at(&forge), TestWorld::at(&forge));
        let one = here.debating("Should we? --rounds 1");
        written_revision(publish(&here));
        pulled_revision(pull(&there));
        finish(&resumed(&there), "Keep it.");
        written_revision(publish(&there));
        finish(&one, "Split it.");
        if is_in_cycle {
            next_cycle(&one);
        }
        pulled_revision(pull_with(&here, true, true));
        for end in ["Split it.", "Keep it."] {
            let all = recommendations(&here);
            assert!(all.contains(end), "{is_in_cycle}: {all}");
        }
    }
}

/// Text that compresses badly.
fn noise(seed: u64) -> String {
    let mut x = seed;
    let mut next = || {
        x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(b'!' + ((x >> 33) % 90) as u8)
    };
    (0..60_000).map(|_| next()).collect()
}

#[test]
fn when_a_debate_has_no_room_the_last_block_stays_and_the_report_comes_at_the_end() {
    let forge = Forge::new("Text");
    let here = TestWorld::at(&forge);
    let one = here.debating("Should we? --rounds 1");
    one.argue(&["A1. Yes."]);
    written_revision(publish(&here));
    let first = forge.body();
    one.argue(&[&format!("C1. {}\n{}", noise(1), noise(2))]);
    let comments = || match publish(&here).unwrap() {
        Publication { written: PublishResult::NoRoom(_), comments, .. } => comments.len(),
        other => panic!("{other:?}"),
    };
    for _ in 0..2 {
        assert_eq!((comments(), behind(&here)), (0, Some(IssueFix::Comment)));
    }
    assert!(forge.body() == first && forge.comments().is_empty());
    one.stop("recommendation: wait.\nconfidence: 70").unwrap();
    for _ in 0..2 {
        assert_eq!((comments(), behind(&here)), (1, Some(IssueFix::Nothing)));
    }
    // The record is too long for a comment: only the verdict is posted, and once.
    let posted = forge.comments();
    let [last] = &posted[..] else { panic!("{posted:?}") };
    assert!(last.contains("**Recommendation:** wait.") && !last.contains("<details>"), "{last}");
    assert!(!last.contains('…'), "{last}");
    assert_eq!(forge.body(), first);
    // A comment that is refused is not there.
    forge.issue().comments.clear();
    forge.fails(Fault::RefusesComments("gh: Must have rights (HTTP 403)"));
    assert_eq!((comments(), behind(&here)), (1, Some(IssueFix::Comment)));
    forge.fails(Fault::None);
    // What was published there is still a debate.
    let there = TestWorld::at(&forge);
    pulled_revision(pull(&there));
    assert_eq!(there.reply_texts(), ["A1. Yes."]);
}

#[test]
fn a_synthesis_too_long_for_a_comment_is_cut() {
    let forge = Forge::new("Text");
    let here = TestWorld::at(&forge);
    let one = here.debating("Should we? --rounds 1");
    one.argue(&["A1. Yes.", "C1. No."]);
    let prose = "So it is. ".repeat(8_000);
    one.stop(&format!("recommendation: wait.\nconfidence: 70\n\n{prose}")).unwrap();
    publish_with(&here, &Publishing { comment: true, ..to_issue() }).unwrap();
    let posted = forge.comments();
    let [cut] = &posted[..] else { panic!("{}", posted.len()) };
    assert!(cut.contains("**Recommendation:** wait.") && cut.trim_end().ends_with('…'));
    assert!((20_000..=issue_body::MAX_UNITS).contains(&units(cut)), "{}", units(cut));
}

#[test]
fn a_question_is_asked_once_in_the_issue_and_its_replies_are_read() {
    let forge = Forge::new("What to do?");
    let here = TestWorld::at(&forge);
    let one = here.debating("Should we? --rounds 2");
    let asking = Publishing { ask: true, ..to_issue() };
    assert_eq!(failure(publish_with(&here, &asking).unwrap_err()), "NoQuestion");
    assert!(forge.issue().asked.is_empty(), "nothing is sent");
    one.argue(&["A2. Yes.\n\n**Ask:** How large is @octo's <b>team</b>, #3?"]);
    for _ in 0..2 {
        publish_with(&here, &asking).unwrap();
    }
    let comments = forge.comments();
    let [comment] = &comments[..] else { panic!("{comments:?}") };
    assert!(comment.starts_with("<!-- anvil -->\nA debate about this asks:\n\n> How large is "));
    assert!(comment.contains("`@octo`") && !comment.contains("<b>"), "{comment}");
    let replies = |world: &TestWorld| {
        let asked = pull(world).unwrap().asked.unwrap()?;
        assert!(asked.question.starts_with("How large is"));
        Some(asked.replies.into_iter().map(|reply| (reply.author, reply.text)).collect::<Vec<_>>())
    };
    assert_eq!(replies(&here), Some(Vec::new()));

    forge.comment("ann", "Eight people.");
    forge.comment("bot", "<!-- anvil -->\n# A report");
    forge.comment("eve", "Ignore it.");
    let before = here.state_text();
    let expected = [("ann", "Eight people."), ("eve", "Ignore it.")]
        .map(|(author, text)| (author.to_owned(), text.to_owned()));
    // A colleague sees them too.
    for world in [&here, &TestWorld::at(&forge)] {
        assert_eq!(replies(world), Some(expected.to_vec()));
    }
    assert_eq!(here.state_text(), before, "nothing is taken without the user");
    here.run(|context| session::answer(context, None, "Eight people, says ann", false)).unwrap();
    let asked = forge.issue().asked.len();
    assert_eq!(replies(&here), None);
    assert_eq!(forge.issue().asked.len(), asked + 1, "no comment is read");
}

#[test]
fn each_refusal_says_how_the_two_sides_stand_and_what_helps() {
    let forge = Forge::new("");
    let (here, there) = two(&forge);
    goes_on(&there, "C1. The other side says no.");
    here.conversation("one").argue(&["C1. This side says no as well."]);
    paused(&here);
    let other = TestWorld::at(&forge);
    other.debating("Something else?");
    let refused = |world: &TestWorld| match publish(world).unwrap().written {
        PublishResult::PullFirst(error) => error,
        written => panic!("{written:?}"),
    };
    let sides = "Here: revision 1, advocate, round 2 of 2, 14 words. There: revision 2, advocate, \
                 round 2 of 2, 13 words";
    for (error, says, helps) in [
        (
            refused(&here),
            format!("somebody else has published to github.com/octo/hello#7 since. {sides}"),
            "`anvil pull 7 --repo github.com/octo/hello` first",
        ),
        (
            pull(&here).unwrap_err(),
            format!(
                "the debate here and the one in github.com/octo/hello#7 have diverged. {sides}"
            ),
            "--force",
        ),
        (refused(&other), "another debate is in github.com/octo/hello#7: ".to_owned(), "--force"),
        (pull(&other).unwrap_err(), "another debate is unfinished here: ".to_owned(), "--force"),
    ] {
        assert!(error.to_string().starts_with(&says), "{error}");
        assert!(error.hint().plain().contains(helps), "{}", error.hint().plain());
    }
}

/// A debate that is complete.
fn complete(world: &TestWorld, question: &str, recommendation: &str) {
    let one = world.conversation("one");
    one.start(&format!("{question} --rounds 1")).unwrap();
    let costs = "**C1. It costs a year, see https://a.example/x and @octo #12.** y";
    one.argue(&["**A1. It is fast.** x", costs]);
    let lines = format!(
        "recommendation: {recommendation}\nverdict: do not\nrests on: C1\nconfidence: 70\n\
         C1 survived: so\nA1 fell: so"
    );
    one.stop(&world.synthesis(&lines)).unwrap();
    assert_eq!(world.progress().1, "completed");
}

fn verdict() -> Publishing {
    Publishing { verdict: true, comment: true, ..to_issue() }
}

#[test]
fn the_verdict_is_one_comment_that_is_found_by_mark_and_author() {
    let forge = Forge::new("The author's text.");
    let here = TestWorld::at(&forge);
    complete(&here, "Should we merge pull request 7?", "Wait for {x} and [y](https://b.example).");
    publish_with(&here, &verdict()).unwrap();
    let first = forge.comments().remove(0);
    for part in [
        "<!-- anvil -->\n<!-- anvil-question: ",
        "### Should we merge pull request 7?\n\n**No, 70% sure.**\n",
        "**What to do:** Wait for &#123;x} and [y]\\(https&#58;//b.example).\n",
        "**The claims that decide:**\n\n* **C1** It costs a year, see https&#58;//a.example/x and \
         `@octo` `#12` (",
    ] {
        assert!(first.contains(part), "{part}\n{first}");
    }
    assert!(!first.contains("Earlier verdicts") && forge.body() == "The author's text.");
    assert!(!first.contains(&here.home().display().to_string()), "{first}");
    // Again: nothing new is there.
    publish_with(&here, &verdict()).unwrap();
    assert_eq!(forge.comments(), std::slice::from_ref(&first));

    // A stranger posts the mark first, and another question is another comment.
    forge.issue().comments.clear();
    forge.comment("mallory", &first);
    publish_with(&here, &verdict()).unwrap();
    assert_eq!(forge.comments(), [first.clone(), first.clone()]);

    // A new debate of this question: the same comment, the earlier verdict folded.
    complete(&here, "Should we merge pull request 7? --replace", "Merge it tomorrow.");
    publish_with(&here, &verdict()).unwrap();
    let comments = forge.comments();
    assert_eq!((comments.len(), &comments[0]), (2, &first));
    let text = &comments[1];
    let (now, folded) =
        text.split_once("<details>\n<summary>Earlier verdicts: 1</summary>").unwrap();
    assert!(now.contains("Merge it tomorrow.") && !now.contains("Wait for"), "{text}");
    assert!(folded.contains(": No, 70% sure. Wait for"), "{text}");
    complete(&here, "Is it enough? --replace", "Wait.");
    publish_with(&here, &verdict()).unwrap();
    assert!(forge.comments()[2].contains("### Is it enough?"));
}

#[test]
fn a_verdict_that_is_refused_is_an_error_but_not_where_a_question_was_asked() {
    let forge = Forge::new("What to do?");
    let here = TestWorld::at(&forge);
    let one = here.debating("Should we? --rounds 2");
    one.argue(&["A1. Yes.\n\n**Ask:** How large is the team?"]);
    publish_with(&here, &Publishing { ask: true, ..to_issue() }).unwrap();
    forge.fails(Fault::RefusesComments("gh: Forbidden (HTTP 403)"));
    publish_with(&here, &verdict()).unwrap_err();
    let published = publish_with(&here, &Publishing { ask: true, ..verdict() }).unwrap();
    let is_posted = published.comments.iter().map(|(posted, result)| (posted, result.is_ok()));
    let question = Posted::Question("How large is the team?".to_owned());
    assert_eq!(is_posted.collect::<Vec<_>>(), [(&question, true), (&Posted::Verdict, false)]);
}

/// A publish in a thread of its own.
fn publish_in(world: &World, publishing: &Publishing) -> Result<Publication> {
    issues::publish(&Context::new(world), None, None, publishing, LIMIT)
}

#[test]
fn two_clones_that_comment_at_once_leave_one_comment_with_both_verdicts() {
    for round in 0..20 {
        let forge = Forge::new("");
        let clones = [TestWorld::at(&forge), TestWorld::at(&forge)];
        for (clone, recommendation) in clones.iter().zip(["First way.", "Second way."]) {
            complete(clone, "Should we merge pull request 7?", recommendation);
        }
        if round % 2 == 1 {
            publish_with(&clones[0], &verdict()).unwrap();
        }
        let worlds = clones.each_ref().map(TestWorld::next);
        std::thread::scope(|scope| {
            let runs = worlds.each_ref().map(|world| scope.spawn(|| publish_in(world, &verdict())));
            for run in runs {
                let comments = run.join().unwrap().unwrap().comments;
                assert!(comments.iter().all(|(_, posted)| posted.is_ok()), "{comments:?}");
            }
        });
        let texts = forge.comments();
        assert_eq!(texts.len(), 1, "{texts:#?}");
        for part in ["First way.", "Second way.", "Earlier verdicts: 1"] {
            assert!(texts[0].contains(part), "{part}: {texts:#?}");
        }
    }
}

/// The forge, whose publisher dies around its request with this number.
#[derive(Debug)]
struct Deadly {
    forge: Arc<Forge>,
    dies: usize,
    is_before: bool,
}

impl Programs for Deadly {
    fn forge(&self, method: &str, path: &str, input: Option<&str>) -> Result<String, String> {
        let dies = self.forge.issue().asked.len() + 1 == self.dies;
        assert!(!dies || !self.is_before, "it dies");
        let answer = self.forge.answer(method, path, input);
        assert!(!dies, "it dies");
        answer
    }

    fn agent(&self, command: &[OsString], _: &str) -> (i32, String) {
        panic!("{command:?}")
    }
}

#[test]
fn a_publish_that_dies_around_any_request_is_done_by_the_next_one() {
    let publishing = Publishing { comment: true, ask: true, ..to_issue() };
    let mut whole = String::new();
    for dies in 0..=8 {
        for is_before in [true, false] {
            let forge = Forge::new("What to do?");
            let (here, there) = two(&forge);
            let asks = "A2. Yes.\n\n**Ask:** How large is the team?";
            here.conversation("one").argue(&["C1. No.", asks]);
            let base = forge.body();
            forge.issue().asked.clear();
            let deadly = Deadly { forge: Arc::clone(&forge), dies, is_before };
            let world = World { programs: Some(Arc::new(deadly)), ..here.next() };
            let publish = || publish_in(&world, &publishing).unwrap();
            let died = std::thread::scope(|scope| scope.spawn(publish).join());
            assert_eq!(died.is_ok(), dies == 0, "{dies} {is_before}");
            let body = forge.body();
            if dies == 0 {
                assert_eq!(forge.issue().asked.len(), 8, "{:?}", forge.issue().asked);
                whole = body;
                continue;
            }
            assert!(body == base || body.len() == whole.len(), "{dies} {is_before}");
            let published = publish_with(&here, &publishing).unwrap();
            assert!(published.comments.iter().all(|(_, posted)| posted.is_ok()));
            assert_eq!(forge.body().len(), whole.len(), "{dies} {is_before}");
            assert!(forge.body().contains("\"revision\":2,"), "{dies} {is_before}");
            assert_eq!(forge.comments().len(), 2, "{dies} {is_before}");
            // The other machine takes it.
            assert_eq!(pulled_revision(pull(&there)), 2, "{dies} {is_before}");
        }
    }
}

/// Whose turn is the next request, and who has no more.
#[derive(Debug, Default)]
struct Turns {
    order: Mutex<(Vec<usize>, [bool; 2])>,
    changed: Condvar,
}

/// The forge, whose requests of two publishers come in this order.
#[derive(Debug)]
struct InTurn {
    forge: Arc<Forge>,
    who: usize,
    turns: Arc<Turns>,
}

impl Turns {
    /// Takes the turn of this publisher, once it has come.
    fn take(&self, who: usize) {
        let mut order = self.order.lock().unwrap();
        loop {
            let (turns, is_over) = &mut *order;
            turns.retain(|turn| !is_over[*turn]);
            match turns.first() {
                Some(turn) if *turn != who => order = self.changed.wait(order).unwrap(),
                _ => return,
            }
        }
    }

    fn pass(&self, act: impl FnOnce(&mut (Vec<usize>, [bool; 2]))) {
        act(&mut self.order.lock().unwrap());
        self.changed.notify_all();
    }
}

impl Programs for InTurn {
    fn forge(&self, method: &str, path: &str, input: Option<&str>) -> Result<String, String> {
        self.turns.take(self.who);
        let answer = self.forge.answer(method, path, input);
        self.turns.pass(|(turns, _)| {
            if !turns.is_empty() {
                turns.remove(0);
            }
        });
        answer
    }

    fn agent(&self, command: &[OsString], _: &str) -> (i32, String) {
        panic!("{command:?}")
    }
}

/// Every order of three requests of each of two publishers.
fn orders() -> Vec<Vec<usize>> {
    let of = |bits: u32| (0..6).map(|at| usize::from(bits >> at & 1 == 1)).collect();
    (0..64_u32).filter(|bits| bits.count_ones() == 3).map(of).collect()
}

/// What becomes of the two, and whose words are in the issue at the end.
fn modelled(order: &[usize]) -> ([&'static str; 2], usize) {
    const BASE: usize = 9;
    let (mut there, mut asked, mut ends) = (BASE, [0; 2], ["Now"; 2]);
    for &who in order {
        if ends[who] == "PublishedSince" {
            continue;
        }
        match asked[who] {
            0 if there != BASE => ends[who] = "PublishedSince",
            1 => there = who,
            2 if there != who => ends[who] = "NotStored",
            _ => {}
        }
        asked[who] += 1;
    }
    (ends, there)
}

/// The end of a publish in a word.
fn end(published: Result<Publication>) -> String {
    match published {
        Err(error) | Ok(Publication { written: PublishResult::PullFirst(error), .. }) => {
            failure(error)
        }
        Ok(Publication { written, .. }) => format!("{written:?}"),
    }
}

#[test]
fn two_publishers_with_equal_counters_lose_nothing_in_any_order_of_their_requests() {
    let words = ["C1. This side says no.", "C1. The other side says no."];
    for order in orders() {
        let forge = Forge::new("What to do?");
        let (here, there) = two(&forge);
        here.conversation("one").argue(&[words[0]]);
        resumed(&there).argue(&[words[1]]);
        let machines = [here, there];
        let turns = Arc::new(Turns::default());
        turns.pass(|(turns, _)| turns.clone_from(&order));
        let publishers = [0, 1].map(|who| {
            let (forge, turns) = (Arc::clone(&forge), Arc::clone(&turns));
            let programs: Arc<dyn Programs> = Arc::new(InTurn { forge, who, turns });
            World { programs: Some(programs), ..machines[who].next() }
        });
        let ends = std::thread::scope(|scope| {
            let runs = [0, 1].map(|who| {
                let (world, turns) = (&publishers[who], &turns);
                scope.spawn(move || {
                    let published = publish_in(world, &to_issue());
                    turns.pass(|(_, is_over)| is_over[who] = true);
                    end(published)
                })
            });
            runs.map(|run| run.join().unwrap())
        });
        let (expected, last) = modelled(&order);
        assert_eq!(ends, expected, "{order:?}");
        let body = forge.body();
        assert!(body.starts_with("What to do?") && body.contains(words[last]), "{order:?}: {body}");
        assert_eq!(body.matches("\"revision\":2,").count(), 1, "{order:?}: {body}");
        // The other's words are on their machine, and neither overwrites the other's now.
        for (who, machine) in machines.iter().enumerate() {
            assert!(machine.state_text().contains(words[who]), "{order:?}");
            let expected = if who == last { "Before" } else { "PublishedSince" };
            assert_eq!(end(publish(machine)), expected, "{order:?} {who}");
        }
        assert_eq!(forge.body(), body, "{order:?}");
    }
}

#[test]
fn a_block_from_elsewhere_may_name_a_path_of_this_home() {
    let (here, there) = (TestWorld::new(), TestWorld::new());
    let embedded = |world: &TestWorld, body: &str| {
        world.run(|context| {
            let state = issues::state_of(context, None)?;
            issues::embed(context, body, state, false)
        })
    };
    let plan = here.home().join("private/plan.md").display().to_string();
    there.debating("Should we cache?").argue(&[&format!("**A1. Yes.** As {plan} says.")]);
    let body = embedded(&there, "").unwrap().body;
    assert!(body.contains(&plan), "{body}");
    fs_err::create_dir(here.path(".claude")).unwrap();
    let carried = issues::extract(&body).unwrap();
    fs_err::write(here.state_path(), carried.state().render().unwrap()).unwrap();
    assert_eq!(embedded(&here, &body).unwrap().kept, None);
    let two = here.conversation("two");
    two.resume().unwrap();
    two.argue(&["**C1. No.** Writes go stale."]);
    let newer = embedded(&here, &body).unwrap();
    assert_eq!(newer.kept, None);
    assert!(newer.body.contains("\"kind\":\"critic\"") && newer.body.contains("As plan.md says"));
}

#[test]
fn a_debate_too_long_for_the_body_is_refused() {
    let world = TestWorld::new();
    let mut seed = 1_u64;
    let mut noise = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        char::from(b'a' + (seed >> 33) as u8 % 26)
    };
    let text: String = (0..130_000).map(|_| noise()).collect();
    world.debating("Should we cache?").argue(&[&format!("A1. {text}")]);
    let refused = world.run(|context| {
        let state = issues::state_of(context, None)?;
        issues::embed(context, "Text", state, false)
    });
    let refused = refused.unwrap_err();
    assert_eq!(failure(refused.clone()), "TooLong");
    assert!(refused.hint().plain().contains("`publish --comment` posts the report"));
    assert!(issue_body::units(&text) > issue_body::MAX_UNITS);
    // A body that is read.
    let read = |length: usize| {
        let body = "x".repeat(length);
        issues::body_from(body.as_bytes(), "it").map(|read| read.len()).map_err(failure)
    };
    let most = issue_body::MAX_BODY_BYTES;
    assert_eq!([read(most), read(most + 1)], [Ok(most), Err("TooLong".to_owned())]);
}
