//! What a link pays for a conversion, and why a conversion is ignored (X18, X19).

use chrono::{DateTime, Datelike as _, Days, Months, NaiveTime, TimeDelta, Utc};
use rust_decimal::{Decimal, RoundingStrategy};

/// An amount in a currency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Amount {
    pub value: Decimal,
    pub currency: String,
}

/// The commission of a conversion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rate {
    /// A percentage of the conversion's amount.
    Percent(Decimal),
    Fixed(Amount),
}

/// A click, with what its link promises.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Click {
    pub partner_id: String,
    pub created_at: DateTime<Utc>,
    pub plan_name: String,
    pub rate: Rate,
    pub hold: Days,
    pub window: Days,
    /// Since when the link is disabled.
    pub disabled_at: Option<DateTime<Utc>>,
}

/// Why a conversion is ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "SCREAMING_SNAKE_CASE")]
pub enum Ignored {
    UnknownClick,
    BeforeClick,
    ClickExpired,
    LinkDisabled,
}

/// A conversion that was recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct Conversion {
    pub id: String,
    pub click_id: String,
    pub partner_id: String,
    /// `None` where the commission is zero.
    pub commission_line_id: Option<String>,
    pub external_id: Option<String>,
    pub amount: Option<Decimal>,
    pub currency: Option<String>,
    pub occurred_at: DateTime<Utc>,
    pub created_at: DateTime<Utc>,
    pub reversed_at: Option<DateTime<Utc>>,
}

impl Rate {
    /// Returns the commission on `amount`; `None` where it is zero. Half a hundredth is rounded
    /// away from zero.
    pub fn commission(&self, amount: Option<&Amount>) -> Option<Amount> {
        let commission = match self {
            Self::Percent(percent) => {
                let Amount { value, currency } = amount?;
                let value = value * percent * Decimal::new(1, 2);
                let strategy = RoundingStrategy::MidpointAwayFromZero;
                let value = value.round_dp_with_strategy(2, strategy);
                Amount { value, currency: currency.clone() }
            }
            Self::Fixed(amount) => amount.clone(),
        };
        (!commission.value.is_zero()).then_some(commission)
    }
}

impl Click {
    /// Requires that the click can have become a conversion at this time.
    pub fn check(&self, occurred_at: DateTime<Utc>) -> Result<(), Ignored> {
        if occurred_at < self.created_at {
            return Err(Ignored::BeforeClick);
        }
        if occurred_at > self.created_at + self.window {
            return Err(Ignored::ClickExpired);
        }
        // An order before that was made by a link that still worked.
        if self.disabled_at.is_some_and(|disabled_at| occurred_at >= disabled_at) {
            return Err(Ignored::LinkDisabled);
        }
        Ok(())
    }
}

/// Returns the last millisecond of the month in UTC.
pub fn end_of_month(time: DateTime<Utc>) -> DateTime<Utc> {
    let first = time.date_naive().with_day(1).expect("each month has a first day");
    let next = first + Months::new(1);
    next.and_time(NaiveTime::MIN).and_utc() - TimeDelta::milliseconds(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    fn euros(value: &str) -> Amount {
        Amount { value: value.parse().unwrap(), currency: "EUR".to_owned() }
    }

    #[test]
    fn percentage_is_rounded_half_away_from_zero() {
        for (amount, percent, commission) in [
            ("1234.50", "10.00", "123.45"),
            ("0.05", "10.00", "0.01"),
            ("0.04", "10.00", "0"),
            ("0.15", "10.00", "0.02"),
            ("0.25", "10.00", "0.03"),
            ("99.99", "12.50", "12.50"),
            ("33.33", "33.33", "11.11"),
            ("10.10", "0.05", "0.01"),
            ("9.99", "0.05", "0"),
            ("0.01", "50.00", "0.01"),
            ("0.01", "49.99", "0"),
            ("19.99", "100.00", "19.99"),
            ("0.00", "100.00", "0"),
            ("999999999999999999.99", "100.00", "999999999999999999.99"),
            ("999999999999999999.99", "0.01", "100000000000000.00"),
            ("999999999999999999.49", "99.99", "999899999999999999.49"),
        ] {
            let rate = Rate::Percent(percent.parse().unwrap());
            let expected = Some(euros(commission)).filter(|amount| !amount.value.is_zero());
            let found = rate.commission(Some(&euros(amount)));
            assert_eq!(found, expected, "{percent} % of {amount}");
        }
    }

    #[test]
    fn fixed_commission_has_the_currency_of_the_link_and_needs_no_amount() {
        let rate = Rate::Fixed(euros("25.00"));
        let dollars = Amount { currency: "USD".to_owned(), ..euros("9.99") };
        assert_eq!(rate.commission(Some(&dollars)), Some(euros("25.00")));
        assert_eq!(rate.commission(None), Some(euros("25.00")));
        assert_eq!(Rate::Percent(Decimal::TEN).commission(None), None);
    }

    #[test]
    fn click_counts_within_its_window_and_until_its_link_is_disabled() {
        let clicked = time("2026-01-31T12:00:00Z");
        let click = |disabled_at| Click {
            partner_id: String::new(),
            created_at: clicked,
            plan_name: String::new(),
            rate: Rate::Percent(Decimal::TEN),
            hold: Days::new(30),
            window: Days::new(90),
            disabled_at,
        };
        let open = click(None);
        assert_eq!(open.check(clicked - TimeDelta::milliseconds(1)), Err(Ignored::BeforeClick));
        assert_eq!(open.check(clicked), Ok(()));
        let last = clicked + TimeDelta::days(90);
        assert_eq!(open.check(last), Ok(()));
        assert_eq!(open.check(last + TimeDelta::milliseconds(1)), Err(Ignored::ClickExpired));
        let disabled = click(Some(clicked + TimeDelta::hours(1)));
        assert_eq!(disabled.check(clicked + TimeDelta::minutes(59)), Ok(()));
        assert_eq!(disabled.check(clicked + TimeDelta::hours(1)), Err(Ignored::LinkDisabled));
    }

    #[test]
    fn month_ends_a_millisecond_before_the_next_one() {
        for (within, end) in [
            ("2026-05-20T09:30:00Z", "2026-05-31T23:59:59.999Z"),
            ("2026-05-31T23:59:59.999Z", "2026-05-31T23:59:59.999Z"),
            ("2028-02-01T00:00:00Z", "2028-02-29T23:59:59.999Z"),
            ("2026-12-31T00:00:00Z", "2026-12-31T23:59:59.999Z"),
        ] {
            assert_eq!(end_of_month(time(within)), time(end));
        }
    }
}
