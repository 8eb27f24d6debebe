//! The schemas that requests reach: what `decode.rs` must read.

use std::collections::BTreeSet;

use crate::codegen::model::{BodyFormat, Format, Kind, Model, Type, reached};

/// The object schemas that requests reach, sorted.
pub(super) fn reached_objects(model: &Model) -> BTreeSet<&str> {
    let bodies = model.operations.iter().filter_map(|operation| operation.body.as_ref());
    // What reads its objects also where only responses have it.
    let readers = model.schemas.iter().filter(|schema| match &schema.kind {
        Kind::Map(_) | Kind::Union(_) | Kind::Alternatives(_) => true,
        Kind::Object(object) => object.others.is_some(),
        _ => false,
    });
    let readers = readers.map(|schema| schema.name.as_str());
    let names = bodies.chain(encoded(model)).filter_map(Type::name);
    reached(&model.schemas, names.chain(readers))
}

/// The types of parameters that are objects or lists of them.
pub(super) fn encoded(model: &Model) -> impl Iterator<Item = &Type> {
    let parameters = model.operations.iter().flat_map(|operation| &operation.parameters);
    parameters.filter(|parameter| parameter.encoding.is_some()).map(|parameter| &parameter.value)
}

/// The schemas that forms and queries have.
pub(super) fn texts(model: &Model) -> impl Iterator<Item = &str> {
    let is_form = |body: &BodyFormat| matches!(body.format, Format::Form | Format::Multipart);
    let forms =
        model.operations.iter().filter(move |operation| operation.body_formats.iter().any(is_form));
    forms
        .filter_map(|operation| operation.body.as_ref())
        .chain(encoded(model))
        .filter_map(Type::name)
}
