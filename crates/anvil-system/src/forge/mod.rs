//! Issues and pull requests on GitHub, through its own command, `gh`.
//!
//! Invariants: no shell is involved and no text is ever an argument, texts go in on standard input;
//! no program asks the user anything; all calls together have one deadline; an answer that is too
//! large is an error and never half a text. Only a host that the command is logged in to, or that
//! the user typed, gets a request ([`logins`]): the URL of a remote comes from a repository.

pub(crate) mod comments;
pub(crate) mod error;
pub(crate) mod logins;
pub(crate) mod remote;

pub use comments::{Comment, OwnComment};

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::process::{Git, Output, ProcessError, Tools};
use crate::world::World;
use anvil_text::error::{Error, Kind, Result};
use anvil_text::from_json;
use error::{ForgeError, ForgeRefusal};
use remote::Remote;

/// GitHub's JSON is the argument of this function.
const CALLBACK: &str = "anvil";

const INSTALL: &str = "install gh from https://cli.github.com and log in with `gh auth login`";

/// Longest time for git to name a remote.
const GIT_LIMIT: Duration = Duration::from_secs(2);

#[derive(Debug)]
pub struct Issue<'a> {
    world: &'a World,
    /// The folder in which the command runs.
    folder: PathBuf,
    tools: Tools,
    /// `git.example.org`, `localhost:3000`.
    host: String,
    /// `OWNER/NAME`.
    repo: String,
    number: u32,
}

/// The text of an issue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForgeText {
    pub text: String,
    /// No program on the way has changed it.
    pub is_exact: bool,
}

impl<'a> Issue<'a> {
    /// The issue or pull request that the user means in a folder. `repo` is `OWNER/NAME` or
    /// `HOST/OWNER/NAME`, and `GH_REPO` stands in for it, as in gh. The rest comes from the
    /// repository that `gh repo set-default` names, or from the only remote. All calls for it end
    /// after `timeout`.
    pub fn find(
        folder: &Path,
        repo: Option<&str>,
        number: u32,
        world: &'a World,
        timeout: Duration,
    ) -> Result<Self> {
        Self::find_with(folder, repo, number, world, timeout, Tools::real())
    }

    fn find_with(
        folder: &Path,
        repo: Option<&str>,
        number: u32,
        world: &'a World,
        timeout: Duration,
        mut tools: Tools,
    ) -> Result<Self> {
        tools.deadline = Some(Instant::now() + timeout);
        let typed = repo.or(tools.gh_repo.as_deref()).map(Remote::of_name).transpose()?;
        let typed_host = typed.as_ref().and_then(|typed| typed.host.clone());
        let origin = if typed_host.is_some() {
            None
        } else {
            match chosen(folder, &tools) {
                // The host of several remotes can be the same, or gh knows only one.
                Err(error) if typed.is_some() && error.kind() == Kind::Usage => None,
                chosen => chosen?,
            }
        };
        let host =
            typed_host.clone().or_else(|| origin.as_ref().and_then(|origin| origin.host.clone()));
        let Some(Remote { repo, .. }) = typed.or(origin) else {
            return Err(ForgeError::NoRepository.into());
        };
        let host = checked_host(host, typed_host.is_some(), &repo, &tools)?;
        tools.environment.push(("GH_HOST".into(), (&host).into()));
        Ok(Self { world, folder: folder.to_owned(), tools, host, repo, number })
    }

    pub fn body(&self) -> Result<ForgeText> {
        let (issue, is_exact) = self.get(&self.path(""))?;
        let body = issue.is_object().then(|| issue["body"].as_str().unwrap_or_default().to_owned());
        body.map(|text| ForgeText { text, is_exact }).ok_or_else(|| self.unreadable())
    }

    /// Changes its text. The forge's answer is ignored: gh changes it.
    pub fn write_body(&self, body: &str) -> Result<()> {
        self.ask("PATCH", &self.path(""), Some(&json!({ "body": body }))).map(|_| ())
    }

    pub fn number(&self) -> u32 {
        self.number
    }

    /// Its unique name: `git.example.org owner/name#12`.
    pub fn name(&self) -> String {
        format!("{} {}#{}", self.host, self.repo, self.number)
    }

