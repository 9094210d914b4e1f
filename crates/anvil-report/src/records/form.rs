//! How the records of a folder are named and titled. The next one is like the newest.

use jiff::civil::Date;

use super::slug::slug;

/// Highest number of a decision.
const MAX_NUMBER: u32 = 999_999;

/// Most characters before the number, in a name and in a title.
const MAX_PREFIX: usize = 24;

/// Years that are no numbers.
const YEARS: std::ops::RangeInclusive<i16> = 1990..=2099;

/// First words of a name that say what kind of record it is.
const KINDS: [&str; 12] =
    ["ad", "adr", "adrs", "dec", "decision", "dr", "edr", "kep", "proposal", "rfc", "rfd", "tdr"];

/// More first words of a title with a number.
const TITLES: [&str; 5] = ["architecture", "architectural", "no", "nr", "record"];

/// Extensions of text; Anvil writes only the first three.
const TEXTS: [&str; 9] =
    ["md", "mdx", "markdown", "adoc", "asciidoc", "org", "rst", "textile", "txt"];

/// Names of files that are no records.
const OTHERS: [&str; 11] = [
    "changelog",
    "contributing",
    "decisions",
    "glossary",
    "home",
    "index",
    "license",
    "log",
    "readme",
    "summary",
    "toc",
];

/// Names of the text of a record that is a folder of its own, without the extension.
const INNER: [&str; 2] = ["readme", "index"];

/// An entry of a folder.
#[derive(Clone, Copy, Debug)]
pub struct FolderFile<'a> {
    /// A record that is a folder has its text in the name too: `0012-cache/README.md`.
    pub name: &'a str,
    /// Its text, if it was read.
    pub text: Option<&'a str>,
}

/// The form of the records in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordForm {
    prefix: String,
    key: KeyForm,
    /// Between the key and the words.
    joint: String,
    has_words: bool,
    separator: String,
    is_lower: bool,
    /// `.md`, or `/README.md` if each record is a folder.
    end: String,
    title: TitleForm,
    /// The newest record: its name, and the text of its title without its key.
    newest: Option<Newest>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Newest {
    file: String,
    key: String,
    title: String,
}

/// A name for a new record, and its title.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordName {
    pub file: String,
    /// The number, if records have one.
    pub number: Option<u32>,
    /// The heading: the decision, with a number where the newest record has one.
    pub heading: String,
}

/// What comes before the words in a name.
#[derive(Clone, Debug, PartialEq, Eq)]
enum KeyForm {
    /// The next number, and its least digits.
    Number {
        next: u32,
        width: usize,
    },
    /// A day with this mark between its parts.
    Day(String),
    /// A month.
    Month(String),
    /// A number within a year.
    OfYear {
        last: Vec<(i16, u32)>,
        mark: String,
        width: usize,
    },
    None,
}

/// The key in a title: the text before and after it.
#[derive(Clone, Debug, PartialEq, Eq)]
enum TitleForm {
    Plain,
    Keyed { before: String, width: usize, after: String },
}

/// A name of a record, in its parts.
#[derive(Clone, Debug)]
struct Parts<'a> {
    name: &'a str,
    prefix: &'a str,
    key: Key,
    /// The key as it is written.
    written: &'a str,
    joint: &'a str,
    words: &'a str,
    /// `.md`, `/README.md`
    end: &'a str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    None,
    Month(i16, i8),
    OfYear(i16, u32),
    Day(Date),
    Number(u32),
}

