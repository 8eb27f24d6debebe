//! Log lines: one JSON object each, on standard error. A line that a request causes has the
//! request's id, which the formatter reads only when it writes a line.

use std::fmt;

use tracing::{Event, Subscriber};
use tracing_subscriber::{
    EnvFilter,
    fmt::{
        FmtContext, FormatEvent, FormatFields, MakeWriter,
        format::{Format, Json, Writer},
    },
    registry::LookupSpan,
};

use super::request_id;

/// Which lines are written without `RUST_LOG`.
const DEFAULT_FILTER: &str = "info,sqlx=warn,poem=warn";

/// Starts writing log lines, those that `RUST_LOG` selects. A second call changes nothing.
pub(crate) fn begin() {
    let filter =
        EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(DEFAULT_FILTER));
    // An error means that this process has a subscriber already, which stays.
    let _ = tracing::subscriber::set_global_default(lines(filter, std::io::stderr));
}

/// Writes the log lines that the filter selects.
pub fn lines(
    filter: EnvFilter,
    output: impl for<'writer> MakeWriter<'writer> + Send + Sync + 'static,
) -> impl Subscriber + Send + Sync {
    let subscriber = tracing_subscriber::fmt()
        .json()
        .flatten_event(true)
        // Such an error is printed on standard error, which is what failed: that would panic.
        .log_internal_errors(false)
        .with_current_span(false)
        .with_span_list(false)
        .map_event_format(WithRequestId);
    subscriber.with_env_filter(filter).with_writer(output).finish()
}

/// The format of JSON, with the request's id as the last member.
struct WithRequestId(Format<Json>);

impl<S, N> FormatEvent<S, N> for WithRequestId
where
    S: Subscriber + for<'span> LookupSpan<'span>,
    N: for<'writer> FormatFields<'writer> + 'static,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let Some(id) = request_id::current() else {
            return self.0.format_event(context, writer, event);
        };
        let mut line = String::new();
        self.0.format_event(context, Writer::new(&mut line), event)?;
        let open = line.trim_end().strip_suffix('}').ok_or(fmt::Error)?;
        // No character of an id is escaped in JSON.
        writeln!(writer, "{open},\"request_id\":\"{id}\"}}")
    }
}
