//! `anvil completions SHELL`: a script that calls this program for each completion
//! (`clap_complete`'s dynamic engine), so it also completes the user's own modes and personas and
//! the ids of debates.

use std::ffi::OsString;
use std::io;
use std::process::ExitCode;

use clap::{Arg, Command, ValueHint};
use clap_complete::Shell;
use clap_complete::engine::{ArgValueCandidates, CompletionCandidate};
use clap_complete::env::{CompleteEnv, Shells};

use super::link;
use crate::domain::debate::{Boundary, DebateOption};
use crate::domain::journal::Outcome;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::seats::library::{self, TextKind};
use crate::system::world::World;

/// The environment variable that the script sets; its value is the shell's name.
const VARIABLE: &str = "ANVIL_COMPLETE";

pub(super) fn run(shell: Shell) -> Result<()> {
    let failed = |error: io::Error| Error::io(&error, "name another shell, or complete by hand");
    // Use this program's path: another tool has the same name.
    let program = std::env::current_exe().map_err(failed)?.into_os_string().into_string().map_err(
        |program| {
            let program = program.display();
            Error::failed(
                format!("a script of a shell can't name a path that is not UTF-8: {program}"),
                "call anvil by a path that is UTF-8",
            )
        },
    )?;
    let mut script = Vec::new();
    let shells = Shells::builtins();
    let completer = shells
        .completer(&shell.to_string())
        .ok_or_else(|| failed(io::ErrorKind::Unsupported.into()))?;
    completer
        .write_registration(VARIABLE, "anvil", link::called(), &program, &mut script)
        .map_err(failed)?;
    let script = String::from_utf8_lossy(&script);
    super::print(
        if shell == Shell::Bash { with_whole_words(&script) } else { script.into_owned() }.trim(),
    )
}

/// Bash splits `--mode=ph` into three words and replaces only the last one. This joins them before
/// the call, and takes the joined part off the answers.
fn with_whole_words(script: &str) -> String {
    script.replace(WORDS, JOINED_WORDS).replace(ANSWERS, &(ANSWERS.to_owned() + UNJOINED))
}

/// The lines of the script that get the words, and the end of the lines that take the answers.
const WORDS: &str = r#"    local words=("${COMP_WORDS[@]}")
    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
        words[COMP_CWORD]="$2"
    fi
"#;
const ANSWERS: &str = "        compopt -o nospace\n    fi\n";

const JOINED_WORDS: &str = r#"    local words=() word last at before= joined=
    for at in "${!COMP_WORDS[@]}"; do
        word="${COMP_WORDS[at]}"
        last=$(( ${#words[@]} - 1 ))
        if (( last > 0 )) && [[ ${words[last]} == --* && ( $word == = || $before == = ) ]]; then
            if (( at == COMP_CWORD )); then
                [[ $word == = ]] && words[last]+="="
                joined="${words[last]}"
                words[last]+="$2"
            else
                words[last]+="$word"
            fi
        else
            if (( at == COMP_CWORD )); then word="$2"; fi
            words+=("$word")
            last=$(( last + 1 ))
        fi
        if (( at == COMP_CWORD )); then _CLAP_COMPLETE_INDEX=$last; fi
        before="${COMP_WORDS[at]}"
    done
"#;
const UNJOINED: &str = r#"    if [[ -n $joined ]]; then COMPREPLY=("${COMPREPLY[@]#"$joined"}"); fi
"#;

/// Answers a shell's call for completions. `None`: it is another call.
pub(super) fn answer(arguments: &[OsString], command: impl Fn() -> Command) -> Option<ExitCode> {
    std::env::var_os(VARIABLE)?;
    let here = std::env::current_dir().ok();
    let environment = CompleteEnv::with_factory(|| with_values(command())).var(VARIABLE);
    match environment.try_complete(arguments, here.as_deref()) {
        Ok(true) => Some(ExitCode::SUCCESS),
        Ok(false) => None,
        // A shell shows no error here.
        Err(_) => Some(ExitCode::FAILURE),
    }
}

/// The command line with completers for the values.
fn with_values(command: Command) -> Command {
    use DebateOption as O;
    let option = |argument: &Arg| argument.get_long().and_then(DebateOption::named);
    let paths = |argument: Arg| argument.value_hint(ValueHint::AnyPath);
    let command =
        command.mut_args(|argument| match (option(&argument), argument.get_id().as_str()) {
            (Some(O::Mode), _) => texts(argument, TextKind::Modes),
            (Some(O::Persona), _) => texts(argument, TextKind::Personas),
            (Some(O::Framework), _) => texts(argument, TextKind::Frameworks),
            (Some(O::Focus), _) => {
                argument.add(ArgValueCandidates::new(|| candidates(library::focus_names())))
            }
            (Some(O::Boundary), _) => {
                argument.add(ArgValueCandidates::new(|| candidates(Boundary::WORDS)))
            }
            (Some(O::FollowUp), _) | (None, "id") => {
                paths(argument).add(ArgValueCandidates::new(ids))
            }
            (Some(O::Context | O::Output), _) | (None, "file") => paths(argument),
            (None, "outcome") => argument
                .add(ArgValueCandidates::new(|| candidates(Outcome::ALL.map(Outcome::word)))),
            (None, "to" | "from" | "link") => argument.value_hint(ValueHint::DirPath),
            _ => argument,
        });
    command.mut_subcommands(with_values)
}

fn candidates(words: impl IntoIterator<Item = impl Into<OsString>>) -> Vec<CompletionCandidate> {
    words.into_iter().map(CompletionCandidate::new).collect()
}

/// Completes Anvil's own texts and the user's.
fn texts(argument: Arg, text_kind: TextKind) -> Arg {
    argument.add(ArgValueCandidates::new(move || {
        let described = |world: &World| -> Option<Vec<CompletionCandidate>> {
            let texts_by_kind =
                Engine::new(world).sessions().texts_by_kind(Some(text_kind.word())).ok()?;
            let entries = texts_by_kind.into_iter().flat_map(|(_, entries)| entries);
            let candidate = |entry: library::LibraryEntry| {
                CompletionCandidate::new(entry.name).help(Some(entry.description.into()))
            };
            Some(entries.map(candidate).collect())
        };
        world().as_ref().and_then(described).unwrap_or_default()
    }))
}

/// The project's debates, newest first, with their questions.
fn ids() -> Vec<CompletionCandidate> {
    let Some(world) = world() else { return Vec::new() };
    let Ok(past) = Engine::new(&world).history().past(None) else { return Vec::new() };
    let candidate = |(at, past): (usize, crate::engine::PastDebate)| {
        let debate = past.debate;
        let question = debate.short_question();
        CompletionCandidate::new(debate.id).help(Some(question.into())).display_order(Some(at))
    };
    past.debates.into_iter().enumerate().map(candidate).collect()
}

fn world() -> Option<World> {
    World::gather(|name| std::env::var_os(name)).ok()
}
