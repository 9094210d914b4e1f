//! Reports, records of decisions and claims, as a user asks for them.

use std::path::PathBuf;

use anvil_core::options::ClaimsOptions;
use anvil_core::transcript::Author;
use anvil_engine::{Context, Note, Reported, SelectedClaims, TurnEnd, reports, session, tasks};
use anvil_report::{Format, RecordedDecision};
use anvil_text::error::{Kind, Result};
use testkit::world::{TestWorld, failure};

/// A debate from its start to its synthesis.
fn decided(world: &TestWorld, typed: &str) {
    let one = world.conversation("one");
    one.start(&format!("{typed} --rounds 1 --replace")).unwrap();
    one.argue(&["**A1. It pays.** So [evidence: src/nosuch.rs].", "**C1. It costs.** So."]);
    one.stop("recommendation: Wait.\nverdict: do not\nrests on: C1").unwrap();
}

#[track_caller]
fn write_report(world: &TestWorld, format: Format, output: &str) -> PathBuf {
    match world.run(|context| reports::report(context, None, None, Some(format), Some(output))) {
        Ok(Reported::Written(path)) => path,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_decision_has_one_record_in_a_folder_and_replaces_the_one_it_follows() {
    let world = TestWorld::new();
    fs_err::create_dir_all(world.path("docs/adr")).unwrap();
    decided(&world, "Split?");
    let record = |path: &PathBuf| {
        RecordedDecision::read(&fs_err::read_to_string(path).unwrap()).unwrap().unwrap()
    };
    let first = write_report(&world, Format::Adr, "docs/adr/");
    assert_eq!(write_report(&world, Format::Adr, "docs/adr/"), first);
    let id = record(&first).id;
    decided(&world, &format!("Split now? --follow-up {id}"));
    let second = write_report(&world, Format::Adr, "docs/adr/");
    assert_eq!((record(&first).number, record(&second).number), (Some(1), Some(2)));
    assert_eq!(record(&second).supersedes, Some(id));
    // By a name of the user's own too.
    let named = write_report(&world, Format::Adr, "docs/adr/0007-split.md");
    assert_eq!(record(&named).number, Some(7));
    // A report names the newest record.
    let report = write_report(&world, Format::Markdown, "after.md");
    assert!(fs_err::read_to_string(report).unwrap().contains("0007-split.md"));
}

#[test]
fn folders_in_another_form_stop_no_record_that_has_a_name() {
    for (has_own, known, expected) in [
        (false, None, Err("UnknownFolders".to_owned())),
        (true, None, Ok("0013-wait.md")),
        (false, Some("0013-menus.md"), Ok("0014-wait.md")),
    ] {
        let world = TestWorld::new();
        fs_err::create_dir_all(world.path("docs/adr/0012-cache")).unwrap();
        decided(&world, "Why?");
        if has_own {
            write_report(&world, Format::Adr, "docs/adr/");
        }
        if let Some(known) = known {
            fs_err::write(world.path("docs/adr").join(known), "# Menus\n").unwrap();
        }
        fs_err::write(world.path("docs/adr/0012-cache/cache.md"), "# Cache\n").unwrap();
        let (adr, output) = (Some(Format::Adr), Some("docs/adr/"));
        let written = world.run(|context| reports::report(context, None, None, adr, output));
        let written = written.map_err(failure).map(|written| match written {
            Reported::Written(path) => path,
            Reported::Text(text) => panic!("{text}"),
        });
        assert_eq!(written, expected.map(|name| world.path("docs/adr").join(name)));
    }
}

#[test]
fn an_index_of_a_folder_is_named_with_its_line_until_it_has_the_record() {
    let world = TestWorld::new();
    let folder = world.path("docs/adr");
    fs_err::create_dir_all(&folder).unwrap();
    let index = "| [0002](0002-menus.md) | Menus | Ratified |\n";
    for (name, text) in [
        ("0001-cache.md", "# Cache\n\n## Status\n\nAccepted, see 0002-menus.md\n"),
        ("0002-menus.md", "# Menus\n\n## Status\n\nRatified\n"),
        ("README.md", index),
        // No record of Anvil ends like this.
        ("index.txt", index),
    ] {
        fs_err::write(folder.join(name), text).unwrap();
    }
    decided(&world, "Why?");
    let written = || {
        let path = write_report(&world, Format::Adr, "docs/adr/");
        let lines = world.notes().into_iter().filter_map(|note| match note {
            Note::IndexLine { index, line } => Some((index, line)),
            _ => None,
        });
        (path, lines.collect::<Vec<_>>())
    };
    let line = "| [0003](0003-wait.md) | Wait | Proposed |".to_owned();
    let own = folder.join("0003-wait.md");
    assert_eq!(written(), (own.clone(), vec![("docs/adr/README.md".to_owned(), line.clone())]));
    fs_err::write(folder.join("README.md"), format!("{index}{line}\n")).unwrap();
    assert_eq!(written(), (own, vec![]));
}

#[test]
fn a_path_that_was_not_named_on_this_machine_is_not_written() {
    let world = TestWorld::new();
    let one = world.debating("Why? --rounds 1");
    one.argue(&["A1.", "C1."]);
    world.edit("max_rounds: 1\n", "max_rounds: 1\noutput: \"mine.md\"\n");
    one.stop("recommendation: Wait.").unwrap();
    let is_elsewhere =
        |note: &Note| matches!(note, Note::ReportElsewhere { wanted, .. } if wanted == "mine.md");
    assert!(world.notes().iter().any(is_elsewhere), "{:?}", world.notes());
    assert!(!world.path("mine.md").exists() && world.debate_folder().join("report.md").exists());
}

#[test]
fn a_place_that_a_report_can_not_take_is_said_with_the_reason() {
    for (is_folder, expected) in
        [(true, "it is not a regular file"), (false, "it is not an Anvil report")]
    {
        let world = TestWorld::new();
        let one = world.debating("Why? --rounds 1 --output mine.md");
        one.argue(&["A1.", "C1."]);
        if is_folder {
            fs_err::create_dir(world.path("mine.md")).unwrap();
        } else {
            fs_err::write(world.path("mine.md"), "Mine.").unwrap();
        }
        one.stop("recommendation: Wait.").unwrap();
        let why = |note| match note {
            Note::ReportElsewhere { why, .. } => Some(why),
            _ => None,
        };
        let said: Vec<_> = world.notes().into_iter().filter_map(why).collect();
        assert_eq!(said, [expected]);
    }
}

#[test]
fn a_completion_names_the_report_that_the_user_named_and_misses_those_that_are_gone() {
    for (typed, named) in [("", None), (" --output d.htm", None), (" --output d.md", Some("d.md"))]
    {
        let world = TestWorld::new();
        let one = world.debating(&format!("Why? --rounds 1{typed}"));
        let is_due = || world.run(|context| session::look(context, None)).unwrap().is_report_due;
        one.argue(&["A1.", "C1."]);
        assert!(!is_due(), "{typed}");
        let end = one.stop("recommendation: Wait.").unwrap();
        let TurnEnd::Completed(completed) = end else { panic!("{end:?}") };
        assert_eq!(completed.named_report().as_deref(), named, "{typed}");
        assert!(!is_due(), "{typed}");
        for path in [completed.report.unwrap(), world.debate_folder().join("report.md")] {
            let _ = fs_err::remove_file(path);
        }
        assert!(is_due(), "{typed}");
    }
    // Where no report can be written, one error says so.
    let world = TestWorld::new();
    let one = world.debating("Why? --rounds 1");
    one.argue(&["A1.", "C1."]);
    for name in ["report.md", "report.html"] {
        fs_err::create_dir(world.debate_folder().join(name)).unwrap();
    }
    let end = one.stop("recommendation: Wait.").unwrap();
    let TurnEnd::Completed(completed) = end else { panic!("{end:?}") };
    assert!(completed.report.is_err());
    let is_it = |note: &Note| matches!(note, Note::ReportNotWritten(_));
    assert!(!world.notes().iter().any(is_it), "{:?}", world.notes());
}

#[test]
fn a_seat_learns_no_author_of_a_claim_before_the_end() {
    let world = TestWorld::new();
    world.prepare("Why? --rounds 1");
    let ticket = world.ticket("a");
    world.run(|context| tasks::submit(context, &ticket, "**A1. It pays.** So.".into())).unwrap();
    for (is_seat, author) in [(false, Some("a")), (true, None)] {
        let next = world.next();
        let context = Context::new(&next);
        let context = if is_seat { context.of_seat() } else { context };
        let selected = reports::claims(&context, None, &ClaimsOptions::default()).unwrap();
        let authors: Vec<_> =
            selected.authors.iter().map(|one| one.as_ref().map(Author::name)).collect();
        assert_eq!(authors, [author]);
    }
}

#[test]
fn a_synthesis_that_decides_nothing_or_rests_on_no_claim_gets_no_record() {
    for (lines, outputs, kind, why) in [
        ("verdict: do never\nrests on: C1", &["record.md", "adr/"][..], Kind::Nothing, "NoVerdict"),
        ("verdict: do not\nrests on: nothing", &["adr/"], Kind::Usage, "NoNumber"),
    ] {
        let world = TestWorld::new();
        let one = world.debating("Why? --rounds 1");
        one.argue(&["**A1. It pays.** So.", "**C1. It costs.** So."]);
        one.stop(&format!("recommendation: Wait.\n{lines}")).unwrap();
        fs_err::create_dir(world.path("adr")).unwrap();
        for output in outputs {
            let adr = Some(Format::Adr);
            let refused = world
                .run(|context| reports::report(context, None, None, adr, Some(output)))
                .unwrap_err();
            assert_eq!((refused.kind(), &*failure(refused)), (kind, why), "{output}");
        }
        assert!(!world.path("record.md").exists());
    }
}

#[test]
fn the_page_is_that_of_the_newest_finished_debate_where_none_is_here() {
    let world = TestWorld::new();
    let page = || world.run(|context| reports::page(context, None, None));
    assert_eq!(failure(page().unwrap_err()), "NoneHere");
    decided(&world, "First?");
    decided(&world, "Second?");
    let here = world.debate_folder().join("report.html");
    assert_eq!(page().unwrap(), here);
    fs_err::remove_file(world.state_path()).unwrap();
    assert_eq!(page().unwrap(), here);
    // A debate here that can't be read is not passed over.
    fs_err::create_dir(world.state_path()).unwrap();
    assert_eq!(page().unwrap_err().kind(), Kind::Failed);
}

#[test]
fn where_no_document_is_revised_its_path_is_checked_first() {
    let world = TestWorld::new();
    decided(&world, "Why?");
    for (output, kind, why) in [
        (None, Kind::Nothing, "NoDocument"),
        (Some("-"), Kind::Nothing, "NoDocument"),
        (Some("x/"), Kind::Usage, "IsFolder"),
    ] {
        let refused = world.run(|context| reports::document(context, None, output)).unwrap_err();
        assert!(!refused.hint().plain().is_empty(), "{output:?}");
        assert_eq!((refused.kind(), &*failure(refused)), (kind, why), "{output:?}");
    }
}

/// The claims of the debate here that these filters select.
fn select(
    world: &TestWorld,
    id: Option<&str>,
    by: Option<&str>,
    state: Option<&str>,
) -> Result<SelectedClaims> {
    let [id, by, state] = [id, by, state].map(|word| word.map(str::to_owned));
    let options = ClaimsOptions { id, by, state, ..ClaimsOptions::default() };
    world.run(|context| reports::claims(context, None, &options))
}

#[test]
fn the_truth_table_of_selected_claims() {
    let world = TestWorld::new();
    decided(&world, "Why?");
    // The critic's reply has no move, which is about no claim.
    for (id, by, state, claims, findings) in [
        (None, None, None, "A1 C1", 3),
        (None, Some("advocate"), None, "A1", 2),
        (None, Some("critic"), None, "C1", 0),
        (None, None, Some("weakened"), "A1 C1", 2),
        (None, None, Some("withdrawn"), "", 0),
        (Some("A1"), None, None, "A1", 2),
        (Some("C1"), None, None, "C1", 0),
        (Some("A9"), None, None, "", 0),
    ] {
        let selected = select(&world, id, by, state).unwrap();
        let ids: Vec<String> = selected.claims().map(|claim| claim.id.to_string()).collect();
        assert_eq!(
            (&*ids.join(" "), selected.findings().len()),
            (claims, findings),
            "{id:?} {by:?}"
        );
    }
    assert_eq!(failure(select(&world, Some("9"), None, None).unwrap_err()), "NoNumber");
    // The number of a claim here is no name of a debate; another number may be one.
    let mut id = world.state().debate.id;
    for (name, claims) in [("c1", 1), ("c9", 2)] {
        world.edit(&format!("id: \"{id}\""), &format!("id: \"{name}\""));
        assert_eq!(
            select(&world, Some(name), None, None).unwrap().claims().count(),
            claims,
            "{name}"
        );
        id = name.to_owned();
    }
    // The moves are those on the selected claims.
    let world = TestWorld::new();
    let one = world.debating("Why? --rounds 1");
    one.argue(&[
        "**A1. It pays.** So.\n\n**A2. It lasts.** So.",
        "**C1. No.** So.\n\n**Attacks A1:** no.",
    ]);
    for (id, moves) in [(None, 1), (Some("A1"), 1), (Some("A2"), 0)] {
        let selected = select(&world, id, None, None).unwrap();
        assert_eq!(selected.moves().count(), moves, "{id:?}");
    }
    // A voice that has not spoken yet has made no claim.
    let world = TestWorld::new();
    world.prepare("Why? --stakeholders \"sales, ops\"");
    for (by, found) in [("ops", true), ("legal", false)] {
        let selected = select(&world, None, Some(by), None);
        assert_eq!(selected.map(|selected| selected.picked.len()).ok(), found.then_some(0), "{by}");
    }
}
