//! The keys that a command made, on the screen or in a file with mode 0600.

use std::{fs, io::Write, path::Path};

use payout_server::tools::table;
use tempfile::NamedTempFile;

use crate::{Error, import::Imported};

const HEAD: &str = "# API keys, one a line: PAYOUT_KEY_<ORGANISATION>_<KEY>. \
    A shell reads them with: set -a; . THIS_FILE; set +a\n";

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
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut file = NamedTempFile::new_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    Ok(file.persist(path).map(drop)?)
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
