//! The report of a debate of a hostile text. The tests of `anvil-report` include this file.

use std::cell::OnceCell;
use std::ops::Deref;

use anvil_report::{Files, Model, ReportSource};
use anvil_text::Places;
use testkit::linear::{Alphabet, Debates, Hostile};

/// A hostile text with its debate, and what a report of that shows.
pub struct Models {
    debates: Debates,
    model: OnceCell<Model>,
}

impl Hostile for Models {
    fn new(alphabet: &Alphabet, size: usize) -> Self {
        Self { debates: Debates::new(alphabet, size), model: OnceCell::new() }
    }
}

impl Deref for Models {
    type Target = Debates;

    fn deref(&self) -> &Debates {
        &self.debates
    }
}

impl Models {
    pub fn places() -> Places {
        Places::new([std::path::Path::new("/a/b")], [std::path::Path::new("/a")])
    }

    pub fn source<'a>(&'a self, places: &'a Places) -> ReportSource<'a> {
        ReportSource { debate: self.debate(), entries: self.entries(), places }
    }

    pub fn new_model(&self) -> Model {
        let files = Files { debate: self.part(), reports: vec![self.part()] };
        Model::from_source(&self.source(&Self::places()), &files)
    }

    pub fn model(&self) -> &Model {
        self.model.get_or_init(|| self.new_model())
    }
}
