//! What is asked for before the first reply: how the debate is argued, by whom and for how long.

use super::{Debate, Error, ErrorKind, Result};
use crate::command::DEFAULT_CONTEXT_BUDGET;
use crate::context;
use crate::debate::{
    self, Format, MAX_FOCUS_CHARS, MAX_JUDGES, MAX_OWN_CHARS, MAX_POSITION_CHARS, MAX_ROUNDS, MIN_JUDGES, MIN_ROUNDS,
    Named, Options,
};
use crate::engine;
use crate::library::{TextKind, built_in, built_in_names};
use crate::prompt;
use crate::text;
use crate::transcript::{self, Kind};

/// Slips of the finger in a name that stands for a description otherwise.
const SLIPS: usize = 2;

/// How a debate is argued.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Mode {
    /// By evidence and consequence, which is what a new debate has.
    Analyst,
    /// From first principles.
    Philosopher,
    /// The advocate attacks this position of the user, and the critic defends it.
    DevilsAdvocate(String),
    /// These 2 to 10 groups of people speak in turn, once each.
    Stakeholders(Vec<String>),
}

/// What is asked for. All of it is said before the first reply; each call says what can't be.
impl Debate {
    /// Rounds of advocate and critic, 1 to 10. Where voices take turns, their number is that of the rounds.
    pub fn rounds(self, rounds: u8) -> Result<Self> {
        if !(MIN_ROUNDS..=MAX_ROUNDS).contains(&rounds) {
            return Err(number("rounds", MIN_ROUNDS, MAX_ROUNDS));
        }
        self.with(|options| {
            options.max_rounds = rounds;
            Ok(())
        })
    }

    /// How it is argued. Is said once.
    pub fn mode(self, mode: Mode) -> Result<Self> {
        self.with(|options| {
            if options.mode != debate::Mode::Analyst {
                return Err(Error::invalid("the mode was given already", "give it once"));
            }
            options.mode = match mode {
                Mode::Analyst => debate::Mode::Analyst,
                Mode::Philosopher => debate::Mode::Philosopher,
                Mode::DevilsAdvocate(position) => {
                    options.position = Some(bounded("a position", &position, MAX_POSITION_CHARS)?);
                    debate::Mode::DevilsAdvocate
                }
                Mode::Stakeholders(names) => {
                    check_voiceless(options)?;
                    options.voices = stakeholders(&names)?;
                    debate::Mode::Stakeholders
                }
            };
            Ok(())
        })
    }

    /// Who argues: personas of Anvil's by their names (`regulator`), others by a description. One objects, two hold the seats,
    /// three to ten take turns. Is said once, and not with [`Mode::Stakeholders`].
    pub fn personas<I, S>(self, who: I) -> Result<Self>
    where
        I: IntoIterator<Item = S>,
        S: AsRef<str>,
    {
        let voices = who.into_iter().map(|who| persona(who.as_ref())).collect::<Result<Vec<Named>>>()?;
        self.with(|options| {
            check_voiceless(options)?;
            options.voices = voices;
            Ok(())
        })
    }

    /// Where the user stands; both sides test it.
    pub fn position(self, position: &str) -> Result<Self> {
        let position = bounded("a position", position, MAX_POSITION_CHARS)?;
        self.with(|options| {
            options.position = Some(position);
            Ok(())
        })
    }

    /// What the argument looks at: `security`, `performance`, `developer-experience`, `operational-cost`, `maintainability`, or
    /// other words.
    pub fn focus(self, focus: &str) -> Result<Self> {
        let focus = bounded("a focus", focus, MAX_FOCUS_CHARS)?;
        let focus = engine::focus(&focus).map_err(|error| Error::of(ErrorKind::Invalid, &error, error.hint()))?;
        self.with(|options| {
            options.focus = Some(focus);
            Ok(())
        })
    }

    /// What shapes the synthesis: `adr`, `pre-mortem`, `red-team`, `rfc`, `risks`, `decision-matrix` or `one-pager`.
    pub fn framework(self, name: &str) -> Result<Self> {
        if built_in(TextKind::Frameworks, name).is_none() {
            let message = format!("there is no framework named \"{}\"", text::clean(name, 60));
            return Err(Error::invalid(
                message,
                format!("there is {}", built_in_names(TextKind::Frameworks).join(", ")),
            ));
        }
        self.with(|options| {
            options.framework = Some(Named { name: name.to_owned(), text: None });
            Ok(())
        })
    }

    /// The critic opens before there is a case to be seen: no seat answers an opening before it has written its own.
    pub fn blind(self) -> Result<Self> {
        self.with(|options| {
            options.blind = true;
            Ok(())
        })
    }

