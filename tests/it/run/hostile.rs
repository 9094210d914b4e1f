//! Agents that misbehave. None leaves a process, a folder or a lock, and each failure is recorded
//! with its kind.

use std::os::unix::fs::MetadataExt as _;
use std::time::Duration;

use super::{REPLIES, Room, kill, until};

/// The critic's action, up to three times, the recorded kinds of its failures, and the end of the
/// run.
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
    (
        "ignores SIGTERM",
        "trap '' TERM; take_in; pay; printf x; while :; do sleep 1; done\n",
        &["time_limit"; 3],
        5,
    ),
    ("kills its wrapper", "take_in; pay; kill -KILL $PPID; sleep 300\n", &["lost"; 3], 5),
    (
        "asks its wrapper to end",
        "take_in; pay; kill -TERM $PPID; sleep 300\n",
        &["interrupted"; 3],
        5,
    ),
    ("closes its input at once", "exec 0<&-; pay; say\n", &["received"], 0),
    (
        "leaves children that ignore SIGTERM",
        "take_in; pay; trap '' TERM; sleep 301 & setsid sleep 302 & (setsid sh -c 'sleep 303 & sleep 304' &) ; say\n",
        &["received"],
        0,
    ),
    (
        "a child writes after its end",
        "take_in; pay; (sleep 0.1; echo late; sleep 300) & say\n",
        &["received"],
        0,
    ),
    (
        "a child without its environment",
        "take_in; pay; env -i setsid /bin/sh -c 'cd /; trap \"\" TERM; exec sleep 305.25' & say\n",
        &["received"],
        0,
    ),
];

#[test]
fn a_misbehaving_agent_leaves_no_process_and_is_recorded() {
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
        std::fs::read(process.path().join("cmdline"))
            .is_ok_and(|words| words.windows(6).any(|word| word == b"305.25"))
    }));
}

/// Links of a chain, each a process that starts the next one and exits. The chain ends by itself
/// after this many.
const LINKS: usize = 6_000;

/// The number of links of a chain.
fn links(room: &Room) -> usize {
    std::fs::metadata(room.file("links")).map_or(0, |meta| usize::try_from(meta.size()).unwrap())
}

/// True while a process has this word in its command line.
pub(super) fn runs(word: &str) -> bool {
    let has_it = |process: std::fs::DirEntry| {
        let line = std::fs::read(process.path().join("cmdline")).unwrap_or_default();
        line.windows(word.len()).any(|part| part == word.as_bytes())
    };
    std::fs::read_dir("/proc").unwrap().flatten().any(has_it)
}

#[test]
fn an_endlessly_forking_agent_ends_with_its_attempt() {
    // In its own session without its environment, a chain escapes if its watcher is killed too.
    let (plain, escaped) = ("/bin/sh", "env -i setsid /bin/sh");
    let kills_its_watcher = "kill -KILL $PPID; sleep 300";
    for (next, end, code) in [(plain, "say", 0), (escaped, "say", 0), (plain, kills_its_watcher, 5)]
    {
        let room = Room::new();
        let (chain, told) = (room.file("chain.sh"), room.file("links"));
        let (script, told) = (chain.display(), told.display());
        let link =
            format!("printf . >>{told}; [ $1 -lt {LINKS} ] && {next} {script} $(($1 + 1)) &\n");
        fs_err::write(&chain, link).unwrap();
        room.does(
            "critic",
            &format!("take_in; pay; {next} {script} 1 >/dev/null 2>&1 &\nsleep 0.2; {end}\n"),
        );
        let ran = room.run(&[]);
        assert_eq!(ran.code, code, "{next}, {end}: {ran:?}");
        let then = links(&room);
        assert!(then > 0, "{next}, {end}");
        std::thread::sleep(Duration::from_millis(300));
        let now = links(&room);
        assert!(
            now == then && !runs(&script.to_string()),
            "{next}, {end}: from {then} links to {now}"
        );
        if code == 0 {
            let ended = &room.record()["attempts"][1]["ended"];
            let left = (ended["left_behind"].as_u64().unwrap(), &ended["still_running"]);
            assert!(left.0 > 0 && left.1.is_null(), "{next}: {left:?}");
            let shown = room.host.run(&["attempts"]).stdout;
            let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(shown.contains("that it left behind w"), "{shown}");
        }
        room.is_clean(next);
    }
}

