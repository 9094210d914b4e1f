//! Earlier debates: their list, a single one, their texts, their pages, and the only way to delete
//! them.

use std::path::Path;

use testkit::host::Host;

/// Three debates: a whole one from five days ago, a cancelled one, and a paused one that is
/// current. Their ids end in `-0001` to `-0003`.
fn three() -> Host {
    let host = Host::new();
    debated(
        &host,
        "Should our team of eight split its Rails monolith into microservices, or wait a year?",
        1,
    );
    host.wait(86_400 * 2);
    host.prompt("one", "/anvil:debate Which cache? --mode philosopher --rounds 2 --replace");
    host.stop("one", "**A1. Redis.** It is a\ncache that we know.");
    host.prompt("one", "/anvil:cancel");
    rename(&host, 2);
    host.wait(86_400);
    host.prompt(
        "one",
        "/anvil:debate Who decides? --stakeholders \"sales, legal\" --position \"the cache team\"",
    );
    host.stop("one", "**V1.1. Sales.** Speed.");
    host.prompt("one", "Wait");
    rename(&host, 3);
    host
}

/// A whole debate, which then leaves its place.
fn debated(host: &Host, question: &str, number: u32) {
    host.prompt("one", &format!("/anvil:debate {question} --rounds 1 --replace"));
    host.stop("one", "**A1. Split.** One queue.");
    host.stop("one", "**C1. Wait.** Eight people.");
    host.stop("one", "recommendation: Keep the monolith, and enforce its boundaries in CI. Then measure.\nverdict: do not\nconfidence: 80");
    rename(host, number);
    host.put_away();
}

/// Gives the debate here, or the cancelled one, an id that is the same in every run.
fn rename(host: &Host, number: u32) {
    let is_new =
        |id: &str| id.rsplit('-').next().unwrap().parse().is_ok_and(|known: u32| known < 100);
    let debates = fs_err::read_dir(host.records().join("debates")).unwrap();
    let ids = debates.map(|debate| debate.unwrap().file_name().into_string().unwrap());
    let id = ids.into_iter().find(|id| !is_new(id)).unwrap();
    host.rename_debate(&id, &format!("{}-{number:04}", id.rsplit_once('-').unwrap().0));
}

/// A screen, independent of the host's folder.
fn screen(host: &Host, arguments: &[&str]) -> String {
    let printed = host.run(arguments);
    assert_eq!((printed.code, printed.stderr.as_str()), (0, ""), "{printed:?}");
    printed.stdout.replace(&host.root().display().to_string(), "PROJECT")
}

#[test]
fn the_list_shows_each_debates_number_and_verdict() {
    let host = three();
    let listed = screen(&host, &["history"]);
    let indent = " ".repeat(19);
    for line in [
        format!(" 1{:17}Who decides?\n{indent}paused: ", ""),
        format!(" 2{:17}Which cache?\n{indent}cancelled: ", ""),
        "  80%  Should our team of eight split its Rails monoli…  (1 caution)".to_owned(),
        format!("\n{indent}not do it. Keep the monolith, and enforce its boundaries in …\n"),
        " · 0001\n".to_owned(),
    ] {
        assert!(listed.contains(&line), "{line:?}\n{listed}");
    }
    assert!(listed.lines().all(|line| line.chars().count() <= 80), "{listed}");
    let by_hook = host.prompt("one", "/anvil:history").reason().to_owned();
    assert!(
        by_hook.lines().all(|line| line.chars().count() <= 70) && by_hook.contains("80%  Should"),
        "{by_hook}"
    );
    let told = host.run(&["history", "--json"]).json();
    assert_eq!(told.as_array().unwrap().len(), 3);
    let last = &told[2];
    for (key, value) in [
        ("id", "2026-11-21-should-our-team-of-0001"),
        ("mode", "analyst"),
        ("status", "completed"),
        ("started_at", "2026-11-21T03:00:00Z"),
        ("verdict", "do not"),
        ("recommendation", "Keep the monolith, and enforce its boundaries in CI. Then measure."),
        ("against", "what was not measured"),
        ("flips_if", "more than 5 fail"),
        ("unknown", "how many there are"),
    ] {
        assert_eq!(last[key], value, "{key}");
    }
    assert_eq!(
        (&last["rounds"], &last["cycle"], &last["confidence_percent"]),
        (&1.into(), &1.into(), &80.into())
    );
    assert_eq!(told[0]["voices"], serde_json::json!(["sales", "legal"]));
    assert_eq!(last["rests_on"], serde_json::json!(["A1"]));
    assert!(told[0]["report"].is_null() && told[0]["verdict"].is_null());
    for key in ["file", "report"] {
        assert!(Path::new(last[key].as_str().unwrap()).is_file(), "{key}");
    }
}

