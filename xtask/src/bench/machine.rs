//! Describes the machine and the commit of a report, without the names of the machine or its user.

use std::{env::consts, fs, path::Path, process::Command, thread};

/// Such as `AMD EPYC 7B13, 2 cores, linux x86_64; commit 0123abc, with changes.`
pub(crate) fn machine(root: &Path) -> String {
    let cpuinfo = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let processor = processor(&cpuinfo).unwrap_or("unknown processor");
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let (system, architecture) = (consts::OS, consts::ARCH);
    let commit = commit(root);
    format!("{processor}, {cores} cores, {system} {architecture}; commit {commit}.")
}

fn processor(cpuinfo: &str) -> Option<&str> {
    let mut lines = cpuinfo.lines();
    let line = lines.find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim())
}

/// `unknown` in an unpacked archive, which has no history.
fn commit(root: &Path) -> String {
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        let output = command.args(arguments).current_dir(root).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        output.status.success().then(|| text.trim().to_owned())
    };
    let commit = git(&["rev-parse", "--short", "HEAD"]);
    let commit = commit.unwrap_or_else(|| "unknown".to_owned());
    match git(&["status", "--porcelain"]) {
        Some(changes) if !changes.is_empty() => format!("{commit}, with changes"),
        _ => commit,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processor_is_read_from_cpuinfo() {
        let cpuinfo = "processor\t: 0\nmodel name\t: Some CPU @ 2.00GHz\nprocessor\t: 1\n";
        assert_eq!(processor(cpuinfo), Some("Some CPU @ 2.00GHz"));
        assert_eq!(processor("processor : 0"), None);
    }
}
