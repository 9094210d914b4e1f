//! Divides a typed line into the question and its options. It knows no shell words and no escapes:
//! the question is everything except Anvil's options before or after it.

use clap::ArgAction;

use crate::errors::CommandError;
use anvil_text::error::Result;
use anvil_text::{ascii_mark, closing_quote, is_dash};

/// The values that follow the name of an option.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ArgumentCount {
    Nothing,
    /// Yes or no: after `=`, or as a word that can't belong to the question.
    YesOrNo,
    /// An optional value: after `=`, or after the question also as a word.
    Maybe,
    /// This number of values.
    Values(usize),
}

impl ArgumentCount {
    fn from_argument(argument: &clap::Arg) -> Self {
        match argument.get_action() {
            ArgAction::Set | ArgAction::Append if argument.is_require_equals_set() => Self::YesOrNo,
            ArgAction::Set | ArgAction::Append => {
                let range = argument.get_num_args().unwrap_or_else(|| 1.into());
                match range.min_values() {
                    0 => Self::Maybe,
                    count => Self::Values(count),
                }
            }
            _ => Self::Nothing,
        }
    }
}

/// The long options of a command that is built, with the values that each takes.
pub(crate) struct KnownOptions<'a>(Vec<(&'a str, ArgumentCount)>);

impl<'a> KnownOptions<'a> {
    pub(crate) fn of_command(command: &'a clap::Command) -> Self {
        let options = command.get_arguments().filter_map(|argument| {
            let name = argument.get_long().filter(|name| *name != "help")?;
            Some((name, ArgumentCount::from_argument(argument)))
        });
        Self(options.collect())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn takes(&self, name: &str) -> Option<ArgumentCount> {
        self.0.iter().find(|known| known.0 == name).map(|known| known.1)
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.takes(name).is_some()
    }

    /// The known option with this name, or with a name that is one typing error away.
    fn near(&self, name: &str) -> Option<&str> {
        anvil_text::nearest(name, self.0.iter().map(|known| known.0), 1).first().copied()
    }
}

/// The question, and the words of the options.
pub(crate) struct Split {
    pub question: String,
    pub options: Vec<String>,
}

impl Split {
    pub(crate) fn parse(line: &str, known: &KnownOptions<'_>) -> Result<Self> {
        let mut remaining = line.trim();
        let mut options = Vec::new();
        while let Some(option) = OptionAt::read(remaining) {
            if let Some(word) = option.unclear(known) {
                let flag = &remaining[..remaining.len() - option.after.len()];
                return Err(
                    CommandError::Unclear { flag: flag.to_owned(), word: word.to_owned() }.into()
                );
            }
            remaining = option.take(remaining, known, false, &mut options).trim_start();
        }
        if let Some(after) = remaining.strip_prefix("--")
            && after.chars().next().is_none_or(char::is_whitespace)
        {
            return Ok(Self { question: after.trim().to_owned(), options });
        }
        if let Some((question, tail)) = quoted_question(remaining, known) {
            options.extend(tail);
            return Ok(Self { question, options });
        }
        let at = tail_start(remaining, known);
        let question = remaining[..at].trim_end();
        let mut words = question.split_whitespace().peekable();
        while let Some(word) = words.next() {
            let corrected = with_hyphens(word, words.peek().copied(), known);
            let has_dash = corrected.is_some();
            let option = corrected.unwrap_or_else(|| word.to_owned());
            let Some(near) = OptionAt::read(&option).and_then(|option| known.near(option.name))
            else {
                continue;
            };
            let option = near.to_owned();
            return Err(if has_dash {
                CommandError::LongDash { word: word.to_owned(), option }
            } else {
                CommandError::InQuestion(option)
            }
            .into());
        }
        options.extend(tail(&remaining[at..], known).unwrap_or_default());
        Ok(Self { question: question.to_owned(), options })
    }
}

/// The words of a line of prose: known options before the text, and the text as it stands.
pub(crate) fn prose_words(line: &str, known: &KnownOptions<'_>) -> Vec<String> {
    let mut remaining = line.trim();
    let mut words = Vec::new();
    while let Some(option) = OptionAt::read(remaining)
        && known.has(option.name)
    {
        remaining = option.take(remaining, known, false, &mut words).trim_start();
    }
    match remaining {
        "" => {}
        "--help" | "-h" => words.push(remaining.to_owned()),
        text => words.extend(["--", text].map(str::to_owned)),
    }
    words
}

/// A word that an editor gave long dashes, with two hyphens in their place. A space may follow two
/// dashes. `None`: the word begins with no long dash.
fn with_hyphens(word: &str, next: Option<&str>, known: &KnownOptions<'_>) -> Option<String> {
    let name = word.trim_start_matches(is_dash);
    let dashes = &word[..word.len() - name.len()];
    if dashes.is_ascii() {
        return None;
    }
    let is_apart = name.is_empty() && dashes.chars().count() > 1;
    let next = next.filter(|next| is_apart && known.has(next));
    Some(format!("--{}", next.unwrap_or(name)))
}

/// One `--name`, `--name=value` or `--name value` at the beginning of a text.
struct OptionAt<'a> {
    name: &'a str,
    /// The text after the name: `=value…`, white space and more, or nothing.
    after: &'a str,
}

