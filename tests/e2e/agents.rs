//! The programs that can hold a seat, called as a seat is: what they send, what they leave behind, and how they fail.
//!
//! Invariants:
//! * Every secret of the user is planted where the program could find it, and a plain call shows that it does.
//! * What can't be kept out is named here.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use rustix::process::Signal;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::{Client, NEWEST};
use crate::mock::{Answer, End, Gate, Mock, Request};
use crate::process::Finished;
use crate::world::World;

/// What the seat is told to be.
const ROLE: &str = "You argue for one side of a question.";

/// What it is asked.
const PROMPT: &str = "Should the harbour be rebuilt?";

/// What it answers.
const REPLY: &str = "The harbour should stay as it is, for three reasons.";

/// What every word that was planted begins with.
const PLANTED: &str = "CANARY-";

/// The configuration that takes from codex what a debater has no use for.
const CODEX_WITHOUT: &[&str] = &[
    "features.hooks=false",
    "features.plugins=false",
    "features.apps=false",
    "features.shell_tool=false",
    "features.multi_agent=false",
    "features.goals=false",
    "features.view_image=false",
    "features.shell_snapshot=false",
    "features.sleep_tool=false",
    "features.unbounded_connection_retries=false",
    "agents.enabled=false",
    "analytics.enabled=false",
    "project_doc_max_bytes=0",
    "web_search=disabled",
    "include_permissions_instructions=false",
    "include_environment_context=false",
    "include_collaboration_mode_instructions=false",
    "skills.include_instructions=false",
    "skills.bundled.enabled=false",
    "tools.experimental_request_user_input={enabled=false}",
];

/// A user with a HOME full of things that no seat may see, and a seat to be filled.
struct Desk {
    root: TempDir,
    mock: Mock,
}

impl Desk {
    fn new(model: impl Fn(&Request) -> Answer + Send + Sync + 'static) -> Self {
        let root = tempfile::Builder::new().prefix("e2e-").tempdir().expect("a temporary folder");
        let desk = Self { root, mock: Mock::of_seats(model) };
        fs::create_dir(desk.at("fired")).expect("a fresh folder");
        for folder in [".claude/skills/tool/.claude-plugin", ".claude/skills/tool/hooks", ".codex/skills/tool"] {
            fs::create_dir_all(desk.at("home").join(folder)).expect("a fresh folder");
        }
        desk.write("role.md", ROLE);
        desk.write("prompt.md", PROMPT);
        desk.write("home/.claude/CLAUDE.md", "CANARY-claude-home");
        desk.write("work/CLAUDE.md", "CANARY-claude-folder");
        desk.write("home/.claude/settings.json", &json!({"hooks": desk.hooks("claude-hook")}).to_string());
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
        desk.write("home/.codex/hooks.json", &json!({"hooks": desk.hooks("codex-hook")}).to_string());
        let server =
            format!("[mcp_servers.tool]\ncommand = \"sh\"\nargs = [\"-c\", {:?}]\n", desk.firing("codex-server"));
        desk.write("home/.codex/config.toml", &server);
        desk
    }

    fn saying(text: &'static str) -> Self {
        Self::new(move |_| Answer::text(text))
    }

    fn at(&self, path: &str) -> PathBuf {
        self.root.path().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a fresh folder");
        fs::write(path, text).expect("a fresh file");
    }

    /// The command that leaves a trace of this name.
    fn firing(&self, name: &str) -> String {
        format!("touch {}", self.at("fired").join(name).display())
    }

    fn hooks(&self, name: &str) -> Value {
        let command = format!("{}; echo {PLANTED}{name}", self.firing(name));
        json!({"UserPromptSubmit": [{"hooks": [{"type": "command", "command": command}]}]})
    }

    /// The traces that were left.
    fn fired(&self) -> BTreeSet<String> {
        let entries = fs::read_dir(self.at("fired")).expect("a readable folder");
        entries.map(|entry| entry.expect("a readable entry").file_name().to_string_lossy().into_owned()).collect()
    }

