//! The motion: the action that is argued about. FOR and the verdict "do" mean to take it.

use std::borrow::Cow;

use super::question::without_openers;
use super::{Debate, DebateOption, MAX_MOTION_CHARS, Mode, Seat, bare};
use anvil_text::clean;

/// The motion of a debate about a plan.
pub const OF_PLAN: &str = "carry out this plan";
/// The motion of a debate about a document.
pub(crate) const OF_DOCUMENT: &str = "accept the document as it stands";

/// The beginnings of a question, and of a statement, that name an action after them.
const BEGINNINGS: [&str; 10] = [
    "should we",
    "should i",
    "shouldn't we",
    "shouldn't i",
    "we should not",
    "i should not",
    "we shouldn't",
    "i shouldn't",
    "we should",
    "i should",
];

/// Adverbs before "not" or the verb that change nothing.
const ADVERBS: [&str; 10] = [
    "absolutely",
    "actually",
    "certainly",
    "clearly",
    "definitely",
    "even",
    "obviously",
    "probably",
    "really",
    "surely",
];

/// Words with which no action begins: another negation, a subject, a preposition, a state or a
/// thought. "Consider moving" means the move, and says so in other words.
const NO_ACTION: &str = "all also an and any as at ask be because been believe between both but \
    care choose compare consider debate decide determine discuss either ever evaluate expect fear \
    feel figure for from have he her his hope how i if in investigate it its just know merely mind \
    my never no none nor not of on only or our review she so than that the their them then there \
    these they think this those to us we weigh what when where whether which who why wonder worry \
    you your";

/// Words after "have" that make it an action: "have a daily standup".
const HAD: [&str; 8] = ["a", "an", "one", "two", "three", "more", "fewer", "our"];

/// Words with which a text says more than one action, or something about it.
const MORE: &str = "although because but either how however neither nor or shouldn't though \
    versus vs vs. what whether whereas which while who why where";

/// Words that begin another question after a comma, a dash or "and".
const ASKS: [&str; 20] = [
    "are", "can", "could", "correct", "did", "do", "does", "eh", "how", "if", "is", "must", "no",
    "ok", "right", "should", "when", "will", "would", "yes",
];

/// Words that stand for something else, if the action ends with them.
const STAND_INS: [&str; 7] = ["it", "that", "them", "these", "this", "those", "so"];

/// The motion that a question or a statement plainly names: the action after "should we", "should
/// I", or the openers of a conviction, as it is worded, without a "not" before it. A wrong motion
/// is worse than none.
pub fn of_question(question: &str) -> Option<String> {
    let question = question.trim();
    if question.lines().count() > 1 || question.chars().count() > 2 * MAX_MOTION_CHARS {
        return None;
    }
    let line = clean(&question.replace('’', "'"), usize::MAX);
    let plain = without_openers(&line);
    let after = BEGINNINGS.iter().find_map(|words| after(&plain, words))?;
    let action = without_adverb(without_adverb(after)).trim_end_matches(['?', '!', '.', ' ']);
    let ends = [", yes or no", ", or not", " or not"];
    let action = ends.iter().find_map(|end| action.strip_suffix(end)).unwrap_or(action);
    let action = self::after(action, "not").unwrap_or(action);
    is_action(action).then(|| action.to_owned())
}

/// True for a question that begins with a word such as "how": it names no action.
pub fn is_open_question(question: &str) -> bool {
    const WORDS: [&str; 9] =
        ["how", "why", "which", "what", "when", "where", "who", "whom", "whose"];
    let first = question.split_whitespace().next().unwrap_or_default();
    WORDS.iter().any(|word| first.trim_end_matches([',', '?', ':']).eq_ignore_ascii_case(word))
}

/// The text after these words, in any case.
fn after<'a>(text: &'a str, words: &str) -> Option<&'a str> {
    let begins = text.get(..words.len())?;
    let after = text[words.len()..].strip_prefix(' ')?;
    begins.eq_ignore_ascii_case(words).then(|| after.trim_start())
}

fn without_adverb(text: &str) -> &str {
    ADVERBS.iter().find_map(|word| after(text, word)).unwrap_or(text)
}

/// True for one action in one clause.
fn is_action(text: &str) -> bool {
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower.split_whitespace().collect();
    let (Some(first), Some(last)) = (words.first(), words.last()) else { return false };
    let has = words.get(1).is_some_and(|second| HAD.contains(second));
    let begins = first.starts_with(char::is_alphanumeric)
        && !first.ends_with(',')
        && (!has_word(NO_ACTION, first) || *first == "have" && has);
    let asks = words.windows(2).any(|pair| {
        let breaks = pair[0].ends_with(',') || pair[0] == "and";
        breaks && ASKS.contains(&without_marks(pair[1]))
    });
    let is_one_clause = !lower.contains(['?', '!', ';', '"', '“', '”', '—', '–'])
        && ![". ", ": ", " - ", "/or ", "one of "].iter().any(|end| lower.contains(end))
        && !words.iter().any(|word| has_word(MORE, without_marks(word)));
    let is_pick = ["pick", "select", "settle"].contains(first) && words.contains(&"between");
    begins
        && is_one_clause
        && !asks
        && !is_pick
        && !STAND_INS.contains(&without_marks(last))
        && text.chars().count() <= MAX_MOTION_CHARS
}

fn has_word(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|one| one == word)
}

fn without_marks(word: &str) -> &str {
    word.trim_matches([',', '"', '(', ')', '*', '`'])
}

