//! A command of Anvil as a value, and a text that names commands. A door spells them.

use std::borrow::Cow;
use std::fmt;

use strum::{EnumString, IntoStaticStr, VariantArray};

/// The first word of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum Verb {
    Again,
    Agents,
    Attempts,
    Body,
    Cancel,
    Claim,
    Claims,
    Config,
    Debate,
    Help,
    History,
    Install,
    List,
    Prune,
    Publish,
    Pull,
    Recheck,
    Report,
    Resume,
    Run,
    Start,
    Status,
    Steer,
    Step,
    Submit,
    Tasks,
    Undo,
    Uninstall,
}

impl Verb {
    /// The command with these words after its verb.
    pub fn with(self, words: impl Into<Cow<'static, str>>) -> Command {
        Command { verb: self, words: words.into() }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    pub verb: Verb,
    pub words: Cow<'static, str>,
}

impl From<Verb> for Command {
    fn from(verb: Verb) -> Self {
        verb.with("")
    }
}

/// The verb and its words: `undo --list`.
impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let blank = if self.words.is_empty() { "" } else { " " };
        write!(f, "{}{blank}{}", <&str>::from(self.verb), self.words)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HintPart {
    Words(Cow<'static, str>),
    Command(Command),
}

impl From<&'static str> for HintPart {
    fn from(words: &'static str) -> Self {
        Self::Words(words.into())
    }
}

impl From<String> for HintPart {
    fn from(words: String) -> Self {
        Self::Words(words.into())
    }
}

impl From<Command> for HintPart {
    fn from(command: Command) -> Self {
        Self::Command(command)
    }
}

impl From<Verb> for HintPart {
    fn from(verb: Verb) -> Self {
        Self::Command(verb.into())
    }
}

/// The user's next step: words and commands. [`hint!`](crate::hint!) writes one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hint {
    parts: Vec<HintPart>,
    /// The same for Claude Code, where it does not have the command.
    client: Option<Vec<HintPart>>,
}

impl Hint {
    pub fn new(parts: impl Into<Vec<HintPart>>) -> Self {
        Self { parts: parts.into(), client: None }
    }

    /// Puts this before it, in both forms.
    pub fn after(mut self, first: impl Into<HintPart>) -> Self {
        let first = first.into();
        self.client.iter_mut().for_each(|client| client.insert(0, first.clone()));
        self.parts.insert(0, first);
        self
    }

    /// Adds this to its end, in both forms.
    pub fn then(mut self, last: impl Into<HintPart>) -> Self {
        let last = last.into();
        self.client.iter_mut().for_each(|client| client.push(last.clone()));
        self.parts.push(last);
        self
    }

    pub fn shell_parts(&self) -> &[HintPart] {
        &self.parts
    }

    pub fn client_parts(&self) -> &[HintPart] {
        self.client.as_ref().unwrap_or(&self.parts)
    }

    /// The text for a reader at no door, such as that of a page: commands as in a shell that finds
    /// `anvil`.
    pub fn plain(&self) -> String {
        let plain = |part: &HintPart| match part {
            HintPart::Words(words) => words.to_string(),
            HintPart::Command(command) => format!("`anvil {command}`"),
        };
        self.parts.iter().map(plain).collect()
    }
}

impl<P: Into<HintPart>> From<P> for Hint {
    fn from(part: P) -> Self {
        Self::new([part.into()])
    }
}

/// The words for a shell, and those for Claude Code.
impl<S: Into<Hint>, C: Into<Hint>> From<(S, C)> for Hint {
    fn from((shell, client): (S, C)) -> Self {
        Self { client: Some(client.into().parts), ..shell.into() }
    }
}

/// A [`Hint`] of words and commands: `hint![Verb::Undo.with("--list"), " lists them"]`.
#[macro_export]
macro_rules! hint {
    ($($part:expr),+ $(,)?) => {
        $crate::Hint::new([$($crate::HintPart::from($part)),+])
    };
}
