//! Ids made by this server: a prefix for the kind, and a ULID (V1). Clients treat them as opaque.

use std::{fmt, marker::PhantomData, ops::Deref, sync::Arc};

use sqlx::{
    Decode, Encode, Postgres, Type,
    encode::IsNull,
    error::BoxDynError,
    postgres::{PgArgumentBuffer, PgTypeInfo, PgValueRef},
};
use ulid::Ulid;

/// The kind of thing that an id names; it decides the prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, strum::IntoStaticStr)]
pub enum IdKind {
    #[strum(serialize = "org_")]
    Organization,
    #[strum(serialize = "key_")]
    ApiKey,
    #[strum(serialize = "user_")]
    User,
    #[strum(serialize = "tier_")]
    Tier,
    #[strum(serialize = "phase_")]
    Phase,
    #[strum(serialize = "tmpl_")]
    ExperienceTemplate,
    #[strum(serialize = "ptn_")]
    Partner,
    #[strum(serialize = "pay_")]
    Payout,
    #[strum(serialize = "pbt_")]
    PayoutBatch,
    #[strum(serialize = "cln_")]
    CommissionLine,
    #[strum(serialize = "ast_")]
    Asset,
    #[strum(serialize = "cmt_")]
    Comment,
    #[strum(serialize = "frm_")]
    Form,
    #[strum(serialize = "fsb_")]
    FormSubmission,
    #[strum(serialize = "pse_")]
    PortalSession,
    #[strum(serialize = "afl_")]
    AffiliateLink,
    #[strum(serialize = "clk_")]
    Click,
    #[strum(serialize = "cnv_")]
    Conversion,
    #[strum(serialize = "crm_")]
    CrmConnection,
    #[strum(serialize = "syn_")]
    CrmSync,
}

impl IdKind {
    pub fn prefix(self) -> &'static str {
        self.into()
    }

    pub fn generate(self) -> String {
        self.with(Ulid::new())
    }

    /// Returns true if `text` is an id of this kind, in the one spelling that we print.
    pub fn is_valid(self, text: &str) -> bool {
        self.ulid_of(text).is_some()
    }

    /// Returns the id `steps` after `first`, for the copies of a repeated entry of a data set.
    /// `None` where `first` is no id of this kind, or no id follows.
    pub fn offset(self, first: &str, steps: u32) -> Option<String> {
        let number = self.ulid_of(first)?.0.checked_add(steps.into())?;
        Some(self.with(Ulid(number)))
    }

    fn with(self, ulid: Ulid) -> String {
        format!("{}{ulid}", self.prefix())
    }

    fn ulid_of(self, text: &str) -> Option<Ulid> {
        let ulid = Ulid::from_string(text.strip_prefix(self.prefix())?).ok()?;
        // The decoder also accepts lower case, look-alike letters and an overflowing first digit.
        (self.with(ulid) == text).then_some(ulid)
    }
}

/// A valid id of one kind: letters, digits and one underscore, so it may be part of a path or of
/// an SQL text.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Id<K>(Arc<str>, PhantomData<K>);

pub trait OfKind {
    const KIND: IdKind;
}

pub type OrganizationId = Id<Organization>;
pub type AssetId = Id<Asset>;
pub type PartnerId = Id<Partner>;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Organization {}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Asset {}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Partner {}

impl OfKind for Organization {
    const KIND: IdKind = IdKind::Organization;
}

impl OfKind for Asset {
    const KIND: IdKind = IdKind::Asset;
}

impl OfKind for Partner {
    const KIND: IdKind = IdKind::Partner;
}

impl<K: OfKind> Id<K> {
    pub fn generate() -> Self {
        Self(K::KIND.generate().into(), PhantomData)
    }

    /// Reads an id; `None` where `text` is no id of this kind.
    pub fn parse(text: &str) -> Option<Self> {
        let is_valid = K::KIND.is_valid(text);
        is_valid.then(|| Self(text.into(), PhantomData))
    }
}

impl<K> Id<K> {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<K> Deref for Id<K> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl<K> Type<Postgres> for Id<K> {
    fn type_info() -> PgTypeInfo {
        <str as Type<Postgres>>::type_info()
    }

    fn compatible(info: &PgTypeInfo) -> bool {
        <str as Type<Postgres>>::compatible(info)
    }
}

impl<K> Encode<'_, Postgres> for Id<K> {
    fn encode_by_ref(&self, buffer: &mut PgArgumentBuffer) -> Result<IsNull, BoxDynError> {
        <&str as Encode<Postgres>>::encode(self, buffer)
    }
}

/// Only this server makes such ids.
impl<'r, K: OfKind> Decode<'r, Postgres> for Id<K> {
    fn decode(value: PgValueRef<'r>) -> Result<Self, BoxDynError> {
        let text = value.as_str()?;
        Self::parse(text).ok_or_else(|| format!("{text} is not an id of ours").into())
    }
}

impl<K> fmt::Display for Id<K> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_id_is_valid_for_its_own_kind_alone() {
        let id = IdKind::Partner.generate();
        assert!(IdKind::Partner.is_valid(&id));
        assert!(!IdKind::Payout.is_valid(&id));
        assert_ne!(id, IdKind::Partner.generate());
        assert!(OrganizationId::parse(&AssetId::generate()).is_none());
    }

    #[test]
    fn other_spellings_of_an_id_are_rejected() {
        let mut spellings = include_str!("id/spellings.txt").lines();
        let id = spellings.next().unwrap();
        assert_eq!(OrganizationId::parse(id).unwrap().as_str(), id);
        for other in spellings {
            assert!(OrganizationId::parse(other).is_none(), "{other:?}");
        }
        assert!(OrganizationId::parse(&format!("{id} ")).is_none());
    }

    #[test]
    fn offset_carries_into_the_next_letter_and_ends_with_the_numbers() {
        let first = "cln_01JV3N8Q5RHWXK2M4P6S7T9V0Z";
        let next = IdKind::CommissionLine.offset(first, 1);
        assert_eq!(next.as_deref(), Some("cln_01JV3N8Q5RHWXK2M4P6S7T9V10"));
        assert_eq!(IdKind::CommissionLine.offset("cln_7ZZZZZZZZZZZZZZZZZZZZZZZZZ", 1), None);
    }
}
