//! The options of a debate, as clap parses them. Their other facts are in
//! [`DebateOption`](crate::domain::debate::DebateOption); a test compares the two.

use clap::Args;
use clap::builder::ValueParser;

use crate::domain::debate::{
    Boundary, MAX_FOCUS_CHARS, MAX_JUDGES, MAX_MOTION_CHARS, MAX_NAME_CHARS, MAX_OPTIONS,
    MAX_OUTPUT_CHARS, MAX_POSITION_CHARS, MAX_ROUNDS, MAX_VOICES, MIN_JUDGES, MIN_ROUNDS, bare,
    motion::one_line,
};
use crate::domain::journal::Review;
use crate::domain::ledger::{Id, without_stop};
use crate::text::clean;

/// Maximum length of a name, text or path without a limit of its own, in characters.
const MAX_VALUE_CHARS: usize = 1_000;

/// The options of a debate. What is absent was not said: defaults come from the user's files, then from Anvil.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub struct DebateOptions {
    /// Rounds before the verdict, 1 to 10 [default: 2]
    #[arg(long, value_name = "N", value_parser = ValueParser::new(rounds))]
    pub rounds: Option<u8>,
    /// How it is argued: philosopher, …, or your own
    #[arg(long, value_name = "NAME", value_parser = ValueParser::new(value))]
    pub mode: Option<String>,
    /// Where you stand now; both sides test it
    #[arg(long, value_name = "TEXT", value_parser = ValueParser::new(position))]
    pub position: Option<String>,
    /// What FOR and "do" mean [default: from the question]
    #[arg(long, value_name = "TEXT", value_parser = ValueParser::new(motion))]
    pub motion: Option<String>,
    /// Who speaks in turn: "engineering, sales, legal"
    #[arg(long, value_name = "LIST", value_parser = ValueParser::new(stakeholders))]
    pub stakeholders: Option<Names>,
    /// Who argues: sre-on-call, startup-cfo, or your own
    #[arg(long = "persona", value_name = "WHO", value_parser = ValueParser::new(value))]
    pub personas: Vec<String>,
    /// What to choose from: "Redis, nothing new"
    #[arg(long, value_name = "LIST", value_parser = ValueParser::new(options))]
    pub options: Option<Names>,
    /// The critic opens before there is a case to be seen
    #[arg(long, value_name = "yes|no", num_args = 0..=1, require_equals = true, default_missing_value = "yes", value_parser = ValueParser::new(flag))]
    pub blind: Option<bool>,
    /// After each round a program checks the claims marked [evidence]: in the project's files, or with --research on the web
    #[allow(
        rustdoc::broken_intra_doc_links,
        reason = "it is no link, and the help shows the line as it is"
    )]
    #[arg(long, value_name = "yes|no", num_args = 0..=1, require_equals = true, default_missing_value = "yes", value_parser = ValueParser::new(flag))]
    pub fact_check: Option<bool>,
    /// What to look at: security, performance, developer-experience, operational-cost, maintainability, or your words
    #[arg(long, value_name = "TEXT", value_parser = ValueParser::new(focus))]
    pub focus: Option<String>,
    /// What shapes the synthesis: adr, pre-mortem, red-team, rfc, risks, decision-matrix, one-pager, or your own
    #[arg(long, value_name = "NAME", value_parser = ValueParser::new(value))]
    pub framework: Option<String>,
    /// Independent judgments that the synthesis is made of, 2 to 5; for seats with contexts of their own
    #[arg(long, value_name = "N", value_parser = ValueParser::new(judges))]
    pub judges: Option<u8>,
    /// Both sides look for sources
    #[arg(long, value_name = "yes|no", num_args = 0..=1, require_equals = true, default_missing_value = "yes", value_parser = ValueParser::new(flag))]
    pub research: Option<bool>,
    /// A file or folder that both sides read; repeatable
    #[arg(long, value_name = "PATH", value_parser = ValueParser::new(value))]
    pub context: Vec<String>,
    /// Material: what is not committed yet, or the difference to a revision
    #[arg(long, value_name = "REV", num_args = 0..=1, default_missing_value = "", value_parser = ValueParser::new(revision))]
    pub diff: Option<String>,
    /// Material: a pull request, through gh
    #[arg(long, value_name = "N", value_parser = ValueParser::new(pull_request))]
    pub pr: Option<u32>,
    /// A plan to argue about; in Claude Code the newest
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "", value_parser = ValueParser::new(plan))]
    pub plan: Option<String>,
    /// The plan of the session, if the option names no file. Only the hook sets it.
    #[arg(skip)]
    pub session_plan: Option<SessionPlan>,
    /// Build on an earlier result: a file, or a debate's id
    #[arg(long, value_name = "RESULT", value_parser = ValueParser::new(value))]
    pub follow_up: Option<String>,
    /// Stop after each round: what you type next steers the debate
    #[arg(long, value_name = "yes|no", num_args = 0..=1, require_equals = true, default_missing_value = "yes", value_parser = ValueParser::new(flag))]
    pub interactive: Option<bool>,
    /// End the argument when a round brings nothing new and leaves nothing open [default: yes]
    #[arg(long, value_name = "yes|no", value_parser = ValueParser::new(flag))]
    pub early_end: Option<bool>,
    /// Let a seat ask you what nobody else can know, at most twice [default: yes]
    #[arg(long, value_name = "yes|no", value_parser = ValueParser::new(flag))]
    pub questions: Option<bool>,
    /// Stop for a fresh conversation: after each round, or before the synthesis
    #[arg(long, value_name = "round|synthesis", value_parser = ValueParser::new(boundary))]
    pub boundary: Option<Boundary>,
    /// When to look again at what became of it: a day such as 2027-01-15, or 30d
    #[arg(long, value_name = "WHEN", value_parser = ValueParser::new(review))]
    pub review: Option<Review>,
    /// Where the report goes [default: .claude/anvil.local/reports/]
    #[arg(long, value_name = "PATH", value_parser = ValueParser::new(output))]
    pub output: Option<String>,
    /// End an unfinished debate and start anew
    #[arg(long, value_name = "yes|no", num_args = 0..=1, require_equals = true, default_missing_value = "yes", value_parser = ValueParser::new(flag))]
    pub replace: Option<bool>,
    /// Also when another running session owns the debate; with --replace
    #[arg(long)]
    pub take_over: bool,
    // The document that a run revises.
    #[arg(skip)]
    pub revise: Option<String>,
}

