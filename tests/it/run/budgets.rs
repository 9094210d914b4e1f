//! Limits of a whole debate, with a stand-in for `claude` that reports the cost of each reply; and
//! gates.

use std::os::unix::fs::PermissionsExt as _;

use serde_json::json;

use super::Room;
use testkit::host::{Host, Output};

/// What `claude` prints for a reply of 100 tokens at this price.
fn printed(text: &str, price: &str) -> String {
    let result = json!({
        "type": "result", "subtype": "success", "is_error": false, "num_turns": 1, "result": text,
        "total_cost_usd": 0.1, "modelUsage": { "a": { "inputTokens": 60, "outputTokens": 40 } },
    });
    let price = format!("\"total_cost_usd\":{price}");
    let result = result.to_string().replace("\"total_cost_usd\":0.1", &price);
    format!("{{\"type\":\"system\"}}\n{result}\n")
}

/// A debate of three rounds in which every reply costs 100 tokens and ten cents, and takes
/// `seconds`.
fn costs(seconds: &str, limits: &[&str]) -> (Room, Output) {
    costs_of("0.1", seconds, limits)
}

/// The same with this printed price.
fn costs_of(price: &str, seconds: &str, limits: &[&str]) -> (Room, Output) {
    let room = Room::new();
    let program = room.file("bin/claude");
    fs_err::create_dir_all(program.parent().unwrap()).unwrap();
    let prints = |name: &str, text: &str| {
        fs_err::write(room.file(name), printed(text, price)).unwrap();
    };
    // The replies in order, and a synthesis of the existing ones.
    let mut claims = Vec::new();
    for (nth, claim) in ["A1", "C1", "A2", "C2", "A3", "C3"].into_iter().enumerate() {
        prints(
            &format!("reply-{nth}"),
            &format!("**{claim}. It is number {nth}.** So [evidence: x.md]."),
        );
        claims.push(claim);
        prints(&format!("synthesis-{}", nth + 1), &super::synthesis_of(&claims));
    }
    prints("check", "```anvil\nA1 not found\n```\n");
    let script = format!(
        "#!/bin/sh\ncd {} || exit 9\nprompt=$(cat)\nsleep {seconds}\n\
         case $prompt in *'# A fact-check'*) cat check; exit;; esac\nn=$(cat n); echo $((n + 1)) >n\n\
         case $prompt in *'── Critic'* | *'── Advocate'*) cat reply-$n;; *) cat synthesis-$n;; esac\n",
        room.file("").display()
    );
    fs_err::write(&program, script).unwrap();
    fs_err::write(room.file("n"), "0").unwrap();
    fs_err::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", program.parent().unwrap().display());
    let room = room.with("PATH", &path);
    let ran = room.host.run(
        &[&["run", "Why?", "--rounds", "3", "--early-end=no", "--agent", "claude"], limits]
            .concat(),
    );
    (room, ran)
}

#[test]
fn a_limit_leaves_room_for_an_orderly_synthesis() {
    for (limit, seconds) in [
        (["--max-tokens", "450"], "0"),
        (["--max-cost", "0.46"], "0"),
        (["--max-time", "4s"], "0.8"),
    ] {
        let (room, ran) = costs(seconds, &limit);
        assert_eq!(ran.code, 0, "{limit:?}: {ran:?}");
        assert!(ran.stderr.contains(limit[0]), "{limit:?}: {ran:?}");
        let slots: Vec<String> = room.ends().into_iter().map(|(slot, _)| slot).collect();
        let total = &room.record()["total"];
        assert_eq!(total["attempts"], slots.len(), "{limit:?}");
        assert_eq!(total["tokens"], slots.len() * 100, "{limit:?}");
        if seconds == "0" {
            let fit = ["advocate, round 1", "critic, round 1", "advocate, round 2", "synthesis"];
            assert_eq!(slots, fit, "{limit:?}");
        } else {
            // The machine's load decides how many fit.
            assert!(
                slots.len() < 7 && slots.last().unwrap() == "synthesis",
                "{limit:?}: {slots:?}"
            );
        }
        room.is_clean(limit[0]);
    }
}

