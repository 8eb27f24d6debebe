// Written once by `contract skeleton` from requests.yaml.
//! The server. Every handler has the signature that the document gives it; replace what they
//! return.

#![allow(unused_imports, clippy::wildcard_imports, reason = "handlers use the types")]
mod contract;

use contract::{
    ErrorCode, Operation, Problem, Routes,
    service::{Authenticate, Service},
    traits::{Api, DefaultApi},
    types::*,
};
use openapi_runtime::ErrorCode as _;
use poem::{Request, Server, listener::TcpListener};
use serde_json::Value;

/// The handlers, with what they need: a pool of connections, for example.
struct App;

/// Who calls.
#[derive(Clone)]
struct Caller;

impl Api for App {
    type Caller = Caller;
    type Failure = Problem;
}

impl DefaultApi for App {
    async fn send_form(&self, _caller: Caller, _: Filter) -> Result<(), Problem> {
        Err(not_implemented("sendForm"))
    }
    async fn send_rows(&self, _caller: Caller, _: Filter) -> Result<(), Problem> {
        Err(not_implemented("sendRows"))
    }
    async fn read_brackets(&self, _caller: Caller, _: ReadBracketsQuery) -> Result<(), Problem> {
        Err(not_implemented("readBrackets"))
    }
    async fn require_brackets(
        &self,
        _caller: Caller,
        _: RequireBracketsQuery,
    ) -> Result<(), Problem> {
        Err(not_implemented("requireBrackets"))
    }
    async fn read_members(&self, _caller: Caller, _: ReadMembersQuery) -> Result<(), Problem> {
        Err(not_implemented("readMembers"))
    }
    async fn read_separated(&self, _caller: Caller, _: ReadSeparatedQuery) -> Result<(), Problem> {
        Err(not_implemented("readSeparated"))
    }
    async fn read_json(&self, _caller: Caller, _: ReadJsonQuery) -> Result<(), Problem> {
        Err(not_implemented("readJson"))
    }
    async fn send_text(&self, _caller: Caller, _: String) -> Result<(), Problem> {
        Err(not_implemented("sendText"))
    }
    async fn send_text_or_none(&self, _caller: Caller, _: String) -> Result<(), Problem> {
        Err(not_implemented("sendTextOrNone"))
    }
    async fn send_image(&self, _caller: Caller, _: Vec<u8>) -> Result<SendImageReply, Problem> {
        Err(not_implemented("sendImage"))
    }
    async fn read_empty(
        &self,
        _caller: Caller,
        _: ReadEmptyQuery,
    ) -> Result<openapi_runtime::Content<TextCsvMedia>, Problem> {
        Err(not_implemented("readEmpty"))
    }
    async fn read_alternative(
        &self,
        _caller: Caller,
        _: ReadAlternativeQuery,
    ) -> Result<(), Problem> {
        Err(not_implemented("readAlternative"))
    }
    async fn read_values(&self, _caller: Caller, _: ReadValuesQuery) -> Result<(), Problem> {
        Err(not_implemented("readValues"))
    }
    async fn send_values(&self, _caller: Caller, _: Values) -> Result<(), Problem> {
        Err(not_implemented("sendValues"))
    }
    async fn add_animal(&self, _caller: Caller, _: AnimalRequest) -> Result<Animal, Problem> {
        Err(not_implemented("addAnimal"))
    }
    async fn get_animal(&self, _caller: Caller, _: String) -> Result<Animal, Problem> {
        Err(not_implemented("getAnimal"))
    }
    async fn cancel_animal(
        &self,
        _caller: Caller,
        _: i64,
        _: Option<String>,
    ) -> Result<(), Problem> {
        Err(not_implemented("cancelAnimal"))
    }
    async fn get_file(
        &self,
        _caller: Caller,
        _: String,
        _: String,
        _: String,
    ) -> Result<(), Problem> {
        Err(not_implemented("getFile"))
    }
    async fn upload(&self, _caller: Caller, _: Upload) -> Result<(), Problem> {
        Err(not_implemented("upload"))
    }
}

fn not_implemented(operation: &str) -> Problem {
    Problem::new(ErrorCode::INTERNAL_ERROR, format!("{operation} is not implemented yet."))
}

impl openapi_runtime::FillError<HttpValidationError> for ErrorCode {
    fn fill(self, _message: String, _details: Option<Value>) -> HttpValidationError {
        unimplemented!("fill `HttpValidationError`")
    }
}

impl Authenticate for App {
    /// Denies every operation that requires a proof, until this function checks those that
    /// `security` of the operation names.
    async fn authenticate(
        &self,
        operation: Operation,
        _request: &Request,
    ) -> Result<Caller, Problem> {
        if operation.info().is_open() {
            return Ok(Caller);
        }
        let message = "The server checks no proof of who calls yet, so it admits nobody.";
        Err(Problem::new(ErrorCode::UNAUTHORIZED, message))
    }
}

/// How large a body may be, in bytes; `with_body_limit_of` sets the limit of one operation.
const BODY_LIMIT: usize = 64 * 1024;

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let address = std::env::var("ADDRESS").unwrap_or("127.0.0.1:8080".to_owned());
    println!("http://{address}");
    let service = Service::new(Routes::new(App)).with_body_limit(BODY_LIMIT);
    Server::new(TcpListener::bind(address)).run(service).await
}
