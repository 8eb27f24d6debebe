//! Ids of our own making: a prefix that tells the kind, and a ULID (V1).
//!
//! It refuses to be read by a client: what the letters mean is nobody's business but ours.

use ulid::Ulid;

/// What an id names; decides its prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `org_`
    Organization,
    /// `key_`
    ApiKey,
    /// `user_`
    User,
    /// `tier_`
    Tier,
    /// `phase_`
    Phase,
    /// `tmpl_`
    ExperienceTemplate,
    /// `ptn_`
    Partner,
    /// `pay_`
    Payout,
    /// `pbt_`
    PayoutBatch,
    /// `cln_`
    CommissionLine,
    /// `ast_`
    Asset,
}

impl Kind {
    /// What every id of this kind begins with.
    #[must_use]
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::Organization => "org_",
            Self::ApiKey => "key_",
            Self::User => "user_",
            Self::Tier => "tier_",
            Self::Phase => "phase_",
            Self::ExperienceTemplate => "tmpl_",
            Self::Partner => "ptn_",
            Self::Payout => "pay_",
            Self::PayoutBatch => "pbt_",
            Self::CommissionLine => "cln_",
            Self::Asset => "ast_",
        }
    }

    /// A new id of this kind.
    #[must_use]
    pub fn mint(self) -> String {
        self.with(Ulid::new())
    }

    /// Whether `text` has the form of an id of this kind, in the one spelling we print.
    #[must_use]
    pub fn admits(self, text: &str) -> bool {
        self.ulid_of(text).is_some()
    }

    /// The id `steps` after `first`: a repeated entry of a data set counts its ids on. `None` where `first` is no id of
    /// this kind, or the numbers end.
    #[must_use]
    pub fn nth_after(self, first: &str, steps: u32) -> Option<String> {
        let number = self.ulid_of(first)?.0.checked_add(steps.into())?;
        Some(self.with(Ulid(number)))
    }

    fn with(self, ulid: Ulid) -> String {
        format!("{}{ulid}", self.prefix())
    }

    fn ulid_of(self, text: &str) -> Option<Ulid> {
        let ulid = Ulid::from_string(text.strip_prefix(self.prefix())?).ok()?;
        // The decoder also takes lower case, look-alike letters and an overflowing first digit.
        (self.with(ulid) == text).then_some(ulid)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_minted_id_is_admitted_by_its_own_kind_alone() {
        let id = Kind::Partner.mint();
        assert!(Kind::Partner.admits(&id));
        assert!(!Kind::Payout.admits(&id));
        assert_ne!(id, Kind::Partner.mint());
    }

    #[test]
    fn other_spellings_of_an_id_are_refused() {
        for hostile in [
            "",
            "ptn_",
            "ptn_01jv3n8q5rhwxk2m4p6s7t9v0a",
            "ptn_O1JV3N8Q5RHWXK2M4P6S7T9V0A",
            "ptn_81JV3N8Q5RHWXK2M4P6S7T9V0A",
            "ptn_01JV3N8Q5RHWXK2M4P6S7T9V0A ",
        ] {
            assert!(!Kind::Partner.admits(hostile), "{hostile:?}");
        }
    }

    #[test]
    fn ids_count_on_across_the_last_letter() {
        let first = "cln_01JV3N8Q5RHWXK2M4P6S7T9V0Z";
        let next = Kind::CommissionLine.nth_after(first, 1);
        assert_eq!(next.as_deref(), Some("cln_01JV3N8Q5RHWXK2M4P6S7T9V10"));
        assert_eq!(
            Kind::CommissionLine.nth_after("cln_7ZZZZZZZZZZZZZZZZZZZZZZZZZ", 1),
            None
        );
    }
}
