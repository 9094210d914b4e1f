//! What holds when nobody says otherwise: the user's defaults, the project's before the user's before Anvil's own.

use std::path::{Component, Path, PathBuf};

use super::agents::{ISOLATED, is_of_seats};
use super::output::unfit_here;
use super::{Engine, Note};
use crate::command::{self, DEFAULT_CONTEXT_BUDGET, DebateOptions, SeatOptions};
use crate::context;
use crate::debate::{DEFAULT_ROUNDS, FactCheck, MAX_OWN_CHARS};
use crate::error::{Error, Result};
use crate::library::{self, Entry, Folders, MAX_DESCRIPTION, Source, TextKind};
use crate::state::{Default, Defaults, Project, Whose};
use crate::text;

/// Options whose values name something on the disk.
const PATHS: [&str; 5] = ["output", "context", "persona", "follow-up", "versus"];

/// Options that are one choice: who says one of them says all.
const CHOICES: [&[&str]; 2] = [&["mode", "stakeholders", "persona"], &["context", "diff", "pr"]];

/// One option with what holds for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Its name.
    pub name: String,
    /// Its value; empty where there is none.
    pub value: String,
    /// Where it comes from: a file with its line, or `built in`.
    pub from: String,
}

/// What the defaults files say.
#[derive(Debug, std::default::Default)]
pub(super) struct Layers {
    pub(super) project: DebateOptions,
    pub(super) user: DebateOptions,
    pub(super) house_rules: Option<String>,
}

impl Layers {
    /// How facts are checked, with what is typed. Only the user's own word counts, here and for the web.
    pub(super) fn fact_check(&self, typed: &DebateOptions) -> Option<FactCheck> {
        let is_wanted = typed.fact_check.or(self.user.fact_check) == Some(true);
        let on_web = typed.research.or(self.user.research) == Some(true);
        is_wanted.then_some(if on_web { FactCheck::Web } else { FactCheck::Files })
    }
}

