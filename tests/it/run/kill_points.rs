//! The executor, the wrapper and an agent, each killed by `strace` before each of its system calls
//! that changes something, which is after the previous one. Then `anvil run --resume` must end as
//! if nothing had happened.

use std::os::unix::fs::PermissionsExt as _;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

use super::{REPLIES, Room, until};
use crate::strace::{self, Point};

/// Calls whose effect others can see: files, locks, processes. `?`: not every machine has all of
/// them.
const CHANGING: &str = "trace=getcwd,read,?open,openat,write,?writev,?rename,?renameat,?renameat2,?link,?linkat,?unlink,?unlinkat,\
    ?rmdir,?mkdir,?mkdirat,fsync,fdatasync,ftruncate,flock,fchmod,?fchmodat,clone,?clone3,?fork,?vfork,kill,?tgkill,\
    dup3,?dup2,pipe2,execve,exit_group";

/// Cases that run at once.
const AT_ONCE: usize = 4;

/// The process that is killed.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Victim {
    Executor,
    /// The executor of an isolated debate, which continues an attempt that another process began.
    InBackground,
    /// `anvil submit`, with the first reply of a debate without a driver.
    Submit,
    /// The executor of a run with fact checks.
    Checking,
    /// The executor of a run with judges.
    Judging,
    /// The executor of a run that revises a document.
    Revising,
    /// The executor of a run that keeps an issue current.
    Publishing,
    /// The wrapper of a fact-checker.
    CheckersWrapper,
    /// The wrapper of the seat with this number, counted from 1.
    Wrapper(usize),
    Agent(&'static str),
}

impl Room {
    /// The user submits the first reply once more, as nothing has told that it is saved, and then
    /// the others.
    fn submits_the_rest(&self) {
        let token = fs_err::read_to_string(self.file("token")).unwrap();
        self.host.pipe(&["submit", &token], REPLIES[0]);
        for _ in 0..8 {
            if self.host.head("status") == "completed" {
                return;
            }
            let claimed = self.host.run(&["claim", "--json"]);
            if claimed.code == 3 {
                self.host.run(&["tasks", "--drop", "advocate-1"]);
                continue;
            }
            let claimed: Value = claimed.json();
            let tasks = ["advocate-1", "critic-1", "synthesis"];
            let at = tasks.iter().position(|task| claimed["task"] == **task).unwrap();
            self.host.pipe(&["submit", claimed["token"].as_str().unwrap()], REPLIES[at]);
        }
        panic!("{}", self.host.state_text());
    }
}

impl Victim {
    fn room(self) -> Room {
        match self {
            Self::Checking | Self::CheckersWrapper => Room::checking(),
            Self::Judging => Room::judging(),
            Self::Revising => Room::revising(),
            Self::Publishing => Room::publishing(),
            Self::Executor
            | Self::InBackground
            | Self::Submit
            | Self::Wrapper(_)
            | Self::Agent(_) => Room::new(),
        }
    }

    /// Runs a debate with this process under `strace`. Returns the trace.
    fn traced(self, room: &Room, options: &[&str]) -> String {
        let trace = room.file("trace");
        let own = ["-o", trace.to_str().unwrap()];
        let words = room.begins(&[]);
        match self {
            Self::Executor | Self::Checking | Self::Judging | Self::Revising | Self::Publishing => {
                let command = strace::under(&[&own, options].concat(), &room.command(&words));
                room.spawned(command).ends();
            }
            Self::InBackground => {
                room.does("advocate", "take_in; exit 77\n");
                assert_eq!(room.run(&[]).code, 5);
                room.does("advocate", super::WELL);
                let words = ["run", "--resume", "--runner"].map(str::to_owned);
                let command = strace::under(&[&own, options].concat(), &room.command(&words));
                room.spawned(command).ends();
            }
            Self::Submit => {
                assert_eq!(room.host.run(&["start", "Why?", "--rounds", "1"]).code, 0);
                let claimed = room.host.run(&["claim", "--json"]);
                let claimed: Value = claimed.json();
                let token = claimed["token"].as_str().unwrap();
                fs_err::write(room.file("token"), token).unwrap();
                fs_err::write(room.file("reply.md"), REPLIES[0]).unwrap();
                let submit = ["submit", token].map(str::to_owned);
                let command = strace::under(&[&own, options].concat(), &room.command(&submit));
                let reply = std::fs::File::open(room.file("reply.md")).unwrap();
                room.spawned_with(command, reply.into()).ends();
                room.submits_the_rest();
            }
            Self::Agent(seat) => {
                // The first agent is traced, and then everything is as before.
                let real = room.file("real.sh");
                let script = fs_err::read_to_string(room.file(&format!("{seat}.sh"))).unwrap();
                // The shell reads its prompt itself: what comes before that is not tried.
                let reading = script.replace("cat >/dev/null", "while read -r line; do :; done");
                assert_ne!(reading, script);
                fs_err::write(&real, reading).unwrap();
                let trap = format!(
                    "mv armed fired 2>/dev/null && exec strace -qq -s 0 -e signal=none {} /bin/sh {real}\nexec /bin/sh {real}\n",
                    [&own, options].concat().join(" "),
                    real = real.display()
                );
                room.does(seat, &trap);
                fs_err::write(room.file("armed"), "").unwrap();
                room.spawn(&words).ends();
            }
            Self::Wrapper(_) | Self::CheckersWrapper => {
                // Two seats come before it.
                let nth = if let Self::Wrapper(nth) = self { nth } else { 3 };
                // A run starts its wrapper from its own file. The first agent puts a script at that
                // path while it runs.
                let (program, script) = (room.file("anvil"), room.file("script"));
                let traced = room.command(&words);
                let real = traced.get_program();
                // Another process writes the file: a child of another thread could inherit this
                // process's open file, and then the file cannot be run.
                let copied = std::process::Command::new("/bin/cp")
                    .args([real, program.as_os_str()])
                    .status();
                assert!(copied.unwrap().success());
                let options = [&own, options].concat().join(" ");
                let text = format!(
                    "#!/bin/sh\nn=$(($(cat {count}) + 1)); echo $n >{count}\n\
                     [ $n = {nth} ] && exec env -u ANVIL_CHILD strace -DD -E \"ANVIL_CHILD=$ANVIL_CHILD\" \\
                     -q -s 0 -e signal=none {options} {real} \"$@\"\nexec {real} \"$@\"\n",
                    count = room.file("count").display(),
                    real = real.display(),
                );
                fs_err::write(&script, text).unwrap();
                fs_err::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
                fs_err::write(room.file("count"), "1").unwrap();
                room.does("advocate", "take_in; pay; mv script anvil 2>/dev/null; say\n");
                let mut command = std::process::Command::new(&program);
                command.args(traced.get_args()).current_dir(room.host.root()).env_clear();
                command.envs(traced.get_envs().filter_map(|(name, value)| Some((name, value?))));
                room.spawned(command).ends();
                // A killed call has no result.
                let is_over = |trace: String| trace.contains("\n+++ ") || trace.ends_with("= ?\n");
                until("the wrapper was traced", || {
                    std::fs::read_to_string(&trace).is_ok_and(is_over)
                });
            }
        }
        std::fs::read_to_string(trace).unwrap_or_default()
    }

