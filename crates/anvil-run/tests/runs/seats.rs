//! A seat that fails, one that waits for its user, and the agents that stand in for it.

use std::fmt::Write as _;

use anvil_core::attempt::FailureKind;
use anvil_text::error::Result;

use super::{OPEN, PAUSED, REPLIES, Room, takes_over};

/// Exit codes of an agent: it fails, and its user is not logged in.
const CRASH: i32 = 3;
const LOGGED_OUT: i32 = 77;

fn run(room: &Room, more: &[&str]) -> Result<u8> {
    room.run(&[&["Why?", "--rounds", "1"], more].concat())
}

fn is_complete(room: &Room) {
    assert_eq!(room.world.progress().1, "completed");
    assert_eq!(room.world.reply_texts(), REPLIES.map(|(_, reply)| reply.trim_end()));
}

#[test]
fn only_the_user_reassigns_or_retries_a_failed_seat() {
    let room = Room::new();
    room.exits("critic", CRASH);
    assert_eq!(run(&room, &[]).unwrap(), PAUSED);
    assert_eq!((room.world.progress().1, room.attempts().len()), ("failed", 4));
    let refused = room.resume(&[]).unwrap_err();
    assert!(refused.hint().plain().contains("--critic AGENT"), "{refused}");
    assert_eq!(room.attempts().len(), 4);
    // The same agent again: it has three new attempts.
    assert_eq!(room.resume(&["--critic", &Room::agent("critic")]).unwrap(), PAUSED);
    assert_eq!((room.world.progress().1, room.attempts().len()), ("failed", 7));
    room.says("other", &[REPLIES[1].1]);
    assert_eq!(room.resume(&["--critic", &Room::agent("other")]).unwrap(), OPEN);
    is_complete(&room);
}

#[test]
fn the_kind_of_a_failure_decides_who_has_to_act() {
    for (code, status, failures) in [
        (LOGGED_OUT, "paused", &[FailureKind::Login][..]),
        (1, "failed", &[FailureKind::Crash; 3]),
        (0, "failed", &[FailureKind::Empty; 3]),
    ] {
        let room = Room::new();
        room.exits("critic", code);
        assert_eq!(run(&room, &[]).unwrap(), PAUSED, "{code}");
        assert_eq!(room.world.progress().1, status, "{code}");
        assert_eq!(room.world.reply_texts(), [REPLIES[0].1.trim_end()], "{code}");
        let of_critic: Vec<_> = room.failures().into_iter().skip(1).flatten().collect();
        assert_eq!(of_critic, failures, "{code}");
    }
}

#[test]
fn a_resumed_run_retries_what_made_it_pause() {
    let room = Room::new();
    room.exits("critic", LOGGED_OUT);
    assert_eq!(run(&room, &[]).unwrap(), PAUSED);
    assert_eq!(room.resume(&[]).unwrap(), PAUSED);
    room.says("critic", &[REPLIES[1].1]);
    assert_eq!(room.resume(&[]).unwrap(), OPEN);
    let login = Some(FailureKind::Login);
    assert_eq!(room.failures(), [None, login, login, None, None]);
    is_complete(&room);
}

#[test]
fn an_undone_reply_is_requested_again() {
    let room = Room::new();
    room.exits("synthesizer", LOGGED_OUT);
    assert_eq!(run(&room, &[]).unwrap(), PAUSED);
    room.world.run(|context| anvil_engine::history::undo(context, None, 1, false)).unwrap();
    assert_eq!(room.world.reply_texts(), [REPLIES[0].1.trim_end()]);
    room.says("synthesizer", &[REPLIES[2].1]);
    let year = "**C1. It costs a year.** Nobody has that year [assumption].";
    room.says("critic", &[year]);
    assert_eq!(room.resume(&[]).unwrap(), OPEN);
    assert_eq!(room.world.reply_texts()[1], year);
    assert_eq!(room.failures(), [None, None, Some(FailureKind::Login), None, None]);
}

