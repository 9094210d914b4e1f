//! Changes in a checkout, from git.
//!
//! Invariants: for a diff, git runs no program of the repository, and takes no revision for an
//! option or a path; the changes of files that look like secrets are left out, by their old and
//! their new name.

use std::fmt::Write as _;
use std::path::Path;

use super::error::MaterialError;
use super::text::{Text, storable};
use super::{GATHERING, MaterialSource, SourcePart, listing, secrets};
use anvil_system::process::{Git, MAX_OUTPUT, ProcessError, Tools};
use anvil_text::error::{Error, Result};
use anvil_text::masking;
use anvil_text::{clean, group, number_of};

const INSTALL: &str = "install git, or give files by --context";

/// Most names in a list of files.
const MAX_NAMES: usize = 100;

/// The options of a diff. They override the user's settings for its form.
const PLAIN: [&str; 8] = [
    "diff",
    "--no-color",
    "--no-relative",
    "--patch",
    "--find-renames",
    "--submodule=short",
    "--src-prefix=a/",
    "--dst-prefix=b/",
];

/// The changes of one file.
#[derive(Debug, PartialEq, Eq)]
struct FileChange<'a> {
    /// Its names, the newest last.
    names: Vec<String>,
    text: &'a str,
}

impl FileChange<'_> {
    /// The number of changed lines with this sign.
    fn count_lines(&self, sign: char) -> usize {
        self.text
            .lines()
            .skip_while(|line| !line.starts_with("@@"))
            .filter(|line| line.starts_with(sign))
            .count()
    }
}

/// The changes since a revision; empty: since HEAD, with the names of untracked files.
pub(super) fn source(folder: &Path, revision: &str, tools: &Tools) -> Result<MaterialSource> {
    let label = if revision.is_empty() {
        "diff".to_owned()
    } else {
        format!("diff {}", masking::line(revision, 100))
    };
    Ok(changes_source(folder, revision, &label, tools)?.unwrap_or_else(|| {
        let late = format!("{label}: git was not done within {} s", GATHERING.as_secs());
        MaterialSource::without_parts(&label, late)
    }))
}

/// `None`: git takes too long.
fn changes_source(
    folder: &Path,
    revision: &str,
    label: &str,
    tools: &Tools,
) -> Result<Option<MaterialSource>> {
    let shown = clean(revision, 100);
    if revision.starts_with('-') || revision.contains(':') || revision.contains('\0') {
        return Err(MaterialError::NoRevision(shown).into());
    }
    let is_inside = ["rev-parse", "--is-inside-work-tree"];
    let is_inside = match tools.git(folder, &is_inside, "") {
        Git::Told(output) => output.text.trim() == "true",
        Git::Refused(ProcessError::Refused(output)) if output.is_no_repository() => false,
        Git::Refused(ProcessError::TooSlow(_)) => return Ok(None),
        Git::Refused(why) => return Err(why.into_error("git", INSTALL)),
        Git::Nothing => false,
    };
    if !is_inside {
        let place = clean(&folder.to_string_lossy(), 200);
        return Err(MaterialError::NoCheckout(place).into());
    }
    let last_commit = ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"];
    let has_head = match tools.git(folder, &last_commit, "") {
        Git::Told(_) => true,
        Git::Nothing => false,
        Git::Refused(ProcessError::TooSlow(_)) => return Ok(None),
        Git::Refused(why) => return Err(why.into_error("git", INSTALL)),
    };
    let base = match revision {
        revision if has_head && !revision.is_empty() && !revision.contains("..") => {
            merge_base(folder, revision, tools)?
        }
        // A range of commits, or one with its end open: as git compares them.
        revision => {
            let is_open = !revision.ends_with("...");
            let base = revision.strip_suffix("..").filter(|_| is_open).unwrap_or(revision);
            Base::At(base.to_owned(), 0)
        }
    };
    let Base::At(base, ahead) = base else { return Ok(None) };
    let which: &[&str] = match &*base {
        "" if has_head => &["HEAD", "--"],
        "" => &["--cached", "--"],
        base => &["--end-of-options", base, "--"],
    };
    let diff = [&PLAIN[..], which].concat();
    let output = match tools.git(folder, &diff, "") {
        Git::Told(output) => output,
        Git::Refused(ProcessError::TooSlow(_)) => return Ok(None),
        Git::Refused(why) => return Err(no_diff(why, shown)),
        Git::Nothing => return Ok(Some(MaterialSource::new(label))),
    };
    let listed =
        if revision.is_empty() { untracked_files(folder, tools) } else { Some(Vec::new()) };
    let is_listed = listed.is_some();
    let new = listed.unwrap_or_default();
    if output.text.trim().is_empty() && is_listed {
        let base = if revision.is_empty() { "HEAD".to_owned() } else { shown };
        return Err(match new.len() {
            0 => MaterialError::Unchanged(base),
            files => MaterialError::Untracked { base, files },
        }
        .into());
    }
    let mut source = from_patch(label, &output.text, output.is_cut);
    if ahead > 0 {
        let commits = number_of(ahead, "commit", "commits");
        source.notes.push(format!(
            "{shown} has gone on by {commits}, which the {label} leaves out; --diff={shown}.. \
             compares with it as it is"
        ));
    }
    if !is_listed {
        source.cut.push(format!("untracked files, in the {label}: git did not list them"));
    }
    if !new.is_empty() {
        source.parts.push(list("untracked files", label, &new));
    }
    Ok(Some(source))
}

