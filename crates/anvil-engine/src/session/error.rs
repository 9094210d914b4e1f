//! Why a debate does not begin, go on or change.

use crate::lookup::again_with;
use crate::ownership::resume_hint;
use anvil_core::debate::Status;
use anvil_core::limits::{MAX_CYCLES, MAX_NAME_CHARS, MAX_OWN_CHARS, MAX_VOICES};
use anvil_text::error::{Error, Failure, Kind};
use anvil_text::{Hint, Verb, clean, hint};

/// Options that can't become a debate.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BriefError {
    #[error("stakeholders and personas don't go together")]
    StakeholdersAndPersonas,
    #[error("--stakeholders does not apply to the mode {0}")]
    NoStakeholders(String),
    #[error("--persona {0} has more than {MAX_OWN_CHARS} characters")]
    LongPersona(String),
    /// No persona has this name, and a description has several words.
    #[error("{0}")]
    NoPersona(#[source] Error),
    #[error("the debate {0} has no synthesis")]
    NoSynthesis(String),
    #[error("there is no file and no debate {0}")]
    NoEarlierResult(String),
    #[error("{0} has more than {MAX_OWN_CHARS} characters")]
    LongText(String),
    #[error("{0} and {1} don't go together")]
    Exclude(&'static str, &'static str),
    #[error("there are {0} voices, more than {MAX_VOICES}")]
    ManyVoices(usize),
    #[error("the devil's advocate needs a position to attack")]
    NoPosition,
    #[error("the devil's advocate has two seats")]
    TwoSeats,
    #[error("blind openings need an advocate and a critic")]
    BlindVoices,
    #[error("a name has 1 to {MAX_NAME_CHARS} characters, not {:?}", clean(.0, 40))]
    Name(String),
    #[error("there is no focus {typed}")]
    NoFocus { typed: String, near: String },
    #[error("--plan needs a file here: a shell has no session with a plan")]
    NoPlan,
    #[error("--fact-check needs programs in the seats: a conversation can't check itself")]
    FactCheckHere,
    #[error("--judges does not apply: in one conversation each judge has read the others")]
    JudgesHere(u8),
}

impl Failure for BriefError {
    fn kind(&self) -> Kind {
        Kind::Usage
    }

    fn hint(&self) -> Hint {
        let with_programs = |options: String| {
            let run = Verb::Run.with(format!("QUESTION {options}"));
            (hint!["argue between programs: ", run], "add --isolated").into()
        };
        let hint = match self {
            Self::NoPersona(error) => {
                return error.hint().then(" (a description has several words)");
            }
            Self::NoEarlierResult(_) => {
                return hint![
                    "name a file, or a finished debate by its number in ",
                    Verb::History,
                    " or by its id"
                ];
            }
            Self::NoFocus { near, .. } => return format!("did you mean {near}?").into(),
            Self::FactCheckHere => return with_programs("--fact-check".to_owned()),
            Self::JudgesHere(judges) => return with_programs(format!("--judges {judges}")),
            Self::StakeholdersAndPersonas => {
                "name the groups with --stakeholders, or take --persona without the mode"
            }
            Self::NoStakeholders(_) => "leave --mode out, or take --mode stakeholders",
            Self::LongPersona(_) => "shorten it: what this person knows, wants and won't accept",
            Self::NoSynthesis(_) => "finish it first, or name another one",
            Self::LongText(_) => "shorten it, and take out what is secret",
            Self::Exclude(..) => "remove one of them: both decide who argues about what",
            Self::ManyVoices(_) => "name fewer; debate the others separately",
            Self::NoPosition => "say where you stand: --position \"we should wait a year\"",
            Self::TwoSeats => "name at most two personas",
            Self::BlindVoices => "name at most two personas, or leave --blind out",
            Self::Name(_) => "shorten it",
            Self::NoPlan => "write it with an equals sign: --plan=plan.md",
        };
        hint.into()
    }
}

