//! The parts of a release: packed by `.ci/package`, then installed, used, upgraded and removed by
//! the real client.
//!
//! The client accepts archives over HTTPS only, and from no address of this machine. So a proxy on
//! loopback answers for `downloads.example` with a certificate that the client trusts here.

use std::fs;
use std::io::{self, Read as _, Write as _};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::client::{Client, NEWEST, clients};
use crate::model::{Manner, Seat};
use crate::process::Running;
use crate::world::World;

const ADDRESS: &str = "https://downloads.example/releases";

/// This machine's platform, as in the archives' names.
pub(crate) fn platform() -> &'static str {
    match (std::env::consts::OS, std::env::consts::ARCH) {
        ("linux", "x86_64") => "linux-x86_64",
        ("linux", "aarch64") => "linux-arm64",
        (system, processor) => panic!("the release is tried on Linux, not on {system} {processor}"),
    }
}

fn run(command: Command) {
    Running::start(command).wait().ok();
}

/// Builds the release of this version in a folder.
fn package(out: &Path, version: &str) {
    package_of(&tested(), out, version);
}

/// The program that `ANVIL_TESTED` names, or else the tests' own.
pub(crate) fn tested() -> PathBuf {
    let named = std::env::var_os("ANVIL_TESTED").map(PathBuf::from);
    named.unwrap_or_else(|| env!("CARGO_BIN_EXE_anvil").into())
}

/// Builds the release of this version in a folder, from this program and the server beside it.
pub(crate) fn package_of(program: &Path, out: &Path, version: &str) {
    let mut command = Command::new("bash");
    command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join(".ci/package")).arg(out).arg(ADDRESS);
    command.arg(format!("{}={}", platform(), program.display())).env("ANVIL_VERSION", version);
    run(command);
}

fn unpack(archive: &Path, folder: &Path) {
    fs::create_dir_all(folder).expect("a fresh folder");
    let mut command = Command::new("unzip");
    command.arg("-qo").arg(archive).arg("-d").arg(folder);
    run(command);
}

/// The download server.
struct Downloads {
    folder: PathBuf,
    proxy: String,
    /// The server ends when this is dropped.
    _server: Running,
}

impl Downloads {
    fn start(folder: PathBuf) -> Self {
        fs::create_dir_all(folder.join("releases")).expect("a fresh folder");
        let mut certificate = Command::new("openssl");
        certificate.args(
            "req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2".split(' '),
        );
        certificate.args([
            "-subj",
            "/CN=downloads.example",
            "-addext",
            "subjectAltName=DNS:downloads.example",
        ]);
        run({
            certificate.current_dir(&folder);
            certificate
        });
        let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let port = free.local_addr().expect("an address").port();
        drop(free);
        let mut server = Command::new("openssl");
        server.args("s_server -quiet -WWW -cert cert.pem -key key.pem -accept".split(' '));
        server.arg(format!("127.0.0.1:{port}")).current_dir(&folder);
        let server = Running::start(server);
        for _ in 0..100 {
            if TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok() {
                break;
            }
            thread::sleep(Duration::from_millis(50));
        }
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let proxy = format!("http://{}", listener.local_addr().expect("an address"));
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                thread::spawn(move || tunnel(client, port));
            }
        });
        Self { folder, proxy, _server: server }
    }

    /// Offers a release, also in the marketplace.
    fn offer(&self, release: &Path, marketplace: &Path) {
        for entry in fs::read_dir(release).expect("a release") {
            let path = entry.expect("a readable entry").path();
            fs::copy(&path, self.folder.join("releases").join(path.file_name().expect("a name")))
                .expect("space");
        }
        fs::create_dir_all(marketplace.join(".claude-plugin")).expect("a fresh folder");
        let list = marketplace.join(".claude-plugin/marketplace.json");
        fs::copy(release.join("marketplace.json"), list).expect("space");
    }

    /// A client that downloads from here.
    fn client(&self, world: &World, version: &str) -> Client {
        let certificate = self.folder.join("cert.pem");
        world
            .bare_client(version)
            .env("HTTPS_PROXY", &self.proxy)
            .env("NODE_EXTRA_CA_CERTS", certificate)
    }

    fn plugin(&self, world: &World, words: &str) -> String {
        let client = words.split(' ').fold(self.client(world, NEWEST).arg("plugin"), Client::arg);
        let finished = client.run().ok();
        finished.stdout + &finished.stderr
    }
}

