//! Parses a typed command, such as `/anvil:debate …`: its name and its arguments. Pure.
//!
//! `anvil_core::options` declares the options of a debate; the slash command and the shell share
//! them. The question is prose and stays verbatim: no shell words, no escapes. Only Anvil's own
//! `--options` before or after it are parsed.

mod errors;
mod help;
mod history;
mod issue;
mod seats;
mod split;
mod steer;
mod undo;

use clap::error::ErrorKind;
use clap::{Args, Command, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

use anvil_core::limits::{
    MAX_OUTPUT_CHARS, MAX_POSITION_CHARS, MAX_QUESTION_CHARS, MAX_STEERING_CHARS,
};
use anvil_core::options::{ClaimsOptions, DebateOptions};
use anvil_text::error::{Error, Result};
use errors::CommandError;
use split::{KnownOptions, Split, prose_words};

pub use errors::usage_error;
pub use help::help;
pub use history::HistoryOptions;
pub use issue::{ExchangeOptions, IssueOptions, PublishOptions, PullOptions, issue_number};
pub use seats::IsolatedOptions;
pub use steer::SteerOptions;
pub use undo::{Undo, UndoOptions};

/// Maximum length of a parsed line, in bytes: the longest question, position and report path, at
/// four bytes a character, and dozens of paths.
const MAX_LINE_BYTES: usize =
    4 * (MAX_QUESTION_CHARS + MAX_POSITION_CHARS + MAX_OUTPUT_CHARS) + 16_000;

/// The option of every verb that changes a debate.
#[derive(Args, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TakeOver {
    /// Take over from a running session
    #[arg(long)]
    pub take_over: bool,
}

/// The option of every verb that drives a debate.
#[derive(Args, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DropClaims {
    /// Free the tasks that are claimed in a shell
    #[arg(long)]
    pub drop_claims: bool,
}

/// A change to the debate that is here, typed in Claude Code or in a shell.
#[derive(Clone, Debug, PartialEq, Eq, Subcommand)]
pub enum Action {
    /// Direct the debate: a direction for its next phase, more or fewer rounds, or the synthesis
    Steer {
        /// The direction.
        #[command(flatten)]
        options: SteerOptions,
    },
    /// Reopen this project's finished debate for another cycle
    Again {
        /// What is new, or a narrower question
        #[arg(allow_hyphen_values = true, trailing_var_arg = true)]
        text: Vec<String>,
        /// The flag that includes another session's debate.
        #[command(flatten)]
        owner: TakeOver,
    },
    /// End the unfinished debate of this project
    Cancel {
        /// The flag that includes another session's debate.
        #[command(flatten)]
        owner: TakeOver,
    },
}

/// A command that the user typed in Claude Code.
#[derive(Clone, Debug, PartialEq, Eq, Subcommand)]
pub enum Typed {
    /// Stress-test an idea by a structured debate
    #[command(
        override_usage = "/anvil:debate QUESTION [OPTIONS]",
        mut_arg("agent", |agent| agent.hide_short_help(true)),
        mut_arg("critic", |agent| agent.hide_short_help(true))
    )]
    Debate {
        /// What is argued, verbatim
        #[arg(default_value = "", hide = true)]
        question: String,
        /// The options of the debate.
        #[command(flatten)]
        options: Box<DebateOptions>,
        /// The options for programs in the seats.
        #[command(flatten)]
        isolated: Box<IsolatedOptions>,
    },
    /// Show the progress of this project's debate
    Status,
    /// List the debates of this project with their verdicts, find a text in them, or note what
    /// became of one
    History {
        /// The options of `history`.
        #[command(flatten)]
        options: Box<HistoryOptions>,
    },
    /// Show the verdict of a debate, and where its page is
    Report {
        /// Debate number in the history, or id [default: this project's]
        #[arg(conflicts_with_all = ["publish", "pull"])]
        id: Option<String>,
        /// Make its page anew and open it in the browser
        #[arg(long, conflicts_with_all = ["publish", "pull"])]
        open: bool,
        /// The options for an issue.
        #[command(flatten)]
        exchange: Box<ExchangeOptions>,
    },
    /// List the claims of a debate, and what happened to each
    Claims {
        /// The options of `claims`.
        #[command(flatten)]
        options: ClaimsOptions,
    },
    /// Go on with the debate of this project
    Resume {
        /// An earlier debate, also a cancelled one, as `anvil history` names it
        id: Option<String>,
        /// The flag that includes another session's debate.
        #[command(flatten)]
        owner: TakeOver,
        /// The option that frees the tasks claimed in a shell.
        #[command(flatten)]
        claims: DropClaims,
        /// The options for programs in the seats.
        #[command(flatten)]
        isolated: Box<IsolatedOptions>,
    },
    /// Undo the last phases of the debate, or restore an earlier state
    Undo {
        /// The options of `undo`.
        #[command(flatten)]
        options: UndoOptions,
    },
    #[command(flatten)]
    #[expect(missing_docs, reason = "clap takes no comment on what it flattens")]
    Action(Action),
    /// The user asked a command for its options.
    #[command(skip)]
    Help {
        /// The command's name.
        command: String,
        /// List every option.
        all: bool,
    },
}