    fn path(&self, after: &str) -> String {
        format!("repos/{}/issues/{}{after}", self.repo, self.number)
    }

    /// The forge's answer at a path, and true if it is exact: gh replaces control characters in
    /// JSON, and also text that only looks like their escapes (2.23 and later, seen on 2.23).
    /// GitHub also gives JSON as a script, which gh does not change.
    fn get(&self, path: &str) -> Result<(Value, bool)> {
        let and = if path.contains('?') { '&' } else { '?' };
        let text = self.ask("GET", &format!("{path}{and}callback={CALLBACK}"), None)?;
        let script = text
            .trim()
            .trim_start_matches("/**/")
            .strip_prefix(CALLBACK)
            .and_then(|after| after.strip_prefix('('));
        let json = script.map_or(text.as_str(), |script| script.trim_end_matches([';', ')']));
        let mut value: Value = from_json(json).map_err(|_| self.unreadable())?;
        if script.is_none() {
            return Ok((value, false));
        }
        match ForgeRefusal::of_script(&value) {
            None => Ok((value["data"].take(), true)),
            Some(refusal) => Err(refusal.explain(self, false).into()),
        }
    }

    /// Sends a request to the forge; returns its answer, or why it refused.
    fn ask(&self, method: &str, path: &str, input: Option<&Value>) -> Result<String> {
        let input = input.map(Value::to_string);
        let output = match &self.world.programs {
            Some(programs) => Output::of(programs.forge(method, path, input.as_deref())),
            None => self.gh(method, path, input.as_deref())?,
        };
        if output.is_cut {
            return Err(ForgeError::TooLong(self.to_string()).into());
        }
        ForgeRefusal::of_gh(&output).map_or_else(
            || Ok(output.text),
            |refusal| Err(refusal.explain(self, method != "GET").into()),
        )
    }

    fn gh(&self, method: &str, path: &str, input: Option<&str>) -> Result<Output> {
        let mut arguments = vec!["api", "--method", method];
        if input.is_some() {
            arguments.extend(["--input", "-"]);
        }
        arguments.push(path);
        let arguments: Vec<&OsStr> = arguments.into_iter().map(OsStr::new).collect();
        let input = input
            .map(|text| self.world.disk.anonymous_file(text.as_bytes()))
            .transpose()
            .map_err(ForgeError::NoRoom)?;
        self.tools.run(&self.tools.gh, &self.folder, &arguments, input).map_err(|error| match error
        {
            ProcessError::TooSlow(_) => ForgeError::Slow(error).into(),
            error => error.into_error("gh", INSTALL),
        })
    }

    fn unreadable(&self) -> Error {
        ForgeError::Unreadable(self.to_string()).into()
    }
}

/// The host that the user means; an error if gh is not logged in there and the user did not type
/// it.
fn checked_host(host: Option<String>, is_typed: bool, repo: &str, tools: &Tools) -> Result<String> {
    let at_gh = logins::of_gh(tools);
    let Some(host) = host else {
        return match (&tools.gh_host, &at_gh[..]) {
            (Some(host), _) => Ok(host.to_ascii_lowercase()),
            (None, []) => Ok(logins::GITHUB.to_owned()),
            (None, [host]) => Ok(host.clone()),
            (None, hosts) => {
                Err(ForgeError::UnknownHost { repo: repo.to_owned(), at: hosts.join(", ") }.into())
            }
        };
    };
    if is_typed || host == logins::GITHUB || at_gh.contains(&host) {
        return Ok(host);
    }
    Err(ForgeError::ForeignHost { host, repo: repo.to_owned() }.into())
}

