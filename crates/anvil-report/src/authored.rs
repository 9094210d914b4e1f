//! The authors of a debate and of its judgments, in sentences.

use super::model::authors::{Authors, Degraded, SeatAuthors};
use anvil_core::transcript::{Author, Entries};

/// `Argued by claude-opus-4-5 and gpt-5.2; judged by claude-opus-4-5`. `None`: no author is known.
pub(crate) fn author_line(authors: &Authors) -> Option<String> {
    match (debaters(authors), judge_names(&authors.judges)) {
        (Some(argued), Some(judged)) => Some(format!("Argued by {argued}; judged by {judged}")),
        (Some(argued), None) => Some(format!("Argued by {argued}")),
        (None, Some(judged)) => Some(format!("Judged by {judged}")),
        (None, None) => None,
    }
}

/// For the status: `claude-opus-4-5 argues both sides`.
pub fn argues(entries: &Entries) -> Option<String> {
    let authors = Authors::from_entries(entries);
    match one_for_all(&authors.sides) {
        Some(one) if authors.sides[0].voice.is_none() => {
            Some(format!("{} argues both sides", one.name()))
        }
        _ => debaters(&authors).map(|argued| format!("argued by {argued}")),
    }
}

/// `degraded: the critic was claude from round 2 on, instead of codex`. `None`: every reply is from
/// the agent that the user chose.
pub fn degradation(entries: &Entries) -> Option<String> {
    degraded_line(&Authors::from_entries(entries))
}

/// [`degradation`], for the authors of a report.
pub(crate) fn degraded_line(authors: &Authors) -> Option<String> {
    let mut phrases = Vec::new();
    for Degraded { seat, agent, instead_of, when } in &authors.degraded {
        // A voice and a judge have a number.
        let the = if seat.contains(' ') { "" } else { "the " };
        let when = if when.is_empty() { String::new() } else { format!(" {when}") };
        phrases.push(format!("{the}{seat} was {agent}{when}, instead of {instead_of}"));
    }
    (!phrases.is_empty()).then(|| format!("degraded: {}", phrases.join("; ")))
}

fn debaters(Authors { sides, .. }: &Authors) -> Option<String> {
    if let Some(one) = one_for_all(sides) {
        let kind = if one.model().is_some() { "model" } else { "agent" };
        let what = if sides[0].voice.is_some() { "all voices" } else { "both sides" };
        return Some(format!("{}: one {kind} wrote {what}", one.name()));
    }
    if let [advocate, critic] = sides.as_slice()
        && advocate.voice.is_none()
        && let (Some(advocate), Some(critic)) = (advocate.only(), critic.only())
    {
        return Some(format!("{} and {}", advocate.name(), critic.name()));
    }
    names_with_seats(sides)
}

/// The one author of all replies of several seats. A person does not count: two may be different
/// people.
fn one_for_all(sides: &[SeatAuthors]) -> Option<&Author> {
    let first = sides.first()?.only().filter(|author| !author.is_person())?;
    let is_all = sides.iter().all(|side| {
        side.only().is_some_and(|other| match (first.model(), other.model()) {
            (Some(one), Some(other)) => one == other,
            (None, None) => first.agent() == other.agent(),
            _ => false,
        })
    });
    (sides.len() > 1 && is_all).then_some(first)
}

/// `gpt-5.2, then claude (sales, ops), a person (legal)`: authors with their seats.
fn names_with_seats(seats: &[SeatAuthors]) -> Option<String> {
    let mut groups: Vec<(String, Vec<String>)> = Vec::new();
    for seat in seats.iter().filter(|seat| !seat.authors.is_empty()) {
        let names: Vec<&str> = seat.authors.iter().map(Author::name).collect();
        let names = names.join(", then ");
        let part = if seat.is_complete { "" } else { " in part" };
        let label = format!("{}{part}", seat.name());
        let is_one = !seat.authors.iter().any(Author::is_person);
        match groups.iter_mut().find(|(known, _)| is_one && *known == names) {
            Some((_, labels)) => labels.push(label),
            None => groups.push((names, vec![label])),
        }
    }
    let groups: Vec<String> = groups
        .into_iter()
        .map(|(names, labels)| format!("{names} ({})", labels.join(", ")))
        .collect();
    (!groups.is_empty()).then(|| groups.join(", "))
}

