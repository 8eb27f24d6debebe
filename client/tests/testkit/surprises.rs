//! Each surprise, as a client sees it.

use std::{collections::HashSet, fmt::Debug, time::Duration};

use payout_client::{
    Error, Operation,
    testkit::{Server, Surprise},
    types::CreateCommissionLineRequest,
};

use crate::server::{payout, raw};

fn text(result: Result<impl Debug, Error>) -> String {
    match result {
        Ok(seen) => format!("{seen:?}"),
        Err(error @ Error::Transport(_)) if error.is_timeout() => "a timeout".to_owned(),
        Err(Error::Transport(_)) => "a transport error".to_owned(),
        Err(error) => error.to_string(),
    }
}

/// Shows how a client sees each operation to which this surprise applies.
async fn seen(surprise: Surprise) -> String {
    let server = Server::start().await;
    let surprising = Operation::ALL.iter().filter(|operation| surprise.applies_to(**operation));
    let surprising: Vec<Operation> = surprising.copied().collect();
    surprising.iter().for_each(|operation| server.surprise(*operation, surprise));
    let client = match surprise {
        Surprise::Slow => server.client().with_deadline(Duration::from_millis(500)),
        _ => server.client(),
    };
    let payout = payout(&client).await.map(|payout| {
        let credits = payout.headers().contains_key("x-service-credits-remaining-month");
        (payout.data.stage.clone(), credits, payout.request_id().is_some())
    });
    let partner = client
        .get_partner("ptn_1")
        .send()
        .await
        .map(|partner| (partner.data.status.clone(), partner.data.external_id_type.clone()));
    let line = CreateCommissionLineRequest::builder("ptn_1", "1.00", "EUR", "Order 1");
    let line = client.create_commission_line(line).send().await.map(|line| line.is_replayed());
    let requests = server.requests();
    let keys = requests.iter().filter_map(|sent| sent.headers.get("idempotency-key"));
    let keys: HashSet<_> = keys.collect();
    let pdf = async {
        let statement = client.generate_statement("pay_1").send().await?.into_inner().data;
        client.download_statement(&statement).send().await?.bytes().await.map(|pdf| pdf.len())
    };
    let texts = [text(payout), text(partner), text(line), text(pdf.await)];
    format!(
        "{surprise:?} of {} operations\n  {}\n  {} requests before the PDF, {} idempotency keys\n",
        surprising.len(),
        texts.join("\n  "),
        requests.len(),
        keys.len(),
    )
}

/// The client repeats what is safe to repeat, without pauses.
#[tokio::test]
async fn each_surprise_is_what_a_client_can_see() {
    let mut all = format!("{} operations\n", Operation::ALL.len());
    for surprise in Surprise::ALL {
        all += &seen(*surprise).await;
    }
    insta::assert_snapshot!(all);
}

#[tokio::test]
async fn unknown_fields_are_in_every_object() {
    let server = Server::start().await;
    server.surprise(Operation::GetPayout, Surprise::UnknownFields);
    let body = raw(&server, "GET /api/v1/payouts/a");
    assert_eq!(body.matches("fieldOfANewerServer").count(), 4, "{body}");
}
