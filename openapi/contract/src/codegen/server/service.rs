//! Writes `service.rs`: the contract for the runtime's `Service`, which serves it.

use proc_macro2::TokenStream;
use quote::quote;

pub(super) const DOCS: &str = "Serves the API: `Service::new(Routes::new(handlers))` is an \
    endpoint of poem.";

pub(super) fn generate() -> TokenStream {
    quote! {
        use std::future::Future;
        use openapi_runtime::Contract;
        use poem::{Request, Response};
        pub use openapi_runtime::Service;
        use super::{
            Arguments, ErrorCode, Operation, Problem, RequestForm, Routes, decode,
            traits::{Api, Handlers},
        };

        /// Who may call an operation.
        pub trait Authenticate: Api {
            /// The caller of a request; its body is not read yet.
            fn authenticate(&self, operation: Operation, request: &Request)
                -> impl Future<Output = Result<Self::Caller, Self::Failure>> + Send;
        }

        impl<A: Handlers + Authenticate> Contract for Routes<A> {
            type Operation = Operation;
            type Arguments = Arguments;
            type Code = ErrorCode;
            type Caller = A::Caller;

            fn decode(
                operation: Operation, request: &RequestForm<'_>
            ) -> Result<Arguments, Problem> {
                decode(operation, request)
            }

            async fn authenticate(
                &self, operation: Operation, request: &Request
            ) -> Result<A::Caller, Problem> {
                self.handlers().authenticate(operation, request).await.map_err(Into::into)
            }

            async fn call(&self, caller: &A::Caller, arguments: Arguments) -> Response {
                Routes::call(self, caller, arguments).await
            }
        }
    }
}
