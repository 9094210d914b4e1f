//! The author of a reply, by the mark of its section.

use serde::{Deserialize, Serialize, Serializer};

/// The agent of a reply that a person wrote.
const PERSON: &str = "a person";

/// Longest name, in characters.
const MAX_NAME: usize = 100;

/// The author of a reply, as far as its program reports it. Never the name of a host or a process.
///
/// Each name has at most 100 letters, digits and `._:/@+- `, so it cannot end the mark or name a
/// path of the machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Unchecked")]
pub struct Author {
    /// The program, as the user names it: `claude`, `codex:MODEL`, `cmd:PROGRAM`, `script`; or
    /// `a person`.
    agent: String,
    /// The model, as the program or the client's transcript names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    /// The vendor of the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    family: Option<String>,
    /// The agent that should have written the reply, and could not.
    #[serde(skip_serializing_if = "Option::is_none")]
    instead_of: Option<String>,
}

/// An author as a mark has it: anybody may have edited the file.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Unchecked {
    agent: String,
    model: Option<String>,
    family: Option<String>,
    instead_of: Option<String>,
}

impl From<Unchecked> for Author {
    fn from(unchecked: Unchecked) -> Self {
        Self {
            agent: agent_name(&unchecked.agent),
            model: unchecked.model.as_deref().and_then(clean_name),
            family: unchecked.family.as_deref().and_then(clean_name),
            instead_of: unchecked.instead_of.as_deref().map(agent_name),
        }
    }
}

impl Author {
    /// `agent`: a program, such as `claude` or `codex:MODEL`.
    pub fn new(agent: &str, model: Option<&str>, family: Option<&str>) -> Self {
        Self {
            agent: agent_name(agent),
            model: model.and_then(clean_name),
            family: family.and_then(clean_name),
            instead_of: None,
        }
    }

    /// The author of a reply that a person wrote.
    pub fn person() -> Self {
        Self::new(PERSON, None, None)
    }

    /// This author in the place of another agent.
    #[must_use]
    pub fn instead_of(self, agent: &str) -> Self {
        Self { instead_of: Some(agent_name(agent)), ..self }
    }

    /// This author with changed names.
    pub fn map(&self, change: impl Fn(&str) -> String) -> Self {
        Unchecked {
            agent: change(&self.agent),
            model: self.model.as_deref().map(&change),
            family: self.family.as_deref().map(&change),
            instead_of: self.instead_of.as_deref().map(&change),
        }
        .into()
    }

    /// The program that wrote it; `a person` without one.
    pub fn agent(&self) -> &str {
        &self.agent
    }

    /// The model that wrote it.
    pub fn model(&self) -> Option<&str> {
        self.model.as_deref()
    }

    /// The model, or the agent if no model is known.
    pub fn name(&self) -> &str {
        self.model().unwrap_or(&self.agent)
    }

    /// The vendor of the model.
    pub fn family(&self) -> Option<&str> {
        self.family.as_deref()
    }

    /// The agent that the author replaced.
    pub fn replaced_agent(&self) -> Option<&str> {
        self.instead_of.as_deref()
    }

    /// True if a person wrote it.
    pub fn is_person(&self) -> bool {
        self.agent == PERSON
    }
}

/// An AGENT in a text that may leave this machine: `cmd:agent.sh`. The whole command line, which
/// may hold secrets, can't get in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShortName(String);

impl ShortName {
    pub fn new(agent: &str) -> Self {
        Self(agent_name(agent))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// For the `agent` of an event.
    pub fn serialize<S: Serializer>(agent: &str, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&agent_name(agent))
    }

    /// For several agents.
    pub fn serialize_all<S: Serializer>(all: &[String], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(all.iter().map(|agent| agent_name(agent)))
    }
}

/// An AGENT without arguments and paths: a command line may hold secrets.
fn agent_name(agent: &str) -> String {
    // Only without its other characters a name may look like a command.
    without_arguments(&without_arguments(agent))
}

fn without_arguments(agent: &str) -> String {
    let name = match agent.split_once(':') {
        Some(("cmd", line)) => {
            let words = shlex::split(line).unwrap_or_default();
            let program = words.first().map(|program| last_part(program)).unwrap_or_default();
            clean_name(program).map(|program| format!("cmd:{}", program.replace(' ', "-")))
        }
        Some(("script", _)) => Some("script".to_owned()),
        _ => clean_name(agent),
    };
    name.unwrap_or_else(|| "cmd".to_owned())
}

/// The part of a path after its last separator.
fn last_part(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or_default()
}

/// A name as a mark may hold it. `None`: nothing of it may stay.
fn clean_name(name: &str) -> Option<String> {
    if is_plain(name.as_bytes()) {
        return Some(name.to_owned());
    }
    let name = if name.contains('\\') { last_part(name) } else { name };
    let name: String = name
        .chars()
        .filter(|char| char.is_ascii_alphanumeric() || "._:/@+- ".contains(*char))
        .collect();
    let name = name.trim();
    let name = if name.starts_with(['/', '.']) { last_part(name) } else { name };
    let name: String = name.trim().chars().take(MAX_NAME).collect();
    Some(name.trim_end().to_owned()).filter(|name| !name.is_empty())
}

/// The quick check for most names.
fn is_plain(name: &[u8]) -> bool {
    (1..=MAX_NAME).contains(&name.len())
        && name[0] != b'.'
        && name
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b':' | b'-'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_author_names_no_argument_and_no_path() {
        for (agent, expected) in [
            ("claude:opus", "claude:opus"),
            ("ollama:library/llama3:8b", "ollama:library/llama3:8b"),
            ("cmd:/home/me/bin/my-model --key secret", "cmd:my-model"),
            ("cmd:'C:\\tools\\m.exe' x", "cmd:m.exe"),
            ("cmd:'open", "cmd"),
            ("script:/home/me/replies.md", "script"),
            ("a person", "a person"),
            ("/home/me/agent", "agent"),
            ("", "cmd"),
        ] {
            assert_eq!(Author::new(agent, None, None).agent(), expected);
        }
        let model = |name| Author::new("claude", Some(name), None).model().map(str::to_owned);
        assert_eq!(model("/models/llama.gguf").as_deref(), Some("llama.gguf"));
        assert_eq!(
            model("claude-opus-4-5[1m] -->\n# x").as_deref(),
            Some("claude-opus-4-51m -- x")
        );
        assert_eq!(model("\u{202e}"), None);
        assert!(Author::person().is_person() && !Author::new("claude", None, None).is_person());
    }

    proptest! {
        #[test]
        fn an_author_is_read_back_as_it_was_written(agent: String, model: String, other: String) {
            let author = Author::new(&agent, Some(&model), Some(&other)).instead_of(&other);
            let text = serde_json::to_string(&author).unwrap();
            prop_assert!(!text.contains(['\n', '>', '<']));
            prop_assert_eq!(serde_json::from_str::<Author>(&text).unwrap(), author);
        }
    }
}
