//! Names that look like secrets. Pure.
//!
//! Invariant: a name is judged without a look at the content, and in doubt it is a secret: what is left out is said, what is
//! given away can't be taken back.

use std::path::{Component, Path};

/// Folders that hold little else.
const FOLDERS: [&str; 10] = [
    ".ssh",
    ".aws",
    ".azure",
    ".gnupg",
    ".kube",
    ".docker",
    ".gcloud",
    ".password-store",
    ".terraform.d",
    "private_keys",
];

/// Whole names.
const NAMES: [&str; 17] = [
    ".netrc",
    "_netrc",
    ".npmrc",
    ".yarnrc",
    ".pypirc",
    ".pgpass",
    ".my.cnf",
    ".htpasswd",
    ".git-credentials",
    ".dockercfg",
    ".boto",
    ".s3cfg",
    ".vault-token",
    ".envrc",
    "master.key",
    "kubeconfig",
    "terraform.tfvars",
];

/// How names begin.
const BEGINNINGS: [&str; 9] = [
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    "credentials",
    ".credentials",
    "secrets.",
    ".secrets",
    "client_secret",
];

/// How names end.
const ENDINGS: [&str; 16] = [
    ".pem",
    ".key",
    ".p12",
    ".pfx",
    ".p8",
    ".ppk",
    ".jks",
    ".keystore",
    ".kdbx",
    ".kdb",
    ".keychain",
    ".gpg",
    ".pgp",
    ".ovpn",
    ".tfstate",
    ".env",
];

/// Endings of the files that show what belongs in a `.env`.
const SAMPLES: [&str; 4] = [".example", ".sample", ".template", ".dist"];

/// True when a file of this path looks like one that holds a secret.
pub(super) fn looks_secret(path: &Path) -> bool {
    let mut parts = path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_string_lossy().to_lowercase()),
        _ => None,
    });
    let Some(name) = parts.next_back() else { return false };
    parts.any(|folder| FOLDERS.contains(&&*folder)) || is_secret_name(&name)
}

/// The same for a folder, with all that is in it.
pub(super) fn is_secret_folder(path: &Path) -> bool {
    looks_secret(&path.join("file"))
}

fn is_secret_name(name: &str) -> bool {
    if name.starts_with(".env") {
        return !SAMPLES.iter().any(|ending| name.ends_with(ending));
    }
    NAMES.contains(&name)
        || BEGINNINGS.iter().any(|beginning| name.starts_with(beginning))
        || ENDINGS.iter().any(|ending| name.ends_with(ending))
        // Copies of them.
        || name.strip_suffix('~').is_some_and(is_secret_name)
        || [".bak", ".old", ".orig", ".backup", ".save", ".swp"]
            .iter()
            .filter_map(|ending| name.strip_suffix(ending))
            .any(is_secret_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_told_by_their_names() {
        for secret in [
            ".env",
            ".env.local",
            ".ENV",
            "a/.env.production",
            "prod.env",
            "server.pem",
            "Server.KEY",
            "id_rsa",
            "id_rsa.pub",
            "id_ed25519_work",
            "a.p12",
            "a.pfx",
            "release.keystore",
            "credentials",
            "credentials.json",
            "secrets.yaml",
            ".netrc",
            ".npmrc",
            ".pypirc",
            "vault.kdbx",
            "/home/me/.aws/config",
            "/home/me/.ssh/known_hosts",
            ".env.bak",
            "server.pem~",
        ] {
            assert!(looks_secret(Path::new(secret)), "{secret}");
        }
    }

    #[test]
    fn other_names_are_not() {
        for name in [
            ".env.example",
            ".env.sample",
            "environment.rs",
            "keys.rs",
            "key",
            "monkey",
            "secret_sharing.md",
            "credential.rs",
            "README.md",
            "a/credentials-service/main.rs",
            "pem.rs",
            "ssh/client.rs",
            "",
        ] {
            assert!(!looks_secret(Path::new(name)), "{name}");
        }
        assert!(is_secret_folder(Path::new("/home/me/.ssh")));
        assert!(!is_secret_folder(Path::new("src")));
    }
}
