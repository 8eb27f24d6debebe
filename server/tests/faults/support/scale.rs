//! Duration, repetitions and seed: the differences between the quick form and the long one.

use std::fmt::Display;

const SCALE: &str = "PAYOUT_FAULT_SCALE";
const SEED: &str = "PAYOUT_FAULT_SEED";
const HISTORY: &str = "PAYOUT_FAULT_HISTORY";
const QUICK_FACTOR: u64 = 1;
const LARGEST_FACTOR: u64 = 100;
const QUICK_SEED: u64 = 0x9E37_79B9;

/// The multiple of the quick form: 1, or `PAYOUT_FAULT_SCALE`.
pub fn factor() -> u64 {
    let factor = number(SCALE).unwrap_or(QUICK_FACTOR);
    assert!(
        (1..=LARGEST_FACTOR).contains(&factor),
        "{SCALE} is a whole number from 1 to {LARGEST_FACTOR}"
    );
    factor
}

/// The seed of the random choices: fixed, or `PAYOUT_FAULT_SEED`.
pub fn seed() -> u64 {
    number(SEED).unwrap_or(QUICK_SEED)
}

/// Random choices: the sequence `stream` of the run's seed.
pub fn random(stream: u64) -> fastrand::Rng {
    fastrand::Rng::with_seed(seed() ^ stream.wrapping_mul(0x9E37_79B9_7F4A_7C15))
}

/// The only one of the random histories to run: `PAYOUT_FAULT_HISTORY`, if it is set.
pub fn chosen_history() -> Option<u64> {
    number(HISTORY)
}

/// Prints a count, which runs add up to.
pub fn report_sum(name: &str, value: impl Display) {
    println!("fault figure: sum: {name}: {value}");
}

/// Prints a measured value, of which the largest counts.
pub fn report_max(name: &str, value: impl Display) {
    println!("fault figure: max: {name}: {value}");
}

fn number(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    let number = text.parse();
    Some(number.unwrap_or_else(|_| panic!("{name} is no whole number: {text:?}")))
}
