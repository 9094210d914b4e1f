//! The repository and its forge, from the URL of a git remote, or from the user's name for it.
//! Pure.

use super::ForgeError;
use anvil_text::error::Result;

/// A repository on a forge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Remote {
    /// In lower case, with the port of its pages, if it has its own.
    pub host: Option<String>,
    /// `OWNER/NAME`.
    pub repo: String,
    /// Its host is a name for ssh, which the user's configuration can give another meaning.
    pub is_ssh: bool,
}

impl Remote {
    /// `https://HOST/OWNER/NAME.git`, `ssh://git@HOST:22/OWNER/NAME`, `git@HOST:OWNER/NAME.git`.
    /// `None`: not on a forge.
    pub(crate) fn of_url(url: &str) -> Option<Self> {
        let (host, path, is_ssh) = if let Some((scheme, after)) = url.split_once("://") {
            let (host, path) = after.split_once('/')?;
            let host = host.rsplit('@').next()?;
            match scheme {
                "https" | "http" => (host, path, false),
                // The port of ssh is not that of the pages.
                "ssh" | "git+ssh" | "git" => (host.split(':').next()?, path, scheme != "git"),
                _ => return None,
            }
        } else {
            // As scp writes it; `C:\x` and `./a:b` are paths.
            let (host, path) = url
                .split_once(':')
                .filter(|(host, _)| !host.contains(['/', '\\']) && host.len() > 1)?;
            (host.rsplit('@').next()?, path, true)
        };
        let path = path.split(['?', '#']).next()?.trim_matches('/');
        // A page of an issue lies below its repository.
        let path = path.split("/issues/").next().and_then(|path| path.split("/pulls/").next())?;
        let path = path.split("/pull/").next()?;
        // If a forge lies below a path of its server, the last two parts are the repository.
        let mut parts = path.rsplit('/');
        let name = parts.next()?;
        let owner = parts.next()?;
        let name = name.strip_suffix(".git").unwrap_or(name);
        (is_host(host) && is_name(owner) && is_name(name)).then(|| Self {
            host: Some(of_pages(host)),
            repo: format!("{owner}/{name}"),
            is_ssh,
        })
    }

    /// `OWNER/NAME` or `HOST/OWNER/NAME`.
    pub(crate) fn of_name(typed: &str) -> Result<Self> {
        let parts: Vec<&str> = typed.split('/').collect();
        let (host, owner, name) = match parts[..] {
            [owner, name] => (None, owner, name),
            [host, owner, name] => (Some(host), owner, name),
            _ => (None, "", ""),
        };
        if host.is_none_or(is_host) && is_name(owner) && is_name(name) {
            let repo = format!("{owner}/{name}");
            return Ok(Self { host: host.map(of_pages), repo, is_ssh: false });
        }
        Err(ForgeError::BadRepo.into())
    }
}

/// The host that a name for ssh stands for: the `HostName` below a `Host` with exactly this name in
/// the user's configuration. Patterns, `Match`, `Include` and `%` do not count: nothing of it is run.
pub(super) fn of_alias(configuration: &str, alias: &str) -> Option<String> {
    let mut is_meant = false;
    for line in configuration.lines().map(str::trim) {
        let end = line.find([' ', '\t', '=']).unwrap_or(line.len());
        let (key, value) = line.split_at(end);
        let value = value.trim_matches([' ', '\t', '=', '"']);
        match key.to_ascii_lowercase().as_str() {
            "host" => {
                let mut names = value.split_whitespace().map(|name| name.trim_matches('"'));
                is_meant = names.any(|name| name.eq_ignore_ascii_case(alias));
            }
            "match" => is_meant = false,
            // ssh takes the first value.
            "hostname" if is_meant => return is_host(value).then(|| of_pages(value)),
            _ => {}
        }
    }
    None
}

/// The host of the pages, which gh knows: GitHub's repositories have other names for ssh.
fn of_pages(host: &str) -> String {
    let host = host.to_ascii_lowercase();
    if matches!(host.as_str(), "ssh.github.com" | "www.github.com") {
        "github.com".to_owned()
    } else {
        host
    }
}

/// True for a name that can't be taken for an option, another path or another argument.
fn is_name(name: &str) -> bool {
    (1..=100).contains(&name.len())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
        && !name.starts_with('-')
        && !matches!(name, "." | "..")
}

