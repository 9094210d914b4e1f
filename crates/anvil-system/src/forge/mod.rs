//! Issues and pull requests on GitHub, Gitea or Forgejo, through the forge's own command: `gh` or
//! `tea`.
//!
//! Invariants: no shell is involved and no text is ever an argument, texts go in on standard input;
//! no program asks the user anything; all calls together have one deadline; an answer that is too
//! large is an error and never half a text. Only a host that the command is logged in to, or that
//! the user typed, gets a request ([`logins`]): the URL of a remote comes from a repository.

pub(crate) mod comments;
pub(crate) mod error;
pub(crate) mod logins;
pub(crate) mod remote;

pub use comments::Comment;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::disk::Disk;
use crate::process::{Git, Output, ProcessError, Tools};
use anvil_text::error::{Error, Result};
use anvil_text::{Forge, clean, from_json};
use error::ForgeRefusal;
use remote::Remote;

/// GitHub's JSON is the argument of this function.
const CALLBACK: &str = "anvil";

/// Longest time for git to name a remote.
const GIT_LIMIT: Duration = Duration::from_secs(2);

#[derive(Debug)]
pub struct Issue<'a> {
    disk: &'a Disk,
    /// The checkout in which the command runs: `tea` finds its login by it.
    folder: PathBuf,
    tools: Tools,
    forge: Forge,
    /// `git.example.org`, `localhost:3000`.
    host: String,
    /// `OWNER/NAME`.
    repo: String,
    number: u32,
}

/// The repository in the user's words.
#[derive(Clone, Copy, Debug, Default)]
pub struct Repository<'a> {
    /// `OWNER/NAME` or `HOST/OWNER/NAME`. `None`: that of the git remote.
    pub name: Option<&'a str>,
    /// `None`: as the host is named.
    pub forge: Option<Forge>,
}

/// The text of an issue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForgeText {
    pub text: String,
    /// No program on the way has changed it.
    pub is_exact: bool,
}

impl<'a> Issue<'a> {
    /// The issue or pull request that the user means in a folder. Parts that the user did not type
    /// come from the git remote `origin`, or from the only remote. All calls for it end after
    /// `timeout`.
    pub fn find(
        folder: &Path,
        repository: Repository<'_>,
        number: u32,
        disk: &'a Disk,
        timeout: Duration,
    ) -> Result<Self> {
        Self::find_with(folder, repository, number, disk, timeout, Tools::real())
    }

    fn find_with(
        folder: &Path,
        repository: Repository<'_>,
        number: u32,
        disk: &'a Disk,
        timeout: Duration,
        mut tools: Tools,
    ) -> Result<Self> {
        tools.deadline = Some(Instant::now() + timeout);
        let typed = repository.name.map(Remote::of_name).transpose()?;
        let typed_host = typed.as_ref().and_then(|typed| typed.host.clone());
        let origin = if typed_host.is_some() { None } else { origin(folder, &tools)? };
        let host =
            typed_host.clone().or_else(|| origin.as_ref().and_then(|origin| origin.host.clone()));
        let Some(Remote { repo, .. }) = typed.or(origin) else {
            return Err(Error::usage(
                "cannot tell the repository: there is no usable git remote",
                "name it with --repo OWNER/NAME and --forge github or gitea",
            ));
        };
        let (forge, host) =
            ForgeRequest { host, is_typed: typed_host.is_some(), repo: &repo, folder }
                .by(repository.forge, &tools)?;
        tools.environment.push(("GH_HOST".into(), (&host).into()));
        Ok(Self { disk, folder: folder.to_owned(), tools, forge, host, repo, number })
    }

    pub fn body(&self) -> Result<ForgeText> {
        let (issue, is_exact) = self.get(&self.path(""))?;
        self.check_host(&issue)?;
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
        let text = match self.forge {
            Forge::Github => {
                let and = if path.contains('?') { '&' } else { '?' };
                self.ask("GET", &format!("{path}{and}callback={CALLBACK}"), None)?
            }
            Forge::Gitea => self.ask("GET", path, None)?,
        };
        let script = text
            .trim()
            .trim_start_matches("/**/")
            .strip_prefix(CALLBACK)
            .and_then(|after| after.strip_prefix('('));
        let json = script.map_or(text.as_str(), |script| script.trim_end_matches([';', ')']));
        let mut value: Value = from_json(json).map_err(|_| self.unreadable())?;
        if script.is_none() {
            return Ok((value, self.forge == Forge::Gitea));
        }
        match ForgeRefusal::of_script(&value) {
            None => Ok((value["data"].take(), true)),
            Some(refusal) => Err(refusal.explain(self, false)),
        }
    }

