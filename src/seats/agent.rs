//! AGENT: what the user types for a seat, and the program that it means.

use std::time::Duration;

use super::printed::Output;
use super::profiles::{Given, PLAIN, PROFILES, Profile};
use crate::debate::FactCheck;
use crate::error::{Error, Result};
use crate::text::{clean, nearest};

/// Longest time for a whole reply unless somebody says otherwise: a slow model with much to say.
const WHOLE: Duration = Duration::from_mins(10);

/// The same for the first byte of a program that writes while it thinks.
const FIRST_BYTE: Duration = Duration::from_mins(2);

/// Longest silence of one that has begun to write.
const SILENCE: Duration = Duration::from_mins(3);

/// Tokens of a prompt that a model takes, unless somebody says otherwise: half of what common ones take.
const CONTEXT: usize = 100_000;

/// Times that one attempt may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The whole reply.
    pub whole: Duration,
    /// Until its first byte.
    pub first_byte: Option<Duration>,
    /// Without a byte.
    pub silence: Option<Duration>,
}

/// What the user's defaults file says of an agent of their own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnAgent {
    /// What it is called.
    pub name: String,
    /// What it stands on: a profile, or `cmd:`.
    pub base: String,
    /// Further arguments, before the last ones.
    pub arguments: Vec<String>,
    /// Variables of its own.
    pub variables: Vec<(String, String)>,
    /// Whose models it runs.
    pub family: Option<String>,
    /// Longest time for a whole reply.
    pub whole: Option<Duration>,
    /// Longest time until its first byte.
    pub first_byte: Option<Duration>,
    /// Longest silence.
    pub silence: Option<Duration>,
    /// Tokens of a prompt that it takes.
    pub context: Option<usize>,
}

/// A program that fills a seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agent {
    /// As the user calls it.
    pub name: String,
    /// Whose models it runs: two seats of one family are less independent.
    pub family: String,
    /// The program, and its arguments.
    pub command: Vec<String>,
    /// How it gets its prompt.
    pub given: Given,
    /// How its reply is read.
    pub output: Output,
    /// Variables of its own.
    pub variables: Vec<(String, String)>,
    /// Times that one attempt may take.
    pub limits: Limits,
    /// Tokens of a prompt that it takes.
    pub context: usize,
    /// A file of replies, which Anvil reads out itself: `command` is empty then.
    pub script: Option<String>,
    /// It may read the project's files.
    pub in_project: bool,
}

/// Reads an AGENT. `own` are the user's own agents; they may stand on a profile, not on each other.
pub fn parse(word: &str, own: &[OwnAgent], in_project: bool) -> Result<Agent> {
    let tools = if in_project { Tools::Project } else { Tools::Nothing };
    with_tools(word, own, tools)
}

/// Reads the AGENT that checks facts. `is_named`: the user has given it this seat; else it has another, and is fit for this one only
/// where Anvil knows how to keep it to what it may see.
pub fn checker(word: &str, own: &[OwnAgent], check: FactCheck, is_named: bool) -> Result<Agent> {
    with_tools(word, own, Tools::Check(check, is_named))
}

/// What an agent may use.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tools {
    Nothing,
    Project,
    Check(FactCheck, bool),
}

fn with_tools(word: &str, own: &[OwnAgent], tools: Tools) -> Result<Agent> {
    let word = word.trim();
    if let Some(own) = own.iter().find(|own| own.name == word) {
        let mut agent = base(&own.base, own, tools)?;
        agent.name.clone_from(&own.name);
        return Ok(agent);
    }
    base(word, &OwnAgent::default(), tools).map_err(|error| {
        let known = own.iter().map(|own| own.name.as_str()).chain(PROFILES.iter().map(|profile| profile.name));
        match nearest(word, known, 2).first() {
            Some(near) if is_unknown(&error) => Error::usage(error.to_string(), format!("did you mean {near}?")),
            _ => error,
        }
    })
}

fn is_unknown(error: &Error) -> bool {
    error.hint() == AGENTS
}

