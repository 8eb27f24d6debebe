//! The data of a statement. The caller decides before whether billing is complete (S3) and whether
//! a document must be rebuilt (S5).

use chrono::{DateTime, Utc};
use rust_decimal::Decimal;

use super::{colour::Colour, logo::Logo};

/// Most lines of one statement (S2).
pub const LINES_LIMIT: usize = 20_000;
/// The title of a template that sets none (S4).
pub(crate) const DEFAULT_TITLE: &str = "Commission statement";
/// The accent of a template that sets none: a dark, quiet teal that prints well in black and white.
pub(crate) const DEFAULT_ACCENT_COLOUR: Colour = Colour::new(0x0f, 0x5c, 0x6e);

#[derive(Clone, Debug)]
pub struct Statement {
    pub template: Template,
    pub issuer: Issuer,
    pub partner_name: String,
    pub payout_id: String,
    /// Start of the payout's period; printed as its UTC date.
    pub period_start: DateTime<Utc>,
    /// End of the payout's period; printed as its UTC date.
    pub period_end: DateTime<Utc>,
    /// ISO 4217 code of the payout.
    pub currency: String,
    pub po_number: Option<String>,
    /// Its line breaks are printed.
    pub note: Option<String>,
    /// The printed lines in their order (S2); 1 to [`LINES_LIMIT`].
    pub lines: Vec<Line>,
    /// The payout's amount: the exact sum of its lines (V4).
    pub total: Decimal,
}

/// One commission line (§2.2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Not printed; identifies the line in the fingerprint.
    pub id: String,
    pub description: String,
    pub plan_name: String,
    /// End of the period the line belongs to; printed as its UTC date.
    pub period_end: DateTime<Utc>,
    pub source_amount: Decimal,
    /// Commission amount; may be negative (V3).
    pub amount: Decimal,
    pub currency: String,
}

/// The look of an organisation's statements (S4).
#[derive(Clone, Debug)]
pub struct Template {
    /// Printed large on the first page.
    pub title: String,
    /// Colours the rules, and no text, so that a pale one is legible.
    pub accent_colour: Colour,
    /// Printed at the foot of each page, with its line breaks.
    pub footer: Option<String>,
    /// Printed at the right of the title.
    pub logo: Option<Logo>,
}

impl Default for Template {
    fn default() -> Self {
        Self {
            title: DEFAULT_TITLE.to_owned(),
            accent_colour: DEFAULT_ACCENT_COLOUR,
            footer: None,
            logo: None,
        }
    }
}

/// The billing information of the payer (S3).
#[derive(Clone, Debug, Default)]
pub struct Issuer {
    pub legal_name: String,
    pub address_line_1: String,
    pub address_line_2: Option<String>,
    pub postal_code: String,
    pub city: String,
    pub country: String,
    pub finance_email: String,
    pub company_number: Option<String>,
    pub vat_number: Option<String>,
}

/// Writes an amount as the API writes it: exactly two fraction digits (V3).
pub(crate) fn amount_text(amount: Decimal) -> String {
    // Normalised first: a negative zero prints without its sign.
    let mut amount = amount.normalize();
    amount.rescale(2);
    amount.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_have_exactly_two_fraction_digits() {
        let cases = [
            ("10", "10.00"),
            ("-25.25", "-25.25"),
            ("90071992547409.93", "90071992547409.93"),
            ("-999999999999999999.99", "-999999999999999999.99"),
            ("0", "0.00"),
            ("0.5", "0.50"),
            ("-0.00", "0.00"),
        ];
        for (amount, text) in cases {
            assert_eq!(amount_text(amount.parse().unwrap()), text);
        }
    }
}
