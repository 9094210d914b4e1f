//! A session follows a debate that programs argue for it: what there is to tell its user, once each.
//!
//! The session owns nothing: its prompts and its end do nothing to the debate. What was told is kept with the record of the session,
//! so a session without such a debate does not look for any.

use super::report::find;
use super::turn::load_own_active;
use super::{Engine, LOCK_WAIT, Nothing, SAME_PROMPT, Session, Stopped};
use crate::debate::{Debate, Phase, Status, Verb};
use crate::error::{Error, Result};
use crate::ledger::{Claim, Disposition, Ledger, Verdict};
use crate::report;
use crate::seats::Effort;
use crate::state::{self, Change, Client, Loaded, Project, RunRecord, SessionRecord, Store};
use crate::text::clean;
use crate::transcript;

/// What there is to tell.
#[derive(Debug)]
pub enum News {
    /// A round is over, and the next phase is being written.
    Round(Box<Debate>),
    /// It waits for the user, or has failed.
    Rests(Box<Debate>),
    /// What wrote for it is gone, and has not said why.
    IsDead(Box<Debate>),
    /// It has its synthesis. `is_known`: the user was told so.
    Completed {
        /// What it came to.
        conclusion: Box<Conclusion>,
        /// The user was told that before.
        is_known: bool,
    },
}

/// What a complete debate came to.
#[derive(Debug)]
pub struct Conclusion {
    /// The question.
    pub question: String,
    /// The first sentence of its recommendation.
    pub verdict: String,
    /// The confidence, as the synthesis gives it.
    pub confidence: Option<String>,
    /// What the fact-check contradicts, in a line.
    pub contradicted: Option<String>,
    /// The claims that survived, by the synthesis.
    pub survived: Vec<Claim>,
    /// How many were made.
    pub claims: usize,
    /// Where the report lies, as the user would name it.
    pub report: Option<String>,
    /// What it took.
    pub effort: Option<Effort>,
    /// The tokens of each seat that told any, in and out.
    pub tokens: Vec<(String, u64)>,
}

/// Where a debate is that a session follows.
#[derive(Clone, Debug)]
pub struct Place {
    project: Project,
    id: String,
}

/// What a session follows.
#[derive(Debug)]
pub enum Followed {
    /// A debate that this process argues now. `None`: it is over, and nobody was told so.
    Runs(Place, Option<Client>),
    /// None yet, or one of whose end they were told.
    NotYet,
    /// None: it argues one itself.
    Not,
    /// None: it argues one itself, and a program will write some of its replies.
    Later,
}

/// How the debate here is argued.
#[derive(Debug)]
pub struct Runs {
    /// The debate.
    pub debate: Debate,
    /// Where it is.
    pub project: Project,
    /// What this machine has on record of the programs that fill its seats.
    pub record: Option<RunRecord>,
    /// They are writing now.
    pub is_running: bool,
}

impl Runs {
    /// It was asked for so in Claude Code, and nobody has taken it into a conversation since.
    #[must_use]
    pub fn is_isolated(&self) -> bool {
        self.record.as_ref().is_some_and(|record| record.isolated)
    }

    /// It can be gone on with.
    #[must_use]
    pub fn is_unfinished(&self) -> bool {
        self.debate.progress.status.is_unfinished()
    }
}

