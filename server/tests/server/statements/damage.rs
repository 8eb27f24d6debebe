//! Objects that are missing, short, long or altered: no download of them looks complete, and
//! `generateStatement` makes rendered ones again. The suite cannot reach the objects.

use std::{fs, path::Path};

use poem::http::Method;
use reqwest::RequestBuilder;
use serde_json::Value;
use sqlx::AssertSqlSafe;

use super::{
    Statement, download, file, generate, noted, rejection,
    uploads::{remove, upload},
};
use crate::{
    limits::client::until,
    support::{Key, TestServer, dataset::*, log},
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

async fn sql(server: &TestServer, statement: String) {
    let pool = server.superuser().await;
    let done = sqlx::query(AssertSqlSafe(statement)).execute(&pool).await.unwrap();
    assert!(done.rows_affected() > 0);
}

/// Gives later renderings other bytes under the same fingerprint, as a release does.
pub(super) async fn rename_partner(server: &TestServer) {
    let rename = format!("UPDATE partners SET name = 'Another' WHERE id = '{NORDWIND}'");
    sql(server, rename).await;
}

pub(super) async fn note_of_payout(server: &TestServer, note: &str) {
    let metadata = format!("jsonb_build_object('statementNote', '{note}')");
    sql(server, format!("UPDATE payouts SET metadata = {metadata} WHERE id = '{ONE_LINE}'")).await;
}

async fn intents(server: &TestServer) -> i64 {
    let count = sqlx::query_scalar("SELECT count(*) FROM asset_intents");
    count.fetch_one(&server.superuser().await).await.unwrap()
}

#[tokio::test]
async fn damaged_pdf_is_a_500_before_its_first_byte_and_is_noted() {
    let server = TestServer::start().await;
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
            sql(&server, "UPDATE assets SET damaged_at = NULL".to_owned()).await;
            harm.apply(&path);
            let response = request.send().await.unwrap();
            assert_eq!(response.status(), 500, "{harm:?}");
            assert_eq!(response.headers()["content-type"], "application/json");
            assert_eq!(noted(&server, &statement.asset_id).await, (true, false), "{harm:?}");
        }
        let rejected = rejection(server.follow(&statement.url)).await;
        assert_eq!(rejected, (500, "INTERNAL_ERROR".to_owned()), "{harm:?}");
    }
    fs::write(&path, &original).unwrap();
    assert_eq!(download(&server, &statement.url).await, original, "a note hides no sound PDF");
}

