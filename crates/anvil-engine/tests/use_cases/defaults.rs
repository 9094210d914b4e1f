//! What the files of the user and of the project decide, and where a report may go.

use std::time::Duration;

use anvil_engine::{Note, defaults, session};
use anvil_prompt::OwnAgent;
use anvil_store::RunRecord;
use testkit::world::{TestWorld, failure, parse_debate};

fn project_says(world: &TestWorld, lines: &str) {
    fs_err::create_dir_all(world.path(".claude")).unwrap();
    fs_err::write(world.path(".claude/anvil.local.md"), format!("---\n{lines}\n---\n")).unwrap();
}

fn start(world: &TestWorld, typed: &str) -> Result<(), String> {
    world.conversation("one").start(typed).map(drop).map_err(failure)
}

#[test]
fn a_projects_paths_start_at_its_root_and_names_stay_names() {
    let world = TestWorld::new();
    fs_err::create_dir_all(world.path("deep/er")).unwrap();
    fs_err::write(world.path("notes.md"), "Material.").unwrap();
    *world.folder.borrow_mut() = world.path("deep/er");
    for context in ["notes.md", "\"*.md\""] {
        project_says(&world, &format!("context: {context}\npersona: [sre-on-call, end-user]"));
        assert_eq!(start(&world, "Why? --replace"), Ok(()), "{context}");
        assert!(world.state_text().contains("> Material."), "{context}");
        let voices = world.state().debate.options.voices;
        let names: Vec<&str> = voices.iter().map(|voice| voice.name.as_str()).collect();
        assert_eq!(names, ["sre-on-call", "end-user"], "{context}");
    }
}

#[test]
fn the_question_about_a_plan_begins_with_its_heading_as_a_sentence() {
    for (heading, begins) in
        [("# Cache it", "Cache it. Will"), ("# Cache it?", "Cache it? Will"), ("Text.", "Will")]
    {
        let world = TestWorld::new();
        fs_err::write(world.path("plan.md"), format!("{heading}\n\nText.\n")).unwrap();
        assert_eq!(start(&world, "--plan=plan.md"), Ok(()));
        let question = world.state().debate.question;
        assert!(question.starts_with(begins), "{question}");
    }
}

#[test]
fn a_quick_debate_by_default_sets_the_rounds_and_nothing_else() {
    let world = TestWorld::new();
    project_says(&world, "quick: true");
    let settings = world.run(defaults::config).unwrap();
    let set: Vec<(&str, &str)> = settings
        .iter()
        .filter(|setting| setting.from != "built in")
        .map(|setting| (setting.name.as_str(), setting.value.as_str()))
        .collect();
    assert_eq!(set, [("rounds", "1"), ("quick", "true")]);
}

#[test]
fn a_file_of_defaults_has_at_most_64_kib() {
    let world = TestWorld::new();
    let file = |length: usize| {
        let line = "rounds: 2\n# ";
        project_says(&world, &format!("{line}{}", "x".repeat(length - line.len() - 9)));
        let text = fs_err::read_to_string(world.path(".claude/anvil.local.md")).unwrap();
        assert_eq!(text.len(), length);
        start(&world, "Why? --replace")
    };
    assert_eq!(file(65_536), Ok(()));
    assert_eq!(world.state().debate.options.max_rounds, 2);
    assert_eq!(file(65_537), Err("Defaults".to_owned()));
}

#[test]
fn rules_of_more_than_2400_characters_are_too_long() {
    let world = TestWorld::new();
    fs_err::create_dir_all(world.home().join(".claude")).unwrap();
    for (length, is_too_long) in [(2_400, false), (2_401, true)] {
        let file = world.home().join(".claude/anvil.local.md");
        fs_err::write(file, format!("---\nrounds: 2\n---\n{}\n", "x".repeat(length))).unwrap();
        let started = start(&world, "Why?");
        assert_eq!(started == Err("RulesTooLong".to_owned()), is_too_long, "{started:?}");
    }
    // A conversation has room for fewer.
    for (form, length, started) in [
        ("", 2_250, Ok(())),
        ("", 2_400, Err("OwnTexts".to_owned())),
        ("--framework decision-matrix", 1_400, Ok(())),
        ("--framework decision-matrix", 2_250, Err("OwnTexts".to_owned())),
    ] {
        let file = world.home().join(".claude/anvil.local.md");
        fs_err::write(file, "x".repeat(length)).unwrap();
        assert_eq!(start(&world, &format!("Why? --replace {form}")), started, "{form} {length}");
    }
}

