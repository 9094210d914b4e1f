//! GitHub on loopback: its API over TLS, with a certificate of the test's own authority, for the
//! real `gh`.
//!
//! Invariants:
//! * `gh` learns of the authority from `SSL_CERT_FILE` and of the host from the git remote; its
//!   token is a dummy.
//! * The issue is a folder, where a test reads and changes it like another person.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU8, Ordering};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::process::Running;

/// The servers so far that have an address of their own.
static SERVERS: AtomicU8 = AtomicU8::new(0);

/// One issue or pull request, octo/hello#7.
pub(crate) struct GitHub {
    folder: TempDir,
    server: Child,
    host: String,
}

impl GitHub {
    /// A server with an issue of this text.
    pub(crate) fn with_issue(body: &str) -> Self {
        let github = Self::at("127.0.0.1", 0);
        github.set_body(body);
        github
    }

    /// A server with a pull request at this commit. A command of gh that reads the remotes knows no
    /// port, so the server has an address of its own and the usual port.
    pub(crate) fn with_pull_request(commit: &str) -> Self {
        let number = SERVERS.fetch_add(1, Ordering::Relaxed);
        let [_, _, high, low] = std::process::id().to_be_bytes();
        let github = Self::at(&format!("127.{}.{high}.{low}", 1 + number), 443);
        github.set_body("");
        github.set_commit(commit);
        let patch = "diff --git a/cache.rs b/cache.rs\n--- a/cache.rs\n+++ b/cache.rs\n@@ -1 +1 @@\n\
                     -const CACHED: bool = false;\n+const CACHED: bool = true;\n";
        fs::write(github.path("pull.diff"), patch).expect("the folder is writable");
        github
    }

    fn at(address: &str, port: u16) -> Self {
        let folder =
            tempfile::Builder::new().prefix("e2e-forge-").tempdir().expect("a temporary folder");
        certify(folder.path(), address);
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/e2e/github.mjs");
        let mut command = Command::new("node");
        command.arg(script).arg(folder.path()).arg(address).arg(port.to_string());
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        let mut server = command.spawn().expect("node is installed");
        let mut said = String::new();
        let out = server.stdout.take().expect("it is piped");
        BufReader::new(out).read_line(&mut said).expect("the server says its port");
        let listens = said.trim();
        assert!(!listens.is_empty(), "port {port} needs root or a network namespace: .ci/run");
        let host = if port == 0 { format!("localhost:{listens}") } else { address.to_owned() };
        Self { folder, server, host }
    }

    /// The host's name in messages.
    pub(crate) fn host(&self) -> &str {
        &self.host
    }

    /// The URL of the repository, as a git remote.
    pub(crate) fn remote(&self) -> String {
        self.remote_of("octo")
    }

    /// The URL of the repository `hello` of this owner.
    pub(crate) fn remote_of(&self, owner: &str) -> String {
        format!("https://{}/{owner}/hello.git", self.host)
    }

    /// Pushes this commit to the pull request.
    pub(crate) fn set_commit(&self, commit: &str) {
        let pull = json!({
            "id": "PR_7", "number": 7, "state": "OPEN", "title": "Cache the reads", "body": "Why.",
            "author": { "id": "U_ann", "login": "ann" }, "baseRefName": "main",
            "headRefName": "cache", "headRefOid": commit, "additions": 1, "deletions": 1,
            "changedFiles": 1, "url": format!("https://{}/octo/hello/pull/7", self.host),
        });
        fs::write(self.path("pull.json"), pull.to_string()).expect("the folder is writable");
    }

    /// The folder with the files of a release: what is there can be downloaded.
    pub(crate) fn release(&self, repo: &str, tag: &str) -> PathBuf {
        self.path("releases").join(repo).join(tag)
    }

    /// The variables that the user sets for `gh` in their shell.
    pub(crate) fn environment(&self) -> Vec<(&'static str, String)> {
        let authority = self.path("authority.pem").to_str().expect("a UTF-8 path").to_owned();
        vec![
            ("GH_HOST", self.host.clone()),
            ("GH_ENTERPRISE_TOKEN", "e2e-dummy".to_owned()),
            ("SSL_CERT_FILE", authority),
        ]
    }

