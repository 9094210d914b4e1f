//! The agent programs that Anvil knows: how each is called so that it writes one reply, and what is known of its isolation.
//!
//! "Measured" means: run by a test against a mock API on loopback. The others are called as their own documents say.

use super::printed::Output;

/// What is known of what a program keeps to itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Isolation {
    /// It is kept from calling tools.
    pub without_tools: Known,
    /// It saves nothing.
    pub saves_nothing: Known,
    /// It reads no instructions of a project or of the user.
    pub reads_no_files: Known,
    /// What can't be kept out, or has to be known; empty where nothing.
    pub but: &'static str,
}

/// How sure that is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// Seen with the real program.
    Measured,
    /// Its documents say so.
    Documented,
    /// It is not so.
    No,
    /// Nothing is known.
    Unknown,
}

impl Known {
    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Measured => "yes",
            Self::Documented => "documented",
            Self::No => "no",
            Self::Unknown => "unknown",
        }
    }
}

/// How a program gets its prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Given {
    /// On its standard input.
    Stdin,
    /// As the file `prompt.md` of its folder, which an argument names: it reads no standard input.
    File,
}

/// A program that can hold a seat.
#[derive(Clone, Copy, Debug)]
pub struct Profile {
    /// What the user types.
    pub name: &'static str,
    /// The program.
    pub program: &'static str,
    /// Whose models it runs. Empty: that of the model which is named.
    pub family: &'static str,
    /// Its arguments. `{system}` in one is the file with [`SYSTEM`].
    pub arguments: &'static [&'static str],
    /// Those that take its tools away.
    pub without_tools: &'static [&'static str],
    /// Those that leave it what reads the project's files. `None`: it can't be kept from more.
    pub in_project: Option<&'static [&'static str]>,
    /// Those that leave it what checks facts in a folder, and nothing outside of it. `None`: it can't be kept from more.
    pub in_folder: Option<&'static [&'static str]>,
    /// Those that leave it what searches the web, and no file.
    pub on_web: Option<&'static [&'static str]>,
    /// What goes before the name of a model.
    pub model: &'static [&'static str],
    /// The model has to be named.
    pub needs_model: bool,
    /// The last arguments.
    pub last: &'static [&'static str],
    /// How it gets its prompt.
    pub given: Given,
    /// How its reply is read.
    pub output: Output,
    /// Its own variables.
    pub variables: &'static [(&'static str, &'static str)],
    /// It writes while it thinks: silence means that it hangs.
    pub streams: bool,
    /// Seen with the real program, by a test.
    pub is_tried: bool,
    /// What it keeps to itself.
    pub isolation: Isolation,
}

/// The system prompt where a program takes one: nothing of the debate, because it may stand in argv.
pub const SYSTEM: &str = "You write one reply of a structured debate. The message holds its rules.";

const UNTRIED: Isolation = Isolation {
    without_tools: Known::Documented,
    saves_nothing: Known::Unknown,
    reads_no_files: Known::Unknown,
    but: "not tried",
};

/// What a program is that nobody has described.
pub(super) const PLAIN: Profile = Profile {
    name: "",
    program: "",
    family: "",
    arguments: &[],
    without_tools: &[],
    in_project: None,
    in_folder: None,
    on_web: None,
    model: &[],
    needs_model: false,
    last: &[],
    given: Given::Stdin,
    output: Output::Text,
    variables: &[],
    streams: false,
    is_tried: false,
    isolation: UNTRIED,
};

/// How `claude` is called, but for its tools (2.1.330): no hooks, no CLAUDE.md, nothing saved; 1.9 kB of request beside the prompt.
const CLAUDE: [&str; 12] = [
    "-p",
    "--safe-mode",
    "--strict-mcp-config",
    "--no-session-persistence",
    "--permission-prompts",
    "none",
    "--system-prompt",
    SYSTEM,
    "--output-format",
    "stream-json",
    "--verbose",
    "--include-partial-messages",
];

/// How `codex` is called, but for its shell (0.169). `-c features.X=false` is taken by versions that do not know X, `--disable X` is
/// not. The provider is the built-in one by another name: that one's retries can't be set, and a failure is asked 30 times.
const CODEX: [&str; 50] = [
    "exec",
    "--json",
    "--ephemeral",
    "--ignore-user-config",
    "--ignore-rules",
    "--sandbox",
    "read-only",
    "--skip-git-repo-check",
    "-c",
    "features.hooks=false",
    "-c",
    "features.plugins=false",
    "-c",
    "features.apps=false",
    "-c",
    "features.multi_agent=false",
    "-c",
    "features.goals=false",
    "-c",
    "features.view_image=false",
    "-c",
    "features.sleep_tool=false",
    "-c",
    "features.unbounded_connection_retries=false",
    "-c",
    "agents.enabled=false",
    "-c",
    "analytics.enabled=false",
    "-c",
    "project_doc_max_bytes=0",
    "-c",
    "web_search=disabled",
    "-c",
    "include_permissions_instructions=false",
    "-c",
    "include_environment_context=false",
    "-c",
    "include_collaboration_mode_instructions=false",
    "-c",
    "skills.include_instructions=false",
    "-c",
    "skills.bundled.enabled=false",
    "-c",
    "tools.experimental_request_user_input={enabled=false}",
    "-c",
    "model_instructions_file=\"{system}\"",
    "-c",
    "model_providers.anvil={name=\"OpenAI\",requires_openai_auth=true,wire_api=\"responses\",request_max_retries=0,stream_max_retries=0,supports_websockets=false}",
    "-c",
    "model_provider=anvil",
];

