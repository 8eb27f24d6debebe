//! The fingerprint of what triggers a rebuild: lines, PO number, note, template (§4.7 rule 2, S5).
//! Nothing else changes it: no partner's name, billing data, stage, release or date.

use chrono::{DateTime, Utc};
use rust_decimal::Decimal;
use sha2::{Digest, Sha256};

use super::model::{Inputs, StatementLine};

/// Begins every fingerprint. Another encoding would rebuild every existing statement.
const ENCODING: &[u8] = b"payout statement inputs 1";

/// SHA-256 of the four triggers: equal fingerprints mean the same document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fingerprint([u8; 32]);

impl Fingerprint {
    /// Covers the four triggers only.
    pub fn of(inputs: &Inputs) -> Self {
        let mut encoder = Encoder(Sha256::new_with_prefix(ENCODING));
        encoder.optional(inputs.po_number.as_deref().map(str::as_bytes));
        encoder.optional(inputs.note.as_deref().map(str::as_bytes));
        let template = &inputs.template;
        for text in [&template.title, &template.accent_colour, &template.footer] {
            encoder.optional(text.as_deref().map(str::as_bytes));
        }
        encoder.optional(template.logo.as_deref());
        encoder.number(inputs.lines.len());
        for line in &inputs.lines {
            encoder.line(line);
        }
        Self(encoder.0.finalize().into())
    }

    pub(crate) fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// Encodes different sequences of values as different bytes: each text follows its length.
struct Encoder(Sha256);

impl Encoder {
    fn line(&mut self, line: &StatementLine) {
        self.bytes(line.id.as_bytes());
        self.bytes(line.description.as_bytes());
        self.amount(line.amount);
        self.amount(line.source_amount);
        self.bytes(line.currency.as_bytes());
        self.bytes(line.plan_name.as_bytes());
        self.time(line.period_end);
    }

    fn optional(&mut self, value: Option<&[u8]>) {
        self.0.update([u8::from(value.is_some())]);
        if let Some(value) = value {
            self.bytes(value);
        }
    }

    fn bytes(&mut self, value: &[u8]) {
        self.number(value.len());
        self.0.update(value);
    }

    /// Hashes the amount as the API prints it: the scale that the driver returns changes nothing.
    fn amount(&mut self, value: Decimal) {
        self.bytes(format!("{value:.2}").as_bytes());
    }

    fn time(&mut self, value: DateTime<Utc>) {
        self.0.update(value.timestamp_millis().to_be_bytes());
    }

    fn number(&mut self, value: usize) {
        self.0.update((value as u64).to_be_bytes());
    }
}

#[cfg(test)]
mod tests;
