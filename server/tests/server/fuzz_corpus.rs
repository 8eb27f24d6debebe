//! Replays the seeds of the fuzzers, so that a finding stays found without a fuzzer. Every target
//! has seeds, every seed a target, and the corpus stays small enough to read.

#[path = "../../fuzz/src/lib.rs"]
mod claims;

use std::{
    fs,
    path::{Path, PathBuf},
};

use claims::{TARGETS, claim};

/// The limits of all seeds together.
const MAX_SEEDS: usize = 100;
const MAX_BYTES: usize = 100_000;
/// libFuzzer names its own findings by their SHA-1; git ignores them.
const FOUND_NAME_LENGTH: usize = 40;

#[test]
fn each_seed_keeps_the_claim_of_its_target() {
    let (mut count, mut bytes) = (0, 0);
    let mut broken = Vec::new();
    for (target, _) in TARGETS {
        claim(target, &[]);
        let folder = fuzz("corpus").join(target);
        let kept = names(&folder).into_iter().filter(|name| name.len() != FOUND_NAME_LENGTH);
        let kept: Vec<_> = kept.collect();
        assert!(kept.len() > 2, "{target} needs seeds");
        for name in kept {
            let seed = fs::read(folder.join(&name)).unwrap();
            (count, bytes) = (count + 1, bytes + seed.len());
            if std::panic::catch_unwind(|| claim(target, &seed)).is_err() {
                broken.push(format!("server/fuzz/corpus/{target}/{name}"));
            }
        }
    }
    assert!(broken.is_empty(), "the panics above show the claims broken by {broken:#?}");
    assert!(count <= MAX_SEEDS && bytes <= MAX_BYTES, "{count} seeds of {bytes} bytes");
    let named = TARGETS.map(|(target, _)| target.to_owned());
    assert_eq!(names(&fuzz("corpus")), named);
    let package: toml::Table = fs::read_to_string(fuzz("Cargo.toml")).unwrap().parse().unwrap();
    let programs = package["bin"].as_array().unwrap().iter();
    let mut programs: Vec<_> = programs.map(|program| program["name"].as_str().unwrap()).collect();
    programs.sort_unstable();
    assert_eq!(programs, named);
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn fuzz(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz").join(path)
}
