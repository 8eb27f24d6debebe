//! A probe: a case that the document carries, with the fault that it must notice. Without a fault
//! it says which other one proves it, or why there can be none.

use futures_util::future::BoxFuture;

use super::subject::Subject;
use crate::{
    case::Case,
    exchange::{Request, Response},
    proxy::{Fault, Upstream, fault::Act},
    target::Role,
};

pub(crate) struct Probe {
    pub(crate) case: Case,
    pub(crate) evidence: Evidence,
}

/// Proves that a case can fail.
pub(crate) enum Evidence {
    /// Faults that this case is about.
    Faults(Vec<Fault>),
    /// A probe of the same operation, such as `query.unknown`, whose fault the case notices too.
    Shared(&'static str),
    ByHand(&'static str),
    /// The reason why there is none.
    Without(&'static str),
}

/// The behaviour of a deployment with a fault, and the roles of the keys that the proxy needs.
pub(super) struct Behaviour {
    roles: &'static [Role],
    act: Act,
}

impl Case {
    /// Completes a probe by its fault, whose sentence has `{operation}` for the operation.
    pub(super) fn fault(self, sentence: &str, behaviour: Behaviour) -> Probe {
        let fault = self.own_fault("", sentence, behaviour);
        Probe { case: self, evidence: Evidence::Faults(vec![fault]) }
    }

    /// A fault of this case; `name` extends the case's id where it has several.
    pub(super) fn own_fault(&self, name: &str, sentence: &str, behaviour: Behaviour) -> Fault {
        let operation = self.operation.unwrap_or_default();
        let id = if name.is_empty() { self.id } else { format!("{}.{name}", self.id).leak() };
        Fault {
            id,
            clause: self.clause,
            sentence: sentence.replace("{operation}", operation).leak(),
            roles: behaviour.roles,
            act: behaviour.act,
            case: Some(self.id),
        }
    }

    pub(super) fn shares_fault_of(self, probe: &'static str) -> Probe {
        Probe { case: self, evidence: Evidence::Shared(probe) }
    }

    pub(super) fn fault_by_hand(self, id: &'static str) -> Probe {
        Probe { case: self, evidence: Evidence::ByHand(id) }
    }

    pub(super) fn without_fault(self, reason: &'static str) -> Probe {
        Probe { case: self, evidence: Evidence::Without(reason) }
    }
}

impl Behaviour {
    pub(super) fn needs(self, roles: &[Role]) -> Self {
        Self { roles: roles.to_vec().leak(), ..self }
    }
}

pub(super) fn rewrites_every(rewrite: impl Fn(&mut Request) + Send + Sync + 'static) -> Behaviour {
    // Faults live as long as the program.
    Behaviour { roles: &[], act: Act::Rewrite(Box::leak(Box::new(rewrite))) }
}

pub(super) fn edits_every(
    edit: impl Fn(&Request, &mut Response, &Upstream) + Send + Sync + 'static,
) -> Behaviour {
    Behaviour { roles: &[], act: Act::Edit(Box::leak(Box::new(edit))) }
}

pub(super) fn exchanges<F>(exchange: F) -> Behaviour
where
    F: for<'a> Fn(Request, &'a Upstream) -> BoxFuture<'a, Response> + Send + Sync + 'static,
{
    Behaviour { roles: &[], act: Act::Exchange(Box::leak(Box::new(exchange))) }
}

impl Subject {
    pub(super) fn rewrites(
        &'static self,
        rewrite: impl Fn(&mut Request) + Send + Sync + 'static,
    ) -> Behaviour {
        rewrites_every(move |request| {
            if request.is(&self.operation.id) {
                rewrite(request);
            }
        })
    }

    pub(super) fn rewrites_members(
        &'static self,
        rewrite: impl Fn(&mut serde_json::Map<String, serde_json::Value>) + Send + Sync + 'static,
    ) -> Behaviour {
        self.rewrites(move |request| request.edit_fields(|members| rewrite(members)))
    }

    /// Ignores the parameters of the query that `keep` rejects.
    pub(super) fn keeps_parameters(
        &'static self,
        keep: impl Fn(&str, &str) -> bool + Send + Sync + 'static,
    ) -> Behaviour {
        self.rewrites(move |request| request.retain_parameters(&keep))
    }

    pub(super) fn edits(
        &'static self,
        edit: impl Fn(&Request, &mut Response) + Send + Sync + 'static,
    ) -> Behaviour {
        edits_every(move |request, response, _| {
            if request.is(&self.operation.id) {
                edit(request, response);
            }
        })
    }

    pub(super) fn answers(
        &'static self,
        status: u16,
        (wrong, code): (u16, &'static str),
    ) -> Behaviour {
        self.edits(move |_, response| {
            if response.has_status(status) {
                response.set_code(wrong, code);
            }
        })
    }

    /// Costs one credit more than the response shows, where `is_charged` holds of it.
    pub(super) fn charges(
        &'static self,
        is_charged: impl Fn(&Response) -> bool + Send + Sync + 'static,
    ) -> Behaviour {
        edits_every(move |request, response, upstream| {
            let is_charged = request.is(&self.operation.id) && is_charged(response);
            upstream.charge(request, response, is_charged.into());
        })
    }

    /// Sends the operation's requests once more, changed as `again` says, and answers with the
    /// second response.
    pub(super) fn sends_again(
        &'static self,
        again: impl Fn(&Request, &Response, &Upstream) -> Option<Request> + Send + Sync + 'static,
    ) -> Behaviour {
        let again: &'static _ = Box::leak(Box::new(again));
        exchanges(move |request, upstream| {
            Box::pin(async move {
                let response = upstream.send(&request).await;
                let other = again(&request, &response, upstream);
                match other.filter(|_| request.is(&self.operation.id)) {
                    Some(other) => upstream.send(&other).await,
                    None => response,
                }
            })
        })
    }
}
