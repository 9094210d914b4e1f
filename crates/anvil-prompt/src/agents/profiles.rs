//! The agent programs that Anvil knows: how to call each so that it writes one reply, and how far
//! each is isolated.
//!
//! "Measured" means: a test ran the program against a mock API on loopback. The other calls follow
//! the programs' own documents.

use super::printed::OutputFormat;

/// How far a program is isolated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Isolation {
    /// Can't call tools.
    pub without_tools: Evidence,
    /// Saves nothing.
    pub saves_nothing: Evidence,
    /// Reads no instructions of the project or the user.
    pub reads_no_files: Evidence,
    /// Limits of the isolation, and other facts for the user. Empty: none.
    pub caveat: &'static str,
}

/// How certain a fact is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Evidence {
    /// Seen with the real program.
    #[strum(serialize = "yes")]
    Measured,
    /// The program's documents say so.
    Documented,
    /// The fact is false.
    No,
    Unknown,
}

impl Evidence {
    pub fn word(self) -> &'static str {
        self.into()
    }
}

/// How a program gets its prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PromptInput {
    Stdin,
    /// As the file `prompt.md` in its folder, named by an argument: it reads no standard input.
    File,
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
    /// The user has to name a model.
    pub needs_model: bool,
    /// The last arguments.
    pub last: &'static str,
    pub given: PromptInput,
    pub output: OutputFormat,
    /// Environment variables that it adds.
    pub variables: &'static [(&'static str, &'static str)],
    /// Writes while it thinks: a pause means that it hangs.
    pub streams: bool,
    /// A test ran the real program.
    pub is_tried: bool,
    pub isolation: Isolation,
}

/// The system prompt, for programs that take one. It has nothing of the debate, because argv may
/// hold it.
pub const SYSTEM: &str = "You write one reply of a structured debate. The message holds its rules.";

const UNTRIED: Isolation = Isolation {
    without_tools: Evidence::Documented,
    saves_nothing: Evidence::Unknown,
    reads_no_files: Evidence::Unknown,
    caveat: "not tried",
};

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
    needs_model: false,
    last: "",
    given: PromptInput::Stdin,
    output: OutputFormat::Text,
    variables: &[],
    streams: false,
    is_tried: false,
    isolation: UNTRIED,
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

/// The arguments of a line, split as a shell splits them.
pub(super) fn words(line: &str) -> impl Iterator<Item = String> {
    let words = shlex::split(line).unwrap_or_default();
    words.into_iter().map(|word| if word == "{sentence}" { SYSTEM.to_owned() } else { word })
}

/// In the order in which they are listed.
pub const PROFILES: [Profile; 9] = [
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
        is_tried: true,
        isolation: Isolation {
            without_tools: Evidence::Measured,
            saves_nothing: Evidence::Measured,
            reads_no_files: Evidence::Measured,
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
        is_tried: true,
        isolation: Isolation {
            without_tools: Evidence::Measured,
            saves_nothing: Evidence::Measured,
            reads_no_files: Evidence::No,
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
        isolation: Isolation {
            saves_nothing: Evidence::No,
            caveat: "not tried; it saves every chat",
            ..UNTRIED
        },
        ..PLAIN
    },
    Profile {
        name: "agy",
        program: "agy",
        family: "google",
        arguments: "--sandbox --print-timeout 10m",
        model: "--model",
        last: "--print 'Read prompt.md in this folder and write the reply that it asks for.'",
        given: PromptInput::File,
        isolation: Isolation {
            without_tools: Evidence::No,
            caveat: "not tried; it reads its prompt from a file, because it takes none on standard \
                input",
            ..UNTRIED
        },
        ..PLAIN
    },
    Profile {
        name: "copilot",
        program: "copilot",
        family: "copilot",
        arguments: "-s --available-tools= --no-ask-user --disable-builtin-mcps \
            --no-custom-instructions",
        model: "--model",
        isolation: Isolation { reads_no_files: Evidence::Documented, ..UNTRIED },
        ..PLAIN
    },
    Profile {
        name: "opencode",
        program: "opencode",
        arguments: "--pure run --agent plan",
        model: "-m",
        ..PLAIN
    },
    Profile {
        name: "cursor",
        program: "cursor-agent",
        family: "cursor",
        arguments: "-p --mode ask --trust --output-format text",
        model: "--model",
        ..PLAIN
    },
    Profile {
        name: "llm",
        program: "llm",
        arguments: "-n -u --no-stream",
        model: "-m",
        needs_model: true,
        output: OutputFormat::Llm,
        isolation: Isolation {
            saves_nothing: Evidence::Documented,
            reads_no_files: Evidence::Documented,
            ..UNTRIED
        },
        ..PLAIN
    },
    Profile {
        name: "ollama",
        program: "ollama",
        arguments: "run",
        needs_model: true,
        last: "--nowordwrap",
        isolation: Isolation {
            saves_nothing: Evidence::Documented,
            reads_no_files: Evidence::Documented,
            caveat: "not tried; pull the model first, or it downloads it within the time of a reply",
            ..UNTRIED
        },
        ..PLAIN
    },
];
