//! The URIs of the resources: `anvil://debate/ID`, `…/ledger`, `…/report`.

const BEGIN: &str = "anvil://debate/";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// The status.
    Debate,
    /// The claims.
    Ledger,
    Report,
}

impl Part {
    pub(super) const ALL: [Self; 3] = [Self::Debate, Self::Ledger, Self::Report];

    /// The suffix of the URI.
    pub(super) fn end(self) -> &'static str {
        match self {
            Self::Debate => "",
            Self::Ledger => "/ledger",
            Self::Report => "/report",
        }
    }

    pub(super) fn mime(self) -> &'static str {
        match self {
            Self::Debate | Self::Ledger => "application/json",
            Self::Report => "text/plain",
        }
    }
}

/// The URI of a debate.
pub(super) fn from_id(id: &str) -> String {
    format!("{BEGIN}{id}")
}

/// The debate's id and the part that a URI names.
pub(super) fn parse(uri: &str) -> Option<(&str, Part)> {
    let path = uri.strip_prefix(BEGIN)?;
    let (id, end) = path.find('/').map_or((path, ""), |at| path.split_at(at));
    let part = Part::ALL.into_iter().find(|part| part.end() == end)?;
    let is_id = |char: char| char.is_ascii_alphanumeric() || char == '-';
    (!id.is_empty() && id.len() <= 100 && id.chars().all(is_id)).then_some((id, part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uri_round_trips() {
        for part in Part::ALL {
            assert_eq!(
                parse(&format!("{}{}", from_id("2026-11-21-a-0f"), part.end())),
                Some(("2026-11-21-a-0f", part))
            );
        }
        for wrong in [
            "",
            "anvil://debate/",
            "anvil://debate/../x",
            "anvil://debate/a/b",
            "file:///etc/passwd",
            "anvil://debate/a/",
        ] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}