/// A typed line: the name of a command, and its words.
#[derive(Parser)]
#[command(name = "/anvil", no_binary_name = true, disable_help_subcommand = true)]
struct TypedLine {
    #[command(subcommand)]
    typed: Typed,
}

impl Typed {
    /// Parses the arguments of the command with this name, such as `debate`. `None`: there is no
    /// such command.
    pub fn parse(name: &str, arguments: &str) -> Option<Result<Self>> {
        let remaining = arguments.trim();
        let mut typed = TypedLine::command();
        let command = typed.find_subcommand_mut(name)?;
        // clap sets the number of values in `build`.
        command.build();
        let words = match name {
            "debate" => match debate_words(remaining, command) {
                Ok(words) => words,
                Err(error) => return Some(Err(error)),
            },
            "again" | "steer" => prose_words(remaining, &KnownOptions::of_command(command)),
            _ if remaining.len() > MAX_LINE_BYTES => {
                return Some(Err(CommandError::LineTooLong.into()));
            }
            "history" => history::words(remaining),
            // The name of an agent can be a command line in quotes.
            "resume" => seats::words(remaining),
            _ => remaining.split_whitespace().map(str::to_owned).collect(),
        };
        Some(Self::read(&mut typed, name, words).and_then(Self::with_question))
    }

    /// The help of a command, on lines of at most `width` columns.
    pub fn help(name: &str, all: bool, width: usize) -> String {
        let Some(command) = TypedLine::command().find_subcommand(name).cloned() else {
            return String::new();
        };
        let command = command.bin_name(format!("/anvil:{name}"));
        let others = format!("/anvil:{name} --help --all lists the others");
        help(command, all, &others, width).trim_end().to_owned()
    }

    /// Parses the words after a command's name.
    fn read(line: &mut Command, name: &str, words: Vec<String>) -> Result<Self> {
        let wants_all = words.iter().any(|word| word == "--all");
        let words = std::iter::once(name.to_owned()).chain(words);
        let read = line.try_get_matches_from_mut(words);
        let error = match read.and_then(|matches| TypedLine::from_arg_matches(&matches)) {
            Ok(line) => return Ok(line.typed),
            Err(error) if error.kind() == ErrorKind::DisplayHelp => {
                return Ok(Self::Help { command: name.to_owned(), all: wants_all });
            }
            Err(error) => error,
        };
        let has_options = line
            .find_subcommand(name)
            .is_some_and(|command| !KnownOptions::of_command(command).is_empty());
        let listing = if has_options {
            format!("/anvil:{name} --help lists the options")
        } else {
            "it takes no options".to_owned()
        };
        let hint = match name {
            "debate" => "to keep it as part of the question, write -- before the question",
            _ => "",
        };
        Err(usage_error(&error, listing, hint))
    }

    /// With a checked question.
    fn with_question(self) -> Result<Self> {
        Ok(match self {
            Self::Debate { question: text, options, isolated } => {
                let needs_none = text.trim().is_empty() && options.document().is_some();
                let question = if needs_none { String::new() } else { question(&text)? };
                Self::Debate { question, options, isolated }
            }
            other => other,
        })
    }
}

/// Trims a question and checks its length.
pub fn question(text: &str) -> Result<String> {
    let question = text.trim();
    if is_blank(question) {
        return Err(CommandError::NoQuestion.into());
    }
    if question.chars().count() > MAX_QUESTION_CHARS {
        return Err(too_long(question));
    }
    Ok(question.to_owned())
}

/// True for a text without a visible character.
pub fn is_blank(text: &str) -> bool {
    anvil_text::clean(text, usize::MAX).trim().is_empty()
}

/// Trims a direction. Fails if it is empty or too long.
pub fn steering(text: &str) -> Result<String> {
    match news(text)? {
        text if is_blank(&text) => Err(CommandError::NoDirection.into()),
        text => Ok(text),
    }
}

