//! Prepares a new debate: names become texts, and paths become material. It refuses impossible
//! options before anything is written.

use std::borrow::Cow;
use std::path::Path;

use super::error::BriefError;
use crate::defaults::at_origin;
use crate::lookup::{find_for_here, find_in_repository};
use crate::session::document::document;
use crate::{Context, Note, expand, reviews};
use anvil_context::WantedMaterial;
use anvil_core::debate::Debate;
use anvil_core::limits::{DEFAULT_ROUNDS, MAX_NAME_CHARS, MAX_OWN_CHARS, MAX_VOICES, MIN_ROUNDS};
use anvil_core::options::{
    CONTEXT_BUDGET, DebateOptions, FactCheck, Field as _, Mode, Named, QuestionOptions, Set,
    WhoArgues, YesOrNo, is_yes,
};
use anvil_core::place::DebateFormat;
use anvil_core::question::is_statement;
use anvil_core::transcript::{self, NoteKind, PRIOR_DEBATE};
use anvil_prompt::library::{self, Folders, TextKind, TextOwner};
use anvil_prompt::prompt;
use anvil_store::{Project, StateFile, Store};
use anvil_text::error::{Error, Kind, Result};

/// The voices of the mode `stakeholders` if the user names none.
const STAKEHOLDERS: [&str; 3] = ["engineering", "product", "business"];

/// The sections that a state file has before the first round.
pub(crate) type Material = Vec<(NoteKind, String)>;

/// The result of an earlier debate, or a file.
struct EarlierResult {
    /// The name that the user reads.
    name: String,
    text: String,
}

/// The options of a new debate.
pub(crate) struct ResolvedOptions {
    pub options: DebateOptions,
    /// The user typed a number of rounds.
    pub says_rounds: bool,
    pub fact_check: Option<FactCheck>,
    pub house_rules: Option<String>,
}

/// A new debate without an id, with its material, and the bytes of the document that it revises.
pub(crate) fn brief(
    context: &Context<'_>,
    question: &str,
    resolved: ResolvedOptions,
    project: &Project,
) -> Result<(StateFile, Option<Vec<u8>>)> {
    let ResolvedOptions { options, says_rounds, fact_check, house_rules } = resolved;
    let now = context.world.now;
    let question = question.to_owned();
    let mut debate = Debate::new(String::new(), question, DEFAULT_ROUNDS, now);
    debate.options.house_rules = house_rules;
    let DebateOptions { wishes, leader, .. } = &options;
    debate.options.position = wishes.position.as_ref().map(|position| position.0.clone());
    for (kept, flag) in [
        (&mut debate.options.blind, &wishes.blind),
        (&mut debate.options.research, &wishes.research),
        (&mut debate.options.interactive, &leader.interactive),
        (&mut debate.options.early_end, &wishes.early_end),
        (&mut debate.options.questions, &wishes.questions),
        (&mut debate.options.quick, &wishes.quick),
    ] {
        if let Some(Set { value: YesOrNo(yes), .. }) = flag {
            *kept = *yes;
        }
    }
    if let Some(judges) = &leader.judges {
        debate.options.judges = judges.0;
    }
    debate.options.review =
        with_place(wishes.review.as_ref(), |review| reviews::review_day(context, review.0))?;
    // An empty question is made from the material.
    if !debate.question.is_empty() && is_statement(&debate.question) {
        context.add_note(Note::IsStatement);
    }
    let folders = context.folders(project);
    take_mode(context, &mut debate, &options, &folders)?;
    debate.options.framework = with_place(wishes.framework.as_ref(), |name| {
        find_text(context, TextKind::Frameworks, &name.0, &folders)
    })?;
    debate.options.focus = with_place(wishes.focus.as_ref(), |typed| focus(&typed.0))?;
    take_course(context, &mut debate, &options, says_rounds);
    let mut material = material(context, &mut debate, &options, project)?;
    let original = document(context, &mut debate, &options, project, &mut material)?;
    debate.options.motion = match &options.question.motion {
        Some(motion) => Some(motion.0.clone()),
        None => debate.own_motion().map(Cow::into_owned),
    };
    prompt::check_room(&debate)?;
    debate.options.take_fact_check(fact_check);
    let mut state = StateFile::new(debate);
    let at = state.debate.started_at();
    for (kind, text) in material {
        transcript::append_note(&mut state.body, kind, at, &text);
    }
    Ok((state, original))
}

/// What `read` makes of an option's value; its error names the file that has the value.
fn with_place<T, R>(set: Option<&Set<T>>, read: impl FnOnce(&T) -> Result<R>) -> Result<Option<R>> {
    let made = set.map(|set| read(&set.value).map_err(|error| at_origin(&set.from, error)));
    made.transpose()
}

