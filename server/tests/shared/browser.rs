//! Opens a page in a headless browser; without one a test prints that it was skipped.

use std::{io::ErrorKind, process::Command};

/// Debian's first; the others read the same arguments.
const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];

const ARGUMENTS: [&str; 9] = [
    "--headless",
    // Root, as in a container, gets no sandbox; the page is our own.
    "--no-sandbox",
    "--disable-gpu",
    // The browser itself must not call anybody either.
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
    // Timers of the page fire at once, up to this time of its clock. Frames would not be drawn.
    "--virtual-time-budget=20000",
];

/// Returns the page's elements after its scripts ran; `None` without a browser.
pub(crate) fn elements(page: &str) -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("page.html");
    std::fs::write(&file, page).unwrap();
    for browser in BROWSERS {
        let result = Command::new(browser)
            .args(ARGUMENTS)
            .arg("--dump-dom")
            .arg(format!("--user-data-dir={}", folder.path().join("profile").display()))
            .arg(format!("file://{}", file.display()))
            .output();
        match result {
            Ok(output) => return Some(String::from_utf8(output.stdout).unwrap()),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => panic!("{browser} cannot be started: {error}"),
        }
    }
    eprintln!("SKIPPED: no browser is installed; on Debian: apt-get install chromium");
    None
}
