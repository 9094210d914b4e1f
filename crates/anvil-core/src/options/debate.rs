//! The options of a debate, each declared once. A struct holds those that the same people may set:
//! what a file or a program may not set is not in its layer.

use super::layer::{Over as _, Set, is_yes, layer};
use super::values::{
    Alternatives, EarlierResult, Focus, FrameworkName, Judges, MaterialPath, ModeName, Motion,
    OutputPath, PlanFile, Position, PullRequest, ReviewTime, Revision, Rounds, Stakeholders, Who,
    YesOrNo,
};

/// Most characters of material: about 7,000 tokens, once.
pub const CONTEXT_BUDGET: usize = 24_000;

layer! {
    /// Who argues. One choice: a layer that sets any of these decides on all.
    pub struct WhoArgues {
        /// Style of argument: philosopher, …, or your own
        #[arg(value_name = "NAME", help_heading = "Who argues")]
        mode: Option<Set<ModeName>> = "analyst",
        /// Who speaks in turn: "engineering, sales, legal"
        #[arg(value_name = "LIST", help_heading = "Who argues", hide_short_help = true)]
        stakeholders: Option<Set<Stakeholders>> = "",
        /// Who argues: sre-on-call, startup-cfo, or your own
        #[arg(value_name = "WHO", help_heading = "Who argues")]
        persona: Vec<Set<Who>> = "",
    }
}

layer! {
    /// What the user, a project's file and a program may set.
    pub struct Wishes {
        [who: WhoArgues]
        /// Rounds before the verdict, 1 to 10 [default: 2]
        #[arg(value_name = "N", help_heading = "How it goes")]
        rounds: Option<Set<Rounds>> = "2",
        /// Your position now; both sides test it
        #[arg(value_name = "TEXT", help_heading = "About what")]
        position: Option<Set<Position>> = "",
        /// The critic opens without seeing the case
        #[arg(value_name = "yes|no", help_heading = "Who argues", hide_short_help = true)]
        #[alone = "yes"]
        blind: Option<Set<YesOrNo>> = "no",
        /// Focus: security, performance, developer-experience, operational-cost, maintainability,
        /// or your words
        #[arg(value_name = "TEXT", help_heading = "About what", hide_short_help = true)]
        focus: Option<Set<Focus>> = "",
        /// Form of the synthesis: adr, pre-mortem, red-team, rfc, risks, decision-matrix,
        /// one-pager, or your own
        #[arg(value_name = "NAME", help_heading = "The result", hide_short_help = true)]
        framework: Option<Set<FrameworkName>> = "",
        /// Both sides look for sources
        #[arg(value_name = "yes|no", help_heading = "About what", hide_short_help = true)]
        #[alone = "yes"]
        research: Option<Set<YesOrNo>> = "no",
        /// A file or folder that both sides read; repeatable
        #[arg(value_name = "PATH", help_heading = "About what")]
        context: Vec<Set<MaterialPath>> = "",
        /// Build on an earlier result: a file, or a debate's id
        #[arg(value_name = "RESULT", help_heading = "About what", hide_short_help = true)]
        follow_up: Option<Set<EarlierResult>> = "",
        /// End the argument when a round brings nothing new and leaves nothing open [default: yes]
        #[arg(value_name = "yes|no", help_heading = "How it goes", hide_short_help = true)]
        early_end: Option<Set<YesOrNo>> = "yes",
        /// Let a seat ask you what only you can know, at most twice [default: yes]
        #[arg(value_name = "yes|no", help_heading = "How it goes", hide_short_help = true)]
        questions: Option<Set<YesOrNo>> = "yes",
        /// One round, and replies of at most 150 words
        #[arg(value_name = "yes|no", help_heading = "How it goes", hide_short_help = true)]
        #[alone = "yes"]
        quick: Option<Set<YesOrNo>> = "no",
        /// When to review the decision: a day such as 2027-01-15, or 30d
        #[arg(value_name = "WHEN", help_heading = "The result", hide_short_help = true)]
        review: Option<Set<ReviewTime>> = "",
    }
}

layer! {
    /// What the user and a project's file may set: it takes the leader of the debate.
    pub struct LeaderOptions {
        /// Number of independent judges, 2 to 5; needs programs in the seats
        #[arg(value_name = "N", help_heading = "The result", hide_short_help = true)]
        judges: Option<Set<Judges>> = "1",
        /// Stop after each round: steer, or go on in a fresh conversation
        #[arg(value_name = "yes|no", help_heading = "How it goes", hide_short_help = true)]
        #[alone = "yes"]
        interactive: Option<Set<YesOrNo>> = "no",
    }
}

