//! Writes the first `main.rs` of a server: every handler answers that it is not implemented yet.

use proc_macro2::TokenStream;
use quote::quote;

use super::{json_value, successes::success_type, traits};
use crate::{
    model::{Model, Operation},
    names::value_name,
};

pub(crate) const DOCS: &str = "The server. Every handler has the signature that the document \
    gives it; replace what they return.";

pub(crate) fn generate(model: &Model) -> TokenStream {
    let used = model.tags.iter().filter_map(|tag| {
        let operations = model.operations.iter().filter(|operation| operation.tag == tag.name);
        let methods: Vec<_> = operations.map(handler).collect();
        (!methods.is_empty()).then(|| (traits::trait_name(&tag.name), methods))
    });
    let (names, methods): (Vec<_>, Vec<_>) = used.unzip();
    let types = traits::imported_types(model);
    let value = json_value(model.operations.iter().flat_map(Operation::bodies));
    quote! {
        mod contract;

        use openapi_runtime::ErrorCode as _;
        use poem::{Request, Server, listener::TcpListener};
        #value
        use contract::{
            ErrorCode, Operation, Problem, Routes, service::{Authenticate, Service},
            traits::{Api, #(#names),*}, types::{#(#types),*},
        };

        /// The handlers, with what they need: a pool of connections, for example.
        struct App;

        /// Who calls.
        #[derive(Clone)]
        struct Caller;

        impl Api for App {
            type Caller = Caller;
            type Failure = Problem;
        }

        impl Authenticate for App {
            async fn authenticate(
                &self, _operation: Operation, _request: &Request
            ) -> Result<Caller, Problem> {
                Ok(Caller)
            }
        }

        #(
            impl #names for App {
                #(#methods)*
            }
        )*

        fn not_implemented(operation: &str) -> Problem {
            Problem::new(ErrorCode::INTERNAL_ERROR, format!("{operation} is not implemented yet."))
        }

        #[tokio::main]
        async fn main() -> std::io::Result<()> {
            let address = std::env::var("ADDRESS").unwrap_or("127.0.0.1:8080".to_owned());
            println!("http://{address}");
            let service = Service::new(Routes::new(App));
            Server::new(TcpListener::bind(address)).run(service).await
        }
    }
}

fn handler(operation: &Operation) -> TokenStream {
    let (name, id) = (value_name(&operation.id), &operation.id);
    let success = success_type(operation);
    let arguments = traits::argument_types(operation);
    quote! {
        async fn #name(&self, _caller: Caller #(, _: #arguments)*) -> Result<#success, Problem> {
            Err(not_implemented(#id))
        }
    }
}
