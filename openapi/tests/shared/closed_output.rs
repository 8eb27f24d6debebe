//! A program whose outputs nobody reads, as after `| head`. Tests of several packages include this
//! file.

use std::{io, process::Command};

/// Runs the command with a reader, then without one of its standard output, then without any. It
/// must end with the same exit status, and write the same to a standard error that is read.
pub(crate) fn ends_the_same_without_a_reader(command: impl Fn() -> Command) {
    let closed = || {
        let (reader, writer) = io::pipe().expect("a pipe");
        drop(reader);
        writer
    };
    let read = command().output().expect("the program runs");
    assert!(!read.stdout.is_empty(), "{:?} prints nothing", command());
    let halved = command().stdout(closed()).output().expect("the program runs");
    let errors = String::from_utf8_lossy(&halved.stderr);
    assert_eq!(errors, String::from_utf8_lossy(&read.stderr), "{:?}", command());
    assert_eq!(halved.status, read.status, "{:?}: {errors}", command());
    let unread = command().stdout(closed()).stderr(closed()).status().expect("the program runs");
    assert_eq!(unread, read.status, "{:?}", command());
}
