//! The options of a decision: who argues for which, the verdict and the ranking, the gates, and how
//! every form of report shows them.

use std::fmt::Write as _;

use serde_json::Value;

use testkit::host::Host;

/// The replies of a debate about two options in one round.
const TWO: [&str; 3] = [
    "**A1. Redis is fast.** It answers in a millisecond [evidence: bench.md].\n\n**A2. Redis is \
     known.** We run it [reasoning].",
    "**C1. PostgreSQL is here.** Nothing new to run [evidence: ops.md].\n**Attacks A1:** \"Redis is \
     fast\" matters to nobody here.\n\n**C2. Redis loses data.** It did in May [assumption].\n\
     **Attacks A2:** \"Redis is known\" to one of us.",
    "It costs nothing new.\n\n### What to do\n\n1. Wait.\n\n```anvil\nA1 weakened: by C1.\nA2 fell: by \
     C2.\nC1 survived: unanswered.\nC2 survived: unanswered.\n1. PostgreSQL\n2. Redis\noption 1: A1 for \
     its speed; C2 weighs against it\noption 2: C1 carries it; nothing weighs against it\nagainst: \
     the load.\nrecommendation: Take PostgreSQL.\nverdict: PostgreSQL\nconfidence: 70\nrests on: \
     C1\nflips if: it is slow.\nunknown: the load.\n```",
];

const QUESTION: &str = "Which store do we take?";

fn two(host: &Host) -> String {
    let typed = format!("/anvil:debate {QUESTION} --options \"Redis, PostgreSQL\" --rounds 1");
    host.prompt("one", &typed);
    TWO.map(|reply| host.stop("one", reply).message().to_owned())[2].clone()
}

/// The reply of a voice in a debate about several options.
fn case(voice: usize) -> String {
    format!("**S{voice}.1. Option {voice} works.** It does [reasoning].\n\nWORD-case-{voice}")
}

/// Attacks the cases of two other voices.
fn attack(voice: usize, others: [usize; 2]) -> String {
    let [one, other] = others;
    format!(
        "**S{voice}.2. They fail.** Both do [reasoning].\n**Attacks S{one}.1:** \"Option {one} \
         works\" does not follow.\n**Attacks S{other}.1:** \"Option {other} works\" costs too \
         much.\n\nWORD-attack-{voice}"
    )
}

/// A synthesis of four options that puts one first.
fn judgment(names: [&str; 4]) -> String {
    let mut lines = format!("recommendation: Take {0}.\nverdict: {0}\n", names[0]);
    for (place, name) in (1..).zip(names) {
        writeln!(lines, "{place}. {name}").unwrap();
        writeln!(lines, "option {place}: its case; an attack against it").unwrap();
    }
    for voice in 1..=4 {
        for number in [1, 2] {
            writeln!(lines, "S{voice}.{number} survived: it holds").unwrap();
        }
    }
    lines += "rests on: S1.1\nconfidence: 60";
    testkit::host::synthesis(&lines, &[], None)
}

const FOUR: [&str; 4] = ["Redis", "PostgreSQL", "SQLite", "nothing new"];

fn names_in(host: &Host, name: &str) -> Vec<String> {
    let text = host.state_text();
    text.lines().filter(|line| line.starts_with(name)).map(str::to_owned).collect()
}

