//! Fixtures in a target file: ids of what is in the deployment, by name. What the file does not
//! name is found through the API if possible, or its cases are skipped.

use schemars::JsonSchema;
use serde::Deserialize;

use super::table::table;

const LENGTH_LIMIT_CHARACTERS: usize = 500;

/// An id as the API writes it, or another text that names something in a path.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(extend("minLength" = 1, "maxLength" = LENGTH_LIMIT_CHARACTERS))]
pub(crate) struct Id(pub(crate) String);

impl TryFrom<String> for Id {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        if text.starts_with("pcp_") {
            return Err(
                "a key is not a fixture; remove it from the file, and name its variable in [keys]"
                    .to_owned(),
            );
        }
        let fits = (1..=LENGTH_LIMIT_CHARACTERS).contains(&text.chars().count())
            && !text.contains(char::is_control);
        fits.then_some(Self(text)).ok_or_else(|| {
            format!(
                "a fixture is an id of 1 to {LENGTH_LIMIT_CHARACTERS} characters; write one, or \
                 remove the line"
            )
        })
    }
}

table! {
    /// What a case may need in the deployment.
    enum Fixture;
    /// Ids of what is in the deployment, by purpose. All belong to the organisation of the key
    /// `all` unless another is named.
    struct Fixtures of Id {}
    /// A partner with an owner, a manager, a tier and a phase, which cases may rename and restore.
    Partner = partner: Option<Id>,
    /// The `externalId` of a partner.
    ExternalId = external_id: Option<Id>,
    /// A partner whose `externalId` is the id of `partner`: a path with that id must mean `partner`
    /// (R1).
    ShadowPartner = shadow_partner: Option<Id>,
    /// A tier that may be assigned to `partner`, other than its own.
    Tier = tier: Option<Id>,
    /// A lifecycle phase that may be assigned to `partner`, other than its own.
    Phase = phase: Option<Id>,
    /// An experience template that may be published for `partner`, other than its own.
    ExperienceTemplate = experience_template: Option<Id>,
    /// A user who may be assigned as owner of `partner`, other than its own.
    User = user: Option<Id>,
    /// A payout with at least one line, no uploaded statement, and complete billing information.
    Payout = payout: Option<Id>,
    /// The batch of `payout`.
    Batch = batch: Option<Id>,
    /// A payout with more than 25 lines: more than a page.
    PayoutOfManyLines = payout_of_many_lines: Option<Id>,
    /// A payout without lines and without an uploaded statement.
    PayoutWithoutLines = payout_without_lines: Option<Id>,
    /// A payout whose statement a person uploaded.
    PayoutUploaded = payout_uploaded: Option<Id>,
    /// A payout with a `statementNote` and at least one line, whose note and PO number hooks may
    /// change.
    PayoutNoted = payout_noted: Option<Id>,
    /// The payout that `lines_to_detach` are attached to.
    PayoutToDetach = payout_to_detach: Option<Id>,
    /// Lines that may be detached; each can be used once, as a detach cannot be undone.
    LinesToDetach = lines_to_detach: Vec<Id>,
    /// A payout with one line, which may be detached: it can be used once.
    PayoutToEmpty = payout_to_empty: Option<Id>,
    /// A line in the pending pool.
    LineUnattached = line_unattached: Option<Id>,
    /// A line in the state `EXPECTED`.
    LineExpected = line_expected: Option<Id>,
    /// A line in the state `VOIDED`.
    LineVoided = line_voided: Option<Id>,
    /// A comment that begins a thread.
    Comment = comment: Option<Id>,
    /// A published form that requires a `TEXT` named `company` of up to 100 characters and nothing
    /// else, and has an optional `BOOLEAN` named `existingCustomer`.
    Form = form: Option<Id>,
    /// A conversion that was reversed.
    Conversion = conversion: Option<Id>,
    /// A sync with the CRM that has ended.
    CrmSync = crm_sync: Option<Id>,
    /// A partner of the organisation of the key `other_organization`, best with the `external_id`.
    ForeignPartner = foreign_partner: Option<Id>,
    /// A payout of that organisation with at least one line.
    ForeignPayout = foreign_payout: Option<Id>,
    /// The batch of `foreign_payout`.
    ForeignBatch = foreign_batch: Option<Id>,
    /// A line of that organisation, attached to `foreign_payout`.
    ForeignLine = foreign_line: Option<Id>,
    /// A line in the pending pool of that organisation.
    ForeignLineUnattached = foreign_line_unattached: Option<Id>,
    /// A line of that organisation in the state `VOIDED`.
    ForeignLineVoided = foreign_line_voided: Option<Id>,
    /// A line of that organisation in a payout that is `PAID`.
    ForeignLinePaid = foreign_line_paid: Option<Id>,
    /// A payout of that organisation that is `PAID`, without lines and without an uploaded
    /// statement, of `foreign_partner`.
    ForeignPayoutWithoutLines = foreign_payout_without_lines: Option<Id>,
    /// A payout of that organisation and of the partner of `foreign_line_unattached` that takes
    /// lines, in another currency than that line.
    ForeignPayoutInAnotherCurrency = foreign_payout_in_another_currency: Option<Id>,
    /// An internal comment of that organisation that begins a thread, about `foreign_partner`.
    ForeignComment = foreign_comment: Option<Id>,
    /// A published form of that organisation that requires a field.
    ForeignForm = foreign_form: Option<Id>,
    /// A conversion of that organisation that was not reversed.
    ForeignConversion = foreign_conversion: Option<Id>,
    /// A partner of that organisation without a portal.
    ForeignPartnerWithoutPortal = foreign_partner_without_portal: Option<Id>,
    /// A sync of that organisation with its CRM.
    ForeignCrmSync = foreign_crm_sync: Option<Id>,
    /// A payout with at least one line of the organisation of the key `no_billing`.
    PayoutNoBilling = payout_no_billing: Option<Id>,
    /// A payout of that organisation without lines and without an uploaded statement.
    PayoutNoBillingWithoutLines = payout_no_billing_without_lines: Option<Id>,
    /// A payout of that organisation whose statement a person uploaded.
    PayoutNoBillingUploaded = payout_no_billing_uploaded: Option<Id>,
    /// A partner of the organisation of the key `sandbox`, best with a value in each member. Its
    /// portal is published, to users alone, and `jo@nordwind.example` is one.
    SandboxPartner = sandbox_partner: Option<Id>,
    /// An experience template of that organisation.
    SandboxTemplate = sandbox_template: Option<Id>,
    /// A form of that organisation like `form`, whose submissions are reviewed.
    SandboxForm = sandbox_form: Option<Id>,
    /// The address of an affiliate link of that organisation, whole or from the deployment's
    /// address on. It pays 10 %, and its commissions are on hold for a day or longer.
    SandboxLink = sandbox_link: Option<Id>,
    /// The id of a partner in the CRM that this organisation is connected to; whether the CRM
    /// answers does not matter.
    SandboxCrmObject = sandbox_crm_object: Option<Id>,
}

