//! Full devices, and devices other than the project's.

use std::path::Path;
use std::process::Command;

use super::{is_refused, is_refused_print, play};
use testkit::host::Host;

/// Files that end after a few KB: a longer write fails, as on a full disk.
const SMALL_FILES: &[&str] = &["/bin/sh", "-c", "ulimit -f 8; exec \"$0\" \"$@\""];

fn files_named(host: &Host, part: &str) -> usize {
    host.files().iter().filter(|(path, _)| path.to_string_lossy().contains(part)).count()
}

#[test]
fn a_write_that_fails_in_the_middle_loses_nothing() {
    let host = Host::new().debating("Why?");
    let before = host.state_text();
    let host = host.through(SMALL_FILES);
    let answer = host.stop("one", &"A1. Long. ".repeat(20_000));
    is_refused(&answer);
    assert!(answer.message().contains("space"), "{answer:?}");
    assert_eq!(host.state_text(), before);
    assert_eq!(files_named(&host, ".anvil-tmp-"), 0);
    // The words are saved again when there is space again.
    let host = host.through(&[]);
    host.prompt("one", "/anvil:resume");
    assert!(host.stop("one", "A1.").context().starts_with("── Critic"));
}

#[test]
fn a_limit_of_file_sizes_is_an_error_and_leaves_no_file() {
    let host = Host::new().debating("Why?");
    let before = host.files();
    let host = host.through(&["/bin/sh", "-c", "ulimit -f 0; exec \"$0\" \"$@\""]);
    let answer = host.stop("one", "A1. Yes.");
    is_refused(&answer);
    assert_eq!(answer.message().lines().count(), 1, "{answer:?}");
    assert_eq!(files_named(&host, ".anvil-tmp-"), 0);
    assert_eq!(host.files(), before);
    is_refused_print(&host.run(&["resume"]));
}

#[test]
fn a_start_on_a_full_disk_keeps_the_old_debate() {
    let host = Host::new().debating("First?").through(SMALL_FILES);
    let before = host.state_text();
    let question = "Second? ".repeat(900);
    is_refused(&host.prompt("one", &format!("/anvil:debate {question}")));
    assert_eq!(host.state_text(), before);
    let host = Host::new().through(SMALL_FILES);
    is_refused(&host.prompt("one", &format!("/anvil:debate {question}")));
    is_refused_print(&host.run(&["start", &question]));
    assert!(!host.state_path().exists());
    assert_eq!(files_named(&host, ".anvil-tmp-"), 0);
}

#[test]
fn few_file_descriptors_do_not_hide_written_files() {
    let mut has_filed = false;
    for most in 3..20 {
        let script = format!("ulimit -n {most} && exec \"$0\" \"$@\"");
        let few = ["/bin/sh", "-c", &script];
        let host = Host::new().debating("Why?");
        let before = host.state_text();
        let host = host.through(&few);
        let Ok(answer) =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| host.stop("one", "A1.")))
        else {
            // The shell itself, or the program's start, needs more.
            assert_eq!(host.state_text(), before, "{most}");
            continue;
        };
        let is_filed = host.state_text() != before;
        assert_eq!(is_filed, answer.context().starts_with("── Critic"), "{most}: {answer:?}");
        assert!(!is_filed || !answer.message().contains("can't write"), "{most}: {answer:?}");
        has_filed |= is_filed;
        let host = Host::new().through(&few);
        let printed = host.run(&["start", "Why?"]);
        assert_eq!(host.state_path().exists(), printed.code == 0, "{most}: {printed:?}");
    }
    assert!(has_filed);
}

/// The way to mount a private file system here; `None`, with a note: impossible.
pub(crate) fn namespace() -> Option<Vec<&'static str>> {
    let ways = [vec!["unshare", "-m"], vec!["unshare", "-rm"]];
    let works = |way: &Vec<&str>| {
        let script = "mount -t tmpfs none /mnt";
        Command::new(way[0])
            .args(&way[1..])
            .args(["sh", "-c", script])
            .output()
            .is_ok_and(|output| output.status.success())
    };
    let found = ways.into_iter().find(works);
    if found.is_none() {
        println!("skipped: no file system can be mounted here");
    }
    found
}

fn in_namespace(host: Host, script: &str) -> Option<Host> {
    let mut wrapper = namespace()?;
    wrapper.extend(["sh", "-c", script]);
    Some(host.through(&wrapper))
}

#[test]
fn a_full_disk_loses_nothing() {
    let host = Host::new().debating("Why?");
    let before = host.state_text();
    // The project's folder on a disk of 64 KB; its content is copied out afterwards.
    let script = "cp -a .claude ../before && mount -t tmpfs -o size=64k none .claude && cp -a ../before/. .claude && \
        \"$0\" \"$@\"; code=$?; rm -rf ../after; cp -a .claude ../after; rm -rf ../before; exit $code";
    let Some(host) = in_namespace(host, script) else { return };
    let answer = host.stop("one", &"A1. Long. ".repeat(20_000));
    is_refused(&answer);
    assert!(answer.message().contains("space"), "{answer:?}");
    let after = host.outside("after");
    assert_eq!(fs_err::read_to_string(after.join("anvil-state.local.md")).unwrap(), before);
    let names = fs_err::read_dir(&after).unwrap().map(|entry| entry.unwrap().file_name());
    assert!(names.into_iter().all(|name| !name.to_string_lossy().starts_with(".anvil-tmp-")));
    // There is space for a short one.
    assert!(host.stop("one", "A1.").context().starts_with("── Critic"));
}

