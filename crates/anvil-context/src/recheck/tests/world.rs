//! A repository of random changes, which knows what became of every file in it.

mod proof;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use anvil_core::ledger::RestedWords;

/// Numbers from a seed.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }

    fn pick<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }

    fn word(&mut self) -> String {
        let parts = ["ba", "ce", "di", "fo", "gu", "ha", "li", "mo", "nu", "ra", "so", "ti"];
        (0..3 + self.below(3)).map(|_| *self.pick(&parts)).collect()
    }

    fn line(&mut self) -> String {
        let number = self.below(10_000);
        format!("    {} = {}({}, {number});", self.word(), self.word(), self.word())
    }
}

/// A version of a file on the main line. `None`: it was deleted.
type Version = (usize, Option<(String, String)>);

/// A file by its identity.
#[derive(Clone)]
struct Tracked {
    path: String,
    lines: Vec<String>,
    /// It has the name of a deleted file.
    has_old_name: bool,
}

/// Words as a decision cites them, and who had them.
struct Cited {
    words: RestedWords,
    /// The mark of the commit that is named. `None`: the words name another one.
    mark: Option<usize>,
    file: usize,
    since: usize,
}

struct World {
    dice: Dice,
    /// Files that exist, by identity.
    files: BTreeMap<usize, Tracked>,
    history: BTreeMap<usize, Vec<Version>>,
    /// Who had a name.
    owners: BTreeMap<String, BTreeSet<usize>>,
    /// The renames of each commit of the main line.
    renames: Vec<BTreeSet<(String, String)>>,
    marks: Vec<usize>,
    stream: String,
    touched: BTreeSet<usize>,
    locked: BTreeSet<usize>,
    cited: Vec<Cited>,
    next_file: usize,
    next_mark: usize,
}

fn bare(text: &str) -> String {
    text.chars().filter(|char| !char.is_whitespace()).collect()
}

impl World {
    fn new(seed: u64) -> Self {
        Self {
            dice: Dice(seed),
            files: BTreeMap::new(),
            history: BTreeMap::new(),
            owners: BTreeMap::new(),
            renames: Vec::new(),
            marks: Vec::new(),
            stream: String::new(),
            touched: BTreeSet::new(),
            locked: BTreeSet::new(),
            cited: Vec::new(),
            next_file: 0,
            next_mark: 1,
        }
    }

    fn new_path(&mut self) -> String {
        let folders = ["src", "src/deep", "lib", "docs and more", "größe", "."];
        let folder = *self.dice.pick(&folders);
        let name = format!("{}{}.rs", self.dice.word(), self.next_file + self.next_mark);
        if folder == "." { name } else { format!("{folder}/{name}") }
    }

    fn add_file(&mut self, path: String, has_old_name: bool) -> usize {
        let count = 25 + self.dice.below(40);
        let lines = (0..count).map(|_| self.dice.line()).collect();
        let file = self.next_file;
        self.next_file += 1;
        self.owners.entry(path.clone()).or_default().insert(file);
        self.files.insert(file, Tracked { path, lines, has_old_name });
        self.touched.insert(file);
        file
    }

    /// A file that may change now.
    fn any(&mut self) -> usize {
        let free: Vec<usize> =
            self.files.keys().copied().filter(|file| !self.locked.contains(file)).collect();
        *self.dice.pick(&free)
    }

    fn edit(&mut self, file: usize, times: usize) {
        for _ in 0..times {
            let line = self.dice.line();
            let tracked = self.files.get_mut(&file).unwrap();
            let at = self.dice.below(tracked.lines.len());
            match self.dice.below(3) {
                0 => tracked.lines[at] = line,
                1 => tracked.lines.insert(at, line),
                _ if tracked.lines.len() > 20 => drop(tracked.lines.remove(at)),
                _ => {}
            }
        }
        self.touched.insert(file);
    }

    fn rename(&mut self, file: usize, path: String) {
        self.owners.entry(path.clone()).or_default().insert(file);
        self.files.get_mut(&file).unwrap().path = path;
        self.touched.insert(file);
    }

    /// A new name, or one that only this file has had.
    fn name_for(&mut self, file: usize) -> String {
        let now = self.files[&file].path.clone();
        let own: Vec<String> = self
            .owners
            .iter()
            .filter(|(name, owners)| owners.len() == 1 && owners.contains(&file) && **name != now)
            .map(|(name, _)| name.clone())
            .collect();
        if !own.is_empty() && self.dice.below(3) == 0 {
            return self.dice.pick(&own).clone();
        }
        self.new_path()
    }