/// The motion that a reply states in its first line: "**Motion:** move the cache to Redis".
pub fn of_reply(reply: &str) -> Option<String> {
    let line = reply.trim_start().lines().next()?;
    let (label, motion) = line.split_once([':', '：'])?;
    let around = ['*', '_', ' ', '\u{a0}', '\u{202f}'];
    let is_motion = label.trim_matches(around).eq_ignore_ascii_case("motion");
    is_motion.then(|| one_line(motion.trim_matches(around)))?
}

/// A motion as it is saved: one line without invisible characters and without a full stop. `None`:
/// it is empty or too long.
pub fn one_line(text: &str) -> Option<String> {
    let line = clean(text, usize::MAX);
    let line = line.trim_end_matches('.').trim();
    let fits = (1..=MAX_MOTION_CHARS).contains(&line.chars().count());
    (fits && line.contains(char::is_alphanumeric)).then(|| line.to_owned())
}

/// True if the two are not one motion: case and white space do not count.
pub fn is_other(one: &str, other: &str) -> bool {
    bare(one) != bare(other)
}

impl Debate {
    /// The action that is argued about, if the user, the question or the first reply names it.
    pub fn motion(&self) -> Option<&str> {
        self.options.motion.as_deref().filter(|_| self.options.mode != Mode::Options)
    }

    /// Derives the motion again after the question or the options have changed. A motion from
    /// elsewhere stays.
    pub fn renew_motion(&mut self, before: &Self) {
        let made = before.own_motion();
        if self.options.motion.is_none() || self.options.motion.as_deref() == made.as_deref() {
            self.options.motion = self.own_motion().map(Cow::into_owned);
        }
    }

    /// Drops the motion that an opening stated, if the opening is gone. `before` and `now`: the
    /// motions that openings stated and state.
    pub fn drop_lost_motion(&mut self, before: Option<&str>, now: Option<String>) {
        let is_lost = before.is_some() && before != now.as_deref();
        if is_lost && self.options.motion.as_deref() == before {
            self.options.motion = self.own_motion().map(Cow::into_owned).or(now);
        }
    }

    /// True if the motion is the user's position, which the advocate attacks.
    pub fn argues_position(&self) -> bool {
        self.options.mode == Mode::DevilsAdvocate && self.own_motion().as_deref() == self.motion()
    }

    /// True if a motion can be argued. With options the verdict is a name.
    pub fn takes_motion(&self) -> bool {
        self.options.mode != Mode::Options
    }

    /// True at the places where a reply may state the motion: the first one, and both openings if
    /// they are blind.
    pub fn is_place_of_motion(&self) -> bool {
        let place = self.progress.place;
        let first = self.schedule().first();
        let opens = self.options.is(DebateOption::Blind)
            && matches!(place.seat, Seat::Advocate | Seat::Critic);
        let is_first = place == first || opens && place.round == 1;
        self.takes_motion() && self.progress.cycle == 1 && is_first
    }

    /// The motion that the question and the options of the debate make, if they make one.
    pub fn own_motion(&self) -> Option<Cow<'static, str>> {
        let options = &self.options;
        match options.mode {
            Mode::Options => None,
            Mode::Revise => Some(OF_DOCUMENT.into()),
            Mode::DevilsAdvocate => {
                let position = options.position.as_deref()?;
                Some(one_line(&clean(position, MAX_MOTION_CHARS - 1))?.into())
            }
            _ if options.plan.is_some() => Some(OF_PLAN.into()),
            _ => of_question(&self.question).map(Cow::from),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_motion_is_read_from_a_list_of_questions() {
        let list = include_str!("../../../../tests/motions.txt");
        let wrong: Vec<String> = list
            .lines()
            .filter_map(|line| {
                let (question, motion) = line.split_once(" => ").unwrap();
                let read = of_question(question);
                let read = read.as_deref().unwrap_or("none");
                (read != motion).then(|| format!("{question}: {read}, not {motion}"))
            })
            .collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
        assert!(list.lines().count() >= 200);
    }

    #[test]
    fn a_reply_states_a_motion_in_its_first_line_alone() {
        for (reply, motion) in [
            ("**Motion:** move the cache to Redis\n\n**A1. It", Some("move the cache to Redis")),
            ("\n\n**Motion:** move  the cache.\n", Some("move the cache")),
            ("Motion: wait", Some("wait")),
            ("**Motion**: wait", Some("wait")),
            ("Motion : attendre", Some("attendre")),
            ("**Motion：** 迁移", Some("迁移")),
            ("Motion sickness: wait", None),
            ("**motion:** *wait*", Some("wait")),
            ("**Motion: wait**", Some("wait")),
            ("**Motion:**\nwait", None),
            ("**Motion:** \u{200b}…", None),
            ("**A1. It.**\n**Motion:** wait", None),
            ("", None),
        ] {
            assert_eq!(of_reply(reply).as_deref(), motion, "{reply}");
        }
        let long = format!("**Motion:** {}", "x".repeat(MAX_MOTION_CHARS + 1));
        assert_eq!(of_reply(&long), None);
    }

    proptest! {
        #[test]
        fn any_question_gives_one_clean_line_or_nothing(text in "(?i)(should we |i think we should )?\\PC{0,300}") {
            if let Some(motion) = of_question(&text) {
                prop_assert_eq!(one_line(&motion), Some(motion.clone()));
                prop_assert!(motion.chars().count() <= MAX_MOTION_CHARS);
            }
        }
    }
}
