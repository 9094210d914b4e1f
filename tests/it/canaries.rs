//! A hostile repository: whatever it sets, attributes or embeds, none of it runs, and nothing above
//! it is read.
//!
//! A canary is a program that leaves a mark. Each test sets one where git would call it, and does
//! everything that makes Anvil call git.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;

use testkit::host::{Answer, Host};

/// A repository with a commit, a change and a canary. No program but git is on its PATH.
struct Hostile {
    host: Host,
    canary: String,
    mark: PathBuf,
}

impl Hostile {
    fn new() -> Self {
        let host = Host::new();
        let (bin, mark) = (host.outside("bin"), host.outside("mark"));
        fs_err::create_dir(&bin).unwrap();
        let path = std::env::var_os("PATH").unwrap();
        let git = std::env::split_paths(&path)
            .map(|folder| folder.join("git"))
            .find(|git| git.is_file())
            .unwrap();
        fs_err::os::unix::fs::symlink(git, bin.join("git")).unwrap();
        let canary = host.outside("canary");
        program(&canary, &format!("echo \"$0 $*\" >> '{}'; exec /bin/cat", mark.display()));
        let host = host.with("PATH", bin.to_str().unwrap());
        let hostile = Self { host, canary: canary.to_str().unwrap().to_owned(), mark };
        hostile.git(&["init", "-q", "-b", "main"]);
        hostile.write("a.rs", "one\n");
        hostile.commit();
        hostile.write("a.rs", "one\ntwo\n");
        hostile
    }

    fn git_at(folder: &Path, arguments: &[&str]) {
        let mut command = Command::new("git");
        command.args([
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@b.c",
            "-c",
            "protocol.file.allow=always",
        ]);
        // The preparation of the repository must not fire the canary.
        command
            .args(["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"])
            .args(arguments);
        command
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .current_dir(folder);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {output:?}");
    }

    fn git(&self, arguments: &[&str]) {
        Self::git_at(self.host.root(), arguments);
    }

    fn commit(&self) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", "x"]);
    }

    fn set(&self, key: &str, value: &str) {
        self.git(&["config", key, value]);
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.host.path(path);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, text).unwrap();
    }

    /// The last commit's file is missing, as in a clone that fetches on demand.
    fn lack(&self, file: &str) {
        let output = Command::new("git")
            .args(["rev-parse", &format!("HEAD:{file}")])
            .current_dir(self.host.root())
            .output();
        let name = String::from_utf8(output.unwrap().stdout).unwrap();
        let (folder, name) = name.trim().split_at(2);
        fs_err::remove_file(self.host.path(".git/objects").join(folder).join(name)).unwrap();
        for (key, value) in [
            ("core.repositoryFormatVersion", "1"),
            ("extensions.partialClone", "origin"),
            ("remote.origin.promisor", "true"),
            ("protocol.allow", "always"),
        ] {
            self.set(key, value);
        }
    }

    /// A debate with the changes, in a subfolder.
    fn diff(&self, at: &str) -> Answer {
        let folder = self.host.path(at);
        let prompt = json!({ "prompt": "/anvil:debate Should we? --diff --replace" });
        self.host.event_at("one", "UserPromptSubmit", &prompt, &folder, Some(&folder))
    }

    /// Everything that makes Anvil call git, in a subfolder.
    fn do_all(&self, at: &str) {
        self.debate(at);
        let folder = self.host.path(at);
        self.host.run_at(&["doctor"], &folder);
        // gh is not installed; only the remotes are read.
        self.host.run_at(&["publish", "--issue", "7"], &folder);
    }

    /// The debates and the event that cause the calls.
    fn debate(&self, at: &str) {
        let folder = self.host.path(at);
        self.diff(at);
        for prompt in [
            "/anvil:debate Should we? --context . --replace",
            "/anvil:debate Should we? --diff HEAD~1 --replace",
        ] {
            self.host.event_at(
                "one",
                "UserPromptSubmit",
                &json!({ "prompt": prompt }),
                &folder,
                Some(&folder),
            );
        }
        self.host.event_at(
            "one",
            "SessionStart",
            &json!({ "source": "startup" }),
            &folder,
            Some(&folder),
        );
    }

    /// The canaries that have fired.
    fn fired(&self) -> String {
        fs_err::read_to_string(&self.mark).unwrap_or_default()
    }

    fn has_fired(&self) -> bool {
        self.mark.exists()
    }

    /// True if a canary fires in plain git.
    fn fires_in_plain_git(&self) -> bool {
        ["HEAD", "HEAD~1"].iter().any(|revision| {
            let mut command = Command::new("git");
            command
                .args(["diff", revision])
                .current_dir(self.host.root())
                .stdin(std::process::Stdio::null());
            let null = std::process::Stdio::null;
            let mut child = command.stdout(null()).stderr(null()).spawn().unwrap();
            // A canary that replaces a transport answers nothing, and git waits for it.
            for _ in 0..100 {
                if self.has_fired() || child.try_wait().unwrap().is_some() {
                    break;
                }
                std::thread::sleep(std::time::Duration::from_millis(50));
            }
            let _ = child.kill();
            child.wait().unwrap();
            self.has_fired()
        })
    }

    #[track_caller]
    fn stays_silent(&self) {
        self.do_all("");
        assert_eq!(self.fired(), "");
    }
}