    fn reformat(&mut self, file: usize) {
        let text = self.files[&file].lines.join("\n");
        let mut out = String::new();
        for char in text.chars() {
            match (char, self.dice.below(8)) {
                (' ', 0) => out.push_str("\n\t"),
                (' ', 1) => out.push_str("   "),
                ('\n', 0) => out.push_str("\n\n  "),
                ('\n', 1) => out.push(' '),
                (char, _) => out.push(char),
            }
        }
        let lines: Vec<String> = out.split('\n').map(str::to_owned).collect();
        self.files.get_mut(&file).unwrap().lines = lines;
        self.touched.insert(file);
    }

    /// Moves lines, in a file or to another one.
    fn move_lines(&mut self, from: usize, to: usize) {
        let lines = &mut self.files.get_mut(&from).unwrap().lines;
        if lines.len() < 25 {
            return;
        }
        let at = self.dice.below(lines.len() - 6);
        let moved: Vec<String> = lines.drain(at..at + 5).collect();
        let lines = &mut self.files.get_mut(&to).unwrap().lines;
        let at = self.dice.below(lines.len());
        lines.splice(at..at, moved);
        self.touched.extend([from, to]);
    }

    fn rename_folder(&mut self) {
        let file = self.any();
        let path = self.files[&file].path.clone();
        let Some((folder, _)) = path.rsplit_once('/') else { return };
        let new = format!("{}{}", self.dice.word(), self.next_mark);
        let inside: Vec<usize> = self
            .files
            .iter()
            .filter(|(_, file)| file.path.starts_with(&format!("{folder}/")))
            .map(|(file, _)| *file)
            .collect();
        for file in inside {
            let name = self.files[&file].path.replacen(folder, &new, 1);
            self.rename(file, name);
            if self.dice.below(4) == 0 {
                self.edit(file, 2);
            }
        }
    }

    /// One commit of the main line, without a merge.
    fn step(&mut self) {
        let file = self.any();
        let other = self.any();
        match self.dice.below(20) {
            0..=4 => self.edit(file, 4),
            5..=6 => {
                self.edit(file, 3);
                self.edit(other, 3);
            }
            7 => self.move_lines(file, file),
            8..=9 if !self.files[&other].has_old_name => self.move_lines(file, other),
            10..=11 => {
                let name = self.name_for(file);
                self.rename(file, name);
            }
            12 => {
                let name = self.name_for(file);
                self.rename(file, name);
                let few = self.files[&file].lines.len() / 10;
                self.edit(file, few);
            }
            // Git sees two changed files.
            13 if file != other && !self.files[&other].has_old_name => {
                let lines = self.files[&file].lines.clone();
                let swapped = &mut self.files.get_mut(&other).unwrap().lines;
                let swapped = std::mem::replace(swapped, lines);
                self.files.get_mut(&file).unwrap().lines = swapped;
                self.touched.extend([file, other]);
            }
            14 if self.locked.is_empty() => self.rename_folder(),
            15..=16 => self.reformat(file),
            17 if self.files.len() > 15 && self.dice.below(3) > 0 => {
                self.files.remove(&file);
                self.touched.insert(file);
            }
            18 if self.files.len() < 40 => {
                let taken: BTreeSet<&String> = self.files.values().map(|file| &file.path).collect();
                let old: Vec<String> =
                    self.owners.keys().filter(|name| !taken.contains(name)).cloned().collect();
                if old.is_empty() || self.dice.below(3) == 0 || !self.locked.is_empty() {
                    let path = self.new_path();
                    self.add_file(path, false);
                } else {
                    let path = self.dice.pick(&old).clone();
                    self.add_file(path, true);
                }
            }
            19 => self.revert(file),
            _ => self.edit(file, 1),
        }
        if self.touched.is_empty() {
            self.edit(file, 3);
        }
        self.commit(None);
    }

    /// Takes lines of an earlier version back, as a revert does.
    fn revert(&mut self, file: usize) {
        let versions = &self.history[&file];
        let back = versions.len().saturating_sub(2 + self.dice.below(3));
        if let Some((_, Some((_, text)))) = versions.get(back) {
            let lines = text.split('\n').map(str::to_owned).collect();
            self.files.get_mut(&file).unwrap().lines = lines;
        }
        self.touched.insert(file);
    }

    fn begin(&mut self, branch: &str, from: Option<usize>, merged: Option<usize>) -> usize {
        let mark = self.next_mark;
        self.next_mark += 1;
        let when = 1_700_000_000 + mark * 60;
        write!(self.stream, "commit refs/heads/{branch}\nmark :{mark}\n").unwrap();
        write!(self.stream, "committer a <a@example.org> {when} +0000\ndata 1\nx\n").unwrap();
        if let Some(from) = from {
            writeln!(self.stream, "from :{from}").unwrap();
        }
        if let Some(merged) = merged {
            writeln!(self.stream, "merge :{merged}").unwrap();
        }
        mark
    }

    fn put(&mut self, path: &str, lines: &[String]) {
        let text = lines.join("\n");
        let size = text.len();
        writeln!(self.stream, "M 100644 inline {path}\ndata {size}\n{text}").unwrap();
    }

