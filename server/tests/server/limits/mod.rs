//! Every line of the table in `LIMITS.md`, over real sockets: requests within a limit pass, and
//! requests beyond it end. The suite's client sends whole requests within them.
//!
//! | file | claim |
//! |---|---|
//! | `connections` | open connections, and when one ends |
//! | `sizes` | the size of a body |
//! | `http2` | the same over HTTP/2 |
//! | `stopping` | a request has a deadline, and its work continues; a stopping server |
//! | `shedding` | a busy organisation is rejected, a quiet one served |

mod connections;
mod http2;
mod shedding;
mod sizes;
mod stopping;

use std::sync::{Arc, Mutex};

use payout_server::{
    contract::Arguments,
    gate::{Caller, Handler},
};
use poem::Response;
use tokio::sync::Semaphore;

/// A handler that holds each request until the test releases it; a clone controls it.
#[derive(Clone)]
struct Held {
    permits: Arc<Semaphore>,
    began: Arc<Mutex<Vec<String>>>,
    ended: Arc<Mutex<Vec<String>>>,
}

impl Held {
    fn new() -> Self {
        Self { permits: Arc::new(Semaphore::new(0)), began: Arc::default(), ended: Arc::default() }
    }

    fn release(&self, requests: usize) {
        self.permits.add_permits(requests);
    }

    /// The organisations whose requests have begun, in order.
    fn began(&self) -> Vec<String> {
        self.began.lock().unwrap().clone()
    }

    /// The organisations whose requests have ended, in order.
    fn ended(&self) -> Vec<String> {
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