    /// One kill and its effect. False: that call did not come this time.
    fn survives(self, Point { call, nth, .. }: &Point) -> bool {
        let context = format!("{self:?}, killed at {call} {nth}");
        let room = self.room();
        let inject = format!("inject={call}:signal=KILL:when={nth}");
        let trace = self.traced(&room, &["-e", &format!("trace={call}"), "-e", &inject]);
        self.is_survived(&room, &context);
        // A call that did not return has no result.
        trace.ends_with("= ?\n")
    }

    /// Another process continues, and the debate ends as if nothing had happened.
    fn is_survived(self, room: &Room, context: &str) {
        if self == Self::Submit {
            let texts = REPLIES.map(|reply| reply.trim_end().to_owned());
            return assert_eq!(room.host.reply_texts(), texts, "{context}");
        }
        room.carry_on(context);
        room.is_published(context);
        room.is_complete(context);
    }

    fn survives_all(self) {
        let room = self.room();
        let trace = self.traced(&room, &["-e", CHANGING]);
        if self != Self::Submit {
            room.is_complete("undisturbed");
        }
        let points = strace::points(&trace);
        let points: Vec<&Point> = points.iter().filter(|point| point.changes).collect();
        assert!(points.len() > 5, "{self:?}: {trace}");
        let (next, hit) = (AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..AT_ONCE {
                scope.spawn(|| {
                    while let Some(point) = points.get(next.fetch_add(1, Ordering::Relaxed)) {
                        hit.fetch_add(usize::from(self.survives(point)), Ordering::Relaxed);
                    }
                });
            }
        });
        let (all, hit) = (points.len(), hit.into_inner());
        println!("{self:?}: killed at {hit} of {all} calls, and all survived");
        // A lock that was waited for, or a number with one more digit, may remove a call from one
        // run.
        assert!(all - hit <= (all / 20).max(1), "{self:?}: only {hit} of {all} calls came");
    }
}

#[test]
#[ignore = "needs strace; .ci/run installs it"]
fn a_run_survives_the_death_of_its_executor_at_each_call() {
    strace::can_trace();
    Victim::Executor.survives_all();
}

#[test]
#[ignore = "needs strace; .ci/run installs it"]
fn an_isolated_debate_survives_its_executors_death_at_each_call() {
    strace::can_trace();
    Victim::InBackground.survives_all();
}

#[test]
#[ignore = "needs strace; .ci/run installs it"]
fn a_debate_survives_the_death_of_a_submit_at_each_call() {
    strace::can_trace();
    Victim::Submit.survives_all();
}

#[test]
#[ignore = "needs strace; .ci/run installs it"]
fn a_run_with_fact_checks_survives_its_executors_death() {
    strace::can_trace();
    Victim::Checking.survives_all();
}

#[test]
#[ignore = "needs strace; .ci/run installs it"]
fn a_run_with_judges_survives_its_executors_death() {
    strace::can_trace();
    Victim::Judging.survives_all();
}

#[test]
#[ignore = "needs strace; .ci/run installs it"]
fn a_document_survives_the_death_of_its_run_at_each_call() {
    strace::can_trace();
    Victim::Revising.survives_all();
}

#[test]
#[ignore = "needs strace; .ci/run installs it"]
fn an_issue_survives_the_death_of_its_run_at_each_call() {
    strace::can_trace();
    Victim::Publishing.survives_all();
}

#[test]
#[ignore = "needs strace; .ci/run installs it"]
fn a_run_survives_a_wrappers_death_at_each_call() {
    strace::can_trace();
    Victim::Wrapper(2).survives_all();
    Victim::Wrapper(3).survives_all();
    Victim::CheckersWrapper.survives_all();
}

#[test]
#[ignore = "needs strace; .ci/run installs it"]
fn a_run_survives_an_agents_death_at_each_call() {
    strace::can_trace();
    Victim::Agent("critic").survives_all();
}
