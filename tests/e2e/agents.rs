//! Debates that the real programs argue for `anvil run`: what each program sees, what it leaves
//! behind, and how it fails.
//!
//! Invariants:
//! * Every secret of the user is planted where a program could find it, and a plain call shows that
//!   it does.
//! * This file names what cannot be kept from a program.
//! * Only a program's profile says how to call it; here a script on the PATH records the calls.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::process::Signal;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::{Client, NEWEST};
use crate::interruptions::{is_asked, killed_in_round_2};
use crate::mock::{Answer, Block, End, Gate, Mock, Request};
use crate::model::{Manner, STATE_FILE, Seat, Turn, account};
use crate::process::Finished;
use crate::statefile::StateFile;
use crate::world::World;

const QUESTION: &str = "Should the harbour be rebuilt?";

/// Every planted word begins with this.
const PLANTED: &str = "CANARY-";

/// Variables that a session of Claude Code sets for its programs, and that Anvil sets for itself.
const OF_A_SESSION: [&str; 8] = [
    "AI_AGENT",
    "ANVIL_RETRY_DELAYS",
    "CLAUDECODE",
    "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_PLUGIN_ROOT",
    "CLAUDE_PROJECT_DIR",
    "CLAUDE_PID",
];

/// Programs and their models: no seat learns who fills another seat.
const NAMES: [&str; 6] = ["claude", "codex", "opus", "gpt", "anthropic", "openai"];

/// The tools of gemini that no option takes from it: they read, or change nothing but a plan.
const GEMINI_TOOLS: [&str; 10] = [
    "exit_plan_mode",
    "glob",
    "google_web_search",
    "grep_search",
    "invoke_agent",
    "list_directory",
    "read_file",
    "replace",
    "update_topic",
    "write_file",
];

/// A reply of a seat that names its round.
fn reply(request: &Request) -> String {
    match Turn::of(request).seat {
        Some(Seat::Advocate(round)) => {
            format!(
                "**A{round}. The harbour silts up, says survey {round}.** [reasoning]\n\nSo it is, advocate-{round}."
            )
        }
        Some(Seat::Critic(round)) => {
            format!(
                "**C{round}. The money is not there in year {round}.** [reasoning]\n\nSo it is, critic-{round}."
            )
        }
        _ => {
            let said = prompt(request);
            let claims = ["A1", "C1", "A2", "C2"];
            let claims = claims.into_iter().filter(|id| said.contains(&format!("**{id}**")));
            account(&Turn::of(request).motion, "Wait a year.", claims)
        }
    }
}

/// A user with a HOME full of things that no seat may see, and programs for the seats.
struct Desk {
    root: TempDir,
    mock: Mock,
}

impl Desk {
    fn new(model: impl Fn(&Request) -> Answer + Send + Sync + 'static) -> Self {
        let root = tempfile::Builder::new().prefix("e2e-").tempdir().expect("a temporary folder");
        let desk = Self { root, mock: Mock::of_seats(model) };
        for folder in ["fired", "calls"] {
            fs::create_dir(desk.at(folder)).expect("a fresh folder");
        }
        desk.write("prompt.md", QUESTION);
        desk.write("home/.claude/CLAUDE.md", "CANARY-claude-home");
        desk.write("work/CLAUDE.md", "CANARY-claude-folder");
        desk.write(
            "home/.claude/settings.json",
            &json!({"hooks": desk.hooks("claude-hook")}).to_string(),
        );
        let plugin = json!({"name": "tool", "version": "1.0.0", "description": "A tool."});
        desk.write("home/.claude/skills/tool/.claude-plugin/plugin.json", &plugin.to_string());
        let hooks = json!({"hooks": desk.hooks("claude-plugin")});
        desk.write("home/.claude/skills/tool/hooks/hooks.json", &hooks.to_string());
        let server = json!({"command": "sh", "args": ["-c", desk.firing("claude-server")]});
        desk.write("home/.claude.json", &json!({"mcpServers": {"tool": server}}).to_string());
        desk.write("home/.codex/AGENTS.md", "CANARY-codex-home");
        desk.write("work/AGENTS.md", "CANARY-codex-folder");
        desk.write(
            "home/.codex/skills/tool/SKILL.md",
            "---\nname: tool\ndescription: CANARY-codex-skill\n---\nA tool.\n",
        );
        desk.write(
            "home/.codex/hooks.json",
            &json!({"hooks": desk.hooks("codex-hook")}).to_string(),
        );
        let server = format!(
            "[mcp_servers.tool]\ncommand = \"sh\"\nargs = [\"-c\", {:?}]\n",
            desk.firing("codex-server")
        );
        desk.write("home/.codex/config.toml", &server);
        desk.program("claude", desk.plain_claude().program(), "");
        // No variable tells codex which API to use. Only this call also checks that it knows every
        // key.
        let api = format!(
            "--strict-config -c 'model_providers.anvil.base_url=\"{}/v1\"'",
            desk.mock.url()
        );
        desk.program("codex", desk.plain_codex().program(), &api);
        desk.write("home/.gemini/GEMINI.md", "CANARY-gemini-home");
        desk.write("work/GEMINI.md", "CANARY-gemini-folder");
        // With a base URL in the environment it expects a gateway instead of a key.
        let auth = json!({"security": {"auth": {"selectedType": "gemini-api-key"}}});
        desk.write("home/.gemini/settings.json", &auth.to_string());
        desk.write("home/.config/opencode/AGENTS.md", "CANARY-opencode-home");
        let provider = json!({"provider": {"mock": {
            "npm": "@ai-sdk/openai-compatible", "name": "Mock", "models": {"m": {"name": "m"}},
            "options": {"baseURL": format!("{}/v1", desk.mock.url()), "apiKey": "x"},
        }}});
        desk.write("home/.config/opencode/opencode.json", &provider.to_string());
        for name in ["gemini", "opencode"] {
            let plain = Client::other(name, &desk.at("home"), &desk.at("work"));
            desk.program(name, plain.program(), "");
        }
        desk
    }

