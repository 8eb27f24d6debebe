//! One request on its connection: begun, answered, taken by the client.
//!
//! It refuses to be forgotten: given up at any point, it ends.

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use hyper::body::{Body, Frame, SizeHint};

use super::watched::Watch;

/// A request, until its answer is taken.
#[derive(Debug)]
pub(super) struct Exchanging {
    watch: Watch,
    has_answer: bool,
}

impl Exchanging {
    /// A head was read whole.
    pub(super) fn begin(watch: &Watch) -> Self {
        watch.activity().request_began();
        Self {
            watch: watch.clone(),
            has_answer: false,
        }
    }

    /// The answer is ready; it is the client's turn.
    pub(super) fn answer<B>(mut self, body: B) -> AnswerBody<B> {
        self.watch.activity().answer_began();
        self.has_answer = true;
        AnswerBody {
            body,
            _exchanging: self,
        }
    }
}

impl Drop for Exchanging {
    fn drop(&mut self) {
        let mut activity = self.watch.activity();
        if self.has_answer {
            activity.answer_ended();
        } else {
            activity.request_dropped();
        }
    }
}

/// The body of an answer, which is dropped when it was taken whole.
#[derive(Debug)]
pub(super) struct AnswerBody<B> {
    body: B,
    _exchanging: Exchanging,
}

impl<B: Body + Unpin> Body for AnswerBody<B> {
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
