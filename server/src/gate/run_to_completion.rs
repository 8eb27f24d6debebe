//! Finishes work although its client leaves or its deadline passes. The work runs in the task that
//! awaits it. If it is dropped half-way, a task of its own finishes it and logs a failure with the
//! request's id.

use std::{
    any::Any,
    borrow::Borrow,
    error::Error,
    future::Future,
    panic::AssertUnwindSafe,
    pin::Pin,
    task::{Context, Poll, ready},
};

use futures_util::{FutureExt, future::CatchUnwind};
use poem::Response;
use tokio::runtime::Handle;
use tokio_util::task::TaskTracker;

use openapi_runtime::Cause;

use crate::telemetry::log_context;

/// A future that always runs to its end. It returns the response of its work, or the work's panic.
pub(super) struct RunToCompletion<F>
where
    F: Future<Output: Borrow<Response> + Send> + Send + 'static,
{
    work: Option<Pin<Box<CatchUnwind<AssertUnwindSafe<F>>>>>,
    detached_tasks: TaskTracker,
}

impl<F> RunToCompletion<F>
where
    F: Future<Output: Borrow<Response> + Send> + Send + 'static,
{
    /// Wraps `work`, which continues in `detached_tasks` if it is dropped before its end.
    pub(super) fn new(detached_tasks: &TaskTracker, work: F) -> Self {
        Self {
            work: Some(Box::pin(AssertUnwindSafe(work).catch_unwind())),
            detached_tasks: detached_tasks.clone(),
        }
    }
}

impl<F> Future for RunToCompletion<F>
where
    F: Future<Output: Borrow<Response> + Send> + Send + 'static,
{
    type Output = Result<F::Output, Box<dyn Any + Send>>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let work = self.work.as_mut().expect("not polled after its end");
        let output = ready!(work.as_mut().poll(context));
        self.work = None;
        Poll::Ready(output)
    }
}

impl<F> Drop for RunToCompletion<F>
where
    F: Future<Output: Borrow<Response> + Send> + Send + 'static,
{
    fn drop(&mut self) {
        // Without a runtime the process is ending, and nothing can continue.
        if let (Some(work), Ok(_)) = (self.work.take(), Handle::try_current()) {
            self.detached_tasks.spawn(log_context::kept(async move {
                match work.await {
                    Ok(output) => {
                        let response: &Response = output.borrow();
                        if let Some(Cause(error)) = response.extensions().get() {
                            let error: &(dyn Error + 'static) = error.as_ref();
                            tracing::error!(error, "detached work failed");
                        }
                    }
                    Err(panic) => {
                        tracing::error!(panic = message(&*panic), "detached work panicked");
                    }
                }
            }));
        }
    }
}

pub(crate) fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}
