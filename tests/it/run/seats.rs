//! A seat that fails, one that waits for its user, and one that moves from a program to a session
//! of Claude Code or back.

use super::{REPLIES, Room};

#[test]
fn only_the_user_reassigns_or_retries_a_failed_seat() {
    let room = Room::new();
    room.does("critic", "take_in; pay; exit 3\n");
    assert_eq!(room.run(&[]).code, 5);
    assert_eq!((room.host.head("status").as_str(), room.kinds().len()), ("failed", 4));
    let refused = room.resume(&[]);
    assert!(
        refused.code == 1 && refused.err.contains("--critic AGENT") && room.kinds().len() == 4,
        "{refused:?}"
    );
    // The same agent again: it has three new attempts.
    let again = room.resume(&["--critic", &room.agent("critic")]);
    assert_eq!(
        (again.code, room.kinds().len(), room.host.head("status").as_str()),
        (5, 7, "failed"),
        "{again:?}"
    );
    fs_err::copy(room.file("critic.md"), room.file("other.md")).unwrap();
    room.does("other", super::WELL);
    let other = room.resume(&["--critic", &room.agent("other")]);
    assert_eq!(other.code, 0, "{other:?}");
    room.is_complete("another agent");
}

#[test]
fn the_kind_of_a_failure_decides_who_has_to_act() {
    let cases = [
        ("take_in; exit 75", "failed"),
        ("take_in; exit 77", "paused"),
        ("take_in; exit 1", "failed"),
        ("take_in", "failed"),
    ];
    for (does, status) in cases {
        let room = Room::new();
        room.does("critic", &format!("{does}\n"));
        assert_eq!(room.run(&[]).code, 5, "{does}");
        assert_eq!(room.host.head("status"), status, "{does}");
        assert_eq!(room.texts(), [REPLIES[0].trim_end()], "{does}");
    }
    // A missing program prevents the start; one that disappears later makes the debate wait.
    let room = Room::new();
    let refused = room.run(&["--critic", "cmd:/nowhere/critic"]);
    assert!(refused.code == 1 && !room.host.state_path().exists(), "{refused:?}");
    let program = room.file("critic");
    std::os::unix::fs::symlink("/bin/cat", &program).unwrap();
    room.does("advocate", "take_in; pay; rm critic; say\n");
    let ran = room.run(&["--critic", &format!("cmd:{}", program.display())]);
    assert_eq!((ran.code, room.host.head("status").as_str()), (5, "paused"), "{ran:?}");
    assert_eq!(room.kinds(), ["received", "missing"]);
    room.is_clean("missing");
}

#[test]
fn an_undone_reply_is_requested_again() {
    let room = Room::new();
    room.does("synthesizer", "take_in; pay; exit 77\n");
    assert_eq!(room.run(&[]).code, 5);
    let undone = room.host.run(&["undo"]);
    assert_eq!(undone.code, 0, "{undone:?}");
    assert_eq!(room.texts(), [REPLIES[0].trim_end()]);
    room.does("synthesizer", super::WELL);
    fs_err::write(
        room.file("critic.md"),
        "**C1. It costs a year.** Nobody has that year [assumption].\n",
    )
    .unwrap();
    let ran = room.resume(&[]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(room.texts()[1].contains("a year"), "{:?}", room.texts());
    assert_eq!(room.kinds(), ["received", "received", "login", "received", "received"]);
}

#[test]
fn a_debate_goes_from_a_session_to_a_run_and_back() {
    let room = Room::new();
    room.host.prompt("one", "/anvil:debate Why? --rounds 1");
    room.host.stop("one", REPLIES[0]);
    room.host.session_end("one");
    let agents: Vec<String> = room.begins(&[]).split_off(4);
    let ran = room.resume(&agents.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(room.ends().len(), 2);
    room.is_complete("begun in a session");

    let room = Room::new();
    room.does("critic", "take_in; pay; exit 77\n");
    assert_eq!(room.run(&[]).code, 5);
    let told = room.host.prompt("one", "/anvil:resume");
    assert!(told.told().contains("── Critic · round 1 of 1"), "{told:?}");
    room.host.stop("one", REPLIES[1]);
    room.host.stop("one", REPLIES[2]);
    assert_eq!(room.host.head("status"), "completed");
    assert_eq!(room.texts(), REPLIES.map(str::trim_end));
}
