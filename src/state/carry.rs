//! What of a state file travels to other machines, as plain keys and values, and back. Pure.
//!
//! What belongs to one machine or one session stays after, so that a file that came from elsewhere can name neither.

use serde_json::Value as Json;

use super::StateFile;
use super::fields;
use super::frontmatter::{Head, Value};
use crate::debate::Status;
use crate::error::{Error, Result};
use crate::text::{without_folders, without_paths};

/// To what a key of the head belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// Which debate it is.
    Identity,
    /// What was asked for.
    Options,
    /// Where the debate stands.
    Progress,
    /// One session, client or machine: it never travels. What follows from the other keys is among it.
    Local,
}

/// To what a key belongs, by its name today or an earlier one. `None`: it is not Anvil's.
fn part(key: &str) -> Option<Part> {
    Some(match key {
        "id" | "question" => Part::Identity,
        "mode" | "max_rounds" | "position" | "mode_text" | "stakeholders" | "personas" | "persona_texts" | "focus"
        | "framework" | "framework_text" | "research" | "blind" | "fact_check" | "interactive" | "judges"
        | "early_end" | "boundary" | "context_source" | "follow_up" | "versus" | "house_rules" | "review" => {
            Part::Options
        }
        "status"
        | "status_detail"
        | "phase"
        | "round"
        | "step"
        | "cycle"
        | "retry_count"
        | "judgments"
        | "steering"
        | "synthesis_requested"
        | "form_retry"
        | "headings_retry"
        | "started_at"
        | "updated_at"
        | "ending"
        | "reshaping" => Part::Progress,
        "active" | "schema" | "session_id" | "prompt_id" | "continuations" | "pause_requested" | "pausing"
        | "must_read" | "apart" | "awaits_steering" | "output" => Part::Local,
        _ => return None,
    })
}

/// Why a debate waits that was running when it was carried away.
const CARRIED: &str = "it was carried here while it ran elsewhere";

/// The head of a state file, for another machine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Keys {
    /// Which debate it is: `id` and `question`.
    pub identity: Vec<(String, Json)>,
    /// What was asked for, in the order of the state file.
    pub options: Vec<(String, Json)>,
    /// Where it stands, in the order of the state file.
    pub progress: Vec<(String, Json)>,
    /// Those that the user added.
    pub added: Vec<(String, Json)>,
}

impl StateFile {
    /// The same debate as it travels: nobody owns it, it does not run, and it names no path of this machine. What is left out is
    /// listed in `docs/issue-body.md`. An error if it could not be read back, or was written by a newer Anvil.
    pub fn portable(mut self) -> Result<Self> {
        self.check_writable()?;
        let debate = &mut self.debate;
        if debate.progress.status == Status::InProgress {
            debate.pause(CARRIED.to_owned(), debate.progress.updated_at);
        }
        debate.disown();
        for (source, between) in [
            (&mut debate.options.context_source, ", "),
            (&mut debate.options.follow_up, ", "),
            (&mut debate.options.versus, " / "),
        ] {
            *source = source.take().map(|source| without_folders(&source, between));
        }
        debate.reword_detail(without_paths);
        let read = Self::parse(&self.render()?)?;
        if read == self || Self::parse(&read.render()?)? == read {
            return Ok(read);
        }
        Err(Error::failed("the debate can't be read back as it would be written", "repair its state file by hand"))
    }

    /// The keys of its head that travel.
    #[must_use]
    pub fn keys(&self) -> Keys {
        let mut keys = Keys::default();
        for (key, value) in fields::keys(&self.debate) {
            let list = match part(key) {
                Some(Part::Identity) => &mut keys.identity,
                Some(Part::Options) => &mut keys.options,
                Some(Part::Progress) => &mut keys.progress,
                Some(Part::Local) | None => continue,
            };
            list.push((key.to_owned(), json(&value)));
        }
        keys.added = self.extra.iter().map(|(key, value)| (key.clone(), json(value))).collect();
        keys
    }

    /// The debate with these keys and this transcript, as it travels. An error names the first value that can't be right; keys that
    /// stay after are not believed.
    pub fn from_keys(keys: Keys, body: String) -> Result<Self> {
        let mut head = Head::new();
        let is_local = |key: &str| part(key) == Some(Part::Local);
        let known = keys.identity.into_iter().chain(keys.options).chain(keys.progress);
        for (key, value) in known.filter(|(key, _)| !is_local(key)).chain(keys.added) {
            let value = value_of(value).ok_or_else(|| wrong(&key))?;
            if is_local(&key) || head.contains_key(&key) {
                return Err(wrong(&key));
            }
            head.insert(key, value);
        }
        // Whoever says that it runs is told by `portable` that it waits.
        if head.get("status") == Some(&Value::Text(Status::InProgress.word().to_owned())) {
            head.insert("active".to_owned(), Value::Flag(true));
        }
        let (debate, extra) = fields::read(head)?;
        Self { debate, body, extra, newer_schema: None }.portable()
    }
}

fn json(value: &Value) -> Json {
    match value {
        Value::Flag(flag) => Json::from(*flag),
        Value::Number(number) => Json::from(*number),
        Value::Text(text) => Json::from(text.as_str()),
        Value::Word(word) => Json::from(word.0),
        Value::List(list) => Json::Array(list.iter().map(json).collect()),
        Value::Empty(()) => Json::Null,
    }
}

/// `None`: a head has no such value.
fn value_of(json: Json) -> Option<Value> {
    Some(match json {
        Json::Null => Value::Empty(()),
        Json::Bool(flag) => Value::Flag(flag),
        Json::Number(number) => Value::Number(number.as_i64()?),
        Json::String(text) => Value::Text(text),
        Json::Array(list) => {
            let scalar = |json: Json| if json.is_array() { None } else { value_of(json) };
            Value::List(list.into_iter().map(scalar).collect::<Option<_>>()?)
        }
        Json::Object(_) => return None,
    })
}

fn wrong(key: &str) -> Error {
    Error::failed(format!("`{key}` can't be right"), "it is left as it is")
}

#[cfg(test)]
mod tests {
    use super::super::fields::keys;
    use super::super::fields::tests::{debate, full};
    use super::*;
    use crate::debate::Debate;
    use std::collections::BTreeMap;

    #[test]
    fn every_key_belongs_to_the_part_of_the_debate_that_it_is_written_from() {
        let keys_of = |debate: &Debate| keys(debate).into_iter().collect::<BTreeMap<_, _>>();
        let (bare, full) = (debate(), full());
        let all = keys_of(&full);
        assert!(all.keys().all(|key| part(key).is_some()), "{all:?}");
        for (expected, changed) in [
            (Part::Options, Debate { options: full.options.clone(), ..bare.clone() }),
            (Part::Progress, Debate { progress: full.progress.clone(), ..bare.clone() }),
            (Part::Local, Debate { ownership: full.ownership.clone(), ..bare.clone() }),
        ] {
            let before = keys_of(&bare);
            for (key, _) in keys_of(&changed).into_iter().filter(|(key, value)| before.get(key) != Some(value)) {
                // What follows from another key, and the one option that names a path, stay on this machine.
                let is_local = matches!(key, "active" | "output");
                assert_eq!(part(key), Some(if is_local { Part::Local } else { expected }), "{key}");
            }
        }
    }
}
