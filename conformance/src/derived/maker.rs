//! Makes faults of one operation. Their sentences have `{operation}` in place of its `operationId`.

use futures_util::future::BoxFuture;
use openapi_document::Operation;

use crate::{
    document::kebab,
    exchange::{Request, Response},
    proxy::{Fault, fault::Act, upstream::Upstream},
    target::Role,
};

pub(super) struct Maker {
    operation: &'static Operation,
    /// As it begins the ids of its faults, such as `list-partners`.
    name: String,
    clause: &'static str,
    pub(super) faults: Vec<Fault>,
}

impl Maker {
    pub(super) fn new(operation: &'static Operation) -> Self {
        Self {
            operation,
            name: kebab(&operation.id),
            clause: clause(operation),
            faults: Vec::new(),
        }
    }

    /// Changes the operation's requests before they are sent.
    pub(super) fn rewrite(
        &mut self,
        name: &str,
        what: &str,
        rewrite: impl Fn(&mut Request) + Send + Sync + 'static,
    ) {
        let id = self.operation.id.as_str();
        self.rewrite_all(name, what, move |request| {
            if request.is(id) {
                rewrite(request);
            }
        });
    }

    /// The same for the requests for every operation, and for none.
    pub(super) fn rewrite_all(
        &mut self,
        name: &str,
        what: &str,
        rewrite: impl Fn(&mut Request) + Send + Sync + 'static,
    ) {
        self.add(name, what, &[], Act::Rewrite(Box::leak(Box::new(rewrite))));
    }

    /// Changes the responses to the operation's requests.
    pub(super) fn edit(
        &mut self,
        name: &str,
        what: &str,
        edit: impl Fn(&Request, &mut Response) + Send + Sync + 'static,
    ) {
        let id = self.operation.id.as_str();
        self.edit_all(name, what, &[], move |request, response, _| {
            if request.is(id) {
                edit(request, response);
            }
        });
    }

    /// The same for the requests for every operation, and for none, with the keys of these roles.
    pub(super) fn edit_all(
        &mut self,
        name: &str,
        what: &str,
        roles: &[Role],
        edit: impl Fn(&Request, &mut Response, &Upstream) + Send + Sync + 'static,
    ) {
        self.add(name, what, roles, Act::EditWith(Box::leak(Box::new(edit))));
    }

    /// Sends the operation's requests again, as `again` says, where that changes them after this
    /// response. The roles are of the keys that it needs.
    pub(super) fn again(
        &mut self,
        name: &str,
        what: &str,
        roles: &[Role],
        again: impl Fn(&Request, &Response, &Upstream) -> Option<Request> + Send + Sync + 'static,
    ) {
        let id = self.operation.id.as_str();
        let again: &'static _ = Box::leak(Box::new(again));
        self.exchange_all(name, what, roles, move |request, upstream| {
            Box::pin(async move {
                let response = upstream.send(&request).await;
                match again(&request, &response, upstream).filter(|_| request.is(id)) {
                    Some(other) => upstream.send(&other).await,
                    None => response,
                }
            })
        });
    }

    /// Answers every request as it likes, with the keys of these roles.
    pub(super) fn exchange_all<F>(&mut self, name: &str, what: &str, roles: &[Role], exchange: F)
    where
        F: for<'a> Fn(Request, &'a Upstream) -> BoxFuture<'a, Response> + Send + Sync + 'static,
    {
        self.add(name, what, roles, Act::Exchange(Box::leak(Box::new(exchange))));
    }

    fn add(&mut self, name: &str, what: &str, roles: &[Role], act: Act) {
        // Faults live as long as the program.
        self.faults.push(Fault {
            id: format!("{}.{name}", self.name).leak(),
            clause: self.clause,
            sentence: what.replace("{operation}", &self.operation.id).leak(),
            roles: roles.to_vec().leak(),
            act,
        });
    }
}

/// The first section of the specification that a description of the core names, as in `(§3.1,
/// §4.5, R11)`; of another operation, its decision.
fn clause(operation: &'static Operation) -> &'static str {
    let description = operation.description.as_deref().unwrap_or_default();
    let sign = if operation.profile.as_deref() == Some("core") { '§' } else { 'X' };
    let brackets = description.split('(').skip(1).filter_map(|rest| rest.split_once(')'));
    let mut named = brackets.flat_map(|(inside, _)| inside.split(", "));
    named.find(|id| id.starts_with(sign)).unwrap_or("§7")
}
