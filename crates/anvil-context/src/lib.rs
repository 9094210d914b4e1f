//! The material of a debate: files, folders, changes and a pull request, gathered once at its
//! start.
//!
//! Invariants: nothing is written, and nothing asks the user. A file with a name that looks like a
//! secret is left out even if the user names it. A secret in a content is masked. The text is never
//! longer than its budget, and it names what it leaves out. Gathering never takes longer than its
//! time. The text has no path of the machine. Texts of others stand in fences that they can't
//! close.

mod changes;
mod cited;
mod deadline;
mod document;
mod error;
mod files;
mod folder;
mod listing;
mod names;
mod pull_request;
mod recheck;
mod secrets;
mod snapshot;
mod source;
mod text;
mod tree;
mod walk;

pub use cited::{CitedFiles, Presence};
pub use document::{Original, bytes_without_links};
pub use recheck::{WordsNow, recheck};
pub use snapshot::snapshot;

use std::path::{Path, PathBuf};
use std::time::Duration;

#[cfg(test)]
use anvil_system::process::Git;
use anvil_system::process::Tools;
use anvil_text::clean;
use anvil_text::error::{Kind, Result};
use anvil_text::masking;
use deadline::{Deadline, within};
use error::{MaterialError, TextError};
use names::Names;
use source::{Body, MaterialSource, SourcePart, compose};
use text::{Text, Unreadable};

/// Space for the line on masked secrets.
const MASKED_LINE: usize = 60;

/// Longest time to gather files, folders and changes.
const GATHERING: Duration = Duration::from_secs(5);

/// Longest time for a forge's program before that. Both together are less than 20 s, after which
/// the client ends a hook.
const ASKING: Duration = Duration::from_secs(7);

/// Work that has not checked its deadline after this time hangs.
const HANGING: Duration = Duration::from_secs(2);

/// The user's request.
#[derive(Clone, Debug)]
pub struct WantedMaterial {
    /// Files, folders and patterns of files.
    pub paths: Vec<String>,
    /// The changes since a revision; empty: staged and unstaged changes against HEAD.
    pub diff: Option<String>,
    pub pull_request: Option<u32>,
    /// Most characters of the text.
    pub budget: usize,
    /// The project, to which names of files are relative.
    pub project: PathBuf,
}

/// The material.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gathered {
    /// Markdown, at most as long as the budget.
    pub text: String,
    /// The names of the sources: `src/`, `diff`, `diff main`, `pull request 12 of github.com/o/r`.
    pub sources: Vec<String>,
    /// The parts that did not fit or were skipped, a phrase each.
    pub cut: Vec<String>,
    /// Other notes for the user, a sentence each.
    pub notes: Vec<String>,
}

/// The user's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserText {
    /// Without secrets.
    pub text: String,
    /// The text was longer.
    pub is_cut: bool,
    /// A note for the user.
    pub note: Option<String>,
}

/// Gathers the requested material. Relative paths are relative to `folder`, and git and gh run in
/// it.
pub fn gather(folder: &Path, wanted: WantedMaterial) -> Result<Gathered> {
    let folder = folder.to_owned();
    let asking = if wanted.pull_request.is_some() { ASKING } else { Duration::ZERO };
    let all = GATHERING + asking + HANGING;
    let done =
        within(all, move || gather_with(&folder, &wanted, &Tools::real(), GATHERING, ASKING));
    done.unwrap_or_else(|| Err(MaterialError::Late(all.as_secs()).into()))
}

/// The user's text file, at most `most` characters, without secrets.
pub fn read_text(path: &Path, most: usize) -> Result<UserText> {
    let name = clean(&path.to_string_lossy(), 300);
    let real = names::real(path);
    if secrets::looks_secret(path) || secrets::looks_secret(&real) {
        return Err(TextError::Secret(name).into());
    }
    let file = path.to_owned();
    let done =
        within(GATHERING + HANGING, move || text::read(&file, most, Deadline::after(GATHERING)));
    let text = done.unwrap_or(Err(Unreadable::Late));
    let text = text.map_err(|why| TextError::unread(name, why))?;
    Ok(user_text(&text, most, &names::line(Path::new(path.file_name().unwrap_or_default()))))
}

