//! Changes of a JSON field: to an impossible number, to another type, to foreign text.

use serde_json::{Value, json};

/// The text of a foreign file; it never becomes a reply.
pub(crate) const FORGED: &str = "forged by a stranger";

/// The new value of a field.
pub(crate) fn values() -> Vec<Value> {
    let numbers = [0, 1, -1, 4_294_967_294, 4_294_967_295, i64::MAX, i64::MIN]
        .map(|number: i64| json!(number));
    let others = [
        json!(u64::MAX),
        json!(1e308),
        json!(-1e308),
        json!(0.5),
        json!(true),
        json!(null),
        json!([]),
        json!({}),
    ];
    let texts = [
        "",
        FORGED,
        "\u{1b}[2J",
        "../../outside/precious",
        "2026-11-21T01:55:41Z",
        "9999-12-31T23:59:59Z",
        "-009999-01-01T00:00:00Z",
    ];
    let long = [json!("x".repeat(100_000)), json!(["1e308"]), json!([[[[[[[[]]]]]]]])];
    numbers.into_iter().chain(others).chain(texts.map(Value::from)).chain(long).collect()
}

/// The names that lead to each field of a value; items of a list go by their numbers.
pub(crate) fn fields(value: &Value) -> Vec<Vec<String>> {
    let inner: Vec<(String, &Value)> = match value {
        Value::Object(map) => map.iter().map(|(name, inner)| (name.clone(), inner)).collect(),
        Value::Array(list) => {
            list.iter().enumerate().map(|(at, inner)| (at.to_string(), inner)).collect()
        }
        _ => Vec::new(),
    };
    let below = |(name, inner): (String, &Value)| {
        let deeper = fields(inner)
            .into_iter()
            .map(|names| [std::slice::from_ref(&name), names.as_slice()].concat());
        [vec![name.clone()]].into_iter().chain(deeper).collect::<Vec<_>>()
    };
    inner.into_iter().flat_map(below).collect()
}

/// Changes the field that these names lead to; without a value it is removed.
pub(crate) fn change_field(value: &mut Value, names: &[String], to: Option<&Value>) {
    let (last, above) = names.split_last().expect("a field has a name");
    let pointer =
        above.iter().flat_map(|name| ["/".to_owned(), name.replace('~', "~0").replace('/', "~1")]);
    let pointer: String = pointer.collect();
    match (value.pointer_mut(&pointer).expect("the field is there"), to) {
        (Value::Object(map), Some(to)) => drop(map.insert(last.clone(), to.clone())),
        (Value::Object(map), None) => drop(map.remove(last)),
        (Value::Array(values), to) => {
            let at: usize = last.parse().expect("a place in a list");
            values.splice(at..=at, to.cloned());
        }
        _ => unreachable!("only what holds others has fields"),
    }
}