fn program(path: &Path, script: &str) {
    fs_err::write(path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs_err::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// The last debate's context.
fn context(host: &Host) -> String {
    host.state_text()
}

#[test]
fn no_filter_runs_under_any_name_or_attribute() {
    let mut ran = Vec::new();
    for (driver, key) in
        [("x", "clean"), ("x", "process"), ("a=b", "clean"), ("A.b c", "process"), ("ü\"", "clean")]
    {
        let hostile = Hostile::new();
        hostile.set(&format!("filter.{driver}.{key}"), &hostile.canary);
        hostile.set(&format!("filter.{driver}.required"), "true");
        // An attribute cannot contain every driver name; then another name is enough.
        let attribute = if driver.is_ascii() && !driver.contains(' ') { driver } else { "x" };
        hostile.write(".gitattributes", &format!("*.rs filter={attribute}\n"));
        hostile.do_all("");
        hostile.diff("");
        ran.extend(hostile.has_fired().then(|| format!("{driver} {key}")));
        assert!(
            context(&hostile.host).contains("+two"),
            "{driver}: the changes are told all the same"
        );
    }
    assert_eq!(ran, [""; 0]);
}

#[test]
fn no_filter_runs_by_attributes_or_settings_from_another_file() {
    let hostile = Hostile::new();
    hostile.set("filter.x.clean", &hostile.canary);
    hostile.write(".git/info/attributes", "* filter=x\n");
    hostile.stays_silent();
    // The driver's definition need not be in the repository's own settings.
    let hostile = Hostile::new();
    hostile.write("more", &format!("[filter \"x\"]\n\tclean = {}\n", hostile.canary));
    hostile.set("include.path", "../more");
    hostile.write(".git/info/attributes", "* filter=x\n");
    hostile.stays_silent();
}

#[test]
fn a_filter_whose_name_cannot_be_read_is_refused() {
    let hostile = Hostile::new();
    let mut config = fs_err::read(hostile.host.path(".git/config")).unwrap();
    config.extend(b"[filter \"\xff\"]\n\tclean = ");
    config.extend(hostile.canary.as_bytes());
    config.extend(b"\n[filter \"x\"]\n\tclean =\n");
    fs_err::write(hostile.host.path(".git/config"), config).unwrap();
    fs_err::write(hostile.host.path(".gitattributes"), b"*.rs filter=\xff\n").unwrap();
    hostile.stays_silent();
    assert!(hostile.diff("").reason().contains("filters in git's settings can't be listed"));
}

#[test]
fn no_filter_of_a_submodule_runs() {
    let hostile = Hostile::new();
    let inner = hostile.host.outside("inner");
    fs_err::create_dir(&inner).unwrap();
    Hostile::git_at(&inner, &["init", "-q", "-b", "main"]);
    fs_err::write(inner.join("b.rs"), "one\n").unwrap();
    fs_err::write(inner.join(".gitattributes"), "*.rs filter=x\n").unwrap();
    Hostile::git_at(&inner, &["add", "-A"]);
    Hostile::git_at(&inner, &["commit", "-qm", "x"]);
    hostile.git(&["submodule", "--quiet", "add", inner.to_str().unwrap(), "sub"]);
    hostile.commit();
    hostile.git(&["config", "--file", ".gitmodules", "submodule.sub.ignore", "none"]);
    Hostile::git_at(&hostile.host.path("sub"), &["config", "filter.x.clean", &hostile.canary]);
    hostile.write("sub/b.rs", "two\n");
    hostile.write("a.rs", "three\n");
    hostile.stays_silent();
    // The submodule is also a checkout, and git reports its changes there.
    hostile.do_all("sub");
    assert_eq!(hostile.fired(), "");
    let told = hostile.diff("sub");
    assert!(told.context().contains("`## Context` (diff)"), "{told:?}");
}

#[test]
fn git_fetches_nothing() {
    let ext = |hostile: &Hostile| format!("ext::{} x", hostile.canary);
    let mut ran = Vec::new();
    for way in ["sshCommand", "ext", "uploadpack", "vcs", "gitProxy", "credential"] {
        let hostile = Hostile::new();
        hostile.lack("a.rs");
        hostile.set("remote.origin.url", "ssh://localhost:1/o/n");
        match way {
            "sshCommand" => hostile.set("core.sshCommand", &hostile.canary),
            "ext" => {
                hostile.set("protocol.ext.allow", "always");
                hostile.set("remote.origin.url", &ext(&hostile));
            }
            "uploadpack" => {
                hostile.set("remote.origin.url", hostile.host.root().to_str().unwrap());
                hostile.set("remote.origin.uploadpack", &hostile.canary);
            }
            "vcs" => {
                hostile.set("remote.origin.vcs", "ext");
                hostile.set("remote.origin.url", &format!("{} x", hostile.canary));
            }
            "gitProxy" => {
                hostile.set("remote.origin.url", "git://localhost/o/n");
                hostile.set("core.gitProxy", &hostile.canary);
            }
            _ => {
                hostile.set("remote.origin.url", "https://localhost:1/o/n");
                hostile.set("credential.helper", &format!("!{}", hostile.canary));
            }
        }
        hostile.do_all("");
        ran.extend(hostile.has_fired().then_some(way));
        let said = hostile.diff("").reason().to_owned();
        assert!(ran.contains(&way) || said.contains("`git diff` once"), "{way}: {said}");
    }
    assert_eq!(ran, [""; 0]);
}

#[test]
fn no_diff_pager_or_watch_program_runs() {
    let mut ran = Vec::new();
    for key in [
        "core.fsmonitor",
        "core.pager",
        "core.editor",
        "core.askPass",
        "core.alternateRefsCommand",
        "diff.external",
        "diff.x.command",
        "diff.x.textconv",
        "merge.x.driver",
        "interactive.diffFilter",
        "pager.diff",
        "gpg.program",
        "alias.diff",
        "alias.ls-files",
    ] {
        let hostile = Hostile::new();
        hostile.write(".gitattributes", "* diff=x merge=x\n");
        hostile.set("log.showSignature", "true");
        hostile.set(
            key,
            &if key.starts_with("alias") {
                format!("!{}", hostile.canary)
            } else {
                hostile.canary.clone()
            },
        );
        hostile.do_all("");
        ran.extend(hostile.has_fired().then_some(key));
    }
    assert_eq!(ran, [""; 0]);
    let hostile = Hostile::new();
    fs_err::create_dir_all(hostile.host.path(".git/hooks")).unwrap();
    for hook in [
        "post-index-change",
        "reference-transaction",
        "fsmonitor-watchman",
        "pre-auto-gc",
        "post-checkout",
    ] {
        fs_err::copy(&hostile.canary, hostile.host.path(".git/hooks").join(hook)).unwrap();
    }
    hostile.stays_silent();
}

/// A repository without a `.git`, in the form that a clone can contain.
fn embed(hostile: &Hostile) {
    Hostile::git_at(hostile.host.root(), &["init", "-q", "--bare", "app"]);
    let config = format!(
        "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = {0}\n\
         [filter \"x\"]\n\tclean = {0}\n[diff]\n\texternal = {0}\n[remote \"origin\"]\n\turl = git@github.com:o/n\n",
        hostile.canary
    );
    hostile.write("app/config", &config);
    hostile.write("app/b.rs", "one\n");
    let git_dir = hostile.host.path("app");
    let plain =
        ["-c", "core.fsmonitor=false", "-c", "filter.x.clean=", "--git-dir=.", "--work-tree=."];
    Hostile::git_at(&git_dir, &[&plain[..], &["add", "b.rs"]].concat());
    Hostile::git_at(&git_dir, &[&plain[..], &["commit", "-qm", "x"]].concat());
    hostile.write("app/b.rs", "two\n");
    hostile.write("app/.gitattributes", "* filter=x\n");
}

#[test]
fn a_repository_inside_the_files_of_a_clone_is_not_used() {
    let hostile = Hostile::new();
    embed(&hostile);
    hostile.do_all("app");
    assert_eq!(hostile.fired(), "");
    let said = hostile.diff("app");
    assert!(said.reason().contains("cannot use bare repository"), "{said:?}");
    // The same in an unpacked archive, without a checkout around it.
    fs_err::remove_dir_all(hostile.host.path(".git")).unwrap();
    hostile.do_all("app");
    assert_eq!(hostile.fired(), "");
    let said = hostile.diff("app");
    assert!(said.reason().contains("is not in a git checkout"), "{said:?}");
}

#[test]
fn a_work_tree_above_the_project_adds_no_files() {
    let hostile = Hostile::new();
    fs_err::write(hostile.host.outside("private.txt"), "one secret line\n").unwrap();
    hostile.git(&["--work-tree=..", "add", "-N", "../private.txt"]);
    for tree in ["../..", "../../..", hostile.host.outside("").to_str().unwrap()] {
        hostile.set("core.worktree", tree);
        hostile.diff("");
        assert!(!hostile.host.state_text().contains("one secret line"), "{tree}");
    }
}

#[test]
fn the_environment_of_another_repository_is_ignored() {
    let hostile = Hostile::new();
    let other = Hostile::new();
    other.write("a.rs", "of the other\n");
    other.commit();
    let name = |path: &str| other.host.path(path).to_str().unwrap().to_owned();
    let (git_dir, index, root) = (name(".git"), name(".git/index"), name(""));
    let mut believed = Vec::new();
    for (name, value) in [
        ("GIT_DIR", git_dir.as_str()),
        ("GIT_WORK_TREE", &root),
        ("GIT_INDEX_FILE", &index),
        ("GIT_EXTERNAL_DIFF", &hostile.canary),
        ("GIT_SSH_COMMAND", &hostile.canary),
        ("GIT_EXEC_PATH", "/nowhere"),
        ("GIT_TRACE", &format!("{root}/trace")),
        ("GIT_CONFIG_PARAMETERS", &format!("'core.fsmonitor={}'", hostile.canary)),
        ("GIT_CONFIG_COUNT", "x"),
    ] {
        let _ = fs_err::remove_dir_all(hostile.host.path(".claude"));
        let host = Host::new()
            .at(hostile.host.root())
            .with(name, value)
            .with("PATH", "/usr/local/bin:/usr/bin:/bin");
        host.prompt("one", "/anvil:debate Should we? --diff");
        let state = fs_err::read_to_string(host.state_path()).unwrap_or_default();
        let is_ours = state.contains("+two") && !state.contains("of the other");
        let has_written = Path::new(&format!("{root}/trace")).exists();
        believed.extend((!is_ours || has_written || hostile.has_fired()).then_some(name));
    }
    assert_eq!(believed, [""; 0]);
}

#[test]
fn a_program_in_the_project_folder_is_not_run() {
    let hostile = Hostile::new();
    for name in ["git", "gh", "claude", "bin/git"] {
        hostile.write(name, "");
        program(&hostile.host.path(name), &format!("echo {name} >> '{}'", hostile.mark.display()));
    }
    for path in ["", ":/usr/bin:/bin", ".:/usr/bin:/bin", "bin:/usr/bin:/bin", "/usr/bin::/bin"] {
        let host = Host::new().at(hostile.host.root());
        let mut command = host.command(&["doctor"], hostile.host.root());
        let output = command.env("PATH", path).output().unwrap();
        assert!(!output.stdout.is_empty(), "{output:?}");
        for arguments in
            [["start", "Why?", "--diff"], ["start", "Why?", "--pr=1"], ["publish", "--issue", "7"]]
        {
            host.command(&arguments, hostile.host.root()).env("PATH", path).output().unwrap();
        }
        assert_eq!(hostile.fired(), "", "{path:?}");
    }
}

#[test]
fn every_form_of_a_checkout_is_recognized() {
    let hostile = Hostile::new();
    hostile.commit();
    let elsewhere = |name: &str| hostile.host.outside(name);
    hostile.git(&["worktree", "add", "-q", elsewhere("tree").to_str().unwrap()]);
    hostile.git(&[
        "init",
        "-q",
        "-b",
        "main",
        "--separate-git-dir",
        elsewhere("git-dir").to_str().unwrap(),
    ]);
    hostile.write("deep/er/c.rs", "");
    fs_err::os::unix::fs::symlink(hostile.host.path("deep"), elsewhere("link")).unwrap();
    // Not a repository, although its name looks like one.
    fs_err::create_dir_all(hostile.host.path("deep/er/.git")).unwrap();
    hostile.write("a.rs", "changed\n");
    fs_err::write(elsewhere("tree").join("a.rs"), "changed\n").unwrap();
    for folder in [
        hostile.host.path(""),
        hostile.host.path("deep/er"),
        elsewhere("tree"),
        elsewhere("link/er"),
    ] {
        let prompt = json!({ "prompt": "/anvil:debate Should we? --diff --replace" });
        let told =
            hostile.host.event_at("one", "UserPromptSubmit", &prompt, &folder, Some(&folder));
        assert!(told.context().contains("`## Context` (diff)"), "{}: {told:?}", folder.display());
    }
}

#[test]
fn a_git_that_cannot_be_kept_from_running_programs_is_refused() {
    let hostile = Hostile::new();
    let git = hostile.host.outside("bin/git");
    let real = fs_err::read_link(&git).unwrap();
    for (version, is_refused) in
        [("2.37.9", true), ("1.8.3.1", true), ("", true), ("2.38.0", false), ("3.0.0", false)]
    {
        fs_err::remove_file(&git).unwrap();
        let script = format!(
            "for word; do [ \"$word\" = version ] && echo 'git version {version}' && exit; done\nexec '{}' \"$@\"",
            real.display()
        );
        program(&git, &script);
        let answer = hostile.diff("");
        let said = answer.reason();
        assert_eq!(
            said.contains("is too old") && said.contains("2.38 or later"),
            is_refused,
            "{version}: {answer:?}"
        );
        assert!(said.contains(version) || !is_refused, "{said}");
    }
}

#[test]
fn endless_ignore_rules_do_not_block() {
    let does_not_block = |path: &'static str| {
        let hostile = Hostile::new();
        let rules = hostile.host.path(path);
        let _ = fs_err::remove_file(&rules);
        assert!(Command::new("mkfifo").arg(&rules).status().unwrap().success());
        hostile.host.prompt("one", "/anvil:debate Should we?");
        let began = std::time::Instant::now();
        hostile.host.session_start("two", "startup");
        assert!(began.elapsed().as_secs() < 15, "{path}");
        if path == ".gitignore" {
            assert!(hostile.host.run(&["doctor"]).stdout.contains("git"), "{path}");
        }
    };
    // Both wait for git until its time is over.
    std::thread::scope(|scope| {
        for path in [".gitignore", ".git/info/exclude"] {
            scope.spawn(|| does_not_block(path));
        }
    });
}

/// A setting with a driver, a remote and a submodule instead of each `<name>` and `*`.
fn concrete(key: &str) -> String {
    let section = key.split('.').next().unwrap_or_default();
    let name = match section {
        "remote" | "remotes" => "origin",
        "branch" => "main",
        "submodule" => "sub",
        "protocol" => "ext",
        "url" => "ssh://localhost:1/",
        "pager" | "alias" => "diff",
        "gpg" => "openpgp",
        _ => "x",
    };
    let mut out = String::new();
    let mut rest = key;
    while let Some((before, after)) = rest.split_once('<') {
        out.push_str(before);
        out.push_str(name);
        rest = after.split_once('>').map_or("", |(_, after)| after);
    }
    (out + rest)
        .replace('*', if section == "alias" || section == "pager" { "diff" } else { "program" })
}

/// All settings that this git knows, and some that it does not list.
fn settings() -> Vec<String> {
    let output = Command::new("git").args(["help", "--config"]).output().unwrap();
    let listed = String::from_utf8(output.stdout).unwrap();
    let mut keys: Vec<String> = listed
        .lines()
        .filter(|line| line.contains('.') && !line.contains(' '))
        .map(concrete)
        .collect();
    assert!(keys.len() > 500, "{listed}");
    keys.extend(
        ["filter.x.process", "core.worktree", "include.path", "hook.x.command", "core.sshCommand"]
            .map(str::to_owned),
    );
    keys.retain(|key| {
        !["core.repositoryformatversion", "core.bare"].contains(&key.to_ascii_lowercase().as_str())
    });
    // A setting of gitweb; git refuses to write it.
    keys.retain(|key| !key.contains('_'));
    keys.sort();
    keys.dedup();
    keys
}

fn values(hostile: &Hostile, key: &str) -> Vec<String> {
    let canary = &hostile.canary;
    match key.rsplit('.').next().unwrap_or_default().to_ascii_lowercase().as_str() {
        "url" | "pushurl" | "insteadof" | "pushinsteadof" => vec![format!("ext::{canary} x")],
        "update" | "helper" | "diff" => vec![format!("!{canary}")],
        _ => vec![canary.clone()],
    }
}

/// Settings that run a program for every caller who asks git for these changes: they show that the
/// others would be seen.
const SURE: [&str; 6] = [
    "core.fsmonitor",
    "core.sshCommand",
    "diff.external",
    "diff.x.textconv",
    "filter.x.clean",
    "remote.origin.url",
];

/// `cargo test --release --test it -- --ignored every_setting`: each of the 900 settings in two
/// places.
#[test]
#[ignore = "takes minutes; run every night"]
fn every_setting_of_git_set_to_a_program_runs_nothing() {
    let hostile = Hostile::new();
    hostile.write(".gitattributes", "* filter=x diff=x merge=x\n");
    // A file that only an earlier commit has would have to be fetched.
    hostile.write("z.rs", "of an earlier commit\n");
    hostile.commit();
    hostile.lack("z.rs");
    hostile.git(&["rm", "-q", "z.rs"]);
    hostile.git(&["commit", "-qm", "x"]);
    hostile.set("remote.origin.url", "ssh://localhost:1/o/n");
    hostile.set("protocol.ext.allow", "always");
    hostile.write("a.rs", "one\ntwo\nthree\n");
    embed(&hostile);
    let (local, embedded) = (hostile.host.path(".git/config"), hostile.host.path("app/config"));
    let plain = |path: &Path| fs_err::read(path).unwrap();
    let (local_text, embedded_text) = (plain(&local), plain(&embedded));
    let (keys, mut ran) = (settings(), Vec::new());
    for key in &keys {
        for value in values(&hostile, key) {
            for (config, text, at) in
                [(&local, &local_text, ""), (&embedded, &embedded_text, "app")]
            {
                let file = config.to_str().unwrap();
                let done = Command::new("git")
                    .args(["config", "--file", file, key, &value])
                    .output()
                    .unwrap();
                assert!(done.status.success(), "{key}: {done:?}");
                hostile.debate(at);
                ran.extend(hostile.has_fired().then(|| format!("{key} {at}")));
                let _ = fs_err::remove_file(&hostile.mark);
                if at.is_empty() && SURE.contains(&key.as_str()) {
                    assert!(hostile.fires_in_plain_git(), "{key} is no canary");
                    let _ = fs_err::remove_file(&hostile.mark);
                }
                fs_err::write(config, text).unwrap();
                let _ = fs_err::remove_dir_all(hostile.host.path(at).join(".claude"));
            }
        }
    }
    assert_eq!(ran, [""; 0]);
    assert!(SURE.iter().all(|sure| keys.iter().any(|key| key == sure)), "{keys:?}");
}
