//! A pull request, from GitHub's own program.
//!
//! Invariant: texts of others stand in a fence; if GitHub refuses the diff because it is too large,
//! the remaining parts are still shown.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::Value;

use super::error::MaterialError;
use super::text::{Text, storable};
use super::{ASKING, MaterialSource, SourcePart, changes};
use anvil_system::process::{Output, ProcessError, Tools};
use anvil_text::error::Result;
use anvil_text::masking;
use anvil_text::{clean, files, from_json, group};

const INSTALL: &str = "install gh from https://cli.github.com and log in with `gh auth login`";

const FIELDS: &str =
    "title,body,author,baseRefName,headRefName,headRefOid,url,additions,deletions,changedFiles";

/// A pull request of the repository that the folder is a checkout of.
pub(super) fn source(folder: &Path, number: u32, tools: &Tools) -> Result<MaterialSource> {
    let label = format!("pull request {number}");
    let Some(view) = run_gh(tools, folder, &["pr", "view", &number.to_string(), "--json", FIELDS])?
    else {
        return Ok(MaterialSource::without_parts(&label, late(&label)));
    };
    if !view.is_success {
        return Err(refusal(number, &view).into());
    }
    let view: Value = from_json(&view.text).unwrap_or(Value::Null);
    let Some(part) = part(&label, &view) else {
        return Err(MaterialError::Answer(label).into());
    };
    let diff = run_gh(tools, folder, &["pr", "diff", &number.to_string(), "--color", "never"])?;
    let what = format!("the diff of {label}");
    let mut source = match diff {
        Some(diff) if diff.is_success => changes::from_patch(&label, &diff.text, diff.is_cut),
        Some(diff) => MaterialSource::without_parts(
            &label,
            format!("{what}: {}", clean(&diff.stderr_line(), 200)),
        ),
        None => MaterialSource::without_parts(&label, late(&what)),
    };
    source.parts.insert(0, part);
    // The number alone is ambiguous if the checkout is of another repository.
    if let Some(repo) = view["url"]
        .as_str()
        .and_then(|page| page.strip_prefix("https://"))
        .and_then(|page| page.strip_suffix(&format!("/pull/{number}")))
    {
        let _ = write!(source.label, " of {}", clean(repo, 200));
    }
    Ok(source)
}

fn late(what: &str) -> String {
    format!("{what}: gh was not done within {} s", ASKING.as_secs())
}

/// gh's output. `None`: it takes too long.
fn run_gh(tools: &Tools, folder: &Path, arguments: &[&str]) -> Result<Option<Output>> {
    match tools.gh(folder, arguments) {
        Err(ProcessError::TooSlow(_)) => Ok(None),
        output => output.map(Some).map_err(|error| error.into_error("gh", INSTALL)),
    }
}

fn refusal(number: u32, output: &Output) -> MaterialError {
    if output.stderr.contains("gh auth login") || output.stderr.contains("GH_TOKEN") {
        return MaterialError::LoggedOut;
    }
    if output.stderr.contains("Could not resolve to a PullRequest")
        || output.stderr.contains("no pull requests found")
    {
        return MaterialError::NoPullRequest(number);
    }
    if output.stderr.contains("not a git repository") || output.stderr.contains("no git remotes") {
        return MaterialError::NoRepository;
    }
    MaterialError::Gh(clean(&output.refusal(), 400))
}

