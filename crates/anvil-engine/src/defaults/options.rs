//! Reads the default options. The project's defaults come before the user's, and the user's before
//! Anvil's own.

use super::at;
use super::project_limits::{check_allowed_in_project, from_project_root};
use super::seats::refuse_seats_of_project;
use crate::Context;
use crate::session::{ResolvedOptions, check_earlier_result, focus, masked_or_refused, persona};
use anvil_core::limits::MAX_OWN_CHARS;
use anvil_core::options::{
    DebateOption, DebateOptions, FactCheck, SeatOptions, Takes, is_seat_key,
};
use anvil_prompt::library::{self, TextKind};
use anvil_store::{DefaultEntry, Defaults, DefaultsOwner, Project};
use anvil_text::error::{Error, Result};
use anvil_text::{Hint, Verb, hint};

/// The options that a file sets. The error for a wrong one names its line.
pub(super) fn options_of(
    context: &Context<'_>,
    file: &Defaults,
    project: &Project,
) -> Result<DebateOptions> {
    refuse_seats_of_project(file)?;
    let mut all = Vec::new();
    for entry in &file.entries {
        // `seat_defaults` reads the options of the seats.
        if is_seat_key(&entry.key) {
            continue;
        }
        let words = checked_words(context, entry, file.owner, project);
        all.extend(words.map_err(|error| at(file, entry, &error))?);
    }
    let options = DebateOptions::of_defaults(&all)?;
    let Some(judges) = file.entries.iter().find(|entry| entry.key == "judge") else {
        return Ok(options);
    };
    let seats = SeatOptions { judge: judges.values.clone(), ..SeatOptions::default() };
    seats.with_judges(&options).map_err(|error| at(file, judges, &error))
}

/// The options that a program requests. They count like those of a project's file.
fn requested_options(
    context: &Context<'_>,
    entries: &[DefaultEntry],
    project: &Project,
) -> Result<DebateOptions> {
    let mut all = Vec::new();
    for entry in entries {
        // A program asks a question, which has them; no file of a project can set them.
        let of_question = DebateOption::named(&entry.key)
            .filter(|option| option.is_of_question() && option.tool_help().is_some());
        if let Some(option) = of_question {
            if option == DebateOption::Options && entry.values.iter().any(|name| name.contains(','))
            {
                let why = "the name of an option has no comma";
                return Err(Error::usage(why, "write each option as a text of its own"));
            }
            all.extend(words(entry));
            continue;
        }
        all.extend(checked_words(context, entry, DefaultsOwner::Project, project).map_err(
            |error| {
                let key = anvil_text::clean(&entry.key, 40);
                Error::usage(
                    format!("{key}: {error}; a program's word counts as a project's"),
                    error.hint(),
                )
            },
        )?);
    }
    DebateOptions::of_defaults(&all)
}

/// The names of the options that a defaults file may set.
pub(super) fn known_names() -> impl Iterator<Item = &'static str> {
    DebateOption::with_default().map(DebateOption::name)
}

/// The values of one option. Refuses an option that the owner of the file may not set.
fn checked_words(
    context: &Context<'_>,
    entry: &DefaultEntry,
    owner: DefaultsOwner,
    project: &Project,
) -> Result<Vec<(DebateOption, String)>> {
    if let Some(option) = DebateOption::named(&entry.key).filter(|option| option.is_of_question()) {
        return Err(Error::usage(
            format!("{} belongs to one question", option.flag()),
            format!("remove the line, and type it with the question: {}", option.example()),
        ));
    }
    if !known_names().any(|name| name == entry.key) {
        let near = anvil_text::nearest(&entry.key, known_names(), 2);
        let hint = near.first().map_or_else(
            || {
                Hint::from((
                    hint![Verb::Config, " lists the options"],
                    hint![Verb::Debate.with("--help --all"), " lists the options"],
                ))
            },
            |near| format!("did you mean {near}?").into(),
        );
        return Err(Error::usage(format!("there is no option {}", entry.key), hint));
    }
    let mut entry = entry.clone();
    if owner == DefaultsOwner::Project {
        check_allowed_in_project(&entry, project)?;
        if DebateOption::named(&entry.key) == Some(DebateOption::FollowUp) {
            for value in &entry.values {
                check_earlier_result(context, value, project)?;
            }
        }
        entry = from_project_root(context, &entry, project);
    }
    check_names(context, &entry, project)?;
    let words = words(&entry);
    DebateOptions::of_defaults(&words)?;
    Ok(words)
}

/// Checks the values that must be known names. Otherwise a wrong one would be refused at every
/// start.
fn check_names(context: &Context<'_>, entry: &DefaultEntry, project: &Project) -> Result<()> {
    let folders = context.folders(project);
    for value in &entry.values {
        match DebateOption::named(&entry.key) {
            Some(DebateOption::Mode) => {
                library::find(TextKind::Modes, value, &folders)?;
            }
            Some(DebateOption::Framework) => {
                library::find(TextKind::Frameworks, value, &folders)?;
            }
            Some(DebateOption::Persona) => {
                // The start reads the persona again and adds its notes then.
                let noted = context.notes.borrow().len();
                let persona = persona(context, value, &folders);
                context.notes.borrow_mut().truncate(noted);
                persona?;
            }
            Some(DebateOption::Focus) => {
                focus(value)?;
            }
            _ => {}
        }
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
                file.rules = masked_or_refused(context, &file.rules, &project.display(&file.path))?;
            }
            DefaultsOwner::User => of_user = options,
        }
        rules.extend((!file.rules.is_empty()).then_some(file.rules));
    }
    rules.reverse();
    let rules = rules.join("\n\n");
    if rules.chars().count() > MAX_OWN_CHARS {
        return Err(Error::usage(
            format!(
                "the house rules in anvil.local.md have more than {MAX_OWN_CHARS} characters, the \
                 project's and yours together"
            ),
            "shorten the text below the frontmatter of these files",
        ));
    }
    // Only the typed options and the user's defaults decide how facts are checked, also on
    // access to the web. The project's defaults do not.
    let is_checked = is_set_by_user(DebateOption::FactCheck, typed, &of_user);
    let on_web = is_set_by_user(DebateOption::Research, typed, &of_user);
    let requested = requested_options(context, wishes, project)?;
    let options = typed.clone().over(requested.over(of_project)).over(of_user);
    Ok(ResolvedOptions {
        options,
        says_rounds: typed.has(DebateOption::Rounds),
        fact_check: is_checked.then_some(if on_web { FactCheck::Web } else { FactCheck::Files }),
        house_rules: Some(rules).filter(|rules| !rules.is_empty()),
    })
}

fn is_set_by_user(flag: DebateOption, typed: &DebateOptions, of_user: &DebateOptions) -> bool {
    typed.flag(flag).or(of_user.flag(flag)) == Some(true)
}

/// The values of an option, as they are typed.
fn words(entry: &DefaultEntry) -> Vec<(DebateOption, String)> {
    let Some(option) = DebateOption::named(&entry.key) else { return Vec::new() };
    let texts = match (option, entry.values.as_slice()) {
        (_, values) if option.takes() == Takes::List => vec![values.join(", ")],
        // `diff: true` is the option without a value.
        (DebateOption::Diff, [yes]) if yes == "true" => vec![String::new()],
        (DebateOption::Diff, [no]) if no == "false" => Vec::new(),
        (_, values) => values.to_vec(),
    };
    texts.into_iter().map(|text| (option, text)).collect()
}
