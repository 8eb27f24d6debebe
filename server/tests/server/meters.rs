//! A5, A6: a meter far ahead of the clock. The suite moves no clock; `sessions` has the ends of
//! minutes and months, and `admission` compares decisions at all times with a model.

use crate::support::{
    Key, TestServer,
    dataset::*,
    log::{begin, lines},
    until,
};

const PATH: &str = "/api/v1/partners?limit=1";
const TIGHT_KEY: Key = Key("tight", "all");

#[tokio::test]
async fn minute_and_month_far_ahead_of_the_clock_count_as_now_and_are_logged() {
    let server = TestServer::start().await;
    begin();
    for ahead in ["2026-06-15T13:00:00Z", "2026-07-20T12:00:00Z"] {
        server.database.set_clock(ahead).await.unwrap();
        for remaining in (0..5).rev() {
            let response = server.get(TIGHT_KEY, PATH).expect(200).await;
            assert_eq!(response.rate_remaining(), Some(remaining));
        }
        let spent = server.meter(TIGHT).await.month_used;
        server.database.set_clock("2026-06-15T12:00:30.000Z").await.unwrap();
        let response = server.get(TIGHT_KEY, PATH).expect(200).await;
        assert_eq!(response.rate_remaining(), Some(4), "{ahead}");
        // The minute begins again; of the month nothing is given away.
        assert_eq!(server.meter(TIGHT).await.month_used, spent + 1, "{ahead}");
    }
    let of_meter = |line: &String| line.contains("a meter was ahead") && line.contains(TIGHT);
    until(async || lines().iter().filter(|line| of_meter(line)).count() == 2).await;
}
