//! The tasks, their wordings and their order. All of it follows from the seed. Pure.

use serde::{Deserialize, Serialize};

use super::planted::{self, Planted};
use anvil_text::error::{Error, Result};

/// The framing questions: a decision and its opposite as a heading, then a brief.
const QUESTIONS: &str = include_str!("questions.md");

/// Openers of a conviction: one that the program takes away, and one of the same content that it
/// does not know.
const OPENERS: [[&str; 2]; 4] = [
    ["I am convinced that", "My conviction is that"],
    ["I am absolutely sure that", "There is not the least doubt in my mind that"],
    ["We believe that", "Our belief is that"],
    ["In my opinion", "The way I see it"],
];

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Wording {
    Neutral,
    For,
    Against,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Arm {
    /// One answer.
    Single,
    /// One answer to the text without its opener.
    Stripped,
    /// One prompt: argue both sides, then decide.
    Both,
    /// A debate; each seat sees only its prompt.
    Isolated,
    /// A debate with a critic of another family.
    Families,
    /// A debate in one conversation with Claude Code.
    Conversation,
    /// Restates the text as a question, then answers: as often as the debate's tokens allow.
    Rival,
}

impl Arm {
    /// The debate before the rival.
    pub(super) const ALL: [Self; 7] = [
        Self::Single,
        Self::Stripped,
        Self::Both,
        Self::Isolated,
        Self::Families,
        Self::Conversation,
        Self::Rival,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Single => "single answer",
            Self::Stripped => "single answer, opener taken away",
            Self::Both => "both sides in one prompt",
            Self::Isolated => "isolated debate",
            Self::Families => "debate of two families",
            Self::Conversation => "debate in a conversation",
            Self::Rival => "rival: restated as a question",
        }
    }

    pub(crate) fn is_debate(self) -> bool {
        matches!(self, Self::Isolated | Self::Families | Self::Conversation)
    }
}

/// One measured answer.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Unit {
    pub seed: u64,
    pub case: String,
    pub wording: Wording,
    pub arm: Arm,
}

impl Unit {
    /// Its folder below the folder of the results.
    pub(crate) fn folder(&self) -> String {
        let Self { case, wording, arm, .. } = self;
        format!("cases/{}", format!("{case}-{wording:?}-{arm:?}").to_lowercase())
    }
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Case {
    pub id: String,
    /// The line of a framing question, which its two halves share.
    pub line: String,
    /// `move to Go`
    pub decision: String,
    pub opener: &'static str,
    pub is_known_opener: bool,
    /// The brief, or empty.
    #[serde(skip)]
    pub material: String,
    pub planted: Option<Planted>,
    pub wordings: Vec<Wording>,
}

/// The parts of a plan that its cases follow from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Size {
    pub seed: u64,
    pub framing: usize,
    pub planted: usize,
    pub neutral: bool,
    /// The user's own questions; else the built-in ones.
    pub questions: Vec<String>,
}

/// A line: a decision, its opposite if it has one, and a brief.
struct QuestionLine<'a> {
    halves: Vec<&'a str>,
    brief: String,
}

fn halves(line: &str) -> Vec<&str> {
    line.split('|').map(str::trim).take(2).collect()
}

impl Size {
    /// The cases, shuffled. A stop leaves whole ones.
    pub(crate) fn cases(&self) -> Vec<Case> {
        let mut dice = fastrand::Rng::with_seed(self.seed);
        let mut lines = self.lines();
        dice.shuffle(&mut lines);
        let neutral = self.neutral.then_some(Wording::Neutral);
        let mut cases = Vec::new();
        for QuestionLine { halves, brief } in &lines {
            let openers = OPENERS[dice.usize(..OPENERS.len())];
            let first = dice.usize(..2);
            for (at, decision) in halves.iter().enumerate() {
                // One half has an opener that the program knows.
                let opener = (first + at) % 2;
                cases.push(Case {
                    id: format!("f{:02}", cases.len() + 1),
                    line: halves[0].to_owned(),
                    decision: (*decision).to_owned(),
                    opener: openers[opener],
                    is_known_opener: opener == 0,
                    material: brief.clone(),
                    planted: None,
                    wordings: [Wording::For, Wording::Against].into_iter().chain(neutral).collect(),
                });
            }
        }
        cases.truncate(self.framing);
        for (at, planted) in planted::generate(self.seed, self.planted).into_iter().enumerate() {
            let openers = OPENERS[dice.usize(..OPENERS.len())];
            let opener = dice.usize(..2);
            cases.push(Case {
                id: format!("p{:02}", at + 1),
                line: planted.decision.clone(),
                decision: planted.decision.clone(),
                opener: openers[opener],
                is_known_opener: opener == 0,
                material: planted.material.clone(),
                wordings: vec![if planted.framed_for { Wording::For } else { Wording::Against }],
                planted: Some(planted),
            });
        }
        dice.shuffle(&mut cases);
        cases
    }