impl Engine<'_> {
    /// How the debate is argued that the user means here; `None` where there is none.
    pub fn runs(&self, session: &Session) -> Result<Option<Runs>> {
        let store = self.store_meant(Some(session));
        let Some(loaded) = store.load()? else { return Ok(None) };
        let debate = loaded.state.debate;
        let record = self.machine.run(&debate.id).filter(|record| record.root == store.project().root());
        let is_running = self.runner(&debate).is_some();
        Ok(Some(Runs { debate, project: store.project().clone(), record, is_running }))
    }

    /// The program that writes the critic's replies of a debate that Claude argues.
    fn shared_with(&self, debate: &Debate, project: &Project) -> Option<RunRecord> {
        let record = self.machine.run(&debate.id).filter(|record| record.root == project.root());
        record.filter(|record| record.second_opinion.is_some() && !record.isolated)
    }

    /// The program whose reply is next in a debate of this session, and how that is argued. `None`: Claude's is.
    pub fn second_opinion(&self, session: &Session, debate: &Debate) -> Result<Option<(String, Runs)>> {
        // Most debates have no such record, and this is asked at a Stop.
        let is_shared = |record: RunRecord| record.second_opinion.is_some();
        if debate.progress.slot.phase != Phase::Critic || !self.machine.run(&debate.id).is_some_and(is_shared) {
            return Ok(None);
        }
        let runs = self.runs(session)?.filter(|runs| runs.debate.id == debate.id && !runs.is_running);
        Ok(runs.and_then(|runs| {
            let record = self.shared_with(debate, &runs.project)?;
            Some((record.second_opinion?, runs))
        }))
    }

    /// The client of a session, where that is known.
    #[must_use]
    pub fn client_of(&self, session: &Session) -> Option<Client> {
        self.machine.session(&session.id)?.client
    }

    /// The client for which a session of programs or of a worker argues.
    pub(super) fn for_client_of(&self, session: &Session) -> Option<Client> {
        self.machine.session(&session.id)?.for_client
    }

    /// True where a program writes a reply of a debate that Claude argues in this session otherwise.
    #[must_use]
    pub fn is_shared(&self, session: &Session) -> bool {
        let Some(record) = self.machine.session(&session.id) else { return false };
        let Some(follows) = record.follows else { return false };
        follows.is_shared || self.machine.run(&follows.id).is_some_and(|record| record.handed_to.is_some())
    }

    /// True where this session's debate waits for Claude, because a program has written its reply.
    #[must_use]
    pub fn is_handed_back(&self, session: &Session) -> bool {
        let Some(record) = self.machine.session(&session.id) else { return false };
        let head = Store::of(Project::at(record.root), self.world).read_head().ok().flatten();
        record.follows.zip(head).is_some_and(|(follows, debate)| {
            debate.id == follows.id && debate.is_owned_by(&session.id) && debate.progress.status == Status::Paused
        })
    }

    /// The debate waits for Claude in the session `to`, whose critic's reply a program has written.
    pub fn hand_back(&self, session: &Session, to: &str, agent: &str) -> Result<(), Stopped> {
        let store = self.store_meant(Some(session));
        let locked = store.lock(LOCK_WAIT)?;
        let Loaded { mut state, .. } = load_own_active(&locked, session)?;
        state.debate.pause(format!("{} has answered", clean(agent, 60)), self.world.now);
        state.debate.assign_to(Some(to.to_owned()));
        Ok(self.commit(&locked, &state, &Change::Pause)?)
    }

    /// Claude goes on with a debate in its conversation: the next `/anvil:resume` is meant so, too. `alone`: no program writes for it
    /// any more.
    pub fn resumes_here(&self, runs: &Runs, alone: bool) -> Result<()> {
        let Some(record) = &runs.record else { return Ok(()) };
        let second_opinion = record.second_opinion.clone().filter(|_| !alone);
        let here = RunRecord { isolated: false, second_opinion, ..record.clone() };
        if here == *record { Ok(()) } else { self.machine.remember_run(&runs.debate.id, &here) }
    }

    /// Refuses where nothing can be remembered on this machine: nobody could tell which programs the user has named.
    pub fn can_have_programs(&self) -> Result<()> {
        if self.machine.can_remember() {
            return Ok(());
        }
        Err(Error::failed(
            "there is no folder to remember in who argues the debate",
            "set HOME or CLAUDE_CONFIG_DIR, or leave the programs out",
        ))
    }

    /// Refuses where another running session owns the debate: then it says how that goes on, too.
    pub fn may_go_on(&self, session: &Session, debate: &Debate, take_over: bool) -> Result<()> {
        self.check_may_change(Verb::Resume, debate, Some(session), take_over).map(|_| ())
    }

    /// The same of a debate that waits for a worker in its conversation's place.
    pub(super) fn follow_worker(&self, session: &Session, project: &Project, debate: &Debate) {
        self.follow_for(session, project, debate, true);
    }

    /// This session is told from now on how a debate goes.
    pub fn follow(&self, session: &Session, project: &Project, debate: &Debate) {
        self.follow_for(session, project, debate, false);
    }

    fn follow_for(&self, session: &Session, project: &Project, debate: &Debate, is_shared: bool) {
        let rounds = rounds_over(debate);
        let is_bound = self.machine.read_session(&session.id).ok().flatten().is_some_and(|known| match known.follows {
            Some(follows) => follows.is_bound,
            None => !known.is_informed,
        });
        let follows =
            state::Followed { id: debate.id.clone(), rounds, is_bound, is_shared, ..state::Followed::default() };
        self.remember_following(session, project, follows);
    }

    /// True where Claude does not know yet that the protocol of its earlier debate does not hold in this session; it is told now.
    #[must_use]
    pub fn is_released(&self, session: &Session) -> bool {
        let Some(record) = self.machine.session(&session.id) else { return false };
        let Some(follows) = record.follows.filter(|follows| follows.is_bound) else { return false };
        let follows = state::Followed { is_bound: false, ..follows };
        self.remember_following(session, &Project::at(record.root), follows);
        true
    }

    /// A conversation of the same client begins, as after `/clear`: it goes on following.
    pub(super) fn follow_again(&self, session: &Session, project: &Project, debate: &Debate) {
        let record = self.machine.run(&debate.id).filter(|record| record.root == project.root());
        let is_for_it = |record: &RunRecord| session.client.is_some() && record.for_client == session.client;
        if self.runner(debate).is_some() && record.as_ref().is_some_and(is_for_it) {
            self.follow(session, project, debate);
        }
    }

    /// What the user of a session that follows a debate was not told yet; it counts as told from now on. `is_last`: this is all that
    /// they are told of its end, which goes to Claude too.
    pub fn news(&self, session: &Session, is_last: bool) -> Result<Option<News>, Stopped> {
        let record = self.machine.session(&session.id).ok_or(Nothing::NoDebate)?;
        let Some(mut told) = record.follows.clone() else { return Ok(None) };
        let project = Project::at(record.root);
        let store = Store::of(project.clone(), self.world);
        let debate = store.read_head()?.filter(|debate| debate.id == told.id);
        // It was cancelled, or another one has taken its place: whoever did that knows.
        let Some(debate) = debate else {
            self.machine.forget(&session.id);
            return Ok(None);
        };
        let step = debate.progress.step;
        let was_told = told.told_at == Some(step);
        let news = match debate.progress.status {
            Status::Completed => {
                let conclusion = Box::new(self.conclusion_of(&store)?);
                if is_last {
                    self.machine.forget(&session.id);
                } else if !was_told {
                    told.told_at = Some(step);
                    self.remember_following(session, &project, told);
                }
                return Ok((!was_told || is_last).then_some(News::Completed { conclusion, is_known: was_told }));
            }
            Status::Cancelled => {
                self.machine.forget(&session.id);
                return Ok(None);
            }
            _ if was_told => return Ok(None),
            Status::Paused | Status::Failed => {
                told.told_at = Some(step);
                News::Rests(Box::new(debate))
            }
            // A conversation has taken it: whoever did that knows.
            Status::InProgress if !Self::is_argued_by_programs(&debate) => {
                self.machine.forget(&session.id);
                return Ok(None);
            }
            Status::InProgress if self.runner(&debate).is_none() => {
                told.told_at = Some(step);
                News::IsDead(Box::new(debate))
            }
            Status::InProgress | Status::NotStarted => {
                let rounds = rounds_over(&debate);
                let is_same_turn = session.prompt_id.is_some() && told.turn == session.prompt_id;
                if rounds <= told.rounds || is_same_turn {
                    return Ok(None);
                }
                told.rounds = rounds;
                told.turn.clone_from(&session.prompt_id);
                News::Round(Box::new(debate))
            }
        };
        self.remember_following(session, &project, told);
        Ok(Some(news))
    }

    /// What a session follows.
    #[must_use]
    pub fn followed(&self, session: &Session) -> Followed {
        let Some(record) = self.machine.session(&session.id) else { return Followed::NotYet };
        let project = Project::at(record.root);
        let head = Store::of(project.clone(), self.world).read_head().ok().flatten();
        let Some(follows) = record.follows else {
            // It argues a debate itself, some replies of which somebody else may write. A client that prints waits for its hooks.
            let is_own = |debate: &Debate| !self.world.is_printing && debate.is_owned_by(&session.id);
            let may_wait = |debate: &Debate| is_own(debate) || self.shared_with(debate, &project).is_some();
            let waits = head.is_some_and(|debate| debate.is_active() && may_wait(&debate));
            let is_there = !session.client.is_some_and(Client::is_gone);
            return if waits && is_there { Followed::Later } else { Followed::Not };
        };
        let Some(debate) = head.filter(|debate| debate.id == follows.id) else { return Followed::NotYet };
        let place = Place { project, id: follows.id };
        match self.runner(&debate) {
            Some(runner) => Followed::Runs(place, Some(runner)),
            None if self.has_news_of_end(&place) => Followed::Runs(place, None),
            None => Followed::NotYet,
        }
    }

    /// True for the first process that waits to wake a session; it is noted.
    #[must_use]
    pub fn waits_alone(&self, session: &Session) -> bool {
        let Some(record) = self.machine.session(&session.id) else { return false };
        let Some(mut follows) = record.follows else { return false };
        let own = Client::of_pid(std::process::id());
        if follows.waiter.is_some_and(|waiter| waiter != own && waiter.is_alive()) {
            return false;
        }
        follows.waiter = Some(own);
        self.remember_following(session, &Project::at(record.root), follows);
        true
    }

    /// True where a debate that programs argued rests or is over, and a session that follows it was not told so.
    #[must_use]
    pub fn has_news_of_end(&self, place: &Place) -> bool {
        let head = Store::of(place.project.clone(), self.world).read_head().ok().flatten();
        let Some(debate) = head.filter(|debate| debate.id == place.id && self.runner(debate).is_none()) else {
            return false;
        };
        let is_new =
            |follows: &state::Followed| follows.id == place.id && follows.told_at != Some(debate.progress.step);
        self.machine.followed().iter().any(is_new)
    }

    /// True where programs argue this debate, or have got further with it.
    #[must_use]
    pub fn is_taken_up(&self, project: &Project, before: &Debate) -> bool {
        let head = Store::of(project.clone(), self.world).read_head().ok().flatten();
        head.is_some_and(|debate| {
            debate.id == before.id && (self.runner(&debate).is_some() || debate.progress.step > before.progress.step)
        })
    }

    /// True where this session has just had this question argued by programs: a plugin that is installed twice delivers it again.
    #[must_use]
    pub fn has_just_begun(&self, session: &Session, question: &str) -> bool {
        let Some(record) = self.machine.session(&session.id) else { return false };
        let Some(follows) = record.follows else { return false };
        let head = Store::of(Project::at(record.root), self.world).read_head().ok().flatten();
        head.is_some_and(|debate| {
            debate.id == follows.id
                && debate.question == question
                && self.is_within(SAME_PROMPT, debate.progress.started_at)
        })
    }

    pub(super) fn conclusion_of(&self, store: &Store) -> Result<Conclusion> {
        let (state, _) = find(store, None)?;
        let entries = transcript::parse(&state.body);
        let ledger = Ledger::of_entries(&entries);
        let synthesis = entries.synthesis().map(|entry| entry.text.as_str()).unwrap_or_default();
        let verdict = Verdict::of(synthesis);
        let project = store.project();
        let report = self.report_written(project, &state.debate);
        let attempts = store.attempts(&state.debate.id).unwrap_or_default();
        let tokens = attempts.seats().iter().map(|(seat, state)| (seat.clone(), state.metrics.tokens));
        let claims = ledger.claims.len();
        let contradicted = report::contradicted(&ledger);
        let survived = ledger.claims.into_iter().filter(|claim| claim.disposition == Some(Disposition::Survived));
        Ok(Conclusion {
            verdict: verdict.first_sentence(synthesis),
            confidence: verdict.confidence.clone(),
            contradicted,
            survived: survived.collect(),
            claims,
            report: report.map(|report| project.display(&report)),
            effort: Effort::of(&attempts),
            tokens: tokens.filter(|(_, tokens)| *tokens > 0).collect(),
            question: state.debate.question,
        })
    }

    fn remember_following(&self, session: &Session, project: &Project, follows: state::Followed) {
        let is_of_it = |known: &SessionRecord| known.follows.is_some() && known.root == project.root();
        let known = self.machine.session(&session.id).filter(is_of_it);
        let known = known.unwrap_or_else(|| SessionRecord::of(project.root(), session.client));
        // Without a memory they are told nothing, and `/anvil:status` shows it.
        let _ = self.machine.remember(&session.id, &SessionRecord { follows: Some(follows), ..known });
    }
}

/// Rounds of the running cycle that are argued to their end.
fn rounds_over(debate: &Debate) -> u8 {
    let slot = debate.progress.slot;
    if slot.phase == Phase::Synthesizer { slot.round } else { slot.round.saturating_sub(1) }
}
