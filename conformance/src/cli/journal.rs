//! `journal`: changes that earlier runs did not finish or undo. Only a look at the deployment can
//! say what became of them.

use std::{error::Error, fmt::Write as _, path::Path};

use super::arguments::JournalOptions;
use crate::{
    journal::{Journal, Unfinished, beside, unfinished},
    report::words::shell_word,
    secret::Redaction,
    visible::visible_line,
};

/// Prints what is unfinished; false if something is and stays so.
pub(super) fn run(options: &JournalOptions) -> Result<bool, Box<dyn Error>> {
    let path = match (&options.journal, &options.target) {
        (Some(journal), _) => journal.clone(),
        (None, Some(target)) => beside(target),
        (None, None) => return Err("name a --target or a --journal".into()),
    };
    let left = unfinished(&path)?;
    if left.is_empty() {
        anstream::println!("{}: nothing is unfinished.", path.display());
        return Ok(true);
    }
    anstream::print!("{}", text(&left, &path));
    if !options.settle {
        return Ok(false);
    }
    let journal = Journal::open(&path, Redaction::default())?;
    for intent in &left {
        journal.close(&intent.run, intent.number, "settled by hand")?;
    }
    anstream::println!("Settled.");
    Ok(true)
}

/// Says what is unfinished and how to settle it; empty if nothing is.
pub(super) fn text(left: &[Unfinished], path: &Path) -> String {
    if left.is_empty() {
        return String::new();
    }
    let mut text = format!(
        "An earlier run did not finish or undo these changes, or another run is active ({}):\n",
        path.display()
    );
    for intent in left {
        let line = format!("{}  {}  {}", intent.at, intent.case, intent.what);
        let _ = writeln!(text, "  {}", visible_line(&line));
    }
    let _ = writeln!(
        text,
        "If no other run is active: check each, restore what changed (send the value after `was` \
         as a PATCH, run the named hooks), then: payout-conformance journal --journal {} --settle",
        shell_word(&path.display().to_string())
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::Undo;

    fn options(path: &Path, settle: bool) -> JournalOptions {
        JournalOptions { target: None, journal: Some(path.to_owned()), settle }
    }

    #[test]
    fn changes_of_a_killed_run_are_shown_until_they_are_settled() {
        let folder = tempfile::tempdir().unwrap();
        let path = beside(&folder.path().join("staging.toml"));
        assert_eq!(path, folder.path().join("staging.journal.jsonl"));
        assert!(run(&options(&path, false)).unwrap());
        let journal = Journal::open(&path, Redaction::default()).unwrap();
        journal.intend("lines.detach", "changes irreversibly: cln_1", Undo::ByHand).unwrap();
        drop(journal);
        assert!(!run(&options(&path, false)).unwrap());
        let text = text(&unfinished(&path).unwrap(), &path);
        assert!(text.contains("lines.detach  changes irreversibly: cln_1"), "{text}");
        assert!(text.contains(&format!("--journal {} --settle", path.display())), "{text}");
        assert!(run(&options(&path, true)).unwrap());
        assert!(run(&options(&path, false)).unwrap());
    }
}