const AGENTS: &str = "`anvil agents` lists them; cmd:COMMAND runs a program of your own";

fn base(word: &str, own: &OwnAgent, wanted: Tools) -> Result<Agent> {
    let (name, rest) = word.split_once(':').map_or((word, None), |(name, rest)| (name, Some(rest.trim())));
    let rest = rest.filter(|rest| !rest.is_empty());
    let no_files = |what: &str| {
        Err(if wanted == Tools::Project {
            Error::usage(
                format!("--in-project is not for {what}: nothing keeps it from changing files"),
                "give the seat to claude or codex, or leave --in-project out",
            )
        } else {
            Error::usage(
                format!("{what} can't check facts: nothing keeps it to what it may see"),
                "name another one: --fact-checker claude",
            )
        })
    };
    match (name, rest) {
        ("cmd", Some(_)) if matches!(wanted, Tools::Project | Tools::Check(_, false)) => {
            no_files("a command of your own")
        }
        ("script", Some(_)) if matches!(wanted, Tools::Check(_, false)) => no_files("a script"),
        ("cmd", Some(line)) => {
            let words = shlex::split(line).filter(|words| !words.is_empty()).ok_or_else(|| {
                Error::usage(
                    format!("the command line can't be split: {}", clean(line, 100)),
                    "close its quotes; words are split as a shell splits them, and no shell runs them",
                )
            })?;
            Ok(made(word, &PLAIN, words, None, own))
        }
        ("script", Some(file)) => {
            let mut agent = made(word, &PLAIN, Vec::new(), None, own);
            "script".clone_into(&mut agent.family);
            agent.script = Some(file.to_owned());
            Ok(agent)
        }
        ("cmd" | "script", None) => Err(Error::usage(
            format!("{name}: needs something after it"),
            "write cmd:\"PROGRAM ARGUMENTS\" or script:FILE",
        )),
        _ => {
            let Some(profile) = PROFILES.iter().find(|profile| profile.name == name) else {
                return Err(Error::usage(format!("there is no agent {}", clean(word, 60)), AGENTS));
            };
            if profile.needs_model && rest.is_none() {
                return Err(Error::usage(
                    format!("{name} needs a model"),
                    format!("write {name}:MODEL; `{name} list` or `{name} models` lists them"),
                ));
            }
            let tools = match wanted {
                Tools::Nothing => Some(profile.without_tools),
                Tools::Project => profile.in_project,
                Tools::Check(FactCheck::Files, _) => profile.in_folder,
                Tools::Check(FactCheck::Web, _) => profile.on_web,
            };
            let Some(tools) = tools else { return no_files(name) };
            if rest.is_some_and(|model| model.starts_with('-')) {
                return Err(Error::usage(
                    format!("a model is not named {}", clean(rest.unwrap_or_default(), 40)),
                    format!("write {name}:MODEL"),
                ));
            }
            let mut command = vec![profile.program.to_owned()];
            command.extend(profile.arguments.iter().chain(tools).map(|&argument| argument.to_owned()));
            if let Some(model) = rest {
                command.extend(profile.model.iter().map(|&argument| argument.to_owned()));
                command.push(model.to_owned());
            }
            let mut agent = made(word, profile, command, rest, own);
            agent.in_project = wanted == Tools::Project;
            Ok(agent)
        }
    }
}

