//! Responses to the positive controls of this run: one of each is enough for many cases.

use std::collections::HashMap;

use parking_lot::Mutex;

use crate::exchange::{Request, Response};

/// Responses by their requests, which show a key as its placeholder.
#[derive(Debug, Default)]
pub(crate) struct Controls(Mutex<HashMap<String, Response>>);

impl Controls {
    pub(crate) fn get(&self, request: &Request) -> Option<Response> {
        self.0.lock().get(&format!("{request:?}")).cloned()
    }

    pub(crate) fn keep(&self, request: &Request, response: &Response) {
        self.0.lock().insert(format!("{request:?}"), response.clone());
    }
}