#[test]
fn a_debate_is_selected_by_number_or_start_or_end_of_its_id() {
    let host = three();
    let shown = |word: &str| {
        screen(&host, &["report", word, "--format", "md"]).lines().next().unwrap().to_owned()
    };
    assert_eq!(
        ["1", "2", "3"].map(shown),
        [
            "# Who decides?",
            "# Which cache?",
            "# Should our team of eight split its Rails monolith into microservices, or wait a year?"
        ]
    );
    for word in ["0002", "2026-11-23", "2026-11-23-which-cache-0002"] {
        assert_eq!(shown(word), "# Which cache?", "{word}");
    }
    for (word, code, said) in [
        ("4", 3, "there is no debate number 4: this project has 3"),
        ("0", 3, "there is no debate number 0"),
        ("0009", 3, "there is no debate 0009 here"),
        ("2026-11-2", 2, "3 debates have an id that begins with 2026-11-2"),
    ] {
        let printed = host.run(&["report", word]);
        assert!(printed.code == code && printed.stderr.contains(said), "{printed:?}");
    }
    // Every verb that takes an id.
    assert!(screen(&host, &["report", "3"]).starts_with("Should our team of eight"));
    assert!(host.run(&["report", "2", "--open"]).stdout.contains("2026-11-23-which-cache-0002"));
    assert!(screen(&host, &["undo", "--list", "2"]).starts_with("Anvil: Which cache?\n"));
    assert!(host.run(&["undo", "--to", "1", "0002"]).stderr.contains("another debate is here"));
    assert!(
        host.run(&["body", "embed", "3", "--body", "/dev/null"])
            .stdout
            .contains("should-our-team-of-0001")
    );
    host.run(&["cancel"]);
    assert_eq!(host.run(&["start", "And now?", "--follow-up", "3"]).code, 0);
    assert!(host.state_text().contains("The debate 2026-11-21-should-our-team-of-0001"));
}

#[test]
fn show_prints_the_verdict_and_all_replies_on_request() {
    let host = three();
    let before = host.files();
    let facts = "
  id              2026-11-21-should-our-team-of-0001
  status          completed
  started         2026-11-21T03:00:00Z
  changed         2026-11-21T03:00:30Z
  options         analyst mode, rounds: 1, 64 words, 3 replies, 30 s
  file            anvil.local/debates/2026-11-21-should-our-team-of-0001/0004-synthesis.md
  report          anvil.local/debates/2026-11-21-should-our-team-of-0001/report.md
  report          anvil.local/debates/2026-11-21-should-our-team-of-0001/report.html
";
    let verdict = "\
Argued by claude: one agent wrote both sides; judged by claude

  No: not do it, 80% sure.
  Keep the monolith, and enforce its boundaries in CI. Then measure.
  Why             So it is.
  Caution         The critic answered no claim of the others.
  Rests on        A1
  Counterargument what was not measured
  Would change if more than 5 fail
  Still unknown   how many there are

  2 claims: 2 weakened.
";
    let title = "Anvil: Should our team of eight split its Rails monolith into microservices,\n\
                 or wait a year?\n";
    let results = "\n  Arguments\n    A1  weakened  Split\n    C1  weakened  Wait\n";
    let page = "~/.claude/anvil.local/debates/2026-11-21-should-our-team-of-0001/report.html";
    let hint = format!("\nPage: {page}   /anvil:report 0001 --open shows it");
    assert_eq!(
        host.prompt("one", "/anvil:report 3").reason(),
        format!("{title}{verdict}{results}{facts}{hint}")
    );
    let title =
        "Should our team of eight split its Rails monolith into microservices, or wait a year?\n";
    let claims = "
── Claims ──

A1      Split
        no ground given
        weakened: by what was said
C1      Wait
        no ground given
        weakened: by what was said
";
    let replies = "
── Advocate, round 1 (4 words) ──

**A1. Split.** One queue.

── Critic, round 1 (4 words) ──

**C1. Wait.** Eight people.

── Synthesis (56 words) ──

So it is.

```anvil
recommendation: Keep the monolith, and enforce its boundaries in CI. Then measure.
verdict: do not
confidence: 80
A1 weakened: by what was said
C1 weakened: by what was said
motion: do it
against: what was not measured
rests on: A1
flips if: more than 5 fail
unknown: how many there are
```
";
    assert_eq!(
        screen(&host, &["report", "3", "--full"]),
        format!("{title}{verdict}{facts}{claims}{replies}")
    );
    let here = screen(&host, &["report", "--full"]);
    assert!(
        here.starts_with(
            "Who decides?\nArgued by claude (sales)\n\n  There is no synthesis yet.\n\n  1 claim, 1 open.\n\n  id   "
        ),
        "{here}"
    );
    assert!(
        here.contains("\n  position        the cache team\n  voices          sales, legal\n"),
        "{here}"
    );
    assert!(here.contains("\n\n── sales (3 words) ──\n"), "{here}");
    let model = host.run(&["report", "2026-11-21", "--format", "json"]).json();
    assert_eq!((&model["version"], &model["confidence_percent"]), (&3.into(), &80.into()));
    assert_eq!(host.files(), before, "a look writes nothing");
    assert_eq!(host.run(&["report", "2025"]).code, 3);
}