#[tokio::test]
async fn cause_of_a_damaged_download_is_logged() {
    let server = TestServer::start().await;
    log::begin();
    let statement = generate(&server, ONE_LINE).await;
    LastByte.apply(&file(&server, &statement.asset_id));
    let request = server.follow(&statement.url).header("x-request-id", "damaged-1");
    assert_eq!(request.send().await.unwrap().status(), 500);
    let lines = || -> Vec<Value> {
        let lines = log::failures().into_iter();
        lines.filter(|line| line["request_id"] == "damaged-1").collect()
    };
    until(|| !lines().is_empty()).await;
    assert_eq!(lines().len(), 1, "{:?}", lines());
    let cause = lines()[0].to_string();
    assert!(cause.contains(&statement.asset_id) && cause.contains("SHA-256"), "{cause}");
    assert!(cause.contains("generateStatement makes it again"), "{cause}");
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
async fn large_pdf_is_served_whole_and_in_part() {
    let server = TestServer::start().await;
    let pdf = large_pdf();
    upload(&server, ONE_LINE, pdf.clone()).await;
    let url = generate(&server, ONE_LINE).await.url;
    assert_eq!(receive(server.follow(&url)).await, (200, pdf.clone(), true));
    let last = LARGE_BYTES - 1;
    for (begin, end) in [(0, 0), (0, last), (8_000, 9_000), (last, last), (last - 8_192, last)] {
        let request = server.follow(&url).header("range", format!("bytes={begin}-{end}"));
        assert_eq!(receive(request).await, (206, pdf[begin..=end].to_vec(), true), "{begin}");
    }
    let response = reqwest::Client::new().head(&url).send().await.unwrap();
    assert_eq!(response.headers()["content-length"].to_str().unwrap(), LARGE_BYTES.to_string());
}

#[tokio::test]
async fn damaged_large_pdf_never_looks_complete_and_is_noted() {
    let server = TestServer::start().await;
    let id = upload(&server, ONE_LINE, large_pdf()).await;
    let url = generate(&server, ONE_LINE).await.url;
    let path = file(&server, &id);
    let ranges =
        [None, Some((0, 4)), Some((8_000, 20_000)), Some((LARGE_BYTES - 2, LARGE_BYTES - 1))];
    for harm in Harm::ALL {
        for range in ranges {
            fs::write(&path, large_pdf()).unwrap();
            sql(&server, "UPDATE assets SET damaged_at = NULL".to_owned()).await;
            harm.apply(&path);
            let request = server.follow(&url);
            let request = match range {
                Some((begin, end)) => request.header("range", format!("bytes={begin}-{end}")),
                None => request,
            };
            let (status, received, is_complete) = receive(request).await;
            if matches!(harm, FirstByte | LastByte) {
                let selected = range.map_or(LARGE_BYTES, |(begin, end)| end - begin + 1);
                assert!(received.len() < selected, "{harm:?} {range:?}: {}", received.len());
                assert!(!is_complete, "{harm:?} {range:?}: ended as a complete one does");
            } else {
                assert_eq!(status, 500, "{harm:?} {range:?}");
            }
            until_noted(&server, &id).await;
        }
    }
}

/// The client may see the end of the connection before the note is committed.
async fn until_noted(server: &TestServer, id: &str) {
    while noted(server, id).await != (true, false) {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn damaged_rendered_pdf_is_made_again_under_the_same_asset() {
    let server = TestServer::start().await;
    let first = generate(&server, ONE_LINE).await;
    let original = download(&server, &first.url).await;
    for harm in Harm::ALL {
        harm.apply(&file(&server, &first.asset_id));
        assert_eq!(rejection(server.follow(&first.url)).await.0, 500, "{harm:?}");
        let again = generate(&server, ONE_LINE).await;
        assert_eq!((&again.asset_id, &again.filename), (&first.asset_id, &first.filename));
        assert_eq!(noted(&server, &first.asset_id).await, (false, false));
        for url in [&first.url, &again.url] {
            assert_eq!(download(&server, url).await, original, "{harm:?}");
        }
    }
    assert_eq!(intents(&server).await, 0);
}

#[tokio::test]
async fn damaged_pdf_of_an_earlier_state_is_made_again_when_the_state_is_back() {
    let server = TestServer::start().await;
    note_of_payout(&server, "First").await;
    let first = generate(&server, ONE_LINE).await;
    let original = download(&server, &first.url).await;
    note_of_payout(&server, "Second").await;
    let second = generate(&server, ONE_LINE).await;
    Missing.apply(&file(&server, &first.asset_id));
    rejection(server.follow(&first.url)).await;
    assert_eq!(generate(&server, ONE_LINE).await.asset_id, second.asset_id);
    note_of_payout(&server, "First").await;
    for _ in 0..2 {
        assert_eq!(generate(&server, ONE_LINE).await.asset_id, first.asset_id);
    }
    assert_eq!(download(&server, &first.url).await, original);
}

#[tokio::test]
async fn object_that_is_put_back_is_used_and_nothing_is_rendered() {
    let server = TestServer::start().await;
    let first = generate(&server, ONE_LINE).await;
    let path = file(&server, &first.asset_id);
    let original = fs::read(&path).unwrap();
    Short.apply(&path);
    rejection(server.follow(&first.url)).await;
    rename_partner(&server).await;
    fs::write(&path, &original).unwrap();
    assert_eq!(generate(&server, ONE_LINE).await.asset_id, first.asset_id);
    assert_eq!(noted(&server, &first.asset_id).await, (false, false));
    assert_eq!(intents(&server).await, 0);
}

#[tokio::test]
async fn pdf_that_would_have_other_bytes_is_replaced_by_a_new_asset() {
    let server = TestServer::start().await;
    log::begin();
    let lost = generate(&server, ONE_LINE).await;
    rename_partner(&server).await;
    assert_eq!(generate(&server, ONE_LINE).await.asset_id, lost.asset_id, "S5");
    Missing.apply(&file(&server, &lost.asset_id));
    rejection(server.follow(&lost.url)).await;
    let made = generate(&server, ONE_LINE).await;
    assert_ne!(made.asset_id, lost.asset_id);
    download(&server, &made.url).await;
    assert_eq!(rejection(server.follow(&lost.url)).await, (500, "INTERNAL_ERROR".to_owned()));
    assert_eq!(noted(&server, &lost.asset_id).await, (true, true));
    assert_eq!(generate(&server, ONE_LINE).await.asset_id, made.asset_id);
    assert_eq!(intents(&server).await, 0);
    let names_both = |line: &String| {
        let line: Value = serde_json::from_str(line).unwrap();
        line["level"] == "WARN"
            && line["asset"] == made.asset_id
            && line["replaced"] == lost.asset_id
    };
    until(|| log::lines().iter().filter(|line| names_both(line)).count() == 1).await;
    let before =
        sqlx::query_scalar::<_, Value>("SELECT before FROM history WHERE after ->> 'assetId' = $1");
    let before = before.bind(&made.asset_id).fetch_one(&server.superuser().await).await.unwrap();
    assert_eq!(before["assetId"], lost.asset_id);
}

/// The rendering has first the same bytes, and then other ones.
#[tokio::test]
async fn concurrent_calls_on_two_servers_make_a_damaged_pdf_again_once() {
    let server = TestServer::start().await;
    let replica = server.replica().await;
    let first = generate(&server, FORTY_ONE).await;
    let path = format!("/api/v1/payouts/{FORTY_ONE}/statement");
    let key = server.key(Key::MAIN);
    for is_renamed in [false, true] {
        if is_renamed {
            sql(&server, "UPDATE partners SET name = 'Another'".to_owned()).await;
        }
        FirstByte.apply(&file(&server, &first.asset_id));
        rejection(server.follow(&first.url)).await;
        let calls = (0..16).map(|number| match number % 2 {
            0 => server.post(Key::MAIN, &path).expect(200),
            _ => replica.request(Method::POST, &path, key).expect(200),
        });

        let answers = futures_util::future::join_all(calls).await;
        let mut ids: Vec<String> =
            answers.iter().map(|answer| Statement::of(answer).asset_id).collect();
        ids.dedup();
        assert_eq!(ids.len(), 1, "{ids:?}");
        assert_eq!(ids[0] != first.asset_id, is_renamed);
        download(&server, &Statement::of(&answers[0]).url).await;
        assert_eq!(intents(&server).await, 0);
    }
    let folder = file(&server, "x").parent().unwrap().to_owned();
    let rows: i64 = sqlx::query_scalar("SELECT count(*) FROM assets WHERE organization_id = $1")
        .bind(MAIN)
        .fetch_one(&server.superuser().await)
        .await
        .unwrap();
    let files = fs::read_dir(folder).unwrap().count();
    assert_eq!(files, usize::try_from(rows).unwrap(), "no object is left without a row");
}

#[tokio::test]
async fn damaged_uploaded_pdf_is_a_500_until_it_is_uploaded_again_put_back_or_removed() {
    let server = TestServer::start().await;
    let id = upload(&server, ONE_LINE, &b"%PDF-uploaded"[..]).await;
    let url = generate(&server, ONE_LINE).await.url;
    let damage = async || {
        let id = generate(&server, ONE_LINE).await.asset_id;
        LastByte.apply(&file(&server, &id));
        rejection(server.follow(&generate(&server, ONE_LINE).await.url)).await;
        let response = server.statement(ONE_LINE).expect(500).await;
        assert_eq!(response.code(), "INTERNAL_ERROR");
    };
    damage().await;
    fs::write(file(&server, &id), "%PDF-uploaded").unwrap();
    assert_eq!(generate(&server, ONE_LINE).await.asset_id, id);
    assert_eq!(download(&server, &url).await, b"%PDF-uploaded");
    damage().await;
    let second = upload(&server, ONE_LINE, &b"%PDF-uploaded"[..]).await;
    assert_eq!(generate(&server, ONE_LINE).await.asset_id, second);
    damage().await;
    assert_eq!(remove(&server, ONE_LINE).await, Some(second));
    assert!(!generate(&server, ONE_LINE).await.is_uploaded);
}

#[tokio::test]
async fn unmounted_volume_is_a_503_and_nothing_is_noted_or_written() {
    let server = TestServer::start().await;
    let statement = generate(&server, ONE_LINE).await;
    let (folder, away) = (server.folder().join("assets"), server.folder().join("away"));
    fs::rename(&folder, &away).unwrap();
    fs::create_dir(&folder).unwrap();
    let rejected = rejection(server.follow(&statement.url)).await;
    assert_eq!(rejected, (503, "SERVICE_UNAVAILABLE".to_owned()));
    assert_eq!(noted(&server, &statement.asset_id).await, (false, false));
    server.statement(FORTY_ONE).expect(503).await;
    // Fails where something was written to it.
    fs::remove_dir(&folder).unwrap();
    fs::rename(&away, &folder).unwrap();
    download(&server, &statement.url).await;
}
