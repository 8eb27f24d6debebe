//! A payout with its lines, of one instant: what its amount is the sum of.
//!
//! It refuses to mix two states: where somebody changed the payout meanwhile, it is read again.

use rust_decimal::Decimal;
use serde_json::Value;

use super::{payout, walk};
use crate::{
    case::{CaseContext, CaseOutcome},
    exchange::Response,
};

/// How often a payout is read that others are changing.
const READS: usize = 6;

/// A payout and its lines.
#[derive(Clone, Debug)]
pub(in crate::cases) struct Account {
    /// The response with the payout.
    pub(in crate::cases) payout: Response,
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
    pub(in crate::cases) async fn of(
        context: &mut CaseContext<'_>,
        id: &str,
    ) -> Result<Self, CaseOutcome> {
        let mut before = context.send(payout(context, id)?).await?;
        for _ in 0..READS {
            before.is(200)?;
            let lines = walk::lines(context, &[("payoutId", id)]).await?;
            let after = context.send(payout(context, id)?).await?;
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
        Err(CaseOutcome::inconclusive(
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
    pub(in crate::cases) fn sum(&self) -> Result<Decimal, CaseOutcome> {
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
    pub(in crate::cases) fn adds_up(&self) -> Result<(), CaseOutcome> {
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
    response: &Response,
    lines: impl Iterator<Item = &'a Value>,
) -> Result<Decimal, CaseOutcome> {
    let mut sum = Decimal::ZERO;
    for line in lines {
        sum += decimal(response, line["amount"].as_str().unwrap_or_default())?;
    }
    Ok(sum)
}

fn decimal(response: &Response, text: &str) -> Result<Decimal, CaseOutcome> {
    text.parse().map_err(|_| {
        CaseOutcome::failed(
            "An amount is no decimal.",
            "a string with a decimal of two fraction digits",
            format!("{text:?}"),
            Some(response.exchange),
        )
    })
}