/// The repository of a checkout: the one that `gh repo set-default` has chosen, else that of its only
/// remote on a forge. An error: several remotes and no choice, or git does not answer.
fn chosen(folder: &Path, tools: &Tools) -> Result<Option<Remote>> {
    let git = Tools { limit: GIT_LIMIT.min(tools.limit), ..tools.clone() };
    let Some(listed) = answer_of_git(&git, folder, &["remote", "-v"])? else { return Ok(None) };
    let mut remotes: Vec<(&str, Remote)> = Vec::new();
    for line in listed.lines().filter_map(|line| Some(line.split_once(" (fetch)")?.0)) {
        let remote = line
            .split_once('\t')
            .and_then(|(name, url)| Some((name, with_real_host(Remote::of_url(url)?, tools))));
        remotes.extend(remote);
    }
    let choices = ["config", "--get-regexp", r"^remote\..*\.gh-resolved$"];
    let choices = answer_of_git(&git, folder, &choices)?.unwrap_or_default();
    for line in choices.lines() {
        let Some((key, value)) = line.split_once(' ') else { continue };
        let name = key.strip_prefix("remote.").and_then(|key| key.strip_suffix(".gh-resolved"));
        let of_name = remotes.iter().find(|(known, _)| Some(*known) == name);
        match (of_name, value) {
            (Some((_, remote)), "base") => return Ok(Some(remote.clone())),
            (Some((_, remote)), named) => {
                let chosen = Remote::of_name(named)?;
                let host = chosen.host.clone().or_else(|| remote.host.clone());
                return Ok(Some(Remote { host, ..chosen }));
            }
            (None, _) => {}
        }
    }
    // A remote on a host without gh is none that could be meant, if there is another.
    let at_gh = logins::of_gh(tools);
    let is_known = |remote: &Remote| {
        remote.host.as_ref().is_some_and(|host| host == logins::GITHUB || at_gh.contains(host))
    };
    if remotes.iter().any(|(_, remote)| is_known(remote)) {
        remotes.retain(|(_, remote)| is_known(remote));
    }
    let is_same = |(_, remote): &(&str, Remote)| {
        remote.host == remotes[0].1.host && remote.repo.eq_ignore_ascii_case(&remotes[0].1.repo)
    };
    if remotes.len() > 1 && !remotes.iter().all(is_same) {
        let named: Vec<String> =
            remotes.iter().map(|(name, remote)| format!("{name} ({})", remote.repo)).collect();
        return Err(ForgeError::NoChoice(named.join(", ")).into());
    }
    Ok(remotes.into_iter().next().map(|(_, remote)| remote))
}

/// The remote with the host that its name for ssh stands for.
fn with_real_host(remote: Remote, tools: &Tools) -> Remote {
    let is_known = remote.host.as_deref() == Some(logins::GITHUB);
    let home = tools.home.as_ref().filter(|_| remote.is_ssh && !is_known);
    let host = home.and_then(|home| {
        let text = logins::read_short(&home.join(".ssh/config"))?;
        remote::of_alias(&text, remote.host.as_deref()?)
    });
    Remote { host: host.or(remote.host), ..remote }
}

/// The output of git about the remotes. `None`: there is no repository, or no git.
fn answer_of_git(git: &Tools, folder: &Path, arguments: &[&str]) -> Result<Option<String>> {
    match git.git(folder, arguments, "") {
        Git::Told(output) => Ok(Some(output.text.trim().to_owned())),
        Git::Nothing | Git::Refused(ProcessError::Missing) => Ok(None),
        Git::Refused(ProcessError::Refused(output)) if output.is_no_repository() => Ok(None),
        Git::Refused(why) => Err(ForgeError::NoRemote(why).into()),
    }
}

