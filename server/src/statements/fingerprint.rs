//! The fingerprint of what triggers a rebuild: lines, PO number, note, template (§4.7 rule 2, S5).
//!
//! It refuses everything else: a partner's name, billing data, a stage, a release or a day changes no fingerprint.

use chrono::{DateTime, Utc};
use rust_decimal::Decimal;
use sha2::{Digest, Sha256};

use super::model::{Inputs, PrintedLine};

/// Begins every fingerprint. Another encoding would rebuild every statement there is, so a test holds this one.
const ENCODING: &[u8] = b"payout statement inputs 1";

/// SHA-256 of the four triggers: equal fingerprints mean the same document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fingerprint([u8; 32]);

impl Fingerprint {
    /// The fingerprint of what a statement prints.
    #[must_use]
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

    /// Its bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// Writes values so that two different sequences of them never give the same bytes: each text follows its length.
struct Encoder(Sha256);

impl Encoder {
    fn line(&mut self, line: &PrintedLine) {
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

    /// As the API prints it, so that the scale a driver happens to give changes nothing.
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
