//! The grounded labelling of an argumentation framework: which claims stand if every move is valid.
//!
//! P. M. Dung, "On the acceptability of arguments and its fundamental role in nonmonotonic
//! reasoning, logic programming and n-person games", Artificial Intelligence 77 (1995).

use serde::Serialize;
use strum::IntoStaticStr;

/// The label of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, IntoStaticStr)]
#[cfg_attr(test, derive(serde::Deserialize))]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "lowercase")]
pub enum Label {
    /// All its attackers are out.
    In,
    /// One of its attackers is in.
    Out,
    /// The attacks do not decide between in and out.
    Undecided,
}

impl Label {
    pub fn word(self) -> &'static str {
        self.into()
    }
}

/// The grounded labelling, in linear time. `attacks` are pairs (attacker, target) of indices below
/// `arguments`.
pub(crate) fn grounded_labelling(arguments: usize, attacks: &[(usize, usize)]) -> Vec<Label> {
    let mut labels = vec![Label::Undecided; arguments];
    let mut targets = vec![Vec::new(); arguments];
    // Attackers of each argument that are not out yet.
    let mut attackers = vec![0_usize; arguments];
    for &(from, to) in attacks {
        targets[from].push(to);
        attackers[to] += 1;
    }
    let mut unattacked: Vec<usize> =
        (0..arguments).filter(|&argument| attackers[argument] == 0).collect();
    while let Some(argument) = unattacked.pop() {
        labels[argument] = Label::In;
        for &out in &targets[argument] {
            if labels[out] == Label::Out {
                continue;
            }
            labels[out] = Label::Out;
            for &defended in &targets[out] {
                attackers[defended] -= 1;
                if attackers[defended] == 0 && labels[defended] == Label::Undecided {
                    unattacked.push(defended);
                }
            }
        }
    }
    labels
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The labelling by its definition: the least complete set, found by trying every set.
    fn by_force(arguments: usize, attacks: &[(usize, usize)]) -> Vec<Label> {
        let has = |set: u32, argument: usize| set >> argument & 1 == 1;
        let attacked_by = |set: u32, argument: usize| {
            attacks.iter().any(|&(from, to)| to == argument && has(set, from))
        };
        let defends = |set: u32, argument: usize| {
            attacks
                .iter()
                .filter(|&&(_, to)| to == argument)
                .all(|&(from, _)| attacked_by(set, from))
        };
        let complete = |&set: &u32| {
            (0..arguments).all(|argument| !(has(set, argument) && attacked_by(set, argument)))
                && (0..arguments).all(|argument| has(set, argument) == defends(set, argument))
        };
        let all: Vec<u32> = (0..1_u32 << arguments).filter(complete).collect();
        // The grounded extension is the intersection of all complete extensions.
        let least = all.iter().copied().fold(u32::MAX, |one, other| one & other);
        assert!(all.contains(&least), "the grounded extension is complete");
        (0..arguments)
            .map(|argument| match (has(least, argument), attacked_by(least, argument)) {
                (true, _) => Label::In,
                (false, true) => Label::Out,
                (false, false) => Label::Undecided,
            })
            .collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]
        #[test]
        fn the_labelling_matches_a_brute_force_solver(
            (arguments, attacks) in (1_usize..9).prop_flat_map(|arguments| {
                (Just(arguments), proptest::collection::vec((0..arguments, 0..arguments), 0..20))
            })
        ) {
            prop_assert_eq!(grounded_labelling(arguments, &attacks), by_force(arguments, &attacks));
        }
    }
}
