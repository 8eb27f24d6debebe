//! The pipe to a browser: commands of its debugging protocol and their answers, each ended by a
//! NUL.

use std::{
    collections::HashMap,
    env, io,
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    sync::{
        Arc, Mutex,
        mpsc::{Receiver, Sender, channel},
    },
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::chromium::complaint;

/// How long anything may take before its test fails.
const LIMIT: Duration = Duration::from_secs(20);

/// Debian's first; the others read the same arguments.
const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];

/// Starts a browser that reads commands from descriptor 3 and writes to 4: they are our pipes.
const SCRIPT: &str = r#"exec "$@" 3<&0 4>&1 0</dev/null 1>/dev/null 2>/dev/null"#;

const ARGUMENTS: [&str; 12] = [
    "--headless",
    "--remote-debugging-pipe",
    "--no-startup-window",
    // Root, as in a container, gets no sandbox; the page is our own.
    "--no-sandbox",
    "--disable-gpu",
    // A click before the first frame is drawn counts too.
    "--allow-pre-commit-input",
    // Going back loads the page again.
    "--disable-features=BackForwardCache",
    // The browser itself must not call anybody either.
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
];

type Inboxes = Arc<Mutex<HashMap<String, Sender<Value>>>>;

pub(super) struct Process {
    child: Child,
    input: Mutex<ChildStdin>,
    inboxes: Inboxes,
    /// Removed when the browser has ended.
    _folder: TempDir,
}

impl Process {
    /// Starts the browser; `None`, and a line that says so, where none is installed.
    pub(super) fn start() -> Option<Arc<Self>> {
        let path = env::var_os("PATH").unwrap_or_default();
        let is_installed = |name: &&str| env::split_paths(&path).any(|it| it.join(name).is_file());
        let Some(browser) = BROWSERS.into_iter().find(is_installed) else {
            eprintln!("SKIPPED: no browser is installed; on Debian: apt-get install chromium");
            return None;
        };
        let folder = tempfile::tempdir().unwrap();
        let mut child = Command::new("sh")
            .args(["-c", SCRIPT, "sh", browser])
            .args(ARGUMENTS)
            .arg(format!("--user-data-dir={}", folder.path().display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let input = Mutex::new(child.stdin.take().unwrap());
        let output = child.stdout.take().unwrap();
        let inboxes = Inboxes::default();
        let process = Self { child, input, inboxes: inboxes.clone(), _folder: folder };
        thread::spawn(move || deliver(output, &inboxes));
        Some(Arc::new(process))
    }

    fn send(&self, command: &Value) -> io::Result<()> {
        self.input.lock().unwrap().write_all(format!("{command}\0").as_bytes())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It ends its helpers first, which else write into the folder while that is removed.
        let _ = self.send(&json!({"id": 0, "method": "Browser.close"}));
        let end = Instant::now() + Duration::from_secs(5);
        while Instant::now() < end && matches!(self.child.try_wait(), Ok(None)) {
            thread::sleep(Duration::from_millis(5));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sorts what the browser writes by session, until it ends.
fn deliver(output: ChildStdout, inboxes: &Inboxes) {
    for message in BufReader::new(output).split(0).map_while(Result::ok) {
        let Ok(message) = serde_json::from_slice::<Value>(&message) else { break };
        let session = message["sessionId"].as_str().unwrap_or_default();
        if let Some(inbox) = inboxes.lock().unwrap().get(session) {
            // Nobody reads it any more once its page is dropped.
            let _ = inbox.send(message);
        }
    }
    inboxes.lock().unwrap().clear();
}

/// A conversation with the browser (without an id) or with one of its pages.
pub(super) struct Session {
    pub(super) process: Arc<Process>,
    id: String,
    inbox: Receiver<Value>,
    calls: u64,
    /// What was received since the complaints were asked for.
    pub(super) messages: Vec<Value>,
}

impl Session {
    pub(super) fn new(process: Arc<Process>, id: &str) -> Self {
        let (sender, inbox) = channel();
        process.inboxes.lock().unwrap().insert(id.to_owned(), sender);
        Self { process, id: id.to_owned(), inbox, calls: 0, messages: Vec::new() }
    }

    pub(super) fn call(&mut self, method: &str, params: Value) -> Value {
        self.calls += 1;
        let id = self.calls;
        let mut command = json!({"id": id, "method": method, "params": params});
        if !self.id.is_empty() {
            command["sessionId"] = json!(self.id);
        }
        let start = self.messages.len();
        self.process.send(&command).unwrap();
        let mut answer =
            self.wait(start, method, |message| (message["id"] == id).then(|| message.take()));
        assert!(answer["error"].is_null(), "{command}: {}", answer["error"]);
        answer["result"].take()
    }

    /// Returns what `find` finds first in the messages from `start` on, those to come included.
    pub(super) fn wait<T>(
        &mut self,
        start: usize,
        what: &str,
        mut find: impl FnMut(&mut Value) -> Option<T>,
    ) -> T {
        let end = Instant::now() + LIMIT;
        let mut next = start;
        loop {
            if next == self.messages.len() {
                match self.inbox.recv_timeout(end.saturating_duration_since(Instant::now())) {
                    Ok(message) => self.messages.push(message),
                    Err(error) => {
                        let complaints: Vec<_> =
                            self.messages.iter().filter_map(complaint).collect();
                        panic!("waited for {what}: {error}; the browser says {complaints:#?}");
                    }
                }
            }
            if let Some(found) = find(&mut self.messages[next]) {
                return found;
            }
            next += 1;
        }
    }
}
