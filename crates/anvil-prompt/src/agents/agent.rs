//! AGENT: the word that the user types for a seat, and the program that it names.

use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::printed::OutputFormat;
use super::profiles::{PLAIN, PROFILES, Profile, words};
use anvil_core::options::FactCheck;
use anvil_core::transcript::ShortName;
use anvil_text::error::{Failure, Kind, Result};
use anvil_text::{Hint, Verb, clean, hint, nearest};

/// Longest time for a whole reply by default: enough for a slow model and a long reply.
const WHOLE: Duration = Duration::from_mins(10);

/// Longest time until the first byte, for a program that writes while it thinks.
const FIRST_BYTE: Duration = Duration::from_mins(2);

/// Longest pause after the first byte, for a program that writes while it thinks.
const SILENCE: Duration = Duration::from_mins(3);

/// Tokens that a prompt may have by default: half of the context of common models.
const CONTEXT: usize = 100_000;

/// Most agents in a list.
const MAX_LISTED: usize = 5;

/// Time limits of one attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeLimits {
    pub whole: Duration,
    pub first_byte: Option<Duration>,
    /// Longest pause between two bytes.
    pub silence: Option<Duration>,
}

/// An agent that the user's defaults file defines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnAgent {
    pub name: String,
    /// A profile's name, or `cmd:…`.
    pub base: String,
    /// Go before the profile's last arguments.
    pub arguments: Vec<String>,
    /// Environment variables that the agent adds.
    pub variables: Vec<(String, String)>,
    /// The vendor of its models.
    pub family: Option<String>,
    pub whole: Option<Duration>,
    pub first_byte: Option<Duration>,
    pub silence: Option<Duration>,
    /// Tokens that a prompt may have.
    pub context: Option<usize>,
}

/// A program that fills a seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agent {
    /// The word that the user types for it.
    pub name: String,
    /// The vendor of its models. Two seats of one family are less independent.
    pub family: String,
    pub command: Vec<String>,
    /// The words of its command and variables that the user chose, and that may be secret.
    pub own_words: Vec<String>,
    pub output: OutputFormat,
    /// Environment variables that it adds.
    pub variables: Vec<(String, String)>,
    pub limits: TimeLimits,
    /// Tokens that a prompt may have.
    pub context: usize,
    /// A file of replies, which Anvil reads itself: `command` is then empty.
    pub script: Option<String>,
    /// May read the project's files.
    pub in_project: bool,
    /// The first agent of a list with this one.
    pub instead_of: Option<String>,
}

impl Agent {
    /// Its name in every text that may leave this machine.
    pub fn short(&self) -> ShortName {
        ShortName::new(&self.name)
    }
}

/// The name of agents that are a file of replies: `script:FILE`.
const SCRIPT: &str = "script";

/// True for the word of an agent that is a file of replies.
pub fn is_script(word: &str) -> bool {
    word.split_once(':').is_some_and(|(name, _)| name == SCRIPT)
}

/// Parses an AGENT. `own_agents` are the user's. Each has a profile as its base, never
/// another agent of the user.
pub fn parse(word: &str, own_agents: &[OwnAgent], in_project: bool) -> Result<Agent> {
    let tools = if in_project { AllowedTools::Project } else { AllowedTools::Nothing };
    with_tools(word, own_agents, tools)
}

