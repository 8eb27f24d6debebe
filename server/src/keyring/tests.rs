//! Key files that are made, and those that are rejected. The commands that messages name are run.

use std::os::unix::fs::PermissionsExt;

use super::*;

const FILE: KeyFile = KeyFile {
    flag: "--link-keys",
    name: "link-keys",
    head: "# Keys of a test.\n",
    danger: "make links",
};

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

#[test]
fn file_is_made_on_first_use_for_its_owner_alone_and_kept() {
    let folder = folder();
    let path = folder.path().join("data/link-keys");
    let made = FILE.load_or_create(&path).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
    let read = FILE.load_or_create(&path).unwrap();
    assert_eq!(made.sign(b"a"), read.sign(b"a"));
    let left: Vec<_> = fs::read_dir(path.parent().unwrap()).unwrap().collect();
    assert_eq!(left.len(), 1, "{left:?}");
}

#[test]
fn two_files_have_two_secrets() {
    let folder = folder();
    let one = FILE.load_or_create(&folder.path().join("one")).unwrap();
    let two = FILE.load_or_create(&folder.path().join("two")).unwrap();
    assert_ne!(one.sign(b"a"), two.sign(b"a"));
    assert_ne!(one.newest(), two.newest());
}

#[test]
fn processes_that_start_together_get_the_same_keys() {
    let folder = folder();
    let path = folder.path().join("link-keys");
    let signatures: Vec<[u8; 32]> = std::thread::scope(|scope| {
        let start = || FILE.load_or_create(&path).unwrap().sign(b"a");
        let running: Vec<_> = (0..16).map(|_| scope.spawn(start)).collect();
        running.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(signatures.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn reported_command_makes_a_usable_file() {
    let folder = folder();
    let path = folder.path().join("it's the keys");
    let message = FILE.load(&path).unwrap_err().to_string();
    let command = message.rsplit("\n  ").next().unwrap();
    let status = std::process::Command::new("sh").args(["-c", command]).status().unwrap();
    assert!(status.success(), "{command}");
    let keys = FILE.load(&path).unwrap();
    assert!(!keys.newest().is_empty());
}

#[test]
fn file_that_others_may_read_is_rejected_with_the_command_that_fixes_it() {
    let folder = folder();
    let path = folder.path().join("link-keys");
    FILE.load_or_create(&path).unwrap();
    for mode in [0o640, 0o604, 0o620, 0o601, 0o777] {
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        for message in [FILE.load(&path), FILE.load_or_create(&path)] {
            let message = message.unwrap_err().to_string();
            assert!(message.contains(&format!("chmod 600 '{}'", path.display())), "{message}");
        }
    }
    fs::set_permissions(&path, fs::Permissions::from_mode(0o400)).unwrap();
    assert!(FILE.load(&path).is_ok());
}

#[test]
fn content_that_is_no_keys_is_reported_with_file_and_line_and_never_replaced() {
    let folder = folder();
    let path = folder.path().join("link-keys");
    FILE.load_or_create(&path).unwrap();
    fs::write(&path, "# a\nb\n").unwrap();
    let message = FILE.load_or_create(&path).unwrap_err().to_string();
    assert!(message.contains("line 2"), "{message}");
    assert!(message.contains(path.to_str().unwrap()), "{message}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "# a\nb\n");
}

#[test]
fn folder_in_its_place_is_rejected() {
    let folder = folder();
    let message = FILE.load(folder.path()).unwrap_err().to_string();
    assert!(message.contains("it is not a file"), "{message}");
}

fn line(id: &str, digit: &str) -> String {
    format!("{id} {}\n", digit.repeat(64))
}

#[test]
fn file_of_keys_is_read_and_the_first_one_signs() {
    let text = format!("# made in May\n\n{}  {}", line("2026-05", "a"), line("2026-04", "B"));
    let keys = Keyring::parse(&text).unwrap();
    assert_eq!(keys.newest(), "2026-05");
    let signature = keys.sign(b"message");
    assert!(keys.verify("2026-05", b"message", &signature));
    assert!(!keys.verify("2026-04", b"message", &signature));
    assert!(!keys.verify("other", b"message", &signature));
    assert!(!keys.verify("2026-05", b"messagE", &signature));
    assert!(!keys.verify("2026-05", b"message", &signature[..31]));
    assert!(!keys.verify("2026-05", b"message", &[]));
}

#[test]
fn signature_is_hmac_sha256() {
    // RFC 4231 has no case with a key of 32 bytes: this one is from Python's hmac module.
    let keys = Keyring::parse(&line("k", "0b")[..]).unwrap_err();
    assert!(keys.starts_with("line 1 "), "{keys}");
    let keys = Keyring::parse(&format!("k {}", "0b".repeat(32))).unwrap();
    let digits: String = keys.sign(b"Hi There").iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(digits, "198a607eb44bfbc69903a0f1cf2bbdc5ba0aa3f3d9ae3c1c7a3b1696a0b68cf7");
}

#[test]
fn file_that_cannot_be_used_is_rejected_with_its_line() {
    let many: String = (0..=KEYS_LIMIT).map(|number| line(&number.to_string(), "a")).collect();
    for (text, problem) in [
        (String::new(), "it contains no key"),
        ("# a\n\n".into(), "it contains no key"),
        ("key".into(), "line 1 is not"),
        (format!("\n{}", line("schlüssel", "a")), "line 2 is not"),
        (line("a/b", "a"), "line 1 is not"),
        (line(&"a".repeat(33), "a"), "line 1 is not"),
        (line("a", "g"), "line 1 is not"),
        (format!("a {}", "a".repeat(63)), "line 1 is not"),
        (format!("a {}", "a".repeat(66)), "line 1 is not"),
        (format!("a {}+a", "a".repeat(62)), "line 1 is not"),
        (format!("a {} # x", "a".repeat(64)), "line 1 is not"),
        (line("a", "a") + &line("a", "b"), "line 2 repeats"),
        (many, "it contains more than 16 keys"),
    ] {
        let message = Keyring::parse(&text).unwrap_err();
        assert!(message.starts_with(problem), "{text:?}: {message}");
    }
}

#[test]
fn debug_shows_no_secret() {
    let keys = Keyring::parse(&line("2026-05", "a")).unwrap();
    assert_eq!(format!("{keys:?}"), "Keyring [\"2026-05\"]");
}
