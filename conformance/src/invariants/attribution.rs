//! Which clause a violation of the document's form breaks, by its place in the response.

use std::collections::BTreeMap;

use openapi_document::{Document, Operation};

use crate::clause::{Clause, is_judged_by_every_response};

/// The clauses about the body of a success, as the descriptions of its schemas name them.
#[derive(Debug, Default)]
pub(super) struct BodyClauses {
    is_list: bool,
    /// About the resource, or an item of the list.
    resource: Option<&'static str>,
    /// About each field, and about what is within it.
    fields: BTreeMap<String, [&'static str; 2]>,
}

impl BodyClauses {
    pub(super) fn of(document: &Document, operation: &Operation) -> Self {
        Self::read(document, operation).unwrap_or_default()
    }

    fn read(document: &Document, operation: &Operation) -> Option<Self> {
        let success = [200, 201, 202].into_iter().find_map(|status| operation.response(status));
        let media = success?.content.first()?;
        let body = document.shape(media.schema_pointer.as_ref()?).ok()?;
        let (_, data) = body.properties.iter().find(|(name, _)| name == "data")?;
        let data = document.shape(data).ok()?;
        let item = data.items.as_ref().map(|items| document.shape(items).ok());
        let is_list = item.is_some();
        let item = item.unwrap_or(Some(data))?;
        let named = |descriptions: &[String]| {
            let mut clauses = descriptions.iter().flat_map(|text| Clause::named_in(text));
            clauses.next().map(|clause| clause.id)
        };
        let resource = named(&item.descriptions)?;
        let of_field = |(name, pointer): &(String, String)| {
            let own = Clause::find(&format!("{resource}.{name}")).map(|clause| clause.id);
            // Others are about what the field means, such as §2.4.expiresAt.
            let own = own.filter(|clause| is_judged_by_every_response(clause));
            let shape = document.shape(pointer).ok()?;
            let within = (!shape.properties.is_empty() || shape.is("object"))
                .then(|| named(&shape.descriptions))
                .flatten();
            let within = own.or(within).unwrap_or(resource);
            Some((name.clone(), [own.unwrap_or(resource), within]))
        };
        let fields = item.properties.iter().filter_map(of_field).collect();
        Some(Self { is_list, resource: Some(resource), fields })
    }

    /// The clause about a place: the envelope, the resource, or one of its fields.
    pub(super) fn at(&self, pointer: &str) -> &'static str {
        let envelope = if self.is_list { "§2.5.list" } else { "§2.5.single" };
        let mut path = pointer.split('/').skip(1);
        let is_in_data = path.next() == Some("data");
        // Of a page the next part is the index of an item.
        if !is_in_data || (self.is_list && path.next().is_none()) || pointer == "/data" {
            return envelope;
        }
        let field = path.next().and_then(|name| self.fields.get(name));
        let is_within = path.next().is_some();
        let of_field = field.map(|[own, within]| if is_within { *within } else { *own });
        of_field.or(self.resource).unwrap_or(envelope)
    }
}

pub(super) fn header_clause(name: &str) -> &'static str {
    match name {
        "x-request-id" => "R13",
        "retry-after" => "§8.retry-after",
        "allow" => "R5.405",
        "idempotent-replayed" => "X9",
        name if name.starts_with("x-service-credits") => "§8.credit-headers",
        "cache-control" => "X16",
        _ => "§8.rate-headers",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::DOCUMENT;

    #[test]
    fn each_place_of_a_body_has_its_clause() {
        for (operation, places) in [
            (
                "listPartners",
                &[
                    ("/pagination/nextCursor", "§2.5.list"),
                    ("/data", "§2.5.list"),
                    ("/data/0", "§2.1"),
                    ("/data/12/createdAt", "§2.1.createdAt"),
                    ("/data/0/owner", "§2.1"),
                    ("/data/0/owner/updatedAt", "V8"),
                ][..],
            ),
            (
                "getPayout",
                &[
                    ("", "§2.5.single"),
                    ("/data/amount/value", "§2.3.amount"),
                    ("/data/stage", "§2.3"),
                    ("/data/metadata/statementNote", "V11"),
                ],
            ),
            ("generateStatement", &[("/data/extra", "§2.4"), ("/data/expiresAt", "§2.4")]),
        ] {
            let mut operations = DOCUMENT.operations().iter();
            let operation = operations.find(|known| known.id == operation).unwrap();
            let clauses = BodyClauses::of(&DOCUMENT, operation);
            for (pointer, clause) in places {
                assert_eq!(clauses.at(pointer), *clause, "{} {pointer}", operation.id);
                assert!(is_judged_by_every_response(clause), "{clause}");
            }
        }
    }
}
