//! What a project chooses: where its documents and its generated files are, and which names of its
//! document have a meaning for the generator. `contract.toml`.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use strum::{IntoStaticStr, VariantArray};

/// The configuration of the generator. Paths are relative to the folder of the file.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Config {
    /// The document.
    pub document: String,
    /// Files that change the document before it is read (OpenAPI Overlay 1.0).
    pub overlays: Vec<String>,
    /// The folder of released documents.
    pub released: String,
    /// The breaking changes that were accepted, with their reasons.
    pub accepted: String,
    /// The command that generated files name.
    pub command: String,
    /// The server's contract.
    pub server: Option<ServerConfig>,
    /// The client; left out, none is generated.
    pub client: Option<ClientConfig>,
    /// The packages that `contract consumers` compiles with the client of a changed document.
    pub consumers: Vec<ConsumerConfig>,
    /// The index of operations, one line each; left out, none is generated.
    pub index: Option<String>,
    /// The schemas of types that the runtime has.
    pub scalars: BTreeMap<Scalar, String>,
    /// The query parameters of lists.
    pub lists: Lists,
    /// The schema of every error.
    pub error: ErrorConfig,
    /// The security scheme whose `x-scopes` are the scopes.
    pub security_scheme: String,
    /// The ids of operations that are not generated; `contract coverage` tells which are not
    /// supported.
    pub leave_out: Vec<String>,
    /// The levels of `contract breaking`: `"error"`, `"warning"` or `"off"` by rule.
    pub breaking: BTreeMap<String, String>,
    /// Names of schemas by their pointers, where two types would have the same.
    pub names: BTreeMap<String, String>,
    /// The severities of `contract lint`: `"error"`, `"warning"` or `"off"` by rule.
    pub lint: BTreeMap<String, String>,
}

/// Where the server's contract is.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ServerConfig {
    /// A folder of generated files alone: the module `contract` of the server.
    pub folder: String,
    /// The document as JSON, for the server to publish; left out, none is written.
    pub json: Option<String>,
    /// True to write `service.rs`; a server with a pipeline of its own does not need it.
    pub service: bool,
    /// The header parameters that the server handles before it calls a handler, in lower case; all
    /// others are arguments of handlers.
    pub handled_headers: Vec<String>,
    /// The header parameters that no handler gets and no value of which is rejected, in lower case.
    pub ignored_headers: Vec<String>,
    /// The headers of responses that the server's own code writes, in lower case: those of errors,
    /// and those that no handler fills.
    pub written_headers: Vec<String>,
    /// What becomes of query parameters that the document does not have.
    pub unknown_parameters: UnknownParameters,
    /// How many bytes a part of a form may have; left out, as many as the body.
    pub part_limit: Option<u64>,
    /// True to write the routes in the form of poem-openapi, for a server that serves them by it.
    pub poem_openapi: bool,
}

/// What becomes of query parameters that the document does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum UnknownParameters {
    #[default]
    Reject,
    Ignore,
}

/// Where the client is, and what it has by hand.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ClientConfig {
    /// The generated file.
    pub file: String,
    /// True for a package with its own `Connection`, `Error`, `Response` and lists; otherwise the
    /// client has those of openapi-client, which reads no lists.
    #[serde(default)]
    pub by_hand: bool,
    /// The name of the client's crate, as examples in its documentation import it; left out, there
    /// are none.
    #[serde(default)]
    pub name: Option<String>,
    /// Ids of operations that the server has, and the client has not.
    #[serde(default)]
    pub leave_out: Vec<String>,
    /// The file of documented answers, for a server in the tests of callers; left out, none is
    /// generated.
    pub answers: Option<String>,
    /// The header parameters that the client sets itself, in lower case; all others are arguments.
    #[serde(default)]
    pub handled_headers: Vec<String>,
    /// Schemas with a hand-written type: name and path.
    #[serde(default)]
    pub types: BTreeMap<String, String>,
}

/// A package that uses the client.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ConsumerConfig {
    /// Its `Cargo.toml`.
    pub manifest: String,
    /// Arguments of `cargo check`, such as `--examples`; without any it checks what it does by
    /// default: the library and the programs.
    #[serde(default)]
    pub arguments: Vec<String>,
}

/// The types of the runtime, each for a schema that has its name by default.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, IntoStaticStr, VariantArray,
)]
#[serde(rename_all = "kebab-case")]
pub enum Scalar {
    /// An exact amount with two fraction digits.
    Money,
    /// An exact sum of amounts.
    MoneySum,
    /// An instant in UTC with milliseconds.
    Timestamp,
    /// An instant in any form of RFC 3339.
    RequestTimestamp,
    /// A position in a list.
    Cursor,
}