/// A debate that is not in a state for what its user wants.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SessionError {
    #[error("the state file here can't be read, and its contents are unknown")]
    Unknown,
    #[error("another debate is unfinished here: {0}")]
    RunsElsewhere(String),
    #[error("another debate is unfinished here: {here}")]
    AnotherHere { here: String, is_run: bool },
    #[error("the debate here is {here}, not {id}")]
    NotHere { here: String, id: String },
    #[error("the debate {0} is complete")]
    Complete(String),
    #[error("the debate here is {} already", .0.label())]
    OverAlready(Status),
    #[error("the debate here is {}, not complete", .0.label())]
    NotComplete(Status),
    #[error("a debate has at most {MAX_CYCLES} cycles")]
    ManyCycles,
    #[error("the direction is missing")]
    NoDirection,
    #[error("the synthesis is being written, and no reply follows it")]
    NoReplyFollows,
    #[error("the synthesis is being written, and no motion changes it")]
    NoMotionFollows,
    #[error("the synthesis is being written, and no phase follows it")]
    NoPhaseFollows { words: String },
    #[error("the synthesis is being written")]
    NoRoundFollows,
    #[error("this debate has no motion: it compares options or results")]
    NoMotion,
    #[error("every voice speaks once: --rounds has no effect here")]
    NoRounds,
}

impl Failure for SessionError {
    fn kind(&self) -> Kind {
        match self {
            Self::Unknown
            | Self::RunsElsewhere(_)
            | Self::AnotherHere { .. }
            | Self::ManyCycles
            | Self::NoRoundFollows => Kind::Failed,
            Self::NoDirection | Self::NoMotion | Self::NoRounds => Kind::Usage,
            _ => Kind::Nothing,
        }
    }

    fn hint(&self) -> Hint {
        let steer = |words| Verb::Steer.with(words);
        match self {
            Self::Unknown => "--replace puts it aside unchanged and starts this debate".into(),
            Self::RunsElsewhere(_) => {
                let wait = "it runs in another session: wait for its end, or use another folder";
                (hint![wait, " with --dir DIR"], wait).into()
            }
            Self::AnotherHere { is_run, .. } => {
                let ends = " ends it, --replace ends it and starts this one";
                resume_hint(*is_run, hint![" continues it, ", Verb::Cancel, ends])
            }
            Self::NotHere { .. } => {
                hint![Verb::Cancel, " ends the one here; then restore the other one"]
            }
            Self::Complete(_) => hint![
                Verb::Report.with("ID"),
                " shows it; ",
                Verb::Debate.with("QUESTION --follow-up ID"),
                " builds on it"
            ],
            Self::OverAlready(_) => "the next debate takes its place".into(),
            Self::NotComplete(_) => {
                hint![Verb::Resume, " continues it; ", Verb::Again, " reopens a finished one"]
            }
            Self::ManyCycles => {
                let builds = |verb: Verb| {
                    let new = verb.with("QUESTION --follow-up ID");
                    hint!["start one that builds on it: ", new]
                };
                (builds(Verb::Start), builds(Verb::Debate)).into()
            }
            Self::NoDirection => "write it after the command".into(),
            Self::NoReplyFollows => {
                hint!["when it is done, ", Verb::Again.with("TEXT"), " adds a cycle"]
            }
            Self::NoMotionFollows => {
                let correct = steer("--motion TEXT");
                let undoes = " undoes it and ";
                hint!["when it is done, ", Verb::Undo, undoes, correct, " corrects the motion"]
            }
            Self::NoPhaseFollows { words } => again_with(
                words,
                hint![
                    "to continue with this text when it is done (if Claude is not writing, ",
                    Verb::Resume,
                    " asks for it): "
                ],
            ),
            Self::NoRoundFollows => {
                hint!["wait for it; ", Verb::Again, " then argues for more rounds"]
            }
            Self::NoMotion => hint![steer("TEXT"), " directs the next reply"],
            Self::NoRounds => {
                let ends = steer("--synthesize");
                hint![Verb::Again, " adds a cycle, ", ends, " ends the argument"]
            }
        }
    }
}
