//! A fault: which clause it breaks, how, and what the proxy needs to show it.

use std::fmt;

use futures_util::future::BoxFuture;
use hyper::server::conn::http1;

use super::upstream::Upstream;
use crate::{
    exchange::{Request, Response},
    target::Role,
};

/// One way in which a deployment can break the contract.
#[derive(Clone, Copy)]
pub(crate) struct Fault {
    /// A few words, such as `missing-key-403`; stable, because tables of noticed faults name it.
    pub(crate) id: &'static str,
    /// The clause it breaks: a section of the specification, such as `§4.5`, or a decision, such as
    /// `R9`.
    pub(crate) clause: &'static str,
    /// One sentence about the faulty deployment.
    pub(crate) sentence: &'static str,
    /// The roles of the keys that the proxy needs to show it, beside those of the requests.
    pub(crate) roles: &'static [Role],
    pub(crate) act: Act,
    /// The derived case that must notice it; those of a fault by hand are recorded.
    pub(crate) case: Option<&'static str>,
}

pub(crate) type Rewrite = dyn Fn(&mut Request) + Send + Sync;
pub(crate) type Edit = dyn Fn(&Request, &mut Response) + Send + Sync;
pub(crate) type EditWith = dyn Fn(&Request, &mut Response, &Upstream) + Send + Sync;
pub(crate) type Exchange =
    dyn for<'a> Fn(Request, &'a Upstream) -> BoxFuture<'a, Response> + Send + Sync;

#[derive(Clone, Copy)]
pub(crate) enum Act {
    /// Changes the request before it is sent.
    Rewrite(&'static Rewrite),
    Edit(&'static Edit),
    /// Changes the response, with the keys and with what the proxy remembers.
    EditWith(&'static EditWith),
    /// Sends what it likes, and remembers what it needs.
    Exchange(&'static Exchange),
    /// Changes how responses are written.
    Serve(fn(&mut http1::Builder)),
}

/// A fault of a table, completed by its sentence and by what it does: a `rewrite` of the request,
/// an `edit` of the response (`edit_with` what the proxy remembers), an asynchronous `exchange` of
/// both, or how responses are written (`serve`).
pub(crate) const fn fault(id: &'static str, clause: &'static str) -> Fault {
    Fault { id, clause, sentence: "", roles: &[], act: Act::Rewrite(&|_| {}), case: None }
}

impl Fault {
    pub(crate) const fn says(self, sentence: &'static str) -> Self {
        Self { sentence, ..self }
    }

    /// Names the roles whose keys the fault sends itself.
    pub(crate) const fn needs(self, roles: &'static [Role]) -> Self {
        Self { roles, ..self }
    }

    pub(crate) const fn rewrite(self, rewrite: &'static Rewrite) -> Self {
        Self { act: Act::Rewrite(rewrite), ..self }
    }

    pub(crate) const fn edit(self, edit: &'static Edit) -> Self {
        Self { act: Act::Edit(edit), ..self }
    }

    pub(crate) const fn edit_with(self, edit: &'static EditWith) -> Self {
        Self { act: Act::EditWith(edit), ..self }
    }

    pub(crate) const fn exchange(self, exchange: &'static Exchange) -> Self {
        Self { act: Act::Exchange(exchange), ..self }
    }

    pub(crate) const fn serve(self, change: fn(&mut http1::Builder)) -> Self {
        Self { act: Act::Serve(change), ..self }
    }

    /// Answers a request as a deployment with this fault does.
    pub(crate) async fn respond(&self, mut request: Request, upstream: &Upstream) -> Response {
        match self.act {
            Act::Exchange(exchange) => return exchange(request, upstream).await,
            Act::Rewrite(rewrite) => rewrite(&mut request),
            _ => {}
        }
        let mut response = upstream.send(&request).await;
        match self.act {
            Act::Edit(edit) => edit(&request, &mut response),
            Act::EditWith(edit) => edit(&request, &mut response, upstream),
            _ => {}
        }
        response
    }
}

impl fmt::Debug for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.id)
    }
}
