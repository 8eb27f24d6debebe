//! Where log lines go: standard error, one JSON object a line.
//!
//! It refuses a format for people here: a person reads the demo's tour, a machine reads the log.

use tracing_subscriber::{EnvFilter, fmt};

/// Which lines are written, unless the environment says otherwise.
const DEFAULT_FILTER: &str = "info,sqlx=warn,poem=warn";

/// Begins to write log lines; `RUST_LOG` chooses which. A second call changes nothing.
pub fn begin() {
    let filter =
        EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(DEFAULT_FILTER));
    let subscriber = fmt()
        .json()
        .flatten_event(true)
        // Told on standard error, which is just what is broken then: that would be a panic.
        .log_internal_errors(false)
        .with_current_span(false)
        .with_span_list(false);
    // An error says that somebody else in this process has begun before: their lines go on.
    let _ = subscriber
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .try_init();
}