#[test]
fn two_options_have_a_seat_each_and_the_verdict_is_one_of_them() {
    let host = Host::new();
    let typed = format!("/anvil:debate {QUESTION} --options \"Redis, PostgreSQL\" --rounds 1");
    let told = host.prompt("one", &typed).context().to_owned();
    assert!(told.contains("- The advocate: Redis\n- The critic: PostgreSQL"), "{told}");
    assert!(told.ends_with("── open the case for the first option."), "{told}");
    assert_eq!((host.head("mode"), host.head("schema")), ("options".into(), "3".into()));
    assert_eq!(host.head("options"), r#"["Redis", "PostgreSQL"]"#);
    let critic = host.stop("one", TWO[0]).context().to_owned();
    assert!(critic.starts_with("── Critic, for PostgreSQL · round 1 of 1 ── attack"), "{critic}");
    host.stop("one", TWO[1]);
    let end = host.stop("one", TWO[2]);
    assert!(end.message().contains("\nPostgreSQL, 70% sure. Take PostgreSQL.\n"), "{end:?}");
    assert_eq!(host.run(&["status", "--json"]).json()["verdict"], "PostgreSQL");
    let history = host.run(&["history"]).stdout;
    assert!(history.contains("PostgreSQL") && history.contains("70%"), "{history}");
}

#[test]
fn a_synthesis_with_a_wrong_option_or_ranking_is_requested_again_once() {
    for (from, to, missing) in [
        ("verdict: PostgreSQL", "verdict: do", "\"verdict\" is missing, or has other words"),
        (
            "1. PostgreSQL\n2. Redis",
            "1. Redis\n2. PostgreSQL",
            "the verdict is not the first place",
        ),
        ("option 1: A1", "option 2: A1", "\"option 2\" stands there twice"),
        (
            "option 1: A1 for its speed; C2 weighs against it\n",
            "",
            "\"Redis\" has no place, or no line",
        ),
        ("1. PostgreSQL\n", "", "\"PostgreSQL\" has no place, or no line \"option\""),
    ] {
        let host = Host::new();
        let typed = format!("/anvil:debate {QUESTION} --options \"Redis, PostgreSQL\" --rounds 1");
        host.prompt("one", &typed);
        host.stop("one", TWO[0]);
        host.stop("one", TWO[1]);
        assert!(TWO[2].contains(from), "{from}");
        let wrong = TWO[2].replace(from, to);
        let cue = host.stop_with("one", &wrong).context().to_owned();
        assert!(
            cue.starts_with("── Synthesis, once more ──") && cue.contains(missing),
            "{to}: {cue}"
        );
        host.stop_with("one", &wrong);
        assert_eq!(host.head("status"), "completed", "{to}: it is asked for once");
        let report = host.run(&["report", "--format", "json"]).json();
        let findings = report["findings"].as_array().unwrap();
        assert!(!findings.is_empty(), "what is wrong is reported: {findings:?}");
    }
}

#[test]
fn every_report_shows_the_options_with_their_claims() {
    let host = Host::new();
    two(&host);
    let adr = host.run(&["report", "--format", "adr"]).stdout;
    for part in [
        "## Considered Options\n\n* Redis\n* PostgreSQL\n",
        "Chosen option: \"PostgreSQL\".",
        "## Pros and Cons of the Options\n\n### Redis\n\nA1 for its speed; C2 weighs against it\n\n\
         For it:\n\n* A1: Redis is fast (weakened)\n\nAgainst it:\n\n* C1: PostgreSQL is here \
         (unanswered)\n* C2: Redis loses data (unanswered)\n",
        "### PostgreSQL\n\nC1 carries it; nothing weighs against it\n\nFor it:\n\n* C1:",
    ] {
        assert!(adr.contains(part), "{part}\n{adr}");
    }
    assert!(!adr.contains("Do it"), "{adr}");
    let report = host.run(&["report", "--format", "json"]).json();
    assert_eq!(report["verdict"], "PostgreSQL");
    assert_eq!(report["ranking"], serde_json::json!(["PostgreSQL", "Redis"]));
    let redis = serde_json::json!({
        "name": "Redis", "place": 2, "line": "A1 for its speed; C2 weighs against it",
        "for": ["A1"], "against": ["C1", "C2"],
    });
    assert_eq!(report["considered"][0], redis);
    assert_eq!(report["findings"], serde_json::json!([]));
    let markdown = host.run(&["report", "--format", "md"]).stdout;
    assert!(markdown.contains("**Ranking:** PostgreSQL, Redis"), "{markdown}");
    let page = host.run(&["report", "--format", "html", "--output", "-"]).stdout;
    let columns = page.split_once("<div class=\"columns\">").unwrap_or_else(|| panic!("{page}")).1;
    let order = ["<h3>1. PostgreSQL</h3>", "thread-C1", "<h3>2. Redis</h3>", "thread-A1"];
    let places = order.map(|part| columns.find(part));
    assert!(places.is_sorted() && places[0].is_some(), "{places:?} {columns}");
    for part in [
        "</span>PostgreSQL · 70% sure</p><p class=\"lead\">Take PostgreSQL.</p>",
        "two seats argued for one round, each for one option. A claims are for Redis, C claims for \
         PostgreSQL.",
    ] {
        assert!(page.contains(part), "{part}\n{page}");
    }
}

#[test]
fn an_option_that_was_chosen_turns_out_right_or_wrong_like_any_verdict() {
    let host = Host::new();
    two(&host);
    let noted = host.run(&["history", "--outcome", "right", "--note", "it held"]);
    assert_eq!(noted.code, 0, "{noted:?}");
    assert!(host.run(&["history"]).stdout.contains("turned out right"));
}

#[test]
fn four_options_are_argued_for_then_attacked_then_judged() {
    let host = Host::new();
    let typed = format!("/anvil:debate {QUESTION} --options \"{}\"", FOUR.join(", "));
    let told = host.prompt("one", &typed).context().to_owned();
    assert!(
        told.ends_with(
            "── Voice 1 of 4: Redis ── make the case for this option; attack nobody yet."
        )
    );
    let mut cues: Vec<String> =
        (1..=4).map(|voice| host.stop("one", &case(voice)).context().to_owned()).collect();
    assert!(cues[3].starts_with("── Attack 1 of 4: Redis ── attack at least two"), "{cues:?}");
    cues.push(host.stop("one", &attack(1, [2, 3])).context().to_owned());
    for (voice, others) in [(2, [1, 3]), (3, [1, 2]), (4, [1, 2])] {
        cues.push(host.stop("one", &attack(voice, others)).context().to_owned());
    }
    assert!(cues[7].starts_with("── Synthesis ── weigh all 8 claims"), "{cues:?}");
    let end = host.stop("one", &judgment(FOUR));
    assert!(end.message().contains("\nRedis, 60% sure. Take Redis.\n"), "{end:?}");
    let headings = names_in(&host, "## ");
    let expected = [
        "## Option 1: Redis",
        "## Option 2: PostgreSQL",
        "## Option 3: SQLite",
        "## Option 4: nothing new",
        "## Attack by option 1: Redis",
        "## Attack by option 2: PostgreSQL",
        "## Attack by option 3: SQLite",
        "## Attack by option 4: nothing new",
        "## Synthesis",
    ];
    assert_eq!(headings, expected);
    let adr = host.run(&["report", "--format", "adr"]).stdout;
    let parts = [
        "### SQLite\n\nits case; an attack against it\n\nFor it:\n\n* S3.1: Option 3 works (",
        "* S3.2: They fail (",
        "Against it:\n\n* S1.2: They fail (",
        "* S2.2: They fail (",
    ];
    let places = parts.map(|part| adr.find(part));
    assert!(places[0].is_some() && places.iter().all(Option::is_some), "{adr}");
}

#[test]
fn an_option_that_attacks_fewer_than_two_others_is_asked_again_once() {
    let host = Host::new();
    host.prompt(
        "one",
        &format!("/anvil:debate {QUESTION} --options \"Redis, SQLite, nothing new\""),
    );
    for voice in 1..=3 {
        host.stop("one", &case(voice));
    }
    let few = host.stop("one", &attack(1, [2, 2])).context().to_owned();
    assert!(few.contains("once more ── attack at least two of the other options"), "{few}");
    let next = host.stop("one", &attack(1, [2, 2])).context().to_owned();
    assert!(next.starts_with("── Attack 2 of 3: SQLite ──"), "{next}");
    let two = host.stop("one", &attack(2, [1, 3])).context().to_owned();
    assert!(two.starts_with("── Attack 3 of 3: nothing new ──"), "{two}");
}

#[test]
fn options_that_cannot_be_argued_are_refused_with_one_line() {
    let host = Host::new();
    let long = format!("Redis, {}", "x".repeat(61));
    for (arguments, why) in [
        (vec!["--options", "Redis"], "takes 2 to 6 options with commas between them"),
        (vec!["--options", "1, 2, 3, 4, 5, 6, 7"], "takes 2 to 6 options"),
        (vec!["--options", "Redis, redis"], "takes every option once"),
        (vec!["--options", "Redis, do not"], "can't have an option called do not"),
        (vec!["--options", &long], "at most 60 characters"),
        (vec!["--options", "a, b", "--persona", "regulator"], "--persona don't go together"),
        (vec!["--options", "a, b", "--stakeholders", "c, d"], "--stakeholders don't go together"),
        (vec!["--options", "a, b", "--mode", "philosopher"], "--mode don't go together"),
        (vec!["--options", "a, b, c", "--blind"], "blind openings need an advocate and a critic"),
        (vec!["--mode", "options"], "there is no mode named \"options\""),
    ] {
        let refused = host.run(&[&["start", "Why?"], &arguments[..]].concat());
        assert!(refused.code == 2 && refused.stderr.contains(why), "{arguments:?}: {refused:?}");
        assert!(!host.state_path().exists());
    }
}

#[test]
fn no_defaults_file_sets_options() {
    for file in [".claude/anvil.local.md", "home"] {
        let host = Host::new();
        let path = match file {
            "home" => host.home().join(".claude/anvil.local.md"),
            file => host.path(file),
        };
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, "---\noptions: [Redis, PostgreSQL]\n---\n").unwrap();
        let refused = host.run(&["start", "Why?"]);
        let line = "--options belongs to one question";
        assert!(refused.code == 2 && refused.stderr.contains(line), "{refused:?}");
    }
}

