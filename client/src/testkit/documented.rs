//! The documented answers, as `answers.json` has them: the generator writes it from the document.

use std::{collections::BTreeMap, sync::LazyLock};

use serde::Deserialize;
use serde_json::Value;

use crate::Operation;

static DOCUMENTED: LazyLock<Documented> = LazyLock::new(|| {
    serde_json::from_str(include_str!("answers.json")).expect("the generator wrote it")
});

#[derive(Deserialize)]
struct Documented {
    operations: BTreeMap<String, OperationAnswers>,
    unrouted: BTreeMap<u16, String>,
    responses: BTreeMap<String, Response>,
}

#[derive(Deserialize)]
struct OperationAnswers {
    /// The name of the response of each status.
    responses: BTreeMap<u16, String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Response {
    pub(super) headers: BTreeMap<String, String>,
    /// Those that a response may lack.
    pub(super) optional_headers: BTreeMap<String, String>,
    pub(super) media_type: Option<String>,
    pub(super) bodies: Vec<Body>,
}

#[derive(Deserialize)]
pub(super) struct Body {
    pub(super) example: Option<String>,
    pub(super) code: Option<String>,
    pub(super) body: Value,
    #[serde(default)]
    pub(super) places: Places,
}

/// JSON pointers to what a newer server may change in a body, and to what depends on the server.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Places {
    /// Objects that may gain fields.
    pub(super) objects: Vec<String>,
    /// Texts of a set of values.
    pub(super) sets: Vec<String>,
    /// Links to the server.
    pub(super) links: Vec<String>,
    /// Positions in a list, null on its last page.
    pub(super) cursors: Vec<String>,
}

/// Every response of an operation, ascending by status.
pub(super) fn responses(operation: Operation) -> impl Iterator<Item = (u16, &'static Response)> {
    let answers = DOCUMENTED.operations.get(operation.id());
    let names = answers.into_iter().flat_map(|answers| &answers.responses);
    names.map(|(status, name)| (*status, &DOCUMENTED.responses[name]))
}

/// The response to a request that no operation answers.
pub(super) fn unrouted(status: u16) -> Option<&'static Response> {
    DOCUMENTED.unrouted.get(&status).map(|name| &DOCUMENTED.responses[name])
}

/// Every link in a documented body.
pub(super) fn links() -> impl Iterator<Item = &'static str> {
    let bodies = DOCUMENTED.responses.values().flat_map(|response| &response.bodies);
    bodies
        .flat_map(|body| body.places.links.iter().filter_map(|at| body.body.pointer(at)?.as_str()))
}