    fn last(&self, file: usize) -> Option<(String, String)> {
        self.history.get(&file).and_then(|versions| versions.last()).and_then(|last| last.1.clone())
    }

    /// Commits the touched files on the main line.
    fn commit(&mut self, merged: Option<usize>) {
        let now = self.marks.len();
        let mark = self.begin("main", self.marks.last().copied(), merged);
        self.marks.push(mark);
        let mut renames = BTreeSet::new();
        let touched = std::mem::take(&mut self.touched);
        for file in &touched {
            let before = self.last(*file);
            let after = self.files.get(file).cloned();
            if let Some((old, _)) = &before
                && after.as_ref().is_none_or(|after| after.path != *old)
            {
                writeln!(self.stream, "D {old}").unwrap();
            }
            if let (Some((old, _)), Some(after)) = (&before, &after)
                && *old != after.path
            {
                renames.insert((old.clone(), after.path.clone()));
            }
        }
        for file in touched {
            let after = self.files.get(&file).cloned();
            if let Some(after) = &after {
                self.put(&after.path, &after.lines);
            }
            let version = after.map(|after| (after.path, after.lines.join("\n")));
            self.history.entry(file).or_default().push((now, version));
        }
        self.renames.push(renames);
    }

    /// A branch with changes of two files, changes of others beside it, and their merge.
    fn merge(&mut self) {
        let first = self.any();
        let second = self.any();
        self.locked = BTreeSet::from([first, second]);
        let before: Vec<(usize, Tracked)> =
            self.locked.iter().map(|file| (*file, self.files[file].clone())).collect();
        let fork = self.marks.last().copied();
        let mut tip = fork;
        for number in 0..=self.dice.below(3) {
            let file = if self.dice.below(2) == 0 { first } else { second };
            let old = self.files[&file].path.clone();
            self.edit(file, 2);
            if self.dice.below(2) == 0 {
                let name = self.name_for(file);
                self.rename(file, name);
            }
            tip = Some(self.begin("branch", tip, None));
            let Tracked { path, lines, .. } = self.files[&file].clone();
            if old != path {
                writeln!(self.stream, "D {old}").unwrap();
            }
            self.put(&path, &lines);
            if number == 0 {
                let (file, fork) = &before[0];
                self.cite(*file, &fork.clone(), tip);
            }
        }
        // The main line has them as they were, until the merge.
        let branch: Vec<(usize, Tracked)> =
            self.locked.iter().map(|file| (*file, self.files[file].clone())).collect();
        self.files.extend(before);
        self.touched.clear();
        for _ in 0..self.dice.below(3) {
            self.step();
        }
        self.files.extend(branch);
        self.touched = std::mem::take(&mut self.locked);
        self.commit(tip);
    }

    /// Cites words of a file; `mark`: of a commit that is not on the main line.
    fn cite(&mut self, file: usize, tracked: &Tracked, mark: Option<usize>) {
        let text = &tracked.lines;
        let at = self.dice.below(text.len());
        let end = (at + 1 + self.dice.below(3)).min(text.len());
        let words = text[at..end].join("\n");
        if bare(&words).len() < 12 {
            return;
        }
        let since = self.marks.len() - 1;
        let path = tracked.path.clone();
        let line = (self.dice.below(4) > 0).then_some(at + 1);
        let unknown = [None, Some("--output=x"), Some("HEAD"), Some(""), Some(&*"ab".repeat(20))];
        let is_unknown = mark.is_none() && self.dice.below(5) == 0;
        let commit = self.dice.pick(&unknown).filter(|_| is_unknown).map(str::to_owned);
        let words = RestedWords { path, line, words, commit };
        let mark = mark.or(self.marks.last().copied()).filter(|_| !is_unknown);
        self.cited.push(Cited { words, mark, file, since });
    }

    /// The first commit, with this number of files.
    fn start(&mut self, files: usize) {
        for _ in 0..files {
            let path = self.new_path();
            self.add_file(path, false);
        }
        self.commit(None);
    }

    fn advance(&mut self) {
        if self.dice.below(25) == 0 {
            self.merge();
        } else {
            self.step();
        }
    }

    fn cite_any(&mut self, count: usize) {
        for _ in 0..count {
            let file = self.any();
            let tracked = self.files[&file].clone();
            self.cite(file, &tracked, None);
        }
    }

    /// `commits` on the main line; `decisions` with five citations each.
    fn run(&mut self, commits: usize, decisions: usize) {
        self.start(25);
        let decided: Vec<usize> = (0..decisions).map(|_| self.dice.below(commits)).collect();
        while self.marks.len() < commits {
            let before = self.marks.len();
            self.advance();
            let new = before..self.marks.len();
            self.cite_any(5 * decided.iter().filter(|at| new.contains(at)).count());
        }
    }
}