#[test]
fn a_limit_on_what_an_agent_does_not_tell_is_refused() {
    let room = Room::new();
    for (limit, what) in [(["--max-tokens", "900"], "tokens"), (["--max-cost", "5"], "cost")] {
        let refused = room.run(&limit);
        assert_eq!((refused.code, room.paid().len()), (2, 0), "{refused:?}");
        for said in [&format!("does not report its {what}"), limit[0], "--unmetered"] {
            assert!(refused.stderr.contains(said), "{said}: {refused:?}");
        }
    }
    assert!(!room.host.state_path().exists());
    // The fact-checker writes too.
    let checks = ["--max-cost", "5", "--fact-check", "--fact-checker", "cmd:/bin/true"];
    let (other, ran) = costs("0", &checks);
    assert!(ran.code == 2 && ran.stderr.contains("--fact-checker cmd:/bin/true"), "{ran:?}");
    assert!(!other.host.state_path().exists(), "{ran:?}");
    // The limit and the word that it is meant are remembered.
    room.does("critic", "take_in; pay; exit 77\n");
    assert_eq!(room.run(&["--max-cost", "5", "--unmetered"]).code, 5);
    room.does("critic", super::WELL);
    let resumed = room.resume(&[]);
    assert_eq!(resumed.code, 0, "{resumed:?}");
}

#[test]
fn a_remembered_limit_holds_for_the_agent_of_a_resumed_run() {
    let (room, ran) = costs("0", &["--max-tokens", "150"]);
    assert_eq!(ran.code, 5, "{ran:?}");
    let refused = room.resume(&["--critic", &room.agent("critic")]);
    assert!(
        refused.code == 2 && refused.stderr.contains("--max-tokens can't be enforced"),
        "{refused:?}"
    );
}

/// Voices that are written at once keep to the limit, and none of them is paid for in vain.
#[test]
fn voices_at_the_same_time_keep_to_a_limit() {
    let room = Room::new();
    for voice in 1..=6 {
        let text = format!("**S{voice}.1. Voice {voice} says so.** [reasoning] It does.");
        fs_err::write(room.file(&format!("voice-{voice}")), printed(&text, "0.1")).unwrap();
    }
    let judged = super::synthesis_of(&["S1.1", "S2.1", "S3.1"]);
    fs_err::write(room.file("synthesis"), printed(&judged, "0.1")).unwrap();
    let what = "n=; while read -r line; do case $line in *'── Voice '*) n=${line#*── Voice }; n=${n%% *};; esac; done\n\
                sleep 0.6; if [ -n \"$n\" ]; then cat voice-$n; else cat synthesis; fi\n";
    let program = room.file("bin/claude");
    fs_err::create_dir_all(program.parent().unwrap()).unwrap();
    let script = format!("#!/bin/sh\ncd {} || exit 9\n{what}", room.file("").display());
    fs_err::write(&program, script).unwrap();
    fs_err::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", program.parent().unwrap().display());
    let room = room.with("PATH", &path);
    let words = ["run", "Why?", "--stakeholders", "a,b,c,d,e,f", "--agent", "claude"];
    // 100 for the first voice, 200 for two at once, 100 for the synthesis; its share is 150.
    let ran = room.host.run(&[&words[..], &["--max-tokens", "549"]].concat());
    assert_eq!(ran.code, 0, "{ran:?}");
    let mut slots: Vec<String> = room.ends().into_iter().map(|(slot, _)| slot).collect();
    slots.sort();
    assert_eq!(slots, ["synthesis", "voice 1", "voice 2", "voice 3"], "{ran:?}");
    assert!(room.ends().iter().all(|(_, end)| end == "received"), "{:?}", room.ends());
    assert!(room.record()["attempts"].to_string().contains("\"c1\""), "{ran:?}");
    assert_eq!(room.record()["total"]["tokens"], 400, "{ran:?}");
}

/// An impossible price is not shown: it neither closes the debate nor lifts a limit.
#[test]
fn an_impossible_price_is_not_shown() {
    for price in ["1e308", "1e7"] {
        let (room, ran) = costs_of(price, "0", &["--max-cost", "0.46"]);
        assert_eq!((ran.code, room.kinds().len()), (0, 7), "{price}: {ran:?}");
        assert_eq!(room.record()["total"]["cost"], serde_json::Value::Null, "{price}");
        assert_eq!(room.record()["total"]["tokens"], 700, "{price}");
        let (_, ran) = costs_of(price, "0", &["--max-cost", "0.46", "--max-tokens", "450"]);
        assert!(ran.code == 0 && ran.stderr.contains("--max-tokens"), "{price}: {ran:?}");
    }
}