impl Engine<'_> {
    /// What holds in this project for every option, in the order of the help.
    pub fn config(&self) -> Result<Vec<Setting>> {
        let project = self.home();
        let files = Defaults::read(&project, self.world)?;
        for file in &files {
            self.options(file, &project)?;
        }
        // Of the other file's, what belongs to a choice that the project has made does not hold.
        let is_chosen = |file: &Defaults, name: &str| {
            let choice = CHOICES.iter().find(|choice| choice.contains(&name));
            let makes_it = |file: &Defaults| {
                choice.is_some_and(|choice| file.entries.iter().any(|entry| choice.contains(&entry.key.as_str())))
            };
            file.whose == Whose::User && files.iter().any(|other| other.whose == Whose::Project && makes_it(other))
        };
        let setting = |name: String| {
            let holds = files.iter().filter(|file| !is_chosen(file, &name));
            let mut entries =
                holds.filter_map(|file| Some((file, file.entries.iter().find(|entry| entry.key == name)?)));
            let found = entries.next();
            let (value, from) = match found {
                Some((file, entry)) => {
                    (entry.values.join(", "), format!("{}:{}", project.display(&file.path), entry.line))
                }
                None => (built_in(&name), "built in".to_owned()),
            };
            Setting { name, value, from }
        };
        self.seat_defaults()?;
        let of_seats = SeatOptions::NAMES.into_iter().chain([ISOLATED]).map(str::to_owned);
        let mut settings: Vec<Setting> = command::option_names().into_iter().chain(of_seats).map(setting).collect();
        for file in files.iter().filter(|file| !file.rules.is_empty()) {
            let value = context::masked_line(&file.rules, 60);
            settings.push(Setting { name: "house rules".to_owned(), value, from: project.display(&file.path) });
        }
        let list = if self.machine.journals()?.is_some() { "on" } else { "off" };
        let machine = "this machine".to_owned();
        settings.push(Setting { name: "calibration-list".to_owned(), value: list.to_owned(), from: machine });
        Ok(settings)
    }

    /// What a debate can use here: personas, modes and frameworks, or one kind of them by its word. Files that can't be used are among the notes.
    pub fn texts_by_kind(&self, word: Option<&str>) -> Result<Vec<(TextKind, Vec<Entry>)>> {
        let kinds: Vec<TextKind> =
            TextKind::ALL.into_iter().filter(|kind| word.is_none_or(|word| kind.word() == word)).collect();
        if kinds.is_empty() {
            return Err(Error::usage(
                format!("there is no list of {:?}", text::clean(word.unwrap_or_default(), 40)),
                "there are personas, modes and frameworks",
            ));
        }
        let listed = |kind| {
            let (mut entries, unusable) = self.entries(kind);
            for entry in entries.iter_mut().filter(|entry| entry.source == Source::Project) {
                entry.description = context::masked_line(&entry.description, MAX_DESCRIPTION);
            }
            for why in unusable {
                self.add_note(Note::Unusable(why));
            }
            (kind, entries)
        };
        Ok(kinds.into_iter().map(listed).collect())
    }

    fn entries(&self, kind: TextKind) -> (Vec<Entry>, Vec<String>) {
        let project = self.home();
        let folders = Folders { project: project.root().to_owned(), user: self.world.config_folder.clone() };
        library::list(kind, &folders)
    }

    /// What the defaults files of a project and of the user say.
    pub(super) fn layers(&self, project: &Project) -> Result<Layers> {
        let mut layers = Layers::default();
        let mut rules = Vec::new();
        for mut file in Defaults::read(project, self.world)? {
            let options = self.options(&file, project)?;
            if file.whose == Whose::Project {
                file.rules = self.own_masked(&file.rules, &project.display(&file.path))?;
            }
            match file.whose {
                Whose::Project => layers.project = options,
                Whose::User => layers.user = options,
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
                "shorten what stands below the frontmatter: `anvil config` shows the files",
            ));
        }
        layers.house_rules = Some(rules).filter(|rules| !rules.is_empty());
        Ok(layers)
    }

    /// The options that a file sets. A wrong one is named with its line.
    fn options(&self, file: &Defaults, project: &Project) -> Result<DebateOptions> {
        let mut all = Vec::new();
        for entry in &file.entries {
            // What fills the seats is read where programs do.
            if is_of_seats(&entry.key) {
                continue;
            }
            all.extend(self.words_of(entry, file.whose, project).map_err(|error| {
                Error::usage(format!("{}, line {}: {error}", file.path.display(), entry.line), error.hint().to_owned())
            })?);
        }
        command::defaults(all)
    }

    /// The options that a program asks for, which has the standing of a project's file.
    pub(super) fn wishes(&self, entries: &[Default], project: &Project) -> Result<DebateOptions> {
        let mut all = Vec::new();
        for entry in entries {
            all.extend(self.words_of(entry, Whose::Project, project).map_err(|error| {
                let key = text::clean(&entry.key, 40);
                Error::usage(format!("{key}: {error}; a program's word counts as a project's"), error.hint().to_owned())
            })?);
        }
        command::defaults(all)
    }

    /// One option as it would be typed, if whoever sets it may.
    fn words_of(&self, entry: &Default, whose: Whose, project: &Project) -> Result<Vec<String>> {
        let known = command::option_names();
        if !known.contains(&entry.key) {
            let near = text::nearest(&entry.key, known.iter().map(String::as_str), 2);
            let hint = near.first().map_or_else(
                || "`anvil config` lists what there is".to_owned(),
                |near| format!("did you mean {near}?"),
            );
            return Err(Error::usage(format!("there is no option {}", entry.key), hint));
        }
        if whose == Whose::Project {
            may_come_with_project(entry, project)?;
        }
        let entry = &self.seen_from_here(entry, whose, project);
        self.check_names(entry, project)?;
        let words = words(entry);
        command::defaults(words.clone())?;
        Ok(words)
    }

    /// A project's paths are meant from its root, wherever the user works in it.
    fn seen_from_here(&self, entry: &Default, whose: Whose, project: &Project) -> Default {
        let mut entry = entry.clone();
        let is_path = PATHS.contains(&entry.key.as_str()) && whose == Whose::Project;
        if !is_path || self.world.cwd == project.root() {
            return entry;
        }
        for value in &mut entry.values {
            let path = project.root().join(&*value);
            let is_inside = !leads_out(value, project);
            // A file that only the user's own folder has was not meant, and nobody has looked where it leads.
            let is_file = path.exists() || self.world.cwd.join(&*value).is_file();
            if is_inside && (is_file || matches!(entry.key.as_str(), "output" | "context")) {
                *value = path.display().to_string();
            }
        }
        entry
    }

    /// Names that a value must be one of: a wrong one would be refused at every start.
    fn check_names(&self, entry: &Default, project: &Project) -> Result<()> {
        let folders = Folders { project: project.root().to_owned(), user: self.world.config_folder.clone() };
        for value in &entry.values {
            match entry.key.as_str() {
                "mode" => library::find(TextKind::Modes, value, &folders).map(|_| ())?,
                "framework" => library::find(TextKind::Frameworks, value, &folders).map(|_| ())?,
                "persona" => {
                    // It is read again, and what there is to say of it is said then.
                    let said = self.notes.borrow().len();
                    let persona = self.persona(value, &folders);
                    self.notes.borrow_mut().truncate(said);
                    persona.map(|_| ())?;
                }
                "focus" => super::brief::focus(value).map(|_| ())?,
                _ => {}
            }
        }
        Ok(())
    }
}