layer! {
    /// What only the user may set: it starts programs, reads or writes elsewhere, or ends a debate.
    pub struct OwnOptions {
        /// After each round a program checks the claims marked as evidence: in the project's files,
        /// or with --research on the web
        #[arg(value_name = "yes|no", help_heading = "How it goes", hide_short_help = true)]
        #[alone = "yes"]
        fact_check: Option<Set<YesOrNo>> = "no",
        /// Material: uncommitted changes, or the changes since a revision
        #[arg(value_name = "REV", num_args = 0..=1, default_missing_value = "")]
        #[arg(help_heading = "About what", hide_short_help = true)]
        diff: Option<Set<Revision>> = "",
        /// Material: a pull request, through gh
        #[arg(value_name = "N", help_heading = "About what", hide_short_help = true)]
        pr: Option<Set<PullRequest>> = "",
        /// Path of the report [default: in the records of the debate]
        #[arg(value_name = "PATH", help_heading = "The result", hide_short_help = true)]
        output: Option<Set<OutputPath>> = "",
        /// End an unfinished debate and start a new one
        #[arg(value_name = "yes|no")]
        #[arg(help_heading = "The debate that is here", hide_short_help = true)]
        #[alone = "yes"]
        replace: Option<Set<YesOrNo>> = "no",
    }
}

layer! {
    /// What belongs to one question: the user types it with that, or a program asks for it.
    pub struct QuestionOptions {
        /// The action that FOR and "do" mean [default: from the question]
        #[arg(value_name = "TEXT", help_heading = "About what")]
        motion: Option<Set<Motion>> = "",
        /// Options to choose from: "Redis, nothing new"
        #[arg(value_name = "LIST", help_heading = "Who argues")]
        options: Option<Set<Alternatives>> = "",
    }
}

layer! {
    /// What belongs to one typed question.
    pub struct PlanOptions {
        /// A plan to argue about; in Claude Code without FILE the newest
        #[arg(value_name = "FILE", help_heading = "About what")]
        #[alone = ""]
        plan: Option<Set<PlanFile>> = "",
    }
}

/// What a project's file may set.
pub type ProjectOptions = (Wishes, LeaderOptions);

/// What the user's file may set.
pub type UserOptions = (Wishes, LeaderOptions, OwnOptions);

/// What a program may ask for.
pub type ProgramOptions = (Wishes, QuestionOptions);

/// The options of a debate. For an absent one, defaults come from the user's files, then from
/// Anvil.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
pub struct DebateOptions {
    #[cfg_attr(feature = "clap", command(flatten))]
    pub wishes: Wishes,
    #[cfg_attr(feature = "clap", command(flatten))]
    pub question: QuestionOptions,
    #[cfg_attr(feature = "clap", command(flatten))]
    pub plan: PlanOptions,
    #[cfg_attr(feature = "clap", command(flatten))]
    pub leader: LeaderOptions,
    #[cfg_attr(feature = "clap", command(flatten))]
    pub own: OwnOptions,
    /// Take over from a running session; with --replace
    #[cfg_attr(
        feature = "clap",
        arg(long, help_heading = "The debate that is here", hide_short_help = true)
    )]
    pub take_over: bool,
    /// The plan of the session, if the option names no file. Only the hook sets it.
    #[cfg_attr(feature = "clap", arg(skip))]
    pub session_plan: Option<SessionPlan>,
    /// The document that a run revises.
    #[cfg_attr(feature = "clap", arg(skip))]
    pub revise: Option<String>,
}

/// The newest plan of a session of Claude Code, unchecked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionPlan {
    pub name: String,
    pub bytes: Vec<u8>,
}

impl From<ProjectOptions> for DebateOptions {
    fn from((wishes, leader): ProjectOptions) -> Self {
        Self { wishes, leader, ..Self::default() }
    }
}

impl From<UserOptions> for DebateOptions {
    fn from((wishes, leader, own): UserOptions) -> Self {
        Self { wishes, leader, own, ..Self::default() }
    }
}

impl From<ProgramOptions> for DebateOptions {
    fn from((wishes, question): ProgramOptions) -> Self {
        Self { wishes, question, ..Self::default() }
    }
}

impl DebateOptions {
    /// The plan or the document that is argued about, as it is typed.
    pub fn document(&self) -> Option<&str> {
        self.plan.plan.as_ref().map(|plan| plan.0.as_str()).or(self.revise.as_deref())
    }

    /// The changes in a repository that are material.
    pub fn diff(&self) -> Option<&str> {
        self.own.diff.as_ref().and_then(|diff| diff.0.as_deref())
    }

    /// The pull request that is material.
    pub fn pull_request(&self) -> Option<u32> {
        self.own.pr.as_ref().map(|pr| pr.0)
    }

