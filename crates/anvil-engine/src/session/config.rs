//! The default options. The project's defaults come before the user's, and the user's before
//! Anvil's own.

use std::path::{Component, Path, PathBuf};

use super::brief::{ResolvedOptions, focus};
use crate::programs::{at, refuse_seats_of_project};
use crate::session::brief::{masked_or_refused, persona};
use crate::{Context, Note, programs};
use anvil_core::debate::{DebateOption, FactCheck, MAX_OWN_CHARS, Takes};
use anvil_core::options::{DebateOptions, ISOLATED, SeatOptions, is_seat_key};
use anvil_prompt::library::{self, LibraryEntry, MAX_DESCRIPTION, TextKind, TextOwner};
use anvil_store::{DefaultEntry, Defaults, DefaultsOwner, Project};
use anvil_text::error::{Error, Hint, Result};

/// One option with its value in this project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    pub name: String,
    /// Empty if the option has no value.
    pub value: String,
    /// Its source: a file with the line, or `built in`.
    pub from: String,
}

/// The value of every option in this project, in the order of the help.
pub fn config(context: &Context<'_>) -> Result<Vec<Setting>> {
    let project = context.project_for_new_debate();
    let files = Defaults::read(&project, context.world)?;
    for file in &files {
        options(context, file, &project)?;
    }
    // If the project's file makes a choice, the user's options of that choice do not count.
    let is_chosen = |file: &Defaults, name: &str| {
        let choice_of = |name: &str| DebateOption::named(name).and_then(DebateOption::choice);
        let choice = choice_of(name);
        let makes_it = |file: &Defaults| {
            choice.is_some() && file.entries.iter().any(|entry| choice_of(&entry.key) == choice)
        };
        file.whose == DefaultsOwner::User
            && files.iter().any(|other| other.whose == DefaultsOwner::Project && makes_it(other))
    };
    let setting = |name: String| {
        let holds = files.iter().filter(|file| !is_chosen(file, &name));
        let mut entries = holds
            .filter_map(|file| Some((file, file.entries.iter().find(|entry| entry.key == name)?)));
        let found = entries.next();
        let (value, from) = match found {
            Some((file, entry)) => {
                (entry.values.join(", "), format!("{}:{}", project.display(&file.path), entry.line))
            }
            None => (built_in(&name), "built in".to_owned()),
        };
        Setting { name, value, from }
    };
    programs::seat_defaults(context)?;
    let of_seats = SeatOptions::NAMES.into_iter().chain([ISOLATED]).map(str::to_owned);
    let mut settings: Vec<Setting> =
        known_names().map(str::to_owned).chain(of_seats).map(setting).collect();
    for file in files.iter().filter(|file| !file.rules.is_empty()) {
        let value = anvil_context::masked_line(&file.rules, 60);
        let from = project.display(&file.path);
        settings.push(Setting { name: "house rules".to_owned(), value, from });
    }
    Ok(settings)
}

/// The personas, modes and frameworks that a debate can use here, or one kind of them by its
/// word. A note names each file that can't be used.
pub fn texts_by_kind(
    context: &Context<'_>,
    word: Option<&str>,
) -> Result<Vec<(TextKind, Vec<LibraryEntry>)>> {
    let is_wanted = |kind: &TextKind| word.is_none_or(|word| kind.word() == word);
    let kinds: Vec<TextKind> = TextKind::ALL.into_iter().filter(is_wanted).collect();
    if kinds.is_empty() {
        return Err(Error::usage(
            format!("there is no list of {:?}", anvil_text::clean(word.unwrap_or_default(), 40)),
            "there are personas, modes and frameworks",
        ));
    }
    let listed = |kind| {
        let (mut entries, unusable) = entries(context, kind);
        for entry in entries.iter_mut().filter(|entry| entry.source == TextOwner::Project) {
            entry.description = anvil_context::masked_line(&entry.description, MAX_DESCRIPTION);
        }
        for why in unusable {
            context.add_note(Note::Unusable(why));
        }
        (kind, entries)
    };
    Ok(kinds.into_iter().map(listed).collect())
}

fn entries(context: &Context<'_>, kind: TextKind) -> (Vec<LibraryEntry>, Vec<String>) {
    library::list(kind, &context.folders(&context.project_for_new_debate()))
}

