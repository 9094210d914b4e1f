//! The file system: whatever is at Anvil's paths, Anvil reports it in one line, loses nothing and
//! does not touch foreign files.

mod kinds;
mod links;
mod names;
mod permissions;
pub(crate) mod space;

use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use testkit::host::{Answer, Host, Output};

/// The user and group `nobody`.
const NOBODY: u32 = 65_534;

/// Everything below a folder: path, mode, modification time, and content or link target.
fn snapshot(folder: &Path) -> Vec<(PathBuf, u32, i64, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs_err::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let meta = fs_err::symlink_metadata(&path).unwrap();
        let content = if meta.is_file() {
            fs_err::read(&path).unwrap()
        } else if meta.is_symlink() {
            fs_err::read_link(&path).unwrap().into_os_string().into_encoded_bytes()
        } else {
            Vec::new()
        };
        found.push((path.clone(), meta.mode(), meta.mtime(), content));
        if meta.is_dir() {
            found.extend(snapshot(&path));
        }
    }
    found.sort();
    found
}

/// A folder next to the project that Anvil was never told of.
struct Sentinel {
    folder: PathBuf,
    before: Vec<(PathBuf, u32, i64, Vec<u8>)>,
}

impl Sentinel {
    /// Its own `.claude` has copies of everything in the project's, so that a link to any of them
    /// looks right.
    fn of(host: &Host) -> Self {
        let folder = host.outside("sentinel");
        for (path, content) in host.files() {
            let copy = folder.join(path.strip_prefix(host.path(".claude")).unwrap());
            fs_err::create_dir_all(copy.parent().unwrap()).unwrap();
            fs_err::write(copy, content).unwrap();
        }
        fs_err::create_dir_all(&folder).unwrap();
        fs_err::write(folder.join("precious.md"), "precious").unwrap();
        let before = snapshot(&folder);
        Self { folder, before }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn is_untouched(&self) {
        assert_eq!(snapshot(&self.folder), self.before);
    }
}

/// One line that names the problem.
fn is_refused(answer: &Answer) {
    assert!(answer.context().is_empty(), "{answer:?}");
    let said = if answer.message().is_empty() { answer.reason() } else { answer.message() };
    assert!(
        said.starts_with("Anvil: ") && !said.contains('\n') && !said.contains(" fault in "),
        "{answer:?}"
    );
}

/// The same from the command line: the problem, a hint, and a matching exit code.
fn is_refused_print(printed: &Output) {
    assert!(printed.code != 0 && printed.stdout.is_empty(), "{printed:?}");
    assert!(
        printed.stderr.starts_with("anvil: ") && printed.stderr.lines().count() == 2,
        "{printed:?}"
    );
}

/// Every action on the debate fails, and each interface says so.
fn everything_is_refused(host: &Host) {
    is_refused(&host.stop("one", "A1."));
    for line in ["status", "resume", "cancel", "debate Another?"] {
        is_refused(&host.prompt("one", &format!("/anvil:{line}")));
    }
    for arguments in [&["status"][..], &["status", "--json"], &["cancel"], &["start", "Another?"]] {
        is_refused_print(&host.run(arguments));
    }
    // These may print something or nothing, and end.
    host.prompt("one", "my own words");
    host.session_start("two", "startup");
    host.session_start("one", "compact");
    host.session_end("one");
}

fn mode(path: &Path) -> u32 {
    fs_err::symlink_metadata(path).unwrap().permissions().mode() & 0o7777
}

fn set_mode(path: &Path, mode: u32) {
    fs_err::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

/// Whether the tests run as root, whom permissions do not stop.
fn is_root(host: &Host) -> bool {
    fs_err::metadata(host.root()).unwrap().uid() == 0
}

/// The host of an ordinary user. `None`, with a note: the tests run as root and cannot become one.
fn ordinary(host: Host) -> Option<Host> {
    if !is_root(&host) {
        return Some(host);
    }
    let user = [format!("--reuid={NOBODY}"), format!("--regid={NOBODY}")];
    let wrapper = ["setpriv", &user[0], &user[1], "--clear-groups"];
    let works = std::process::Command::new(wrapper[0]).args(&wrapper[1..]).arg("true").status();
    if !works.is_ok_and(|status| status.success()) {
        println!("skipped: setpriv can't make an ordinary user of root here");
        return None;
    }
    let host = host.with_own_program().through(&wrapper);
    give_away(&host.outside(""), NOBODY);
    Some(host)
}

/// Gives a tree to another user. Only root can do that.
fn give_away(path: &Path, user: u32) {
    std::os::unix::fs::lchown(path, Some(user), Some(user)).unwrap();
    if fs_err::symlink_metadata(path).unwrap().is_dir() {
        for entry in fs_err::read_dir(path).unwrap() {
            give_away(&entry.unwrap().path(), user);
        }
    }
}

/// Plays a whole debate of one round; returns the message of the last event.
fn play(host: &Host) -> String {
    assert!(host.stop("one", "A1.").context().starts_with("── Critic"));
    assert!(host.stop("one", "C1.").context().starts_with("── Synthesis ──"));
    let end = host.stop("one", "recommendation: Yes.");
    // A note may come before it.
    assert!(end.message().contains("Yes."), "{end:?}");
    end.message().to_owned()
}