    /// Claude Code as it is called for its user.
    fn plain_claude(&self) -> Client {
        Client::new(NEWEST, &self.at("home"), &self.at("work"), &self.mock).arg("-p").reading(&self.at("prompt.md"))
    }

    /// Claude Code as it is called for a seat.
    fn claude(&self) -> Client {
        self.plain_claude()
            .env("CLAUDE_CODE_MAX_RETRIES", "0")
            .env("CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK", "1")
            .env("CLAUDE_CODE_DISABLE_REFUSAL_RETRY", "1")
            .env("CLAUDE_CODE_DISABLE_REFUSAL_FALLBACK", "1")
            .args(&["--safe-mode", "--tools", "", "--strict-mcp-config", "--no-session-persistence"])
            .args(&["--permission-prompts", "none", "--output-format", "stream-json", "--verbose"])
            .args(&["--include-partial-messages", "--system-prompt-file"])
            .arg(self.at("role.md"))
    }

    /// Codex as it is called for its user, asking the mock once. The binary's own provider can't be told not to retry.
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

    /// Codex as it is called for a seat.
    fn codex(&self) -> Client {
        let role = format!("model_instructions_file=\"{}\"", self.at("role.md").display());
        let codex = self
            .plain_codex()
            .args(&["--strict-config", "--ephemeral", "--ignore-user-config", "--ignore-rules"])
            .args(&["--sandbox", "read-only", "-c", &role]);
        CODEX_WITHOUT.iter().fold(codex, |codex, setting| codex.args(&["-c", setting]))
    }

    /// The one request that was made.
    fn request(&self) -> Value {
        let log = self.mock.all();
        assert_eq!(log.len(), 1, "one request a reply");
        log[0].request.body.clone()
    }

    /// The files of the user that now hold the prompt or the reply.
    fn saved(&self) -> Vec<PathBuf> {
        let files = World::files_below(&self.at("home"));
        files
            .into_iter()
            .filter(|(_, text)| text.contains(PROMPT) || text.contains(REPLY))
            .map(|(path, _)| path)
            .collect()
    }
}

/// The planted words that a request holds.
fn planted(request: &Value) -> BTreeSet<String> {
    let text = request.to_string();
    let words = text.split(PLANTED).skip(1);
    words.map(|rest| rest.chars().take_while(|c| c.is_ascii_lowercase() || *c == '-').collect()).collect()
}