/// A list of 2 to [`MAX_VOICES`] names, written with commas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names(pub Vec<String>);

/// The newest plan of a session of Claude Code, unchecked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionPlan {
    pub name: String,
    pub bytes: Vec<u8>,
}

impl DebateOptions {
    /// True if the options alone make a question.
    pub fn ask(&self) -> bool {
        self.plan.is_some() || self.revise.is_some()
    }

    /// Takes the values of `below` for absent options. Mode, stakeholders and personas are one
    /// choice; so are context, diff and pull request.
    pub fn over(self, mut below: Self) -> Self {
        let says_who = self.mode.is_some()
            || self.stakeholders.is_some()
            || !self.personas.is_empty()
            || self.options.is_some()
            || self.revise.is_some();
        if says_who {
            (below.mode, below.stakeholders) = (None, None);
            below.personas.clear();
        }
        // Blind openings need an advocate and a critic: with other seats the default does not
        // apply.
        if self.stakeholders.is_some()
            || self.mode.as_deref() == Some("stakeholders")
            || self.personas.len() > 2
            || self.options.as_ref().is_some_and(|options| options.0.len() > 2)
        {
            below.blind = None;
        }
        let says_what = !self.context.is_empty() || self.diff.is_some() || self.pr.is_some();
        if says_what {
            (below.diff, below.pr) = (None, None);
            below.context.clear();
        }
        let list = |own: Vec<String>, below: Vec<String>| if own.is_empty() { below } else { own };
        Self {
            rounds: self.rounds.or(below.rounds),
            mode: self.mode.or(below.mode),
            position: self.position.or(below.position),
            motion: self.motion.or(below.motion),
            stakeholders: self.stakeholders.or(below.stakeholders),
            personas: list(self.personas, below.personas),
            options: self.options.or(below.options),
            blind: self.blind.or(below.blind),
            fact_check: self.fact_check.or(below.fact_check),
            focus: self.focus.or(below.focus),
            framework: self.framework.or(below.framework),
            judges: self.judges.or(below.judges),
            research: self.research.or(below.research),
            context: list(self.context, below.context),
            diff: self.diff.or(below.diff),
            pr: self.pr.or(below.pr),
            plan: self.plan.or(below.plan),
            session_plan: self.session_plan.or(below.session_plan),
            follow_up: self.follow_up.or(below.follow_up),
            interactive: self.interactive.or(below.interactive),
            early_end: self.early_end.or(below.early_end),
            questions: self.questions.or(below.questions),
            boundary: self.boundary.or(below.boundary),
            review: self.review.or(below.review),
            output: self.output.or(below.output),
            replace: self.replace.or(below.replace),
            // Only the typed line counts: a default must not take a debate from another session.
            take_over: self.take_over,
            revise: self.revise,
        }
    }
}

