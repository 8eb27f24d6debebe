//! For programs without asynchronous code.

use std::{io, ops::Deref, pin::pin};

use futures_util::{Stream, StreamExt};

use crate::Client;

/// A client whose calls a program waits for.
///
/// It dereferences to the [`Client`], so that every call is made as usual; [`wait`](Self::wait)
/// waits for its result, and [`iter`](Self::iter) for the items of a list. Asynchronous code must
/// not wait with it, but may drop it.
///
/// ```no_run
/// use payout_client::{Blocking, Client};
///
/// fn main() -> Result<(), Box<dyn std::error::Error>> {
///     let client = Blocking::new(Client::from_env()?)?;
///     let payout = client.wait(client.get_payout("pay_01JV3N8Q5RHWXK2M4P6S7T9V0A").send())?;
///     println!("{}", payout.data.stage);
///     for partner in client.iter(client.list_partners().stream()) {
///         println!("{}", partner?.name);
///     }
///     Ok(())
/// }
/// ```
#[derive(Debug)]
pub struct Blocking {
    client: Client,
    /// `None` only while it is dropped.
    runtime: Option<tokio::runtime::Runtime>,
}

impl Blocking {
    /// Wraps a client.
    ///
    /// # Errors
    /// The system gives no resources for asynchronous input and output.
    pub fn new(client: Client) -> io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        Ok(Self { client, runtime: Some(runtime) })
    }

    /// Waits for the result of a call.
    ///
    /// # Panics
    /// It is called by asynchronous code, which must not wait.
    pub fn wait<F: Future>(&self, call: F) -> F::Output {
        self.runtime.as_ref().expect("it is not being dropped").block_on(call)
    }

    /// Waits for each page or item of a list when the program asks for it.
    ///
    /// # Panics
    /// It is used by asynchronous code, which must not wait.
    pub fn iter<S: Stream + Unpin>(&self, mut list: S) -> impl Iterator<Item = S::Item> {
        std::iter::from_fn(move || self.wait(pin!(&mut list).next()))
    }
}

impl Deref for Blocking {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.client
    }
}

/// The runtime ends without waiting for its tasks, because waiting panics in asynchronous code.
impl Drop for Blocking {
    fn drop(&mut self) {
        self.runtime.take().into_iter().for_each(tokio::runtime::Runtime::shutdown_background);
    }
}
