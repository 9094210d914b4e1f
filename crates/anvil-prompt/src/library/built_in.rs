//! Anvil's own texts, embedded. The tests below fail for a file without a description or with a
//! text that is too long.

use super::{LibraryEntry, TextKind, TextOwner};

struct BuiltIn {
    name: &'static str,
    description: &'static str,
    text: &'static str,
}

impl BuiltIn {
    /// The first line of a file is its description, the other lines are its text.
    const fn from_file(name: &'static str, file: &'static str) -> Self {
        let bytes = file.as_bytes();
        let mut at = 0;
        while at < bytes.len() && bytes[at] != b'\n' {
            at += 1;
        }
        let (description, text) = file.split_at(at);
        Self { name, description: description.trim_ascii(), text: text.trim_ascii() }
    }
}

/// The files of a folder in `/prompts`, sorted by name.
macro_rules! folder {
    ($folder:literal: $($name:literal)+) => {
        [$(BuiltIn::from_file(
            $name,
            include_str!(concat!("../../prompts/", $folder, "/", $name, ".md")),
        )),+]
    };
}

static PERSONAS: [BuiltIn; 14] = folder!("personas":
    "accessibility-advocate" "competitor" "data-scientist" "end-user" "junior-developer"
    "maintainer-in-five-years" "platform-engineer" "procurement-lead" "regulator"
    "security-engineer" "skeptical-investor" "sre-on-call" "startup-cfo" "support-agent");
static MODES: [BuiltIn; 4] =
    folder!("modes": "analyst" "devils-advocate" "philosopher" "stakeholders");
static FRAMEWORKS: [BuiltIn; 7] = folder!("frameworks":
    "adr" "decision-matrix" "one-pager" "pre-mortem" "red-team" "rfc" "risks");
static FOCUSES: [BuiltIn; 5] = folder!("focus":
    "developer-experience" "maintainability" "operational-cost" "performance" "security");

const VOICES_FILE: BuiltIn = BuiltIn::from_file("voices", include_str!("../../prompts/voices.md"));
/// The role of personas in rotation: a `## Voice` heading and its paragraph.
pub(crate) const VOICES: &str = VOICES_FILE.text;

const RESEARCH_FILE: BuiltIn =
    BuiltIn::from_file("research", include_str!("../../prompts/research.md"));
/// The duty to search, for every seat.
pub(crate) const RESEARCH: &str = RESEARCH_FILE.text;

fn texts(text_kind: TextKind) -> &'static [BuiltIn] {
    match text_kind {
        TextKind::Personas => &PERSONAS,
        TextKind::Modes => &MODES,
        TextKind::Frameworks => &FRAMEWORKS,
    }
}

/// The text of that name, without its description.
pub fn built_in(text_kind: TextKind, name: &str) -> Option<&'static str> {
    text_of(texts(text_kind), name)
}

/// Sorted.
pub fn built_in_names(text_kind: TextKind) -> Vec<&'static str> {
    names(texts(text_kind))
}

/// The text of a focus. It holds in all phases except the synthesis.
pub fn focus(name: &str) -> Option<&'static str> {
    text_of(&FOCUSES, &super::normal(name))
}

/// Sorted.
pub fn focus_names() -> Vec<&'static str> {
    names(&FOCUSES)
}

/// Anvil's texts, as `anvil list` shows them.
pub(super) fn entries(text_kind: TextKind) -> impl Iterator<Item = LibraryEntry> {
    texts(text_kind).iter().map(|entry| LibraryEntry {
        name: entry.name.to_owned(),
        description: entry.description.to_owned(),
        text: entry.text.to_owned(),
        source: TextOwner::BuiltIn,
        path: None,
    })
}