/// A text in memory, at most `most` characters, without secrets. `name` is the user's name for it.
pub fn masked_text(text: &str, most: usize, name: &str) -> UserText {
    user_text(&Text::whole(text.to_owned()), most, name)
}

/// A line of a text, at most `most` characters, without secrets.
pub fn masked_line(text: &str, most: usize) -> String {
    masking::line(text, most)
}

/// The name under which a path is saved: relative to the project, or the file's name alone.
pub fn saved_name(path: &Path, project: &Path, home: Option<&Path>) -> String {
    Names::new(project, home).file(path)
}

fn user_text(text: &Text, most: usize, name: &str) -> UserText {
    let mut part = text::fit(text, most);
    if part.masks > 0 {
        part = text::fit(text, most.saturating_sub(MASKED_LINE));
        part.text = with_masked_line(&part.text, part.masks);
    }
    let note =
        (part.masks > 0).then(|| format!("{} masked in {name}", masking::secrets_are(part.masks)));
    UserText { text: part.text, is_cut: part.kept < text.total, note }
}

fn with_masked_line(text: &str, masks: usize) -> String {
    format!("{}\n\n({} masked in this text)", text.trim_end(), masking::secrets_are(masks))
}

fn gather_with(
    folder: &Path,
    wanted: &WantedMaterial,
    tools: &Tools,
    gathering: Duration,
    asking: Duration,
) -> Result<Gathered> {
    // A forge is slow at times. The files have their own time.
    let pull_request = wanted.pull_request.map(|number| {
        let tools = Tools { deadline: Some(Deadline::after(asking).at()), ..tools.clone() };
        pull_request::source(folder, number, &tools)
    });
    let deadline = Deadline::after(gathering);
    let tools = &Tools { deadline: Some(deadline.at()), ..tools.clone() };
    let mut sources = Vec::new();
    let mut notes = Vec::new();
    if !wanted.paths.is_empty() {
        let mut paths = files::Paths {
            folder,
            names: Names::new(&wanted.project, tools.home.as_deref()),
            tools,
            deadline,
            seen: Vec::new(),
        };
        for (at, path) in wanted.paths.iter().enumerate() {
            if wanted.paths[..at].contains(path) {
                continue;
            }
            sources.push(paths.source(path)?);
        }
    }
    if let Some(revision) = &wanted.diff {
        let has_more = !wanted.paths.is_empty() || pull_request.is_some();
        match changes::source(folder, revision, tools) {
            // The debate can argue from the other material.
            Err(clean) if has_more && clean.kind() == Kind::Nothing => {
                notes.push(clean.to_string());
            }
            source => sources.push(source?),
        }
    }
    if let Some(source) = pull_request {
        sources.push(source?);
    }
    let mut gathered = compose(&sources, wanted.budget, deadline)?;
    gathered.notes.extend(notes);
    Ok(gathered)
}

#[cfg(test)]
mod tests {
    use super::source::{LEAST, share_budget};
    use super::*;
    use anvil_text::group;
    use proptest::prelude::*;
    use std::process::Command;

    /// A checkout in a folder that is removed with it.
    pub(super) struct Checkout {
        temp: tempfile::TempDir,
        pub tools: Tools,
    }

