//! A slow and simple oracle for cited words, in a repository of random changes. It shares no code
//! with what it proves.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anvil_core::ledger::RestedWords;

use super::{Cited, Version, World, bare};
use crate::deadline::Deadline;
use crate::recheck::{WordsNow, recheck_with};
use crate::tests::Checkout;

impl World {
    /// What is expected for cited words, with the number of the commit.
    fn expected(&self, cited: &Cited, uncommitted: &BTreeMap<usize, String>) -> WordsNow {
        let words = bare(&cited.words.words);
        let text_now = |file: usize| {
            let (path, text) = self.last(file)?;
            Some((path, uncommitted.get(&file).cloned().unwrap_or(text)))
        };
        let all_now: BTreeMap<String, String> =
            self.history.keys().filter_map(|file| text_now(*file)).collect();
        if let Some(line) = all_now.get(&cited.words.path).and_then(|text| line(text, cited)) {
            return WordsNow::There { path: cited.words.path.clone(), line };
        }
        let mut versions: Vec<Version> = self.history[&cited.file].clone();
        if let Some((path, text)) = text_now(cited.file) {
            if let Some(line) = line(&text, cited) {
                return WordsNow::There { path, line };
            }
            versions.push((usize::MAX, Some((path, text))));
        }
        let began = versions.iter().rposition(|(at, _)| *at <= cited.since).unwrap();
        let versions = &versions[began..];
        if let (at, None) = versions.last().unwrap() {
            let (_, before) = &versions[versions.len() - 2];
            let path = before.as_ref().unwrap().0.clone();
            let commit = Some(at.to_string());
            // Another file may have its name now.
            let named = cited.words.path.clone();
            return if all_now.contains_key(&named) {
                WordsNow::Changed { path: named, commit }
            } else {
                WordsNow::Gone { path, commit }
            };
        }
        let has = |version: &Version| bare(&version.1.as_ref().unwrap().1).contains(&words);
        let lost = versions.windows(2).rev().find(|pair| has(&pair[0]) && !has(&pair[1])).unwrap();
        let commit = Some(lost[1].0).filter(|at| *at != usize::MAX).map(|at| at.to_string());
        WordsNow::Changed { path: versions.last().unwrap().1.as_ref().unwrap().0.clone(), commit }
    }
}

/// The nearest line with the words.
fn line(text: &str, cited: &Cited) -> Option<usize> {
    let mut chars = Vec::new();
    for (number, line) in text.split('\n').enumerate() {
        chars.extend(
            line.chars().filter(|char| !char.is_whitespace()).map(|char| (char, number + 1)),
        );
    }
    let words: Vec<char> = bare(&cited.words.words).chars().collect();
    let begins =
        |at: &usize| words.iter().enumerate().all(|(number, char)| chars[at + number].0 == *char);
    let lines: Vec<usize> = (0..(chars.len() + 1).saturating_sub(words.len()))
        .filter(begins)
        .map(|at| chars[at].1)
        .collect();
    match cited.words.line {
        Some(near) => lines.into_iter().min_by_key(|line| line.abs_diff(near)),
        None => lines.first().copied(),
    }
}

