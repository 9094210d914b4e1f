//! The hosts to which gh is logged in. Only these hosts and hosts that the user
//! typed get a request: a git remote comes with a repository, and a request to its host would carry
//! the user's token.

use std::path::Path;

use yaml_rust2::YamlLoader;

use crate::process::Tools;

/// The host of every login of gh that names no other one. Tokens for other hosts are not sent to
/// it.
pub(super) const GITHUB: &str = "github.com";

/// Largest file of the user's that is read, in bytes.
const MAX_BYTES: u64 = 1024 * 1024;

/// The hosts to which gh is logged in: those of its own file, and the one that the user has set for
/// it. Uses no network: gh itself would send tokens.
pub(super) fn of_gh(tools: &Tools) -> Vec<String> {
    let documents = tools
        .gh_settings
        .as_ref()
        .and_then(|folder| read_short(&folder.join("hosts.yml")))
        .and_then(|text| YamlLoader::load_from_str(&text).ok())
        .unwrap_or_default();
    documents
        .iter()
        .filter_map(|document| document.as_hash())
        .flat_map(|hosts| hosts.keys())
        .filter_map(|host| host.as_str())
        .chain(tools.gh_host.as_deref())
        .map(str::to_ascii_lowercase)
        .collect()
}

/// The text of a file of the user's, if it is not too large.
pub(super) fn read_short(file: &Path) -> Option<String> {
    let meta = std::fs::metadata(file).ok()?;
    let is_short = meta.is_file() && meta.len() <= MAX_BYTES;
    is_short.then(|| fs_err::read_to_string(file).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gh_hosts_come_from_its_file_and_the_named_host() {
        let temp = tempfile::tempdir().unwrap();
        let tools = |gh_host: Option<&str>| Tools {
            gh_settings: Some(temp.path().to_owned()),
            gh_host: gh_host.map(str::to_owned),
            ..Tools::real()
        };
        assert_eq!(of_gh(&tools(Some("Git.mine.example"))), ["git.mine.example"]);
        let file = temp.path().join("hosts.yml");
        fs_err::write(
            &file,
            "GitHub.com:\n    user: octo\n    oauth_token: x\n    git_protocol: \
             ssh\n\"localhost:3000\":\n    users:\n        octo:\n",
        )
        .unwrap();
        assert_eq!(of_gh(&tools(None)), ["github.com", "localhost:3000"]);
        for nothing in ["", "- a\n- b\n", "{", "\u{0}", "text"] {
            fs_err::write(&file, nothing).unwrap();
            assert!(of_gh(&tools(None)).is_empty(), "{nothing:?}");
        }
    }
}
