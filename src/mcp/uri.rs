//! The names of the resources: `anvil://debate/ID`, `…/ledger`, `…/report`.

const BEGIN: &str = "anvil://debate/";

/// What of a debate a resource is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// Where it stands.
    Debate,
    /// Its claims.
    Ledger,
    /// Its report.
    Report,
}

impl Part {
    /// All of them.
    pub(super) const ALL: [Self; 3] = [Self::Debate, Self::Ledger, Self::Report];

    /// The end of its name.
    pub(super) fn end(self) -> &'static str {
        match self {
            Self::Debate => "",
            Self::Ledger => "/ledger",
            Self::Report => "/report",
        }
    }

    /// Its form.
    pub(super) fn mime(self) -> &'static str {
        match self {
            Self::Debate | Self::Ledger => "application/json",
            Self::Report => "text/plain",
        }
    }
}

/// The name of a debate.
pub(super) fn of(id: &str) -> String {
    format!("{BEGIN}{id}")
}

/// The debate and the part that a name means. `None`: it is not one.
pub(super) fn parse(uri: &str) -> Option<(&str, Part)> {
    let rest = uri.strip_prefix(BEGIN)?;
    let (id, end) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
    let part = Part::ALL.into_iter().find(|part| part.end() == end)?;
    let is_id = |char: char| char.is_ascii_alphanumeric() || char == '-';
    (!id.is_empty() && id.len() <= 100 && id.chars().all(is_id)).then_some((id, part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_read_as_it_is_written() {
        for part in Part::ALL {
            assert_eq!(parse(&format!("{}{}", of("2026-11-21-a-0f"), part.end())), Some(("2026-11-21-a-0f", part)));
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
