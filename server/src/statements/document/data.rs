//! What a statement prints, and nothing else.
//!
//! It refuses to fetch or to judge: whether billing is complete (S3) or a document must be rebuilt (S5) is decided
//! before.

use chrono::{DateTime, Utc};
use rust_decimal::Decimal;

use super::{colour::Colour, logo::Logo};

/// Most lines of one statement (S2).
pub const LINES_LIMIT: usize = 20_000;
/// The title of a template that sets none (S4).
pub const DEFAULT_TITLE: &str = "Commission statement";
/// The accent of a template that sets none: a dark, quiet teal that prints well in black and white.
pub const DEFAULT_ACCENT_COLOUR: Colour = Colour::new(0x0f, 0x5c, 0x6e);

/// One statement (§4.7).
#[derive(Clone, Debug)]
pub struct Statement {
    /// How it looks.
    pub template: Template,
    /// Who pays.
    pub issuer: Issuer,
    /// Who is paid.
    pub partner_name: String,
    /// The payout's id.
    pub payout_id: String,
    /// Start of the payout's period; printed as its UTC date.
    pub period_start: DateTime<Utc>,
    /// End of the payout's period; printed as its UTC date.
    pub period_end: DateTime<Utc>,
    /// ISO 4217 code of the payout.
    pub currency: String,
    /// Purchase-order number.
    pub po_number: Option<String>,
    /// The note; its line breaks are kept.
    pub note: Option<String>,
    /// The printed lines in their order (S2); 1 to [`LINES_LIMIT`].
    pub lines: Vec<Line>,
    /// The payout's amount: the exact sum of its lines (V4).
    pub total: Decimal,
}

/// One commission line (§2.2).
#[derive(Clone, Debug)]
pub struct Line {
    /// Free text.
    pub description: String,
    /// Name of the commission plan.
    pub plan_name: String,
    /// End of the period the line belongs to; printed as its UTC date.
    pub period_end: DateTime<Utc>,
    /// Amount the commission derives from.
    pub source_amount: Decimal,
    /// Commission amount; may be negative (V3).
    pub amount: Decimal,
    /// ISO 4217 code.
    pub currency: String,
}

/// How an organisation's statements look (S4).
#[derive(Clone, Debug)]
pub struct Template {
    /// Printed large on the first page.
    pub title: String,
    /// Of the rules; never of text, so that a pale one stays legible.
    pub accent_colour: Colour,
    /// Printed at the foot of each page, its line breaks kept.
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

/// The billing information of who pays (S3).
#[derive(Clone, Debug, Default)]
pub struct Issuer {
    /// Legal name.
    pub legal_name: String,
    /// First line of the address.
    pub address_line_1: String,
    /// Second line of the address.
    pub address_line_2: Option<String>,
    /// Postal code.
    pub postal_code: String,
    /// City.
    pub city: String,
    /// Country.
    pub country: String,
    /// E-mail address of the finance department.
    pub finance_email: String,
    /// Company number.
    pub company_number: Option<String>,
    /// VAT number.
    pub vat_number: Option<String>,
}

/// An amount as the API writes it: exactly two fraction digits (V3).
#[must_use]
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
