//! A page in Chromium, driven over the `DevTools` protocol: JSON between NULs on file descriptors 3
//! and 4.
//!
//! Invariants:
//! * Every page has its own browser, profile and home; the browser's process group ends with the
//!   page.
//! * Every request, log line and complaint of the page is kept until the test reads it.

use std::cell::{Cell, RefCell};
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::{Value, json};
use tempfile::TempDir;

/// An answer takes milliseconds, a cold start a few seconds.
const HANGS: Duration = Duration::from_mins(1);

/// A screen that is wide enough for the contents next to the text, and a phone.
pub(crate) const WIDE: (u32, u32) = (1280, 900);
pub(crate) const PHONE: (u32, u32) = (360, 740);

/// Events that show that a page did more than being read.
const NOISE: [&str; 7] = [
    "Audits.issueAdded",
    "Log.entryAdded",
    "Network.requestWillBeSent",
    "Network.webSocketCreated",
    "Page.javascriptDialogOpening",
    "Runtime.consoleAPICalled",
    "Runtime.exceptionThrown",
];

pub(crate) struct Page {
    browser: Child,
    to: ChildStdin,
    from: Receiver<Value>,
    session: String,
    /// The number of the next message.
    next: Cell<u64>,
    events: RefCell<Vec<Value>>,
    _home: TempDir,
}

impl Page {
    /// Starts a browser with an empty page.
    pub(crate) fn new() -> Self {
        let home = tempfile::tempdir().expect("a temporary folder");
        let program = std::env::var("ANVIL_CHROMIUM").unwrap_or_else(|_| "chromium".to_owned());
        let mut browser = Command::new("sh")
            .args(["-c", "exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1", &program])
            .args([
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--no-first-run",
            ])
            .args([
                "--disable-background-networking",
                "--hide-scrollbars",
                "--remote-debugging-pipe",
            ])
            .arg(format!("--user-data-dir={}", home.path().join("profile").display()))
            .arg("about:blank")
            .env("HOME", home.path())
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell");
        let to = browser.stdin.take().expect("a pipe");
        let mut out = BufReader::new(browser.stdout.take().expect("a pipe"));
        let (tell, from) = mpsc::channel();
        thread::spawn(move || {
            let mut message = Vec::new();
            while let Ok(1..) = out.read_until(0, &mut message) {
                let Ok(value) =
                    serde_json::from_slice(message.strip_suffix(&[0]).unwrap_or(&message))
                else {
                    break;
                };
                if tell.send(value).is_err() {
                    break;
                }
                message.clear();
            }
        });
        let (next, events) = (Cell::new(0), RefCell::new(Vec::new()));
        let mut page =
            Self { browser, to, from, session: String::new(), next, events, _home: home };
        let target = page.call("Target.createTarget", &json!({ "url": "about:blank" }));
        let attached = page.call(
            "Target.attachToTarget",
            &json!({ "targetId": target["targetId"], "flatten": true }),
        );
        attached["sessionId"].as_str().expect("a session").clone_into(&mut page.session);
        for domain in ["Audits", "Log", "Network", "Page", "Runtime"] {
            page.call(&format!("{domain}.enable"), &json!({}));
        }
        page.screen(WIDE, "light");
        page
    }

    /// A browser that shows this file.
    pub(crate) fn of(file: &Path) -> Self {
        let page = Self::new();
        page.open(file);
        page
    }

    /// Shows a file and forgets the events of the previous page.
    pub(crate) fn open(&self, file: &Path) {
        self.events.borrow_mut().clear();
        let url = format!("file://{}", file.display());
        let gone = self.call("Page.navigate", &json!({ "url": url }));
        assert!(gone["errorText"].is_null(), "{gone}");
        self.until("Page.loadEventFired");
    }

    /// The size of the screen in CSS pixels, and the scheme that the reader prefers. Nothing moves
    /// slowly.
    pub(crate) fn screen(&self, (width, height): (u32, u32), scheme: &str) {
        self.screen_of("", (width, height), scheme);
    }

    /// The screen, as if the page were printed.
    pub(crate) fn paper(&self, (width, height): (u32, u32), scheme: &str) {
        self.screen_of("print", (width, height), scheme);
    }

