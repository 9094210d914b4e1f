//! `--fail-on`: results of a finished debate that make the exit code 4, for CI.

use crate::error::RunOptionError;
use anvil_core::debate::Debate;
use anvil_core::ledger::{Id, Unread, VerdictWord};
use anvil_core::options::{Mode, Refused};
use anvil_engine::{GateFacts, Objections, OpenClaim, UnreadClaim};
use anvil_text::clean;
use anvil_text::error::Result;

/// Most characters shown of an unreadable line.
const MAX_SHOWN: usize = 60;

const NO_SYNTHESIS: &str = "the debate has no synthesis";

/// Most claims named in one line.
const MAX_NAMED: usize = 5;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Gate {
    /// The verdict is "do not".
    DoNot,
    /// The verdict is this option, or no other option.
    Not(String),
    /// The confidence is below this percentage.
    LowConfidence(u8),
    OpenClaims,
    /// An objection to the document blocks and has no answer.
    Objections,
}

impl Gate {
    /// Reads `do-not`, `not=NAME`, `low-confidence=70`, `open-claims` or `objections`.
    pub fn parse(text: &str) -> std::result::Result<Self, Refused> {
        let gate = match text.split_once('=') {
            None if text == "do-not" => Some(Self::DoNot),
            None if text == "open-claims" => Some(Self::OpenClaims),
            None if text == "objections" => Some(Self::Objections),
            Some(("not", name)) if !name.trim().is_empty() => {
                Some(Self::Not(name.trim().to_owned()))
            }
            Some(("low-confidence", percent)) => {
                let percent = percent.trim_end_matches('%').parse().ok();
                let percent = percent.filter(|percent| (1..=100).contains(percent));
                percent.map(Self::LowConfidence)
            }
            _ => None,
        };
        gate.ok_or_else(|| {
            let why = "takes do-not, not=NAME, low-confidence=70, open-claims or objections";
            Refused::new(why, " do-not")
        })
    }

    /// Refuses a name that is not an option of this debate, objections without a document, and
    /// "do not" without a known motion.
    pub(crate) fn check(&self, debate: &Debate) -> Result<()> {
        let among = &debate.alternatives();
        if *self == Self::DoNot && debate.motion().is_none() {
            let name = among.names.first().filter(|_| !debate.takes_motion());
            return Err(match name {
                Some(name) => RunOptionError::GateOfOptions(name.clone()),
                None => RunOptionError::NoMotion,
            }
            .into());
        }
        if *self == Self::Objections && debate.options.mode != Mode::Revise {
            return Err(RunOptionError::NoDocument.into());
        }
        let Self::Not(name) = self else { return Ok(()) };
        if among.find(name).is_some() {
            return Ok(());
        }
        let known = among.names.clone();
        Err(RunOptionError::NoOption { name: name.clone(), known }.into())
    }

    /// The gate as the user types it.
    pub(crate) fn word(&self) -> String {
        match self {
            Self::DoNot => "do-not".to_owned(),
            Self::Not(name) => format!("not={name}"),
            Self::LowConfidence(percent) => format!("low-confidence={percent}"),
            Self::OpenClaims => "open-claims".to_owned(),
            Self::Objections => "objections".to_owned(),
        }
    }