/// The names of query parameters that select a page, and no rows.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Lists {
    /// The size of a page.
    pub limit: String,
    /// Where it begins.
    pub cursor: String,
}

/// The schema of errors, and the members that a problem fills.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ErrorConfig {
    /// The name of the schema.
    pub schema: String,
    /// The member with the code.
    pub code: String,
    /// The member with the text for people.
    pub message: String,
    /// The member with structured details, where there is one.
    pub details: String,
    /// Other members: a constant, or `"{status}"`, `"{reason}"`, `"{code}"` and `"{message}"`.
    pub members: BTreeMap<String, Value>,
    /// The schemas of errors that the server fills itself, with `FillError`.
    pub by_hand: Vec<String>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            document: "openapi/api.yaml".to_owned(),
            overlays: Vec::new(),
            released: "openapi/released".to_owned(),
            accepted: "openapi/accepted.toml".to_owned(),
            command: "contract codegen".to_owned(),
            server: Some(ServerConfig::default()),
            client: None,
            consumers: Vec::new(),
            index: None,
            scalars: Scalar::VARIANTS.iter().map(|it| (*it, format!("{it:?}"))).collect(),
            lists: Lists::default(),
            error: ErrorConfig::default(),
            security_scheme: "ApiKey".to_owned(),
            leave_out: Vec::new(),
            breaking: BTreeMap::new(),
            names: BTreeMap::new(),
            lint: BTreeMap::new(),
        }
    }
}

impl Default for ServerConfig {
    fn default() -> Self {
        Self {
            folder: "src/contract".to_owned(),
            json: None,
            service: true,
            handled_headers: Vec::new(),
            ignored_headers: Vec::new(),
            written_headers: Vec::new(),
            unknown_parameters: UnknownParameters::Reject,
            part_limit: None,
            poem_openapi: false,
        }
    }
}

impl Default for Lists {
    fn default() -> Self {
        Self { limit: "limit".to_owned(), cursor: "cursor".to_owned() }
    }
}

impl Default for ErrorConfig {
    fn default() -> Self {
        Self {
            schema: "Error".to_owned(),
            code: "code".to_owned(),
            message: "message".to_owned(),
            details: "details".to_owned(),
            members: BTreeMap::new(),
            by_hand: Vec::new(),
        }
    }
}

impl Config {
    /// Reads the text of a `contract.toml`.
    ///
    /// # Errors
    /// An unknown name, or a value of another type, with its line.
    pub fn parse(text: &str) -> Result<Self, toml::de::Error> {
        toml::from_str(text)
    }

    /// The name of a scalar's schema.
    pub(crate) fn scalar(&self, scalar: Scalar) -> &str {
        self.scalars.get(&scalar).map_or_else(|| scalar.into(), String::as_str)
    }

    /// The first line of every generated Rust file.
    pub(crate) fn header(&self) -> String {
        format!("{}. Do not edit.", self.origin())
    }

    /// The first line of a file that its owner changes from then on.
    pub(crate) fn written_once(&self) -> String {
        format!("Written once by `contract skeleton` from {}.", self.document)
    }

    /// What made a file, and from what.
    pub(crate) fn origin(&self) -> String {
        format!("Generated by `{}` from {}", self.command, self.document)
    }
}

impl Lists {
    pub(crate) fn has(&self, parameter: &str) -> bool {
        [&self.limit, &self.cursor].iter().any(|name| *name == parameter)
    }
}

/// The code for a cursor of another list; a document without cursors needs none.
pub(crate) const INVALID_CURSOR: &str = "INVALID_CURSOR";

/// The codes for requests that reach no operation, with the statuses by which they are found in a
/// document that has other codes.
pub(crate) const OUTSIDE: [(&str, u16); 4] = [
    ("UNAUTHORIZED", 401),
    ("NOT_FOUND", 404),
    ("METHOD_NOT_ALLOWED", 405),
    ("PAYLOAD_TOO_LARGE", 413),
];

/// The codes that the runtime answers with, by their names in `openapi_runtime::ErrorCode`, and
/// their statuses in a document without codes.
pub(crate) const ROLES: [(&str, u16); 5] = [
    ("INVALID_JSON", 400),
    (INVALID_CURSOR, 400),
    ("UNSUPPORTED_MEDIA_TYPE", 415),
    ("VALIDATION_FAILED", 422),
    ("INTERNAL_ERROR", 500),
];