/// Takes the mode and the voices.
fn take_mode(
    context: &Context<'_>,
    debate: &mut Debate,
    options: &DebateOptions,
    folders: &Folders,
) -> Result<()> {
    let WhoArgues { mode, stakeholders, persona: personas } = &options.wishes.who;
    let alternatives = options.question.options.as_ref();
    let (name, text) = match mode {
        Some(name) => {
            let mode = find_text(context, TextKind::Modes, &name.0, folders)
                .map_err(|error| at_origin(&name.from, error))?;
            (mode.name, mode.text)
        }
        None if stakeholders.is_some() => ("stakeholders".to_owned(), None),
        None if alternatives.is_some() => (Mode::Options.word().to_owned(), None),
        None if options.revise.is_some() => (Mode::Revise.word().to_owned(), None),
        None => {
            let entry = library::find(TextKind::Modes, "analyst", folders);
            let (text, note) = entry.map_or(Ok((None, None)), |entry| own_text(&entry))?;
            context.add_notes(note);
            ("analyst".to_owned(), text)
        }
    };
    debate.options.mode = Mode::parse(&name, text.is_some());
    debate.options.mode_text = text;
    check_options(options)?;
    if let Some(names) = alternatives {
        let voices = names.0.iter().map(|name| Named { name: name.clone(), text: None });
        debate.options.voices = voices.collect();
    } else if debate.options.mode == Mode::Stakeholders {
        if !personas.is_empty() {
            return Err(BriefError::StakeholdersAndPersonas.into());
        }
        let names = match stakeholders {
            None => STAKEHOLDERS.map(str::to_owned).to_vec(),
            Some(names) => names.0.clone(),
        };
        debate.options.voices = names
            .iter()
            .map(|name| Ok(Named { name: voice_of(name)?, text: None }))
            .collect::<Result<_>>()?;
    } else if stakeholders.is_some() {
        return Err(BriefError::NoStakeholders(name).into());
    } else {
        for who in personas {
            let (voice, note) =
                persona(context, &who.0, folders).map_err(|error| at_origin(&who.from, error))?;
            context.add_notes(note);
            debate.options.voices.push(voice);
        }
    }
    check_course(debate)
}

/// Takes the number of rounds and the first place.
fn take_course(
    context: &Context<'_>,
    debate: &mut Debate,
    options: &DebateOptions,
    says_rounds: bool,
) {
    match debate.format() {
        DebateFormat::Seats => {
            let usual = if debate.options.quick { MIN_ROUNDS } else { DEFAULT_ROUNDS };
            let rounds = options.wishes.rounds.as_ref();
            debate.options.max_rounds = rounds.map_or(usual, |rounds| rounds.0);
        }
        DebateFormat::Stakeholders | DebateFormat::Personas | DebateFormat::Options => {
            if says_rounds {
                context.add_note(Note::RoundsWithoutEffect);
            }
            debate.options.max_rounds =
                u8::try_from(debate.options.voices.len()).unwrap_or(u8::MAX);
        }
    }
    debate.set_place(debate.schedule().first());
}

/// A persona from a preset, a file of the user or a description.
pub(crate) fn persona(
    context: &Context<'_>,
    typed: &str,
    folders: &Folders,
) -> Result<(Named, Option<Note>)> {
    let is_description = typed.trim().contains(char::is_whitespace);
    let path = expand(typed, &context.world.cwd, context.world.home.as_deref());
    let names_a_file = typed.contains(['/', '\\'])
        || Path::new(typed).extension().is_some_and(|end| end.eq_ignore_ascii_case("md"));
    // "a CI/CD engineer" contains a slash and is a description.
    if names_a_file && (!is_description || path.is_file() || typed.starts_with(['/', '.', '~'])) {
        let read = anvil_context::read_text(&path, MAX_OWN_CHARS)?;
        if read.is_cut {
            return Err(BriefError::LongPersona(typed.to_owned()).into());
        }
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let text = Some(read.text.trim().to_owned());
        return Ok((Named { name: voice_of(&name)?, text }, read.note.map(Note::Detail)));
    }
    match library::find(TextKind::Personas, typed, folders) {
        Ok(entry) => {
            let (text, note) = own_text(&entry)?;
            Ok((Named { text, name: entry.name }, note))
        }
        // A word without a letter is not a description.
        Err(_)
            if is_description
                || typed.contains(char::is_alphabetic)
                    && !library::has_near(TextKind::Personas, typed, folders) =>
        {
            let note = (!is_description).then(|| Note::PersonaDescribed(typed.to_owned()));
            Ok((persona_from(typed), note))
        }
        Err(error) => Err(BriefError::NoPersona(error).into()),
    }
}

