//! Links at the paths of Anvil's files and folders: nothing is written through any of them.

use std::os::unix::fs::symlink;
use std::path::Path;

use super::{Sentinel, everything_is_refused, is_refused, is_refused_print};
use testkit::host::Host;

/// Moves a file away and puts a link at its path.
fn link(from: &Path, to: &Path) {
    if fs_err::symlink_metadata(from).is_ok() {
        fs_err::rename(from, from.with_extension("moved")).unwrap();
    }
    fs_err::create_dir_all(from.parent().unwrap()).unwrap();
    symlink(to, from).unwrap();
}

#[test]
fn a_linked_state_file_is_refused_and_its_target_is_untouched() {
    for inside in [false, true] {
        let host = Host::new().debating("Why?");
        let sentinel = Sentinel::of(&host);
        let inner = host.path("inner.md");
        fs_err::copy(host.state_path(), &inner).unwrap();
        let target = if inside { inner.clone() } else { sentinel.path("anvil-state.local.md") };
        let text = fs_err::read(&target).unwrap();
        link(&host.state_path(), &target);
        everything_is_refused(&host);
        assert_eq!(fs_err::read_link(host.state_path()).unwrap(), target);
        // On request, a new debate moves the link away, not its target.
        assert!(!host.prompt("one", "/anvil:debate Another? --replace").context().is_empty());
        assert!(fs_err::symlink_metadata(host.state_path()).unwrap().is_file());
        assert_eq!(fs_err::read(&target).unwrap(), text);
        sentinel.is_untouched();
    }
}

#[test]
fn a_dangling_state_file_link_is_refused() {
    let host = Host::new().debating("Why?");
    link(&host.state_path(), &host.outside("made-by-nobody.md"));
    for line in ["status", "resume", "cancel", "debate Another?"] {
        is_refused(&host.prompt("one", &format!("/anvil:{line}")));
    }
    host.stop("one", "A1.");
    is_refused_print(&host.run(&["start", "Another?"]));
    assert!(!host.outside("made-by-nobody.md").exists());
}

#[test]
fn nothing_is_written_through_a_linked_claude_folder() {
    for inside in [false, true] {
        let host = Host::new().debating("Why?");
        let sentinel = Sentinel::of(&host);
        let inner = host.path("inner");
        link(&host.path(".claude"), if inside { &inner } else { &sentinel.folder });
        if inside {
            fs_err::rename(host.path(".moved"), &inner)
                .or_else(|_| fs_err::rename(host.path(".claude.moved"), &inner))
                .unwrap();
        }
        let before = super::snapshot(host.root());
        is_refused(&host.stop("one", "A1."));
        for line in ["resume", "cancel", "debate Another?", "debate Another? --replace"] {
            is_refused(&host.prompt("one", &format!("/anvil:{line}")));
        }
        is_refused(&host.prompt("one", "my own words"));
        for arguments in
            [&["cancel"][..], &["start", "Another?"], &["start", "Another?", "--replace"]]
        {
            is_refused_print(&host.run(arguments));
        }
        host.prompt("one", "/anvil:status");
        host.session_start("two", "startup");
        assert_eq!(super::snapshot(host.root()), before);
        sentinel.is_untouched();
    }
}

#[test]
fn a_new_debate_is_not_started_through_a_link() {
    let host = Host::new();
    let sentinel = Sentinel::of(&host);
    link(&host.path(".claude"), &sentinel.folder);
    is_refused(&host.prompt("one", "/anvil:debate Why?"));
    is_refused_print(&host.run(&["start", "Why?"]));
    assert!(!host.state_path().exists());
    sentinel.is_untouched();
}

#[test]
fn nothing_is_written_through_a_linked_lock_or_a_folder_of_records() {
    for is_lock in [true, false] {
        let host = Host::new().debating("Why?");
        let sentinel = Sentinel::of(&host);
        let before = host.state_text();
        if is_lock {
            link(&host.lock_path(), &sentinel.path("anvil-state.lock.local.md"));
        } else {
            link(&host.debate_folder_here(), &sentinel.folder);
        }
        if is_lock {
            is_refused(&host.stop("one", "A1."));
            is_refused(&host.prompt("one", "/anvil:resume"));
        }
        is_refused(&host.prompt("one", "/anvil:debate Another? --replace"));
        is_refused_print(&host.run(&["start", "Another?", "--replace"]));
        if is_lock {
            is_refused(&host.prompt("one", "/anvil:cancel"));
            is_refused_print(&host.run(&["cancel"]));
        }
        assert!(host.prompt("one", "/anvil:status").reason().contains("Why?"));
        assert_eq!(host.state_text(), before);
        sentinel.is_untouched();
    }
}

#[test]
fn a_dangling_lock_link_creates_no_file() {
    let host = Host::new().debating("Why?");
    link(&host.lock_path(), &host.outside("made-by-nobody"));
    is_refused(&host.stop("one", "A1."));
    assert!(!host.outside("made-by-nobody").exists());
}

#[test]
fn a_debate_whose_folder_for_texts_put_aside_is_a_link_stays_unchanged() {
    for make in [
        |path: &Path, to: &Path| symlink(to, path).unwrap(),
        |path: &Path, _: &Path| fs_err::write(path, "a file").unwrap(),
    ] {
        let host = Host::new().debating("Why?");
        host.stop("one", "A1.");
        let sentinel = Sentinel::of(&host);
        make(&host.aside_here(), &sentinel.folder);
        let before = host.state_text();
        is_refused(&host.prompt("one", "/anvil:undo"));
        is_refused_print(&host.run(&["undo"]));
        assert_eq!(host.state_text(), before);
        sentinel.is_untouched();
        assert!(host.stop("one", "C1.").context().starts_with("── Advocate"));
    }
}

#[test]
fn a_link_at_a_reports_path_is_replaced_and_not_followed() {
    let host = Host::new().debating("Why? --rounds 1");
    let sentinel = Sentinel::of(&host);
    for name in ["report.md", "report.html"] {
        symlink(sentinel.path("precious.md"), host.debate_folder_here().join(name)).unwrap();
    }
    let end = super::play(&host);
    assert!(end.contains("Page: "), "a link is replaced: {end}");
    assert_eq!((host.head("status").as_str(), host.sections().len()), ("completed", 3));
    sentinel.is_untouched();
}

#[test]
fn a_report_does_not_follow_a_link_at_its_path() {
    // Named at start, linked afterwards: a folder on the path, and the file itself.
    for (linked, target) in [("docs", ""), ("docs/a.md", "precious.md")] {
        let host = Host::new().debating("Why? --rounds 1 --output docs/a.md");
        let sentinel = Sentinel::of(&host);
        link(&host.path(linked), &sentinel.path(target));
        super::play(&host);
        sentinel.is_untouched();
    }
}
