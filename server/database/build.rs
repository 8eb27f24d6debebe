//! Rebuilds the crate when a migration file is added: the compiler itself only notices changes to files it already embeds.

fn main() {
    println!("cargo::rerun-if-changed=migrations");
}
