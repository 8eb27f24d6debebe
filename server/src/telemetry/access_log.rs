//! One JSON line per request: who, what, how it ended, how long it took, and of a 5xx also why. No
//! header's value, no query, no body and no file name of a download is written.
//!
//! Lines are formatted and written by a thread of their own, many at once. One that stops writes
//! what is left; where writing is too slow, lines are dropped, counted, and the log says how many.

use std::{
    io::Write,
    mem,
    net::IpAddr,
    sync::Arc,
    thread::{self, JoinHandle},
    time::Duration,
};

use chrono::{DateTime, SecondsFormat, Utc};
use parking_lot::{Condvar, Mutex};
use poem::http::Method;
use serde::{Serialize, Serializer};
use tracing::Level;

use super::{log_context::LogContext, log_escape, metrics::Metrics};

/// Lines that wait to be written; above it, new ones are dropped. Twice as many may wait with those
/// of failed requests, which are needed more.
pub const LINES_LIMIT: usize = 16_384;
/// Lines gather for this time before they are written, so that most requests wake no thread.
const GATHER_TIME: Duration = Duration::from_millis(10);

#[derive(Debug, Serialize)]
pub(crate) struct Line {
    #[serde(serialize_with = "microseconds")]
    pub(crate) timestamp: DateTime<Utc>,
    #[serde(serialize_with = "level")]
    pub(crate) level: Level,
    pub(crate) target: &'static str,
    #[serde(flatten)]
    pub(crate) context: LogContext,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) client: Option<IpAddr>,
    #[serde(serialize_with = "method")]
    pub(crate) method: Method,
    /// The path without its query: a mistaken client may have put its key there.
    pub(crate) path: String,
    pub(crate) operation: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) key_id: Option<Arc<str>>,
    pub(crate) status: u16,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) code: Option<&'static str>,
    pub(crate) duration_us: u64,
    #[serde(flatten)]
    pub(crate) failure: Option<FailureReport>,
}

#[derive(Debug, Serialize)]
pub(crate) struct FailureReport {
    /// The cause of a 503, as metrics count it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cause: Option<&'static str>,
    pub(crate) error: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) sqlstate: Option<String>,
}

/// Queues lines for the thread that writes them. The default writes none.
#[derive(Clone, Default)]
pub struct AccessLog(Option<Arc<Shared>>);

/// The thread that writes. Dropped, it writes what is left.
pub struct AccessLogWriter {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    queue: Mutex<Queue>,
    arrived: Condvar,
    max_level: Level,
    metrics: Metrics,
}

#[derive(Debug, Default)]
struct Queue {
    lines: Vec<Line>,
    dropped: u64,
    is_closed: bool,
}

impl AccessLog {
    /// Writes lines up to `max_level` to `output`, and counts dropped ones in `metrics`.
    ///
    /// # Panics
    /// The system has no thread left.
    pub fn start(
        output: impl Write + Send + 'static,
        max_level: Level,
        metrics: Metrics,
    ) -> (Self, AccessLogWriter) {
        let (queue, arrived) = (Mutex::default(), Condvar::new());
        let shared = Arc::new(Shared { queue, arrived, max_level, metrics });
        let of_thread = Arc::clone(&shared);
        let thread = thread::Builder::new().name("access-log".to_owned());
        let thread = thread.spawn(move || write_all(&of_thread, output)).expect("a thread");
        let writer = AccessLogWriter { shared: Arc::clone(&shared), thread: Some(thread) };
        (Self(Some(shared)), writer)
    }

    pub(crate) fn is_on(&self) -> bool {
        self.0.is_some()
    }

    pub(crate) fn log(&self, line: Line) {
        let Some(shared) = self.0.as_ref().filter(|shared| line.level <= shared.max_level) else {
            return;
        };
        let limit = if line.failure.is_some() { 2 * LINES_LIMIT } else { LINES_LIMIT };
        let mut queue = shared.queue.lock();
        if queue.lines.len() >= limit {
            queue.dropped += 1;
            shared.metrics.log_lines_dropped.inc();
            return;
        }
        queue.lines.push(line);
        if queue.lines.len() == 1 {
            shared.arrived.notify_one();
        }
    }
}

