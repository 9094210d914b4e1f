//! The options before the first reply: mode, voices, rounds and others.

use super::{Debate, Error, ErrorKind, Result};
use anvil_core::limits::{
    MAX_FOCUS_CHARS, MAX_JUDGES, MAX_MOTION_CHARS, MAX_OWN_CHARS, MAX_POSITION_CHARS, MAX_ROUNDS,
    MIN_JUDGES, MIN_ROUNDS,
};
use anvil_core::options::{self, CONTEXT_BUDGET, Named, Options};
use anvil_core::place::DebateFormat;
use anvil_core::question::motion::one_line;
use anvil_core::transcript::{self, NoteKind};
use anvil_prompt::library::{TextKind, built_in, built_in_names};
use anvil_prompt::prompt;

/// Most typing errors in the name of a built-in persona that are reported instead of using the word
/// as a description.
const SLIPS: usize = 2;

/// The mode of the argument.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Mode {
    /// By evidence and consequence; the default.
    Analyst,
    /// From first principles.
    Philosopher,
    /// The advocate attacks this position of the user, and the critic defends it.
    DevilsAdvocate(String),
    /// These 2 to 10 groups of people speak in turn, once each.
    Stakeholders(Vec<String>),
}

/// Options. Set them before the first reply; each call fails on an invalid value.
impl Debate {
    /// Rounds of advocate and critic, 1 to 10. If voices take turns, their number sets the rounds.
    pub fn rounds(self, rounds: u8) -> Result<Self> {
        check_number("rounds", rounds, MIN_ROUNDS, MAX_ROUNDS)?;
        self.set(|options| options.max_rounds = rounds)
    }

    /// Sets the mode, at most once.
    pub fn mode(self, mode: Mode) -> Result<Self> {
        self.with(|options| {
            if options.mode != options::Mode::Analyst {
                return Err(Error::invalid("the mode is set twice", "set it once"));
            }
            options.mode = match mode {
                Mode::Analyst => options::Mode::Analyst,
                Mode::Philosopher => options::Mode::Philosopher,
                Mode::DevilsAdvocate(position) => {
                    options.position =
                        Some(checked_text("a position", &position, MAX_POSITION_CHARS)?);
                    options::Mode::DevilsAdvocate
                }
                Mode::Stakeholders(names) => {
                    check_voiceless(options)?;
                    options.voices = stakeholders(&names)?;
                    options::Mode::Stakeholders
                }
            };
            Ok(())
        })
    }

    /// Sets the voices, at most once: Anvil's personas by name (`regulator`), others by a
    /// description. One persona objects, two hold the seats, three to ten take turns. Not together
    /// with [`Mode::Stakeholders`].
    pub fn personas<I, S>(self, who: I) -> Result<Self>
    where
        I: IntoIterator<Item = S>,
        S: AsRef<str>,
    {
        let voices =
            who.into_iter().map(|who| persona(who.as_ref())).collect::<Result<Vec<Named>>>()?;
        self.with(|options| {
            check_voiceless(options)?;
            options.voices = voices;
            Ok(())
        })
    }

    /// The user's position, which both seats test.
    pub fn position(self, position: &str) -> Result<Self> {
        let position = checked_text("a position", position, MAX_POSITION_CHARS)?;
        self.set(|options| options.position = Some(position))
    }

    /// The action that is argued about, if the question does not name it: "move the cache to
    /// Redis". FOR and the verdict "do" mean taking it.
    pub fn motion(self, motion: &str) -> Result<Self> {
        let motion = checked_text("a motion", motion, MAX_MOTION_CHARS)?;
        let motion = one_line(&motion)
            .ok_or_else(|| Error::invalid("a motion has a letter or a digit", "name the action"))?;
        self.set(|options| options.motion = Some(motion))
    }

    /// The focus of the argument: `security`, `performance`, `developer-experience`,
    /// `operational-cost`, `maintainability`, or other words.
    pub fn focus(self, focus: &str) -> Result<Self> {
        let focus = checked_text("a focus", focus, MAX_FOCUS_CHARS)?;
        let focus = anvil_engine::focus(&focus)
            .map_err(|error| Error::with_its_hint(ErrorKind::Invalid, &error))?;
        self.set(|options| options.focus = Some(focus))
    }

    /// The form of the synthesis: `adr`, `pre-mortem`, `red-team`, `rfc`, `risks`,
    /// `decision-matrix` or `one-pager`.
    pub fn framework(self, name: &str) -> Result<Self> {
        if built_in(TextKind::Frameworks, name).is_none() {
            let message =
                format!("there is no framework named \"{}\"", anvil_text::clean(name, 60));
            return Err(Error::invalid(
                message,
                format!("there is {}", built_in_names(TextKind::Frameworks).join(", ")),
            ));
        }
        let framework = Named { name: name.to_owned(), text: None };
        self.set(|options| options.framework = Some(framework))
    }

    /// Blind openings: no seat sees an opening before it has written its own.
    pub fn blind(self) -> Result<Self> {
        self.set(|options| options.blind = true)
    }

    /// Argues every round, even after one without new claims that leaves nothing open.
    pub fn every_round(self) -> Result<Self> {
        self.set(|options| options.early_end = false)
    }

