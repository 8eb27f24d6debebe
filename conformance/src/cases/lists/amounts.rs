//! Money in lists (§2.2, V3, V4): decimal strings, and sums that are exact.

use rust_decimal::Decimal;

use crate::cases::prelude::*;

/// A decimal with two fraction digits, written in one way only.
fn is_money(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let Some((whole, fraction)) = digits.split_once('.') else {
        return false;
    };
    let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let is_whole = whole == "0" || (!whole.is_empty() && !whole.starts_with('0'));
    is_whole && are_digits(whole) && fraction.len() == 2 && are_digits(fraction)
}

/// amount and sourceAmount of each line are strings: decimals with two fraction digits.
#[case("§2.2.amount", on = listCommissionLines)]
async fn decimals(context: &mut CaseContext<'_>) -> CaseResult {
    // Without V3 the invariant suffices: a decimal with two fraction digits, however written.
    let is_any_form = !context.judges("V3");
    let lines = known(context, LINES).await?;
    for name in ["amount", "sourceAmount"] {
        let is_sound = |text: &str| is_any_form || is_money(text);
        let wrong = |line: &&Value| !line[name].as_str().is_some_and(is_sound);
        if let Some(line) = lines.items.iter().find(wrong) {
            return Err(lines.failed(
                &format!("{name} is no decimal string with two fraction digits."),
                "such as \"1234.50\"",
                format!("{}: {}", line["id"], line[name]),
            ));
        }
    }
    Ok(())
}

/// The data set's largest amount, a claw-back, and zero.
const EXACT: [(&str, &str, &str); 3] = [
    ("cln_01JV3N8Q5R000000000000001D", "90071992547409.93", "900719925474099.30"),
    ("cln_01JV3N8Q5R000000000000001C", "-75.25", "-752.50"),
    ("cln_01JV3N8Q5R000000000000003J", "0.00", "0.00"),
];

/// An amount beyond 53 bits keeps its cents, and a claw-back its sign.
#[case("§2.2.amount", on = listCommissionLines, features(Seeded))]
async fn exact(context: &mut CaseContext<'_>) -> CaseResult {
    let lines = known(context, LINES).await?;
    for (id, amount, source) in EXACT {
        let line = lines.items.iter().find(|line| line["id"] == id);
        let Some(line) = line else {
            return Err(lines.failed("A line of the data set is not listed.", id, "nothing"));
        };
        if line["amount"] != amount || line["sourceAmount"] != source {
            return Err(lines.failed(
                "An amount is not exact.",
                format!("{id}: {amount} of {source}"),
                format!("{id}: {} of {}", line["amount"], line["sourceAmount"]),
            ));
        }
    }
    Ok(())
}

/// Payouts whose sums prove the most: with the longest amount, a negative one, many lines, and
/// none.
fn payouts(context: &CaseContext<'_>, lines: &Walk) -> Vec<String> {
    let attached = || lines.items.iter().filter(|line| line["payoutId"].is_string());
    let amount = |line: &Value| line["amount"].as_str().unwrap_or_default().to_owned();
    let longest = attached().max_by_key(|line| amount(line).len());
    let negative = attached().find(|line| amount(line).starts_with('-'));
    let named = [Fixture::PayoutOfManyLines, Fixture::Payout, Fixture::PayoutWithoutLines];
    let named = named.into_iter().filter_map(|name| context.fixture(name).ok());
    let found = [longest, negative].into_iter().flatten();
    let found = found.filter_map(|line| Some(line["payoutId"].as_str()?.to_owned()));
    let mut payouts: Vec<String> = found.chain(named).collect();
    payouts.sort_unstable();
    payouts.dedup();
    payouts
}

/// A payout's amount.value is the exact sum of its lines, in its currency.
#[case("V4", on = listCommissionLines, retry, requests = 60)]
async fn sum_to_payout(context: &mut CaseContext<'_>) -> CaseResult {
    let lines = known(context, LINES).await?;
    let payouts = payouts(context, &lines);
    CaseOutcome::missing_if(payouts.is_empty(), "a line in a payout")?;
    let mut is_tried = false;
    for id in payouts {
        is_tried |= is_sum(context, &id).await?;
    }
    if is_tried {
        return Ok(());
    }
    Err(CaseOutcome::missing("a payout of at most 1,000 lines"))
}

/// That a payout's amount is the sum of its lines; `false` where it has more lines than are read.
async fn is_sum(context: &mut CaseContext<'_>, id: &str) -> CaseResult<bool> {
    const PAGES: usize = 10;
    let request = LINES.filtered(&context.all()?, &[("payoutId", id)]);
    let lines = first_pages(context, &request, &pages_of(LARGEST, PAGES)).await?;
    // payouts.amount reads larger ones.
    if !lines.is_whole {
        return Ok(false);
    }
    let shown = context.ok(payout(context, id)?).await?;
    let mut sum = Decimal::ZERO;
    for line in &lines.items {
        let amount = line["amount"].as_str().unwrap_or_default();
        let amount = Decimal::from_str_exact(amount)
            .map_err(|error| lines.failed("An amount is no decimal.", error.to_string(), amount))?;
        sum += amount;
        if line["currency"] != *shown.at("/data/amount/currency") {
            return Err(lines.failed(
                "The currency of a line is not that of its payout.",
                shown.at("/data/amount/currency").to_string(),
                line["currency"].to_string(),
            ));
        }
    }
    let value = shown.text("/data/amount/value");
    shown.that(
        value == format!("{sum:.2}"),
        "A payout's amount.value is not the exact sum of its lines.",
        &format!("{sum:.2}, of {} lines", lines.items.len()),
        value,
    )?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_is_written_in_one_way() {
        for sound in ["0.00", "-75.25", "90071992547409.93", "10.00"] {
            assert!(is_money(sound), "{sound}");
        }
        for wrong in ["10", "12.5", "1.000", ".50", "01.00", "1e2", "+1.00", "1,00", ""] {
            assert!(!is_money(wrong), "{wrong}");
        }
    }
}
