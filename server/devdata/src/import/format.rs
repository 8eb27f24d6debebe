//! The entries of a file. Those of one organisation refer to each other by local names (`ref`).
//! An entry is read with the names of the file, and serialised with the names of its table's
//! columns; what it leaves out has the default of the column.

use std::collections::BTreeMap;

use base64::Engine as _;
use chrono::{DateTime, TimeDelta, Utc};
use payout_server::tools::{
    Billing, Definition, FromText, IdKind, KeyState, Limits, MoneyError,
    types::{
        CommentText, CrmObjectId, Currency, Domain, Money, PartnerName, PlanName, PoNumber,
        VisitorEmail,
    },
    value_sets::{
        CommentSource, CommentVisibility, CommissionLineStatus, CrmObjectType, ExternalIdType,
        FormSubmissionStatus, PartnerStatus, PayoutStage, PortalAccess, Scope,
    },
};
use serde::{
    Deserialize, Deserializer, Serialize,
    de::{Error as _, IgnoredAny},
};
use serde_json::{Map, Value};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    #[serde(rename = "comment")]
    _comment: Option<IgnoredAny>,
    pub(super) organizations: Vec<Organization>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub(super) struct Organization {
    pub(super) id: Option<String>,
    pub(super) name: String,
    #[serde(rename = "comment")]
    _comment: Option<IgnoredAny>,
    pub(super) limits: Limits,
    pub(super) billing: Billing,
    pub(super) template: Template,
    pub(super) keys: Vec<Key>,
    pub(super) users: Vec<User>,
    pub(super) tiers: Vec<Named>,
    pub(super) phases: Vec<Named>,
    pub(super) experience_templates: Vec<Named>,
    pub(super) partners: Vec<Partner>,
    pub(super) payouts: Vec<Payout>,
    pub(super) commission_lines: Vec<Line>,
    pub(super) comments: Vec<Comment>,
    pub(super) forms: Vec<Form>,
    pub(super) form_submissions: Vec<Submission>,
    pub(super) affiliate_links: Vec<AffiliateLink>,
    pub(super) clicks: Vec<Click>,
    pub(super) conversions: Vec<Conversion>,
    pub(super) crm_connection: Option<CrmConnection>,
    pub(super) crm_syncs: Vec<CrmSync>,
}

/// The template of statements (S4).
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub(super) struct Template {
    pub(super) title: Option<String>,
    pub(super) accent_colour: Option<String>,
    pub(super) footer: Option<String>,
    /// A PNG.
    pub(super) logo: Option<Base64>,
}

/// An API key. The import makes its secret, and shows it once.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Key {
    pub(super) name: String,
    pub(super) scopes: Vec<Scope>,
    #[serde(default)]
    pub(super) state: KeyState,
    /// Ends a key that is not active; a day before the import where absent.
    pub(super) ended_at: Option<DateTime<Utc>>,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct User {
    r#ref: String,
    id: Option<String>,
    name: String,
    email: String,
}

/// A tier, a phase or an experience template.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Named {
    r#ref: String,
    id: Option<String>,
    name: String,
}

/// A partner (§2.1). `tier` to `manager` are local names.
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all(deserialize = "camelCase"), deny_unknown_fields)]
pub(super) struct Partner {
    r#ref: String,
    id: Option<String>,
    name: Ruled<PartnerName>,
    domain: Option<Ruled<Domain>>,
    external_company_id: Option<String>,
    external_id: Option<String>,
    external_id_type: Option<ExternalIdType>,
    categories: Option<Vec<String>>,
    portal_access: Option<PortalAccess>,
    partner_object_crm_properties: Option<Map<String, Value>>,
    company_crm_properties: Option<Map<String, Value>>,
    status: Option<PartnerStatus>,
    tier: Option<String>,
    phase: Option<String>,
    experience_template: Option<String>,
    owner: Option<String>,
    manager: Option<String>,
    /// Addresses that may enter its portal (X16).
    #[serde(default, skip_serializing)]
    pub(super) portal_users: Vec<Ruled<VisitorEmail>>,
    created_at: Option<DateTime<Utc>>,
    updated_at: Option<DateTime<Utc>>,
}

/// A payout (§2.3). Its amount is the sum of the lines that name it.
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all(deserialize = "camelCase"), deny_unknown_fields)]
pub(super) struct Payout {
    r#ref: String,
    id: Option<String>,
    /// A local name.
    partner: String,
    batch_id: Option<String>,
    pub(super) period_start: DateTime<Utc>,
    pub(super) period_end: DateTime<Utc>,
    currency: Ruled<Currency>,
    stage: PayoutStage,
    po_number: Option<Ruled<PoNumber>>,
    metadata: Option<BTreeMap<String, String>>,
    /// A PDF (S8).
    #[serde(skip_serializing)]
    pub(super) uploaded_statement: Option<Base64>,
    created_at: Option<DateTime<Utc>>,
    updated_at: Option<DateTime<Utc>>,
}

/// A commission line (§2.2), or `repeat` of them.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all(deserialize = "camelCase"), deny_unknown_fields)]
pub(super) struct Line {
    /// The id of the first line, which those of its repetitions follow.
    id: Option<String>,
    pub(super) repeat: Option<u32>,
    /// A local name, as `payout` is.
    partner: String,
    payout: Option<String>,
    description: String,
    amount: Amount,
    source_amount: Amount,
    currency: Ruled<Currency>,
    status: Option<CommissionLineStatus>,
    plan_name: Ruled<PlanName>,
    period_end: DateTime<Utc>,
    idempotency_key: Option<String>,
    created_at: Option<DateTime<Utc>>,
    updated_at: Option<DateTime<Utc>>,
}