    /// Every round is argued, also after one that brings nothing new and leaves nothing open.
    pub fn every_round(self) -> Result<Self> {
        self.with(|options| {
            options.early_end = false;
            Ok(())
        })
    }

    /// Independent judgments that the synthesis is made of, 2 to 5.
    pub fn judges(self, judges: u8) -> Result<Self> {
        if !(MIN_JUDGES..=MAX_JUDGES).contains(&judges) {
            return Err(number("judges", MIN_JUDGES, MAX_JUDGES));
        }
        self.with(|options| {
            options.judges = judges;
            Ok(())
        })
    }

    /// Material that every seat is shown, and what it was made from, for readers. Is said once.
    ///
    /// What has the shape of a secret is masked.
    pub fn material(self, source: &str, material: &str) -> Result<Self> {
        let source = text::clean(&bounded("a source", source, MAX_FOCUS_CHARS)?, MAX_FOCUS_CHARS);
        let read = context::masked_text(material, DEFAULT_CONTEXT_BUDGET, &source);
        if read.is_cut || material.trim().is_empty() {
            let message = format!("material has 1 to {DEFAULT_CONTEXT_BUDGET} characters");
            return Err(Error::invalid(message, "take what decides the question"));
        }
        let mut debate = self.with(|options| {
            if options.context_source.is_some() {
                return Err(Error::invalid("material was given already", "give all of it at once"));
            }
            options.context_source = Some(source);
            Ok(())
        })?;
        transcript::append_note(&mut debate.state.body, Kind::Context, debate.now, &read.text);
        Ok(debate)
    }

    /// Changes what is asked for, if it can be.
    fn with(mut self, change: impl FnOnce(&mut Options) -> Result<()>) -> Result<Self> {
        let progress = &self.state.debate.progress;
        let is_new = progress.step == 1 && progress.retry_count == 0 && !progress.form_retry;
        if !is_new || self.check_unfinished().is_err() {
            return Err(Error::new(
                ErrorKind::Begun,
                "the debate has begun",
                "say what you want before the first reply; `steer` gives a direction later",
            ));
        }
        let debate = &mut self.state.debate;
        change(&mut debate.options)?;
        engine::check_course(debate)
            .map_err(|error| Error::of(ErrorKind::Invalid, &error, "leave one of the two out"))?;
        if debate.format() != Format::Seats {
            debate.options.max_rounds = debate.schedule().max_rounds;
        }
        debate.stand_at(debate.schedule().first());
        prompt::check_room(debate)
            .map_err(|error| Error::of(ErrorKind::Invalid, &error, "shorten the descriptions of personas"))?;
        Ok(self)
    }
}

fn number(what: &str, least: u8, most: u8) -> Error {
    Error::invalid(format!("{what} are a whole number from {least} to {most}"), "choose one of these")
}

/// A text of so many characters, without white space around it.
fn bounded(what: &str, text: &str, most: usize) -> Result<String> {
    let text = text.trim();
    if text.contains('\0') || !(1..=most).contains(&text.chars().count()) {
        return Err(Error::invalid(format!("{what} has 1 to {most} characters, and no NUL"), "shorten it, or say it"));
    }
    Ok(text.to_owned())
}

fn check_voiceless(options: &Options) -> Result<()> {
    if options.voices.is_empty() && options.mode != debate::Mode::Stakeholders {
        return Ok(());
    }
    Err(Error::invalid("who speaks was said already", "say it once, as stakeholders or as personas"))
}

fn stakeholders(names: &[String]) -> Result<Vec<Named>> {
    let voice = |name: &String| engine::voice_of(name).map(|name| Named { name, text: None });
    let voices = names.iter().map(voice).collect::<std::result::Result<Vec<Named>, _>>();
    let voices = voices.map_err(|error| Error::of(ErrorKind::Invalid, &error, error.hint()))?;
    let is_twice = |(at, voice): (usize, &Named)| voices[..at].contains(voice);
    if voices.len() < 2 || voices.iter().enumerate().any(is_twice) {
        return Err(Error::invalid(
            "stakeholders are two or more, each named once",
            "name the groups that it concerns",
        ));
    }
    Ok(voices)
}

/// One of Anvil's by its name, or a description.
fn persona(who: &str) -> Result<Named> {
    let who = bounded("a persona", who, MAX_OWN_CHARS)?;
    if built_in(TextKind::Personas, &who).is_some() {
        return Ok(Named { name: who, text: None });
    }
    let near = text::nearest(&who, built_in_names(TextKind::Personas), SLIPS);
    match near.first() {
        Some(near) => Err(Error::invalid(
            format!("there is no persona named \"{}\"", text::clean(&who, 60)),
            format!("did you mean {near}? A description has several words"),
        )),
        None => Ok(engine::described(&who)),
    }
}