    /// The issue's text.
    pub(crate) fn body(&self) -> String {
        self.json("issue.json")["body"].as_str().expect("a text").to_owned()
    }

    /// Changes the issue as another person would.
    pub(crate) fn set_body(&self, body: &str) {
        let issue = json!({"number": 7, "title": "What to do?", "body": body});
        fs::write(self.path("issue.json"), issue.to_string()).expect("the folder is writable");
    }

    /// The texts of the comments.
    pub(crate) fn comments(&self) -> Vec<String> {
        if !self.path("comments.json").exists() {
            return Vec::new();
        }
        let comments = self.json("comments.json");
        let texts =
            comments.as_array().expect("a list").iter().map(|comment| comment["body"].as_str());
        texts.map(|text| text.expect("a text").to_owned()).collect()
    }

    /// Adds a comment as another person would.
    pub(crate) fn reply(&self, author: &str, text: &str) {
        let mut comments = if self.path("comments.json").exists() {
            self.json("comments.json")
        } else {
            json!([])
        };
        let list = comments.as_array_mut().expect("a list");
        let id = 900 + list.len();
        list.push(json!({ "id": id, "user": { "login": author }, "body": text }));
        fs::write(self.path("comments.json"), comments.to_string()).expect("it is writable");
    }

    /// The issue's text as `gh` prints it on a command line.
    pub(crate) fn body_by_gh(&self) -> String {
        let mut command = Command::new("gh");
        command.args(["api", "repos/octo/hello/issues/7", "--jq", ".body"]).env_clear();
        command
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.folder.path());
        command.envs(self.environment());
        Running::start(command).wait().ok().stdout
    }

    /// The requests so far: `PATCH /api/v3/…`, with the answer's status.
    pub(crate) fn log(&self) -> Vec<(String, u64)> {
        let text = fs::read_to_string(self.path("log.jsonl")).unwrap_or_default();
        let lines =
            text.lines().map(|line| serde_json::from_str::<Value>(line).expect("a line of JSON"));
        lines
            .map(|line| {
                assert!(
                    line["agent"].as_str().is_some_and(|agent| agent.starts_with("GitHub CLI")),
                    "{line}"
                );
                let asked = format!(
                    "{} {}",
                    line["method"].as_str().expect("a method"),
                    line["path"].as_str().expect("a path")
                );
                (asked, line["status"].as_u64().expect("a status"))
            })
            .collect()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn json(&self, name: &str) -> Value {
        let text = fs::read(self.path(name)).expect("it was written");
        serde_json::from_slice(&text).expect("JSON")
    }
}

impl Drop for GitHub {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// An authority that lives as long as the test, and the server's certificate.
fn certify(folder: &Path, address: &str) {
    fs::write(folder.join("names"), format!("subjectAltName=DNS:localhost,IP:{address}\n"))
        .expect("a fresh folder");
    let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
    let authority =
        ["-x509", "-days", "2", "-subj", "/CN=The authority of a test", "-keyout", "authority.key"];
    openssl(folder, &[&["req"], &key[..], &authority, &["-out", "authority.pem"]].concat());
    openssl(
        folder,
        &[
            &["req"],
            &key[..],
            &["-subj", "/CN=localhost", "-keyout", "key.pem", "-out", "request.pem"],
        ]
        .concat(),
    );
    let sign = ["-CA", "authority.pem", "-CAkey", "authority.key", "-CAcreateserial", "-days", "2"];
    let files = ["-extfile", "names", "-out", "cert.pem"];
    openssl(folder, &[&["x509", "-req", "-in", "request.pem"], &sign[..], &files].concat());
}

fn openssl(folder: &Path, args: &[&str]) {
    let mut command = Command::new("openssl");
    command.args(args).current_dir(folder);
    Running::start(command).wait().ok();
}
