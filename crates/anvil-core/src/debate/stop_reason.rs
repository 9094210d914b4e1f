//! Why a debate stopped. The state file has a word for each reason; its sentence is made when it
//! is shown.

use std::fmt;

/// Why a debate is paused, failed or cancelled.
///
/// The file has the [written form](Self::render): a word, which never changes, and what belongs to
/// it after a colon. The [`Display`](fmt::Display) form is a sentence without its full stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// A reason that needs no value.
    Plain(PlainReason),
    /// The client lets a hook continue this many times in a row.
    ContinuationCap(u32),
    /// This many phases were undone.
    Undone(usize),
    /// No reply was usable: what the last one lacked.
    Unusable(String),
    /// What a run says: a limit, a signal, a program's own words. In another hand's file: any text.
    Said(String),
}

/// A reason that needs no value.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, strum::EnumString, strum::IntoStaticStr, strum::VariantArray,
)]
#[strum(serialize_all = "kebab-case")]
pub enum PlainReason {
    /// The user typed a text that is no command.
    Typed,
    /// The user chose to stop after a round.
    Stopped,
    /// The user stopped it in an editor.
    StoppedInFile,
    /// Its head has no status.
    WrittenByHand,
    SessionEnded,
    /// A whole reply was found, and no Stop had come.
    EndNotReported,
    AwaitsDirection,
    /// The client refused the required Read, or it failed.
    ReadFailed,
    RoundsChanged,
    NoOwner,
    Redone,
    EarlierState,
    FileMissing,
    Restored,
    Reopened,
    /// `anvil step` returns the body.
    Stepped,
    /// A program saved it by the library.
    Saved,
    /// It ran when it was published.
    Carried,
    /// Its file is gone, and its snapshot is shown.
    FileGone,
    /// A start was about to replace it.
    AboutToBeReplaced,
    /// Another debate took its place.
    Replaced,
    /// Claude put the plan to the dialog before the synthesis.
    PlanPassed,
    HeadDamaged,
    FileDamaged,
    SynthesisGone,
}

impl PlainReason {
    fn sentence(self) -> &'static str {
        match self {
            Self::Typed => "you typed a message",
            Self::Stopped => "you stopped it",
            Self::StoppedInFile => "you stopped it in its file",
            Self::WrittenByHand => "its file was written by hand",
            Self::SessionEnded => "its session ended",
            Self::EndNotReported => "Claude Code did not report the end of the reply",
            Self::AwaitsDirection => "it waits for your direction",
            Self::ReadFailed => "Claude Code refused the Read of the debate's file, or it failed",
            Self::RoundsChanged => "you changed the rounds",
            Self::NoOwner => "the file does not record its owner",
            Self::Redone => "what was undone is restored",
            Self::EarlierState => "an earlier state is restored",
            Self::FileMissing => "its file was missing",
            Self::Restored => "it was restored",
            Self::Reopened => "it was reopened",
            Self::Stepped => "`anvil step` has argued it so far",
            Self::Saved => "a program has argued it so far",
            Self::Carried => "it ran on another machine when it was published",
            Self::FileGone => "its file is gone",
            Self::AboutToBeReplaced => "another debate was about to replace it",
            Self::Replaced => "replaced by another debate",
            Self::PlanPassed => "its plan went to the dialog",
            Self::HeadDamaged => "its frontmatter was damaged",
            Self::FileDamaged => "its file was damaged, and there is no snapshot",
            Self::SynthesisGone => "its synthesis is gone from the file",
        }
    }
}

const CONTINUATION_CAP: &str = "continuation-cap";
const UNDONE: &str = "undone";
const UNUSABLE: &str = "unusable";
const SAID: &str = "said";

