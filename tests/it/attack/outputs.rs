//! Files at `--output`: whatever lies there and however it is named, no verb changes a byte of it,
//! unless it is a report.

use std::path::Path;

use testkit::host::Host;
use testkit::sample::try_sample;

/// How the file is reached, from the project.
#[derive(Clone, Copy, Debug)]
enum Way {
    Plain,
    Dotted,
    Absolute,
    HardLink,
    SymbolicLink,
    LinkedFolder,
    ReadOnly,
}

const WAYS: [Way; 7] = [
    Way::Plain,
    Way::Dotted,
    Way::Absolute,
    Way::HardLink,
    Way::SymbolicLink,
    Way::LinkedFolder,
    Way::ReadOnly,
];

const NAMES: [&str; 5] = ["a.md", "a.adr.md", "a.html", "a.json", "a"];

/// Verbs that take a path for a file, without that path.
const VERBS: [&[&str]; 9] = [
    &["report", "--output"],
    &["report", "--format", "md", "--output"],
    &["report", "--format", "html", "--output"],
    &["report", "--format", "json", "--output"],
    &["report", "--open", "--format", "html", "--output"],
    &["report", "--document", "--output"],
    &["start", "Another?", "--output"],
    &["run", "Another?", "--agent", "script:none.md", "--output"],
    &["run", "--revise", "costs.md", "--agent", "script:none.md", "--output"],
];

/// Contents of the user's files, from reports in the four forms.
fn contents(reports: &[String; 4]) -> Vec<String> {
    let around = reports.iter().flat_map(|report| {
        let half = report.char_indices().nth(report.chars().count() / 2).unwrap().0;
        [
            format!("# Mine\n\n{report}"),
            format!("{report}\nMine.\n"),
            format!("```\n{report}\n```\n"),
            report[..half].to_owned(),
            report[half..].to_owned(),
        ]
    });
    let own = ["", "\n", "# Mine\n", "{}\n", "{\"version\": 3}\n", "<!doctype html>\n</html>\n"];
    around.chain(own.map(str::to_owned)).collect()
}

/// Puts the file there, and returns its path as it is typed.
fn put(host: &Host, name: &str, way: Way, text: &str) -> String {
    let path = host.path(name);
    let kept = host.path("kept");
    fs_err::create_dir_all(&kept).unwrap();
    let link = |to: &Path, at: &Path| std::os::unix::fs::symlink(to, at).unwrap();
    match way {
        Way::Plain | Way::Dotted | Way::Absolute | Way::ReadOnly => {
            fs_err::write(&path, text).unwrap();
        }
        Way::HardLink => {
            fs_err::write(kept.join(name), text).unwrap();
            fs_err::hard_link(kept.join(name), &path).unwrap();
        }
        Way::SymbolicLink => {
            fs_err::write(kept.join(name), text).unwrap();
            link(&kept.join(name), &path);
        }
        Way::LinkedFolder => {
            fs_err::write(kept.join(name), text).unwrap();
            link(&kept, &host.path("linked"));
        }
    }
    match way {
        Way::Dotted => format!("./kept/../{name}"),
        Way::Absolute => path.display().to_string(),
        Way::LinkedFolder => format!("linked/{name}"),
        Way::ReadOnly => {
            let mut mode = fs_err::metadata(&path).unwrap().permissions();
            mode.set_readonly(true);
            fs_err::set_permissions(&path, mode).unwrap();
            name.to_owned()
        }
        Way::Plain | Way::HardLink | Way::SymbolicLink => name.to_owned(),
    }
}

fn completed() -> Host {
    let host = Host::new().debating("Why? --rounds 1");
    for reply in ["**A1. First.** So.", "**C1. Second.**", "recommendation: Keep it."] {
        host.stop("one", reply);
    }
    fs_err::write(host.path("costs.md"), "It costs less.\n").unwrap();
    host
}

#[test]
fn no_verb_changes_a_file_that_is_not_a_report() {
    let host = completed();
    let report = |form| host.run(&["report", "--format", form, "--output", "-"]).stdout;
    let contents = contents(&["md", "adr", "html", "json"].map(report));
    let names = NAMES.len();
    try_sample(contents.len() * WAYS.len() * VERBS.len() * names, 20, |case| {
        let (case, name) = (case / names, NAMES[case % names]);
        let (case, way) = (case / WAYS.len(), WAYS[case % WAYS.len()]);
        let (verb, text) = (VERBS[case % VERBS.len()], &contents[case / VERBS.len()]);
        let host = completed();
        let typed = put(&host, name, way, text);
        let printed = host.run(&[verb, &[typed.as_str()]].concat());
        let context = format!("{verb:?} {typed} ({way:?}) over {text:.80}: {printed:?}");
        assert!(printed.code != 0 && !printed.stderr.is_empty(), "{context}");
        let at = if typed.starts_with("linked/") { host.path(&typed) } else { host.path(name) };
        assert_eq!(fs_err::read_to_string(&at).unwrap(), *text, "{context}");
        assert_eq!(at.is_symlink(), matches!(way, Way::SymbolicLink), "{context}");
        assert_eq!(host.head("status"), "completed", "nothing was begun: {context}");
    });
}
