//! What workers have posted in an issue is taken into the debate here.

use std::collections::BTreeMap;
use std::time::Duration;

use super::issue_work::claims;
use super::steer::unfinished;
use super::tasks::answered;
use super::{Engine, LOCK_WAIT, Session, Submitted, no_debate};
use crate::body::{Claimed, Post};
use crate::command::PublishOptions;
use crate::debate::Verb;
use crate::error::Result;
use crate::forge::Issue;
use crate::state::{Loaded, StateFile};
use crate::tasks::Place;

impl Engine<'_> {
    /// Takes the replies in that workers have posted in the issue of the debate here, as far as their places have come. Gives back
    /// which were filed, and whose.
    pub(super) fn gathered(
        &self,
        session: Option<&Session>,
        options: &PublishOptions,
        timeout: Duration,
    ) -> Result<Vec<(String, String)>> {
        let store = self.store_meant(session);
        let debate = store.read_head()?.ok_or_else(|| no_debate(&store))?;
        let issue = Issue::find(store.project().root(), &options.issue, &self.world.disk, timeout)?;
        let claimed = claims(&issue, &debate.id)?;
        let mut filed = Vec::new();
        if claimed.values().all(|claimed| claimed.reply.is_none()) || !debate.progress.status.is_unfinished() {
            return Ok(filed);
        }
        let locked = store.lock(LOCK_WAIT)?;
        let loaded = locked.load()?.filter(|loaded| loaded.state.debate.id == debate.id);
        let Loaded { mut state, .. } = unfinished(loaded.ok_or_else(|| no_debate(&store))?)?;
        self.check_may_change(Verb::Resume, &state.debate, session, options.owner.take_over)?;
        let mut held = locked.claims(&debate.id)?;
        let (mut undone, mut last) = (None, None);
        while let Some((place, found)) = next_reply(&state, &claimed) {
            if held.gathered.contains(&found.claim) {
                undone = Some((place, found));
                break;
            }
            let task = place.id(state.debate.progress.cycle);
            if held.on(&task).is_some_and(|claim| !claim.is_dead()) {
                break;
            }
            if !state.debate.is_active() {
                state.debate.take_up();
                state.debate.touch(self.world.now);
            }
            // Its worker was asked for the form already.
            state.debate.retry_for_form();
            let own = Session { id: String::new(), prompt_id: None, client: None, for_client: None };
            let reply = found.reply.as_deref().unwrap_or_default();
            let submitted = self.file_submitted(&locked, &mut state, reply, &own)?;
            if !matches!(submitted, Submitted::AskedAgain { .. } | Submitted::Failed(_) | Submitted::Stale) {
                filed.push((place.name(), found.worker.clone()));
            }
            held.gathered.push(found.claim);
            locked.keep_claims(&debate.id, &held)?;
            if !matches!(submitted, Submitted::Advanced { .. } | Submitted::AskedAgain { .. }) {
                last = Some(submitted);
                break;
            }
        }
        drop(locked);
        if let Some(mut submitted) = last {
            self.report_on_submitted(&store, &mut submitted);
        }
        // What was undone after it was filed is written anew.
        if let Some((place, found)) = undone {
            let post = Post::Undone { claim: found.claim };
            issue.post_comment(&post.comment(&debate.id, &found.worker, &place.name())?)?;
        }
        Ok(filed)
    }
}

/// The posted reply to the place that is next.
fn next_reply<'a>(state: &StateFile, claimed: &'a BTreeMap<(String, String), Claimed>) -> Option<(Place, &'a Claimed)> {
    let place = Place::of(&state.debate);
    let key = (place.id(state.debate.progress.cycle), answered(state, place));
    let found = claimed.get(&key).filter(|found| found.reply.is_some())?;
    state.debate.progress.status.is_unfinished().then_some((place, found))
}