#[test]
fn a_killed_watcher_is_reported_and_its_group_ended() {
    let room = Room::new();
    room.does("critic", "take_in; pay; sleep 306.25 & kill -KILL $PPID; sleep 300\n");
    let ran = room.run(&[]);
    assert_eq!(ran.code, 5, "{ran:?}");
    until("its group has ended", || !runs("306.25"));
    let shown =
        room.host.run(&["attempts"]).stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(shown.contains("its exit status is unknown"), "{shown}");
}

#[test]
fn an_older_child_of_a_run_is_not_ended_with_an_attempt() {
    let mut room = Room::new();
    let pid = room.file("before").display().to_string();
    let script =
        format!("sleep 307.25 >/dev/null 2>&1 </dev/null & echo $! >{pid}; exec \"$0\" \"$@\"");
    room.host = room.host.through(&["/bin/sh", "-c", &script]);
    room.does("critic", "take_in; pay; kill -KILL $PPID; sleep 300\n");
    let words = room.begins(&[]);
    let ran = room.host.run(&words.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(ran.code, 5, "{ran:?}");
    let is_there = runs("307.25");
    kill(fs_err::read_to_string(&pid).unwrap().trim().parse().unwrap(), "KILL");
    assert!(is_there, "it was nobody's to end");
}

#[test]
fn the_other_attempts_go_on_when_a_wrapper_is_killed() {
    for (killed, held) in [("advocate", "critic"), ("critic", "advocate")] {
        let room = Room::new();
        let patiently = |what: &str| {
            format!(
                "n=0; while [ ! -e {what} ] && [ $n -lt 800 ]; do sleep 0.02; n=$((n+1)); done; [ $n -lt 800 ]"
            )
        };
        let once = patiently("at-other");
        let again = patiently("at-again");
        room.does(
            killed,
            &format!("take_in; pay; mkdir once && {{ {once}; kill -KILL $PPID; sleep 300; }}\nat again; say\n"),
        );
        room.does(held, &format!("take_in; pay; at other; {again} && say\n"));
        let ran = room.run(&["--jobs", "2", "--blind"]);
        assert_eq!(ran.code, 0, "{killed}: {ran:?}");
        let paid = |seat: &str| room.paid().iter().filter(|(other, _)| other == seat).count();
        assert_eq!(
            (paid(killed), paid(held)),
            (2, 1),
            "{killed} was ended with its wrapper, and only that: {ran:?}"
        );
        until("nothing runs", || !runs(&room.file("critic.sh").display().to_string()));
    }
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
fn a_flood_of_output_is_cut_at_its_bound() {
    let room = Room::new();
    room.does("critic", "take_in; pay; exec head -c 1000000000 /dev/zero\n");
    room.does("synthesizer", "take_in; pay; head -c 1000000000 /dev/zero >&2; say\n");
    let ran = room.run(&[]);
    assert_eq!(ran.code, 5, "{ran:?}");
    assert_eq!(room.kinds(), ["received", "misshapen", "misshapen", "misshapen"]);
    room.is_clean("a flood");
    let largest = testkit::host::files(room.host.root())
        .into_iter()
        .map(|(path, _)| path.metadata().unwrap().size());
    assert!(largest.max().unwrap() <= 8 * 1024 * 1024);
}

#[test]
fn nul_and_escape_sequences_harm_neither_file_nor_terminal() {
    let room = Room::new();
    let odd =
        "**C1. It costs.** \\033[31mred\\033[0m \\033]0;title\\007 \\000 \\302\\233 a month.\\n";
    room.does("critic", &format!("take_in; pay; printf '{odd}'\n"));
    let ran = room.run(&[]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let state = room.host.state_text();
    let shown = ran.stderr
        + &ran.stdout
        + &room.host.run(&["report", "--full"]).stdout
        + &room.host.run(&["attempts", "--json"]).stdout;
    for text in [&shown, &room.host.run(&["status"]).stdout] {
        assert!(!text.contains(['\u{1b}', '\0', '\u{7}', '\u{9b}']), "{text:?}");
    }
    assert!(!state.contains('\0') && state.contains("red"), "{state}");
    assert_eq!(room.host.reply_texts()[0], REPLIES[0].trim_end());
    room.is_clean("escapes");
}

#[test]
fn a_reply_of_invisible_characters_is_saved_and_reported() {
    let room = Room::new();
    let hidden = "\u{200d}".repeat(100_000);
    fs_err::write(room.file("critic.md"), format!("{}\n{hidden}\n", REPLIES[1])).unwrap();
    let ran = room.run(&["--max-time", "10m"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(room.host.head("status"), "completed");
    room.is_clean("invisible");
}
