//! Work at a debate that is in an issue: a worker claims a reply by a comment, and posts it as another one. It writes nothing else
//! there: whoever published the debate takes the replies in, and writes the body.

use std::collections::BTreeMap;
use std::time::Duration;

use super::Engine;
use super::publish::there;
use super::request::{Answered, Asked, Request, answer, request};
use super::tasks::{Waiting, answered};
use crate::body::{BodyError, Claimed, MAX_UNITS, Post, Posted, claimed};
use crate::command::IssueOptions;
use crate::debate::{Debate, Seat};
use crate::error::{Error, Result};
use crate::forge::Issue;
use crate::state::{Claims, StateFile, token};
use crate::tasks::{Facts, Place, Task, Wanted, tasks};
use crate::text::clean;
use crate::transcript;

/// How often a claim or a reply is looked for in an issue before it does not count there.
const LOOKS: u8 = 5;

/// A reply of a debate in an issue that a worker has claimed, or is about to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IssueTicket {
    /// The task, by its id.
    pub task: String,
    /// What tells this claim from every other.
    mark: String,
    generation: String,
    place: Place,
    /// The forge has said that the comment with the claim is there.
    is_claimed: bool,
    /// It was there, and counted.
    is_seen: bool,
    /// The forge has said that the comment with the reply is there.
    pub is_posted: bool,
    /// How often that was looked for in vain.
    looks: u8,
    /// How often the reply was asked for once more.
    pub asked: u8,
    /// What was written that has to be written once more.
    before: Option<String>,
}

/// What is next for a worker there.
#[derive(Debug)]
pub enum IssueNext {
    /// The task that it holds is to be written.
    Work(Box<Request>),
    /// What it has posted is not seen yet.
    Unseen,
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
    /// The debate: another one may be put into the issue.
    pub id: &'a str,
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

    /// The claim of a ticket, where it counts.
    fn own(&self, ticket: &IssueTicket) -> Option<&Claimed> {
        self.on(ticket.place).filter(|claimed| claimed.mark == ticket.mark)
    }

    /// Its tasks, as they are without the claims of one machine.
    fn tasks(&self) -> Vec<Task> {
        let facts = Facts {
            debate: &self.state.debate,
            entries: &transcript::parse(&self.state.body),
            claims: &Claims::default(),
            leader: None,
            file: "",
        };
        tasks(&facts).into_iter().filter(|task| !task.status.is_over()).collect()
    }

    /// The first place that a worker takes and nobody has.
    fn free_place(&self, wanted: Wanted) -> std::result::Result<IssueTicket, Waiting> {
        let left: Vec<Task> = self.tasks().into_iter().filter(|task| wanted.takes(task.place)).collect();
        let mut ready = left.iter().filter(|task| task.is_ready);
        match ready.clone().find(|task| self.on(task.place).is_none()) {
            Some(task) => Ok(IssueTicket {
                task: task.id.clone(),
                mark: token(),
                generation: answered(&self.state, task.place),
                place: task.place,
                is_claimed: false,
                is_seen: false,
                is_posted: false,
                looks: 0,
                asked: 0,
                before: None,
            }),
            None if left.is_empty() => Err(Waiting::NothingLeft),
            None => {
                let debate = &self.state.debate;
                let next = || Waiting::Dependencies(vec![Place::of(debate).id(debate.progress.cycle)]);
                Err(ready.next().map_or_else(next, |task| self.held(task.place)))
            }
        }
    }

    /// Why nobody else writes at a place.
    fn held(&self, place: Place) -> Waiting {
        let task = place.id(self.state.debate.progress.cycle);
        let number = self.issue.number();
        match self.on(place) {
            Some(claimed) if claimed.reply.is_none() => {
                Waiting::HeldThere(task, format!("{} ({})", claimed.worker, claimed.account), number)
            }
            _ => Waiting::Posted(task, number),
        }
    }

    /// Posts a claim.
    fn claim(&self, ticket: &IssueTicket, name: &str) -> Result<()> {
        let (task, generation, mark) = (ticket.task.clone(), ticket.generation.clone(), ticket.mark.clone());
        self.post(&Post::Claim { task, generation, worker: name.to_owned(), mark }, name, ticket.place)
    }

