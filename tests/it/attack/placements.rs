//! An object of every kind in every place, and then every possible action.

use std::path::Path;

use nix::sys::stat::Mode;

use super::mutate::FORGED;
use super::stage::{DEEDS, Scene, Stage};
use testkit::sample::try_sample;

/// The kind of object in a place.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Nothing,
    EmptyFile,
    Forged,
    NotUtf8,
    Nul,
    Large,
    Deep,
    WrongJson,
    Torn,
    Folder,
    FullFolder,
    Pipe,
    Socket,
    LinkToFile,
    LinkToFolder,
    LinkToNothing,
    LinkToItself,
    SecondName,
    Unreadable,
}

const KINDS: [Kind; 19] = [
    Kind::Nothing,
    Kind::EmptyFile,
    Kind::Forged,
    Kind::NotUtf8,
    Kind::Nul,
    Kind::Large,
    Kind::Deep,
    Kind::WrongJson,
    Kind::Torn,
    Kind::Folder,
    Kind::FullFolder,
    Kind::Pipe,
    Kind::Socket,
    Kind::LinkToFile,
    Kind::LinkToFolder,
    Kind::LinkToNothing,
    Kind::LinkToItself,
    Kind::SecondName,
    Kind::Unreadable,
];

impl Kind {
    /// Puts it there, instead of the old object.
    fn put(self, place: &Path, outside: &Path) {
        let was = std::fs::read(place).unwrap_or_default();
        if place.is_dir() && !place.is_symlink() {
            fs_err::remove_dir_all(place).unwrap();
        } else if place.is_symlink() || place.exists() {
            fs_err::remove_file(place).unwrap();
        }
        let write = |bytes: &[u8]| fs_err::write(place, bytes).unwrap();
        let link = |to: &Path| fs_err::os::unix::fs::symlink(to, place).unwrap();
        match self {
            Self::Nothing => {}
            Self::EmptyFile => write(b""),
            Self::Forged => write(
                format!("---\nquestion: \"{FORGED}\"\n---\n\n**C7. {FORGED}.** x\n").as_bytes(),
            ),
            Self::NotUtf8 => write(b"\xFF\xFE\x80\xC3(\n"),
            Self::Nul => write(&[0; 100]),
            Self::Large => write("\u{200B}".repeat(700_000).as_bytes()),
            Self::Deep => write(("[".repeat(20_000) + &"{\"a\":".repeat(20_000)).as_bytes()),
            Self::WrongJson => write(
                b"{\"schema\":1,\"all\":7,\"attempt\":-1,\"event\":\"started\",\"root\":[]}\n",
            ),
            Self::Torn => write(&was[..was.len() / 2]),
            Self::Folder => fs_err::create_dir(place).unwrap(),
            Self::FullFolder => {
                fs_err::create_dir(place).unwrap();
                for name in ["1", "4294967295", "reply.md", "claims.json", "config", "HEAD"] {
                    fs_err::write(place.join(name), FORGED).unwrap();
                }
            }
            Self::Pipe => nix::unistd::mkfifo(place, Mode::S_IRWXU).unwrap(),
            Self::Socket => drop(std::os::unix::net::UnixListener::bind(place)),
            Self::LinkToFile => link(&outside.join("precious")),
            Self::LinkToFolder => link(outside),
            Self::LinkToNothing => link(&outside.join("nothing")),
            Self::LinkToItself => link(place),
            Self::SecondName => fs_err::hard_link(outside.join("precious"), place).unwrap(),
            Self::Unreadable => {
                write(&was);
                fs_err::set_permissions(place, std::os::unix::fs::PermissionsExt::from_mode(0o0))
                    .unwrap();
            }
        }
    }
}

/// The record of the debate itself: its user may edit it, so its content counts.
fn is_record(place: &Path) -> bool {
    let name = place.to_string_lossy();
    let is_of_debate = ["anvil-state.local.md", "/debates"].iter().any(|part| name.contains(part));
    let is_of_machine = ["/attempts", "/claims"].iter().any(|part| name.contains(part));
    is_of_debate && !is_of_machine
        || name == "project/.claude"
        || name == "home/.claude/anvil.local"
}

fn attack(scene: Scene, few: usize) {
    let stage = Stage::new(scene);
    let deeds = DEEDS.to_vec();
    try_sample(stage.places.len() * KINDS.len() * deeds.len(), few, |case| {
        let (case, deed) = (case / deeds.len(), deeds[case % deeds.len()]);
        let (place, kind) = (&stage.places[case / KINDS.len()], KINDS[case % KINDS.len()]);
        stage.restore();
        kind.put(&stage.beside(place), &stage.beside("outside"));
        stage.survives(
            deed,
            is_record(place),
            &format!("{kind:?} at {}, {deed:?}", place.display()),
        );
    });
}

#[test]
fn no_planted_file_harms_a_conversation() {
    attack(Scene::Conversation, 40);
}

#[test]
fn no_planted_file_harms_a_run() {
    attack(Scene::Run, 40);
}
