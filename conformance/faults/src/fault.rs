//! A fault: which clause it breaks, how, and what the proxy needs to show it.

use std::fmt;

use futures_util::future::BoxFuture;

use crate::{
    message::{Request, Response},
    upstream::Upstream,
};

/// One way in which a deployment can break the contract.
#[derive(Clone, Copy)]
pub struct Fault {
    /// A few words, such as `key-from-query`; stable, because tables of killed faults name it.
    pub id: &'static str,
    /// The clause it breaks: a section of the specification, such as `§4.5`, or a decision, such as `R9`.
    pub clause: &'static str,
    /// What is broken, as one sentence about the deployment.
    pub sentence: &'static str,
    /// The roles of the keys that the proxy needs to show it, beside those of the requests.
    pub roles: &'static [&'static str],
    act: Act,
}

/// An asynchronous fault.
pub(crate) type Exchange = for<'a> fn(Request, &'a Upstream) -> BoxFuture<'a, Response>;

#[derive(Clone, Copy)]
enum Act {
    Rewrite(fn(&mut Request)),
    Edit(fn(&Request, &mut Response)),
    Exchange(Exchange),
}

impl Fault {
    /// A fault that changes the request before it is sent.
    pub(crate) const fn rewrite(
        id: &'static str,
        clause: &'static str,
        sentence: &'static str,
        rewrite: fn(&mut Request),
    ) -> Self {
        Self::new(id, clause, sentence, Act::Rewrite(rewrite))
    }

    /// A fault that changes the response.
    pub(crate) const fn edit(
        id: &'static str,
        clause: &'static str,
        sentence: &'static str,
        edit: fn(&Request, &mut Response),
    ) -> Self {
        Self::new(id, clause, sentence, Act::Edit(edit))
    }

    /// A fault that sends what it likes, and remembers what it needs.
    pub(crate) const fn exchange(
        id: &'static str,
        clause: &'static str,
        sentence: &'static str,
        exchange: Exchange,
    ) -> Self {
        Self::new(id, clause, sentence, Act::Exchange(exchange))
    }

    const fn new(id: &'static str, clause: &'static str, sentence: &'static str, act: Act) -> Self {
        Self {
            id,
            clause,
            sentence,
            roles: &[],
            act,
        }
    }

    /// With keys of these roles.
    pub(crate) const fn needs(mut self, roles: &'static [&'static str]) -> Self {
        self.roles = roles;
        self
    }

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
        }
    }
}

impl fmt::Debug for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.id)
    }
}

/// A table of faults, each with its id, clause, function, the roles of the keys it needs, and
/// sentence. The function is a `rewrite` of the request, an `edit` of the response, or an
/// asynchronous `exchange` of both.
macro_rules! faults {
    ($($id:literal $clause:literal $how:ident($act:ident) $(.needs($($role:expr),+))?
       $sentence:literal;)+) => {
        pub(super) const FAULTS: &[$crate::fault::Fault] = &[$(
            $crate::fault::Fault::$how($id, $clause, $sentence, $crate::fault::act!($how $act))
                $(.needs(&[$($role),+]))?,
        )+];
    };
}

/// The function of a fault as its kind stores it.
macro_rules! act {
    (exchange $act:ident) => {
        |request, upstream| Box::pin($act(request, upstream))
    };
    ($how:ident $act:ident) => {
        $act
    };
}
pub(crate) use {act, faults};