/// What changes are compared with.
enum Base {
    /// A revision, and the number of commits that the user's one has gone on since.
    At(String, usize),
    /// git takes too long.
    Late,
}

/// The last commit that a revision and HEAD share: what only the revision has since then is no
/// change of this branch.
fn merge_base(folder: &Path, revision: &str, tools: &Tools) -> Result<Base> {
    let told = |arguments: &[&str]| match tools.git(folder, arguments, "") {
        Git::Told(output) => Ok(Some(output.text.trim().to_owned())),
        Git::Nothing => Ok(Some(String::new())),
        Git::Refused(ProcessError::TooSlow(_)) => Ok(None),
        Git::Refused(why) => Err(no_diff(why, clean(revision, 100))),
    };
    let Some(base) = told(&["merge-base", revision, "HEAD"])? else { return Ok(Base::Late) };
    if base.is_empty() {
        let is_shallow =
            told(&["rev-parse", "--is-shallow-repository"])?.is_some_and(|is| is == "true");
        let depth = told(&["rev-list", "--count", "--first-parent", "HEAD"])?;
        let depth = depth.and_then(|depth| depth.parse().ok()).filter(|_| is_shallow);
        return Err(MaterialError::NoMergeBase { revision: clean(revision, 100), depth }.into());
    }
    let since = format!("{base}..{revision}");
    let ahead = told(&["rev-list", "--count", &since, "--"])?;
    Ok(Base::At(base, ahead.and_then(|ahead| ahead.parse().ok()).unwrap_or(0)))
}

/// The error if git made no diff.
fn no_diff(why: ProcessError, revision: String) -> Error {
    let ProcessError::Refused(output) = &why else { return why.into_error("git", INSTALL) };
    let unknown =
        ["bad revision", "unknown revision", "Not a valid object name", "Not a valid commit"];
    if unknown.iter().any(|words| output.stderr.contains(words)) {
        return MaterialError::UnknownRevision(revision).into();
    }
    if output.stderr.contains("lazy fetching disabled") || output.stderr.contains("not allowed") {
        return MaterialError::LacksObjects(revision).into();
    }
    MaterialError::Diff(why).into()
}

/// A source from a diff in git's form: a list of the files, and their changes.
pub(super) fn from_patch(label: &str, patch: &str, is_cut: bool) -> MaterialSource {
    let mut source = MaterialSource::new(label);
    let mut names = Vec::new();
    let patch = if is_cut { masking::without_torn_end(patch) } else { patch };
    for change in changes(patch) {
        let name = masking::line(change.names.last().map_or("", String::as_str), 300);
        if change.names.iter().any(|name| secrets::looks_secret(Path::new(name))) {
            source.cut.push(format!("{name} in the {label}: looks like a secret"));
        } else if !change.names.iter().any(|name| listing::is_own(Path::new(name))) {
            let added = group(change.count_lines('+'));
            let removed = group(change.count_lines('-'));
            names.push(format!("{name} (+{added} -{removed})"));
            let heading = format!("{label}: `{name}`");
            let name = format!("{name} in the {label}");
            let part = SourcePart::new(name, heading, Text::whole(storable(change.text)));
            source.parts.push(SourcePart { info: "diff".to_owned(), ..part });
        }
    }
    if names.len() > 1 {
        source.parts.insert(0, list("changed files", label, &names));
    }
    if is_cut {
        source
            .cut
            .push(format!("{label}: only its first {} MB were read", MAX_OUTPUT / 1024 / 1024));
    }
    source
}

