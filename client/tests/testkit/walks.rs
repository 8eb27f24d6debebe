//! Walks over every answer: what a report says of functions that handle them well and badly.

use std::{
    collections::HashMap,
    future,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    time::{Duration, Instant},
};

use payout_client::{
    Client, Error, ErrorCode, Operation, RetryPolicy,
    reqwest::Method,
    testkit::{self, Answer, Entry, Report, Server, Surprise, Verdict, Walk},
    types::{
        AttachCommissionLineRequest, CommentVisibility, CreateCommentRequest,
        CreateCommissionLineRequest, CreateConversionRequest, CreateFormSubmissionRequest,
        CreatePartnerRequest, CreatePayoutBatchRequest, CreatePayoutRequest,
        CreatePortalSessionRequest, DeclineCommissionLineRequest, DeclineReason, PayoutStage,
        UpdateCommissionLineRequest, UpdatePartnerRequest, UpdatePayoutRequest,
    },
};
use serde_json::Value;

use crate::server::payout;

/// Handles a missing payout, and returns every other error.
async fn amount(client: Client) -> Result<Option<String>, Error> {
    match payout(&client).await {
        Ok(payout) => Ok(Some(payout.data.amount.value.to_string())),
        Err(Error::NotFound { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// A report without the ports of its servers.
fn shown(report: &Report) -> String {
    let text = report.to_string();
    let (first, rest) = text.split_once("127.0.0.1:").unwrap_or((&text, ""));
    let rest = rest.split("127.0.0.1:").map(|text| text.trim_start_matches(char::is_numeric));
    [first].into_iter().chain(rest).collect()
}

#[tokio::test]
async fn report_says_what_the_function_did_with_each_answer() {
    insta::assert_snapshot!("answers", shown(&testkit::every_documented_answer(amount).await));
    insta::assert_snapshot!("surprises", shown(&testkit::every_surprise(amount).await));
    let walk = Walk::new().client(|server| server.client().with_retries(RetryPolicy::none()));
    insta::assert_snapshot!("chosen_client", shown(&walk.every_surprise(amount).await));
}

#[tokio::test]
async fn allowed_errors_are_those_that_the_function_may_return() {
    let report = testkit::every_documented_answer(amount).await;
    report.assert_handled_unless(|entry| entry.operation == Operation::GetPayout);
    let allowed = report.returned_errors().map(|entry| {
        let answer = entry.answer.as_ref().unwrap();
        (entry.operation, answer.status().as_u16(), answer.code().unwrap())
    });
    let allowed: Vec<(Operation, u16, ErrorCode)> = allowed.collect();
    report.assert_handled_except(&allowed);
    let message = panic_of(|| _ = report.assert_handled_except(&allowed[1..]));
    assert!(message.contains("did not handle every answer (1 answers)"), "{message}");
    assert!(message.contains("400 UNSUPPORTED_API_VERSION"), "{message}");
}

fn panic_of(assertion: impl FnOnce()) -> String {
    let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(assertion)).unwrap_err();
    panic.downcast_ref::<String>().unwrap().clone()
}

#[tokio::test]
async fn panics_and_hangs_are_findings() {
    let runs = Answer::documented(Operation::GetPayout).count() + 1;
    let answered = AtomicUsize::new(0);
    let hang = async || {
        // A paused clock goes on to the next limit, and no other run has one by now.
        while answered.load(Ordering::Relaxed) < runs {
            tokio::task::yield_now().await;
        }
        tokio::time::pause();
        future::pending().await
    };
    let report = testkit::every_documented_answer(async |client| {
        let payout = payout(&client).await;
        answered.fetch_add(1, Ordering::Relaxed);
        match payout {
            Err(Error::NotFound { .. }) => panic!("no such payout"),
            Err(error) if error.code() == Some(&ErrorCode::InternalError) => hang().await,
            Err(error) => Err(error),
            Ok(_) => Ok(()),
        }
    })
    .await;
    let panicked: Vec<_> = report.panicked().collect();
    assert_eq!(panicked.len(), 1);
    assert_eq!(panicked[0].verdict, Verdict::Panicked("no such payout".to_owned()));
    assert_eq!(report.hung().count(), 1);
    assert!(panic_of(|| _ = report.assert_no_panics()).contains("no such payout"));
    assert!(panic_of(|| _ = report.assert_no_hangs()).contains("500 INTERNAL_ERROR"));
}

#[tokio::test]
#[should_panic(expected = "the function must succeed where every answer is a documented success")]
async fn function_that_always_fails_is_no_report() {
    testkit::every_documented_answer(|_| async { Err::<(), _>("never works") }).await;
}

/// Pays every payout that is approved.
async fn pay(client: Client) -> Result<(), Error> {
    for payout in client.list_payouts().send().await?.into_inner().data {
        if payout.stage == PayoutStage::Approved {
            let paid = UpdatePayoutRequest::builder().stage("PAID");
            client.update_payout(&payout.id, paid).send().await?;
        }
    }
    Ok(())
}

#[tokio::test]
async fn answer_that_a_script_replaced_has_no_verdict_of_the_function() {
    let walk = Walk::new().client(|server| {
        server.script(Operation::ListPayouts, [Answer::success(Operation::ListPayouts)]);
        server.client()
    });
    let report = walk.every_documented_answer(pay).await;
    assert_eq!(report.never_sent().count(), report.entries().len(), "{report}");
    let message = panic_of(|| _ = report.assert_walked(&[Operation::ListPayouts]));
    assert!(message.contains("listPayouts            402 API_CREDITS_EXHAUSTED"), "{message}");
}

#[tokio::test]
async fn second_answer_can_be_the_error_of_a_run() {
    let walk = Walk::new().client(|server| {
        server.script(Operation::GetPayout, [Answer::success(Operation::GetPayout)]);
        server.client()
    });
    let report = walk
        .every_documented_answer(async |client| {
            payout(&client).await?;
            amount(client).await
        })
        .await;
    report.assert_walked(&[Operation::GetPayout]);
    assert_eq!(report.handled().count(), 2, "{report}");
}

#[tokio::test]
async fn operation_behind_data_is_walked_with_given_data() {
    let both = [Operation::ListPayouts, Operation::UpdatePayout];
    let report = testkit::every_documented_answer(pay).await;
    report.assert_walked(&both[..1]);
    assert!(panic_of(|| _ = report.assert_walked(&both)).contains("updatePayout"));
    let approved = Answer::success(Operation::ListPayouts).with_value("/data/0/stage", "APPROVED");
    let walk = Walk::new().given(Operation::ListPayouts, approved);
    let report = walk.every_documented_answer(pay).await;
    report.assert_walked(&both).assert_no_panics();
    assert!(report.returned_errors().any(|entry| entry.operation == Operation::UpdatePayout));
    walk.every_surprise(pay).await.assert_walked(&both);
}

#[tokio::test]
async fn requests_without_an_answer_time_out_when_the_server_has_them() {
    let failures = Mutex::new(Vec::new());
    let report = Walk::new()
        .every_surprise(async |client| {
            let any = client.request(Method::GET, "/api/v1/payouts/pay_1").send::<Value>();
            let (first, second, any) = tokio::join!(payout(&client), payout(&client), any);
            if let (Err(first), Err(second), Err(any)) = (&first, &second, &any) {
                let errors = [first, second, any];
                failures.lock().unwrap().push(errors.iter().all(|error| error.is_timeout()));
            }
            first.and(second)
        })
        .await;
    let is_slow = |entry: &&Entry| entry.surprise == Some(Surprise::Slow);
    let slow = report.returned_errors().find(is_slow).unwrap();
    assert!(slow.to_string().contains("no answer comes"), "{slow}");
    assert_eq!(failures.lock().unwrap().iter().filter(|are_timeouts| **are_timeouts).count(), 1);
    report.assert_walked(&[Operation::GetPayout]).assert_no_hangs();
}

/// The result of a future that half a minute passes in, by a clock that only this function moves.
async fn slowly<T>(future: impl Future<Output = T>) -> T {
    let time_passes = async {
        tokio::time::advance(Duration::from_secs(30)).await;
        loop {
            tokio::time::advance(Duration::from_micros(1)).await;
        }
    };
    tokio::select! {
        biased;
        result = future => result,
        () = time_passes => unreachable!("time does not end"),
    }
}

#[tokio::test(start_paused = true)]
async fn time_that_passes_during_a_call_changes_no_verdict() {
    // A paused clock goes on by itself where every task waits, unless one blocks.
    let (end, ended) = mpsc::channel::<()>();
    let blocked = tokio::task::spawn_blocking(move || ended.recv());
    let server = Server::start().await;
    let client = server.client().with_retries(RetryPolicy::none());
    let with_a_clock = client.with_deadline(Duration::from_secs(2));
    assert!(slowly(payout(&with_a_clock)).await.unwrap_err().is_timeout());

    let walk = Walk::new().limit(Duration::from_hours(24));
    let walk = walk.client(|server| server.client().with_retries(RetryPolicy::none()));
    let report = walk.every_surprise(async |client| slowly(amount(client)).await).await;
    report.assert_walked(&[Operation::GetPayout]).assert_no_hangs();
    let handled: Vec<Surprise> = report.handled().filter_map(|entry| entry.surprise).collect();
    let readable = [Surprise::UnknownFields, Surprise::NewValues, Surprise::NoOptionalHeaders];
    assert_eq!(handled, readable);
    drop(end);
    blocked.await.unwrap().unwrap_err();
}

/// Calls every operation, and downloads a statement.
async fn everything(client: Client) -> Result<(), Error> {
    let [start, end] = ["2026-05-01T00:00:00.000Z", "2026-05-31T23:59:59.999Z"];
    client.list_partners().send().await?;
    client.create_partner(CreatePartnerRequest::builder("Nordwind")).send().await?;
    client.get_partner("ptn_1").send().await?;
    client.update_partner("ptn_1", UpdatePartnerRequest::builder()).send().await?;
    client.list_commission_lines().send().await?;
    let line = CreateCommissionLineRequest::builder("ptn_1", "1.00", "EUR", "Order 1");
    client.create_commission_line(line).send().await?;
    client.get_commission_line("cln_1").send().await?;
    client.update_commission_line("cln_1", UpdateCommissionLineRequest::builder()).send().await?;
    let reason = DeclineCommissionLineRequest::builder(DeclineReason::Duplicate);
    client.decline_commission_line("cln_1", reason).send().await?;
    client.detach_commission_line("cln_1").send().await?;
    let payout = AttachCommissionLineRequest::builder("pay_1");
    client.attach_commission_line("cln_1", payout).send().await?;
    client.list_payouts().send().await?;
    let payout = CreatePayoutRequest::builder("ptn_1", "EUR");
    let payout = payout.period_start(start).period_end(end);
    client.create_payout(payout).send().await?;
    client.get_payout("pay_1").send().await?;
    client.update_payout("pay_1", UpdatePayoutRequest::builder()).send().await?;
    let period = CreatePayoutBatchRequest::builder().period_start(start).period_end(end);
    client.create_payout_batch(period).send().await?;
    client.list_payout_batches().send().await?;
    client.get_payout_batch("pbt_1").send().await?;
    client.list_comments().send().await?;
    let comment = CreateCommentRequest::builder("ptn_1", "Hello.", CommentVisibility::Partner);
    client.create_comment(comment).send().await?;
    client.list_forms().send().await?;
    client.get_form("frm_1").send().await?;
    let submission = CreateFormSubmissionRequest::builder(HashMap::new());
    client.create_form_submission("frm_1", submission).send().await?;
    client.list_form_submissions().send().await?;
    let visitor = CreatePortalSessionRequest::builder("ptn_1", "jo@nordwind.example");
    client.create_portal_session(visitor).send().await?;
    let order = CreateConversionRequest::builder("clk_1");
    client.create_conversion(order).send().await?;
    client.reverse_conversion("cnv_1").send().await?;
    client.list_conversions().send().await?;
    client.sync_crm_object("PARTNER", "4815162342").send().await?;
    client.get_crm_sync("syn_1").send().await?;
    let statement = client.generate_statement("pay_1").send().await?.into_inner().data;
    client.download_statement(&statement).send().await?.bytes().await.map(drop)
}

#[tokio::test]
async fn client_reads_every_success_and_every_error_of_the_document() {
    let began = Instant::now();
    let report = testkit::every_documented_answer(everything).await;
    println!("{} in {:?}", report.to_string().lines().last().unwrap(), began.elapsed());
    assert_eq!(report.never_sent().count(), 0, "{report}");
    report.assert_no_panics().assert_no_hangs();
    report.assert_handled_unless(|entry| !entry.answer.as_ref().unwrap().status().is_success());
    assert!(report.handled().all(|entry| entry.answer.as_ref().unwrap().code().is_none()));
}

#[tokio::test]
async fn client_survives_every_surprise_of_every_operation() {
    let began = Instant::now();
    let report = testkit::every_surprise(everything).await;
    println!("{} in {:?}", report.to_string().lines().last().unwrap(), began.elapsed());
    assert_eq!(report.never_sent().count(), 0, "{report}");
    report.assert_no_panics().assert_no_hangs();
    report.assert_handled_unless(|entry| {
        let must_be_read =
            [Surprise::UnknownFields, Surprise::NewValues, Surprise::NoOptionalHeaders];
        !must_be_read.contains(&entry.surprise.unwrap())
    });
}
