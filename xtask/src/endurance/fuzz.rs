//! Runs every fuzz target of `server/fuzz` for a while.

use std::{
    fmt::Write as _,
    fs, io,
    path::Path,
    process::{Command, Stdio},
};

use super::run::progress;

const FOLDER: &str = "server/fuzz";
const TARGETS: &str = "server/fuzz/fuzz_targets";
/// Sanitizers need a nightly compiler and find memory errors: the server has no `unsafe` code.
const WITHOUT_SANITIZER: [&str; 2] = ["--sanitizer", "none"];

/// The result of a target, or of all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fuzzed {
    Held(String),
    /// A crash was found, or the target does not build; its output was shown.
    Found(String),
    NotDone(String),
}

impl Fuzzed {
    pub(super) fn is_finding(&self) -> bool {
        matches!(self, Self::Found(_))
    }
}

pub(super) fn run(root: &Path, seconds: u64) -> Vec<Fuzzed> {
    let targets = targets(root);
    if targets.is_empty() {
        return vec![Fuzzed::NotDone(format!("there is no target in {TARGETS}"))];
    }
    if seconds == 0 {
        return vec![Fuzzed::NotDone("--fuzz-seconds 0 leaves the targets out".to_owned())];
    }
    if let Some(missing) = missing(root) {
        return vec![Fuzzed::NotDone(missing.to_owned())];
    }
    let fuzz = |target: String| {
        progress(&format!("fuzzing {target} for {seconds} s"));
        match command(root, &target, seconds).map(|mut command| command.status()) {
            Ok(Ok(status)) if status.success() => Fuzzed::Held(target),
            _ => Fuzzed::Found(target),
        }
    };
    targets.into_iter().map(fuzz).collect()
}

/// A run that starts with the seed corpus and writes new inputs into the build folder.
fn command(root: &Path, target: &str, seconds: u64) -> io::Result<Command> {
    let found = root.join("target/fuzz-corpus").join(target);
    fs::create_dir_all(&found)?;
    let mut command = cargo_fuzz(root);
    command.args(["run", "--fuzz-dir", FOLDER]).args(WITHOUT_SANITIZER).arg(target).arg(found);
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

pub(super) fn text(fuzzed: &[Fuzzed]) -> String {
    let mut text = String::new();
    for fuzzed in fuzzed {
        let line = match fuzzed {
            Fuzzed::Held(target) => format!("fuzz {target}: nothing found"),
            Fuzzed::Found(target) => format!(
                "fuzz {target}: FAILED, see above; \
                 `cargo fuzz run --fuzz-dir {FOLDER} {} {target}` repeats it",
                WITHOUT_SANITIZER.join(" ")
            ),
            Fuzzed::NotDone(why) => format!("fuzz NOT DONE: {why}"),
        };
        writeln!(text, "{line}").expect("a String takes any text");
    }
    text
}

fn targets(root: &Path) -> Vec<String> {
    let entries = fs::read_dir(root.join(TARGETS)).into_iter().flatten().flatten();
    let mut targets: Vec<String> = entries
        .filter_map(|entry| Some(entry.file_name().to_str()?.strip_suffix(".rs")?.to_owned()))
        .collect();
    targets.sort_unstable();
    targets
}

/// How to install cargo-fuzz, if it is missing.
fn missing(root: &Path) -> Option<&'static str> {
    let runs = |command: &mut Command| {
        let silent = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        silent.status().is_ok_and(|status| status.success())
    };
    let installed = runs(cargo_fuzz(root).arg("--version"));
    (!installed)
        .then_some("cargo-fuzz is not installed; `cargo install --locked cargo-fuzz` installs it")
}

/// `cargo fuzz`, without the variables of the cargo that runs this program.
fn cargo_fuzz(root: &Path) -> Command {
    let mut command = Command::new("cargo");
    command.arg("fuzz").current_dir(root);
    for (name, _) in std::env::vars_os() {
        let bytes = name.as_encoded_bytes();
        if bytes.starts_with(b"CARGO_") && name != "CARGO_HOME" || name == "CARGO" {
            command.env_remove(name);
        }
    }
    command
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
        assert_eq!(
            run(root.path(), 0),
            [Fuzzed::NotDone("--fuzz-seconds 0 leaves the targets out".to_owned())]
        );
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

    #[test]
    fn targets_that_did_not_run_are_reported() {
        let results = [
            Fuzzed::Held("cursor".to_owned()),
            Fuzzed::Found("key".to_owned()),
            Fuzzed::NotDone("cargo-fuzz is not installed".to_owned()),
        ];
        let text = text(&results);
        assert!(text.contains("fuzz cursor: nothing found\n"), "{text}");
        assert!(text.contains("fuzz key: FAILED"), "{text}");
        assert!(text.contains("fuzz NOT DONE: cargo-fuzz is not installed\n"), "{text}");
        assert!(results[1].is_finding() && !results[2].is_finding());
    }
}
