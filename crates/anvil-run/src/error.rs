//! Why a run is refused, or stops.

use std::io;
use std::path::PathBuf;

use anvil_text::error::{Failure, Kind};
use anvil_text::{Hint, Verb, clean, hint};

#[derive(Debug, thiserror::Error)]
pub(crate) enum RunError {
    #[error("{0}")]
    NotPrinted(#[source] io::Error),
    #[error("{0}")]
    NoFolder(#[source] io::Error),
    #[error("{0}")]
    NoRoom(#[source] io::Error),
    #[error("{0}")]
    NoSignals(#[source] io::Error),
    #[error("the reply of attempt {0} was received, and is gone or changed")]
    ReplyGone(u32),
    #[error("the record of attempts is gone")]
    RecordGone,
    #[error("it failed at {at}: {why}")]
    SeatFailed { at: String, why: String, option: &'static str, is_runner: bool },
    #[error("{seat} can't be filled: {program} is not on PATH")]
    NotOnPath { seat: String, program: String, option: &'static str },
    #[error("{program} does not know {unknown}, which isolates a seat")]
    NotIsolated { program: String, unknown: String, option: &'static str },
    #[error("{0} is not logged in when Anvil runs it")]
    LoggedOut(String),
    #[error("the background runner did not start: {0}")]
    NotStarted(String),
    #[error("no reply came")]
    NoReply,
    #[error("{0}: {1}")]
    SeatGaveUp(String, String),
    #[error("the debate needs {replies} replies in all, and a step allows {most}")]
    TooManyReplies { replies: usize, most: usize },
}

impl Failure for RunError {
    fn hint(&self) -> Hint {
        let hint = match self {
            Self::ReplyGone(_) => return hint![Verb::Run.with("--resume"), " asks for it again"],
            Self::RecordGone => return hint![Verb::Run.with("--resume"), " starts a new one"],
            Self::NoRoom(_) => {
                return hint!["make room on the disk, then ", Verb::Run.with("--resume")];
            }
            Self::SeatFailed { option, is_runner, .. } => {
                let give = "give the seat to the same or another agent: ";
                let agent = format!("--{option} AGENT");
                return if *is_runner {
                    hint![give, Verb::Resume.with(agent)]
                } else {
                    let run = Verb::Run.with(format!("--resume {agent}"));
                    hint![give, run, "; or take it: /anvil:resume in Claude Code"]
                };
            }
            Self::NotOnPath { option, .. } => {
                let install = format!("install it, or name another agent: --{option} AGENT");
                let in_shell =
                    hint![install.clone(), "; ", Verb::Agents, " lists those that are here"];
                return (in_shell, install).into();
            }
            Self::NotIsolated { option, .. } => {
                return format!(
                    "update Claude Code (`claude update`), name another agent with --{option} \
                     AGENT, or leave --isolated out"
                )
                .into();
            }
            Self::NotStarted(_) => {
                return hint![
                    Verb::Resume,
                    " tries again; ",
                    Verb::Resume.with("--isolated=no"),
                    " continues in the conversation"
                ];
            }
            Self::NotPrinted(_) => "standard output can't be written to",
            Self::NoFolder(_) => "set TMPDIR to a folder that can be written to",
            Self::NoSignals(_) => "try again",
            Self::LoggedOut(_) => "run `claude auth login` in a shell, or leave --isolated out",
            Self::NoReply | Self::SeatGaveUp(..) => {
                "the same body still works: call the step again, or name another agent"
            }
            Self::TooManyReplies { .. } => "--max-replies N allows more",
        };
        hint.into()
    }
}

/// Options of a run or a step that do not go with its debate.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RunOptionError {
    /// The debate compares options; the first one.
    #[error("--fail-on do-not needs a motion, and none is known")]
    GateOfOptions(String),
    #[error("--fail-on do-not needs a motion, and none is known")]
    NoMotion,
    #[error("--fail-on objections needs a document")]
    NoDocument,
    #[error("there is no option {}", clean(.name, 60))]
    NoOption { name: String, known: Vec<String> },
    #[error("--research does not apply: the seats have no web access")]
    Research,
    #[error("--{option} {agent} does not report its {what}, so --max-{what} can't be enforced")]
    Unmetered { option: &'static str, agent: String, what: &'static str, instead: &'static str },
    #[error("--{0} does not apply: voices take turns")]
    NoSides(&'static str),
    #[error("--voice does not apply: an advocate and a critic argue")]
    NoVoices,
    #[error("there is no voice {}", clean(.name, 60))]
    NoVoice { name: String, known: Vec<String> },
    #[error("--judge names {named}, but the number of judges here is {judges}")]
    Judges { named: usize, judges: u8 },
    #[error("--synthesizer does not apply: judges write the synthesis")]
    NoSynthesizer,
    #[error("--fact-checker does not apply: no facts are checked")]
    NoChecks,
    #[error("there is no script {}", .0.display())]
    NoScript(PathBuf),
    #[error("the path of this agent is not UTF-8: {}", .0.display())]
    NotUtf8(PathBuf),
    #[error("a step has no file: --output, --replace and --take-over do not apply")]
    StepHasNoFile,
    #[error("a step stops after each reply: --interactive does not apply")]
    StepStops,
    #[error("--fact-check has no checker")]
    NoChecker,
    #[error("{at} has no agent")]
    NoAgent { at: String, option: &'static str },
}

impl Failure for RunOptionError {
    fn kind(&self) -> Kind {
        Kind::Usage
    }

    fn hint(&self) -> Hint {
        let hint = match self {
            Self::GateOfOptions(name) => {
                return format!("take --fail-on \"not={}\"", clean(name, 60)).into();
            }
            Self::NoMotion => {
                return hint![
                    "say which action \"do\" means: --motion TEXT; in a debate that is here ",
                    Verb::Steer.with("--motion TEXT")
                ];
            }
            Self::NoOption { known, .. } if !known.is_empty() => {
                return format!("the options are {}", clean(&known.join(", "), 500)).into();
            }
            Self::Research => {
                return hint![
                    "add --fact-check, which searches the web; or argue in the conversation: ",
                    Verb::Debate.with("QUESTION --research")
                ];
            }
            Self::Unmetered { agent, instead, .. } => {
                return format!(
                    "take {instead}, or add --unmetered if {agent} need not be counted"
                )
                .into();
            }
            Self::NoVoice { known, .. } => {
                return format!("the voices are {}", clean(&known.join(", "), 500)).into();
            }
            Self::StepHasNoFile => {
                return hint![
                    Verb::Body.with("extract --state"),
                    " makes a state file of its body, for ",
                    Verb::Report
                ];
            }
            Self::NoAgent { option, .. } => {
                return format!("--{option} AGENT names one, and --agent AGENT one for every seat")
                    .into();
            }
            Self::NoDocument => "name it with --revise, or take --fail-on open-claims",
            Self::NoOption { .. } => "name the options with --options, or take --fail-on do-not",
            Self::NoSides(_) => {
                "name the voices' agents with --agent, or with --voice \"NAME=AGENT\""
            }
            Self::NoVoices => "name their agents with --advocate and --critic",
            Self::Judges { .. } => {
                "name one agent for each judge; --synthesizer names one agent for the synthesis"
            }
            Self::NoSynthesizer => "leave it out; --fact-checker names who checks facts",
            Self::NoChecks => "start the debate with --fact-check, or leave it out",
            Self::NoScript(_) => {
                "name a file with a reply below each heading such as # advocate, round 1"
            }
            Self::NotUtf8(_) => {
                "put it into a folder whose path is UTF-8, and name it by its whole path"
            }
            Self::StepStops => "leave them out",
            Self::NoChecker => {
                "a step takes agents from its command line alone: add --fact-checker AGENT"
            }
        };
        hint.into()
    }
}
