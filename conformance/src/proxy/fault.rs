//! A fault: which clause it breaks, how, and what the proxy needs to show it.

use std::fmt;

use futures_util::future::BoxFuture;
use hyper::server::conn::http1;

use super::upstream::Upstream;
use crate::{
    exchange::{Request, Response},
    target::Role,
};

/// One way in which a deployment can break the contract, or vary it with an id of `allowed-`.
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
pub(crate) type Edit = dyn Fn(&Request, &mut Response, &Upstream) + Send + Sync;
pub(crate) type Exchange =
    dyn for<'a> Fn(Request, &'a Upstream) -> BoxFuture<'a, Response> + Send + Sync;

#[derive(Clone, Copy)]
pub(crate) enum Act {
    /// Changes the request before it is sent.
    Rewrite(&'static Rewrite),
    /// Changes the response, with the keys and with what the proxy remembers.
    Edit(&'static Edit),
    /// Sends what it likes, and remembers what it needs.
    Exchange(&'static Exchange),
    /// Changes how responses are written.
    Serve(fn(&mut http1::Builder)),
}

// The functions with `#[fault]`.
inventory::collect!(Fault);

impl Fault {
    /// A proxy that answers every request itself.
    #[cfg(test)]
    pub(crate) fn server(exchange: Box<Exchange>) -> &'static Self {
        Box::leak(Box::new(Self {
            id: "server",
            clause: "§4",
            sentence: "",
            roles: &[],
            act: Act::Exchange(Box::leak(exchange)),
            case: None,
        }))
    }

    /// Answers a request as a deployment with this fault does.
    pub(crate) async fn respond(&self, mut request: Request, upstream: &Upstream) -> Response {
        match self.act {
            Act::Exchange(exchange) => return exchange(request, upstream).await,
            Act::Rewrite(rewrite) => rewrite(&mut request),
            _ => {}
        }
        let mut response = upstream.send(&request).await;
        if let Act::Edit(edit) = self.act {
            edit(&request, &mut response, upstream);
        }
        response
    }
}

impl fmt::Debug for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.id)
    }
}
