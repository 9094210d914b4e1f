//! Recognizes secrets by their content: private keys, tokens of a public shape, passwords in URLs,
//! literals that are assigned to a name such as `DB_PASSWORD`. Pure.
//!
//! Invariants: the time to search a text grows with its length alone; the text around a secret
//! stays byte for byte; a text is masked before it is cut, because half of a secret has no shape.
//! Ordinary hashes, identifiers and images have no such shape.

use std::ops::Range;
use std::sync::LazyLock;

use regex_automata::meta::Regex;
use regex_automata::util::syntax;

use crate::{clean, group, is_unseen};

/// The beginning of the text that stands for a secret.
pub const MASK: &str = "[masked: ";

/// Most bytes that are dropped at the end of a cut text: longer than any secret without a space.
pub const TORN: usize = 16 * 1024;

/// Longest part of a URL that is searched, in characters.
const MAX_URL: usize = 400;

/// A secret's kind, and its range.
type Secret = (&'static str, Range<usize>);

/// A secret's kind and its shape. If a shape has a group, only the group is the secret. All shapes
/// begin with a fixed word, so that ordinary text is skipped quickly, and their look-ahead is
/// bounded, so that no text is searched again and again.
const SHAPES: [(&str, &str); 62] = [
    ("private key", PRIVATE_KEY),
    ("age key", r"AGE-SECRET-KEY-1[A-Z0-9]{58}"),
    (
        "password",
        concat!(
            r#"\bmachine[\s+-]{1,20}[^\s"'`<>]{1,250}[\s+-]{1,20}login[\s+-]{1,20}"#,
            r#"[^\s"'`<>]{1,250}[\s+-]{1,20}password[\s+-]{1,20}([^\s"'`<>]{1,300})"#,
        ),
    ),
    ("GitHub token", r"gh[pousr]_[A-Za-z0-9_]{36,}(?:\.[A-Za-z0-9_-]{16,}){0,2}"),
    ("GitHub token", r"github_pat_[A-Za-z0-9_]{40,}"),
    (
        "GitLab token",
        concat!(
            r"\bgl(?:pat|ptt|dt|rt|rtr|cbt|ft|ffct|imt|agent|oas|soat)-[A-Za-z0-9_-]{20,}",
            r"(?:\.[0-9a-z]{2})?(?:\.[0-9a-z]{9})?",
        ),
    ),
    ("GitLab token", r"GR1348941[A-Za-z0-9_-]{20,}"),
    ("AWS key", r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b"),
    ("AWS key", r"\bABSK[A-Za-z0-9+/]{100,}={0,2}"),
    (
        "AWS key",
        concat!(
            r#"(?:ecret_?[aA]ccess_?[kK]ey|SECRET_ACCESS_KEY)["']?[ \t]{0,5}[:=][ \t]{0,5}"#,
            r#"["']?([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+=]|$)"#,
        ),
    ),
    ("Google key", r"\bAIza[A-Za-z0-9_-]{35}"),
    ("Google token", r"\bya29\.[A-Za-z0-9_-]{20,}"),
    ("Google token", r"\b1//0[A-Za-z0-9_-]{40,}"),
    ("Google secret", r"GOCSPX-[A-Za-z0-9_-]{28}"),
    ("Azure key", r"AccountKey=([A-Za-z0-9+/]{86}==)"),
    ("Azure secret", r"[0-9]Q~[A-Za-z0-9_~.-]{31,34}"),
    ("Azure signature", r"[?&]sig=([A-Za-z0-9%/+]{43,}(?:%3[dD]|=))"),
    ("Slack token", r"\bxox[a-z](?:\.xox[a-z])?-[0-9][A-Za-z0-9-]{14,}"),
    ("Slack token", r"\bxox[ar]-[A-Za-z0-9]{20,}"),
    ("Slack token", r"\bxapp-[0-9]-[A-Za-z0-9-]{14,}"),
    ("Slack webhook", r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9+/]{30,})"),
    ("Discord webhook", r"discord(?:app)?\.com/api/webhooks/([0-9]{10,}/[A-Za-z0-9_-]{60,})"),
    ("Telegram token", r":AA[A-Za-z0-9_-]{33}\b"),
    ("Stripe key", r"\b[sr]k_(?:live|test|prod)_[A-Za-z0-9]{10,}"),
    ("Stripe key", r"\bwhsec_[A-Za-z0-9+/]{24,}={0,2}"),
    ("Anthropic key", r"\bsk-ant-[A-Za-z0-9_-]{24,}"),
    ("OpenAI key", r"\bsk-(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{24,}"),
    ("API key", r"\bsk-(?:or-v1-)?[A-Za-z0-9]{32,}"),
    ("API key", r"\bgsk_[A-Za-z0-9]{40,}"),
    ("API key", r"\bxai-[A-Za-z0-9]{60,}"),
    ("API key", r"\bpplx-[A-Za-z0-9]{40,}"),
    ("Hugging Face token", r"\bhf_[A-Za-z0-9]{34,}"),
    ("npm token", r"\bnpm_[A-Za-z0-9]{36,}"),
    ("npm token", r#":_(?:authToken|auth|password)[ \t]{0,5}=[ \t]{0,5}["']?([^\s"'$]{8,})"#),
    ("PyPI token", r"\bpypi-[A-Za-z0-9_-]{50,}"),
    ("RubyGems token", r"\brubygems_[a-f0-9]{48}"),
    ("crates.io token", r"\bcio[A-Za-z0-9]{32}\b"),
    ("Docker token", r"\bdckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}"),
    ("JSON web token", r"\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}(?:\.[A-Za-z0-9_-]+)?"),
    ("JSON web token", r"\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]{10,}){3}"),
    (
        "authorization",
        concat!(
            r#"uthorization["']?[ \t]{0,5}[:=][ \t]{0,5}["']?(?:[Bb]earer|[Bb]asic|[Tt]oken)"#,
            r#"[ \t]{1,5}([A-Za-z0-9._~+/-]{16,}=*)"#,
        ),
    ),
    ("SendGrid key", r"\bSG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}"),
    ("Twilio key", r"\bSK[0-9a-f]{32}\b"),
    ("Shopify token", r"\bshp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}"),
    ("Square token", r"\bsq0(?:atp|csp)-[A-Za-z0-9_-]{22,}"),
    ("DigitalOcean token", r"\bdo[opr]_v1_[a-f0-9]{64}"),
    ("Databricks token", r"\bdapi[a-f0-9]{32}(?:-[0-9])?"),
    ("Vault token", r"\bhv[sbr]\.[A-Za-z0-9_-]{24,}"),
    ("Terraform token", r"\.atlasv1\.([A-Za-z0-9_=-]{60,})"),
    ("Doppler token", r"\bdp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9_.-]{40,}"),
    ("Grafana token", r"\bglsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}"),
    ("Grafana token", r"\bglc_[A-Za-z0-9+/]{32,}={0,3}"),
    ("Sentry token", r"\bsntry[su]_[A-Za-z0-9+/=_]{40,}"),
    ("Postman key", r"\bPMAK-[a-f0-9]{24}-[a-f0-9]{34}"),
    ("Pulumi token", r"\bpul-[a-f0-9]{40}"),
    ("PlanetScale token", r"\bpscale_(?:tkn|oauth|pw)_[A-Za-z0-9_=.-]{32,}"),
    ("Supabase key", r"\bsb(?:p_[a-f0-9]{40}|_secret_[A-Za-z0-9_-]{20,})"),
    ("Figma token", r"\bfigd_[A-Za-z0-9_-]{40,}"),
    ("Notion token", r"\bntn_[0-9]{11}[A-Za-z0-9]{35}"),
    ("Linear key", r"\blin_api_[A-Za-z0-9]{40}"),
    ("Atlassian token", r"\bATATT3[A-Za-z0-9_=-]{50,}"),
    ("1Password token", r"\bops_eyJ[A-Za-z0-9+/]{100,}={0,3}"),
];

/// A key between its lines, or from its first line on if the last is missing: also in a diff, in a
/// comment, in a string with `\n` in it. Code that only mentions the first line is not a key.
const PRIVATE_KEY: &str = concat!(
    "-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----",
    r#"(?:(?:\\[rnt]|[\s"'`+,|>#*;/()\\-]){1,40}[A-Za-z][A-Za-z-]{2,20}: [^\n\\]{0,120}){0,5}"#,
    r#"(?:(?:\\[rnt]|[\s"'`+,|>#*;/()\\-]){0,40}[A-Za-z0-9+/=]{16,})+"#,
    r#"(?:(?:(?:\\[rnt]|[\s"'`+,|>#*;/()\\-]){1,40}[A-Za-z0-9+/=]{1,15})?"#,
    r#"(?:\\[rnt]|[\s"'`+,|>#*;/()\\-]){0,40}"#,
    r"-----END (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----)?",
);

/// A text without its secrets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Masked {
    pub text: String,
    /// The ends of the masks in it, in bytes.
    pub ends: Vec<usize>,
}

/// The text with `[masked: GitHub token]` instead of each secret.
pub fn mask(text: String) -> Masked {
    let found = secrets(&text);
    if found.is_empty() {
        return Masked { text, ends: Vec::new() };
    }
    let mut masked = Masked::default();
    let mut at = 0;
    for (kind, range) in found {
        masked.text.push_str(&text[at..range.start]);
        masked.text.push_str(MASK);
        masked.text.push_str(kind);
        masked.text.push(']');
        masked.ends.push(masked.text.len());
        at = range.end;
    }
    masked.text.push_str(&text[at..]);
    masked
}

/// The text without its secrets, and the secrets in order.
pub fn mask_and_keep(text: String) -> (String, Vec<String>) {
    let kept = secrets(&text).into_iter().map(|(_, range)| text[range].to_owned()).collect();
    (mask(text).text, kept)
}

/// A name in a line, without secrets.
pub fn line(text: &str, most: usize) -> String {
    clean(&mask(text.to_owned()).text, most)
}

/// A text that was cut elsewhere, without the piece of a word at its end: it may be half of a
/// secret.
pub fn without_torn_end(text: &str) -> &str {
    let mut least = text.len().saturating_sub(TORN);
    while !text.is_char_boundary(least) {
        least += 1;
    }
    let end = text[least..].rfind([' ', '\n', '\t']).map_or(least, |at| least + at + 1);
    &text[..end]
}

/// `2 secrets`
pub fn secrets_are(count: usize) -> String {
    format!("{} {}", group(count), if count == 1 { "secret is" } else { "secrets are" })
}

/// The secrets in order: those of the text, and those of its visible text.
fn secrets(text: &str) -> Vec<Secret> {
    let search = |text: &str| {
        let mut found = of_shapes(text);
        found.extend(in_urls(text));
        found.extend(in_assignments(text));
        found
    };
    let mut found = search(text);
    if text.chars().any(is_hidden) {
        let (seen, gaps) = without_hidden(text);
        for (kind, range) in search(&seen) {
            let before_start = gaps.partition_point(|(at, _)| *at <= range.start);
            let before_end = gaps.partition_point(|(at, _)| *at < range.end);
            let start = range.start + removed_bytes(&gaps[..before_start]);
            let end = range.end + removed_bytes(&gaps[..before_end]);
            found.push((kind, start..end));
        }
    }
    found.sort_by_key(|(_, range)| range.start);
    let mut out: Vec<Secret> = Vec::new();
    for (kind, range) in found {
        match out.last_mut() {
            Some((_, last)) if range.start < last.end => last.end = last.end.max(range.end),
            Some(_) | None => out.push((kind, range)),
        }
    }
    out
}

/// The bytes that were removed up to the last of these gaps.
fn removed_bytes(gaps: &[(usize, usize)]) -> usize {
    gaps.last().map_or(0, |(_, removed)| *removed)
}

/// True for a character that splits a secret which a reader or a program joins again. White space
/// splits it for all of them.
fn is_hidden(char: char) -> bool {
    is_unseen(char) && !char.is_whitespace()
}

/// The text without hidden characters, and their places: an offset in the new text, and the bytes
/// that were removed up to it.
fn without_hidden(text: &str) -> (String, Vec<(usize, usize)>) {
    let mut seen = String::with_capacity(text.len());
    let mut gaps = Vec::new();
    let mut removed = 0;
    for char in text.chars() {
        if is_hidden(char) {
            removed += char.len_utf8();
            gaps.push((seen.len(), removed));
        } else {
            seen.push(char);
        }
    }
    (seen, gaps)
}

/// Passwords and tokens in URLs: `scheme://USER:PASSWORD@`, `scheme://TOKEN@`.
fn in_urls(text: &str) -> Vec<Secret> {
    let mut out = Vec::new();
    for (at, mark) in text.match_indices("://") {
        let start = at + mark.len();
        let tail = &text[start..];
        let end = tail
            .char_indices()
            .enumerate()
            .find(|(count, (_, char))| *count == MAX_URL || ends_url(*char))
            .map_or(tail.len(), |(_, (end, _))| end);
        let word = tail[..end].split("://").next().unwrap_or_default();
        if let Some(password) = password(word) {
            let start = start + word.find(':').map_or(0, |colon| colon + 1);
            out.push(("password", start..start + password.len()));
        } else if let Some((token, _)) = word.split_once('@').filter(|(user, _)| is_token(user)) {
            out.push(("token", start..start + token.len()));
        }
    }
    out
}

fn ends_url(char: char) -> bool {
    char.is_ascii_whitespace() || matches!(char, '#' | '"' | '\'' | '`' | '<' | '>' | '\\')
}

/// The password of a URL without its scheme: the text after the user's name, up to the last `@`.
fn password(word: &str) -> Option<&str> {
    let (user, tail) = word.split_once(':')?;
    let (password, _) = tail.rsplit_once('@')?;
    if user.contains(['/', '?', '@', '[']) || password.is_empty() {
        return None;
    }
    // With `/` or `?` in it, it may be a port and a path: `http://host:80/a@b`.
    let authority = tail.split(['/', '?']).next().unwrap_or_default();
    let is_other = if let Some((inner, _)) = authority.rsplit_once('@') {
        is_placeholder(inner)
    } else {
        let following = authority.trim_start_matches(|char: char| char.is_ascii_digit());
        let is_port = following.is_empty()
            || following.starts_with(',')
            || following.eq_ignore_ascii_case("port");
        is_port
            || is_placeholder(following)
            || following.starts_with('$')
            || following.contains('{')
    };
    (!is_other && !is_placeholder(password)).then_some(password)
}

/// True for a user's name that is a token: long, of letters and digits.
fn is_token(user: &str) -> bool {
    (20..=300).contains(&user.len())
        && user.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
        && user.bytes().any(|byte| byte.is_ascii_digit())
        && user.bytes().any(|byte| byte.is_ascii_alphabetic())
}

fn of_shapes(text: &str) -> Vec<Secret> {
    static SEARCH: LazyLock<Regex> = LazyLock::new(|| {
        let shapes = SHAPES.map(|(_, shape)| shape);
        let syntax = syntax::Config::new().unicode(false).utf8(false);
        Regex::builder().syntax(syntax).build_many(&shapes).expect("the shapes are constants")
    });
    let mut out = Vec::new();
    for found in SEARCH.captures_iter(text) {
        let (Some(id), Some(whole)) = (found.pattern(), found.get_match()) else { continue };
        let range = found.get_group(1).unwrap_or_else(|| whole.span());
        let start = range.start;
        let end = range.end;
        let Some(secret) = text.get(start..end) else { continue };
        if !is_placeholder(secret) {
            out.push((SHAPES[id.as_usize()].0, start..end));
        }
    }
    out
}

/// Longest literal that is assigned, and longest name before it that is looked at, in bytes.
const MAX_LITERAL: usize = 300;

/// Literals that are assigned to a name of a password: `DB_PASSWORD=hunter2`,
/// `password = "hunter2"`. A variable, a call and a placeholder are no literals.
fn in_assignments(text: &str) -> Vec<Secret> {
    static NAMES: LazyLock<Regex> = LazyLock::new(|| {
        let syntax = syntax::Config::new().unicode(false).utf8(false).case_insensitive(true);
        let names = concat!(
            r"(?:(passw(?:or)?d|passphrase|[_-]pwd)|secret(?:[_-]?key)?|api[_-]?key",
            r"|(?:access|api|auth|bearer|bot|client|refresh|session)[_-]?token)",
            r#"\\?["']?[ \t]{0,8}(?::=|=>|[=:])([ \t]{0,8})"#,
        );
        Regex::builder().syntax(syntax).build(names).expect("the names are a constant")
    });
    let mut out = Vec::new();
    for found in NAMES.captures_iter(text) {
        let (Some(whole), Some(gap)) = (found.get_match(), found.get_group(2)) else { continue };
        let tail = &text[whole.end()..];
        let quote = tail.trim_start_matches('\\').chars().next();
        let literal = match quote.filter(|quote| ['"', '\'', '`'].contains(quote)) {
            Some(quote) => quoted_literal(tail, quote),
            None => bare_literal(text, whole.start(), tail, gap.is_empty()),
        };
        let Some(literal) = literal.map(|range| whole.end() + range.start..whole.end() + range.end)
        else {
            continue;
        };
        if !is_placeholder(&text[literal.clone()]) && !is_example(&text[literal.clone()]) {
            let kind = if found.get_group(1).is_some() { "password" } else { "secret" };
            out.push((kind, literal));
        }
    }
    out
}

/// The literal between quotes at the start of a text: one word on one line.
fn quoted_literal(tail: &str, quote: char) -> Option<Range<usize>> {
    let start = tail.find(quote)? + 1;
    let ends = |(at, char): &(usize, char)| {
        *at >= MAX_LITERAL || *char == quote || *char == '\\' || char.is_whitespace()
    };
    let (length, end) = tail[start..].char_indices().find(ends)?;
    let is_word = end == quote || end == '\\';
    (is_word && length >= 4).then_some(start..start + length)
}

/// The literal without quotes at the start of a text: in a line that only assigns, after a name in
/// capitals, or in a list such as `Server=x;Password=y`.
fn bare_literal(text: &str, name: usize, tail: &str, is_tight: bool) -> Option<Range<usize>> {
    let window = &text.as_bytes()[name.saturating_sub(MAX_LITERAL)..name];
    let is_of_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.-".contains(byte);
    let start = window.iter().rposition(|byte| !is_of_name(byte)).map_or(0, |at| at + 1);
    let word: Vec<u8> = text.as_bytes()[name..]
        .iter()
        .take_while(|byte| is_of_name(byte))
        .chain(&window[start..])
        .copied()
        .collect();
    let before = window[..start].rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    let end = tail
        .char_indices()
        .find(|(at, char)| *at >= MAX_LITERAL || char.is_whitespace() || "&;,\"'`".contains(*char))
        .map_or(tail.len(), |(at, _)| at);
    let value = tail[..end].trim_end_matches(['.', ')', ':']);
    let following = tail[end..].lines().next().unwrap_or_default().trim();
    let is_in_capitals = !word.iter().any(u8::is_ascii_lowercase);
    let is_in_list = is_tight && matches!(before.last(), Some(b';' | b'?' | b'&'));
    let opens = [&b""[..], b"+", b"-", b">", b"export", b"ENV", b"ARG", b"set"];
    let is_alone = following.is_empty() && opens.contains(&before.trim_ascii());
    // A variable has no digit; a version, a path of fields and a call have other signs.
    let is_code = value.contains(['(', '[', '{', '<', '$', '.']) && !is_in_list;
    let is_literal = value.bytes().any(|byte| byte.is_ascii_digit() || b"!@#%^*+".contains(&byte));
    let counts = if is_in_capitals && is_tight {
        !value.contains(['(', '[', '{', '<', '$']) && !is_path_of_fields(value)
    } else {
        (is_alone || is_in_list) && is_literal && !is_code
    };
    (counts && value.chars().count() >= 4).then_some(0..value.len())
}

/// True for `settings.password`.
fn is_path_of_fields(value: &str) -> bool {
    value.contains('.')
        && value.split('.').all(|part| {
            part.starts_with(|char: char| char.is_ascii_alphabetic() || char == '_')
                && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        })
}

/// Words of which the examples of passwords are made, and the types of a password.
const EXAMPLES: [&str; 62] = [
    "a",
    "access",
    "admin",
    "an",
    "api",
    "app",
    "auth",
    "change",
    "changeme",
    "client",
    "db",
    "default",
    "dummy",
    "empty",
    "enter",
    "env",
    "example",
    "fake",
    "false",
    "hashed",
    "here",
    "hidden",
    "input",
    "insert",
    "key",
    "me",
    "missing",
    "my",
    "nil",
    "no",
    "none",
    "null",
    "optional",
    "pass",
    "passphrase",
    "passwd",
    "password",
    "placeholder",
    "pwd",
    "redacted",
    "removed",
    "replace",
    "required",
    "sample",
    "secret",
    "some",
    "str",
    "string",
    "test",
    "text",
    "the",
    "this",
    "todo",
    "token",
    "true",
    "undefined",
    "user",
    "value",
    "varchar",
    "with",
    "yes",
    "your",
];

/// True for a text that only stands for a password: `your-password-here`, `string`.
fn is_example(value: &str) -> bool {
    value.contains("://")
        || value.starts_with(['$', '{', '<', '%', '@', '#'])
        || value.contains("${")
        || value.contains("{{")
        || value
            .split(|char: char| !char.is_alphabetic())
            .filter(|word| !word.is_empty())
            .flat_map(words_of)
            .all(|word| EXAMPLES.contains(&word.to_ascii_lowercase().as_str()))
            && value.chars().any(char::is_alphabetic)
            && !value.contains(|char: char| char.is_ascii_digit())
}

/// The words of a name in camel case.
fn words_of(name: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut from = 0;
    let mut was_lower = false;
    for (at, char) in name.char_indices() {
        if was_lower && char.is_uppercase() {
            words.push(&name[from..at]);
            from = at;
        }
        was_lower = char.is_lowercase();
    }
    words.push(&name[from..]);
    words
}

/// True for a placeholder of a secret: `${TOKEN}`, `$PASSWORD`, `{password}`, `%s`, `***`.
fn is_placeholder(secret: &str) -> bool {
    let is_in_braces = [("${", '}'), ("$(", ')'), ("{", '}'), ("[", ']')]
        .into_iter()
        .any(|(start, end)| secret.starts_with(start) && secret.ends_with(end));
    let is_variable = secret.strip_prefix('$').is_some_and(|name| {
        !name.is_empty() && name.chars().all(|char| char.is_ascii_uppercase() || char == '_')
    });
    is_in_braces
        || is_variable
        || secret.chars().all(|char| ['*', '.', 'x', 'X', '…'].contains(&char))
        || ["%s", "%d", "%v"].contains(&secret)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::time::{Duration, Instant};

    fn letters(count: usize) -> String {
        "aB3dE5gH1jK2".chars().cycle().take(count).collect()
    }

    fn hex(count: usize) -> String {
        "0a1b2c3d4e5f".chars().cycle().take(count).collect()
    }

    fn pem(kind: &str, joint: &str) -> String {
        let lines = [&*letters(64), &*letters(64), "aBcD=="].join(joint);
        format!(
            "-----BEGIN {kind}PRIVATE KEY-----{joint}{lines}{joint}-----END {kind}PRIVATE KEY-----"
        )
    }

    /// One of each kind, made up here: a scanner finds no secret in this file.
    fn planted() -> Vec<(&'static str, String)> {
        let jwt = format!("eyJ{}.eyJ{}.{}", letters(20), letters(40), letters(43));
        vec![
            ("private key", pem("", "\n")),
            ("private key", pem("RSA ", "\n")),
            ("private key", pem("OPENSSH ", "\\n")),
            ("private key", pem("EC ", "\n+")),
            ("private key", pem("EC ", "\n-")),
            ("private key", pem("", "\n// ")),
            (
                "private key",
                pem("RSA ", "\n").replacen(
                    "-----\n",
                    "-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,AB\n\n",
                    1,
                ),
            ),
            ("GitHub token", format!("ghp_{}", letters(36))),
            ("GitHub token", format!("ghs_{}.{}.{}", letters(40), letters(50), letters(43))),
            ("GitHub token", format!("github_pat_{}_{}", letters(22), letters(59))),
            ("GitLab token", format!("glpat-{}", letters(20))),
            ("GitLab token", format!("glpat-{}.01.0a1b2c3d4", letters(30))),
            ("AWS key", format!("AKIA{}", "Q2W3E4R5".repeat(2))),
            ("Google key", format!("AIza{}", letters(35))),
            ("Google token", format!("ya29.{}", letters(60))),
            ("Google secret", format!("GOCSPX-{}", letters(28))),
            ("Slack token", format!("xoxb-123456789012-123456789012-{}", letters(24))),
            ("Stripe key", format!("sk_live_{}", letters(24))),
            ("Anthropic key", format!("sk-ant-api03-{}AA", letters(93))),
            ("OpenAI key", format!("sk-proj-{}", letters(120))),
            ("API key", format!("sk-{}", letters(48))),
            ("Hugging Face token", format!("hf_{}", letters(34))),
            ("npm token", format!("npm_{}", letters(36))),
            ("PyPI token", format!("pypi-AgEIcHlwaS5vcmc{}", letters(70))),
            ("crates.io token", format!("cio{}", letters(32))),
            ("Docker token", format!("dckr_pat_{}", letters(27))),
            ("JSON web token", jwt),
            ("SendGrid key", format!("SG.{}.{}", letters(22), letters(43))),
            ("Twilio key", format!("SK{}", hex(32))),
            ("Vault token", format!("hvs.{}", letters(95))),
            ("DigitalOcean token", format!("dop_v1_{}", hex(64))),
            ("Atlassian token", format!("ATATT3{}", letters(180))),
        ]
    }

    #[test]
    fn each_kind_of_secret_is_masked_and_named() {
        for (kind, secret) in planted() {
            for (before, after) in
                [("", ""), ("key = \"", "\"\nnext"), ("é", "é"), ("(", ")."), ("+  ", "\n-x")]
            {
                let masked = mask(format!("{before}{secret}{after}"));
                assert_eq!(masked.text, format!("{before}[masked: {kind}]{after}"), "{secret}");
                assert_eq!(masked.ends, [masked.text.len() - after.len()]);
                assert_eq!(
                    mask(masked.text.clone()),
                    Masked { text: masked.text, ends: Vec::new() }
                );
            }
        }
    }

    #[test]
    fn only_the_secret_in_a_line_is_masked() {
        let forty = letters(40);
        let long = letters(86);
        for (line, expected) in [
            (
                "postgres://app:hunter2@db.example.org/x".to_owned(),
                "postgres://app:[masked: password]@db.example.org/x",
            ),
            (
                "https://u:p@ss:w@rd@example.org".to_owned(),
                "https://u:[masked: password]@example.org",
            ),
            ("postgres://u:pass/x@h".to_owned(), "postgres://u:[masked: password]@h"),
            (
                "a://u:p@h,b://v:q@h".to_owned(),
                "a://u:[masked: password]@h,b://v:[masked: password]@h",
            ),
            ("amqp://u:a?b/c@d@h:5672/v".to_owned(), "amqp://u:[masked: password]@h:5672/v"),
            (format!("https://{}@host/x.git", letters(20)), "https://[masked: token]@host/x.git"),
            (
                "machine h login y password hunter2".to_owned(),
                "machine h login y password [masked: password]",
            ),
            (
                "machine h\n  login y\n  password hunter2\n".to_owned(),
                "machine h\n  login y\n  password [masked: password]\n",
            ),
            ("redis://:pässwörd@host:6379".to_owned(), "redis://:[masked: password]@host:6379"),
            (
                format!("aws_secret_access_key = {forty}"),
                "aws_secret_access_key = [masked: AWS key]",
            ),
            (
                format!("\"SecretAccessKey\": \"{forty}\","),
                "\"SecretAccessKey\": \"[masked: AWS key]\",",
            ),
            (format!("AccountKey={long}==;End"), "AccountKey=[masked: Azure key];End"),
            (
                "Authorization: Bearer abcdef0123456789".to_owned(),
                "Authorization: Bearer [masked: authorization]",
            ),
            (
                "//host.example/:_authToken=0a1b2c3d4e".to_owned(),
                "//host.example/:_authToken=[masked: npm token]",
            ),
            (
                format!("https://hooks.slack.com/services/T0000/B0000/{}", letters(24)),
                "https://hooks.slack.com/services/[masked: Slack webhook]",
            ),
        ] {
            assert_eq!(mask(line).text, expected);
        }
    }

    #[test]
    fn a_literal_that_is_assigned_to_the_name_of_a_password_is_masked() {
        for line in [
            "DB_PASSWORD=§",
            "export DB_PASSWORD=§ # for the tests",
            "docker run -e POSTGRES_PASSWORD=§ db",
            "Set DB_PASSWORD=§, then start it.",
            "password = \"§\"",
            "let password = '§';",
            "{\"password\": \"§\"}",
            "'{\\\"dbPassword\\\": \\\"§\\\"}'",
            "  db_passwd: §",
            "+  password: §",
            "spring.datasource.password=§",
            "Server=db;User=app;Password=§;Encrypt=yes",
            "https://h/login?user=a&password=§&next=b",
            "connect(user=\"a\", password=\"§\")",
            "passphrase => '§'",
        ] {
            for literal in ["hunter2secret", "hunter2"] {
                let planted = line.replace('§', literal);
                let masked = mask(planted.clone()).text;
                assert_eq!(masked, planted.replace(literal, "[masked: password]"), "{planted}");
                assert_eq!(mask(masked.clone()).text, masked);
            }
        }
        for (line, masked) in [
            ("api_key = \"q1w2e3r4\"", "api_key = \"[masked: secret]\""),
            ("CLIENT_SECRET=q1w2e3r4", "CLIENT_SECRET=[masked: secret]"),
            ("accessToken: 'q1w2e3r4'", "accessToken: '[masked: secret]'"),
        ] {
            assert_eq!(mask(line.to_owned()).text, masked);
        }
    }

    #[test]
    fn invisible_characters_hide_no_secret() {
        for (kind, secret) in planted() {
            for unseen in ["\u{200b}", "\u{feff}", "\u{ad}", "\u{7}", "\u{e0041}"] {
                let at = secret.len() - 10;
                let hidden =
                    format!("{}{unseen}{}{unseen}{}", &secret[..4], &secret[4..at], &secret[at..]);
                let masked = mask(format!("é\u{200b} {hidden}\r\n"));
                assert_eq!(masked.text, format!("é\u{200b} [masked: {kind}]\r\n"), "{hidden}");
            }
        }
        let masked = mask("https://u:hun\u{200b}ter2@h".to_owned()).text;
        assert_eq!(masked, "https://u:[masked: password]@h");
        // A zero-width space before a word does not split a secret.
        assert_eq!(
            mask(format!("x\u{200b}AKIA{}", "Q2W3E4R5".repeat(2))).text,
            "x\u{200b}[masked: AWS key]"
        );
    }

    #[test]
    fn ordinary_text_and_code_stay_as_they_are() {
        let image = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk".repeat(200);
        let lines = [
            "commit 3f786850e387550fdab836ed7e6dc881de23001b",
            "id: 123e4567-e89b-12d3-a456-426614174000",
            "integrity sha512-9Qm3tTQm2nU0VdUZbVZ7hXH0o4F6fYQ5r1Xc1cA3dGvN0zq8d3d2m1k4f5h6j7k8l9==",
            "https://example.org:8080/a@b and ssh://git@example.org:22/x and \
             mailto:a:b@example.org",
            "postgres://${USER}:${PASSWORD}@host, https://$USER:$PASSWORD@host, \
             https://{user}:{password}@{host}",
            "format!(\"https://{}:{}@{}\", user, password, host); https://user:***@host",
            "if text.starts_with(\"-----BEGIN PRIVATE KEY-----\") { parse(text) } else \
             { \"-----END PRIVATE KEY-----\" }",
            "-----BEGIN PRIVATE KEY-----\nMIIE...\n-----END PRIVATE KEY-----",
            "-----BEGIN CERTIFICATE-----\nMIIEowIBAAKCAQEAaBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789\n\
             -----END CERTIFICATE-----",
            "-----BEGIN PUBLIC KEY-----\nMIIEowIBAAKCAQEAaBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789\n\
             -----END PUBLIC KEY-----",
            "tokens begin with ghp_, github_pat_, glpat-, xoxb-your-token, sk-ant- or sk_live_ and \
             npm_config_registry",
            "Authorization: Bearer TOKEN; the basic authorization of tokens; \
             risk-assessment-of-the-whole-organisation",
            "_authToken=${NPM_TOKEN} and aws_secret_access_key = \
             os.environ[\"AWS_SECRET_ACCESS_KEY\"]",
            "pk_live_publishable, task-antonyms, desk-proj-plan, askForEverything, eyJust a word. \
             AKIA SK SG.",
            "https://user:[masked: password]@example.org",
            "http://localhost:${port}/@vite/client http://h:$port/@x http://h:PORT/a@b \
             http://[::1]:80/a@b http://a:80,b:81/c@d",
            "https://user:${PASSWORD}@host/@scope/name and https://user:***@host/a@b and \
             https://host/a:b@c",
            "https://an-ordinary-user-of-letters@host ssh://deploy42@host \
             https://host/aB3dE5gH1jK2aB3dE5gH1jK2@c",
            "a machine that asks for a login and a password; machine <h> login <me> password \
             <token>",
            "word\u{200b}word \u{feff}sk\u{ad}y",
            "DB_PASSWORD=${DB_PASSWORD} PASSWORD=$1 PASSWORD=$(pass db) PASSWORD={{ password }}",
            "DB_PASSWORD=changeme PASSWORD=your-password-here API_KEY=<key> SECRET_KEY=",
            "password = \"${password}\"; password: \"string\"; password = \"\"; password: 'xxxx'",
            "password: str, password: String, password: Option<String>, password = None",
            "connect(password=args.password, secret=self.secret1)",
            "password = get_password1()\npassword = config.db1\npassword: &str\npassword = password",
            "DB_PASSWORD=settings.DB_PASSWORD if (password == \"\") password_hash = \"a1b2c3d4\"",
            "errors.password = \"is too short\"; label: { password: \"Your password\" }",
            "The password: at least 12 characters. A secret: 3 of them. token = \"(1\"; PWD=/srv/app1",
            "PASSWORD_MIN_LENGTH=12 MAX_TOKENS=4096 password.length >= 8 type=\"password\" id=\"a1b2c3\"",
        ];
        for text in lines.into_iter().chain([&*image, &*format!("data:image/png;base64,{image}")]) {
            assert_eq!(mask(text.to_owned()).text, text);
        }
    }

    #[test]
    fn a_key_without_an_end_line_is_masked() {
        let whole = pem("RSA ", "\n");
        let text = format!("before\n{}", &whole[..150]);
        let masked = mask(text).text;
        assert!(
            masked.starts_with("before\n[masked: private key]") && !masked.contains(&letters(16)),
            "{masked}"
        );
    }

    #[test]
    fn a_torn_word_is_dropped() {
        assert_eq!(without_torn_end("one two ghp_ab"), "one two ");
        assert_eq!(without_torn_end("one\ntwo\n"), "one\ntwo\n");
        assert_eq!(without_torn_end("torn"), "");
        assert_eq!(without_torn_end(&"é".repeat(TORN)).len(), TORN);
    }

    #[test]
    fn masking_takes_time_proportional_to_the_text() {
        let header = "A-Header: -----BEGIN PRIVATE KEY-----\n";
        let token = format!("ghp_{} ", letters(36));
        for part in [
            "-----BEGIN PRIVATE KEY-----",
            header,
            &format!("{header}{token}"),
            &format!("-----BEGIN PRIVATE KEY-----{}\n", letters(16)),
            &token,
            "://a:b",
            "://a:b@",
            "://a:b/@",
            "://a:b/\u{200b}",
            "machine a login b password c ",
            "machine a login ",
            "\u{200b}",
            "eyJaaaaaaaaaaaa.eyJ",
            "eyJ",
            "\\",
            "ordinary words of code(); and prose\n",
            "sk-ant-aaaaaaaaaaaaaaa ",
            "glpat-",
            "PASSWORD=",
            "password=\"",
            "password: a1;",
        ] {
            let text = part.repeat(128 * 1024 / part.len());
            let began = Instant::now();
            mask(text);
            // A search that begins again at each beginning takes minutes.
            assert!(began.elapsed() < Duration::from_secs(20), "{part}");
        }
    }

    proptest! {
        #[test]
        fn a_planted_secret_never_survives(
            before in "([a-z .,(){}=é\n#+-]{0,12}|[0-9a-f]{40} |-----BEGIN |eyJ|://){0,6}",
            after in "([a-z .,(){}=é\n#+-]{0,12}| [0-9a-f]{40}|-----END |@){0,6}",
            which in 0_usize..32,
        ) {
            let (kind, secret) = &planted()[which];
            let start = format!("{before} \"");
            let end = format!("\" {after}");
            let masked = mask(format!("{start}{secret}{end}"));
            prop_assert_eq!(&masked.text, &format!("{start}[masked: {kind}]{end}"));
        }

        #[test]
        fn a_text_without_secrets_stays_byte_for_byte(
            text in "([A-Za-z0-9+/=_.:@-]{0,15}|\\PC{0,5}|\n| ){0,40}",
        ) {
            prop_assert_eq!(mask(text.clone()), Masked { text, ends: Vec::new() });
        }
    }
}