/// The files of the checkout that git does not track and does not ignore. `None`: git does not list
/// them.
fn untracked_files(folder: &Path, tools: &Tools) -> Option<Vec<String>> {
    let arguments = ["ls-files", "--others", "--exclude-standard", "--full-name", "-z", "--", ":/"];
    let Git::Told(output) = tools.git(folder, &arguments, "") else { return None };
    let names = output.text.split('\0').filter(|name| {
        let path = Path::new(name);
        !name.is_empty() && !secrets::looks_secret(path) && !listing::is_own(path)
    });
    Some(names.map(|name| masking::line(name, 300)).collect())
}

fn list(what: &str, label: &str, names: &[String]) -> SourcePart {
    let mut text = names[..names.len().min(MAX_NAMES)].join("\n");
    if names.len() > MAX_NAMES {
        let _ = write!(text, "\n… ({} more)", group(names.len() - MAX_NAMES));
    }
    let heading = format!("{label}: {what} ({})", group(names.len()));
    SourcePart::new(format!("{what} in the {label}"), heading, Text::whole(storable(&text)))
}

/// The files of a diff. Within the changes of a file every line begins with a sign, so that no
/// content looks like another file.
fn changes(patch: &str) -> Vec<FileChange<'_>> {
    let mut starts: Vec<usize> = Vec::new();
    let mut at = 0;
    for line in patch.split_inclusive('\n') {
        if ["diff --git ", "diff --cc ", "diff --combined "]
            .iter()
            .any(|word| line.starts_with(word))
        {
            starts.push(at);
        }
        at += line.len();
    }
    let ends = starts.iter().skip(1).copied().chain([patch.len()]);
    starts
        .iter()
        .zip(ends)
        .map(|(start, end)| &patch[*start..end])
        .map(|text| FileChange { names: names(text), text })
        .collect()
}

/// The names in the head of a file's changes.
fn names(text: &str) -> Vec<String> {
    let mut lines = text.lines().take_while(|line| !line.starts_with("@@"));
    let first = lines.next().unwrap_or("");
    let mut out = Vec::new();
    for line in lines {
        for (word, has_prefix) in [
            ("--- ", true),
            ("rename from ", false),
            ("copy from ", false),
            ("+++ ", true),
            ("rename to ", false),
            ("copy to ", false),
        ] {
            let Some(name) = line.strip_prefix(word) else { continue };
            let name = unquote(name.trim_end_matches(['\t', '\r']));
            if name != "/dev/null" {
                out.push(if has_prefix { without_prefix(&name) } else { name });
            }
        }
    }
    if out.is_empty() {
        out.extend(names_of_first(first));
    }
    out
}

/// The names in the first line, if the other lines have no names: a binary or empty file, a change
/// of its mode.
fn names_of_first(line: &str) -> Vec<String> {
    if let Some(name) =
        line.strip_prefix("diff --cc ").or_else(|| line.strip_prefix("diff --combined "))
    {
        return vec![unquote(name)];
    }
    let both = line.strip_prefix("diff --git ").unwrap_or(line);
    // The line has the name twice; the name may contain a space.
    let middle = both.len() / 2;
    let halves = if both.is_char_boundary(middle) && both[middle..].starts_with(' ') {
        vec![&both[..middle], &both[middle + 1..]]
    } else {
        both.split(' ').collect()
    };
    halves.into_iter().map(|name| without_prefix(&unquote(name))).collect()
}

fn without_prefix(name: &str) -> String {
    name.strip_prefix("a/").or_else(|| name.strip_prefix("b/")).unwrap_or(name).to_owned()
}

