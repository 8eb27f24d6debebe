//! Whose processor time is whose: the server's, its PostgreSQL's, and the load's, which is all the rest that we started.
//!
//! It refuses to count the bench's own load as somebody else's, whichever program makes it.

use std::{process, time::Duration};

use super::cpu::{Processes, peak_bytes};

/// The processes of a deployment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Meter {
    /// The shell below which the server is.
    keeper: u32,
    /// The supervisor below which PostgreSQL is.
    supervisor: u32,
}

/// Processor time since the start.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CpuTimes {
    pub(crate) server: Duration,
    pub(crate) postgres: Duration,
    /// Of this process, and of what it runs to make a load, such as pgbench.
    pub(crate) load: Duration,
}

/// The supervisor of a cluster that has just been started, as our only child; `None` where the system does not tell.
pub(crate) fn only_child() -> Option<u32> {
    Processes::now()?.children(process::id()).next()
}

impl Meter {
    /// Of the server below `keeper` and the PostgreSQL below `supervisor`.
    pub(crate) fn of(keeper: u32, supervisor: u32) -> Self {
        Self { keeper, supervisor }
    }

    /// Processor time so far; `None` where the system does not tell.
    pub(crate) fn now(self) -> Option<CpuTimes> {
        Processes::now().map(|processes| self.read(&processes, process::id()))
    }

    /// Most memory that the server had resident so far, in bytes; `None` where the system does not tell.
    pub(crate) fn server_peak_bytes(self) -> Option<u64> {
        let server = Processes::now()?.children(self.keeper).next();
        peak_bytes(server?)
    }

    fn read(self, processes: &Processes, ours: u32) -> CpuTimes {
        let server = processes.time_of(self.keeper);
        let postgres = processes.time_of(self.supervisor);
        let all = processes.time_of(ours);
        CpuTimes {
            server,
            postgres,
            load: all.saturating_sub(server + postgres),
        }
    }
}

impl CpuTimes {
    /// What was taken since `earlier`.
    pub(crate) fn since(self, earlier: Self) -> Self {
        Self {
            server: self.server.saturating_sub(earlier.server),
            postgres: self.postgres.saturating_sub(earlier.postgres),
            load: self.load.saturating_sub(earlier.load),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn load_is_what_neither_server_nor_postgres_took() {
        // 1 is the bench, 2 the keeper of server 3, 4 the supervisor of PostgreSQL 5, 6 a pgbench.
        let ticks = [
            (1, 0, 7),
            (2, 1, 1),
            (3, 2, 100),
            (4, 1, 2),
            (5, 4, 200),
            (6, 1, 30),
        ];
        let meter = Meter::of(2, 4);
        let times = meter.read(&Processes::made_of(&ticks), 1);
        let milliseconds = |time: Duration| time.as_millis();
        assert_eq!(milliseconds(times.server), 1_010);
        assert_eq!(milliseconds(times.postgres), 2_020);
        assert_eq!(milliseconds(times.load), 370);
        let later = CpuTimes {
            load: Duration::from_secs(1),
            ..times
        };
        assert_eq!(milliseconds(later.since(times).load), 630);
        assert_eq!(milliseconds(later.since(times).server), 0);
    }
}
