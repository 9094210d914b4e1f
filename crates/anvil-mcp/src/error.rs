//! What a client of the server did wrong, or does not get.

use std::io;

use anvil_text::error::{Failure, Kind};
use anvil_text::{Hint, clean};

#[derive(Debug, thiserror::Error)]
pub(crate) enum McpError {
    #[error("{}", clean(.0, 300))]
    Arguments(String),
    #[error("there is no debate {}", clean(.0, 100))]
    NoDebate(String),
    #[error("there is no debate here")]
    NoDebateHere,
    #[error("there is no tool {}", clean(.name, 60))]
    NoTool { name: String, known: String },
    #[error("there is no prompt {}", clean(.0, 60))]
    NoPrompt(String),
    /// An option that only the leader of a debate may set.
    #[error(
        "{0} is not available through this server: only the person who starts a debate can set it"
    )]
    NotOffered(String),
    #[error("wait_s is at most {0}")]
    LongWait(u64),
    #[error("that is not a token that task_claim gave")]
    NoToken,
    #[error("{} is not yours any more: it is done, or somebody else has claimed it", clean(.0, 60))]
    TokenIsOver(String),
    #[error("{} takes at most {most} texts", clean(.name, 60))]
    ManyTexts { name: String, most: usize },
    #[error("{} has more than {most} characters", clean(.name, 60))]
    LongText { name: String, most: usize },
    #[error("the reply has more than {0} characters")]
    LongReply(usize),
    #[error("the server could not finish that call")]
    Broken,
    #[error("{0}")]
    NotStarted(#[source] io::Error),
    #[error("{} is not a folder", clean(.0, 300))]
    NoFolder(String),
    /// Too many arguments, or an unknown option.
    #[error("{} is not an argument of anvil-mcp", clean(.0, 100))]
    ProgramArgument(String),
}

impl Failure for McpError {
    fn kind(&self) -> Kind {
        match self {
            Self::NoDebate(_) | Self::NoDebateHere | Self::TokenIsOver(_) => Kind::Nothing,
            Self::Broken | Self::NotStarted(_) => Kind::Failed,
            _ => Kind::Usage,
        }
    }

    fn hint(&self) -> Hint {
        let hint = match self {
            Self::NoTool { known, .. } => return format!("there are {known}").into(),
            Self::Arguments(_) => "the tool's schema says what it takes",
            Self::NoDebate(_) => "debate_search finds the earlier ones",
            Self::NoDebateHere => "debate_start starts one; debate_search finds earlier ones",
            Self::NoPrompt(_) => "there is one: debate",
            Self::NotOffered(_) => "leave it out, or tell the user",
            Self::LongWait(_) => "ask again with the same token when it is over",
            Self::NoToken => "copy it whole from the answer of task_claim",
            Self::TokenIsOver(_) => "task_claim without a token takes what is to be written now",
            Self::ManyTexts { .. } => "leave some out",
            Self::LongText { .. } | Self::LongReply(_) => "shorten it",
            Self::Broken => "call again; debate_status shows its progress",
            Self::NotStarted(_) => "try again",
            Self::NoFolder(_) => "name the project's folder: anvil-mcp FOLDER",
            Self::ProgramArgument(_) => "`anvil-mcp --help` says what it takes",
        };
        hint.into()
    }
}