#[test]
fn two_kinds_of_material_share_its_room() {
    let world = TestWorld::new();
    for name in ["a.txt", "b.md"] {
        fs_err::write(world.path(name), "A word.\n".repeat(2_500)).unwrap();
    }
    for (options, left_out) in
        [("--context a.txt", 0), ("--follow-up b.md", 0), ("--context a.txt --follow-up b.md", 2)]
    {
        assert_eq!(start(&world, &format!("Why? --replace {options}")), Ok(()));
        let notes = world.notes().into_iter();
        let cut = notes.filter(|note| matches!(note, Note::LeftOut(_))).count();
        assert_eq!(cut, left_out, "{options}");
    }
}

#[test]
fn a_preview_shows_the_request_to_a_seat_that_reads_the_projects_files() {
    let world = TestWorld::new();
    let (question, options) = parse_debate("Why?");
    let preview = world.run(|context| session::preview(context, &question, &options)).unwrap();
    let place = preview.debate().place();
    let [alone, inside] =
        [false, true].map(|in_project| preview.request(place, in_project, 100_000).unwrap());
    assert_ne!(alone.prompt, inside.prompt);
}

#[test]
fn the_truth_table_of_an_agent_of_the_users_own() {
    let world = TestWorld::new();
    fs_err::create_dir_all(world.home().join(".claude")).unwrap();
    let agents = |lines: &str| {
        let file = world.home().join(".claude/anvil.local.md");
        fs_err::write(file, format!("---\n{lines}\n---\n")).unwrap();
        let read = world.run(defaults::seat_defaults);
        read.map(|defaults| defaults.agents).map_err(|error| format!("{error:?}"))
    };
    let whole = OwnAgent {
        name: "fast-1".to_owned(),
        base: "cmd:fast".to_owned(),
        arguments: vec!["-a".to_owned(), "b".to_owned()],
        variables: vec![("HOST".to_owned(), "x=y".to_owned())],
        family: Some("ours".to_owned()),
        whole: Some(Duration::from_mins(10)),
        first_byte: Some(Duration::from_secs(90)),
        silence: Some(Duration::from_hours(24 * 7)),
        context: Some(1_000),
    };
    let described = "agent.fast-1: \"cmd:fast\"\nagent.fast-1.arguments: [\"-a\", \"b\"]\n\
                     agent.fast-1.environment: [\"HOST=x=y\"]\nagent.fast-1.family: ours\n\
                     agent.fast-1.max-reply: 10m\nagent.fast-1.max-first-byte: 90\n\
                     agent.fast-1.max-silence: 168h\nagent.fast-1.context: 1000";
    assert_eq!(agents(described), Ok(vec![whole]));
    for (line, why) in [
        ("agent.: x", "AgentName"),
        ("agent.é: x", "AgentName"),
        ("agent.claude: x", "AgentName"),
        ("agent.cmd: x", "AgentName"),
        ("agent.x.environment: [\"=x\"]", "Variable"),
        ("agent.x.environment: [\"X\"]", "Variable"),
        ("agent.x.environment: [\"X=\\0\"]", "Variable"),
        ("agent.x.max-reply: 0s", "Time"),
        ("agent.x.max-reply: 169h", "Time"),
        ("agent.x.max-reply: -1s", "Time"),
        ("agent.x.context: 999", "Tokens"),
        ("agent.x.nothing: 1", "NoPart"),
    ] {
        let refused = agents(line).unwrap_err();
        assert!(refused.contains(&format!("source: {why}")), "{line}: {refused}");
    }
}

