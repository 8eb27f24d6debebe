//! Any number of generated commission lines for one organisation, with partners and payouts in proportion.
//!
//! It refuses chance: the same number gives the same rows, so that two measurements compare.

pub mod store;

/// Most lines that can be generated.
pub const MAXIMUM_LINES: u32 = 10_000_000;
/// Half of the lines are attached; a payout gets about this many.
const LINES_PER_PAYOUT: u32 = 50;
const PARTNERS_PER_SHARE: u32 = 20;
const MAXIMUM_PARTNERS: u32 = 1_000;
const LINES_PER_PARTNER: u32 = 1_000;

/// How many rows of each kind belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Commission lines.
    pub lines: u32,
    /// Partners; every line has one, in turn.
    pub partners: u32,
    /// Payouts of each partner; about half of the lines are attached, 50 to a payout.
    pub payouts_per_partner: u32,
}

impl Plan {
    /// The plan for a number of lines.
    #[must_use]
    pub fn of(lines: u32) -> Self {
        let partners = lines.div_ceil(LINES_PER_PARTNER).clamp(1, MAXIMUM_PARTNERS);
        let payouts = (lines / 2).div_ceil(LINES_PER_PAYOUT);
        let payouts_per_partner = payouts.div_ceil(partners).max(1);
        Self {
            lines,
            partners,
            payouts_per_partner,
        }
    }

    /// Ranges of partners whose rows are generated in one transaction each: about 20,000 lines.
    pub fn shares(self) -> impl Iterator<Item = (u32, u32)> {
        (0..self.partners)
            .step_by(PARTNERS_PER_SHARE as usize)
            .map(move |from| (from, self.partners.min(from + PARTNERS_PER_SHARE)))
    }

    /// Payouts in all.
    #[must_use]
    pub fn payouts(self) -> u32 {
        self.partners * self.payouts_per_partner
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partners_and_payouts_grow_with_the_lines_within_bounds() {
        assert_eq!(
            Plan::of(1),
            Plan {
                lines: 1,
                partners: 1,
                payouts_per_partner: 1
            }
        );
        let million = Plan::of(1_000_000);
        assert_eq!((million.partners, million.payouts()), (1_000, 10_000));
        let shares: Vec<_> = Plan::of(45_000).shares().collect();
        assert_eq!(shares, [(0, 20), (20, 40), (40, 45)]);
        let most = Plan::of(MAXIMUM_LINES);
        assert_eq!((most.partners, most.payouts()), (1_000, 100_000));
    }
}
