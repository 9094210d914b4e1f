//! The options of a debate and of its seats, as clap parses them. [`DebateOptions`] and
//! [`SeatOptions`] define their values.

use clap::builder::ValueParser;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};

use anvil_core::limits::{MAX_OUTPUT_CHARS, MAX_POSITION_CHARS};
use anvil_core::options::{DebateOption, DebateOptions, SeatOptions, voice};

/// Maximum length of the options in one line, in bytes: the longest position and report path, at
/// four bytes a character, and dozens of paths.
pub(super) const MAX_WORDS_BYTES: usize = 4 * (MAX_POSITION_CHARS + MAX_OUTPUT_CHARS) + 16_000;

/// The values that are typed with an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Arity {
    One,
    /// One; the option may be repeated.
    Many,
    /// At most one; without it the value is empty.
    Optional,
    /// At most one, after `=`; without it the value is empty.
    OptionalAfterEquals,
    /// At most one, after `=`; without it the value is yes.
    YesAlone,
    /// None.
    Switch,
}

/// An option: the name of its value, and its help.
type OptionHelp = (DebateOption, &'static str, Arity, &'static str);

#[rustfmt::skip]
const ROWS: [OptionHelp; 27] = {
    use Arity::{Many, One, Optional, OptionalAfterEquals, Switch, YesAlone};
    use DebateOption as O;
    [
        (O::Rounds, "N", One,
            "Rounds before the verdict, 1 to 10 [default: 2]"),
        (O::Mode, "NAME", One,
            "Style of argument: philosopher, …, or your own"),
        (O::Position, "TEXT", One,
            "Your position now; both sides test it"),
        (O::Motion, "TEXT", One,
            "The action that FOR and \"do\" mean [default: from the question]"),
        (O::Stakeholders, "LIST", One,
            "Who speaks in turn: \"engineering, sales, legal\""),
        (O::Persona, "WHO", Many,
            "Who argues: sre-on-call, startup-cfo, or your own"),
        (O::Options, "LIST", One,
            "Options to choose from: \"Redis, nothing new\""),
        (O::Blind, "yes|no", YesAlone,
            "The critic opens without seeing the case"),
        (O::FactCheck, "yes|no", YesAlone,
            "After each round a program checks the claims marked [evidence]: in the \
             project's files, or with --research on the web"),
        (O::Focus, "TEXT", One,
            "Focus: security, performance, developer-experience, operational-cost, \
             maintainability, or your words"),
        (O::Framework, "NAME", One,
            "Form of the synthesis: adr, pre-mortem, red-team, rfc, risks, \
             decision-matrix, one-pager, or your own"),
        (O::Judges, "N", One,
            "Number of independent judges, 2 to 5; needs programs in the seats"),
        (O::Research, "yes|no", YesAlone,
            "Both sides look for sources"),
        (O::Context, "PATH", Many,
            "A file or folder that both sides read; repeatable"),
        (O::Diff, "REV", Optional,
            "Material: uncommitted changes, or the changes since a revision"),
        (O::Pr, "N", One,
            "Material: a pull request, through gh"),
        (O::Plan, "FILE", OptionalAfterEquals,
            "A plan to argue about; in Claude Code without FILE the newest"),
        (O::FollowUp, "RESULT", One,
            "Build on an earlier result: a file, or a debate's id"),
        (O::Interactive, "yes|no", YesAlone,
            "Stop after each round: what you type next steers the debate"),
        (O::EarlyEnd, "yes|no", One,
            "End the argument when a round brings nothing new and leaves nothing open \
             [default: yes]"),
        (O::Questions, "yes|no", One,
            "Let a seat ask you what only you can know, at most twice [default: yes]"),
        (O::Quick, "yes|no", YesAlone,
            "One round, and replies of at most 150 words"),
        (O::Boundary, "round|synthesis", One,
            "Stop for a fresh conversation: after each round, or before the synthesis"),
        (O::Review, "WHEN", One,
            "When to review the decision: a day such as 2027-01-15, or 30d"),
        (O::Output, "PATH", One,
            "Path of the report [default: .claude/anvil.local/reports/]"),
        (O::Replace, "yes|no", YesAlone,
            "End an unfinished debate and start a new one"),
        (O::TakeOver, "", Switch,
            "Take over from a running session; with --replace"),
    ]
};

