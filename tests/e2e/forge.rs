//! A debate that travels in an issue: the real `gh`, two machines, and the real client on each.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::client::{Client, skip_onboarding};
use crate::github::GitHub;
use crate::model::Manner;
use crate::process::{Finished, Running};
use crate::screen::Screen;
use crate::world::World;

/// The text of people in the issue, with another tool's mark, the line ends of a browser, and
/// characters that gh replaces in JSON.
const ISSUE: &str = "Should we? 🤔\r\n\r\n```\r\n<!-- anvil-state\r\n{}\r\n-->\r\n```\r\n<!-- x-state {\"a\":1} -->\r\n\u{1b}[31m \\u001b[31m \\u0023";

const VERDICT: [&str; 4] = ["publish", "--pr", "7", "--comment"];

/// A machine: its own HOME, checkout, plugin and model.
struct Machine<'a> {
    world: World,
    github: &'a GitHub,
}

impl<'a> Machine<'a> {
    fn new(github: &'a GitHub) -> Self {
        let world = World::new(Manner::default());
        for args in [
            &["init", "-q"][..],
            &["remote", "add", "origin", &github.remote()],
            &[
                "-c",
                "user.name=t",
                "-c",
                "user.email=t@localhost",
                "commit",
                "-q",
                "--allow-empty",
                "-m",
                "A start",
            ],
        ] {
            git(&world.project(), args);
        }
        Self { world, github }
    }

    /// A second machine, whose checkout is a clone of this one's.
    fn another(&self) -> Self {
        let world = World::new(Manner::default());
        let from = self.world.project();
        git(&world.project(), &["clone", "-q", from.to_str().expect("a UTF-8 path"), "."]);
        git(&world.project(), &["remote", "set-url", "origin", &self.github.remote()]);
        Self { world, github: self.github }
    }

    fn client(&self) -> Client {
        let environment = self.github.environment();
        environment
            .into_iter()
            .fold(self.world.client(), |client, (name, value)| client.env(name, value))
    }

    /// Types a line that costs no request; returns what the user reads.
    fn typed(&self, line: &str) -> String {
        let before = self.world.mock.main().len();
        let said = self.client().prompt(line).run().ok().stdout;
        assert_eq!(self.world.mock.main().len(), before, "{line} costs no request");
        said
    }

    fn anvil(&self, args: &[&str]) -> Finished {
        self.anvil_with(args, Vec::new())
    }

