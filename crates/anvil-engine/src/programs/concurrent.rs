//! Replies that a run has written at the same time: those that can begin, and whether the debate
//! still waits for one.

use super::fact_check::is_check_due;
use super::request::{Request, RequestOptions, answer_generation, request};
use crate::{Context, Session, Stopped};
use anvil_core::attempt::{Generation, Slot};
use anvil_core::debate::{Debate, Status, stops_within};
use anvil_core::place::Place;
use anvil_store::{Attempts, Loaded};
use anvil_text::error::Result;

/// The replies that a run can begin now, while others are being written.
pub struct ConcurrentOptions<'a> {
    /// The seats can read the project's files.
    pub in_project: bool,
    /// The most requests.
    pub most: usize,
    /// The attempts until now.
    pub attempts: &'a Attempts,
    /// The replies that are left out.
    pub is_busy: &'a dyn Fn(Slot) -> bool,
}

/// The requests for replies that can be written at the same time as the next one.
pub fn concurrent_requests(
    context: &Context<'_>,
    session: &Session,
    options: &ConcurrentOptions<'_>,
    most_tokens: impl Fn(Place) -> usize,
) -> Result<Vec<Request>, Stopped> {
    let store = context.selected_store(Some(session));
    let Some(Loaded { state, .. }) = store.load()? else { return Ok(Vec::new()) };
    if stops_within(&state.debate) || is_check_due(&state) {
        return Ok(Vec::new());
    }
    let state_file = store.project().state_file();
    let next = state.debate.next_place();
    state
        .debate
        .places()
        .into_iter()
        .skip_while(|place| *place != next)
        .skip(1)
        // A reply that does not answer the next one: of an independent place, or of another judge.
        .filter(|place| {
            state.debate.is_independent(*place)
                || place.seat.judge().is_some() && place.in_schedule() == next.in_schedule()
        })
        .filter(|place| {
            let slot = Slot::from(*place);
            !(options.is_busy)(slot)
                && options.attempts.waiting(slot, &[answer_generation(&state, *place)]).is_none()
        })
        .take(options.most)
        .map(|place| {
            let mut state_at_place = state.clone();
            state_at_place.debate.enter(place);
            let is_alone = state.debate.is_independent(place);
            let seat_options =
                RequestOptions { before: None, in_project: options.in_project, is_alone };
            let mut request = request(&state_at_place, &state_file, seat_options, &most_tokens)?;
            request.generation = answer_generation(&state, place);
            request.answers = vec![request.generation];
            Ok(request)
        })
        .collect()
}

/// True while this session owns its active debate, and the debate waits for this reply to this
/// state. A file that can't be read just now counts as true: it is
/// no reason to discard a reply.
pub fn still_waits(
    context: &Context<'_>,
    session: &Session,
    slot: Slot,
    answers: Generation,
) -> bool {
    let store = context.selected_store(Some(session));
    store.read_head().map_or(true, |debate| {
        debate.is_some_and(|debate| {
            debate.is_owned_by(&session.id)
                && debate.status() == Status::InProgress
                && waits_for(&debate, slot, answers)
        })
    })
}

/// True if the debate waits for a reply to this state, as far as its head shows: a
/// concurrent reply waits until its place is over.
fn waits_for(debate: &Debate, slot: Slot, answers: Generation) -> bool {
    let next = debate.next_place();
    let may_answer = match answers {
        Generation::Turn(turn) | Generation::Check(turn) => return turn == debate.into(),
        Generation::Cycle(cycle) => cycle == debate.cycle(),
        Generation::Judgment(_) => next.seat.judge().is_some(),
    };
    may_answer
        && debate
            .places()
            .into_iter()
            .skip_while(|place| *place != next)
            .any(|place| slot == place.into())
}
