//! The name of a debate: made once, safe as the name of a file everywhere.

use jiff::Timestamp;

/// Longest id, in bytes.
pub(super) const MAX_ID_BYTES: usize = 100;

/// True for a name that is safe as a file name everywhere.
pub(super) fn is_safe_id(id: &str) -> bool {
    let first = id.bytes().next();
    first.is_some_and(|byte| byte.is_ascii_alphanumeric())
        && id.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
}

/// Names a debate: its day, the first words of its question, four digits that tell two of a kind apart.
#[must_use]
pub fn new_id(question: &str, now: Timestamp, salt: &str) -> String {
    use std::hash::{DefaultHasher, Hash as _, Hasher as _};
    let mut slug = String::new();
    for word in question.split(|char: char| !char.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).take(4) {
        if slug.len() + word.len() > 32 {
            break;
        }
        slug.push_str(&word.to_ascii_lowercase());
        slug.push('-');
    }
    let mut hasher = DefaultHasher::new();
    (question, now.as_nanosecond(), salt).hash(&mut hasher);
    format!("{}-{slug}{:04x}", now.strftime("%Y-%m-%d"), hasher.finish() & 0xFFFF)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_made_of_the_day_and_the_first_words() {
        let now: Timestamp = "2026-11-21T01:55:41Z".parse().unwrap();
        let id = new_id("Should we, really, move to microservices?", now, "");
        assert!(
            id.starts_with("2026-11-21-should-we-really-move-")
                && id.len() == "2026-11-21-should-we-really-move-".len() + 4,
            "{id}"
        );
        for question in ["", "😀", "../../etc", &"x".repeat(100)] {
            assert!(is_safe_id(&new_id(question, now, "")), "{question}");
        }
        assert_ne!(new_id("Q", now, "one"), new_id("Q", now, "two"));
    }
}