impl Arity {
    fn apply(self, argument: Arg) -> Arg {
        match self {
            Self::One => argument.action(ArgAction::Set),
            Self::Many => argument.action(ArgAction::Append),
            Self::Optional => argument.num_args(0..=1).default_missing_value(""),
            Self::OptionalAfterEquals => {
                argument.num_args(0..=1).require_equals(true).default_missing_value("")
            }
            Self::YesAlone => {
                argument.num_args(0..=1).require_equals(true).default_missing_value("yes")
            }
            Self::Switch => argument.action(ArgAction::SetTrue),
        }
    }
}

/// The options of a debate on a typed line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DebateArguments(pub DebateOptions);

impl Args for DebateArguments {
    fn augment_args(command: Command) -> Command {
        command.args(ROWS.iter().map(|&(option, value, arity, help)| {
            let argument = arity.apply(Arg::new(option.name()).long(option.name()).help(help));
            if arity == Arity::Switch {
                return argument;
            }
            argument.value_name(value).value_parser(ValueParser::new(move |text: &str| {
                DebateOptions::default().set(option, text).map(|()| text.to_owned())
            }))
        }))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for DebateArguments {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut found = Self::default();
        found.update_from_arg_matches(matches)?;
        Ok(found)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        for (option, _, arity, _) in ROWS {
            let name = option.name();
            let values = if arity == Arity::Switch {
                vec!["yes"; usize::from(matches.get_flag(name))]
            } else {
                matches.get_many::<String>(name).into_iter().flatten().map(String::as_str).collect()
            };
            for value in values {
                self.0.set(option, value).map_err(refused)?;
            }
        }
        Ok(())
    }
}

fn refused(why: String) -> clap::Error {
    clap::Error::raw(clap::error::ErrorKind::ValueValidation, why)
}

/// The options that name an AGENT for a seat, on a typed line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeatArguments(pub SeatOptions);

/// An option for a seat, and its help.
#[rustfmt::skip]
const SEATS: [(&str, &str); 7] = [
    ("agent", "The agent of every seat: see `anvil agents` [default: claude]"),
    ("advocate", "The agent that argues for"),
    ("critic", "The agent that argues against"),
    ("synthesizer", "The agent that writes the synthesis"),
    ("judge", "An agent that judges; give it two to five times"),
    ("voice",
        "The agent of one voice: \"sales=codex\"; repeatable"),
    ("fact-checker", "The agent that checks facts, with --fact-check [default: that of the \
                      synthesis]"),
];

impl Args for SeatArguments {
    fn augment_args(command: Command) -> Command {
        command.args(SEATS.map(|(name, help)| {
            let argument = Arg::new(name).long(name).help(help).value_name("AGENT");
            match name {
                "judge" => argument.action(ArgAction::Append),
                "voice" => {
                    let argument = argument.action(ArgAction::Append).value_name("NAME=AGENT");
                    argument.value_parser(ValueParser::new(|text: &str| {
                        voice(text).map(|_| text.to_owned())
                    }))
                }
                _ => argument,
            }
        }))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for SeatArguments {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut found = Self::default();
        found.update_from_arg_matches(matches)?;
        Ok(found)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        for (name, _) in SEATS {
            for value in matches.get_many::<String>(name).into_iter().flatten() {
                match name {
                    "judge" => self.0.judge.push(value.clone()),
                    "voice" => self.0.voice.push(voice(value).map_err(refused)?),
                    _ => self.0.set(name, value.clone()),
                }
            }
        }
        Ok(())
    }
}
