//! The files beside the Debian package.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{Result, program::output};

/// The stripped programs with their manual pages and completions, as an archive.
pub(super) fn archive(folder: &Path, programs: &[PathBuf], manual: &Path) -> Result<()> {
    let staged = folder.join("programs");
    fs::create_dir_all(&staged)?;
    for program in programs {
        strip(program, &staged.join(file_name(program)))?;
    }
    let name = format!("payout-{}-{}.tar.gz", env!("CARGO_PKG_VERSION"), std::env::consts::ARCH);
    let mut tar = Command::new("tar");
    tar.args(["--create", "--gzip", "--owner=0", "--group=0", "--file"]).arg(folder.join(name));
    tar.arg("--directory").arg(folder).args(["programs", "manual"]);
    output(&mut tar)?;
    fs::remove_dir_all(&staged)?;
    Ok(fs::remove_dir_all(manual)?)
}

/// A file system of nothing but the server: its libraries, the authorities of TLS, a user, and the
/// folder of its data.
pub(super) fn container(folder: &Path, server: &Path) -> Result<()> {
    let root = folder.join("container");
    for inner in ["usr/bin", "etc/ssl/certs", "var/lib/payout-server", "tmp"] {
        fs::create_dir_all(root.join(inner))?;
    }
    strip(server, &root.join("usr/bin/payout-server"))?;
    let listed = output(Command::new("ldd").arg(server))?;
    // `libc.so.6 => /lib/…/libc.so.6 (0x…)`, and the loader without an arrow.
    let libraries = listed.split_whitespace().filter(|word| word.starts_with('/'));
    for library in libraries {
        let copy = root.join(library.trim_start_matches('/'));
        fs::create_dir_all(copy.parent().expect("a library is in a folder"))?;
        fs::copy(library, copy)?;
    }
    let authorities = "etc/ssl/certs/ca-certificates.crt";
    fs::copy(Path::new("/").join(authorities), root.join(authorities)).map_err(|error| {
        format!("/{authorities} cannot be read: {error}; install the package ca-certificates")
    })?;
    let user = "payout:x:65532:65532::/var/lib/payout-server:/\n";
    Ok(fs::write(root.join("etc/passwd"), user)?)
}

/// The SHA-256 of each file, as `sha256sum --check SHA256SUMS` reads it.
pub(super) fn checksums(folder: &Path) -> Result<()> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            names.push(entry.file_name());
        }
    }
    names.sort();
    let sums = output(Command::new("sha256sum").args(names).current_dir(folder))?;
    Ok(fs::write(folder.join("SHA256SUMS"), sums)?)
}

fn strip(program: &Path, to: &Path) -> Result<()> {
    output(Command::new("strip").arg("--strip-all").arg("-o").args([to, program])).map(drop)
}

fn file_name(path: &Path) -> &std::ffi::OsStr {
    path.file_name().unwrap_or_default()
}
