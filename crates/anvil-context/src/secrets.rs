//! Names that look like secrets. Pure.
//!
//! Invariant: the name decides, without the content. In doubt it is a secret: an omission is
//! reported, a leak can't be taken back.

use std::path::Path;

use super::names;

/// Folders that hold mostly secrets. The lists here are words between white space.
const FOLDERS: &str = "
    .ssh .aws .azure .gnupg .kube .docker .gcloud .password-store .terraform.d private_keys
";

/// Whole names.
const NAMES: &str = "
    .boto .databrickscfg .dbeaver-data-sources.xml .dev.vars .dockercfg .envrc .fetchmailrc
    .ftpconfig .git-credentials .htpasswd .msmtprc .muttrc .my.cnf .mylogin.cnf .netrc .npmrc
    .pgpass .pypirc .remote-sync.json .s3cfg .sentryclirc .terraformrc .vault-token .vault_pass
    .wgetrc _netrc application_default_credentials.json arduino_secrets.h auth.json database.yml
    filezilla.xml keyring keystore local.settings.json local_settings.py localsettings.php
    master.key otr.private_key pgpass.conf proftpdpasswd rclone.conf recentservers.xml
    robomongo.json secret_token.rb secrets.h secrets.py settings.local.json sftp-config.json
    sftp.json sitemanager.xml terraform.rc vault_pass.txt wallet.dat wp-config.php
";

/// A folder, and the name of a file in it that is harmless elsewhere.
const IN_FOLDERS: [(&str, &str); 6] = [
    ("gh", "hosts.yml"),
    ("tea", "config.yml"),
    ("doctl", "config.yaml"),
    ("etc", "shadow"),
    ("etc", "passwd"),
    (".gradle", "gradle.properties"),
];

/// Beginnings of names.
const BEGINNINGS: &str = "
    id_rsa id_dsa id_ecdsa id_ed25519 credentials .credentials secrets. .secrets client_secret
    .yarnrc kubeconfig passwords. secring.
";

/// Beginnings of the names of keys for cloud accounts; they end in `.json`.
const ACCOUNTS: &str = "service-account service_account serviceaccount gcloud-";

/// Endings of names.
const ENDINGS: &str = "
    .pem .key .p12 .pfx .pkcs12 .p8 .ppk .jks .keystore .kdbx .kdb .keychain .agilekeychain
    .kwallet .psafe3 .gpg .pgp .ovpn .tblk .bek .rdp .tfstate .tfvars .tfvars.json .kubeconfig
    .publishsettings .env _rsa _dsa _ecdsa _ed25519
";

/// Endings of sample files, which show the form of another file.
const SAMPLES: &str = ".example .sample .template .dist";

/// Endings of source files: such a file is code about secrets.
const SOURCES: &str = "
    .c .cc .clj .cpp .cs .css .dart .ex .exs .go .h .hpp .hs .html .java .js .jsx .kt .kts .lua
    .mjs .ml .php .pl .py .rb .rs .scala .sol .swift .ts .tsx .vue .zig
";

/// True if a file of this path looks like one that holds a secret.
pub(super) fn looks_secret(path: &Path) -> bool {
    let mut parts: Vec<String> = names::parts(path).map(|name| name.to_lowercase()).collect();
    let Some(name) = parts.pop() else { return false };
    let above = parts.last().map_or("", String::as_str);
    parts.iter().any(|folder| any(FOLDERS, |known| known == folder))
        || IN_FOLDERS.contains(&(above, &*name))
        || is_secret_name(&name)
}

/// True for a folder that holds only secrets.
pub(super) fn is_secret_folder(path: &Path) -> bool {
    looks_secret(&path.join("file"))
}

fn any(words: &str, is_it: impl FnMut(&str) -> bool) -> bool {
    words.split_ascii_whitespace().any(is_it)
}

fn is_secret_name(name: &str) -> bool {
    let begins = |words| any(words, |word| name.starts_with(word));
    let ends = |words| any(words, |word| name.ends_with(word));
    if ends(SAMPLES) || any(SAMPLES, |mark| name.contains(&format!("{mark}."))) {
        return false;
    }
    name.starts_with(".env")
        || any(NAMES, |known| known == name)
        || ends(ENDINGS)
        || (begins(BEGINNINGS) && !ends(SOURCES))
        || (begins(ACCOUNTS) || name.contains("firebase-adminsdk")) && ends(".json")
        // Histories of a prompt, which can have passwords.
        || (name.starts_with('.') && ends("_history histfile"))
        // Copies of such files.
        || any("~ .bak .old .orig .backup .save .swp", |ending| {
            name.strip_suffix(ending).is_some_and(is_secret_name)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_recognized_by_their_names() {
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
            "credentials.md",
            "kubeconfig.md",
            "secrets.yaml",
            ".netrc",
            ".npmrc",
            ".pypirc",
            "vault.kdbx",
            "/home/me/.aws/config",
            "/home/me/.ssh/known_hosts",
            ".env.bak",
            "server.pem~",
            "prod.tfvars",
            "prod.auto.tfvars.json",
            ".yarnrc",
            ".yarnrc.yml",
            "service-account.json",
            "service-account-prod.json",
            "app-firebase-adminsdk-x1.json",
            "site/wp-config.php",
            "wp-config.php.bak",
            ".claude/settings.local.json",
            "kubeconfig",
            "kubeconfig.yaml",
            "prod.kubeconfig",
            ".config/gh/hosts.yml",
            "deploy_rsa",
            ".bash_history",
            "secrets.py",
            "arduino_secrets.h",
            "passwords.csv",
            "/etc/shadow",
        ] {
            assert!(looks_secret(Path::new(secret)), "{secret}");
        }
    }

    #[test]
    fn other_names_are_not_secrets() {
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
            "src/context/secrets.rs",
            "internal/credentials.go",
            "CredentialsProvider.java",
            "client_secret_test.ts",
            "terraform.tfvars.example",
            "secrets.example.yaml",
            "wp-config-sample.php",
            "service-account.md",
            "settings.json",
            "hosts.yml",
            "history.rs",
            "shadow",
            "",
        ] {
            assert!(!looks_secret(Path::new(name)), "{name}");
        }
        assert!(is_secret_folder(Path::new("/home/me/.ssh")));
        assert!(!is_secret_folder(Path::new("src")));
    }

    #[test]
    fn every_name_of_the_documented_list_is_left_out() {
        let page = include_str!("../../../docs/ways-to-argue.md");
        let (_, list) = page.split_once("names that look like secrets:").unwrap();
        let (list, _) = list.split_once("except source code").unwrap();
        let names: Vec<&str> = list.split('`').skip(1).step_by(2).collect();
        assert!(names.len() >= 4, "{names:?}");
        for name in names {
            for part in ["x", ".md", ".txt", "-prod.yaml"] {
                let name = name.replace('*', part);
                assert!(looks_secret(Path::new(&name)), "{name}");
            }
        }
        assert!(!looks_secret(Path::new("credentials.rs")));
    }
}
