//! The machine that a report comes from, without the names of the machine or its user.

use std::{
    env::consts,
    fmt::{self, Display},
    fs,
    path::Path,
    process::Command,
    thread,
};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Machine {
    /// Such as `AMD EPYC 7B13`.
    pub(crate) processor: String,
    /// Available to this process.
    pub(crate) cores: usize,
    /// Such as `linux x86_64`.
    pub(crate) system: String,
    /// The measured commit, and whether the work tree differs from it.
    pub(crate) commit: String,
}

impl Machine {
    /// This machine with the project in `root`.
    pub(crate) fn this(root: &Path) -> Self {
        let cpuinfo = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        Self {
            processor: processor(&cpuinfo)
                .unwrap_or("unknown processor")
                .to_owned(),
            cores: thread::available_parallelism().map_or(1, usize::from),
            system: format!("{} {}", consts::OS, consts::ARCH),
            commit: commit(root),
        }
    }
}

impl Display for Machine {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            processor,
            cores,
            system,
            commit,
        } = self;
        write!(
            formatter,
            "{processor}, {cores} cores, {system}; commit {commit}."
        )
    }
}

fn processor(cpuinfo: &str) -> Option<&str> {
    let line = cpuinfo
        .lines()
        .find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim())
}

/// `unknown` in an unpacked archive, which has no history.
fn commit(root: &Path) -> String {
    let git = |arguments: &[&str]| {
        let output = Command::new("git")
            .args(arguments)
            .current_dir(root)
            .output()
            .ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        output.status.success().then(|| text.trim().to_owned())
    };
    match (
        git(&["rev-parse", "--short", "HEAD"]),
        git(&["status", "--porcelain"]),
    ) {
        (Some(commit), Some(changes)) if changes.is_empty() => commit,
        (Some(commit), _) => format!("{commit}, with changes"),
        (None, _) => "unknown".to_owned(),
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