    impl Checkout {
        pub(crate) fn new() -> Self {
            let environment = [
                ("GIT_CONFIG_GLOBAL", "/dev/null"),
                ("GIT_CONFIG_NOSYSTEM", "1"),
                ("GIT_AUTHOR_NAME", "a"),
                ("GIT_AUTHOR_EMAIL", "a@example.org"),
                ("GIT_COMMITTER_NAME", "a"),
                ("GIT_COMMITTER_EMAIL", "a@example.org"),
            ];
            let environment = environment.map(|(name, value)| (name.into(), value.into())).to_vec();
            let temp = tempfile::tempdir().unwrap();
            let tools = Tools { environment, home: None, ..Tools::real() };
            let checkout = Self { temp, tools };
            checkout.git(&["init", "-q", "-b", "main"]);
            checkout
        }

        pub(crate) fn folder(&self) -> &Path {
            self.temp.path()
        }

        pub(crate) fn git(&self, arguments: &[&str]) {
            let envs = self.tools.environment.iter().map(|(name, value)| (name, value));
            let done = Command::new("git")
                .args(arguments)
                .envs(envs)
                .current_dir(self.folder())
                .output()
                .unwrap();
            assert!(
                done.status.success(),
                "{arguments:?}: {}",
                String::from_utf8_lossy(&done.stderr)
            );
        }

        pub(crate) fn commit(&self) {
            self.git(&["add", "-A"]);
            self.git(&["commit", "-q", "-m", "x"]);
        }

        pub(crate) fn write(&self, file: &str, content: impl AsRef<[u8]>) {
            write(self.folder(), file, content);
        }
    }

    /// A whole source.
    pub(crate) fn rendered(source: &MaterialSource) -> String {
        let (text, cut, _) = source.render(1_000_000, Deadline::after(GATHERING));
        assert!(cut.is_empty(), "{cut:?}");
        text
    }

    fn write(root: &Path, file: &str, content: impl AsRef<[u8]>) {
        fs_err::create_dir_all(root.join(file).parent().unwrap()).unwrap();
        fs_err::write(root.join(file), content).unwrap();
    }

    fn gathered(folder: &Path, paths: &[&str], budget: usize) -> Result<Gathered> {
        let paths: Vec<String> = paths.iter().map(|path| (*path).to_owned()).collect();
        let tools = Tools { home: Some(folder.join("home")), ..Tools::real() };
        let wanted = WantedMaterial {
            paths,
            diff: None,
            pull_request: None,
            budget,
            project: folder.to_owned(),
        };
        gather_with(folder, &wanted, &tools, GATHERING, ASKING)
    }

    #[test]
    fn no_request_gives_no_material() {
        assert_eq!(gathered(Path::new("/"), &[], 100).unwrap(), Gathered::default());
    }

    #[test]
    fn whole_files_are_listed_under_their_names() {
        let temp = tempfile::tempdir().unwrap();
        write(temp.path(), "a.rs", "fn a() {}\r\n");
        write(temp.path(), "home/b.md", "````\n");
        write(temp.path(), "empty", "");
        let all =
            gathered(temp.path(), &["a.rs", "~/b.md", "empty", "a.rs", "./a.rs"], 1_000).unwrap();
        let expected = "### `a.rs` (11 bytes)\n\n```rs\nfn a() {}\n```\n\n\
                        ### `home/b.md` (5 bytes)\n\n`````md\n````\n`````\n\n\
                        ### `empty` (0 bytes)\n\n```text\n```";
        assert_eq!(all.text, expected);
        assert_eq!(all.sources, ["a.rs", "home/b.md", "empty"]);
        assert!(all.cut.is_empty());
        let absolute = temp.path().join("sub/../a.rs");
        fs_err::create_dir(temp.path().join("sub")).unwrap();
        assert!(
            gathered(&temp.path().join("sub"), &["../a.rs"], 1_000)
                .unwrap()
                .text
                .starts_with("### `a.rs`")
        );
        assert!(
            gathered(Path::new("/"), &[absolute.to_str().unwrap()], 1_000)
                .unwrap()
                .text
                .contains("fn a()")
        );
    }