    fn anvil_with(&self, args: &[&str], environment: Vec<(&'static str, String)>) -> Finished {
        let mut command = Command::new(env!("CARGO_BIN_EXE_anvil"));
        command
            .args(args)
            .env_clear()
            .env("HOME", self.world.home())
            .current_dir(self.world.project());
        command
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .envs(self.github.environment());
        command.envs(environment);
        Running::start(command).wait()
    }

    /// Runs gh as the user does.
    fn gh(&self, args: &[&str]) {
        let mut command = Command::new("gh");
        command.args(args).env_clear().env("HOME", self.world.home());
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.envs(self.github.environment()).current_dir(self.world.project());
        Running::start(command).wait().ok();
    }

    fn resume(&self) {
        self.client().prompt("/anvil:resume").run().ok();
    }
}

fn git(folder: &Path, args: &[&str]) {
    let mut command = Command::new("git");
    command.args(args).env("HOME", folder).env("GIT_CONFIG_NOSYSTEM", "1").current_dir(folder);
    Running::start(command).wait().ok();
}

fn texts(machine: &Machine<'_>) -> Vec<String> {
    machine.world.state().sections().into_iter().map(|section| section.text).collect()
}

#[test]
#[ignore = "runs the real Claude Code client and gh; .ci/run installs them"]
fn a_debate_continues_from_an_issue_on_another_machine() {
    let github = GitHub::with_issue(ISSUE);
    let first = Machine::new(&github);
    first
        .client()
        .prompt("/anvil:debate Should we rewrite it? --rounds 2 --interactive --output out.md")
        .run()
        .ok();
    let said = first.typed("/anvil:report --publish 7");
    assert!(said.contains("/octo/hello#7, revision 1, advocate, round 2 of 2, "), "{said}");
    assert!(github.body().starts_with(ISSUE), "{}", github.body());

    let second = first.another();
    let said = second.typed("/anvil:report --pull 7");
    assert!(said.contains("/octo/hello#7, revision 1, advocate, round 2 of 2, "), "{said}");
    assert_eq!(texts(&second), texts(&first));
    let state = second.world.state();
    assert_eq!(
        (state.field("session_id"), state.field("status")),
        (String::new(), "paused".to_owned()),
        "{}",
        state.0
    );
    // It has no owner: a session that only talks leaves it alone.
    let chat = second.client().prompt("Say hello.").run().ok();
    assert!(chat.stdout.contains("CHAT"), "{chat:#?}");
    assert_eq!(second.world.state().0, state.0);

    second.resume();
    let said = second.typed("/anvil:report --publish 7");
    assert!(said.contains("revision 2, synthesis, "), "{said}");
    second.resume();
    assert_eq!(second.world.state().field("status"), "completed", "{}", second.world.state().0);
    assert!(
        !second.world.project().join("out.md").exists(),
        "a path from elsewhere is not honoured"
    );
    let told = second
        .world
        .mock
        .main()
        .iter()
        .map(|said| said.request.body["messages"].to_string())
        .collect::<String>();
    assert!(
        told.contains("ADVOCATE-R1 reply 1"),
        "what the first machine argued is known on the second"
    );
    let said = second.anvil(&["publish", "--issue", "7", "--comment"]).ok().stdout;
    assert!(
        said.contains("revision 3, complete, ") && said.contains("Its report is a comment there."),
        "{said}"
    );
    let comments = github.comments();
    assert!(
        comments.len() == 1 && comments[0].starts_with("<!-- anvil -->\n# Should we rewrite it?\n"),
        "{comments:#?}"
    );
    assert!(
        comments[0].contains("SYNTHESIS reply") && comments[0].contains("ADVOCATE-R1 reply 1"),
        "{}",
        comments[0]
    );

    // Back again: the first machine has all of it.
    let said = first.anvil(&["pull", "--issue", "7"]).ok().stdout;
    assert!(said.contains("revision 3, complete, "), "{said}");
    assert_eq!(texts(&first), texts(&second));
    assert!(
        github.body().starts_with(ISSUE) && github.body().ends_with("\n-->"),
        "{}",
        github.body()
    );
    // gh changes what it prints; the filters accept it nevertheless.
    let printed = github.body_by_gh();
    assert!(printed.contains("\\>") || printed.contains("\\u003e"), "{printed}");
    let file = second.world.project().join("body.md");
    fs::write(&file, &printed).expect("the project is writable");
    let read = second.anvil(&["body", "extract", "--state", "--body", "body.md"]).ok().stdout;
    fs::write(&file, github.body()).expect("the project is writable");
    assert_eq!(
        read,
        second.anvil(&["body", "extract", "--state", "--body", "body.md"]).ok().stdout
    );
    assert!(github.log().iter().all(|(_, status)| *status < 300), "{:#?}", github.log());
}

#[test]
#[ignore = "runs the real Claude Code client and gh; .ci/run installs them"]
fn work_published_by_another_machine_is_not_lost() {
    let github = GitHub::with_issue(ISSUE);
    let first = Machine::new(&github);
    first
        .client()
        .prompt("/anvil:debate Should we rewrite it? --rounds 2 --interactive")
        .run()
        .ok();
    first.anvil(&["publish", "--issue", "7"]).ok();
    let second = first.another();
    second.anvil(&["pull", "--issue", "7"]).ok();
    first.resume();
    second.resume();
    second.anvil(&["publish", "--issue", "7"]).ok();
    let theirs = github.body();

    let (before, said) = (first.world.project_files(), first.typed("/anvil:report --publish 7"));
    for part in ["since. Here: revision 1, synthesis, ", "There: revision 2, synthesis, "] {
        assert!(said.contains(part), "{said}");
    }
    assert_eq!((github.body(), first.world.project_files()), (theirs, before));
    let said = first.anvil(&["publish", "--issue", "7", "--force"]).ok();
    assert!(
        said.stdout.contains("revision 3") && said.stderr.contains("aside/block-"),
        "{said:#?}"
    );
    let kept = first.world.aside();
    let theirs = texts(&second).pop().expect("sections");
    let line = theirs.lines().next().expect("a line");
    assert!(kept.len() == 1 && kept.values().all(|text| text.contains(line)), "{kept:#?}");
    // The first machine's own reply in that round has another text.
    assert_ne!(texts(&first).pop(), texts(&second).pop());
}

#[test]
#[ignore = "runs the real Claude Code client and gh; .ci/run installs them"]
fn a_question_is_asked_in_the_issue_and_answered_by_its_replies() {
    let github = GitHub::with_issue(ISSUE);
    let first = Machine::new(&github);
    first.anvil(&["start", "Should we rewrite it?", "--rounds", "2"]).ok();
    let claimed = first.anvil(&["claim", "--as", "me", "--json"]).ok().stdout;
    let claimed: serde_json::Value = serde_json::from_str(&claimed).expect("JSON");
    let token = claimed["token"].as_str().expect("a token").to_owned();
    let reply = "**A1. It pays.** [reasoning] So.\n\n**Ask:** How large is @octo's team?";
    fs::write(first.world.project().join("reply.md"), reply).expect("the project is writable");
    let mut command = Command::new("sh");
    let submit = format!("{} submit {token} < reply.md", env!("CARGO_BIN_EXE_anvil"));
    command.args(["-c", &submit]).env("HOME", first.world.home());
    command.current_dir(first.world.project());
    Running::start(command).wait().ok();
    let said = first.typed("/anvil:report --publish 7 --ask");
    assert!(said.contains("It asks in a comment there: How large is @octo's team?"), "{said}");
    let asked = github.comments();
    assert!(asked.len() == 1 && asked[0].contains("> How large is `@octo`'s team?"), "{asked:#?}");
    github.reply("ann", "Eight people.\r\n\u{1b}[2J");
    // The server gives its comments in pages of two.
    github.reply("eve", "Nine. \\u001b[2J");

    // A colleague reads them in the interactive screen.
    let second = first.another();
    skip_onboarding(&second.world.home(), &second.world.project());
    let screen = Screen::open(&second.client());
    screen.wait_for("❯");
    screen.enter("/anvil:report --pull 7");
    let said = screen.wait_for("/anvil:steer --answer TEXT saves your answer.");
    for shown in ["ann: \"Eight people. [2J\"", "eve: \"Nine. \\u001b[2J\""] {
        assert!(said.contains(shown), "{said}");
    }
    assert!(!second.world.state().0.contains("Eight"), "{}", second.world.state().0);
    screen.enter("/anvil:steer --answer Eight people, says ann.");
    screen.wait_for("answered: How large is");
    drop(screen);
    assert_eq!(second.world.mock.main().len(), 0, "no line costs a request");
    assert!(!second.typed("/anvil:report --pull 7").contains("Eight"));
    assert!(github.log().iter().all(|(_, status)| *status < 300), "{:#?}", github.log());
}

#[test]
#[ignore = "runs the real Claude Code client and gh; .ci/run installs them"]
fn a_forks_verdict_goes_to_the_repository_that_gh_has_chosen() {
    let github = GitHub::with_pull_request("3f2a3f2a3f2a3f2a3f2a3f2a3f2a3f2a3f2a3f2a");
    let machine = Machine::new(&github);
    let project = machine.world.project();
    machine.client().prompt("/anvil:debate Should we rewrite it? --rounds 1").run().ok();
    git(&project, &["remote", "set-url", "origin", &github.remote_of("me")]);
    git(&project, &["remote", "add", "upstream", &github.remote()]);

    // Two remotes and no choice: nothing is sent or paid for.
    let requests = machine.world.mock.main().len();
    for args in [&VERDICT[..], &["run", "--pr", "7", "--comment", "--replace"]] {
        let said = machine.anvil(args);
        assert_eq!(said.status.code(), Some(2), "{said:#?}");
        let both = "this checkout has several remotes, and gh has no default: origin (me/hello), \
                    upstream (octo/hello)";
        assert!(said.stderr.contains(both), "{said:#?}");
        assert!(said.stderr.contains("gh repo set-default"), "{said:#?}");
    }
    assert!(github.log().is_empty(), "{:#?}", github.log());
    assert_eq!(machine.world.mock.main().len(), requests);

    let verdict = || {
        let said = machine.anvil(&VERDICT).ok().stdout;
        assert!(said.contains("/octo/hello#7") && said.contains("verdict is a comment"), "{said}");
    };
    machine.gh(&["repo", "set-default", "octo/hello"]);
    // The server gives its comments in pages of two, so the verdict's is on the second.
    github.reply("ann", "Looks good.");
    github.reply("ann", "Or not.");
    verdict();
    let [_, _, first] = &github.comments()[..] else { panic!("{:#?}", github.comments()) };
    assert!(first.starts_with("<!-- anvil -->\n<!-- anvil-question: "), "{first}");
    // Anybody can post the mark.
    github.reply("mallory", first);
    let all = github.comments();
    verdict();
    assert_eq!(github.comments(), all);

    // A clone of the fork alone.
    git(&project, &["remote", "remove", "upstream"]);
    machine.gh(&["repo", "set-default", "octo/hello"]);
    verdict();
    git(&project, &["config", "--unset", "remote.origin.gh-resolved"]);

    // A name for ssh; nothing of the configuration is run.
    git(&project, &["remote", "set-url", "origin", "git@work:octo/hello.git"]);
    let ssh = machine.world.home().join(".ssh");
    fs::create_dir(&ssh).expect("a fresh folder");
    let marker = machine.world.home().join("was-run");
    let configuration = format!(
        "Match exec \"touch {}\"\n  User git\nHost work\n  HostName {}\n",
        marker.display(),
        github.host()
    );
    fs::write(ssh.join("config"), configuration).expect("a fresh folder");
    verdict();
    assert!(!marker.exists());
    assert_eq!(github.comments(), all);
    let asked = github.log();
    let is_of_fork = |(path, _): &&(String, u64)| path.contains("/me/");
    assert_eq!(asked.iter().find(is_of_fork), None, "{asked:#?}");

    let said = machine.anvil(&["publish", "--pr", "9", "--comment"]);
    assert_eq!(said.status.code(), Some(3), "{said:#?}");
    assert!(
        said.stderr.contains("there is no ") && said.stderr.contains("/octo/hello#9"),
        "{said:#?}"
    );
}

#[test]
#[ignore = "runs gh; .ci/run installs it"]
fn a_refusal_of_the_forge_is_shown_in_one_line() {
    let github = GitHub::with_issue(ISSUE);
    let first = Machine::new(&github);
    first.world.anvil(&["start", "Should we rewrite it?"]);
    let refused = |args: &[&str], said: &str| {
        let printed = first.anvil(args);
        assert!(!printed.status.success() && printed.stderr.contains(said), "{printed:#?}");
        assert_eq!(printed.stderr.lines().count(), 2, "{printed:#?}");
    };
    refused(
        &["pull", "--issue", "7"],
        &format!("there is no debate in {}/octo/hello#7", github.host()),
    );
    refused(&["publish", "--issue", "8"], "/octo/hello#8, or gh's account does not see it");
    refused(
        &["publish", "--issue", "7", "--repo", "octo/other"],
        "/octo/other#7, or gh's account does not see it",
    );
    assert_eq!(github.body(), ISSUE);
    // gh has no login for this host, although the host would be trusted and the environment has a
    // token for any host.
    let other = GitHub::with_issue("");
    git(&first.world.project(), &["remote", "set-url", "origin", &other.remote()]);
    let (asked, typed) = (github.log().len(), format!("{}/octo/hello", other.host()));
    let trusting = |args: &[&str], said: &str| {
        let args = [args, &["--issue", "7"]].concat();
        let environment =
            other.environment().into_iter().filter(|(name, _)| *name != "GH_HOST").collect();
        let printed = first.anvil_with(&args, environment);
        assert!(!printed.status.success() && printed.stderr.contains(said), "{printed:#?}");
    };
    let unknown = format!(
        "the git remote names {}, where gh is not logged in; nothing was sent there",
        other.host()
    );
    trusting(&["publish"], &unknown);
    trusting(&["pull"], &unknown);
    assert!(other.log().is_empty() && github.log().len() == asked, "{:#?}", other.log());
    trusting(&["pull", "--repo", &typed], "there is no debate in");
    assert_eq!(other.log().len(), 1, "what the user typed is asked");
    drop(other);
    refused(&["publish", "--issue", "7", "--repo", &typed], "gh got no answer from localhost:");
}
