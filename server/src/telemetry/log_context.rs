//! The request behind a log line: its id, its trace, and its organisation once that is known. A
//! task-local variable carries them to all work of the request.

use std::{cell::OnceCell, sync::Arc};

use serde::{Serialize, Serializer};

use super::{spans::SpanIds, trace_parent::TraceParent};
use crate::id::OrganizationId;

/// The members of a request's log lines.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct LogContext {
    pub(crate) request_id: Arc<str>,
    #[serde(flatten)]
    pub(crate) trace_parent: Option<TraceParent>,
    #[serde(flatten)]
    span: Option<SpanIds>,
    #[serde(skip_serializing_if = "is_unknown", serialize_with = "known")]
    organization: OnceCell<OrganizationId>,
}

tokio::task_local! {
    static CURRENT: LogContext;
}

impl LogContext {
    /// Returns the context without its organisation, for a line that has it as a member of its own.
    pub(crate) fn without_organization(mut self) -> Self {
        self.organization.take();
        self
    }

    pub(crate) fn new(
        request_id: Arc<str>,
        trace_parent: Option<TraceParent>,
        span: Option<SpanIds>,
    ) -> Self {
        Self { request_id, trace_parent, span, organization: OnceCell::new() }
    }

    #[cfg(feature = "otlp")]
    pub(super) fn organization(&self) -> Option<&str> {
        self.organization.get().map(OrganizationId::as_str)
    }

    pub(crate) fn scope<F: Future>(self, work: F) -> impl Future<Output = F::Output> {
        CURRENT.scope(self, work)
    }
}

/// Returns the context of the request that the current work is for; `None` in a task of its own.
pub(crate) fn current() -> Option<LogContext> {
    CURRENT.try_with(LogContext::clone).ok()
}

/// Adds the organisation to all later log lines of the request.
pub(crate) fn set_organization(organization: &OrganizationId) {
    // Work that is for no request has no context, and a request has one organisation.
    let _ = CURRENT.try_with(|context| context.organization.set(organization.clone()));
}

/// Does work for the request with this context, on another thread or after its response has begun.
pub(crate) fn within<T>(context: Option<LogContext>, work: impl FnOnce() -> T) -> T {
    match context {
        Some(context) => CURRENT.sync_scope(context, work),
        None => work(),
    }
}

/// Gives work the current context, which it keeps when a task of its own runs it.
pub(crate) fn kept<F: Future>(work: F) -> impl Future<Output = F::Output> {
    kept_by(current(), work)
}

pub(crate) async fn kept_by<F: Future>(context: Option<LogContext>, work: F) -> F::Output {
    match context {
        Some(context) => context.scope(work).await,
        None => work.await,
    }
}

fn is_unknown(organization: &OnceCell<OrganizationId>) -> bool {
    organization.get().is_none()
}

fn known<S: Serializer>(
    organization: &OnceCell<OrganizationId>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    organization.get().map(OrganizationId::as_str).serialize(serializer)
}
