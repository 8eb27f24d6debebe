//! The keys of an import, for the one person who may have them: on the screen, or in a file that only they can read.
//!
//! It refuses a file that others could read, also for the moment of its making.

use std::{
    fs::{self, OpenOptions},
    io::Write,
    os::unix::fs::OpenOptionsExt,
    path::Path,
};

use super::{error::CliError, output};
use crate::import::write::Imported;

/// One shell variable a key: `PAYOUT_KEY_<ORGANISATION>_<KEY>=pcp_…`.
#[must_use]
pub fn as_shell(imported: &[Imported]) -> String {
    let mut text = String::from(
        "# API keys, one a line: PAYOUT_KEY_<ORGANISATION>_<KEY>. A shell reads them with: set -a; . THIS_FILE; set +a\n",
    );
    for (name, key) in entries(imported) {
        text.push_str(&format!("{name}={key}\n"));
    }
    text
}

/// The same for people.
#[must_use]
pub fn as_table(imported: &[Imported]) -> String {
    let rows: Vec<Vec<String>> = imported
        .iter()
        .flat_map(|organization| organization.keys.iter().map(move |key| (organization, key)))
        .map(|(organization, key)| {
            let state = key.state.as_str().to_owned();
            vec![
                organization.name.clone(),
                key.name.clone(),
                state,
                key.key.reveal().to_owned(),
                key.scopes.join(" "),
            ]
        })
        .collect();
    output::table(&["organisation", "name", "state", "key", "scopes"], &rows)
}

/// Writes the keys with mode 0600, in place of whatever was there.
///
/// # Errors
/// The folder does not take it.
pub fn write(path: &Path, imported: &[Imported]) -> Result<(), CliError> {
    let draft = path.with_extension("env.new");
    let written = || {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        // A draft left behind may have any mode; a new file has ours from the start.
        if let Err(error) = fs::remove_file(&draft)
            && error.kind() != std::io::ErrorKind::NotFound
        {
            return Err(error);
        }
        let mut file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&draft)?;
        file.write_all(as_shell(imported).as_bytes())?;
        file.sync_all()?;
        fs::rename(&draft, path)
    };
    written().map_err(|error| {
        CliError::told(format!(
            "the keys cannot be written to {}: {error}. They were made and cannot be shown again: name another file with \
             --keys-file, and make new ones (`payout-server seed --reset` or `payout-server keys create`)",
            path.display()
        ))
    })
}

/// Every key with the name of its variable.
fn entries(imported: &[Imported]) -> impl Iterator<Item = (String, &str)> {
    imported.iter().flat_map(|organization| {
        let name = &organization.name;
        let keys = organization.keys.iter();
        keys.map(move |key| (variable(name, &key.name), key.key.reveal()))
    })
}

/// The variable of a key: `PAYOUT_KEY_<ORGANISATION>_<KEY>`.
#[must_use]
pub fn variable(organization: &str, key: &str) -> String {
    format!("PAYOUT_KEY_{}_{}", word(organization), word(key))
}

/// A name as part of a shell variable's.
fn word(name: &str) -> String {
    let fits = |letter: char| {
        if letter.is_ascii_alphanumeric() {
            letter.to_ascii_uppercase()
        } else {
            '_'
        }
    };
    name.chars().map(fits).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_shell_variables() {
        assert_eq!(word("portal-sessions:write"), "PORTAL_SESSIONS_WRITE");
        assert_eq!(word("Café; rm"), "CAF___RM");
    }
}
