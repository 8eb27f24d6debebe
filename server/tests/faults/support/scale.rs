//! How long and how often, and the seed: everything that tells the quick form from the long one.
//!
//! It refuses a second place for it: scenarios multiply by [`factor`] and draw from [`seed`].

use std::fmt::Display;

/// How many times the quick form.
const SCALE: &str = "PAYOUT_FAULT_SCALE";
/// What the random choices begin with.
const SEED: &str = "PAYOUT_FAULT_SEED";
const QUICK_FACTOR: u64 = 1;
const LARGEST_FACTOR: u64 = 100;
const QUICK_SEED: u64 = 0x9E37_79B9;

/// How many times the quick form: 1, unless `PAYOUT_FAULT_SCALE` says more.
///
/// # Panics
/// It is no whole number from 1 to 100.
pub fn factor() -> u64 {
    let factor = number(SCALE).unwrap_or(QUICK_FACTOR);
    assert!(
        (1..=LARGEST_FACTOR).contains(&factor),
        "{SCALE} is a whole number from 1 to {LARGEST_FACTOR}"
    );
    factor
}

/// What the random choices begin with: fixed, unless `PAYOUT_FAULT_SEED` says otherwise.
pub fn seed() -> u64 {
    number(SEED).unwrap_or(QUICK_SEED)
}

/// Tells how often something was done; `cargo xtask endurance` adds these lines up.
pub fn done(name: &str, value: impl Display) {
    println!("fault figure: sum: {name}: {value}");
}

/// Tells a measured value; of several runs, `cargo xtask endurance` shows the largest.
pub fn measured(name: &str, value: impl Display) {
    println!("fault figure: most: {name}: {value}");
}

fn number(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    let number = text.parse();
    Some(number.unwrap_or_else(|_| panic!("{name} is no whole number: {text:?}")))
}
