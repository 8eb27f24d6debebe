//! Payouts and their batches: listed, shown, made and changed; and the PDF of a statement.

use payout_client::{
    Client, Details, Timestamp,
    types::{
        CreatePayoutBatchRequest, CreatePayoutRequest, StageTransitionDetails, UpdatePayoutRequest,
    },
};

use super::{Arguments, Outcome, exactly};

/// Lists a page of payouts: `list_payouts [stage] [partner id]`.
pub(crate) async fn list_payouts(client: Client, mut arguments: Arguments) -> Outcome {
    let mut request = client.list_payouts().limit(100);
    if let Some(stage) = arguments.next() {
        request = request.stage(stage);
    }
    if let Some(partner) = arguments.next() {
        request = request.partner_id(partner);
    }
    let page = request.send().await?.into_inner();

    for payout in &page.data {
        let (amount, partner) = (&payout.amount, &payout.partner.name);
        let (value, currency) = (amount.value, &amount.currency);
        println!("{}  {:<15} {value:>14} {currency}  {partner}", payout.id, payout.stage);
    }
    if page.pagination.next_cursor.is_some() {
        println!("there are more");
    }
    Ok(())
}

/// Shows a payout: `get_payout <id>`.
pub(crate) async fn get_payout(client: Client, arguments: Arguments) -> Outcome {
    let [id] = exactly(arguments, "get_payout <id>")?;

    let response = client.get_payout(id).send().await?;
    let payout = &response.data;
    println!("{}  {}", payout.id, payout.partner.name);
    println!("amount     {} {}", payout.amount.value, payout.amount.currency);
    println!("stage      {}", payout.stage);
    println!("period     {} to {}", payout.period_start, payout.period_end);
    println!("PO number  {}", payout.po_number.as_deref().unwrap_or("none"));
    if let Some(note) = payout.metadata.as_ref().and_then(|metadata| metadata.get("statementNote"))
    {
        println!("note       {note}");
    }
    println!("request    {}", response.request_id().unwrap_or("without an id"));
    Ok(())
}

/// Creates a payout of everything that a partner has earned up to a day:
/// `create_payout <partner id> <currency> <period start> <period end>`.
///
/// The period is two instants, such as `2026-06-01T00:00:00Z`. The payout takes the partner's
/// pending lines in this currency that belong to no later period.
pub(crate) async fn create_payout(client: Client, arguments: Arguments) -> Outcome {
    let usage = "create_payout <partner id> <currency> <period start> <period end>";
    let [partner, currency, start, end] = exactly(arguments, usage)?;
    let (start, end): (Timestamp, Timestamp) = (start.parse()?, end.parse()?);

    // The key repeats the first response for 24 hours, so a second run of the program creates no
    // second payout for the period.
    let key = format!("payout-{partner}-{currency}-{end}");
    let payout = CreatePayoutRequest::builder(partner, currency)
        .period_start(start)
        .period_end(end)
        .attach_pending_lines(true);
    let response = client.create_payout(payout).idempotency_key(key).send().await?;
    let payout = &response.data;
    println!("{}  {}", payout.id, payout.partner.name);
    println!("amount     {} {}", payout.amount.value, payout.amount.currency);
    println!("stage      {}", payout.stage);
    println!("batch      {}", payout.batch_id);
    if response.is_replayed() {
        println!(
            "an earlier request with this key created it; this is the response of that request"
        );
    }
    Ok(())
}