/// Collects the material once. It stays in the state file from then on.
fn material(
    context: &Context<'_>,
    debate: &mut Debate,
    options: &DebateOptions,
    project: &Project,
) -> Result<Material> {
    let mut material = Material::new();
    let DebateOptions { wishes, own, .. } = options;
    let has_context = !wishes.context.is_empty() || options.diff().is_some() || own.pr.is_some();
    let parts = usize::from(wishes.follow_up.is_some()) + usize::from(has_context);
    let share = CONTEXT_BUDGET / parts.max(1);
    if has_context {
        let wanted = WantedMaterial {
            paths: wishes.context.iter().map(|path| path.0.clone()).collect(),
            diff: options.diff().map(str::to_owned),
            pull_request: own.pr.as_ref().map(|number| number.0),
            budget: share,
            project: project.root().to_owned(),
        };
        // One layer chooses all of the material.
        let from = [wishes.context.origin(), own.diff.origin(), own.pr.origin()];
        let from = from.into_iter().flatten().next().cloned().unwrap_or_default();
        let gathered = anvil_context::gather(&context.world.cwd, wanted)
            .map_err(|error| at_origin(&from, error))?;
        context.add_details(gathered.notes);
        if !gathered.cut.is_empty() {
            context.add_note(Note::LeftOut(gathered.cut));
        }
        debate.options.context_source =
            Some(anvil_text::clean(&gathered.sources.join(", "), 1_000));
        material.push((NoteKind::Context, gathered.text));
    }
    if let Some(typed) = &wishes.follow_up {
        let earlier = earlier_result(context, &typed.0, project, share)
            .map_err(|error| at_origin(&typed.from, error))?;
        debate.options.follow_up = Some(anvil_text::clean(&earlier.name, 300));
        material.push((NoteKind::PriorAnalysis, earlier.text));
    }
    Ok(material)
}

/// A result by its file, or by the id of a debate of this project or the beginning of the id.
fn earlier_result(
    context: &Context<'_>,
    typed: &str,
    project: &Project,
    most: usize,
) -> Result<EarlierResult> {
    let path = expand(typed, &context.world.cwd, context.world.home.as_deref());
    if path.exists() {
        let read = anvil_context::read_text(&path, most)?;
        let name = anvil_context::saved_name(&path, project.root(), context.world.home.as_deref());
        return Ok(EarlierResult { text: take_text(context, read, typed), name });
    }
    let store = Store::new(project.clone(), context.world);
    let state = find_for_here(&store, typed).map_err(|error| no_earlier_result(typed, error))?;
    let entries = transcript::parse(&state.body);
    let Some(synthesis) = entries.synthesis() else {
        return Err(BriefError::NoSynthesis(state.debate.id).into());
    };
    let question = &state.debate.question;
    let id = &state.debate.id;
    let whole = format!("{PRIOR_DEBATE}{id}: {question}\n\n{}", synthesis.text);
    let text = take_text(
        context,
        anvil_context::masked_text(&whole, most, &state.debate.id),
        &state.debate.id,
    );
    Ok(EarlierResult { name: anvil_context::masked_line(question, 100), text })
}

/// Refuses an earlier result that a project or a program may not name: a debate of another
/// repository.
pub(crate) fn check_earlier_result(
    context: &Context<'_>,
    typed: &str,
    project: &Project,
) -> Result<()> {
    if project.root().join(typed).exists() {
        return Ok(());
    }
    let store = Store::new(project.clone(), context.world);
    let found = find_in_repository(&store, typed);
    found.map(drop).map_err(|error| no_earlier_result(typed, error))
}

fn no_earlier_result(typed: &str, error: Error) -> Error {
    match error.kind() {
        Kind::Nothing => BriefError::NoEarlierResult(typed.to_owned()).into(),
        _ => error,
    }
}

/// Takes a text of the user, and adds a note if its end is left out.
fn take_text(context: &Context<'_>, read: anvil_context::UserText, name: &str) -> String {
    if read.is_cut {
        context.add_note(Note::LeftOut(vec![format!("the end of {name}")]));
    }
    context.add_details(read.note);
    read.text
}

/// A text of a kind. A built-in text is stored by its name alone.
fn find_text(
    context: &Context<'_>,
    kind: TextKind,
    name: &str,
    folders: &Folders,
) -> Result<Named> {
    let entry = library::find(kind, name, folders)?;
    let (text, note) = own_text(&entry)?;
    context.add_notes(note);
    Ok(Named { text, name: entry.name })
}