/// The options that a file sets. The error for a wrong one names its line.
fn options(context: &Context<'_>, file: &Defaults, project: &Project) -> Result<DebateOptions> {
    refuse_seats_of_project(file)?;
    let mut all = Vec::new();
    for entry in &file.entries {
        // The code for programs reads the options of the seats.
        if is_seat_key(&entry.key) {
            continue;
        }
        let words = words_of(context, entry, file.whose, project);
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
fn wishes(
    context: &Context<'_>,
    entries: &[DefaultEntry],
    project: &Project,
) -> Result<DebateOptions> {
    let mut all = Vec::new();
    for entry in entries {
        // A question has its options, and no file of a project can set them.
        if DebateOption::named(&entry.key) == Some(DebateOption::Options) {
            if entry.values.iter().any(|name| name.contains(',')) {
                let why = "the name of an option has no comma";
                return Err(Error::usage(why, "write each option as a text of its own"));
            }
            all.extend(words(entry));
            continue;
        }
        all.extend(words_of(context, entry, DefaultsOwner::Project, project).map_err(|error| {
            let key = anvil_text::clean(&entry.key, 40);
            Error::usage(
                format!("{key}: {error}; a program's word counts as a project's"),
                error.into_hint(),
            )
        })?);
    }
    DebateOptions::of_defaults(&all)
}

/// The names of the options that a defaults file may set.
fn known_names() -> impl Iterator<Item = &'static str> {
    DebateOption::with_default().map(DebateOption::name)
}

/// The values of one option. Refuses an option that this source may not set.
fn words_of(
    context: &Context<'_>,
    entry: &DefaultEntry,
    whose: DefaultsOwner,
    project: &Project,
) -> Result<Vec<(DebateOption, String)>> {
    if let Some(option) = DebateOption::named(&entry.key).filter(|option| option.is_of_question()) {
        return Err(Error::usage(
            format!("{} belongs to one question", option.flag()),
            format!("take the line out, and type it with the question: {}", option.example()),
        ));
    }
    if !known_names().any(|name| name == entry.key) {
        let near = anvil_text::nearest(&entry.key, known_names(), 2);
        let hint = near.first().map_or_else(
            || {
                Hint::from((
                    "`anvil config` lists what there is",
                    "`anvil debate --help --all` lists what there is",
                ))
            },
            |near| format!("did you mean {near}?").into(),
        );
        return Err(Error::usage(format!("there is no option {}", entry.key), hint));
    }
    if whose == DefaultsOwner::Project {
        may_come_with_project(entry, project)?;
    }
    let entry = &seen_from_here(context, entry, whose, project);
    check_names(context, entry, project)?;
    let words = words(entry);
    DebateOptions::of_defaults(&words)?;
    Ok(words)
}

/// A project's paths start at its root. This makes them absolute if the user works in another
/// folder.
fn seen_from_here(
    context: &Context<'_>,
    entry: &DefaultEntry,
    whose: DefaultsOwner,
    project: &Project,
) -> DefaultEntry {
    let mut entry = entry.clone();
    let option = DebateOption::named(&entry.key);
    let is_path = takes_paths(option) && whose == DefaultsOwner::Project;
    if !is_path || context.world.cwd == project.root() {
        return entry;
    }
    for value in &mut entry.values {
        let path = project.root().join(&*value);
        let is_inside = !leads_out(value, project);
        // A file that exists only in the user's working folder also gets the path from the
        // root: the project does not mean that file, and nothing has checked where it leads.
        let is_file = path.exists() || context.world.cwd.join(&*value).is_file();
        if is_inside && (is_file || option == Some(DebateOption::Context)) {
            *value = path.display().to_string();
        }
    }
    entry
}

/// Checks the values that must be known names. Otherwise a wrong one would be refused at every
/// start.
fn check_names(context: &Context<'_>, entry: &DefaultEntry, project: &Project) -> Result<()> {
    let folders = context.folders(project);
    let find = |kind, value| library::find(kind, value, &folders).map(drop);
    for value in &entry.values {
        match DebateOption::named(&entry.key) {
            Some(DebateOption::Mode) => find(TextKind::Modes, value)?,
            Some(DebateOption::Framework) => find(TextKind::Frameworks, value)?,
            Some(DebateOption::Persona) => {
                // The start reads the persona again and adds its notes then.
                let noted = context.notes.borrow().len();
                let persona = persona(context, value, &folders);
                context.notes.borrow_mut().truncate(noted);
                persona.map(drop)?;
            }
            Some(DebateOption::Focus) => focus(value).map(drop)?,
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
    let mut own = DebateOptions::default();
    let mut users = DebateOptions::default();
    let mut rules = Vec::new();
    for mut file in Defaults::read(project, context.world)? {
        let options = options(context, &file, project)?;
        match file.whose {
            DefaultsOwner::Project => {
                own = options;
                file.rules = masked_or_refused(context, &file.rules, &project.display(&file.path))?;
            }
            DefaultsOwner::User => users = options,
        }
        rules.extend((!file.rules.is_empty()).then_some(file.rules));
    }
    rules.reverse();
    let rules = rules.join("\n\n");
    if rules.chars().count() > MAX_OWN_CHARS {
        return Err(Error::usage(
            format!(
                "the house rules in anvil.local.md have more than {MAX_OWN_CHARS} characters, the project's and yours together"
            ),
            "shorten what stands below the frontmatter of these files",
        ));
    }
    // Only the typed options and the user's defaults decide how facts are checked, also on
    // access to the web. The project's defaults do not.
    let is_wanted = |option| typed.flag(option).or(users.flag(option)) == Some(true);
    let is_checked = is_wanted(DebateOption::FactCheck);
    let on_web = is_wanted(DebateOption::Research);
    let options = typed.clone().over(self::wishes(context, wishes, project)?.over(own)).over(users);
    Ok(ResolvedOptions {
        options,
        says_rounds: typed.has(DebateOption::Rounds),
        fact_check: is_checked.then_some(if on_web { FactCheck::Web } else { FactCheck::Files }),
        house_rules: Some(rules).filter(|rules| !rules.is_empty()),
    })
}

/// Refuses options that only the user may set.
fn may_come_with_project(entry: &DefaultEntry, project: &Project) -> Result<()> {
    let key = entry.key.as_str();
    let option = DebateOption::named(key);
    let is_path = takes_paths(option);
    if is_path && let Some(path) = entry.values.iter().find(|value| leads_out(value, project)) {
        return Err(Error::usage(
            format!("{key} leads out of the project: {path}"),
            "a project's defaults stay inside of it; name it in your own defaults, or type it",
        ));
    }
    if matches!(option, Some(DebateOption::Diff | DebateOption::Pr)) {
        return Err(Error::usage(
            format!("a project can't ask for {key} by itself"),
            format!("type --{key} where you mean it, or put it into your own defaults"),
        ));
    }
    if is_path
        && let Some(path) = entry.values.iter().find(|value| leads_to_settings(value, project))
    {
        return Err(Error::usage(
            format!("{key} leads into .git or .claude: {path}"),
            "a project's defaults take nothing from there; type it, or name it in your own defaults",
        ));
    }
    let what = match option {
        Some(DebateOption::Output) => "choose where the report goes",
        Some(DebateOption::Replace) => "end what the user argues",
        Some(DebateOption::FactCheck) => "have a program read its files or the web",
        _ => return Ok(()),
    };
    Err(Error::usage(
        format!("a project can't {what}"),
        format!("type --{key} where you mean it, or put it into your own defaults"),
    ))
}

fn takes_paths(option: Option<DebateOption>) -> bool {
    option.is_some_and(DebateOption::takes_paths)
}

fn built_in(name: &str) -> String {
    match (DebateOption::named(name), name) {
        (Some(option), _) => option.default_value().to_owned(),
        (None, "agent") => "claude".to_owned(),
        (None, ISOLATED) => "no".to_owned(),
        (None, _) => String::new(),
    }
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

/// True for a path that leads out of the project, also through a link that came with the project.
fn leads_out(path: &str, project: &Project) -> bool {
    let typed = Path::new(path);
    let mut parts = typed.components();
    if typed.starts_with("~")
        || parts.any(|part| !matches!(part, Component::Normal(_) | Component::CurDir))
    {
        return true;
    }
    real_place(typed, project).is_some_and(|(root, target)| !target.starts_with(root))
}

/// True for a path into `.git` or `.claude`, in any folder of the project and also through a link.
fn leads_to_settings(path: &str, project: &Project) -> bool {
    let is_settings = |path: &Path| {
        path.components().any(|part| {
            let name = part.as_os_str().to_string_lossy();
            // Some file systems ignore case, and spaces or full stops at the end of a name.
            let name = name.trim_end_matches([' ', '.']);
            [".git", ".claude"].iter().any(|settings| name.eq_ignore_ascii_case(settings))
        })
    };
    let typed = Path::new(path);
    let is_real =
        |(root, target): (PathBuf, PathBuf)| target.strip_prefix(root).is_ok_and(is_settings);
    is_settings(typed) || real_place(typed, project).is_some_and(is_real)
}

/// The real paths of the project and of a path in it. A pattern counts as the folder that it begins
/// with, if no file has the pattern as its name.
fn real_place(typed: &Path, project: &Project) -> Option<(PathBuf, PathBuf)> {
    let is_plain =
        |part: &Component<'_>| !part.as_os_str().to_string_lossy().contains(['*', '?', '[', '{']);
    let plain: PathBuf = typed.components().take_while(is_plain).collect();
    let whole = project.root().join(typed).canonicalize();
    let real = whole.or_else(|_| project.root().join(plain).canonicalize()).ok()?;
    Some((project.root().canonicalize().ok()?, real))
}