impl RecordForm {
    /// The form of the records in a folder. Without a record: that of MADR.
    pub fn of_folder(files: &[FolderFile<'_>]) -> Self {
        let mut all: Vec<Parts<'_>> = files.iter().filter_map(|file| parts(file.name)).collect();
        drop_chance_numbers(&mut all);
        // A folder without a key is a part of the documents.
        let is_written = |one: &&Parts<'_>| {
            is_one_of(&TEXTS, one.end) && (!one.is_folder() || one.key != Key::None)
        };
        let mut records: Vec<&Parts<'_>> = all.iter().filter(is_written).collect();
        let kind = common_kind(&records);
        records.retain(|one| std::mem::discriminant(&one.key) == kind);
        records.sort_by(|one, other| (&one.key, one.name).cmp(&(&other.key, other.name)));
        let Some(newest) = records.last() else { return Self::madr(&all) };
        let worded = records.iter().rev().find(|one| !one.words.is_empty());
        let shown = worded.unwrap_or(newest);
        let plain_end = if newest.is_folder() { "/README.md" } else { ".md" };
        let is_like = |one: &&&Parts<'_>| {
            is_one_of(&TEXTS[..3], one.end) && one.is_folder() == newest.is_folder()
        };
        let end = records.iter().rev().find(is_like).map_or(plain_end, |one| one.end);
        let with_title = records.iter().rev().take(5).find_map(|one| {
            let text = files.iter().find(|file| file.name == one.name)?.text?;
            Some((*one, title_of(text)?))
        });
        let title = with_title.map_or(TitleForm::Plain, |(one, title)| one.title_form(title));
        let newest_title = |one: &Parts<'_>| {
            let text = files.iter().find(|file| file.name == one.name)?.text?;
            Some(one.bare_title(title_of(text)?).to_owned())
        };
        Self {
            prefix: newest.prefix.to_owned(),
            key: newest.key_form(&all),
            joint: if shown.joint.is_empty() { "-".to_owned() } else { shown.joint.to_owned() },
            has_words: worded.is_some() || newest.key == Key::None,
            separator: separator(&records, shown),
            is_lower: !shown.words.starts_with(char::is_uppercase),
            end: end.to_owned(),
            title,
            newest: Some(Newest {
                file: newest.name.to_owned(),
                key: newest.written.to_owned(),
                title: newest_title(newest).unwrap_or_default(),
            }),
        }
    }

    fn madr(all: &[Parts<'_>]) -> Self {
        Self {
            prefix: String::new(),
            key: KeyForm::Number { next: next_number(all), width: 4 },
            joint: "-".to_owned(),
            has_words: true,
            separator: "-".to_owned(),
            is_lower: true,
            end: ".md".to_owned(),
            title: TitleForm::Plain,
            newest: None,
        }
    }

    /// The name of the next record, which no file of the folder has.
    pub fn next(&self, decision: &str, today: Date, files: &[FolderFile<'_>]) -> RecordName {
        let words = slug(decision, &self.separator, self.is_lower);
        let (key, number) = self.key.next(today);
        let joint = if key.is_empty() { "" } else { &self.joint };
        let tail = if self.has_words { format!("{joint}{words}") } else { String::new() };
        let stem = format!("{}{key}{tail}", self.prefix);
        let is_taken = |name: &str| files.iter().any(|file| is_same(entry(file.name), entry(name)));
        let mut file = format!("{stem}{}", self.end);
        let mut count = 2;
        while is_taken(&file) {
            file = format!("{stem}{}{count}{}", self.separator, self.end);
            count += 1;
        }
        RecordName { file, number, heading: self.heading(decision, &key, number) }
    }

    /// The record's name for a file that somebody chose; the heading has the form of the folder.
    pub fn record_name(&self, file: &str, decision: &str) -> RecordName {
        let parts = parts(file).filter(|_| !matches!(self.key, KeyForm::None));
        let number = parts.as_ref().and_then(Parts::number);
        let key = parts.filter(|parts| parts.key != Key::None);
        let key = key.map_or("", |parts| parts.written);
        let heading = match key {
            "" => decision.to_owned(),
            key => self.heading(decision, key, number),
        };
        RecordName { file: file.to_owned(), number, heading }
    }

    fn heading(&self, decision: &str, key: &str, number: Option<u32>) -> String {
        let TitleForm::Keyed { before, width, after } = &self.title else {
            return decision.to_owned();
        };
        match number {
            Some(number) if matches!(self.key, KeyForm::Number { .. }) => {
                format!("{before}{number:0width$}{after}{decision}")
            }
            _ => format!("{before}{key}{after}{decision}"),
        }
    }

    /// True if the name is one of a record.
    pub fn is_record(&self, name: &str) -> bool {
        let is_keyed = !matches!(self.key, KeyForm::None);
        parts(name).is_some_and(|parts| !is_keyed || parts.key != Key::None)
    }

    /// True if each record is a folder.
    pub fn has_folders(&self) -> bool {
        self.end.starts_with('/')
    }

    /// The file, the key and the title of the newest record.
    pub fn newest(&self) -> Option<(&str, &str, &str)> {
        let newest = self.newest.as_ref()?;
        Some((&newest.file, &newest.key, &newest.title))
    }

    /// The key in a name of this form.
    pub(super) fn key_of(name: &str) -> String {
        parts(name).map(|parts| parts.written.to_owned()).unwrap_or_default()
    }
}

impl KeyForm {
    /// The next key, and its number.
    fn next(&self, today: Date) -> (String, Option<u32>) {
        let (year, month, day) = (today.year(), today.month(), today.day());
        match self {
            Self::Number { next, width } => (format!("{next:0width$}"), Some(*next)),
            Self::Day(mark) => (format!("{year}{mark}{month:02}{mark}{day:02}"), None),
            Self::Month(mark) => (format!("{year}{mark}{month:02}"), None),
            Self::OfYear { last, mark, width } => {
                let last = last.iter().filter(|(of, _)| *of == year).map(|(_, number)| number);
                let next = last.max().map_or(1, |last| last.saturating_add(1));
                (format!("{year}{mark}{next:0width$}"), None)
            }
            Self::None => (String::new(), None),
        }
    }
}

impl Parts<'_> {
    fn is_folder(&self) -> bool {
        self.end.starts_with('/')
    }

    fn number(&self) -> Option<u32> {
        if let Key::Number(number) = self.key { Some(number) } else { None }
    }

    fn key_form(&self, all: &[Parts<'_>]) -> KeyForm {
        let digits = |char: char| char.is_ascii_digit();
        let mark = self.written.trim_start_matches(digits);
        let mark: String = mark.chars().take_while(|char| !char.is_ascii_digit()).collect();
        match self.key {
            Key::Number(_) => KeyForm::Number { next: next_number(all), width: self.written.len() },
            Key::Day(_) => KeyForm::Day(mark),
            Key::Month(..) => KeyForm::Month(mark),
            Key::OfYear(..) => {
                let last = all.iter().filter_map(|one| match one.key {
                    Key::OfYear(year, number) => Some((year, number)),
                    _ => None,
                });
                let width = self.written.len() - 4 - mark.len();
                KeyForm::OfYear { last: last.collect(), mark, width }
            }
            Key::None => KeyForm::None,
        }
    }

    /// The place of its key in its title: the text before it, the key, the text after it.
    fn in_title<'t>(&self, title: &'t str) -> Option<(&'t str, &'t str, &'t str)> {
        let start = title.find(|char: char| char.is_ascii_digit())?;
        let (before, after) = title.split_at(start);
        let key = match self.key {
            Key::Number(number) => {
                let end = after.find(|char: char| !char.is_ascii_digit()).unwrap_or(after.len());
                after[..end].parse().is_ok_and(|read: u32| read == number).then(|| &after[..end])?
            }
            Key::None => return None,
            _ => after.starts_with(self.written).then(|| &after[..self.written.len()])?,
        };
        let after = &after[key.len()..];
        let end = after.find(char::is_alphanumeric).unwrap_or(after.len());
        let between = &after[..end];
        // `3 ways to cache` and `Use 2 caches` are sentences.
        let is_key = match first_word(before) {
            word if word.is_empty() => {
                self.number().is_none() || key.starts_with('0') || between.trim() != ""
            }
            word => {
                let is_known = KINDS.contains(&&*word) || TITLES.contains(&&*word);
                is_known || word == first_word(self.prefix)
            }
        };
        let is_short = before.chars().count() <= MAX_PREFIX;
        (is_short && is_key && !between.is_empty()).then_some((before, key, between))
    }

    fn title_form(&self, title: &str) -> TitleForm {
        self.in_title(title).map_or(TitleForm::Plain, |(before, key, after)| TitleForm::Keyed {
            before: before.to_owned(),
            width: key.len(),
            after: after.to_owned(),
        })
    }

    /// Its title without the key.
    fn bare_title<'t>(&self, title: &'t str) -> &'t str {
        self.in_title(title)
            .map_or(title, |(before, key, after)| &title[before.len() + key.len() + after.len()..])
    }
}

