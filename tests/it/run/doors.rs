//! One retry rule for `anvil run`, `--jobs` and `--isolated`.

use super::Room;

/// The failure of an agent, the number of attempts before the work ends, and the status of the
/// run's debate then.
const FAILURES: [(&str, usize, &str); 4] = [
    ("echo log in first >&2; exit 77", 1, "paused"),
    ("echo busy >&2; exit 75", 4, "failed"),
    ("exit 1", 3, "failed"),
    ("true", 3, "failed"),
];

/// The first seat's failures in each interface, and how each interface is used.
type Door = (&'static str, fn(&Room, usize) -> &'static str);

const DOORS: [Door; 3] = [
    ("run", |room, _| {
        assert_eq!(room.run(&[]).code, 5);
        ""
    }),
    ("--jobs", |room, times| {
        // The run writes the first voice until the second one has failed for good.
        let waits = format!(
            "n=; while read -r line; do case $line in *'── Voice '*) n=${{line#*── Voice }}; n=${{n%% *}};; esac; done\n\
             if [ \"$n\" = 1 ]; then i=0; while [ $(grep -c advocate paid) -lt {times} ] && [ $i -lt 400 ]; do sleep 0.02; i=$((i+1)); done\n\
             sleep 0.7; echo '**S1.1. Yes.** [reasoning] So.'; exit 0; fi\n"
        );
        let fails = fs_err::read_to_string(room.file("advocate.sh")).unwrap();
        let fails = fails.rsplit_once("take_in; ").unwrap().1.to_owned();
        room.does("advocate", &format!("{waits}{fails}"));
        let agent = room.agent("advocate");
        let words = ["run", "Why?", "--stakeholders", "one,two", "--jobs", "2", "--agent", &agent];
        let printed = room.host.run(&words);
        assert!(printed.code == 5 && printed.stderr.contains(" voice 2: two"), "{printed:?}");
        let helped = room.record()["attempts"].to_string().contains("\"c1\"");
        assert!(helped, "it was asked at the same time as the first: {printed:?}");
        ""
    }),
    ("--isolated", |room, _| {
        room.isolated("");
        super::until("it rests", || {
            room.host.state_path().exists()
                && ["paused", "failed"].contains(&room.host.head("status").as_str())
        });
        ""
    }),
];

#[test]
fn every_interface_retries_a_failing_agent_equally_often() {
    for (fails, times, ends) in FAILURES {
        for (door, goes) in DOORS {
            let room = Room::new();
            room.does("advocate", &format!("take_in; pay; {fails}\n"));
            let other = goes(&room, times);
            assert_eq!(room.paid().len(), times, "{door}: {fails}: {:?}", room.ends());
            let expected = if other.is_empty() { ends } else { other };
            assert_eq!(room.host.head("status"), expected, "{door}: {fails}");
        }
    }
}
