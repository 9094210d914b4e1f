//! Folder names that are not UTF-8, have several lines, or are full of quotes.

use super::play;
use testkit::host::Host;

#[test]
fn a_debate_works_in_a_project_with_any_name() {
    let long = "n".repeat(255);
    for name in [
        "new\nline",
        "\"quotes\" and 'more' $(x) `y` \\",
        " spaces ",
        "-rf",
        "ünï 🤺 \u{202e}",
        "a\u{1b}[31m",
        &long,
    ] {
        let host = Host::in_project(name).debating("Why? --rounds 1");
        assert!(play(&host).contains("Page: ~/.claude/anvil.local/debates/"), "{name}");
        assert!(host.prompt("one", "/anvil:status").reason().contains("Page: "), "{name}");
        assert_eq!(host.run(&["status", "--json"]).code, 0, "{name}");
        assert!(!host.prompt("two", "/anvil:debate Another?").context().is_empty(), "{name}");
        assert_eq!(host.run(&["cancel"]).code, 0, "{name}");
        assert_eq!(
            host.run(&["history", "--json"]).stdout.matches("\"status\"").count(),
            2,
            "{name}"
        );
    }
}

/// A project whose name is not UTF-8. Other systems have no such names.
#[cfg(target_os = "linux")]
mod no_text {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    use std::path::Path;
    use std::process::{Command, Stdio};

    use serde_json::json;

    use testkit::host::{Answer, Host, event};

    fn host() -> Host {
        Host::in_project(OsStr::from_bytes(b"\xff no \xfe text"))
    }

    /// The client's JSON cannot contain the name; its environment can.
    fn send(host: &Host, name: &str, field: &str, text: &str) -> Answer {
        let cwd = host.root().to_string_lossy();
        let event = event("one", name, &json!({ field: text }), Path::new(&*cwd));
        host.hook_raw(&event, host.root(), Some(host.root()))
    }

    #[test]
    fn a_debate_works_in_a_project_with_a_non_utf8_name() {
        let host = host();
        let answer = send(&host, "UserPromptSubmit", "prompt", "/anvil:debate Why? --rounds 1");
        assert!(answer.context().contains("── Advocate · round 1 of 1"), "{answer:?}");
        for (reply, said) in
            [("A1.", "── Critic"), ("C1.", "── Synthesis"), ("recommendation: Yes.", "Yes.")]
        {
            let answer = send(&host, "Stop", "last_assistant_message", &host.synthesis(reply));
            assert!(
                answer.context().starts_with(said) || answer.message().contains(said),
                "{answer:?}"
            );
        }
        assert!(
            send(&host, "UserPromptSubmit", "prompt", "/anvil:status").reason().contains("Page: ")
        );
        assert_eq!(host.run(&["start", "Another?"]).code, 0);
        assert_eq!(host.run(&["status"]).code, 0);
        assert_eq!(host.run(&["cancel"]).code, 0);
        assert!(!host.root().with_file_name("\u{FFFD} no \u{FFFD} text").exists());
    }

    const SCRIPT: &str = "# advocate, round 1\n\n**A1. It pays.** It saves a month of work in each year.\n\n\
        # critic, round 1\n\n**C1. It costs.** \"a month of work in each year\" is a guess, and so A1 falls.\n\n\
        # synthesis\n\nA1 is a guess.\n\n```anvil\nmotion: act\nA1 fell: a guess\nC1 survived: it holds\nagainst: the month\n\
        recommendation: Wait.\nverdict: do not\nconfidence: 70\nrests on: C1\nflips if: two months\n\
        unknown: the work\n```\n";

    /// Runs the program at this path, with these variables.
    fn run(
        host: &Host,
        program: Option<&Path>,
        variables: &[(&str, &Path)],
        words: &[&str],
    ) -> (i32, String) {
        let mut command = host.command(words, host.root());
        if let Some(program) = program {
            let known = command;
            command = Command::new(program);
            command.args(words).current_dir(host.root()).env_clear();
            command.envs(known.get_envs().filter_map(|(name, value)| Some((name, value?))));
        }
        let output = command.envs(variables.iter().copied()).stdin(Stdio::null()).output().unwrap();
        let text = [output.stdout, output.stderr].concat();
        (output.status.code().unwrap(), String::from_utf8_lossy(&text).into_owned())
    }

