//! Many processes at once: the same event in many of them, and a lock whose holder hangs.

use std::fs::{File, TryLockError};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::recovery::{line, prompt_in_turn};
use testkit::host::{self, Answer, Host, WHOLE};

/// The number of processes that get one event.
const MANY: usize = 32;

/// The time by which a hook that waits for the lock gives up, even on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(8);

fn lock_file(host: &Host) -> File {
    File::options().write(true).open(host.lock_path()).unwrap()
}

/// A hook that finds this event on its standard input.
fn hook(host: &Host, name: &str, fields: &Value) -> Command {
    let input = host.outside("event.json");
    // A new file: another process may still read the previous one.
    let _ = fs_err::remove_file(&input);
    fs_err::write(&input, host::event("one", name, fields, host.root())).unwrap();
    let mut command = host.command(&["hook"], host.root());
    command.env("CLAUDE_PROJECT_DIR", host.root()).stdin(File::open(input).unwrap());
    command
}

fn answer(child: Child) -> Answer {
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    Answer(if output.stdout.is_empty() {
        Value::Null
    } else {
        serde_json::from_slice(&output.stdout).unwrap()
    })
}

/// Lets many hooks answer the same event, and returns the answers that are not empty. With
/// `they_queue`, none of them gets the lock before all of them want it.
fn at_once(
    host: &Host,
    on_real_clock: bool,
    they_queue: bool,
    name: &str,
    fields: &Value,
) -> Vec<Answer> {
    let held = they_queue.then(|| lock_file(host));
    if let Some(held) = &held {
        held.lock().unwrap();
    }
    let (now, started) = (host.clock.get(), Instant::now());
    let spawn = |_| {
        host.clock.set(now);
        let mut command = hook(host, name, fields);
        if on_real_clock {
            command.env_remove("ANVIL_NOW");
        }
        command.spawn().unwrap()
    };
    let children: Vec<Child> = (0..MANY).map(spawn).collect();
    if held.is_some() {
        std::thread::sleep(Duration::from_millis(50));
    }
    drop(held);
    let answers: Vec<Answer> =
        children.into_iter().map(answer).filter(|answer| !answer.is_silent()).collect();
    // A hook that starts half a second after the others looks like a new event: it may ask again.
    let is_slow = on_real_clock && started.elapsed() > Duration::from_millis(450);
    answers
        .into_iter()
        .filter(|answer| !is_slow || !answer.context().contains("once more"))
        .collect()
}

#[test]
fn an_event_in_many_processes_is_answered_once_in_every_phase() {
    for on_real_clock in [false, true] {
        let host = Host::new();
        let started = json!({ "prompt": "/anvil:debate Why? --rounds 2", "prompt_id": "t1" });
        let answers = at_once(&host, on_real_clock, false, "UserPromptSubmit", &started);
        assert!(
            answers.len() == 1 && answers[0].context().contains("── Advocate · round 1"),
            "{answers:?}"
        );
        let replies = ["A1.", "C1.", "A2.", "C2.", WHOLE];
        for (number, reply) in replies.into_iter().enumerate() {
            let fields = json!({ "last_assistant_message": reply, "prompt_id": "t1" });
            let answers = at_once(&host, on_real_clock, number % 2 == 0, "Stop", &fields);
            assert_eq!(host.reply_texts(), replies[..=number], "{answers:?}");
            assert_eq!(answers.len(), 1, "{reply}: {answers:?}");
            let cue = [
                "── Critic · round 1",
                "── Advocate · round 2",
                "── Critic · round 2",
                "── Synthesis",
                "",
            ][number];
            assert!(answers[0].context().starts_with(cue), "{reply}: {answers:?}");
        }
        assert_eq!(host.head("status"), "completed");
        assert_eq!(host.head("step"), "6", "one start and five replies");
    }
}

#[test]
fn a_debate_resumed_by_many_processes_continues_once() {
    let host = Host::new().debating("Why?");
    host.stop("one", "A1.");
    host.prompt("one", "Wait");
    let resumed = json!({ "prompt": "/anvil:resume", "prompt_id": "t2" });
    let answers = at_once(&host, false, true, "UserPromptSubmit", &resumed);
    assert!(
        answers.len() == 1 && answers[0].context().contains("── Critic · round 1"),
        "{answers:?}"
    );
    assert_eq!(host.reply_texts(), ["A1."]);
}

/// A debate whose first reply is in the client's transcript but not yet saved.
fn unheard() -> Host {
    let host = Host::new();
    prompt_in_turn(&host, "t1", "/anvil:debate Why?");
    let text = line(&host, "assistant", &json!([{ "type": "text", "text": "A1 is unheard." }]));
    fs_err::write(host.outside("t.jsonl"), text).unwrap();
    host
}

fn stop_fields(host: &Host) -> Value {
    let transcript = host.outside("t.jsonl");
    json!({ "last_assistant_message": "A1 is unheard.", "prompt_id": "t1", "transcript_path": transcript })
}

