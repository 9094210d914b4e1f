//! The workflow of docs/ci.md: its shell lines, with the environment that GitHub gives, the real gh
//! and the real client, against a release and a pull request on loopback.
//!
//! Two calls have a stand-in, which checks its arguments: `gh attestation verify` needs the public
//! log of signatures, and `npm install` the registry.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tempfile::TempDir;

use crate::client::{Client, NEWEST};
use crate::github::GitHub;
use crate::mock::{Answer, Mock, Request};
use crate::model::{Seat, Turn, account};
use crate::process::{Finished, Running};
use crate::release::{package_of, platform, tested};

const FIRST: &str = "1111111111111111111111111111111111111111";
const SECOND: &str = "2222222222222222222222222222222222222222";

/// A gh without `attestation`, which old ones lack, and an npm that installs the client of the
/// tests.
const GH: &str = r#"#!/bin/sh
[ "$1" = attestation ] || exec "$REAL_GH" "$@"
[ "$2 $4 $5" = "verify -R OWNER/NAME" ] && [ -s "$3" ] && echo "$*" >> "$CALLS"
"#;
const NPM: &str = r#"#!/bin/sh
echo "npm $*" >> "$CALLS"
ln -s "$CLIENT" "$BIN/claude"
"#;

/// The job of the workflow.
struct Workflow {
    /// Names and values; a value can be an expression.
    environment: Vec<(String, String)>,
    script: String,
}

impl Workflow {
    fn of_docs() -> Self {
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/ci.md");
        let page = fs::read_to_string(page).expect("the page exists");
        let (_, yaml) = page.split_once("```yaml\n").expect("a workflow");
        let (yaml, _) = yaml.split_once("```").expect("its end");
        assert!(yaml.lines().count() <= 25, "{yaml}");
        let least = "on: pull_request # never pull_request_target\n\
                     permissions: { contents: read, pull-requests: write }\njobs:\n";
        assert!(yaml.starts_with(least), "{yaml}");
        let (_, after) = yaml.split_once("    env:\n").expect("an environment");
        let (environment, steps) = after.split_once("    steps:\n").expect("steps");
        let pair = |line: &str| {
            let (name, value) = line.trim().split_once(": ").expect("a name and its value");
            (name.to_owned(), value.to_owned())
        };
        let (_, script) = steps.split_once("- run: |\n").expect("shell lines");
        let script = script.lines().map_while(|line| line.strip_prefix("          "));
        let script = script.collect::<Vec<_>>().join("\n");
        assert_eq!(yaml.matches("run:").count(), 1, "the test runs all shell lines");
        assert!(!script.contains("${{"), "no input is part of the script:\n{script}");
        Self { environment: environment.lines().map(pair).collect(), script }
    }
}

/// GitHub with the repository and the releases, and the model.
struct Forge {
    github: GitHub,
    mock: Mock,
    is_against: Arc<AtomicBool>,
}

impl Forge {
    fn new() -> Self {
        let is_against = Arc::new(AtomicBool::new(false));
        let verdict = Arc::clone(&is_against);
        let mock = Mock::of_seats(move |request| {
            let reply = reply(request);
            let is_against = verdict.load(Ordering::SeqCst);
            Answer::text(if is_against { reply } else { reply.replace(": do not\n", ": do\n") })
        });
        Self { github: GitHub::with_pull_request(FIRST), mock, is_against }
    }

    /// Publishes the release that the workflow downloads.
    fn publish_release(&self) {
        let version = env!("CARGO_PKG_VERSION");
        let folder = self.github.release("OWNER/NAME", &format!("v{version}"));
        let above = folder.parent().expect("a folder above");
        fs::create_dir_all(above).expect("a fresh folder");
        // Three quarters of a debug build are symbols, which take long to pack.
        let program = above.join("anvil");
        let mut strip = Command::new("strip");
        strip.arg("-o").arg(&program).arg(tested());
        Running::start(strip).wait().ok();
        package_of(&program, &folder, version);
    }

