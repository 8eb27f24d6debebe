//! The types of an import file: organisations with everything they own. Entries of one organisation
//! refer to each other by local names (`ref`).
//!
//! The JSON Schema is made from these types and their comments. An entry is read with the names of
//! the file and serialised with the names of its table's columns.

use std::collections::BTreeMap;

use payout_server::tools::{Billing, Limits, types::PoNumber};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub(super) use super::scalars::{
    Amount, Base64, Currency, ExternalIdType, Instant, LineStatus, LocalName, PartnerStatus,
    PayoutStage, PortalAccess, Scope,
};

/// A file of organisations.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Dataset {
    /// Path of this schema, for editors.
    #[serde(rename = "$schema")]
    #[expect(dead_code, reason = "editors read it")]
    schema: Option<String>,
    /// A remark for readers of the file.
    #[expect(dead_code, reason = "people read it")]
    comment: Option<String>,
    /// The organisations; each is imported in one transaction.
    #[schemars(length(min = 1))]
    pub(crate) organizations: Vec<OrganizationEntry>,
}

/// An organisation with all it owns.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct OrganizationEntry {
    /// `org_` and a ULID; made where absent.
    pub(crate) id: Option<String>,
    /// Its name, unique in the file and the database.
    #[schemars(length(min = 1, max = 200))]
    pub(crate) name: String,
    /// A remark for readers of the file.
    #[expect(dead_code, reason = "people read it")]
    comment: Option<String>,
    /// Its limits; the service's defaults where absent.
    #[serde(default)]
    pub(crate) limits: LimitsEntry,
    /// Billing information, which its statements print.
    #[serde(default)]
    pub(crate) billing: BillingEntry,
    /// The template of its statements.
    #[serde(default)]
    pub(crate) template: TemplateEntry,
    /// Its API keys. The import makes their secrets and shows them once.
    #[serde(default)]
    pub(crate) keys: Vec<KeyEntry>,
    /// Its users.
    #[serde(default)]
    pub(crate) users: Vec<UserEntry>,
    /// Its tiers.
    #[serde(default)]
    pub(crate) tiers: Vec<NamedEntry>,
    /// Its lifecycle phases.
    #[serde(default)]
    pub(crate) phases: Vec<NamedEntry>,
    /// Its experience templates.
    #[serde(default)]
    pub(crate) experience_templates: Vec<NamedEntry>,
    /// Its partners.
    #[serde(default)]
    pub(crate) partners: Vec<PartnerEntry>,
    /// Its payouts.
    #[serde(default)]
    pub(crate) payouts: Vec<PayoutEntry>,
    /// Its commission lines.
    #[serde(default)]
    pub(crate) commission_lines: Vec<LineEntry>,
}

/// The limits of an organisation.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub(crate) struct LimitsEntry {
    /// Requests a minute.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub(crate) requests_per_minute: i32,
    /// Credits a month; null = unlimited.
    #[schemars(range(min = 0, max = 1_000_000_000))]
    pub(crate) credits_per_month: Option<i64>,
}

impl Default for LimitsEntry {
    fn default() -> Self {
        let limits = Limits::default();
        Self {
            requests_per_minute: limits.requests_per_minute,
            credits_per_month: limits.credits_per_month.0,
        }
    }
}

/// What a statement prints of the organisation. Every part may be missing until it is set.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub(crate) struct BillingEntry {
    /// Legal name.
    #[schemars(length(min = 1, max = 500))]
    pub(crate) legal_name: Option<String>,
    /// First line of the address.
    #[serde(rename = "addressLine1")]
    #[schemars(length(min = 1, max = 500))]
    pub(crate) address_line_1: Option<String>,
    /// Second line of the address; never needed.
    #[serde(rename = "addressLine2")]
    #[schemars(length(min = 1, max = 500))]
    pub(crate) address_line_2: Option<String>,
    /// Postal code.
    #[schemars(length(min = 1, max = 500))]
    pub(crate) postal_code: Option<String>,
    /// City.
    #[schemars(length(min = 1, max = 500))]
    pub(crate) city: Option<String>,
    /// Country.
    #[schemars(length(min = 1, max = 500))]
    pub(crate) country: Option<String>,
    /// E-mail address of the finance department.
    #[schemars(length(min = 1, max = 500))]
    pub(crate) finance_email: Option<String>,
    /// Company number; this or a VAT number is needed.
    #[schemars(length(min = 1, max = 500))]
    pub(crate) company_number: Option<String>,
    /// VAT number; this or a company number is needed.
    #[schemars(length(min = 1, max = 500))]
    pub(crate) vat_number: Option<String>,
}