impl Fixture {
    /// Whether a request of the API shows what fits. Others must be named in the target file: no
    /// list contains them, or only the owner can allow their use.
    pub(crate) fn is_shown(self) -> bool {
        !matches!(
            self,
            Self::Batch
                | Self::PayoutWithoutLines
                | Self::PayoutUploaded
                | Self::PayoutNoted
                | Self::PayoutToDetach
                | Self::LinesToDetach
                | Self::PayoutToEmpty
                | Self::ForeignBatch
                | Self::ForeignLinePaid
                | Self::ForeignPayoutWithoutLines
                | Self::ForeignPayoutInAnotherCurrency
                | Self::SandboxPartner
                | Self::SandboxTemplate
                | Self::Form
                | Self::ForeignForm
                | Self::SandboxForm
                | Self::SandboxLink
                | Self::Conversion
                | Self::ForeignConversion
                | Self::ForeignPartnerWithoutPortal
                | Self::CrmSync
                | Self::ForeignCrmSync
                | Self::SandboxCrmObject
                | Self::PayoutNoBillingWithoutLines
                | Self::PayoutNoBillingUploaded
        )
    }
}

impl Fixtures {
    /// The one id of a fixture, or the first of several.
    pub(crate) fn first(&self, fixture: Fixture) -> Option<&str> {
        self.get(fixture).first().map(|id| &*id.0)
    }
}
