//! The next record of a folder is like its newest ones. The folders have the shapes of public
//! repositories; names and heads are written anew.

use anvil_report::{FolderFile, RecordForm, RecordedDecision, index_line};
use jiff::civil::date;

const DECISION: &str = "Keep the monolith, enforce module boundaries in CI";
const COMMENT: &str = "\n<!-- anvil-decision: {\"id\":\"x\",\"question\":\"\",\"claims\":[]} -->\n";

struct Folder {
    files: &'static [(&'static str, &'static str)],
    /// The next file, and its heading.
    next: (&'static str, &'static str),
    /// The status of the newest record, and whether its decision stands.
    status: (&'static str, bool),
    /// The line for its index.
    line: Option<&'static str>,
}

const FOLDERS: [Folder; 21] = [
    // MADR, with its template and the list that adr-log writes.
    Folder {
        files: &[
            ("0000-use-markdown-records.md", "---\nparent: Records\n---\n# Use Markdown records\n"),
            ("0007-cache.md", "---\nstatus: accepted\n---\n# Cache the menu\n\n## Context\n"),
            ("adr-template.md", "# {short title}\n"),
            (
                "index.md",
                "<!-- adrlog -->\n* [ADR-0000](0000-use-markdown-records.md) - Use Markdown records\n* [ADR-0007](0007-cache.md) - Cache the menu\n<!-- adrlogstop -->\n",
            ),
        ],
        next: ("0008-keep-the-monolith-enforce-module-boundaries-in-ci.md", DECISION),
        status: ("accepted", true),
        line: Some(
            "* [ADR-0008](0008-keep-the-monolith-enforce-module-boundaries-in-ci.md) - Keep the monolith, enforce module boundaries in CI",
        ),
    },
    // A folder each, with pictures beside the text.
    Folder {
        files: &[
            ("0011-queue/README.md", "# 11. Drop the queue\n\n## Status\n\nAccepted\n"),
            ("0012-cache/README.md", "# 12. Cache the menu\n\n## Status\n\nRejected\n"),
            ("README.md", "* [12. Cache the menu](0012-cache/)\n"),
            ("template/README.md", "# NNN. Title\n"),
        ],
        next: (
            "0013-keep-the-monolith-enforce-module-boundaries-in-ci/README.md",
            "13. Keep the monolith, enforce module boundaries in CI",
        ),
        status: ("Rejected", false),
        line: Some(
            "* [13. Keep the monolith, enforce module boundaries in CI](0013-keep-the-monolith-enforce-module-boundaries-in-ci/)",
        ),
    },
    // Documents beside the records.
    Folder {
        files: &[
            ("api/README.md", "# The interface\n"),
            ("0003-fees.md", "# Fees\n\nStatus: accepted\n"),
            ("guides/index.md", "# Guides\n"),
            ("pictures", ""),
        ],
        next: ("0004-keep-the-monolith-enforce-module-boundaries-in-ci.md", DECISION),
        status: ("accepted", true),
        line: None,
    },
    // A site's pages.
    Folder {
        files: &[
            ("adr-7-fees/index.mdx", "---\ntitle: Fees\nstatus: accepted\n---\n"),
            ("0001-old.md", "# Old\n"),
            ("adr-8-plans/index.mdx", "---\ntitle: Plans\nstatus: accepted\n---\n"),
        ],
        next: ("adr-9-keep-the-monolith-enforce-module-boundaries-in-ci/index.mdx", DECISION),
        status: ("accepted", true),
        line: None,
    },
    // adr-tools.
    Folder {
        files: &[
            (
                "0001-record-decisions.md",
                "# 1. Record decisions\n\nDate: 2023-01-02\n\n## Status\n\nAccepted\n",
            ),
            (
                "0011-drop-the-queue.md",
                "# 11. Drop the queue\n\nDate: 2024-01-02\n\n## Status\n\nSuperseded by [12. Use a table](0012-x.md)\n",
            ),
        ],
        next: (
            "0012-keep-the-monolith-enforce-module-boundaries-in-ci.md",
            "12. Keep the monolith, enforce module boundaries in CI",
        ),
        status: ("Superseded by [12. Use a table](0012-x.md)", false),
        line: None,
    },
    // A prefix without a mark, a template with the number zero, titles in front matter only.
    Folder {
        files: &[
            ("adr000-template.md", "---\ntitle: ADR000: [TITLE]\n---\n"),
            (
                "adr013-own-fetch.md",
                "---\nid: x\ntitle: 'ADR013: Own fetch'\n---\n\n> Status: rejected\n",
            ),
            (
                "adr014-use-fetch.md",
                "---\nid: x\ntitle: 'ADR014: Use fetch'\n---\n\n> Status: accepted\n",
            ),
            ("index.md", "# Decisions\n\nWrite `adr000-my-decision.md`.\n"),
            ("entities.png", ""),
        ],
        next: (
            "adr015-keep-the-monolith-enforce-module-boundaries-in-ci.md",
            "ADR015: Keep the monolith, enforce module boundaries in CI",
        ),
        status: ("accepted", true),
        line: None,
    },
    Folder {
        files: &[
            (
                "README.md",
                "| Number | Title | Status | Date |\n|---|---|---|---|\n| [009](adr-009-fees.md) | Fees | Accepted | 2024-04-10 |\n| [010](adr-010-shared-state.md) | Shared state | **Accepted** | 2024-05-10 |\n",
            ),
            ("adr-009-fees.md", "# ADR 009: Fees\n"),
            (
                "adr-010-shared-state.md",
                "# ADR 010: Shared state\n\n## Changelog\n\n* May: first\n\n## Status\n\nACCEPTED Not implemented\n",
            ),
            ("PROCESS.md", "# How we decide\n"),
        ],
        next: (
            "adr-011-keep-the-monolith-enforce-module-boundaries-in-ci.md",
            "ADR 011: Keep the monolith, enforce module boundaries in CI",
        ),
        status: ("ACCEPTED Not implemented", true),
        line: Some(
            "| [011](adr-011-keep-the-monolith-enforce-module-boundaries-in-ci.md) | Keep the monolith, enforce module boundaries in CI | **Proposed** | 2026-11-21 |",
        ),
    },
    // Capitals and underscores.
    Folder {
        files: &[
            ("ADR_0006_Use_One_Queue.md", "# ADR-0006 – Use one queue\n"),
            ("ADR_0007_Store_Plans.md", "# ADR-0007 – Store plans\n\n**Status**: Deprecated\n"),
        ],
        next: (
            "ADR_0008_Keep_the_monolith_enforce_module_boundaries_in_CI.md",
            "ADR-0008 – Keep the monolith, enforce module boundaries in CI",
        ),
        status: ("Deprecated", false),
        line: None,
    },
    // log4brains: days without marks, and a status in the head's list.
    Folder {
        files: &[
            (
                "20240926-small-flow.md",
                "# Small flow\n\n- Status: superseded by [20241217-back](20241217-back.md)\n",
            ),
            (
                "20241217-back.md",
                "# Back to the old flow\n\n- Status: accepted\n- Date: 2024-12-17\n",
            ),
            ("README.md", "# Decisions\n\nSee the site.\n"),
        ],
        next: ("20261121-keep-the-monolith-enforce-module-boundaries-in-ci.md", DECISION),
        status: ("accepted", true),
        line: None,
    },
    Folder {
        files: &[
            ("2024-04-10-tool.md", "# 2024-04-10 Tool\n\n**Status:** accepted\n"),
            (
                "2024-07-01-editor.md",
                "# 2024-07-01 Editor\n\n| Status | Rejected |\n|---|---|\n| By | Ann |\n",
            ),
            ("index.md", "- 2024-07-01 – [Editor](2024-07-01-editor.md) (rejected)\n"),
        ],
        next: (
            "2026-11-21-keep-the-monolith-enforce-module-boundaries-in-ci.md",
            "2026-11-21 Keep the monolith, enforce module boundaries in CI",
        ),
        status: ("Rejected", false),
        line: Some(
            "- 2026-11-21 – [Keep the monolith, enforce module boundaries in CI](2026-11-21-keep-the-monolith-enforce-module-boundaries-in-ci.md) (proposed)",
        ),
    },
    // A site with MDX.
    Folder {
        files: &[
            (
                "2026-01-22-search.mdx",
                "---\ntitle: Search\nstatus: Accepted\n---\n\nimport X from './x'\n",
            ),
            (
                "2026-06-22-menus.mdx",
                "---\ntitle: Menus\nstatus: >-\n  Superseded by\n  another\n---\n",
            ),
        ],
        next: ("2026-11-21-keep-the-monolith-enforce-module-boundaries-in-ci.mdx", DECISION),
        status: ("Superseded by another", false),
        line: None,
    },
    // Three digits, no number in the title.
    Folder {
        files: &[
            ("001-markdown.md", "# Write Markdown\n"),
            ("012-one-bus.md", "# One bus\n\nStatus\n------\n\nAccepted, 2024\n"),
            (
                "README.md",
                "1. [Write Markdown](./001-markdown.md)\n2. [One bus](./012-one-bus.md)\n",
            ),
        ],
        next: ("013-keep-the-monolith-enforce-module-boundaries-in-ci.md", DECISION),
        status: ("Accepted, 2024", true),
        line: Some(
            "2. [Keep the monolith, enforce module boundaries in CI](./013-keep-the-monolith-enforce-module-boundaries-in-ci.md)",
        ),
    },
    // No number at all.
    Folder {
        files: &[
            ("use-postgres.md", "# Use Postgres\n\n## Status\n\n- [ ] Proposed\n- [x] Accepted\n"),
            ("drop-python-3.md", "# Drop Python 3\n"),
            ("utf8-names.md", "# UTF-8 names\n"),
            ("template.md", "# Title\n"),
        ],
        next: ("keep-the-monolith-enforce-module-boundaries-in-ci.md", DECISION),
        status: ("", true),
        line: None,
    },
    // Numbers alone.
    Folder {
        files: &[
            ("ADR-1.md", "# ADR-1: Rust\n"),
            ("ADR-12.md", "# ADR-12: One binary\n\n## Status: Withdrawn\n"),
        ],
        next: ("ADR-13.md", "ADR-13: Keep the monolith, enforce module boundaries in CI"),
        status: ("Withdrawn", false),
        line: None,
    },
    // Words with spaces.
    Folder {
        files: &[
            ("ADR 0003 - Use blue.md", "# ADR 0003 - Use blue\n\n*Status*: Accepted\n"),
            ("ADR 0004 - Use green.md", "# ADR 0004 - Use green\n\n*Status*: Accepted\n"),
            ("Home.md", "* [ADR 0004 - Use green](ADR%200004%20-%20Use%20green.md)\n"),
        ],
        next: (
            "ADR 0005 - Keep the monolith enforce module boundaries in CI.md",
            "ADR 0005 - Keep the monolith, enforce module boundaries in CI",
        ),
        status: ("Accepted", true),
        line: Some(
            "* [ADR 0005 - Keep the monolith, enforce module boundaries in CI](ADR%200005%20-%20Keep%20the%20monolith%20enforce%20module%20boundaries%20in%20CI.md)",
        ),
    },
    // Requests for comments; a folder beside each has the pictures.
    Folder {
        files: &[
            ("0099-macros.md", "- Feature Name: macros\n\n# Summary\n"),
            ("0100-partial.md", "- Feature Name: partial\n- Status: obsolete\n\n# Summary\n"),
            ("0101-pictures", ""),
        ],
        next: ("0102-keep-the-monolith-enforce-module-boundaries-in-ci.md", DECISION),
        status: ("obsolete", false),
        line: None,
    },
    // A number within the year.
    Folder {
        files: &[
            ("2025-014-logs.md", "# 2025-014: Logs\n"),
            (
                "2026-003-traces.md",
                "# 2026-003: Traces\n\n~~Status: proposed~~\n\nStatus: declined\n",
            ),
        ],
        next: (
            "2026-004-keep-the-monolith-enforce-module-boundaries-in-ci.md",
            "2026-004: Keep the monolith, enforce module boundaries in CI",
        ),
        status: ("declined", false),
        line: None,
    },
    // AsciiDoc: the name and the number are theirs, the text is Markdown.
    Folder {
        files: &[
            ("0001-docs.adoc", "= 1. Docs\n\n== Status\n\nAccepted\n"),
            ("0002-build.adoc", "= 2. Build\n"),
        ],
        next: (
            "0003-keep-the-monolith-enforce-module-boundaries-in-ci.md",
            "3. Keep the monolith, enforce module boundaries in CI",
        ),
        status: ("", true),
        line: None,
    },
    // Months, and a number that ends.
    Folder {
        files: &[
            ("2026-10-cache.md", "# Cache\n"),
            (
                "2026-11-keep-the-monolith-enforce-module-boundaries-in-ci.md",
                "# Keep it\n\n**Status**\n\nRetired\n",
            ),
        ],
        next: ("2026-11-keep-the-monolith-enforce-module-boundaries-in-ci-2.md", DECISION),
        status: ("Retired", false),
        line: None,
    },
    // Decisions in another prefix than the rest of the folder, and one about templates.
    Folder {
        files: &[
            ("dr-098-use-jinja-templates.md", "# DR-098. Use Jinja templates\n"),
            ("dr-099-ports.md", "# DR-099. Ports\n\nStatus: Accepted  \nDate: 2024-01-01\n"),
            ("setup-guide.md", "# Setup\n"),
            ("SUMMARY.md", "- [Ports](dr-099-ports.md)\n"),
        ],
        next: (
            "dr-100-keep-the-monolith-enforce-module-boundaries-in-ci.md",
            "DR-100. Keep the monolith, enforce module boundaries in CI",
        ),
        status: ("Accepted", true),
        line: Some(
            "- [Keep the monolith, enforce module boundaries in CI](dr-100-keep-the-monolith-enforce-module-boundaries-in-ci.md)",
        ),
    },
    // Nothing yet.
    Folder {
        files: &[("README.md", "# Decisions\n\nNone yet.\n"), ("NNNN-title.md", "# Title\n")],
        next: ("0001-keep-the-monolith-enforce-module-boundaries-in-ci.md", DECISION),
        status: ("", true),
        line: None,
    },
];

#[test]
fn the_next_record_of_a_folder_is_like_its_newest() {
    let today = date(2026, 11, 21);
    for Folder { files, next, status, line } in &FOLDERS {
        let entries: Vec<FolderFile<'_>> =
            files.iter().map(|(name, text)| FolderFile { name, text: Some(text) }).collect();
        let form = RecordForm::of_folder(&entries);
        let made = form.next(DECISION, today, &entries);
        assert_eq!((&*made.file, &*made.heading), *next);
        let newest = form.newest().map(|(file, ..)| file);
        let text = files.iter().find(|(name, _)| Some(*name) == newest);
        let text = text.map_or("", |(_, text)| text);
        let read = RecordedDecision::read(&format!("{text}{COMMENT}")).unwrap().unwrap();
        assert_eq!((&*read.status, read.stands()), *status, "{newest:?}");
        let others = files.iter().filter(|(name, _)| !form.is_record(name));
        let lines = others
            .filter_map(|(_, index)| index_line(index, &form, text, &made, DECISION, today))
            .collect::<Vec<_>>();
        assert_eq!(lines, Vec::from_iter(*line), "{newest:?}");
        // The name is one of the folder: the one after it follows.
        let more = [&entries[..], &[FolderFile { name: &made.file, text: None }]].concat();
        let after = RecordForm::of_folder(&more).next("Another one", today, &more);
        assert_ne!(after.file, made.file);
        assert_eq!(after.number, made.number.map(|number| number + 1), "{after:?}");
    }
}

#[test]
fn a_name_that_somebody_chose_keeps_its_number() {
    let entries = [("0011-a.md", "# 11. A\n"), ("0012-b.md", "# 12. B\n")];
    let entries = entries.map(|(name, text)| FolderFile { name, text: Some(text) });
    let form = RecordForm::of_folder(&entries);
    for (file, number, heading) in [
        ("0042-split.md", Some(42), "42. Split"),
        ("split.md", None, "Split"),
        ("99999999999-c.md", None, "Split"),
        ("0042-split/README.md", Some(42), "42. Split"),
    ] {
        let named = form.record_name(file, "Split");
        assert_eq!((&*named.file, named.number, &*named.heading), (file, number, heading));
    }
}