fn is_host(host: &str) -> bool {
    let (name, port) = host.split_once(':').map_or((host, None), |(name, port)| (name, Some(port)));
    (1..=250).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.'))
        && !name.starts_with('-')
        && port.is_none_or(|port| port.parse::<u16>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_form_of_a_remote_gives_its_repository() {
        for (url, host, repo) in [
            ("https://github.com/octo/hello.git", "github.com", "octo/hello"),
            ("https://github.com/octo/hello", "github.com", "octo/hello"),
            ("https://GitHub.com/Octo/hello.js/", "github.com", "Octo/hello.js"),
            ("https://user:token@git.example.org:3000/o/n.git", "git.example.org:3000", "o/n"),
            ("http://localhost:3000/sub/path/o/n", "localhost:3000", "o/n"),
            ("git@github.com:octo/hello.git", "github.com", "octo/hello"),
            ("ssh://git@ssh.github.com:443/octo/hello", "github.com", "octo/hello"),
            ("github-alias:octo/hello.git", "github-alias", "octo/hello"),
            ("ssh://git@codeberg.org:2222/o/n.git", "codeberg.org", "o/n"),
            ("https://git.example.org/o/n/issues/7", "git.example.org", "o/n"),
            ("https://git.example.org/o/n/pulls/7#note", "git.example.org", "o/n"),
        ] {
            let found = Remote::of_url(url).unwrap();
            assert_eq!((found.host.as_deref(), &*found.repo), (Some(host), repo), "{url}");
            assert_eq!(found.is_ssh, !url.starts_with("http"), "{url}");
        }
        for url in [
            "",
            "/srv/git/o/n.git",
            "../o/n",
            "file:///srv/o/n",
            "C:\\o\\n",
            "./a:b/c",
            "https://github.com/hello",
            "https://github.com",
            "https://-x/o/n",
            "https://a b/o/n",
            "git@host:--upload/n",
            "https://h/o/..",
            "https://h:99999/o/n",
            "https://h/o/a%20b",
        ] {
            assert_eq!(Remote::of_url(url), None, "{url}");
        }
    }

    #[test]
    fn a_repository_is_named_with_or_without_its_host() {
        let named = |typed| Remote::of_name(typed).map(|remote| (remote.host, remote.repo)).ok();
        assert_eq!(named("o/n"), Some((None, "o/n".into())));
        assert_eq!(
            named("Git.example.org:3000/o/n"),
            Some((Some("git.example.org:3000".into()), "o/n".into()))
        );
        for typed in ["", "o", "o/", "/n", "a/b/c/d", "../n", "o/n x", "-o/n", "h:x/o/n"] {
            assert_eq!(named(typed), None, "{typed}");
        }
    }

    #[test]
    fn an_alias_of_ssh_is_the_host_of_its_plain_lines() {
        let configuration = "\
            # HostName commented.example\n\
            Host *\n  HostName %h.example\n  User git\n\
            host work-hub personal \n\thostname = ssh.github.com\n  HostName later.example\n\
            Match exec \"touch /tmp/x\"\n  HostName match.example\n\
            Host=quoted\n  HostName=\"git.example.org\"\n\
            Host hostile\n  HostName -oProxyCommand=x\n\
            Host empty\n";
        for (alias, host) in [
            ("work-hub", Some("github.com")),
            ("PERSONAL", Some("github.com")),
            ("quoted", Some("git.example.org")),
            ("hostile", None),
            ("empty", None),
            ("other", None),
            ("*", None),
        ] {
            assert_eq!(of_alias(configuration, alias).as_deref(), host, "{alias}");
        }
    }

    proptest! {
        #[test]
        fn remote_text_never_becomes_an_option_or_another_path(
            url in "[a-z]{0,5}(://|:|@)?.{0,40}",
        ) {
            if let Some(Remote { host, repo, .. }) = Remote::of_url(&url) {
                let host = host.unwrap();
                prop_assert!(!host.starts_with('-') && !repo.starts_with('-'), "{} {}", host, repo);
                prop_assert!(repo.split('/').count() == 2);
                prop_assert!(!repo.split('/').any(|part| part == ".."));
                let is_plain =
                    |char: char| char.is_ascii_alphanumeric() || "-_./:".contains(char);
                prop_assert!(repo.chars().chain(host.chars()).all(is_plain));
            }
        }
    }
}
