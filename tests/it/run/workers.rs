//! `anvil join` and `--jobs`: several processes write the replies of one debate, and each reply is
//! written once.

use std::collections::BTreeSet;

use anvil::internal::engine::{Asking, Engine, NextTask, Submitted, Ticket, Waiting, Worker};
use anvil::internal::storage::Holder;
use anvil::internal::world::World;
use serde_json::{Value, json};

use super::hostile::runs;
use super::{HELD, REPLIES, Room, kill, until};
use crate::host::Printed;

/// A project with a debate that nobody argues yet.
fn prepared() -> Room {
    let room = Room::new();
    let started = room.host.run(&["start", "Why?", "--rounds", "1"]);
    assert_eq!(started.code, 0, "{started:?}");
    room
}

impl Room {
    /// The arguments of a worker for one seat.
    pub(super) fn joins(&self, seat: &str, agent: &str) -> Vec<String> {
        ["join", "--as", seat, "--agent", &self.agent(agent)].map(str::to_owned).to_vec()
    }

    /// The arguments of a worker for every seat.
    pub(super) fn works(&self) -> Vec<String> {
        let mut words = ["join", "--any"].map(str::to_owned).to_vec();
        for seat in super::SEATS {
            words.extend([format!("--{seat}"), self.agent(seat)]);
        }
        words
    }

    fn join(&self, seat: &str) -> Printed {
        let words = self.joins(seat, seat);
        self.host.run(&words.iter().map(String::as_str).collect::<Vec<_>>())
    }

    fn tasks(&self) -> Value {
        let printed = self.host.run(&["tasks", "--json"]);
        assert_eq!(printed.code, 0, "{printed:?}");
        serde_json::from_str(&printed.out).unwrap()
    }

    /// The status of a task.
    fn task(&self, id: &str) -> Value {
        let tasks = self.tasks();
        let all = tasks["tasks"].as_array().unwrap();
        all.iter()
            .find(|task| task["id"] == id)
            .unwrap_or_else(|| panic!("no {id} in {tasks}"))
            .clone()
    }

    pub(super) fn is_at(&self, id: &str, status: &str) {
        until(&format!("{id} is {status}"), || self.task(id)["status"] == status);
    }

    /// The texts put aside with this text.
    fn aside(&self, text: &str) -> usize {
        let files = self.host.aside();
        files.iter().filter(|(_, bytes)| String::from_utf8_lossy(bytes).contains(text)).count()
    }
}

#[test]
fn three_workers_argue_a_debate_without_a_leader() {
    let room = prepared();
    let critic = room.spawn(&room.joins("critic", "critic"));
    room.is_at("critic-1", "claimed");
    assert_eq!(room.task("critic-1")["dependencies"], serde_json::json!(["advocate-1"]));
    let synthesizer = room.spawn(&room.joins("synthesizer", "synthesizer"));
    room.is_at("synthesis", "claimed");
    let shown = room.host.run(&["tasks"]).out;
    assert!(shown.contains("\n  Waiting for work: ") && shown.contains("(synthesis)."), "{shown}");
    let advocate = room.join("advocate");
    assert!(
        advocate.code == 0 && advocate.out.contains("nothing of this seat is left"),
        "{advocate:?}"
    );
    for worker in [critic, synthesizer] {
        let (code, said) = worker.ends();
        assert_eq!(code, Some(0), "{said}");
    }
    room.is_complete("three workers");
    let done = room.task("critic-1");
    assert_eq!(
        (done["status"].as_str(), done["result"]["output"].as_str()),
        (Some("done"), Some(REPLIES[1].trim_end()))
    );
    assert_eq!(done["holder"], Value::Null, "its claim is over");
    assert_eq!(done["claimed_by"], "cmd:sh", "who wrote it");
    let claims: Value = serde_json::from_str(&room.host.run(&["claims", "--json"]).out).unwrap();
    assert_eq!(claims["claims"][0]["author"]["agent"], "cmd:sh", "{claims}");
}

