//! A handler that holds each request until the test releases it.

use std::sync::{Arc, Mutex};

use payout_server::{
    contract::Arguments,
    gate::{Caller, Handler},
};
use poem::Response;
use tokio::sync::Semaphore;

/// Holds requests; a clone controls it.
#[derive(Clone)]
pub struct Held {
    permits: Arc<Semaphore>,
    began: Arc<Mutex<Vec<String>>>,
    ended: Arc<Mutex<Vec<String>>>,
}

impl Held {
    pub fn new() -> Self {
        Self { permits: Arc::new(Semaphore::new(0)), began: Arc::default(), ended: Arc::default() }
    }

    /// Releases this many requests.
    pub fn release(&self, requests: usize) {
        self.permits.add_permits(requests);
    }

    /// The organisations whose requests have begun, in order.
    pub fn began(&self) -> Vec<String> {
        self.began.lock().unwrap().clone()
    }

    /// The organisations whose requests have ended, in order.
    pub fn ended(&self) -> Vec<String> {
        self.ended.lock().unwrap().clone()
    }
}

/// Returns 200 once it is released.
impl Handler for Held {
    async fn handle(&self, caller: &Caller, _: Box<Arguments>) -> Response {
        let organization = caller.organization.to_string();
        self.began.lock().unwrap().push(organization.clone());
        self.permits.acquire().await.unwrap().forget();
        self.ended.lock().unwrap().push(organization);
        Response::builder().content_type("application/json").body(r#"{"data":[]}"#)
    }
}
