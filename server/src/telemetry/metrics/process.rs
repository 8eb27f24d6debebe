//! The process, under the names that Prometheus gives its own: CPU time, memory, open files, start.

use std::{
    fmt,
    fs::{read_dir, read_to_string},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use prometheus_client::{
    collector::Collector,
    encoding::{DescriptorEncoder, EncodeMetric},
    metrics::{MetricType, counter::ConstCounter, gauge::ConstGauge},
};
use rustix::time::{ClockId, clock_gettime};

/// Reads the system at each scrape. Memory and open files are known on Linux only.
#[derive(Debug)]
pub(super) struct Process {
    /// Since 1970.
    started: Duration,
}

impl Process {
    pub(super) fn starting() -> Self {
        let started = SystemTime::now().duration_since(UNIX_EPOCH);
        Self { started: started.unwrap_or_default() }
    }
}

impl Collector for Process {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let (name, help) =
            ("process_start_time_seconds", "Start of the process, in seconds since 1970");
        let started = encoder.encode_descriptor(name, help, None, MetricType::Gauge)?;
        ConstGauge::new(self.started.as_secs_f64()).encode(started)?;
        let (name, help) = ("process_cpu_seconds", "CPU time of the process, user and system");
        let used = encoder.encode_descriptor(name, help, None, MetricType::Counter)?;
        ConstCounter::new(cpu_time().as_secs_f64()).encode(used)?;
        for (name, help, value) in [
            ("process_resident_memory_bytes", "Memory of the process in RAM", resident_bytes()),
            ("process_open_fds", "Open file descriptors", open_files()),
        ] {
            if let Some(value) = value {
                let gauge = encoder.encode_descriptor(name, help, None, MetricType::Gauge)?;
                ConstGauge::new(value).encode(gauge)?;
            }
        }
        Ok(())
    }
}

fn cpu_time() -> Duration {
    clock_gettime(ClockId::ProcessCPUTime).try_into().unwrap_or_default()
}

fn resident_bytes() -> Option<i64> {
    let status = read_to_string("/proc/self/status").ok()?;
    let kibibytes = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: i64 = kibibytes.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kibibytes * 1024)
}

fn open_files() -> Option<i64> {
    // One of them reads the folder.
    let open = read_dir("/proc/self/fd").ok()?.count().saturating_sub(1);
    open.try_into().ok()
}
