//! Debates of a hostile text. The tests of `anvil-core` include this file: its types are their own.

use std::cell::OnceCell;
use std::ops::Deref;

use anvil_core::debate::{Alternatives, Debate, Named, Place, Seat};
use anvil_core::ledger::Ledger;
use anvil_core::transcript::{self, Entries, NoteKind};
use jiff::Timestamp;
use strum::VariantArray as _;
use testkit::linear::{Alphabet, Hostile, Text};

/// A hostile text, and debates made of it on demand.
pub struct Debates {
    text: Text,
    body: OnceCell<String>,
    entries: OnceCell<Entries>,
    ledger: OnceCell<Ledger>,
    debate: OnceCell<Debate>,
}

pub fn slot(seat: Seat, round: u8) -> Place {
    Place { seat, round }
}

pub const NOW: Timestamp = Timestamp::UNIX_EPOCH;

impl Hostile for Debates {
    fn new(alphabet: &Alphabet, size: usize) -> Self {
        Self {
            text: Text::new(alphabet, size),
            body: OnceCell::new(),
            entries: OnceCell::new(),
            ledger: OnceCell::new(),
            debate: OnceCell::new(),
        }
    }
}

impl Deref for Debates {
    type Target = Text;

    fn deref(&self) -> &Text {
        &self.text
    }
}

impl Debates {
    /// The transcript of a debate in which every reply and every note has an eighth of this text.
    pub fn body(&self) -> &str {
        self.body.get_or_init(|| {
            let mut body = transcript::open(&self.part());
            if self.is_transcript {
                let attack = "**C1. Two.** a\n\n**Attacks A1:** \"absent\" fails.";
                for (seat, text) in
                    [(Seat::Advocate, "**A1. One.** It pays."), (Seat::Critic, attack)]
                {
                    transcript::append(&mut body, slot(seat, 1), None, NOW, text);
                }
                return body + "\n" + self.text();
            }
            let part = &self.text()[..self.text().floor_char_boundary(self.text().len() / 8)];
            let text = |about: &str| format!("{about}{part}");
            for (round, seat, about) in [
                (1, Seat::Advocate, "**A1. One.** It pays [evidence: a].\n"),
                (1, Seat::Critic, "**C1. Two.** It costs.\n**Attacks A1:** \"One\" fails.\n"),
                (2, Seat::Advocate, "**Repairs A1 (after C1):** \"Two\" is old.\n"),
                (
                    2,
                    Seat::Synthesizer,
                    "```anvil\nA1 survived: it pays.\nverdict: do\nconfidence: 60\nrests on: \
                        A1\n```\n",
                ),
            ] {
                transcript::append(&mut body, slot(seat, round), None, NOW, &text(about));
            }
            let check = "**A1:** supported, `a` \"One\"\n";
            for &kind in NoteKind::VARIANTS {
                transcript::append_note(&mut body, kind, NOW, &text(check));
            }
            transcript::append_cycle(&mut body, 2, NOW, part);
            let more = text("**A2. More.** x\n");
            transcript::append(&mut body, slot(Seat::Advocate, 1), None, NOW, &more);
            transcript::append(
                &mut body,
                slot(Seat::Synthesizer, 1),
                None,
                NOW,
                &text("```anvil\nA1 fell: it does.\nverdict: do\n```\n"),
            );
            body
        })
    }

    pub fn entries(&self) -> &Entries {
        self.entries.get_or_init(|| transcript::parse(self.body()))
    }

    pub fn ledger(&self) -> &Ledger {
        self.ledger.get_or_init(|| Ledger::of_entries(self.entries(), &Alternatives::default()))
    }

    /// The completed debate of that transcript. Its options are the part: longer ones are refused
    /// on reading.
    pub fn debate(&self) -> &Debate {
        self.debate.get_or_init(|| {
            let mut debate = Debate::new("2026-11-21-a-0000".into(), self.part(), 2, NOW);
            let options = &mut debate.options;
            for field in [
                &mut options.position,
                &mut options.mode_text,
                &mut options.focus,
                &mut options.context_source,
                &mut options.follow_up,
                &mut options.house_rules,
                &mut options.output,
            ] {
                *field = Some(self.part());
            }
            options.framework = Some(Named { name: self.part(), text: Some(self.part()) });
            debate.set_cycle(2);
            debate.set_place(slot(Seat::Synthesizer, 1));
            debate.complete(NOW);
            debate
        })
    }

    /// The running debate at a place.
    pub fn debate_at(&self, seat: Seat, round: u8) -> Debate {
        let mut debate = self.debate().clone();
        debate.reopen();
        debate.set_place(slot(seat, round));
        debate
    }
}
