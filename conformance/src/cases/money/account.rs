//! A payout with all its lines, as a case reads them one after the other.

use rust_decimal::Decimal;

use crate::cases::prelude::*;

#[derive(Clone, Debug)]
pub(crate) struct Account {
    pub(crate) payout: Response,
    pub(crate) amount: Decimal,
    pub(crate) lines: Vec<Value>,
}

impl Account {
    /// Reads the payout and its lines.
    /// Failed: a response is not 200. Inconclusive: the payout has more lines than are read.
    pub(crate) async fn of(context: &mut CaseContext<'_>, id: &str) -> CaseResult<Self> {
        let payout = context.ok(payout(context, id)?).await?;
        let lines = lines_of_payout(context, id).await?;
        lines.require_whole()?;
        let amount = decimal(&payout, payout.text("/data/amount/value"))?;
        Ok(Self { payout, amount, lines: lines.items })
    }

    pub(crate) fn line(&self, id: &Value) -> Option<&Value> {
        self.lines.iter().find(|line| &line["id"] == id)
    }

    /// Requires that the amount is the exact sum of the lines, in their currency.
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