    fn screen_of(&self, media: &str, (width, height): (u32, u32), scheme: &str) {
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600 });
        self.call("Emulation.setDeviceMetricsOverride", &size);
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }, { "name": "prefers-reduced-motion", "value": "reduce" }]);
        self.call("Emulation.setEmulatedMedia", &json!({ "media": media, "features": features }));
    }

    /// Without its policy a page runs every script in it.
    pub(crate) fn ignore_policies(&self) {
        self.call("Page.setBypassCSP", &json!({ "enabled": true }));
    }

    /// The value of an expression in the page.
    pub(crate) fn ask(&self, expression: &str) -> Value {
        let asked = self.call(
            "Runtime.evaluate",
            &json!({ "expression": expression, "returnByValue": true, "awaitPromise": true }),
        );
        assert!(asked["exceptionDetails"].is_null(), "{expression}: {asked:#}");
        asked["result"]["value"].clone()
    }

    /// Whether an expression is true in the page.
    pub(crate) fn is(&self, expression: &str) -> bool {
        self.ask(expression)
            .as_bool()
            .unwrap_or_else(|| panic!("neither true nor false: {expression}"))
    }

    /// Clicks in the middle of the first element that a selector finds.
    pub(crate) fn click(&self, selector: &str) {
        let at = self.middle(selector);
        for kind in ["mousePressed", "mouseReleased"] {
            let press = json!({ "type": kind, "x": at["x"], "y": at["y"], "button": "left", "clickCount": 1 });
            self.call("Input.dispatchMouseEvent", &press);
        }
        self.settle();
    }

    /// Moves the mouse onto the first element that a selector finds.
    pub(crate) fn point(&self, selector: &str) {
        let at = self.middle(selector);
        self.call(
            "Input.dispatchMouseEvent",
            &json!({ "type": "mouseMoved", "x": at["x"], "y": at["y"] }),
        );
        self.settle();
    }

    /// Scrolls the first element that a selector finds into view; returns its middle.
    fn middle(&self, selector: &str) -> Value {
        let found = format!("document.querySelector({})", json!(selector));
        self.ask(&format!("{found}.scrollIntoViewIfNeeded()"));
        let middle = "({ x, y, width, height }) => ({ x: x + width / 2, y: y + height / 2 })";
        self.ask(&format!("({middle})({found}.getBoundingClientRect())"))
    }

    /// Waits until all changes so far are drawn.
    pub(crate) fn settle(&self) {
        self.ask("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))");
    }

    /// Presses a key: `Tab`, `Enter` or a space.
    pub(crate) fn press(&self, key: &str) {
        let (code, number, text) = match key {
            "Tab" => ("Tab", 9, ""),
            "Enter" => ("Enter", 13, "\r"),
            _ => ("Space", 32, " "),
        };
        for kind in ["keyDown", "keyUp"] {
            let press = json!({ "type": kind, "key": key, "code": code, "windowsVirtualKeyCode": number, "text": text });
            self.call("Input.dispatchKeyEvent", &press);
        }
        self.settle();
    }

    /// The page as PDF.
    pub(crate) fn pdf(&self) -> Vec<u8> {
        let printed = self.call("Page.printToPDF", &json!({ "preferCSSPageSize": true }));
        base64(printed["data"].as_str().expect("a document"))
    }

    /// Everything that the page did besides being read: requests, dialogs, console lines, errors
    /// and complaints.
    pub(crate) fn noise(&self) -> Vec<String> {
        // The browser sends events that came before this request first.
        self.settle();
        let events = self.events.borrow();
        let mut opened = 0;
        let mut noise = Vec::new();
        for event in events.iter() {
            let method = event["method"].as_str().unwrap_or_default();
            if event["params"]["type"] == "Document"
                && event["params"]["request"]["url"].as_str().is_some_and(is_file)
            {
                opened += 1;
            } else if NOISE.contains(&method) {
                noise.push(format!("{method}: {}", event["params"]));
            }
        }
        assert_eq!(opened, 1, "the page itself is seen to be opened, once");
        noise
    }

    /// Waits for an event.
    fn until(&self, method: &str) {
        while !self.events.borrow().iter().any(|event| event["method"] == method) {
            let event = self.hear();
            self.keep(event);
        }
    }

    fn call(&self, method: &str, params: &Value) -> Value {
        let id = self.next.replace(self.next.get() + 1);
        self.send(id, method, params);
        loop {
            let answer = self.hear();
            if answer["id"] == json!(id) {
                assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
                return answer["result"].clone();
            }
            self.keep(answer);
        }
    }

    fn send(&self, id: u64, method: &str, params: &Value) {
        let mut message = json!({ "id": id, "method": method, "params": params });
        if !self.session.is_empty() {
            message["sessionId"] = json!(self.session);
        }
        let sent = (&self.to).write_all(format!("{message}\0").as_bytes());
        sent.expect(
            "Chromium runs (Debian's package chromium, or another one that ANVIL_CHROMIUM names)",
        );
    }

    fn hear(&self) -> Value {
        self.from
            .recv_timeout(HANGS)
            .expect("Chromium answers (Debian's package, or another that ANVIL_CHROMIUM names)")
    }

    /// Keeps an event. Closes a dialog: nothing continues while it is open.
    fn keep(&self, event: Value) {
        if event["method"] == "Page.javascriptDialogOpening" {
            let id = self.next.replace(self.next.get() + 1);
            self.send(id, "Page.handleJavaScriptDialog", &json!({ "accept": false }));
        }
        self.events.borrow_mut().push(event);
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        if let Some(group) = i32::try_from(self.browser.id()).ok().and_then(Pid::from_raw) {
            let _ = kill_process_group(group, Signal::KILL);
        }
        let _ = self.browser.wait();
    }
}

fn is_file(url: &str) -> bool {
    url.starts_with("file://")
}

fn base64(text: &str) -> Vec<u8> {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bits, mut count, mut bytes) = (0_u32, 0, Vec::with_capacity(text.len()));
    for digit in text.bytes().filter_map(|byte| DIGITS.iter().position(|known| *known == byte)) {
        bits = bits << 6 | digit as u32;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    bytes
}
