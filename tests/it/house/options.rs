//! An option of a debate is declared once, and all other code takes it from there.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anvil_core::debate::{DebateOption, Kept, MAX_NAME_CHARS, MAX_OWN_CHARS, MAX_VOICES};
use expect_test::expect_file;
use proc_macro2::{TokenStream, TokenTree};
use serde_json::{Value, json};

use super::code::sources;
use crate::report::schema::schema_in;

/// The files that declare an option, and that give it to clap.
const DECLARED: [&str; 2] =
    ["crates/anvil-core/src/debate/option.rs", "crates/anvil-command/src/options.rs"];

/// Words that are options elsewhere and mean something else here.
const HOMONYMS: &[(&str, &[&str])] = &[
    // Keys of the JSON that a command prints.
    ("src/cli/body.rs", &["max_rounds", "mode"]),
    ("src/cli/outcome.rs", &["review"]),
    ("src/cli/past.rs", &["mode", "rounds"]),
    ("src/cli/status.rs", &["max_rounds", "mode", "motion"]),
    // An option of the report.
    ("src/cli/report.rs", &["output"]),
    // An option of the measurement.
    ("crates/anvil-eval/src/arguments.rs", &["questions"]),
    // Words and options of other programs.
    ("src/hook/line.rs", &["plan"]),
    ("crates/anvil-context/src/changes.rs", &["diff"]),
    ("crates/anvil-context/src/pull_request.rs", &["diff", "pr"]),
    ("crates/anvil-system/src/forge/logins.rs", &["output"]),
    ("crates/anvil-system/src/process/git.rs", &["diff"]),
    // An option of another command, and a label in a reply.
    ("crates/anvil-command/src/steer.rs", &["motion"]),
    ("crates/anvil-core/src/debate/motion.rs", &["motion"]),
    // Words for a mode, an event and a field of a task.
    ("crates/anvil-core/src/debate/schedule.rs", &["options", "stakeholders"]),
    ("crates/anvil-core/src/options/debate.rs", &["stakeholders"]),
    ("crates/anvil-core/src/tasks/task.rs", &["context"]),
    ("crates/anvil-engine/src/session/brief.rs", &["stakeholders"]),
    // A line of a block.
    ("crates/anvil-core/src/ledger/verdicts.rs", &["judges", "motion"]),
    // A key of an issue's body.
    ("crates/anvil-store/src/issue_body/document.rs", &["options"]),
    // The parameters of an agent.
    ("crates/anvil-engine/src/defaults/seats.rs", &["context"]),
    // Labels for the user.
    ("crates/anvil-engine/src/history/search.rs", &["position"]),
    ("crates/anvil-messages/src/issue.rs", &["rounds"]),
    ("crates/anvil-messages/src/steering.rs", &["rounds"]),
    ("crates/anvil-messages/src/turns.rs", &["options", "rounds"]),
    ("crates/anvil-report/src/html/introduction.rs", &["questions", "rounds"]),
    ("crates/anvil-report/src/model/mod.rs", &["context", "focus", "framework", "rounds"]),
    ("crates/anvil-report/src/plain.rs", &["options", "position"]),
    // Kinds of texts, their folders and their placeholders.
    (
        "crates/anvil-prompt/src/library/built_in.rs",
        &["focus", "personas", "research", "stakeholders"],
    ),
    ("crates/anvil-prompt/src/library/mod.rs", &["framework", "mode", "persona"]),
    ("crates/anvil-prompt/src/prompt/protocol.rs", &["motion", "position"]),
    ("crates/anvil-prompt/src/prompt/shown.rs", &["motion", "position"]),
    ("crates/anvil-prompt/src/prompt/block.rs", &["motion", "options"]),
    ("crates/anvil-prompt/src/prompt/texts.rs", &["plan"]),
];

/// The texts in the code of a file.
fn texts(tokens: TokenStream, found: &mut Vec<String>) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => texts(group.stream(), found),
            TokenTree::Literal(literal) => {
                let text = syn::parse_str::<syn::LitStr>(&literal.to_string());
                found.extend(text.ok().map(|text| text.value()));
            }
            TokenTree::Ident(_) | TokenTree::Punct(_) => {}
        }
    }
}

/// The spellings of an option: typed, in a defaults file, in JSON and in the state file.
fn spellings() -> BTreeSet<String> {
    let of_one = |option: DebateOption| {
        let name = option.name();
        let keys = [option.key(), option.text_key()].map(str::to_owned);
        [name.to_owned(), name.replace('-', "_")].into_iter().chain(keys)
    };
    DebateOption::all().flat_map(of_one).collect()
}

fn spelled(code: &str, spellings: &BTreeSet<String>) -> BTreeSet<String> {
    let mut found = Vec::new();
    texts(code.parse().unwrap(), &mut found);
    let names = found.iter().map(|text| text.trim_start_matches("--").trim_end_matches('='));
    names.filter(|name| spellings.contains(*name)).map(str::to_owned).collect()
}

#[test]
fn no_option_is_spelled_twice() {
    let spellings = spellings();
    let mut found = BTreeMap::new();
    for file in sources().iter().filter(|file| !DECLARED.contains(&file.path.as_str())) {
        let words = spelled(&file.code, &spellings);
        if !words.is_empty() {
            found.insert(file.path.clone(), words);
        }
    }
    let known = HOMONYMS.iter().map(|(path, words)| {
        ((*path).to_owned(), words.iter().map(|word| (*word).to_owned()).collect())
    });
    assert_eq!(found, known.collect::<BTreeMap<_, BTreeSet<_>>>());
}

#[test]
fn an_option_is_found_in_every_spelling() {
    let code = r#"fn f() { g("rounds", "--rounds=", "max_rounds", "a focus"); h!("--fact-check"); }
        #[arg(conflicts_with = "follow_up")] struct S;"#;
    let expected = ["fact-check", "follow_up", "max_rounds", "rounds"].map(str::to_owned);
    assert_eq!(spelled(code, &spellings()), BTreeSet::from(expected));
}

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
