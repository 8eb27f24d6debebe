//! Writes the first `main.rs` of a server: every handler answers that it is not implemented yet.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::{json_value, successes::success_type, traits};
use crate::codegen::{
    model::{Model, Operation},
    names::value_name,
};

pub(crate) const DOCS: &str = "The server. Every handler has the signature that the document \
    gives it; replace what they return.";

pub(crate) fn generate(model: &Model) -> TokenStream {
    let (app, traits, types) = (app(model), trait_names(model), traits::imported_types(model));
    let value = json_value(model.operations.iter().flat_map(Operation::bodies));
    quote! {
        mod contract;

        use openapi_runtime::ErrorCode as _;
        use poem::{Request, Server, listener::TcpListener};
        #value
        use contract::{
            ErrorCode, Operation, Problem, Routes, service::{Authenticate, Service},
            traits::{Api, #(#traits),*}, types::{#(#types),*},
        };

        #app

        impl Authenticate for App {
            async fn authenticate(
                &self, _operation: Operation, _request: &Request
            ) -> Result<Caller, Problem> {
                Ok(Caller)
            }
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

/// The traits of the tags that have operations.
fn trait_names(model: &Model) -> Vec<Ident> {
    let used = |name: &str| model.operations.iter().any(|operation| operation.tag == name);
    let tags = model.tags.iter().filter(|tag| used(&tag.name));
    tags.map(|tag| traits::trait_name(&tag.name)).collect()
}

/// The handlers, none of which is implemented.
fn app(model: &Model) -> TokenStream {
    let names = trait_names(model);
    let methods = names.iter().map(|name| {
        let operations = model.operations.iter();
        let of_trait = operations.filter(|operation| traits::trait_name(&operation.tag) == *name);
        of_trait.map(handler).collect::<TokenStream>()
    });
    quote! {
        /// The handlers, with what they need: a pool of connections, for example.
        struct App;

        /// Who calls.
        #[derive(Clone)]
        struct Caller;

        impl Api for App {
            type Caller = Caller;
            type Failure = Problem;
        }

        #(
            impl #names for App {
                #methods
            }
        )*

        fn not_implemented(operation: &str) -> Problem {
            Problem::new(ErrorCode::INTERNAL_ERROR, format!("{operation} is not implemented yet."))
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
