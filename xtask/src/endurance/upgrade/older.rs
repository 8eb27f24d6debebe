//! The programs of an older commit, built in a working tree below `target` that is kept for the
//! next run.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use super::super::{Profile, progress};
use crate::{
    Result,
    program::{build, output},
};

/// The commit to upgrade from while there is no tag, after lines of comment.
const FROM: &str = include_str!("from");
const SOURCE: &str = "target/endurance/upgrade/source";

#[derive(Debug)]
pub(super) struct Older {
    /// As it is named to the user.
    pub(super) name: String,
    pub(super) server: PathBuf,
    pub(super) devdata: PathBuf,
}

impl Older {
    /// Builds the programs of a revision: of the newest tag, or else the one of the file `from`.
    pub(super) fn build(root: &Path, revision: Option<&str>, profile: Profile) -> Result<Self> {
        let tag = git(root, &["describe", "--tags", "--abbrev=0"]).ok();
        let revision = revision.or(tag.as_deref()).unwrap_or_else(|| named_in(FROM));
        let commit = git(
            root,
            &["rev-parse", "--verify", "--quiet", &format!("{revision}^{{commit}}")],
        )
        .map_err(|_| {
            format!(
                "there is no commit {revision} in this clone: fetch it (`git fetch --unshallow \
                     --tags`), or name another one with --from"
            )
        })?;
        let source = root.join(SOURCE);
        if source.join(".git").exists() {
            git(&source, &["checkout", "--quiet", "--detach", &commit])?;
        } else {
            // By force: the folder of an earlier run may have been removed with `target`.
            let add = ["worktree", "add", "--quiet", "--force", "--detach", SOURCE, &commit];
            git(root, &add)?;
        }
        let name = git(root, &["show", "--no-patch", "--format=%h of %cs", &commit])?;
        progress(&format!("building the programs of {name} (some minutes the first time)"));
        // Never the folder of this build, whatever CARGO_TARGET_DIR says.
        let arguments = [profile.arguments(), &["--target-dir", "target"]].concat();
        let program = |name| build(&source, &arguments, "--bin", name);
        Ok(Self { name, server: program("payout-server")?, devdata: program("payout-devdata")? })
    }
}

fn git(folder: &Path, arguments: &[&str]) -> Result<String> {
    let written = output(Command::new("git").current_dir(folder).args(arguments))?;
    Ok(written.trim().to_owned())
}

/// The line that is no comment.
fn named_in(file: &str) -> &str {
    file.lines().find(|line| !line.starts_with('#')).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_a_whole_commit() {
        let commit = named_in(FROM);
        assert!(commit.len() == 40 && commit.bytes().all(|byte| byte.is_ascii_hexdigit()));
    }
}