impl<'a> OptionAt<'a> {
    fn read(text: &'a str) -> Option<Self> {
        let name = text.strip_prefix("--")?;
        let end = name
            .find(|char: char| !(char.is_ascii_alphanumeric() || char == '-' || char == '_'))
            .unwrap_or(name.len());
        let (name, after) = name.split_at(end);
        let ends = after.chars().next().is_none_or(|char| char == '=' || char.is_whitespace());
        (ends && name.starts_with(|char: char| char.is_ascii_alphabetic()))
            .then_some(Self { name, after })
    }

    /// The `yes` or `no` after an option that can be its value or the first word of the question.
    fn unclear(&self, known: &KnownOptions<'_>) -> Option<&'a str> {
        let (word, _) = value(self.after.strip_prefix(char::is_whitespace)?.trim_start());
        let may_be =
            matches!(word, "yes" | "no") && known.takes(self.name) == Some(ArgumentCount::YesOrNo);
        (may_be && !self.says_yes_or_no(false)).then_some(word)
    }

    /// True if the `yes` or `no` after an option is its value. After the question (`guess`) it
    /// always is. Before the question it is only at the end of the line, or before a capital
    /// letter, a hyphen or a quote.
    fn says_yes_or_no(&self, guess: bool) -> bool {
        let (word, remaining) = value(self.after.trim_start());
        let remaining = remaining.trim_start();
        let begins_anew = remaining.starts_with(|char: char| {
            char.is_uppercase() || matches!(ascii_mark(char), '-' | '"' | '\'')
        });
        matches!(word, "yes" | "no") && (guess || remaining.is_empty() || begins_anew)
    }

    /// Puts the option and its values into `options`; returns the remaining text. After the
    /// question (`guess`), an unknown option and one with an optional value also take the next
    /// word.
    fn take(
        &self,
        text: &'a str,
        known: &KnownOptions<'_>,
        guess: bool,
        options: &mut Vec<String>,
    ) -> &'a str {
        let flag = &text[..text.len() - self.after.len()];
        let most = match known.takes(self.name) {
            Some(ArgumentCount::Values(count)) => count,
            Some(ArgumentCount::Nothing) => 0,
            Some(ArgumentCount::YesOrNo) => usize::from(self.says_yes_or_no(guess)),
            Some(ArgumentCount::Maybe) | None => usize::from(guess),
        };
        let mut values = Vec::new();
        let mut remaining = self.after;
        if let Some(given) = remaining.strip_prefix('=') {
            let (value, following) = value(given);
            values.push(value);
            remaining = following;
        }
        while values.len() < most {
            let next = remaining.trim_start();
            if next.is_empty() || OptionAt::read(next).is_some() {
                remaining = next;
                break;
            }
            let (value, following) = value(next);
            values.push(value);
            remaining = following;
        }
        match values.as_slice() {
            [] => options.push(flag.to_owned()),
            [value] => options.push(format!("{flag}={value}")),
            several => {
                options.push(flag.to_owned());
                options.extend(several.iter().map(|value| (*value).to_owned()));
            }
        }
        remaining
    }
}

