//! What a debate came to, read once from its saved words. Gates, exit codes, screens and reports
//! read this and nothing else.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::fault::{Finding, Weight, sentences};
use super::{ClaimResult, Id, Ledger, Synthesis, VerdictWord};
use crate::debate::motion;

/// What a debate came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// There is no synthesis yet.
    Argued { motion: Option<String> },
    /// The synthesis decides on the motion of the debate.
    Valid(Box<Verdict>),
    /// The synthesis decides nothing.
    Void {
        motion: Option<String>,
        /// A phrase without a full stop: `the synthesis has no line "verdict"`.
        reason: String,
        /// The judges share no verdict: asking once more would not help.
        is_split: bool,
    },
}

impl Default for Standing {
    fn default() -> Self {
        Self::Argued { motion: None }
    }
}

/// A verdict on the motion of its debate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The motion that the verdict is on: that of the debate, else that of the synthesis.
    pub motion: Option<String>,
    pub word: VerdictWord,
    /// The question asks for the motion, so that yes or no alone answers it.
    pub is_asked: bool,
    /// In percent; `None`: the synthesis gives no readable one, which is a caution.
    pub confidence: Option<u8>,
    pub recommendation: Option<String>,
    /// The first sentence of the synthesis.
    pub why: Option<String>,
    /// The claims that carry the verdict.
    pub rests_on: Option<Vec<Id>>,
    pub against: Option<String>,
    pub depends_on: Option<String>,
    pub flips_if: Option<String>,
    pub unknown: Option<String>,
    /// The options, the best first. Empty without options.
    pub ranking: Vec<String>,
    /// The number of judges that share the verdict, and of all judges.
    pub judges: Option<(u8, u8)>,
    /// The lowest and the highest confidence of these judges.
    pub confidence_range: Option<(u8, u8)>,
    /// What the program doubts, a sentence each.
    pub cautions: Vec<String>,
    /// The block has a line that is not in its grammar, so that no gate opens.
    pub closes_gates: bool,
}

impl Ledger {
    /// What the debate came to. After a synthesis that is argued again, its standing then.
    pub fn standing(&self) -> Standing {
        match (&self.synthesis, &self.earlier) {
            (Some(synthesis), _) => self.standing_of(synthesis),
            (None, Some(earlier)) => earlier.standing.clone(),
            (None, None) => Standing::Argued { motion: self.among.motion.clone() },
        }
    }

    fn standing_of(&self, synthesis: &Synthesis) -> Standing {
        let motion = self.among.motion.clone().or_else(|| synthesis.motion.clone());
        let with = |weight: Weight| {
            self.findings.iter().filter(move |finding| finding.fault.row("").weight == weight)
        };
        let void = with(Weight::Voids).next().map(|finding| finding.fault.row("").sentence);
        let (None, Some(word)) = (&void, synthesis.word()) else {
            let sentence = void.unwrap_or_default();
            let reason = uncapitalised(sentence.trim_end_matches('.'));
            let is_split = synthesis.verdict == Err(super::NoVerdict::NoMajority);
            return Standing::Void { motion, reason, is_split };
        };
        let cautions = with(Weight::Cautions).filter(|finding| self.counts_as_caution(finding));
        let is_asked =
            motion.as_deref().is_some_and(|motion| motion::is_of_question(&self.among.question, motion));
        Standing::Valid(Box::new(Verdict {
            word: word.clone(),
            is_asked,
            confidence: synthesis.confidence,
            recommendation: synthesis.recommendation.clone(),
            why: synthesis.why.clone(),
            rests_on: synthesis.rests_on.clone(),
            against: synthesis.against.clone(),
            depends_on: synthesis.depends_on.clone(),
            flips_if: synthesis.flips_if.clone(),
            unknown: synthesis.unknown.clone(),
            ranking: synthesis.ranking.clone(),
            judges: synthesis.judges,
            confidence_range: synthesis.confidence_range,
            cautions: sentences(cautions, |_| String::new()),
            closes_gates: self.findings.iter().any(|finding| finding.fault.closes_gates()),
            motion,
        }))
    }

    /// False for evidence of a claim that fell: nobody relies on it.
    fn counts_as_caution(&self, finding: &Finding) -> bool {
        let claim = finding.about().and_then(|id| self.claim(id));
        !finding.fault.is_of_evidence()
            || claim.is_none_or(|claim| claim.result != Some(ClaimResult::Fell))
    }
}

fn uncapitalised(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(char::to_lowercase);
    first.into_iter().flatten().chain(chars).collect()
}

impl Standing {
    /// The verdict, if it is valid.
    pub fn verdict(&self) -> Option<&Verdict> {
        if let Self::Valid(verdict) = self { Some(verdict) } else { None }
    }

    /// Why the synthesis decides nothing, as a phrase without a full stop.
    pub fn void_reason(&self) -> Option<&str> {
        if let Self::Void { reason, .. } = self { Some(reason) } else { None }
    }

    /// The action that the debate is about, where it is known.
    pub fn motion(&self) -> Option<&str> {
        match self {
            Self::Argued { motion } | Self::Void { motion, .. } => motion.as_deref(),
            Self::Valid(verdict) => verdict.motion.as_deref(),
        }
    }

