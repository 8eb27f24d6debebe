//! The desk of a library: a server that is generated from `openapi/api.yaml`, with its data in
//! memory. Handlers are in a file for each tag of the document.

mod books;
mod contract;
mod copies;
mod fines;
mod library;
mod loans;
mod readers;
mod reservations;

use std::{
    env, io,
    process::ExitCode,
    sync::{Mutex, MutexGuard},
};

use contract::{
    ErrorCode, Operation, Problem, Routes,
    service::{Authenticate, Service},
    traits::Api,
};
use library::Library;
use poem::{
    Request, Server,
    http::header::AUTHORIZATION,
    listener::{Acceptor as _, Listener as _, TcpListener},
};
use sha2::{Digest as _, Sha256};

/// The handlers, with what they need.
struct App {
    /// The hash of the key: its comparison takes as long for every wrong key.
    key_digest: Vec<u8>,
    library: Mutex<Library>,
}

/// Somebody with the key, or anybody if the operation requires none.
#[derive(Clone)]
struct Caller;

impl App {
    fn new(key: &str) -> Self {
        Self { key_digest: digest(key), library: Mutex::default() }
    }

    fn library(&self) -> MutexGuard<'_, Library> {
        self.library.lock().expect("no handler panics")
    }
}

impl Api for App {
    type Caller = Caller;
    type Failure = Problem;
}

impl Authenticate for App {
    async fn authenticate(
        &self,
        operation: Operation,
        request: &Request,
    ) -> Result<Caller, Problem> {
        let header = request.headers().get(AUTHORIZATION);
        let key = header.and_then(|value| value.to_str().ok()?.strip_prefix("Bearer "));
        if operation.info().is_open() || key.is_some_and(|key| digest(key) == self.key_digest) {
            return Ok(Caller);
        }
        let message = "Send the key of the desk as `authorization: Bearer KEY`.";
        Err(Problem::new(ErrorCode::Unauthorized, message))
    }
}

fn digest(key: &str) -> Vec<u8> {
    Sha256::digest(key).to_vec()
}

#[tokio::main]
async fn main() -> io::Result<ExitCode> {
    let Some(key) = env::var("LIBRARY_KEY").ok().filter(|key| !key.is_empty()) else {
        eprintln!("There is no key for the desk. Choose one: LIBRARY_KEY=secret cargo run");
        return Ok(ExitCode::from(2));
    };
    let address = env::var("ADDRESS").unwrap_or("127.0.0.1:8080".to_owned());
    let acceptor = TcpListener::bind(address).into_acceptor().await?;
    // With the port that was free, where ADDRESS has the port 0.
    for address in acceptor.local_addr().iter().filter_map(|address| address.as_socket_addr()) {
        println!("http://{address}");
    }
    let service = Service::new(Routes::new(App::new(&key)));
    Server::new_with_acceptor(acceptor).run(service).await?;
    Ok(ExitCode::SUCCESS)
}