/// Parses an AGENT, or a list of them: the preferred one, and those that stand in for it. A list
/// names agents with commas; a command line or a file may have commas of its own.
pub fn parse_list(
    text: &str,
    own_agents: &[OwnAgent],
    in_project: bool,
) -> Result<(Agent, Vec<Agent>)> {
    if is_command_or_script(text) {
        return Ok((parse(text, own_agents, in_project)?, Vec::new()));
    }
    if text.split(',').count() > MAX_LISTED {
        return Err(AgentError::TooMany.into());
    }
    let mut words = text.split(',').map(str::trim);
    if text.contains(',') && words.clone().any(str::is_empty) {
        return Err(AgentError::Empty(clean(text, 60)).into());
    }
    let first = parse(words.next().unwrap_or_default(), own_agents, in_project)?;
    let mut others: Vec<Agent> = Vec::new();
    for word in words {
        if is_command_or_script(word) {
            return Err(AgentError::CommandInList(clean(word, 60)).into());
        }
        let agent = parse(word, own_agents, in_project)?;
        if std::iter::once(&first).chain(&others).any(|other| other.name == agent.name) {
            return Err(AgentError::Twice(clean(word, 60)).into());
        }
        others.push(Agent { instead_of: Some(first.name.clone()), ..agent });
    }
    Ok((first, others))
}

fn is_command_or_script(word: &str) -> bool {
    let word = word.trim_start();
    word.starts_with("cmd:") || is_script(word)
}

/// Parses the AGENT that checks facts. `is_named`: the user chose it for the checks. An agent that
/// fills another seat may check only if Anvil knows how to limit what it sees.
pub fn checker(
    word: &str,
    own_agents: &[OwnAgent],
    check: FactCheck,
    is_named: bool,
) -> Result<Agent> {
    with_tools(word, own_agents, AllowedTools::Check(check, is_named))
}

/// The tools that an agent may use.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AllowedTools {
    Nothing,
    Project,
    Check(FactCheck, bool),
}

fn with_tools(word: &str, own_agents: &[OwnAgent], tools: AllowedTools) -> Result<Agent> {
    let word = word.trim();
    if let Some(own) = own_agents.iter().find(|own| own.name == word) {
        let mut agent = from_base(&own.base, own, tools)?;
        agent.name.clone_from(&own.name);
        return Ok(agent);
    }
    let agent = from_base(word, &OwnAgent::default(), tools).map_err(|error| match error {
        AgentError::Unknown { word: shown, .. } => {
            let names = own_agents.iter().map(|own| own.name.as_str());
            let known = names.chain(PROFILES.iter().map(|profile| profile.name));
            let near = nearest(word, known, 2).first().map(|near| (*near).to_owned());
            AgentError::Unknown { word: shown, near }
        }
        error => error,
    });
    Ok(agent?)
}

#[derive(Debug, thiserror::Error)]
enum AgentError {
    #[error("a list names at most {MAX_LISTED} agents")]
    TooMany,
    #[error("a list of agents has an empty name: {0}")]
    Empty(String),
    #[error("a list names no command and no script: {0}")]
    CommandInList(String),
    #[error("a list names {0} twice")]
    Twice(String),
    #[error("there is no agent {word}")]
    Unknown { word: String, near: Option<String> },
    #[error("the command line can't be split: {0}")]
    Unsplit(String),
    #[error("{0}: needs something after it")]
    Bare(String),
    #[error("--in-project is not for {0}: nothing keeps it from changing files")]
    InProject(String),
    #[error("{0} can't check facts: nothing keeps it to what it may see")]
    Checker(String),
    #[error("a model is not named {model}")]
    Model { agent: &'static str, model: String },
}

impl Failure for AgentError {
    fn kind(&self) -> Kind {
        Kind::Usage
    }

