//! Writes `operations.rs`: the table of operations that the runtime searches.

use std::collections::BTreeMap;

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use crate::codegen::{
    format::{docs, template},
    model::{Kind, Model, Operation, Type},
    names::{constant_name, type_name},
};

pub(super) const DOCS: &str =
    "The operations of the document: method, path, scope and statuses of each.";

pub(super) fn generate(model: &Model) -> TokenStream {
    let variants: Vec<_> =
        model.operations.iter().map(|operation| type_name(&operation.id)).collect();
    let documentation = model
        .operations
        .iter()
        .map(|operation| docs(&format!("`{} {}`", operation.method, operation.path)));
    let statics: Vec<_> =
        model.operations.iter().map(|operation| constant_name(&operation.id)).collect();
    let infos = model.operations.iter().map(|operation| info(model, operation));
    let import = (!model.scopes.is_empty()).then(|| {
        quote!(
            use super::types::Scope;
        )
    });
    let scope = if model.scopes.is_empty() { quote!(()) } else { quote!(Scope) };
    let error_forms = error_forms(model);
    let is_limited =
        model.operations.iter().any(|operation| operation.time_limit_seconds.is_some());
    let duration = is_limited.then(|| {
        quote!(
            use std::time::Duration;
        )
    });
    let tokens = [
        ("duration", quote!(#duration)),
        ("import", quote!(#import)),
        ("scope", scope),
        ("documented", quote!(#(#documentation #variants,)*)),
        ("all", quote!(#(Self::#variants),*)),
        ("statics", quote!(#(Self::#variants => &#statics,)*)),
        ("error_forms", quote!(#error_forms)),
        ("infos", quote!(#(#infos)*)),
    ];
    template(include_str!("templates/operations.rs.txt"), &tokens)
}

/// The forms of errors that are not the usual one.
fn error_forms(model: &Model) -> Option<TokenStream> {
    let arms = model.operations.iter().flat_map(|operation| {
        let mut statuses: BTreeMap<usize, Vec<Literal>> = BTreeMap::new();
        for (status, form) in &operation.error_forms {
            statuses.entry(*form).or_default().push(Literal::u16_unsuffixed(*status));
        }
        let name = type_name(&operation.id);
        statuses.into_iter().map(move |(form, statuses)| {
            let form = Literal::usize_unsuffixed(form);
            quote!((Self::#name, #(#statuses)|*) => #form,)
        })
    });
    let arms: Vec<_> = arms.collect();
    (!arms.is_empty()).then(|| {
        quote! {
            fn error_form(self, status: u16) -> usize {
                match (self, status) {
                    #(#arms)*
                    _ => 0,
                }
            }
        }
    })
}

fn security(operation: &Operation) -> TokenStream {
    let alternatives = operation.security.iter().map(|schemes| {
        let proofs = schemes.iter().map(
            |(scheme, scopes)| quote!(RequiredProof { scheme: #scheme, scopes: &[#(#scopes),*] }),
        );
        quote!(&[#(#proofs),*])
    });
    quote!(&[#(#alternatives),*])
}

fn info(model: &Model, operation: &Operation) -> TokenStream {
    let name = constant_name(&operation.id);
    let Operation { id, path, .. } = operation;
    let method = constant_name(&operation.method);
    let scope = match &operation.scope {
        Some(scope) => {
            let scope = type_name(scope);
            quote!(Scope::#scope)
        }
        None => quote!(()),
    };
    let security = security(operation);
    let (has_body, is_list) =
        (operation.body.is_some(), operation.is_list(&model.config.lists.cursor));
    let body_fields = operation.body.as_ref().map(|body| match body {
        Type::Named(name) => match &model.schema(name).kind {
            Kind::Object(object) => object.fields.iter().map(|field| field.name.as_str()).collect(),
            _ => Vec::new(),
        },
        _ => Vec::new(),
    });
    let body_fields = body_fields.into_iter().flatten();
    let idempotency = type_name(&format!("{:?}", operation.idempotency));
    let time_limit = match operation.time_limit_seconds.map(Literal::u64_unsuffixed) {
        Some(seconds) => quote!(Some(Duration::from_secs(#seconds))),
        None => quote!(None),
    };
    let begins_with_read = operation.begins_with_read;
    let statuses = operation.statuses().into_iter().map(Literal::u16_unsuffixed);
    quote! {
        static #name: OperationInfo = OperationInfo {
            id: #id,
            method: Method::#method,
            path: #path,
            scope: #scope,
            security: #security,
            has_body: #has_body,
            body_fields: &[#(#body_fields),*],
            is_list: #is_list,
            idempotency: Idempotency::#idempotency,
            time_limit: #time_limit,
            begins_with_read: #begins_with_read,
            statuses: &[#(#statuses),*],
        };
    }
}
