//! A payout with its lines, of one instant: what its amount is the sum of.
//!
//! It refuses to mix two states: where somebody changed the payout meanwhile, it is read again.

use rust_decimal::Decimal;
use serde_json::Value;

use super::{payout, walk};
use crate::{
    case::{Scene, Stop},
    exchange::Answer,
};

/// How often a payout is read that others are changing.
const READS: usize = 6;

/// A payout and its lines.
#[derive(Clone, Debug)]
pub(in crate::cases) struct Account {
    /// The answer with the payout.
    pub(in crate::cases) payout: Answer,
    /// `amount.value`.
    pub(in crate::cases) amount: Decimal,
    /// Its lines, as lists show them.
    pub(in crate::cases) lines: Vec<Value>,
}

impl Account {
    /// Reads both; the payout before and after its lines, which must agree.
    ///
    /// # Errors
    /// They are no 200, or the payout never stood still.
    pub(in crate::cases) async fn of(scene: &mut Scene<'_>, id: &str) -> Result<Self, Stop> {
        let mut before = scene.send(payout(scene, id)?).await?;
        for _ in 0..READS {
            before.is(200)?;
            let lines = walk::lines(scene, &[("payoutId", id)]).await?;
            let after = scene.send(payout(scene, id)?).await?;
            if before.json == after.json {
                let amount = decimal(&after, after.text("/data/amount/value"))?;
                return Ok(Self {
                    payout: after,
                    amount,
                    lines,
                });
            }
            before = after;
        }
        Err(Stop::inconclusive(
            "The payout changed each time it was read.",
            "a payout that stands still between two reads",
            before.shown(),
            Some(before.exchange),
        ))
    }

    /// The sum of the lines' amounts.
    ///
    /// # Errors
    /// One is no decimal.
    pub(in crate::cases) fn sum(&self) -> Result<Decimal, Stop> {
        sum(&self.payout, self.lines.iter())
    }

    /// Whether a line is among its lines.
    pub(in crate::cases) fn line(&self, id: &Value) -> Option<&Value> {
        self.lines.iter().find(|line| &line["id"] == id)
    }

    /// That the amount is the exact sum of the lines, in their currency.
    ///
    /// # Errors
    /// It is not.
    pub(in crate::cases) fn adds_up(&self) -> Result<(), Stop> {
        let sum = self.sum()?;
        self.payout.that(
            self.amount == sum,
            "The payout's amount.value is not the sum of its lines.",
            &sum.to_string(),
            &self.amount.to_string(),
        )?;
        let currency = self.payout.text("/data/amount/currency");
        let other = self.lines.iter().find(|line| line["currency"] != currency);
        self.payout.that(
            other.is_none(),
            "The payout's currency is not that of its lines.",
            &other.map_or_else(String::new, |line| line["currency"].to_string()),
            currency,
        )?;
        Ok(())
    }
}

/// The sum of these lines' amounts.
///
/// # Errors
/// One is no decimal.
pub(in crate::cases) fn sum<'a>(
    answer: &Answer,
    lines: impl Iterator<Item = &'a Value>,
) -> Result<Decimal, Stop> {
    let mut sum = Decimal::ZERO;
    for line in lines {
        sum += decimal(answer, line["amount"].as_str().unwrap_or_default())?;
    }
    Ok(sum)
}

fn decimal(answer: &Answer, text: &str) -> Result<Decimal, Stop> {
    text.parse().map_err(|_| {
        Stop::failed(
            "An amount is no decimal.",
            "a string with a decimal of two fraction digits",
            format!("{text:?}"),
            Some(answer.exchange),
        )
    })
}
