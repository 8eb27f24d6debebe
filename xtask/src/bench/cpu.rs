//! Processor time and memory of processes, from Linux's /proc. Without /proc the values are
//! missing, and the report shows them as absent.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, process,
    time::Duration,
};

/// The unit of processor time in /proc (USER_HZ).
const TICK: Duration = Duration::from_millis(10);

#[derive(Clone, Copy, Debug)]
pub(crate) struct Meter {
    /// The shell that runs the server.
    pub(crate) keeper: u32,
    /// The process that supervises PostgreSQL.
    pub(crate) supervisor: u32,
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CpuTimes {
    pub(crate) server: Duration,
    pub(crate) postgres: Duration,
    /// The time of this process and its other children, such as pgbench.
    pub(crate) load: Duration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Process {
    parent: u32,
    /// Its own ticks, and those of its children that have ended.
    ticks: u64,
}

/// Every process by its id; none without /proc.
#[derive(Clone, Debug)]
struct Processes(BTreeMap<u32, Process>);

/// The child processes of this one.
pub(crate) fn our_children() -> BTreeSet<u32> {
    Processes::now().children(process::id()).collect()
}

impl Meter {
    /// Processor time so far.
    pub(crate) fn now(self) -> Option<CpuTimes> {
        let processes = Processes::now();
        (!processes.0.is_empty()).then(|| self.read(&processes, process::id()))
    }

    /// Peak resident memory of the server, in bytes.
    pub(crate) fn server_peak_bytes(self) -> Option<u64> {
        let server = Processes::now().children(self.keeper).next()?;
        parse_peak(&fs::read_to_string(format!("/proc/{server}/status")).ok()?)
    }

    fn read(self, processes: &Processes, ours: u32) -> CpuTimes {
        let server = processes.time_of(self.keeper);
        let postgres = processes.time_of(self.supervisor);
        let load = processes.time_of(ours).saturating_sub(server + postgres);
        CpuTimes { server, postgres, load }
    }
}

impl CpuTimes {
    pub(crate) fn between(before: Option<Self>, after: Option<Self>) -> Option<Self> {
        let (before, after) = (before?, after?);
        Some(Self {
            server: after.server.saturating_sub(before.server),
            postgres: after.postgres.saturating_sub(before.postgres),
            load: after.load.saturating_sub(before.load),
        })
    }
}

impl Processes {
    fn now() -> Self {
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        let processes = entries.filter_map(|entry| {
            let id = entry.file_name().to_str()?.parse().ok()?;
            // A process may end between the listing and this read.
            Some((id, parse(&fs::read_to_string(entry.path().join("stat")).ok()?)?))
        });
        Self(processes.collect())
    }

    /// The processor time of a process and all its descendants.
    fn time_of(&self, root: u32) -> Duration {
        let Some(process) = self.0.get(&root) else {
            return Duration::ZERO;
        };
        let own = TICK.saturating_mul(u32::try_from(process.ticks).unwrap_or(u32::MAX));
        own + self.children(root).map(|child| self.time_of(child)).sum::<Duration>()
    }

    fn children(&self, parent: u32) -> impl Iterator<Item = u32> {
        let processes = self.0.iter();
        let children = processes.filter(move |(_, process)| process.parent == parent);
        children.map(|(id, _)| *id)
    }
}

/// `pid (name) state ppid … utime stime cutime cstime …`; the name may contain brackets.
fn parse(stat: &str) -> Option<Process> {
    let (_, rest) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    let times = fields.get(11..15)?.iter();
    let ticks: Result<Vec<u64>, _> = times.map(|ticks| ticks.parse()).collect();
    Some(Process { parent: fields.get(1)?.parse().ok()?, ticks: ticks.ok()?.iter().sum() })
}

/// `VmHWM: 2048 kB` in bytes.
fn parse_peak(status: &str) -> Option<u64> {
    let value = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = value.split_whitespace().next()?.parse().ok()?;
    Some(kibibytes * 1_024)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Id, parent, ticks.
    fn processes(list: &[(u32, u32, u64)]) -> Processes {
        let process = |&(id, parent, ticks): &_| (id, Process { parent, ticks });
        Processes(list.iter().map(process).collect())
    }

    #[test]
    fn name_with_brackets_does_not_shift_the_fields() {
        let stat = "41 (a) b (c)) S 7 41 41 0 -1 4194560 1 2 3 4 10 20 300 4000 20 0 1 0 5 6 7";
        let process = parse(stat).unwrap();
        assert_eq!((process.parent, process.ticks), (7, 4_330));
        assert_eq!(parse("41 (cut) S 7"), None);
    }

    #[test]
    fn time_is_that_of_the_whole_tree_and_of_nothing_else() {
        let list = [(1, 0, 1_000), (2, 1, 10), (3, 2, 5), (4, 3, 1), (5, 1, 500)];
        let processes = processes(&list);
        assert_eq!(processes.time_of(2), Duration::from_millis(160));
        assert_eq!(processes.children(1).collect::<Vec<_>>(), [2, 5]);
        assert_eq!(processes.time_of(9), Duration::ZERO);
    }

    #[test]
    fn load_is_what_neither_server_nor_postgres_took() {
        // 1 is the bench, 2 the keeper of server 3, 4 the supervisor of PostgreSQL 5, 6 a pgbench.
        let list = [(1, 0, 7), (2, 1, 1), (3, 2, 100), (4, 1, 2), (5, 4, 200), (6, 1, 30)];
        let times = Meter { keeper: 2, supervisor: 4 }.read(&processes(&list), 1);
        assert_eq!(times.server, Duration::from_millis(1_010));
        assert_eq!(times.postgres, Duration::from_millis(2_020));
        assert_eq!(times.load, Duration::from_millis(370));
        let load = Duration::from_secs(1);
        let between = CpuTimes::between(Some(times), Some(CpuTimes { load, ..times })).unwrap();
        assert_eq!(between.load, Duration::from_millis(630));
        assert_eq!(between.server, Duration::ZERO);
    }
}
