//! Cleans every text that leaves this machine: no secrets, and names in place of its paths.

use std::path::Path;

use crate::masking::mask;
use crate::visible;

/// Cleans texts that leave this machine. It knows the folders of the project and of the user.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scrubber {
    /// The longest first. True: a folder of the project.
    folders: Vec<(String, bool)>,
}

impl Scrubber {
    /// `project` has all names of the project's folder; `home` has those of the user's.
    pub fn new<'a>(
        project: impl IntoIterator<Item = &'a Path>,
        home: impl IntoIterator<Item = &'a Path>,
    ) -> Self {
        let project = project.into_iter().map(|path| (path, true));
        let home = home.into_iter().map(|path| (path, false));
        let mut folders: Vec<(String, bool)> = project
            .chain(home)
            .filter_map(|(path, is_project)| {
                Some((path.to_str()?.trim_end_matches(is_separator).to_owned(), is_project))
            })
            // A folder at the top, such as `/root` in a container, counts too; `/` itself does not.
            .filter(|(folder, _)| folder.len() > 1)
            .collect();
        folders.sort_by_key(|(folder, is_project)| (std::cmp::Reverse(folder.len()), !is_project));
        Self { folders }
    }

    /// The text without secrets, with the project's paths made relative, and with other paths in
    /// the user's folder cut to their last part. It keeps its invisible characters, unless they hide
    /// a path or a secret.
    pub fn scrub(&self, text: &str) -> String {
        let clean = mask(self.without_places(text)).text;
        let (seen, count) = self.scrub_and_count(&clean);
        if count > 0 && seen != visible(&clean).0 { seen } else { clean }
    }

    /// The same for a text that is shown without its invisible characters, and their number.
    pub fn scrub_and_count(&self, text: &str) -> (String, usize) {
        let (seen, count) = visible(text);
        (mask(self.without_places(&seen)).text, count)
    }

    fn without_places(&self, text: &str) -> String {
        let mut next: Vec<Option<usize>> =
            self.folders.iter().map(|(folder, _)| find_path(text, folder, 0)).collect();
        let mut out = String::with_capacity(text.len());
        let mut done = 0;
        // The first match in the text. At one position, the longest folder comes first.
        while let Some((index, at)) = (0..next.len())
            .filter_map(|index| Some((index, next[index]?)))
            .min_by_key(|(index, at)| (*at, *index))
        {
            let (folder, is_project) = &self.folders[index];
            let begin = at + folder.len();
            let tail =
                &text[begin..begin + text[begin..].find(ends_path).unwrap_or(text.len() - begin)];
            out.push_str(&text[done..at - scheme(&text[done..at]).len()]);
            match tail.trim_matches(is_separator) {
                "" if *is_project => {
                    out.push_str(folder.rsplit(is_separator).next().unwrap_or_default());
                }
                "" => out.push('~'),
                tail if *is_project => out.push_str(tail),
                tail => out.push_str(tail.rsplit(is_separator).next().unwrap_or_default()),
            }
            done = begin + tail.len();
            for (place, (folder, _)) in next.iter_mut().zip(&self.folders) {
                if place.is_some_and(|place| place < done) {
                    *place = find_path(text, folder, done);
                }
            }
        }
        out.push_str(&text[done..]);
        out
    }
}

/// The next position of a path that begins with this folder, from a position on.
fn find_path(text: &str, folder: &str, from: usize) -> Option<usize> {
    text[from..]
        .match_indices(folder)
        .map(|(at, _)| from + at)
        .find(|at| !ends_in_path(&text[..*at]) && !continues_name(&text[at + folder.len()..]))
}

/// True if a path after this text is only the end of a longer one.
fn ends_in_path(before: &str) -> bool {
    let is_of_path =
        |char: char| char.is_alphanumeric() || is_separator(char) || ".-_~".contains(char);
    let word = &before[before.trim_end_matches(is_of_path).len()..];
    !word.is_empty() && !is_option(word) && scheme(before).is_empty()
}

/// The scheme of a file's address at the end of a text, with the machine if it is this one.
fn scheme(before: &str) -> &str {
    let ends = |end: &&str| {
        before
            .len()
            .checked_sub(end.len())
            .and_then(|at| before.get(at..))
            .filter(|found| found.eq_ignore_ascii_case(end))
    };
    ["file://localhost", "file://", "file:"].iter().find_map(ends).unwrap_or_default()
}

/// True for an option of a compiler that its path follows without a blank: `-I`, `-isystem`.
fn is_option(word: &str) -> bool {
    word.strip_prefix('-').is_some_and(|name| name.chars().all(|char| char.is_ascii_alphabetic()))
}

/// True if the last name of a path before this text is only the start of a longer one.
fn continues_name(after: &str) -> bool {
    after
        .strip_prefix('.')
        .unwrap_or(after)
        .starts_with(|char: char| char.is_alphanumeric() || matches!(char, '_' | '-'))
}

