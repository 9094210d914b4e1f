//! Decision records in a folder of the project.

use testkit::host::{Host, Output, synthesis};

const ADR: [&str; 4] = ["report", "--format", "adr", "--output"];

/// Debates a question to its verdict, and gives its id.
fn debated(host: &Host, typed: &str) -> String {
    decided(host, typed, "Wait.")
}

/// Like `debated`, with this recommendation.
fn decided(host: &Host, typed: &str, recommendation: &str) -> String {
    host.prompt("one", &format!("/anvil:debate {typed} --rounds 1"));
    let verdict =
        format!("recommendation: {recommendation}\nverdict: do not\nrests on: C1\nconfidence: 70");
    let motion = host.state().debate.motion().map(str::to_owned);
    for reply in [
        "**A1. It is fast.** x",
        "**C1. It costs a year.** y",
        &synthesis(&verdict, &[], motion.as_deref()),
        "Yes.",
    ] {
        host.stop("one", reply);
    }
    assert_eq!(host.head("status"), "completed");
    host.state().debate.id
}

fn folder(host: &Host) -> Vec<String> {
    let files = fs_err::read_dir(host.path("docs/adr")).unwrap();
    let mut names: Vec<String> =
        files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn read(host: &Host, name: &str) -> String {
    fs_err::read_to_string(host.path("docs/adr").join(name)).unwrap()
}

fn record(host: &Host) -> Output {
    host.run(&[&ADR[..], &["docs/adr/"]].concat())
}

fn write(host: &Host, name: &str, content: impl AsRef<[u8]>) {
    fs_err::write(host.path("docs/adr").join(name), content).unwrap();
}

#[test]
fn a_record_takes_the_next_name_and_a_second_report_keeps_it() {
    let host = Host::new();
    let id = decided(&host, "Should we split?", "Split | the für team. It is large.");
    let printed = record(&host);
    assert_eq!(printed.code, 0, "{printed:?}");
    assert_eq!(folder(&host), ["0001-split-the-fur-team.md"]);
    let text = read(&host, "0001-split-the-fur-team.md");
    assert!(printed.stdout.trim_end().ends_with("0001-split-the-fur-team.md"), "{printed:?}");
    assert!(text.contains("\n# Split | the für team\n"), "{text}");
    assert!(text.contains(&format!("<!-- anvil-decision: {{\"id\":\"{id}\"")), "{text}");

    write(&host, "ADR-12.md", "x");
    write(&host, "0001-split-the-fur-team.md", text.replace("A1", "A2").replace('\n', "\r\n"));
    let again = host.run(&[&ADR[..], &["docs/adr"]].concat());
    assert_eq!(again.code, 0, "{again:?}");
    assert_eq!(folder(&host), ["0001-split-the-fur-team.md", "ADR-12.md"]);
    assert_eq!(read(&host, "0001-split-the-fur-team.md"), text);

    // Another name, and a debate of the same question.
    fs_err::rename(
        host.path("docs/adr/0001-split-the-fur-team.md"),
        host.path("docs/adr/0004-split.md"),
    )
    .unwrap();
    assert_eq!(record(&host).code, 0);
    assert_eq!(folder(&host), ["0004-split.md", "ADR-12.md"]);
    assert!(read(&host, "0004-split.md").contains("\"number\":4,"));
    decided(&host, "Should we split? --replace", "Split | the für team. It is large.");
    assert_eq!(record(&host).code, 0);
    assert_eq!(folder(&host)[2], "ADR-13-split-the-fur-team.md");
}

#[test]
fn the_page_names_its_record_with_the_status_and_the_owner_of_today() {
    let host = Host::new();
    let id = decided(&host, "Should we split?", "Keep it.");
    record(&host);
    let shown = || host.run(&["report"]).stdout;
    assert!(shown().contains("\n  Record          docs/adr/0001-keep-it.md, proposed\n"));
    let text = read(&host, "0001-keep-it.md");
    let decided = text.replace("status: proposed", "status: accepted\nowner: the data team");
    write(&host, "0001-keep-it.md", decided);
    assert_eq!(host.run(&["report", "--format", "html"]).code, 0);
    let page = host.records().join("debates").join(&id).join("report.html");
    let page = fs_err::read_to_string(page).unwrap();
    let line = "docs/adr/0001-keep-it.md, accepted; owner: the data team";
    assert!(page.contains(&format!("<dt>Record</dt><dd><p>{line}</p></dd>")), "{page}");
    // A file that is gone, or the record of another debate, says nothing.
    write(&host, "0001-keep-it.md", text.replace(&id, "2026-11-21-another-0001"));
    assert!(!shown().contains("Record  "), "{}", shown());
    fs_err::remove_file(host.path("docs/adr/0001-keep-it.md")).unwrap();
    assert!(!shown().contains("Record  "), "{}", shown());
}

#[test]
fn a_record_has_the_form_of_its_folder_and_no_other_file_is_written() {
    let host = Host::new();
    fs_err::create_dir_all(host.path("docs/adr")).unwrap();
    let table = "| [012](adr012-menus.md) | Menus | Accepted |\n";
    write(&host, "README.md", table);
    write(&host, "adr012-menus.mdx", "---\ntitle: 'ADR012: Menus'\n---\n\n* Status: accepted\n");
    write(&host, "adr-template.md", "# ADR000: {title}\n");
    let id =
        decided(&host, "Was ist <schneller>?", "C++ für {alles}, <5 ms: siehe https://a.example.");
    let printed = record(&host);
    let name = "adr013-c-plus-plus-fur-alles-5-ms-siehe-https-a-example.mdx";
    assert!(printed.stdout.trim_end().ends_with(name), "{printed:?}");
    let text = read(&host, name);
    for part in [
        "\n# ADR013: C++ für &#123;alles}, &lt;5 ms: siehe https://a.example\n",
        "\n{/* anvil-report */}\n",
        &format!("\n{{/* anvil-decision: {{\"id\":\"{id}\""),
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let (head, _) = text.split_once("{/* anvil-decision").unwrap();
    assert!(!head.contains(['{', '<']), "{head}");
    assert_eq!(read(&host, "README.md"), table);
    assert_eq!(folder(&host).len(), 4);
    // It is found again, and replaced.
    let again = record(&host);
    assert_eq!((again.code, folder(&host).len(), read(&host, name)), (0, 4, text));
    let checked = host.run(&["recheck", "docs/adr"]);
    assert!(checked.stdout.contains("Was ist"), "{checked:?}");

    // An index that names the newest record gets a line, which only is printed.
    fs_err::remove_file(host.path("docs/adr").join(name)).unwrap();
    let table = table.replace("menus.md", "menus.mdx");
    write(&host, "README.md", &table);
    let printed = record(&host);
    let line = format!("| [013]({name}) |");
    let says = "docs/adr/README.md does not list the record yet. Add the line: `";
    assert!(printed.stderr.contains(says) && printed.stderr.contains(&line), "{printed:?}");
    assert_eq!(read(&host, "README.md"), table);
}

#[test]
fn a_record_is_a_folder_where_each_record_is_one() {
    let host = Host::new();
    fs_err::create_dir_all(host.path("docs/adr/templates")).unwrap();
    decided(&host, "Should we split?", "Split the team.");
    fs_err::create_dir_all(host.path("docs/adr/0012-menus/pictures")).unwrap();
    write(&host, "templates/short.md", "# NNN. Title\n");
    // Their text has another name than is known: which one is the next record's?
    write(&host, "0012-menus/menus.md", "# 12. Menus\n");
    let printed = record(&host);
    let why = "the records in docs/adr are folders without a README or an index";
    assert!(printed.code == 2 && printed.stderr.contains(why), "{printed:?}");
    assert_eq!(folder(&host), ["0012-menus", "templates"]);

    write(&host, "0012-menus/README.md", "# 12. Menus\n\n## Status\n\nAccepted\n");
    write(&host, "README.md", "* [12. Menus](0012-menus/)\n");
    let printed = record(&host);
    let name = "0013-split-the-team/README.md";
    assert!(printed.stdout.trim_end().ends_with(name), "{printed:?}");
    let line = "Add the line: `* [13. Split the team](0013-split-the-team/)`";
    assert!(printed.stderr.contains(line), "{printed:?}");
    let text = read(&host, name);
    assert!(text.contains("\n# 13. Split the team\n"), "{text}");
    // It is found again: replaced, rechecked, and kept once somebody has decided it.
    write(&host, name, text.replace("A1", "A2"));
    assert_eq!(record(&host).code, 0);
    assert_eq!((folder(&host).len(), read(&host, name)), (4, text.clone()));
    let checked = host.run(&["recheck", "docs/adr"]);
    assert!(checked.stdout.contains("Should we split?"), "{checked:?}");
    write(&host, name, text.replace("status: proposed", "status: accepted"));
    assert!(record(&host).stderr.contains("is decided"));
    let printed = host.run(&[&ADR[..], &["docs/adr/0020-mine/README.md"]].concat());
    assert_eq!(printed.code, 0, "{printed:?}");
    assert!(read(&host, "0020-mine/README.md").contains("\n# 20. Split the team\n"));
}

#[test]
fn a_record_that_a_person_decided_or_edited_is_not_replaced() {
    let host = Host::new();
    debated(&host, "Why?");
    fs_err::create_dir_all(host.path("docs/adr")).unwrap();
    assert_eq!(record(&host).code, 0);
    let text = read(&host, "0001-wait.md");
    let decided = "0001-wait.md is decided";
    for (changed, why) in [
        (text.replace("status: proposed", "status: accepted"), decided),
        (text.replace("status: proposed", "status: >-\n  superseded by 5"), decided),
        (text.replace("status: proposed", "Status: \"Rejected\""), decided),
        (text.replace("## Context", "## Status\n\nSuperseded by 5\n\n## Context"), decided),
        (text.replace("## Context", "* Status: rejected\n\n## Context"), decided),
        (format!("{text}\nMine."), "0001-wait.md is not an Anvil report"),
    ] {
        write(&host, "0001-wait.md", &changed);
        let printed = record(&host);
        assert!(printed.code == 2 && printed.stderr.contains(why), "{printed:?}");
        let printed = host.run(&[&ADR[..], &["docs/adr/0001-wait.md"]].concat());
        assert!(printed.code == 2 && printed.stderr.contains(why), "{printed:?}");
        assert_eq!((folder(&host).len(), read(&host, "0001-wait.md")), (1, changed));
    }
}

#[test]
fn only_a_decision_goes_into_a_folder() {
    let host = Host::new();
    fs_err::create_dir_all(host.path("docs/adr")).unwrap();
    host.prompt("one", "/anvil:debate Why? --rounds 1");
    let printed = record(&host);
    assert!(printed.code == 2 && printed.stderr.contains("no verdict that rests"), "{printed:?}");
    debated(&host, "Why now? --replace");
    for (format, output) in [("md", "docs/adr/"), ("html", "docs/adr"), ("json", "docs/new/")] {
        let printed = host.run(&["report", "--format", format, "--output", output]);
        assert!(printed.code == 2 && printed.stderr.contains("is a folder"), "{printed:?}");
    }
    let own = host.records();
    let printed = host.run(&[&ADR[..], &[own.to_str().unwrap()]].concat());
    assert!(printed.code == 2 && printed.stderr.contains("Anvil's own files"), "{printed:?}");
    assert_eq!((folder(&host).len(), host.path("docs/new").exists()), (0, false));
    let outside = host.outside("decisions");
    let named = format!("{}/", outside.display());
    let printed = host.run(&[&ADR[..], &[&named]].concat());
    assert!(printed.code == 2 && printed.stderr.contains("there is no folder"), "{printed:?}");
    fs_err::create_dir(&outside).unwrap();
    let printed = host.run(&[&ADR[..], &[&named]].concat());
    assert_eq!(printed.code, 0, "{printed:?}");
    assert!(outside.join("0001-wait.md").exists());
}

#[test]
fn a_record_links_the_one_that_it_supersedes() {
    let host = Host::new();
    fs_err::create_dir_all(host.path("docs/adr")).unwrap();
    let first = decided(&host, "Should we ask?", "Ask @octo.");
    assert_eq!(record(&host).code, 0);
    let name = "0001 (a) [b] \"é\".md";
    fs_err::rename(host.path("docs/adr/0001-ask-octo.md"), host.path("docs/adr").join(name))
        .unwrap();
    let older = read(&host, name);
    for follows in [first.clone(), format!("'docs/adr/{name}'")] {
        debated(&host, &format!("And {}? --replace --follow-up {follows}", follows.len()));
        let printed = record(&host);
        assert_eq!(printed.code, 0, "{printed:?}");
        let text = fs_err::read_to_string(printed.stdout.trim_end()).unwrap();
        let link = "## More Information\n\nSupersedes [Ask octo]\
                    (0001%20%28a%29%20%5Bb%5D%20%22%C3%A9%22.md).\n";
        assert!(text.contains(link), "{text}");
        assert!(text.contains(&format!("\"supersedes\":\"{first}\"")), "{text}");
        assert_eq!(read(&host, name), older);
    }
    // Elsewhere there is nothing to link.
    let printed = host.run(&[&ADR[..], &["here.md"]].concat());
    let text = fs_err::read_to_string(printed.stdout.trim_end()).unwrap();
    assert!(text.contains("\n# Wait\n") && !text.contains("Supersedes ["), "{text}");
}

#[cfg(unix)]
#[test]
fn hostile_files_in_the_folder_are_not_read_as_records() {
    let host = Host::new();
    fs_err::create_dir_all(host.path("docs/adr")).unwrap();
    let first = debated(&host, "Why?");
    assert_eq!(record(&host).code, 0);
    let own = read(&host, "0001-wait.md");
    fs_err::remove_file(host.path("docs/adr/0001-wait.md")).unwrap();
    fs_err::write(host.path("away.md"), &own).unwrap();
    std::os::unix::fs::symlink(host.path("away.md"), host.path("docs/adr/0002-link.md")).unwrap();
    let pipe =
        std::process::Command::new("mkfifo").arg(host.path("docs/adr/0003-pipe.md")).status();
    assert!(pipe.unwrap().success());
    write(&host, "0004-large.md", format!("{}\n{own}", "x\n".repeat(1_000_000)));
    write(&host, "0005-bytes.md", [own.as_bytes(), b"\xff"].concat());
    write(&host, "0006-two.md", own.repeat(2));
    fs_err::create_dir(host.path("docs/adr/0007-folder.md")).unwrap();
    assert_eq!(record(&host).code, 0);
    assert!(folder(&host).contains(&"0008-wait.md".to_owned()), "{:?}", folder(&host));
    fs_err::remove_file(host.path("docs/adr/0008-wait.md")).unwrap();
    debated(&host, &format!("And now? --replace --follow-up {first}"));
    assert_eq!(record(&host).code, 0);
    assert!(!read(&host, "0008-wait.md").contains("Supersedes"));
    assert_eq!(fs_err::read_to_string(host.path("away.md")).unwrap(), own);

    let elsewhere = host.outside("elsewhere");
    fs_err::create_dir(&elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, host.path("linked")).unwrap();
    fs_err::create_dir(elsewhere.join("adr")).unwrap();
    for output in ["linked", "linked/", "linked/adr/"] {
        let printed = host.run(&[&ADR[..], &[output]].concat());
        assert_ne!(printed.code, 0, "{output}: {printed:?}");
    }
    assert_eq!(testkit::host::files(&elsewhere).len(), 0);
}

#[test]
fn decisions_that_are_written_at_once_have_numbers_of_their_own() {
    let host = Host::new();
    fs_err::create_dir_all(host.path("docs/adr")).unwrap();
    let ids = ["Why a?", "Why b?", "Why c?"]
        .map(|question| debated(&host, &format!("{question} --replace")));
    for _ in 0..5 {
        for name in folder(&host) {
            fs_err::remove_file(host.path("docs/adr").join(name)).unwrap();
        }
        let started = ids.each_ref().map(|id| {
            let arguments = ["report", id, "--format", "adr", "--output", "docs/adr/"];
            host.command(&arguments, host.root()).spawn().unwrap()
        });
        for mut run in started {
            assert!(run.wait().unwrap().success());
        }
        let numbers: Vec<String> = folder(&host).iter().map(|name| name[..4].to_owned()).collect();
        assert_eq!(numbers, ["0001", "0002", "0003"]);
    }
}