fn judge_names(judges: &[SeatAuthors]) -> Option<String> {
    if let Some(one) = one_for_all(judges) {
        return Some(format!("{} ({} judges)", one.name(), judges.len()));
    }
    let only: Option<Vec<&str>> =
        judges.iter().map(|judge| judge.only().map(Author::name)).collect();
    match only.as_deref() {
        None => names_with_seats(judges),
        Some([]) => None,
        Some([one]) => Some((*one).to_owned()),
        Some([first @ .., last]) => Some(format!("{} and {last}", first.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use anvil_core::place::{Place, Seat};
    use anvil_core::transcript::{Entry, EntryKind, NoteKind};

    fn by(author: &str) -> Option<Author> {
        let (author, replaced) = match author.split_once(" for ") {
            Some((author, replaced)) => (author, Some(replaced)),
            None => (author, None),
        };
        let author = match author {
            "?" => return None,
            "person" => Author::person(),
            // An agent without a model.
            agent if agent.ends_with('!') => Author::new(agent.trim_end_matches('!'), None, None),
            model => Author::new("claude", Some(model), Some("anthropic")),
        };
        Some(match replaced {
            Some(replaced) => author.instead_of(replaced),
            None => author,
        })
    }

    /// `A1 opus, C1 gpt, J opus, S -`: seats with their rounds, each with its author.
    fn entries(written: &str) -> Entries {
        let entry = |one: &str| {
            let (name, author) = one.split_once(' ').unwrap();
            let (name, voice) = name.split_once('=').unwrap_or((name, ""));
            let round = name[1..].parse().unwrap_or(1);
            let what = |seat| EntryKind::Reply(Place { seat, round });
            let what = match &name[..1] {
                "A" => what(Seat::Advocate),
                "C" => what(Seat::Critic),
                "V" => EntryKind::Reply(Place::case(round)),
                "S" => what(Seat::Synthesizer),
                _ => EntryKind::Note(NoteKind::Judgment),
            };
            let voice = (!voice.is_empty()).then(|| voice.to_owned());
            let author = by(author);
            Entry { voice, author, ..Entry::new(what, Timestamp::UNIX_EPOCH, "text") }
        };
        Entries(written.split(", ").filter(|one| !one.is_empty()).map(entry).collect())
    }

    #[test]
    fn a_line_names_who_argued_and_judged_as_far_as_it_is_known() {
        for (written, expected) in [
            ("", ""),
            ("A1 ?, C1 ?, S1 ?", ""),
            ("A1 opus, C1 gpt, A2 opus, C2 gpt, S1 opus", "Argued by opus and gpt; judged by opus"),
            ("A1 opus, C1 opus", "Argued by opus: one model wrote both sides"),
            ("A1 codex!, C1 codex!", "Argued by codex: one agent wrote both sides"),
            ("A1 claude!, C1 opus", "Argued by claude and opus"),
            ("A1 person, C1 person", "Argued by a person and a person"),
            ("A1 opus, C1 person, S1 ?", "Argued by opus and a person"),
            // One side alone is known, or has spoken.
            ("A1 opus", "Argued by opus (advocate)"),
            ("A1 opus, C1 ?", "Argued by opus (advocate)"),
            ("A1 opus, C1 opus, A2 ?", "Argued by opus (advocate in part, critic)"),
            ("A1 opus, C1 gpt, A2 gpt", "Argued by opus, then gpt (advocate), gpt (critic)"),
            ("A1 ?, C1 ?, S1 opus", "Judged by opus"),
            ("V1=sales opus, V2=ops gpt", "Argued by opus (sales), gpt (ops)"),
            ("V1=sales opus, V2=ops opus", "Argued by opus: one model wrote all voices"),
            ("V1=a opus, V2=b gpt, V3=c opus", "Argued by opus (a, c), gpt (b)"),
            ("V1=a person, V2=b person", "Argued by a person (a), a person (b)"),
            ("J opus, J gpt, J opus, S1 ?", "Judged by opus, gpt and opus"),
            ("J opus, J opus, S1 ?", "Judged by opus (2 judges)"),
            ("J opus, J ?, S1 ?", "Judged by opus (judge 1)"),
        ] {
            let authors = Authors::from_entries(&entries(written));
            assert_eq!(author_line(&authors).unwrap_or_default(), expected, "{written}");
        }
        let entries = |written| argues(&entries(written)).unwrap_or_default();
        assert_eq!(entries("A1 opus, C1 opus"), "opus argues both sides");
        assert_eq!(entries("A1 opus, C1 gpt"), "argued by opus and gpt");
        assert_eq!(entries("V1=a o, V2=b o"), "argued by o: one model wrote all voices");
        assert_eq!(entries("A1 ?, C1 ?"), "");
    }

    #[test]
    fn a_seat_that_another_agent_took_is_named_with_its_rounds() {
        let degraded = |written| degradation(&entries(written)).unwrap_or_default();
        for (written, expected) in [
            ("A1 a!, C1 b!", ""),
            ("C1 codex!, C2 claude! for codex, C3 claude! for codex", "from round 2 on"),
            ("C1 claude! for codex, C2 codex!", "in round 1"),
            ("C1 claude! for codex, C2 claude! for codex, C3 ?", "from round 1 to round 2"),
        ] {
            let expected = match expected {
                "" => String::new(),
                when => format!("degraded: the critic was claude {when}, instead of codex"),
            };
            assert_eq!(degraded(written), expected, "{written}");
        }
        assert_eq!(
            degraded("A1 b! for a, C1 x, V1=sales d! for c, J e! for f, S1 ?"),
            "degraded: the advocate was b from round 1 on, instead of a; \
             voice 1: sales was d, instead of c; judge 1 was e, instead of f"
        );
    }
}