#[cfg(target_os = "linux")]
#[test]
fn only_text_longer_than_the_terminal_goes_through_a_pager() {
    if std::process::Command::new("script").arg("--version").output().is_err() {
        eprintln!("without the program `script` there is no terminal to try");
        return;
    }
    let host = three().with("SHELL", "/bin/sh").with("PAGER", "sed s/^/paged:/");
    let shown = |rows: u32, full: &str| {
        let line = format!(
            "stty cols 60 rows {rows}; exec {} report 3{full}",
            env!("CARGO_BIN_EXE_anvil")
        );
        let mut through = std::process::Command::new("script");
        through
            .args(["-qec", &line, "/dev/null"])
            .current_dir(host.root())
            .stdin(std::process::Stdio::null());
        let environment = host.command(&[], host.root());
        let given = environment
            .get_envs()
            .filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned())));
        through.env_clear().envs(given);
        String::from_utf8(through.output().unwrap().stdout).unwrap().replace('\r', "")
    };
    let paged = shown(10, " --full");
    assert!(
        paged.starts_with("paged:Should our team of eight split its Rails monolith into\n"),
        "{paged}"
    );
    assert!(
        paged.lines().all(|line| line.starts_with("paged:")) && paged.contains("**C1. Wait.**"),
        "{paged}"
    );
    assert!(shown(100, " --full").starts_with("Should our team"), "it fits");
    let summary = shown(100, "");
    assert!(
        summary.starts_with("Should our team of eight split its Rails monolith into\n"),
        "{summary}"
    );
    let hint =
        "  `anvil report 0001 --full` shows every reply, `anvil report 0001 --open` its page.\n";
    assert!(summary.ends_with(hint) && !summary.contains("**C1. Wait.**"), "{summary}");
    assert!(
        screen(&host, &["report", "3", "--full"]).starts_with("Should our team"),
        "no terminal"
    );
}

#[test]
fn a_search_lists_every_place() {
    let host = three();
    let found = "\
Anvil: \"a CACHE\" is in 1 place of 1 debate.

  2  Which cache?
     advocate, round 1  **A1. Redis.** It is a cache that we know.
";
    assert_eq!(screen(&host, &["history", "a  CACHE"]), found);
    let found = "\
Anvil: \"cache\" is in 3 places of 2 debates.

  1  Who decides?
     position           the cache team

  2  Which cache?
     question           Which cache?
     advocate, round 1  **A1. Redis.** It is a cache that we know.
";
    assert_eq!(screen(&host, &["history", "cache"]), found);
    let typed = host.prompt("one", "/anvil:history a CACHE").reason().to_owned();
    assert!(
        typed.contains("\n  2  Which cache?\n     advocate, round 1  **A1. Redis.**"),
        "{typed}"
    );
    let typed = host.prompt("one", "/anvil:history nowhere").reason().to_owned();
    assert!(typed.starts_with("Anvil: no debate in this project contains \"nowhere\""), "{typed}");
    let hits = host.run(&["history", "--json", "cache"]).json();
    assert_eq!(hits.as_array().unwrap().len(), 3);
    assert_eq!((&hits[2]["place"], &hits[2]["count"]), (&"advocate, round 1".into(), &1.into()));
    for (arguments, out) in
        [(&["history", "nowhere"][..], ""), (&["history", "nowhere", "--json"], "[]\n")]
    {
        let printed = host.run(arguments);
        assert_eq!((printed.code, printed.stdout.as_str()), (3, out), "{printed:?}");
    }
    assert_eq!(host.run(&["history", " "]).code, 2);
}

