//! Who owns the files, who may read and write them, and that this stays so.

use std::os::unix::fs::MetadataExt as _;

use super::{
    NOBODY, everything_is_refused, give_away, is_refused, is_refused_print, is_root, mode,
    ordinary, play, set_mode,
};
use testkit::host::Host;

/// A user who is neither root nor `nobody`.
const SOMEBODY: u32 = 12_345;

#[test]
fn the_modes_of_old_files_are_kept() {
    for wanted in [0o640, 0o644, 0o400, 0o444, 0o666] {
        let host = Host::new().debating("Why? --rounds 1 --output report.md");
        let report = host.path("report.md");
        fs_err::write(&report, "old").unwrap();
        set_mode(&report, wanted);
        set_mode(&host.state_path(), wanted);
        host.stop("one", "A1.");
        assert_eq!(mode(&host.state_path()), wanted);
        host.prompt("one", "my own words");
        host.prompt("one", "/anvil:resume");
        host.stop("one", "C1.");
        host.stop("one", "recommendation: Yes.");
        assert_eq!((mode(&host.state_path()), mode(&report)), (wanted, wanted));
        let id = host.state().debate.id;
        host.prompt("one", "/anvil:debate Another?");
        // What is the user's alone, nobody else reads.
        assert_eq!(mode(&host.snapshot(&id)), 0o600);
        assert_eq!(mode(&host.state_path()), 0o600);
    }
}

#[test]
fn new_files_are_private_under_any_umask() {
    for mask in ["000", "022", "077", "177", "277", "477", "777"] {
        let script = format!("umask {mask}; exec \"$0\" \"$@\"");
        let host = Host::new().through(&["/bin/sh", "-c", &script]).debating("Why? --rounds 1");
        host.session_start("one", "startup");
        let record = host.home().join(".claude/anvil.local/sessions/one");
        assert_eq!(mode(&record), 0o600, "{mask}");
        play(&host);
        let id = host.state().debate.id;
        for path in [host.state_path(), host.lock_path(), host.debate_folder(&id).join("report.md")]
        {
            assert_eq!(mode(&path), 0o600, "{}, {mask}", path.display());
        }
        host.prompt("one", "/anvil:debate Why? --rounds 1 --output docs/new.md");
        assert_eq!(mode(&host.snapshot(&id)), 0o600, "{mask}");
        play(&host);
        assert_eq!(mode(&host.path("docs/new.md")), 0o600, "{mask}");
        // The records of this machine are private to its user, and the project's files at least to
        // their owner.
        is_private_below(&host.records(), mask);
        for folder in [".claude", "docs"] {
            assert_eq!(mode(&host.path(folder)) & 0o700, 0o700, "{folder}, {mask}");
        }
        for (file, _) in host.files() {
            assert_eq!(mode(&file) & 0o600, 0o600, "{}, {mask}", file.display());
        }
    }
}

fn is_private_below(folder: &std::path::Path, mask: &str) {
    assert_eq!(mode(folder), 0o700, "{}, {mask}", folder.display());
    for entry in fs_err::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            is_private_below(&path, mask);
        } else {
            assert_eq!(mode(&path), 0o600, "{}, {mask}", path.display());
        }
    }
}

#[test]
fn an_ordinary_user_debates_under_a_full_umask() {
    let Some(host) = ordinary(Host::new()) else { return };
    let script = format!(
        "umask 777; exec {} \"$0\" \"$@\"",
        if is_root(&Host::new()) {
            "setpriv --reuid=65534 --regid=65534 --clear-groups"
        } else {
            ""
        }
    );
    let host = host.through(&["/bin/sh", "-c", &script]).debating("Why? --rounds 1");
    host.session_start("one", "startup");
    play(&host);
    assert_eq!(host.run(&["start", "Another?"]).code, 0);
    assert_eq!(host.run(&["cancel"]).code, 0);
}

#[test]
fn a_new_lock_is_private() {
    let host =
        Host::new().through(&["/bin/sh", "-c", "umask 0; exec \"$0\" \"$@\""]).debating("Why?");
    assert_eq!(mode(&host.lock_path()), 0o600);
}

#[test]
fn an_unwritable_folder_changes_nothing() {
    let Some(host) = ordinary(Host::new().debating("Why?")) else { return };
    let before = host.files();
    set_mode(&host.path(".claude"), 0o555);
    is_refused(&host.stop("one", "A1."));
    is_refused(&host.prompt("one", "my own words"));
    is_refused(&host.prompt("one", "/anvil:resume"));
    is_refused(&host.prompt("one", "/anvil:cancel"));
    is_refused(&host.prompt("one", "/anvil:debate Another? --replace"));
    is_refused_print(&host.run(&["cancel"]));
    is_refused_print(&host.run(&["start", "Another?", "--replace"]));
    assert_eq!(host.files(), before);
    assert!(host.prompt("one", "/anvil:status").reason().contains("Why?"));
    assert_eq!(host.run(&["status"]).code, 0);
    set_mode(&host.path(".claude"), 0o755);
    assert!(host.stop("one", "A2.").context().starts_with("── Critic"));
}

