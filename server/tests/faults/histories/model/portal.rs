//! Links into the portals of partners (X16).

use serde_json::{Value, json};

use super::{Model, Outcome, text};

impl Model {
    /// Publishes the partner's portal where the body does, whose members no response shows; returns
    /// true if that changed something.
    pub(super) fn publish(&mut self, partner: &str, body: &mut Value) -> bool {
        let body = body.as_object_mut().expect("an object");
        if body.remove("experienceTemplateId").is_none() {
            return false;
        }
        let access = body.remove("portalAccess").unwrap_or_default();
        self.portals.insert(partner.to_owned(), access.clone()) != Some(access)
    }

    pub(super) fn create_portal_session(&mut self, body: &Value, id: &str) -> Outcome {
        let partner = text(body, "partnerId");
        let access = self.portals.get(partner).ok_or("PORTAL_NOT_PUBLISHED")?;
        let domain = text(&self.partners[partner], "domain").to_lowercase();
        let (_, of_visitor) = text(body, "email").split_once('@').expect("an address");
        if access != "RESTRICTED_DOMAINS" || of_visitor.to_lowercase() != domain {
            return Err("VISITOR_NOT_AUTHORIZED");
        }
        self.record("create_portal_session");
        Ok((201, json!({ "id": id, "partnerId": partner, "email": body["email"] })))
    }
}
