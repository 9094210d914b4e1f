//! Selects claims of a debate: all, one, those in a state, or those of one seat.

use serde::Serialize;

use super::error::ReportError;
use crate::lookup::find;
use crate::{Context, Session};
use anvil_core::debate::Debate;
use anvil_core::ledger::{Claim, Finding, Id, Ledger, Move};
use anvil_core::options::ClaimsOptions;
use anvil_core::place::{DebateFormat, Seat};
use anvil_core::question::Alternatives;
use anvil_core::transcript::{self, Author, Entries};
use anvil_store::{StateFile, Store};
use anvil_text::error::{Kind, Result};

/// The claims that a command selects.
#[derive(Debug)]
pub struct SelectedClaims {
    pub debate: Debate,
    /// Every claim of the debate.
    pub ledger: Ledger,
    /// The place of each reply: `critic, round 2`, or the name of a voice.
    pub places: Vec<String>,
    /// The author of each reply, as far as known.
    pub authors: Vec<Option<Author>>,
    /// Positions of the selected claims in `ledger`.
    pub picked: Vec<usize>,
    /// True if a filter selects the claims.
    pub is_filtered: bool,
    /// The claim that was selected by its number.
    pub one: Option<Id>,
}

/// A claim, and who wrote its reply.
#[derive(Debug, Serialize)]
pub struct AuthoredClaim<'a> {
    #[serde(flatten)]
    claim: &'a Claim,
    #[serde(skip_serializing_if = "Option::is_none")]
    author: Option<&'a Author>,
}

impl SelectedClaims {
    /// The selected claims, each with its author.
    pub fn authored_claims(&self) -> impl Iterator<Item = AuthoredClaim<'_>> {
        self.claims().map(|claim| {
            let author = self.authors.get(claim.section).and_then(Option::as_ref);
            AuthoredClaim { claim, author }
        })
    }

    /// The selected claims.
    pub fn claims(&self) -> impl Iterator<Item = &Claim> {
        self.picked.iter().map(|&at| &self.ledger.claims[at])
    }

    /// The moves on the selected claims; without a filter, all moves.
    pub fn moves(&self) -> impl Iterator<Item = &Move> {
        self.ledger
            .moves
            .iter()
            .filter(|made| !self.is_filtered || self.claims().any(|claim| claim.id == made.target))
    }

    /// Checks of the selected claims. A check that names no claim appears only without a filter.
    pub fn findings(&self) -> Vec<Finding> {
        self.ledger
            .findings
            .iter()
            .filter(|finding| {
                !self.is_filtered
                    || finding.about().is_some_and(|id| self.claims().any(|claim| claim.id == id))
            })
            .cloned()
            .collect()
    }

    /// Empty for a section without a place.
    pub fn place(&self, section: usize) -> String {
        self.places.get(section).cloned().unwrap_or_default()
    }
}

/// Claims of this project's debate, or of an earlier one.
pub fn claims(
    context: &Context<'_>,
    session: Option<&Session>,
    options: &ClaimsOptions,
) -> Result<SelectedClaims> {
    let store = context.selected_store(session);
    let (state, one) = select(&store, options)?;
    let entries = transcript::parse(&state.body);
    let ledger = Ledger::of_entries(&entries, &state.debate.alternatives());
    let by = options.by.as_deref().map(|who| seat(&state.debate, &entries, who)).transpose()?;
    let picked = (0..)
        .zip(&ledger.claims)
        .filter(|(_, claim)| {
            options.state.as_deref().is_none_or(|state| is_in(claim, state))
                && by.is_none_or(|by| claim.id.seat() == by)
                && one.is_none_or(|one| claim.id == one)
        })
        .map(|(at, _)| at)
        .collect();
    let is_filtered = options.state.is_some() || by.is_some() || one.is_some();
    let places = places(&entries, state.debate.cycle());
    let hides = context.hides_authors(&state.debate);
    let authors =
        entries.replies().map(|(_, entry)| entry.author.clone().filter(|_| !hides)).collect();
    Ok(SelectedClaims { debate: state.debate, ledger, places, authors, picked, is_filtered, one })
}

/// True if the claim is in a state of [`command::STATES`](anvil_command::STATES).
fn is_in(claim: &Claim, state: &str) -> bool {
    let result = claim.result.map(|result| result.word().replace(' ', "-"));
    state == claim.status.word() || Some(state) == result.as_deref()
}

/// The place of each reply. It names the cycle if there is more than one.
pub fn places(entries: &Entries, cycles: u32) -> Vec<String> {
    entries
        .replies()
        .map(|(place, entry)| {
            let place = match &entry.voice {
                Some(voice) => anvil_text::clean(voice, 60),
                None => place.to_string(),
            };
            if cycles > 1 { format!("{place}, cycle {}", entry.cycle) } else { place }
        })
        .collect()
}

/// The debate, and the claim if one is named. A single word that is the number of a claim means a
/// claim of this project's debate, unless only a debate has that name.
fn select(store: &Store, options: &ClaimsOptions) -> Result<(StateFile, Option<Id>)> {
    match (options.id.as_deref(), options.claim.as_deref()) {
        (Some(word), None) => {
            let Ok(id) = word.parse::<Id>() else {
                return Ok((find(store, Some(word))?.0, None));
            };
            let here = find(store, None).map(|(state, _)| state);
            if here.as_ref().is_ok_and(|state| has_claim(state, id)) {
                return Ok((here?, Some(id)));
            }
            match find(store, Some(word)) {
                Err(error) if error.kind() == Kind::Nothing => Ok((here?, Some(id))),
                named => Ok((named?.0, None)),
            }
        }
        (selector, Some(word)) => {
            let id = word
                .parse::<Id>()
                .map_err(|_| ReportError::NoClaim(anvil_text::clean(word, 60)))?;
            Ok((find(store, selector)?.0, Some(id)))
        }
        (None, None) => Ok((find(store, None)?.0, None)),
    }
}

fn has_claim(state: &StateFile, id: Id) -> bool {
    let entries = transcript::parse(&state.body);
    let ledger = Ledger::of_entries(&entries, &Alternatives::default());
    ledger.claims.iter().any(|claim| claim.id == id)
}

/// Finds a seat by its name, a voice's number, or the beginning of a voice's name.
fn seat(debate: &Debate, entries: &Entries, who: &str) -> Result<Seat> {
    let who = who.trim().to_lowercase();
    let mut voices: Vec<(Seat, String)> = entries
        .replies()
        .filter_map(|(place, entry)| Some((place.seat, entry.voice.as_ref()?.to_lowercase())))
        .collect();
    if debate.format() != DebateFormat::Seats {
        let numbered = (1..=u8::MAX).zip(&debate.options.voices);
        voices.extend(
            numbered.map(|(number, voice)| (Seat::Voice(number), voice.name.to_lowercase())),
        );
    }
    let number = who.trim_start_matches(['s', 'v']).parse().ok().map(Seat::Voice);
    match who.as_str() {
        "" => {}
        "advocate" | "a" => return Ok(Seat::Advocate),
        "critic" | "c" => return Ok(Seat::Critic),
        who => {
            let exact = voices.iter().find(|(seat, name)| Some(*seat) == number || name == who);
            if let Some((seat, _)) =
                exact.or_else(|| voices.iter().find(|(_, name)| name.starts_with(who)))
            {
                return Ok(*seat);
            }
        }
    }
    Err(ReportError::NoSeat(anvil_text::clean(&who, 60)).into())
}
