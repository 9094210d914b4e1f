//! Work at a debate that is in an issue: a worker claims a reply by a comment, and posts it as another one. It writes nothing else
//! there: whoever published the debate takes the replies in, and writes the body.

use std::collections::BTreeMap;
use std::time::Duration;

use super::publish::there;
use super::request::{Answered, Asked, Request, answer, request};
use super::steer::unfinished;
use super::tasks::{Waiting, answered};
use super::{Engine, LOCK_WAIT, Session, Submitted, no_debate};
use crate::body::{Claimed, Post, Posted, claimed};
use crate::command::{IssueOptions, PublishOptions};
use crate::debate::{Debate, Seat, Verb};
use crate::error::{Error, Result};
use crate::forge::Issue;
use crate::state::{Loaded, StateFile};
use crate::tasks::{Place, Wanted};
use crate::text::clean;
use crate::transcript;

/// A reply of a debate in an issue that a worker has claimed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IssueTicket {
    /// The task, by its id.
    pub task: String,
    /// The number of the comment with the claim.
    pub claim: u64,
    generation: String,
    place: Place,
}

/// What is next for a worker there.
#[derive(Debug)]
pub enum IssueNext {
    /// This is to be written.
    Work(IssueTicket, Box<Request>),
    /// There is nothing for it now.
    Waits(Waiting),
    /// The debate is over.
    Over(Box<Debate>),
}

/// What became of a reply there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IssuePosted {
    /// It is there, and waits for who published the debate.
    Posted,
    /// It lacks something, and is asked for once more.
    AskedAgain(String),
    /// It lacks something, and had its chances.
    Failed(String),
    /// The task is somebody else's by now, or the debate has moved on.
    Late,
}

/// Who works at the debate of an issue.
#[derive(Debug)]
pub struct IssueWorker<'a> {
    /// Where the debate is.
    pub issue: &'a IssueOptions,
    /// How it is called.
    pub name: &'a str,
    /// Which tasks it takes.
    pub wanted: Wanted,
    /// What tells its claims from others of its account.
    pub mark: &'a str,
    /// Longest time for all that one step asks of a forge.
    pub timeout: Duration,
}

/// A debate as an issue has it, and who works at it.
struct There<'a> {
    issue: Issue<'a>,
    state: StateFile,
    claimed: BTreeMap<(String, String), Claimed>,
}

impl There<'_> {
    /// Who has the reply at a place, as the debate stands.
    fn on(&self, place: Place) -> Option<&Claimed> {
        self.claimed.get(&(place.id(self.state.debate.progress.cycle), answered(&self.state, place)))
    }

    /// The claim of a ticket, where it counts still and nothing is written for it.
    fn own(&self, ticket: &IssueTicket) -> Option<&Claimed> {
        self.on(ticket.place).filter(|claimed| claimed.claim == ticket.claim && claimed.reply.is_none())
    }

    /// What a worker can write now: what it has claimed, or the first that nobody has. It has no number yet where it has to be claimed.
    fn ready(&self, worker: &IssueWorker<'_>) -> std::result::Result<IssueTicket, Waiting> {
        let debate = &self.state.debate;
        let cycle = debate.progress.cycle;
        let filed = transcript::parse(&self.state.body);
        let is_filed = |place: &Place| match place.judge {
            Some(judge) => judge <= debate.progress.judgments,
            None => filed.filed_in(cycle).any(|slot| slot == place.slot),
        };
        let next = Place::of(debate);
        let left: Vec<Place> =
            Place::all(debate).into_iter().filter(|place| worker.wanted.takes(*place) && !is_filed(place)).collect();
        let ready = |place: &Place| *place == next || place.dependencies(debate).iter().all(is_filed);
        let ready: Vec<Place> = left.iter().copied().filter(ready).collect();
        let is_own = |claimed: &Claimed| claimed.mark == worker.mark && claimed.reply.is_none();
        let place = ready.iter().find(|place| self.on(**place).is_some_and(is_own));
        match place.or_else(|| ready.iter().find(|place| self.on(**place).is_none())) {
            Some(place) => {
                let (task, generation) = (place.id(cycle), answered(&self.state, *place));
                Ok(IssueTicket { task, claim: 0, generation, place: *place })
            }
            None if left.is_empty() => Err(Waiting::NothingLeft),
            None => Err(ready.first().map_or(Waiting::Dependencies(vec![next.id(cycle)]), |place| self.held(*place))),
        }
    }

    /// Why nobody else writes at a place.
    fn held(&self, place: Place) -> Waiting {
        let task = place.id(self.state.debate.progress.cycle);
        match self.on(place) {
            Some(claimed) if claimed.reply.is_some() => Waiting::Posted(task),
            Some(claimed) => Waiting::HeldThere(task, format!("{} ({})", claimed.worker, claimed.account)),
            None => Waiting::Dependencies(vec![task]),
        }
    }

    /// The comment with a claim.
    fn claim(&self, ready: &IssueTicket, worker: &IssueWorker<'_>) -> Result<String> {
        let (task, generation) = (ready.task.clone(), ready.generation.clone());
        let post = Post::Claim { task, generation, worker: worker.name.to_owned(), mark: worker.mark.to_owned() };
        Ok(post.comment(&self.state.debate.id, worker.name, &ready.place.name())?)
    }

    /// Posts that whoever has claimed a place is gone.
    fn free(&self, place: Place, claimed: &Claimed) -> Result<()> {
        let post = Post::Free { claim: claimed.claim };
        self.issue.post_comment(&post.comment(&self.state.debate.id, &claimed.worker, &place.name())?)
    }
}

