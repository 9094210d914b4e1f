//! Every text of a ledger and of a standing, changed by one function: what was read from the saved
//! words is cleaned when it is shown or leaves the machine, and reads the same.

use super::earlier::Earlier;
use super::questions::AskedState;
use super::read::Stated;
use super::{
    AskedQuestion, Citation, Claim, Fault, Finding, Ground, Ledger, Move, NoVerdict, Sighting,
    Standing, Synthesis, Verdict, VerdictWord,
};
use crate::question::Alternatives;

/// Changes texts.
type Change<'a> = &'a dyn Fn(&str) -> String;

fn text(text: &mut String, change: Change<'_>) {
    *text = change(text);
}

fn all<'a>(texts: impl IntoIterator<Item = &'a mut String>, change: Change<'_>) {
    texts.into_iter().for_each(|one| text(one, change));
}

impl Ledger {
    /// The same ledger with each of its texts changed.
    #[must_use]
    pub fn with_texts(mut self, change: Change<'_>) -> Self {
        let Self {
            claims,
            moves,
            findings,
            synthesis,
            noted,
            asked,
            earlier,
            among,
            stated,
            is_of_judges: _,
            sections: _,
            unanswered: _,
            labels_in_time: _,
            named_by_others: _,
            disputed_by_others: _,
            named_by_own: _,
            named: _,
        } = &mut self;
        for one in claims {
            claim(one, change);
        }
        for Move { quote, reason, .. } in moves {
            all(quote.iter_mut().chain([reason]), change);
        }
        for Finding { fault, .. } in findings {
            self::fault(fault, change);
        }
        if let Some(read) = synthesis {
            self::synthesis(read, change);
        }
        all(noted, change);
        for AskedQuestion { question, state, .. } in asked {
            text(question, change);
            if let AskedState::Answered(answer) = state {
                text(answer, change);
            }
        }
        if let Some(Earlier { synthesis, standing, .. }) = earlier {
            self::synthesis(synthesis, change);
            *standing = std::mem::take(standing).with_texts(change);
        }
        let Alternatives { names, motion, question, .. } = among;
        all(names.iter_mut().chain(motion).chain([question]), change);
        for Stated { claim, .. } in stated {
            all(claim.iter_mut().map(|claim| &mut claim.sentence), change);
        }
        self
    }
}

impl Standing {
    /// The same standing with each of its texts changed.
    #[must_use]
    pub fn with_texts(mut self, change: Change<'_>) -> Self {
        match &mut self {
            Self::Argued { motion } => all(motion, change),
            Self::Void { motion, reason, .. } => all(motion.iter_mut().chain([reason]), change),
            Self::Valid(verdict) => {
                let Verdict {
                    motion,
                    word,
                    recommendation,
                    why,
                    against,
                    depends_on,
                    flips_if,
                    unknown,
                    ranking,
                    cautions,
                    is_asked: _,
                    confidence: _,
                    rests_on: _,
                    judges: _,
                    confidence_range: _,
                    closes_gates: _,
                } = &mut **verdict;
                let lines = [motion, recommendation, why, against, depends_on, flips_if, unknown];
                all(lines.into_iter().flatten().chain(ranking).chain(cautions), change);
                if let VerdictWord::Option(name) = word {
                    text(name, change);
                }
            }
        }
        self
    }
}

fn claim(claim: &mut Claim, change: Change<'_>) {
    let Claim { sentence, ground, citation, reasons, why, check, .. } = claim;
    all([sentence, reasons, why], change);
    if let Ground::Evidence(named) = ground {
        text(named, change);
    }
    if let Some(Citation { path, words, seen, .. }) = citation {
        all(
            [path]
                .into_iter()
                .chain(words)
                .chain(seen.iter_mut().map(|Sighting { path, .. }| path)),
            change,
        );
    }
    if let Some(check) = check {
        all([&mut check.place, &mut check.quote], change);
    }
}

fn synthesis(synthesis: &mut Synthesis, change: Change<'_>) {
    let Synthesis {
        verdict,
        why,
        motion,
        recommendation,
        against,
        depends_on,
        flips_if,
        unknown,
        results,
        ranking,
        first,
        strangers,
        options,
        changes,
        ..
    } = synthesis;
    let lines = [why, motion, recommendation, against, depends_on, flips_if, unknown, first];
    all(lines.into_iter().flatten().chain(ranking).chain(strangers), change);
    all(results.iter_mut().map(|line| &mut line.why), change);
    all(options.iter_mut().flat_map(|line| [&mut line.name, &mut line.text]), change);
    all(changes.iter_mut().map(|line| &mut line.text), change);
    match verdict {
        Ok(VerdictWord::Option(words)) | Err(NoVerdict::Other(words)) => text(words, change),
        Ok(_) | Err(_) => {}
    }
}

fn fault(fault: &mut Fault, change: Change<'_>) {
    match fault {
        Fault::QuoteNotFound { quote: words, .. }
        | Fault::EvidenceNotFound { path: words, .. }
        | Fault::FileNotFound { path: words, .. }
        | Fault::NoVerdict { why: words }
        | Fault::StrayLine { line: words }
        | Fault::UnknownLine { line: words, .. }
        | Fault::OtherFirst { name: words }
        | Fault::UnknownOption { name: words }
        | Fault::OptionLeftOut { name: words } => text(words, change),
        Fault::OtherMotion { motion, known } => all([motion, known], change),
        Fault::ReusedId { .. }
        | Fault::UnknownClaim { .. }
        | Fault::GrantWithoutReason { .. }
        | Fault::PassedOver { .. }
        | Fault::NoBlock { .. }
        | Fault::NoMajority
        | Fault::Changed { .. }
        | Fault::NoMotion
        | Fault::WrongRanking
        | Fault::RestsOnNobody { .. }
        | Fault::LineMissing { .. }
        | Fault::LineUnreadable { .. }
        | Fault::LineTwice { .. }
        | Fault::LineRefused { .. }
        | Fault::LeftOut { .. }
        | Fault::Invented { .. }
        | Fault::ListedTwice { .. }
        | Fault::NoReason { .. }
        | Fault::SurvivedThoughGivenUp { .. }
        | Fault::SurvivedThoughContradicted { .. }
        | Fault::FellUnattacked { .. }
        | Fault::RestsOnFallen { .. }
        | Fault::RestsOnUnknown { .. }
        | Fault::RestsOnNothing
        | Fault::RestsOnMany { .. }
        | Fault::RestsOnAssumption { .. }
        | Fault::Overconfident { .. }
        | Fault::ChangeWithoutClaim { .. }
        | Fault::NoClaims { .. }
        | Fault::NoMoves { .. }
        | Fault::JudgesDiffer { .. }
        | Fault::CheckConflicts { .. }
        | Fault::ObjectionStands { .. }
        | Fault::LateClaim { .. }
        | Fault::NotAllRead
        | Fault::LabelDiffers { .. } => {}
    }
}
