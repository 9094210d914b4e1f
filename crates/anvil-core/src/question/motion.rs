//! The motion: the action that is argued about. FOR and the verdict "do" mean to take it.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization as _;

use super::{Inversion, asking_sentence, bare_sentence, sentences, without_openers};
use crate::limits::MAX_MOTION_CHARS;
use anvil_text::{ascii_mark, clean, is_of_word, is_question};

/// The motion of a debate about a plan.
pub const OF_PLAN: &str = "carry out this plan";
/// The motion of a debate about a document.
pub(crate) const OF_DOCUMENT: &str = "accept the document as it stands";

/// The beginnings of a statement that name an action after them, and whether they refuse it.
const BEGINNINGS: [(&str, bool); 6] = [
    ("we should not", true),
    ("i should not", true),
    ("we shouldn't", true),
    ("i shouldn't", true),
    ("we should", false),
    ("i should", false),
];

/// Words after "Should" with which the name of no thing begins, though it is a determiner.
const DETERMINERS: [&str; 8] = ["a", "all", "an", "any", "both", "my", "our", "the"];

/// What "can we" and "do we" ask about, though nobody decides it.
const UNWILLED: [&str; 12] = [
    "afford",
    "benefit",
    "fail",
    "gain",
    "guarantee",
    "lose",
    "miss",
    "prove",
    "regret",
    "suffer",
    "survive",
    "tell",
];

/// Adverbs before "not" or the verb that change nothing.
const ADVERBS: [&str; 12] = [
    "absolutely",
    "actually",
    "certainly",
    "clearly",
    "definitely",
    "even",
    "obviously",
    "please",
    "probably",
    "really",
    "still",
    "surely",
];

/// Words with which no action begins: another negation, a subject, a preposition, a state or a
/// thought. "Consider moving" means the move, and says so in other words.
const NO_ACTION: &str = "all also an and any as at ask be because been believe between both but \
    care choose compare consider debate decide determine discuss either ever evaluate expect fear \
    feel figure for from have he her his hope how i if in investigate it its just know merely mind \
    my never no none nor not of on only or our review she so than that the their them then there \
    these they think this those to us want we weigh what when where whether which who why wonder worry \
    you your";

/// Words after "have" that make it an action: "have a daily standup".
const HAD: [&str; 8] = ["a", "an", "one", "two", "three", "more", "fewer", "our"];

/// Words with which a text says more than one action, or something about it.
const MORE: &str = "although because but either how however neither nor or shouldn't though \
    versus vs vs. what whether whereas which while who why where";

/// Words that begin another question after a comma, a dash or "and".
const ASKS: [&str; 26] = [
    "are", "can", "could", "correct", "did", "do", "does", "eh", "how", "i", "if", "is", "it",
    "it's", "must", "no", "ok", "right", "should", "they", "we", "when", "will", "would", "yes",
    "you",
];

/// Most words after "our" that name who takes an action.
const MAX_SUBJECT_WORDS: usize = 6;

/// Words before another one that make no other motion: articles and possessives.
const NO_WORDS: [&str; 10] = ["a", "an", "her", "his", "its", "my", "our", "the", "their", "your"];

/// Words that stand for something else, if the action ends with them.
const STAND_INS: [&str; 7] = ["it", "that", "them", "these", "this", "those", "so"];

/// The action that a sentence names.
#[derive(Debug, PartialEq, Eq)]
struct Named {
    action: String,
    /// The sentence asks or says that it is not taken.
    is_negated: bool,
}

impl Named {
    fn new(action: String, is_negated: bool) -> Option<Self> {
        (action.chars().count() <= MAX_MOTION_CHARS).then_some(Self { action, is_negated })
    }
}

/// The motion that a question or a statement plainly names: the action after "should we", "do we
/// need", or the openers of a conviction, as it is worded, without a "not" before it. A wrong
/// motion is worse than none.
pub fn of_question(question: &str) -> Option<String> {
    named_by(question).map(|named| named.action)
}

/// True if the motion is the one that the question gives, and "no" to the question means not to
/// take it: "Should we not move?" does not ask about moving alone.
pub fn is_of_question(question: &str, motion: &str) -> bool {
    named_by(question).is_some_and(|named| {
        !named.is_negated && (!is_other(&named.action, motion) || is_ours(&named.action, motion))
    })
}