#[test]
fn the_truth_table_of_the_path_of_a_report() {
    let world = TestWorld::new();
    fs_err::create_dir_all(world.path("docs")).unwrap();
    fs_err::write(world.path("mine.md"), "Mine.").unwrap();
    fs_err::write(world.path("plan.md"), "# Plan\n").unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(world.outside("x.md"), world.path("link.md")).unwrap();
    for (path, why) in [
        ("docs", "IsFolder"),
        ("new/", "IsFolder"),
        ("new\\", "IsFolder"),
        ("mine.md", "NotAReport"),
        #[cfg(unix)]
        ("link.md", "Irregular"),
        ("a.PDF", "OtherForm"),
        (".claude/anvil-state.local.md", "IsOwn"),
        (".claude/anvil-state.lock.local.md", "IsOwn"),
        ("~/.claude/anvil.local/x.md", "IsOwn"),
        ("../nosuch/a.md", "NoFolder"),
    ] {
        assert_eq!(start(&world, &format!("Why? --output {path}")), Err(why.to_owned()));
        assert!(!world.state_path().exists(), "{path}");
    }
    let document = start(&world, "--plan=plan.md --output docs/../plan.md");
    assert_eq!(document, Err("IsDocument".to_owned()));
    for (path, named) in [
        ("new/a.md", "new/a.md".to_owned()),
        ("./docs/../b.txt", "b.txt".to_owned()),
        ("~c.html", "~c.html".to_owned()),
        ("~/c.html", world.home().join("c.html").display().to_string()),
    ] {
        assert_eq!(start(&world, &format!("Why? --replace --output {path}")), Ok(()), "{path}");
        assert_eq!(world.state().debate.options.output, Some(named), "{path}");
    }
}

#[test]
fn the_truth_table_of_options_that_exclude_each_other() {
    let world = TestWorld::new();
    fs_err::write(world.path("plan.md"), "# Plan\n").unwrap();
    let long = format!("--stakeholders \"a, {}\"", "x".repeat(100));
    let most = "--persona x ".repeat(10);
    let too_many = format!("{most} --persona x");
    for (options, expected) in [
        ("--options \"a, b\" --blind", Ok("a, b")),
        ("--motion \"We split it\"", Ok("")),
        ("--stakeholders \" sales,  the ops \"", Ok("sales, the ops")),
        ("--persona sre-on-call --persona end-user", Ok("sre-on-call, end-user")),
        (&most, Ok("x, x, x, x, x, x, x, x, x, x")),
        (&too_many, Err("ManyVoices")),
        ("--options \"a, b\" --motion \"We split it\"", Err("Exclude")),
        ("--options \"a, b\" --mode analyst", Err("Exclude")),
        ("--options \"a, b\" --persona sre-on-call", Err("Exclude")),
        ("--options \"a, b\" --stakeholders \"c, d\"", Err("Exclude")),
        ("--stakeholders \"a, b\" --blind", Err("BlindVoices")),
        ("--mode devils-advocate", Err("NoPosition")),
        (
            "--persona x --persona y --persona z --mode devils-advocate --position no",
            Err("TwoSeats"),
        ),
        (&long, Err("Name")),
    ] {
        let started = start(&world, &format!("Why? --replace {options}"));
        let voices = started.map(|()| {
            let voices = world.state().debate.options.voices;
            voices.into_iter().map(|voice| voice.name).collect::<Vec<_>>().join(", ")
        });
        assert_eq!(voices.as_deref().map_err(String::as_str), expected, "{options}");
    }
    // Two personas revise a document.
    for (options, expected) in [
        ("", Ok(())),
        ("--persona z", Err("Exclude".to_owned())),
        ("--mode analyst", Err("Exclude".to_owned())),
    ] {
        let typed = format!("Why? --replace --persona x --persona y {options}");
        let (question, mut options) = parse_debate(&typed);
        options.revise = Some("plan.md".to_owned());
        let started = world.run(|context| session::start(context, None, &question, &options));
        assert_eq!(started.map(drop).map_err(failure), expected, "{typed}");
    }
}