    /// Sends a request to the forge; returns its answer, or why it refused.
    fn ask(&self, method: &str, path: &str, input: Option<&Value>) -> Result<String> {
        let mut arguments = vec!["api", "--method", method];
        let program = match self.forge {
            Forge::Github => {
                if input.is_some() {
                    arguments.extend(["--input", "-"]);
                }
                &self.tools.gh
            }
            Forge::Gitea => {
                // gh's exit code does not show the forge's answer; this line does.
                arguments.push("--include");
                if input.is_some() {
                    arguments.extend(["--data", "@-"]);
                }
                &self.tools.tea
            }
        };
        arguments.push(path);
        let arguments: Vec<&OsStr> = arguments.into_iter().map(OsStr::new).collect();
        let input = input
            .map(|value| self.disk.anonymous_file(value.to_string().as_bytes()))
            .transpose()
            .map_err(|error| Error::io(error, "make room in the system's temporary folder"))?;
        let output =
            self.tools.run(program, &self.folder, &arguments, input).map_err(
                |error| match error {
                    ProcessError::TooSlow(_) => Error::failed(
                        format!("{} {error}", self.program()),
                        "check the network; then do it again",
                    ),
                    error => not_run(self.forge, &error),
                },
            )?;
        if output.is_cut {
            return Err(Error::too_much(
                format!("{self} has more text than is read"),
                "publish the debate to another issue",
            ));
        }
        let refusal = match self.forge {
            Forge::Github => ForgeRefusal::of_gh(&output),
            Forge::Gitea => ForgeRefusal::of_tea(&output),
        };
        refusal
            .map_or_else(|| Ok(output.text), |refusal| Err(refusal.explain(self, method != "GET")))
    }

    /// `tea` may have used another server than the remote's, if it has no login for that.
    fn check_host(&self, issue: &Value) -> Result<()> {
        let url = issue["html_url"].as_str();
        match url.and_then(Remote::of_url).and_then(|remote| remote.host) {
            Some(host) if self.forge == Forge::Gitea && self.host != host => Err(Error::failed(
                format!("tea asked {}, and the repository is on {}", clean(&host, 200), self.host),
                "log in there with `tea login add`, or name the other server: --repo \
                 HOST/OWNER/NAME",
            )),
            _ => Ok(()),
        }
    }

    fn unreadable(&self) -> Error {
        let program = self.program();
        Error::failed(
            format!("can't read {program}'s answer about {self}"),
            format!("update {program}"),
        )
    }

    fn program(&self) -> &'static str {
        program(self.forge)
    }
}

fn program(forge: Forge) -> &'static str {
    match forge {
        Forge::Github => "gh",
        Forge::Gitea => "tea",
    }
}

fn not_run(forge: Forge, error: &ProcessError) -> Error {
    let install = match forge {
        Forge::Github => "install gh from https://cli.github.com and log in with `gh auth login`",
        Forge::Gitea => {
            "install tea 0.12 or newer from https://gitea.com/gitea/tea and log in with `tea login \
             add`"
        }
    };
    error.to_error(program(forge), install)
}

/// The issue and the host that the user means.
struct ForgeRequest<'a> {
    host: Option<String>,
    /// The user typed the host; otherwise it comes from a repository.
    is_typed: bool,
    repo: &'a str,
    folder: &'a Path,
}

