//! Where the reports of a debate are, or will be. The user's path counts only if the user named it
//! for this debate on this machine; else the report lies in the debate's own folder.

use std::path::{Path, PathBuf};

use crate::output::{free_or_plain, free_or_report, lexical};
use crate::{Context, Note, expand};
use anvil_core::debate::Debate;
use anvil_report::Format;
use anvil_store::{Project, Store};
use anvil_text::error::Result;

/// Formats that every completed debate has.
const ALWAYS: [Format; 2] = [Format::Markdown, Format::Html];

/// The places of a debate's reports.
#[derive(Clone, Debug)]
pub(crate) struct ReportPlaces {
    /// The report that messages name first.
    pub named: PathBuf,
    /// The report in the debate's own folder. `None`: this user has no folder for records.
    pub own: Option<PathBuf>,
    /// Why `named` is not the path in the debate's options.
    pub elsewhere: Option<Note>,
}

impl ReportPlaces {
    /// The places of reports that are written now. Fails if there is none.
    pub(crate) fn of(context: &Context<'_>, store: &Store, debate: &Debate) -> Result<Self> {
        let project = store.project();
        let own = store.report(&debate.id);
        let Some(output) = &debate.options.output else {
            let named = own?;
            return Ok(Self { own: Some(named.clone()), named, elsewhere: None });
        };
        let path = wanted_path(context, project, output);
        let why = match &path {
            path if !is_approved(store, &debate.id, path) => {
                Some("it was not named on this machine")
            }
            path if !free_or_plain(path) => Some("it is not a regular file"),
            path => (!free_or_report(path)).then_some("it is not an Anvil report"),
        };
        let Some(why) = why else {
            return Ok(Self { named: path, own: own.ok(), elsewhere: None });
        };
        let named = own?;
        let place = project.display(&named);
        let elsewhere = Some(Note::ReportElsewhere { wanted: output.clone(), why, place });
        Ok(Self { own: Some(named.clone()), named, elsewhere })
    }

    /// The places of the reports that were written, or would lie there. `None`: there is none.
    pub(crate) fn as_written(
        context: &Context<'_>,
        store: &Store,
        debate: &Debate,
    ) -> Option<Self> {
        let own = store.report(&debate.id).ok();
        let output = debate.options.output.as_ref();
        let wanted = output.map(|output| wanted_path(context, store.project(), output));
        let format = Format::from_path(wanted.as_deref().unwrap_or(Path::new("")));
        // The file may come from elsewhere, and name a file of the user. A report that could not be
        // written to its place is in the own folder, in its format.
        let in_format = own.as_ref().map(|own| own.with_extension(format.extension()));
        let mut paths = wanted.into_iter().chain(in_format);
        let named =
            paths.find(|path| path.is_file() && free_or_report(path)).or_else(|| own.clone())?;
        Some(Self { named, own, elsewhere: None })
    }

    /// The report, if its file is there.
    pub(crate) fn existing(&self) -> Option<&Path> {
        Some(self.named.as_path()).filter(|path| path.is_file())
    }

    /// All reports, the named one first: it takes the place of the own one in its format.
    pub(crate) fn all(&self) -> Vec<(Format, PathBuf)> {
        let named = Format::from_path(&self.named);
        let others = self.own.iter().flat_map(|own| {
            ALWAYS
                .into_iter()
                .filter(|format| *format != named)
                .map(|format| (format, own.with_extension(format.extension())))
        });
        [(named, self.named.clone())].into_iter().chain(others).collect()
    }

    /// The page.
    pub(crate) fn page(&self) -> Option<PathBuf> {
        self.all().into_iter().find(|(format, _)| *format == Format::Html).map(|(_, path)| path)
    }
}

/// The path in the options of a debate.
fn wanted_path(context: &Context<'_>, project: &Project, output: &str) -> PathBuf {
    lexical(&expand(output, project.root(), context.world.home.as_deref()))
}

/// True if the user named exactly this path for this debate.
fn is_approved(store: &Store, id: &str, path: &Path) -> bool {
    let named = store.record(id).and_then(|record| record.output);
    named.is_some_and(|named| lexical(&store.project().root().join(named.0)) == path)
}
