//! The versions of Claude Code that Anvil works with.

/// Major, minor, patch.
pub type Version = (u32, u32, u32);

/// The oldest version that Anvil works with.
pub const OLDEST: Version = (2, 1, 200);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Support {
    Supported,
    TooOld,
}

/// Whether Anvil works with the client that runs this hook. `agent` is its `AI_AGENT`, such as
/// `claude-code_2-1-329_harness`; clients before 2.1.143 set none.
///
/// A client keeps the name of another program that it was started by, such as `codex` (2.1.200 and
/// 2.1.332). Its own version is unknown then, and it counts as new enough.
pub(super) fn support(agent: Option<&str>) -> Support {
    let is_old = match agent.filter(|agent| !agent.is_empty()) {
        None => true,
        Some(agent) => {
            agent.strip_prefix("claude-code_").and_then(version).is_some_and(|own| own < OLDEST)
        }
    };
    if is_old { Support::TooOld } else { Support::Supported }
}

/// The version at the beginning of a text: `2.1.329 (Claude Code)`, `2-1-329_harness`.
pub fn version(text: &str) -> Option<Version> {
    let mut numbers = text.split(['.', '-', '_', ' ', '\n']).map(|number| number.parse().ok());
    Some((numbers.next()??, numbers.next()??, numbers.next()??))
}

/// A version as the client prints it.
pub fn version_text((major, minor, patch): Version) -> String {
    format!("{major}.{minor}.{patch}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_without_a_name_or_with_an_older_version_is_too_old() {
        for old in [
            None,
            Some(""),
            Some("claude-code_2-1-143_harness"),
            Some("claude-code_2-1-199_harness"),
            Some("claude-code_1-9-999_harness"),
        ] {
            assert_eq!(support(old), Support::TooOld, "{old:?}");
        }
        for new in [
            "claude-code_2-1-200_harness",
            "claude-code_2-1-332_harness",
            "claude-code_3-0-0_harness",
            "claude-code_3_harness",
            "codex",
        ] {
            assert_eq!(support(Some(new)), Support::Supported, "{new}");
        }
    }

    #[test]
    fn a_version_is_three_numbers() {
        for text in ["2.1.329 (Claude Code)\n", "2.1.329\n", "2-1-329_harness"] {
            assert_eq!(version(text), Some((2, 1, 329)), "{text}");
        }
        for text in ["", "2.1", "2-1_harness", "claude 2.1.3", "2.1.x"] {
            assert_eq!(version(text), None, "{text}");
        }
    }
}
