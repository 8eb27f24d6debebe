//! A fault: which clause it breaks, how, and what the proxy needs to show it.

use std::fmt;

use futures_util::future::BoxFuture;
use hyper::server::conn::http1;

use crate::{
    message::{Request, Response},
    upstream::Upstream,
};

/// One way in which a deployment can break the contract.
#[derive(Clone, Copy)]
pub struct Fault {
    /// A few words, such as `key-from-query`; stable, because tables of noticed faults name it.
    pub id: &'static str,
    /// The clause it breaks: a section of the specification, such as `§4.5`, or a decision, such as
    /// `R9`.
    pub clause: &'static str,
    /// What is broken, as one sentence about the deployment.
    pub sentence: &'static str,
    /// The roles of the keys that the proxy needs to show it, beside those of the requests.
    pub roles: &'static [&'static str],
    pub(crate) act: Act,
}

pub(crate) type Exchange =
    dyn for<'a> Fn(Request, &'a Upstream) -> BoxFuture<'a, Response> + Send + Sync;

#[derive(Clone, Copy)]
pub(crate) enum Act {
    /// Changes the request before it is sent.
    Rewrite(&'static (dyn Fn(&mut Request) + Send + Sync)),
    Edit(&'static (dyn Fn(&Request, &mut Response) + Send + Sync)),
    /// Sends what it likes, and remembers what it needs.
    Exchange(&'static Exchange),
    /// Changes how responses are written.
    Serve(fn(&mut http1::Builder)),
}

impl Fault {
    /// Answers a request as a deployment with this fault does.
    pub(crate) async fn respond(&self, mut request: Request, upstream: &Upstream) -> Response {
        match self.act {
            Act::Rewrite(rewrite) => {
                rewrite(&mut request);
                upstream.send(&request).await
            }
            Act::Edit(edit) => {
                let mut response = upstream.send(&request).await;
                edit(&request, &mut response);
                response
            }
            Act::Exchange(exchange) => exchange(request, upstream).await,
            Act::Serve(_) => upstream.send(&request).await,
        }
    }
}

impl fmt::Debug for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.id)
    }
}

/// A table of faults, each with its id, clause, function, the roles of the keys it needs, and
/// sentence. The function is a `rewrite` of the request, an `edit` of the response, an
/// asynchronous `exchange` of both, or changes how responses are written (`serve`).
macro_rules! faults {
    ($($id:literal $clause:literal $how:ident($act:ident) $(.needs($($role:expr),+))?
       $sentence:literal;)+) => {
        pub(super) const FAULTS: &[$crate::fault::Fault] = &[$(
            $crate::fault::Fault {
                id: $id,
                clause: $clause,
                sentence: $sentence,
                roles: &[$($($role),+)?],
                act: $crate::fault::act!($how $act),
            },
        )+];
    };
}

/// A function as what a fault does.
macro_rules! act {
    (rewrite $act:ident) => {
        $crate::fault::Act::Rewrite(&$act)
    };
    (edit $act:ident) => {
        $crate::fault::Act::Edit(&$act)
    };
    (serve $act:ident) => {
        $crate::fault::Act::Serve($act)
    };
    (exchange $act:ident) => {
        $crate::fault::Act::Exchange(&|request, upstream| Box::pin($act(request, upstream)))
    };
}
pub(crate) use {act, faults};
