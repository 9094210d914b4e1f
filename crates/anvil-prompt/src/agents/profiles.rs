//! The agent programs that Anvil knows: how to call each so that it writes one reply, and how far
//! each is isolated.
//!
//! All of it is measured: `tests/e2e` runs each program against a mock API on loopback.

use super::printed::OutputFormat;

/// How far a program is isolated, as seen with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Isolation {
    /// Can't call tools.
    pub without_tools: bool,
    /// Saves nothing.
    pub saves_nothing: bool,
    /// Reads no instructions of the project or the user.
    pub reads_no_files: bool,
    /// Limits of the isolation, and other facts for the user. Empty: none.
    pub caveat: &'static str,
}

/// A program that can fill a seat. Its arguments are written as in a shell; see `words`.
#[derive(Clone, Copy, Debug)]
pub struct Profile {
    /// The word that the user types.
    pub name: &'static str,
    /// The file name of the program.
    pub program: &'static str,
    /// The vendor of its models. Empty: the family of the model that the user names.
    pub family: &'static str,
    /// In an argument, `{system}` stands for the file with [`SYSTEM`]. The argument `{sentence}`
    /// is `SYSTEM` itself.
    pub arguments: &'static str,
    /// Arguments that disable its tools.
    pub without_tools: &'static str,
    /// Arguments that allow only to read the project's files. `None`: no arguments do that.
    pub in_project: Option<&'static str>,
    /// Arguments that allow only to check facts inside a folder. `None`: no arguments do that.
    pub in_folder: Option<&'static str>,
    /// Arguments that allow only to search the web, and no file. `None`: no arguments do that.
    pub on_web: Option<&'static str>,
    /// Arguments before the name of a model.
    pub model: &'static str,
    /// The last arguments.
    pub last: &'static str,
    pub output: OutputFormat,
    /// Environment variables that it adds.
    pub variables: &'static [(&'static str, &'static str)],
    /// Writes while it thinks: a pause means that it hangs.
    pub streams: bool,
    pub isolation: Isolation,
}

/// The system prompt, for programs that take one. It has nothing of the debate, because argv may
/// hold it.
pub const SYSTEM: &str = "You write one reply of a structured debate. The message holds its rules.";

/// The name of the file with [`SYSTEM`] in the program's folder.
pub const SYSTEM_FILE: &str = "system.md";

/// The profile for a program that Anvil does not know.
pub(crate) const PLAIN: Profile = Profile {
    name: "",
    program: "",
    family: "",
    arguments: "",
    without_tools: "",
    in_project: None,
    in_folder: None,
    on_web: None,
    model: "",
    last: "",
    output: OutputFormat::Text,
    variables: &[],
    streams: false,
    isolation: Isolation {
        without_tools: false,
        saves_nothing: false,
        reads_no_files: false,
        caveat: "",
    },
};

/// The arguments of `claude` without its tools (2.1.330): no hooks, no CLAUDE.md, nothing saved;
/// 1.9 kB of request in addition to the prompt.
const CLAUDE: &str = "-p --safe-mode --strict-mcp-config --no-session-persistence \
    --permission-prompts none --system-prompt {sentence} --output-format stream-json --verbose \
    --include-partial-messages";

/// The arguments of `codex` without its shell (0.169). Versions that do not know X accept `-c
/// features.X=false`, but not `--disable X`. The provider is the built-in one under another name:
/// the built-in one's retries can't be set, and it repeats a failed request 30 times.
const CODEX: &str = "exec --json --ephemeral --ignore-user-config --ignore-rules \
    --sandbox read-only --skip-git-repo-check \
    -c features.hooks=false -c features.plugins=false -c features.apps=false \
    -c features.multi_agent=false -c features.goals=false -c features.view_image=false \
    -c features.sleep_tool=false -c features.unbounded_connection_retries=false \
    -c agents.enabled=false -c analytics.enabled=false -c project_doc_max_bytes=0 \
    -c web_search=disabled -c include_permissions_instructions=false \
    -c include_environment_context=false -c include_collaboration_mode_instructions=false \
    -c skills.include_instructions=false -c skills.bundled.enabled=false \
    -c 'tools.experimental_request_user_input={enabled=false}' \
    -c 'model_instructions_file=\"{system}\"' \
    -c 'model_providers.anvil={name=\"OpenAI\",requires_openai_auth=true,\
        wire_api=\"responses\",request_max_retries=0,stream_max_retries=0,\
        supports_websockets=false}' \
    -c model_provider=anvil";