/// The user's folder can't be written to, or there is none.
#[test]
fn without_records_a_debate_goes_on_and_keeps_its_place() {
    let read_only = |host: &Host| {
        for name in ["debates", "places", "sessions", ""] {
            set_mode(&host.records().join(name), 0o555);
        }
        set_mode(&host.debate_folder_here(), 0o555);
        set_mode(&host.debate_folder_here().join("lock"), 0o444);
        set_mode(&host.records().join("lock"), 0o444);
    };
    let ordinary = ordinary(Host::new().debating("Why? --rounds 2"));
    let hosts = [
        ordinary.inspect(read_only),
        Some(Host::new().with("CLAUDE_CONFIG_DIR", "/dev/null/none").debating("Why? --rounds 2")),
    ];
    for host in hosts.into_iter().flatten() {
        assert!(host.stop("one", "A1. Precious.").context().starts_with("── Critic"));
        assert!(host.stop("one", "C1. Also.").context().starts_with("── Advocate"));
        let before = host.files();
        for line in ["undo", "debate Another? --replace"] {
            is_refused(&host.prompt("one", &format!("/anvil:{line}")));
        }
        let undone = host.run(&["undo", "--take-over"]);
        assert!(
            undone.stderr.contains("so nothing was changed") && undone.stderr.contains("hint: ")
        );
        // Before anything is paid.
        let paid = host.outside("paid");
        let agent = format!("cmd:/usr/bin/touch {}", paid.display());
        let elsewhere = host.outside("elsewhere");
        fs_err::create_dir_all(&elsewhere).unwrap();
        set_mode(&elsewhere, 0o777);
        let ran = host.run_at(&["run", "What?", "--agent", &agent], &elsewhere);
        assert!(ran.code != 0 && !paid.exists(), "{ran:?}");
        assert_eq!(host.files(), before);
        assert!(host.prompt("one", "/anvil:status").reason().contains("Why?"));
        let noted = host.run(&["history", "--outcome", "right"]);
        assert_ne!(noted.code, 0, "{noted:?}");
        assert!(!host.prompt("one", "/anvil:resume").context().is_empty());
        // A finished debate stays as it is.
        for reply in ["A2. More.", "C2. Less.", "recommendation: Wait."] {
            host.stop("one", reply);
        }
        assert_eq!(host.head("status"), "completed");
        let before = host.files();
        for line in ["again", "undo"] {
            is_refused(&host.prompt("one", &format!("/anvil:{line}")));
        }
        assert_eq!(host.files(), before);
    }
}

#[test]
fn no_debate_starts_in_an_unwritable_project() {
    let Some(host) = ordinary(Host::new()) else { return };
    set_mode(host.root(), 0o555);
    is_refused(&host.prompt("one", "/anvil:debate Why?"));
    is_refused_print(&host.run(&["start", "Why?"]));
    assert!(host.files().is_empty());
    set_mode(host.root(), 0o755);
}

#[test]
fn an_unreadable_folder_is_refused() {
    let Some(host) = ordinary(Host::new().debating("Why?")) else { return };
    set_mode(&host.path(".claude"), 0o000);
    for line in ["status", "resume", "cancel", "debate Another?"] {
        is_refused(&host.prompt("one", &format!("/anvil:{line}")));
    }
    is_refused_print(&host.run(&["start", "Another?"]));
    set_mode(&host.path(".claude"), 0o755);
    assert!(host.stop("one", "A1.").context().starts_with("── Critic"));
}

#[test]
fn an_unreadable_state_file_is_refused_and_kept() {
    let Some(host) = ordinary(Host::new().debating("Why?")) else { return };
    let before = host.state_text();
    set_mode(&host.state_path(), 0o000);
    everything_is_refused(&host);
    set_mode(&host.state_path(), 0o600);
    assert_eq!(host.state_text(), before);
}

#[test]
fn an_unreadable_file_of_another_user_is_refused() {
    let host = Host::new().debating("Why?");
    if !is_root(&host) {
        println!("skipped: only root can give a file away");
        return;
    }
    let before = host.state_text();
    let Some(host) = ordinary(host) else { return };
    give_away(&host.state_path(), SOMEBODY);
    everything_is_refused(&host);
    assert_eq!(host.state_text(), before);
    // If everybody can read it, it is an ordinary file in the user's own folder.
    set_mode(&host.state_path(), 0o644);
    assert!(!host.prompt("one", "/anvil:resume").context().is_empty());
    assert!(host.stop("one", "A1.").context().starts_with("── Critic"));
    assert_eq!(mode(&host.state_path()), 0o644);
}

#[test]
fn root_advances_another_users_debate() {
    let host = Host::new().debating("Why?");
    if is_root(&host) {
        give_away(host.root(), NOBODY);
        set_mode(&host.state_path(), 0o640);
    }
    assert!(host.stop("one", "A1.").context().starts_with("── Critic"));
    assert_eq!(host.run(&["cancel"]).code, 0);
}

#[test]
fn root_keeps_the_owner_of_a_file() {
    let host = Host::new().debating("Why?");
    if !is_root(&host) {
        println!("skipped: only root can give a file away");
        return;
    }
    give_away(host.root(), NOBODY);
    host.stop("one", "A1.");
    let meta = fs_err::metadata(host.state_path()).unwrap();
    assert_eq!((meta.uid(), meta.gid()), (NOBODY, NOBODY));
}