    /// Why the gate is closed. None opens without a valid verdict, or if the block has a line that
    /// is not in its grammar.
    pub(crate) fn reason_to_close(&self, judged: &GateFacts) -> Option<String> {
        let Some(verdict) = judged.standing.verdict() else {
            return Some(judged.standing.void_reason().unwrap_or(NO_SYNTHESIS).to_owned());
        };
        if verdict.closes_gates {
            return Some("the block has a line that is not in its form".to_owned());
        }
        let is = || format!("the verdict is {}", clean(verdict.word.word(), MAX_SHOWN));
        match self {
            // A verdict for one option is no verdict against an option that no gate names.
            Self::DoNot if judged.among.are_typed => {
                let first = judged.among.names.first().map_or("", String::as_str);
                Some(format!("the question has options: say --fail-on \"not={first}\""))
            }
            Self::DoNot => match &verdict.word {
                VerdictWord::Do | VerdictWord::Depends => None,
                VerdictWord::DoNot | VerdictWord::Option(_) => Some(is()),
            },
            Self::Not(name) => match &verdict.word {
                VerdictWord::Option(other) if judged.among.find(name) != Some(other) => None,
                _ => Some(is()),
            },
            Self::LowConfidence(least) => match verdict.confidence {
                Some(confidence) if confidence < *least => {
                    Some(format!("the confidence is {confidence}%, less than {least}%"))
                }
                Some(_) => None,
                None => Some("the synthesis has no confidence that can be read".to_owned()),
            },
            Self::Objections => match &judged.objections {
                Objections::Standing(ids) if ids.is_empty() => None,
                Objections::Standing(ids) => Some(objections(ids)),
                Objections::Unread(unread) => Some(unreadable(unread)),
                Objections::NoDocument => Some("the debate's file has no document".to_owned()),
            },
            Self::OpenClaims if judged.open.is_empty() => judged.unread.as_ref().map(unreadable),
            Self::OpenClaims => Some(unanswered_claims(&judged.open)),
        }
    }
}

/// `no claim of the critic can be read, so it is unknown what is open`
fn unreadable(unread: &UnreadClaim) -> String {
    match unread {
        UnreadClaim::Seat(seat) => {
            format!("no claim of the {seat} can be read, so it is unknown what is open")
        }
        UnreadClaim::Part(Unread::Text(text)) => format!(
            "\"{}\" is no claim and no move, so it is unknown what is open",
            clean(text, MAX_SHOWN)
        ),
        UnreadClaim::Part(Unread::Blocks(line)) => {
            format!("[blocks] belongs to no claim in the line \"{}\"", clean(line, MAX_SHOWN))
        }
    }
}

/// `C2 was never answered`, `A1 was not answered after its repair`.
fn unanswered_claims(open: &[OpenClaim]) -> String {
    let shown = open.iter().take(MAX_NAMED).map(|open| {
        let how = if open.is_repaired { "not answered after its repair" } else { "never answered" };
        format!("{} was {how}", open.id)
    });
    let more = open.len().checked_sub(MAX_NAMED).filter(|more| *more > 0);
    let more = more.map(|more| format!("{more} more claims were open"));
    shown.chain(more).collect::<Vec<_>>().join(", ")
}