impl From<BillingEntry> for Billing {
    fn from(entry: BillingEntry) -> Self {
        Self {
            legal_name: entry.legal_name,
            address_line_1: entry.address_line_1,
            address_line_2: entry.address_line_2,
            postal_code: entry.postal_code,
            city: entry.city,
            country: entry.country,
            finance_email: entry.finance_email,
            company_number: entry.company_number,
            vat_number: entry.vat_number,
        }
    }
}

/// The template of an organisation's statements (S4); absent parts have the built-in design.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct TemplateEntry {
    /// Title.
    #[schemars(length(min = 1, max = 100))]
    pub(crate) title: Option<String>,
    /// Accent colour, such as #0f5c6e.
    #[schemars(regex(pattern = "^#[0-9a-f]{6}$"))]
    pub(crate) accent_colour: Option<String>,
    /// Text at the foot of every page.
    #[schemars(length(min = 1, max = 500))]
    pub(crate) footer: Option<String>,
    /// Logo: a PNG, in base64.
    pub(crate) logo: Option<Base64>,
}

/// Whether an API key is valid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum KeyState {
    /// It admits requests.
    #[default]
    Active,
    /// It has expired.
    Expired,
    /// An operator revoked it.
    Revoked,
}

/// An API key.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct KeyEntry {
    /// Its name; unique in the organisation.
    #[schemars(length(min = 1, max = 200))]
    pub(crate) name: String,
    /// Its scopes.
    pub(crate) scopes: Vec<Scope>,
    /// Whether the key is valid.
    #[serde(default)]
    pub(crate) state: KeyState,
    /// Only for an active key: its lifetime, counted from the import; 365 where absent.
    #[schemars(range(min = 1, max = 365))]
    pub(crate) expires_in_days: Option<i32>,
    /// Only for an expired or revoked key: when it ended; a day before the import where absent.
    pub(crate) ended_at: Option<Instant>,
}

/// A user.
#[derive(Debug, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct UserEntry {
    /// Local name.
    #[serde(rename = "ref")]
    pub(crate) local_name: LocalName,
    /// `user_` and a ULID; made where absent.
    pub(crate) id: Option<String>,
    /// The user's name.
    #[schemars(length(min = 1, max = 200))]
    pub(crate) name: String,
    /// The user's e-mail address.
    #[schemars(length(min = 1, max = 320))]
    pub(crate) email: String,
}

/// A tier, a phase or an experience template.
#[derive(Debug, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NamedEntry {
    /// Local name.
    #[serde(rename = "ref")]
    pub(crate) local_name: LocalName,
    /// `tier_`, `phase_` or `tmpl_`, and a ULID; made where absent.
    pub(crate) id: Option<String>,
    /// Its name.
    #[schemars(length(min = 1, max = 200))]
    pub(crate) name: String,
}

/// A partner (§2.1).
#[derive(Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all(deserialize = "camelCase"), deny_unknown_fields)]
pub(crate) struct PartnerEntry {
    /// Local name.
    #[serde(rename = "ref")]
    pub(crate) local_name: LocalName,
    /// `ptn_` and a ULID; made where absent.
    pub(crate) id: Option<String>,
    /// Display name.
    #[schemars(length(min = 1, max = 200))]
    pub(crate) name: String,
    /// Company domain.
    #[schemars(length(min = 1, max = 255))]
    pub(crate) domain: Option<String>,
    /// The company's id in the CRM.
    #[schemars(length(min = 1, max = 255))]
    pub(crate) external_company_id: Option<String>,
    /// The partner's id in the CRM, unique in the organisation. It may equal another partner's id
    /// (R1).
    #[schemars(length(min = 1, max = 255))]
    pub(crate) external_id: Option<String>,
    /// What `externalId` names.
    pub(crate) external_id_type: Option<ExternalIdType>,
    /// Its categories.
    #[serde(default)]
    pub(crate) categories: Vec<String>,
    /// Who may enter its portal.
    pub(crate) portal_access: Option<PortalAccess>,
    /// CRM properties of the partner object.
    #[serde(default)]
    pub(crate) partner_object_crm_properties: Map<String, Value>,
    /// CRM properties of the company object.
    #[serde(default)]
    pub(crate) company_crm_properties: Map<String, Value>,
    /// Its status.
    #[serde(default)]
    pub(crate) status: PartnerStatus,
    /// Local name of its tier.
    pub(crate) tier: Option<LocalName>,
    /// Local name of its phase.
    pub(crate) phase: Option<LocalName>,
    /// Local name of its experience template.
    pub(crate) experience_template: Option<LocalName>,
    /// Local name of its owner.
    pub(crate) owner: Option<LocalName>,
    /// Local name of its manager.
    pub(crate) manager: Option<LocalName>,
    /// Creation time; the time of the import where absent.
    pub(crate) created_at: Option<Instant>,
    /// Time of the last change; `createdAt` where absent.
    pub(crate) updated_at: Option<Instant>,
}

