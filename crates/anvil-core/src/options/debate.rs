//! The options of a debate, as they are asked for. Each field is the
//! [`DebateOption`](crate::debate::DebateOption) of that name.

use crate::debate::{
    Boundary, DebateOption, MAX_FOCUS_CHARS, MAX_JUDGES, MAX_MOTION_CHARS, MAX_NAME_CHARS,
    MAX_OPTIONS, MAX_OUTPUT_CHARS, MAX_POSITION_CHARS, MAX_ROUNDS, MAX_VOICES, MIN_JUDGES,
    MIN_ROUNDS, bare, motion::one_line,
};
use crate::journal::Review;
use crate::ledger::{Id, without_stop};
use anvil_text::clean;
use anvil_text::error::{Error, Result};

/// Maximum length of a name, text or path without a limit of its own, in characters.
const MAX_VALUE_CHARS: usize = 1_000;

/// The options of a debate. What is absent was not said: defaults come from the user's files, then
/// from Anvil.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DebateOptions {
    pub rounds: Option<u8>,
    pub mode: Option<String>,
    pub position: Option<String>,
    pub motion: Option<String>,
    pub stakeholders: Option<Names>,
    pub personas: Vec<String>,
    pub options: Option<Names>,
    pub blind: Option<bool>,
    pub fact_check: Option<bool>,
    pub focus: Option<String>,
    pub framework: Option<String>,
    pub judges: Option<u8>,
    pub research: Option<bool>,
    pub context: Vec<String>,
    pub diff: Option<String>,
    pub pr: Option<u32>,
    pub plan: Option<String>,
    /// The plan of the session, if the option names no file. Only the hook sets it.
    pub session_plan: Option<SessionPlan>,
    pub follow_up: Option<String>,
    pub interactive: Option<bool>,
    pub early_end: Option<bool>,
    pub questions: Option<bool>,
    pub boundary: Option<Boundary>,
    pub review: Option<Review>,
    pub output: Option<String>,
    pub replace: Option<bool>,
    pub take_over: bool,
    /// The document that a run revises.
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
    /// Takes a value as it is typed. An error says what the option takes; nothing is changed then.
    pub fn set(&mut self, option: DebateOption, value: &str) -> Value<()> {
        match option {
            DebateOption::Rounds => self.rounds = Some(rounds(value)?),
            DebateOption::Mode => self.mode = Some(name(value)?),
            DebateOption::Position => self.position = Some(text(value, MAX_POSITION_CHARS)?),
            DebateOption::Motion => self.motion = Some(motion(value)?),
            DebateOption::Stakeholders => self.stakeholders = Some(stakeholders(value)?),
            DebateOption::Persona => self.personas.push(name(value)?),
            DebateOption::Options => self.options = Some(options(value)?),
            DebateOption::Blind => self.blind = Some(flag(value)?),
            DebateOption::FactCheck => self.fact_check = Some(flag(value)?),
            DebateOption::Focus => self.focus = Some(text(value, MAX_FOCUS_CHARS)?),
            DebateOption::Framework => self.framework = Some(name(value)?),
            DebateOption::Judges => self.judges = Some(judges(value)?),
            DebateOption::Research => self.research = Some(flag(value)?),
            DebateOption::Context => self.context.push(name(value)?),
            DebateOption::Diff => self.diff = Some(revision(value)?),
            DebateOption::Pr => self.pr = Some(pull_request(value)?),
            DebateOption::Plan => self.plan = Some(plan(value)?),
            DebateOption::FollowUp => self.follow_up = Some(name(value)?),
            DebateOption::Interactive => self.interactive = Some(flag(value)?),
            DebateOption::EarlyEnd => self.early_end = Some(flag(value)?),
            DebateOption::Questions => self.questions = Some(flag(value)?),
            DebateOption::Boundary => self.boundary = Some(boundary(value)?),
            DebateOption::Review => self.review = Some(review(value)?),
            DebateOption::Output => self.output = Some(output(value)?),
            DebateOption::Replace => self.replace = Some(flag(value)?),
            DebateOption::TakeOver => self.take_over = flag(value)?,
        }
        Ok(())
    }

    /// The options of a defaults file, one value each. Only a list takes several values.
    pub fn of_defaults(values: &[(DebateOption, String)]) -> Result<Self> {
        let mut options = Self::default();
        let mut seen = Vec::new();
        for (option, value) in values {
            if !option.is_repeatable() && seen.contains(option) {
                let twice = format!("{} was given more than once", option.flag());
                return Err(Error::usage(twice, "write it once"));
            }
            seen.push(*option);
            let refused =
                |why: String| refused_value(&option.flag(), &why, value, &option.example());
            options.set(*option, value).map_err(refused)?;
        }
        Ok(options)
    }

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

/// An error says what the option takes.
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

pub fn text(value: &str, most: usize) -> Value<String> {
    match value.trim().chars().count() {
        count if (1..=most).contains(&count) => Ok(value.trim().to_owned()),
        _ => Err(format!("takes 1 to {most} characters")),
    }
}

/// A name, a path or a description.
fn name(value: &str) -> Value<String> {
    if value.contains('\0') { Err("takes no NUL".to_owned()) } else { text(value, MAX_VALUE_CHARS) }
}

/// A file, or nothing: the plan of the session.
fn plan(value: &str) -> Value<String> {
    if value.is_empty() { Ok(String::new()) } else { name(value) }
}

/// One line; a final full stop goes.
pub fn motion(value: &str) -> Value<String> {
    let wanted = || format!("takes one line of 1 to {MAX_MOTION_CHARS} characters");
    one_line(value).filter(|_| !value.trim().contains('\n')).ok_or_else(wanted)
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

pub fn flag(value: &str) -> Value<bool> {
    match value {
        "yes" | "true" => Ok(true),
        "no" | "false" => Ok(false),
        _ => Err("takes yes or no".to_owned()),
    }
}

fn boundary(value: &str) -> Value<Boundary> {
    Boundary::from_word(value).ok_or_else(|| "takes round or synthesis".to_owned())
}

pub fn review(value: &str) -> Value<Review> {
    Review::parse(value)
        .ok_or_else(|| "takes a day such as 2027-01-15, or a number of days such as 30d".to_owned())
}

fn output(value: &str) -> Value<String> {
    if value.trim().is_empty() || value.contains('\0') || value.chars().count() > MAX_OUTPUT_CHARS {
        return Err(format!("takes a path of at most {MAX_OUTPUT_CHARS} characters"));
    }
    Ok(value.to_owned())
}

/// Refuses a value of the option with this name, which takes something else.
pub fn refused_value(name: &str, why: &str, value: &str, example: &str) -> Error {
    let value = shorten(value);
    Error::usage(format!("{name} {why}, not {value:?}"), format!("for example {example}"))
}

/// The start of a value, for an error.
pub fn shorten(value: &str) -> String {
    match value.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", &value[..end]),
        None => value.to_owned(),
    }
}

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