/// All of them, in the order in which they are listed.
pub const PROFILES: [Profile; 9] = [
    Profile {
        name: "claude",
        program: "claude",
        family: "anthropic",
        arguments: &CLAUDE,
        without_tools: &["--tools", ""],
        in_project: Some(&["--tools", "Read,Glob,Grep"]),
        in_folder: Some(&["--tools", "Read,Glob,Grep"]),
        on_web: Some(&["--tools", "WebSearch,WebFetch", "--allowedTools", "WebSearch,WebFetch"]),
        model: &["--model"],
        output: Output::Claude,
        // Each retry is one of ours, and on record; the client's own are paid without a word.
        variables: &[
            ("CLAUDE_CODE_MAX_RETRIES", "0"),
            ("CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK", "1"),
            ("CLAUDE_CODE_DISABLE_REFUSAL_RETRY", "1"),
            ("CLAUDE_CODE_DISABLE_REFUSAL_FALLBACK", "1"),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
            ("DISABLE_AUTOUPDATER", "1"),
        ],
        streams: true,
        is_tried: true,
        isolation: Isolation {
            without_tools: Known::Measured,
            saves_nothing: Known::Measured,
            reads_no_files: Known::Measured,
            but: "tells its model the folder's path, the date and its own name; needs 2.1.330 or later",
        },
        ..PLAIN
    },
    Profile {
        name: "codex",
        program: "codex",
        family: "openai",
        arguments: &CODEX,
        without_tools: &["-c", "features.shell_tool=false", "-c", "features.shell_snapshot=false"],
        in_project: Some(&[]),
        model: &["-m"],
        last: &["-"],
        output: Output::Codex,
        is_tried: true,
        isolation: Isolation {
            without_tools: Known::Measured,
            saves_nothing: Known::Measured,
            reads_no_files: Known::No,
            but: "its global AGENTS.md goes along; a model may keep tools that touch nothing outside of a sandbox",
        },
        ..PLAIN
    },
    Profile {
        name: "gemini",
        program: "gemini",
        family: "google",
        arguments: &[
            "-o",
            "json",
            "--approval-mode",
            "plan",
            "--skip-trust",
            "-e",
            "none",
            "--allowed-mcp-server-names",
            "none",
        ],
        model: &["-m"],
        output: Output::Gemini,
        isolation: Isolation { saves_nothing: Known::No, but: "not tried; it saves every chat", ..UNTRIED },
        ..PLAIN
    },
    Profile {
        name: "agy",
        program: "agy",
        family: "google",
        arguments: &["--sandbox", "--print-timeout", "10m"],
        model: &["--model"],
        last: &["--print", "Read prompt.md in this folder and write the reply that it asks for."],
        given: Given::File,
        isolation: Isolation {
            without_tools: Known::No,
            but: "not tried; it reads its prompt from a file, because it takes none on standard input",
            ..UNTRIED
        },
        ..PLAIN
    },
    Profile {
        name: "copilot",
        program: "copilot",
        family: "copilot",
        arguments: &["-s", "--available-tools=", "--no-ask-user", "--disable-builtin-mcps", "--no-custom-instructions"],
        model: &["--model"],
        isolation: Isolation { reads_no_files: Known::Documented, ..UNTRIED },
        ..PLAIN
    },
    Profile {
        name: "opencode",
        program: "opencode",
        arguments: &["--pure", "run", "--agent", "plan"],
        model: &["-m"],
        ..PLAIN
    },
    Profile {
        name: "cursor",
        program: "cursor-agent",
        family: "cursor",
        arguments: &["-p", "--mode", "ask", "--trust", "--output-format", "text"],
        model: &["--model"],
        ..PLAIN
    },
    Profile {
        name: "llm",
        program: "llm",
        arguments: &["-n", "-u", "--no-stream"],
        model: &["-m"],
        needs_model: true,
        output: Output::Llm,
        isolation: Isolation {
            without_tools: Known::Documented,
            saves_nothing: Known::Documented,
            reads_no_files: Known::Documented,
            but: "not tried",
        },
        ..PLAIN
    },
    Profile {
        name: "ollama",
        program: "ollama",
        arguments: &["run"],
        model: &[],
        needs_model: true,
        last: &["--nowordwrap"],
        isolation: Isolation {
            without_tools: Known::Documented,
            saves_nothing: Known::Documented,
            reads_no_files: Known::Documented,
            but: "not tried; pull the model first, or it downloads it within the time of a reply",
        },
        ..PLAIN
    },
];