/// True if we are the ones who take the action: "have our team of eight split the monolith" is the
/// motion "split the monolith".
fn is_ours(action: &str, motion: &str) -> bool {
    let Some(ours) = after(action, "have our") else { return false };
    let starts = ours.match_indices(' ').map(|(at, _)| &ours[at + 1..]);
    starts.take(MAX_SUBJECT_WORDS).any(|rest| !is_other(rest, motion))
}

/// True for a sentence that says that the action of this question should, or should not, be taken.
pub(super) fn is_stance(sentence: &str, asked: &str) -> bool {
    let Some(stance) = statement_action(sentence, true) else { return false };
    let last = stance.action.split_whitespace().next_back().unwrap_or_default();
    STAND_INS.contains(&without_marks(last))
        || in_question(asked).is_some_and(|named| !is_other(&named.action, &stance.action))
}

fn named_by(text: &str) -> Option<Named> {
    let sentences = sentences(text);
    let Some(asked) = asking_sentence(text) else {
        let mut stated =
            sentences.into_iter().filter_map(|range| statement_action(&text[range], false));
        return stated.next().filter(|_| stated.next().is_none());
    };
    let mut others = sentences.into_iter().map(|range| bare_sentence(&text[range]));
    let next = others.find(|one| *one == asked).and_then(|_| others.next()).unwrap_or_default();
    // "Should we use Redis? Or Memcached?"
    if after(next, "or").is_some() {
        return None;
    }
    in_question(asked)
}

/// The action of a statement such as "We should not move". `may_stand_in`: its words may mean
/// another action, as in "do it".
fn statement_action(sentence: &str, may_stand_in: bool) -> Option<Named> {
    let line = one_clause(sentence)?;
    let plain = without_openers(&line);
    let (action, refuses) =
        BEGINNINGS.iter().find_map(|(words, refuses)| Some((after(&plain, words)?, *refuses)))?;
    let (action, is_negated) = without_not(action);
    let is_named = is_action(action) || may_stand_in && is_clause(action);
    is_named.then(|| Named { action: action.to_owned(), is_negated: is_negated || refuses })
}

/// The action that a question names.
fn in_question(sentence: &str) -> Option<Named> {
    let line = one_clause(sentence)?;
    let inversion = Inversion::parse(&line)?;
    let Inversion { modal, after: text, .. } = inversion;
    let thinks = ["you think that", "you think"].iter().find_map(|words| after(text, words));
    if let Some(thought) = thinks.filter(|_| modal == "do") {
        let named = statement_action(thought, false)?;
        return Some(Named { is_negated: named.is_negated || inversion.is_negated, ..named });
    }
    let subject = inversion.subject();
    if !matches!(&*subject, "we" | "i") {
        return of_name(&inversion);
    }
    if matches!(modal, "does" | "will" | "would" | "is" | "are") {
        return None;
    }
    let (action, is_negated) = without_not(after(text, &subject)?);
    let is_negated = is_negated || inversion.is_negated;
    let wanted =
        after(action, "want").filter(|what| after(what, "to").is_some() || !what.contains(" to "));
    let needed = after(action, "need").or(wanted);
    let action = match needed {
        // "Need to move" is to move, and "need Kafka" is to have it.
        Some(what) => match after(what, "to") {
            Some(action) => Cow::from(without_adverb(action)),
            None if is_thing(what) => return Named::new(format!("have {what}"), is_negated),
            None => return None,
        },
        None => after(action, "have to").map_or(action, without_adverb).into(),
    };
    let first = action.split_whitespace().next()?.to_lowercase();
    let is_unwilled = matches!(modal, "can" | "could" | "do") && UNWILLED.contains(&&*first);
    if is_unwilled || !is_action(&action) {
        return None;
    }
    Named::new(action.into_owned(), is_negated)
}

/// "Should Postgres replace Redis?" asks to have Postgres replace Redis.
fn of_name(inversion: &Inversion<'_>) -> Option<Named> {
    let Inversion { modal, is_negated, after: text } = *inversion;
    let text = without_end(text);
    let negates =
        |word: &str| ["not", "never", "no", "nobody", "none"].contains(&&*word.to_lowercase());
    let fits = matches!(modal, "should" | "shall" | "must")
        && is_thing(text)
        && text.split_whitespace().nth(1).is_some()
        && !text.split_whitespace().any(negates);
    if fits { Named::new(format!("have {text}"), is_negated) } else { None }
}

