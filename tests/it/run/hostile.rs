//! Agents that do what no program should. None leaves a process, a folder or a lock, and each failure has its kind on record.

use std::os::unix::fs::MetadataExt as _;

use super::{REPLIES, Room, WELL};

/// What the critic does three times or less, the kinds of its failures that are on record then, and how the run ends.
const CASES: [(&str, &str, &[&str], i32); 17] = [
    ("crashes", "take_in; pay; echo Half; echo oh no >&2; exit 3\n", &["crash"; 3], 5),
    ("is killed", "take_in; pay; say; kill -KILL $$\n", &["crash"; 3], 5),
    ("exits with 0 and nothing", "take_in; pay; exit 0\n", &["empty"; 3], 5),
    ("says nothing but white space", "take_in; pay; printf ' \\n\\t\\n'\n", &["empty"; 3], 5),
    ("invalid UTF-8", "take_in; pay; printf '**C1. \\377\\376.** No.\\n'\n", &["misshapen"; 3], 5),
    ("exits with 77", "take_in; pay; echo log in first >&2; exit 77\n", &["login"], 5),
    ("exits with 75", "take_in; pay; echo busy >&2; exit 75\n", &["transient"; 4], 5),
    ("hangs", "take_in; pay; sleep 300\n", &["time_limit"; 3], 5),
    ("falls silent", "take_in; pay; echo Half; sleep 300\n", &["time_limit"; 3], 5),
    ("drips", "take_in; pay; while :; do printf .; sleep 0.1; done\n", &["time_limit"; 3], 5),
    ("ignores SIGTERM", "trap '' TERM; take_in; pay; printf x; while :; do sleep 1; done\n", &["time_limit"; 3], 5),
    ("kills its wrapper", "take_in; pay; kill -KILL $PPID; sleep 300\n", &["lost"; 3], 5),
    ("asks its wrapper to end", "take_in; pay; kill -TERM $PPID; sleep 300\n", &["interrupted"; 3], 5),
    ("closes its input at once", "exec 0<&-; pay; say\n", &["received"], 0),
    (
        "leaves children that ignore SIGTERM",
        "take_in; pay; trap '' TERM; sleep 301 & setsid sleep 302 & (setsid sh -c 'sleep 303 & sleep 304' &) ; say\n",
        &["received"],
        0,
    ),
    ("a child writes after its end", "take_in; pay; (sleep 0.1; echo late; sleep 300) & say\n", &["received"], 0),
    (
        "a child without its environment",
        "take_in; pay; env -i setsid /bin/sh -c 'cd /; trap \"\" TERM; exec sleep 305.25' & say\n",
        &["received"],
        0,
    ),
];

#[test]
fn an_agent_that_misbehaves_leaves_nothing_and_its_kind_is_on_record() {
    std::thread::scope(|scope| {
        for (what, does, kinds, code) in CASES {
            scope.spawn(move || {
                let room = Room::new();
                room.does("critic", does);
                let defaults = "---\nagent.odd: \"CMD\"\nagent.odd.max-reply: 2s\nagent.odd.max-first-byte: 1s\n\
                                agent.odd.max-silence: 1s\n---\n";
                fs_err::create_dir_all(room.host.home().join(".claude")).unwrap();
                let defaults = defaults.replace("CMD", &room.agent("critic"));
                fs_err::write(room.host.home().join(".claude/anvil.local.md"), defaults).unwrap();
                let ran = room.run(&["--critic", "odd"]);
                assert_eq!(ran.code, code, "{what}: {ran:?}");
                room.is_clean(what);
                let of_critic: Vec<String> = room
                    .ends()
                    .into_iter()
                    .filter(|(slot, _)| slot.starts_with("critic"))
                    .map(|(_, kind)| kind)
                    .collect();
                assert_eq!(of_critic, kinds, "{what}");
                if code == 0 {
                    room.is_complete(what);
                }
            });
        }
    });
    assert!(!std::path::Path::new("/proc").read_dir().unwrap().flatten().any(|process| {
        std::fs::read(process.path().join("cmdline")).is_ok_and(|words| words.windows(6).any(|word| word == b"305.25"))
    }));
}

#[test]
#[ignore = "takes a quarter of a minute; .ci/run has it"]
fn an_agent_that_stops_its_wrapper_does_not_stop_the_run() {
    let room = Room::new();
    room.does("critic", "take_in; pay; mkdir once && kill -STOP $PPID && sleep 300\nsay\n");
    let ran = room.run(&["--max-reply", "1s"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(room.kinds(), ["received", "lost", "received", "received"]);
    room.is_complete("its wrapper was stopped");
}

#[test]
fn a_flood_is_cut_off_and_takes_no_more_of_the_disk_than_its_bound() {
    let room = Room::new();
    room.does("critic", "take_in; pay; exec head -c 1000000000 /dev/zero\n");
    room.does("synthesizer", "take_in; pay; head -c 1000000000 /dev/zero >&2; say\n");
    let ran = room.run(&[]);
    assert_eq!(ran.code, 5, "{ran:?}");
    assert_eq!(room.kinds(), ["received", "misshapen", "misshapen", "misshapen"]);
    room.is_clean("a flood");
    let largest = crate::host::files(room.host.root()).into_iter().map(|(path, _)| path.metadata().unwrap().size());
    assert!(largest.max().unwrap() <= 8 * 1024 * 1024);
}

#[test]
fn nul_and_escape_sequences_do_nothing_to_the_file_or_the_terminal() {
    let room = Room::new();
    let odd = "**C1. It costs.** \\033[31mred\\033[0m \\033]0;title\\007 \\000 \\302\\233 a month.\\n";
    room.does("critic", &format!("take_in; pay; printf '{odd}'\n"));
    let ran = room.run(&[]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let state = room.host.state_text();
    let shown = ran.out + &room.host.run(&["show"]).out + &room.host.run(&["attempts", "--json"]).out;
    for text in [&shown, &room.host.run(&["status"]).out] {
        assert!(!text.contains(['\u{1b}', '\0', '\u{7}', '\u{9b}']), "{text:?}");
    }
    assert!(!state.contains('\0') && state.contains("red"), "{state}");
    assert_eq!(room.texts()[0], REPLIES[0].trim_end());
    room.is_clean("escapes");
}

#[test]
fn what_made_a_run_pause_is_tried_again_when_the_user_goes_on() {
    let room = Room::new();
    room.does("critic", "take_in; pay; exit 77\n");
    assert_eq!(room.run(&[]).code, 5);
    assert_eq!(room.resume(&[]).code, 5);
    room.does("critic", WELL);
    assert_eq!(room.resume(&[]).code, 0);
    let kinds: Vec<String> = room.ends().into_iter().map(|(_, kind)| kind).collect();
    assert_eq!(kinds, ["received", "login", "login", "received", "received"]);
}
