//! `journal`: what earlier runs were about to change when they were ended; and what a run tells of it before it begins.
//!
//! It refuses to mend anything: what became of a change only a look at the deployment can say.

use std::{error::Error, path::Path};

use super::arguments::JournalOptions;
use crate::{
    journal::{Journal, Unfinished, beside, unfinished},
    report::words::shell_word,
    secret::Redaction,
    visible::visible_line,
};

/// What settles an intent here.
const SETTLED: &str = "settled by hand";

/// Prints what is unfinished; `false` where something is, and stays so.
pub(super) fn run(options: &JournalOptions) -> Result<bool, Box<dyn Error>> {
    let path = match (&options.journal, &options.target) {
        (Some(journal), _) => journal.clone(),
        (None, Some(target)) => beside(target),
        (None, None) => return Err("name a --target or a --journal".into()),
    };
    if !path.exists() {
        println!("{}: no run has written here.", path.display());
        return Ok(true);
    }
    let left = unfinished(&path)?;
    if left.is_empty() {
        println!("{}: nothing is unfinished.", path.display());
        return Ok(true);
    }
    print!("{}", told(&left, &path));
    if !options.settle {
        return Ok(false);
    }
    let journal = Journal::open(&path, Redaction::default())?;
    for intent in &left {
        journal.settle(intent, SETTLED)?;
    }
    println!("Settled: it is told no more.");
    Ok(true)
}

/// What is unfinished, and how it is settled.
pub(super) fn told(left: &[Unfinished], path: &Path) -> String {
    let mut text = format!(
        "An earlier run was ended, or another goes on right now, between a change and its end ({}):\n",
        path.display()
    );
    for intent in left {
        let line = format!("{}  {}  {}", intent.at, intent.case, intent.what);
        text.push_str(&format!("  {}\n", visible_line(&line)));
    }
    text.push_str(&format!(
        "Where no other run is under way: look at each, give back what is not as it was (a PATCH with what stands after `was`, \
         the hooks that are named), then: payout-conformance journal --journal {} --settle\n",
        shell_word(&path.display().to_string())
    ));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(path: &Path, settle: bool) -> JournalOptions {
        JournalOptions {
            target: None,
            journal: Some(path.to_owned()),
            settle,
        }
    }

    #[test]
    fn what_a_killed_run_left_is_told_until_it_is_settled() {
        let folder = tempfile::tempdir().unwrap();
        let path = beside(&folder.path().join("staging.toml"));
        assert_eq!(path, folder.path().join("staging.journal.jsonl"));
        assert!(run(&options(&path, false)).unwrap());
        let journal = Journal::open(&path, Redaction::default()).unwrap();
        let entry = journal
            .intend("lines.detach", "may change for good: cln_1")
            .unwrap();
        drop((entry, journal));
        assert!(!run(&options(&path, false)).unwrap());
        let text = told(&unfinished(&path).unwrap(), &path);
        assert!(
            text.contains("lines.detach  may change for good: cln_1"),
            "{text}"
        );
        assert!(
            text.contains(&format!("--journal {} --settle", path.display())),
            "{text}"
        );
        assert!(run(&options(&path, true)).unwrap());
        assert!(run(&options(&path, false)).unwrap());
    }

    #[test]
    fn journal_of_a_target_is_the_one_beside_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("staging.toml");
        let journal = Journal::open(&beside(&target), Redaction::default()).unwrap();
        drop(journal.intend("a.case", "borrows").unwrap());
        let options = JournalOptions {
            target: Some(target),
            journal: None,
            settle: false,
        };
        assert!(!run(&options).unwrap());
    }
}
