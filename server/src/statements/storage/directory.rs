//! The local directory: its creation, and what a crash leaves in it. Files with foreign names are
//! never touched.

use std::{
    fs, io,
    os::unix::fs::DirBuilderExt,
    path::{Path, PathBuf},
    time::SystemTime,
};

use object_store::local::LocalFileSystem;

use super::{failure::SetupError, key::AssetKey};

/// Creates the directory with mode 0700 if it is missing, and tries to write there. Folders above
/// it have the usual mode: PostgreSQL, which runs as another account if we are root, may have to
/// enter them.
///
/// Files and the folders that name them are synced to disk before a put returns.
pub(super) fn open(path: &Path) -> Result<LocalFileSystem, SetupError> {
    let failed = SetupError::directory(path);
    let tried = path
        .parent()
        .map_or(Ok(()), fs::create_dir_all)
        .and_then(|()| make(path))
        .and_then(|()| try_to_write(path))
        .and_then(|()| LocalFileSystem::new_with_prefix(path).map_err(io::Error::other));
    Ok(tried.map_err(failed)?.with_fsync(true))
}

fn make(path: &Path) -> io::Result<()> {
    match fs::DirBuilder::new().mode(0o700).create(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
        made => made,
    }
}

/// Removes what interrupted puts left behind, if it was last written at `before` or earlier.
///
/// A put writes to `<key>#<number>` and renames it; `object_store` neither lists nor removes such
/// files.
pub(super) fn sweep_unfinished(root: &Path, before: SystemTime) -> io::Result<usize> {
    let mut removed = 0;
    for folder in entries(root)? {
        if !folder.is_dir() {
            continue;
        }
        let unfinished = entries(&folder)?.into_iter().filter(|file| is_unfinished(root, file));
        for file in unfinished {
            // Another sweep may be faster, and a put may just have ended.
            let is_old = fs::metadata(&file).and_then(|metadata| metadata.modified());
            if is_old.is_ok_and(|written| written <= before) && fs::remove_file(&file).is_ok() {
                removed += 1;
            }
        }
    }
    Ok(removed)
}

fn is_unfinished(root: &Path, file: &Path) -> bool {
    let relative = file.strip_prefix(root).ok().and_then(Path::to_str);
    let parts = relative.and_then(|relative| relative.rsplit_once('#'));
    parts.is_some_and(|(key, number)| {
        AssetKey::parse(key).is_some()
            && !number.is_empty()
            && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}

fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect()
}

/// Uses a random name, so that two processes that start together do not collide.
fn try_to_write(path: &Path) -> io::Result<()> {
    let mut random = [0; 8];
    getrandom::fill(&mut random).map_err(io::Error::other)?;
    let probe = path.join(format!(".probe-{:016x}", u64::from_be_bytes(random)));
    fs::OpenOptions::new().write(true).create_new(true).open(&probe)?;
    fs::remove_file(probe)
}

#[cfg(test)]
mod tests {
    use std::{os::unix::fs::MetadataExt, time::Duration};

    use super::*;

    #[test]
    fn missing_directory_is_made_for_its_owner_only_and_left_empty() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/assets");
        open(&path).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().mode() & 0o777;
        assert_eq!(mode(&path), 0o700);
        let other = folder.path().join("other");
        fs::create_dir(&other).unwrap();
        assert_eq!(mode(path.parent().unwrap()), mode(&other));
        assert_eq!(fs::read_dir(&path).unwrap().count(), 0);
        assert!(open(&path).is_ok());
    }

    #[test]
    fn what_is_put_is_synced_to_disk() {
        let folder = tempfile::tempdir().unwrap();
        let store = open(folder.path()).unwrap();
        assert!(format!("{store:?}").contains("fsync: true"), "{store:?}");
    }

    #[test]
    fn directory_that_cannot_be_made_is_reported_with_its_flag() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        for path in [file.clone(), file.join("assets")] {
            let message = open(&path).unwrap_err().to_string();
            assert!(
                message.contains(path.to_str().unwrap()) && message.contains("--assets"),
                "{message}"
            );
        }
    }

    #[test]
    fn unfinished_files_of_ours_are_removed_when_old_and_all_others_stay() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let ours = "org_01JV3N8Q5RHWXK2M4P6S7T9V0A/ast_01JV3N8Q5RHWXK2M4P6S7T9V0B.pdf";
        fs::create_dir(root.join(&ours[..30])).unwrap();
        fs::create_dir(root.join("not ours")).unwrap();
        let stay = [
            ours.to_owned(),
            format!("{ours}#"),
            format!("{ours}#x"),
            format!("{}#1", ours.replace(".pdf", ".txt")),
            format!("not ours{}#1", &ours[30..]),
            "file#1".to_owned(),
        ];
        let removed = [format!("{ours}#1"), format!("{ours}#12")];
        for file in stay.iter().chain(&removed) {
            fs::write(root.join(file), "").unwrap();
        }
        let written = fs::metadata(root.join("file#1")).unwrap().modified().unwrap();
        let hour = Duration::from_secs(3_600);
        assert_eq!(sweep_unfinished(root, written - hour).unwrap(), 0);
        assert_eq!(sweep_unfinished(root, written + hour).unwrap(), 2);
        assert_eq!(sweep_unfinished(root, written + hour).unwrap(), 0);
        for file in stay {
            assert!(root.join(&file).exists(), "{file}");
        }
    }
}
