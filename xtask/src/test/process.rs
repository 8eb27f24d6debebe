//! Runs a process and collects its output. cargo's progress goes straight to a terminal, and the
//! test runner's closing lines are printed at once.

use std::{
    io::{self, BufRead as _, BufReader, IsTerminal as _, Read},
    process::{Command, Stdio},
    sync::{Mutex, PoisonError},
    thread,
};

/// The result of a process.
#[derive(Debug, Default)]
pub(crate) struct Done {
    pub(crate) success: bool,
    /// Lacks cargo's progress and the lines of passed tests.
    pub(crate) output: String,
    pub(crate) passed_tests: u64,
    pub(crate) checked: Checked,
}

/// The part of a step that could be checked.
#[derive(Debug, Default)]
pub(crate) enum Checked {
    #[default]
    All,
    AllBut(String),
    /// The reason that nothing could: an optional tool is missing.
    Nothing(String),
}

impl Done {
    pub(crate) fn skipped(reason: String) -> Self {
        Self { success: true, checked: Checked::Nothing(reason), ..Self::default() }
    }
}

pub(crate) fn run(mut command: Command) -> io::Result<Done> {
    let progress_is_shown = io::stderr().is_terminal();
    let stderr = if progress_is_shown { Stdio::inherit() } else { Stdio::piped() };
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(stderr).spawn()?;
    let done = Mutex::new(Done::default());
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    thread::scope(|scope| {
        let stderr = stderr.map(|stream| scope.spawn(|| keep(stream, &done)));
        let kept = stdout.map_or(Ok(()), |stream| keep(stream, &done));
        let joined =
            stderr.map_or(Ok(()), |thread| thread.join().expect("reading lines does not panic"));
        kept.and(joined)
    })?;
    let status = child.wait()?;
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.success = status.success();
    Ok(done)
}

fn keep(stream: impl Read, done: &Mutex<Done>) -> io::Result<()> {
    let mut reader = BufReader::new(stream);
    let mut bytes = Vec::new();
    while reader.read_until(b'\n', &mut bytes)? > 0 {
        let line = String::from_utf8_lossy(&bytes).trim_end_matches('\n').to_owned();
        bytes.clear();
        let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
        if line.starts_with("test result: ") {
            // Printed at once, as progress of a run that takes minutes.
            anstream::println!("{line}");
            done.passed_tests += passed_tests(&line);
        } else if !passed(&line) && !is_progress(&line) {
            done.output.push_str(&line);
            done.output.push('\n');
        }
    }
    Ok(())
}

/// The tests that a line `test result: ok. 12 passed; …` counts.
fn passed_tests(line: &str) -> u64 {
    let number = line.split_once(" passed").and_then(|(text, _)| text.rsplit(' ').next());
    number.and_then(|number| number.parse().ok()).unwrap_or(0)
}

fn passed(line: &str) -> bool {
    line.starts_with("test ") && line.ends_with(" ... ok")
}

/// A crate that cargo downloads or builds; the word is right-aligned in twelve columns.
fn is_progress(line: &str) -> bool {
    let words =
        [" Downloading ", "  Downloaded ", "   Compiling ", "    Checking ", " Documenting "];
    words.iter().any(|word| line.starts_with(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Done {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        run(command).unwrap()
    }

    #[test]
    fn output_is_kept_without_passed_tests() {
        let done = shell(
            "echo 'test a ... ok'; echo 'test b ... FAILED'; \
             echo 'test result: FAILED. 1 passed; 1 failed'; exit 101",
        );
        assert!(!done.success);
        assert_eq!((done.output.as_str(), done.passed_tests), ("test b ... FAILED\n", 1));
    }

    #[test]
    fn progress_of_cargo_is_left_out_and_its_warnings_are_not() {
        let done = shell(
            "echo '   Compiling serde v1.0.229' >&2; echo '    Checking uuid v1.0.0' >&2; \
             echo 'warning: unused' >&2; echo '     Running tests/a.rs' >&2",
        );
        assert_eq!(done.output, "warning: unused\n     Running tests/a.rs\n");
    }

    #[test]
    fn more_output_than_a_pipe_holds_does_not_block() {
        let done = shell("i=0; while [ $i -lt 20000 ]; do echo 0123456789; i=$((i + 1)); done");
        assert!(done.success);
        assert_eq!(done.output.lines().count(), 20_000);
    }
}
