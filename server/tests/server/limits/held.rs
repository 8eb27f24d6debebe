//! Routes that a test holds: each request waits until it is let go.
//!
//! They refuse to answer before.

use std::sync::{Arc, Mutex};

use payout_server::gate::Caller;
use poem::{Endpoint, EndpointExt, Request, Response, endpoint::make};
use tokio::sync::Semaphore;

/// The key to routes that hold their requests.
#[derive(Clone)]
pub struct Held {
    permits: Arc<Semaphore>,
    began: Arc<Mutex<Vec<String>>>,
    ended: Arc<Mutex<Vec<String>>>,
}

impl Held {
    pub fn new() -> Self {
        Self {
            permits: Arc::new(Semaphore::new(0)),
            began: Arc::default(),
            ended: Arc::default(),
        }
    }

    /// Routes that answer 200 once they are let go.
    pub fn routes(&self) -> impl Endpoint<Output = Response> + use<> {
        let held = self.clone();
        make(move |request: Request| {
            let held = held.clone();
            async move {
                let caller = request.data::<Caller>().expect("the gate sets it");
                let organization = caller.organization.to_string();
                held.began.lock().unwrap().push(organization.clone());
                held.permits.acquire().await.unwrap().forget();
                held.ended.lock().unwrap().push(organization);
                let response = Response::builder().content_type("application/json");
                response.body(r#"{"data":[]}"#)
            }
        })
        .map_to_response()
    }

    /// Lets so many requests go.
    pub fn let_go(&self, requests: usize) {
        self.permits.add_permits(requests);
    }

    /// The organisations whose requests have begun, in their order.
    pub fn began(&self) -> Vec<String> {
        self.began.lock().unwrap().clone()
    }

    /// The same of those that have ended.
    pub fn ended(&self) -> Vec<String> {
        self.ended.lock().unwrap().clone()
    }
}