type Value<T> = std::result::Result<T, String>;

pub fn rounds(value: &str) -> Value<u8> {
    let wanted = || format!("takes a whole number from {MIN_ROUNDS} to {MAX_ROUNDS}");
    let number: u8 = value.parse().map_err(|_| wanted())?;
    if (MIN_ROUNDS..=MAX_ROUNDS).contains(&number) { Ok(number) } else { Err(wanted()) }
}

/// Also takes 1, which cancels a default.
fn judges(value: &str) -> Value<u8> {
    let number = value.parse().ok().filter(|number| (1..=MAX_JUDGES).contains(number));
    number.ok_or_else(|| format!("takes a whole number from {MIN_JUDGES} to {MAX_JUDGES}"))
}

pub(super) fn text(value: &str, most: usize) -> Value<String> {
    match value.trim().chars().count() {
        count if (1..=most).contains(&count) => Ok(value.trim().to_owned()),
        _ => Err(format!("takes 1 to {most} characters")),
    }
}

/// A name, a path or a description.
fn value(value: &str) -> Value<String> {
    if value.contains('\0') { Err("takes no NUL".to_owned()) } else { text(value, MAX_VALUE_CHARS) }
}

/// A file, or nothing: the plan of the session.
fn plan(text: &str) -> Value<String> {
    if text.is_empty() { Ok(String::new()) } else { value(text) }
}

fn position(value: &str) -> Value<String> {
    text(value, MAX_POSITION_CHARS)
}

/// One line; a final full stop goes.
pub(super) fn motion(value: &str) -> Value<String> {
    let wanted = || format!("takes one line of 1 to {MAX_MOTION_CHARS} characters");
    one_line(value).filter(|_| !value.trim().contains('\n')).ok_or_else(wanted)
}

fn focus(value: &str) -> Value<String> {
    text(value, MAX_FOCUS_CHARS)
}

fn revision(value: &str) -> Value<String> {
    if value.starts_with('-')
        || value.chars().any(char::is_control)
        || value.chars().count() > MAX_VALUE_CHARS
    {
        return Err("takes a revision that git knows".to_owned());
    }
    Ok(value.to_owned())
}

fn stakeholders(value: &str) -> Value<Names> {
    let names: Vec<String> = value
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect();
    // The count is checked first, because the next check compares each name with all others.
    if !(2..=MAX_VOICES).contains(&names.len()) {
        return Err(format!("takes 2 to {MAX_VOICES} names with commas between them"));
    }
    let is_twice = |(at, name): (usize, &String)| names[..at].contains(name);
    if names.iter().enumerate().any(is_twice) {
        return Err("takes every name once".to_owned());
    }
    Ok(Names(names))
}