    fn post(&self, post: &Post, worker: &str, place: Place) -> Result<()> {
        let comment = post.comment(&self.state.debate.id, worker, &place.name()).map_err(|error| match error {
            BodyError::Huge => Error::failed(
                format!("{} is longer than a comment can be, {MAX_UNITS} characters", place.name()),
                "ask for a shorter one",
            ),
            error => error.into(),
        })?;
        self.issue.post_comment(&comment)
    }

    /// Posts that whoever has claimed a place is gone.
    fn free(&self, place: Place, claimed: &Claimed) -> Result<()> {
        self.post(&Post::Free { claim: claimed.claim }, &claimed.worker, place)
    }
}

/// Who has claimed what. Whether an account may write is asked once for each that has posted anything.
pub(super) fn claims(issue: &Issue<'_>, debate: &str) -> Result<BTreeMap<(String, String), Claimed>> {
    let mut posts = issue.comments_in_full()?;
    posts.retain(|comment| !comment.is_edited && Post::is_in(&comment.text));
    let writers = issue.writers(posts.iter().map(|comment| comment.account.clone()).collect())?;
    let posted = posts.into_iter().map(|comment| Posted {
        id: comment.id,
        counts: writers.contains(&comment.account),
        account: comment.account,
        text: comment.text,
    });
    Ok(claimed(debate, &posted.collect::<Vec<_>>()))
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

    /// The debate of an issue, as a worker at it finds it.
    fn there_for(&self, worker: &IssueWorker<'_>) -> Result<There<'_>> {
        let there = self.there(worker.issue, worker.timeout)?;
        if there.state.debate.id == worker.id {
            return Ok(there);
        }
        let id = clean(&there.state.debate.id, 100);
        Err(Error::nothing(
            format!("{} has another debate now: {id}", there.issue),
            "the same command works at that one, where you mean it",
        ))
    }

    /// What is next for a worker at the debate of an issue. A task that can be begun is claimed there, and is `held` from then on.
    pub fn next_issue_task(
        &self,
        worker: &IssueWorker<'_>,
        held: &mut Option<IssueTicket>,
        most_tokens: impl Fn(Seat) -> usize,
    ) -> Result<IssueNext> {
        let mut there = self.there_for(worker)?;
        if !there.state.debate.progress.status.is_unfinished() {
            return Ok(IssueNext::Over(Box::new(there.state.debate)));
        }
        let tasks = there.tasks();
        let is_asked = |own: &IssueTicket| {
            tasks.iter().any(|task| task.place == own.place && task.is_ready)
                && answered(&there.state, own.place) == own.generation
        };
        let is_open = |own: &IssueTicket| match there.on(own.place) {
            Some(claimed) => claimed.mark == own.mark && claimed.reply.is_none(),
            None => true,
        };
        let mut ticket = match held.take().filter(|own| is_asked(own) && is_open(own)) {
            Some(own) => own,
            None => match there.free_place(worker.wanted) {
                Ok(ticket) => ticket,
                Err(waits) => return Ok(IssueNext::Waits(waits)),
            },
        };
        if !ticket.is_claimed && there.own(&ticket).is_none() {
            // What the forge gave no answer to may be there: it is looked for before it is posted again.
            there.issue.check_may_write()?;
            *held = Some(ticket.clone());
            there.claim(&ticket, worker.name)?;
            ticket.is_claimed = true;
            *held = Some(ticket.clone());
            // Everyone reads again before they work: an earlier claim may have come in between.
            there.claimed = claims(&there.issue, &there.state.debate.id)?;
        }
        match there.on(ticket.place) {
            Some(claimed) if claimed.mark != ticket.mark => {
                *held = None;
                return Ok(IssueNext::Waits(there.held(ticket.place)));
            }
            Some(_) if !ticket.is_posted => {}
            None if ticket.is_seen && !ticket.is_posted => {
                return Err(Error::failed(
                    format!("this worker's claim on {} is gone", ticket.task),
                    "somebody has freed it, or edited its comment; the same command claims anew",
                ));
            }
            _ => {
                ticket.looks += 1;
                let (is_late, what) = (ticket.looks > LOOKS, if ticket.is_posted { "reply" } else { "claim" });
                let error = Error::failed(
                    format!("this worker's {what} does not count in {}", there.issue),
                    "its account has to have write access, and nobody may edit or remove the comment",
                );
                *held = Some(ticket);
                return if is_late { Err(error) } else { Ok(IssueNext::Unseen) };
            }
        }
        (ticket.is_seen, ticket.looks) = (true, 0);
        *held = Some(ticket.clone());
        let standing = ticket.place.standing(&there.state);
        let is_alone = ticket.place.is_independent(&there.state.debate);
        let asked = Asked { before: ticket.before.as_deref(), in_project: false, is_alone };
        let mut request = request(&standing, std::path::Path::new(""), asked, most_tokens)?;
        request.generation = format!("{}@{}", ticket.generation, ticket.mark);
        Ok(IssueNext::Work(Box::new(request)))
    }

    /// Posts what a worker wrote, if its claim still counts.
    pub fn post_issue_reply(
        &self,
        worker: &IssueWorker<'_>,
        ticket: &mut IssueTicket,
        text: &str,
    ) -> Result<IssuePosted> {
        let there = self.there_for(worker)?;
        let claim = match there.own(ticket) {
            Some(claimed) if claimed.reply.is_none() => claimed.claim,
            Some(claimed) if claimed.reply.as_deref() == Some(text) => {
                ticket.is_posted = true;
                return Ok(IssuePosted::Posted);
            }
            _ => return Ok(IssuePosted::Late),
        };
        let mut beside = ticket.place.standing(&there.state);
        beside.debate.follow_retries(ticket.asked, ticket.asked > 0);
        let why = match answer(&mut beside, text, self.world.now) {
            Answered::Judged { .. } | Answered::Next { .. } | Answered::Synthesis(..) => {
                there.post(&Post::Reply { claim, text: text.to_owned() }, worker.name, ticket.place)?;
                ticket.is_posted = true;
                return Ok(IssuePosted::Posted);
            }
            Answered::Again { why, .. } => why,
            Answered::Failed => return Ok(IssuePosted::Failed(beside.debate.progress.status_detail)),
        };
        ticket.asked += 1;
        ticket.before = Some(text.to_owned());
        Ok(IssuePosted::AskedAgain(why))
    }

    /// A worker lets its task go.
    pub fn leave_issue_task(&self, worker: &IssueWorker<'_>, ticket: &IssueTicket) -> Result<()> {
        let there = self.there_for(worker)?;
        let own = there.own(ticket).filter(|claimed| claimed.reply.is_none());
        own.map_or(Ok(()), |claimed| there.free(ticket.place, claimed))
    }

    /// Who has claimed what in an issue, as its debate stands: each task, the worker and its account, and whether it has written.
    pub fn issue_workers(&self, options: &IssueOptions, timeout: Duration) -> Result<(Debate, Vec<(String, Claimed)>)> {
        let there = self.there(options, timeout)?;
        let cycle = there.state.debate.progress.cycle;
        let all = Place::all(&there.state.debate);
        let claimed = all.into_iter().filter_map(|place| Some((place.id(cycle), there.on(place)?.clone())));
        let claimed = claimed.collect();
        Ok((there.state.debate, claimed))
    }

    /// The user says that whoever has claimed a task in an issue is gone. Gives back who that is.
    pub fn free_issue_task(&self, options: &IssueOptions, task: &str, timeout: Duration) -> Result<String> {
        let there = self.there(options, timeout)?;
        let cycle = there.state.debate.progress.cycle;
        let Some(place) = Place::all(&there.state.debate).into_iter().find(|place| place.id(cycle) == task) else {
            return Err(Error::usage(
                format!("the debate in {} has no task {}", there.issue, clean(task, 60)),
                "`anvil workers --issue N` lists those that are held",
            ));
        };
        let claimed = match there.on(place) {
            Some(claimed) if claimed.reply.is_none() => claimed,
            found => {
                let is_open = found.is_none() && there.tasks().iter().any(|open| open.place == place);
                return Err(Error::nothing(
                    format!("{task} is {}", if is_open { "free" } else { "written" }),
                    "`anvil workers --issue N` lists those that are held",
                ));
            }
        };
        there.free(place, claimed)?;
        Ok(claimed.worker.clone())
    }
}
