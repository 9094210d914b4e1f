//! The interactive screen, driven under tmux like a user's: keys in, pictures out.
//!
//! Invariants:
//! * Every screen has its own tmux server, which ends with it.
//! * Every wait has a limit; a wait that fails shows the screen.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use tempfile::TempDir;

use crate::client::Client;
use crate::process::{Finished, Running};

/// A terminal with a client in it.
pub(crate) struct Screen {
    /// Holds the server's socket.
    folder: TempDir,
}

impl Screen {
    /// Opens a terminal of 100 columns, tall enough that nothing scrolls away, and starts the
    /// client in it.
    pub(crate) fn open(client: &Client) -> Self {
        Self::of_width(client, 100)
    }

    /// The same with another number of columns.
    pub(crate) fn of_width(client: &Client, columns: u16) -> Self {
        let folder =
            tempfile::Builder::new().prefix("e2e-tmux-").tempdir().expect("a temporary folder");
        let screen = Self { folder };
        let columns = columns.to_string();
        let size = ["-f", "/dev/null", "new-session", "-d", "-x", &columns, "-y", "160", "-c"];
        let folder = client.project().as_os_str().to_owned();
        let line = size.iter().map(OsString::from).chain([folder]).chain(client.command_line());
        screen.tmux(line).ok();
        screen
    }

    /// Runs a command of tmux on this screen's server.
    fn tmux(&self, args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Finished {
        let mut tmux = Command::new("tmux");
        tmux.args(["-u", "-S"]).arg(self.folder.path().join("socket")).args(args);
        Running::start(tmux).wait()
    }

    /// Types this text.
    pub(crate) fn type_text(&self, text: &str) {
        self.tmux(["send-keys", "-l", "--", text]).ok();
    }

    /// Pastes this text as a terminal does, in brackets, and sends it when the client has taken it.
    pub(crate) fn paste(&self, text: &str) {
        self.tmux(["set-buffer", "--", text]).ok();
        self.tmux(["paste-buffer", "-p"]).ok();
        self.wait_for("[Pasted text #");
        thread::sleep(Duration::from_millis(600));
        self.press("Enter");
    }

    /// Copies every byte for the terminal into a file, from now on.
    pub(crate) fn record(&self, file: &Path) {
        self.tmux(["pipe-pane", "-o", &format!("cat >> '{}'", file.display())]).ok();
    }

    /// Presses a key by its tmux name.
    pub(crate) fn press(&self, key: &str) {
        self.tmux(["send-keys", key]).ok();
    }

    /// Types a line and sends it: Enter, and again if a busy client has not taken it.
    pub(crate) fn enter(&self, line: &str) {
        self.type_text(line);
        self.wait_until("what was typed", |text| prompt_box(text).contains(line));
        // The prompt box opens a menu while a slash command is typed; no user is faster than that.
        thread::sleep(Duration::from_millis(600));
        for _ in 0..5 {
            self.press("Enter");
            for _ in 0..20 {
                // A client that ends takes its terminal along.
                let shown = self.tmux(["capture-pane", "-p", "-J", "-S", "-"]);
                if !shown.status.success() || !prompt_box(&shown.stdout).contains(line) {
                    return;
                }
                thread::sleep(Duration::from_millis(100));
            }
        }
        panic!("the client does not take `{line}`; the screen shows:\n{}", self.text());
    }

    /// Everything on the terminal, with what has scrolled away.
    pub(crate) fn text(&self) -> String {
        let shown = self.tmux(["capture-pane", "-p", "-J", "-S", "-"]).ok().stdout;
        shown.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
    }

    /// Waits until the screen satisfies `shows`; returns the screen.
    pub(crate) fn wait_until(&self, what: &str, shows: impl Fn(&str) -> bool) -> String {
        let patience = Duration::from_secs(40);
        let deadline = Instant::now() + patience;
        loop {
            let text = self.text();
            if shows(&text) {
                return text;
            }
            assert!(
                Instant::now() < deadline,
                "waited {patience:?} for {what}; the screen shows:\n{text}"
            );
            thread::sleep(Duration::from_millis(100));
        }
    }

    /// Waits until this text is on the screen.
    pub(crate) fn wait_for(&self, text: &str) -> String {
        self.wait_until(&format!("`{text}`"), |screen| screen.contains(text))
    }
}

/// The line in which the user types: it has a rule above. What was sent looks the same without it,
/// and stands last while a dialog is open.
fn prompt_box(screen: &str) -> &str {
    let mut above = "";
    let mut found = "";
    for line in screen.lines() {
        if above.starts_with('─') && line.starts_with(['>', '❯']) {
            found = line;
        }
        above = line;
    }
    found
}

impl Drop for Screen {
    fn drop(&mut self) {
        let pane = self.tmux(["display-message", "-p", "#{pane_pid}"]).stdout;
        let client = pane.trim().parse().ok().and_then(Pid::from_raw);
        self.tmux(["kill-server"]);
        // A client still writes when its terminal closes; the fake HOME must exist until then.
        let deadline = Instant::now() + Duration::from_secs(5);
        while let Some(pid) =
            client.filter(|pid| test_kill_process(*pid).is_ok() && Instant::now() < deadline)
        {
            let _ = kill_process(pid, Signal::KILL);
            thread::sleep(Duration::from_millis(20));
        }
    }
}
