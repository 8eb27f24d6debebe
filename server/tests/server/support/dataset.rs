//! The rows of `conformance/dataset.json` that the tests name.

/// Organisations.
pub const MAIN: &str = "org_01JV3N8Q5R0000000000000001";
/// The other tenant.
pub const OTHER: &str = "org_01JV3N8Q5R0000000000000002";
/// 5 requests a minute.
pub const TIGHT: &str = "org_01JV3N8Q5R0000000000000005";

/// The partner of main with every field.
pub const NORDWIND: &str = "ptn_01JV3N8Q5R0000000000000001";
/// Its id in the CRM, which a partner of the other tenant has too.
pub const NORDWIND_EXTERNAL: &str = "4815162342";
/// The partner with a name and nothing else.
pub const BARE: &str = "ptn_01JV3N8Q5R000000000000000A";
/// An unknown partner.
pub const NO_PARTNER: &str = "ptn_01JV3N8Q5RZZZZZZZZZZZZZZZZ";

/// The payout with one line, a note and a PO number.
pub const ONE_LINE: &str = "pay_01JV3N8Q5R0000000000000001";
/// The payout of a line and a larger claw-back.
pub const NEGATIVE: &str = "pay_01JV3N8Q5R0000000000000004";
/// A payout of the other tenant.
pub const FOREIGN_PAYOUT: &str = "pay_01JV3N8Q5R0200000000000001";
/// The payout of 41 lines.
pub const FORTY_ONE: &str = "pay_01JV3N8Q5R0000000000000002";