/// `C2 and 1 more objection block without an answer`.
fn objections(standing: &[Id]) -> String {
    let ids: Vec<String> = standing.iter().take(MAX_NAMED).map(Id::to_string).collect();
    let more = standing.len().saturating_sub(MAX_NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let verb = if standing.len() == 1 { "blocks" } else { "block" };
    format!("{}{more} {verb}, without an answer", ids.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use anvil_core::ledger::{Standing, Verdict};
    use anvil_core::options::Named;
    use anvil_core::place::Seat;
    use anvil_core::question::Alternatives;

    fn valid(word: VerdictWord, confidence: Option<u8>) -> Standing {
        Standing::Valid(Box::new(Verdict {
            motion: None,
            word,
            is_asked: false,
            confidence,
            recommendation: None,
            why: None,
            rests_on: None,
            against: None,
            depends_on: None,
            flips_if: None,
            unknown: None,
            ranking: Vec::new(),
            judges: None,
            confidence_range: None,
            cautions: Vec::new(),
            closes_gates: false,
        }))
    }

    fn void() -> Standing {
        let reason = "the synthesis has no line \"verdict\"".to_owned();
        Standing::Void { motion: None, reason, is_split: false }
    }

    /// What a gate reads of a debate that came to this, with nothing open.
    fn facts(standing: Standing) -> GateFacts {
        GateFacts {
            standing,
            among: Alternatives::default(),
            unread: None,
            open: Vec::new(),
            objections: Objections::NoDocument,
        }
    }

    #[test]
    fn gates_of_a_debate_with_options_by_a_truth_table() {
        let option = |name: &str| valid(VerdictWord::Option(name.to_owned()), None);
        let typed = Alternatives {
            names: ["Redis", "PostgreSQL"].map(str::to_owned).to_vec(),
            are_typed: true,
            ..Alternatives::default()
        };
        let named = Alternatives { are_typed: false, ..typed.clone() };
        for (gate, standing, [if_typed, in_question]) in [
            ("do-not", option("Redis"), [true, true]),
            ("do-not", valid(VerdictWord::Do, None), [true, false]),
            ("do-not", valid(VerdictWord::Depends, None), [true, false]),
            ("do-not", void(), [true, true]),
            ("not=redis", option("Redis"), [true, true]),
            ("not=Redis", option("PostgreSQL"), [false, false]),
            ("not=Redis", valid(VerdictWord::Depends, None), [true, true]),
            ("not=Redis", valid(VerdictWord::Do, None), [true, true]),
            ("not=Redis", valid(VerdictWord::DoNot, None), [true, true]),
            ("not=Redis", void(), [true, true]),
        ] {
            for (among, is_closed) in [(&typed, if_typed), (&named, in_question)] {
                let judged = GateFacts { among: among.clone(), ..facts(standing.clone()) };
                let gate = Gate::parse(gate).unwrap();
                assert_eq!(
                    gate.reason_to_close(&judged).is_some(),
                    is_closed,
                    "{gate:?} {standing:?}"
                );
                assert_eq!(Gate::parse(&gate.word()), Ok(gate));
            }
        }
    }

    #[test]
    fn no_gate_opens_without_a_valid_verdict_in_its_form() {
        let objections = Objections::Standing(Vec::new());
        let among = Alternatives {
            names: ["Redis", "PostgreSQL"].map(str::to_owned).to_vec(),
            ..Alternatives::default()
        };
        for (gate, word) in [
            ("do-not", VerdictWord::Do),
            ("not=Redis", VerdictWord::Option("PostgreSQL".to_owned())),
            ("low-confidence=1", VerdictWord::Do),
            ("open-claims", VerdictWord::Do),
            ("objections", VerdictWord::Do),
        ] {
            let gate = Gate::parse(gate).unwrap();
            let with = |standing| GateFacts {
                objections: objections.clone(),
                among: among.clone(),
                ..facts(standing)
            };
            let open = valid(word, Some(90));
            assert_eq!(gate.reason_to_close(&with(open.clone())), None, "{gate:?}");
            let why = Some("the synthesis has no line \"verdict\"".to_owned());
            assert_eq!(gate.reason_to_close(&with(void())), why, "the reason is shown");
            assert!(gate.reason_to_close(&with(Standing::default())).is_some());
            let Standing::Valid(mut stray) = open else { unreachable!() };
            stray.closes_gates = true;
            assert!(gate.reason_to_close(&with(Standing::Valid(stray))).is_some(), "{gate:?}");
        }
    }

    #[test]
    fn a_gate_is_refused_where_it_has_no_meaning() {
        let mut choice = debate("Which?");
        let voice = |name: &str| Named { name: name.to_owned(), text: None };
        choice.options.voices = ["Redis", "PostgreSQL"].map(voice).to_vec();
        choice.options.mode = Mode::Options;
        let named = debate("Redis or PostgreSQL?");
        let with_motion = |mut debate: Debate| {
            debate.options.motion = Some("wait".to_owned());
            debate
        };
        let motion = "say which action \"do\" means: --motion TEXT; in a debate that is here `anvil steer --motion TEXT`";
        for (gate, debate, hint) in [
            ("not=MySQL", &choice, Some("the options are Redis, PostgreSQL")),
            ("not=Redis", &choice, None),
            ("not=Redis", &named, None),
            (
                "not=Redis",
                &debate("Why?"),
                Some("name the options with --options, or take --fail-on do-not"),
            ),
            ("do-not", &choice, Some("take --fail-on \"not=Redis\"")),
            ("do-not", &with_motion(choice.clone()), Some("take --fail-on \"not=Redis\"")),
            ("do-not", &named, Some(motion)),
            ("do-not", &debate("Why?"), Some(motion)),
            ("do-not", &with_motion(debate("Why?")), None),
            ("do-not", &with_motion(named.clone()), None),
            ("low-confidence=70", &debate("Why?"), None),
        ] {
            let refused = Gate::parse(gate).unwrap().check(debate).err();
            let refused = refused.map(|error| error.hint().plain());
            assert_eq!(refused.as_deref(), hint, "{gate} {}", debate.question);
        }
        let mut revised = debate("Can it be accepted?");
        assert!(Gate::Objections.check(&revised).is_err());
        revised.options.mode = Mode::Revise;
        assert!(Gate::Objections.check(&revised).is_ok());
    }

    fn debate(question: &str) -> Debate {
        Debate::new("id".to_owned(), question.to_owned(), 3, jiff::Timestamp::UNIX_EPOCH)
    }

    #[test]
    fn a_gate_closes_on_its_condition_or_an_unreadable_line() {
        let judged = |word: VerdictWord, confidence: Option<u8>, open: usize| GateFacts {
            open: vec![OpenClaim { id: "C2".parse().unwrap(), is_repaired: false }; open],
            ..facts(valid(word, confidence))
        };
        let is_closed = |gate: &str, judged: &GateFacts| {
            Gate::parse(gate).unwrap().reason_to_close(judged).is_some()
        };
        for (gate, closed, open) in [
            ("do-not", judged(VerdictWord::DoNot, None, 0), judged(VerdictWord::Depends, None, 3)),
            (
                "low-confidence=70",
                judged(VerdictWord::Do, Some(69), 0),
                judged(VerdictWord::Do, Some(70), 1),
            ),
            (
                "low-confidence=70%",
                judged(VerdictWord::Do, None, 0),
                judged(VerdictWord::Do, Some(100), 1),
            ),
            ("open-claims", judged(VerdictWord::Do, None, 1), judged(VerdictWord::Do, None, 0)),
        ] {
            assert!(is_closed(gate, &closed) && !is_closed(gate, &open), "{gate}");
            let typed = Gate::parse(gate).unwrap().word();
            assert_eq!(Gate::parse(&typed), Gate::parse(gate));
        }
        let unread = |unread| GateFacts { unread, ..judged(VerdictWord::Do, Some(90), 0) };
        let critic = Some(UnreadClaim::Seat(Seat::Critic));
        let none = unread(critic.clone());
        let c2 = Some(UnreadClaim::Part(Unread::Text("C2 is so.".to_owned())));
        for (unread, why) in [
            (none.clone(), "no claim of the critic can be read, so it is unknown what is open"),
            (unread(c2), "\"C2 is so.\" is no claim and no move, so it is unknown what is open"),
        ] {
            assert_eq!(Gate::OpenClaims.reason_to_close(&unread).as_deref(), Some(why));
        }
        assert!(is_closed("open-claims", &none) && !is_closed("do-not", &none));
        let repaired = |is_repaired| OpenClaim { id: "C2".parse().unwrap(), is_repaired };
        let open = GateFacts {
            open: vec![repaired(false), repaired(true)],
            ..judged(VerdictWord::Do, None, 0)
        };
        let expected = "C2 was never answered, C2 was not answered after its repair";
        assert_eq!(Gate::OpenClaims.reason_to_close(&open).as_deref(), Some(expected));
        let standing = |count: u16| {
            let ids = (1..=count).map(|number| format!("C{number}").parse().unwrap());
            Objections::Standing(ids.collect())
        };
        for (objections, why) in [
            (standing(0), None),
            (standing(1), Some("C1 blocks, without an answer")),
            (standing(7), Some("C1, C2, C3, C4, C5 and 2 more block, without an answer")),
            (
                Objections::Unread(UnreadClaim::Part(Unread::Blocks("2. No. [blocks]".to_owned()))),
                Some("[blocks] belongs to no claim in the line \"2. No. [blocks]\""),
            ),
            (Objections::NoDocument, Some("the debate's file has no document")),
        ] {
            let judged = GateFacts { objections, ..none.clone() };
            assert_eq!(Gate::Objections.reason_to_close(&judged).as_deref(), why);
        }
        for wrong in [
            "",
            "do",
            "low-confidence",
            "low-confidence=0",
            "low-confidence=101",
            "do-not=1",
            "not",
            "not= ",
        ] {
            assert!(Gate::parse(wrong).is_err(), "{wrong}");
        }
    }
}
