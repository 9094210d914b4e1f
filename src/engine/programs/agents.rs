//! The agents that fill the seats by default: those that the defaults files name, and those that
//! the user has described.

use std::time::Duration;

use super::Programs;
use crate::domain::command::SeatOptions;
use crate::error::{Error, Result};
use crate::seats::{self, OwnAgent, PROFILES};
use crate::storage::{DefaultEntry, Defaults, DefaultsOwner};
use crate::text::clean;

/// With this key, programs fill the seats of debates in Claude Code.
pub(crate) const ISOLATED: &str = "isolated";

/// The keys of an agent that the user describes begin with this.
const OWN: &str = "agent.";

/// The settings for seats in the defaults files.
#[derive(Clone, Debug, std::default::Default, PartialEq, Eq)]
pub struct SeatDefaults {
    /// An agent in the project's file wins over an agent in the user's file.
    pub seats: SeatOptions,
    /// Only the user's file can describe agents.
    pub own: Vec<OwnAgent>,
    /// Each seat of a debate in Claude Code gets its own context. Only the user's file can set
    /// this.
    pub isolated: bool,
}

impl Programs<'_> {
    /// Reads the settings for seats in the defaults files of the project and of the user. A
    /// project's file can name an agent that Anvil or the user has. It cannot set a program, an
    /// argument or a variable.
    pub fn seat_defaults(&self) -> Result<SeatDefaults> {
        let project = self.context.home();
        let files = Defaults::read(&project, self.context.world)?;
        let mut own = Vec::new();
        for file in files.iter().filter(|file| file.whose == DefaultsOwner::User) {
            for entry in file.entries.iter().filter(|entry| entry.key.starts_with(OWN)) {
                describe(&mut own, entry).map_err(|error| at(file, entry, &error))?;
            }
        }
        let mut defaults = SeatDefaults { seats: SeatOptions::default(), own, isolated: false };
        for file in &files {
            let mut seats = SeatOptions::default();
            for entry in file.entries.iter().filter(|entry| is_of_seats(&entry.key)) {
                if file.whose == DefaultsOwner::Project {
                    check_of_project(entry, &defaults.own)
                        .map_err(|error| at(file, entry, &error))?;
                }
                if entry.key == ISOLATED {
                    defaults.isolated = is_yes(entry).map_err(|error| at(file, entry, &error))?;
                }
                if let (true, Some(agent)) =
                    (SeatOptions::NAMES.contains(&entry.key.as_str()), entry.values.first())
                {
                    seats::parse(agent, &defaults.own, false)
                        .map_err(|error| at(file, entry, &error))?;
                    seats.set(&entry.key, agent.clone());
                }
            }
            // The project's file comes first, and its settings win over the user's.
            defaults.seats = std::mem::take(&mut defaults.seats).over(seats);
        }
        Ok(defaults)
    }
}

/// True for the keys of a defaults file that are about seats.
pub(crate) fn is_of_seats(key: &str) -> bool {
    SeatOptions::NAMES.contains(&key) || key.starts_with(OWN) || key == ISOLATED
}

fn is_yes(entry: &DefaultEntry) -> Result<bool> {
    match entry.values.as_slice() {
        [value] if ["yes", "true"].contains(&value.as_str()) => Ok(true),
        [value] if ["no", "false"].contains(&value.as_str()) => Ok(false),
        _ => Err(Error::usage(
            format!("{ISOLATED} takes yes or no"),
            format!("write {ISOLATED}: yes"),
        )),
    }
}

/// The error of an entry, with its place.
pub(crate) fn at(file: &Defaults, entry: &DefaultEntry, error: &Error) -> Error {
    Error::usage(
        format!("{}, line {}: {error}", file.path.display(), entry.line),
        error.clone().into_hint(),
    )
}