/// Moves a payout to another stage, and sets its PO number:
/// `update_payout <id> <stage> [PO number]`.
pub(crate) async fn update_payout(client: Client, mut arguments: Arguments) -> Outcome {
    let usage = "update_payout <id> <stage> [PO number]";
    let [id, stage] = exactly(arguments.by_ref().take(2), usage)?;

    let mut changes = UpdatePayoutRequest::builder().stage(stage);
    if let Some(po_number) = arguments.next() {
        changes = changes.po_number(po_number);
    }
    match client.update_payout(id, changes).send().await {
        Ok(response) => {
            let payout = &response.data;
            let po_number = payout.po_number.as_deref().unwrap_or("none");
            println!("{}  {}, PO number {po_number}", payout.id, payout.stage);
            Ok(())
        }
        Err(error) => match error.details() {
            Some(Details::StageTransition(StageTransitionDetails { stage, allowed, .. })) => {
                Err(format!("a payout that is {stage} can move to {allowed:?}").into())
            }
            _ => Err(error.into()),
        },
    }
}

/// Lists the batches of payouts, newest first: `list_payout_batches`.
pub(crate) async fn list_payout_batches(client: Client, _: Arguments) -> Outcome {
    let mut batches = client.list_payout_batches().limit(100).stream();
    while let Some(batch) = batches.next().await.transpose()? {
        println!("{}  {:>6} payouts  until {}", batch.id, batch.payout_count, batch.period_end);
    }
    Ok(())
}

/// Shows a batch of payouts: `get_payout_batch <id>`.
pub(crate) async fn get_payout_batch(client: Client, arguments: Arguments) -> Outcome {
    let [id] = exactly(arguments, "get_payout_batch <id>")?;

    let batch = client.get_payout_batch(id).send().await?.into_inner().data;
    println!("{}  {} payouts of {} lines", batch.id, batch.payout_count, batch.line_count);
    println!("period     {} to {}", batch.period_start, batch.period_end);
    for total in &batch.totals {
        println!("total      {:>14} {}", total.value, total.currency);
    }
    Ok(())
}

/// Makes the payouts of a period from all pending lines, and lists them:
/// `create_payout_batch <period start> <period end>`.
///
/// Every partner and currency with pending lines gets one payout. The period is two instants, such
/// as `2026-06-01T00:00:00Z`.
pub(crate) async fn create_payout_batch(client: Client, arguments: Arguments) -> Outcome {
    let [start, end] = exactly(arguments, "create_payout_batch <period start> <period end>")?;
    let (start, end): (Timestamp, Timestamp) = (start.parse()?, end.parse()?);

    let key = format!("batch-{start}-{end}");
    let period = CreatePayoutBatchRequest::builder().period_start(start).period_end(end);
    let request = client.create_payout_batch(period).idempotency_key(key);
    let batch = request.send().await?.into_inner().data;
    println!("{}  {} payouts of {} lines", batch.id, batch.payout_count, batch.line_count);

    let mut payouts = client.list_payouts().batch_id(&batch.id).limit(100).stream();
    while let Some(payout) = payouts.next().await.transpose()? {
        let (amount, partner) = (&payout.amount, &payout.partner.name);
        println!("{}  {:>14} {}  {partner}", payout.id, amount.value, amount.currency);
    }
    Ok(())
}

/// Generates a payout's statement and saves its PDF: `download_statement <id> [folder]`.
///
/// The PDF gets the filename that the server suggests, in the current folder by default. An
/// existing file is kept and reported.
pub(crate) async fn download_statement(client: Client, mut arguments: Arguments) -> Outcome {
    let [id] = exactly(arguments.by_ref().take(1), "download_statement <id> [folder]")?;
    let folder = arguments.next().unwrap_or_else(|| ".".to_owned());

    let response = client.generate_statement(id).send().await?;
    let statement = &response.data;
    println!("{}  {}", statement.asset_id, statement.filename);
    let origin =
        if statement.is_uploaded { "uploaded by a person" } else { "rendered by the service" };
    println!("origin     {origin}");
    println!("link until {}", statement.expires_at);

    let download = client.download_statement(statement).send().await?;
    let length = download.length_bytes().unwrap_or_default();
    let download = download.on_progress(move |read| eprintln!("{read} of {length} bytes"));
    let path = download.save_in(folder).await?;
    println!("saved as   {}", path.display());
    Ok(())
}
