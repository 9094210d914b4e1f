//! The leftovers of a dead run, and the effect of others on a live run.

use std::time::Instant;

use serde_json::{Value, json};

use super::{HANGS, HELD, PATIENCE, Room, until};

/// The critic gets its prompt and waits for permission; then the run is killed.
fn killed() -> Room {
    let room = Room::new();
    room.does("critic", HELD);
    let run = room.asking("critic");
    run.signal("KILL");
    assert_eq!(run.ends().0, None);
    room
}

#[test]
fn a_resumed_run_waits_for_a_reply_in_progress() {
    let room = killed();
    let resumed = room.spawn(&["run", "--resume"].map(str::to_owned));
    resumed.says("is still running");
    room.releases_reply();
    let (code, said) = resumed.ends();
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(room.kinds(), ["received"; 3]);
    room.is_complete("waited for");
}

/// The agent ends while nobody leads the debate: its reply is received, and not saved.
#[test]
fn a_reply_received_after_its_run_was_killed_is_not_paid_again() {
    let room = killed();
    room.releases_reply();
    room.becomes_clean();
    assert_eq!(room.host.reply_texts().len(), 1, "only the advocate's is saved");
    let resumed = room.resume(&[]);
    assert_eq!(resumed.code, 0, "{resumed:?}");
    assert_eq!(room.kinds(), ["received"; 3]);
    room.is_complete("received and not saved");
}

#[test]
fn a_user_ends_a_reply_in_progress_and_it_is_asked_again() {
    let room = killed();
    let began = Instant::now();
    let resumed = room.spawn(&["run", "--resume"].map(str::to_owned));
    resumed.says("is still running: waiting for its reply; Ctrl-C ends it");
    resumed.signal("INT");
    let (code, said) = resumed.ends();
    assert_eq!(code, Some(130), "{said}");
    assert_eq!(room.kinds(), ["received", "interrupted"]);
    room.does("critic", super::WELL);
    let resumed = room.resume(&[]);
    assert!(resumed.code == 0 && began.elapsed() < PATIENCE, "{:?}: {resumed:?}", began.elapsed());
    assert_eq!(room.kinds(), ["received", "interrupted", "received", "received"]);
    room.is_complete("ended");
}

/// The seats are what `attempts.jsonl` says, whichever process reads it.
#[test]
fn the_seats_of_a_killed_run_are_read_back_and_it_goes_on() {
    let room = killed();
    let seat = |seat: &str| {
        let read = room.host.run(&["attempts", "--json"]).stdout;
        let read: Value = serde_json::from_str(&read).unwrap();
        let names = ["status", "current_attempt", "tokens_used", "last_error", "recovery_applied"];
        Value::from(names.map(|name| read["seats"][seat][name].clone()).to_vec())
    };
    let advocate = json!(["received", 1, null, "", null]);
    assert_eq!(
        [seat("advocate"), seat("critic")],
        [advocate.clone(), json!(["running", 1, null, "", null])]
    );
    let resumed = room.spawn(&["run", "--resume"].map(str::to_owned));
    resumed.says("is still running");
    resumed.signal("INT");
    resumed.ends();
    assert_eq!(
        seat("critic"),
        json!(["failed", 1, null, "it was stopped: the debate was stopped", null])
    );
    room.does("critic", super::WELL);
    assert_eq!(room.resume(&[]).code, 0);
    assert_eq!(
        [seat("advocate"), seat("critic")],
        [advocate, json!(["received", 2, null, "", "asked again: it was stopped"])]
    );
}

#[test]
fn another_shell_takes_no_run_over_without_a_request() {
    let room = Room::new();
    room.does("critic", HELD);
    let run = room.asking("critic");
    let began = Instant::now();
    let other = room.resume(&[]);
    assert!(
        other.code == 1 && other.stderr.contains("anvil run --resume --take-over"),
        "{other:?}"
    );
    assert!(began.elapsed() < PATIENCE / 4, "it waited for another one's agent");
    room.releases_reply();
    let (code, said) = run.ends();
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(room.kinds(), ["received"; 3]);
    room.is_complete("another shell");
}

#[test]
fn a_second_run_in_a_folder_names_what_can_be_done() {
    let room = Room::new();
    room.does("critic", HELD);
    let run = room.asking("critic");
    let second = room.run(&[]);
    let says = "it runs in another session: wait for its end, or use another folder with --dir DIR";
    assert!(second.code == 1 && second.stderr.contains(says), "{second:?}");
    room.releases_reply();
    let (code, said) = run.ends();
    assert_eq!(code, Some(0), "{said}");
    room.is_complete("a second run");
}

#[test]
fn a_run_taken_over_ends_its_agent_and_reports_it() {
    let room = Room::new();
    room.does("critic", HANGS);
    let run = room.asking("critic");
    room.does("critic", super::WELL);
    let other = room.resume(&["--take-over"]);
    assert_eq!(other.code, 0, "{other:?}");
    let (code, said) = run.ends();
    assert!(
        code == Some(5) && said.contains("another session has taken the debate over"),
        "{code:?}: {said}"
    );
    assert_eq!(room.kinds(), ["received", "interrupted", "received", "received"]);
    room.is_complete("taken over");
}

