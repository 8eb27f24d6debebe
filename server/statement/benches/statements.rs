//! Measures typesetting: processor time, time and memory, as one line of JSON for
//! `cargo xtask bench statements`.
//!
//! `cargo bench --bench statements -- LINES DOCUMENTS ROUNDS` typesets rounds of DOCUMENTS
//! statements of LINES lines on one thread. Up to 500 of them differ in names, descriptions and
//! amounts.

use std::time::Instant;

use chrono::{DateTime, TimeDelta, Utc};
use payout_statement::{FontSource, Issuer, Line, Statement, Template, Typesetter};
use rust_decimal::Decimal;
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};

const DEFAULT_NUMBERS: [u64; 3] = [25, 1_000, 5];
/// Statements prepared in advance; a round repeats them in turn.
const DIFFERENT_STATEMENTS: u64 = 500;

fn main() {
    // cargo adds the flag `--bench`.
    let arguments = std::env::args().skip(1);
    let given: Vec<u64> = arguments
        .filter(|argument| !argument.starts_with("--"))
        .map(|argument| argument.parse().expect("LINES DOCUMENTS ROUNDS are whole numbers"))
        .collect();
    let number = |index: usize| given.get(index).copied().unwrap_or(DEFAULT_NUMBERS[index]);
    let (lines, documents, rounds) = (number(0), number(1).max(1), number(2));

    // As `serve` does by default, so that the memory is the server's.
    let typesetter = Typesetter::new(&FontSource::System).expect("the embedded fonts are sound");
    let statements: Vec<Statement> =
        (0..documents.min(DIFFERENT_STATEMENTS)).map(|seed| statement(lines, seed)).collect();
    let first = measure(&typesetter, &statements[..1], 1);
    let first_peak_bytes = peak_bytes();
    if documents > 1 {
        measure(&typesetter, &statements, documents);
    }
    let rounds: Vec<Value> =
        (0..rounds).map(|_| measure(&typesetter, &statements, documents)).collect();
    let measured = json!({
        "lines": lines,
        "documents": documents,
        "first": first,
        "firstPeakBytes": first_peak_bytes,
        "rounds": rounds,
        "peakBytes": peak_bytes(),
    });
    println!("{measured}");
}

fn measure(typesetter: &Typesetter, statements: &[Statement], documents: u64) -> Value {
    let (begun, cpu_before, mut bytes) = (Instant::now(), cpu_nanoseconds(), 0);
    for statement in statements.iter().cycle().take(usize::try_from(documents).expect("64 bits")) {
        bytes += typesetter.typeset(statement).expect("a sound statement").len();
    }
    let cpu_nanoseconds = cpu_nanoseconds() - cpu_before;
    let nanoseconds = u64::try_from(begun.elapsed().as_nanos()).expect("less than 584 years");
    json!({ "cpuNanoseconds": cpu_nanoseconds, "nanoseconds": nanoseconds, "bytes": bytes })
}

fn cpu_nanoseconds() -> u64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    let nanoseconds = time.tv_sec * 1_000_000_000 + time.tv_nsec;
    u64::try_from(nanoseconds).expect("processor time is positive")
}

/// Peak resident memory; `None` without /proc. `getrusage` would include the memory of the program
/// that started this one.
fn peak_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kibibytes * 1_024)
}

/// Returns a statement with this number of lines; its content follows from the seed.
fn statement(lines: u64, seed: u64) -> Statement {
    let mut chance = Chance::new(seed);
    let start: DateTime<Utc> = "2026-04-01T00:00:00Z".parse().expect("a time");
    let lines: Vec<Line> = (0..lines).map(|_| line(&mut chance, start)).collect();
    Statement {
        template: Template {
            footer: Some("Meridian Software GmbH · Am Sandtorkai 27 · 20457 Hamburg".into()),
            ..Template::default()
        },
        issuer: Issuer {
            legal_name: "Meridian Software GmbH".into(),
            address_line_1: "Am Sandtorkai 27".into(),
            postal_code: "20457".into(),
            city: "Hamburg".into(),
            country: "Germany".into(),
            finance_email: "finance@meridian.example".into(),
            vat_number: Some("DE123456789".into()),
            ..Issuer::default()
        },
        partner_name: format!("Nordlys Consulting {seed}"),
        payout_id: "pay_01JV3N8Q5RHWXK2M4P6S7T9V0A".into(),
        period_start: start,
        period_end: start + TimeDelta::days(29),
        currency: "EUR".into(),
        po_number: Some(format!("PO-{seed}")),
        note: Some("Payment follows within 14 days.".into()),
        total: lines.iter().map(|line| line.amount).sum(),
        lines,
    }
}

fn line(chance: &mut Chance, start: DateTime<Utc>) -> Line {
    const WORDS: [&str; 16] = [
        "Renewal",
        "Nordwind",
        "Logistik",
        "premium",
        "support",
        "Atelier",
        "Lumière",
        "annual",
        "plan",
        "order",
        "Kestrel",
        "Analytics",
        "seats",
        "Hafenbau",
        "referral",
        "instalment",
    ];
    let words: Vec<&str> = (0..5).map(|_| chance.one_of(&WORDS)).collect();
    let cents = i64::from(chance.below(5_000_000)) - 400_000;
    Line {
        id: String::new(),
        description: format!("{} {:05}", words.join(" "), chance.below(100_000)),
        plan_name: chance.one_of(&["Reseller 2026", "Referral"]).into(),
        period_end: start + TimeDelta::days(chance.below(30).into()),
        source_amount: Decimal::new(cents * 8, 2),
        amount: Decimal::new(cents, 2),
        currency: "EUR".into(),
    }
}

/// Pseudo-random numbers (xorshift).
struct Chance(u64);

impl Chance {
    fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn below(&mut self, limit: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        u32::try_from(self.0 % u64::from(limit)).expect("less than the limit")
    }

    fn one_of<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        let count = u32::try_from(choices.len()).expect("a handful");
        choices[usize::try_from(self.below(count)).expect("an index")]
    }
}
