//! Compiles the accepted snapshots into the binary: a list of `snapshots/**.snap` by name. Files
//! that wait for review (`.snap.new`) are ignored.

use std::{
    env,
    error::Error,
    fmt::Write as _,
    fs, io,
    path::{Path, PathBuf},
};

const FOLDER: &str = "snapshots";

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join(FOLDER);
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={FOLDER}");
    let mut files = Vec::new();
    collect(&folder, &mut files)?;
    files.sort();
    let mut list = String::from("&[\n");
    for file in &files {
        let name = file.strip_prefix(&folder)?.with_extension("");
        let name = name.to_string_lossy().replace('\\', "/");
        writeln!(list, "    ({name:?}, include_str!({file:?})),")?;
    }
    list.push_str("]\n");
    fs::write(PathBuf::from(env::var("OUT_DIR")?).join("accepted.rs"), list)?;
    Ok(())
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    // Before the first snapshot was accepted there is no folder.
    if !folder.exists() {
        return Ok(());
    }
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "snap") {
            files.push(path);
        }
    }
    Ok(())
}
