//! Reads the default options. The project's defaults come before the user's, and the user's before
//! Anvil's own.

use super::error::{DefaultsError, LayerError, at, at_origin};
use super::project_limits::keep_inside;
use super::seats::refuse_seats_of_project;
use crate::Context;
use crate::session::{ResolvedOptions, focus, masked_or_refused, persona};
use anvil_core::limits::MAX_OWN_CHARS;
use anvil_core::options::{
    AgentName, DebateOptions, DefaultsOwner, FactCheck, Layer, Origin, PlanOptions, ProgramOptions,
    ProjectOptions, QuestionOptions, SeatOptions, Set, UserOptions, Wishes, YesOrNo, is_seat_key,
};
use anvil_prompt::library::{self, TextKind};
use anvil_store::{DefaultEntry, Defaults, Project};
use anvil_text::error::{Error, Result};

/// The options that a file sets. The error for a wrong one names its line.
pub(super) fn options_of(
    context: &Context<'_>,
    file: &Defaults,
    project: &Project,
) -> Result<DebateOptions> {
    refuse_seats_of_project(file)?;
    // `seat_defaults` reads the options of the seats.
    let entries = file.entries.iter().filter(|entry| !is_seat_key(&entry.key));
    let options = match file.owner {
        DefaultsOwner::Project => options_of_project(context, file, entries, project),
        DefaultsOwner::User => options_of_user(context, file, entries, project),
    };
    let options = options.map_err(|wrong| at_origin(&wrong.from, wrong.error))?;
    let Some(judges) = file.entries.iter().find(|entry| entry.key == "judge") else {
        return Ok(options);
    };
    let judge = judges.values.iter().map(|agent| AgentName(agent.clone()).into()).collect();
    let seats = SeatOptions { judge, ..SeatOptions::default() };
    seats.with_judges(&options).map_err(|error| at(file, judges.line, error))
}

fn options_of_project<'a>(
    context: &Context<'_>,
    file: &Defaults,
    entries: impl Iterator<Item = &'a DefaultEntry>,
    project: &Project,
) -> Result<DebateOptions, LayerError> {
    let mut layer: ProjectOptions = read(entries, Some(file))?;
    keep_inside(context, &mut layer.0, project)?;
    check_names(context, &layer.0, project)?;
    Ok(layer.into())
}

fn options_of_user<'a>(
    context: &Context<'_>,
    file: &Defaults,
    entries: impl Iterator<Item = &'a DefaultEntry>,
    project: &Project,
) -> Result<DebateOptions, LayerError> {
    let layer: UserOptions = read(entries, Some(file))?;
    check_names(context, &layer.0, project)?;
    Ok(layer.into())
}

/// The options that a program asks for. They count like those of a project's file.
fn requested_options(
    context: &Context<'_>,
    entries: &[DefaultEntry],
    project: &Project,
) -> Result<DebateOptions> {
    let options = entries.iter().find(|entry| entry.key == "options");
    if options.is_some_and(|entry| entry.values.iter().any(|name| name.contains(','))) {
        return Err(DefaultsError::Comma.into());
    }
    let checked = || {
        let mut layer: ProgramOptions = read(entries.iter(), None)?;
        keep_inside(context, &mut layer.0, project)?;
        check_names(context, &layer.0, project)?;
        Ok(layer.into())
    };
    checked().map_err(|LayerError { name, error, .. }| {
        DefaultsError::Requested { name, source: error }.into()
    })
}

/// A layer from entries of a file. `None`: a program asks for them.
fn read<'a, L: Layer>(
    entries: impl Iterator<Item = &'a DefaultEntry>,
    file: Option<&Defaults>,
) -> Result<L, LayerError> {
    let mut layer = L::default();
    for DefaultEntry { key, values, line } in entries {
        let from = file.map_or(Origin::Request, |file| Origin::File {
            path: file.path.clone(),
            line: *line,
            words: values.join(", "),
        });
        let taken = match layer.take(key, values, &from) {
            Some(taken) => taken.map_err(Error::from),
            None => Err(no_option(key).into()),
        };
        taken.map_err(|error| LayerError::new(key, &from, error))?;
    }
    Ok(layer)
}

