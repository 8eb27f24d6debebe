//! Log lines: one JSON object each, on standard error. A line that a request causes names it, and
//! an error's causes are written with it. The formatter finds both when it writes a line.

use std::{error::Error, fmt};

use serde::Serialize;
use tracing::{
    Event, Level, Subscriber,
    field::{Field, Visit},
};
use tracing_subscriber::{
    EnvFilter,
    fmt::{
        FmtContext, FormatEvent, FormatFields, MakeWriter,
        format::{Format, Json, Writer},
    },
    registry::LookupSpan,
};

use super::{
    causes,
    log_context::{self, LogContext},
    log_escape,
};

const DEFAULT_FILTER: &str = "info,sqlx=warn,poem=warn";

/// Starts writing log lines, those that `RUST_LOG` selects. A second call changes nothing.
pub(crate) fn begin() {
    let filter =
        EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(DEFAULT_FILTER));
    // An error means that this process has a subscriber already, which stays.
    let _ = tracing::subscriber::set_global_default(lines(filter, std::io::stderr));
}

/// Returns the most detailed level of request lines that is written; `None` if none is.
pub(crate) fn request_level() -> Option<Level> {
    if tracing::enabled!(target: "request", Level::INFO) {
        Some(Level::INFO)
    } else if tracing::enabled!(target: "request", Level::WARN) {
        Some(Level::WARN)
    } else {
        tracing::enabled!(target: "request", Level::ERROR).then_some(Level::ERROR)
    }
}

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
        .map_event_format(WithContext);
    subscriber.with_env_filter(filter).with_writer(output).finish()
}

/// The format of JSON; what is known of the cause and of the request comes last.
struct WithContext(Format<Json>);

/// The causes of a member that is an error.
#[derive(Default, Serialize)]
struct Causes {
    #[serde(skip_serializing_if = "Option::is_none")]
    caused_by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sqlstate: Option<String>,
}

impl Visit for Causes {
    fn record_debug(&mut self, _: &Field, _: &dyn fmt::Debug) {}

    fn record_error(&mut self, _: &Field, error: &(dyn Error + 'static)) {
        let causes = causes::with_causes(error);
        self.caused_by = causes.strip_prefix(&format!("{error}: ")).map(ToOwned::to_owned);
        self.sqlstate = causes::sqlstate(error);
    }
}

impl<S, N> FormatEvent<S, N> for WithContext
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
        #[derive(Serialize)]
        struct Added {
            #[serde(flatten)]
            causes: Causes,
            #[serde(flatten)]
            request: Option<LogContext>,
        }
        let mut line = String::new();
        self.0.format_event(context, Writer::new(&mut line), event)?;
        let mut causes = Causes::default();
        event.record(&mut causes);
        let mut request = log_context::current();
        if event.metadata().fields().field("organization").is_some() {
            request = request.map(LogContext::without_organization);
        }
        let added = Added { causes, request };
        let added = serde_json::to_string(&added).map_err(|_| fmt::Error)?;
        if let (Some(open), Some(members)) =
            (line.trim_end().strip_suffix('}'), added.strip_prefix('{'))
            && members != "}"
        {
            line = format!("{open},{members}\n");
        }
        writer.write_str(&log_escape::escaped(&line))
    }
}
