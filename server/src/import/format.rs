//! The form of an import file: organisations, and all they own, naming each other by local names (`ref`).
//!
//! It refuses unknown fields, amounts that are not exact, and the amount of a payout: that is the sum of its lines.

#![expect(
    clippy::disallowed_types,
    reason = "serde's derive names floats where it buffers a flattened struct; no amount here is one"
)]

use schemars::JsonSchema;
use serde::Deserialize;

pub use super::scalars::{Amount, Base64, Currency, Instant, LocalName};
pub use crate::contract::value_sets::{CommissionLineStatus as LineStatus, PayoutStage, Scope};
use crate::{keys::KeyState, organizations::Billing, partners::model::PartnerColumns};

/// A file of organisations.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Dataset {
    /// Where this schema is, for editors.
    #[serde(rename = "$schema", default)]
    pub schema: Option<String>,
    /// For people.
    #[serde(default)]
    pub comment: Option<String>,
    /// The organisations; each is imported in one transaction.
    #[schemars(length(min = 1))]
    pub organizations: Vec<OrganizationEntry>,
}

/// An organisation with all it owns.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OrganizationEntry {
    /// `org_` and a ULID; made where it is absent.
    #[serde(default)]
    pub id: Option<String>,
    /// Its name, unique in the file and the database.
    #[schemars(length(min = 1, max = 200))]
    pub name: String,
    /// For people.
    #[serde(default)]
    pub comment: Option<String>,
    /// How much it may ask; the service's defaults where it is absent.
    #[serde(default)]
    pub limits: LimitsEntry,
    /// What its statements print of it.
    #[serde(default)]
    pub billing: Billing,
    /// What its statements look like.
    #[serde(default)]
    pub template: TemplateEntry,
    /// Its API keys. Their secrets are made at the import, and shown once.
    #[serde(default)]
    pub keys: Vec<KeyEntry>,
    /// Its users.
    #[serde(default)]
    pub users: Vec<UserEntry>,
    /// Its tiers.
    #[serde(default)]
    pub tiers: Vec<NamedEntry>,
    /// Its lifecycle phases.
    #[serde(default)]
    pub phases: Vec<NamedEntry>,
    /// Its experience templates.
    #[serde(default)]
    pub experience_templates: Vec<NamedEntry>,
    /// Its partners.
    #[serde(default)]
    pub partners: Vec<PartnerEntry>,
    /// Its payouts.
    #[serde(default)]
    pub payouts: Vec<PayoutEntry>,
    /// Its commission lines.
    #[serde(default)]
    pub commission_lines: Vec<LineEntry>,
}

/// How much an organisation may ask.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct LimitsEntry {
    /// Requests a minute.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub requests_per_minute: i32,
    /// Credits a month; null = unlimited.
    #[schemars(range(min = 0, max = 1_000_000_000))]
    pub credits_per_month: Option<i64>,
}

impl Default for LimitsEntry {
    fn default() -> Self {
        let limits = crate::organizations::Limits::default();
        Self {
            requests_per_minute: limits.requests_per_minute,
            credits_per_month: limits.credits_per_month.0,
        }
    }
}

/// What an organisation's statements look like (S4); what is absent is as we ship it.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TemplateEntry {
    /// Title.
    #[serde(default)]
    #[schemars(length(min = 1, max = 100))]
    pub title: Option<String>,
    /// Accent colour, such as #0f5c6e.
    #[serde(default)]
    #[schemars(regex(pattern = "^#[0-9a-f]{6}$"))]
    pub accent_colour: Option<String>,
    /// Text at the foot of every page.
    #[serde(default)]
    #[schemars(length(min = 1, max = 500))]
    pub footer: Option<String>,
    /// Logo: a PNG, in base64.
    #[serde(default)]
    pub logo: Option<Base64>,
}

/// An API key.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct KeyEntry {
    /// What a person calls it; unique in the organisation.
    #[schemars(length(min = 1, max = 200))]
    pub name: String,
    /// What it may do.
    pub scopes: Vec<Scope>,
    /// Whether it is valid.
    #[serde(default)]
    pub state: KeyState,
    /// Of an active key: how long it lives from the import on; 365 where it is absent.
    #[serde(default)]
    #[schemars(range(min = 1, max = 365))]
    pub expires_in_days: Option<i32>,
    /// Of an expired or revoked key: when it ended; a day before the import where it is absent.
    #[serde(default)]
    pub ended_at: Option<Instant>,
}

/// A user.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UserEntry {
    /// Local name.
    #[serde(rename = "ref")]
    pub local_name: LocalName,
    /// `user_` and a ULID; made where it is absent.
    #[serde(default)]
    pub id: Option<String>,
    /// The user's name.
    #[schemars(length(min = 1, max = 200))]
    pub name: String,
    /// The user's e-mail address.
    #[schemars(length(min = 1, max = 320))]
    pub email: String,
}

