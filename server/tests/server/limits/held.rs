//! Routes that hold each request until the test releases it.

use std::sync::{Arc, Mutex};

use payout_server::gate::Caller;
use poem::{Endpoint, EndpointExt, Request, Response, endpoint::make};
use tokio::sync::Semaphore;

/// Controls routes that hold their requests.
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

    /// Routes that return 200 once they are released.
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