    fn argued(host: &Host, program: Option<&Path>, variables: &[(&str, &Path)]) {
        let script = host.outside("replies.md");
        fs_err::write(&script, SCRIPT).unwrap();
        let reply = host.outside("reply.md");
        fs_err::write(&reply, "**A1. It pays.** It saves a month of work in each year.\n").unwrap();
        let agent = format!("--agent=script:{}", script.display());
        let advocate = format!("--advocate=cmd:/bin/cat {}", reply.display());
        let words = ["run", "Why?", "--rounds", "1", agent.as_str(), advocate.as_str()];
        let (code, said) = run(host, program, variables, &words);
        assert!(
            code == 0 && said.contains("\nNo: not act, 70% sure. Wait.\n"),
            "{variables:?}: {said}"
        );
        // The stored path is read again.
        assert_eq!(run(host, program, variables, &["undo"]).0, 0);
        let (code, said) = run(host, program, variables, &["run", "--resume"]);
        assert!(
            code == 0 && said.contains("\nNo: not act, 70% sure. Wait.\n"),
            "{variables:?}: {said}"
        );
        assert_eq!(host.head("status"), "completed");
    }

    #[test]
    fn programs_argue_in_a_project_with_a_non_utf8_name() {
        argued(&host(), None, &[]);
    }

    #[test]
    fn programs_argue_if_a_user_folder_has_a_non_utf8_name() {
        for name in ["HOME", "CLAUDE_CONFIG_DIR", "TMPDIR", "XDG_RUNTIME_DIR"] {
            let host = Host::new();
            let folder = host.root().with_file_name(OsStr::from_bytes(b"p\xffq"));
            fs_err::create_dir(&folder).unwrap();
            argued(&host, None, &[(name, folder.as_path())]);
        }
    }

    #[test]
    fn the_program_may_have_a_non_utf8_path() {
        let host = Host::new();
        let folder = host.root().with_file_name(OsStr::from_bytes(b"p\xffq"));
        let home = [("HOME", folder.as_path())];
        let (code, said) = run(&host, None, &home, &["install"]);
        assert_eq!(code, 0, "{said}");
        let program = folder.join(".claude/skills/anvil/anvil");
        argued(&host, Some(&program), &home);
        // A path that must be stored as text is refused with the reason.
        let (code, said) = run(&host, Some(&program), &home, &["install", "--statusline"]);
        let is_refused = said.contains("a path that is not UTF-8: /") && said.contains("hint: ");
        assert!(code == 1 && is_refused, "{said}");
        let (code, said) = run(&host, Some(&program), &home, &["uninstall"]);
        assert_eq!(code, 0, "{said}");
    }

    #[test]
    fn an_agent_with_a_non_utf8_path_is_refused_with_the_reason() {
        let host = host();
        fs_err::write(host.path("replies.md"), SCRIPT).unwrap();
        for agent in ["script:replies.md", "cmd:./agent.sh"] {
            let (code, said) = run(&host, None, &[], &["run", "Why?", "--agent", agent]);
            assert!(code == 2 && said.contains("the path of this agent is not UTF-8: /"), "{said}");
            assert!(!host.state_path().exists());
        }
    }

    #[test]
    fn a_non_utf8_project_has_a_json_status() {
        let host = host();
        host.run(&["start", "Why?"]);
        let printed = host.run(&["status", "--json"]);
        assert_eq!(printed.code, 0, "{printed:?}");
        let value: serde_json::Value = printed.json();
        assert!(value["state_file"].as_str().unwrap().ends_with("anvil-state.local.md"));
    }

    #[test]
    fn prompts_name_the_state_file_by_a_readable_path() {
        let answer = send(&host(), "UserPromptSubmit", "prompt", "/anvil:debate Why?");
        assert!(
            !answer.context().contains('\u{FFFD}')
                && answer.context().contains(".claude/anvil-state.local.md"),
            "{answer:?}"
        );
    }
}