/// `git.example.org/owner/name#12`.
impl std::fmt::Display for Issue<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}/{}#{}", self.host, self.repo, self.number)
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    /// A folder with a remote, and with a script instead of gh that saves its arguments and input.
    struct Lab {
        temp: tempfile::TempDir,
        world: World,
        limit: Duration,
        gh_repo: Option<String>,
    }

    impl Lab {
        fn new(remote: &str) -> Self {
            let temp = tempfile::tempdir().unwrap();
            let limit = Duration::from_secs(20);
            let world = World::gather(|_| None).unwrap();
            let lab = Self { temp, world, limit, gh_repo: None };
            lab.git(&["init", "-q"]);
            if !remote.is_empty() {
                lab.git(&["remote", "add", "origin", remote]);
            }
            lab
        }

        fn git(&self, arguments: &[&str]) {
            let git = std::process::Command::new("git")
                .args(arguments)
                .current_dir(self.temp.path())
                .status();
            assert!(git.unwrap().success());
        }

        /// gh runs this script; its arguments are in `asked`, its input in `read`.
        fn issue(&self, options: &Named, script: &str) -> Result<Issue<'_>> {
            let program = self.temp.path().join("program");
            let note = "for word; do printf '%s\\n' \"$word\"; done > asked; echo \"$GH_HOST\" > \
                        host; cat > read\n";
            fs_err::write(&program, format!("{note}{script}")).unwrap();
            let stand_in = vec!["sh".into(), program.into()];
            let environment = vec![("GIT_CEILING_DIRECTORIES".into(), std::env::temp_dir().into())];
            let settings = self.temp.path().join("gh");
            fs_err::create_dir_all(&settings).unwrap();
            fs_err::write(settings.join("hosts.yml"), "github.example.org:\n    user: octo\n")
                .unwrap();
            let gh_settings = Some(settings);
            let tools = Tools {
                gh: stand_in,
                gh_host: None,
                gh_repo: self.gh_repo.clone(),
                gh_settings,
                environment,
                home: Some(self.temp.path().to_owned()),
                ..Tools::real()
            };
            let Named { number, repo } = options;
            let folder = self.temp.path();
            Issue::find_with(folder, repo.as_deref(), *number, &self.world, self.limit, tools)
        }

        fn recorded(&self, name: &str) -> String {
            fs_err::read_to_string(self.temp.path().join(name)).unwrap()
        }
    }

    #[derive(Clone, Debug, Default)]
    struct Named {
        number: u32,
        repo: Option<String>,
    }

    fn numbered(number: u32) -> Named {
        Named { number, ..Named::default() }
    }

    /// GitHub's JSON as a script.
    fn script(json: &str) -> String {
        format!("printf %s '/**/anvil({{\"meta\":{{\"status\":200}},\"data\":{json}}})'")
    }

    #[test]
    fn gh_gets_the_expected_arguments_and_texts_only_on_stdin() {
        let lab = Lab::new("git@github.example.org:octo/hello.git");
        let issue =
            lab.issue(&numbered(12), &script(r#"{"body":"Text\r\n \u001b \\u001b"}"#)).unwrap();
        assert_eq!(issue.to_string(), "github.example.org/octo/hello#12");
        let text = "Text\r\n \u{1b} \\u001b".to_owned();
        assert_eq!(issue.body().unwrap(), ForgeText { text, is_exact: true });
        assert_eq!(
            lab.recorded("asked"),
            "api\n--method\nGET\nrepos/octo/hello/issues/12?callback=anvil\n"
        );
        assert_eq!((&*lab.recorded("host"), &*lab.recorded("read")), ("github.example.org\n", ""));
        let hostile = "$(touch x) `y` 'z' \"é\" 😀\r\n--flag";
        issue.write_body(hostile).unwrap();
        assert_eq!(
            lab.recorded("asked"),
            "api\n--method\nPATCH\n--input\n-\nrepos/octo/hello/issues/12\n"
        );
        assert_eq!(
            serde_json::from_str::<Value>(&lab.recorded("read")).unwrap(),
            json!({ "body": hostile })
        );
        issue.post_comment("b").unwrap();
        assert_eq!(
            lab.recorded("asked"),
            "api\n--method\nPOST\n--input\n-\nrepos/octo/hello/issues/12/comments\n"
        );
        let endless = script(r#"[{"body":"a"}]"#);
        let error = lab.issue(&numbered(12), &endless).unwrap().comments().unwrap_err();
        assert!(error.to_string().ends_with("has more than the 5000 comments that are read"));
        assert!(lab.recorded("asked").contains("&page=50&"));
        let pages = format!(
            "case $4 in *\"&page=1&\"*) {};; *) {};; esac",
            script(r#"[{"body":"a","user":{"login":"ann"}},{"body":"b"}]"#),
            script("[]")
        );
        let all = [("ann", "a"), ("somebody", "b")]
            .map(|(author, text)| Comment { author: author.to_owned(), text: text.to_owned() });
        assert_eq!(lab.issue(&numbered(12), &pages).unwrap().comments().unwrap(), all);
        let arguments = "api\n--method\nGET\n\
                     repos/octo/hello/issues/12/comments?per_page=100&page=2&callback=anvil\n";
        assert_eq!(lab.recorded("asked"), arguments);
        // A server that gives no scripts.
        let issue = lab.issue(&numbered(12), r#"echo '{"body":"^["}'"#).unwrap();
        assert_eq!(issue.body().unwrap(), ForgeText { text: "^[".into(), is_exact: false });
    }

    #[test]
    fn the_users_choice_overrides_the_remote_and_nothing_is_guessed() {
        let typed = |repo: &str| Named { repo: Some(repo.to_owned()), ..numbered(1) };
        let mut lab = Lab::new("https://github.com/octo/hello");
        let named = lab.issue(&typed("github.example.org/a/b"), "").unwrap().name();
        assert_eq!(named, "github.example.org a/b#1");
        assert_eq!(lab.issue(&typed("a/b"), "").unwrap().name(), "github.com a/b#1");
        // Another name than `origin` is enough if it is the only remote.
        lab.git(&["remote", "rename", "origin", "upstream"]);
        assert_eq!(lab.issue(&numbered(1), "").unwrap().name(), "github.com octo/hello#1");
        lab.git(&["remote", "add", "fork", "https://github.com/me/hello"]);
        let error = lab.issue(&numbered(1), "").unwrap_err();
        let both = "this checkout has several remotes, and gh has no default: fork (me/hello), \
                    upstream (octo/hello)";
        assert_eq!(error.to_string(), both);
        assert!(error.hint().plain().contains("gh repo set-default"), "{}", error.hint().plain());
        // A remote of the same repository, one on a host without gh, and one that is no forge.
        lab.git(&["remote", "set-url", "fork", "git@github.com:Octo/Hello.git"]);
        lab.git(&["remote", "add", "mirror", "https://git.mirror.example/octo/other"]);
        lab.git(&["remote", "add", "disk", "/srv/git/hello.git"]);
        assert_eq!(lab.issue(&numbered(1), "").unwrap().name(), "github.com Octo/Hello#1");
        // The user's choice in gh: a remote, or another repository at its host.
        lab.git(&["remote", "set-url", "fork", "https://github.com/me/hello"]);
        for (remote, choice, name) in [
            ("upstream", "base", "github.com octo/hello#1"),
            ("upstream", "acme/hello", "github.com acme/hello#1"),
            ("fork", "base", "github.com me/hello#1"),
        ] {
            lab.git(&["config", &format!("remote.{remote}.gh-resolved"), choice]);
            assert_eq!(lab.issue(&numbered(1), "").unwrap().name(), name);
            lab.git(&["config", "--unset", &format!("remote.{remote}.gh-resolved")]);
        }
        // A clone of the fork alone, where gh knows its upstream.
        for name in ["upstream", "mirror", "disk"] {
            lab.git(&["remote", "remove", name]);
        }
        lab.git(&["config", "remote.fork.gh-resolved", "octo/hello"]);
        assert_eq!(lab.issue(&numbered(1), "").unwrap().name(), "github.com octo/hello#1");
        // As gh does, and so the repository of the material is the same.
        lab.gh_repo = Some("acme/hello".to_owned());
        assert_eq!(lab.issue(&numbered(1), "").unwrap().name(), "github.com acme/hello#1");
        assert_eq!(lab.issue(&typed("a/b"), "").unwrap().name(), "github.com a/b#1");
        lab.gh_repo = None;
        // git refuses: which remotes there are is unknown, and its line is quoted.
        fs_err::write(lab.temp.path().join(".git/config"), "[core\n").unwrap();
        for named in [numbered(1), typed("a/b")] {
            let error = lab.issue(&named, "").unwrap_err().to_string();
            assert!(error.starts_with("git refuses: bad config line 1"), "{error}");
            assert!(error.ends_with("so the repository of the issue is unknown"), "{error}");
        }
        // Without a remote the only login counts.
        let lab = Lab::new("");
        let error = lab.issue(&numbered(1), "").unwrap_err().to_string();
        assert!(error.starts_with("cannot tell the repository"), "{error}");
        assert_eq!(lab.issue(&typed("a/b"), "").unwrap().name(), "github.example.org a/b#1");
    }

    #[test]
    fn an_alias_of_ssh_names_its_host_and_gets_no_request_elsewhere() {
        let lab = Lab::new("git@github.com-work:octo/hello.git");
        let ssh = lab.temp.path().join(".ssh");
        fs_err::create_dir(&ssh).unwrap();
        let error = lab.issue(&numbered(1), "").unwrap_err().to_string();
        assert!(error.contains("names github.com-work, where gh is not logged in"), "{error}");
        let config = "Host github.com-work\n  HostName github.com\n";
        fs_err::write(ssh.join("config"), config).unwrap();
        assert_eq!(lab.issue(&numbered(1), "").unwrap().name(), "github.com octo/hello#1");
        fs_err::write(
            ssh.join("config"),
            config.replace("HostName github.com", "HostName evil.example"),
        )
        .unwrap();
        let error = lab.issue(&numbered(1), "").unwrap_err().to_string();
        assert!(error.contains("names evil.example, where gh is not logged in"), "{error}");
    }

    #[test]
    fn a_host_that_only_a_remote_names_gets_no_request() {
        for (remote, host) in [
            ("https://github.evil.example/octo/hello", "github.evil.example"),
            ("https://github.com.evil.example/octo/hello", "github.com.evil.example"),
            ("git@github.evil.example:octo/hello.git", "github.evil.example"),
            ("ssh://git@github.evil.example:22/octo/hello", "github.evil.example"),
            ("https://github.com@github.evil.example/octo/hello", "github.evil.example"),
            ("https://github.com:x@evil.ghe.com/octo/hello", "evil.ghe.com"),
            ("https://github.com:8443/octo/hello", "github.com:8443"),
            ("https://github.com./octo/hello", "github.com."),
            ("https://gist.github.com/octo/hello", "gist.github.com"),
            ("https://github.example.org:8443/octo/hello", "github.example.org:8443"),
            ("https://gitea.evil.example/octo/hello", "gitea.evil.example"),
        ] {
            let lab = Lab::new(remote);
            let message = lab.issue(&numbered(7), "").unwrap_err().to_string();
            assert!(
                message.starts_with(&format!("the git remote names {host}, where gh is not")),
                "{remote}: {message}"
            );
            assert!(!lab.temp.path().join("asked").exists(), "{remote}");
            let host = host.trim_end_matches('.');
            let typed = Named { repo: Some(format!("{host}/octo/hello")), ..numbered(7) };
            assert_eq!(lab.issue(&typed, "").unwrap().host, host, "{remote}");
        }
        // Git's own message about a remote comes from the repository too.
        let lab = Lab::new("https://github.com/octo/hello");
        lab.git(&["config", "url.https://github.evil.example/.insteadOf", "https://github.com/"]);
        let error = lab.issue(&numbered(7), "").unwrap_err();
        assert!(
            error.to_string().contains("names github.evil.example, where gh is not logged in"),
            "{error}"
        );
        assert!(
            error.hint().plain().contains("if you trust that host")
                && !lab.temp.path().join("asked").exists()
        );
    }

    #[test]
    fn every_refusal_is_one_line_with_a_hint() {
        let github = Lab::new("https://github.com/o/r");
        for (script, message, code) in [
            ("echo 'gh: Not Found (HTTP 404)' >&2; exit 1", "there is no github.com/o/r#7", 3),
            ("echo 'gh: HTTP 404' >&2; exit 1", "there is no github.com/o/r#7", 3),
            (
                r#"echo '/**/anvil({"meta":{"status":404},"data":{"message":"Not Found"}})'"#,
                "there is no github.com/o/r#7",
                3,
            ),
            (
                "echo 'gh: No way (HTTP 403)' >&2; exit 1",
                "account is not allowed to read github.com/o/r#7: No way",
                1,
            ),
            (
                "echo 'gh: API rate limit exceeded for user ID 1 (HTTP 403)' >&2; exit 1",
                "accepts no more requests for now: API rate",
                1,
            ),
            (
                "echo 'gh: Bad credentials (HTTP 401)' >&2; exit 1",
                "gh is not logged in at github.com",
                1,
            ),
            ("echo 'run:  gh auth login' >&2; exit 4", "gh is not logged in at github.com", 1),
            (
                "echo 'error connecting to api.github.com' >&2; exit 1",
                "got no answer from github.com",
                1,
            ),
            (
                "echo 'gh: Could not resolve to an issue or pull request with the number of 7.' \
                 >&2; exit 1",
                "there is no github.com/o/r#7",
                3,
            ),
            (
                "echo 'gh: Resource not accessible by integration' >&2; exit 1",
                "account is not allowed to read github.com/o/r#7: Resource not accessible",
                1,
            ),
            ("echo 'gh: Oops (HTTP 502)' >&2; exit 1", "github.com answers 502: Oops", 1),
            ("echo 'gh: HTTP 502' >&2; exit 1", "github.com answers 502 for github.com/o/r#7", 1),
            (
                r#"echo '/**/anvil({"meta":{"status":410},"data":{"message":"This issue was deleted"}})'"#,
                "issues are disabled there, or github.com/o/r#7 was deleted: This issue was deleted",
                3,
            ),
            (
                "echo 'gh: Issues are disabled for this repo (HTTP 410)' >&2; exit 1",
                "issues are disabled there, or github.com/o/r#7 was deleted: Issues are disabled",
                3,
            ),
            (
                r#"echo '/**/anvil({"meta":{"status":301},"data":{"message":"Moved Permanently"}})'"#,
                "github.com/o/r#7 was transferred to another repository",
                3,
            ),
            ("echo '<html>'", "can't read gh's answer about github.com/o/r#7", 1),
            ("yes", "has more text than is read", 1),
        ] {
            let error = github.issue(&numbered(7), script).unwrap().body().unwrap_err();
            let line = error.to_string();
            assert!(line.contains(message) && !line.contains('\n'), "{script}: {line}");
            assert!(
                error.exit().code() == code && !error.hint().plain().is_empty(),
                "{script}: {}",
                error.hint().plain()
            );
        }
        let error = github
            .issue(&numbered(7), "echo 'gh: No (HTTP 422)' >&2; exit 1")
            .unwrap()
            .write_body("x")
            .unwrap_err();
        assert_eq!(error.to_string(), "github.com refuses the text for github.com/o/r#7: No");
    }

    #[test]
    fn a_git_that_hangs_is_reported_and_abandoned() {
        let lab = Lab::new("https://github.com/o/r");
        nix::unistd::mkfifo(&lab.temp.path().join("pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
        lab.git(&["config", "include.path", "../pipe"]);
        let began = Instant::now();
        let error = lab.issue(&numbered(7), "").unwrap_err();
        assert!(
            error.to_string().starts_with("git took longer than 2 s")
                && error.hint().plain().contains("--repo"),
            "{error}"
        );
        assert!(began.elapsed() < Duration::from_secs(10));
        let named = Named { repo: Some("github.com/o/r".into()), ..numbered(7) };
        assert_eq!(lab.issue(&named, "").unwrap().to_string(), "github.com/o/r#7");
    }

    #[test]
    fn a_missing_or_hanging_program_is_reported_with_a_hint() {
        let mut lab = Lab::new("https://github.com/o/r");
        let mut issue = lab.issue(&numbered(7), "").unwrap();
        issue.tools.gh = vec!["/no/gh".into()];
        let error = issue.body().unwrap_err();
        assert!(
            error.to_string().ends_with("is not on this machine")
                && error.hint().plain().contains("https://cli.github.com"),
            "{error}"
        );
        lab.limit = Duration::from_millis(400);
        let began = Instant::now();
        let error = lab.issue(&numbered(7), "sleep 30").unwrap().body().unwrap_err();
        assert!(error.to_string().contains("took longer than"), "{error}");
        assert!(began.elapsed() < Duration::from_secs(15));
    }
}