/// Splits off a value: a text in quotes, or one word.
fn value(text: &str) -> (&str, &str) {
    if let Some((open, close)) = quotes(text) {
        let inner = &text[open.len_utf8()..];
        for (at, _) in inner.match_indices(close) {
            let after = &inner[at + close.len_utf8()..];
            if after.chars().next().is_none_or(char::is_whitespace) {
                return (&inner[..at], after);
            }
        }
    }
    text.split_at(text.find(char::is_whitespace).unwrap_or(text.len()))
}

/// Reads a text of options with their values; `None` if it has anything else.
fn tail(text: &str, known: &KnownOptions<'_>) -> Option<Vec<String>> {
    let mut remaining = text.trim();
    let mut options = Vec::new();
    while !remaining.is_empty() {
        remaining =
            OptionAt::read(remaining)?.take(remaining, known, true, &mut options).trim_start();
    }
    Some(options)
}

/// Start of the options after a question: the first word from which on there are only options.
fn tail_start(text: &str, known: &KnownOptions<'_>) -> usize {
    let mut best = text.len();
    let mut reaches_end = std::collections::BTreeSet::from([text.len()]);
    let starts: Vec<usize> = word_starts(text).collect();
    for start in starts.into_iter().rev() {
        let Some(option) = OptionAt::read(&text[start..]) else { continue };
        let remaining = option.take(&text[start..], known, true, &mut Vec::new());
        if reaches_end.contains(&(text.len() - remaining.trim_start().len())) {
            reaches_end.insert(start);
            best = start;
        }
    }
    best
}

/// Byte positions at which the words of a text begin.
fn word_starts(text: &str) -> impl Iterator<Item = usize> {
    let mut before = ' ';
    text.char_indices().filter_map(move |(at, char)| {
        let starts = before.is_whitespace() && !char.is_whitespace();
        before = char;
        starts.then_some(at)
    })
}

/// A question that one pair of quotes encloses, and the options after it.
fn quoted_question(text: &str, known: &KnownOptions<'_>) -> Option<(String, Vec<String>)> {
    let (open, close) = quotes(text)?;
    let inner = &text[open.len_utf8()..];
    inner.rmatch_indices(close).find_map(|(at, _)| {
        let following = &inner[at + close.len_utf8()..];
        let apart = following.is_empty() || following.starts_with(char::is_whitespace);
        (apart && stays_open(&inner[..at], open, close)).then_some(())?;
        Some((inner[..at].to_owned(), tail(following, known)?))
    })
}

fn quotes(text: &str) -> Option<(char, char)> {
    let open = text.chars().next()?;
    closing_quote(open).map(|close| (open, close))
}

/// True if no quote in `inner` closes the opening one. A quote after white space opens; one between
/// letters is an apostrophe.
fn stays_open(inner: &str, open: char, close: char) -> bool {
    let mut depth = 1_usize;
    let mut before = ' ';
    let mut chars = inner.chars().peekable();
    while let Some(char) = chars.next() {
        if char == open && (before.is_whitespace() || open != close) {
            depth += 1;
        } else if char == close {
            let apostrophe = ascii_mark(close) == '\''
                && before.is_alphanumeric()
                && chars.peek().is_some_and(|next| next.is_alphanumeric());
            if !apostrophe {
                depth -= 1;
                if depth == 0 {
                    return false;
                }
            }
        }
        before = char;
    }
    true
}
