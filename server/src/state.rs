//! The state of all handlers: one part for each resource. There is no global state.

use std::sync::Arc;

use crate::{
    affiliate::Affiliate, comments::Comments, commission_lines::CommissionLines,
    contract::traits::Api, crm::Crm, forms::Forms, gate::Caller, partners::Partners,
    payouts::Payouts, portal::PortalLinks, problem::Failure, statements::Statements,
};

/// Implements every operation: a resource implements its own for all that hold its part.
pub(crate) struct App {
    pub(crate) partners: Partners,
    pub(crate) commission_lines: CommissionLines,
    pub(crate) payouts: Payouts,
    pub(crate) statements: Arc<Statements>,
    pub(crate) comments: Comments,
    pub(crate) forms: Forms,
    pub(crate) portal: PortalLinks,
    pub(crate) affiliate: Affiliate,
    pub(crate) crm: Crm,
}

impl Api for App {
    type Caller = Caller;
    type Failure = Failure;
}

impl AsRef<Partners> for App {
    fn as_ref(&self) -> &Partners {
        &self.partners
    }
}

impl AsRef<CommissionLines> for App {
    fn as_ref(&self) -> &CommissionLines {
        &self.commission_lines
    }
}

impl AsRef<Payouts> for App {
    fn as_ref(&self) -> &Payouts {
        &self.payouts
    }
}

impl AsRef<Arc<Statements>> for App {
    fn as_ref(&self) -> &Arc<Statements> {
        &self.statements
    }
}

impl AsRef<Comments> for App {
    fn as_ref(&self) -> &Comments {
        &self.comments
    }
}

impl AsRef<Forms> for App {
    fn as_ref(&self) -> &Forms {
        &self.forms
    }
}

impl AsRef<PortalLinks> for App {
    fn as_ref(&self) -> &PortalLinks {
        &self.portal
    }
}

impl AsRef<Affiliate> for App {
    fn as_ref(&self) -> &Affiliate {
        &self.affiliate
    }
}

impl AsRef<Crm> for App {
    fn as_ref(&self) -> &Crm {
        &self.crm
    }
}
