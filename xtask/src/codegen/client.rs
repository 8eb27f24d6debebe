//! `client/src/generated.rs`: the client's types and request builders, made by progenitor from the document.
//!
//! The way: refuse what progenitor would panic on (`refusals`), choose the types that the client brings
//! itself (`own_types`), give progenitor a copy of the document without what it does worse than the client
//! (`reduced`), and fit its output to the client (`fitting`, with the documentation from `texts`). It refuses to
//! know a resource by name: a new field or operation of the document needs no line here.

mod fitting;
mod own_types;
mod reduced;
mod refusals;
#[cfg(test)]
mod tests;
mod texts;
mod tokens;

use payout_openapi::{Document, Refusal};
use progenitor::{GenerationSettings, Generator, InterfaceStyle, TagStyle};
use quote::{ToTokens, quote};

use self::own_types::OwnTypes;
use super::format::{self, FormatError};

const OWNS: &str = "\
Types and request builders, as the document describes them.

It refuses to read responses: `crate::response` does, for every operation in one way.";

/// Why there is no client for a document.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ClientError {
    /// The document says something a client cannot be generated from.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// progenitor found a fault that `refusals` does not know.
    #[error("progenitor refuses the document: {0}; simplify the schema or parameter that it names")]
    Progenitor(#[from] progenitor::Error),
    /// The generated code could not be formatted.
    #[error(transparent)]
    Format(#[from] FormatError),
}

/// The whole text of `client/src/generated.rs`; the same document gives the same bytes.
///
/// # Errors
/// When the document describes an operation in a way that the client cannot follow, with place and mend.
pub(crate) fn generate(document: &Document) -> Result<String, ClientError> {
    refusals::check(document)?;
    let own_types = OwnTypes::collect(document)?;
    let copy = reduced::for_progenitor(document, &own_types);
    let tokens = Generator::new(&settings(&own_types)).generate_tokens(&copy)?;
    let file = fitting::fit(tokens, document, &own_types);
    Ok(format::file(OWNS, file.into_token_stream(), "")?)
}

fn settings(own_types: &OwnTypes) -> GenerationSettings {
    let mut settings = GenerationSettings::new();
    // Builders, because positional arguments are sorted by name: a new optional one would break callers.
    settings
        .with_interface(InterfaceStyle::Builder)
        .with_tag(TagStyle::Merged)
        .with_derive("PartialEq")
        // The key stands beside the HTTP client, not in it: what has no operation goes out without it.
        .with_inner_type(quote! { crate::api_headers::ApiHeaders });
    for (component, path) in own_types.replacements() {
        settings.with_replacement(component, path, std::iter::empty());
    }
    settings
}
