//! The spans of calls. A process of its own, because a subscriber belongs to the whole process.

#![allow(
    dead_code,
    clippy::unwrap_used,
    reason = "the stub has more than one test needs; clippy's exception leaves out its functions"
)]

use std::{
    io,
    sync::{Arc, Mutex},
};

#[path = "client/stub.rs"]
mod stub;

use stub::{KEY, Stub, error};

#[tokio::test]
async fn span_names_operation_status_and_request_and_no_secret() {
    #[derive(Clone, Default)]
    struct Log(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Log {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    let log = Log::default();
    let written = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_span_events(tracing_subscriber::fmt::format::FmtSpan::CLOSE)
        .with_ansi(false)
        .with_writer(move || log.clone())
        .finish();
    tracing::subscriber::set_global_default(subscriber).unwrap();
    let stub = Stub::in_turn([error("404 Not Found", "NOT_FOUND", "null")]).await;
    stub.client().get_payout("pay_1").send().await.unwrap_err();
    let text = String::from_utf8(written.0.lock().unwrap().clone()).unwrap();
    let expected = "call{operation=getPayout status=404 request_id=\"r-1\"}";
    assert!(text.contains(expected), "{text}");
    assert!(!text.contains(KEY), "{text}");
}