    /// Takes the values of `below` for absent options, but none of a choice that is made here.
    pub fn over(self, mut below: Self) -> Self {
        if self.chooses_who_argues() {
            below.wishes.who = WhoArgues::default();
            below.question.options = None;
        }
        if self.chooses_material() {
            below.wishes.context.clear();
            (below.own.diff, below.own.pr) = (None, None);
        }
        // Blind openings need an advocate and a critic: with other seats a default does not apply.
        if self.names_other_seats() {
            below.wishes.blind = None;
        }
        if is_yes(&self.wishes.quick) {
            below.wishes.rounds = None;
        }
        Self {
            wishes: self.wishes.over(below.wishes),
            question: self.question.over(below.question),
            plan: self.plan.over(below.plan),
            leader: self.leader.over(below.leader),
            own: self.own.over(below.own),
            session_plan: self.session_plan.or(below.session_plan),
            ..self
        }
    }

    fn chooses_who_argues(&self) -> bool {
        self.wishes.who != WhoArgues::default()
            || self.question.options.is_some()
            || self.revise.is_some()
    }

    fn chooses_material(&self) -> bool {
        let Self { wishes, own, .. } = self;
        !wishes.context.is_empty() || own.diff.is_some() || own.pr.is_some()
    }

    fn names_other_seats(&self) -> bool {
        let WhoArgues { mode, stakeholders, persona } = &self.wishes.who;
        let options = self.question.options.as_ref();
        stakeholders.is_some()
            || mode.as_ref().is_some_and(|mode| mode.0 == "stakeholders")
            || persona.len() > 2
            || options.is_some_and(|options| options.0.len() > 2)
    }
}

#[cfg(test)]
mod tests {
    use super::super::layer::{Layer, Origin};
    use super::*;

    /// Options of one layer: `--quick` or `--quick=no`, and a number of rounds.
    fn options_of(quick: Option<bool>, rounds: Option<u8>) -> DebateOptions {
        let mut options = DebateOptions::default();
        options.wishes.quick = quick.map(|quick| YesOrNo(quick).into());
        options.wishes.rounds = rounds.map(|rounds| Rounds(rounds).into());
        options
    }

    #[test]
    fn rounds_of_the_layer_of_quick_or_a_nearer_one_win_and_others_do_not() {
        let (quick, not_quick) = (Some(true), Some(false));
        let none = (None, None);
        for (typed, project, user, rounds) in [
            ((quick, None), none, none, None),
            ((quick, Some(3)), none, none, Some(3)),
            ((quick, None), (None, Some(4)), none, None),
            ((quick, None), (quick, Some(4)), none, None),
            ((quick, None), none, (None, Some(4)), None),
            ((None, Some(3)), (quick, None), (None, Some(4)), Some(3)),
            (none, (quick, None), (None, Some(4)), None),
            (none, (quick, Some(3)), (None, Some(4)), Some(3)),
            (none, (None, Some(3)), (quick, None), Some(3)),
            (none, none, (quick, Some(4)), Some(4)),
            ((not_quick, None), (quick, None), (None, Some(4)), Some(4)),
            ((not_quick, None), (None, Some(3)), (quick, None), Some(3)),
            ((not_quick, None), none, (quick, Some(4)), Some(4)),
        ] {
            let [typed, project, user] = [typed, project, user].map(|(a, b)| options_of(a, b));
            let options = typed.clone().over(project.clone()).over(user.clone());
            let found = options.wishes.rounds.map(|rounds| rounds.0);
            assert_eq!(found, rounds, "{typed:?}, {project:?}, {user:?}");
        }
    }

    #[test]
    fn a_layer_takes_each_of_its_options_and_no_other() {
        fn takes<L: Layer>(name: &str, value: &str) -> Option<bool> {
            let texts = [value.to_owned()];
            L::default().take(name, &texts, &Origin::Request).map(|taken| taken.is_ok())
        }
        for (name, project, user, program) in [
            ("rounds", Some(true), Some(true), Some(true)),
            ("judges", Some(true), Some(true), None),
            ("pr", None, Some(true), None),
            ("motion", None, None, Some(true)),
            ("plan", None, None, None),
            ("take-over", None, None, None),
        ] {
            assert_eq!(takes::<ProjectOptions>(name, "3"), project, "{name}");
            assert_eq!(takes::<UserOptions>(name, "3"), user, "{name}");
            assert_eq!(takes::<ProgramOptions>(name, "3"), program, "{name}");
        }
        assert_eq!(takes::<UserOptions>("rounds", "11"), Some(false));
        assert_eq!(UserOptions::names().len(), 22);
    }
}