fn made(word: &str, profile: &Profile, mut command: Vec<String>, model: Option<&str>, own: &OwnAgent) -> Agent {
    command.extend(own.arguments.iter().cloned());
    command.extend(profile.last.iter().map(|&argument| argument.to_owned()));
    let family = own.family.clone().unwrap_or_else(|| match (profile.family, model) {
        // Who runs models of many makers is of the family of the model.
        ("", Some(model)) => model.to_owned(),
        ("", None) => command.first().cloned().unwrap_or_default(),
        (family, _) => family.to_owned(),
    });
    let streamed = |limit| profile.streams.then_some(limit);
    let variables = profile.variables.iter().map(|&(name, value)| (name.to_owned(), value.to_owned()));
    Agent {
        name: word.to_owned(),
        family,
        command,
        given: profile.given,
        output: profile.output,
        variables: variables.chain(own.variables.iter().cloned()).collect(),
        limits: Limits {
            whole: own.whole.unwrap_or(WHOLE),
            first_byte: own.first_byte.or(streamed(FIRST_BYTE)),
            silence: own.silence.or(streamed(SILENCE)),
        },
        context: own.context.unwrap_or(CONTEXT),
        script: None,
        in_project: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(word: &str) -> Vec<String> {
        parse(word, &[], false).unwrap().command
    }

    #[test]
    fn an_agent_is_a_profile_with_a_model_a_command_line_or_a_script() {
        for profile in &PROFILES {
            let word = if profile.needs_model { format!("{}:m", profile.name) } else { profile.name.to_owned() };
            let agent = parse(&word, &[], false).unwrap();
            assert_eq!((agent.command[0].as_str(), agent.name.as_str()), (profile.program, word.as_str()));
            assert!(!agent.family.is_empty(), "{word}");
            let with_model = words(&format!("{}:some/model:7b", profile.name));
            assert!(with_model.contains(&"some/model:7b".to_owned()), "{with_model:?}");
            assert!(with_model.ends_with(&profile.last.iter().map(|&last| last.to_owned()).collect::<Vec<_>>()));
        }
        assert_eq!(
            words("cmd:my-model --say 'two words' \"$HOME\" ; rm"),
            ["my-model", "--say", "two words", "$HOME", ";", "rm"]
        );
        let script = parse("script:a b.md", &[], false).unwrap();
        assert_eq!((script.script.as_deref(), script.command.len()), (Some("a b.md"), 0));
        assert_eq!(parse("llm:gemma", &[], false).unwrap().family, "gemma");
    }

    #[test]
    fn what_is_not_an_agent_is_refused_with_a_hint() {
        for (word, says) in [
            ("", "no agent"),
            ("clade", "did you mean claude"),
            ("llm", "needs a model"),
            ("ollama:", "needs a model"),
            ("cmd:", "needs something after it"),
            ("cmd:   ", "needs something after it"),
            ("script", "needs something after it"),
            ("cmd:'open", "can't be split"),
            ("claude:--dangerously-skip-permissions", "a model is not named"),
        ] {
            let error = parse(word, &[], false).unwrap_err();
            let said = format!("{error}; {}", error.hint());
            assert!(said.contains(says), "{word:?}: {said}");
        }
        for word in ["gemini", "cmd:cat", "llm:m"] {
            assert!(parse(word, &[], true).unwrap_err().to_string().contains("--in-project"), "{word}");
        }
        let reads = parse("claude", &[], true).unwrap();
        assert!(reads.in_project && reads.command.contains(&"Read,Glob,Grep".to_owned()));
    }

    #[test]
    fn an_agent_of_the_users_own_stands_on_another_and_adds_to_it() {
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
        assert!(agent.command.ends_with(&["--model".into(), "haiku".into(), "--effort".into(), "low".into()]));
        assert!(agent.variables.contains(&("A".to_owned(), "b".to_owned())));
        assert_eq!((agent.family.as_str(), agent.limits.whole.as_secs(), agent.context), ("mine", 7, 5_000));
        let in_a_circle = OwnAgent { name: "a".to_owned(), base: "a".to_owned(), ..OwnAgent::default() };
        assert!(parse("a", &[in_a_circle], false).is_err());
    }

    /// The prompt is on standard input: nothing that a user or a debate says stands in argv.
    #[test]
    fn every_profile_is_called_without_a_word_of_the_debate() {
        for profile in &PROFILES {
            let all = profile.arguments.iter().chain(profile.without_tools).chain(profile.last);
            let tools = [profile.in_project, profile.in_folder, profile.on_web];
            for argument in all.chain(tools.into_iter().flatten().flatten()) {
                assert!(
                    !argument.contains('{') || argument.contains("{system}") || argument.contains("={"),
                    "{argument}"
                );
            }
        }
    }
}
