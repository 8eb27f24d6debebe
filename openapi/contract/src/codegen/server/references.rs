//! Writes the references of each body: a struct that says which of them lead to a resource, so that
//! a handler that forgets one does not compile.

use proc_macro2::Ident;

use crate::codegen::{
    model::{Model, Operation},
    names::{type_of, value_name},
};

/// Writes the structs in the syntax of the macro `references!`.
pub(super) fn tables(model: &Model) -> String {
    model
        .operations
        .iter()
        .filter(|operation| !operation.references.is_empty())
        .map(table)
        .collect()
}

/// The name of the struct.
pub(super) fn references_name(operation: &Operation) -> Ident {
    type_of(&operation.id, "references")
}

fn table(operation: &Operation) -> String {
    let name = references_name(operation);
    let row = |(pointer, resource): &(String, String)| {
        let field = value_name(pointer.trim_start_matches('/'));
        format!("        {field} = {pointer:?} {resource:?},\n")
    };
    let rows: String = operation.references.iter().map(row).collect();
    format!(
        "\nopenapi_runtime::references! {{\n    /// References in a body of `{}`; \
         true: it exists, or none is named.\n    {name} {{\n{rows}    }}\n}}\n",
        operation.id
    )
}
