//! Finds the changes in a pair of objects, and the pairs inside. To add a rule, add a row to
//! `breaking/rules.md`, the comparison to the module of its kind of object, and an example to the
//! tests.

mod annotations;
mod bodies;
mod bounds;
mod constraints;
mod objects;
pub(super) mod operations;
mod overlap;
mod parameters;
mod responses;
mod security;
mod sets;
mod unions;
mod values;

use super::rule::{Findings, Kind, Pair};

pub(super) fn find<'p, 'd>(pair: &'p Pair<'d>) -> Findings<'p, 'd> {
    let mut found = Findings { pair, all: Vec::new(), inside: Vec::new() };
    let is_complete = !pair.old.is_absent() && !pair.new.is_absent();
    match pair.kind {
        Kind::Endpoint => operations::endpoint(&mut found),
        Kind::Servers => operations::servers(&mut found),
        Kind::Security => security::requirements(&mut found),
        Kind::SecurityScheme => security::scheme(&mut found),
        _ if !is_complete => {}
        Kind::Document => {
            operations::document(&mut found);
            responses::statuses(&mut found, "x-unrouted-responses");
        }
        Kind::Operation => {
            operations::operation(&mut found);
            parameters::operation(&mut found);
            bodies::operation(&mut found);
            responses::statuses(&mut found, "responses");
        }
        Kind::Parameter => parameters::parameter(&mut found),
        Kind::RequestBody => bodies::request_body(&mut found),
        Kind::Response => responses::response(&mut found),
        Kind::Header => responses::header(&mut found),
        Kind::MediaType => bodies::media_type(&mut found),
        Kind::Schema => {
            constraints::incomparable(&mut found);
            let are_sets = sets::find(&mut found);
            if !are_sets {
                unions::find(&mut found);
            }
            values::null(&mut found);
            // A union has no keywords that could be compared with those of a schema.
            if are_sets || !unions::is_reshaped(pair) {
                values::default(&mut found);
                sets::known_values(&mut found);
                constraints::find(&mut found, are_sets);
            }
            if !are_sets && !unions::is_reshaped(pair) {
                values::type_of_values(&mut found);
                bounds::find(&mut found);
                objects::find(&mut found);
            }
        }
    }
    if is_complete && pair.kind != Kind::Endpoint {
        annotations::find(&mut found);
    }
    found
}