/// A tier, a phase or an experience template.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NamedEntry {
    /// Local name.
    #[serde(rename = "ref")]
    pub local_name: LocalName,
    /// `tier_`, `phase_` or `tmpl_`, and a ULID; made where it is absent.
    #[serde(default)]
    pub id: Option<String>,
    /// Its name.
    #[schemars(length(min = 1, max = 200))]
    pub name: String,
}

/// A partner (§2.1).
// serde cannot refuse unknown members beside a flattened struct; the schema, which is asked first, does.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct PartnerEntry {
    /// Local name.
    #[serde(rename = "ref")]
    pub local_name: LocalName,
    /// `ptn_` and a ULID; made where it is absent.
    #[serde(default)]
    pub id: Option<String>,
    /// What it holds by itself.
    #[serde(flatten)]
    pub columns: PartnerColumns,
    /// Local name of its tier.
    #[serde(default)]
    pub tier: Option<LocalName>,
    /// Local name of its phase.
    #[serde(default)]
    pub phase: Option<LocalName>,
    /// Local name of its experience template.
    #[serde(default)]
    pub experience_template: Option<LocalName>,
    /// Local name of its owner.
    #[serde(default)]
    pub owner: Option<LocalName>,
    /// Local name of its manager.
    #[serde(default)]
    pub manager: Option<LocalName>,
    /// When it was made; the moment of the import where it is absent.
    #[serde(default)]
    pub created_at: Option<Instant>,
    /// When it last changed; `createdAt` where it is absent.
    #[serde(default)]
    pub updated_at: Option<Instant>,
}

/// A payout (§2.3). Its amount is the sum of the lines that name it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PayoutEntry {
    /// Local name.
    #[serde(rename = "ref")]
    pub local_name: LocalName,
    /// `pay_` and a ULID; made where it is absent.
    #[serde(default)]
    pub id: Option<String>,
    /// Local name of its partner.
    pub partner: LocalName,
    /// `pbt_` and a ULID; made where it is absent.
    #[serde(default)]
    pub batch_id: Option<String>,
    /// Start of its period.
    pub period_start: Instant,
    /// End of its period.
    pub period_end: Instant,
    /// Its currency, and that of its lines.
    pub currency: Currency,
    /// Its stage.
    pub stage: PayoutStage,
    /// The purchase-order number that its statement prints.
    #[serde(default)]
    #[schemars(length(min = 1, max = 255))]
    pub po_number: Option<String>,
    /// Texts kept with it; `statementNote`, up to 2,000 characters, is printed on its statement (V11).
    #[serde(default)]
    pub metadata: Option<std::collections::BTreeMap<String, String>>,
    /// A PDF that stands for the rendered statement, in base64; at most 25 MB (S8).
    #[serde(default)]
    pub uploaded_statement: Option<Base64>,
    /// When it was made; the moment of the import where it is absent.
    #[serde(default)]
    pub created_at: Option<Instant>,
    /// When it last changed; `createdAt` where it is absent.
    #[serde(default)]
    pub updated_at: Option<Instant>,
}

/// One commission line, or `repeat` of them (§2.2).
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LineEntry {
    /// `cln_` and a ULID; made where it is absent. Of repeated lines the first one's; the others count on from it.
    #[serde(default)]
    pub id: Option<String>,
    /// How many lines this entry makes. In `description` and `idempotencyKey`, `{n}` is replaced by 1, 2, 3 and so on;
    /// `createdAt` and `updatedAt` move on by a second a line.
    #[serde(default)]
    #[schemars(range(min = 1, max = 100_000))]
    pub repeat: Option<u32>,
    /// Local name of its partner.
    pub partner: LocalName,
    /// Local name of the payout it is attached to, which has its partner and currency.
    #[serde(default)]
    pub payout: Option<LocalName>,
    /// Free text.
    #[schemars(length(max = 2000))]
    pub description: String,
    /// The commission.
    pub amount: Amount,
    /// What the commission derives from.
    pub source_amount: Amount,
    /// Currency of both.
    pub currency: Currency,
    /// `IN_PAYOUT` exactly where `payout` is given. Absent: `IN_PAYOUT` or `PENDING`, as `payout` says.
    #[serde(default)]
    pub status: Option<LineStatus>,
    /// Name of the commission plan.
    #[schemars(length(min = 1, max = 200))]
    pub plan_name: String,
    /// End of the period it belongs to.
    pub period_end: Instant,
    /// Unique in the organisation.
    #[serde(default)]
    #[schemars(length(min = 1, max = 255))]
    pub idempotency_key: Option<String>,
    /// When it was made; the moment of the import where it is absent.
    #[serde(default)]
    pub created_at: Option<Instant>,
    /// When it last changed; `createdAt` where it is absent.
    #[serde(default)]
    pub updated_at: Option<Instant>,
}
