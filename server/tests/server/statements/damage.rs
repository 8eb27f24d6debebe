//! Objects that are missing, short, long or altered, and so large that a download begins before all
//! of it was verified: none looks complete. The suite cannot reach the objects.

use std::{fs, path::Path};

use reqwest::RequestBuilder;

use super::*;
use crate::support::until;

/// Larger than what is verified before the first byte is sent.
const LARGE_BYTES: usize = 4 * 1024 * 1024 + 5;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Harm {
    Missing,
    Empty,
    Short,
    Long,
    FirstByte,
    LastByte,
}

use Harm::*;

impl Harm {
    const ALL: [Self; 6] = [Missing, Empty, Short, Long, FirstByte, LastByte];

    fn apply(self, path: &Path) {
        let mut bytes = fs::read(path).unwrap();
        let last = bytes.len() - 1;
        match self {
            Missing => return fs::remove_file(path).unwrap(),
            Empty => bytes.clear(),
            Short => bytes.truncate(last),
            Long => bytes.push(b'x'),
            FirstByte => bytes[0] ^= 1,
            LastByte => bytes[last] ^= 1,
        }
        fs::write(path, bytes).unwrap();
    }
}

fn large_pdf() -> Vec<u8> {
    let numbers = (0..).map(|number: u32| number.wrapping_mul(2_654_435_761).to_le_bytes()[3]);
    b"%PDF-".iter().copied().chain(numbers).take(LARGE_BYTES).collect()
}

/// Returns status and received bytes, and whether the body ended as announced.
async fn receive(request: RequestBuilder) -> (u16, Vec<u8>, bool) {
    let mut response = request.send().await.unwrap();
    let mut received = Vec::new();
    loop {
        match response.chunk().await {
            Ok(Some(piece)) => received.extend(piece),
            ended => return (response.status().as_u16(), received, ended.is_ok()),
        }
    }
}

#[tokio::test]
async fn damaged_large_pdf_never_looks_complete_and_is_noted() {
    let server = TestServer::start().await;
    let id = upload(&server, large_pdf()).await;
    let url = generate(&server, ONE_LINE).await.url;
    let path = file(&server, &id);
    let last = LARGE_BYTES - 1;
    for (begin, end) in [(0, last), (0, 4), (8_000, 20_000), (last - 1, last)] {
        let request = || server.follow(&url).header("range", format!("bytes={begin}-{end}"));
        let sound = receive(request()).await;
        assert_eq!(sound, (206, large_pdf()[begin..=end].to_vec(), true), "{begin}");
        for harm in Harm::ALL {
            harm.apply(&path);
            let (status, received, is_complete) = receive(request()).await;
            if matches!(harm, FirstByte | LastByte) {
                assert!(received.len() <= end - begin, "{harm:?} {begin}: {}", received.len());
                assert!(!is_complete, "{harm:?} {begin}: ended as a complete one does");
            } else {
                assert_eq!(status, 500, "{harm:?} {begin}");
            }
            // The client may see the end of the connection before the note is committed.
            until(async || noted(&server, &id).await == (true, false)).await;
            fs::write(&path, large_pdf()).unwrap();
            server.execute("UPDATE assets SET damaged_at = NULL").await;
        }
    }
}
