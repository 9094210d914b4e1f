//! The options of `undo`.

use clap::Args;

use super::TakeOver;
use crate::errors::CommandError;
use anvil_core::options::Refused;
use anvil_text::error::Result;

/// The options of `undo`.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub struct UndoOptions {
    /// Phases to undo [default: 1]; with --list or --to the debate's number in the history, or its
    /// id
    #[arg(value_name = "N")]
    pub id: Option<String>,
    /// List the earlier states of the debate, one for each phase
    #[arg(long)]
    pub list: bool,
    /// Restore the state with this number in that list
    #[arg(long, value_name = "NO", conflicts_with = "list", value_parser = state)]
    pub to: Option<u32>,
    /// Undo the last undo
    #[arg(long, conflicts_with_all = ["id", "list", "to"])]
    pub redo: bool,
    /// The flag that includes another session's debate.
    #[command(flatten)]
    pub owner: TakeOver,
}

/// A checked request of `undo`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undo<'a> {
    /// Takes back this number of phases.
    Phases(usize),
    /// Takes the last undo back.
    Redo,
    /// Lists the states of this project's debate, or of the named one.
    List(Option<&'a str>),
    /// Restores a state of this project's debate, or of the named one.
    To(u32, Option<&'a str>),
}

fn state(text: &str) -> std::result::Result<u32, Refused> {
    text.parse().map_err(|_| Refused::new("takes a whole number", " 3"))
}

impl UndoOptions {
    /// Fails if the number of phases is not a whole number from 1 to 65,535.
    pub fn undo(&self) -> Result<Undo<'_>> {
        let word = self.id.as_deref();
        match self.to {
            _ if self.redo => Ok(Undo::Redo),
            _ if self.list => Ok(Undo::List(word)),
            Some(number) => Ok(Undo::To(number, word)),
            None => {
                let phases =
                    word.map_or(Some(1_u16), |word| word.parse().ok().filter(|phases| *phases > 0));
                phases
                    .map(|phases| Undo::Phases(phases.into()))
                    .ok_or_else(|| CommandError::Phases(word.unwrap_or_default().to_owned()).into())
            }
        }
    }
}
