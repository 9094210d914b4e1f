//! Ctrl-C, SIGTERM and SIGHUP in each phase of a run.

use std::time::Instant;

use super::{HELD, Room, until};

/// An agent that does not end, with a child that does not end either.
const STAYS: &str =
    "take_in; pay; sleep 300 & setsid sleep 300 & at $seat; printf 'Half a'; wait; wait\n";

/// The run's state when the signal arrives.
#[derive(Clone, Copy, Debug)]
enum Moment {
    First,
    Writes,
    WaitsToRetry,
    Synthesis,
}

impl Moment {
    /// A room whose run reaches this state and stays there, and the sign of it.
    fn room(self) -> Room {
        let room = Room::new();
        match self {
            Self::First => room.does("advocate", "at advocate; sleep 300\n"),
            Self::Writes => room.does("critic", STAYS),
            Self::WaitsToRetry => {
                room.does("critic", "take_in; pay; at critic; echo busy >&2; exit 75\n")
            }
            Self::Synthesis => room.does("synthesizer", STAYS),
        };
        if matches!(self, Self::WaitsToRetry) {
            room.with("ANVIL_RETRY_DELAYS", "300")
        } else {
            room
        }
    }

    fn is_stopped_by(self, signal: &str, code: i32) {
        let context = format!("{signal}, {self:?}");
        let room = self.room();
        let run = room.spawn(&room.begins(&[]));
        let (seat, kind) = match self {
            Self::First => ("advocate", "interrupted"),
            Self::Writes => ("critic", "interrupted"),
            Self::WaitsToRetry => ("critic", "transient"),
            Self::Synthesis => ("synthesizer", "interrupted"),
        };
        room.reaches(seat);
        if kind == "transient" {
            until("it failed", || room.kinds().contains(&kind.to_owned()));
        }
        let asked = Instant::now();
        run.signal(signal);
        let (ended, said) = run.ends();
        assert_eq!(ended, Some(code), "{context}: {said}");
        assert!(asked.elapsed().as_secs() < 6, "{context}: {:?}", asked.elapsed());
        assert!(
            said.contains("anvil run --resume"),
            "{context}: it does not say how to go on: {said}"
        );
        room.is_clean(&context);
        assert_eq!(room.host.head("status"), "paused", "{context}");
        assert_eq!(room.kinds().last().map(String::as_str), Some(kind), "{context}");
        let room = room.with("ANVIL_RETRY_DELAYS", "0");
        for seat in super::SEATS {
            room.does(seat, super::WELL);
        }
        let resumed = room.resume(&[]);
        assert_eq!(resumed.code, 0, "{context}: {resumed:?}");
        room.is_complete(&context);
    }
}

/// True if this process, and so its children, ignores SIGHUP, the first signal.
fn ignores_hangups() -> bool {
    let status = fs_err::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap_or("0");
    u64::from_str_radix(ignored.trim(), 16).unwrap_or(0) & 1 == 1
}

#[test]
fn a_signal_in_any_phase_ends_the_agent_and_saves_the_debate() {
    std::thread::scope(|scope| {
        for moment in [Moment::First, Moment::Writes, Moment::WaitsToRetry, Moment::Synthesis] {
            scope.spawn(move || {
                for (signal, code) in [("INT", 130), ("TERM", 143), ("HUP", 129)] {
                    // A tester who uses nohup wants all children to survive a hangup.
                    if signal == "HUP" && ignores_hangups() {
                        continue;
                    }
                    moment.is_stopped_by(signal, code);
                }
            });
        }
    });
}

#[test]
fn a_second_ctrl_c_ends_the_run_immediately() {
    let room = Room::new();
    room.does("advocate", "trap '' TERM; take_in; pay; at advocate; while :; do sleep 1; done\n");
    let run = room.asking("advocate");
    run.signal("INT");
    std::thread::sleep(std::time::Duration::from_millis(300));
    run.signal("INT");
    let (code, said) = run.ends();
    assert_eq!(code, Some(130), "{said}");
    // It did not wait until its agent ended; otherwise the debate's file would say so.
    assert_eq!(room.host.head("status"), "in_progress", "{said}");
    // Its wrapper got the signal, and does not need the run any more.
    until("the agent is gone", || room.kinds() == ["interrupted"]);
    room.is_clean("ended at once");
    room.does("advocate", super::WELL);
    assert_eq!(room.resume(&[]).code, 0);
    room.is_complete("ended at once");
}

#[test]
fn a_run_under_nohup_ignores_hangups() {
    let room = Room::new();
    room.does("critic", HELD);
    let words = room.begins(&[]);
    let traced = room.command(&words);
    let mut command = std::process::Command::new("/usr/bin/nohup");
    command
        .arg(traced.get_program())
        .args(traced.get_args())
        .current_dir(room.host.root())
        .env_clear();
    command.envs(traced.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let run = room.spawned(command);
    room.reaches("critic");
    run.signal("HUP");
    std::thread::sleep(std::time::Duration::from_millis(100));
    room.releases_reply();
    let (code, said) = run.ends();
    assert_eq!(code, Some(0), "{said}");
    room.is_complete("nohup");
}
