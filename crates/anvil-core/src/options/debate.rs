//! The options of a debate, as the user or a file of defaults sets them.

use std::collections::BTreeMap;

use super::values::{CheckedValue, OptionValue};
use super::{Boundary, DebateOption, OneChoice};
use crate::journal::Review;
use anvil_text::error::{Error, Result};

/// The options of a debate. For an absent one, defaults come from the user's files, then from
/// Anvil.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DebateOptions {
    values: BTreeMap<DebateOption, OptionValue>,
    /// The plan of the session, if the option names no file. Only the hook sets it.
    pub session_plan: Option<SessionPlan>,
    /// The document that a run revises.
    pub revise: Option<String>,
}

/// The newest plan of a session of Claude Code, unchecked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionPlan {
    pub name: String,
    pub bytes: Vec<u8>,
}

impl DebateOptions {
    /// Takes a value as it is typed. An error says what the option takes; nothing is changed then.
    pub fn set(&mut self, option: DebateOption, value: &str) -> CheckedValue<()> {
        match (self.values.get_mut(&option), option.read(value)?) {
            (Some(OptionValue::Texts(all)), OptionValue::Texts(more)) if option.is_repeatable() => {
                all.extend(more);
            }
            (_, value) => {
                self.values.insert(option, value);
            }
        }
        Ok(())
    }

    /// With this value in place of any other.
    pub fn with(mut self, option: DebateOption, value: impl Into<OptionValue>) -> Self {
        self.values.insert(option, value.into());
        self
    }

    /// The options that have a value.
    pub fn given(&self) -> impl Iterator<Item = DebateOption> {
        self.values.keys().copied()
    }

    pub fn has(&self, option: DebateOption) -> bool {
        self.values.contains_key(&option)
    }

    pub fn flag(&self, option: DebateOption) -> Option<bool> {
        match self.values.get(&option) {
            Some(OptionValue::Flag(flag)) => Some(*flag),
            _ => None,
        }
    }

    /// True if the flag is set to yes.
    pub fn is(&self, option: DebateOption) -> bool {
        self.flag(option) == Some(true)
    }

    pub fn number<T: TryFrom<u32>>(&self, option: DebateOption) -> Option<T> {
        match self.values.get(&option) {
            Some(OptionValue::Number(number)) => T::try_from(*number).ok(),
            _ => None,
        }
    }

    pub fn text(&self, option: DebateOption) -> Option<&str> {
        match self.values.get(&option) {
            Some(OptionValue::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// The texts of a list or of an option that may stand several times.
    pub fn texts(&self, option: DebateOption) -> &[String] {
        match self.values.get(&option) {
            Some(OptionValue::Texts(texts)) => texts,
            _ => &[],
        }
    }

    pub fn boundary(&self) -> Option<Boundary> {
        match self.values.get(&DebateOption::Boundary) {
            Some(OptionValue::Boundary(boundary)) => Some(*boundary),
            _ => None,
        }
    }

    pub fn review(&self) -> Option<Review> {
        match self.values.get(&DebateOption::Review) {
            Some(OptionValue::Review(review)) => Some(*review),
            _ => None,
        }
    }

    /// The options of a defaults file, one value each. Only a list takes several values.
    pub fn of_defaults(values: &[(DebateOption, String)]) -> Result<Self> {
        let mut options = Self::default();
        for (option, value) in values {
            if !option.is_repeatable() && options.has(*option) {
                let twice = format!("{} was given more than once", option.flag());
                return Err(Error::usage(twice, "write it once"));
            }
            options
                .set(*option, value)
                .map_err(|why| refused_value(&option.flag(), &why, value, &option.example()))?;
        }
        Ok(options)
    }

    /// The plan or the document that is argued about, as it is typed.
    pub fn document(&self) -> Option<&str> {
        self.text(DebateOption::Plan).or(self.revise.as_deref())
    }

    /// Takes the values of `below` for absent options, but none of a choice that is made here.
    pub fn over(mut self, below: Self) -> Self {
        let mut values = below.values;
        values.retain(|&option, _| match option {
            // Only the typed line counts: a default must not take a debate from another session.
            DebateOption::TakeOver => false,
            // Blind openings need an advocate and a critic: with other seats the default does not
            // apply.
            DebateOption::Blind if self.names_other_seats() => false,
            DebateOption::Rounds if self.is(DebateOption::Quick) => false,
            _ => !option.choice().is_some_and(|choice| self.makes(choice)),
        });
        values.append(&mut self.values);
        Self { values, session_plan: self.session_plan.or(below.session_plan), ..self }
    }

    fn makes(&self, choice: OneChoice) -> bool {
        choice == OneChoice::WhoArgues && self.revise.is_some()
            || self.given().any(|option| option.choice() == Some(choice))
    }

    fn names_other_seats(&self) -> bool {
        self.has(DebateOption::Stakeholders)
            || self.text(DebateOption::Mode) == Some("stakeholders")
            || self.texts(DebateOption::Persona).len() > 2
            || self.texts(DebateOption::Options).len() > 2
    }
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

    /// Options of one layer: `--quick` or `--quick=no`, and a number of rounds.
    fn layer(quick: Option<bool>, rounds: Option<u32>) -> DebateOptions {
        let mut options = DebateOptions::default();
        if let Some(quick) = quick {
            options = options.with(DebateOption::Quick, quick);
        }
        if let Some(rounds) = rounds {
            options.set(DebateOption::Rounds, &rounds.to_string()).unwrap();
        }
        options
    }

    #[test]
    fn rounds_of_the_layer_of_quick_or_a_nearer_one_win_and_others_do_not() {
        let (quick, not_quick) = (Some(true), Some(false));
        let none = (None, None);
        for (typed, project, user, rounds) in [
            ((quick, None), none, none, None),
            ((quick, Some(3)), none, none, Some(3)),
            ((quick, None), (None, Some(4)), none, None),
            ((quick, None), (quick, Some(4)), none, None),
            ((quick, None), none, (None, Some(4)), None),
            ((None, Some(3)), (quick, None), (None, Some(4)), Some(3)),
            (none, (quick, None), (None, Some(4)), None),
            (none, (quick, Some(3)), (None, Some(4)), Some(3)),
            (none, (None, Some(3)), (quick, None), Some(3)),
            (none, none, (quick, Some(4)), Some(4)),
            ((not_quick, None), (quick, None), (None, Some(4)), Some(4)),
            ((not_quick, None), (None, Some(3)), (quick, None), Some(3)),
            ((not_quick, None), none, (quick, Some(4)), Some(4)),
        ] {
            let [typed, project, user] = [typed, project, user].map(|(a, b)| layer(a, b));
            let options = typed.clone().over(project.clone()).over(user.clone());
            let found: Option<u32> = options.number(DebateOption::Rounds);
            assert_eq!(found, rounds, "{typed:?}, {project:?}, {user:?}");
        }
    }
}