    /// A desk whose model gives these answers first, and argues after that.
    fn failing(answers: Vec<Answer>) -> Self {
        Self::new(move |request| {
            answers.get(request.number - 1).cloned().unwrap_or_else(|| Answer::text(reply(request)))
        })
    }

    fn debating() -> Self {
        Self::failing(Vec::new())
    }

    fn at(&self, path: &str) -> PathBuf {
        self.root.path().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a fresh folder");
        fs::write(path, text).expect("a fresh file");
    }

    /// The program under the name in a profile. Its calls are recorded under its process id.
    fn program(&self, name: &str, program: &Path, more: &str) {
        let (calls, program) = (self.at("calls"), program.display());
        let path = format!("bin/{name}");
        self.write(
            &path,
            &format!(
                "#!/bin/sh\nprintf '%s\\n' \"$@\" > '{0}'/$$.arguments\nenv > '{0}'/$$.environment\nexec '{program}' \"$@\" {more}\n",
                calls.display()
            ),
        );
        fs::set_permissions(self.at(&path), fs::Permissions::from_mode(0o755)).expect("our file");
    }

    /// The recorded calls: their arguments or their environment.
    fn noted(&self, what: &str) -> Vec<String> {
        let files = World::files_below(&self.at("calls"));
        files
            .into_iter()
            .filter(|(path, _)| path.extension().is_some_and(|is| is == what))
            .map(|(_, text)| text)
            .collect()
    }

    /// The command that leaves a trace of this name.
    fn firing(&self, name: &str) -> String {
        format!("touch {}", self.at("fired").join(name).display())
    }

    fn hooks(&self, name: &str) -> Value {
        let command = format!("{}; echo {PLANTED}{name}", self.firing(name));
        json!({"UserPromptSubmit": [{"hooks": [{"type": "command", "command": command}]}]})
    }

    /// The traces that exist.
    fn fired(&self) -> BTreeSet<String> {
        let entries = fs::read_dir(self.at("fired")).expect("a readable folder");
        entries
            .map(|entry| {
                entry.expect("a readable entry").file_name().to_string_lossy().into_owned()
            })
            .collect()
    }

    /// Anvil, as a shell inside a session of Claude Code calls it.
    fn anvil(&self, args: &[&str]) -> Client {
        let anvil = Client::anvil(&self.at("home"), &self.at("work"), &self.at("bin"), &self.mock);
        let anvil = OF_A_SESSION.iter().fold(anvil, |anvil, name| anvil.env(name, "1"));
        anvil
            .env("CLAUDE_PROJECT_DIR", self.at("work"))
            .env("ANVIL_RETRY_DELAYS", "0,0,0")
            .args(args)
    }

    /// Continues a debate; returns its exit code and the result of every attempt of this run.
    fn run(&self, args: &[&str]) -> (Option<i32>, Vec<String>) {
        let before = self.attempts().len();
        let done = self.anvil(&["run"]).args(args).run();
        let attempts = self.attempts().into_iter().skip(before);
        let ends = attempts
            .map(|attempt| attempt["ended"]["error"].as_str().unwrap_or("received").to_owned())
            .collect();
        println!("{}{}", done.stdout, done.stderr);
        (done.status.code(), ends)
    }

    fn attempts(&self) -> Vec<Value> {
        let told = self.anvil(&["attempts", "--json"]).run();
        let told: Value = serde_json::from_str(&told.stdout).unwrap_or_default();
        told["attempts"].as_array().cloned().unwrap_or_default()
    }

    fn state(&self) -> StateFile {
        StateFile(fs::read_to_string(self.at("work/.claude").join(STATE_FILE)).expect("a debate"))
    }

    /// Claude Code as its user calls it.
    fn plain_claude(&self) -> Client {
        Client::new(NEWEST, &self.at("home"), &self.at("work"), &self.mock)
            .arg("-p")
            .reading(&self.at("prompt.md"))
    }

    /// Codex as its user calls it, with one request to the mock. An option cannot stop the built-in
    /// provider from retrying.
    fn plain_codex(&self) -> Client {
        let provider = format!(
            "model_providers.once={{name=\"OpenAI\", requires_openai_auth=true, wire_api=\"responses\", \
             base_url=\"{}/v1\", request_max_retries=0, stream_max_retries=0, supports_websockets=false}}",
            self.mock.url()
        );
        Client::codex(&self.at("home"), &self.at("work"))
            .args(&["exec", "-", "--json", "--skip-git-repo-check"])
            .args(&["-c", &provider, "-c", "model_provider=once"])
            .reading(&self.at("prompt.md"))
    }

    /// Every request, unchanged.
    fn requests(&self) -> Vec<Value> {
        self.mock.all().into_iter().map(|exchange| exchange.request.body).collect()
    }

