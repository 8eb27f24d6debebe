//! Log lines: one JSON object each, on standard error.

use tracing_subscriber::{EnvFilter, fmt};

/// Which lines are written without `RUST_LOG`.
const DEFAULT_FILTER: &str = "info,sqlx=warn,poem=warn";

/// Starts writing log lines, those that `RUST_LOG` selects. A second call changes nothing.
pub(crate) fn begin() {
    let filter =
        EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(DEFAULT_FILTER));
    let subscriber = fmt()
        .json()
        .flatten_event(true)
        // Such an error is printed on standard error, which is what failed: that would panic.
        .log_internal_errors(false)
        .with_current_span(false)
        .with_span_list(false);
    // An error means that this process has a subscriber already, which stays.
    let _ = subscriber.with_env_filter(filter).with_writer(std::io::stderr).try_init();
}