#[test]
fn a_fact_check_leaves_the_share_of_the_synthesis() {
    let slots = |limit: &str| {
        let (room, ran) = costs("0", &["--max-tokens", limit, "--fact-check"]);
        assert_eq!(ran.code, 0, "{limit}: {ran:?}");
        room.ends().into_iter().map(|(slot, _)| slot).collect::<Vec<_>>()
    };
    assert_eq!(
        slots("450"),
        ["advocate, round 1", "critic, round 1", "fact check, round 1", "synthesis"]
    );
    assert_eq!(slots("449"), ["advocate, round 1", "critic, round 1", "synthesis"]);
}

#[test]
fn a_debate_waits_if_the_synthesis_exceeds_the_budget() {
    let (room, ran) = costs("0", &["--max-tokens", "150"]);
    assert_eq!(ran.code, 5, "{ran:?}");
    assert_eq!((room.host.head("status").as_str(), room.kinds().len()), ("paused", 1));
    assert!(ran.stderr.contains("--max-tokens is reached"), "{ran:?}");
    // The limit stays until the user sets another.
    assert_eq!((room.resume(&[]).code, room.kinds().len()), (5, 1));
    let ran = room.resume(&["--max-tokens", "100000"]);
    assert_eq!((ran.code, room.kinds().len()), (0, 7), "{ran:?}");
}

#[test]
fn no_reply_may_exceed_the_time_of_the_debate() {
    let room = Room::new();
    room.does("critic", "take_in; pay; sleep 100\n");
    let began = std::time::Instant::now();
    let ran = room.run(&["--max-time", "1s"]);
    assert_eq!(ran.code, 5, "{ran:?}");
    assert!(ran.stderr.contains("--max-time is reached"), "{ran:?}");
    assert!(began.elapsed() < std::time::Duration::from_secs(30), "{:?}", began.elapsed());
    room.is_clean("a time limit");
}