#[test]
fn pruning_lists_what_it_removes_and_asks_for_a_yes() {
    let host = three();
    let before = host.all_files();
    let said = screen(&host, &["prune", "--keep", "1"]);
    let id = "2026-11-21-should-our-team-of-0001";
    let own = testkit::host::files(&host.debate_folder(id)).into_iter();
    let own = own.filter(|(path, _)| !path.ends_with("lock") && !path.ends_with("debate.json"));
    let bytes = own.map(|(_, bytes)| bytes.len() as u64).sum();
    let all = anvil_text::size(bytes);
    assert_eq!(
        said,
        format!(
            "\
Anvil: 1 of 2 finished debates can be removed, with their verdicts: 4 files, {all}.

  {id}  Should our team of eight split its Rails monolith into micro…
    {all:>11}  ~/.claude/anvil.local/debates/{id} (4 files)

Nothing was removed. `anvil prune --keep 1 --yes` removes them.
"
        )
    );
    assert_eq!(host.all_files(), before);
    let planned = host.run(&["prune", "--keep", "1", "--json"]).json();
    assert_eq!((&planned["removed"], &planned["stay"]), (&false.into(), &1.into()));
    assert_eq!(host.all_files(), before);

    let printed = host.run(&["prune", "--keep", "1", "--yes"]);
    assert!(printed.stdout.ends_with(&format!("\n\nRemoved: 4 files, {all}.\n")), "{printed:?}");
    assert!(!host.records().join("debates").join(id).exists());
    assert_eq!(host.run(&["prune", "--keep", "1", "--yes"]).code, 3);
    // The current debate and the unfinished one always stay.
    assert_eq!(host.run(&["prune", "--keep", "0", "--yes"]).code, 0);
    let rest = host.run(&["history", "--json"]).json();
    assert_eq!((rest.as_array().unwrap().len(), &rest[0]["status"]), (1, &"paused".into()));
    assert_eq!(host.run(&["prune"]).code, 2);
}

