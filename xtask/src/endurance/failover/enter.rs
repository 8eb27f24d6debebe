//! Runs this command again in namespaces of its own, with a network that nothing else is in. The
//! kernel ends every process in them when this process ends, however it ends.

use std::{
    env,
    path::Path,
    process::{Command, Stdio},
};

use crate::Result;

/// Programs of the rehearsal, the packages of Debian that have them, and arguments with which the
/// program only says that it is there.
const PARTS: [(&str, &str, &[&str]); 7] = [
    ("unshare", "util-linux", &["--version"]),
    ("setpriv", "util-linux", &["--version"]),
    ("ip", "iproute2", &["-Version"]),
    ("etcd", "etcd-server", &["--version"]),
    ("patroni", "patroni", &["--version"]),
    // Patroni's client for the API of version 2, of the interpreter that Debian's Patroni uses.
    ("/usr/bin/python3", "python3-etcd", &["-c", "import etcd"]),
    ("haproxy", "haproxy", &["-v"]),
];
const NAMESPACES: [&str; 4] = ["--mount", "--net", "--pid", "--fork"];
/// The first process of the namespaces, which takes over orphans; without the last command the
/// shell would be replaced by the program.
const FIRST_PROCESS: &str = r#""$@"; exit $?"#;

/// An error that names what is missing, and the command that installs it.
pub(crate) fn check() -> Result<()> {
    let missing: Vec<_> = PARTS.iter().filter(|(program, _, test)| !runs(program, test)).collect();
    if !missing.is_empty() {
        let programs: Vec<_> = missing.iter().map(|(program, ..)| *program).collect();
        let mut packages: Vec<_> = missing.iter().map(|(_, package, _)| *package).collect();
        packages.dedup();
        return Err(format!(
            "the rehearsal needs {}, which cannot be run here. On Debian and Ubuntu:\n  apt-get \
             install --no-install-recommends {}",
            programs.join(", "),
            packages.join(" ")
        )
        .into());
    }
    let may = Command::new("unshare").args(NAMESPACES).arg("true").stderr(Stdio::null()).status();
    if !may.is_ok_and(|status| status.success()) {
        return Err(
            "the rehearsal makes namespaces of network and processes, which this user may \
                    not do: run it as root, in a container with `--privileged`"
                .into(),
        );
    }
    Ok(())
}

/// Runs this command with further arguments in new namespaces; `false` where it had findings.
pub(super) fn run(arguments: &[&Path]) -> Result<bool> {
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "KILL", "unshare"]).args(NAMESPACES);
    command.args(["--kill-child", "--mount-proc", "sh", "-c", FIRST_PROCESS, "sh"]);
    command.arg(env::current_exe()?).args(env::args_os().skip(1)).args(arguments);
    match command.status()?.code() {
        Some(0) => Ok(true),
        Some(1) => Ok(false),
        _ => Err("the rehearsal did not come to its end".into()),
    }
}

fn runs(program: &str, arguments: &[&str]) -> bool {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
