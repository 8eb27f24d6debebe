//! Runs every fuzz target of `server/fuzz` for a while.

use std::{
    fs, io,
    path::Path,
    process::{Command, Stdio},
};

use super::progress;
use crate::{cargo, program::output};

const FOLDER: &str = "server/fuzz";
/// Sanitizers need a nightly compiler and find memory errors: the server has no `unsafe` code.
const WITHOUT_SANITIZER: [&str; 2] = ["--sanitizer", "none"];

/// Runs the targets; returns a line for each, and whether one found something.
pub(super) fn run(root: &Path, seconds: u64) -> (String, bool) {
    let not_done = |reason: &str| (format!("fuzz NOT DONE: {reason}\n"), false);
    if seconds == 0 {
        return not_done("--fuzz-seconds 0 leaves the targets out");
    }
    let listed = output(&mut cargo::command(root, &["fuzz", "list", "--fuzz-dir", FOLDER]));
    let Ok(targets) = listed else {
        let help = "cargo-fuzz is not installed; `cargo install --locked cargo-fuzz` installs it";
        return not_done(help);
    };
    let (mut text, mut found) = (String::new(), false);
    for target in targets.lines() {
        progress(&format!("fuzzing {target} for {seconds} s"));
        let status = command(root, target, seconds).and_then(|mut command| command.status());
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

#[cfg(test)]
mod tests {
    use super::*;

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