#[test]
fn a_debate_cancelled_elsewhere_ends_its_agent_and_run() {
    let room = Room::new();
    room.does("critic", HANGS);
    let run = room.asking("critic");
    let refused = room.host.run(&["cancel"]);
    assert_eq!(refused.code, 1, "{refused:?}");
    let began = Instant::now();
    assert_eq!(room.host.run(&["cancel", "--take-over"]).code, 0);
    until("the agent is gone", || {
        super::processes_with(&format!("HOME={}", room.host.home().display())).len() <= 1
    });
    assert!(began.elapsed() < PATIENCE, "{:?}", began.elapsed());
    let (code, said) = run.ends();
    assert!(code == Some(5) && said.contains("cancelled"), "{code:?}: {said}");
    assert_eq!(room.host.head("status"), "cancelled");
}

#[test]
fn a_run_whose_file_says_pause_says_where_and_why() {
    let room = Room::new();
    room.does("critic", HANGS);
    let run = room.asking("critic");
    let stopped = room.host.state_text().replace("active: true", "active: false");
    fs_err::write(room.host.state_path(), stopped).unwrap();
    let (code, said) = run.ends();
    let expected = "paused before critic, round 1 of 1: you stopped it in its file.";
    assert!(code == Some(5) && said.contains(expected), "{code:?}: {said}");
    room.does("critic", super::WELL);
    assert_eq!(room.resume(&[]).code, 0);
}

#[test]
fn a_cycle_cancelled_elsewhere_ends_its_agent_and_run() {
    let room = Room::new();
    assert_eq!(room.run(&[]).code, 0);
    let finished = room.host.reply_texts();
    assert_eq!(room.host.run(&["again"]).code, 0);
    room.does("critic", HANGS);
    let run = room.spawn(&["run", "--resume"].map(str::to_owned));
    room.reaches("critic");
    let began = Instant::now();
    let cancelled = room.host.run(&["cancel", "--take-over"]);
    assert_eq!(cancelled.code, 0, "{cancelled:?}");
    let (code, said) = run.ends();
    assert!(code == Some(5) && said.contains("no longer running"), "{code:?}: {said}");
    assert!(began.elapsed() < PATIENCE, "{:?}", began.elapsed());
    assert_eq!((room.host.head("status"), room.host.reply_texts()), ("completed".into(), finished));
}

#[test]
fn a_run_takes_an_earlier_debate_up() {
    let room = Room::new();
    room.does("critic", "take_in; exit 77\n");
    assert_eq!(room.run(&[]).code, 5);
    let id = room.host.debate_id();
    assert_eq!(room.host.run(&["cancel"]).code, 0);
    room.does("critic", super::WELL);
    let again = format!("--resume={id}");

    // An unfinished debate keeps its place.
    assert_eq!(room.host.run(&["start", "Another?", "--rounds", "1"]).code, 0);
    let other = room.host.debate_id();
    let refused = room.host.run(&["run", &again]);
    assert!(refused.code == 3 && refused.stderr.contains(&format!("not {id}")), "{refused:?}");
    assert_eq!(room.host.run(&["cancel"]).code, 0);

    let ran = room.host.run(&["run", &again]);
    assert!(ran.code == 0 && room.host.head("id").contains(&id), "{ran:?}");
    room.is_clean("an earlier debate");
    // A finished one is not argued again, and makes room.
    let refused = room.host.run(&["run", &again]);
    assert!(refused.stderr.contains("the debate here is completed"), "{refused:?}");
    let other = format!("--resume={other}");
    let seats = super::SEATS.map(|seat| [format!("--{seat}"), room.agent(seat)]).concat();
    let words = ["run", &other].into_iter().chain(seats.iter().map(String::as_str));
    let ran = room.host.run(&words.collect::<Vec<_>>());
    assert!(ran.code == 0 && room.host.head("question").contains("Another?"), "{ran:?}");
    assert!(room.host.run(&["history"]).stdout.contains("Why?"));
}

#[test]
fn a_run_restores_a_debate_without_its_file() {
    let room = Room::new();
    room.does("critic", "take_in; exit 77\n");
    assert_eq!(room.run(&[]).code, 5);
    let id = room.host.head("id");
    room.does("critic", super::WELL);
    fs_err::remove_file(room.host.state_path()).unwrap();
    let told = room.host.run(&["status"]);
    assert!(told.code == 3 && told.stderr.contains("`anvil run --resume` restores it"), "{told:?}");
    let ran = room.host.run(&["run", "--resume"]);
    assert!(ran.code == 0 && room.host.head("id") == id, "{ran:?}");
    let news = format!("{}{}", ran.stdout, ran.stderr);
    assert!(news.contains("was missing: restored from snapshot"), "{ran:?}");
    room.is_clean("a debate without its file");
}
