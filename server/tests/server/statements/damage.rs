//! Objects that are missing, short, long or altered: no download of them looks complete, and
//! `generateStatement` makes rendered ones again. The suite cannot reach the objects.

use std::{fs, path::Path};

use reqwest::RequestBuilder;
use serde_json::{Value, json};

use super::*;
use crate::{
    failures::{assert_has, lines_of},
    support::{dataset::*, log, until},
};

/// Larger than what is verified before the first byte is sent.
const LARGE_BYTES: usize = 4 * 1024 * 1024 + 5;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Harm {
    Missing,
    Empty,
    Short,
    Long,
    FirstByte,
    LastByte,
}

use Harm::*;

impl Harm {
    pub(super) const ALL: [Self; 6] = [Missing, Empty, Short, Long, FirstByte, LastByte];

    pub(super) fn apply(self, path: &Path) {
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

/// Harms the PDF, and has a download notice it.
async fn harm_and_notice(server: &TestServer, harm: Harm, statement: &Statement) {
    harm.apply(&file(server, &statement.asset_id));
    let rejected = rejection(server, &statement.url).await;
    assert_eq!(rejected, (500, "INTERNAL_ERROR".to_owned()), "{harm:?}");
    assert_eq!(noted(server, &statement.asset_id).await, (true, false), "{harm:?}");
}

#[tokio::test]
async fn damaged_pdf_is_a_500_before_its_first_byte_and_is_noted() {
    let server = TestServer::start().await;
    log::begin();
    let statement = generate(&server, ONE_LINE).await;
    let path = file(&server, &statement.asset_id);
    let original = fs::read(&path).unwrap();
    let client = reqwest::Client::new();
    for harm in Harm::ALL {
        let requests: [RequestBuilder; 4] = [
            client.get(&statement.url),
            client.head(&statement.url),
            client.get(&statement.url).header("range", "bytes=5-9"),
            client.get(&statement.url).header("range", "bytes=-1"),
        ];
        for request in requests {
            fs::write(&path, &original).unwrap();
            server.execute("UPDATE assets SET damaged_at = NULL").await;
            harm.apply(&path);
            let response = request.header("x-request-id", format!("{harm:?}")).send().await;
            assert_eq!(response.unwrap().status(), 500, "{harm:?}");
            assert_eq!(noted(&server, &statement.asset_id).await, (true, false), "{harm:?}");
        }
    }
    let lines = lines_of("LastByte", 4).await;
    assert_eq!(lines.len(), 4, "one line each: {lines:?}");
    assert_has(&lines[0], "SHA-256", json!({ "level": "ERROR", "organization": MAIN }));
    assert_has(&lines[0], "generateStatement makes it again", json!({}));
    assert_has(&lines[0], &statement.asset_id, json!({}));
    fs::write(&path, &original).unwrap();
    assert_eq!(download(&server, &statement.url).await, original, "a note hides no sound PDF");
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

#[tokio::test]
async fn pdf_that_would_have_other_bytes_is_replaced_by_a_new_asset() {
    let server = TestServer::start().await;
    log::begin();
    let lost = generate(&server, ONE_LINE).await;
    rename_partners(&server).await;
    assert_eq!(generate(&server, ONE_LINE).await.asset_id, lost.asset_id, "S5");
    harm_and_notice(&server, Missing, &lost).await;
    let made = generate(&server, ONE_LINE).await;
    assert_ne!(made.asset_id, lost.asset_id);
    download(&server, &made.url).await;
    assert_eq!(rejection(&server, &lost.url).await, (500, "INTERNAL_ERROR".to_owned()));
    assert_eq!(noted(&server, &lost.asset_id).await, (true, true));
    assert_eq!(generate(&server, ONE_LINE).await.asset_id, made.asset_id);
    assert_eq!(intents(&server).await, 0);
    let names_both =
        |line: &&Value| line["asset"] == made.asset_id && line["replaced"] == lost.asset_id;
    until(async || log::failures().iter().filter(names_both).count() == 1).await;
    let before = server.history(ONE_LINE).await.pop().unwrap().before;
    assert_eq!(before.unwrap()["assetId"], lost.asset_id);
}

/// The rendering has first the same bytes, and then other ones.
#[tokio::test]
async fn concurrent_calls_on_two_servers_make_a_damaged_pdf_again_once() {
    let server = TestServer::start().await;
    let replica = server.replica().await;
    let first = generate(&server, FORTY_ONE).await;
    for is_renamed in [false, true] {
        if is_renamed {
            rename_partners(&server).await;
        }
        harm_and_notice(&server, FirstByte, &first).await;
        let made = generate_at_once(&server, &replica, FORTY_ONE, 16).await;
        assert!(made.iter().all(|one| one.asset_id == made[0].asset_id), "{made:?}");
        assert_eq!(made[0].asset_id != first.asset_id, is_renamed);
        download(&server, &made[0].url).await;
        assert_eq!(intents(&server).await, 0);
    }
    let rows = "SELECT count(*) FROM assets WHERE organization_id";
    let rows: i64 = server.value(format!("{rows} = '{MAIN}'")).await;
    let files = fs::read_dir(file(&server, "x").parent().unwrap()).unwrap().count();
    assert_eq!(files, usize::try_from(rows).unwrap(), "no object is left without a row");
}