/// Answers one CONNECT to any address with the server on this port.
fn tunnel(mut client: TcpStream, port: u16) -> Option<()> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        client.read_exact(&mut byte).ok()?;
        head.extend(byte);
    }
    let mut server = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).ok()?;
    client.write_all(b"HTTP/1.1 200 OK\r\n\r\n").ok()?;
    let (mut asked, mut asking) = (client.try_clone().ok()?, server.try_clone().ok()?);
    thread::spawn(move || {
        let _ = io::copy(&mut asked, &mut asking);
        let _ = asking.shutdown(Shutdown::Write);
    });
    let _ = io::copy(&mut server, &mut client);
    let _ = client.shutdown(Shutdown::Both);
    Some(())
}

/// The folders of a release, its downloads and its marketplace next to the project.
fn folders(world: &World) -> [PathBuf; 3] {
    ["release", "downloads", "marketplace"].map(|name| world.outside().join(name))
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_user_installs_uses_upgrades_and_removes_a_release() {
    let world = World::new(Manner::default());
    let [release, downloads, marketplace] = folders(&world);
    fs::create_dir(world.outside()).expect("a fresh folder");
    let downloads = Downloads::start(downloads);
    package(&release, "");
    downloads.offer(&release, &marketplace);
    downloads.plugin(&world, &format!("marketplace add {}", marketplace.display()));
    downloads.plugin(&world, "install anvil");
    assert!(downloads.plugin(&world, "list").contains("0.1.0"));
    downloads
        .client(&world, NEWEST)
        .prompt("/anvil:debate Should we rewrite it? --rounds 1")
        .run()
        .ok();
    world.assert_completed(1);

    let next = world.outside().join("next");
    package(&next, "0.1.1");
    downloads.offer(&next, &marketplace);
    downloads.plugin(&world, "marketplace update anvil");
    downloads.plugin(&world, "update anvil@anvil");
    let listed = downloads.plugin(&world, "list");
    assert!(listed.contains("0.1.1") && !listed.contains("0.1.0"), "{listed}");
    let before = world.replies().len();
    downloads
        .client(&world, NEWEST)
        .prompt("/anvil:debate Should we move it? --rounds 2")
        .run()
        .ok();
    world.assert_completed_by(&Seat::all(2), &world.replies()[before..]);
    assert_eq!(world.state().field("question"), "Should we move it?");

    downloads.plugin(&world, "uninstall anvil@anvil");
    downloads.plugin(&world, "marketplace remove anvil");
    assert!(!downloads.plugin(&world, "list").contains("anvil"));
    let debates = world.project_files();
    downloads.client(&world, NEWEST).prompt("/anvil:debate Is it gone?").run();
    let finished = downloads.client(&world, NEWEST).telling().prompt("Is it gone?").run().ok();
    assert!(!finished.stdout.to_lowercase().contains("anvil:"), "{}", finished.stdout);
    assert_eq!(world.project_files(), debates, "the debates stay, and nothing is added to them");
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn an_archive_with_a_wrong_checksum_is_not_installed() {
    let world = World::new(Manner::default());
    let [release, downloads, marketplace] = folders(&world);
    fs::create_dir(world.outside()).expect("a fresh folder");
    let downloads = Downloads::start(downloads);
    package(&release, "");
    downloads.offer(&release, &marketplace);
    let archive = downloads.folder.join("releases/anvil-0.1.0.zip");
    let mut bytes = fs::read(&archive).expect("the archive");
    // A comment after the last entry, which every archive reader accepts.
    let length = bytes.len();
    bytes[length - 2] = 1;
    bytes.push(b'!');
    fs::write(&archive, bytes).expect("space");
    downloads.plugin(&world, &format!("marketplace add {}", marketplace.display()));
    let finished = downloads.client(&world, NEWEST).arg("plugin").arg("install").arg("anvil").run();
    assert!(!finished.status.success(), "{finished:#?}");
    assert!(
        format!("{}{}", finished.stdout, finished.stderr).contains("integrity check failed"),
        "{finished:#?}"
    );
}

/// For machines without a network, and for 2.1.200, which loads no archive.
#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn an_unpacked_archive_works_as_a_plugin() {
    for version in clients() {
        let world = World::new(Manner::default());
        let release = world.outside().join("release");
        fs::create_dir(world.outside()).expect("a fresh folder");
        package(&release, "");
        let archive = release.join(format!("anvil-0.1.0-{}.zip", platform()));
        unpack(&archive, &world.home().join(".claude/skills/anvil"));
        world
            .bare_client(version)
            .prompt("/anvil:debate Should we rewrite it? --rounds 1")
            .run()
            .ok();
        world.assert_completed(1);
    }
}

#[test]
#[ignore = "needs zip and jq; .ci/run installs them"]
fn the_archives_are_reproducible_and_equal_the_installed_folder() {
    let world = World::new(Manner::default());
    let release = world.outside().join("release");
    fs::create_dir(world.outside()).expect("a fresh folder");
    package(&release, "");
    let again = world.outside().join("again");
    package(&again, "");
    let sums = fs::read_to_string(release.join("SHA256SUMS")).expect("the sums");
    assert_eq!(sums, fs::read_to_string(again.join("SHA256SUMS")).expect("the sums"));
    let mut check = Command::new("sha256sum");
    check.args(["--check", "SHA256SUMS"]).current_dir(&release);
    run(check);

    let unpacked = world.outside().join("unpacked");
    unpack(&release.join(format!("anvil-0.1.0-{}.zip", platform())), &unpacked);
    let names = |folder: &Path| -> Vec<PathBuf> {
        let below = |path: &PathBuf| path.strip_prefix(folder).expect("it is below").to_owned();
        World::files_below(folder).keys().map(below).collect()
    };
    // It includes the MCP server, which an installation registers only on request.
    let (mut packed, server) = (names(&unpacked), Path::new("anvil-mcp"));
    assert!(
        packed.iter().any(|name| name == server),
        "there is no anvil-mcp beside the program that was packed"
    );
    packed.retain(|name| name != server);
    assert_eq!(packed, names(&world.plugin()));
    for (path, text) in World::files_below(&world.plugin()) {
        let name = path.strip_prefix(world.plugin()).expect("it is below");
        let other = fs::read(unpacked.join(name)).expect("the same file");
        let lines = |text: &str| {
            let lines = text.lines().filter(|line| Path::new(line) != server);
            lines.map(str::to_owned).collect::<std::collections::BTreeSet<_>>()
        };
        let is_program = name == Path::new("anvil");
        assert!(
            is_program || lines(&text) == lines(&String::from_utf8_lossy(&other)),
            "{}",
            name.display()
        );
    }

    let list: Value =
        serde_json::from_slice(&fs::read(release.join("marketplace.json")).expect("the list"))
            .expect("JSON");
    let source = &list["plugins"][0]["source"];
    assert_eq!(source["url"], format!("{ADDRESS}/anvil-0.1.0.zip"));
    let pinned = format!("{}  anvil-0.1.0.zip", source["sha256"].as_str().expect("a sum"));
    assert!(sums.lines().any(|line| line == pinned), "{sums}");
}

/// On a machine of another platform the hook is silent and does not fail, so that no prompt is
/// spoilt; the user gets a message.
#[test]
#[ignore = "needs zip and jq; .ci/run installs them"]
fn the_universal_release_chooses_a_program_or_reports_none() {
    let world = World::new(Manner::default());
    let release = world.outside().join("release");
    fs::create_dir(world.outside()).expect("a fresh folder");
    package(&release, "");
    let folder = world.outside().join("the folder");
    unpack(&release.join("anvil-0.1.0.zip"), &folder);
    let call_to = |program: &str, args: &[&str]| {
        let mut command = Command::new(folder.join(program));
        command.args(args).env("HOME", world.home());
        Running::start(command).wait()
    };
    let call = |args: &[&str]| call_to("anvil", args);
    assert!(call(&["--version"]).ok().stdout.starts_with("anvil 0.1.0"));
    assert!(call_to("anvil-mcp", &["--version"]).ok().stdout.starts_with("anvil-mcp 0.1.0"));
    call(&["install", "--mcp"]).ok();
    let installed =
        fs::read(world.home().join(".claude/skills/anvil/anvil-mcp")).expect("it is installed");
    let packed = fs::read(folder.join(format!("anvil-mcp-{}", platform()))).expect("it is packed");
    assert!(
        installed == packed,
        "what is installed is the program itself, not the script that chooses it"
    );
    fs::rename(folder.join(format!("anvil-{}", platform())), folder.join("anvil-other"))
        .expect("a rename");
    let told = call(&["--version"]);
    assert!(!told.status.success() && told.stderr.contains("hint:"), "{told:#?}");
    assert_eq!(call(&["hook"]).ok().stdout, "");
}

/// A person who may push a tag may not release a commit that was never on the default branch.
#[test]
#[ignore = "needs jq; .ci/run installs it"]
fn a_tag_must_match_its_version_and_the_default_branch() {
    let temp = tempfile::tempdir().expect("a fresh folder");
    let (origin, clone) = (temp.path().join("origin"), temp.path().join("clone"));
    let git = |folder: &Path, words: &str| {
        let mut command = Command::new("git");
        command.args(words.split(' ')).current_dir(folder).env("GIT_CONFIG_GLOBAL", "/dev/null");
        for role in ["AUTHOR", "COMMITTER"] {
            command
                .env(format!("GIT_{role}_NAME"), "a")
                .env(format!("GIT_{role}_EMAIL"), "a@example.org");
        }
        run(command);
    };
    fs::create_dir_all(origin.join(".claude-plugin")).expect("a fresh folder");
    fs::write(origin.join(".claude-plugin/plugin.json"), r#"{"version": "1.2.3"}"#).expect("space");
    for words in [
        "init -q -b main",
        "add -A",
        "commit -qm one",
        "checkout -qb aside",
        "commit -qm two --allow-empty",
        "tag v1.2.3",
        "checkout -q main",
    ] {
        git(&origin, words);
    }
    git(temp.path(), "clone -q origin clone");
    let check = |tag: &str| {
        let mut command = Command::new("bash");
        command
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join(".ci/check-tag"))
            .args([tag, "main"]);
        Running::start({
            command.current_dir(&clone);
            command
        })
        .wait()
    };
    let aside = check("v1.2.3");
    assert!(
        !aside.status.success() && aside.stderr.contains("is not on the branch main"),
        "{aside:#?}"
    );
    let other = check("v1.2.4");
    assert!(!other.status.success() && other.stderr.contains("the version is 1.2.3"), "{other:#?}");
    git(&origin, "merge -q --no-ff -m merged aside");
    check("v1.2.3").ok();
}

#[test]
fn a_release_waits_for_its_checks_and_is_attested() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(".github/workflows/release.yml");
    let text = fs::read_to_string(path).expect("the workflow");
    let at =
        |words: &str| text.find(words).unwrap_or_else(|| panic!("the workflow lacks {words:?}"));
    assert!(
        at(".ci/check-tag") < at("  program:\n    needs: tag\n")
            && at("  publish:\n    needs: program\n") > 0
    );
    let publish = &text[at("  publish:\n")..];
    assert!(publish.contains("id-token: write") && publish.contains("attestations: write"));
    assert!(
        at("actions/attest-build-provenance@") < at("gh release create"),
        "attested before it is public"
    );
}