/// A comment (X14). `partner` to `author` are local names; `thread` is that of the comment that
/// begins the thread, whose target the entry repeats.
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all(deserialize = "camelCase"), deny_unknown_fields)]
pub(super) struct Comment {
    r#ref: String,
    id: Option<String>,
    partner: String,
    payout: Option<String>,
    thread: Option<String>,
    author: Option<String>,
    commission_line_id: Option<String>,
    text: Ruled<CommentText>,
    visibility: CommentVisibility,
    source: Option<CommentSource>,
    created_at: Option<DateTime<Utc>>,
}

/// A form (X15), with one version.
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all(deserialize = "camelCase"), deny_unknown_fields)]
pub(super) struct Form {
    r#ref: String,
    id: Option<String>,
    #[serde(skip_serializing)]
    pub(super) definition: Definition,
    /// Null where it is not published.
    published_version: Option<i32>,
    created_at: Option<DateTime<Utc>>,
    updated_at: Option<DateTime<Utc>>,
}

/// What was submitted with a form (X15). `form` and `partner` are local names.
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all(deserialize = "camelCase"), deny_unknown_fields)]
pub(super) struct Submission {
    id: Option<String>,
    form: String,
    partner: Option<String>,
    email: Option<String>,
    fields: Map<String, Value>,
    external_key: Option<String>,
    status: FormSubmissionStatus,
    submitted_at: DateTime<Utc>,
    created_at: Option<DateTime<Utc>>,
    updated_at: Option<DateTime<Utc>>,
}

/// An affiliate link (X18), which pays a percentage or a fixed amount. `partner` is a local name.
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all(deserialize = "camelCase"), deny_unknown_fields)]
pub(super) struct AffiliateLink {
    r#ref: String,
    id: Option<String>,
    partner: String,
    code: String,
    target_url: String,
    plan_name: Ruled<PlanName>,
    percent: Option<String>,
    fixed_amount: Option<Amount>,
    currency: Option<Ruled<Currency>>,
    hold_days: u32,
    window_days: u32,
    created_at: Option<DateTime<Utc>>,
    disabled_at: Option<DateTime<Utc>>,
}

/// A click on a link, by its local name (X18).
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all(deserialize = "camelCase"), deny_unknown_fields)]
pub(super) struct Click {
    r#ref: String,
    id: Option<String>,
    link: String,
    created_at: Option<DateTime<Utc>>,
}

/// What a click became (X19). `click` and `partner` are local names; the line of its commission is
/// an entry of its own.
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all(deserialize = "camelCase"), deny_unknown_fields)]
pub(super) struct Conversion {
    id: Option<String>,
    click: String,
    partner: String,
    external_id: Option<String>,
    amount: Option<Amount>,
    currency: Option<Ruled<Currency>>,
    #[serde(default)]
    properties: BTreeMap<String, String>,
    occurred_at: DateTime<Utc>,
    matures_at: DateTime<Utc>,
    commission_line_id: Option<String>,
    created_at: Option<DateTime<Utc>>,
    reversed_at: Option<DateTime<Utc>>,
}

/// The connection to a CRM (X21). Nobody can open its token, so its syncs fail.
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all(deserialize = "camelCase"), deny_unknown_fields)]
pub(super) struct CrmConnection {
    base_url: String,
    partner_type: String,
    company_type: String,
    partner_properties: Vec<String>,
    company_properties: Vec<String>,
}

/// A sync with a CRM (X21) that has ended. `partner` is a local name.
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all(deserialize = "camelCase"), deny_unknown_fields)]
pub(super) struct CrmSync {
    id: Option<String>,
    object_type: CrmObjectType,
    object_id: Ruled<CrmObjectId>,
    status: String,
    partner: Option<String>,
    changed: Option<bool>,
    failure_code: Option<String>,
    failure_message: Option<String>,
    created_at: DateTime<Utc>,
    finished_at: DateTime<Utc>,
}

impl Line {
    /// Returns the repetition `number`: it is as many seconds later, and the `{n}` of its texts is
    /// one more. Its status follows from its payout unless it has one.
    pub(super) fn repetition(&self, number: u32) -> Self {
        let mut line = self.clone();
        for text in
            [Some(&mut line.description), line.idempotency_key.as_mut()].into_iter().flatten()
        {
            *text = text.replace("{n}", &(number + 1).to_string());
        }
        let following = |first: &String| IdKind::CommissionLine.offset(first, number);
        line.id = self.id.as_ref().map(|first| following(first).unwrap_or(first.clone()));
        for instant in [&mut line.created_at, &mut line.updated_at].into_iter().flatten() {
            *instant += TimeDelta::seconds(number.into());
        }
        line.status.get_or_insert(match self.payout {
            Some(_) => CommissionLineStatus::InPayout,
            None => CommissionLineStatus::Pending,
        });
        line
    }
}

/// A text by the rule that the API document has for `T`.
#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
pub(super) struct Ruled<T>(T);

impl<'de, T: FromText> Deserialize<'de> for Ruled<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        T::from_text(&text).map(Self).map_err(|(_, message)| D::Error::custom(message))
    }
}

#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(try_from = "String")]
struct Amount(Money);

impl TryFrom<String> for Amount {
    type Error = MoneyError;

    fn try_from(text: String) -> Result<Self, MoneyError> {
        Money::parse(&text).map(Self)
    }
}

/// Bytes, which the file has in base64.
#[derive(Debug, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct Base64(pub(super) Vec<u8>);

impl TryFrom<String> for Base64 {
    type Error = base64::DecodeError;

    fn try_from(text: String) -> Result<Self, base64::DecodeError> {
        base64::engine::general_purpose::STANDARD.decode(text).map(Self)
    }
}
