//! The client's types and request builders, made by progenitor.
//!
//! `type_overrides` chooses the types that the client has itself, `prepare` makes the copy of the
//! document for progenitor, `postprocess` adapts its output, with documentation from `docs`. `read`
//! has reported before what progenitor would panic on.

mod arguments;
mod docs;
mod example;
mod postprocess;
mod prepare;
mod rules;
#[cfg(test)]
mod tests;
mod tokens;
mod type_overrides;

use openapi_document::Document;
use progenitor::{GenerationSettings, Generator, InterfaceStyle, TagStyle};
use quote::{ToTokens, quote};

use self::type_overrides::TypeOverrides;
pub(crate) use self::type_overrides::details_by_code;
use super::{ClientConfig, CodegenError, Config, format};

const DOCS: &str = "\
Types and request builders of the document's operations. `crate::call` sends the requests.";

/// The text of the generated file, for a document that `read` has accepted. Deterministic.
pub(crate) fn generate(
    document: &Document,
    config: &Config,
    client: &ClientConfig,
) -> Result<String, CodegenError> {
    let overrides = TypeOverrides::collect(document, config, &client.types);
    let copy = prepare::for_progenitor(document, &overrides);
    let tokens = Generator::new(&settings(&overrides)).generate_tokens(&copy)?;
    let file = postprocess::adapt(tokens, document, config, client, &overrides);
    Ok(format::file(&config.header(), DOCS, file.into_token_stream(), "")?)
}

fn settings(overrides: &TypeOverrides) -> GenerationSettings {
    let mut settings = GenerationSettings::new();
    // Positional arguments are sorted by name, so a new optional one would break callers.
    settings
        .with_interface(InterfaceStyle::Builder)
        .with_tag(TagStyle::Merged)
        .with_derive("PartialEq")
        // Key, retries and the like are outside the HTTP client: other requests are sent without.
        .with_inner_type(quote! { crate::call::Connection });
    for (component, path) in overrides.replacements() {
        settings.with_replacement(component, path, std::iter::empty());
    }
    settings
}
