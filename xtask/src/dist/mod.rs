//! `cargo xtask dist`: what operators install. The Debian package of the server, the programs with
//! their manual pages and completions, the folder of a container, a bill of materials, checksums.

mod files;
mod tools;

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Instant,
};

use self::files::{archive, checksums, container};
use crate::{
    Result, cargo,
    program::{self, WHOLE, executable, output},
    table::Table,
};

/// The programs, and the package of each.
const PROGRAMS: [(&str, &str); 3] = [
    ("payout-server", "payout-server"),
    ("payout-conformance", "payout-conformance"),
    ("contract", "openapi-contract"),
];

#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Then install, start, upgrade and purge the package in a copy of this machine's file system
    /// that is thrown away; needs root
    #[arg(long)]
    rehearse: bool,
    /// The build that is packed; `dev` is quick, and for rehearsals alone
    #[arg(long, default_value = "release")]
    profile: String,
}

/// Builds and packs everything into `target/dist`.
pub(crate) fn run(root: &Path, options: &Options) -> Result<bool> {
    let folder = root.join("target/dist");
    fs::remove_dir_all(&folder).ok();
    fs::create_dir_all(&folder)?;
    let started = Instant::now();
    progress("building the programs (some minutes the first time)");
    let programs = build(root, &options.profile)?;
    progress(&format!("built in {} s; packing", started.elapsed().as_secs()));
    let manual = folder.join("manual");
    // Not optimised: it runs once.
    let writer = program::build(root, &WHOLE, "--bin", "payout-packaging")?;
    output(Command::new(writer).arg(&manual))?;
    let deb = debian_package(root, options, &folder)?;
    archive(&folder, &programs, &manual)?;
    container(&folder, &programs[0])?;
    bill_of_materials(root, &folder)?;
    checksums(&folder)?;
    report(&folder)?;
    if options.rehearse {
        return rehearse(root, &deb);
    }
    Ok(true)
}

/// The paths of the programs.
fn build(root: &Path, profile: &str) -> Result<Vec<PathBuf>> {
    let mut arguments = vec![
        "build",
        "--locked",
        "--profile",
        profile,
        "--message-format",
        "json-render-diagnostics",
    ];
    for (program, package) in PROGRAMS {
        arguments.extend(["--package", package, "--bin", program]);
    }
    let built = cargo::command(root, &arguments).stderr(std::process::Stdio::inherit()).output()?;
    let messages = String::from_utf8_lossy(&built.stdout);
    let path = |(name, _)| {
        let found = executable(&messages, name).filter(|_| built.status.success());
        found.ok_or_else(|| format!("{name} cannot be built; fix the errors above").into())
    };
    PROGRAMS.into_iter().map(path).collect()
}

fn debian_package(root: &Path, options: &Options, folder: &Path) -> Result<PathBuf> {
    let path = tools::ensure(root, tools::DEB)?;
    let mut command = cargo::command(root, &["deb", "--package", "payout-server", "--no-build"]);
    command.args(["--profile", &options.profile, "--output"]).arg(folder).env("PATH", path);
    let written = output(&mut command)?;
    Ok(PathBuf::from(written.trim()))
}

fn bill_of_materials(root: &Path, folder: &Path) -> Result<()> {
    let path = tools::ensure(root, tools::SBOM)?;
    for (program, package) in PROGRAMS {
        let mut command = cargo::command(root, &["sbom", "--cargo-package", package]);
        let bill = output(command.args(["--output-format", "spdx_json_2_3"]).env("PATH", &path))?;
        fs::write(folder.join(format!("{program}.spdx.json")), bill)?;
    }
    Ok(())
}

fn rehearse(root: &Path, deb: &Path) -> Result<bool> {
    progress("installing, starting, upgrading and purging the package");
    let script = root.join("server/packaging/rehearsal.sh");
    let mut command = Command::new("unshare");
    command.args(["--mount", "--pid", "--fork", "--propagation", "private", "bash"]);
    let status = command.arg(script).arg(deb).status();
    let status = status.map_err(|error| format!("unshare cannot be run: {error}"))?;
    Ok(status.success())
}

fn report(folder: &Path) -> Result<()> {
    let mut rows = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            let name = entry.file_name().to_string_lossy().into_owned();
            rows.push(vec![name, (entry.metadata()?.len() / 1024).to_string()]);
        }
    }
    rows.sort();
    let table = Table { columns: vec!["file", "KiB"], rows };
    anstream::println!("{}\nin {}", table.markdown(), folder.display());
    Ok(())
}

fn progress(message: &str) {
    anstream::eprintln!("dist: {message}");
}
