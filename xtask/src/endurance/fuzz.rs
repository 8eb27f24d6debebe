//! Runs every fuzz target of `server/fuzz` for a while.

use std::{
    fs, io,
    path::Path,
    process::{Command, Stdio},
};

use super::run::progress;
use crate::{cargo, program::output};

const FOLDER: &str = "server/fuzz";
const TARGETS: &str = "server/fuzz/fuzz_targets";
/// Sanitizers need a nightly compiler and find memory errors: the server has no `unsafe` code.
const WITHOUT_SANITIZER: [&str; 2] = ["--sanitizer", "none"];

/// Runs the targets; returns a line for each, and whether one found something.
pub(super) fn run(root: &Path, seconds: u64) -> (String, bool) {
    let targets = targets(root);
    if let Some(reason) = reason_against(root, &targets, seconds) {
        return (format!("fuzz NOT DONE: {reason}\n"), false);
    }
    let (mut text, mut found) = (String::new(), false);
    for target in targets {
        progress(&format!("fuzzing {target} for {seconds} s"));
        let status = command(root, &target, seconds).and_then(|mut command| command.status());
        if status.is_ok_and(|status| status.success()) {
            text += &format!("fuzz {target}: nothing found\n");
        } else {
            // A crash, or the target does not build; its output was shown.
            let flags = WITHOUT_SANITIZER.join(" ");
            let repeat = format!("cargo fuzz run --fuzz-dir {FOLDER} {flags} {target}");
            text += &format!("fuzz {target}: FAILED, see above; `{repeat}` repeats it\n");
            found = true;
        }
    }
    (text, found)
}

/// Returns the reason if no target can run.
fn reason_against(root: &Path, targets: &[String], seconds: u64) -> Option<String> {
    if targets.is_empty() {
        return Some(format!("there is no target in {TARGETS}"));
    }
    if seconds == 0 {
        return Some("--fuzz-seconds 0 leaves the targets out".to_owned());
    }
    let version = output(&mut cargo::command(root, &["fuzz", "--version"]));
    let help = "cargo-fuzz is not installed; `cargo install --locked cargo-fuzz` installs it";
    version.is_err().then(|| help.to_owned())
}

/// A run that starts with the seed corpus and writes new inputs into the build folder.
fn command(root: &Path, target: &str, seconds: u64) -> io::Result<Command> {
    let found = root.join("target/fuzz-corpus").join(target);
    fs::create_dir_all(&found)?;
    let mut command = cargo::command(root, &["fuzz", "run", "--fuzz-dir", FOLDER]);
    command.args(WITHOUT_SANITIZER).arg(target).arg(found);
    let seeds = root.join(FOLDER).join("corpus").join(target);
    if seeds.is_dir() {
        command.arg(seeds);
    }
    command.arg("--").arg(format!("-max_total_time={seconds}"));
    let words = root.join(FOLDER).join(format!("dictionaries/{target}.dict"));
    if words.is_file() {
        command.arg(format!("-dict={}", words.display()));
    }
    command.stdin(Stdio::null());
    Ok(command)
}

fn targets(root: &Path) -> Vec<String> {
    let entries = fs::read_dir(root.join(TARGETS)).into_iter().flatten().flatten();
    let mut targets: Vec<String> = entries
        .filter_map(|entry| Some(entry.file_name().to_str()?.strip_suffix(".rs")?.to_owned()))
        .collect();
    targets.sort_unstable();
    targets
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_the_sources_of_their_folder() {
        let root = tempfile::tempdir().unwrap();
        assert_eq!(targets(root.path()), [""; 0]);
        let folder = root.path().join(TARGETS);
        fs::create_dir_all(&folder).unwrap();
        for name in ["limit.rs", "cursor.rs", "README.md"] {
            fs::write(folder.join(name), "").unwrap();
        }
        assert_eq!(targets(root.path()), ["cursor", "limit"]);
        let (text, found) = run(root.path(), 0);
        assert_eq!(text, "fuzz NOT DONE: --fuzz-seconds 0 leaves the targets out\n");
        assert!(!found);
    }

    #[test]
    fn run_uses_corpus_and_dictionary_and_writes_elsewhere() {
        let root = tempfile::tempdir().unwrap();
        let fuzz = root.path().join(FOLDER);
        fs::create_dir_all(fuzz.join("corpus/key")).unwrap();
        fs::create_dir_all(fuzz.join("dictionaries")).unwrap();
        fs::write(fuzz.join("dictionaries/key.dict"), "").unwrap();
        let arguments = |target| -> Vec<String> {
            let command = command(root.path(), target, 60).unwrap();
            let arguments =
                command.get_args().map(|argument| argument.to_string_lossy().into_owned());
            let root = root.path().to_string_lossy().into_owned();
            arguments.map(|argument| argument.replace(&root, "")).skip(1).collect()
        };
        assert_eq!(
            arguments("key").join(" "),
            "run --fuzz-dir server/fuzz --sanitizer none key /target/fuzz-corpus/key \
             /server/fuzz/corpus/key -- -max_total_time=60 \
             -dict=/server/fuzz/dictionaries/key.dict"
        );
        assert_eq!(
            arguments("limit").join(" "),
            "run --fuzz-dir server/fuzz --sanitizer none limit /target/fuzz-corpus/limit -- \
             -max_total_time=60"
        );
    }
}