impl ForgeRequest<'_> {
    /// Chooses the forge's command and the host; an error if that command is not logged in and the
    /// user did not type the host.
    fn by(self, forge: Option<Forge>, tools: &Tools) -> Result<(Forge, String)> {
        let at_gh = logins::of_gh(tools);
        let Some(host) = &self.host else { return self.without_host(forge, tools, &at_gh) };
        let is_at_gh = host == logins::GITHUB || at_gh.contains(host);
        let by_name = remote::forge_of(host);
        // If gh knows the host, or its name is GitHub's, tea is not run.
        let may_be_gitea = !is_at_gh && ![forge, by_name].contains(&Some(Forge::Github));
        let at_tea = (may_be_gitea || forge == Some(Forge::Gitea))
            .then(|| logins::of_tea(tools, self.folder));
        let login = at_tea
            .as_ref()
            .and_then(|at_tea| at_tea.as_ref().ok()?.iter().find(|login| login.is_for(host)));
        // A remote by ssh does not name the port of its pages.
        let is_at_tea = login.is_some();
        let pages = login.map_or(host, |login| &login.host).clone();
        let known = if is_at_gh {
            Some(Forge::Github)
        } else {
            is_at_tea.then_some(Forge::Gitea).or(by_name)
        };
        let Some(forge) = forge.or(known) else {
            return Err(Error::usage(
                format!(
                    "it is unknown whether {host} is GitHub or Gitea, and neither gh nor tea is \
                     logged in there"
                ),
                "name it with --forge github, or --forge gitea (also for Forgejo)",
            ));
        };
        let is_known = match forge {
            Forge::Github => is_at_gh || self.is_typed,
            // tea works only with a host that it is logged in to, and would use another server than
            // the typed one.
            Forge::Gitea => is_at_tea,
        };
        match at_tea {
            Some(Err(error)) if forge == Forge::Gitea => Err(not_run(forge, &error)),
            _ if is_known => Ok((forge, if forge == Forge::Gitea { pages } else { host.clone() })),
            _ => Err(self.refused(forge, host)),
        }
    }

    /// Nothing names a host: takes the host of the only login.
    fn without_host(
        &self,
        forge: Option<Forge>,
        tools: &Tools,
        at_gh: &[String],
    ) -> Result<(Forge, String)> {
        let Some(forge) = forge else {
            return Err(Error::usage(
                format!("the forge of {} is unknown", self.repo),
                "name it with --forge github, or --forge gitea (also for Forgejo)",
            ));
        };
        let hosts = match (forge, &tools.gh_host) {
            (Forge::Github, Some(host)) => vec![host.to_ascii_lowercase()],
            (Forge::Github, None) if at_gh.is_empty() => vec![logins::GITHUB.to_owned()],
            (Forge::Github, None) => at_gh.to_vec(),
            (Forge::Gitea, _) => {
                let logins =
                    logins::of_tea(tools, self.folder).map_err(|error| not_run(forge, &error))?;
                logins.into_iter().map(|login| login.host).collect()
            }
        };
        match hosts.as_slice() {
            [host] => Ok((forge, host.clone())),
            hosts => {
                let logins = if hosts.is_empty() {
                    "not logged in".to_owned()
                } else {
                    format!("logged in at {}", hosts.join(", "))
                };
                let repo = self.repo;
                let program = program(forge);
                Err(Error::usage(
                    format!("the host of {repo} is unknown: {program} is {logins}"),
                    "name it with --repo HOST/OWNER/NAME",
                ))
            }
        }
    }

    fn refused(&self, forge: Forge, host: &str) -> Error {
        let who = if self.is_typed { "--repo names" } else { "the git remote names" };
        let program = program(forge);
        let repo = self.repo;
        let log_in = match forge {
            Forge::Github => format!("`gh auth login --hostname {host}`, or --repo {host}/{repo}"),
            Forge::Gitea => format!("`tea login add --url https://{host}`"),
        };
        Error::failed(
            format!("{who} {host}, where {program} is not logged in; nothing was sent there"),
            format!("{log_in}, if you trust that host"),
        )
    }
}

/// The git remote `origin`, or the only one. An error: git does not answer.
fn origin(folder: &Path, tools: &Tools) -> Result<Option<Remote>> {
    let git = Tools { limit: GIT_LIMIT.min(tools.limit), ..tools.clone() };
    let mut url = answer_of_git(&git, folder, &["remote", "get-url", "origin"])?;
    // Without an `origin`, the only remote is unambiguous.
    if url.is_none()
        && let Some(name) = answer_of_git(&git, folder, &["remote"])?
        && !name.contains('\n')
    {
        url = answer_of_git(&git, folder, &["remote", "get-url", &name])?;
    }
    Ok(url.as_deref().and_then(Remote::of_url))
}

