//! Writes `mod.rs`: the modules of the contract, and its types by short names.

use proc_macro2::TokenStream;
use quote::quote;

use crate::codegen::config::ServerConfig;

pub(super) const DOCS: &str = "The API as the server sees it: types, traits, routes and the \
    reading of requests. Handlers connect to it through the associated types of `traits::Api`.";

pub(super) fn generate(server: &ServerConfig) -> TokenStream {
    let service = server.service.then(|| {
        quote!(
            pub mod service;
        )
    });
    quote! {
        #![allow(dead_code, unused_imports, reason = "a server may use less than is generated")]
        #![allow(clippy::wildcard_imports, reason = "each file uses most of the types")]
        #![allow(clippy::too_many_arguments, reason = "a route has one for each parameter")]

        pub mod decode;
        pub mod operations;
        pub mod routes;
        #service
        pub mod traits;
        pub mod types;
        pub mod value_sets;
        pub mod versions;

        pub use openapi_runtime::{Deprecation, Idempotency, PathValues, RequestForm, Version};

        pub use self::{
            decode::{Arguments, decode},
            operations::Operation,
            routes::Routes,
            types::ErrorCode,
            versions::VERSIONS,
        };

        /// Every error of the API, before it becomes a response.
        pub type Problem = openapi_runtime::Problem<ErrorCode>;

        /// The result of routing a request.
        pub type Found = openapi_runtime::Found<Operation>;
    }
}
