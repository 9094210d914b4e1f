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

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::process::Running;

/// One issue, octo/hello#7.
pub(crate) struct GitHub {
    folder: TempDir,
    server: Child,
    port: u16,
}

impl GitHub {
    /// A server with an issue of this text.
    pub(crate) fn with_issue(body: &str) -> Self {
        let folder =
            tempfile::Builder::new().prefix("e2e-forge-").tempdir().expect("a temporary folder");
        certify(folder.path());
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/e2e/github.mjs");
        let mut command = Command::new("node");
        command.arg(script).arg(folder.path()).stdin(Stdio::null()).stdout(Stdio::piped());
        let mut server = command.spawn().expect("node is installed");
        let mut port = String::new();
        let out = server.stdout.take().expect("it is piped");
        BufReader::new(out).read_line(&mut port).expect("the server says its port");
        let port = port.trim().parse().expect("the port is a number");
        let github = Self { folder, server, port };
        github.set_body(body);
        github
    }

    /// The host's name in messages.
    pub(crate) fn host(&self) -> String {
        format!("localhost:{}", self.port)
    }

    /// The URL of the repository, as a git remote.
    pub(crate) fn remote(&self) -> String {
        format!("https://localhost:{}/octo/hello.git", self.port)
    }

    /// The variables that the user sets for `gh` in their shell.
    pub(crate) fn environment(&self) -> Vec<(&'static str, String)> {
        let authority = self.path("authority.pem").to_str().expect("a UTF-8 path").to_owned();
        vec![
            ("GH_HOST", self.host()),
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
        let mut comments = self.json("comments.json");
        let list = comments.as_array_mut().expect("a list");
        list.push(json!({ "id": 900, "user": { "login": author }, "body": text }));
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
fn certify(folder: &Path) {
    fs::write(folder.join("names"), "subjectAltName=DNS:localhost,IP:127.0.0.1\n")
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