impl Drop for AccessLogWriter {
    fn drop(&mut self) {
        self.shared.queue.lock().is_closed = true;
        self.shared.arrived.notify_one();
        // A panic of the thread has been printed.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// Writes lines until the log is closed and empty.
fn write_all(shared: &Shared, mut output: impl Write) {
    let (mut lines, mut text) = (Vec::new(), Vec::new());
    loop {
        let mut queue = shared.queue.lock();
        let is_idle = |queue: &mut Queue| queue.lines.is_empty() && !queue.is_closed;
        shared.arrived.wait_while(&mut queue, is_idle);
        let is_closed = queue.is_closed;
        drop(queue);
        if !is_closed {
            thread::sleep(GATHER_TIME);
        }
        let mut queue = shared.queue.lock();
        mem::swap(&mut queue.lines, &mut lines);
        let dropped = mem::take(&mut queue.dropped);
        drop(queue);
        if is_closed && lines.is_empty() {
            return;
        }
        for line in lines.drain(..) {
            serde_json::to_writer(&mut text, &line).expect("a line can be written to memory");
            text.push(b'\n');
        }
        let written = log_escape::escaped(str::from_utf8(&text).expect("JSON is UTF-8"));
        // Where standard error is gone, nobody can be told.
        let _ = output.write_all(written.as_bytes()).and_then(|()| output.flush());
        text.clear();
        if dropped > 0 {
            tracing::warn!(
                dropped,
                "lines of requests were dropped: the log is written too slowly"
            );
        }
    }
}

fn microseconds<S: Serializer>(time: &DateTime<Utc>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&time.to_rfc3339_opts(SecondsFormat::Micros, true))
}

fn method<S: Serializer>(method: &Method, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(method.as_str())
}

fn level<S: Serializer>(level: &Level, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(level.as_str())
}

#[cfg(test)]
mod tests {
    use std::{io, sync::mpsc};

    use super::*;

    fn line(path: &str) -> Line {
        Line {
            timestamp: "2026-05-20T09:30:00.123456Z".parse().unwrap(),
            level: Level::INFO,
            target: "request",
            context: LogContext::new("r1".into(), None, None),
            client: Some([127, 0, 0, 1].into()),
            method: Method::GET,
            path: path.to_owned(),
            operation: "getPayout",
            key_id: Some("key_1".into()),
            status: 404,
            code: Some("NOT_FOUND"),
            duration_us: 512,
            failure: None,
        }
    }

    fn failed(path: &str) -> Line {
        let failure = Some(FailureReport { cause: None, error: "lost".to_owned(), sqlstate: None });
        Line { level: Level::WARN, status: 503, failure, ..line(path) }
    }

    /// Sends what is written; waits for leave before each write.
    struct Slow {
        written: mpsc::Sender<Vec<u8>>,
        leave: mpsc::Receiver<()>,
    }

    impl Write for Slow {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let _ = self.leave.recv();
            self.written.send(bytes.to_vec()).unwrap();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn slow(
        max_level: Level,
    ) -> (AccessLog, AccessLogWriter, mpsc::Receiver<Vec<u8>>, mpsc::Sender<()>, Metrics) {
        let ((written, read), (may, leave)) = (mpsc::channel(), mpsc::channel());
        let metrics = Metrics::default();
        let (log, writer) = AccessLog::start(Slow { written, leave }, max_level, metrics.clone());
        (log, writer, read, may, metrics)
    }

    #[test]
    fn path_that_turns_a_terminal_around_is_escaped() {
        let (log, writer, read, may, _) = slow(Level::INFO);
        may.send(()).unwrap();
        log.log(line("/api/\u{202e}gnp.exe\u{9b}2J"));
        drop(writer);
        let written = String::from_utf8(read.recv().unwrap()).unwrap();
        assert!(written.contains(r#""path":"/api/\u202egnp.exe\u009b2J""#), "{written}");
    }

    #[test]
    fn lines_are_written_before_the_writer_ends() {
        let (log, writer, read, may, _) = slow(Level::INFO);
        for number in 0..1_000 {
            log.log(line(&format!("/{number}")));
        }
        drop(may);
        drop(writer);
        let written: Vec<u8> = read.iter().flatten().collect();
        assert_eq!(written.iter().filter(|byte| **byte == b'\n').count(), 1_000);
    }

    #[test]
    fn lines_beyond_the_limit_are_dropped_and_counted() {
        let (log, writer, read, may, metrics) = slow(Level::INFO);
        log.log(line("/first"));
        // The writer has the first line, and waits for leave.
        while !log.0.as_ref().unwrap().queue.lock().lines.is_empty() {
            thread::yield_now();
        }
        for _ in 0..LINES_LIMIT + 3 {
            log.log(line("/more"));
        }
        assert!(metrics.encode().contains("payout_log_lines_dropped_total 3\n"));
        for _ in 0..LINES_LIMIT + 4 {
            log.log(failed("/more"));
        }
        assert!(metrics.encode().contains("payout_log_lines_dropped_total 7\n"));
        drop(may);
        drop(writer);
        let written: Vec<u8> = read.iter().flatten().collect();
        assert_eq!(written.iter().filter(|byte| **byte == b'\n').count(), 2 * LINES_LIMIT + 1);
    }

    #[test]
    fn only_failures_are_written_where_the_level_is_warn() {
        let (log, writer, read, may, metrics) = slow(Level::WARN);
        may.send(()).unwrap();
        log.log(line("/fine"));
        log.log(failed("/failed"));
        drop(writer);
        let written = String::from_utf8(read.recv().unwrap()).unwrap();
        assert!(
            written.contains(r#""path":"/failed","#) && !written.contains("/fine"),
            "{written}"
        );
        assert!(written.ends_with("\"error\":\"lost\"}\n"), "{written}");
        assert!(metrics.encode().contains("payout_log_lines_dropped_total 0\n"));
    }
}
