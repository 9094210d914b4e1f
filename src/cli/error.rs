//! What a shell's user gave that is not usable, and why a setup fails.

use std::io;
use std::path::PathBuf;

use super::claim::MAX_BYTES;
use super::run::MAX_INPUT;
use anvil_messages::is_client_only;
use anvil_text::error::{Failure, Kind};
use anvil_text::{Hint, Verb, clean, hint};

/// Arguments and standard input.
#[derive(Debug, thiserror::Error)]
pub(crate) enum InputError {
    #[error("`anvil debate` is not a command of the shell")]
    DebateInShell,
    #[error("`anvil resume` is not a command of the shell")]
    ResumeInShell,
    #[error("`anvil start` prepares a debate that Claude argues in a conversation")]
    StartWithPrograms,
    #[error("nothing is removed: finished debates here: {left}, --keep: {keep}")]
    NothingToPrune { left: usize, keep: usize },
    #[error("--open works only with HTML")]
    OpensHtml,
    #[error(
        "--resume continues the debate as it is: it takes no question and no options of a debate"
    )]
    ResumeTakesNothing,
    #[error("{0}")]
    Unread(#[source] io::Error),
    #[error("standard input has more than {MAX_INPUT} bytes")]
    TooLong,
    /// Why there is no question.
    #[error("{0}")]
    NoQuestion(&'static str),
    #[error("give a question with its options, or a debate on standard input, not both")]
    StepOfBoth,
    #[error("the question or the debate is missing")]
    StepOfNothing,
    #[error("{0}")]
    ReplyLost(#[source] io::Error),
    #[error("{0}")]
    ReplyUnread(#[source] io::Error),
    #[error("the reply has more than {MAX_BYTES} bytes")]
    ReplyTooLong,
    #[error("standard input is empty")]
    NoReply,
    #[error("the debate was changed in the meantime")]
    Changed,
    #[error("no body is given: standard input is the terminal")]
    NoBody,
    #[error("--dir is inside the text")]
    DirInside,
    #[error("--dir does not apply: this command is not about one debate")]
    NoDir,
    #[error("{0}")]
    DirNotMade(#[source] io::Error),
    #[error("unknown command {}", clean(.name, 60))]
    UnknownCommand { name: String, near: Option<String> },
}

impl Failure for InputError {
    fn kind(&self) -> Kind {
        match self {
            Self::NothingToPrune { .. } => Kind::Nothing,
            Self::TooLong | Self::ReplyTooLong => Kind::TooMuch,
            Self::Unread(_)
            | Self::ReplyLost(_)
            | Self::ReplyUnread(_)
            | Self::Changed
            | Self::DirNotMade(_) => Kind::Failed,
            _ => Kind::Usage,
        }
    }

    fn hint(&self) -> Hint {
        let step = || Verb::Step.with("QUESTION </dev/null");
        let hint = match self {
            Self::DebateInShell => {
                return hint![
                    Verb::Start.with("QUESTION"),
                    " prepares a debate; /anvil:debate QUESTION in Claude Code starts one"
                ];
            }
            Self::StartWithPrograms => {
                return hint![
                    Verb::Run.with("QUESTION"),
                    " argues between programs; /anvil:debate QUESTION --isolated in Claude Code \
                     does it there"
                ];
            }
            Self::NothingToPrune { .. } => return hint![Verb::History, " lists them"],
            Self::ResumeTakesNothing => {
                let run = Verb::Run.with("--resume --critic AGENT");
                return hint![run, " gives a seat to another agent"];
            }
            Self::NoQuestion(_) => {
                return hint!["give the question there: ", Verb::Run.with("- < question.md")];
            }
            Self::StepOfBoth => {
                let as_it_is = "a debate on standard input continues as it is; ";
                return hint![as_it_is, step(), " starts one"];
            }
            Self::StepOfNothing => {
                return hint![step(), " starts one; a debate comes on standard input"];
            }
            Self::NoReply => {
                return hint!["give the reply there: ", Verb::Submit.with("TOKEN < reply.md")];
            }
            Self::Changed => return hint![Verb::Tasks, " shows it"],
            Self::ResumeInShell => "type /anvil:resume in Claude Code to continue the debate",
            Self::OpensHtml => {
                "leave --format and --output out, or name a page: --output decision.html"
            }
            Self::Unread(_) => "standard input can't be read",
            Self::TooLong => "put the material into a file, and give that with --context",
            Self::ReplyLost(_) => "the reply is lost: call the step again",
            Self::ReplyUnread(_) => "the reply has to be UTF-8 text",
            Self::ReplyTooLong => "shorten it",
            Self::DirInside => {
                let steer = Verb::Steer.with("--dir DIR TEXT");
                return hint!["write the options before the text: ", steer];
            }
            Self::UnknownCommand { name, near } => {
                return match near {
                    _ if name == "redo" => {
                        hint![Verb::Undo.with("--redo"), " undoes the last undo"]
                    }
                    _ if name == "outcome" => {
                        hint![Verb::History.with("--outcome WHAT"), " notes an outcome"]
                    }
                    _ if name.parse().is_ok_and(is_client_only) => {
                        format!("type /anvil:{name} --help in Claude Code").into()
                    }
                    Some(near) => format!("did you mean {near}?").into(),
                    None => hint![Verb::Help, " lists the commands"],
                };
            }
            Self::NoDir => "leave it out",
            Self::DirNotMade(_) => "name another folder",
            Self::NoBody => {
                "pipe one in, or name a file: --body FILE; --body - reads what you type"
            }
        };
        hint.into()
    }
}

/// An installation, its links and its removal.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SetupError {
    #[error("there is no home folder to install into")]
    NoHome,
    #[error("{0}")]
    NoManifest(#[source] io::Error),
    #[error("{0}")]
    NoProgram(#[source] io::Error),
    #[error("{0}")]
    NotWritten(#[source] io::Error),
    #[error("{} was not written by Anvil", .0.display())]
    Foreign(PathBuf),
    #[error("{0}")]
    OldFile(#[source] io::Error),
    #[error("{} is not empty and not an Anvil plugin folder", .0.display())]
    NotEmpty(PathBuf),
    #[error("there is no anvil-mcp next to this program")]
    NoServer,
    #[error("there is no home folder to make a link in")]
    NoLinkFolder,
    #[error("the name of {} can't be recorded", .0.display())]
    LinkFolder(PathBuf),
    #[error("there is no free name for the link: {0}")]
    NoLinkName(String),
    #[error("{0}")]
    OldLink(#[source] io::Error),
    #[error("{0}")]
    LinkNotNoted(#[source] io::Error),
    #[error("{0}")]
    NotLinked(#[source] io::Error),
    #[error("{0}")]
    LinkStays(#[source] io::Error),
    #[error("Anvil has written nothing for this user that is still here")]
    NothingHere,
    #[error("{} holds no Anvil plugin", .0.display())]
    NoPlugin(PathBuf),
    #[error("{0}")]
    NotRemoved(#[source] io::Error),
    #[error("the status line can't name a path that is not UTF-8: {}", .0.display())]
    StatusLinePath(PathBuf),
    #[error("there is no home folder with settings in it")]
    NoSettings,
    #[error("the status line can't be identified in {}", .0.display())]
    NoStatusLine(PathBuf),
    #[error("can't read {}: {}", .0.display(), .1)]
    SettingsUnread(PathBuf, #[source] io::Error),
    #[error("{0}")]
    SettingsUnwritten(#[source] io::Error),
    #[error("{} is not a JSON object", .0.display())]
    NotJson(PathBuf),
    #[error("{0}")]
    NoDemoFolder(#[source] io::Error),
}

impl Failure for SetupError {
    fn kind(&self) -> Kind {
        match self {
            Self::NoServer | Self::NothingHere | Self::NoPlugin(_) => Kind::Nothing,
            _ => Kind::Failed,
        }
    }

    fn hint(&self) -> Hint {
        let hint = match self {
            Self::NoServer => {
                return hint![
                    "build it with `cargo install --path crates/anvil-mcp`, or take a release, \
                     and run its ",
                    Verb::Install.with("--mcp")
                ];
            }
            Self::NoHome => "set HOME, or name a folder with --to",
            Self::NoManifest(_) => "check the folder's permissions",
            Self::NoProgram(_) => "run the installed or built program by its path",
            Self::NotWritten(_) => {
                "check the folder's permissions and space; run it again to finish"
            }
            Self::Foreign(_) => "move it away; nothing was changed",
            Self::OldFile(_) => "remove that file by hand",
            Self::NotEmpty(_) => "name a new folder with --to; nothing was changed",
            Self::NoLinkFolder => "set HOME, or name a folder with --link=DIR",
            Self::LinkFolder(_) => "name a folder whose name is plain text; nothing was changed",
            Self::NoLinkName(_) => {
                "name another folder with --link=DIR, or move one of them away; nothing was changed"
            }
            Self::OldLink(_) => "remove that link by hand",
            Self::LinkNotNoted(_) => "the plugin is installed; run it again to make the link",
            Self::NotLinked(_) if cfg!(windows) => {
                "the plugin is installed; links take Windows' developer mode or an administrator: \
                 switch that on and run it again, or put the plugin's folder on PATH"
            }
            Self::NotLinked(_) => {
                "the plugin is installed; check that folder's permissions, or name another one \
                 with --link=DIR"
            }
            Self::LinkStays(_) => "remove that link by hand, then run this again",
            Self::NothingHere => {
                "name the plugin's folder with --from if it was installed elsewhere"
            }
            Self::NoPlugin(_) => "name the folder it was installed to with --from",
            Self::NotRemoved(_) => "check the folder's permissions; run it again to finish",
            Self::StatusLinePath(_) => {
                "the rest is installed; for the line too, install to a folder whose path is UTF-8"
            }
            Self::NoSettings => "set HOME or CLAUDE_CONFIG_DIR",
            Self::NoStatusLine(_) => "remove it by hand",
            Self::SettingsUnread(..) => "check that the file can be read; it is left untouched",
            Self::SettingsUnwritten(_) => {
                "the settings are as they were; add or remove statusLine by hand"
            }
            Self::NotJson(_) => "repair it, then run this again; it is left untouched",
            Self::NoDemoFolder(_) => "set TMPDIR to a folder that can be written to",
        };
        hint.into()
    }
}
