//! The state file of a debate of a hostile text. The tests of `anvil-store` include this file.

use std::cell::OnceCell;
use std::ops::Deref;

use anvil_store::StateFile;
use testkit::linear::{Alphabet, Debates, Hostile};

/// A hostile text with its debate, and that debate's state file.
pub struct States {
    debates: Debates,
    state: OnceCell<StateFile>,
}

impl Hostile for States {
    fn new(alphabet: &Alphabet, size: usize) -> Self {
        Self { debates: Debates::new(alphabet, size), state: OnceCell::new() }
    }
}

impl Deref for States {
    type Target = Debates;

    fn deref(&self) -> &Debates {
        &self.debates
    }
}

impl States {
    pub fn state(&self) -> &StateFile {
        self.state.get_or_init(|| {
            let mut state = StateFile::new(self.debate().clone());
            self.body().clone_into(&mut state.body);
            state
        })
    }
}