/// The list of sources, with each path outside the project cut to the name of its file.
pub fn without_folders(sources: &str, between: &str) -> String {
    sources
        .split(between)
        .map(|source| {
            if !leads_out(source) {
                return source;
            }
            source.trim_end_matches(is_separator).rsplit(is_separator).next().unwrap_or_default()
        })
        .collect::<Vec<_>>()
        .join(between)
}

/// A sentence, with each path outside a project cut to the name of its file.
pub fn without_paths(sentence: &str) -> String {
    sentence.split(' ').map(without_path).collect::<Vec<_>>().join(" ")
}

fn without_path(word: &str) -> String {
    let begin = path_begin(word);
    let end = begin + word[begin..].find(ends_path).unwrap_or(word.len() - begin);
    let path = &word[begin..end];
    if leads_out(path) && path.trim_matches(is_separator).contains(is_separator) {
        format!("{}{}{}", &word[..begin], without_folders(path, "\n"), &word[end..])
    } else {
        word.to_owned()
    }
}

/// Where a path begins in a word: behind quotes and brackets, the scheme of an address, an option
/// of a compiler, or the name of what it is the value of.
fn path_begin(word: &str) -> usize {
    let quoted = |char| matches!(char, '"' | '\'' | '`' | '(' | '<' | '[');
    let opens = word.find(|char| !quoted(char)).unwrap_or(word.len());
    let rest = &word[opens..];
    let is_path = |at: &usize| {
        let before = &rest[..*at];
        leads_out(&rest[*at..])
            && (is_option(before) || before.ends_with('=') || !scheme(before).is_empty())
    };
    opens + rest.find(['/', '\\', '~']).filter(is_path).unwrap_or_default()
}

/// True for a path that may lie outside of a project: absolute, of the user's home, or with `..`.
fn leads_out(path: &str) -> bool {
    path.starts_with(['/', '\\', '~'])
        || path.split(is_separator).any(|part| part == "..")
        || matches!(
            path.as_bytes(),
            [drive, b':', b'/' | b'\\', ..] if drive.is_ascii_alphabetic()
        )
}

fn is_separator(char: char) -> bool {
    matches!(char, '/' | '\\')
}

/// A character that ends a path in a text.
fn ends_path(char: char) -> bool {
    char.is_whitespace() || "\"'`<>()[]{}|,;:".contains(char)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn project_paths_become_relative_and_user_paths_become_names() {
        let scrubber = Scrubber::new([Path::new("/home/me/work/app")], [Path::new("/home/me/")]);
        for (text, expected) in [
            (
                "see /home/me/work/app/src/main.rs:12, and `/home/me/private/notes.txt`.",
                "see src/main.rs:12, and `notes.txt`.",
            ),
            ("(/home/me/work/app) /home/me/work/app/ /home/me", "(app) app ~"),
            ("file:///home/me/a/b.md and [x](/home/me/a/b.md)", "b.md and [x](b.md)"),
            (
                "/home/me/work/app2/x /home/men/x /mnt/home/me/x /home/me.old/x",
                "x /home/men/x /mnt/home/me/x /home/me.old/x",
            ),
            ("/home/me/a.", "a."),
            ("/etc/passwd ~/notes src/main.rs", "/etc/passwd ~/notes src/main.rs"),
            ("FILE:///home/me/x file://localhost/home/me/x file:/home/me/x", "x x x"),
            ("-I/home/me/x -isystem/home/me/a/y --dir=/home/me/z", "-Ix -isystemy --dir=z"),
            ("-a/home/me/x a-I/home/me/x -1/home/me/x", "-ax a-I/home/me/x -1/home/me/x"),
            ("/ho\u{200b}me/me/se\u{ad}cret/x", "x"),
            ("/home/me/a\u{2028}/home/me/b", "a\u{2028}b"),
            ("", ""),
        ] {
            assert_eq!(scrubber.scrub(text), expected, "{text}");
            assert_eq!(scrubber.scrub(expected), expected);
        }
        assert_eq!(Scrubber::new([Path::new("/")], [Path::new("")]).scrub("/a/b"), "/a/b");
    }

    #[test]
    fn a_path_of_this_machine_is_exported_as_its_file_name() {
        for (sources, travels) in [
            ("src/a.rs, the changes since main", "src/a.rs, the changes since main"),
            ("/home/me/notes.md, ~/b/, src", "notes.md, b, src"),
            ("../../private/plan.md, a/../../b.md", "plan.md, b.md"),
            ("C:\\Users\\me\\a.md, d:/x/y", "a.md, y"),
            ("", ""),
        ] {
            assert_eq!(without_folders(sources, ", "), travels);
        }
        assert_eq!(without_folders("/home/me/one.md / two.md", " / "), "one.md / two.md");
        assert_eq!(
            without_paths(
                "can't write \"/home/me/app/x.md\": no space (see ~/a/b), 1/2 or and/or /x."
            ),
            "can't write \"x.md\": no space (see b), 1/2 or and/or /x."
        );
        assert_eq!(
            without_paths("file:///home/me/x -I/home/me/x A=/home/me/x src/a/x and/or/not"),
            "file:x -Ix A=x src/a/x and/or/not"
        );
    }
}
