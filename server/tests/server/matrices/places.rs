//! Every place of a request that takes an id, or a cursor with an id inside. A new path, filter or
//! field fails here until its resource is declared.

use openapi_document::{Location, Operation, Status};
use poem::http::Method;
use serde_json::json;

use super::document::{DOCUMENT, properties};
use crate::support::{Key, TestRequest, TestServer, dataset::ONE_LINE};

/// The part of a request that holds an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Position {
    /// In the path.
    Path,
    /// In a filter of a list.
    Filter,
    /// Inside a list's cursor.
    Cursor,
    /// In a field of the body.
    Body,
}

/// One place for an id.
pub(super) struct Place {
    pub operation: &'static Operation,
    pub position: Position,
    /// The name of the parameter or field.
    pub name: String,
}

/// The kind of resource of an id.
#[derive(Clone, Copy, Debug)]
pub(super) enum Resource {
    Partner,
    CommissionLine,
    Payout,
    PayoutBatch,
    Tier,
    Phase,
    ExperienceTemplate,
    User,
}

impl Place {
    /// All places of the document.
    pub(super) fn all() -> Vec<Self> {
        DOCUMENT.operations().iter().flat_map(places_of).collect()
    }

    /// The kind of resource of this place's ids; of a cursor, the rows of its list.
    pub(super) fn resource(&self) -> Resource {
        match (self.operation.id.as_str(), self.name.as_str()) {
            ("listPartners", "cursor")
            | ("getPartner" | "updatePartner", "id")
            | (_, "partnerId") => Resource::Partner,
            ("listCommissionLines", "cursor") => Resource::CommissionLine,
            (operation, "id") if operation.ends_with("CommissionLine") => Resource::CommissionLine,
            ("listPayouts", "cursor")
            | ("getPayout" | "updatePayout" | "generateStatement", "id")
            | (_, "payoutId") => Resource::Payout,
            ("listPayoutBatches", "cursor") | ("getPayoutBatch", "id") | (_, "batchId") => {
                Resource::PayoutBatch
            }
            (_, "tierId") => Resource::Tier,
            (_, "phaseId") => Resource::Phase,
            (_, "experienceTemplateId") => Resource::ExperienceTemplate,
            (_, "partnerOwnerId") => Resource::User,
            (operation, name) => panic!("add the resource that {name} of {operation} names"),
        }
    }

    /// A request of `key` with `value` in this place; where that is the body, the path has
    /// `path_id`. In another tenant's partner, the body would be a change.
    pub(super) fn request(
        &self,
        server: &TestServer,
        key: Key,
        value: &str,
        own: &str,
        path_id: &str,
    ) -> TestRequest {
        let value_encoded = percent_encode(value);
        let path = self.operation.path.as_str();
        let path = match self.position {
            Position::Path => path.replace("{id}", &value_encoded),
            Position::Filter | Position::Cursor => format!("{path}?{}={value_encoded}", self.name),
            Position::Body => path.replace("{id}", path_id),
        };
        let method = Method::from_bytes(self.operation.method.as_str().as_bytes()).unwrap();
        let request = server.request(method, &path).header("x-api-key", server.key(key));
        if self.operation.body.is_none() {
            return request;
        }
        let body = match self.position {
            Position::Body if self.creates() => self.body_that_is_refused(value),
            Position::Body => json!({ &self.name: value }),
            _ if self.operation.id == "declineCommissionLine" => json!({ "reason": "DUPLICATE" }),
            _ if self.operation.id == "attachCommissionLine" => json!({ "payoutId": ONE_LINE }),
            _ if value == own => json!({}),
            _ => match self.resource() {
                Resource::Partner => json!({ "name": "Taken over", "domain": null }),
                Resource::Payout => json!({ "poNumber": "Taken over" }),
                _ => json!({ "description": "Taken over" }),
            },
        };
        request.header("content-type", "application/json").body(body.to_string())
    }
}

impl Place {
    /// Whether a success would make something new.
    pub(super) fn creates(&self) -> bool {
        self.operation.responses.iter().any(|response| response.status == Status::Code(201))
    }

    /// The document's example with `value` in this place, and with another id that nobody has: what
    /// the response says of this place is all that differs.
    fn body_that_is_refused(&self, value: &str) -> serde_json::Value {
        let media = &self.operation.body.as_ref().unwrap().content[0];
        let mut body = media.examples[0].value.clone();
        let schema = media.schema_pointer.as_deref().unwrap();
        let ids = properties(schema).into_iter().filter(|name| name.ends_with("Id"));
        for id in ids.filter(|id| *id != self.name).take(1) {
            body[id] = json!("absent");
        }
        body.as_object_mut()
            .unwrap()
            .retain(|name, _| !["domain", "idempotencyKey"].contains(&&**name));
        body[&self.name] = json!(value);
        body
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} {:?} {}", self.operation.id, self.position, self.name)
    }
}

fn places_of(operation: &'static Operation) -> Vec<Place> {
    let place = |position, name: &str| Place { operation, position, name: name.to_owned() };
    let parameters = operation.parameters.iter().filter_map(|parameter| match parameter.location {
        Location::Path => Some(place(Position::Path, &parameter.name)),
        Location::Query if parameter.name == "cursor" => Some(place(Position::Cursor, "cursor")),
        Location::Query if parameter.name.ends_with("Id") => {
            Some(place(Position::Filter, &parameter.name))
        }
        _ => None,
    });
    let schema = operation.body.as_ref().and_then(|body| body.content[0].schema_pointer.as_deref());
    let fields = schema.map(properties).unwrap_or_default();
    let fields = fields.iter().filter(|name| name.ends_with("Id"));
    parameters.chain(fields.map(|name| place(Position::Body, name))).collect()
}

/// Letters, digits, `-`, `_` and dots remain: `../..` is sent as `..%2F..`.
fn percent_encode(text: &str) -> String {
    let encode = |byte: u8| match byte {
        b'-' | b'_' | b'.' => char::from(byte).to_string(),
        byte if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    };
    text.bytes().map(encode).collect()
}
