//! The keys that a command made, on the screen or in a file with mode 0600.

use std::{
    fs::{self, OpenOptions},
    io::Write,
    os::unix::fs::OpenOptionsExt,
    path::Path,
};

use payout_server::tools::table;

use crate::{Error, import::Imported};

const HEAD: &str = "# API keys, one a line: PAYOUT_KEY_<ORGANISATION>_<KEY>. \
    A shell reads them with: set -a; . THIS_FILE; set +a\n";

/// A table of the keys.
pub(crate) fn as_table(imported: &[Imported]) -> String {
    let rows = imported.iter().flat_map(|organization| {
        organization.keys.iter().map(|key| {
            vec![
                organization.name.clone(),
                key.name.clone(),
                key.state.as_str().to_owned(),
                key.key.reveal().to_owned(),
                key.scopes.join(" "),
            ]
        })
    });
    let heads = ["organisation", "name", "state", "key", "scopes"];
    table(&heads, &rows.collect::<Vec<_>>())
}

/// Writes the keys as shell variables and replaces an existing file. The file has mode 0600 from
/// its creation on.
pub(crate) fn write(path: &Path, imported: &[Imported]) -> Result<(), Error> {
    write_text(path, &as_shell(imported))
}

/// Writes lines of keys, as [`write`].
pub(crate) fn write_text(path: &Path, keys: &str) -> Result<(), Error> {
    write_file(path, &format!("{HEAD}{keys}")).map_err(|error| {
        let path = path.display();
        format!(
            "cannot write the keys to {path}: {error}. They cannot be shown again: name another \
             file with --keys-file and make new keys, with `payout-devdata seed --reset` or \
             `payout-server keys create`"
        )
        .into()
    })
}

fn write_file(path: &Path, text: &str) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let draft = path.with_extension("env.new");
    // A draft that an earlier run left may have any mode.
    if draft.exists() {
        fs::remove_file(&draft)?;
    }
    let mut options = OpenOptions::new();
    let mut file = options.write(true).create_new(true).mode(0o600).open(&draft)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(&draft, path)
}

fn as_shell(imported: &[Imported]) -> String {
    let mut text = String::new();
    for organization in imported {
        for key in &organization.keys {
            let name = variable(&organization.name, &key.name);
            text.push_str(&format!("{name}={}\n", key.key.reveal()));
        }
    }
    text
}

/// The variable of a key: `PAYOUT_KEY_<ORGANISATION>_<KEY>`.
pub(crate) fn variable(organization: &str, key: &str) -> String {
    let name = format!("PAYOUT_KEY_{organization}_{key}");
    let valid = |letter: char| {
        if letter.is_ascii_alphanumeric() { letter } else { '_' }
    };
    name.to_ascii_uppercase().chars().map(valid).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_shell_variables() {
        let name = variable("Café; rm", "portal-sessions:write");
        assert_eq!(name, "PAYOUT_KEY_CAF___RM_PORTAL_SESSIONS_WRITE");
    }
}