/// A payout (§2.3). Its amount is the sum of the lines that name it.
#[derive(Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all(deserialize = "camelCase"), deny_unknown_fields)]
pub(crate) struct PayoutEntry {
    /// Local name.
    #[serde(rename = "ref")]
    pub(crate) local_name: LocalName,
    /// `pay_` and a ULID; made where absent.
    pub(crate) id: Option<String>,
    /// Local name of its partner.
    pub(crate) partner: LocalName,
    /// `pbt_` and a ULID; made where absent.
    pub(crate) batch_id: Option<String>,
    /// Start of its period.
    pub(crate) period_start: Instant,
    /// End of its period.
    pub(crate) period_end: Instant,
    /// Its currency, and that of its lines.
    pub(crate) currency: Currency,
    /// Its stage.
    pub(crate) stage: PayoutStage,
    /// Purchase-order number, which its statement prints.
    #[schemars(length(min = PoNumber::RULE.min_length, max = PoNumber::RULE.max_length))]
    pub(crate) po_number: Option<String>,
    /// Texts stored with it; its statement prints `statementNote`, up to 2,000 characters (V11).
    pub(crate) metadata: Option<BTreeMap<String, String>>,
    /// A PDF that replaces the rendered statement, in base64; at most 25 MB (S8).
    pub(crate) uploaded_statement: Option<Base64>,
    /// Creation time; the time of the import where absent.
    pub(crate) created_at: Option<Instant>,
    /// Time of the last change; `createdAt` where absent.
    pub(crate) updated_at: Option<Instant>,
}

/// One commission line, or `repeat` of them (§2.2).
#[derive(Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all(deserialize = "camelCase"), deny_unknown_fields)]
pub(crate) struct LineEntry {
    /// `cln_` and a ULID; made where absent. With `repeat`, the id of the first line; the others
    /// count on from it.
    pub(crate) id: Option<String>,
    /// How many lines this entry makes. In `description` and `idempotencyKey`, `{n}` is replaced
    /// by 1, 2, 3 and so on; `createdAt` and `updatedAt` increase by a second a line.
    #[schemars(range(min = 1, max = 100_000))]
    pub(crate) repeat: Option<u32>,
    /// Local name of its partner.
    pub(crate) partner: LocalName,
    /// Local name of the payout it is attached to, which has the same partner and currency.
    pub(crate) payout: Option<LocalName>,
    /// Free text.
    #[schemars(length(max = 2000))]
    pub(crate) description: String,
    /// The commission.
    pub(crate) amount: Amount,
    /// The amount that the commission derives from.
    pub(crate) source_amount: Amount,
    /// Currency of both.
    pub(crate) currency: Currency,
    /// `IN_PAYOUT` exactly where `payout` is given. Absent: `IN_PAYOUT` with a `payout`, `PENDING`
    /// without.
    pub(crate) status: Option<LineStatus>,
    /// Name of the commission plan.
    #[schemars(length(min = 1, max = 200))]
    pub(crate) plan_name: String,
    /// End of the period it belongs to.
    pub(crate) period_end: Instant,
    /// Unique in the organisation.
    #[schemars(length(min = 1, max = 255))]
    pub(crate) idempotency_key: Option<String>,
    /// Creation time; the time of the import where absent.
    pub(crate) created_at: Option<Instant>,
    /// Time of the last change; `createdAt` where absent.
    pub(crate) updated_at: Option<Instant>,
}

impl LineEntry {
    /// Whether its status is `IN_PAYOUT`, where it names one.
    pub(super) fn is_in_payout(&self) -> Option<bool> {
        let status = self.status.as_ref()?;
        Some(status.0 == LineStatus::IN_PAYOUT)
    }
}

/// An entry that others refer to by its local name.
pub(super) trait Named {
    fn local_name(&self) -> &LocalName;
    fn id(&self) -> Option<&str>;
}

macro_rules! named {
    ($($entry:ty),+) => {
        $(impl Named for $entry {
            fn local_name(&self) -> &LocalName {
                &self.local_name
            }

            fn id(&self) -> Option<&str> {
                self.id.as_deref()
            }
        })+
    };
}

named!(UserEntry, NamedEntry, PartnerEntry, PayoutEntry);
