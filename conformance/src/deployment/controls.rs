//! Responses to the positive controls of this run: one of each is enough for many cases.

use std::collections::HashMap;

use parking_lot::Mutex;

use crate::exchange::{Key, Request, Response};

#[derive(Debug, Default)]
pub(crate) struct Controls(Mutex<HashMap<String, Response>>);

impl Controls {
    pub(crate) fn get(&self, request: &Request) -> Option<Response> {
        self.0.lock().get(&name(request)).cloned()
    }

    pub(crate) fn keep(&self, request: &Request, response: &Response) {
        self.0.lock().insert(name(request), response.clone());
    }
}

fn name(Request { method, target, key, headers, body }: &Request) -> String {
    let key = match key {
        Key::Secret(key) => key.placeholder(),
        other => format!("{other:?}"),
    };
    format!("{method} {target} {key} {headers:?} {body:?}")
}