    /// Runs the shell lines on a fresh machine, as GitHub does.
    fn run(&self, secret: &str) -> Job {
        let root = tempfile::Builder::new().prefix("e2e-").tempdir().expect("a temporary folder");
        for name in ["home", "temp", "bin", "work"] {
            fs::create_dir(root.path().join(name)).expect("a fresh folder");
        }
        let at = |name: &str| root.path().join(name);
        for (name, text) in [("gh", GH), ("npm", NPM)] {
            let path = at("bin").join(name);
            fs::write(&path, text).expect("a fresh folder");
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("our file");
        }
        for arguments in [&["init", "-q"][..], &["remote", "add", "origin", &self.github.remote()]]
        {
            let mut git = Command::new("git");
            git.args(arguments).current_dir(at("work")).env("HOME", at("home"));
            Running::start(git).wait().ok();
        }
        let workflow = Workflow::of_docs();
        let script = workflow.script.replace("linux-x86_64", platform());
        fs::write(at("step.sh"), script).expect("a fresh file");
        let path = std::env::var("PATH").expect("a PATH");
        let mut real = path.split(':').map(|folder| Path::new(folder).join("gh"));
        let real = real.find(|gh| gh.is_file()).expect("gh is installed");
        let client = Client::new(NEWEST, &at("home"), &at("work"), &self.mock);
        let program = client.program().to_owned();
        let mut client = client
            .env("PATH", format!("{}:{path}", at("bin").display()))
            .env("REAL_GH", real)
            .env("BIN", at("bin"))
            .env("CLIENT", program)
            .env("CALLS", at("calls"))
            .env("CI", "true")
            .env("GITHUB_ACTIONS", "true")
            .env("GITHUB_EVENT_NAME", "pull_request")
            .env("GITHUB_REPOSITORY", "octo/hello")
            .env("GITHUB_WORKSPACE", at("work"))
            .env("GITHUB_STEP_SUMMARY", at("summary.md"))
            .env("RUNNER_TEMP", at("temp"))
            .env("ANVIL_RETRY_DELAYS", "0,0,0");
        for (name, value) in workflow.environment {
            let value = match &*value {
                "${{ secrets.ANTHROPIC_API_KEY }}" => secret,
                "${{ github.token }}" => "e2e-dummy",
                "${{ github.event.number }}" => "7",
                other => panic!("GitHub gives no {other} here"),
            };
            client = client.env(name, value);
        }
        // On a server of its own, gh takes another variable for the token.
        for (name, value) in self.github.environment() {
            client = client.env(name, value);
        }
        let ended = Running::start(client.shell("exec bash -e ../step.sh")).wait();
        println!("{}{}", ended.stdout, ended.stderr);
        Job { root, ended }
    }
}

/// A job that has ended, on its machine.
struct Job {
    root: TempDir,
    ended: Finished,
}

impl Job {
    fn code(&self) -> Option<i32> {
        self.ended.status.code()
    }

    /// A file of the machine; empty: there is none.
    fn file(&self, name: &str) -> String {
        fs::read_to_string(self.root.path().join(name)).unwrap_or_default()
    }
}

fn reply(request: &Request) -> String {
    match Turn::of(request).seat {
        Some(Seat::Advocate(round)) => {
            format!("**A{round}. The reads are fast, says run {round}.** [reasoning] So it is.")
        }
        Some(Seat::Critic(round)) => {
            format!("**C{round}. Case {round} is not tested.** [reasoning] So it is.")
        }
        _ => {
            let told = request.body["messages"].to_string();
            let claims = ["A1", "C1", "A2", "C2"].into_iter();
            let claims = claims.filter(|id| told.contains(&format!("**{id}**")));
            account(&Turn::of(request).motion, "Test the second case.", claims)
        }
    }
}

#[test]
#[ignore = "runs the real Claude Code client and gh; .ci/run installs them"]
fn the_workflow_of_the_docs_comments_once_and_closes_its_gate() {
    let forge = Forge::new();
    forge.publish_release();
    let first = forge.run("sk-ant-dummy");
    assert_eq!(first.code(), Some(0), "{:#?}", first.ended);
    let zip = format!("anvil-{}-{}.zip", env!("CARGO_PKG_VERSION"), platform());
    assert_eq!(
        first.file("calls"),
        format!(
            "attestation verify {zip} -R OWNER/NAME\n\
             npm install --global @anthropic-ai/claude-code@{NEWEST}\n"
        )
    );
    let comments = forge.github.comments();
    let [comment] = &comments[..] else { panic!("one comment: {comments:#?}") };
    for part in ["### Should we merge pull request 7?\n\n**Yes, 60% sure.**\n", FIRST] {
        assert!(comment.contains(part), "{part}: {comment}");
    }
    assert!(first.file("summary.md").starts_with("# Should we merge pull request 7?\n"));
    assert!(first.file("work/page.html").contains("Test the second case."));
    let home = first.root.path().to_str().expect("a UTF-8 path");
    assert!(!comment.contains(home), "{comment}");

    // Anybody can post the mark. The second commit: the verdict is another one, its gate closes.
    forge.github.reply("mallory", comment);
    forge.github.set_commit(SECOND);
    forge.is_against.store(true, Ordering::SeqCst);
    let second = forge.run("sk-ant-dummy");
    assert_eq!(second.code(), Some(4), "{:#?}", second.ended);
    let [updated, foreign] = &forge.github.comments()[..] else { panic!("two comments") };
    assert_eq!(foreign, comment);
    for part in ["**No, 60% sure.**\n", SECOND, "Earlier verdicts: 1"] {
        assert!(updated.contains(part), "{part}: {updated}");
    }
    assert!(second.file("work/page.html").contains("Test the second case."));
    assert!(second.file("summary.md").contains("Test the second case."));
}

#[test]
#[ignore = "runs gh; .ci/run installs it"]
fn the_workflow_of_the_docs_says_one_notice_on_a_fork() {
    let forge = Forge::new();
    let job = forge.run("");
    assert_eq!(job.code(), Some(0), "{:#?}", job.ended);
    assert_eq!(job.ended.stdout, "::notice::No secret on a fork: no debate\n");
    assert_eq!((job.ended.stderr.as_str(), job.file("calls")), ("", String::new()));
    assert!(forge.github.log().is_empty() && forge.mock.all().is_empty());
}
