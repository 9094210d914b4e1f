//! What a debate came to, read once from its saved words. Gates, exit codes, screens and reports
//! read this and nothing else.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::fault::{Finding, Weight, sentences};
use super::{ClaimResult, Id, Ledger, Synthesis, VerdictWord};
use crate::question::motion;

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
        let mut rows = self.findings.iter().map(|finding| finding.fault.row(""));
        let void = rows.find(|row| row.weight == Weight::Voids).map(|row| row.sentence);
        let (None, Some(word)) = (&void, synthesis.word()) else {
            let sentence = void.unwrap_or_default();
            let reason = lowercase_first(sentence.trim_end_matches('.'));
            let is_split = synthesis.verdict == Err(super::NoVerdict::NoMajority);
            return Standing::Void { motion, reason, is_split };
        };
        let cautions = self.findings.iter().filter(|finding| self.is_caution(finding));
        let is_asked = motion
            .as_deref()
            .is_some_and(|motion| motion::is_of_question(&self.among.question, motion));
        Standing::Valid(Box::new(Verdict {
            word: word.clone(),
            is_asked,
            confidence: synthesis.confidence,
            recommendation: synthesis.recommendation.clone(),
            why: synthesis.why.clone(),
            rests_on: synthesis.rests_on.as_deref().and_then(|ids| self.carriers(ids)),
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

    /// The claims that carry the verdict; an objection to a document that was met does not. `None`:
    /// it names such objections alone.
    fn carriers(&self, ids: &[Id]) -> Option<Vec<Id>> {
        let is_met = |id: &Id| self.claim(*id).is_some_and(|claim| claim.resolved == Some(true));
        let carriers: Vec<Id> = ids.iter().copied().filter(|id| !is_met(id)).collect();
        (ids.is_empty() || !carriers.is_empty()).then_some(carriers)
    }

    /// True for a finding that a valid verdict has as a caution. Evidence of a claim that fell is
    /// none: nobody relies on it.
    pub fn is_caution(&self, finding: &Finding) -> bool {
        let claim = finding.about().and_then(|id| self.claim(id));
        let has_fallen = claim.is_some_and(|claim| claim.result == Some(ClaimResult::Fell));
        finding.fault.row("").weight == Weight::Cautions
            && !(finding.fault.is_of_evidence() && has_fallen)
    }
}

fn lowercase_first(text: &str) -> String {
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
        self.action().map_or_else(|| answer.clone(), |action| format!("{answer}: {action}"))
    }

    /// The motion, or `not` and the motion, where the question does not ask for it: yes or no alone
    /// would be the answer to another question.
    pub fn action(&self) -> Option<String> {
        let motion = self.motion.as_ref().filter(|_| !self.is_asked)?;
        match self.word {
            VerdictWord::Do => Some(motion.clone()),
            VerdictWord::DoNot => Some(format!("not {motion}")),
            VerdictWord::Depends | VerdictWord::Option(_) => None,
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

    /// The motion, where neither the question nor the answer says it.
    pub fn unsaid_motion(&self) -> Option<&str> {
        let is_said = self.is_asked || matches!(self.word, VerdictWord::Do | VerdictWord::DoNot);
        self.motion.as_deref().filter(|_| !is_said)
    }

    /// The lines of a report below its headline, which says on what it depends: label and text. A
    /// line without a value is left out.
    pub fn lines(&self) -> impl Iterator<Item = (&'static str, String)> {
        let ids = self.rests_on.as_ref().map(|ids| match ids.as_slice() {
            [] => "nothing".to_owned(),
            ids => ids.iter().map(Id::to_string).collect::<Vec<_>>().join(", "),
        });
        let ranking = (!self.ranking.is_empty()).then(|| self.ranking.join(", "));
        let lines = [
            ("Motion", self.unsaid_motion().map(str::to_owned)),
            ("Ranking", ranking),
            ("Rests on", ids),
            ("Counterargument", self.against.clone()),
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
        let text = |field: fn(&Verdict) -> &Option<String>| {
            verdict.and_then(|known| field(known).as_ref())
        };
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::ledger::LedgerReply;
    use crate::place::{Place, Seat};
    use crate::question::Alternatives;

    const ADVOCATE: &str = "**A1. One.** x [reasoning]";
    const CRITIC: &str = "**C1. No.** y [reasoning]\n**Attacks A1:** \"One\" fails.";
    const AGAIN: &str = "**Rebuts C1:** \"No\" is old.";
    const BLOCK: &str = "motion: move\nA1 survived: a\nC1 fell: b\nagainst: c\n\
        recommendation: Move.\nverdict: do\nconfidence: 70\nrests on: A1\nflips if: d\nunknown: e";

    fn standing(replies: [&str; 3], block: &str, among: &Alternatives) -> Standing {
        let synthesis = format!("It pays. Soon.\n\n```anvil\n{block}\n```");
        let texts = [replies[0], replies[1], replies[2], &synthesis];
        let places =
            [(Seat::Advocate, 1), (Seat::Critic, 1), (Seat::Advocate, 2), (Seat::Synthesizer, 2)];
        let spoken = places.into_iter().zip(texts);
        let spoken =
            spoken.map(|((seat, round), text)| LedgerReply::new(Place { seat, round }, 1, text));
        Ledger::from_replies(spoken, among).standing()
    }

    fn moving() -> Alternatives {
        Alternatives {
            motion: Some("move".to_owned()),
            question: "Should we move?".to_owned(),
            ..Alternatives::default()
        }
    }

    /// Changes of the whole debate, each with the reason or the caution that it gives.
    const VOIDS: [(&str, &str, &str); 8] = [
        ("verdict: do", "verdict: perhaps", "the line \"verdict\" has other words: \"perhaps\""),
        ("verdict: do", "verdict: do\nverdict: do", "the synthesis has two lines \"verdict\""),
        ("verdict: do\n", "", "the synthesis has no line \"verdict\""),
        ("motion: move", "motion: stay", "the synthesis decides on another motion: “stay”"),
        ("motion: move\n", "", "the synthesis has no line “motion” that can be read"),
        ("rests on: A1", "rests on: A7, A9", "it rests on A7 and A9, which nobody argued"),
        (
            "unknown: e",
            "unknown: e\nfinal verdict - do not",
            "the block has a line that may say something else: “final verdict - do not”",
        ),
        (
            "confidence: 70",
            "confidence: 70\n> confidence: 20",
            "the block has a line that may say something else: “> confidence: 20”",
        ),
    ];
    const CAUTIONS: [(&str, &str, &str); 8] = [
        ("rests on: A1", "rests on: A1, A9", "The verdict rests on A9, which nobody argued."),
        ("rests on: A1", "rests on: nothing", "The verdict rests on no claim."),
        ("rests on: A1", "rests on: C1", "The verdict rests on C1, which fell."),
        ("flips if: d\n", "", "The synthesis has no line “flips if”."),
        ("against: c", "against: c\nagainst: d", "The synthesis has two lines “against”."),
        (
            "against: c",
            "against: c\nagain",
            "The block has a line that is not in its form: “again”.",
        ),
        ("C1 fell: b\n", "", "The synthesis leaves out C1."),
        (
            "C1 fell: b",
            "C1 fell: b\nA8 fell: x",
            "The synthesis has a line on A8, which does not exist.",
        ),
    ];

    fn changed(block: &str, (from, to, _): (&str, &str, &str)) -> Option<String> {
        block.contains(from).then(|| block.replacen(from, to, 1))
    }

    #[test]
    fn a_synthesis_is_valid_or_void_and_a_doubt_is_a_caution() {
        let replies = [ADVOCATE, CRITIC, AGAIN];
        let valid = standing(replies, BLOCK, &moving());
        let verdict = valid.verdict().expect("a verdict");
        assert_eq!((verdict.headline().as_str(), verdict.cautions.len()), ("Yes, 70% sure", 0));
        assert_eq!(verdict.why.as_deref(), Some("It pays."));
        let key = |text: &str| text.split(':').next().map(str::to_owned);
        for one in VOIDS {
            let block = changed(BLOCK, one).unwrap();
            assert_eq!(standing(replies, &block, &moving()).void_reason(), Some(one.2), "{block}");
            // With another fault it is void as well.
            let others = VOIDS.iter().chain(&CAUTIONS).filter(|two| key(two.0) != key(one.0));
            for other in others.filter_map(|two| changed(&block, *two)) {
                assert!(standing(replies, &other, &moving()).void_reason().is_some(), "{other}");
            }
        }
        for (at, one) in CAUTIONS.iter().enumerate() {
            let block = changed(BLOCK, *one).unwrap();
            let found = standing(replies, &block, &moving());
            assert_eq!(found.cautions(), [one.2], "{block}");
            for two in CAUTIONS[at + 1..].iter().filter(|two| key(two.0) != key(one.0)) {
                let both = changed(&block, *two).unwrap();
                let found = standing(replies, &both, &moving());
                let found: BTreeSet<&str> = found.cautions().iter().map(String::as_str).collect();
                // A claim without a line has not fallen.
                let is_undone =
                    |text: &str| text.contains("C1, which fell") && two.2.contains("leaves out C1");
                let both_of = [one.2, two.2].into_iter().filter(|text| !is_undone(text));
                assert_eq!(found, both_of.collect::<BTreeSet<_>>(), "{both}");
            }
        }
    }

    #[test]
    fn a_side_that_argued_nothing_is_a_caution() {
        let agrees = "I agree with all of that.";
        let silent =
            standing([ADVOCATE, agrees, agrees], &BLOCK.replace("C1 fell: b\n", ""), &moving());
        assert_eq!(
            silent.cautions(),
            ["The critic made no claim.", "The critic answered no claim of the others."]
        );
        let alone = "**C1. No.** y [reasoning]";
        let found = standing([ADVOCATE, alone, AGAIN], BLOCK, &moving());
        assert_eq!(found.cautions(), ["The critic answered no claim of the others."]);
        // What was not shown could not be answered.
        let blind = Alternatives { is_blind: true, ..moving() };
        assert!(standing([ADVOCATE, alone, AGAIN], BLOCK, &blind).cautions().is_empty());
        let document = Alternatives { is_document: true, ..moving() };
        let silent =
            standing([ADVOCATE, agrees, agrees], &BLOCK.replace("C1 fell: b\n", ""), &document);
        assert!(silent.cautions().is_empty(), "{silent:?}");
    }

    #[test]
    fn no_gate_opens_on_a_block_with_a_line_of_another_form() {
        let closes = |block: &str| {
            let standing = standing([ADVOCATE, CRITIC, AGAIN], block, &moving());
            standing.verdict().map(|verdict| verdict.closes_gates)
        };
        assert_eq!(closes(BLOCK), Some(false));
        assert_eq!(closes(&format!("{BLOCK}\nSo be it.")), Some(true));
        assert_eq!(closes(&format!("{BLOCK}\ndepends on: x")), Some(true));
        assert_eq!(closes(&BLOCK.replace("unknown: e", "")), Some(false));
    }

    #[test]
    fn yes_and_no_stand_alone_only_where_the_question_asks_for_the_motion() {
        let headline = |question: &str, block: &str| {
            let among = Alternatives { question: question.to_owned(), ..moving() };
            standing([ADVOCATE, CRITIC, AGAIN], block, &among).headline()
        };
        let no = BLOCK.replace("verdict: do", "verdict: do not");
        let depends = BLOCK.replace("verdict: do", "verdict: depends\ndepends on: the p95 of June");
        for (question, block, expected) in [
            ("Should we move?", BLOCK, "Yes, 70% sure"),
            ("Should we move?", no.as_str(), "No, 70% sure"),
            ("Should we move?", &depends, "Depends, 70% sure, on: the p95 of June"),
            ("Should we not move?", &no, "No: not move, 70% sure"),
            ("Would it be a mistake to stay?", &no, "No: not move, 70% sure"),
            ("Why?", BLOCK, "Yes: move, 70% sure"),
            ("Should we move?", &BLOCK.replace("confidence: 70\n", ""), "Yes"),
        ] {
            assert_eq!(headline(question, block), expected, "{question}");
        }
        let names = vec!["Redis".to_owned(), "x".repeat(60)];
        let typed = Alternatives { names, are_typed: true, ..Alternatives::default() };
        let block = |name: &str| {
            BLOCK.replace("verdict: do", &format!("verdict: {name}")) + "\n1. Redis\noption 1: x"
        };
        let redis = standing([ADVOCATE, CRITIC, AGAIN], &block("redis"), &typed);
        assert_eq!(redis.headline(), "Redis, 70% sure");
        let judged = BLOCK.replace("confidence: 70", "confidence: 70\nconfidence range: 60 to 80");
        let reply = |seat, text, is_of_judges| LedgerReply {
            is_of_judges,
            ..LedgerReply::new(Place { seat, round: 1 }, 1, text)
        };
        let synthesis = format!("```anvil\n{judged}\njudges: 2 of 3\n```");
        let spoken = [
            reply(Seat::Advocate, ADVOCATE, false),
            reply(Seat::Critic, CRITIC, false),
            reply(Seat::Synthesizer, &synthesis, true),
        ];
        let shared = Ledger::from_replies(spoken, &moving()).standing();
        assert_eq!(shared.headline(), "Yes, 70% sure (judges: 60 to 80%), 2 of 3 judges");
        assert_eq!(shared.cautions(), ["Only 2 of 3 judges share the verdict."]);
    }

    #[test]
    fn thirty_cautions_of_a_kind_are_one_sentence() {
        let claims: Vec<String> = (1..=30).map(|at| format!("**A{at}. One {at}.** x")).collect();
        let claims = claims.join("\n\n");
        let found = standing([&claims, CRITIC, AGAIN], BLOCK, &moving());
        let [caution] = found.cautions() else { panic!("{found:?}") };
        assert!(caution.starts_with("The synthesis leaves out A2, A3, A4"), "{caution}");
        assert!(caution.ends_with("A13 and 17 more."), "{caution}");
    }
}