/// The sentence in a line. `None`: it is too long, or a line of it may be a sentence of its own.
fn one_clause(sentence: &str) -> Option<String> {
    let is_broken = !is_question(sentence)
        && sentence.lines().skip(1).any(|line| {
            let first = line.trim_start().chars().next();
            first.is_none_or(|first| !first.is_lowercase())
        });
    let fits = sentence.chars().nth(2 * MAX_MOTION_CHARS).is_none();
    (fits && !is_broken).then(|| clean(&sentence.replace('’', "'"), usize::MAX))
}

/// The action without adverbs, its end and a "not" before it, and whether there was one.
fn without_not(text: &str) -> (&str, bool) {
    let action = without_end(without_adverb(without_adverb(text)));
    after(action, "not").map_or((action, false), |action| (action, true))
}

fn without_end(text: &str) -> &str {
    let text = text.trim_end_matches(['?', '!', '.', '？', '！', '。', ' ', '*', '_']);
    let ends = [", yes or no", ", or not", " or not"];
    ends.iter().find_map(|end| text.strip_suffix(end)).unwrap_or(text)
}

/// True for words that may name a thing in one clause: "need Kafka", not "need it".
fn is_thing(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default().to_lowercase();
    let begins = DETERMINERS.contains(&first.as_str()) || !has_word(NO_ACTION, &first);
    begins && is_clause(text) && !first.is_empty()
}

/// True for a question that begins with a word such as "how": it names no action.
pub fn is_open_question(question: &str) -> bool {
    const WORDS: [&str; 9] =
        ["how", "why", "which", "what", "when", "where", "who", "whom", "whose"];
    let question = asking_sentence(question).unwrap_or(question);
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
    let mut words = lower.split_whitespace();
    let Some(first) = words.next() else { return false };
    let second = words.next().unwrap_or_default();
    let last = words.next_back().unwrap_or(if second.is_empty() { first } else { second });
    let has = HAD.contains(&second);
    let begins = first.starts_with(char::is_alphanumeric)
        && !first.ends_with(',')
        && (!has_word(NO_ACTION, first) || first == "have" && has);
    begins && is_clause(text) && !STAND_INS.contains(&without_marks(last))
}

/// True for one clause that says nothing beside one action.
fn is_clause(text: &str) -> bool {
    let mut lower = text.to_lowercase();
    for short in ["e.g. ", "i.e. ", "approx. ", "incl. ", "cf. "] {
        lower = lower.replace(short, "");
    }
    let words: Vec<&str> = lower.split_whitespace().collect();
    let Some(first) = words.first() else { return false };
    let asks = words.windows(2).any(|pair| {
        let breaks = pair[0].ends_with(',') || pair[0] == "and";
        breaks && ASKS.contains(&without_marks(pair[1]))
    });
    let is_one_clause = !lower.contains(['?', '!', ';', '"', '“', '”', '—', '–'])
        && ![". ", ": ", " - ", "/or ", "one of "].iter().any(|end| lower.contains(end))
        && !words.iter().any(|word| has_word(MORE, without_marks(word)));
    let is_pick = ["pick", "select", "settle"].contains(first) && words.contains(&"between");
    is_one_clause && !asks && !is_pick && text.chars().count() <= MAX_MOTION_CHARS
}

fn has_word(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|one| one == word)
}

fn without_marks(word: &str) -> &str {
    word.trim_matches([',', '"', '(', ')', '*', '`'])
}

/// The motion that a reply states in its first line: "**Motion:** move the cache to Redis". The
/// line may be a heading or an item, and no quote, code or HTML.
pub fn of_reply(reply: &str) -> Option<String> {
    let line = reply.trim_start().lines().next()?;
    let (label, motion) = line.split_once([':', '：'])?;
    let bare = label.trim_matches(|char: char| !char.is_alphanumeric());
    let is_motion = bare.eq_ignore_ascii_case("motion") && !label.contains(['>', '`', '<', '~']);
    is_motion.then(|| one_line(motion.trim_matches(['*', '_', ' ', '\u{a0}', '\u{202f}'])))?
}

/// A motion as it is saved: one line without invisible characters and without a full stop. `None`:
/// it is empty or too long.
pub fn one_line(text: &str) -> Option<String> {
    let line = clean(text, usize::MAX);
    let line = line.trim_end_matches('.').trim();
    let fits = (1..=MAX_MOTION_CHARS).contains(&line.chars().count());
    (fits && line.contains(char::is_alphanumeric)).then(|| line.to_owned())
}

