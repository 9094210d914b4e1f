//! The part of a state file that travels to other machines, as plain keys and values, and back.
//! Pure.
//!
//! Keys of one machine or one session stay behind, so that a file from elsewhere can name neither.

use serde_json::Value as Json;

use super::error::FileError;
use super::fields;
use super::frontmatter::{Frontmatter, Value};
use crate::StateFile;
use anvil_core::debate::{PlainReason, Status};
use anvil_core::options::is_seat_key;
use anvil_core::transcript;
use anvil_text::Scrubber;
use anvil_text::error::Result;

/// The part of a debate to which a key of the head belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CarriedPart {
    Identity,
    /// The options that the user typed.
    Options,
    /// The debate's position.
    Progress,
    /// One session, client or machine: it never travels. Keys that follow from other keys belong
    /// here too.
    Local,
}

/// The part of a key. `None`: a key of the user's own.
fn part(key: &str) -> Option<CarriedPart> {
    Some(match key {
        // The path of a report is one machine's.
        "output" => CarriedPart::Local,
        key if fields::is_of_options(key) => CarriedPart::Options,
        "id" | "question" => CarriedPart::Identity,
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
        | "awaits_block"
        | "started_at"
        | "updated_at" => CarriedPart::Progress,
        "active" | "schema" | "session_id" | "prompt_id" | "continuations" | "pause_requested"
        | "must_read" | "apart" | "awaits_steering" => CarriedPart::Local,
        _ => return None,
    })
}

fn is_local(key: &str) -> bool {
    part(key) == Some(CarriedPart::Local)
}

/// The head of a state file, for another machine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CarriedKeys {
    /// `id` and `question`.
    pub identity: Vec<(String, Json)>,
    /// In the order of the state file.
    pub options: Vec<(String, Json)>,
    /// In the order of the state file.
    pub progress: Vec<(String, Json)>,
    /// The user's own keys.
    pub added: Vec<(String, Json)>,
}

impl StateFile {
    /// The debate as it travels: without an owner, not running, and without secrets and paths of
    /// this machine.
    /// `docs/issue-body.md` lists the omitted keys. An error if it could not be read back, or was
    /// written by a newer Anvil.
    pub fn portable(mut self, scrubber: &Scrubber) -> Result<Self> {
        self.check_writable()?;
        self.extra.retain(|key, _| !is_seat_key(key));
        let debate = &mut self.debate;
        if debate.status() == Status::InProgress {
            debate.pause(PlainReason::Carried, debate.updated_at());
        }
        debate.disown();
        let scrub = |text: &str| scrubber.scrub(text);
        self.debate = self.debate.with_texts(&scrub);
        self.extra.values_mut().for_each(|value| value.with_texts(&scrub));
        self.body = transcript::with_texts(&self.body, &scrub);
        let read = Self::parse(&self.render()?)?;
        if read == self || Self::parse(&read.render()?)? == read {
            return Ok(read);
        }
        Err(FileError::NotReadBack.into())
    }

    /// A key of the user that would choose the writers. Such a key does not count.
    pub fn seat_key(&self) -> Option<&str> {
        self.extra.keys().map(String::as_str).find(|key| is_seat_key(key))
    }

    /// The keys of the head that travel.
    pub fn keys(&self) -> CarriedKeys {
        let mut keys = CarriedKeys::default();
        for (key, value) in fields::keys(&self.debate) {
            let list = match part(key) {
                Some(CarriedPart::Identity) => &mut keys.identity,
                Some(CarriedPart::Options) => &mut keys.options,
                Some(CarriedPart::Progress) => &mut keys.progress,
                Some(CarriedPart::Local) | None => continue,
            };
            list.push((key.to_owned(), json(&value)));
        }
        keys.added = self.extra.iter().map(|(key, value)| (key.clone(), json(value))).collect();
        keys
    }

    /// The debate with these keys and this transcript, as it travels. An error names the first
    /// invalid value; keys that stay behind are ignored.
    pub fn from_keys(keys: CarriedKeys, body: String) -> Result<Self> {
        let mut head = Frontmatter::from([("schema".to_owned(), Value::Number(fields::SCHEMA))]);
        let known = keys.identity.into_iter().chain(keys.options).chain(keys.progress);
        for (key, value) in known.filter(|(key, _)| !is_local(key)).chain(keys.added) {
            let value = value_of(value).ok_or_else(|| FileError::BadKey(key.clone()))?;
            if is_local(&key) || head.contains_key(&key) {
                return Err(FileError::BadKey(key).into());
            }
            head.insert(key, value);
        }
        // `portable` pauses a debate that claims to run.
        if head.get("status") == Some(&Value::Text(Status::InProgress.word().to_owned())) {
            head.insert("active".to_owned(), Value::Flag(true));
        }
        let (debate, extra) = fields::read(head)?;
        Self { debate, body, extra, newer_schema: None }.portable(&Scrubber::default())
    }
}

fn json(value: &Value) -> Json {
    serde_json::to_value(value).unwrap_or_default()
}

/// `None`: a head has no such value.
fn value_of(json: Json) -> Option<Value> {
    Some(match json {
        Json::Null => Value::Empty,
        Json::Bool(flag) => Value::Flag(flag),
        Json::Number(number) => Value::Number(number.as_i64()?),
        Json::String(text) => Value::Text(text),
        Json::Array(list) => {
            // A list in a list is no value.
            let scalars =
                list.into_iter().map(|json| if json.is_array() { None } else { value_of(json) });
            Value::List(scalars.collect::<Option<_>>()?)
        }
        Json::Object(_) => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::fields::keys;
    use super::super::fields::tests::{debate, full};
    use super::*;
    use anvil_core::debate::Debate;
    use jiff::Timestamp;
    use std::collections::BTreeMap;

    #[test]
    fn a_state_travels_as_it_is_read_back() {
        let mut state = StateFile::new(debate());
        let now = Timestamp::from_nanosecond(1_234_567_890).unwrap();
        state.debate.pause(PlainReason::Carried, now);
        state.debate.options.focus = Some(String::new());
        let carried = state.clone().portable(&Scrubber::default()).unwrap();
        let debate = &carried.debate;
        assert_eq!(
            (debate.updated_at().as_nanosecond(), &debate.options.focus),
            (1_234_000_000, &None)
        );
        state.debate = debate.clone();
        assert_eq!(carried, state);
    }

    #[test]
    fn every_key_is_written_from_the_part_that_owns_it() {
        let keys_of = |debate: &Debate| keys(debate).into_iter().collect::<BTreeMap<_, _>>();
        let all = keys_of(&full());
        assert!(all.keys().all(|key| part(key).is_some()), "{all:?}");
        let Debate { id, question, .. } = debate();
        let (bare, new, nobody) = debate().into_parts();
        let (options, progress, ownership) = full().into_parts();
        for (expected, options, progress, ownership) in [
            (CarriedPart::Options, options, new.clone(), nobody.clone()),
            (CarriedPart::Progress, bare.clone(), progress, nobody),
            (CarriedPart::Local, bare, new, ownership),
        ] {
            let changed =
                Debate::of_parts(id.clone(), question.clone(), options, progress, ownership);
            let before = keys_of(&debate());
            for (key, _) in
                keys_of(&changed).into_iter().filter(|(key, value)| before.get(key) != Some(value))
            {
                // Keys that follow from other keys, and the one option that names a path, stay on
                // this machine.
                let is_local = matches!(key, "active" | "output");
                assert_eq!(
                    part(key),
                    Some(if is_local { CarriedPart::Local } else { expected }),
                    "{key}"
                );
            }
        }
    }
}
