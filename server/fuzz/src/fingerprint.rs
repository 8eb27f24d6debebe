//! The fingerprint of a statement (S5): two fingerprints are equal exactly if the four triggers are
//! equal. The triggers are compared value by value, without the encoder.

use chrono::{TimeDelta, Utc};
use payout_server::statements::{
    fingerprint::Fingerprint,
    model::{Inputs, StatementLine},
    template::Template,
};
use rust_decimal::Decimal;

use super::source::Source;

/// Any bytes: as the content of a statement, and as a change of it.
pub fn claim(data: &[u8]) {
    let mut source = Source::new(data);
    let one = inputs(&mut source);
    let mut other = one.clone();
    for _ in 0..=source.below(3) {
        change(&mut other, &mut source);
    }
    change_no_trigger(&mut other, &mut source);
    let is_same = triggers(&one) == triggers(&other);
    assert_eq!(Fingerprint::of(&one) == Fingerprint::of(&other), is_same, "{one:?}\n{other:?}");
    // Two unrelated statements.
    let stranger = inputs(&mut source);
    let is_same = triggers(&one) == triggers(&stranger);
    assert_eq!(
        Fingerprint::of(&one) == Fingerprint::of(&stranger),
        is_same,
        "{one:?}\n{stranger:?}"
    );
}

fn triggers(inputs: &Inputs) -> (&Option<String>, &Option<String>, &Template, &Vec<StatementLine>) {
    // Amounts compare by value, whatever their scale.
    (&inputs.po_number, &inputs.note, &inputs.template, &inputs.lines)
}

fn inputs(source: &mut Source) -> Inputs {
    let lines = source.below(4);
    Inputs {
        partner_name: String::new(),
        period_start: chrono::DateTime::<Utc>::UNIX_EPOCH,
        period_end: chrono::DateTime::<Utc>::UNIX_EPOCH,
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

fn line(source: &mut Source) -> StatementLine {
    StatementLine {
        id: source.text(4),
        description: source.text(4),
        amount: amount(source),
        source_amount: amount(source),
        currency: source.text(4),
        plan_name: source.text(4),
        period_end: source.time(),
    }
}

fn optional(source: &mut Source) -> Option<String> {
    let text = source.text(4);
    (source.below(3) != 0).then_some(text)
}

/// Cents, as in the tables.
fn amount(source: &mut Source) -> Decimal {
    Decimal::new(source.number(), 2)
}

/// One change that makes a similar statement; some change nothing.
fn change(inputs: &mut Inputs, source: &mut Source) {
    let (first, second) = (source.below(4), source.below(4));
    let Inputs { po_number, note, template, lines, .. } = inputs;
    let count = lines.len().max(1);
    match (source.below(8), lines.get_mut(first % count)) {
        (0, _) => {
            let texts = [po_number, note, &mut template.title, &mut template.footer];
            let taken = texts[first].take();
            let texts = [
                &mut inputs.po_number,
                &mut inputs.note,
                &mut inputs.template.title,
                &mut inputs.template.footer,
            ];
            *texts.into_iter().nth(second).expect("four texts") = taken;
        }
        (1, _) => {
            *note = note.take().filter(|text| !text.is_empty()).or_else(|| Some(String::new()))
        }
        (2, Some(_)) => {
            let last = lines.len() - 1;
            lines.swap(first % count, last);
        }
        (3, Some(_)) => {
            let line = lines.remove(first % count);
            lines.insert(second % count, line);
        }
        (4, Some(line)) => {
            let mut texts =
                [&mut line.id, &mut line.description, &mut line.currency, &mut line.plan_name];
            let moved = texts[first].pop();
            let target = &mut texts[second];
            moved.into_iter().for_each(|character| target.insert(0, character));
        }
        (5, Some(line)) => {
            // The value stays, its scale changes.
            let mut same = line.amount;
            same.rescale(2 + source.below(3) as u32);
            line.amount = same;
        }
        (6, Some(line)) => std::mem::swap(&mut line.amount, &mut line.source_amount),
        (_, Some(line)) => line.period_end += TimeDelta::milliseconds(source.below(2) as i64),
        _ => {}
    }
}

/// Content of a statement that does not trigger a new one.
fn change_no_trigger(inputs: &mut Inputs, source: &mut Source) {
    inputs.partner_name = source.text(4);
    inputs.period_start = source.time();
    inputs.period_end = source.time();
    inputs.currency = source.text(4);
    inputs.amount = amount(source);
}