/// The part for gh's JSON of a pull request. `None`: the JSON has another form.
fn part(label: &str, view: &Value) -> Option<SourcePart> {
    let line = |name: &str| view[name].as_str().map(|text| masking::line(text, 300));
    let count = |name: &str| view[name].as_u64().unwrap_or(0) as usize;
    let author = clean(view["author"]["login"].as_str().unwrap_or("somebody"), 300);
    let from = line("headRefName")?;
    let into = line("baseRefName")?;
    let added = group(count("additions"));
    let removed = group(count("deletions"));
    // A comment about the verdict names the commit that it is about.
    let commit = line("headRefOid").map(|commit| format!(", at {commit}")).unwrap_or_default();
    let mut text = format!("{}\n\nby {author}, from {from} into {into}{commit}\n", line("title")?);
    let _ =
        writeln!(text, "{}, +{added} -{removed}\n{}", files(count("changedFiles")), line("url")?);
    let body = storable(view["body"].as_str().unwrap_or(""));
    if !body.trim().is_empty() {
        let _ = writeln!(text, "\n{}", body.trim());
    }
    Some(SourcePart::new(label.to_owned(), label.to_owned(), Text::whole(text)))
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::rendered;

    const VIEW: &str = r#"{"title":"Mend it","body":"Why:\r\n```\n### forged\n",
        "author":{"login":"ann"},"baseRefName":"main",
        "headRefName":"mend","headRefOid":"3f2a","url":"https://github.com/o/r/pull/12",
        "additions":1200,"deletions":3,"changedFiles":2}"#;

    /// A gh that is a script: `$2` is `view` or `diff`.
    fn with(script: &str) -> Result<MaterialSource> {
        let temp = tempfile::tempdir().unwrap();
        let gh = temp.path().join("gh");
        fs_err::write(&gh, script).unwrap();
        fs_err::write(temp.path().join("view.json"), VIEW).unwrap();
        let patch = "diff --git a/a.rs b/a.rs\n--- a/a.rs\n+++ b/a.rs\n@@ -1 +1 @@\n-one\n+two\n\
                     diff --git a/.env b/.env\n--- a/.env\n+++ b/.env\n@@ -1 +1 @@\n-TOKEN=1\n\
                     +TOKEN=2\n";
        fs_err::write(temp.path().join("patch"), patch).unwrap();
        let tools = Tools { gh: vec!["sh".into(), gh.into()], ..Tools::real() };
        source(temp.path(), 12, &tools)
    }

    #[test]
    fn a_pull_request_is_shown_with_its_diff() {
        let source =
            with("echo \"$*\" >> asked; if [ $2 = view ]; then cat view.json; else cat patch; fi")
                .unwrap();
        assert_eq!(source.label, "pull request 12 of github.com/o/r");
        let text = rendered(&source);
        assert!(text.contains(
            "Mend it\n\nby ann, from mend into main, at 3f2a\n2 files, +1,200 -3\n\
                 https://github.com/o/r/pull/12\n"
        ));
        // The text can't close the fence.
        assert!(text.contains("\nWhy:\n```\n### forged\n````\n"), "{text}");
        assert!(text.contains("-one\n+two") && !text.contains("TOKEN"));
        assert_eq!(source.cut, [".env in the pull request 12: looks like a secret"]);
    }

    #[test]
    fn secrets_in_a_pull_request_are_masked() {
        let token = format!("ghp_{}", "aB3d".repeat(9));
        let title = format!("{} {token}", "x".repeat(290));
        let script = format!(
            "if [ $2 = view ]; then sed 's/Mend it/{title}/; s/Why:/Why: {token}/' view.json; else \
             sed s/two/{token}/ patch; fi"
        );
        let text = rendered(&with(&script).unwrap());
        assert!(
            !text.contains("ghp_") && text.matches("[masked: GitHub token]").count() == 2,
            "{text}"
        );
    }

    #[test]
    fn gh_gets_the_expected_arguments() {
        let script = "if [ \"$*\" = 'pr diff 12 --color never' ]; then cat patch; \
                      elif [ \"$1 $2 $3 $4\" = 'pr view 12 --json' ]; then cat view.json; else \
                      exit 1; fi";
        assert_eq!(with(script).unwrap().parts.len(), 2);
    }

    #[test]
    fn a_refused_diff_is_reported() {
        let script = "if [ $2 = view ]; then cat view.json; else echo 'HTTP 406: diff too large.' \
                      >&2; exit 1; fi";
        let source = with(script).unwrap();
        assert_eq!(source.cut, ["the diff of pull request 12: HTTP 406: diff too large"]);
        assert_eq!(source.parts.len(), 1);
    }

    #[test]
    fn a_gh_error_becomes_one_line_with_a_hint() {
        for (stderr, message, code) in [
            (
                "To get started with GitHub CLI, please run:  gh auth login",
                "--pr: gh is not logged in",
                1,
            ),
            (
                "GraphQL: Could not resolve to a PullRequest with the number of 12.",
                "--pr: there is no pull request 12",
                2,
            ),
            (
                "fatal: not a git repository",
                "--pr: this is not a checkout of a GitHub repository",
                2,
            ),
            (
                "failed to run git: fatal: detected dubious ownership in repository at /x\nTo \
                 add an exception for this directory, call:\n\n\tgit config --global --add \
                 safe.directory /x",
                "--pr: gh: failed to run git: fatal: detected dubious ownership in repository at \
                 /x (`git config --global --add safe.directory /x` allows it)",
                1,
            ),
            (
                "error connecting to api.github.com\nmore",
                "--pr: gh: error connecting to api.github.com",
                1,
            ),
        ] {
            let error = with(&format!("echo '{stderr}' >&2; exit 1")).unwrap_err();
            assert_eq!((&*error.to_string(), error.exit().code()), (message, code));
            assert!(!error.hint().plain().is_empty());
        }
        assert!(with("echo '{}'").unwrap_err().to_string().contains("can't read gh's answer"));
        let without = Tools { gh: vec!["/no/such/gh".into()], ..Tools::real() };
        let error = source(Path::new("/"), 1, &without).unwrap_err();
        assert!(error.to_string().starts_with("gh is "), "{error}");
        assert!(error.hint().plain().contains("https://cli.github.com"));
    }
}