/// The error about an option that a layer lacks.
fn no_option(name: &str) -> DefaultsError {
    let of_user = UserOptions::names();
    if of_user.iter().any(|own| own == name) {
        return DefaultsError::NotOfProject(name.to_owned());
    }
    let mut of_question = None;
    (QuestionOptions::default(), PlanOptions::default()).each(&mut |own, field, _| {
        if own == name {
            of_question = Some(field.example());
        }
    });
    if let Some(example) = of_question {
        return DefaultsError::OfQuestion { name: name.to_owned(), example };
    }
    let near = anvil_text::nearest(name, of_user.iter().map(String::as_str), 2);
    let near = near.first().map(|near| (*near).to_owned());
    DefaultsError::NoOption { name: name.to_owned(), near }
}

/// Checks the values that must be known names. Otherwise a wrong one would be refused at every
/// start.
fn check_names(
    context: &Context<'_>,
    wishes: &Wishes,
    project: &Project,
) -> Result<(), LayerError> {
    let folders = context.folders(project);
    if let Some(Set { value, from }) = &wishes.who.mode {
        library::find(TextKind::Modes, &value.0, &folders)
            .map_err(|error| LayerError::new("mode", from, error))?;
    }
    if let Some(Set { value, from }) = &wishes.framework {
        library::find(TextKind::Frameworks, &value.0, &folders)
            .map_err(|error| LayerError::new("framework", from, error))?;
    }
    if let Some(Set { value, from }) = &wishes.focus {
        focus(&value.0).map_err(|error| LayerError::new("focus", from, error))?;
    }
    for Set { value, from } in &wishes.who.persona {
        // The start reads the persona again, and has its note.
        persona(context, &value.0, &folders)
            .map_err(|error| LayerError::new("persona", from, error))?;
    }
    Ok(())
}

/// Adds a program's wishes and the defaults to the typed options.
pub(crate) fn with_defaults(
    context: &Context<'_>,
    typed: &DebateOptions,
    wishes: &[DefaultEntry],
    project: &Project,
) -> Result<ResolvedOptions> {
    let mut of_project = DebateOptions::default();
    let mut of_user = DebateOptions::default();
    let mut rules = Vec::new();
    for mut file in Defaults::read(project, context.world)? {
        let options = options_of(context, &file, project)?;
        match file.owner {
            DefaultsOwner::Project => {
                of_project = options;
                let name = project.display(&file.path);
                let (rules, note) = masked_or_refused(&file.rules, &name)?;
                context.add_notes(note);
                file.rules = rules;
            }
            DefaultsOwner::User => of_user = options,
        }
        rules.extend((!file.rules.is_empty()).then_some(file.rules));
    }
    rules.reverse();
    let rules = rules.join("\n\n");
    if rules.chars().count() > MAX_OWN_CHARS {
        return Err(DefaultsError::RulesTooLong.into());
    }
    // Only the typed options and the user's defaults decide how facts are checked, also on
    // access to the web. The project's defaults do not.
    let is_yes = |typed: &Option<Set<YesOrNo>>, of_user: &Option<Set<YesOrNo>>| {
        typed.as_ref().or(of_user.as_ref()).is_some_and(|flag| flag.0)
    };
    let is_checked = is_yes(&typed.own.fact_check, &of_user.own.fact_check);
    let on_web = is_yes(&typed.wishes.research, &of_user.wishes.research);
    let requested = requested_options(context, wishes, project)?;
    let options = typed.clone().over(requested.over(of_project)).over(of_user);
    Ok(ResolvedOptions {
        options,
        says_rounds: typed.wishes.rounds.is_some(),
        fact_check: is_checked.then_some(if on_web { FactCheck::Web } else { FactCheck::Files }),
        house_rules: Some(rules).filter(|rules| !rules.is_empty()),
    })
}
