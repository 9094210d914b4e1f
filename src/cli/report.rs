//! `anvil report`: a debate on the terminal, as a document, or as a page in the browser.

use std::path::Path;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use strum::VariantNames as _;

use super::error::InputError;
use super::screen;
use anvil_engine::{Context, Extent, Reported, reports};
use anvil_messages::Door;
use anvil_report::Format;
use anvil_system::process;
use anvil_system::world::World;
use anvil_text::error::Result;

/// Where it goes, and as what.
#[derive(Args)]
pub(crate) struct ReportForm {
    /// Print every claim with its ground and what happened to it, and every reply
    #[arg(long, conflicts_with_all = ["format", "output", "open"])]
    full: bool,
    /// Print a document in this format [default: from the name of --output, or md]
    #[arg(long, value_parser = formats())]
    format: Option<Format>,
    /// The file to write, or - for standard output [default: standard output; for html the
    /// reports folder]
    #[arg(long, value_name = "PATH")]
    output: Option<String>,
    /// Print the revised document; --output may name the document itself, if that is unchanged
    #[arg(long, conflicts_with_all = ["full", "format", "open"])]
    document: bool,
    /// Write its page and open it in the browser [default: this project's debate, or the newest]
    #[arg(long)]
    open: bool,
}

fn formats() -> impl TypedValueParser<Value = Format> {
    PossibleValuesParser::new(Format::VARIANTS).try_map(|word| word.parse::<Format>())
}

pub(super) fn run(
    world: &World,
    context: &Context<'_>,
    id: Option<&str>,
    wanted: &ReportForm,
    door: &Door,
) -> Result<()> {
    let format = wanted.format;
    let output = wanted.output.as_deref();
    if wanted.document {
        return match reports::document(context, id, output)? {
            // Byte for byte: the text has its own end.
            Reported::Text(text) => super::print_exactly(&text),
            Reported::Written(path) => super::print(&path.display().to_string()),
        };
    }
    if wanted.open {
        return open(world, context, id, format, output);
    }
    if format.is_none() && output.is_none() {
        return show(world, context, id, wanted.full, door);
    }
    match reports::report(context, None, id, format, output)? {
        Reported::Text(text) => super::print(text.trim_end()),
        Reported::Written(path) => super::print(&path.display().to_string()),
    }
}

fn show(
    world: &World,
    context: &Context<'_>,
    id: Option<&str>,
    is_full: bool,
    door: &Door,
) -> Result<()> {
    let text = if is_full {
        reports::show(context, None, id, Extent::Whole { columns: screen::known_columns() })?.text
    } else {
        let summary = Extent::Summary { columns: screen::columns() };
        anvil_messages::report_lines(&reports::show(context, None, id, summary)?, door)
    };
    screen::page(world, &anvil_text::without_controls(&text));
    super::print(text.trim_end())
}

/// Makes a new page and opens it in the browser: an existing file may not be ours.
fn open(
    world: &World,
    context: &Context<'_>,
    id: Option<&str>,
    format: Option<Format>,
    output: Option<&str>,
) -> Result<()> {
    let named = output.map(|output| Format::from_path(Path::new(output)));
    if output == Some("-")
        || [format, named].into_iter().flatten().any(|format| format != Format::Html)
    {
        return Err(InputError::OpensHtml.into());
    }
    let page = match output {
        None => reports::page(context, None, id)?,
        Some(_) => match reports::report(context, None, id, Some(Format::Html), output)? {
            Reported::Written(path) => path,
            Reported::Text(text) => return super::print(text.trim_end()),
        },
    };
    super::print(&page.display().to_string())?;
    process::open_in_browser(&world.disk, world.home.as_deref(), &page)
}