/// The first word of a text, in lower case.
fn first_word(text: &str) -> String {
    let text = text.trim_start_matches(|char: char| !char.is_alphabetic());
    let end = text.find(|char: char| !char.is_alphabetic()).unwrap_or(text.len());
    text[..end].to_lowercase()
}

/// The entry of a folder in a name: the file, or the folder of its own.
pub(super) fn entry(name: &str) -> &str {
    name.split('/').next().unwrap_or(name)
}

/// True for the name of the text of a record that is a folder.
pub fn is_inner_text(name: &str) -> bool {
    let stem = name.rsplit_once('.').filter(|(_, extension)| is_one_of(&TEXTS, extension));
    stem.is_some_and(|(stem, _)| INNER.iter().any(|inner| is_same(inner, stem)))
}

/// True if a name ends with one of these extensions.
fn is_one_of(extensions: &[&str], name: &str) -> bool {
    let extension = name.rsplit_once('.').map_or(name, |(_, extension)| extension);
    extensions.iter().any(|one| is_same(one, extension))
}

fn is_same(one: &str, other: &str) -> bool {
    one.to_lowercase() == other.to_lowercase()
}

/// A name in its parts. `None`: it is no record's.
fn parts(name: &str) -> Option<Parts<'_>> {
    let stem = match name.split_once('/') {
        Some((folder, _)) => folder,
        None => name.rsplit_once('.').map_or(name, |(stem, _)| stem),
    };
    let end = &name[stem.len()..];
    let lower = stem.to_lowercase();
    // `0000-template`, `NNNN-title`; a decision about templates has its number.
    let is_template = !lower.contains(|char| matches!(char, '1'..='9'))
        && ["template", "nnn", "xxx"].iter().any(|part| lower.contains(part));
    let is_other = OTHERS.contains(&&*lower) || lower.starts_with(['.', '_']) || is_template;
    if stem.is_empty() || is_other {
        return None;
    }
    let start = stem.find(|char: char| char.is_ascii_digit());
    let is_prefix = |text: &str| {
        text.chars().count() <= MAX_PREFIX
            && text.chars().all(|char| char.is_alphabetic() || "-_ .#".contains(char))
    };
    if let Some(start) = start.filter(|start| is_prefix(&stem[..*start]))
        && let Some((key, length)) = key(&stem[start..])
    {
        let (prefix, after) = stem.split_at(start);
        let (written, after) = after.split_at(length);
        let words = after.trim_start_matches(['-', '_', '.', ' ', '–', '—']);
        let joint = &after[..after.len() - words.len()];
        // `3d-model` has no number.
        if !joint.is_empty() || words.is_empty() {
            return Some(Parts { name, prefix, key, written, joint, words, end });
        }
    }
    let first = lower.find(['-', '_', ' ']).filter(|end| KINDS.contains(&&lower[..*end]));
    let (prefix, words) = stem.split_at(first.map_or(0, |end| end + 1));
    Some(Parts { name, prefix, key: Key::None, written: "", joint: "", words, end })
}