/// Two to six options. A verdict and a ranking name them, so no name is a word of a verdict or the
/// number of a claim.
fn options(value: &str) -> Value<Names> {
    let names: Vec<String> = value.split(',').map(|name| clean(name, usize::MAX)).collect();
    let names: Vec<String> = names.into_iter().filter(|name| !name.is_empty()).collect();
    if !(2..=MAX_OPTIONS).contains(&names.len()) {
        return Err(format!("takes 2 to {MAX_OPTIONS} options with commas between them"));
    }
    for (at, name) in names.iter().enumerate() {
        let own = named_as(name);
        if name.chars().count() > MAX_NAME_CHARS {
            return Err(format!("takes options of at most {MAX_NAME_CHARS} characters"));
        }
        if !own.contains(char::is_alphanumeric) || own.contains('>') {
            return Err("takes options with a letter or a digit, and without \">\"".to_owned());
        }
        if ["do", "do not", "don't", "depends", "none"].contains(&own.as_str())
            || own.parse::<Id>().is_ok()
        {
            return Err(format!("takes no option that is called {name}"));
        }
        if names[..at].iter().any(|other| named_as(other) == own) {
            return Err("takes every option once".to_owned());
        }
    }
    Ok(Names(names))
}

/// A name as a verdict can say it: one final full stop is ignored there.
fn named_as(name: &str) -> String {
    bare(without_stop(name))
}

fn pull_request(value: &str) -> Value<u32> {
    let number = value.trim_start_matches('#').parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| "takes the number of a pull request".to_owned())
}

pub(super) fn flag(value: &str) -> Value<bool> {
    match value {
        "yes" | "true" => Ok(true),
        "no" | "false" => Ok(false),
        _ => Err("takes yes or no".to_owned()),
    }
}

fn boundary(value: &str) -> Value<Boundary> {
    Boundary::from_word(value).ok_or_else(|| "takes round or synthesis".to_owned())
}

pub(super) fn review(value: &str) -> Value<Review> {
    Review::parse(value)
        .ok_or_else(|| "takes a day such as 2027-01-15, or a number of days such as 30d".to_owned())
}

fn output(value: &str) -> Value<String> {
    if value.trim().is_empty() || value.contains('\0') || value.chars().count() > MAX_OUTPUT_CHARS {
        return Err(format!("takes a path of at most {MAX_OUTPUT_CHARS} characters"));
    }
    Ok(value.to_owned())
}

/// Maximum length of the options in one line, in bytes: the longest position and report path, at
/// four bytes a character, and dozens of paths.
pub(super) const MAX_WORDS_BYTES: usize = 4 * (MAX_POSITION_CHARS + MAX_OUTPUT_CHARS) + 16_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_two_to_six_names_that_a_verdict_can_hold() {
        for (typed, names) in [
            ("Redis, PostgreSQL", vec!["Redis", "PostgreSQL"]),
            (" a ,, b,c , ", vec!["a", "b", "c"]),
            ("one\n two,three\u{7}", vec!["one two", "three"]),
            ("1, 2, 3, 4, 5, 6", vec!["1", "2", "3", "4", "5", "6"]),
            ("nothing new, do it", vec!["nothing new", "do it"]),
        ] {
            assert_eq!(
                options(typed).map(|names| names.0),
                Ok(names.iter().map(|name| (*name).to_owned()).collect())
            );
        }
        let long = format!("a, {}", "x".repeat(MAX_NAME_CHARS + 1));
        for (typed, why) in [
            ("Redis", "2 to 6"),
            ("", "2 to 6"),
            ("1, 2, 3, 4, 5, 6, 7", "2 to 6"),
            ("Redis, redis", "once"),
            ("Redis, Redis.", "once"),
            ("Cafe\u{301} au lait, CAFÉ  au lait", "once"),
            ("Redis, do", "called do"),
            ("Redis, Do Not.", "called"),
            ("Redis, DEPENDS", "called"),
            ("Redis, depends\u{3002}", "called"),
            ("Redis, none", "called"),
            ("Redis, A1.", "called"),
            ("Redis, S2.1", "called"),
            ("Redis, **", "letter"),
            ("Redis, a > b", "letter"),
            (&long, "60 characters"),
        ] {
            let error = options(typed).unwrap_err();
            assert!(error.contains(why), "{typed}: {error}");
        }
    }
}
