//! Any of the three processes, killed at any time, again and again.

use std::time::Duration;

use super::{Room, kill, processes_with};

/// The default number of kills. `ANVIL_RANDOM_KILLS` overrides it.
const KILLS: usize = 50;

/// A small generator (xorshift), so that a failure can be repeated with its seed.
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}

/// A debate that is killed up to five times, and then continued. Returns the number of deaths.
fn debate(seed: u64) -> usize {
    let mut random = Random(seed);
    let room = Room::new();
    for seat in super::SEATS {
        room.does(seat, "take_in; pay; sleep 0.0$(($$ % 10)); say; sleep 0.0$(($$ % 7))\n");
    }
    let mut kills = 0;
    for _ in 0..5 {
        let words = if room.host.state_path().exists() {
            vec!["run".to_owned(), "--resume".to_owned()]
        } else {
            room.begins(&[])
        };
        let mut run = room.spawn(&words);
        std::thread::sleep(Duration::from_millis(random.below(300)));
        let victims =
            [vec![run.child.id()], processes_with(&format!("HOME={}", room.host.home().display()))]
                .concat();
        // One of them, or several at once.
        let some = 1 + random.below(8) / 6 * 2;
        for _ in 0..some {
            let victim = usize::try_from(random.below(victims.len() as u64)).unwrap();
            if run.child.try_wait().unwrap().is_none() {
                kill(victims[victim], "KILL");
                kills += 1;
            }
        }
        run.ends();
        if room.host.state_path().exists() && room.host.head("status") == "completed" {
            break;
        }
    }
    let context = format!("seed {seed}, after {kills} kills");
    room.carry_on(&context);
    room.is_complete(&context);
    kills
}

#[test]
#[ignore = "takes half a minute; .ci/run has it, and a night has a thousand"]
fn any_process_of_a_run_may_die_at_any_time() {
    let wanted =
        std::env::var("ANVIL_RANDOM_KILLS").ok().map_or(KILLS, |count| count.parse().unwrap());
    let first = (u64::from(std::process::id()) << 20) + 1;
    let (next, kills) =
        (std::sync::atomic::AtomicU64::new(first), std::sync::atomic::AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while kills.load(std::sync::atomic::Ordering::Relaxed) < wanted {
                    let seed = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    kills.fetch_add(debate(seed), std::sync::atomic::Ordering::Relaxed);
                }
            });
        }
    });
    let debates = next.into_inner() - first;
    println!("{} kills over {debates} debates, all of them complete", kills.into_inner());
}
