//! The response that a request must get, by the document and the decided order of checks. Paths are
//! matched here and values validated by the document's schemas, without the server's router and
//! rules.

use std::{collections::BTreeSet, fmt};

use openapi_document::Operation;
use percent_encoding::percent_decode_str;

use crate::{
    matrices::document::{DOCUMENT, is_documented, is_promised},
    support::TestResponse,
};

/// The result of matching method and path (R5).
#[derive(Clone)]
pub(super) enum Route {
    Operation(&'static Operation),
    /// The path has only these other methods.
    OtherMethods(String),
    Unknown,
}

/// The kind of key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Caller {
    Nobody,
    /// A key without the operation's scope.
    WithoutScope,
    WithoutCredits,
    /// Of an organisation that may be beyond its minute: 429, or the usual response.
    Hurried {
        has_scope: bool,
    },
    Welcome,
}

/// A fault in a request's form.
#[derive(Clone, Debug)]
pub(super) struct Fault {
    /// The status of a request with only this fault.
    pub status: u16,
    /// For a 422: part and pointer that an issue must name, as in `query /limit`.
    pub place: Option<String>,
}

/// The expected response.
#[derive(Debug)]
pub(super) struct Expectation {
    pub route: Route,
    pub caller: Caller,
    pub faults: Vec<Fault>,
    /// The request's id, if it is echoed (R13).
    pub request_id: Option<String>,
}

impl Route {
    /// Matches a method and a path as it is sent, without the query.
    pub(super) fn of(method: &str, path: &str) -> Self {
        let here = DOCUMENT.operations().iter().filter(|operation| is_path_of(operation, path));
        let here: Vec<&'static Operation> = here.collect();
        if let Some(operation) = here.iter().find(|operation| operation.method.as_str() == method) {
            return Self::Operation(operation);
        }
        if here.is_empty() {
            return Self::Unknown;
        }
        let methods: BTreeSet<&str> =
            here.iter().map(|operation| operation.method.as_str()).collect();
        Self::OtherMethods(methods.into_iter().collect::<Vec<_>>().join(", "))
    }
}

impl fmt::Debug for Route {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Operation(operation) => formatter.write_str(&operation.id),
            Self::OtherMethods(methods) => write!(formatter, "a path of {methods}"),
            Self::Unknown => formatter.write_str("an unknown path"),
        }
    }
}

impl Fault {
    pub(super) fn new(status: u16) -> Self {
        Self { status, place: None }
    }

    /// A 422 with an issue in this part of the request, at this pointer.
    pub(super) fn at(part: &str, pointer: &str) -> Self {
        Self { status: 422, place: Some(format!("{part} {pointer}")) }
    }
}

impl Expectation {
    /// The operation that handles the request.
    pub(super) fn operation_id(&self) -> Option<&str> {
        match &self.route {
            Route::Operation(operation) => Some(&operation.id),
            Route::OtherMethods(_) | Route::Unknown => None,
        }
    }

    /// Whether a response is one that the request must get; the error is the first difference.
    pub(super) fn is_met_by(&self, response: &TestResponse) -> Result<(), String> {
        let status = response.status.as_u16();
        let due = self.due(status);
        if !due.contains(&status) {
            return Err(format!("{status} is not one of {due:?}"));
        }
        if self.request_id.is_some()
            && self.request_id.as_deref() != response.header("x-request-id")
        {
            return Err("the request's id is not echoed".to_owned());
        }
        match &self.route {
            Route::Operation(operation) => is_documented(response, &operation.id)?,
            Route::OtherMethods(methods) if response.header("allow") != Some(methods) => {
                return Err(format!("allow is not {methods}"));
            }
            // The response to HEAD has headers only.
            Route::OtherMethods(_) | Route::Unknown if response.text.is_empty() => {}
            Route::OtherMethods(_) | Route::Unknown => {
                let mut promised = DOCUMENT.unrouted_responses().iter();
                let documented = promised.find(|documented| documented.status.matches(status));
                is_promised(response, documented.ok_or("it is not documented")?)?;
            }
        }
        if status == 422 { self.reports_what_is_wrong(response) } else { Ok(()) }
    }

    /// The expected statuses, in the decided order of checks; a valid request may find no resource,
    /// or be rejected for its state.
    fn due(&self, answered: u16) -> Vec<u16> {
        match (&self.route, self.caller) {
            (Route::Unknown, _) => return vec![404],
            (Route::OtherMethods(_), _) => return vec![405],
            (Route::Operation(_), Caller::Nobody) => return vec![401],
            (Route::Operation(_), Caller::Hurried { .. }) if answered == 429 => return vec![429],
            (Route::Operation(_), Caller::WithoutScope | Caller::Hurried { has_scope: false }) => {
                return vec![403];
            }
            (Route::Operation(_), _) => {}
        }
        let due = [415, 413, 400, 422];
        let first =
            due.into_iter().find(|status| self.faults.iter().any(|fault| fault.status == *status));
        match (first, self.caller) {
            (Some(status), _) => vec![status],
            (None, Caller::WithoutCredits) => vec![402],
            (None, _) => vec![200, 201, 404, 422],
        }
    }

    /// A 422 of the form names each faulty place; one of references names them; one of a state has
    /// its own code.
    fn reports_what_is_wrong(&self, response: &TestResponse) -> Result<(), String> {
        let is_form = response.code() == "VALIDATION_FAILED";
        if is_form == self.faults.is_empty() {
            return Err(format!("{} does not match {:?}", response.code(), self.faults));
        }
        if !is_form && response.code() != "INVALID_REFERENCE" {
            return Ok(());
        }
        let issues = response.issues();
        let is_reported =
            |place: &String| issues.iter().any(|issue| issue.starts_with(&format!("{place} ")));
        let places = self.faults.iter().filter_map(|fault| fault.place.as_ref());
        let missing: Vec<&String> = places.filter(|place| !is_reported(place)).collect();
        match (issues.is_empty(), missing.is_empty()) {
            (true, _) => Err("no issue is named".to_owned()),
            (_, false) => Err(format!("no issue names {missing:?}")),
            _ => Ok(()),
        }
    }
}

/// Segment by segment, case-sensitively; a parameter is any segment that decodes to a text without
/// U+0000.
fn is_path_of(operation: &Operation, path: &str) -> bool {
    let (template, path): (Vec<&str>, Vec<&str>) =
        (operation.path.split('/').collect(), path.split('/').collect());
    let fits = |(part, segment): (&&str, &&str)| {
        if !part.starts_with('{') {
            return part == segment;
        }
        let is_escape = |rest: &str| {
            rest.len() > 1 && rest.bytes().take(2).all(|digit| digit.is_ascii_hexdigit())
        };
        let decoded = percent_decode_str(segment).decode_utf8();
        !segment.is_empty()
            && segment.split('%').skip(1).all(is_escape)
            && decoded.is_ok_and(|text| !text.contains('\0'))
    };
    template.len() == path.len() && template.iter().zip(&path).all(fits)
}
