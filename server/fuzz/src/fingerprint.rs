//! The fingerprint of a statement (S5): two fingerprints are equal exactly if the four triggers are
//! equal. The triggers are compared value by value, without the encoder.

use chrono::{DateTime, Utc};
use payout_server::statements::{
    fingerprint::Fingerprint,
    model::{Inputs, StatementLine},
    template::Template,
};
use rust_decimal::Decimal;

use super::source::Source;

/// Any bytes: as the content of a statement, and of similar ones.
pub fn claim(data: &[u8]) {
    let one = inputs(&mut Source::new(data));
    let mut same = one.clone();
    same.partner_name = "x".to_owned();
    same.currency = "x".to_owned();
    same.amount = Decimal::ONE;
    (same.period_start, same.period_end) = (same.period_end, same.period_start);
    // The values stay, their scale changes.
    same.lines.iter_mut().for_each(|line| line.amount.rescale(4));
    assert_eq!(Fingerprint::of(&one), Fingerprint::of(&same), "{one:?}\n{same:?}");
    // Another bit is another value, or divides the texts otherwise among the fields.
    for index in (0..data.len()).step_by(data.len() / 32 + 1) {
        let mut altered = data.to_vec();
        altered[index] ^= 1 << (index % 8);
        let other = inputs(&mut Source::new(&altered));
        let is_same = triggers(&one) == triggers(&other);
        assert_eq!(Fingerprint::of(&one) == Fingerprint::of(&other), is_same, "{one:?}\n{other:?}");
    }
}

fn triggers(inputs: &Inputs) -> (&Option<String>, &Option<String>, &Template, &Vec<StatementLine>) {
    // Amounts compare by value, whatever their scale.
    (&inputs.po_number, &inputs.note, &inputs.template, &inputs.lines)
}

fn inputs(source: &mut Source) -> Inputs {
    let lines = source.below(4);
    Inputs {
        partner_name: String::new(),
        period_start: DateTime::<Utc>::UNIX_EPOCH,
        period_end: source.time(),
        currency: String::new(),
        amount: Decimal::ZERO,
        po_number: optional(source),
        note: optional(source),
        template: Template {
            title: optional(source),
            accent_colour: optional(source),
            footer: optional(source),
            logo: optional(source).map(String::into_bytes),
        },
        lines: (0..lines).map(|_| line(source)).collect(),
    }
}

/// Amounts are cents, as in the tables.
fn line(source: &mut Source) -> StatementLine {
    StatementLine {
        id: source.text(4),
        description: source.text(4),
        amount: Decimal::new(source.number(), 2),
        source_amount: Decimal::new(source.number(), 2),
        currency: source.text(4),
        plan_name: source.text(4),
        period_end: source.time(),
    }
}

fn optional(source: &mut Source) -> Option<String> {
    let text = source.text(4);
    (source.below(3) != 0).then_some(text)
}