/// Refuses what only the user can ask for.
fn may_come_with_project(entry: &Default, project: &Project) -> Result<()> {
    let key = entry.key.as_str();
    let is_path = PATHS.contains(&key);
    if is_path && let Some(path) = entry.values.iter().find(|value| leads_out(value, project)) {
        return Err(Error::usage(
            format!("{key} leads out of the project: {path}"),
            "a project's defaults stay inside of it; name it in your own defaults, or type it",
        ));
    }
    let unfit = |path: &String| Some((path.clone(), unfit_here(project, &project.root().join(path))?));
    if key == "output"
        && let Some((path, why)) = entry.values.iter().find_map(unfit)
    {
        return Err(Error::usage(
            format!("a project can't send the report to {}: {why}", text::clean(&path, 100)),
            "name a new file such as docs/decision.md, or type --output where you mean it",
        ));
    }
    if ["diff", "pr"].contains(&key) {
        return Err(Error::usage(
            format!("a project can't ask for {key} by itself"),
            format!("type --{key} where you mean it, or put it into your own defaults"),
        ));
    }
    if is_path && let Some(path) = entry.values.iter().find(|value| leads_to_settings(value, project)) {
        return Err(Error::usage(
            format!("{key} leads into .git or .claude: {path}"),
            "a project's defaults take nothing from there; type it, or name it in your own defaults",
        ));
    }
    match key {
        "replace" => Err(Error::usage(
            "a project can't end what the user argues",
            "type --replace where you mean it, or put it into your own defaults",
        )),
        "fact-check" => Err(Error::usage(
            "a project can't have a program read its files or the web",
            "type --fact-check where you mean it, or put it into your own defaults",
        )),
        _ => Ok(()),
    }
}

fn built_in(name: &str) -> String {
    match name {
        "rounds" => DEFAULT_ROUNDS.to_string(),
        "mode" => "analyst".to_owned(),
        "judges" => "1".to_owned(),
        "context-budget" => DEFAULT_CONTEXT_BUDGET.to_string(),
        "early-end" => "yes".to_owned(),
        "agent" => "claude".to_owned(),
        "blind" | "fact-check" | "research" | "interactive" | "replace" | ISOLATED => "no".to_owned(),
        _ => String::new(),
    }
}

/// An option as it would be typed.
fn words(entry: &Default) -> Vec<String> {
    match (entry.key.as_str(), entry.values.as_slice()) {
        ("versus", values) => [vec!["--versus".to_owned()], values.to_vec()].concat(),
        ("stakeholders", values) => vec![format!("--stakeholders={}", values.join(", "))],
        // `diff: true` is the option alone.
        ("diff", [yes]) if yes == "true" => vec!["--diff=".to_owned()],
        ("diff", [no]) if no == "false" => Vec::new(),
        (key, values) => values.iter().map(|value| format!("--{key}={value}")).collect(),
    }
}

/// True for a path that is not inside of the project, also by way of a link that came with it.
fn leads_out(path: &str, project: &Project) -> bool {
    let typed = Path::new(path);
    let mut parts = typed.components();
    if typed.starts_with("~") || parts.any(|part| !matches!(part, Component::Normal(_) | Component::CurDir)) {
        return true;
    }
    real_place(typed, project).is_some_and(|(root, target)| !target.starts_with(root))
}

/// True for a path to what git or Claude Code keeps for itself, also by way of a link, and in a folder of the project.
fn leads_to_settings(path: &str, project: &Project) -> bool {
    let is_settings = |path: &Path| {
        path.components().any(|part| {
            let name = part.as_os_str().to_string_lossy();
            // The case may not count on the disk, nor a space or a full stop at the end.
            let name = name.trim_end_matches([' ', '.']);
            [".git", ".claude"].iter().any(|settings| name.eq_ignore_ascii_case(settings))
        })
    };
    let typed = Path::new(path);
    let is_real = |(root, target): (PathBuf, PathBuf)| target.strip_prefix(root).is_ok_and(is_settings);
    is_settings(typed) || real_place(typed, project).is_some_and(is_real)
}

/// Where the project and a path in it really lie; of a pattern that is not itself the name of a file, the folder that it
/// begins with.
fn real_place(typed: &Path, project: &Project) -> Option<(PathBuf, PathBuf)> {
    let is_plain = |part: &Component<'_>| !part.as_os_str().to_string_lossy().contains(['*', '?', '[', '{']);
    let plain: PathBuf = typed.components().take_while(is_plain).collect();
    let whole = project.root().join(typed).canonicalize();
    let real = whole.or_else(|_| project.root().join(plain).canonicalize()).ok()?;
    Some((project.root().canonicalize().ok()?, real))
}