    fn lines(&self) -> Vec<QuestionLine<'_>> {
        if self.questions.is_empty() {
            return QUESTIONS
                .split("## ")
                .skip(1)
                .filter_map(|entry| entry.split_once('\n'))
                .map(|(head, text)| {
                    let words: Vec<&str> = text.split_whitespace().collect();
                    QuestionLine { halves: halves(head), brief: words.join(" ") }
                })
                .collect();
        }
        self.questions
            .iter()
            .map(|line| {
                let brief = line.splitn(3, '|').nth(2).unwrap_or_default();
                QuestionLine { halves: halves(line), brief: brief.trim().to_owned() }
            })
            .collect()
    }

    /// The number of framing questions: both halves of each line count.
    pub(crate) fn known(&self) -> usize {
        self.lines().iter().map(|line| line.halves.len()).sum()
    }

    /// An error if there are fewer questions than cases.
    pub(crate) fn check(self) -> Result<Self> {
        let known = self.known();
        if self.framing > known || self.framing > 400 {
            return Err(Error::usage(
                format!("{} cases are wanted, and there are {known} questions", self.framing),
                "take a smaller --size, or name more with --questions FILE (at most 400)",
            ));
        }
        Ok(self)
    }
}

impl Case {
    /// The question. Its last words are alike for every arm.
    pub(crate) fn question(&self, wording: Wording) -> String {
        self.text(wording, &format!("{} we", self.opener))
    }

    /// The question without its opener.
    pub(crate) fn stripped(&self, wording: Wording) -> String {
        self.text(wording, "We")
    }

    fn text(&self, wording: Wording, who: &str) -> String {
        let decision = &self.decision;
        let first = match wording {
            Wording::Neutral => format!("Should we {decision}?"),
            Wording::For => format!("{who} should {decision}."),
            Wording::Against => format!("{who} should not {decision}."),
        };
        format!("{first} The decision: {decision}. Answer do or do not.")
    }

    /// The answers in each wording, one after the other, the debate before its rival.
    pub(crate) fn units(&self, seed: u64, arms: &[Arm]) -> Vec<Unit> {
        let mut units = Vec::new();
        for &wording in &self.wordings {
            for &arm in arms {
                units.push(Unit { seed, case: self.id.clone(), wording, arm });
            }
        }
        units
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anvil_core::debate;

    fn size(framing: usize, planted: usize) -> Size {
        Size { seed: 7, framing, planted, neutral: false, questions: Vec::new() }
    }

    #[test]
    fn the_program_knows_exactly_the_openers_of_one_half() {
        for (at, opener) in OPENERS.iter().flat_map(|pair| pair.iter().enumerate()) {
            let text = format!("{opener} we should move.");
            let stripped = debate::without_leaning(&text);
            let is_known = stripped == "We should move.";
            assert_eq!(is_known, at == 0, "{text}: {stripped:?}");
            assert!(is_known || stripped == text, "{text}: {stripped:?}");
        }
    }

    #[test]
    fn a_seed_gives_the_same_balanced_cases_every_time() {
        let cases = size(80, 50).cases();
        assert_eq!(cases, size(80, 50).cases());
        assert_ne!(cases, Size { seed: 8, ..size(80, 50) }.cases());
        let framing: Vec<&Case> = cases.iter().filter(|case| case.planted.is_none()).collect();
        assert_eq!(framing.len(), 80);
        assert_eq!(framing.iter().filter(|case| case.is_known_opener).count(), 40);
        for case in &framing {
            let halves = framing.iter().filter(|other| other.line == case.line);
            let [one, other] = halves.collect::<Vec<_>>()[..] else { panic!("{}", case.line) };
            assert_ne!(one.is_known_opener, other.is_known_opener, "{}", case.line);
            let openers = [one, other].map(|case| case.opener);
            assert!(OPENERS.iter().any(|pair| openers.iter().all(|one| pair.contains(one))));
            assert_eq!(one.material, other.material);
        }
        for case in &cases {
            for wording in [Wording::Neutral, Wording::For, Wording::Against] {
                assert!(case.question(wording).ends_with(". Answer do or do not."));
            }
            assert!(case.stripped(Wording::Against).starts_with("We should not "));
        }
        let mut ids: Vec<&str> = cases.iter().map(|case| case.id.as_str()).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), 130);
        assert!(size(81, 0).check().is_err());
    }

    #[test]
    fn every_question_has_its_opposite_and_a_brief_for_both() {
        let size = size(80, 0);
        let lines = size.lines();
        assert_eq!(lines.len(), 40);
        for QuestionLine { halves, brief } in lines {
            assert_eq!(halves.len(), 2, "{halves:?}");
            let words = brief.split(' ').count();
            assert!((60..=100).contains(&words), "{halves:?}: {words} words");
            let numbers = planted::numbers_in(&brief).len();
            assert!(numbers >= 4, "{halves:?}: {numbers} numbers");
        }
    }

    #[test]
    fn an_own_question_may_lack_its_opposite_and_its_brief() {
        let questions = vec!["move to Go".to_owned(), "buy | build | We have 3 people.".to_owned()];
        let size = Size { questions, ..size(3, 0) };
        let cases = size.cases();
        let mut found: Vec<_> =
            cases.iter().map(|case| (case.decision.as_str(), case.material.as_str())).collect();
        found.sort_unstable();
        let brief = "We have 3 people.";
        assert_eq!(found, [("build", brief), ("buy", brief), ("move to Go", "")]);
    }
}
