//! The JSON document of a block, and back. `docs/issue-body.md` describes its fields.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use miniz_oxide::deflate::compress_to_vec_zlib;
use miniz_oxide::inflate::decompress_to_vec_zlib_with_limit;
use serde_json::{Map, Value};

use super::escape::unescape;
use super::sections::{ReadEntry, Sections, body_of};
use super::{BodyError, Packing, PortableDebate, VERSION, block};
use crate::{CarriedKeys, StateFile};
use anvil_core::options::is_seat_key;
use anvil_core::transcript::MAX_HEADINGS;
use anvil_text::{from_json, json_in_comment};

/// The level of compression, of 10: a higher one saves next to nothing.
const LEVEL: u8 = 9;

/// Most bytes of sections that are packed: a hundred times the size of a body. They are in memory
/// several times over.
const MAX_UNPACKED: usize = 8 * 1024 * 1024;

/// Most sections of a block: those of the longest transcript, and the user's own text between them.
const MAX_SECTIONS: usize = 2 * MAX_HEADINGS;

pub(crate) struct BlockDocument(String);

impl BlockDocument {
    pub(crate) fn new(carried: &PortableDebate, sections: &Sections, packing: Packing) -> Self {
        let list = Value::Array(sections.entries.clone()).to_string();
        // Sections that could not be unpacked again are not packed: they are too long either way.
        let (name, list) = if packing == Packing::Plain || list.len() > MAX_UNPACKED {
            ("sections", list)
        } else {
            ("deflated", text(&STANDARD.encode(compress_to_vec_zlib(list.as_bytes(), LEVEL))))
        };
        let CarriedKeys { options, progress, added, .. } = carried.state().keys();
        let debate = &carried.state().debate;
        let mut out = format!(
            "{{\"version\":{VERSION},\"revision\":{},\"id\":{},\"question\":{},\"pointer\":{},\
             \"options\":{}",
            carried.revision,
            text(&debate.id),
            text(&debate.question),
            object(&progress),
            object(&options)
        );
        if !added.is_empty() {
            out += ",\"added\":";
            out += &object(&added);
        }
        if !sections.is_titled {
            out += ",\"untitled\":true";
        }
        Self(json_in_comment(&format!("{out},\"{name}\":{list}}}")))
    }

    pub(crate) fn into_json(self) -> String {
        self.0
    }

    /// The block around the document.
    pub(crate) fn block(&self) -> String {
        format!("{}\n{}\n{}", block::BEGINS, self.0, block::ENDS)
    }

    /// Reads the document in a block.
    pub(crate) fn read(inner: &str) -> Result<PortableDebate, BodyError> {
        let Value::Object(mut found) = from_json(&*unescape(inner))
            .map_err(|error: serde_json::Error| broken(&error.to_string()))?
        else {
            return Err(broken("it is no JSON object"));
        };
        match found.get("version").and_then(Value::as_u64) {
            Some(VERSION) => {}
            Some(newer) if newer > VERSION => return Err(BodyError::Newer(newer)),
            _ => return Err(broken("its version is invalid")),
        }
        if let Some(key) = seat_key(&found) {
            return Err(BodyError::NamesAgent { key, line: None });
        }
        let revision = found
            .get("revision")
            .and_then(Value::as_u64)
            .ok_or_else(|| broken("it has no revision"))?;
        let is_titled = found.get("untitled") != Some(&Value::Bool(true));
        let keys = keys(&mut found)?;
        let sections = match (found.remove("sections"), found.remove("deflated")) {
            (Some(sections), None) => sections,
            (None, Some(Value::String(packed))) => {
                inflate(&packed).ok_or_else(|| broken("its texts can't be unpacked"))?
            }
            _ => return Err(broken("it has no sections")),
        };
        let sections = read_sections(&sections)?;
        let question = keys
            .identity
            .iter()
            .find(|(key, _)| key == "question")
            .and_then(|(_, question)| question.as_str())
            .unwrap_or_default();
        let body = body_of(is_titled, &sections, question).map_err(BodyError::Broken)?;
        let state = StateFile::from_keys(keys, body).map_err(|error| broken(&error.to_string()))?;
        Ok(PortableDebate { revision, state })
    }
}

fn broken(why: &str) -> BodyError {
    BodyError::Broken(why.to_owned())
}

fn read_sections(sections: &Value) -> Result<Vec<ReadEntry>, BodyError> {
    const WRONG: &str = "its sections are invalid";
    let list = sections.as_array().ok_or_else(|| broken(WRONG))?;
    if list.len() > MAX_SECTIONS {
        return Err(BodyError::TooMany { count: list.len(), most: MAX_SECTIONS });
    }
    list.iter().map(ReadEntry::parse).collect::<Option<_>>().ok_or_else(|| broken(WRONG))
}

/// A key of the document, or of one of its objects, that would choose the writers.
fn seat_key(found: &Map<String, Value>) -> Option<String> {
    ["pointer", "options", "added"]
        .iter()
        .filter_map(|name| found.get(*name)?.as_object())
        .chain([found])
        .flat_map(Map::keys)
        .find(|key| is_seat_key(key))
        .cloned()
}

/// The keys of the head that a document holds.
fn keys(found: &mut Map<String, Value>) -> Result<CarriedKeys, BodyError> {
    let mut keys = CarriedKeys::default();
    for name in ["id", "question"] {
        keys.identity.extend(found.remove(name).map(|value| (name.to_owned(), value)));
    }
    for name in ["pointer", "options", "added"] {
        match (name, found.remove(name)) {
            ("added", None) => {}
            ("added", Some(Value::Object(object))) => keys.added.extend(object),
            ("pointer", Some(Value::Object(object))) => keys.progress.extend(object),
            (_, Some(Value::Object(object))) => keys.options.extend(object),
            _ => return Err(broken(&format!("its {name} is invalid"))),
        }
    }
    Ok(keys)
}

fn inflate(packed: &str) -> Option<Value> {
    let bytes = STANDARD.decode(packed).ok()?;
    let inflated = decompress_to_vec_zlib_with_limit(&bytes, MAX_UNPACKED).ok()?;
    from_json(String::from_utf8(inflated).ok()?).ok()
}

fn text(text: &str) -> String {
    Value::from(text).to_string()
}

/// An object with its keys in this order.
fn object(fields: &[(String, Value)]) -> String {
    let fields: Vec<String> =
        fields.iter().map(|(key, value)| format!("{}:{value}", text(key))).collect();
    format!("{{{}}}", fields.join(","))
}
