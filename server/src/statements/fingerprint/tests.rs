//! Tests the encoding of the inputs.

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

/// Changing this value rebuilds every statement of every organisation.
#[test]
fn the_encoding_stays_as_it_is() {
    let bytes = Fingerprint::of(&inputs());
    let text: String = bytes.as_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(text, "0e9ad76b3599276f8591361f49438f29fa533a0aa28a00237f5fcb3ef8f7f1fe");
}
