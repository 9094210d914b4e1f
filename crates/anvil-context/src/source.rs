//! The sources of material, and how their parts share the budget.

use std::collections::{BTreeSet, BinaryHeap};
use std::path::PathBuf;

use anvil_text::error::Result;
use anvil_text::group;

use super::deadline::Deadline;
use super::error::MaterialError;
use super::text::{self, Fitted, Text, Unreadable};
use super::{Gathered, MASKED_LINE, with_masked_line};
use anvil_text::masking;

/// With less space than this, a part is left out rather than cut; in characters.
pub(super) const LEAST: usize = 300;

/// Most cuts of a source that are listed one by one.
const MAX_NAMED: usize = 5;

/// A source of material, and its parts.
#[derive(Debug, Default)]
pub(crate) struct MaterialSource {
    pub label: String,
    pub parts: Vec<SourcePart>,
    /// Skipped parts, a phrase each.
    pub cut: Vec<String>,
    /// Other notes for the user, a sentence each.
    pub notes: Vec<String>,
    /// A part of it is in another source already.
    pub is_known: bool,
}

/// A text under a heading of its own.
#[derive(Debug)]
pub(crate) struct SourcePart {
    /// Its name in the note on a cut.
    pub name: String,
    pub heading: String,
    /// The language of its fence.
    pub info: String,
    pub body: Body,
}

/// The text of a part.
#[derive(Debug)]
pub(crate) enum Body {
    Text(Text),
    /// A file and its bytes. It is read when its share of the budget is known.
    File(PathBuf, u64),
}

/// The result for a part.
#[derive(Debug)]
pub(crate) enum SourceOutcome {
    Whole,
    /// Characters that are kept, and all characters.
    Cut(usize, usize),
    Left,
    Failed(String),
    /// No time was left to read it.
    Late,
}

/// Joins the sources, in the order of the request.
pub(super) fn compose(
    sources: &[MaterialSource],
    budget: usize,
    deadline: Deadline,
) -> Result<Gathered> {
    let mut cuts: Vec<Vec<String>> = sources.iter().map(|source| source.cut.clone()).collect();
    let demands: Vec<usize> = sources.iter().map(MaterialSource::demand).collect();
    let mut masks = 0;
    // The files are read later, so nothing is known yet about masks.
    let reserve = if budget > 2 * LEAST { MASKED_LINE } else { 0 };
    let texts = share_budget(&demands, budget - reserve, &mut |at, share| {
        let (text, cut, masked) = sources[at].render(share, deadline);
        cuts[at].extend(cut);
        masks += masked;
        text
    });
    let mut known = BTreeSet::new();
    let labels = sources
        .iter()
        .zip(&texts)
        .filter(|(source, text)| !text.is_empty() || source.is_known)
        .map(|(source, _)| source.label.clone())
        .filter(|label| known.insert(label.clone()))
        .collect();
    let mut text = texts.concat().trim_end().to_owned();
    let cut: Vec<String> = cuts.concat();
    if text.is_empty() && !sources.is_empty() {
        let why = cut.first().map_or("all of it is empty", String::as_str);
        let more =
            if cut.len() > 1 { format!(", and {} more", cut.len() - 1) } else { String::new() };
        return Err(MaterialError::Unusable(format!("{why}{more}")).into());
    }
    let mut notes: Vec<String> = sources.iter().flat_map(|source| source.notes.clone()).collect();
    notes.dedup();
    if masks > 0 {
        notes.push(format!("{} masked in the context", masking::secrets_are(masks)));
        if reserve > 0 {
            text = with_masked_line(&text, masks);
        }
    }
    Ok(Gathered { text, sources: labels, cut, notes })
}

/// Shares a budget among demands: a demand below its share is met, and its remainder goes to the
/// others. If the shares would be too small to use, the last demands get nothing.
pub(super) fn share_budget(
    demands: &[usize],
    budget: usize,
    render: &mut dyn FnMut(usize, usize) -> String,
) -> Vec<String> {
    let mut out = vec![String::new(); demands.len()];
    let mut least = 0_usize;
    let fits = demands.iter().take_while(|demand| {
        least = least.saturating_add((**demand).min(LEAST));
        least <= budget
    });
    let count = fits.count().max(1).min(demands.len());
    let order: BinaryHeap<(usize, usize)> = demands[..count].iter().copied().zip(0..).collect();
    let mut left = budget;
    for (done, (_, at)) in order.into_sorted_vec().into_iter().enumerate() {
        let share = left / (count - done);
        out[at] = render(at, share);
        left = left.saturating_sub(out[at].chars().count());
    }
    for (at, text) in out.iter_mut().enumerate().skip(count) {
        *text = render(at, 0);
    }
    out
}

