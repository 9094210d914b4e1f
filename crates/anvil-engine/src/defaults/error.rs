//! Why a file of defaults, or what a program asks for, can't be used.

use std::path::PathBuf;

use anvil_core::limits::MAX_OWN_CHARS;
use anvil_core::options::Origin;
use anvil_store::Defaults;
use anvil_text::clean;
use anvil_text::error::{Error, Failure, Kind};
use anvil_text::{Hint, Verb, hint};

/// An error about one option of a layer.
pub(super) struct LayerError {
    pub(super) name: String,
    pub(super) from: Origin,
    pub(super) error: Error,
}

impl LayerError {
    pub(super) fn new(name: &str, from: &Origin, error: Error) -> Self {
        Self { name: name.to_owned(), from: from.clone(), error }
    }
}

/// An error about a value, with its place if a file has it: a start finds it long after the file
/// was read.
pub(crate) fn at_origin(from: &Origin, error: impl Into<Error>) -> Error {
    let error = error.into();
    match from {
        Origin::Request => error,
        Origin::File { path, line, .. } => {
            DefaultsError::Line { path: path.clone(), line: *line, source: error }.into()
        }
    }
}

/// An error with its place in a file.
pub(super) fn at(file: &Defaults, line: usize, error: impl Into<Error>) -> Error {
    DefaultsError::Line { path: file.path.clone(), line, source: error.into() }.into()
}

/// Defaults that no debate can start with.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DefaultsError {
    #[error("{}, line {line}: {source}", .path.display())]
    Line { path: PathBuf, line: usize, source: Error },
    #[error("{}: {source}; a program's word counts as a project's", clean(.name, 40))]
    Requested { name: String, source: Error },
    #[error("the name of an option has no comma")]
    Comma,
    #[error("a project can't set {0}")]
    NotOfProject(String),
    /// The option with its example.
    #[error("--{name} belongs to one question")]
    OfQuestion { name: String, example: &'static str },
    #[error("there is no option {name}")]
    NoOption { name: String, near: Option<String> },
    #[error(
        "the house rules in anvil.local.md have more than {MAX_OWN_CHARS} characters, the \
         project's and yours together"
    )]
    RulesTooLong,
    #[error("{name} leads out of the project: {path}")]
    LeadsOut { name: &'static str, path: String },
    #[error("{name} leads into .git or .claude: {path}")]
    LeadsToSettings { name: &'static str, path: String },
    #[error("a project can't choose the agents: {}", clean(.0, 40))]
    AgentsOfProject(String),
    #[error("an agent of your own can't be named {}", clean(.0, 40))]
    AgentName(String),
    #[error("context must be a number of tokens, 1000 or more")]
    Tokens,
    #[error("an agent has no {}", clean(.0, 40))]
    NoPart(String),
    #[error("a variable is written NAME=VALUE")]
    Variable,
    #[error("{} is not a time", clean(.0, 40))]
    Time(String),
    #[error("there is no list of {:?}", clean(.0, 40))]
    NoList(String),
}

impl Failure for DefaultsError {
    fn kind(&self) -> Kind {
        Kind::Usage
    }

    fn hint(&self) -> Hint {
        let hint = match self {
            Self::Line { source, .. } | Self::Requested { source, .. } => return source.hint(),
            Self::NotOfProject(name) => {
                return format!("type --{name} yourself, or put it into your own defaults").into();
            }
            Self::OfQuestion { name, example } => {
                let typed = format!("--{name}{example}");
                return format!("remove the line, and type it with the question: {typed}").into();
            }
            Self::NoOption { near: Some(near), .. } => {
                return format!("did you mean {near}?").into();
            }
            Self::NoOption { near: None, .. } => {
                return Hint::from((
                    hint![Verb::Config, " lists the options"],
                    hint![Verb::Debate.with("--help --all"), " lists the options"],
                ));
            }
            Self::Comma => "write each option as a text of its own",
            Self::RulesTooLong => "shorten the text below the frontmatter of these files",
            Self::LeadsOut { .. } => {
                "a project's defaults stay inside of it; name it in your own defaults, or type it"
            }
            Self::LeadsToSettings { .. } => {
                "a project's defaults take nothing from there; type it, or name it in your own \
                 defaults"
            }
            Self::AgentsOfProject(_) => {
                "remove the line; type the option yourself, or put it into your own defaults, \
                 ~/.claude/anvil.local.md"
            }
            Self::AgentName(_) => {
                "use letters, digits and hyphens, and no name that Anvil has, such as agent.fast"
            }
            Self::Tokens => "write 32000",
            Self::NoPart(_) => {
                "it has arguments, environment, family, context, max-reply, max-first-byte and \
                 max-silence"
            }
            Self::Variable => "environment: [\"OLLAMA_HOST=127.0.0.1:11434\"]",
            Self::Time(_) => "write 90s, 10m or 2h",
            Self::NoList(_) => "there are personas, modes and frameworks",
        };
        hint.into()
    }
}