/// The output of git about the remotes. `None`: git refuses, or can't be run.
fn answer_of_git(git: &Tools, folder: &Path, arguments: &[&str]) -> Result<Option<String>> {
    match git.git(folder, arguments, "") {
        Git::Told(output) => Ok(Some(output.text.trim().to_owned())),
        Git::Refused(slow @ ProcessError::TooSlow(_)) => Err(Error::failed(
            format!("git {slow}, so the repository of the issue is unknown"),
            "see what keeps `git remote` waiting, such as .git/config, or name it with --repo \
             HOST/OWNER/NAME",
        )),
        Git::Nothing | Git::Refused(_) => Ok(None),
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

    /// A folder with a remote, and with scripts instead of gh and tea that save their arguments and
    /// input.
    struct Lab {
        temp: tempfile::TempDir,
        disk: Disk,
        limit: Duration,
    }

    impl Lab {
        fn new(remote: &str) -> Self {
            let temp = tempfile::tempdir().unwrap();
            let lab = Self { temp, disk: Disk::default(), limit: Duration::from_secs(20) };
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

        /// Both programs run this script; its arguments are in `asked`, its input in `read`.
        fn issue(&self, options: &Named, script: &str) -> Result<Issue<'_>> {
            let program = self.temp.path().join("program");
            let logins = "[ \"$1\" = login ] && printf '%s\\n' \
                          '\"Name\",\"URL\",\"SSHHost\",\"User\",\"Default\"' \
                          '\"a\",\"https://codeberg.org\",\"\",\"me\",\"true\"' \
                          '\"b\",\"https://git.example.org:3000\",\"git.example.org\",\"me\",\
                          \"false\"' \
                          && exit\n";
            let note = "for word; do printf '%s\\n' \"$word\"; done > asked; echo \"$GH_HOST\" > \
                        host; cat > read\n";
            fs_err::write(&program, format!("{logins}{note}{script}")).unwrap();
            let stand_in = vec!["sh".into(), program.into()];
            let environment = vec![("GIT_CEILING_DIRECTORIES".into(), std::env::temp_dir().into())];
            let settings = self.temp.path().join("gh");
            fs_err::create_dir_all(&settings).unwrap();
            fs_err::write(settings.join("hosts.yml"), "github.example.org:\n    user: octo\n")
                .unwrap();
            let gh_settings = Some(settings);
            let tools = Tools {
                gh: stand_in.clone(),
                tea: stand_in,
                gh_host: None,
                gh_settings,
                environment,
                ..Tools::real()
            };
            let Named { number, repo, forge } = options;
            let repository = Repository { name: repo.as_deref(), forge: *forge };
            let folder = self.temp.path();
            Issue::find_with(folder, repository, *number, &self.disk, self.limit, tools)
        }

        fn recorded(&self, name: &str) -> String {
            fs_err::read_to_string(self.temp.path().join(name)).unwrap()
        }
    }

    #[derive(Clone, Debug, Default)]
    struct Named {
        number: u32,
        repo: Option<String>,
        forge: Option<Forge>,
    }

    fn numbered(number: u32) -> Named {
        Named { number, ..Named::default() }
    }

    /// GitHub's JSON as a script.
    fn script(json: &str) -> String {
        format!("printf %s '/**/anvil({{\"meta\":{{\"status\":200}},\"data\":{json}}})'")
    }

    const TEA_OK: &str = "echo 'HTTP/2.0 200 OK' >&2; ";

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
    fn tea_gets_the_expected_arguments() {
        let lab = Lab::new("https://codeberg.org/octo/hello");
        let answer =
            r#"echo '{"body":null,"html_url":"https://codeberg.org/octo/hello/issues/12"}'"#;
        let issue = lab.issue(&numbered(12), &format!("{TEA_OK}{answer}")).unwrap();
        assert_eq!(issue.body().unwrap(), ForgeText { text: String::new(), is_exact: true });
        assert_eq!(
            lab.recorded("asked"),
            "api\n--method\nGET\n--include\nrepos/octo/hello/issues/12\n"
        );
        issue.write_body("Text").unwrap();
        let arguments = "api\n--method\nPATCH\n--include\n--data\n@-\nrepos/octo/hello/issues/12\n";
        assert_eq!(
            (&*lab.recorded("asked"), &*lab.recorded("read")),
            (arguments, r#"{"body":"Text"}"#)
        );
        let all = lab
            .issue(&numbered(12), &format!("{TEA_OK}echo '[{{\"id\":1,\"body\":\"a\"}}]'"))
            .unwrap()
            .comments();
        assert_eq!(all.unwrap().len(), 1);
        let other = r#"echo '{"body":"","html_url":"https://gitea.com/octo/hello/issues/12"}'"#;
        let issue = lab.issue(&numbered(12), &format!("{TEA_OK}{other}")).unwrap();
        assert_eq!(
            issue.body().unwrap_err().to_string(),
            "tea asked gitea.com, and the repository is on codeberg.org"
        );
    }

    #[test]
    fn the_users_choice_overrides_the_remote_and_nothing_is_guessed() {
        let lab = Lab::new("https://git.example.org/octo/hello");
        let find =
            |options: &Named| lab.issue(options, "").map(|issue| (issue.forge, issue.name()));
        let refused = |options: &Named| find(options).unwrap_err().to_string();
        // The host for ssh has another name than the host of the pages.
        assert_eq!(
            find(&numbered(1)).unwrap(),
            (Forge::Gitea, "git.example.org:3000 octo/hello#1".into())
        );
        let gitea = Named { forge: Some(Forge::Gitea), ..numbered(1) };
        lab.git(&["remote", "set-url", "origin", "https://git.example.com/octo/hello"]);
        let unknown = "it is unknown whether git.example.com is GitHub or Gitea, and neither gh \
                       nor tea is logged in there";
        assert_eq!(refused(&numbered(1)), unknown);
        assert_eq!(
            refused(&gitea),
            "the git remote names git.example.com, where tea is not logged in; nothing was sent \
             there"
        );
        let named = Named { repo: Some("github.com/a/b".into()), ..numbered(1) };
        assert_eq!(find(&named).unwrap(), (Forge::Github, "github.com a/b#1".into()));
        let lab = Lab::new("");
        let refused = lab.issue(&gitea, "").unwrap_err().to_string();
        assert!(refused.starts_with("cannot tell the repository"), "{refused}");
        let named = Named { repo: Some("a/b".into()), ..gitea };
        let several = "the host of a/b is unknown: tea is logged in at codeberg.org, \
                       git.example.org:3000";
        assert_eq!(lab.issue(&named, "").unwrap_err().to_string(), several);
        let github = Named { forge: Some(Forge::Github), ..named };
        assert_eq!(lab.issue(&github, "").unwrap().name(), "github.example.org a/b#1");
        let named = Named { repo: Some("a/b".into()), ..numbered(1) };
        assert_eq!(lab.issue(&named, "").unwrap_err().to_string(), "the forge of a/b is unknown");
        // Another name than `origin` is enough if it is the only remote.
        let lab = Lab::new("https://github.com/octo/hello");
        lab.git(&["remote", "rename", "origin", "upstream"]);
        assert_eq!(lab.issue(&numbered(1), "").unwrap().name(), "github.com octo/hello#1");
        lab.git(&["remote", "add", "fork", "https://github.com/me/hello"]);
        assert!(
            lab.issue(&numbered(1), "")
                .unwrap_err()
                .to_string()
                .starts_with("cannot tell the repository")
        );
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
            for forge in [None, Some(Forge::Github), Some(Forge::Gitea)] {
                let error = lab.issue(&Named { forge, ..numbered(7) }, "").unwrap_err();
                let message = error.to_string();
                assert!(
                    message.starts_with(&format!("the git remote names {host}, where ")),
                    "{remote}: {message}"
                );
                assert!(
                    !lab.temp.path().join("asked").exists(),
                    "{remote}: {}",
                    lab.recorded("asked")
                );
            }
            let typed = Named {
                repo: Some(format!("{}/octo/hello", host.trim_end_matches('.'))),
                ..numbered(7)
            };
            let found = lab.issue(&Named { forge: Some(Forge::Github), ..typed }, "");
            assert_eq!(found.unwrap().host, host.trim_end_matches('.'), "{remote}");
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
            anvil_text::door::Door::Shell.hint(&error).contains("if you trust that host")
                && !lab.temp.path().join("asked").exists()
        );
    }

    #[test]
    fn every_refusal_is_one_line_with_a_hint() {
        let github = Lab::new("https://github.com/o/r");
        let gitea = Lab::new("https://codeberg.org/o/r");
        let tea = |status: &str, text: &str| format!("echo 'HTTP/1.1 {status}' >&2; echo '{text}'");
        for (lab, script, message, code) in [
            (
                &github,
                "echo 'gh: Not Found (HTTP 404)' >&2; exit 1".into(),
                "there is no github.com/o/r#7",
                3,
            ),
            (&github, "echo 'gh: HTTP 404' >&2; exit 1".into(), "there is no github.com/o/r#7", 3),
            (
                &github,
                r#"echo '/**/anvil({"meta":{"status":404},"data":{"message":"Not Found"}})'"#
                    .into(),
                "there is no github.com/o/r#7",
                3,
            ),
            (
                &github,
                "echo 'gh: No way (HTTP 403)' >&2; exit 1".into(),
                "account is not allowed to read github.com/o/r#7: No way",
                1,
            ),
            (
                &github,
                "echo 'gh: API rate limit exceeded for user ID 1 (HTTP 403)' >&2; exit 1".into(),
                "accepts no more requests for now: API rate",
                1,
            ),
            (
                &github,
                "echo 'gh: Bad credentials (HTTP 401)' >&2; exit 1".into(),
                "gh is not logged in at github.com",
                1,
            ),
            (
                &github,
                "echo 'run:  gh auth login' >&2; exit 4".into(),
                "gh is not logged in at github.com",
                1,
            ),
            (
                &github,
                "echo 'error connecting to api.github.com' >&2; exit 1".into(),
                "got no answer from github.com",
                1,
            ),
            (
                &github,
                "echo 'gh: Oops (HTTP 502)' >&2; exit 1".into(),
                "github.com answers 502: Oops",
                1,
            ),
            (&github, "echo '<html>'".into(), "can't read gh's answer about github.com/o/r#7", 1),
            (&github, "yes".into(), "has more text than is read", 1),
            (
                &gitea,
                tea("404 Not Found", r#"{"message":"nope"}"#),
                "there is no codeberg.org/o/r#7",
                3,
            ),
            (
                &gitea,
                tea("403 Forbidden", r#"{"message":"nope"}"#),
                "account is not allowed to read codeberg.org/o/r#7: nope",
                1,
            ),
            (&gitea, tea("429 Too Many Requests", ""), "accepts no more requests for now", 1),
            (&gitea, tea("500 Oops", "<html>"), "codeberg.org answers 500: HTTP/1.1 500 Oops", 1),
            (
                &gitea,
                "echo 'Error: no available login' >&2; exit 1".into(),
                "tea is not logged in at codeberg.org",
                1,
            ),
            (
                &gitea,
                "echo 'dial tcp: connection refused' >&2; exit 1".into(),
                "tea got no answer from codeberg.org",
                1,
            ),
            (&gitea, "echo '{}'".into(), "tea got no answer from codeberg.org", 1),
        ] {
            let error = lab.issue(&numbered(7), &script).unwrap().body().unwrap_err();
            let line = error.to_string();
            assert!(line.contains(message) && !line.contains('\n'), "{script}: {line}");
            assert!(
                error.exit_code() == code && !anvil_text::door::Door::Shell.hint(&error).is_empty(),
                "{script}: {}",
                anvil_text::door::Door::Shell.hint(&error)
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
                && anvil_text::door::Door::Shell.hint(&error).contains("--repo"),
            "{error}"
        );
        assert!(began.elapsed() < Duration::from_secs(10));
        let named = Named { repo: Some("github.com/o/r".into()), ..numbered(7) };
        assert_eq!(lab.issue(&named, "").unwrap().to_string(), "github.com/o/r#7");
    }

    #[test]
    fn a_missing_or_hanging_program_is_reported_with_a_hint() {
        for (remote, hint) in [
            ("https://github.com/o/r", "https://cli.github.com"),
            ("https://codeberg.org/o/r", "tea login"),
        ] {
            let mut lab = Lab::new(remote);
            let mut issue = lab.issue(&numbered(7), "").unwrap();
            (issue.tools.gh, issue.tools.tea) = (vec!["/no/gh".into()], vec!["/no/tea".into()]);
            let error = issue.body().unwrap_err();
            assert!(
                error.to_string().ends_with("is not on this machine")
                    && anvil_text::door::Door::Shell.hint(&error).contains(hint),
                "{error}"
            );
            lab.limit = Duration::from_millis(400);
            let began = Instant::now();
            let error = lab.issue(&numbered(7), "sleep 30").unwrap().body().unwrap_err();
            assert!(error.to_string().contains("took longer than"), "{error}");
            assert!(began.elapsed() < Duration::from_secs(15));
        }
    }
}
