//! A decision as the comment of its record keeps it: enough to recheck it in a clone.
//!
//! A record comes with a repository, so others may have written it. It is only read.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::mark::Dialect;
use crate::records::status;
use anvil_core::ledger::RestedClaim;
use anvil_text::masking::mask;
use anvil_text::{Fences, Scrubber, clean, from_json, json_in_comment};

/// A comment of Markdown, and one of MDX, which has no other.
const COMMENTS: [(&str, &str); 2] =
    [("<!-- anvil-decision: ", " -->"), ("{/* anvil-decision: ", " */}")];

/// Most claims of a record; a verdict rests on four at most.
const MAX_CLAIMS: usize = 20;

/// Most bytes of a comment; Anvil's own have a fiftieth of that.
const MAX_COMMENT: usize = 200_000;

/// The marks of Anvil: a file with one of them is no record of somebody else.
const MARKS: [&str; 2] = ["anvil-decision", "anvil-report"];

/// Most characters of a status, a title or an error.
const MAX_LINE: usize = 200;

/// A decision and what it rests on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedDecision {
    /// The debate.
    pub id: String,
    pub question: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<u32>,
    /// The debate that it follows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supersedes: Option<String>,
    pub claims: Vec<RestedClaim>,
    /// As the record says, wherever a person writes it: `proposed`, `superseded by ADR-0005`.
    #[serde(skip)]
    pub status: String,
    /// Those who own it, as the record says. Empty: nobody is named.
    #[serde(skip)]
    pub owners: String,
    /// The heading of the record.
    #[serde(skip)]
    pub title: String,
}

/// A decision as a record of its project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AdrRecord {
    pub decision: RecordedDecision,
    /// The title and the file of the record that it supersedes, in the same folder.
    pub supersedes: Option<(String, String)>,
    /// Its heading, in the form of its folder. Without one: the decision.
    pub heading: Option<String>,
    pub dialect: Dialect,
}

impl AdrRecord {
    /// A record without what must not leave the machine. `earlier`: the title and the file of the
    /// record that it supersedes.
    pub fn new(
        decision: RecordedDecision,
        earlier: Option<(String, String)>,
        scrubber: &Scrubber,
    ) -> Self {
        let supersedes = earlier.map(|(title, file)| (scrubber.scrub(&title), file));
        Self { decision: decision.scrub(scrubber), supersedes, ..Self::default() }
    }

    /// The record with this heading, in the dialect of this file.
    #[must_use]
    pub fn at(mut self, heading: String, file: &Path) -> Self {
        self.heading = Some(heading);
        self.dialect = Dialect::of_file(file);
        self
    }
}

impl RecordedDecision {
    /// Reads a record. `None`: the text has no mark of Anvil. `Err`: why it can't be read.
    pub fn read(markdown: &str) -> Option<Result<Self, String>> {
        let mut fences = Fences::default();
        let mut comments = Vec::new();
        let mut heading = "";
        for line in markdown.lines().filter(|line| !fences.is_code(line)) {
            comments.extend(
                COMMENTS
                    .iter()
                    .filter_map(|(begins, ends)| Some((line.strip_prefix(begins)?, *ends))),
            );
            if heading.is_empty() {
                heading = line.strip_prefix("# ").unwrap_or_default();
            }
        }
        let (comment, ends) = match comments[..] {
            [one] if one.0.len() <= MAX_COMMENT => one,
            [_] => return Some(Err("its anvil-decision comment is too long".to_owned())),
            [] if has_mark(markdown) => {
                return Some(Err("it has a mark of Anvil, but no record on a line".to_owned()));
            }
            [] => return None,
            _ => return Some(Err("it has more than one anvil-decision comment".to_owned())),
        };
        let json = comment.trim_end().strip_suffix(ends).unwrap_or_default();
        Some(match from_json::<Self>(json) {
            Err(error) => Err(format!(
                "its anvil-decision comment is broken: {}",
                clean(&error.to_string(), MAX_LINE)
            )),
            Ok(read) if read.claims.len() > MAX_CLAIMS => {
                Err(format!("it rests on more than {MAX_CLAIMS} claims"))
            }
            Ok(read) => {
                let title = clean(heading, MAX_LINE);
                let (status, owners) = (status::status(markdown), status::owners(markdown));
                Ok(Self { status, owners, title, ..read })
            }
        })
    }

    /// The same decision without what must not leave the machine.
    fn scrub(mut self, scrubber: &Scrubber) -> Self {
        let scrub = |text: &str| scrubber.scrub(text);
        let own = [&mut self.id, &mut self.question, &mut self.title];
        let texts = own.into_iter().chain([&mut self.status, &mut self.owners]);
        for text in texts.chain(&mut self.supersedes) {
            *text = scrub(text);
        }
        for RestedClaim { words, file, .. } in &mut self.claims {
            // Other words would not be found in the file again; a mask is.
            let is_same = |text: &str| mask(text.to_owned()).text == scrubber.scrub(text);
            match words.take() {
                Some(mut cited) if is_same(&cited.words) && is_same(&cited.path) => {
                    cited.words = scrubber.scrub(&cited.words);
                    *words = Some(cited);
                }
                Some(cited) => *file = Some(cited.path),
                None => {}
            }
            *file = file.as_deref().map(scrub);
        }
        self
    }

    /// False if its status is rejected, deprecated, superseded or the like.
    pub fn stands(&self) -> bool {
        !status::is_fallen(&self.status)
    }

    /// True if its status begins with this word.
    pub fn is_status(&self, word: &str) -> bool {
        status::is_word(&self.status, word)
    }

    /// The comment of its record.
    pub(crate) fn comment(&self, dialect: Dialect) -> Option<String> {
        let json = serde_json::to_string(self).ok()?;
        let (begins, ends) = COMMENTS[usize::from(dialect == Dialect::Mdx)];
        // In JSON `\/` is `/`.
        let json = json_in_comment(&json).replace("*/", "*\\/");
        Some(format!("{begins}{json}{ends}"))
    }
}

/// True if Anvil may have written the text, or a part of it.
pub fn has_mark(text: &str) -> bool {
    MARKS.iter().any(|mark| text.contains(mark))
}
