//! Turns the rows of a payout into the data of its statement.

use payout_statement::{Issuer, Logo, Statement};

use super::{model::Inputs, template::Template};
use crate::{organizations::Billing, problem::Failure};

/// Requires complete billing information.
///
/// # Errors
/// The table holds a colour or a logo that its writer should have rejected.
pub(super) fn statement(
    payout_id: &str,
    billing: Billing,
    inputs: Inputs,
) -> Result<Statement, Failure> {
    Ok(Statement {
        template: template(inputs.template)?,
        issuer: issuer(billing),
        partner_name: inputs.partner_name,
        payout_id: payout_id.to_owned(),
        period_start: inputs.period_start,
        period_end: inputs.period_end,
        currency: inputs.currency,
        po_number: inputs.po_number,
        note: inputs.note,
        lines: inputs.lines,
        total: inputs.amount,
    })
}

fn template(template: Template) -> Result<payout_statement::Template, Failure> {
    let unprintable = |what: &str| {
        Failure::Internal(format!("statement_templates holds {what} that cannot be printed"))
    };
    let defaults = payout_statement::Template::default();
    let accent_colour = match template.accent_colour {
        Some(colour) => colour.parse().map_err(|_| unprintable("a colour"))?,
        None => defaults.accent_colour,
    };
    let logo = template.logo.as_deref().map(Logo::from_png).transpose();
    Ok(payout_statement::Template {
        title: template.title.unwrap_or(defaults.title),
        accent_colour,
        footer: template.footer,
        logo: logo.map_err(|_| unprintable("a logo"))?,
    })
}

fn issuer(billing: Billing) -> Issuer {
    Issuer {
        legal_name: billing.legal_name.unwrap_or_default(),
        address_line_1: billing.address_line_1.unwrap_or_default(),
        address_line_2: billing.address_line_2,
        postal_code: billing.postal_code.unwrap_or_default(),
        city: billing.city.unwrap_or_default(),
        country: billing.country.unwrap_or_default(),
        finance_email: billing.finance_email.unwrap_or_default(),
        company_number: billing.company_number,
        vat_number: billing.vat_number,
    }
}
