//! The snapshots are compiled into the binary: a new one is a reason to build it again.

fn main() {
    println!("cargo::rerun-if-changed=snapshots");
}