/// The agent of `opencode` (1.18.33), for which `run` has no options.
const OPENCODE: &str = r#"{
    "agent": {"seat": {
        "mode": "primary",
        "permission": {"*": "deny"},
        "prompt": "You write one reply of a structured debate. The message holds its rules."
    }},
    "share": "disabled", "autoupdate": false, "snapshot": false
}"#;

/// The arguments of a line, split as a shell splits them.
pub(super) fn words(line: &str) -> impl Iterator<Item = String> {
    let words = shlex::split(line).unwrap_or_default();
    words.into_iter().map(|word| if word == "{sentence}" { SYSTEM.to_owned() } else { word })
}

/// In the order in which they are listed.
pub const PROFILES: [Profile; 4] = [
    Profile {
        name: "claude",
        program: "claude",
        family: "anthropic",
        arguments: CLAUDE,
        without_tools: "--tools ''",
        in_project: Some("--tools Read,Glob,Grep"),
        in_folder: Some("--tools Read,Glob,Grep"),
        on_web: Some("--tools WebSearch,WebFetch --allowedTools WebSearch,WebFetch"),
        model: "--model",
        output: OutputFormat::Claude,
        // Anvil makes and records each retry itself; the client's own retries cost money without a
        // record.
        variables: &[
            ("CLAUDE_CODE_MAX_RETRIES", "0"),
            ("CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK", "1"),
            ("CLAUDE_CODE_DISABLE_REFUSAL_RETRY", "1"),
            ("CLAUDE_CODE_DISABLE_REFUSAL_FALLBACK", "1"),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
            ("DISABLE_AUTOUPDATER", "1"),
        ],
        streams: true,
        isolation: Isolation {
            without_tools: true,
            saves_nothing: true,
            reads_no_files: true,
            caveat: "tells its model the folder's path, the date and its own name; needs 2.1.330 or \
                later",
        },
        ..PLAIN
    },
    Profile {
        name: "codex",
        program: "codex",
        family: "openai",
        arguments: CODEX,
        without_tools: "-c features.shell_tool=false -c features.shell_snapshot=false",
        in_project: Some(""),
        model: "-m",
        last: "-",
        output: OutputFormat::Codex,
        isolation: Isolation {
            without_tools: true,
            saves_nothing: true,
            reads_no_files: false,
            caveat: "its global AGENTS.md goes along; a model may keep tools that touch nothing \
                outside of a sandbox",
        },
        ..PLAIN
    },
    Profile {
        name: "gemini",
        program: "gemini",
        family: "google",
        arguments: "-o json --approval-mode plan --skip-trust -e none \
            --allowed-mcp-server-names none",
        model: "-m",
        output: OutputFormat::Gemini,
        // Its own system prompt has 29 kB.
        variables: &[("GEMINI_SYSTEM_MD", SYSTEM_FILE)],
        isolation: Isolation {
            without_tools: false,
            saves_nothing: false,
            reads_no_files: false,
            caveat: "it keeps tools that read files and search the web; its global GEMINI.md goes \
                along; it saves every chat, and repeats a failed request up to nine times",
        },
        ..PLAIN
    },
    Profile {
        name: "opencode",
        program: "opencode",
        // Without a title it asks the model for one.
        arguments: "--pure run --format json --title anvil --agent seat",
        model: "-m",
        output: OutputFormat::Opencode,
        variables: &[
            ("OPENCODE_CONFIG_CONTENT", OPENCODE),
            ("OPENCODE_DB", ":memory:"),
            ("OPENCODE_DISABLE_AUTOUPDATE", "1"),
            ("OPENCODE_DISABLE_MODELS_FETCH", "1"),
            ("OPENCODE_DISABLE_CLAUDE_CODE", "1"),
        ],
        isolation: Isolation {
            without_tools: true,
            saves_nothing: true,
            reads_no_files: false,
            caveat: "its global AGENTS.md goes along; it tells its model the folder's path, the \
                date and the model's name; it repeats a request that the service refuses for too \
                many, until the time for a reply is over",
        },
        ..PLAIN
    },
];