    /// One round, unless [`rounds`](Self::rounds) follows, and replies of at most 150 words; the
    /// synthesis has no such limit.
    pub fn quick(self) -> Result<Self> {
        self.set(|options| options.quick = true)?.rounds(MIN_ROUNDS)
    }

    /// No seat asks the user back.
    pub fn no_questions(self) -> Result<Self> {
        self.set(|options| options.questions = false)
    }

    /// The number of independent judgments behind the synthesis, 2 to 5.
    pub fn judges(self, judges: u8) -> Result<Self> {
        check_number("judges", judges, MIN_JUDGES, MAX_JUDGES)?;
        self.set(|options| options.judges = judges)
    }

    /// Material for every seat, and its source, for readers. At most once.
    ///
    /// Masks texts with the shape of a secret.
    pub fn material(self, source: &str, material: &str) -> Result<Self> {
        let source =
            anvil_text::clean(&checked_text("a source", source, MAX_FOCUS_CHARS)?, MAX_FOCUS_CHARS);
        let read = anvil_context::masked_text(material, CONTEXT_BUDGET, &source);
        if read.is_cut || material.trim().is_empty() {
            let message = format!("material has 1 to {CONTEXT_BUDGET} characters");
            return Err(Error::invalid(message, "include only what matters"));
        }
        let mut debate = self.with(|options| {
            if options.context_source.is_some() {
                return Err(Error::invalid("material was given already", "give all of it at once"));
            }
            options.context_source = Some(source);
            Ok(())
        })?;
        transcript::append_note(&mut debate.state.body, NoteKind::Context, debate.now, &read.text);
        Ok(debate)
    }

    /// Sets an option if all stay valid.
    fn set(self, change: impl FnOnce(&mut Options)) -> Result<Self> {
        self.with(|options| {
            change(options);
            Ok(())
        })
    }

    /// Changes the options if they stay valid.
    fn with(mut self, change: impl FnOnce(&mut Options) -> Result<()>) -> Result<Self> {
        let debate = &self.state.debate;
        let is_new = debate.step() == 1 && debate.retry_count() == 0 && !debate.form_retry();
        if !is_new || self.check_unfinished().is_err() {
            return Err(Error::new(
                ErrorKind::Begun,
                "the debate has begun",
                "set options before the first reply; `steer` gives a direction later",
            ));
        }
        let debate = &mut self.state.debate;
        let before = debate.clone();
        change(&mut debate.options)?;
        debate.renew_motion(&before);
        anvil_engine::check_course(debate)
            .map_err(|error| Error::invalid(error.to_string(), "remove one of them"))?;
        if debate.format() != DebateFormat::Seats {
            debate.options.max_rounds = debate.schedule().max_rounds;
        }
        debate.set_place(debate.schedule().first());
        prompt::check_room(debate).map_err(|error| {
            Error::invalid(error.to_string(), "shorten the descriptions of personas")
        })?;
        Ok(self)
    }
}

fn check_number(name: &str, number: u8, least: u8, most: u8) -> Result<()> {
    if (least..=most).contains(&number) {
        return Ok(());
    }
    Err(Error::invalid(
        format!("{name} are a whole number from {least} to {most}"),
        "choose one of these",
    ))
}

/// A trimmed text of 1 to `most` characters.
fn checked_text(what: &str, text: &str, most: usize) -> Result<String> {
    let text = text.trim();
    if text.contains('\0') || !(1..=most).contains(&text.chars().count()) {
        return Err(Error::invalid(
            format!("{what} has 1 to {most} characters, and no NUL"),
            "shorten it, or say it",
        ));
    }
    Ok(text.to_owned())
}

fn check_voiceless(options: &Options) -> Result<()> {
    if options.voices.is_empty() && options.mode != options::Mode::Stakeholders {
        return Ok(());
    }
    Err(Error::invalid("the speakers are set twice", "set one, not both: stakeholders or personas"))
}

fn stakeholders(names: &[String]) -> Result<Vec<Named>> {
    let mut voices = Vec::new();
    for name in names {
        let name = anvil_engine::voice_of(name)
            .map_err(|error| Error::with_its_hint(ErrorKind::Invalid, &error))?;
        voices.push(Named { name, text: None });
    }
    let has_duplicate = voices.iter().enumerate().any(|(at, voice)| voices[..at].contains(voice));
    if voices.len() < 2 || has_duplicate {
        return Err(Error::invalid(
            "stakeholders are two or more, each named once",
            "name the groups that it concerns",
        ));
    }
    Ok(voices)
}

/// A built-in persona by its name, or a description.
fn persona(who: &str) -> Result<Named> {
    let who = checked_text("a persona", who, MAX_OWN_CHARS)?;
    if built_in(TextKind::Personas, &who).is_some() {
        return Ok(Named { name: who, text: None });
    }
    let near = anvil_text::nearest(&who, built_in_names(TextKind::Personas), SLIPS);
    match near.first() {
        Some(near) => Err(Error::invalid(
            format!("there is no persona named \"{}\"", anvil_text::clean(&who, 60)),
            format!("did you mean {near}? A description has several words"),
        )),
        None => Ok(anvil_engine::persona_from(&who)),
    }
}