#[test]
fn a_debate_keeps_the_text_of_a_persona_that_is_not_built_in() {
    let world = TestWorld::new();
    let secret = format!("ghp_{}", "a1B2".repeat(9));
    for (base, name) in [(world.root(), "ours"), (world.home(), "mine")] {
        let folder = base.join(".claude/anvil/personas");
        fs_err::create_dir_all(&folder).unwrap();
        fs_err::write(folder.join(format!("{name}.md")), format!("Knows {secret}")).unwrap();
    }
    assert_eq!(start(&world, "Why? --persona sre-on-call --persona ours --persona mine"), Ok(()));
    let texts = world.state().debate.options.voices.into_iter().map(|voice| voice.text);
    let masked = "Knows [masked: GitHub token]\n\n(1 secret is masked in this text)".to_owned();
    let expected = [None, Some(masked), Some(format!("Knows {secret}"))];
    assert_eq!(texts.collect::<Vec<_>>(), expected);
}

#[test]
fn a_persona_is_a_file_that_is_named_or_a_description() {
    let world = TestWorld::new();
    for name in ["mine.md", "my own.md"] {
        fs_err::write(world.path(name), "Knows it.").unwrap();
    }
    for (typed, text) in [
        ("mine.md", Ok(Some("Knows it."))),
        ("\"my own.md\"", Ok(Some("Knows it."))),
        ("\"a CI/CD engineer\"", Ok(None)),
        ("nosuch.md", Err("Missing")),
        ("\"./no such.md\"", Err("Missing")),
    ] {
        let started = start(&world, &format!("Why? --replace --persona {typed} --persona x"));
        let given = started.map(|()| world.state().debate.options.voices[0].text.clone());
        let given = given.as_ref().map(Option::as_deref).map_err(String::as_str);
        assert_eq!(given, text, "{typed}");
    }
}

#[test]
fn the_judges_in_the_users_defaults_set_their_number() {
    let world = TestWorld::new();
    fs_err::create_dir_all(world.home().join(".claude")).unwrap();
    let judges = |lines: &str| {
        let file = world.home().join(".claude/anvil.local.md");
        fs_err::write(file, format!("---\n{lines}\n---\n")).unwrap();
        let (question, options) = parse_debate("Why? --replace");
        let record = RunRecord::default();
        let started = world
            .run(|context| session::start_for_run(context, None, &question, &options, &record));
        started
            .map(|started| started.debate.options.judges)
            .map_err(|stopped| format!("{stopped:?}"))
    };
    for (lines, count) in [("judge: [claude, codex]", 2), ("judges: 2\njudge: [claude, codex]", 2)]
    {
        assert_eq!(judges(lines), Ok(count), "{lines}");
    }
    let refused = judges("judges: 3\njudge: [claude, codex]").unwrap_err();
    assert!(refused.contains("JudgesDiffer") && refused.contains("line: 3"), "{refused}");
}

#[test]
fn a_question_that_asks_nothing_is_noted() {
    let world = TestWorld::new();
    for (question, is_noted) in [("Why?", false), ("We split it.", true)] {
        assert_eq!(start(&world, &format!("{question} --replace")), Ok(()));
        let is_it = |note: &Note| matches!(note, Note::IsStatement);
        assert_eq!(world.notes().iter().any(is_it), is_noted, "{question}");
    }
}

#[test]
fn a_note_about_a_project_comes_once() {
    let world = TestWorld::new();
    fs_err::create_dir_all(world.path(".claude/anvil.local")).unwrap();
    // Git reads no such file, and so it can't say what it ignores.
    fs_err::write(world.path(".git"), "nothing").unwrap();
    let noted = || {
        assert_eq!(start(&world, "Why? --replace"), Ok(()));
        let is_noted = |is_it: fn(&Note) -> bool| world.notes().iter().any(is_it);
        [
            is_noted(|note| matches!(note, Note::EarlierRecords(_))),
            is_noted(|note| matches!(note, Note::GitRefuses(_))),
        ]
    };
    assert_eq!([noted(), noted()], [[true; 2], [false; 2]]);
}