    fn hint(&self) -> Hint {
        let hint = match self {
            Self::Unknown { near: Some(near), .. } => {
                return format!("did you mean {near}?").into();
            }
            Self::Unknown { near: None, .. } => {
                let own = " lists them; cmd:COMMAND runs a program of your own";
                let in_client =
                    "it is claude, codex, or cmd:COMMAND, which runs a program of your own";
                return (hint![Verb::Agents, own], in_client).into();
            }
            Self::Model { agent, .. } => return format!("write {agent}:MODEL").into(),
            Self::TooMany => "name fewer agents",
            Self::Empty(_) => "write one comma between two names: codex, claude",
            Self::CommandInList(_) => {
                "describe it as an agent of your own in ~/.claude/anvil.local.md, and name that"
            }
            Self::Twice(_) => "name each agent once",
            Self::Unsplit(_) => {
                "close its quotes; words are split as a shell splits them, and no shell runs them"
            }
            Self::Bare(_) => "write cmd:\"PROGRAM ARGUMENTS\" or script:FILE",
            Self::InProject(_) => "give the seat to claude or codex, or leave --in-project out",
            Self::Checker(_) => "name another one: --fact-checker claude",
        };
        hint.into()
    }
}

fn from_base(word: &str, own: &OwnAgent, tools: AllowedTools) -> Result<Agent, AgentError> {
    let (name, argument) =
        word.split_once(':').map_or((word, None), |(name, argument)| (name, Some(argument.trim())));
    let argument = argument.filter(|argument| !argument.is_empty());
    match (name, argument) {
        ("cmd", Some(_))
            if matches!(tools, AllowedTools::Project | AllowedTools::Check(_, false)) =>
        {
            Err(not_limited("a command of your own", tools))
        }
        (SCRIPT, Some(_)) if matches!(tools, AllowedTools::Check(_, false)) => {
            Err(not_limited("a script", tools))
        }
        ("cmd", Some(line)) => {
            let words = shlex::split(line)
                .filter(|words| !words.is_empty())
                .ok_or_else(|| AgentError::Unsplit(clean(line, 100)))?;
            let own_words = words.clone();
            let mut agent = new_agent(word, &PLAIN, words, None, own);
            agent.own_words.extend(own_words);
            Ok(agent)
        }
        (SCRIPT, Some(file)) => {
            let mut agent = new_agent(word, &PLAIN, Vec::new(), None, own);
            SCRIPT.clone_into(&mut agent.family);
            agent.script = Some(file.to_owned());
            Ok(agent)
        }
        ("cmd" | SCRIPT, None) => Err(AgentError::Bare(name.to_owned())),
        _ => {
            let Some(profile) = PROFILES.iter().find(|profile| profile.name == name) else {
                return Err(AgentError::Unknown { word: clean(word, 60), near: None });
            };
            let mut agent =
                new_agent(word, profile, command(profile, argument, tools)?, argument, own);
            agent.in_project = tools == AllowedTools::Project;
            Ok(agent)
        }
    }
}

/// The error for an agent that Anvil can't limit to these tools.
fn not_limited(name: &str, tools: AllowedTools) -> AgentError {
    if tools == AllowedTools::Project {
        AgentError::InProject(name.to_owned())
    } else {
        AgentError::Checker(name.to_owned())
    }
}

/// The program of a profile and its arguments up to the model.
fn command(
    profile: &Profile,
    model: Option<&str>,
    tools: AllowedTools,
) -> Result<Vec<String>, AgentError> {
    let name = profile.name;
    let arguments = match tools {
        AllowedTools::Nothing => Some(profile.without_tools),
        AllowedTools::Project => profile.in_project,
        AllowedTools::Check(FactCheck::Files, _) => profile.in_folder,
        AllowedTools::Check(FactCheck::Web, _) => profile.on_web,
    };
    let arguments = arguments.ok_or_else(|| not_limited(name, tools))?;
    if let Some(model) = model.filter(|model| model.starts_with('-')) {
        return Err(AgentError::Model { agent: name, model: clean(model, 40) });
    }
    let mut command = vec![profile.program.to_owned()];
    command.extend(words(profile.arguments).chain(words(arguments)));
    if let Some(model) = model {
        command.extend(words(profile.model));
        command.push(model.to_owned());
    }
    Ok(command)
}

fn new_agent(
    word: &str,
    profile: &Profile,
    mut command: Vec<String>,
    model: Option<&str>,
    own: &OwnAgent,
) -> Agent {
    command.extend(own.arguments.iter().cloned());
    command.extend(words(profile.last));
    let family = own.family.clone().unwrap_or_else(|| match (profile.family, model) {
        // A program that runs models of many vendors has the model's family.
        ("", Some(model)) => model.to_owned(),
        ("", None) => {
            let program = command.first().map(Path::new).and_then(Path::file_name);
            program.unwrap_or_default().to_string_lossy().into_owned()
        }
        (family, _) => family.to_owned(),
    });
    let (first_byte, silence) =
        if profile.streams { (Some(FIRST_BYTE), Some(SILENCE)) } else { (None, None) };
    let variables =
        profile.variables.iter().map(|&(name, value)| (name.to_owned(), value.to_owned()));
    Agent {
        name: word.to_owned(),
        family,
        own_words: own
            .arguments
            .iter()
            .chain(own.variables.iter().map(|(_, value)| value))
            .cloned()
            .collect(),
        command,
        output: profile.output,
        variables: variables.chain(own.variables.iter().cloned()).collect(),
        limits: TimeLimits {
            whole: own.whole.unwrap_or(WHOLE),
            first_byte: own.first_byte.or(first_byte),
            silence: own.silence.or(silence),
        },
        context: own.context.unwrap_or(CONTEXT),
        script: None,
        in_project: false,
        instead_of: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command_of(word: &str) -> Vec<String> {
        parse(word, &[], false).unwrap().command
    }

    #[test]
    fn an_agent_is_a_profile_with_a_model_a_command_line_or_a_script() {
        for profile in &PROFILES {
            let word = profile.name;
            let agent = parse(word, &[], false).unwrap();
            assert_eq!((agent.command[0].as_str(), agent.name.as_str()), (profile.program, word));
            assert!(!agent.family.is_empty(), "{word}");
            let config = agent.variables.iter().find(|(_, value)| value.contains("\"prompt\""));
            assert!(config.is_none_or(|(_, value)| value.contains(super::super::SYSTEM)));
            let with_model = command_of(&format!("{}:some/model:7b", profile.name));
            assert!(with_model.contains(&"some/model:7b".to_owned()), "{with_model:?}");
            assert!(with_model.ends_with(&words(profile.last).collect::<Vec<_>>()));
        }
        assert_eq!(
            command_of("cmd:my-model --say 'two words' \"$HOME\" ; rm"),
            ["my-model", "--say", "two words", "$HOME", ";", "rm"]
        );
        let script = parse("script:a b.md", &[], false).unwrap();
        assert_eq!((script.script.as_deref(), script.command.len()), (Some("a b.md"), 0));
        assert_eq!(parse("opencode:local/gemma", &[], false).unwrap().family, "local/gemma");
    }

    #[test]
    fn an_unknown_agent_is_refused_with_a_hint() {
        for (word, says) in [
            ("", "no agent"),
            ("clade", "did you mean claude"),
            ("ollama:llama3", "no agent ollama:llama3"),
            ("cmd:", "needs something after it"),
            ("cmd:   ", "needs something after it"),
            ("script", "needs something after it"),
            ("cmd:'open", "can't be split"),
            ("claude:--dangerously-skip-permissions", "a model is not named"),
        ] {
            let error = parse(word, &[], false).unwrap_err();
            let text = format!("{error}; {}", error.hint().plain());
            assert!(text.contains(says), "{word:?}: {text}");
        }
        for word in ["gemini", "cmd:cat", "opencode"] {
            assert!(
                parse(word, &[], true).unwrap_err().to_string().contains("--in-project"),
                "{word}"
            );
        }
        let reads = parse("claude", &[], true).unwrap();
        assert!(reads.in_project && reads.command.contains(&"Read,Glob,Grep".to_owned()));
    }

    #[test]
    fn a_list_has_names_and_each_stands_in_for_the_first() {
        let own = OwnAgent {
            name: "fast".to_owned(),
            base: "cmd:fast, really".to_owned(),
            ..OwnAgent::default()
        };
        let parsed = |text: &str| parse_list(text, std::slice::from_ref(&own), false);
        for (text, expected) in [
            ("claude", "claude"),
            (" codex ,claude:opus,fast", "codex, claude:opus for codex, fast for codex"),
            ("cmd:cat a, codex", "cmd:cat a, codex"),
            (" script:a, b.md", "script:a, b.md"),
            ("codex, cmd:cat", "a list names no command and no script: cmd:cat"),
            ("codex,script:a.md", "a list names no command and no script: script:a.md"),
            ("codex, codex", "a list names codex twice"),
            ("a,b,c,d,e,f", "a list names at most 5 agents"),
            ("codex,", "a list of agents has an empty name: codex,"),
            ("codex,,claude", "a list of agents has an empty name: codex,,claude"),
            ("codex, clade", "there is no agent clade"),
        ] {
            let found = parsed(text).map(|(first, others)| {
                let name = |agent: Agent| match agent.instead_of {
                    Some(other) => format!("{} for {other}", agent.name),
                    None => agent.name,
                };
                let all = std::iter::once(first).chain(others);
                all.map(name).collect::<Vec<_>>().join(", ")
            });
            assert_eq!(found.unwrap_or_else(|error| error.to_string()), expected, "{text}");
        }
    }

    #[test]
    fn a_user_defined_agent_extends_another_agent() {
        let own = OwnAgent {
            name: "fast".to_owned(),
            base: "claude:haiku".to_owned(),
            arguments: vec!["--effort".to_owned(), "low".to_owned()],
            variables: vec![("A".to_owned(), "b".to_owned())],
            family: Some("mine".to_owned()),
            whole: Some(Duration::from_secs(7)),
            context: Some(5_000),
            ..OwnAgent::default()
        };
        let agent = parse("fast", &[own], false).unwrap();
        assert!(agent.command.ends_with(&[
            "--model".into(),
            "haiku".into(),
            "--effort".into(),
            "low".into()
        ]));
        assert!(agent.variables.contains(&("A".to_owned(), "b".to_owned())));
        assert_eq!(
            (agent.family.as_str(), agent.limits.whole.as_secs(), agent.context),
            ("mine", 7, 5_000)
        );
        let in_a_circle =
            OwnAgent { name: "a".to_owned(), base: "a".to_owned(), ..OwnAgent::default() };
        assert!(parse("a", &[in_a_circle], false).is_err());
    }

    /// A prompt goes through standard input: argv holds no text of a user or of a debate.
    #[test]
    fn profile_arguments_contain_no_debate_text() {
        for profile in &PROFILES {
            let tools = [profile.in_project, profile.in_folder, profile.on_web];
            let own = [profile.arguments, profile.without_tools, profile.model, profile.last];
            for line in own.into_iter().chain(tools.into_iter().flatten()) {
                assert_eq!(words(line).next().is_none(), line.is_empty(), "{line} is not closed");
                for argument in words(line) {
                    assert!(
                        !argument.contains('{')
                            || argument.contains("{system}")
                            || argument.contains("={"),
                        "{argument}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_profiles_line_becomes_the_arguments_of_the_program() {
        let claude = command_of("claude");
        assert_eq!(claude.len(), 15);
        assert!(claude.contains(&super::super::SYSTEM.to_owned()) && claude[14].is_empty());
        let codex = command_of("codex");
        assert_eq!(codex.len(), 56);
        for setting in [
            "model_instructions_file=\"{system}\"",
            "tools.experimental_request_user_input={enabled=false}",
            "model_providers.anvil={name=\"OpenAI\",requires_openai_auth=true,\
             wire_api=\"responses\",request_max_retries=0,stream_max_retries=0,\
             supports_websockets=false}",
        ] {
            assert!(codex.contains(&setting.to_owned()), "{setting}");
        }
    }
}
