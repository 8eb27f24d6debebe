//! Processor time and memory of processes, as Linux tells them in /proc.
//!
//! It refuses to guess: where there is no /proc, a figure is absent, and the report says so.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
    time::Duration,
};

const PROC: &str = "/proc";
/// Linux tells processor time in hundredths of a second, whatever its timer does (USER_HZ).
const TICK: Duration = Duration::from_millis(10);

/// One process at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Process {
    parent: u32,
    /// Its own ticks, and those of its children that have ended.
    ticks: u64,
}

/// Every process of this machine at one moment.
#[derive(Clone, Debug)]
pub(crate) struct Processes(BTreeMap<u32, Process>);

impl Processes {
    /// Those of now; `None` where the system does not tell.
    pub(crate) fn now() -> Option<Self> {
        let mut processes = BTreeMap::new();
        for entry in fs::read_dir(PROC).ok()?.flatten() {
            let id = entry
                .file_name()
                .to_str()
                .and_then(|name| name.parse().ok());
            // One that has just ended is no fault.
            let stat = id.and_then(|_: u32| fs::read_to_string(entry.path().join("stat")).ok());
            if let (Some(id), Some(process)) = (id, stat.as_deref().and_then(parse)) {
                processes.insert(id, process);
            }
        }
        (!processes.is_empty()).then_some(Self(processes))
    }

    /// Processes as they are told: id, parent, ticks.
    #[cfg(test)]
    pub(crate) fn made_of(told: &[(u32, u32, u64)]) -> Self {
        let told = told.iter();
        Self(
            told.map(|(id, parent, ticks)| {
                (
                    *id,
                    Process {
                        parent: *parent,
                        ticks: *ticks,
                    },
                )
            })
            .collect(),
        )
    }

    /// The processor time of a process and all below it.
    pub(crate) fn time_of(&self, root: u32) -> Duration {
        let ids = self.tree(root);
        let ticks: u64 = ids.iter().map(|id| self.0[id].ticks).sum();
        TICK.saturating_mul(u32::try_from(ticks).unwrap_or(u32::MAX))
    }

    /// The children of a process.
    pub(crate) fn children(&self, parent: u32) -> impl Iterator<Item = u32> {
        let children = self
            .0
            .iter()
            .filter(move |(_, process)| process.parent == parent);
        children.map(|(id, _)| *id)
    }

    /// A process and all below it.
    pub(crate) fn tree(&self, root: u32) -> BTreeSet<u32> {
        let mut found = BTreeSet::new();
        let mut open = vec![root];
        while let Some(id) = open.pop() {
            if self.0.contains_key(&id) && found.insert(id) {
                open.extend(self.children(id));
            }
        }
        found
    }
}

/// Most memory that a process had resident so far, in bytes; `None` where the system does not tell.
pub(crate) fn peak_bytes(process: u32) -> Option<u64> {
    let status = Path::new(PROC).join(process.to_string()).join("status");
    parse_peak(&fs::read_to_string(status).ok()?)
}

/// `pid (name) state ppid … utime stime cutime cstime …`; the name may hold anything, brackets too.
fn parse(stat: &str) -> Option<Process> {
    let (_, rest) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    let times = fields.get(11..15)?.iter();
    let ticks: Result<Vec<u64>, _> = times.map(|ticks| ticks.parse()).collect();
    Some(Process {
        parent: fields.get(1)?.parse().ok()?,
        ticks: ticks.ok()?.iter().sum(),
    })
}

fn parse_peak(status: &str) -> Option<u64> {
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kibibytes * 1_024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_with_brackets_does_not_move_the_fields() {
        let stat = "41 (a) b (c)) S 7 41 41 0 -1 4194560 1 2 3 4 10 20 300 4000 20 0 1 0 5 6 7";
        let process = parse(stat).unwrap();
        assert_eq!((process.parent, process.ticks), (7, 4_330));
        assert_eq!(parse("41 (cut) S 7"), None);
    }

    #[test]
    fn time_is_that_of_the_whole_tree_and_of_nothing_else() {
        let told = [(1, 0, 1_000), (2, 1, 10), (3, 2, 5), (4, 3, 1), (5, 1, 500)];
        let processes = Processes::made_of(&told);
        assert_eq!(processes.time_of(2), Duration::from_millis(160));
        assert_eq!(processes.children(1).collect::<Vec<_>>(), [2, 5]);
        assert_eq!(processes.time_of(9), Duration::ZERO);
    }

    #[test]
    fn peak_is_told_in_bytes() {
        assert_eq!(
            parse_peak("Name:\tx\nVmHWM:\t   2048 kB\n"),
            Some(2_097_152)
        );
        assert_eq!(parse_peak("Name:\tx\n"), None);
    }
}