fn names(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn lines(done: &Finished) -> Vec<Value> {
    done.stdout.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}

/// The last line, which says how it went.
fn verdict(done: &Finished) -> Value {
    lines(done).pop().expect("at least one line")
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn claude_in_a_seat_is_shown_its_role_and_its_prompt_alone() {
    let desk = Desk::saying(REPLY);
    let done = desk.claude().run().ok();
    let request = desk.request();
    let bytes = request.to_string().len();
    println!("claude: {bytes} bytes");
    assert!(request["system"].to_string().contains(ROLE), "{request}");
    assert!(bytes - ROLE.len() - PROMPT.len() < 2_200, "{bytes} bytes: {request}");
    assert_eq!(request["tools"], json!([]));
    assert_eq!((planted(&request), desk.fired(), desk.saved()), (names(&[]), names(&[]), Vec::new()));

    let lines = lines(&done);
    let deltas = lines.iter().filter_map(|line| line["event"]["delta"]["text"].as_str());
    assert_eq!(deltas.collect::<String>(), REPLY);
    let last = verdict(&done);
    assert_eq!(
        (&last["type"], &last["subtype"], &last["is_error"]),
        (&json!("result"), &json!("success"), &json!(false))
    );
    assert_eq!((&last["terminal_reason"], &last["stop_reason"]), (&json!("completed"), &json!("end_turn")));
    assert_eq!(last["result"], REPLY);
    assert!(last["total_cost_usd"].as_f64().is_some_and(|cost| cost > 0.0), "{last}");
    let used = last["modelUsage"].as_object().and_then(|models| models.values().next()).expect("the tokens of a model");
    assert_eq!((&used["inputTokens"], &used["outputTokens"]), (&json!(1), &json!(5)));

    let plain = Desk::saying(REPLY);
    plain.plain_claude().run().ok();
    assert_eq!(planted(&plain.request()), names(&["claude-folder", "claude-home", "claude-hook", "claude-plugin"]));
    assert_eq!(plain.fired(), names(&["claude-hook", "claude-plugin", "claude-server"]));
    assert_eq!(plain.saved().len(), 1, "{:?}", plain.saved());
}

#[test]
#[ignore = "runs the real codex; .ci/run installs it"]
fn codex_in_a_seat_is_shown_its_role_its_prompt_and_the_users_own_instructions() {
    let desk = Desk::saying(REPLY);
    let done = desk.codex().run().ok();
    let request = desk.request();
    let bytes = request.to_string().len();
    println!("codex: {bytes} bytes");
    assert!(request["input"].to_string().contains(ROLE), "{request}");
    assert!(bytes - ROLE.len() - PROMPT.len() < 12_500, "{bytes} bytes: {request}");
    // A place to compute in, without files, network or shell, and the file of the user that no option keeps out.
    let offered = request["input"][0]["tools"].as_array().expect("the tools come first").iter();
    let offered = offered.flat_map(|set| set["tools"].as_array().into_iter().flatten());
    assert_eq!(offered.filter_map(|tool| tool["name"].as_str()).collect::<Vec<_>>(), ["exec", "wait"]);
    assert_eq!((planted(&request), desk.fired(), desk.saved()), (names(&["codex-home"]), names(&[]), Vec::new()));

    let lines = lines(&done);
    let kinds: Vec<&str> = lines.iter().filter_map(|line| line["type"].as_str()).collect();
    assert_eq!(kinds, ["thread.started", "turn.started", "item.completed", "turn.completed"]);
    assert_eq!(lines[2]["item"]["type"], "agent_message");
    assert_eq!(lines[2]["item"]["text"], REPLY);
    assert_eq!((&lines[3]["usage"]["input_tokens"], &lines[3]["usage"]["output_tokens"]), (&json!(1), &json!(5)));

    let plain = Desk::saying(REPLY);
    plain.plain_codex().arg("--dangerously-bypass-hook-trust").run().ok();
    let shown = planted(&plain.request());
    assert!(names(&["codex-folder", "codex-home", "codex-skill"]).is_subset(&shown), "{shown:?}");
    assert_eq!(plain.fired(), names(&["codex-hook", "codex-server"]));
    assert!(!plain.saved().is_empty());
}

/// One call of Claude Code that fails: how it exits, what of the last line tells the kind, and how often it asked.
fn claude_fails(answer: Answer, more: &[&str]) -> (Option<i32>, Value, usize) {
    let desk = Desk::new(move |_| answer.clone());
    let done = desk.claude().args(more).run();
    let last = verdict(&done);
    let told: Value = ["subtype", "is_error", "terminal_reason", "stop_reason", "api_error_status", "api_error"]
        .into_iter()
        .map(|key| (key.to_owned(), last[key].clone()))
        .collect::<serde_json::Map<_, _>>()
        .into();
    (done.status.code(), told, desk.mock.all().len())
}

fn told(subtype: &str, terminal: &str, stop: &str, status: Option<u16>, error: Option<&str>) -> Value {
    json!({
        "subtype": subtype, "is_error": true, "terminal_reason": terminal, "stop_reason": stop,
        "api_error_status": status, "api_error": error,
    })
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn claude_tells_in_its_last_line_what_kind_of_failure_it_was() {
    let api = |status, error| told("success", "api_error", "stop_sequence", status, error);
    for status in [401, 429, 500, 529] {
        assert_eq!(claude_fails(Answer::error(status), &[]), (Some(1), api(Some(status), None), 1));
    }
    let refused = Answer::text("I will").ending(End::Refused);
    assert_eq!(claude_fails(refused, &[]), (Some(1), told("success", "api_error", "refusal", None, None), 1));
    let broken = Answer::text("I will").ending(End::Broken);
    assert_eq!(claude_fails(broken, &[]), (Some(1), api(None, Some("connection_failed")), 1));
    // The client itself asks three times more for the rest, and once more for words.
    let cut = Answer::text("I will").ending(End::Cut);
    assert_eq!(claude_fails(cut, &[]), (Some(1), api(None, Some("max_output_tokens")), 4));
    let (code, last, asked) = claude_fails(Answer::text(""), &[]);
    assert_eq!((code, &last["is_error"], asked), (Some(0), &json!(false), 2), "an empty reply passes for success");
    let budget = told("error_max_budget_usd", "budget_exhausted", "end_turn", None, None);
    assert_eq!(claude_fails(Answer::text(REPLY), &["--max-budget-usd", "0.00001"]), (Some(1), budget, 1));
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn claude_that_is_interrupted_exits_as_if_all_were_well() {
    for (signal, code, told) in [(Signal::INT, 0, true), (Signal::TERM, 143, false)] {
        let gate = Gate::default();
        let held = Answer::text(REPLY).held(&gate);
        let desk = Desk::new(move |_| held.clone());
        let running = desk.claude().spawn();
        desk.mock.wait_until("the request", Duration::from_secs(30), |log| !log.is_empty());
        std::thread::sleep(Duration::from_millis(500));
        running.signal(signal);
        let done = running.wait();
        let last = verdict(&done);
        assert_eq!((done.status.code(), last["type"] == "result"), (Some(code), told), "{done:#?}");
        if told {
            assert_eq!((&last["is_error"], &last["terminal_reason"]), (&json!(true), &json!("aborted_streaming")));
            assert_eq!(last.get("result"), None, "{last}");
        }
    }
}

#[test]
#[ignore = "runs the real codex; .ci/run installs it"]
fn codex_tells_what_kind_of_failure_it_was_in_words_alone() {
    let fails = |answer: Answer| {
        let desk = Desk::new(move |_| answer.clone());
        let done = desk.codex().run();
        let last = verdict(&done);
        assert_eq!(desk.mock.all().len(), 1, "asked more than once: {last}");
        let message = last["error"]["message"].as_str().unwrap_or_default().replace(&desk.mock.url(), "MOCK");
        (done.status.code(), last["type"].as_str().unwrap_or_default().to_owned(), message)
    };
    let failed = |message: &str| (Some(1), "turn.failed".to_owned(), message.to_owned());
    let said = "the mock says no";
    for (status, message) in [
        (401, format!("unexpected status 401 Unauthorized: {said}, url: MOCK/v1/responses")),
        (429, "exceeded retry limit, last status: 429 Too Many Requests".to_owned()),
        (500, "We’re currently experiencing high demand, which may cause temporary errors.".to_owned()),
        (529, format!("unexpected status 529 <unknown status code>: {said}, url: MOCK/v1/responses")),
    ] {
        assert_eq!(fails(Answer::error(status)), failed(&message));
    }
    let cut = Answer::text("I will").ending(End::Cut);
    assert_eq!(fails(cut), failed("Incomplete response returned, reason: max_output_tokens"));
    let broken = Answer::text("I will").ending(End::Broken);
    let (code, kind, message) = fails(broken);
    assert_eq!((code, kind.as_str()), (Some(1), "turn.failed"));
    assert!(message.starts_with("stream disconnected before completion: "), "{message}");
    // What the model refuses is not shown at all, so that it can't be told from an empty reply.
    for silent in [Answer::text(""), Answer::text("I can't help with that.").ending(End::Refused)] {
        assert_eq!(fails(silent), (Some(0), "turn.completed".to_owned(), String::new()));
    }
}