fn git(checkout: &Checkout, arguments: &[&str], input: &str) -> String {
    let mut git = Command::new("git")
        .args(arguments)
        .envs(checkout.tools.environment.iter().map(|(name, value)| (name, value)))
        .current_dir(checkout.folder())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut pipe = git.stdin.take().unwrap();
    let input = input.to_owned();
    let writer = std::thread::spawn(move || pipe.write_all(input.as_bytes()).unwrap());
    let output = git.wait_with_output().unwrap();
    writer.join().unwrap();
    assert!(output.status.success(), "{arguments:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The id of each mark.
fn import(checkout: &Checkout, world: &World) -> BTreeMap<usize, String> {
    let marks = checkout.folder().join(".git/marks");
    let export = format!("--export-marks={}", marks.display());
    git(checkout, &["fast-import", "--quiet", &export], &world.stream);
    git(checkout, &["reset", "-q", "--hard", "main"], "");
    let marks = fs_err::read_to_string(marks).unwrap();
    let pairs = marks.lines().map(|line| line.strip_prefix(':').unwrap().split_once(' ').unwrap());
    pairs.map(|(mark, id)| (mark.parse().unwrap(), id.to_owned())).collect()
}

/// Checks that git sees the renames that were made, and no others.
fn assert_renames(checkout: &Checkout, world: &World, seed: u64) {
    let arguments = [
        "log",
        "--first-parent",
        "--diff-merges=first-parent",
        "-M50%",
        "--name-status",
        "-z",
        "--format=%x01%H",
        "--reverse",
        "main",
    ];
    let log = git(checkout, &arguments, "");
    let commits: Vec<&str> = log.split('\u{1}').skip(1).collect();
    assert_eq!(commits.len(), world.renames.len());
    for (number, (commit, expected)) in commits.iter().zip(&world.renames).enumerate() {
        let mut parts = commit.split('\0').map(|part| part.trim_start_matches('\n'));
        let mut found = BTreeSet::new();
        while let Some(part) = parts.next() {
            if part.starts_with('R') && part.len() == 4 {
                let from = parts.next().unwrap().to_owned();
                found.insert((from, parts.next().unwrap().to_owned()));
            } else if part.len() == 1 {
                parts.next();
            }
        }
        assert_eq!(found, *expected, "seed {seed}, commit {number}");
    }
}

/// The number of items that are there, changed and gone, and the time for all, as a multiple of the
/// time in which git shows their history.
fn prove(seed: u64, mut world: World) -> ([usize; 3], f64) {
    let checkout = Checkout::new();
    let ids = import(&checkout, &world);
    assert_renames(&checkout, &world, seed);
    let mut uncommitted = BTreeMap::new();
    for _ in 0..3 {
        let file = world.any();
        let (path, text) = world.last(file).unwrap();
        let mut lines: Vec<&str> = text.split('\n').collect();
        lines.drain(..lines.len() / 3);
        checkout.write(&path, lines.join("\n"));
        uncommitted.insert(file, lines.join("\n"));
    }
    let wanted: Vec<RestedWords> = world
        .cited
        .iter()
        .map(|cited| {
            let named = cited.mark.map(|mark| ids[&mark].clone());
            let commit = named.or_else(|| cited.words.commit.clone());
            RestedWords { commit, ..cited.words.clone() }
        })
        .collect();
    let deadline = Deadline::after(Duration::from_mins(2));
    let began = Instant::now();
    let found = recheck_with(checkout.folder(), &wanted, checkout.tools.clone(), deadline).unwrap();
    let took = began.elapsed();
    let began = Instant::now();
    git(&checkout, &["log", "--first-parent", "--raw", "-M"], "");
    let share = took.as_secs_f64() / began.elapsed().as_secs_f64();
    let mut counts = [0; 3];
    let named = |commit: &mut Option<String>| {
        if let Some(number) = commit {
            let mark = world.marks[number.parse::<usize>().unwrap()];
            number.clone_from(&ids[&mark]);
        }
    };
    for (cited, (wanted, found)) in world.cited.iter().zip(wanted.iter().zip(found)) {
        let mut expected = world.expected(cited, &uncommitted);
        match &mut expected {
            WordsNow::Changed { commit, .. } => {
                counts[1] += 1;
                named(commit);
            }
            WordsNow::Gone { commit, .. } => {
                counts[2] += 1;
                named(commit);
            }
            _ => counts[0] += 1,
        }
        if let (
            WordsNow::Changed { commit: Some(short), .. }
            | WordsNow::Gone { commit: Some(short), .. },
            WordsNow::Changed { commit: Some(id), .. } | WordsNow::Gone { commit: Some(id), .. },
        ) = (&found, &mut expected)
        {
            assert!((7..20).contains(&short.len()), "{short}");
            if id.starts_with(short.as_str()) {
                id.clone_from(short);
            }
        }
        assert_eq!(found, expected, "seed {seed}: {wanted:?}");
    }
    let number = wanted.len();
    let commits = world.marks.len();
    println!(
        "seed {seed}: {commits} commits, {number} items {counts:?} in {took:?}, {share:.1} times git log"
    );
    (counts, share)
}

#[test]
fn words_are_followed_as_an_oracle_says() {
    let mut counts = [0; 3];
    for seed in 1..=5 {
        let mut world = World::new(seed);
        world.run(150, 15);
        for (sum, count) in counts.iter_mut().zip(prove(seed, world).0) {
            *sum += count;
        }
    }
    assert!(counts.iter().all(|count| *count > 15), "{counts:?}");
}

#[test]
#[ignore = "takes a minute"]
fn long_words_are_followed_through_2000_commits_as_an_oracle_says() {
    for seed in 100..105 {
        let mut world = World::new(seed);
        world.run(2_000, 40);
        prove(seed, world);
    }
}

#[test]
#[ignore = "measures a release build"]
fn a_thousand_words_take_a_few_times_what_git_takes_for_their_history() {
    let mut world = World::new(7);
    world.start(200);
    while world.marks.len() < 2_000 {
        let before = world.marks.len();
        world.advance();
        if before < 1_925 && world.marks.len() >= 1_925 {
            world.cite_any(1_000);
        }
    }
    let (counts, share) = prove(7, world);
    assert!(counts[1] + counts[2] > 70, "{counts:?}");
    assert!(share < 8.0, "{share} times the time of git log");
}
