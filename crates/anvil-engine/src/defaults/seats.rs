//! The agents that fill the seats by default, and those that the user has described.

use std::time::Duration;

use jiff::SignedDuration;

use super::error::{DefaultsError, at};
use crate::Context;
use anvil_core::options::{
    DefaultsOwner, Isolation, Layer as _, OWN_AGENT, Origin, SeatOptions, is_seat_key,
};
use anvil_prompt::{OwnAgent, PROFILES};
use anvil_store::{DefaultEntry, Defaults};
use anvil_text::error::Result;

/// The settings for seats in the user's defaults.
#[derive(Clone, Debug, std::default::Default, PartialEq, Eq)]
pub struct SeatDefaults {
    pub seats: SeatOptions,
    /// The agents that the user describes.
    pub agents: Vec<OwnAgent>,
    pub isolation: Isolation,
}

/// Reads the settings for seats. A project's file has none.
pub fn seat_defaults(context: &Context<'_>) -> Result<SeatDefaults> {
    let project = context.project_for_new_debate();
    let mut defaults = SeatDefaults::default();
    for file in &Defaults::read(&project, context.world)? {
        refuse_seats_of_project(file)?;
        let (agents, seats): (Vec<_>, Vec<_>) = file
            .entries
            .iter()
            .filter(|entry| is_seat_key(&entry.key))
            .partition(|entry| entry.key.starts_with(OWN_AGENT));
        for entry in agents {
            describe(&mut defaults.agents, entry).map_err(|error| at(file, entry.line, error))?;
        }
        for entry in seats {
            defaults.take(file, entry).map_err(|error| at(file, entry.line, error))?;
        }
    }
    Ok(defaults)
}

impl SeatDefaults {
    fn take(
        &mut self,
        file: &Defaults,
        DefaultEntry { key, values, line }: &DefaultEntry,
    ) -> Result<()> {
        let words = values.join(", ");
        let from = Origin::File { path: file.path.clone(), line: *line, words };
        let taken = self.seats.take(key, values, &from);
        taken.or_else(|| self.isolation.take(key, values, &from)).transpose()?;
        self.seats.check()?;
        let mut agents = self.seats.agents_by_key().into_iter().map(|(_, agent)| agent);
        agents.try_for_each(|agent| anvil_prompt::parse_list(agent, &self.agents, false).map(drop))
    }
}

/// Refuses a project's file that chooses who fills a seat: it may have come with a clone.
pub(super) fn refuse_seats_of_project(file: &Defaults) -> Result<()> {
    if file.owner != DefaultsOwner::Project {
        return Ok(());
    }
    let Some(entry) = file.entries.iter().find(|entry| is_seat_key(&entry.key)) else {
        return Ok(());
    };
    Err(at(file, entry.line, DefaultsError::AgentsOfProject(entry.key.clone())))
}

/// Takes one line of an agent's description: `agent.NAME` or `agent.NAME.PART`.
fn describe(agents: &mut Vec<OwnAgent>, entry: &DefaultEntry) -> Result<()> {
    let remaining = entry.key.strip_prefix(OWN_AGENT).unwrap_or_default();
    let (name, part) = remaining.split_once('.').unwrap_or((remaining, ""));
    let is_name =
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    if !is_name
        || PROFILES.iter().any(|profile| profile.name == name)
        || ["cmd", "script"].contains(&name)
    {
        return Err(DefaultsError::AgentName(name.to_owned()).into());
    }
    let at = agents.iter().position(|agent| agent.name == name).unwrap_or_else(|| {
        agents.push(OwnAgent { name: name.to_owned(), ..OwnAgent::default() });
        agents.len() - 1
    });
    let agent = &mut agents[at];
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
            agent.context = Some(tokens.ok_or(DefaultsError::Tokens)?);
        }
        _ => return Err(DefaultsError::NoPart(part.to_owned()).into()),
    }
    Ok(())
}

fn variable(pair: &str) -> Result<(String, String)> {
    match pair.split_once('=') {
        Some((name, value)) if !name.is_empty() && !pair.contains('\0') => {
            Ok((name.to_owned(), value.to_owned()))
        }
        _ => Err(DefaultsError::Variable.into()),
    }
}

/// Parses a time such as `90s`, `10m` or `1h 30m`. A number alone is in seconds. The limit is a
/// week.
pub fn duration(text: &str) -> Result<Duration> {
    let trimmed = text.trim();
    let time: Option<Duration> = match trimmed.parse() {
        Ok(seconds) => Some(Duration::from_secs(seconds)),
        Err(_) => trimmed.parse::<SignedDuration>().ok().and_then(|time| time.try_into().ok()),
    };
    let longest = Duration::from_hours(24 * 7);
    time.filter(|time| !time.is_zero() && *time <= longest)
        .ok_or_else(|| DefaultsError::Time(text.to_owned()).into())
}