#[test]
fn a_quiet_run_prints_the_verdict_alone() {
    let room = Room::new();
    let ran = room.run(&["--quiet"]);
    let doubt = "Anvil: caution: The verdict rests on C1, which is an assumption.\n";
    assert_eq!(
        (ran.code, ran.stdout.lines().count(), ran.stderr.as_str()),
        (0, 1, doubt),
        "{ran:?}"
    );
    assert!(ran.stdout.starts_with("Depends, 60% sure, on: "), "{ran:?}");
    let room = Room::new();
    let ran = room.run(&["--quiet", "--motion", "wait", "--fail-on", "low-confidence=99"]);
    assert_eq!((ran.code, ran.stdout.lines().count()), (4, 1), "{ran:?}");
    assert!(
        ran.stderr.contains("Anvil: --fail-on low-confidence=99: the confidence is "),
        "{ran:?}"
    );
    let room = Room::new();
    let odd = super::REPLIES[2].replace("verdict: depends", "verdict: perhaps");
    fs_err::write(room.file("synthesizer.md"), odd).unwrap();
    let ran = room.run(&["--quiet"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (7, ""), "{ran:?}");
    assert!(ran.stderr.starts_with("Anvil: No valid verdict: the line"), "{ran:?}");
    let ran = room.run(&["--quiet", "--json"]);
    assert!(ran.code == 2 && ran.stderr.contains("don't go together"), "{ran:?}");
}

#[test]
fn an_unreadable_verdict_or_confidence_closes_the_gate() {
    let room = Room::new();
    let odd = super::REPLIES[2]
        .replace("verdict: depends", "verdict: do / do not")
        .replace("confidence: 60", "confidence: 90 % or 10 %");
    fs_err::write(room.file("synthesizer.md"), odd).unwrap();
    let ran = room.run(&["--motion", "wait", "--fail-on", "do-not,low-confidence=70"]);
    assert_eq!(ran.code, 7, "{ran:?}");
    let said = ran.stderr + &ran.stdout;
    for part in [
        "its block is asked for again: \"verdict\" is missing, or has other words; \
         \"confidence\" is no whole number.",
        "No valid verdict: the line \"verdict\" has other words: \"do / do not\".",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
}

/// A debate of one round in which each seat always writes the same, for 100 tokens and ten cents;
/// and the number of requests.
pub(crate) fn always(
    [advocate, critic, other]: [&str; 3],
    options: &[&str],
) -> (Host, Output, usize) {
    let room = Room::new();
    let program = room.file("bin/claude");
    fs_err::create_dir_all(program.parent().unwrap()).unwrap();
    for (name, text) in [("advocate", advocate), ("critic", critic), ("other", other)] {
        fs_err::write(room.file(name), printed(text, "0.1")).unwrap();
    }
    let script = format!(
        "#!/bin/sh\ncd {} || exit 9\nprompt=$(cat)\necho x >>asked\n\
         case $prompt in *'── Critic'*) cat critic;; *'── Advocate'*) cat advocate;; *) cat other;; esac\n",
        room.file("").display()
    );
    fs_err::write(&program, script).unwrap();
    fs_err::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", program.parent().unwrap().display());
    let room = room.with("PATH", &path);
    let begin = ["run", "Why?", "--rounds", "1", "--agent", "claude", "--jobs", "1"];
    let ran = room.host.run(&[&begin[..], options].concat());
    let asked = fs_err::read_to_string(room.file("asked")).unwrap().lines().count();
    (room.host, ran, asked)
}

#[test]
fn a_repeat_that_does_not_fit_is_not_made_and_the_reply_is_taken_as_it_is() {
    let check = &["--fact-check"][..];
    let judges = &["--judges", "3"][..];
    let (first, second) = ("**A1. One.** So [evidence: x.md].", "**C1. Two.** So [reasoning].");
    let plain = "No number here.";
    for (critic, words, limit, times) in [
        // A synthesis without its form.
        (second, &[][..], ["--max-cost", "0.35"], 3),
        (second, &[], ["--max-tokens", "350"], 3),
        (second, &[], ["--max-cost", "0.40"], 4),
        (second, &[], ["--max-tokens", "400"], 4),
        // Each of three judges: two arguments, then the judges, two of them twice.
        (second, judges, ["--max-tokens", "750"], 7),
        (second, judges, ["--max-tokens", "599"], 5),
        // A check of facts, which leaves a share for the synthesis.
        (second, check, ["--max-tokens", "450"], 4),
        (second, check, ["--max-tokens", "550"], 5),
        // A critic without a claim.
        ("No claim.", &[], ["--max-tokens", "449"], 4),
        ("No claim.", &[], ["--max-tokens", "349"], 3),
    ] {
        let (host, ran, asked) = always([first, critic, plain], &[words, &limit].concat());
        assert_eq!((ran.code, asked), (7, times), "{critic} {words:?} {limit:?}: {ran:?}");
        assert_eq!(host.head("status"), "completed", "{words:?} {limit:?}");
    }
}

#[test]
fn a_run_says_which_limit_a_repeat_does_not_fit() {
    let (first, second) = ("**A1. One.** So [evidence: x.md].", "**C1. Two.** So [reasoning].");
    let plain = "No number here.";
    for (critic, words, limit, places) in [
        (second, &[][..], ["--max-cost", "0.35"], &["synthesis: accepted as it is"][..]),
        // The second try is made, and then nothing is left to try.
        (second, &[], ["--max-cost", "0.40"], &[]),
        ("No claim.", &[], ["--max-tokens", "449"], &["critic, round 1 of 1: accepted as it is"]),
        (
            second,
            &["--fact-check"],
            ["--max-tokens", "450"],
            &[
                "fact check, round 1, skipped: it contains no recognised line",
                "synthesis: accepted as it is",
            ],
        ),
    ] {
        let (_, ran, _) = always([first, critic, plain], &[words, &limit].concat());
        let ends = format!("; another try would exceed {}.", limit[0]);
        let said: Vec<_> = ran.stderr.lines().filter_map(|line| line.strip_suffix(&ends)).collect();
        let said: Vec<_> =
            said.iter().map(|line| line.trim_start_matches("Anvil:").trim()).collect();
        assert_eq!(said, places, "{critic} {words:?} {limit:?}: {ran:?}");
    }
}

#[test]
fn an_empty_reply_is_not_paid_again_beyond_the_limit() {
    let replies = ["**A1. One.** So [reasoning].", "", ""];
    let (host, ran, asked) = always(replies, &["--max-tokens", "250"]);
    assert_eq!((asked, host.head("status").as_str()), (2, "paused"), "{ran:?}");
    assert!(ran.stderr.contains("--max-tokens is reached"), "{ran:?}");
}