/// The key at the beginning of a text, and its length.
fn key(text: &str) -> Option<(Key, usize)> {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let first = digits(text);
    let year = text.get(..4).and_then(|year| year.parse::<i16>().ok());
    let year = year.filter(|year| YEARS.contains(year));
    if let Some(year) = year.filter(|_| first == 8)
        && let Some(day) = date(year, &text[4..6], &text[6..8])
    {
        return Some((Key::Day(day), 8));
    }
    if let Some(year) = year.filter(|_| first == 4)
        && let Some(mark) = text[4..].chars().next().filter(|mark| "-_.".contains(*mark))
    {
        let second = digits(&text[5..]);
        let end = 5 + second;
        let third = text[end..].strip_prefix(mark).map_or(0, digits);
        if second == 2
            && third == 2
            && let Some(day) = date(year, &text[5..7], &text[8..10])
        {
            return Some((Key::Day(day), 10));
        }
        let number: Option<u32> = text[5..end].parse().ok();
        match number {
            Some(month @ 1..=12) if second == 2 => {
                return Some((Key::Month(year, i8::try_from(month).ok()?), end));
            }
            Some(number) if second >= 3 && number <= MAX_NUMBER => {
                return Some((Key::OfYear(year, number), end));
            }
            _ => {}
        }
    }
    let number = text[..first].parse().ok().filter(|number| *number <= MAX_NUMBER)?;
    Some((Key::Number(number), first))
}

