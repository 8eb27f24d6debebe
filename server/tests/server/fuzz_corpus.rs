//! Replays the seeds of the fuzzers, so that a finding stays found without a fuzzer. Every target
//! has seeds, every seed a target, and the corpus stays small enough to read.

#[path = "../../fuzz/src/lib.rs"]
mod claims;

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

/// The limits of all seeds together.
const MAX_SEEDS: usize = 100;
const MAX_BYTES: usize = 100_000;
/// libFuzzer names its own findings by their SHA-1; git ignores them.
const FOUND_NAME_LENGTH: usize = 40;

/// A target's name, and its claim.
type Target = (&'static str, fn(&[u8]));

const TARGETS: [Target; 7] = [
    ("content_disposition", claims::content_disposition::claim),
    ("cursor", claims::cursor::claim),
    ("fingerprint", claims::fingerprint::claim),
    ("key", claims::key::claim),
    ("limit", claims::limit::claim),
    ("link", claims::link::claim),
    ("patch_body", claims::patch_body::claim),
];

#[test]
fn each_seed_keeps_the_claim_of_its_target() {
    let mut broken = Vec::new();
    for (target, claim) in TARGETS {
        for (name, seed) in seeds(target) {
            if std::panic::catch_unwind(|| claim(&seed)).is_err() {
                broken.push(format!("server/fuzz/corpus/{target}/{name}"));
            }
        }
    }
    assert!(broken.is_empty(), "the panics above show the claims broken by {broken:#?}");
}

#[test]
fn no_bytes_keep_every_claim() {
    for (_, claim) in TARGETS {
        claim(&[]);
    }
}

#[test]
fn each_target_has_a_claim_and_seeds_of_a_readable_size() {
    let named = TARGETS.map(|(target, _)| target.to_owned());
    assert_eq!(names(&fuzz("corpus")), named);
    let programs = named.clone().map(|target| format!("{target}.rs"));
    assert_eq!(names(&fuzz("fuzz_targets")), programs);
    let seeds: Vec<_> = named.iter().map(|target| seeds(target)).collect();
    assert!(seeds.iter().all(|seeds| seeds.len() > 2));
    let all = || seeds.iter().flat_map(BTreeMap::values);
    assert!(all().count() <= MAX_SEEDS);
    assert!(all().map(Vec::len).sum::<usize>() <= MAX_BYTES);
}

/// The seeds of a target by name, without the findings of a fuzzer on this machine.
fn seeds(target: &str) -> BTreeMap<String, Vec<u8>> {
    let folder = fuzz("corpus").join(target);
    let kept = names(&folder).into_iter().filter(|name| name.len() != FOUND_NAME_LENGTH);
    kept.map(|name| (name.clone(), fs::read(folder.join(name)).unwrap())).collect()
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