impl MaterialSource {
    pub(crate) fn new(label: &str) -> Self {
        Self { label: label.to_owned(), ..Self::default() }
    }

    /// A source that gives nothing, for this reason.
    pub(crate) fn without_parts(label: &str, why: String) -> Self {
        Self { cut: vec![why], ..Self::new(label) }
    }

    fn demand(&self) -> usize {
        self.parts.iter().map(SourcePart::demand).fold(0, usize::saturating_add)
    }

    /// The text in at most `budget` characters, a note on the omitted text, and the number of
    /// masked secrets.
    pub(crate) fn render(&self, budget: usize, deadline: Deadline) -> (String, Vec<String>, usize) {
        let demands: Vec<usize> = self.parts.iter().map(SourcePart::demand).collect();
        let mut outcomes: Vec<Option<SourceOutcome>> = self.parts.iter().map(|_| None).collect();
        let mut masks = 0;
        let texts = share_budget(&demands, budget, &mut |at, share| {
            let (text, outcome, masked) = self.parts[at].render(share, deadline);
            outcomes[at] = Some(outcome);
            masks += masked;
            text
        });
        (texts.concat(), self.left_out(&outcomes), masks)
    }

    /// The omitted parts, a phrase each, in a short list.
    fn left_out(&self, outcomes: &[Option<SourceOutcome>]) -> Vec<String> {
        let mut cut = Vec::new();
        let mut left = Vec::new();
        let mut failed = Vec::new();
        let mut late = Vec::new();
        for (part, outcome) in self.parts.iter().zip(outcomes) {
            let name = &part.name;
            match outcome {
                Some(SourceOutcome::Whole) => {}
                Some(SourceOutcome::Cut(kept, total)) => {
                    let kept = group(*kept);
                    let total = group(*total);
                    cut.push(format!("{name}: the first {kept} of {total} characters"));
                }
                Some(SourceOutcome::Late) => {
                    late.push(format!("{name}: {}", Unreadable::Late.reason()));
                }
                Some(SourceOutcome::Failed(why)) => failed.push(format!("{name}: {why}")),
                Some(SourceOutcome::Left) | None => left.push(format!("{name}: did not fit")),
            }
        }
        let mut out = Vec::new();
        for (mut phrases, what) in [
            (cut, "were cut"),
            (left, "did not fit"),
            (failed, "can't be read"),
            (late, "were not read in time"),
        ] {
            let more = phrases.len().saturating_sub(MAX_NAMED);
            // Naming one more part is as short as counting it.
            if more > 1 {
                phrases.truncate(MAX_NAMED);
                let more = group(more);
                let all = group(self.parts.len());
                phrases.push(format!("{}: {more} more of {all} {what}", self.label));
            }
            out.extend(phrases);
        }
        out
    }
}

impl SourcePart {
    pub(crate) fn new(name: String, heading: String, text: Text) -> Self {
        Self { name, heading, info: "text".to_owned(), body: Body::Text(text) }
    }

    /// The text around the body without its fence, in characters.
    fn around(&self) -> usize {
        "### ".len() + self.heading.chars().count() + "\n\n".len() + "\n".len()
    }

    /// The approximate size of the part: bytes count if the characters are not known yet.
    fn demand(&self) -> usize {
        let body = match &self.body {
            Body::Text(text) => text.total,
            Body::File(_, size) => usize::try_from(*size).unwrap_or(usize::MAX),
        };
        body.saturating_add(self.around() + self.info.len() + "```\n\n```\n".len())
    }

    pub(crate) fn render(
        &self,
        share: usize,
        deadline: Deadline,
    ) -> (String, SourceOutcome, usize) {
        let nothing = |outcome| (String::new(), outcome, 0);
        let Some(room) = share.checked_sub(self.around()) else {
            return nothing(SourceOutcome::Left);
        };
        let read;
        let text = match &self.body {
            Body::Text(text) => text,
            Body::File(path, _) => match text::read(path, room, deadline) {
                Ok(text) => {
                    read = text;
                    &read
                }
                Err(Unreadable::Late) => return nothing(SourceOutcome::Late),
                Err(why) => return nothing(SourceOutcome::Failed(why.reason())),
            },
        };
        let Some(Fitted { text: block, kept, masks }) = text::fence(&self.info, text, room) else {
            return nothing(SourceOutcome::Left);
        };
        let outcome = if kept < text.total {
            SourceOutcome::Cut(kept, text.total)
        } else {
            SourceOutcome::Whole
        };
        (format!("### {}\n\n{block}\n", self.heading), outcome, masks)
    }
}
