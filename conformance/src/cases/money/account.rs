//! A payout with all its lines, read at one state: where another client changed the payout between
//! two reads, both are read again.

use rust_decimal::Decimal;

use crate::cases::prelude::*;

/// How often a payout is read that others are changing.
const READS: usize = 6;

#[derive(Clone, Debug)]
pub(crate) struct Account {
    pub(crate) payout: Response,
    pub(crate) amount: Decimal,
    /// All its lines, as lists show them.
    pub(crate) lines: Vec<Value>,
}

impl Account {
    /// Reads both; the payout before and after its lines, which must agree.
    /// Failed: a response is not 200. Inconclusive: the payout changed each time, or has more lines
    /// than are read.
    pub(crate) async fn of(context: &mut CaseContext<'_>, id: &str) -> CaseResult<Self> {
        let mut before = context.send(payout(context, id)?).await?;
        for _ in 0..READS {
            before.is(200)?;
            let lines = lines_of_payout(context, id).await?;
            let after = context.send(payout(context, id)?).await?;
            if before.json == after.json {
                lines.require_whole()?;
                let amount = decimal(&after, after.text("/data/amount/value"))?;
                return Ok(Self { payout: after, amount, lines: lines.items });
            }
            before = after;
        }
        Err(CaseOutcome::inconclusive(
            "The payout changed each time it was read.",
            "the same payout before and after its lines are read",
            before.shown(),
            Some(before.exchange),
        ))
    }

    pub(crate) fn line(&self, id: &Value) -> Option<&Value> {
        self.lines.iter().find(|line| &line["id"] == id)
    }

    /// That the amount is the exact sum of the lines, in their currency.
    pub(crate) fn adds_up(&self) -> CaseResult {
        let sum = sum(&self.payout, self.lines.iter())?;
        let what = "The payout's amount.value is not the sum of its lines.";
        self.payout.same(what, &sum, &self.amount)?;
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

pub(crate) fn sum<'a>(
    response: &Response,
    lines: impl Iterator<Item = &'a Value>,
) -> CaseResult<Decimal> {
    let mut sum = Decimal::ZERO;
    for line in lines {
        sum += decimal(response, line["amount"].as_str().unwrap_or_default())?;
    }
    Ok(sum)
}

fn decimal(response: &Response, text: &str) -> CaseResult<Decimal> {
    text.parse().map_err(|_| {
        CaseOutcome::failed(
            "An amount is no decimal.",
            "a string with a decimal of two fraction digits",
            format!("{text:?}"),
            Some(response.exchange),
        )
    })
}
