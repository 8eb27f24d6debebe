//! A session in the portal, and why one is not made.

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::json;

use crate::{
    contract::types::{CreatePortalSessionReferences, ErrorCode},
    problem::Failure,
};

/// What a link into the portal needs of the partner, and the link's end where one was made.
#[derive(Clone, Debug)]
pub(super) struct Attempt {
    pub(super) has_partner: bool,
    pub(super) is_published: bool,
    /// The partner's `portalAccess`.
    pub(super) access: String,
    pub(super) link_expires_at: Option<DateTime<Utc>>,
}

/// A person at the portal: whom the session is for, and where.
#[derive(Clone, Debug, Serialize)]
pub struct Visitor {
    pub email: String,
    pub partner_name: String,
    pub organization_name: String,
    /// The organisation moves to another cell, or has moved.
    #[serde(skip)]
    pub is_stopped: bool,
}

impl Attempt {
    /// Says why no link was made.
    pub(super) fn rejection(&self) -> Failure {
        let found = CreatePortalSessionReferences { partner_id: self.has_partner };
        if let Err(unknown) = Failure::unless_found(found) {
            return unknown;
        }
        if !self.is_published {
            let message = "The partner has no portal. Publish it: PATCH the partner with an \
                           experienceTemplateId.";
            return Failure::rejected(ErrorCode::PortalNotPublished, message, json!({}));
        }
        let access = &self.access;
        let message = format!(
            "This visitor may not enter the partner's portal. Its portalAccess is {access}: an \
             operator adds the address with `payout-server portal users add`."
        );
        Failure::rejected(ErrorCode::VisitorNotAuthorized, message, json!({ "access": access }))
    }
}