#[test]
fn a_run_leaves_a_seat_to_the_worker_that_holds_it() {
    let room = Room::new();
    room.does("advocate", HELD);
    // The run's own critic would write another text.
    room.does("other", "take_in; pay; echo '**C1. Another.** [reasoning]'\n");
    let run = room.spawn(&room.begins(&["--critic", &room.agent("other")]));
    room.reaches("advocate");
    assert_eq!(room.task("advocate-1")["claimed_by"], "anvil run");
    let refused = room.spawn(&room.joins("advocate", "critic"));
    let critic = room.spawn(&room.joins("critic", "critic"));
    room.is_at("critic-1", "claimed");
    room.releases_reply();
    let (code, said) = run.ends();
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("critic, round 1 is written by"), "{said}");
    assert_eq!(critic.ends().0, Some(0));
    assert_eq!(refused.ends().0, Some(0), "it waits for a task that never comes, and goes");
    room.is_complete("a worker in a run");
    assert!(!room.paid().iter().any(|(seat, _)| seat == "other"), "{:?}", room.paid());
}

#[test]
fn a_dead_workers_agent_is_ended_and_its_task_taken() {
    let room = prepared();
    assert_eq!(room.join("advocate").code, 0);
    room.does("slow", "take_in; pay; at slow; sleep 300\n");
    let first = room.spawn(&room.joins("critic", "slow"));
    room.reaches("slow");
    let held = room.task("critic-1");
    assert_eq!(
        (held["status"].as_str(), held["holder"]["is_gone"].as_bool()),
        (Some("in_progress"), Some(false))
    );
    let shown = room.host.run(&["tasks"]).out;
    assert!(
        shown.contains("last sign of life") && shown.contains("`anvil tasks --drop TASK`"),
        "{shown}"
    );
    first.signal("KILL");
    first.ends();
    until("its task is free", || room.task("critic-1")["status"] == "available");
    let gone = room.host.run(&["tasks"]).out;
    assert!(gone.contains(" is gone") && !gone.contains("--drop"), "{gone}");
    assert_eq!(room.join("critic").code, 0);
    assert_eq!(room.join("synthesizer").code, 0);
    assert_eq!(room.host.head("status"), "completed");
    room.is_clean("after a dead holder");
}

#[test]
fn a_reply_for_a_lost_lease_is_kept_and_not_saved() {
    let room = prepared();
    assert_eq!(room.join("advocate").code, 0);
    room.does(
        "late",
        "take_in; pay; at late; while [ ! -e go ]; do sleep 0.02; done; echo '**C1. Too late.** [reasoning]'\n",
    );
    let late = room.spawn(&room.joins("critic", "late"));
    room.reaches("late");
    let dropped = room.host.run(&["tasks", "--drop", "critic-1"]);
    assert!(dropped.code == 0 && dropped.out.contains("critic-1 is free"), "{dropped:?}");
    let other = room.spawn(&room.joins("critic", "critic"));
    until("another one has filed it", || room.task("critic-1")["status"] == "done");
    room.releases_reply();
    let (_, said) = late.ends();
    assert_eq!(other.ends().0, Some(0));
    assert!(room.texts()[1].starts_with("**C1. It costs a month.**"), "{:?}", room.texts());
    // Its agent is ended with the lease, or its reply comes too late.
    assert!(room.aside("Too late.") == 1 || !said.contains("●"), "{said}");
    let unknown = room.host.run(&["tasks", "--drop", "critic-1"]);
    assert!(unknown.code == 3 && unknown.err.contains("nobody holds critic-1"), "{unknown:?}");
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
    let texts = room.texts();
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
    is_complete_with(&room, 6, &printed.out);
    room.is_clean("jobs");
    for voice in 1..=6 {
        let saved = format!("● voice {voice}: group {voice}, {agent}: ");
        assert!(printed.out.contains(&saved), "{saved}: {}", printed.out);
        let shown = room.prompt(&format!("voice {voice}"));
        assert!(shown.contains("Answer nobody.") && !shown.contains("voices before"), "{shown}");
    }
    let by_helpers = room.record()["attempts"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|attempt| attempt["started"]["generation"].as_str().unwrap().contains('@'))
        .count();
    assert!(
        (1..=5).contains(&by_helpers),
        "{by_helpers} of 6 voices were written beside the run: {}",
        printed.out
    );
    // Nothing is left when it is dropped.
    let id = room.host.head("id").trim_matches('"').to_owned();
    let folder = room.host.debate(&id);
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
    room.is_complete(&printed.out);
    let judges = room.paid().iter().filter(|(seat, _)| seat == "synthesizer").count();
    assert_eq!(judges, 2, "{:?}", room.paid());

    let room = Room::new();
    let opens = "take_in; pay; : >open-$seat; n=0; while [ $(ls | grep -c ^open-) -lt 2 ] && [ $n -lt 400 ]; do sleep 0.02; n=$((n+1)); done; [ $n -lt 400 ] && say\n";
    room.does("advocate", opens).does("critic", opens);
    let printed = room.run(&["--blind"]);
    assert_eq!(printed.code, 0, "each opening waits for the other one: {printed:?}");
    assert_eq!(room.texts()[..2], [REPLIES[1].trim_end(), REPLIES[0].trim_end()]);
}