#[test]
fn pruning_removes_attempts_of_programs_too() {
    let host = Host::new();
    fs_err::write(
        host.path("replies.md"),
        "# advocate, round 1\nA1. Yes.\n# critic, round 1\nC1. No.\n# synthesis\nWait.\n",
    )
    .unwrap();
    for question in ["First?", "Second?"] {
        let ran = host.run(&["run", question, "--rounds", "1", "--agent", "script:replies.md"]);
        assert_eq!(ran.code, 7, "{ran:?}");
    }
    let kept = || {
        let folders = fs_err::read_dir(host.records().join("debates")).unwrap();
        folders.map(|folder| folder.unwrap().file_name().into_string().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(kept().len(), 2);
    assert_eq!(host.run(&["prune", "--keep", "0", "--yes"]).code, 0);
    assert!(kept().len() == 1 && kept()[0].contains("second"), "{:?}", kept());
}

#[test]
fn unreadable_debates_are_listed_and_links_are_not_followed() {
    let host = three();
    let id = "2026-11-21-should-our-team-of-0001";
    fs_err::write(host.snapshot(id), b"\xff\x1b[2J").unwrap();
    fs_err::write(host.debate_folder(id).join("notes.txt"), "mine").unwrap();
    let listed = screen(&host, &["history"]);
    let end = format!(
        "  unreadable: ~/.claude/anvil.local/debates/{id}/0004-synthesis.md\n    it is not UTF-8\n"
    );
    assert!(listed.contains(" 2  ") && listed.ends_with(&end), "{listed}");
    assert_eq!(host.run(&["history", "--json"]).json()[2]["unreadable"], "it is not UTF-8");
    let printed = host.run(&["history", "cache"]);
    assert!(
        printed.code == 0 && printed.stderr.contains("0004-synthesis.md can't be searched"),
        "{printed:?}"
    );
    #[cfg(unix)]
    {
        let cancelled = host.debate_folder("2026-11-23-which-cache-0002");
        fs_err::rename(&cancelled, host.outside("debate")).unwrap();
        std::os::unix::fs::symlink(host.outside("debate"), &cancelled).unwrap();
        assert_eq!(host.run(&["prune", "--keep", "0", "--yes"]).code, 1);
        assert!(fs_err::read_dir(host.outside("debate")).unwrap().count() > 2);
    }
}

#[test]
fn lists_are_harmless_and_an_empty_project_is_no_error() {
    let host = Host::new();
    for arguments in [
        &["history"][..],
        &["report"],
        &["history", "x"],
        &["report", "--open"],
        &["prune", "--keep", "3"],
    ] {
        let printed = host.run(arguments);
        assert!(
            printed.code == 3 && printed.stderr.lines().count() == 2 && printed.stdout.is_empty(),
            "{printed:?}"
        );
    }
    assert_eq!(host.run(&["history", "--json"]).stdout, "[]\n");
    assert!(
        host.prompt("one", "/anvil:history")
            .reason()
            .contains("there is no debate in this project yet")
    );
    debated(&host, "Why \u{1b}[31mred\u{202e}?", 1);
    for arguments in [
        &["history"][..],
        &["history", "--json"],
        &["report", "2026"],
        &["history", "red"],
        &["history", "red", "--json"],
    ] {
        let printed = host.run(arguments);
        assert_eq!(printed.code, 0, "{printed:?}");
        assert!(!printed.stdout.contains(['\u{1b}', '\u{202e}']), "{printed:?}");
        assert!(
            !arguments.contains(&"--json") || printed.stdout.contains("\\u001b"),
            "{printed:?}"
        );
    }
}

#[test]
fn a_shell_lists_hundreds_of_debates_and_a_prompt_the_newest() {
    let host = Host::new();
    debated(&host, "Why?", 1);
    let first = "2026-11-21-why-0001";
    let text = fs_err::read_to_string(host.snapshot(first)).unwrap();
    let ids: Vec<String> =
        (1_000..1_300).map(|number| format!("2026-11-21-why-{number}")).collect();
    for id in &ids {
        fs_err::create_dir_all(host.debate_folder(id)).unwrap();
        let snapshot = host.debate_folder(id).join("0004-synthesis.md");
        fs_err::write(snapshot, text.replace(first, id)).unwrap();
    }
    for (path, place) in testkit::host::files(&host.records().join("places")) {
        let all = format!("\"{first}\",\"{}\"", ids.join("\",\""));
        let place = String::from_utf8(place).unwrap();
        fs_err::write(path, place.replace(&format!("\"{first}\""), &all)).unwrap();
    }
    assert_eq!(host.run(&["history", "--json"]).json().as_array().unwrap().len(), 301);
    let answer = host.prompt("one", "/anvil:history");
    let listed = answer.reason();
    assert!(listed.contains("  1  No: ") && listed.lines().count() < 70, "{listed}");
    assert!(listed.ends_with("… and 286 more: /anvil:history TEXT searches them all."), "{listed}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_page_is_rebuilt_and_opened_if_there_is_a_display() {
    use std::os::unix::fs::PermissionsExt as _;
    let host = three();
    let (bin, opened) = (host.outside("bin"), host.outside("opened"));
    fs_err::create_dir_all(&bin).unwrap();
    let script = format!(
        "#!/bin/sh\nprintf '%s\\n' \"$1\" \"$PWD\" > '{0}.new'\n/bin/mv '{0}.new' '{0}'\n",
        opened.display()
    );
    fs_err::write(bin.join("xdg-open"), script).unwrap();
    fs_err::set_permissions(bin.join("xdg-open"), std::fs::Permissions::from_mode(0o755)).unwrap();
    // Files of a repository: pages with a script, at every name of a debate, and links instead of
    // their folders.
    for form in ["report.md", "report.html"] {
        for (path, _) in host.record_files(form) {
            fs_err::write(path, "<script>alert(1)</script>").unwrap();
        }
    }
    fs_err::create_dir_all(host.path("evil")).unwrap();
    fs_err::write(host.path("evil/precious"), "<script>alert(1)</script>").unwrap();
    let id = "2026-11-21-should-our-team-of-0001";
    // A link at the page's path does not open its target.
    let records = host.records();
    let page_of = |id: &str| records.join("debates").join(id).join("report.html");
    fs_err::remove_file(page_of(id)).unwrap();
    std::os::unix::fs::symlink(host.path("evil/precious"), page_of(id)).unwrap();
    let (home, debates) = (files_below(&host.home()), host.records().join("debates"));
    let is_page = |path: &str, id: &str| {
        assert_eq!(std::path::Path::new(path), debates.join(id).join("report.html"));
        let meta = fs_err::symlink_metadata(path).unwrap();
        assert!(meta.is_file(), "{meta:?}");
        let page = fs_err::read_to_string(path).unwrap();
        assert!(page.contains("<h1 id=") && !page.contains("alert(1)"), "{page}");
    };
    let open = |host: &Host, arguments: &[&str]| {
        let printed = host.run(arguments);
        assert_eq!((printed.code, printed.stderr.as_str()), (0, ""), "{printed:?}");
        printed.stdout.trim_end().to_owned()
    };
    let unopened = |host: &Host, arguments: &[&str], why: &str| {
        let printed = host.run(arguments);
        let is_told = printed.stderr.contains(&format!("the page was not opened: {why}"));
        assert!(printed.code == 3 && is_told, "{printed:?}");
        // In Claude Code the path and the reason are shown, too.
        let said = host.prompt("any", "/anvil:report 2026-11-21 --open");
        assert!(said.reason().contains(&format!("was not opened: {why}")), "{said:?}");
        printed.stdout.trim_end().to_owned()
    };
    let host = host.with("PATH", &bin.display().to_string());
    is_page(&unopened(&host, &["report", "2026-11-21", "--open"], "there is no display"), id);
    let host = host.with("DISPLAY", ":0").with("PATH", "/nowhere");
    is_page(&unopened(&host, &["report", "3", "--open"], "xdg-open is not on"), id);
    assert!(!opened.exists(), "no program that opens it");
    let host = host.with("PATH", &bin.display().to_string());
    let is_opened = |id: &str| {
        wait_for(&opened);
        let told = fs_err::read_to_string(&opened).unwrap();
        fs_err::remove_file(&opened).unwrap();
        let (page, folder) = told.trim_end().split_once('\n').unwrap();
        is_page(page, id);
        assert_eq!(std::path::Path::new(folder), debates.join(id));
        page.to_owned()
    };
    // A file that replaced the page is not opened.
    fs_err::write(page_of(id), "<script>alert(1)</script>").unwrap();
    assert_eq!(open(&host, &["report", "2026-11-21", "--open"]), is_opened(id));
    let named = open(&host, &["report", "2026-11-21", "--open", "--output", "verdict.html"]);
    assert_eq!(named, host.path("verdict.html").display().to_string());
    wait_for(&opened);
    fs_err::remove_file(&opened).unwrap();
    // Also in the client, and for an unfinished debate.
    let here = "2026-11-24-who-decides-0003";
    let told = host.prompt("one", "/anvil:report --open").reason().to_owned();
    assert!(
        told.contains("There is no synthesis yet.")
            && told.contains(&is_opened(here)[host.home().to_string_lossy().len() + 1..]),
        "{told}"
    );
    for nowhere in [&["--format", "md"][..], &["--output", "-"], &["--output", "verdict.md"]] {
        let printed = host.run(&[&["report", "--open"], nowhere].concat());
        assert!(
            printed.code == 2 && printed.stderr.contains("--open works only with HTML"),
            "{printed:?}"
        );
    }
    let is_other = |path: &&std::path::PathBuf| !path.ends_with("report.html");
    let (now, home) = (files_below(&host.home()), home.iter().filter(is_other));
    assert!(now.iter().filter(is_other).eq(home), "nothing is left in the home");
    // Without a current debate it is the newest one, finished ones first.
    fs_err::remove_file(host.state_path()).unwrap();
    let page = page_of(id).display().to_string();
    assert_eq!(host.run(&["report", "--open"]).stdout.trim_end(), page);
    is_opened(id);
}

/// Every file below a folder.
#[cfg(target_os = "linux")]
fn files_below(folder: &Path) -> std::collections::BTreeSet<std::path::PathBuf> {
    let entries = fs_err::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path());
    entries
        .flat_map(|path| if path.is_dir() { files_below(&path) } else { [path].into() })
        .collect()
}

#[cfg(target_os = "linux")]
fn wait_for(file: &Path) {
    let waits = std::time::Instant::now();
    while !file.exists() && waits.elapsed().as_secs() < 10 {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}

#[test]
fn a_cancelled_debate_comes_back_by_its_id_and_is_no_decision() {
    let host = Host::new().debating("Why?");
    host.stop("one", "A1. Yes.");
    let id = host.state().debate.id;
    let end = &id[id.len() - 4..];
    let said = host.prompt("one", "/anvil:cancel");
    assert!(said.reason().contains(&format!("/anvil:resume {end} restores it")), "{said:?}");
    let back = host.prompt("one", &format!("/anvil:resume {end}"));
    assert!(back.context().contains("Anvil debate protocol"), "{back:?}");
    assert_eq!((host.state().debate.id, host.sections().len()), (id.clone(), 1));
    let printed = host.run(&["cancel", "--take-over"]);
    assert!(printed.stdout.contains(&format!("`anvil run --resume={end}` restores it")));
    // Another debate is here now.
    host.prompt("one", "/anvil:debate Why not?");
    for refused in [
        host.prompt("two", &format!("/anvil:resume {end}")).reason().to_owned(),
        host.run(&["run", &format!("--resume={end}"), "--agent", "cmd:true"]).stderr,
    ] {
        assert!(refused.contains("cancel"), "{refused}");
    }
    assert_ne!(host.state().debate.id, id);
}

#[cfg(target_os = "linux")]
#[test]
fn a_browser_in_a_snap_gets_a_page_that_it_can_read() {
    use std::os::unix::fs::PermissionsExt as _;
    let host = three();
    let (bin, opened) = (host.outside("bin"), host.outside("opened"));
    fs_err::create_dir_all(&bin).unwrap();
    let program = |name: &str, script: &str| {
        fs_err::write(bin.join(name), format!("#!/bin/sh\n{script}\n")).unwrap();
        let mode = std::fs::Permissions::from_mode(0o755);
        fs_err::set_permissions(bin.join(name), mode).unwrap();
    };
    let shown = opened.display();
    program("xdg-open", &format!("echo \"$1\" > {shown}.new; /bin/mv {shown}.new {shown}"));
    let host = host.with("DISPLAY", ":0").with("PATH", &bin.display().to_string());
    let opens = || {
        assert_eq!(host.run(&["report", "1", "--open"]).code, 0);
        wait_for(&opened);
        let path = fs_err::read_to_string(&opened).unwrap();
        fs_err::remove_file(&opened).unwrap();
        path.trim_end().to_owned()
    };
    let own = host.home().join("snap/firefox/common");
    let own_page = own.join("anvil-report.html");
    let in_records = |path: &str| path.ends_with("/report.html") && path.contains("/.claude/");
    for (browser, has_folder, is_copied) in [
        ("firefox.desktop", true, false),
        ("firefox_firefox.desktop", false, false),
        ("../firefox_firefox.desktop", true, false),
        ("firefox_firefox.desktop", true, true),
    ] {
        program("xdg-settings", &format!("echo {browser}"));
        let _ = fs_err::remove_dir_all(&own);
        if has_folder {
            fs_err::create_dir_all(&own).unwrap();
        }
        let path = opens();
        assert_eq!(std::path::Path::new(&path) == own_page, is_copied, "{browser}: {path}");
        assert!(is_copied || in_records(&path), "{browser}: {path}");
    }
    let copy = fs_err::read_to_string(&own_page).unwrap();
    assert!(copy.contains("<h1 id="), "{copy}");
    assert_eq!(fs_err::metadata(own_page).unwrap().permissions().mode() & 0o777, 0o600);
}