/// Trims the text that opens a debate for another cycle. Fails if it is too long.
pub fn news(text: &str) -> Result<String> {
    let text = text.trim();
    let length = text.chars().count();
    if length > MAX_STEERING_CHARS {
        return Err(CommandError::TextTooLong(length).into());
    }
    Ok(text.to_owned())
}

fn too_long(question: &str) -> Error {
    CommandError::QuestionTooLong(question.chars().count()).into()
}

/// Splits a line into the options of a debate and its question.
fn debate_words(remaining: &str, command: &Command) -> Result<Vec<String>> {
    if remaining.len() > MAX_LINE_BYTES {
        return Err(too_long(remaining));
    }
    let remaining = if matches!(remaining.trim(), "-h" | "help") { "--help" } else { remaining };
    let Split { question, options: mut words } =
        Split::parse(remaining, &KnownOptions::of_command(command))?;
    words.extend(["--".to_owned(), question]);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use anvil_core::journal::Review;
    use anvil_core::options::{Field, Layer as _, YesOrNo, is_yes};
    use proptest::prelude::*;

    fn typed(line: &str) -> Result<(String, DebateOptions)> {
        match Typed::parse("debate", line) {
            Some(Ok(Typed::Debate { question, options, .. })) => Ok((question, *options)),
            Some(Err(error)) => Err(error),
            other => panic!("{line}: {other:?}"),
        }
    }

    fn asked(line: &str) -> String {
        typed(line).unwrap_or_else(|error| panic!("{line}: {error}")).0
    }

    fn refused(line: &str) -> String {
        let error = typed(line).expect_err(line);
        format!("{error} ({})", error.hint().plain())
    }

    #[test]
    fn the_example_of_every_option_can_be_typed() {
        let DebateOptions { mut wishes, mut question, mut plan, mut leader, mut own, .. } =
            DebateOptions::default();
        let mut lines = Vec::new();
        let mut see = |name: &str, field: &mut dyn Field, default: &str| {
            lines.push(format!("Why? --{name}{}", field.example()));
            lines.extend((!default.is_empty()).then(|| format!("Why? --{name}={default}")));
        };
        wishes.each(&mut see);
        question.each(&mut see);
        plan.each(&mut see);
        leader.each(&mut see);
        own.each(&mut see);
        let command = DebateOptions::augment_args(Command::default());
        let count = command.get_arguments().filter(|one| one.get_long().is_some()).count();
        assert!(lines.len() > count, "{lines:?}");
        for line in lines {
            asked(&line);
        }
    }

    fn texts<T: Into<String>>(all: impl IntoIterator<Item = T>) -> Vec<String> {
        all.into_iter().map(Into::into).collect()
    }

    #[test]
    fn every_option_takes_its_value() {
        let options = |line: &str| {
            typed(&format!("Why? {line}")).unwrap_or_else(|error| panic!("{line}: {error}")).1
        };
        let stakeholders = options("--stakeholders \"engineering, sales, legal\"").wishes.who;
        assert_eq!(stakeholders.stakeholders.unwrap().0, ["engineering", "sales", "legal"]);
        let personas = options("--persona a --persona \"b c\"").wishes.who.persona;
        assert_eq!(texts(personas.iter().map(|who| &*who.0)), ["a", "b c"]);
        let material = options("--context src --context 'a b.md'").wishes.context;
        assert_eq!(texts(material.iter().map(|path| &*path.0)), ["src", "a b.md"]);
        assert_eq!(options("--diff").diff(), Some(""));
        assert_eq!(options("--diff main").diff(), Some("main"));
        let line = "--mode m --position p --focus f --framework w --follow-up x --output o --pr 7";
        let DebateOptions { wishes, leader, own, .. } = options(&format!(
            "{line} --blind --fact-check --research=no --interactive --review 30d --replace --rounds 2 --judges 3"
        ));
        let read = [
            wishes.who.mode.map(|mode| mode.value.0),
            wishes.position.map(|position| position.value.0),
            wishes.focus.map(|focus| focus.value.0),
            wishes.framework.map(|framework| framework.value.0),
            wishes.follow_up.map(|earlier| earlier.value.0),
            own.output.map(|path| path.value.0),
        ];
        assert_eq!(read, ["m", "p", "f", "w", "x", "o"].map(|text| Some(text.to_owned())));
        let read = (own.pr.unwrap().0, wishes.rounds.unwrap().0, leader.judges.unwrap().0);
        assert_eq!(read, (7, 2, 3));
        assert_eq!(wishes.review.unwrap().0, Review::In(30));
        for (flag, yes) in [
            (&wishes.blind, true),
            (&own.fact_check, true),
            (&wishes.research, false),
            (&leader.interactive, true),
            (&own.replace, true),
        ] {
            assert_eq!(flag.as_ref().map(|flag| flag.0), Some(yes));
        }
    }

    #[test]
    fn a_question_is_kept_character_for_character() {
        for question in [
            r#"Why doesn't $(x) `y` "z" win? # really; rm -rf /"#,
            "Should we rewrite -- or refactor?",
            "it's Bob's call, isn't it?",
            "Two lines:\n  the second is indented\n\nand a third",
            "Should we ban `git commit --no-verify` in hooks?",
            "\"A\" or \"B\"",
            "\"A\" or \"B\"?",
            "'yes' or 'no'",
            "Is -v better than -q?",
            "Ünïcödé 🤺 “quotes” inside?",
            "100% --- or nothing",
            "Is it true — or not – that we should?",
        ] {
            assert_eq!(asked(question), question);
            assert_eq!(asked(&format!("{question} --rounds 2")), question);
            assert_eq!(asked(&format!("--rounds 2 {question}")), question);
            assert_eq!(
                asked(&format!("-- {question} --rounds 2")),
                format!("{question} --rounds 2")
            );
        }
    }

    #[test]
    fn one_outer_pair_of_quotes_is_removed() {
        for (line, question) in [
            (r#""Should we?""#, "Should we?"),
            (r#""Should we?" --rounds 2"#, "Should we?"),
            (r#"--rounds 2 "Should we?" --position "wait""#, "Should we?"),
            ("'Why don't we?'", "Why don't we?"),
            ("“Should we?”", "Should we?"),
            (r#""Should we pass --rounds 9 on?" --rounds 2"#, "Should we pass --rounds 9 on?"),
            (r#""Is "this" the way?""#, r#"Is "this" the way?"#),
        ] {
            assert_eq!(asked(line), question, "{line}");
        }
    }

    #[test]
    fn options_may_come_first_or_last_with_quoted_values() {
        let (question, options) =
            typed(r#"--rounds=5 Should we? --position "wait a year" --output 'a b.md' --replace"#)
                .unwrap();
        assert_eq!(question, "Should we?");
        let DebateOptions { wishes, own, .. } = options;
        assert_eq!(wishes.rounds.unwrap().0, 5);
        assert_eq!(wishes.position.unwrap().0, "wait a year");
        assert_eq!(own.output.unwrap().0, "a b.md");
        assert!(is_yes(&own.replace));
        let rounds = |line: &str| typed(line).unwrap().1.wishes.rounds.map(|rounds| rounds.0);
        assert_eq!(rounds("Should we?"), None);
        assert_eq!(rounds("Should we?\n--rounds 1"), Some(1));
    }

    #[test]
    fn a_switch_also_accepts_yes_or_no() {
        for (line, blind) in [
            ("Should we? --blind yes", true),
            ("Should we? --blind no --rounds 2", false),
            ("--blind yes Should we?", true),
            ("--blind no \"should we?\"", false),
            ("--blind no --rounds 2 should we?", false),
            ("--blind=no no more of it?", false),
        ] {
            let (question, options) = typed(line).unwrap_or_else(|error| panic!("{line}: {error}"));
            assert_eq!(
                (options.wishes.blind.unwrap().value, question.contains("yes")),
                (YesOrNo(blind), false),
                "{line}"
            );
        }
        assert_eq!(asked("--blind Yes or no?"), "Yes or no?");
    }

    #[test]
    fn a_wrong_line_gives_one_error_line_with_a_hint() {
        for (line, expected) in [
            ("Q --round 3", "unknown option --round (did you mean --rounds? To keep it"),
            ("--roundz 3 Q", "unknown option --roundz (did you mean --rounds?"),
            (
                "Should we always pass --strict",
                "unknown option --strict (/anvil:debate --help lists the options; to keep it",
            ),
            ("Q --rounds 0", "--rounds takes a whole number from 1 to 10, not \"0\""),
            ("Q --rounds 11", "--rounds takes a whole number from 1 to 10, not \"11\""),
            ("Q --rounds many", "--rounds takes a whole number from 1 to 10, not \"many\""),
            ("Q --rounds", "--rounds <N> needs a value"),
            ("Q --take-over=yes", "--take-over takes no value (write --take-over alone)"),
            ("Q --blind=maybe", "--blind takes yes or no, not \"maybe\" (for example --blind=yes)"),
            ("Q --rounds 1 --rounds 2", "--rounds was given more than once"),
            ("Should --rounds 5 be the default?", "--rounds is inside the question"),
            (
                "Should we? —rounds 5",
                "—rounds begins with a long dash (write --rounds, with two hyphens; to keep it",
            ),
            (
                "Should we? –blind",
                "–blind begins with a long dash (write --blind, with two hyphens",
            ),
            ("Should we? ——rounds 1", "——rounds begins with a long dash (write --rounds, with"),
            ("Should we? −−rounds 1", "−−rounds begins with a long dash (write --rounds, with"),
            ("Should we? ‐‐rounds=1", "‐‐rounds=1 begins with a long dash (write --rounds, with"),
            ("Should we? —— rounds 1", "—— begins with a long dash (write --rounds, with"),
            (
                "--blind no code at all?",
                "--blind no: is \"no\" its value, or does the question begin with it? (write --blind=no",
            ),
            ("Q --positon we should wait", "--position is inside the question"),
            ("Q --position \"\"", "--position takes 1 to 1000 characters"),
            ("", "the question is missing"),
            ("--rounds 3", "the question is missing"),
            ("\"\"", "the question is missing"),
            (
                &"x".repeat(8_001),
                "the question has 8001 characters, more than 8000 (put the material into a file, \
                 and name it: --context FILE",
            ),
        ] {
            let refused = refused(line);
            assert!(refused.contains(expected), "{line:.60}: {refused}");
            assert!(!refused.contains('\n'), "{refused}");
        }
        assert_eq!(asked(&"é".repeat(8_000)).chars().count(), 8_000);
        let Some(Err(error)) = Typed::parse("resume", "--replace\"**\n--position \"x") else {
            panic!("an unknown option")
        };
        assert_eq!(error.to_string(), "unknown option --replace** --position x");
    }

    #[test]
    fn other_commands_take_their_own_options_and_nothing_else() {
        assert!(matches!(Typed::parse("status", ""), Some(Ok(Typed::Status))));
        assert!(matches!(
            Typed::parse("cancel", " \n"),
            Some(Ok(Typed::Action(Action::Cancel { .. })))
        ));
        assert!(matches!(
            Typed::parse("resume", "--take-over"),
            Some(Ok(Typed::Resume { owner: TakeOver { take_over: true }, .. }))
        ));
        let error = Typed::parse("resume", "--takeover").unwrap().unwrap_err();
        assert!(error.hint().plain().contains("--take-over"), "{error:?}");
        assert!(Typed::parse("status", "now").unwrap().is_err());
        for (name, arguments) in
            [("debate", "--help"), ("debate", "-h"), ("debate", "help"), ("cancel", "--help")]
        {
            let Some(Ok(Typed::Help { command, all })) = Typed::parse(name, arguments) else {
                panic!("{name} {arguments}")
            };
            let help = Typed::help(&command, all, 70);
            assert!(help.contains(&format!("/anvil:{name}")), "{help}");
        }
        for not_ours in ["", "nothing", "anvil:status", "Status"] {
            assert!(Typed::parse(not_ours, "").is_none(), "{not_ours}");
        }
    }

    #[test]
    fn a_hostile_line_is_parsed_quickly() {
        let most = MAX_LINE_BYTES / 3;
        for piece in ["--x ", "--x \"", "a 'b' ", "--rounds ", "'", "— "] {
            for before in ["a ", "'", "\""] {
                let line = format!("{before}{} y z", piece.repeat(most / piece.len()));
                let started = std::time::Instant::now();
                let _ = typed(&line);
                // The limit is in seconds; a quadratic walk takes minutes.
                assert!(started.elapsed().as_secs() < 10, "{before}{piece}");
            }
        }
        assert!(refused(&"--x ".repeat(1_000_000)).contains("more than 8000"));
    }

    proptest! {
        #[test]
        fn prose_without_options_or_quotes_at_its_ends_is_verbatim(words in prop::collection::vec("[a-zA-Z0-9$`;#(){}'\"<>|&*?!.,-]{1,9}", 1..9)) {
            let prose = words.join(" ");
            prop_assume!(!words.iter().any(|word| word.starts_with("--")) && !prose.starts_with(['"', '\'']));
            prop_assert_eq!(asked(&prose), prose);
        }
    }
}