/// Who has claimed what. Whether an account may write is asked once for each that has posted anything.
fn claims(issue: &Issue<'_>, debate: &str) -> Result<BTreeMap<(String, String), Claimed>> {
    let mut may_write: BTreeMap<String, bool> = BTreeMap::new();
    let mut posted = Vec::new();
    for comment in issue.comments_in_full()? {
        if comment.is_edited || !Post::is_in(&comment.text) {
            continue;
        }
        let counts = match may_write.get(&comment.account) {
            Some(may) => *may,
            None => *may_write.entry(comment.account.clone()).or_insert(issue.may_write(&comment.account)?),
        };
        posted.push(Posted { id: comment.id, account: comment.account, counts, text: comment.text });
    }
    Ok(claimed(debate, &posted))
}

impl Engine<'_> {
    fn there(&self, options: &IssueOptions, timeout: Duration) -> Result<There<'_>> {
        let store = self.store_to_start_in(None);
        let issue = Issue::find(store.project().root(), options, &self.world.disk, timeout)?;
        let none = || {
            Error::nothing(
                format!("there is no debate in {issue}"),
                format!("`anvil publish --issue {}` puts the one of a project there", issue.number()),
            )
        };
        let theirs = there(&issue, &issue.body()?.text)??.ok_or_else(none)?;
        let state = theirs.state().clone();
        let claimed = claims(&issue, &state.debate.id)?;
        Ok(There { issue, state, claimed })
    }

    /// The debate of an issue.
    pub fn debate_of_issue(&self, options: &IssueOptions, timeout: Duration) -> Result<Debate> {
        Ok(self.there(options, timeout)?.state.debate)
    }

    /// What is next for a worker at the debate of an issue. A task that can be begun is claimed there.
    /// `before`: what it wrote that has to be written once more.
    pub fn next_issue_task(
        &self,
        worker: &IssueWorker<'_>,
        before: Option<&str>,
        most_tokens: impl Fn(Seat) -> usize,
    ) -> Result<IssueNext> {
        let mut there = self.there(worker.issue, worker.timeout)?;
        if !there.state.debate.progress.status.is_unfinished() {
            return Ok(IssueNext::Over(Box::new(there.state.debate)));
        }
        let ready = match there.ready(worker) {
            Ok(ready) => ready,
            Err(waits) => return Ok(IssueNext::Waits(waits)),
        };
        if there.on(ready.place).is_none() {
            there.issue.post_comment(&there.claim(&ready, worker)?)?;
            // Everyone reads again before they work: an earlier claim may have come in between.
            there.claimed = claims(&there.issue, &there.state.debate.id)?;
        }
        let Some(claimed) = there.on(ready.place).filter(|claimed| claimed.mark == worker.mark) else {
            return Ok(IssueNext::Waits(there.held(ready.place)));
        };
        let ticket = IssueTicket { claim: claimed.claim, ..ready };
        let standing = ticket.place.standing(&there.state);
        let is_alone = ticket.place.is_independent(&there.state.debate);
        let asked = Asked { before, in_project: false, is_alone };
        let mut request = request(&standing, std::path::Path::new(""), asked, most_tokens)?;
        request.generation = format!("{}@{}", ticket.generation, ticket.claim);
        Ok(IssueNext::Work(ticket, Box::new(request)))
    }

    /// Posts what a worker wrote, if its claim still counts. `asked`: how often it was asked for once more.
    pub fn post_issue_reply(
        &self,
        worker: &IssueWorker<'_>,
        ticket: &IssueTicket,
        text: &str,
        asked: u8,
    ) -> Result<IssuePosted> {
        let there = self.there(worker.issue, worker.timeout)?;
        if there.own(ticket).is_none() {
            return Ok(IssuePosted::Late);
        }
        let mut beside = ticket.place.standing(&there.state);
        beside.debate.follow_retries(asked, asked > 0);
        let why = match answer(&mut beside, text, self.world.now) {
            Answered::Judged { .. } | Answered::Next { .. } | Answered::Synthesis(..) => {
                let post = Post::Reply { claim: ticket.claim, text: text.to_owned() };
                let comment = post.comment(&there.state.debate.id, worker.name, &ticket.place.name())?;
                there.issue.post_comment(&comment)?;
                return Ok(IssuePosted::Posted);
            }
            Answered::Again { why, .. } => why,
            Answered::Failed => return Ok(IssuePosted::Failed(beside.debate.progress.status_detail)),
        };
        Ok(IssuePosted::AskedAgain(why))
    }

    /// A worker lets its task go.
    pub fn leave_issue_task(&self, worker: &IssueWorker<'_>, ticket: &IssueTicket) -> Result<()> {
        let there = self.there(worker.issue, worker.timeout)?;
        there.own(ticket).map_or(Ok(()), |claimed| there.free(ticket.place, claimed))
    }

    /// The user says that whoever has claimed a task in an issue is gone. Gives back who that is.
    pub fn free_issue_task(&self, options: &IssueOptions, task: &str, timeout: Duration) -> Result<String> {
        let there = self.there(options, timeout)?;
        let cycle = there.state.debate.progress.cycle;
        let place = Place::all(&there.state.debate).into_iter().find(|place| place.id(cycle) == task);
        let held = place.and_then(|place| Some((place, there.on(place).filter(|claimed| claimed.reply.is_none())?)));
        let Some((place, claimed)) = held else {
            return Err(Error::nothing(
                format!("nobody has claimed {} there", clean(task, 60)),
                "`anvil join --issue N --as SEAT` says who holds what it waits for",
            ));
        };
        there.free(place, claimed)?;
        Ok(claimed.worker.clone())
    }

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
        if claimed.values().any(|claimed| claimed.reply.is_some()) && debate.progress.status.is_unfinished() {
            let locked = store.lock(LOCK_WAIT)?;
            let loaded = locked.load()?.filter(|loaded| loaded.state.debate.id == debate.id);
            let Loaded { mut state, .. } = unfinished(loaded.ok_or_else(|| no_debate(&store))?)?;
            self.check_may_change(Verb::Resume, &state.debate, session, options.owner.take_over)?;
            while let Some((place, worker, reply)) = next_reply(&state, &claimed) {
                // Its worker was asked for the form already.
                state.debate.retry_for_form();
                if !state.debate.is_active() {
                    state.debate.take_up();
                    state.debate.touch(self.world.now);
                }
                let own = Session { id: String::new(), prompt_id: None, client: None, for_client: None };
                match self.file_submitted(&locked, &mut state, reply, &own)? {
                    Submitted::AskedAgain { .. } | Submitted::Failed(_) | Submitted::Stale => break,
                    Submitted::Advanced { .. } | Submitted::Waits(..) | Submitted::Completed(_) => {
                        filed.push((place.name(), worker.to_owned()));
                    }
                }
            }
        }
        Ok(filed)
    }
}

/// The posted reply to the place that is next, and who wrote it.
fn next_reply<'a>(
    state: &StateFile,
    claimed: &'a BTreeMap<(String, String), Claimed>,
) -> Option<(Place, &'a str, &'a str)> {
    let place = Place::of(&state.debate);
    let key = (place.id(state.debate.progress.cycle), answered(state, place));
    let claimed = claimed.get(&key).filter(|_| state.debate.progress.status.is_unfinished())?;
    Some((place, &claimed.worker, claimed.reply.as_deref()?))
}