/// Refuses an entry of a project's file that does more than name known agents.
pub(crate) fn check_of_project(entry: &DefaultEntry, own: &[OwnAgent]) -> Result<()> {
    if entry.key == ISOLATED {
        return Err(Error::usage(
            "a project can't have programs started",
            "type --isolated where you mean it, or put it into your own defaults, ~/.claude/anvil.local.md",
        ));
    }
    if entry.key.starts_with(OWN) {
        return Err(Error::usage(
            "a project can't describe an agent: it would choose what runs on your machine",
            "describe it in your own defaults, ~/.claude/anvil.local.md",
        ));
    }
    let is_known = |name: &String| {
        PROFILES.iter().any(|profile| profile.name == name && !profile.needs_model)
            || own.iter().any(|own| own.name == *name)
    };
    match entry.values.iter().find(|name| !is_known(name)) {
        None => Ok(()),
        Some(name) => Err(Error::usage(
            format!("a project can't give a seat to {}", clean(name, 60)),
            "a project's defaults name an agent that Anvil or you have, such as claude or codex; type --agent for more",
        )),
    }
}

/// Takes one line of an agent's description: `agent.NAME` or `agent.NAME.PART`.
fn describe(own: &mut Vec<OwnAgent>, entry: &DefaultEntry) -> Result<()> {
    let remaining = entry.key.strip_prefix(OWN).unwrap_or_default();
    let (name, part) = remaining.split_once('.').unwrap_or((remaining, ""));
    let is_name =
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    if !is_name
        || PROFILES.iter().any(|profile| profile.name == name)
        || ["cmd", "script"].contains(&name)
    {
        return Err(Error::usage(
            format!("an agent of your own can't be named {}", clean(name, 40)),
            "use letters, digits and hyphens, and no name that Anvil has, such as agent.fast",
        ));
    }
    let at = own.iter().position(|agent| agent.name == name).unwrap_or_else(|| {
        own.push(OwnAgent { name: name.to_owned(), ..OwnAgent::default() });
        own.len() - 1
    });
    let agent = &mut own[at];
    let first = entry.values.first().map_or("", String::as_str);
    match part {
        "" => first.clone_into(&mut agent.base),
        "arguments" => agent.arguments.clone_from(&entry.values),
        "environment" => {
            agent.variables =
                entry.values.iter().map(|pair| variable(pair)).collect::<Result<_>>()?;
        }
        "family" => agent.family = Some(first.to_owned()),
        "max-reply" => agent.whole = Some(duration(first)?),
        "max-first-byte" => agent.first_byte = Some(duration(first)?),
        "max-silence" => agent.silence = Some(duration(first)?),
        "context" => {
            let tokens = first.parse().ok().filter(|tokens| *tokens >= 1_000);
            agent.context = Some(tokens.ok_or_else(|| {
                Error::usage("context must be a number of tokens, 1000 or more", "write 32000")
            })?);
        }
        _ => {
            return Err(Error::usage(
                format!("an agent has no {}", clean(part, 40)),
                "it has arguments, environment, family, context, max-reply, max-first-byte and max-silence",
            ));
        }
    }
    Ok(())
}

fn variable(pair: &str) -> Result<(String, String)> {
    let wrong = || {
        Error::usage(
            "a variable is written NAME=VALUE",
            "environment: [\"OLLAMA_HOST=127.0.0.1:11434\"]",
        )
    };
    let (name, value) =
        pair.split_once('=').filter(|(name, _)| !name.is_empty()).ok_or_else(wrong)?;
    if name.contains('\0') || value.contains('\0') {
        Err(wrong())
    } else {
        Ok((name.to_owned(), value.to_owned()))
    }
}

/// Parses a time such as `90s`, `10m` or `1h 30m`. A number alone is in seconds. The limit is a
/// week.
pub fn duration(text: &str) -> Result<Duration> {
    let wrong =
        || Error::usage(format!("{} is not a time", clean(text, 40)), "write 90s, 10m or 2h");
    let seconds = text.trim().parse::<u64>().ok();
    let time = if let Some(seconds) = seconds {
        Duration::from_secs(seconds)
    } else {
        let time: jiff::SignedDuration = text.trim().parse().map_err(|_| wrong())?;
        time.try_into().map_err(|_| wrong())?
    };
    let longest = Duration::from_hours(24 * 7);
    if time.is_zero() || time > longest { Err(wrong()) } else { Ok(time) }
}