#[test]
fn with_one_job_a_voice_is_shown_those_before_it() {
    let room = voices();
    fs_err::write(room.file("synthesis.md"), synthesis(2)).unwrap();
    let (groups, agent) = (stakeholders(2), room.agent("voice"));
    let words = ["run", "Why?", "--stakeholders", &groups, "--agent", &agent, "--jobs", "1"];
    let printed = room.host.run(&words);
    assert_eq!(printed.code, 0, "{printed:?}");
    let shown = room.prompt("voice 2");
    assert!(shown.contains("Voice 1 says so") && shown.contains("voices before"), "{shown}");
    assert!(!room.record()["attempts"].to_string().contains("c1@"), "no helper");
}

#[test]
fn an_interactive_debate_stops_after_each_voice() {
    let room = voices();
    let (groups, agent) = (stakeholders(3), room.agent("voice"));
    let words = ["run", "Why?", "--stakeholders", &groups, "--agent", &agent, "--interactive"];
    assert_eq!(room.host.run(&words).code, 5);
    assert_eq!(room.paid().len(), 1, "{:?}", room.paid());
    assert_eq!((room.resume(&[]).code, room.paid().len()), (5, 2));
}

#[test]
fn an_interrupted_run_ends_its_helpers_and_their_agents() {
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

/// Workers in a debate of ten voices, some of which are killed at any time. Returns the number of
/// deaths.
fn with_random_kills(seed: u64) -> usize {
    let room = voices();
    fs_err::write(room.file("synthesis.md"), synthesis(10)).unwrap();
    let groups = stakeholders(10);
    let started =
        room.host.run(&["start", "Why?", "--mode", "stakeholders", "--stakeholders", &groups]);
    assert_eq!(started.code, 0, "{started:?}");
    let mut random = super::random::Random(seed);
    let join: Vec<String> =
        ["join", "--any", "--agent", &room.agent("voice")].map(str::to_owned).to_vec();
    let mut kills = 0;
    let mut workers: Vec<_> = (0..8).map(|_| room.spawn(&join)).collect();
    for _ in 0..6 {
        std::thread::sleep(std::time::Duration::from_millis(random.below(250)));
        let victim = usize::try_from(random.below(8)).unwrap();
        if workers[victim].child.try_wait().unwrap().is_none() {
            kill(workers[victim].child.id(), "KILL");
            let _ = workers[victim].child.wait();
            kills += 1;
            workers[victim] = room.spawn(&join);
        }
    }
    for worker in workers {
        let (code, said) = worker.ends();
        // The last worker may find the debate complete.
        assert!(
            code == Some(0) || code == Some(3) && said.contains("is completed"),
            "seed {seed}: {code:?} {said}"
        );
    }
    let context = format!("seed {seed}, after {kills} kills");
    assert_eq!(room.host.head("status"), "completed", "{context}");
    let texts = room.texts();
    assert_eq!(texts.len(), 11, "{context}: {texts:?}");
    for (at, text) in texts[..10].iter().enumerate() {
        assert!(
            text.starts_with(&format!("**S{}.1. Voice {} ", at + 1, at + 1)),
            "{context}: {texts:?}"
        );
    }
    // A received reply is saved, and never requested again: also if its holder died with it.
    let received: Vec<String> = room
        .ends()
        .into_iter()
        .filter(|(_, end)| end == "received")
        .map(|(slot, _)| slot)
        .collect();
    assert_eq!(received.len(), room.host.sections().len(), "{context}: {received:?}");
    room.becomes_clean();
    kills
}

#[test]
#[ignore = "takes a while; .ci/run has 10 debates, and a night has 200"]
fn eight_workers_do_each_task_once_even_if_some_die() {
    let debates =
        std::env::var("ANVIL_WORKER_DEBATES").ok().map_or(10, |count| count.parse().unwrap());
    let first = (u64::from(std::process::id()) << 20) + 1;
    let kills: usize = (first..first + debates).map(with_random_kills).sum();
    println!(
        "{kills} kills over {debates} debates of ten voices and eight workers, all of them complete"
    );
}

#[test]
fn two_simultaneous_workers_never_get_the_same_task() {
    let room = prepared();
    let id = room.host.head("id").trim_matches('"').to_owned();
    let var = |name: &str| (name == "HOME").then(|| room.host.home().into_os_string());
    let world = World { cwd: room.host.root().to_owned(), ..World::gather(var).unwrap() };
    let worker = Worker {
        id,
        name: "one of two".to_owned(),
        wanted: "critic".parse().unwrap(),
        holder: Holder::this(),
    };
    let both = std::sync::Barrier::new(2);
    let claim = || {
        let engine = Engine::new(&world);
        let mut won = 0;
        for _ in 0..1_000 {
            both.wait();
            let next = engine.workers().next_task(&worker, Asking::default(), |_| 100_000).unwrap();
            both.wait();
            match next {
                NextTask::Holds(ticket, _) => {
                    won += 1;
                    engine.workers().leave_task(&ticket, "for the other one").unwrap();
                }
                NextTask::Waits(Waiting::Held(_)) => {}
                other => panic!("{other:?}"),
            }
        }
        won
    };
    let (one, other) = std::thread::scope(|scope| {
        let (one, other) = (scope.spawn(claim), scope.spawn(claim));
        (one.join().unwrap(), other.join().unwrap())
    });
    assert_eq!(one + other, 1_000, "{one} and {other}");
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
        let printed = room.host.run(&["tasks", "--json"]).out;
        let tasks = crate::report::schema::fits("docs/tasks.schema.json", &printed);
        let tasks = tasks["tasks"].as_array().unwrap().clone();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let found: Vec<String> = tasks.iter().map(|task| text(&task["id"])).collect();
        assert_eq!(found.join(" "), ids);
        let after = |task: &Value| {
            task["dependencies"].as_array().unwrap().iter().map(text).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(tasks.iter().map(after).collect::<Vec<_>>().join(" | "), needs, "{words:?}");
        assert!(tasks.iter().all(|task| task["status"] == "available"), "{tasks:?}");
        let most = tasks[0]["priority"].as_u64().unwrap();
        assert!(tasks.iter().all(|task| task["priority"].as_u64().unwrap() <= most), "{tasks:?}");
    }
}

#[test]
fn a_conversation_waits_for_the_worker_of_the_next_reply() {
    let room = Room::new();
    let host = &room.host;
    let answer = host.prompt("one", "/anvil:debate Why? --rounds 1");
    assert!(answer.told().contains("Anvil debate protocol"), "{answer:?}");
    room.does("critic", HELD);
    let worker = room.spawn(&room.joins("critic", "critic"));
    room.is_at("critic-1", "claimed");
    let answer = host.stop("one", REPLIES[0]);
    assert!(answer.told().is_empty() && answer.said().contains("waiting for cmd:"), "{answer:?}");
    room.reaches("critic");
    let status = host.prompt("one", "/anvil:status");
    let said = status.ended();
    assert!(
        said.contains("critic-1 (writes)") && said.contains("a worker writes it; /anvil:resume"),
        "{said}"
    );
    assert!(!said.contains("anvil run ("), "{said}");
    // Claude's text in the meantime does not belong to the debate.
    assert!(host.stop("one", "I did something else.").is_silent());
    let held = host.prompt("one", "/anvil:resume");
    assert!(held.ended().contains("waiting for cmd:"), "{held:?}");
    room.releases_reply();
    assert_eq!(worker.ends().0, Some(0));
    assert_eq!(
        (host.head("status").as_str(), host.head("session_id").as_str()),
        ("paused", "\"one\"")
    );
    let resumed = host.prompt("one", "/anvil:resume");
    assert!(
        resumed.told().contains("synthesis") || resumed.told().contains("Synthes"),
        "{resumed:?}"
    );
    host.stop("one", REPLIES[2]);
    assert_eq!(host.head("status"), "completed");
    assert_eq!(room.texts(), REPLIES.map(|reply| reply.trim_end().to_owned()));
}

#[test]
fn a_conversation_hears_of_changes_during_a_workers_turn() {
    let room = Room::new();
    let host = &room.host;
    host.prompt("one", "/anvil:debate Why? --rounds 1");
    room.does("critic", HELD);
    let worker = room.spawn(&room.joins("critic", "critic"));
    room.is_at("critic-1", "claimed");
    host.stop("one", REPLIES[0]);
    room.reaches("critic");
    host.edit("# Why?", "# Why not?");
    room.releases_reply();
    until("it is the conversation's again", || host.head("status") == "paused");
    assert_eq!(host.head("session_id"), "\"one\"");
    assert_eq!(
        room.aside("It costs a month."),
        1,
        "what was written for another question is kept and not filed"
    );
    assert_eq!(room.texts().len(), 1);
    let held = host.prompt("one", "/anvil:resume");
    // The worker holds the seat of the debate in its current form.
    assert!(held.ended().contains("waiting for cmd:") || !held.told().is_empty(), "{held:?}");
    worker.signal("TERM");
    worker.ends();
}

#[test]
fn a_retried_reply_is_saved_under_the_same_lease() {
    let room = prepared();
    let var = |name: &str| (name == "HOME").then(|| room.host.home().into_os_string());
    let world = World { cwd: room.host.root().to_owned(), ..World::gather(var).unwrap() };
    let id = room.host.head("id").trim_matches('"').to_owned();
    let worker = Worker {
        id,
        name: "one".to_owned(),
        wanted: "advocate".parse().unwrap(),
        holder: Holder::this(),
    };
    let engine = Engine::new(&world);
    let Ok(NextTask::Work(ticket, _)) =
        engine.workers().next_task(&worker, Asking::default(), |_| 100_000)
    else {
        panic!("nothing to do")
    };
    let again = engine.workers().submit_task(&ticket, "No number at all.".into()).unwrap();
    assert!(matches!(again, Submitted::AskedAgain(_)), "{again:?}");
    let forged = engine
        .workers()
        .submit_task(&Ticket { token: "x".to_owned(), ..ticket.clone() }, REPLIES[0].into())
        .unwrap();
    assert!(matches!(forged, Submitted::Late), "{forged:?}");
    let filed = engine.workers().submit_task(&ticket, REPLIES[0].into()).unwrap();
    assert!(matches!(filed, Submitted::Advanced { .. }), "{filed:?}");
    assert_eq!(room.texts(), [REPLIES[0].trim_end()]);
}

#[test]
fn a_worker_that_dies_leaves_the_conversation_its_seat() {
    let room = Room::new();
    let host = &room.host;
    host.prompt("one", "/anvil:debate Why? --rounds 1");
    room.does("critic", "take_in; pay; at critic; sleep 300\n");
    let worker = room.spawn(&room.joins("critic", "critic"));
    room.is_at("critic-1", "claimed");
    host.stop("one", REPLIES[0]);
    room.reaches("critic");
    worker.signal("KILL");
    worker.ends();
    let news = host.prompt("one", "hello");
    assert!(news.said().contains("/anvil:resume"), "{news:?}");
    let resumed = host.prompt("one", "/anvil:resume");
    assert!(!resumed.told().is_empty(), "{resumed:?}");
    host.stop("one", REPLIES[1]);
    host.stop("one", REPLIES[2]);
    assert_eq!(host.head("status"), "completed");
}

#[test]
fn a_seat_that_the_debate_does_not_have_is_refused() {
    let room = prepared();
    for seat in ["judge", "voice", "voice 2", "critic-2"] {
        let refused = room.join(seat);
        assert_eq!(refused.code, 2, "{seat}: {refused:?}");
        assert!(
            refused.err.contains("its seats are advocate, critic, synthesizer"),
            "{seat}: {refused:?}"
        );
    }
    for seat in ["stakeholder", "persona-2", "synthesizer-1", "voice-0"] {
        let refused = room.join(seat);
        assert!(refused.code == 2 && refused.err.contains("voice-2"), "{seat}: {refused:?}");
    }
    let task = ["join", "--as", "advocate-1", "--agent", &room.agent("advocate")];
    assert_eq!(room.host.run(&task).code, 0, "the id of a task names its seat");
    assert_eq!(room.texts().len(), 1);
}

#[test]
fn a_program_killed_repeatedly_is_not_retried_forever() {
    let room = prepared();
    room.does("advocate", "pay; kill -9 $PPID\n");
    let left = room.join("advocate");
    assert!(
        left.code == 5 && left.out.contains("it was ended from outside, 3 times in a row"),
        "{left:?}"
    );
    assert_eq!(room.task("advocate-1")["status"], "available");
}

/// A failure ends the whole run: nobody continues the debate, and no helper is left.
#[test]
fn the_helpers_of_a_run_that_failed_end_with_it() {
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
        assert!(failed.code == 5 && failed.out.contains("stopped at voice 1: one"), "{failed:?}");
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
    assert!(again.code == 5 && !again.out.contains("was finished"), "{again:?}");
    assert_eq!(room.paid().len(), paid * 2);
}

#[test]
fn unreadable_leases_stop_no_conversation_and_free_their_tasks() {
    for text in ["", "{}", "[1]", "no JSON", "{\"schema\":9,\"last_generation\":1,\"all\":[]}"] {
        let put = |room: &Room| {
            fs_err::write(room.host.debate_here().join("claims.json"), text).unwrap();
        };
        let room = Room::new();
        room.host.prompt("one", "/anvil:debate Why? --rounds 1");
        put(&room);
        for reply in REPLIES {
            room.host.stop("one", reply);
        }
        assert_eq!(room.host.head("status"), "completed", "{text}");

        let room = prepared();
        for seat in ["advocate", "critic", "synthesizer"] {
            put(&room);
            assert_eq!(room.join(seat).code, 0, "{text}");
        }
        assert_eq!(room.host.head("status"), "completed", "{text}");
    }
    // Not a file of Anvil's: a worker is told, and nothing is lost.
    let room = prepared();
    let claims = room.host.debate_here().join("claims.json");
    fs_err::create_dir(&claims).unwrap();
    let refused = room.join("advocate");
    assert!(
        refused.code == 1 && refused.err.contains("claims.json is not a plain file"),
        "{refused:?}"
    );
    fs_err::remove_dir(&claims).unwrap();
    assert_eq!(room.join("advocate").code, 0);
}
