//! The schema of the state file has every option of a debate, with its bounds.

use std::path::Path;

use anvil_core::limits::{MAX_NAME_CHARS, MAX_OWN_CHARS, MAX_VOICES};
use anvil_core::options::{DebateOption, Kept};
use expect_test::expect_file;
use serde_json::{Value, json};

use crate::report::schema::schema_in;

/// The schema of a value.
fn schema_of(kept: Kept) -> Value {
    match kept {
        Kept::Flag(flag) => json!({"const": flag}),
        Kept::Number(least, most) => {
            json!({"type": "integer", "minimum": least, "maximum": most})
        }
        Kept::Text(most) => json!({"type": "string", "maxLength": most}),
        Kept::Voices(least) => {
            let mut schema = list(MAX_NAME_CHARS);
            if least > 0 {
                schema["minItems"] = least.into();
            }
            schema
        }
        Kept::Word(words) => json!({"enum": words}),
        Kept::Day => json!({"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"}),
    }
}

fn list(most_chars: usize) -> Value {
    json!({
        "type": "array",
        "maxItems": MAX_VOICES,
        "items": {"type": "string", "maxLength": most_chars},
    })
}

/// The schema's text with each option's key, before that of the next option.
fn with_every_option(mut schema: String) -> String {
    let mut next = "\"house_rules\": {".to_owned();
    for option in DebateOption::all().collect::<Vec<_>>().into_iter().rev() {
        let Some((key, kept)) = option.kept() else { continue };
        let begins = format!("\"{key}\": {{");
        if !schema.contains(&begins) {
            let text = format!("\"{key}\": {:#},\n", schema_of(kept)).replace('\n', "\n    ");
            schema.insert_str(schema.find(&next).unwrap(), &text);
        }
        next = begins;
    }
    schema
}

#[test]
fn the_schema_of_the_state_file_has_the_bounds_of_every_option() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/state-file.schema.json");
    let text = std::fs::read_to_string(&path).unwrap();
    expect_file![path].assert_eq(&with_every_option(text));
    let schema = schema_in("docs/state-file.schema.json");
    let of_key = |key: &str| {
        let mut own = schema["properties"][key].clone();
        own.as_object_mut().unwrap_or_else(|| panic!("{key}")).remove("description");
        own
    };
    for option in DebateOption::all() {
        let Some((key, kept)) = option.kept() else { continue };
        assert_eq!(of_key(key), schema_of(kept), "{key}");
        let text_key = option.text_key();
        if text_key != key {
            let is_list = matches!(kept, Kept::Voices(_));
            let text =
                if is_list { list(MAX_OWN_CHARS) } else { schema_of(Kept::Text(MAX_OWN_CHARS)) };
            assert_eq!(of_key(text_key), text, "{text_key}");
        }
    }
}
