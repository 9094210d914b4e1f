//! `--jobs`: several programs write replies of one debate at the same time, and each reply is
//! written once.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::hostile::runs;
use super::{REPLIES, Room, until};

/// A project with a debate without a driver.
fn prepared() -> Room {
    let room = Room::new();
    let started = room.host.run(&["start", "Why?", "--rounds", "1"]);
    assert_eq!(started.code, 0, "{started:?}");
    room
}

impl Room {
    fn tasks(&self) -> Value {
        let printed = self.host.run(&["tasks", "--json"]);
        assert_eq!(printed.code, 0, "{printed:?}");
        printed.json()
    }
}

/// A project whose voices write after a moment, each under its own name.
fn voices() -> Room {
    let room = Room::new();
    let what = "n=; while read -r line; do case $line in *'── Voice '*) n=${line#*── Voice }; n=${n%% *};; esac; done\n\
                pay; sleep 0.1\n\
                if [ -n \"$n\" ]; then echo \"**S$n.1. Voice $n says so.** [reasoning] It does.\"\n\
                else cat synthesis.md; fi\n";
    room.does("voice", what);
    room
}

/// The synthesis of a debate with this many voices.
fn synthesis(voices: usize) -> String {
    let claims: Vec<String> = (1..=voices).map(|voice| format!("S{voice}.1")).collect();
    super::synthesis_of(&claims.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Ten voices, which a defaults file cannot name: they are typed.
fn stakeholders(count: usize) -> String {
    (1..=count).map(|voice| format!("group {voice}")).collect::<Vec<_>>().join(",")
}

fn is_complete_with(room: &Room, voices: usize, context: &str) {
    assert_eq!(room.host.head("status"), "completed", "{context}");
    let texts = room.host.reply_texts();
    assert_eq!(texts.len(), voices + 1, "{context}: {texts:?}");
    for (at, text) in texts[..voices].iter().enumerate() {
        let voice = at + 1;
        assert_eq!(
            *text,
            format!("**S{voice}.1. Voice {voice} says so.** [reasoning] It does."),
            "{context}"
        );
    }
    let received: Vec<String> = room
        .ends()
        .into_iter()
        .filter(|(_, end)| end == "received")
        .map(|(slot, _)| slot)
        .collect();
    let once: BTreeSet<&String> = received.iter().collect();
    assert_eq!(once.len(), voices + 1, "{context}: {received:?}");
}

#[test]
fn jobs_write_voices_in_parallel_and_save_them_in_order() {
    let room = voices();
    fs_err::write(room.file("synthesis.md"), synthesis(6)).unwrap();
    let agent = room.agent("voice");
    let printed = room.host.run(&[
        "run",
        "Why?",
        "--mode",
        "stakeholders",
        "--stakeholders",
        &stakeholders(6),
        "--agent",
        &agent,
        "--jobs",
        "3",
    ]);
    assert_eq!(printed.code, 0, "{printed:?}");
    is_complete_with(&room, 6, &printed.stdout);
    room.is_clean("jobs");
    for voice in 1..=6 {
        let saved = format!("● voice {voice}: group {voice}: ");
        assert!(printed.stderr.contains(&saved), "{saved}: {}", printed.stderr);
    }
    let record = room.record();
    let attempts = record["attempts"].as_array().unwrap();
    let concurrent =
        attempts.iter().filter(|attempt| attempt["started"]["generation"] == "c1").count();
    assert!(
        (1..=5).contains(&concurrent),
        "{concurrent} of 6 were written at the same time as another: {record}"
    );
    // Nothing is left when it is dropped.
    let id = room.host.debate_id();
    let folder = room.host.debate_folder(&id);
    assert_eq!(room.host.run(&["start", "And now?"]).code, 0);
    let pruned = room.host.run(&["prune", "--keep", "0", "--yes"]);
    assert!(pruned.code == 0 && !folder.exists(), "{pruned:?}");
}

#[test]
fn judges_and_blind_openings_are_written_in_parallel() {
    let room = Room::judging();
    let together = "take_in; pay; : >$seat-$$; n=0; while [ $(ls | grep -c \"^$seat-\") -lt 2 ] && [ $n -lt 400 ]; do sleep 0.02; n=$((n+1)); done; say\n";
    room.does("synthesizer", together);
    let printed = room.run(&[]);
    assert_eq!(printed.code, 0, "{printed:?}");
    room.is_complete(&printed.stdout);
    let judges = room.paid().iter().filter(|(seat, _)| seat == "synthesizer").count();
    assert_eq!(judges, 2, "{:?}", room.paid());

    let room = Room::new();
    let opens = "take_in; pay; : >open-$seat; n=0; while [ $(ls | grep -c ^open-) -lt 2 ] && [ $n -lt 400 ]; do sleep 0.02; n=$((n+1)); done; [ $n -lt 400 ] && say\n";
    room.does("advocate", opens).does("critic", opens);
    let printed = room.run(&["--blind"]);
    assert_eq!(printed.code, 0, "each opening waits for the other one: {printed:?}");
    assert_eq!(room.host.reply_texts()[..2], [REPLIES[1].trim_end(), REPLIES[0].trim_end()]);
}

#[test]
fn an_interrupted_run_ends_all_its_agents() {
    let room = voices();
    room.does("voice", "pay; : >begun-$$; sleep 300\n");
    let (groups, agent) = (stakeholders(3), room.agent("voice"));
    let words = ["run", "Why?", "--stakeholders", &groups, "--agent", &agent];
    let run = room.spawn(&words.map(str::to_owned));
    let begun = || fs_err::read_dir(room.file("")).unwrap().flatten();
    let count =
        || begun().filter(|file| file.file_name().to_string_lossy().contains("begun")).count();
    until("three agents write", || count() == 3);
    run.signal("INT");
    assert_eq!(run.ends().0, Some(130));
    assert!(!runs(&room.file("voice.sh").display().to_string()));
    let held = room.tasks()["tasks"]
        .as_array()
        .unwrap()
        .iter()
        .any(|task| task["claimed_by"] != json!(null));
    assert!(!held && room.host.head("status") == "paused", "{}", room.tasks());
}

/// What programs have written at the same time is saved in its turn, also by a conversation.
#[test]
fn a_conversation_saves_what_a_dead_run_has_received() {
    let room = voices();
    let script = fs_err::read_to_string(room.file("voice.sh")).unwrap();
    let waits = "pay; at voice; while [ \"$n\" = 1 ] && [ ! -e go ]; do sleep 0.02; done; ";
    fs_err::write(room.file("voice.sh"), script.replacen("pay; sleep 0.1\n", waits, 1)).unwrap();
    let (groups, agent) = (stakeholders(3), room.agent("voice"));
    let words = ["run", "Why?", "--stakeholders", &groups, "--agent", &agent];
    let run = room.spawn(&words.map(str::to_owned));
    until("it has begun", || room.host.state_path().exists());
    until("two are received", || {
        room.ends().iter().filter(|(_, end)| end == "received").count() == 2
    });
    let done = room.tasks();
    let status = |at: usize| done["tasks"][at]["status"].as_str().unwrap().to_owned();
    assert_eq!([status(0), status(1), status(2)], ["in_progress", "done", "done"], "{done}");
    run.signal("KILL");
    run.ends();
    assert_eq!(room.host.reply_texts(), [""; 0]);
    let resumed = room.host.prompt("one", "/anvil:resume");
    assert!(resumed.context().contains("Voice 1 of 3"), "{resumed:?}");
    let next = room.host.stop("one", "**S1.1. Claude says so.** [reasoning] It does.");
    assert!(next.context().contains("── Synthesis ──"), "{next:?}");
    let texts = room.host.reply_texts();
    assert!(texts.len() == 3 && texts[1].contains("Voice 2 says so"), "{texts:?}");
    room.releases_reply();
    room.becomes_clean();
}

/// A run of ten voices, which is killed at any time and goes on. Returns the number of kills.
fn with_random_kills(seed: u64) -> usize {
    let room = voices();
    fs_err::write(room.file("synthesis.md"), synthesis(10)).unwrap();
    let (groups, agent) = (stakeholders(10), room.agent("voice"));
    let begins = ["run", "Why?", "--stakeholders", &groups, "--agent", &agent, "--jobs", "8"];
    let mut random = super::random::Random(seed);
    let mut run = room.spawn(&begins.map(str::to_owned));
    until("it has begun", || room.host.state_path().exists());
    let resumes = ["run", "--resume", "--jobs", "8"].map(str::to_owned);
    let mut kills = 0;
    for _ in 0..6 {
        std::thread::sleep(std::time::Duration::from_millis(random.below(200)));
        if run.child.try_wait().unwrap().is_some() {
            break;
        }
        run.signal("KILL");
        run.ends();
        kills += 1;
        run = room.spawn(&resumes);
    }
    let (code, said) = run.ends();
    // The last one may find the debate complete.
    let context = format!("seed {seed}, after {kills} kills: {said}");
    assert!(code == Some(0) || code == Some(3) && said.contains("is completed"), "{context}");
    // A received reply is saved, and never requested again.
    is_complete_with(&room, 10, &context);
    room.becomes_clean();
    kills
}

#[test]
#[ignore = "takes a while; .ci/run has 10 debates, and a night has 200"]
fn a_run_that_is_killed_at_any_time_pays_for_no_voice_twice() {
    let debates =
        std::env::var("ANVIL_JOBS_DEBATES").ok().map_or(10, |count| count.parse().unwrap());
    let first = (u64::from(std::process::id()) << 20) + 1;
    let kills: usize = (first..first + debates).map(with_random_kills).sum();
    println!("{kills} kills over {debates} debates of ten voices and eight jobs, all complete");
}

#[test]
fn the_json_task_list_matches_its_schema() {
    let room = Room::new();
    let debates = [
        (
            vec!["start", "Why?", "--rounds", "2"],
            "advocate-1 critic-1 advocate-2 critic-2 synthesis",
        ),
        (
            vec!["start", "Why?", "--rounds", "1", "--blind", "--replace"],
            "critic-1 advocate-1 synthesis",
        ),
        (
            vec!["start", "Why?", "--stakeholders", "a,b,c", "--replace"],
            "voice-1 voice-2 voice-3 synthesis",
        ),
    ];
    let needs = [
        " | advocate-1 | critic-1 | advocate-2 | critic-2",
        " |  | critic-1 advocate-1",
        " |  |  | voice-1 voice-2 voice-3",
    ];
    for ((words, ids), needs) in debates.into_iter().zip(needs) {
        let started = room.host.run(&words);
        assert_eq!(started.code, 0, "{started:?}");
        let printed = room.host.run(&["tasks", "--json"]).stdout;
        let tasks = crate::report::schema::fits("docs/tasks.schema.json", &printed);
        let tasks = tasks["tasks"].as_array().unwrap().clone();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let found: Vec<String> = tasks.iter().map(|task| text(&task["id"])).collect();
        assert_eq!(found.join(" "), ids);
        let after = |task: &Value| {
            task["dependencies"].as_array().unwrap().iter().map(text).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(tasks.iter().map(after).collect::<Vec<_>>().join(" | "), needs, "{words:?}");
        for task in &tasks {
            let status = if after(task).is_empty() { "available" } else { "waiting" };
            assert_eq!(task["status"], status, "{tasks:?}");
        }
        let most = tasks[0]["priority"].as_u64().unwrap();
        assert!(tasks.iter().all(|task| task["priority"].as_u64().unwrap() <= most), "{tasks:?}");
    }
}

#[test]
fn a_seat_that_the_debate_does_not_have_is_refused() {
    let room = prepared();
    for seat in ["judge", "voice", "voice 2", "critic-2"] {
        let refused = room.host.run(&["claim", seat]);
        assert!(
            refused.code == 2 && refused.stderr.contains("its seats are advocate, critic, synth"),
            "{seat}: {refused:?}"
        );
    }
    for seat in ["stakeholder", "persona-2", "synthesizer-1", "voice-0"] {
        let refused = room.host.run(&["claim", seat]);
        assert!(refused.code == 2 && refused.stderr.contains("voice-2"), "{seat}: {refused:?}");
    }
}

/// A failure ends the whole run: nothing of it writes on.
#[test]
fn the_jobs_of_a_run_that_failed_end_with_it() {
    let room = Room::new();
    let words = [
        "run",
        "Why?",
        "--stakeholders",
        "one,two,three",
        "--jobs",
        "3",
        "--agent",
        "cmd:/bin/false",
    ];
    for words in [&words[..], &["run", "--resume", "--jobs", "3", "--agent", "cmd:/bin/false"]] {
        let failed = room.host.run(words);
        assert!(
            failed.code == 5 && failed.stderr.contains("stopped at voice 1: one"),
            "{failed:?}"
        );
        let tasks = room.tasks();
        let held =
            tasks["tasks"].as_array().unwrap().iter().find(|task| task["status"] == "in_progress");
        assert!(held.is_none() && room.host.head("status") == "failed", "{tasks}");
    }
}

#[test]
fn a_failed_seat_is_retried_and_a_refusal_stays() {
    let room = Room::new();
    room.does("advocate", "pay; true\n");
    let failed = room.run(&[]);
    assert!(failed.code == 5 && room.host.head("status") == "failed", "{failed:?}");
    assert_eq!(room.host.head("retry_count"), "3");
    let paid = room.paid().len();
    let again = room.resume(&["--advocate", &room.agent("advocate")]);
    assert!(again.code == 5 && !again.stderr.contains("had finished"), "{again:?}");
    assert_eq!(room.paid().len(), paid * 2);
}

#[test]
fn an_unreadable_record_of_attempts_stops_no_conversation() {
    for text in ["", "{}", "[1]", "no JSON", "{\"schema\":9}"] {
        let room = Room::new();
        room.host.prompt("one", "/anvil:debate Why? --rounds 1");
        fs_err::create_dir_all(room.host.debate_folder_here().join("attempts")).unwrap();
        fs_err::write(room.host.debate_folder_here().join("attempts.jsonl"), text).unwrap();
        for reply in REPLIES {
            room.host.stop("one", reply);
        }
        assert_eq!(room.host.head("status"), "completed", "{text}");
    }
    // Not a file of Anvil's: a claim is refused, and nothing is lost.
    let room = prepared();
    let record = room.host.debate_folder_here().join("attempts.jsonl");
    fs_err::create_dir_all(&record).unwrap();
    let refused = room.host.run(&["claim"]);
    assert!(
        refused.code == 1 && refused.stderr.contains("attempts.jsonl is not a regular file"),
        "{refused:?}"
    );
    fs_err::remove_dir(&record).unwrap();
    assert_eq!(room.host.run(&["claim"]).code, 0);
}