/// A name in git's quotes: `"a\tb"`, `"caf\303\251"`.
fn unquote(name: &str) -> String {
    let Some(inner) = name.strip_prefix('"').and_then(|after| after.strip_suffix('"')) else {
        return name.to_owned();
    };
    let mut bytes = Vec::new();
    let mut after = inner.bytes().peekable();
    while let Some(byte) = after.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        match after.next() {
            Some(digit @ b'0'..=b'7') => {
                let mut code = u32::from(digit - b'0');
                for _ in 0..2 {
                    let Some(digit) = after.next_if(|byte| (b'0'..=b'7').contains(byte)) else {
                        break;
                    };
                    code = code * 8 + u32::from(digit - b'0');
                }
                bytes.push(code as u8);
            }
            Some(b'n') => bytes.push(b'\n'),
            Some(b't') => bytes.push(b'\t'),
            Some(b'r') => bytes.push(b'\r'),
            Some(byte) => bytes.push(byte),
            None => {}
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use crate::tests::{Checkout, rendered};

    #[test]
    fn names_are_read_from_a_diff() {
        let of =
            |text: &str| changes(text).into_iter().map(|change| change.names).collect::<Vec<_>>();
        let patch = "diff --git a/a b.rs b/a b.rs\nindex 1..2\n\
                     --- a/a b.rs\t\n+++ b/a b.rs\t\n@@ -1 +1 @@\n--- a/x\n\
                     +++ b/.env\n\
                     diff --git a/.env b/x.txt\nsimilarity index 90%\nrename from .env\nrename to \
                     x.txt\n\
                     diff --git a/a b.png b/a b.png\nBinary files differ\n\
                     diff --git \"a/caf\\303\\251\" \"b/caf\\303\\251\"\nnew file mode 100644\n--- \
                     /dev/null\n+++ \"b/caf\\303\\251\"\n\
                     diff --cc .env\nindex 1,2..3\n";
        let expected = [
            vec!["a b.rs", "a b.rs"],
            vec![".env", "x.txt"],
            vec!["a b.png", "a b.png"],
            vec!["café"],
            vec![".env"],
        ];
        assert_eq!(of(patch), expected);
        assert!(of("no diff at all\n").is_empty());
    }

    #[test]
    fn staged_and_unstaged_changes_are_shown_without_secrets() {
        let checkout = Checkout::new();
        checkout.write("a.rs", "one\n");
        checkout.write(".env", "TOKEN=old\nmore\nlines\nto be alike\n");
        checkout.commit();
        checkout.write("a.rs", "two\n");
        checkout.write("staged.rs", "diff --git a/x b/x\n");
        checkout.write("sub/.env.local", "TOKEN=local\n");
        checkout.write(".claude/anvil-archive/old.md", "a debate\n");
        checkout.git(&["add", "."]);
        checkout.git(&["mv", ".env", "harmless.txt"]);
        checkout.write("new file.rs", "unknown\n");
        checkout.write("new.pem", "unknown\n");
        checkout.write(".claude/anvil-state.local.md", "own\n");
        let source = source(&checkout.folder().join("sub"), "", &checkout.tools).unwrap();
        let text = rendered(&source);
        assert!(text.contains("-one\n+two") && text.contains("+diff --git a/x b/x"), "{text}");
        assert!(
            text.contains("a.rs (+1 -1)\nstaged.rs (+1 -0)") && text.contains("new file.rs"),
            "{text}"
        );
        assert!(
            !text.contains("TOKEN") && !text.contains("pem") && !text.contains(".claude"),
            "{text}"
        );
        let expected = [
            "harmless.txt in the diff: looks like a secret",
            "sub/.env.local in the diff: looks like a secret",
        ];
        assert_eq!(source.cut, expected);
    }

    #[test]
    fn changes_are_compared_with_a_revision() {
        let checkout = Checkout::new();
        checkout.write("a.rs", "one\n");
        checkout.commit();
        checkout.write("a.rs", "two\n");
        checkout.commit();
        checkout.write("unknown.rs", "");
        let source = source(checkout.folder(), "HEAD~1", &checkout.tools).unwrap();
        assert_eq!(source.label, "diff HEAD~1");
        assert!(
            rendered(&source).contains("-one\n+two") && !rendered(&source).contains("unknown.rs")
        );
        let range = super::source(checkout.folder(), "HEAD~1..HEAD", &checkout.tools).unwrap();
        assert!(rendered(&range).contains("+two"));
    }

    #[test]
    fn changes_are_those_since_the_merge_base() {
        let checkout = Checkout::new();
        checkout.write("a.rs", "one\n");
        checkout.commit();
        checkout.git(&["switch", "-q", "-c", "mine"]);
        checkout.write("mine.rs", "mine\n");
        checkout.commit();
        checkout.git(&["switch", "-q", "main"]);
        checkout.write("theirs.rs", "theirs\n");
        checkout.commit();
        checkout.git(&["switch", "-q", "mine"]);
        checkout.write("a.rs", "uncommitted\n");
        let of = |revision: &str| source(checkout.folder(), revision, &checkout.tools);
        let text = rendered(&of("main").unwrap());
        assert!(text.contains("+mine") && text.contains("+uncommitted"), "{text}");
        assert!(!text.contains("theirs"), "{text}");
        let line = "main has gone on by 1 commit, which the diff main leaves out; --diff=main.. \
                    compares with it as it is";
        assert_eq!(of("main").unwrap().notes, [line]);
        let two_dots = of("main..").unwrap();
        assert!(rendered(&two_dots).contains("-theirs") && two_dots.notes.is_empty());
        assert_eq!(of("HEAD").unwrap().notes.len(), 0);
        // Without a common commit: a history of its own, and a clone that lacks it.
        checkout.git(&["stash", "-q"]);
        checkout.git(&["switch", "-q", "--orphan", "new"]);
        checkout.write("new.rs", "new\n");
        checkout.commit();
        let error = of("main").unwrap_err();
        assert_eq!(error.to_string(), "--diff: main and HEAD share no commit");
        assert!(error.hint().plain().contains("--diff=main.."), "{}", error.hint().plain());
        let clone = Checkout::new();
        let from = format!("file://{}", checkout.folder().display());
        clone.git(&[
            "fetch",
            "-q",
            "--depth=1",
            &from,
            "main:refs/heads/other",
            "mine:refs/heads/b",
        ]);
        clone.git(&["switch", "-q", "b"]);
        let error = source(clone.folder(), "other", &clone.tools).unwrap_err();
        let line = "--diff: other and HEAD share no commit in this clone, which has a depth of 1";
        assert_eq!(error.to_string(), line);
        assert!(error.hint().plain().contains("git fetch --unshallow"), "{}", error.hint().plain());
    }

    /// A history that is written by `git fast-import`: for each commit its parents and its files.
    struct History {
        commits: Vec<(Vec<usize>, BTreeMap<&'static str, u64>)>,
    }

    impl History {
        /// Some commits with up to two parents, each with changes of its own.
        fn generate(random: &mut impl FnMut(u64) -> u64) -> Self {
            let mut commits: Vec<(Vec<usize>, BTreeMap<&'static str, u64>)> = Vec::new();
            for at in 0..4 + random(8) as usize {
                let mut parents: Vec<usize> = Vec::new();
                for _ in 0..=u64::from(random(3) == 0) {
                    // A few histories have two roots.
                    if at > 0 && (at > 1 || random(6) > 0) {
                        parents.push(random(at as u64) as usize);
                    }
                }
                parents.sort_unstable();
                parents.dedup();
                let mut files = BTreeMap::new();
                for parent in &parents {
                    files.extend(commits[*parent].1.clone());
                }
                for name in ["a.rs", "b.rs", "c.rs", "d.rs"] {
                    match random(4) {
                        0 => drop(files.insert(name, random(1_000_000))),
                        1 if files.len() > 1 => drop(files.remove(name)),
                        _ => {}
                    }
                }
                files.insert("z.rs", at as u64);
                commits.push((parents, files));
            }
            Self { commits }
        }

        fn stream(&self) -> String {
            let mut stream = String::new();
            for (at, (parents, files)) in self.commits.iter().enumerate() {
                let mark = at + 1;
                let _ = write!(
                    stream,
                    "commit refs/heads/c{at}\nmark :{mark}\ncommitter a <a@example.org> {} +0000\n\
                     data 1\nx\n",
                    1_700_000_000 + at
                );
                for (place, parent) in parents.iter().enumerate() {
                    let word = if place == 0 { "from" } else { "merge" };
                    let _ = writeln!(stream, "{word} :{}", parent + 1);
                }
                stream += "deleteall\n";
                for (name, number) in files {
                    let text = format!("{number}\n");
                    let _ = write!(stream, "M 100644 inline {name}\ndata {}\n{text}\n", text.len());
                }
            }
            stream
        }

        /// A commit with everything before it, by hand.
        fn with_ancestors(&self, commit: usize) -> BTreeSet<usize> {
            let mut all = BTreeSet::from([commit]);
            loop {
                let parents = all.iter().flat_map(|one| self.commits[*one].0.clone());
                let more: BTreeSet<usize> = parents.chain(all.iter().copied()).collect();
                if more.len() == all.len() {
                    return all;
                }
                all = more;
            }
        }

        /// The common commits that are before no other common commit.
        fn bases(&self, one: usize, other: usize) -> Vec<usize> {
            let [of_one, of_other] = [one, other].map(|commit| self.with_ancestors(commit));
            let common: Vec<usize> = of_one.intersection(&of_other).copied().collect();
            let is_best = |base: &&usize| {
                common.iter().all(|two| two == *base || !self.with_ancestors(*two).contains(base))
            };
            common.iter().filter(is_best).copied().collect()
        }
    }

    /// The lines that differ between two states of the files, by hand.
    fn lines(
        before: &BTreeMap<&'static str, u64>,
        after: &BTreeMap<&'static str, u64>,
    ) -> BTreeSet<String> {
        let mut lines = BTreeSet::new();
        for (sign, one, other) in [('-', before, after), ('+', after, before)] {
            for (name, number) in
                one.iter().filter(|(name, number)| other.get(*name) != Some(number))
            {
                lines.insert(format!("{name} {sign}{number}"));
            }
        }
        lines
    }

    #[test]
    fn changes_of_generated_histories_are_those_of_a_slow_oracle() {
        // More at night. Git waits for the disk, so that lanes take less time than one.
        let histories = std::env::var("ANVIL_HISTORIES").map_or(40, |count| count.parse().unwrap());
        let lanes = 0..LANES;
        let counts = std::thread::scope(|scope| {
            let each = |lane| scope.spawn(move || compare_histories(lane, histories / LANES));
            let running: Vec<_> = lanes.map(each).collect();
            running.into_iter().map(|lane| lane.join().unwrap()).collect::<Vec<_>>()
        });
        let without_base: u64 = counts.iter().map(|(without_base, _)| without_base).sum();
        let gone_on: u64 = counts.iter().map(|(_, gone_on)| gone_on).sum();
        assert!(without_base > 0 && gone_on > histories / 5, "{without_base} {gone_on}");
    }

    const LANES: u64 = 4;

    /// Compares the changes of some histories; returns how many had no base, and in how many the
    /// other side has gone on.
    fn compare_histories(lane: u64, histories: u64) -> (u64, u64) {
        let mut seed = 0x5DEE_CE66_u64 + lane;
        let mut random = move |most: u64| {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % most.max(1)
        };
        let (mut without_base, mut gone_on) = (0, 0);
        for number in 0..histories {
            let number = format!("{number} of {lane}");
            let history = History::generate(&mut random);
            let checkout = Checkout::new();
            let stream = checkout.folder().join(".git/stream");
            fs_err::write(&stream, history.stream()).unwrap();
            let done = std::process::Command::new("git")
                .args(["fast-import", "--quiet"])
                .stdin(fs_err::File::open(&stream).unwrap().into_parts().0)
                .current_dir(checkout.folder())
                .status();
            assert!(done.unwrap().success(), "{}", history.stream());
            let all = history.commits.len() as u64;
            let (head, revision) = (random(all) as usize, random(all) as usize);
            checkout.git(&["checkout", "-q", &format!("c{head}")]);
            let mut files = history.commits[head].1.clone();
            if random(2) == 0 {
                files.insert("z.rs", 7_777_777);
                checkout.write("z.rs", "7777777\n");
            }
            let bases = history.bases(revision, head);
            let found = source(checkout.folder(), &format!("c{revision}"), &checkout.tools);
            let told = match &found {
                Err(error) if bases.is_empty() => {
                    assert!(error.to_string().contains("share no commit"), "{number}: {error}");
                    without_base += 1;
                    continue;
                }
                Err(error) => {
                    assert!(error.to_string().contains("nothing has changed"), "{number}: {error}");
                    BTreeSet::new()
                }
                Ok(found) => {
                    let [of_head, of_revision] =
                        [head, revision].map(|commit| history.with_ancestors(commit));
                    let ahead = bases.iter().any(|base| {
                        let known = history.with_ancestors(*base);
                        of_revision.difference(&known).count() > 0
                    });
                    assert_eq!(ahead, !found.notes.is_empty(), "{number}: {:?}", found.notes);
                    gone_on += u64::from(ahead && !of_head.is_empty());
                    told(found)
                }
            };
            let expected = bases.iter().map(|base| lines(&history.commits[*base].1, &files));
            let expected: Vec<BTreeSet<String>> = expected.collect();
            assert!(expected.contains(&told), "{number}: {told:?}, not {expected:?}");
        }
        (without_base, gone_on)
    }

    /// The changed lines of a source, each after the name of its file.
    fn told(source: &MaterialSource) -> BTreeSet<String> {
        let text = rendered(source);
        let mut lines = BTreeSet::new();
        let (mut old, mut new) = (String::new(), String::new());
        for line in text.lines() {
            if let Some(name) = line.strip_prefix("--- ") {
                name.trim_start_matches("a/").clone_into(&mut old);
            } else if let Some(name) = line.strip_prefix("+++ ") {
                name.trim_start_matches("b/").clone_into(&mut new);
            } else if let Some(name) = line.strip_prefix("rename from ") {
                lines.insert(format!("renamed {name}"));
            } else if let Some(number) = line.strip_prefix('-') {
                lines.insert(format!("{old} -{number}"));
            } else if let Some(number) = line.strip_prefix('+') {
                lines.insert(format!("{new} +{number}"));
            }
        }
        lines
    }

    #[test]
    fn staged_changes_are_shown_before_the_first_commit() {
        let checkout = Checkout::new();
        checkout.write("a.rs", "one\n");
        checkout.git(&["add", "."]);
        assert!(
            rendered(&source(checkout.folder(), "", &checkout.tools).unwrap()).contains("+one")
        );
    }

    #[test]
    fn a_failed_diff_is_an_error() {
        let checkout = Checkout::new();
        checkout.write("a.rs", "one\n");
        checkout.commit();
        let error =
            |revision: &str| source(checkout.folder(), revision, &checkout.tools).unwrap_err();
        assert_eq!(error("").to_string(), "--diff: nothing has changed since HEAD");
        assert_eq!((error("").exit().code(), error("HEAD").exit().code()), (3, 3));
        checkout.write("b.rs", "one\n");
        assert!(error("").to_string().ends_with("since HEAD but 1 untracked file"));
        assert_eq!(error("no-such-branch").to_string(), "--diff: unknown revision no-such-branch");
        // git takes no file for a revision, and no revision for an option.
        for wrong in ["a.rs", "--output=x", "-p", "HEAD:a.rs", "HEAD\n--output=x", "--"] {
            assert_eq!(error(wrong).exit().code(), 2, "{wrong}");
            assert!(!error(wrong).to_string().contains('\n'));
        }
        assert!(!checkout.folder().join("x").exists());
        let temp = tempfile::tempdir().unwrap();
        assert_eq!(source(temp.path(), "", &checkout.tools).unwrap_err().exit().code(), 2);
        let without = Tools { git: vec!["/no/such/git".into()], ..checkout.tools.clone() };
        let missing = source(checkout.folder(), "", &without).unwrap_err().to_string();
        assert!(missing.starts_with("git is "), "{missing}");
    }

    #[cfg(unix)]
    #[test]
    fn a_repository_runs_no_program_of_its_own() {
        let checkout = Checkout::new();
        let mark = checkout.folder().join("ran");
        let script = format!("sh -c 'echo ran >> {}; cat' --", mark.display());
        checkout.write(".gitattributes", "*.rs diff=own\n");
        checkout.write("a.rs", "one\n");
        checkout.commit();
        for key in [
            "diff.own.command",
            "diff.own.textconv",
            "diff.external",
            "core.pager",
            "core.fsmonitor",
        ] {
            checkout.git(&["config", key, &script]);
        }
        for (key, value) in
            [("color.ui", "always"), ("diff.noprefix", "true"), ("diff.mnemonicPrefix", "true")]
        {
            checkout.git(&["config", key, value]);
        }
        fs_err::write(checkout.folder().join("a.rs"), "two\n").unwrap();
        let _ = std::fs::remove_file(&mark);
        let text = rendered(&source(checkout.folder(), "", &checkout.tools).unwrap());
        assert!(text.contains("--- a/a.rs\n+++ b/a.rs\n") && text.contains("-one\n+two"), "{text}");
        assert!(!mark.exists());
    }
}