    #[test]
    fn patterns_name_files() {
        let temp = tempfile::tempdir().unwrap();
        for file in [
            "src/a.rs",
            "src/deep/b.rs",
            "src/c.py",
            "src/.hidden.rs",
            "src/node_modules/d.rs",
            "app/[id]/page.rs",
            "!odd.rs",
        ] {
            write(temp.path(), file, format!("// {file}\n"));
        }
        write(temp.path(), "src/deep/x.rs", b"a\0b");
        let headings = |pattern: &str| {
            let text = gathered(temp.path(), &[pattern], 10_000).unwrap().text;
            text.lines()
                .filter_map(|line| Some(line.strip_prefix("### `")?.split('`').next()?.to_owned()))
                .collect::<Vec<_>>()
        };
        assert_eq!(headings("src/**/*.rs"), ["src/a.rs", "src/deep/b.rs"]);
        assert_eq!(headings("src/*.{rs,py}"), ["src/a.rs", "src/c.py"]);
        assert_eq!(headings("*/a.rs"), ["src/a.rs"]);
        assert_eq!(headings("./src/deep/*.rs"), ["src/deep/b.rs"]);
        assert_eq!(headings("!*.rs"), ["!odd.rs"]);
        assert_eq!(headings("app/[id]/page.rs"), ["app/[id]/page.rs"]);
        let all = gathered(temp.path(), &["src/**/*.rs"], 10_000).unwrap();
        assert_eq!(all.cut, ["1 binary file in src/deep/"]);
        assert_eq!(all.sources, ["src/**/*.rs"]);
    }

    #[test]
    fn a_path_without_a_match_is_reported() {
        let temp = tempfile::tempdir().unwrap();
        write(temp.path(), "a.rs", "x");
        for path in ["b.rs", "src/", "a.rs/b", "*.py", "none/**/*.rs", "b.rs\n\u{1B}[31m"] {
            let error = gathered(temp.path(), &["a.rs", path], 1_000).unwrap_err();
            let name: String = path.chars().take(4).collect();
            assert!(
                error.to_string().contains(&name) && !error.to_string().contains(['\n', '\u{1B}']),
                "{error}"
            );
            assert_eq!(error.exit().code(), 2, "{path}");
            assert!(!error.hint().plain().is_empty());
        }
        assert_eq!(gathered(temp.path(), &[""], 1_000).unwrap_err().exit().code(), 2);
    }

    #[test]
    fn a_secret_file_is_refused_even_if_it_is_named() {
        let temp = tempfile::tempdir().unwrap();
        for file in [
            ".env",
            "a.rs",
            "keys/server.pem",
            ".ssh/config",
            ".claude/anvil-state.local.md",
            "keys/ok.txt",
        ] {
            write(temp.path(), file, "TOKEN\n");
        }
        write(temp.path(), "a.rs", "fine\n");
        write(temp.path(), "keys/ok.txt", "fine\n");
        #[cfg(unix)]
        std::os::unix::fs::symlink(".env", temp.path().join("harmless.txt")).unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(".ssh", temp.path().join("harmless")).unwrap();
        #[cfg(unix)]
        let paths =
            [".env", ".ssh/config", ".ssh", ".ssh/*", "harmless.txt", "harmless", "keys/*.pem"];
        #[cfg(not(unix))]
        let paths = [".env", ".ssh/config", ".ssh", ".ssh/*", "keys/*.pem"];
        for path in paths.into_iter().chain([".claude/anvil-state.local.md"]) {
            let error = gathered(temp.path(), &[path], 1_000).unwrap_err();
            assert_eq!(error.exit().code(), 3, "{path}: {error}");
            let all = gathered(temp.path(), &["a.rs", path], 1_000).unwrap();
            assert!(all.text.contains("fine") && !all.text.contains("TOKEN"), "{path}");
            assert_eq!((all.cut.len(), &*all.sources), (1, &["a.rs".to_owned()][..]), "{path}");
        }
        for path in [".", "keys", "**/*"] {
            assert!(
                !gathered(temp.path(), &[path], 10_000).unwrap().text.contains("TOKEN"),
                "{path}"
            );
        }
        assert!(read_text(&temp.path().join(".env"), 100).is_err());
        #[cfg(unix)]
        assert!(read_text(&temp.path().join("harmless.txt"), 100).is_err());
    }