    /// True once there is a synthesis, valid or void.
    pub fn is_judged(&self) -> bool {
        !matches!(self, Self::Argued { .. })
    }

    /// The sentences about a valid verdict that the program doubts.
    pub fn cautions(&self) -> &[String] {
        self.verdict().map_or(&[], |verdict| &verdict.cautions)
    }

    /// `No, 80% sure`, `No valid verdict: the synthesis has no line "verdict"`; empty before a
    /// synthesis.
    pub fn headline(&self) -> String {
        match self {
            Self::Argued { .. } => String::new(),
            Self::Valid(verdict) => verdict.headline(),
            Self::Void { reason, .. } => format!("No valid verdict: {reason}"),
        }
    }
}

impl Verdict {
    /// `Yes`, `No`, `Depends`, the name of an option; with the motion where the question does not
    /// ask for it: `Yes: move the cache`, `No: not move the cache`.
    pub fn answer(&self) -> String {
        let answer = self.word.answer();
        match (&self.word, &self.motion) {
            (VerdictWord::Do, Some(motion)) if !self.is_asked => format!("{answer}: {motion}"),
            (VerdictWord::DoNot, Some(motion)) if !self.is_asked => {
                format!("{answer}: not {motion}")
            }
            _ => answer,
        }
    }

    /// `80% sure`, `70% sure (judges: 60 to 80%), 2 of 3 judges`. `None`: nothing is known.
    pub fn sure(&self) -> Option<String> {
        let sure = self.confidence.map(|percent| match self.confidence_range {
            Some((least, most)) if least < most => {
                format!("{percent}% sure (judges: {least} to {most}%)")
            }
            _ => format!("{percent}% sure"),
        });
        let judges = self.judges.map(|(count, all)| format!("{count} of {all} judges"));
        let parts: Vec<String> = [sure, judges].into_iter().flatten().collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    }

    /// `No, 80% sure`, `Depends, 80% sure, on: the p95 of June`.
    pub fn headline(&self) -> String {
        let sure = self.sure().map_or_else(String::new, |sure| format!(", {sure}"));
        let on = self.depends_on.as_ref().filter(|_| self.word == VerdictWord::Depends);
        let on = on.map(|on| format!(", on: {on}")).unwrap_or_default();
        format!("{}{sure}{on}", self.answer())
    }

    /// The lines of a report below its headline: label and text. A line without a value is left
    /// out.
    pub fn lines(&self) -> impl Iterator<Item = (&'static str, String)> {
        let ids = self.rests_on.as_ref().map(|ids| match ids.as_slice() {
            [] => "nothing".to_owned(),
            ids => ids.iter().map(Id::to_string).collect::<Vec<_>>().join(", "),
        });
        let ranking = (!self.ranking.is_empty()).then(|| self.ranking.join(", "));
        let lines = [
            ("Motion", self.motion.clone()),
            ("Depends on", self.depends_on.clone()),
            ("Ranking", ranking),
            ("Rests on", ids),
            ("Against it", self.against.clone()),
            ("Would change if", self.flips_if.clone()),
            ("Still unknown", self.unknown.clone()),
        ];
        lines.into_iter().filter_map(|(label, text)| Some((label, text?)))
    }
}

/// The keys that every door shows, whatever the standing is.
impl Serialize for Standing {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let verdict = self.verdict();
        let text = |field: fn(&Verdict) -> &Option<String>| verdict.and_then(|known| field(known).as_ref());
        let standing = match self {
            Self::Argued { .. } => None,
            Self::Valid(_) => Some("valid"),
            Self::Void { .. } => Some("void"),
        };
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("standing", &standing)?;
        map.serialize_entry("void_reason", &self.void_reason())?;
        map.serialize_entry("cautions", self.cautions())?;
        map.serialize_entry("motion", &self.motion())?;
        map.serialize_entry("verdict", &verdict.map(|known| &known.word))?;
        map.serialize_entry("recommendation", &text(|known| &known.recommendation))?;
        map.serialize_entry("why", &text(|known| &known.why))?;
        map.serialize_entry("confidence_percent", &verdict.and_then(|known| known.confidence))?;
        map.serialize_entry("rests_on", &verdict.and_then(|known| known.rests_on.as_ref()))?;
        map.serialize_entry("against", &text(|known| &known.against))?;
        map.serialize_entry("depends_on", &text(|known| &known.depends_on))?;
        map.serialize_entry("flips_if", &text(|known| &known.flips_if))?;
        map.serialize_entry("unknown", &text(|known| &known.unknown))?;
        if let Some(verdict) = verdict {
            if !verdict.ranking.is_empty() {
                map.serialize_entry("ranking", &verdict.ranking)?;
            }
            if let Some(judges) = verdict.judges {
                map.serialize_entry("judges", &judges)?;
            }
            if let Some(range) = verdict.confidence_range {
                map.serialize_entry("confidence_range", &range)?;
            }
        }
        map.end()
    }
}
