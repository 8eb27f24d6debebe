//! Changes of inputs that change a fingerprint, and others that do not.

use super::*;
use crate::statements::template::Template;

fn line(number: u32) -> StatementLine {
    StatementLine {
        id: format!("cln_{number}"),
        description: format!("Order {number}"),
        amount: Decimal::new(1234, 2),
        source_amount: Decimal::new(12340, 2),
        currency: "EUR".into(),
        plan_name: "Standard".into(),
        period_end: "2026-05-31T23:59:59.999Z".parse().unwrap(),
    }
}

fn inputs() -> Inputs {
    Inputs {
        partner_name: "Nordwind".into(),
        period_start: "2026-05-01T00:00:00Z".parse().unwrap(),
        period_end: "2026-05-31T23:59:59.999Z".parse().unwrap(),
        currency: "EUR".into(),
        amount: Decimal::new(2468, 2),
        po_number: Some("PO-1".into()),
        note: None,
        template: Template::default(),
        lines: vec![line(1), line(2)],
    }
}

fn changed(change: impl FnOnce(&mut Inputs)) -> bool {
    let mut inputs = inputs();
    let before = Fingerprint::of(&inputs);
    change(&mut inputs);
    Fingerprint::of(&inputs) != before
}

#[test]
fn each_trigger_changes_it() {
    assert!(changed(|inputs| inputs.po_number = None));
    assert!(changed(|inputs| inputs.po_number = Some("PO-2".into())));
    assert!(changed(|inputs| inputs.note = Some("Thank you".into())));
    assert!(changed(|inputs| inputs.note = Some(String::new())));
    assert!(changed(|inputs| inputs.template.title = Some("Gutschrift".into())));
    assert!(changed(|inputs| inputs.template.accent_colour = Some("#aa0000".into())));
    assert!(changed(|inputs| inputs.template.footer = Some("Ltd".into())));
    assert!(changed(|inputs| inputs.template.logo = Some(vec![1])));
    assert!(changed(|inputs| inputs.lines.swap(0, 1)));
    assert!(changed(|inputs| drop(inputs.lines.pop())));
    let each: [fn(&mut StatementLine); 7] = [
        |line| line.id.push('x'),
        |line| line.description.push('x'),
        |line| line.amount += Decimal::new(1, 2),
        |line| line.source_amount += Decimal::new(1, 2),
        |line| line.currency = "USD".into(),
        |line| line.plan_name.push('x'),
        |line| line.period_end += chrono::TimeDelta::milliseconds(1),
    ];
    for change in each {
        assert!(changed(|inputs| change(&mut inputs.lines[1])));
    }
}

#[test]
fn nothing_else_changes_it() {
    assert!(!changed(|inputs| inputs.partner_name = "Südwind".into()));
    assert!(!changed(|inputs| inputs.period_start -= chrono::TimeDelta::days(1)));
    assert!(!changed(|inputs| inputs.lines[0].amount = Decimal::new(123_400, 4)));
}

#[test]
fn a_text_that_moves_into_the_next_field_changes_it() {
    let moved = |description: &str, plan: &str| {
        let mut inputs = inputs();
        inputs.lines[0].currency = String::new();
        inputs.lines[0].description = description.into();
        inputs.lines[0].plan_name = plan.into();
        Fingerprint::of(&inputs)
    };
    assert_ne!(moved("ab", "c"), moved("a", "bc"));
}

/// Changing this value rebuilds every statement of every organisation.
#[test]
fn the_encoding_stays_as_it_is() {
    let bytes = Fingerprint::of(&inputs());
    let text: String = bytes.as_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(text, "0e9ad76b3599276f8591361f49438f29fa533a0aa28a00237f5fcb3ef8f7f1fe");
}
