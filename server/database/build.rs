//! Rebuilds the crate when a migration file is added: the compiler only notices changes to files
//! that it already embeds.

fn main() {
    println!("cargo::rerun-if-changed=migrations");
}
