//! RAII guard for one request: dropping it at any point updates the connection's state.

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use hyper::body::{Body, Frame, SizeHint};

use super::monitored_io::SharedState;

/// A request, until its response is sent.
pub(super) struct RequestGuard {
    state: SharedState,
    has_response: bool,
}

impl RequestGuard {
    pub(super) fn begin(state: &SharedState) -> Self {
        state.lock().request_began();
        Self { state: state.clone(), has_response: false }
    }

    /// The response is ready to be sent; the guard moves into its body.
    pub(super) fn respond<B>(mut self, body: B) -> GuardedBody<B> {
        self.state.lock().response_began();
        self.has_response = true;
        GuardedBody { body, _guard: self }
    }
}

impl Drop for RequestGuard {
    fn drop(&mut self) {
        let mut state = self.state.lock();
        if self.has_response {
            state.response_ended();
        } else {
            state.request_dropped();
        }
    }
}

/// A response's body; the HTTP library drops it once it has been sent.
pub(super) struct GuardedBody<B> {
    body: B,
    _guard: RequestGuard,
}

impl<B: Body + Unpin> Body for GuardedBody<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