#[test]
fn a_debate_goes_from_a_session_to_a_run_and_back() {
    let room = Room::new();
    let one = room.world.debating("Why? --rounds 1");
    one.argue(&[REPLIES[0].1.trim_end()]);
    one.end().unwrap();
    let agents = REPLIES.map(|(seat, _)| [format!("--{seat}"), Room::agent(seat)]).concat();
    let words: Vec<&str> = agents.iter().map(String::as_str).collect();
    assert_eq!(room.resume(&words).unwrap(), OPEN);
    assert_eq!(room.attempts().len(), 2);
    is_complete(&room);

    let room = Room::new();
    room.exits("critic", LOGGED_OUT);
    assert_eq!(run(&room, &[]).unwrap(), PAUSED);
    let one = room.world.conversation("one");
    takes_over(&one);
    one.argue(&[REPLIES[1].1.trim_end()]);
    one.stop(REPLIES[2].1).unwrap();
    is_complete(&room);
}

/// A project with the own agents `one`, `two` and `gone`; the first two write this reply.
fn standing_in(says: &str) -> Room {
    let room = Room::new();
    let mut text = "---\nagent.gone: \"cmd:/nowhere/gone\"\n".to_owned();
    for name in ["one", "two"] {
        room.says(name, &[says]);
        writeln!(text, "agent.{name}: \"{}\"", Room::agent(name)).unwrap();
    }
    fs_err::create_dir_all(room.world.home().join(".claude")).unwrap();
    fs_err::write(room.world.home().join(".claude/anvil.local.md"), text + "---\n").unwrap();
    room
}

/// The agents that were asked for the replies of a seat, with the agent that each stands in for.
fn prompts_to(room: &Room, seat: &str) -> Vec<String> {
    let attempts = room.attempts().into_iter().map(|attempt| attempt.started);
    let of_seat = attempts.filter(|started| started.slot.to_string().starts_with(seat));
    let shown = of_seat.map(|started| match started.origin.instead_of {
        Some(other) => format!("{} for {other}", started.origin.agent),
        None => started.origin.agent,
    });
    shown.collect()
}

#[test]
fn the_next_agent_of_a_list_takes_the_seat_and_keeps_it() {
    let room = standing_in(REPLIES[1].1);
    room.exits("one", LOGGED_OUT);
    assert_eq!(run(&room, &["--critic", "one, two"]).unwrap(), OPEN);
    assert_eq!(prompts_to(&room, "critic"), ["one", "two for one"]);
    assert!(room.world.state_text().contains("\"instead_of\":\"one\""));

    // The last of a list waits for its user, and keeps the seat in a resume.
    let room = standing_in(REPLIES[1].1);
    room.exits("one", LOGGED_OUT);
    room.exits("two", LOGGED_OUT);
    assert_eq!(run(&room, &["--critic", "one, two"]).unwrap(), PAUSED);
    assert_eq!(room.world.progress().1, "paused");
    room.says("one", &[REPLIES[1].1]);
    assert_eq!(room.resume(&[]).unwrap(), PAUSED);
    assert_eq!(prompts_to(&room, "critic"), ["one", "two for one", "two for one"]);
    // A user who names the agents again means the first one.
    assert_eq!(room.resume(&["--critic", "one, two"]).unwrap(), OPEN);
    assert_eq!(prompts_to(&room, "critic").last().unwrap(), "one");
}

#[test]
fn each_judge_has_its_own_agent_also_after_a_resume_and_beside_others() {
    for jobs in ["1", "2"] {
        let room = standing_in(REPLIES[2].1);
        room.exits("two", LOGGED_OUT);
        let judges = ["--judge", "one", "--judge", "two", "--jobs", jobs];
        assert!(run(&room, &judges).is_err(), "--synthesizer does not apply");
        let run = |words: &[&str]| {
            room.run_seats(&["advocate", "critic"], &[&["Why?", "--rounds", "1"], words].concat())
        };
        assert_eq!(run(&judges).unwrap(), PAUSED);
        room.says("two", &[REPLIES[2].1]);
        assert_eq!(room.resume(&["--jobs", jobs]).unwrap(), OPEN);
        assert_eq!(prompts_to(&room, "judge 1"), ["one"]);
        assert_eq!(prompts_to(&room, "judge 2"), ["two", "two"]);
        // A list holds for a judge, too.
        let room = standing_in(REPLIES[2].1);
        room.exits("one", LOGGED_OUT);
        let judges = ["--judge", "one, two", "--judge", "two", "--jobs", jobs];
        let words = [&["Why?", "--rounds", "1"], &judges[..]].concat();
        assert_eq!(room.run_seats(&["advocate", "critic"], &words).unwrap(), OPEN);
        assert_eq!(prompts_to(&room, "judge 1"), ["one", "two for one"]);
    }
}