/// The text of an entry that is not built in, and a note about its secrets.
fn own_text(entry: &library::LibraryEntry) -> Result<(Option<String>, Option<Note>)> {
    match entry.source {
        TextOwner::BuiltIn => Ok((None, None)),
        TextOwner::User => Ok((Some(entry.text.clone()), None)),
        TextOwner::Project => {
            let file = entry.path.as_deref().and_then(Path::file_name).unwrap_or_default();
            let (text, note) = masked_or_refused(&entry.text, &file.to_string_lossy())?;
            Ok((Some(text), note))
        }
    }
}

/// Masks the secrets in a text that may have come with a project, with a note about them. `name` is
/// for messages.
pub(crate) fn masked_or_refused(text: &str, name: &str) -> Result<(String, Option<Note>)> {
    let read = anvil_context::masked_text(text, MAX_OWN_CHARS, name);
    // A mask may be longer than the text that it replaces.
    if read.is_cut {
        return Err(BriefError::LongText(name.to_owned()).into());
    }
    Ok((read.text, read.note.map(Note::Detail)))
}

/// Refuses what does not go with the options of a decision, with a plan, or with a document. Pure.
fn check_options(options: &DebateOptions) -> Result<()> {
    let WhoArgues { mode, stakeholders, persona } = &options.wishes.who;
    let QuestionOptions { motion, options: alternatives } = &options.question;
    let has_options = alternatives.is_some();
    let others = [
        ("--revise", options.revise.is_some()),
        ("--motion", motion.is_some() && has_options),
        ("--plan", options.plan.plan.is_some()),
        ("--mode", mode.is_some()),
        ("--stakeholders", stakeholders.is_some()),
        ("--persona", !persona.is_empty() && has_options || persona.len() > 2),
        ("--blind", is_yes(&options.wishes.blind)),
    ];
    let (flag, others) = match () {
        // Blind openings go with options.
        () if has_options => ("--options", &others[..6]),
        () if options.revise.is_some() => ("--revise", &others[1..]),
        () => return Ok(()),
    };
    match others.iter().find(|(_, is_set)| *is_set) {
        Some((other, _)) => Err(BriefError::Exclude(flag, other).into()),
        None => Ok(()),
    }
}

/// Refuses options that exclude each other. Pure.
pub fn check_course(debate: &Debate) -> Result<()> {
    let options = &debate.options;
    if options.voices.len() > MAX_VOICES {
        return Err(BriefError::ManyVoices(options.voices.len()).into());
    }
    if options.mode == Mode::DevilsAdvocate && options.position.is_none() {
        return Err(BriefError::NoPosition.into());
    }
    match debate.format() {
        DebateFormat::Stakeholders | DebateFormat::Personas
            if options.mode == Mode::DevilsAdvocate =>
        {
            Err(BriefError::TwoSeats.into())
        }
        DebateFormat::Stakeholders | DebateFormat::Personas | DebateFormat::Options
            if options.blind =>
        {
            Err(BriefError::BlindVoices.into())
        }
        DebateFormat::Seats
        | DebateFormat::Stakeholders
        | DebateFormat::Personas
        | DebateFormat::Options => Ok(()),
    }
}

/// A persona from a description in the user's own words.
pub fn persona_from(description: &str) -> Named {
    let whole = description.split_whitespace().collect::<Vec<_>>().join(" ");
    let name = anvil_text::clean(&whole, MAX_NAME_CHARS - 1);
    Named { text: (name != whole).then_some(whole), name }
}

/// Refuses a name that is too long for a heading and a cue.
pub fn voice_of(name: &str) -> Result<String> {
    let cleaned = anvil_text::clean(name, usize::MAX);
    match cleaned.chars().count() {
        1..=MAX_NAME_CHARS => Ok(cleaned),
        _ => Err(BriefError::Name(name.to_owned()).into()),
    }
}

/// A focus by its name, or the user's own words. Refuses a word that looks like a mistyped name.
pub fn focus(typed: &str) -> Result<String> {
    let name = typed.trim().to_lowercase().replace([' ', '_'], "-");
    if library::focus(&name).is_some() {
        return Ok(name);
    }
    match anvil_text::nearest(&name, library::focus_names(), 2).first() {
        Some(near) => {
            let (typed, near) = (typed.to_owned(), (*near).to_owned());
            Err(BriefError::NoFocus { typed, near }.into())
        }
        None => Ok(typed.trim().to_owned()),
    }
}