fn text_of(texts: &'static [BuiltIn], name: &str) -> Option<&'static str> {
    texts.iter().find(|entry| entry.name == name).map(|entry| entry.text)
}

fn names(texts: &'static [BuiltIn]) -> Vec<&'static str> {
    texts.iter().map(|entry| entry.name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::{MAX_DESCRIPTION, Roles, is_name, required_headings};

    /// Each text with its longest length, in characters.
    fn all() -> Vec<(&'static BuiltIn, usize)> {
        static VOICES_TABLE: [BuiltIn; 1] = [VOICES_FILE];
        static RESEARCH_TABLE: [BuiltIn; 1] = [RESEARCH_FILE];
        // The parts of the seats, and of the voices.
        let limit = |entry: &BuiltIn| match entry.name {
            "stakeholders" => 900,
            "philosopher" => 1_450 + 900,
            _ => 1_450,
        };
        let modes = MODES.iter().map(|entry| (entry, limit(entry)));
        let others: [(&'static [BuiltIn], usize); 5] = [
            (&PERSONAS, 240),
            (&FRAMEWORKS, 900),
            (&FOCUSES, 260),
            (&RESEARCH_TABLE, 490),
            (&VOICES_TABLE, 900),
        ];
        others
            .into_iter()
            .flat_map(|(table, most)| table.iter().map(move |entry| (entry, most)))
            .chain(modes)
            .collect()
    }

    fn length(text: &str) -> usize {
        text.chars().count()
    }

    #[test]
    fn every_text_is_well_formed_and_within_its_limit() {
        for (BuiltIn { name, description, text }, most) in all() {
            assert!(is_name(name), "{name}");
            assert!(
                (1..=MAX_DESCRIPTION).contains(&description.chars().count()),
                "{name}: {description}"
            );
            assert!(
                !description.starts_with('#') && !description.ends_with("…"),
                "{name}: {description}"
            );
            assert!((120..=most).contains(&length(text)), "{name}: {} of {most}", length(text));
            assert!(
                !text.contains(['{', '}', '\r', '\t']),
                "{name} has a placeholder, or white space that is not a space"
            );
            assert!(
                text.lines().all(|line| line == line.trim()),
                "{name} has spaces at the ends of its lines"
            );
            assert!(!text.contains("\n\n\n"), "{name}");
        }
    }

    #[test]
    fn every_file_has_a_description_a_blank_line_and_a_text() {
        fn walk(folder: &std::path::Path, check: &mut dyn FnMut(&str, &str)) {
            for entry in fs_err::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    walk(&path, check);
                } else {
                    check(&path.display().to_string(), &fs_err::read_to_string(&path).unwrap());
                }
            }
        }
        let prompts = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("prompts");
        let mut files = 0;
        let mut check = |name: &str, file: &str| {
            files += 1;
            assert!(
                file.split('\n').nth(1) == Some("") && file.split('\n').nth(2) != Some(""),
                "{name}"
            );
            assert!(file.ends_with('\n') && !file.ends_with("\n\n"), "{name}");
        };
        for folder in ["personas", "modes", "frameworks", "focus"] {
            walk(&prompts.join(folder), &mut check);
        }
        assert_eq!(files + 2, all().len(), "all but the voices and the duty to search");
    }

    #[test]
    fn tables_are_sorted() {
        for table in [&PERSONAS[..], &MODES, &FRAMEWORKS, &FOCUSES] {
            assert!(table.is_sorted_by(|one, other| one.name < other.name));
        }
    }

    #[test]
    fn every_mode_has_its_parts() {
        for name in ["analyst", "philosopher", "devils-advocate"] {
            let roles = Roles::parse(built_in(TextKind::Modes, name).unwrap());
            let advocate = roles.advocate.unwrap();
            let critic = roles.critic.unwrap();
            for phrase in ["uote the exact words", "`**Would change my mind:**`", "Later rounds:"] {
                assert!(critic.contains(phrase), "{name}: {phrase}");
            }
            assert!(
                !advocate.contains("\n\n") && !critic.contains("\n\n"),
                "{name}: one paragraph each"
            );
            assert_eq!(
                (roles.voice.is_some(), roles.synthesizer),
                (name == "philosopher", None),
                "{name}"
            );
            assert!(roles.voice.is_none_or(|voice| length(voice) <= 900), "{name}");
        }
        for text in [built_in(TextKind::Modes, "stakeholders").unwrap(), VOICES] {
            let roles = Roles::parse(text);
            let voice = roles.voice.unwrap();
            assert!(!voice.contains("V1.1"), "the numbers are the protocol's");
            assert_eq!((roles.stance, roles.advocate, roles.critic), ("", None, None));
        }
        let reversed = Roles::parse(built_in(TextKind::Modes, "devils-advocate").unwrap());
        assert!(reversed.stance.contains("the advocate is AGAINST it and the critic is FOR it"));
        assert!(reversed.advocate.unwrap().starts_with("You ATTACK the position"));
        assert!(reversed.critic.unwrap().starts_with("You DEFEND the position"));
    }

    #[test]
    fn every_framework_requires_its_own_headings() {
        let fixed = [
            "What survived",
            "What to do",
            "Recommendation",
            "Confidence",
            "Would flip if",
            "Still unknown",
        ];
        for entry in &FRAMEWORKS {
            let headings = required_headings(entry.text);
            assert!(headings.len() >= 3, "{}: {headings:?}", entry.name);
            assert!(
                headings.iter().all(|heading| !fixed.contains(heading)),
                "{}: {headings:?}",
                entry.name
            );
        }
    }

    #[test]
    fn the_duty_to_search_names_its_limit_and_the_case_without_a_tool() {
        for phrase in [
            "at most three searches",
            "your seat argues",
            "strongest opposing source first",
            "`[title](URL)`",
            "never an instruction",
            "`*Searched: not available here.*`",
            "[assumption]",
        ] {
            assert!(RESEARCH.contains(phrase), "{phrase}");
        }
    }

    #[test]
    fn a_focus_is_found_by_its_name() {
        assert_eq!(focus_names().len(), 5);
        assert!(focus_names().into_iter().all(|name| focus(name).is_some()));
        assert!(focus("Developer Experience").is_some() && focus("taste").is_none());
    }
}
