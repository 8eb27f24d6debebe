//! The templates, filled in. They escape everything that they show.

use chrono::{DateTime, Utc};
use minijinja::{Environment, Error, ErrorKind, Value, context};
use sha2::{Digest, Sha256};

use crate::portal::{options::PortalAddress, pages::model::stage_name};

const STYLESHEET: &str = include_str!("templates/style.css");

macro_rules! templates {
    ($($name:literal),+) => {
        [$(($name, include_str!(concat!("templates/", $name)))),+]
    };
}

const TEMPLATES: [(&str, &str); 14] = templates![
    "base.html",
    "signed_in.html",
    "parts.html",
    "enter.html",
    "signed_out.html",
    "refused.html",
    "overview.html",
    "commissions.html",
    "payouts.html",
    "payout.html",
    "no_statement.html",
    "forms.html",
    "form.html",
    "submission.html"
];

/// Between thousands: narrow, and no line ends there.
const GAP: char = '\u{202f}';
const MINUS: char = '\u{2212}';

pub(super) struct View(Environment<'static>);

impl View {
    /// Reads the templates for pages below this address.
    pub(super) fn new(address: &PortalAddress) -> Self {
        let mut environment = Environment::new();
        environment.set_trim_blocks(true);
        environment.set_lstrip_blocks(true);
        for (name, template) in TEMPLATES {
            environment.add_template(name, template).expect("a test renders each template");
        }
        let base = address.base();
        let hash = hex::encode(&Sha256::digest(STYLESHEET)[..8]);
        // Paths of a configured address, which need no escapes.
        let style = format!("{base}/style.css?{hash}");
        environment.add_global("style", Value::from_safe_string(style));
        environment.add_global("base", Value::from_safe_string(base));
        environment.add_filter("amount", amount);
        environment.add_filter("day", |text: &str| instant(text, "%-d %B %Y"));
        environment.add_filter("moment", |text: &str| instant(text, "%-d %B %Y, %H:%M UTC"));
        environment.add_filter("stage", |stage: &str| stage_name(stage).unwrap_or_default());
        Self(environment)
    }

    pub(super) fn render(&self, template: &str, content: Value) -> Result<String, Error> {
        self.0.get_template(template)?.render(context! { ..content })
    }

    pub(super) fn stylesheet(&self) -> &'static str {
        STYLESHEET
    }
}

/// Sets the thousands of an amount apart: `-1234.50` is −1 234.50.
fn amount(text: &str) -> String {
    let (sign, digits) = text.strip_prefix('-').map_or(("", text), |digits| ("-", digits));
    let point = digits.find('.').unwrap_or(digits.len());
    let mut shown = String::new();
    if !sign.is_empty() {
        shown.push(MINUS);
    }
    for (place, digit) in digits.char_indices() {
        if place > 0 && place < point && (point - place).is_multiple_of(3) {
            shown.push(GAP);
        }
        shown.push(digit);
    }
    shown
}

fn instant(text: &str, form: &str) -> Result<String, Error> {
    let instant: Result<DateTime<Utc>, _> = text.parse();
    let instant = instant.map_err(|error| {
        Error::new(ErrorKind::InvalidOperation, format!("{text} is no instant: {error}"))
    })?;
    Ok(instant.format(form).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_set_apart_from_the_point() {
        for (text, shown) in [
            ("0.00", "0.00"),
            ("999.99", "999.99"),
            ("-5.10", "\u{2212}5.10"),
            ("1000.00", "1\u{202f}000.00"),
            ("-1234567.89", "\u{2212}1\u{202f}234\u{202f}567.89"),
        ] {
            assert_eq!(amount(text), shown);
        }
    }
}
