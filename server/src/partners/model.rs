//! A partner as the store returns it.

use chrono::{DateTime, Utc};
use serde_json::{Map, Value};

#[derive(Clone, Debug, PartialEq)]
pub struct Partner {
    pub organization_id: String,
    pub id: String,
    pub name: String,
    pub domain: Option<String>,
    /// The company's id in the CRM.
    pub external_company_id: Option<String>,
    /// The partner's id in the CRM, unique in the organisation (R1).
    pub external_id: Option<String>,
    /// The kind of CRM object that `external_id` names (V6).
    pub external_id_type: Option<String>,
    pub categories: Vec<String>,
    pub tier_id: Option<String>,
    pub phase_id: Option<String>,
    /// The published experience template.
    pub experience_template_id: Option<String>,
    /// The portal's access mode, which the API sets and never returns.
    pub portal_access: Option<String>,
    /// The owner's user id; name and e-mail address are set with it.
    pub owner_id: Option<String>,
    pub owner_name: Option<String>,
    pub owner_email: Option<String>,
    /// The manager's user id; name and e-mail address are set with it.
    pub manager_id: Option<String>,
    pub manager_name: Option<String>,
    pub manager_email: Option<String>,
    /// CRM properties of the partner object: a JSON object.
    pub partner_object_crm_properties: Value,
    /// CRM properties of the company object: a JSON object.
    pub company_crm_properties: Value,
    /// The partner's status (V7).
    pub status: String,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
}

/// Returns the company's properties, overridden by the partner object's (V9).
pub(super) fn combined_crm_properties(
    company: &Map<String, Value>,
    partner_object: &Map<String, Value>,
) -> Map<String, Value> {
    let mut combined = company.clone();
    combined.extend(partner_object.iter().map(|(name, value)| (name.clone(), value.clone())));
    combined
}