impl StopReason {
    /// The form in the state file: `typed`, `undone: 2`, `said: --max-cost is reached`.
    pub fn render(&self) -> String {
        match self {
            Self::Plain(plain) => <&str>::from(plain).to_owned(),
            Self::ContinuationCap(times) => format!("{CONTINUATION_CAP}: {times}"),
            Self::Undone(phases) => format!("{UNDONE}: {phases}"),
            Self::Unusable(why) => format!("{UNUSABLE}: {why}"),
            Self::Said(why) => format!("{SAID}: {why}"),
        }
    }

    /// Reads the form in the state file. A text in another form is somebody's own words. `None`:
    /// there are none.
    pub fn parse(written: &str) -> Option<Self> {
        if let Ok(plain) = written.parse() {
            return Some(Self::Plain(plain));
        }
        let (word, value) = written.split_once(": ").unwrap_or(("", written));
        let known = match word {
            CONTINUATION_CAP => value.parse().ok().map(Self::ContinuationCap),
            UNDONE => value.parse().ok().map(Self::Undone),
            UNUSABLE => Some(Self::Unusable(value.to_owned())),
            SAID => Some(Self::Said(value.to_owned())),
            _ => None,
        };
        known.or_else(|| (!written.is_empty()).then(|| Self::Said(written.to_owned())))
    }

    /// The words that may hold anything: those of a program or of another hand.
    pub(crate) fn words_mut(&mut self) -> Option<&mut String> {
        match self {
            Self::Unusable(why) | Self::Said(why) => Some(why),
            Self::Plain(_) | Self::ContinuationCap(_) | Self::Undone(_) => None,
        }
    }
}

impl From<PlainReason> for StopReason {
    fn from(plain: PlainReason) -> Self {
        Self::Plain(plain)
    }
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plain(plain) => f.write_str(plain.sentence()),
            Self::ContinuationCap(times) => {
                write!(f, "Claude Code lets a hook continue {times} times in a row")
            }
            Self::Undone(1) => f.write_str("1 phase was undone"),
            Self::Undone(phases) => write!(f, "{phases} phases were undone"),
            Self::Unusable(why) | Self::Said(why) => f.write_str(why),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use strum::VariantArray as _;

    #[test]
    fn every_reason_is_read_as_it_is_written() {
        let plain = PlainReason::VARIANTS.iter().map(|plain| StopReason::Plain(*plain));
        let others = [
            StopReason::ContinuationCap(8),
            StopReason::Undone(2),
            StopReason::Unusable("undone: 2".into()),
            StopReason::Said("typed".into()),
        ];
        for reason in plain.chain(others) {
            assert_eq!(StopReason::parse(&reason.render()), Some(reason));
        }
        assert_eq!(StopReason::parse(""), None);
        assert_eq!(StopReason::parse("Ada asked"), Some(StopReason::Said("Ada asked".into())));
    }

    #[test]
    fn the_page_of_the_state_file_lists_every_plain_reason() {
        let page = include_str!("../../../../docs/state-file.md");
        let row = |line: &str| {
            let (word, sentence) = line.strip_prefix("| `")?.split_once("` | ")?;
            Some((word.to_owned(), sentence.strip_suffix(" |")?.to_owned()))
        };
        let (_, rows) = page.split_once("### Why a debate stopped").unwrap();
        let (rows, _) = rows.split_once("\n###").unwrap();
        let listed: Vec<_> = rows.lines().filter_map(row).collect();
        let plain = PlainReason::VARIANTS.iter();
        let made: Vec<_> = plain
            .map(|plain| (<&str>::from(plain).to_owned(), plain.sentence().to_owned()))
            .collect();
        assert_eq!(listed[..made.len()], made);
    }

    proptest! {
        #[test]
        fn any_text_in_a_file_is_read_and_stays(text in "(typed|said: |undone: [0-9]{0,12})?.{0,40}") {
            let read = StopReason::parse(&text);
            let again = read.as_ref().map(StopReason::render).unwrap_or_default();
            prop_assert_eq!(StopReason::parse(&again), read);
        }
    }
}