fn date(year: i16, month: &str, day: &str) -> Option<Date> {
    Date::new(year, month.parse().ok()?, day.parse().ok()?).ok()
}

/// Takes away numbers that only stand in a word: that of `utf8-names` is none, if nothing else says
/// so.
fn drop_chance_numbers(all: &mut [Parts<'_>]) {
    let prefixes: Vec<String> = all.iter().map(|one| one.prefix.to_lowercase()).collect();
    for one in all.iter_mut().filter(|one| one.key != Key::None) {
        let prefix = one.prefix.to_lowercase();
        let shared = prefixes.iter().filter(|other| **other == prefix).count();
        let is_kind = KINDS.contains(&&*first_word(one.prefix));
        if !prefix.is_empty() && !is_kind && shared < 2 {
            let stem = one.name.len() - one.end.len();
            *one = Parts {
                prefix: "",
                key: Key::None,
                written: "",
                joint: "",
                words: &one.name[..stem],
                ..one.clone()
            };
        }
    }
}

/// The kind of key that most records have.
fn common_kind(records: &[&Parts<'_>]) -> std::mem::Discriminant<Key> {
    let mut kinds: Vec<(Key, usize)> = Vec::new();
    for record in records {
        let is_of =
            |known: &Key| std::mem::discriminant(known) == std::mem::discriminant(&record.key);
        match kinds.iter_mut().find(|(known, _)| is_of(known)) {
            Some((_, count)) => *count += 1,
            None => kinds.push((record.key, 1)),
        }
    }
    let most = kinds.iter().max_by_key(|(key, count)| (*count, *key));
    std::mem::discriminant(&most.map_or(Key::None, |(key, _)| *key))
}

/// The next number. The last one has no next.
fn next_number(all: &[Parts<'_>]) -> u32 {
    let numbers = all.iter().filter_map(Parts::number).filter(|number| *number < MAX_NUMBER);
    numbers.max().map_or(1, |last| last + 1)
}

/// The mark between words, in the newest record that has two.
fn separator(records: &[&Parts<'_>], shown: &Parts<'_>) -> String {
    let mark = |words: &str| words.chars().find(|char| matches!(char, '-' | '_' | ' '));
    let known = records.iter().rev().find_map(|one| mark(one.words));
    known.or_else(|| mark(shown.joint)).unwrap_or('-').to_string()
}

/// The title of a record: its first heading, else the title of its front matter.
pub(super) fn title_of(text: &str) -> Option<&str> {
    let mut fences = anvil_text::Fences::default();
    let mut before = "";
    let mut named = None;
    for line in text.trim_start_matches('\u{FEFF}').lines().filter(|line| !fences.is_code(line)) {
        let line = line.trim_end();
        if let Some(title) = line.strip_prefix("# ").or_else(|| line.strip_prefix("= ")) {
            return Some(title.trim());
        }
        let is_underline = line.len() > 2 && line.bytes().all(|byte| byte == b'=');
        if is_underline && before.starts_with(char::is_alphanumeric) {
            return Some(before);
        }
        let title = line.strip_prefix("title:").or_else(|| line.strip_prefix("title ="));
        named = named.or(title.map(|title| title.trim().trim_matches(['"', '\''])));
        before = line;
    }
    named.filter(|title| !title.is_empty())
}