#[test]
fn typed_options_replace_default_voices() {
    let host = Host::new();
    fs_err::create_dir_all(host.path(".claude")).unwrap();
    let defaults = "---\nmode: philosopher\npersona: regulator\nblind: true\n---\n";
    fs_err::write(host.path(".claude/anvil.local.md"), defaults).unwrap();
    let started = host.run(&["start", "Why?", "--options", "a, b, c"]);
    assert_eq!((started.code, host.head("options")), (0, r#"["a", "b", "c"]"#.into()));
    assert_eq!((host.head("mode"), host.head("phase")), ("options".into(), "option".into()));
}

#[test]
fn a_question_of_two_options_offers_them_once() {
    let offer = "The first reply proposes a motion; --options \"Redis, Memcached\" compares \
                 options instead.";
    let host = Host::new();
    let started = host.prompt("one", "/anvil:debate Should we use Redis or Memcached? --rounds 1");
    assert_eq!(started.message().matches(offer).count(), 1, "{started:?}");
    assert!(!started.context().contains("--options"), "{started:?}");
    assert!(!host.stop("one", TWO[0]).message().contains(offer));
    for (question, options) in [
        ("Should we use Redis?", vec![]),
        ("Should we use Redis or Memcached?", vec!["--options", "Redis, Memcached"]),
        ("Should we use Redis or Memcached?", vec!["--stakeholders", "sales, ops"]),
    ] {
        let host = Host::new();
        let started = host.run(&[&["start", question], &options[..]].concat());
        assert!(started.code == 0 && !started.stdout.contains("proposes a motion"), "{started:?}");
    }
}

/// A project with a script of replies for every seat of four options.
fn scripted(judgments: &[[&str; 4]]) -> (Host, String) {
    let host = Host::new();
    let mut script = String::new();
    for voice in 1..=4 {
        let others = [voice % 4 + 1, (voice + 1) % 4 + 1];
        let (own, against) = (case(voice), attack(voice, others));
        writeln!(script, "# voice {voice}\n{own}\n# attack by voice {voice}\n{against}").unwrap();
    }
    for (at, names) in (1..).zip(judgments) {
        let slot =
            if judgments.len() == 1 { "synthesis".to_owned() } else { format!("judge {at}") };
        writeln!(script, "# {slot}\n{}", judgment(*names)).unwrap();
    }
    fs_err::write(host.path("replies.md"), script).unwrap();
    let agent = format!("script:{}", host.path("replies.md").display());
    (host, agent)
}

#[test]
fn isolated_options_attack_blind_and_judges_rank_them() {
    let [redis, postgres, sqlite, nothing] = FOUR;
    let ranked = [FOUR, [redis, sqlite, postgres, nothing], [postgres, redis, sqlite, nothing]];
    let (host, agent) = scripted(&ranked);
    let options = FOUR.join(", ");
    let voice = format!("SQLite={agent}");
    let ran = host.run(&[
        "run",
        QUESTION,
        "--options",
        &options,
        "--judges",
        "3",
        "--agent",
        &agent,
        "--voice",
        &voice,
        "--jobs",
        "4",
        "--fail-on",
        "not=PostgreSQL",
    ]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let text = host.state_text();
    assert!(text.contains("\n> verdict: Redis\n> judges: 2 of 3\n"), "{text}");
    assert!(
        text.contains("\n> 1. Redis\n> 2. PostgreSQL\n> 3. SQLite\n> 4. nothing new\n> option 1: "),
        "{text}"
    );
    let id = host.debate_id();
    let attempts = host.debate_folder(&id).join("attempts");
    let prompts: Vec<String> = (1..=11)
        .map(|attempt| {
            fs_err::read_to_string(attempts.join(format!("{attempt}/prompt.md"))).unwrap()
        })
        .collect();
    for (at, prompt) in prompts.iter().enumerate() {
        let shown = |what: &str| {
            (1..=4).filter(|voice| prompt.contains(&format!("WORD-{what}-{voice}"))).count()
        };
        let expected = match at {
            // Each case is written alone; an attack sees the other cases, and no attack.
            0..=3 => (0, 0),
            4..=7 => (3, 0),
            _ => (4, 4),
        };
        assert_eq!((shown("case"), shown("attack")), expected, "{at}\n{prompt}");
        let whose = "Which option is whose: Redis: voice 1; PostgreSQL: voice 2;";
        assert!(prompt.contains(whose), "{prompt}");
        assert_eq!(prompt.contains("They fail"), at > 7, "{prompt}");
    }
}

#[test]
fn gates_of_options_are_closed_unless_another_option_is_chosen() {
    let options = FOUR.join(", ");
    for (gate, code) in
        [("not=redis", 4), ("not=PostgreSQL", 0), ("do-not", 2), ("not=MySQL", 2), ("not=", 2)]
    {
        let (host, agent) = scripted(&[FOUR]);
        let ran = host.run(&[
            "run",
            QUESTION,
            "--options",
            &options,
            "--agent",
            &agent,
            "--fail-on",
            gate,
        ]);
        assert_eq!(ran.code, code, "{gate}: {ran:?}");
        assert_eq!(host.state_path().exists(), code != 2, "{gate}: nothing is paid for");
    }
    let host = Host::new();
    let refused = host.run(&["run", "Should we?", "--agent", "script:x", "--fail-on", "not=Redis"]);
    assert!(refused.code == 2 && refused.stderr.contains("--fail-on do-not"), "{refused:?}");
}

#[test]
fn an_option_in_the_question_is_a_verdict_and_closes_do_not() {
    // Without --options nothing is ranked.
    let has_rank = |line: &&str| !line.contains(". Redis") && !line.contains(". PostgreSQL");
    let lines = TWO[2].lines().filter(|line| has_rank(line) && !line.starts_with("option "));
    let synthesis = lines.collect::<Vec<_>>().join("\n");
    let script = format!(
        "# advocate, round 1\n{}\n# critic, round 1\n{}\n# synthesis\n{synthesis}\n",
        TWO[0], TWO[1]
    );
    for (question, gate, code) in [
        ("Redis or PostgreSQL?", "not=Redis", 0),
        ("Redis or PostgreSQL?", "not=PostgreSQL", 4),
        ("Should we move?", "do-not", 7),
    ] {
        let host = Host::new();
        fs_err::write(host.path("replies.md"), &script).unwrap();
        let agent = format!("script:{}", host.path("replies.md").display());
        let ran =
            host.run(&["run", question, "--rounds", "1", "--agent", &agent, "--fail-on", gate]);
        assert_eq!(ran.code, code, "{question} {gate}: {ran:?}");
        let verdict = host.run(&["status", "--json"]).json()["verdict"].clone();
        let expected: Value =
            if question.contains(" or ") { "PostgreSQL".into() } else { Value::Null };
        assert_eq!(verdict, expected, "{question}");
    }
}

#[test]
fn the_seats_of_two_options_take_agents_by_the_options_names() {
    let script = format!("# advocate, round 1\n{}\n# synthesis\n{}\n", TWO[0], TWO[2]);
    let own = format!("# critic, round 1\n{}\n", TWO[1]);
    let host = Host::new();
    fs_err::write(host.path("one.md"), script).unwrap();
    fs_err::write(host.path("own.md"), own).unwrap();
    let agent = |name: &str| format!("script:{}", host.path(name).display());
    let voice = format!("PostgreSQL={}", agent("own.md"));
    let words = ["run", QUESTION, "--options", "Redis, PostgreSQL", "--rounds", "1", "--agent"];
    let ran = host.run(&[&words[..], &[&agent("one.md"), "--voice", &voice]].concat());
    assert_eq!(ran.code, 0, "{ran:?}");
    let host = Host::new();
    let refused = host.run(&[&words[..], &["script:x", "--voice", "MySQL=codex"]].concat());
    assert!(refused.code == 2 && refused.stderr.contains("there is no voice MySQL"), "{refused:?}");
}