/// True if the two are not one motion: a word differs. No difference are case, articles and
/// possessives before a word, quote marks, marks of emphasis, brackets, marks at a word's end, and
/// the typographic form of a mark.
pub fn is_other(one: &str, other: &str) -> bool {
    words_of(one) != words_of(other)
}

/// The words of a motion as they are compared.
fn words_of(motion: &str) -> Vec<String> {
    // In capitals first: "ς" and "σ" are one letter, "ß" and "SS" are.
    let folded: String = motion
        .nfc()
        .map(plain_form)
        .flat_map(char::to_uppercase)
        .flat_map(char::to_lowercase)
        .nfc()
        .collect();
    let spaced = folded.replace('%', " % ");
    let all: Vec<String> = spaced.split_whitespace().filter_map(bare_word).collect();
    let mut words = Vec::with_capacity(all.len());
    let mut all = all.into_iter().peekable();
    while let Some(word) = all.next() {
        if !(NO_WORDS.contains(&word.as_str()) && all.peek().is_some()) {
            words.push(word);
        }
    }
    words
}

/// The character in its ASCII form, if it is full-width or typographic.
fn plain_form(char: char) -> char {
    match char {
        '\u{3000}' => ' ',
        '…' => '.',
        '\u{FF01}'..='\u{FF5E}' => char::from_u32(u32::from(char) - 0xFEE0).unwrap_or(char),
        _ => ascii_mark(char),
    }
}