#[test]
fn reports_leave_space_for_the_state_file() {
    let argued = || {
        let host = Host::new().debating("Why? --rounds 1");
        host.stop("one", &"A1. Long. ".repeat(1_000));
        host.stop("one", &"C1. Long. ".repeat(1_000));
        host
    };
    let mut without_report = 0;
    for size in (64..=168).step_by(8) {
        let script = format!(
            "cd ../home && cp -a .claude ../before && mount -t tmpfs -o size={size}k none .claude && cp -a ../before/. .claude && \
             (cd ../project && \"$0\" \"$@\"); code=$?; cp -a .claude/. ../before; umount .claude; rm -rf .claude; mv ../before .claude; exit $code"
        );
        let host = argued();
        let before = host.state_text();
        let prose = "We keep it as it is. ".repeat(100);
        let synthesis = host.synthesis(&format!("recommendation: Keep it.\n\n{prose}"));
        let Some(host) = in_namespace(host, &script) else { return };
        let end = host.stop("one", &synthesis);
        println!("{size} {} {:?}", end.message(), host.record_files("report.md").len());
        let reports = host.record_files("report.md").len() + host.record_files("report.html").len();
        if end.message().contains("  Claims    2 weakened") {
            assert_eq!(host.head("status"), "completed", "{size} KiB: {end:?}");
            let is_told = end.message().contains("could not be written");
            assert_eq!(is_told, reports < 2, "{size} KiB: {end:?}");
            without_report += usize::from(reports == 0);
        } else {
            assert_eq!((host.state_text(), reports), (before, 0), "{size} KiB: {end:?}");
        }
    }
    assert!(without_report > 0, "no size has space for the state alone");
}

/// A folder on another device than the host's; `None`, with a note: there is none.
fn other_device() -> Option<tempfile::TempDir> {
    use std::os::unix::fs::MetadataExt as _;
    let device = |folder: &Path| fs_err::metadata(folder).map(|meta| meta.dev()).ok();
    let here = device(&testkit::host::temp_folder());
    let folders = ["/dev/shm".into(), std::env::temp_dir(), "/var/tmp".into()];
    let found =
        folders.into_iter().find(|folder| device(folder).is_some_and(|it| Some(it) != here));
    let folder = found.and_then(|folder| tempfile::tempdir_in(folder).ok());
    if folder.is_none() {
        println!("skipped: there is no other device");
    }
    folder
}

#[test]
fn a_debate_works_in_a_project_on_another_device() {
    let Some(other) = other_device() else { return };
    let host = Host::new().at(other.path()).debating("Why? --rounds 1");
    play(&host);
    assert!(!host.prompt("one", "/anvil:debate Another?").context().is_empty());
    assert_eq!(host.run(&["cancel"]).code, 0);
    assert_eq!(host.run(&["history", "--json"]).stdout.matches("\"status\"").count(), 2);
    // Times of two file systems prove nothing: an hour later, and an hour before.
    let host = host.debating("Why not?");
    for hours in [-1, 1] {
        for (path, _) in host.all_files() {
            let now = std::time::SystemTime::now();
            let hour = std::time::Duration::from_hours(1);
            let time = if hours < 0 { now - hour } else { now + hour };
            let is_record = path.starts_with(host.records());
            let file = std::fs::File::options().write(true).open(&path).unwrap();
            file.set_modified(if is_record { time } else { now }).unwrap();
        }
        let status = host.run(&["status"]).stdout;
        assert!(!status.contains("edited") && !status.contains("repaired"), "{status}");
        assert!(!host.stop("one", "**A1. One.** x").message().contains("repaired"));
    }
}

#[test]
fn a_report_goes_to_another_device_if_the_user_names_it() {
    let Some(other) = other_device() else { return };
    let report = other.path().join("report.md");
    let host = Host::new().debating(&format!("Why? --rounds 1 --output {}", report.display()));
    assert!(play(&host).contains(&format!("Report: {}\nPage: ~/.claude/", report.display())));
    assert!(fs_err::read_to_string(report).unwrap().contains("## Verdict"));
}

#[test]
fn records_on_another_device_work_or_nothing_changes() {
    let Some(other) = other_device() else { return };
    let host = Host::new().debating("Why?");
    host.stop("one", "A1. Precious.");
    let before = host.state_text();
    let debate = host.debate_folder_here();
    let script = format!(
        "cp -a {debate}/. {other} && mount --bind {other} {debate} && exec \"$0\" \"$@\"",
        debate = debate.display(),
        other = other.path().display()
    );
    let Some(host) = in_namespace(host, &script) else { return };
    let printed = host.run(&["cancel"]);
    if printed.code == 0 {
        let kept = fs_err::read_to_string(other.path().join("0002-critic-1.md")).unwrap();
        assert!(kept.contains("status: cancelled") && kept.contains("> A1. Precious."), "{kept}");
        assert_eq!(host.state_text(), kept);
    } else {
        is_refused_print(&printed);
        assert_eq!(host.state_text(), before);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_failing_standard_output_is_reported() {
    let full = ["/bin/sh", "-c", "exec \"$0\" \"$@\" >/dev/full"];
    let host = Host::new().debating("Why? --rounds 3").through(&full);
    is_refused_print(&host.run(&["status"]));
    // The hook cannot tell anybody. It exits normally; the reply is saved, and the next phase can
    // be requested.
    assert!(host.stop("one", "A1.").is_silent());
    let host = host.through(&[]);
    assert!(host.prompt("one", "/anvil:resume").context().contains("── Critic · round 1 of 3"));
    assert_eq!(host.sections().len(), 1);
}
