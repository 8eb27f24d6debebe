//! Everything that this process logs: lines of requests, and those of tracing once a test listens.

use std::{
    io,
    sync::{Mutex, PoisonError},
};

static WRITTEN: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// Keeps what is written to it.
pub struct Written;

impl io::Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut written = WRITTEN.lock().unwrap_or_else(PoisonError::into_inner);
        written.extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

pub fn lines() -> Vec<String> {
    let written = WRITTEN.lock().unwrap_or_else(PoisonError::into_inner);
    let text = String::from_utf8(written.clone()).expect("log lines are UTF-8");
    text.lines().map(str::to_owned).collect()
}
