//! `anvil completions SHELL`: a script that asks this program for each completion (`clap_complete`'s dynamic engine), so that a user's
//! own modes and personas and the ids of debates are completed too.

use std::ffi::OsString;
use std::io;
use std::process::ExitCode;

use clap::{Arg, Command, ValueEnum, ValueHint};
use clap_complete::engine::{ArgValueCandidates, CompletionCandidate};
use clap_complete::env::{CompleteEnv, Shells};

use super::link;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::journal::Outcome;
use crate::library::{self, TextKind};
use crate::world::World;

/// The environment variable by which the script asks; its value is the shell's name.
const VARIABLE: &str = "ANVIL_COMPLETE";

/// The shells that are known.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum Shell {
    Bash,
    Elvish,
    Fish,
    Powershell,
    Zsh,
}

/// Prints the script for a shell.
pub(super) fn run(shell: Shell) -> Result<()> {
    let failed = |error: io::Error| Error::io(&error, "name another shell, or complete by hand");
    let shell = shell.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default();
    // Another tool has the same name: what completes asks this one.
    let program = std::env::current_exe().map_err(failed)?.into_os_string().into_string().map_err(|program| {
        Error::failed(
            format!("a script of a shell can't name a path that is not UTF-8: {}", program.display()),
            "call anvil by a path that is UTF-8",
        )
    })?;
    let mut script = Vec::new();
    let shells = Shells::builtins();
    let completer = shells.completer(&shell).ok_or_else(|| failed(io::ErrorKind::Unsupported.into()))?;
    completer.write_registration(VARIABLE, "anvil", link::called(), &program, &mut script).map_err(failed)?;
    let script = String::from_utf8_lossy(&script);
    super::print(if shell == "bash" { with_whole_words(&script) } else { script.into_owned() }.trim())
}

/// Bash takes `--mode=ph` for three words, and puts what is completed in the place of the last one. Here they are joined before the
/// program is asked, and what was joined is taken off the answers.
fn with_whole_words(script: &str) -> String {
    script.replace(WORDS, JOINED_WORDS).replace(ANSWERS, &(ANSWERS.to_owned() + UNJOINED))
}

/// What the script has for the words of the line, and the end of what it does with the answers.
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

/// Answers a shell that asks for completions. `None`: nobody asks.
pub(super) fn answer(arguments: &[OsString], command: impl Fn() -> Command) -> Option<ExitCode> {
    std::env::var_os(VARIABLE)?;
    let here = std::env::current_dir().ok();
    let asked = CompleteEnv::with_factory(|| with_values(command())).var(VARIABLE);
    match asked.try_complete(arguments, here.as_deref()) {
        Ok(true) => Some(ExitCode::SUCCESS),
        Ok(false) => None,
        // A shell shows nothing of it.
        Err(_) => Some(ExitCode::FAILURE),
    }
}

/// The command line, with what can stand for each value.
fn with_values(command: Command) -> Command {
    let command = command.mut_args(|argument| match argument.get_id().as_str() {
        "mode" => texts(argument, TextKind::Modes),
        "personas" => texts(argument, TextKind::Personas),
        "framework" => texts(argument, TextKind::Frameworks),
        "focus" => argument.add(ArgValueCandidates::new(|| candidates(library::focus_names()))),
        "outcome" => argument.add(ArgValueCandidates::new(|| candidates(Outcome::ALL.map(Outcome::word)))),
        "slot" => argument.add(ArgValueCandidates::new(|| candidates(["advocate", "critic", "judge", "synthesis"]))),
        "boundary" => argument.add(ArgValueCandidates::new(|| candidates(["round", "synthesis"]))),
        "id" | "follow_up" | "versus" => argument.value_hint(ValueHint::AnyPath).add(ArgValueCandidates::new(ids)),
        "to" | "from" | "link" => argument.value_hint(ValueHint::DirPath),
        "context" | "output" | "file" => argument.value_hint(ValueHint::AnyPath),
        _ => argument,
    });
    command.mut_subcommands(with_values)
}

fn candidates(words: impl IntoIterator<Item = impl Into<OsString>>) -> Vec<CompletionCandidate> {
    words.into_iter().map(CompletionCandidate::new).collect()
}

/// Anvil's own texts and the user's.
fn texts(argument: Arg, text_kind: TextKind) -> Arg {
    argument.add(ArgValueCandidates::new(move || {
        let described = |world: &World| -> Option<Vec<CompletionCandidate>> {
            let texts_by_kind = Engine::new(world).texts_by_kind(Some(text_kind.word())).ok()?;
            let entries = texts_by_kind.into_iter().flat_map(|(_, entries)| entries);
            let candidate =
                |entry: library::Entry| CompletionCandidate::new(entry.name).help(Some(entry.description.into()));
            Some(entries.map(candidate).collect())
        };
        world().as_ref().and_then(described).unwrap_or_default()
    }))
}

/// The debates here, the newest first, with their questions.
fn ids() -> Vec<CompletionCandidate> {
    let Some(world) = world() else { return Vec::new() };
    let Ok(past) = Engine::new(&world).past(None) else { return Vec::new() };
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