/// The word without quote marks, emphasis, and the marks around it. `None`: it is marks alone.
fn bare_word(word: &str) -> Option<String> {
    let is_around = |char: char| matches!(char, '"' | '\'' | '`' | '*' | '_');
    let word = word.trim_start_matches(|char| is_around(char) || "([{¿¡".contains(char));
    let word = word.trim_end_matches(|char| is_around(char) || ")]}.,;:!?-".contains(char));
    // In a script without blanks they stand inside: a letter with a case, or a figure, on both
    // sides makes them part of a word.
    let mut out = String::with_capacity(word.len());
    let mut held = String::new();
    for char in word.chars() {
        if is_around(char) {
            held.push(char);
            continue;
        }
        if out.chars().next_back().is_some_and(is_of_word) && is_of_word(char) {
            out.push_str(&held);
        }
        held.clear();
        out.push(char);
    }
    (!out.is_empty() && out != "-").then_some(out)
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
            ("- **Motion:** wait", Some("wait")),
            ("### Motion: wait", Some("wait")),
            ("✅ __Motion__: wait", Some("wait")),
            ("> **Motion:** wait", None),
            ("`Motion:` wait", None),
            ("<!-- Motion: wait -->", None),
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

    #[test]
    fn a_motion_is_the_same_however_it_is_written() {
        for (one, other) in [
            ("move our job queue to Redis", "move the job queue to Redis."),
            ("cache the reads", "\"cache the reads\""),
            ("cache the reads", "`cache the reads`"),
            ("cache the reads", "**cache** the _reads_!"),
            ("trust the vendor's benchmark", "Trust a vendor’s benchmark"),
            ("用缓存。", "用缓存"),
            ("把「缓存」迁移", "把**缓存**迁移"),
            ("move to Ｒｅｄｉｓ　7", "move to redis 7"),
            ("wait 10–20 days", "wait 10-20 days"),
            ("wait – then move", "wait then move"),
            ("raise prices by 20%", "raise prices by 20 %"),
            ("drop (all of) the tests", "drop all of the tests"),
            ("use C++, not C#", "use C++ not C#."),
            ("naive", "NAIVE"),
            ("e\u{301}crire", "Écrire"),
            ("αλλαγή οδός", "ΑΛΛΑΓΉ ΟΔΌΣ"),
            ("die Straße", "DIE STRASSE"),
            ("use `serde_yaml`", "use serde_yaml"),
        ] {
            assert!(!is_other(one, other), "{one} | {other}");
        }
        for (one, other) in [
            ("cache the reads", "do not cache the reads"),
            ("cache the reads", "cache the writes"),
            ("cache the reads", "cache the reads now"),
            ("use C++", "use C"),
            ("use C#", "use C"),
            ("use serde_yaml", "use serde yaml"),
            ("choose plan A", "choose plan"),
            ("raise prices by 20%", "raise prices by 20"),
            ("wait 1.5 days", "wait 15 days"),
            ("re-write it", "rewrite it"),
            ("use .NET", "use NET"),
            ("don't wait", "dont wait"),
            ("用缓存", "不用缓存"),
            ("use a/b", "use ab"),
        ] {
            assert!(is_other(one, other), "{one} | {other}");
        }
    }

    #[test]
    fn no_answer_drops_a_negation() {
        for (question, motion, is) in [
            ("Should we drop Redis? We run 31 workers.", "drop Redis", true),
            ("Should we drop Redis?", "Drop our Redis.", true),
            ("Should we drop Redis?", "keep Redis", false),
            ("Should we drop Redis?", "not drop Redis", false),
            ("Should we not drop Redis?", "drop Redis", false),
            ("Shouldn't we drop Redis?", "drop Redis", false),
            ("Don’t we need Kafka?", "have Kafka", false),
            ("Can't we drop Redis?", "drop Redis", false),
            ("Do we need Kafka?", "have Kafka", true),
            ("Do you think we should drop Redis?", "drop Redis", true),
            ("Don't you think we should drop Redis?", "drop Redis", false),
            ("I think we shouldn't drop Redis.", "drop Redis", false),
            ("I think we should drop Redis.", "drop Redis", true),
            ("Should Postgres replace Redis?", "have Postgres replace Redis", true),
            ("Shouldn't Postgres replace Redis?", "have Postgres replace Redis", false),
            ("Would it be a mistake to keep the cache in Redis?", "keep the cache in Redis", false),
            ("Would it be a mistake to keep the cache in Redis?", "drop Redis", false),
            ("How should we go on?", "go on", false),
            ("Redis or Memcached?", "Redis", false),
            ("", "", false),
        ] {
            assert_eq!(is_of_question(question, motion), is, "{question} | {motion}");
        }
    }

    proptest! {
        #[test]
        fn no_form_of_its_words_makes_another_motion(
            words in proptest::collection::vec(("[a-zé缓存]{2,6}(\\+\\+|#)?", 0_usize..8, 0_usize..8), 1..12),
        ) {
            let plain: Vec<&str> = words.iter().map(|(word, ..)| word.as_str()).collect();
            let plain = plain.join(" ");
            let mut other = String::new();
            for (word, before, form) in &words {
                other += ["", "the ", "A  ", "our\u{3000}", "\t", "YOUR ", " - ", "\u{a0}"][*before];
                let (open, close) = [
                    ("", ""), ("\"", "\""), ("**", "**"), ("“", "”,"), ("`", "`."), ("(", ")"), ("「", "」。"), ("_‘", "’_;"),
                ][*form];
                let word = if before + form > 7 { word.to_uppercase() } else { word.clone() };
                other.extend([open, word.as_str(), close, " "]);
            }
            prop_assert!(!is_other(&plain, &other), "{} | {}", plain, other);
        }

        #[test]
        fn a_real_word_more_less_or_else_makes_another_motion(
            words in proptest::collection::vec("[b-z0-9]{2,6}(\\+\\+|#|%)?", 1..12),
            at in any::<proptest::sample::Index>(),
            real in prop_oneof!["not", "never", "no", "[b-z]{7,9}", "C#", "v2\\.0"],
        ) {
            prop_assume!(words.iter().all(|word| !NO_WORDS.contains(&word.as_str())));
            let at = at.index(words.len());
            let plain = words.join(" ");
            let changed = |new: &[&str]| {
                let mut words: Vec<&str> = words.iter().map(String::as_str).collect();
                words.splice(at..=at, new.iter().copied());
                words.join(" ")
            };
            prop_assert!(is_other(&plain, &changed(&[&words[at], &real])));
            prop_assert!(is_other(&plain, &changed(&[&real, &words[at]])));
            prop_assert!(is_other(&plain, &changed(&[])));
            prop_assert_eq!(is_other(&plain, &changed(&[&real])), !real.eq_ignore_ascii_case(&words[at]));
        }

        #[test]
        fn any_question_gives_one_clean_line_or_nothing(text in "(?i)(should we |i think we should )?\\PC{0,300}") {
            if let Some(motion) = of_question(&text) {
                prop_assert_eq!(one_line(&motion), Some(motion.clone()));
                prop_assert!(motion.chars().count() <= MAX_MOTION_CHARS);
            }
        }
    }
}