    #[test]
    fn a_binary_file_is_reported() {
        let temp = tempfile::tempdir().unwrap();
        write(temp.path(), "a.png", b"\x89PNG\0");
        write(temp.path(), "late.bin", [vec![b'a'; 10_000], vec![0xFF]].concat());
        write(temp.path(), "a.rs", "x\n");
        let all = gathered(temp.path(), &["a.rs", "a.png", "late.bin"], 30_000).unwrap();
        assert_eq!(all.cut, ["a.png: is not text", "late.bin: is not text"]);
        assert_eq!(all.sources, ["a.rs"]);
        let error = gathered(temp.path(), &["a.png"], 1_000).unwrap_err();
        assert!(error.to_string().contains("(a.png: is not text)"), "{error}");
        #[cfg(unix)]
        {
            nix::unistd::mkfifo(&temp.path().join("pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
            let all = gathered(temp.path(), &["a.rs", "pipe", "/dev/zero"], 1_000).unwrap();
            assert_eq!(all.cut, ["pipe: is not a regular file", "zero: is not a regular file"]);
        }
    }

    #[test]
    fn the_budget_is_shared_fairly() {
        let temp = tempfile::tempdir().unwrap();
        write(temp.path(), "big.rs", "a line of big\n".repeat(3_000));
        write(temp.path(), "other.rs", "a line of other\n".repeat(3_000));
        write(temp.path(), "small.rs", "small\n".repeat(20));
        let all = gathered(temp.path(), &["big.rs", "small.rs", "other.rs"], 10_000).unwrap();
        let length = all.text.chars().count();
        assert!((9_800..=10_000).contains(&length), "{length}");
        assert!(all.text.contains(&"small\n".repeat(20)));
        let shares = ["of big", "of other"]
            .map(|word| all.text.lines().filter(|line| line.contains(word)).count());
        assert!(shares[0] * 14 > 4_500 && shares[1] * 16 > 4_500, "{shares:?}");
        assert_eq!(all.cut.len(), 2);
        assert_eq!(
            all.cut[0],
            format!("big.rs: the first {} of 42,000 characters", group(shares[0] * 14))
        );
        assert!(
            all.text
                .contains(&format!("… ({} more characters)\n```", group(42_000 - shares[0] * 14)))
        );
    }

    #[test]
    fn too_many_files_are_left_out_instead_of_cut_short() {
        let temp = tempfile::tempdir().unwrap();
        for number in 100..200 {
            write(temp.path(), &format!("{number}.rs"), "// a line of it\n".repeat(100));
        }
        let all = gathered(temp.path(), &["*.rs"], 3_000 + MASKED_LINE).unwrap();
        assert_eq!(all.text.matches("### `").count(), 10);
        assert!(all.text.chars().count() > 2_500);
        assert_eq!(all.cut.last().unwrap(), "*.rs: 85 more of 100 did not fit");
        assert!(all.cut.len() < 15);
        // Small ones all fit.
        for number in 100..200 {
            write(temp.path(), &format!("{number}.rs"), "//\n");
        }
        assert_eq!(
            gathered(temp.path(), &["*.rs"], 5_000).unwrap().text.matches("### `").count(),
            100
        );
    }

    #[test]
    fn sources_keep_the_requested_order() {
        let checkout = Checkout::new();
        checkout.write("src/a.rs", "fn one() {}\n");
        checkout.commit();
        checkout.write("src/a.rs", "fn two() {}\n");
        let paths = ["src".to_owned()];
        let wanted = WantedMaterial {
            paths: paths.to_vec(),
            diff: Some(String::new()),
            pull_request: None,
            budget: 5_000,
            project: checkout.folder().to_owned(),
        };
        let all =
            gather_with(checkout.folder(), &wanted, &checkout.tools, GATHERING, ASKING).unwrap();
        assert_eq!(all.sources, ["src/", "diff"]);
        let at = |word: &str| all.text.find(word).unwrap();
        assert!(at("### `src/` (1 file)") < at("### diff: `src/a.rs`"));
    }

    fn token() -> String {
        format!("ghp_{}", "aB3d".repeat(9))
    }

    #[test]
    fn secrets_are_masked_in_all_material_and_counted() {
        let checkout = Checkout::new();
        checkout.write("src/a.rs", "fn one() {}\n");
        checkout.commit();
        let url = "postgres://app:hunter2@db.example.org";
        checkout.write("src/a.rs", format!("pub const TOKEN: &str = \"{}\";\n", token()));
        checkout.write("README.md", format!("See {url}\n"));
        let paths =
            ["src".to_owned(), "src/*.rs".to_owned(), "README.md".to_owned(), ".".to_owned()];
        let wanted = WantedMaterial {
            paths: paths.to_vec(),
            diff: Some(String::new()),
            pull_request: None,
            budget: 9_000,
            project: checkout.folder().to_owned(),
        };
        let all =
            gather_with(checkout.folder(), &wanted, &checkout.tools, GATHERING, ASKING).unwrap();
        assert!(!all.text.contains("aB3d") && !all.text.contains("hunter2"), "{}", all.text);
        assert!(
            all.text.contains("+pub const TOKEN: &str = \"[masked: GitHub token]\";"),
            "{}",
            all.text
        );
        assert!(
            all.text.contains("See postgres://app:[masked: password]@db.example.org"),
            "{}",
            all.text
        );
        // In the file, the diff; and the README as a folder's and by its name.
        assert_eq!(all.notes, ["4 secrets are masked in the context"]);
        assert!(all.text.ends_with("\n\n(4 secrets are masked in this text)"));
    }

    #[test]
    fn a_secret_is_masked_before_a_text_is_cut() {
        let temp = tempfile::tempdir().unwrap();
        write(
            temp.path(),
            "a.txt",
            format!("{}{} {}", "x ".repeat(300), token(), "y ".repeat(3_000)),
        );
        for budget in 700..1_000 {
            let all = gathered(temp.path(), &["a.txt"], budget).unwrap();
            assert!(!all.text.contains("ghp_") && all.text.chars().count() <= budget, "{budget}");
            let has_line = all.text.ends_with("(1 secret is masked in this text)");
            assert_eq!(has_line, !all.notes.is_empty());
            let read = read_text(&temp.path().join("a.txt"), budget).unwrap();
            assert!(!read.text.contains("ghp_") && read.text.chars().count() <= budget, "{budget}");
            assert_eq!(
                read.text.ends_with("(1 secret is masked in this text)"),
                read.note.is_some()
            );
        }
        let read = masked_text(&format!("old: {}", token()), 500, "an earlier debate");
        assert_eq!(read.text, "old: [masked: GitHub token]\n\n(1 secret is masked in this text)");
        assert_eq!(read.note.unwrap(), "1 secret is masked in an earlier debate");
    }

    #[test]
    fn after_the_deadline_nothing_is_read_and_omissions_are_reported() {
        let checkout = Checkout::new();
        for number in 0..20 {
            checkout.write(&format!("src/{number}.rs"), "pub fn one() {}\n");
        }
        checkout.commit();
        checkout.write("src/0.rs", "pub fn two() {}\n");
        let over = |paths: &[&str], diff: Option<&str>| {
            let paths: Vec<String> = paths.iter().map(|path| (*path).to_owned()).collect();
            let wanted = WantedMaterial {
                paths,
                diff: diff.map(str::to_owned),
                pull_request: None,
                budget: 9_000,
                project: checkout.folder().to_owned(),
            };
            gather_with(checkout.folder(), &wanted, &checkout.tools, Duration::ZERO, Duration::ZERO)
                .map_err(|error| error.to_string())
        };
        let nothing = |why: &str| format!("none of the requested material could be used ({why})");
        assert_eq!(
            over(&["src/0.rs"], None).unwrap_err(),
            nothing("src/0.rs: was not read in time")
        );
        assert_eq!(
            over(&["src/*.rs"], None).unwrap_err(),
            nothing("src/*.rs: not every folder was scanned")
        );
        let folder = over(&["src"], None).unwrap();
        assert_eq!(folder.cut, ["src/: what was not scanned within 5 s"]);
        assert_eq!(over(&[], Some("")).unwrap_err(), nothing("diff: git was not done within 5 s"));
    }

    #[cfg(unix)]
    #[test]
    fn slow_ignore_rules_do_not_delay_the_debate() {
        let checkout = Checkout::new();
        for number in 0..50 {
            checkout.write(&format!("src/{number}.rs"), "pub fn one() {}\n");
        }
        checkout.commit();
        // Imitates git with thousands of rules over thousands of files.
        let script = "case \" $* \" in *--others*) exec sleep 60;; esac; exec git \"$@\"";
        let git = vec!["sh".into(), "-c".into(), script.into(), "git".into()];
        let tools = Tools { git, ..checkout.tools.clone() };
        let gather = |path: &str, tools: &Tools, gathering| {
            let wanted = WantedMaterial {
                paths: vec![path.to_owned()],
                diff: None,
                pull_request: None,
                budget: 9_000,
                project: checkout.folder().to_owned(),
            };
            gather_with(checkout.folder(), &wanted, tools, gathering, Duration::ZERO)
        };
        let hanging = Tools {
            git: vec!["sh".into(), "-c".into(), "exec sleep 60".into()],
            ..checkout.tools.clone()
        };
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let all = gather("src", &tools, Duration::from_secs(4)).unwrap();
                assert!(all.text.contains("`src/` (50 files)"), "{}", all.text);
                assert!(
                    all.notes[0].starts_with("git took too long to list what it ignores in src/"),
                    "{:?}",
                    all.notes
                );
            });
            for path in ["src", "src/*.rs"] {
                let (gather, hanging) = (&gather, &hanging);
                scope.spawn(move || {
                    let error = gather(path, hanging, Duration::from_secs(2)).unwrap_err();
                    let error = error.to_string();
                    assert!(error.contains("git took too long to list it"), "{error}");
                });
            }
        });
    }

    #[cfg(unix)]
    #[test]
    fn a_slow_forge_does_not_reduce_the_file_material() {
        let temp = tempfile::tempdir().unwrap();
        write(temp.path(), "a.rs", "pub fn one() {}\n");
        let tools =
            Tools { gh: vec!["sh".into(), "-c".into(), "exec sleep 60".into()], ..Tools::real() };
        let asking = Duration::from_millis(50);
        let paths = ["a.rs".to_owned()];
        let wanted = WantedMaterial {
            paths: paths.to_vec(),
            diff: None,
            pull_request: Some(7),
            budget: 9_000,
            project: temp.path().to_owned(),
        };
        let all = gather_with(temp.path(), &wanted, &tools, GATHERING, asking).unwrap();
        assert_eq!(
            (&*all.sources, &*all.cut),
            (
                &["a.rs".to_owned()][..],
                &["pull request 7: gh was not done within 7 s".to_owned()][..]
            )
        );
    }

    #[test]
    fn saved_material_contains_no_machine_path() {
        let temp = tempfile::tempdir().unwrap();
        let project = temp.path().join("project");
        write(temp.path(), "private/notes.txt", "text\n");
        write(temp.path(), "private/deep/more.txt", "text\n");
        write(&project, "src/a.rs", "fn a() {}\n");
        let place = temp.path().display().to_string();
        let typed = |path: &str| format!("{place}/{path}");
        for (path, label) in [
            (typed("private/notes.txt"), "notes.txt"),
            ("~/private/notes.txt".to_owned(), "notes.txt"),
            ("../private/notes.txt".to_owned(), "notes.txt"),
            (typed("private"), "private/"),
            (typed("private/**/*.txt"), "*.txt"),
            (typed("*/deep/*.txt"), "*.txt"),
            (typed("project/src"), "src/"),
            (typed("project/src/*.rs"), "src/*.rs"),
        ] {
            let tools = Tools { home: Some(temp.path().to_owned()), ..Tools::real() };
            let paths = [path.clone()];
            let wanted = WantedMaterial {
                paths: paths.to_vec(),
                diff: None,
                pull_request: None,
                budget: 9_000,
                project: project.clone(),
            };
            let all = gather_with(&project, &wanted, &tools, GATHERING, ASKING).unwrap();
            assert_eq!(all.sources, [label], "{path}");
            assert!(!all.text.contains(&place) && !all.text.contains(".."), "{path}: {}", all.text);
            let headings: Vec<&str> =
                all.text.lines().filter(|line| line.starts_with("### ")).collect();
            let is_bare = |heading: &&str| !heading.contains("private/") || label == "private/";
            assert!(headings.iter().all(is_bare), "{path}: {headings:?}");
        }
        assert_eq!(saved_name(&temp.path().join("private/notes.txt"), &project, None), "notes.txt");
    }

    #[test]
    fn a_text_is_read_up_to_a_limit() {
        let temp = tempfile::tempdir().unwrap();
        write(temp.path(), "a.md", "one\r\ntwo\r\n");
        let file = temp.path().join("a.md");
        let whole = UserText { text: "one\ntwo\n".to_owned(), is_cut: false, note: None };
        assert_eq!(read_text(&file, 8).unwrap(), whole);
        write(temp.path(), "a.md", "one\n".repeat(100));
        let UserText { text, is_cut, .. } = read_text(&file, 40).unwrap();
        assert_eq!((&*text, is_cut), ("one\none\none\none\n… (384 more characters)", true));
        assert_eq!(read_text(&temp.path().join("none"), 8).unwrap_err().exit().code(), 2);
        assert_eq!(read_text(temp.path(), 8).unwrap_err().exit().code(), 1);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn the_budget_is_never_exceeded(
            files in prop::collection::vec("([a-zé`]{0,40}\n?){0,30}", 1..8),
            budget in 0_usize..4_000,
        ) {
            let temp = tempfile::tempdir().unwrap();
            for (number, text) in files.iter().enumerate() {
                write(temp.path(), &format!("sub/{number}.md"), text);
            }
            for paths in
                [&["sub"][..], &["sub/*"], &["sub/0.md", "sub"], &["sub", "sub/*.md", "."]]
            {
                match gathered(temp.path(), paths, budget) {
                    Ok(all) => {
                        prop_assert!(!all.text.is_empty());
                        prop_assert!(all.text.chars().count() <= budget);
                    }
                    Err(error) => prop_assert_eq!(error.exit().code(), 3),
                }
            }
        }

        #[test]
        fn a_shared_budget_is_used_completely(
            demands in prop::collection::vec(0_usize..2_000, 0..12),
            budget in 0_usize..9_000,
        ) {
            let given =
                share_budget(&demands, budget, &mut |at, share| "x".repeat(demands[at].min(share)));
            let lengths: Vec<usize> = given.iter().map(String::len).collect();
            prop_assert!(lengths.iter().sum::<usize>() <= budget);
            // A demand of at most an equal share is met.
            for (demand, length) in demands.iter().zip(&lengths) {
                let share = budget / demands.len();
                prop_assert!(*length == *demand || *demand > share || share < LEAST);
            }
            if demands.iter().sum::<usize>() <= budget {
                prop_assert_eq!(&lengths, &demands);
            }
        }
    }
}