    /// The files of the user that now hold the question or a reply.
    fn saved(&self) -> Vec<PathBuf> {
        let files = World::files_below(&self.at("home"));
        let holds = |text: &str| text.contains(QUESTION) || text.contains("So it is");
        files.into_iter().filter(|(_, text)| holds(text)).map(|(path, _)| path).collect()
    }
}

/// The planted words that a request holds.
fn planted(request: &Value) -> BTreeSet<String> {
    let text = request.to_string();
    let words = text.split(PLANTED).skip(1);
    words
        .map(|rest| rest.chars().take_while(|c| c.is_ascii_lowercase() || *c == '-').collect())
        .collect()
}

fn names(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// Every text in the role of the user: the seat's prompt.
fn prompt(request: &Request) -> String {
    let said = request.messages().iter().filter(|message| message["role"] == "user");
    let texts = said.flat_map(|message| match &message["content"] {
        Value::String(text) => vec![text.clone()],
        content => content
            .as_array()
            .or_else(|| message["parts"].as_array())
            .into_iter()
            .flatten()
            .filter_map(|part| Some(part["text"].as_str()?.to_owned()))
            .collect(),
    });
    texts.collect::<Vec<_>>().join("\n")
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn claude_revises_a_document_of_300_lines_until_nothing_blocks() {
    let desk = Desk::new(|request| {
        Answer::text(match Turn::of(request).seat {
            Some(Seat::Critic(3)) => "**Withdraws C2:** because it is mended.".to_owned(),
            Some(Seat::Critic(round)) => format!(
                "**C{round}. Step {round}00 never ends.** [blocks] \"Step {round}00: wait.\" has no \
                 end [reasoning]."
            ),
            Some(Seat::Advocate(round)) => format!(
                "**Grants C{round}:** because it has none.\n\n```old\nStep {round}00: wait.\n```\n\n\
                 ```new\nStep {round}00: wait an hour.\n```"
            ),
            _ => account("accept the document as it stands", "Wait an hour.", ["C1", "C2"]),
        })
    });
    let steps = (1..=300).map(|step| format!("Step {step}: wait.\n")).collect::<Vec<_>>().concat();
    desk.write("work/steps.md", &steps);
    let seats = ["--agent", "claude", "--rounds", "4", "--fail-on", "objections"];
    let done = desk.anvil(&["run", "--revise", "steps.md"]).args(&seats).run().ok();
    assert!(done.stdout.contains("steps.md: 2 changes; no objection blocks."), "{done:#?}");
    let log = desk.mock.all();
    let spoke: Vec<Seat> =
        log.iter().filter_map(|exchange| Turn::of(&exchange.request).seat).collect();
    let [critic, advocate] = [Seat::Critic, Seat::Advocate];
    assert_eq!(spoke[..5], [critic(1), advocate(1), critic(2), advocate(2), critic(3)]);
    assert_eq!(log.len(), 6);
    let last = prompt(&log[4].request);
    assert!(last.contains("Step 200: wait an hour.") && last.contains("Step 300: wait."));
    assert!(!last.contains("> Step 100: wait.\n> Step 101"), "the document as it now stands");
    desk.anvil(&["report", "--document", "--output", "steps.md"]).run().ok();
    let revised = fs::read_to_string(desk.at("work/steps.md")).expect("the document");
    let expected = steps
        .replace("Step 100: wait.", "Step 100: wait an hour.")
        .replace("Step 200: wait.", "Step 200: wait an hour.");
    assert_eq!(revised, expected);
}

#[test]
#[ignore = "runs the real Claude Code client and the real codex; .ci/run installs them"]
fn claude_and_codex_argue_and_see_only_their_prompts() {
    let desk = Desk::debating();
    desk.anvil(&["install"]).run().ok();
    let seats =
        ["--advocate", "claude", "--critic", "codex", "--synthesizer", "claude", "--rounds", "2"];
    let done = desk.anvil(&["run", QUESTION]).args(&seats).run().ok();

    let sections = desk.state().sections();
    let (mut answers, log) = (Vec::new(), desk.mock.all());
    answers.extend(log.iter().map(|exchange| exchange.answer.texts().concat()));
    assert_eq!(
        sections.iter().map(|section| section.text.clone()).collect::<Vec<_>>(),
        answers,
        "word for word"
    );
    let spoke: Vec<Seat> =
        log.iter().filter_map(|exchange| Turn::of(&exchange.request).seat).collect();
    assert_eq!(spoke, Seat::all(2), "{done:#?}");
    let attempts = desk.attempts();
    assert_eq!(attempts.len(), 5, "{attempts:#?}");
    for (attempt, exchange) in attempts.iter().zip(&log) {
        let (ended, used) = (&attempt["ended"], exchange.request.used());
        let counted = json!({ "fresh": used.fresh, "cached": used.cached, "out": used.out });
        assert_eq!((&ended["usage"], &ended["tokens"]), (&counted, &json!(used.sum())), "{ended}");
    }
    let tasks = desk.anvil(&["tasks", "--json"]).run().ok().stdout;
    let tasks: Value = serde_json::from_str(&tasks).expect("JSON");
    for (attempt, task) in attempts.iter().zip(tasks["tasks"].as_array().expect("tasks")) {
        let second = |at: &Value| at.as_str().map(|at| at[..19].to_owned());
        assert_eq!(second(&task["claimed_at"]), second(&attempt["started"]["at"]), "{task}");
    }
    let costs: Vec<bool> =
        attempts.iter().map(|attempt| attempt["ended"]["cost"].as_f64() > Some(0.0)).collect();
    assert_eq!(costs, [true, false, true, false, true], "codex tells no cost");

    for exchange in &log {
        let (request, said) = (&exchange.request.body, prompt(&exchange.request));
        let is_codex = request["messages"].is_null();
        let beside =
            request.to_string().len() - serde_json::to_string(&said).expect("a string").len();
        println!("{}: {beside} bytes beside the prompt", if is_codex { "codex" } else { "claude" });
        if is_codex {
            assert!(beside < 12_500, "{beside} bytes: {request}");
            // The only tool computes without files, network or shell; no option keeps one file of
            // the user out.
            let offered =
                request["input"][0]["tools"].as_array().expect("the tools come first").iter();
            let offered = offered.flat_map(|set| set["tools"].as_array().into_iter().flatten());
            assert_eq!(
                offered.filter_map(|tool| tool["name"].as_str()).collect::<Vec<_>>(),
                ["exec", "wait"]
            );
            assert_eq!(planted(request), names(&["codex-home"]));
            let input = request["input"].as_array().into_iter().flatten();
            let others: Vec<String> =
                input.filter(|item| item["role"] != "user").map(Value::to_string).collect();
            assert!(
                !others.concat().contains("harbour") && !others.concat().contains("So it is"),
                "{others:?}"
            );
        } else {
            assert!(beside < 2_200, "{beside} bytes: {request}");
            assert_eq!((planted(request), &request["tools"]), (names(&[]), &json!([])));
            let system = request["system"].to_string();
            assert!(!system.contains("harbour") && !system.contains("So it is"), "{system}");
        }
        let said = said.replace("CANARY-codex-home", "").to_lowercase();
        let own = said.split("# one seat of a debate").nth(1).expect("the prompt of a seat");
        assert!(!NAMES.iter().any(|name| own.contains(name)), "{own}");
        assert!(!own.contains(&*desk.root.path().to_string_lossy()), "{own}");
    }
    // Data that every user of the machine can read contains nothing of the debate and does not show
    // that a session runs.
    let (arguments, environments) = (desk.noted("arguments"), desk.noted("environment"));
    assert_eq!((arguments.len(), environments.len()), (5, 5), "{arguments:#?}");
    for text in arguments.iter().chain(&environments) {
        assert!(!text.contains("harbour") && !text.contains("So it is"), "{text}");
        let set = text.lines().filter_map(|line| line.split_once('='));
        assert_eq!(set.filter(|(name, _)| OF_A_SESSION.contains(name)).count(), 0, "{text}");
    }
    assert!(environments.iter().all(|set| set.contains("\nANVIL_CHILD=")), "{environments:#?}");
    let mut saved = desk.saved();
    saved.retain(|path| !path.starts_with(desk.at("home/.claude/anvil.local")));
    assert_eq!((desk.fired(), saved), (names(&[]), Vec::new()));
    // If a client fires hooks nevertheless, ours is silent.
    let begins = |variable: &str| {
        let before = desk.requests().len();
        let claude =
            Client::new(NEWEST, &desk.at("home"), &desk.at("work"), &desk.mock).env(variable, "1");
        claude.prompt("/anvil:debate Should the pier be rebuilt? --rounds 1").run();
        desk.requests()[before..]
            .iter()
            .any(|request| request.to_string().contains("── Advocate · round 1"))
    };
    assert!(!begins("ANVIL_CHILD"));
    assert!(begins("NOT_ANVIL_CHILD"));
}

#[test]
#[ignore = "runs the real gemini and opencode; .ci/run installs them"]
fn gemini_and_opencode_argue_and_see_what_their_profiles_say() {
    let desk = Desk::debating();
    let seats = ["--advocate", "gemini:gemini-mock", "--critic", "opencode:mock/m"];
    let last = ["--synthesizer", "opencode:mock/m", "--rounds", "1"];
    let (code, ends_) = desk.run(&[&[QUESTION], &seats[..], &last[..]].concat());
    assert_eq!((code, ends_), (Some(0), ends(&["received"; 3])));
    let log = desk.mock.all();
    let spoke: Vec<Seat> =
        log.iter().filter_map(|exchange| Turn::of(&exchange.request).seat).collect();
    assert_eq!(spoke, Seat::all(1));
    for (attempt, exchange) in desk.attempts().iter().zip(&log) {
        let (ended, used) = (&attempt["ended"], exchange.request.used());
        let counted = json!({ "fresh": used.fresh, "cached": used.cached, "out": used.out });
        assert_eq!(ended["usage"], counted, "{ended}");
    }
    let [gemini, opencode] = [&log[0].request.body, &log[1].request.body];
    assert_eq!(planted(gemini), names(&["gemini-home"]));
    let tools: BTreeSet<String> = gemini["tools"][0]["functionDeclarations"]
        .as_array()
        .expect("its tools")
        .iter()
        .filter_map(|tool| tool["name"].as_str().map(str::to_owned))
        .collect();
    assert_eq!(tools, names(&GEMINI_TOOLS));
    assert_eq!(planted(opencode), names(&["opencode-home"]));
    assert_eq!(offered(opencode), names(&[]));
    for exchange in &log {
        let (request, said) = (&exchange.request.body, prompt(&exchange.request));
        let beside =
            request.to_string().len() - serde_json::to_string(&said).expect("a string").len();
        let most = if request["contents"].is_null() { 1_500 } else { 16_000 };
        assert!(beside < most, "{beside} bytes: {request}");
    }
    // Gemini saves its chats; opencode keeps its own in memory.
    let saved = desk.saved();
    let of_opencode = |path: &PathBuf| path.to_string_lossy().contains("opencode");
    assert!(!saved.iter().any(of_opencode), "{saved:?}");
    assert_eq!(desk.fired(), names(&[]));
}

#[test]
#[ignore = "runs the real gemini and opencode; .ci/run installs them"]
fn a_quota_or_a_login_of_gemini_and_opencode_gives_the_seat_on() {
    for (agent, spare, status, why) in [
        ("gemini:gemini-mock", "opencode:mock/m", 429, "quota"),
        ("gemini:gemini-mock", "opencode:mock/m", 403, "login"),
        ("opencode:mock/m", "gemini:gemini-mock", 402, "quota"),
        ("opencode:mock/m", "gemini:gemini-mock", 401, "login"),
    ] {
        let desk = Desk::new(move |request| match request.number {
            2 => Answer::error(status),
            _ => Answer::text(reply(request)),
        });
        let critics = format!("{agent}, {spare}");
        let seats = ["--advocate", spare, "--critic", &critics, "--synthesizer", spare];
        let ran = desk.run(&[&[QUESTION, "--rounds", "1"], &seats[..]].concat());
        let asked = ["received", why, "received", "received"];
        assert_eq!(ran, (Some(0), ends(&asked)), "{agent}, {status}");
        assert_eq!(desk.requests().len(), 4, "each is asked once: {agent}, {status}");
    }
}

#[test]
#[ignore = "runs the real opencode; .ci/run installs it"]
fn an_opencode_reply_that_is_cut_refused_or_empty_is_none() {
    let ends_so = |how| Answer::text("I will").ending(how);
    let desk = Desk::failing(vec![ends_so(End::Refused), Answer::text("")]);
    let critic = ["--agent", "opencode:mock/m", "--rounds", "1"];
    let ran = desk.run(&[&[QUESTION], &critic[..]].concat());
    assert_eq!(ran, (Some(0), ends(&["refusal", "empty", "received", "received", "received"])));
    let desk = Desk::failing(vec![ends_so(End::Cut)]);
    let ran = desk.run(&[&[QUESTION], &critic[..]].concat());
    assert_eq!(ran, (Some(5), ends(&["rejected"])));
}

#[test]
#[ignore = "runs the real Claude Code client and the real codex; .ci/run installs them"]
fn a_debate_goes_by_steps_and_leaves_no_file() {
    // The critic's first request ends claude's quota: codex takes the seat in the same step. Later
    // one request fails for good, and the step is called again.
    let desk = Desk::new(|request| match request.number {
        2 => Answer::error(402),
        4 => Answer::error(401),
        _ => Answer::text(reply(request)),
    });
    let step = |body: &str, more: &[&str]| {
        desk.write("body.md", body);
        let seats = ["--agent", "claude", "--critic", "claude, codex", "--json"];
        desk.anvil(&["step"]).args(&seats).args(more).reading(&desk.at("body.md")).run()
    };
    let begins = [QUESTION, "--rounds", "1"];
    let (mut body, mut codes, mut counted) = (String::new(), Vec::new(), 0);
    for more in [&begins[..], &[], &[], &[], &[]] {
        let done = step(&body, more);
        codes.push(done.status.code());
        let log = desk.mock.all();
        let used: u64 = log[counted..].iter().map(|exchange| exchange.request.used().sum()).sum();
        if done.status.success() {
            let told: Value = serde_json::from_str(&done.stdout).expect("JSON");
            told["body"].as_str().expect("a body").clone_into(&mut body);
            let tokens = &told["tokens"];
            if log.len() == counted + 1 {
                assert_eq!(
                    tokens["in"].as_u64().zip(tokens["out"].as_u64()).map(|(a, b)| a + b),
                    Some(used)
                );
            }
        } else {
            assert_eq!(done.stdout, "");
            println!("{}", done.stderr);
        }
        counted = log.len();
    }
    assert_eq!(codes, [Some(0), Some(0), Some(5), Some(0), Some(0)]);
    assert_eq!(counted, 5);
    desk.write("d/anvil-state.local.md", &{
        desk.write("body.md", &body);
        desk.anvil(&["body", "extract", "--state"]).reading(&desk.at("body.md")).run().ok().stdout
    });
    let sections =
        StateFile(fs::read_to_string(desk.at("d/anvil-state.local.md")).expect("it")).sections();
    assert_eq!(sections.len(), 3);
    assert!(!desk.at("work/.claude").exists());
    assert_eq!((desk.fired(), desk.saved()), (names(&[]), Vec::new()));
}

#[test]
#[ignore = "runs the real Claude Code client and the real codex; .ci/run installs them"]
fn a_plain_call_exposes_the_planted_secrets() {
    let plain = Desk::debating();
    plain.plain_claude().run().ok();
    assert_eq!(
        planted(&plain.requests()[0]),
        names(&["claude-folder", "claude-home", "claude-hook", "claude-plugin"])
    );
    assert_eq!(plain.fired(), names(&["claude-hook", "claude-plugin", "claude-server"]));
    assert_eq!(plain.saved().len(), 1, "{:?}", plain.saved());

    let plain = Desk::debating();
    plain.plain_codex().arg("--dangerously-bypass-hook-trust").run().ok();
    let shown = planted(&plain.requests()[0]);
    assert!(names(&["codex-folder", "codex-home", "codex-skill"]).is_subset(&shown), "{shown:?}");
    assert_eq!(plain.fired(), names(&["codex-hook", "codex-server"]));
    assert!(!plain.saved().is_empty());
}

fn ends(ends: &[&str]) -> Vec<String> {
    ends.iter().map(|end| (*end).to_owned()).collect()
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn every_kind_of_claude_failure_is_recognized() {
    let ends_so = |how| Answer::text("I will").ending(how);
    // The client itself requests a cut reply three more times, and an empty one once; no option
    // stops that.
    let cut = vec![ends_so(End::Cut); 4];
    let mut answers = vec![
        Answer::error(500),
        ends_so(End::Broken),
        Answer::error(529),
        Answer::text("**A1. So it is.**"),
    ];
    answers.extend([ends_so(End::Refused), ends_so(End::Refused)].into_iter().chain(cut));
    answers.push(Answer::error(401));
    answers.extend(vec![ends_so(End::Refused); 3]);
    answers.extend([Answer::text("**C1. It is not.**"), Answer::text(""), Answer::text(" ")]);
    let desk = Desk::failing(answers);
    let begun = desk.run(&[QUESTION, "--agent", "claude", "--rounds", "1"]);
    let first =
        ["transient", "transient", "transient", "received", "refusal", "refusal", "rejected"];
    assert_eq!(begun, (Some(5), ends(&first)));
    assert_eq!(desk.run(&["--resume"]), (Some(5), ends(&["login"])));
    assert_eq!(desk.run(&["--resume"]), (Some(5), ends(&["refusal", "refusal", "refusal"])));
    assert_eq!(desk.state().field("status"), "failed");
    assert_eq!(
        desk.run(&["--resume", "--critic", "claude"]),
        (Some(0), ends(&["received", "empty", "received"]))
    );
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_reply_of_claude_that_a_limit_cuts_in_a_word_has_the_whole_word() {
    let desk = Desk::failing(vec![
        Answer::text("**A1. The queue costs us two rele").ending(End::Cut),
        Answer::text("ases a day.** So it is."),
    ]);
    desk.run(&[QUESTION, "--agent", "claude", "--rounds", "1"]);
    let reply = &desk.state().sections()[0].text;
    assert_eq!(reply.trim(), "**A1. The queue costs us two releases a day.** So it is.");
}

#[test]
#[ignore = "runs the real codex; .ci/run installs it"]
fn every_kind_of_codex_failure_is_recognized() {
    let ends_so = |how| Answer::text("I will").ending(how);
    let mut answers = vec![Answer::error(500), Answer::error(429), ends_so(End::Broken)];
    answers.extend([
        Answer::text("**A1. So it is.**"),
        Answer::error(529),
        Answer::error(401),
        ends_so(End::Cut),
    ]);
    // The client hides a refusal of the model, so it looks like an empty reply.
    answers.extend([Answer::text(""), ends_so(End::Refused)]);
    let desk = Desk::failing(answers);
    let begun = desk.run(&[QUESTION, "--agent", "codex", "--rounds", "1"]);
    let first = ["transient", "transient", "transient", "received", "transient", "login"];
    assert_eq!(begun, (Some(5), ends(&first)));
    assert_eq!(desk.run(&["--resume"]), (Some(5), ends(&["rejected"])));
    assert_eq!(
        desk.run(&["--resume"]),
        (Some(0), ends(&["empty", "empty", "received", "received"]))
    );
}

#[test]
#[ignore = "runs the real Claude Code client and codex; .ci/run installs them"]
fn a_list_gives_its_seat_on_in_mid_debate() {
    for (critics, status, why) in [
        ("claude, codex", 401, "login"),
        ("claude, codex", 402, "quota"),
        ("codex, claude", 402, "quota"),
    ] {
        let desk = Desk::new(move |request| match request.number {
            4 => Answer::error(status),
            _ => Answer::text(reply(request)),
        });
        let (first, second) = critics.split_once(", ").expect("two");
        let seats = ["--advocate", second, "--critic", critics, "--synthesizer", second];
        let ran = desk.run(&[&[QUESTION, "--rounds", "2"], &seats[..]].concat());
        let asked = ["received", "received", "received", why, "received", "received"];
        assert_eq!(ran, (Some(0), ends(&asked)), "{critics}, {status}");
        let degraded =
            format!("degraded: the critic was {second} from round 2 on, instead of {first}");
        let shown = desk.anvil(&["status"]).run().stdout;
        assert!(shown.contains(&degraded), "{shown}");
    }
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_run_stopped_during_a_reply_leaves_no_process_and_resumes() {
    let gate = Gate::default();
    let held = gate.clone();
    let desk = Desk::new(move |request| Answer::text(reply(request)).held(&held));
    let running = desk.anvil(&["run", QUESTION, "--agent", "claude", "--rounds", "1"]).spawn();
    desk.mock.wait_until("the request", Duration::from_secs(30), |log| !log.is_empty());
    std::thread::sleep(Duration::from_millis(300));
    running.signal(Signal::INT);
    let done = running.wait();
    assert_eq!(done.status.code(), Some(130), "{done:#?}");
    assert!(
        done.stderr.contains("paused before advocate, round 1 of 1: Ctrl-C stopped it"),
        "{done:#?}"
    );
    assert!(!done.stderr.contains("asked again"), "{done:#?}");
    let pid = fs::read_dir(desk.at("calls"))
        .expect("a readable folder")
        .next()
        .expect("a call")
        .expect("readable")
        .path();
    assert!(
        !Path::new("/proc").join(pid.file_stem().expect("a pid")).exists(),
        "the client is still running"
    );
    assert_eq!(desk.attempts()[0]["ended"]["error"], "interrupted");
    gate.open();
    assert_eq!(desk.run(&["--resume"]), (Some(0), ends(&["received", "received", "received"])));
}

/// A reply of about 4 KB in the form that the rules require: four claims, each with its ground and
/// a move on one of the other side's claims.
fn long_reply(request: &Request) -> String {
    const SIZE: usize = 4 * 1024;
    let claims = |side: &str, round: u32, act: &dyn Fn(u32) -> String| {
        let one = |number: u32| {
            let claim = format!(
                "**{side}{number}. The harbour is worth what it costs in the case of number {number}.**"
            );
            let mut text = format!(
                "{claim} [evidence: the survey of that year, page {number}]\n{}\n\n",
                act(number)
            );
            while text.len() < SIZE / 4 {
                text.push_str("The ships that call there now can be counted. ");
            }
            text
        };
        (round * 4 - 3..=round * 4).map(one).collect::<Vec<_>>().join("\n\n")
    };
    let attacks = |number| {
        format!(
            "**Attacks A{number}:** \"in the case of number {number}\" was never measured, as the log shows"
        )
    };
    let rebuts = |number: u32| match number.checked_sub(4) {
        Some(open @ 1..) => {
            format!("**Rebuts C{open}:** it was, and the log of the next year shows it as well")
        }
        _ => String::new(),
    };
    match Turn::of(request).seat {
        Some(Seat::Advocate(round)) => claims("A", round, &rebuts),
        Some(Seat::Critic(round)) => claims("C", round, &attacks),
        _ => {
            let all: Vec<String> =
                (1..=12).flat_map(|number| [format!("A{number}"), format!("C{number}")]).collect();
            let motion = Turn::of(request).motion;
            let verdict = account(&motion, "Wait a year.", all.iter().map(String::as_str));
            format!(
                "{verdict}\n\n{}",
                "A step, and who takes it. ".repeat((SIZE - verdict.len()) / 26)
            )
        }
    }
}

/// The budget of the issue: whole requests, and replies that are full of claims. Each seat gets the
/// others' replies once, and no other part of a conversation.
#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn three_rounds_of_4_kb_replies_stay_within_the_budget_of_a_run() {
    let desk = Desk::new(|request| Answer::text(long_reply(request)));
    assert_eq!(desk.run(&[QUESTION, "--agent", "claude", "--rounds", "3"]).0, Some(0));
    let bytes: Vec<usize> =
        desk.requests().iter().map(|request| request.to_string().len()).collect();
    let all: usize = bytes.iter().sum();
    let replies: Vec<usize> =
        desk.mock.all().iter().map(|exchange| exchange.answer.texts().concat().len()).collect();
    println!("bytes of a run: {all} = {bytes:?}, for replies of {replies:?}");
    assert_eq!(bytes.len(), 7);
    assert!(replies.iter().all(|bytes| (4_000..4_500).contains(bytes)), "{replies:?}");
    assert!(all <= 116_821, "{all} bytes: {bytes:?}");
}

/// Continues the debate with programs, in the world of a client.
fn run_on(world: &World, args: &[&str]) -> Finished {
    let bin = world.outside();
    fs::create_dir_all(&bin).expect("a fresh folder");
    let claude = bin.join("claude");
    if !claude.exists() {
        std::os::unix::fs::symlink(world.client().program(), &claude).expect("a fresh name");
    }
    Client::anvil(&world.home(), &world.project(), &bin, &world.mock).arg("run").args(args).run()
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_run_finishes_what_a_session_began() {
    let world = killed_in_round_2();
    run_on(&world, &["--resume", "--agent", "claude"]).ok();
    world.assert_completed(2);
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_session_finishes_what_a_run_began() {
    let world =
        World::with_model(Manner::default(), |turn| (turn.number == 3).then(|| Answer::error(401)));
    let paused = run_on(&world, &[QUESTION, "--agent", "claude", "--rounds", "2"]);
    assert_eq!(paused.status.code(), Some(5), "{paused:#?}");
    assert!(is_asked(Seat::Advocate(2))(&world.mock.main()));
    world.client().prompt("/anvil:resume").run().ok();
    world.assert_completed(2);
}

/// The folder where a fact-checker runs, as its model sees it.
fn folder_of(request: &Request) -> String {
    let text = request.body.to_string();
    let at = text.find("/anvil-seat-").expect("it is told its folder");
    let begins = text[..at].rfind([' ', '"', '`']).map_or(0, |before| before + 1);
    text[begins..]
        .chars()
        .take_while(|char| char.is_ascii_alphanumeric() || "/-_.".contains(*char))
        .collect()
}

/// The results of its tool calls, in order.
fn results(request: &Request) -> Vec<String> {
    let parts = request
        .messages()
        .iter()
        .flat_map(|message| message["content"].as_array().into_iter().flatten());
    parts
        .filter(|part| part["type"] == "tool_result")
        .map(|part| part["content"].to_string())
        .collect()
}

/// The tools that a request offers, without the placeholder for none.
fn offered(request: &Value) -> BTreeSet<String> {
    let tools = request["tools"].as_array().into_iter().flatten();
    let names = tools.filter_map(|tool| tool["name"].as_str().or(tool["type"].as_str()));
    names.filter(|name| *name != "DeferredToolPlaceholder").map(str::to_owned).collect()
}

/// A desk whose project has a file that the advocate names. The fact-checker makes these calls and
/// then answers.
fn checking(
    calls: impl Fn(&str) -> Vec<Block> + Send + Sync + 'static,
    answer: &'static str,
) -> Desk {
    let desk = Desk::new(move |request| {
        let said = prompt(request);
        if said.contains("# A fact-check") {
            let calls = calls(&folder_of(request));
            return match results(request).len() {
                0 if !calls.is_empty() => Answer::blocks(calls),
                _ => Answer::text(answer),
            };
        }
        Answer::text(match Turn::of(request).seat {
            Some(Seat::Advocate(_)) => {
                "**A1. It is CANARY-claim.** So the file says [evidence: src/x.rs].".to_owned()
            }
            Some(Seat::Critic(_)) => "**C1. It costs a month.** [assumption]".to_owned(),
            _ => account(&Turn::of(request).motion, "Wait a year.", ["A1", "C1"]),
        })
    });
    desk.write("work/src/x.rs", "// first\nCANARY-inside here\n");
    desk.write("work/.env", "CANARY-env");
    desk.write("home/private.txt", "CANARY-private");
    desk
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_fact_checker_reads_only_the_copy_of_the_project() {
    let (home, work) = (
        std::sync::Arc::new(std::sync::OnceLock::new()),
        std::sync::Arc::new(std::sync::OnceLock::new()),
    );
    let (at_home, at_work) = (home.clone(), work.clone());
    let calls = move |folder: &str| {
        let (home, work): (&String, &String) =
            (at_home.get().expect("set"), at_work.get().expect("set"));
        let read = |path: String| Block::Tool("Read", json!({"file_path": path}));
        let grep = |path: &str| {
            Block::Tool(
                "Grep",
                json!({"pattern": "CANARY.*", "path": path, "output_mode": "content"}),
            )
        };
        vec![
            read(format!("{folder}/src/x.rs")),
            grep("src"),
            read(format!("{work}/src/x.rs")),
            read(format!("{work}/.env")),
            read(format!("{home}/private.txt")),
            read(format!("{home}/.claude/CLAUDE.md")),
            read("~/private.txt".to_owned()),
            read(format!("{folder}/../../../../../../../../../..{home}/private.txt")),
            read("/etc/passwd".to_owned()),
            grep(home),
            grep(work),
            grep("/etc/passwd"),
            Block::Tool("Glob", json!({"pattern": format!("{home}/**")})),
            Block::Tool("Glob", json!({"pattern": "**", "path": home})),
            Block::Tool("Bash", json!({"command": format!("cat {home}/private.txt")})),
            Block::Tool("Write", json!({"file_path": format!("{folder}/new.txt"), "content": "x"})),
        ]
    };
    let desk = checking(calls, "```anvil\nA1 contradicted: src/x.rs:2 \"CANARY-inside here\"\n```");
    home.set(desk.at("home").display().to_string()).expect("once");
    work.set(desk.at("work").display().to_string()).expect("once");
    let (code, ends) = desk.run(&[QUESTION, "--agent", "claude", "--rounds", "1", "--fact-check"]);
    assert_eq!((code, ends.len()), (Some(0), 4), "{ends:?}");
    let checks: Vec<Request> = desk
        .mock
        .all()
        .into_iter()
        .map(|exchange| exchange.request)
        .filter(|request| prompt(request).contains("# A fact-check"))
        .collect();
    assert_eq!(offered(&checks[0].body), names(&["Glob", "Grep", "Read"]));
    let last = checks.last().expect("it was asked");
    assert_eq!(planted(&last.body), names(&["claim", "inside"]));
    // In any order.
    let results = results(last);
    let with = |words: &str| results.iter().filter(|result| result.contains(words)).count();
    let told = (
        with("CANARY-inside"),
        with("Permission for this tool use was denied"),
        with("No such tool available"),
    );
    assert_eq!((told, results.len()), ((2, 12, 2), 16), "{results:#?}");
    let claims = desk.anvil(&["claims", "--json"]).run();
    assert!(claims.stdout.contains("\"quote_found\": true"), "{}", claims.stdout);
    assert_eq!(desk.fired(), names(&[]));
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_web_fact_checker_has_no_files() {
    let calls = |folder: &str| {
        vec![
            Block::Tool(
                "WebFetch",
                json!({"url": "https://anvil.invalid/x", "prompt": "What does it say?"}),
            ),
            Block::Tool("Read", json!({"file_path": format!("{folder}/system.md")})),
        ]
    };
    let desk = checking(calls, "```anvil\nA1 supported: https://anvil.invalid/x \"so\"\n```");
    let (code, ends) =
        desk.run(&[QUESTION, "--agent", "claude", "--rounds", "1", "--fact-check", "--research"]);
    assert_eq!((code, ends.len()), (Some(0), 4), "{ends:?}");
    let all = desk.mock.all();
    let mut checks =
        all.iter().filter(|exchange| prompt(&exchange.request).contains("# A fact-check"));
    let first = &checks.next().expect("it was asked").request;
    assert_eq!(offered(&first.body), names(&["WebFetch", "WebSearch"]));
    let results = results(&checks.next_back().expect("it has called").request);
    let with = |words: &str| results.iter().filter(|result| result.contains(words)).count();
    // It may fetch, so it looks the address up, which fails here.
    let told = (with("Unable to verify if domain"), with("No such tool available"));
    assert_eq!((told, results.len()), ((1, 1), 2), "{results:#?}");
}
