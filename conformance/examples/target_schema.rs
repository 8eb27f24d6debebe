//! Prints the JSON Schema of target files: `conformance/targets/target.schema.json` is made by it, and a test holds it current.
//!
//! It refuses arguments: there is one form.

use std::io::Write;

fn main() -> std::io::Result<()> {
    let schema = payout_conformance::target::schema::target_schema();
    let text = serde_json::to_string_pretty(&schema)?;
    writeln!(std::io::stdout(), "{text}")
}