/// Nobody gets the lock: hooks give up in time with one line, reading needs no lock, and nothing
/// changes.
fn nothing_moves(host: &Host) {
    let before = host.state_text();
    let transcript = host.outside("t.jsonl");
    let typed = |prompt: &str| json!({ "prompt": prompt, "prompt_id": "t2", "transcript_path": transcript });
    let events = [
        ("Stop", stop_fields(host)),
        ("UserPromptSubmit", typed("/anvil:resume")),
        ("UserPromptSubmit", typed("Hello")),
    ];
    let started = Instant::now();
    let children: Vec<Child> =
        events.iter().map(|(name, fields)| hook(host, name, fields).spawn().unwrap()).collect();
    let looked = Instant::now();
    let status = host.run(&["status"]);
    assert!(status.code == 0 && status.stdout.contains("  Advocate, round 1"), "{status:?}");
    assert!(looked.elapsed() < Duration::from_millis(1_900), "{:?}", looked.elapsed());
    for child in children {
        let answer = answer(child);
        let said = format!("{}{}", answer.message(), answer.reason());
        assert!(
            said.lines().count() == 1 && said.starts_with("Anvil: another Anvil has held "),
            "{answer:?}"
        );
        assert!(said.contains("for 2 s") && answer.context().is_empty(), "{answer:?}");
    }
    let waited = started.elapsed();
    assert!(waited >= Duration::from_secs(2) && waited < TIMEOUT, "{waited:?}");
    assert_eq!(host.state_text(), before);
}

#[test]
fn a_reply_is_saved_later_if_the_lock_is_held() {
    let host = unheard();
    let lock = lock_file(&host);
    lock.lock().unwrap();
    nothing_moves(&host);
    let started = Instant::now();
    let cancelled = host.run(&["cancel"]);
    assert!(cancelled.code == 1 && cancelled.stderr.contains("has held"), "{cancelled:?}");
    assert!(started.elapsed() < TIMEOUT);
    drop(lock);
    let resumed = prompt_in_turn(&host, "t2", "/anvil:resume");
    assert!(resumed.context().contains("── Critic · round 1 of 2"), "{resumed:?}");
    assert_eq!(host.reply_texts(), ["A1 is unheard."]);
}

/// A process that is killed on drop, even if it is stopped.
struct Holder(Option<Child>);

impl Holder {
    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(self.0.as_ref().unwrap()), signal).unwrap();
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        if let Some(mut child) = self.0.take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }
}

/// A real hook that has the lock and is stopped in its work.
fn stopped_holder() -> (Host, Holder) {
    for _ in 0..50 {
        let host = unheard();
        // A file of this size keeps it busy long enough.
        let notes = format!("\n## My notes\n\n{}", "A line of notes.\n".repeat(60_000));
        fs_err::write(host.state_path(), host.state_text() + &notes).unwrap();
        let (before, lock) = (host.state_text(), lock_file(&host));
        let mut child = hook(&host, "Stop", &stop_fields(&host)).spawn().unwrap();
        let is_held = || match lock.try_lock() {
            Ok(()) => lock.unlock().map(|()| false).unwrap(),
            Err(TryLockError::WouldBlock) => true,
            Err(TryLockError::Error(error)) => panic!("{error}"),
        };
        while !is_held() && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_micros(100));
        }
        if child.try_wait().unwrap().is_some() {
            continue;
        }
        let holder = Holder(Some(child));
        holder.signal(Signal::STOP);
        std::thread::sleep(Duration::from_millis(5));
        if is_held() && host.state_text() == before {
            return (host, holder);
        }
    }
    panic!("no hook could be stopped while it had the lock");
}

#[test]
fn a_holder_stopped_and_killed_loses_nothing() {
    let (host, holder) = stopped_holder();
    drop(holder);
    let resumed = prompt_in_turn(&host, "t2", "/anvil:resume");
    assert!(resumed.context().contains("── Critic · round 1 of 2"), "{resumed:?}");
    assert_eq!(host.reply_texts(), ["A1 is unheard."]);
    assert!(!host.files().iter().any(|(path, _)| path.to_string_lossy().contains(".anvil-tmp-")));
}

#[test]
fn a_holder_stopped_and_continued_saves_the_reply_once() {
    let (host, mut holder) = stopped_holder();
    nothing_moves(&host);
    holder.signal(Signal::CONT);
    let late = answer(holder.0.take().unwrap());
    assert!(late.context().starts_with("── Critic · round 1 of 2"), "{late:?}");
    let resumed = prompt_in_turn(&host, "t2", "/anvil:resume");
    assert!(
        !resumed.message().contains("is saved")
            && resumed.context().contains("── Critic · round 1 of 2"),
        "{resumed:?}"
    );
    assert_eq!(host.reply_texts(), ["A1 is unheard."]);
    assert!(host.state_text().contains("A line of notes."));
}
