//! Everything that this process logs: lines of requests, and those of tracing once a test listens.

use std::{
    io,
    sync::{Mutex, Once, PoisonError},
};

use payout_server::telemetry;
use serde_json::Value;
use tracing_subscriber::EnvFilter;

/// A subscriber of one thread would miss lines that another thread logged first, because tracing
/// caches the interest in a line for all threads.
static BEGUN: Once = Once::new();

static WRITTEN: Mutex<Vec<u8>> = Mutex::new(Vec::new());

pub struct Written;

impl io::Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut written = WRITTEN.lock().unwrap_or_else(PoisonError::into_inner);
        written.extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Starts to keep the lines of tracing as well.
pub fn begin() {
    BEGUN.call_once(|| {
        let filter =
            EnvFilter::new("off,openapi_runtime=trace,payout_server=trace,payout_statement=trace");
        let subscriber = telemetry::lines(filter, || Written);
        tracing::subscriber::set_global_default(subscriber).expect("no other test listens");
    });
}

/// WARN and ERROR lines, as JSON. None has a member twice.
pub fn failures() -> Vec<Value> {
    let lines = lines();
    let is_once = |line: &String| line.matches("\"organization\":").count() <= 1;
    assert!(lines.iter().all(is_once));
    let lines = lines.into_iter();
    let lines = lines.map(|line| serde_json::from_str::<Value>(&line).expect("a JSON object"));
    lines.filter(|line| line["level"] == "ERROR" || line["level"] == "WARN").collect()
}

pub fn lines() -> Vec<String> {
    let written = WRITTEN.lock().unwrap_or_else(PoisonError::into_inner);
    let text = String::from_utf8(written.clone()).expect("log lines are UTF-8");
    text.lines().map(str::to_owned).collect()
}
