//! Conversions: recorded by a shop, reversed, listed.

use payout_client::{
    Client, Error,
    types::{CreateConversionRequest, ReverseConversionRequest},
};

use super::{Arguments, Outcome, exactly};

/// Records an order after a click, as the hook of a shop does:
/// `create_conversion <click id> <order> <amount> <currency>`.
///
/// The hook may run twice, and on several servers: the order is one conversion. With a key, the
/// client repeats a request whose response was lost.
pub(crate) async fn create_conversion(client: Client, arguments: Arguments) -> Outcome {
    let usage = "create_conversion <click id> <order> <amount> <currency>";
    let [click, order, amount, currency] = exactly(arguments, usage)?;
    let conversion = CreateConversionRequest::builder(click)
        .external_id(order.as_str())
        .amount(amount)
        .currency(currency);
    let key = format!("conversion-{order}");
    let recorded = client.create_conversion(conversion).idempotency_key(key).send().await?;
    let conversion = recorded.into_inner().data;
    match (&conversion.id, &conversion.reason) {
        (Some(id), _) => {
            let line =
                conversion.commission_line_id.as_ref().map_or("no line", |line| line.as_str());
            println!("{id} is {}, with {line}", conversion.status);
        }
        (None, reason) => {
            let reason = reason.as_ref().map_or("no reason", |reason| reason.as_str());
            println!("{order} earns nobody anything: {reason}");
        }
    }
    Ok(())
}

/// Reverses a conversion whose order was refunded: `reverse_conversion <conversion id> [reason]`.
pub(crate) async fn reverse_conversion(client: Client, mut arguments: Arguments) -> Outcome {
    let [id] = exactly(&mut arguments, "reverse_conversion <conversion id> [reason]")?;
    let mut call = client.reverse_conversion(&id).idempotency_key(format!("reversal-{id}"));
    if let Some(reason) = arguments.next() {
        call = call.body(ReverseConversionRequest::builder().reason(reason));
    }
    match call.send().await {
        Ok(_) => println!("{id} is reversed"),
        Err(Error::NotFound { .. }) => println!("there is no conversion {id}"),
        Err(error) => return Err(error.into()),
    }
    Ok(())
}

/// Lists the newest conversions: `list_conversions`.
pub(crate) async fn list_conversions(client: Client, arguments: Arguments) -> Outcome {
    let [] = exactly(arguments, "list_conversions")?;
    let page = client.list_conversions().limit(5).send().await?.into_inner();
    for conversion in &page.data {
        let order = conversion.external_id.as_ref().map_or("no order", |order| order.as_str());
        let id = conversion.id.as_ref().map_or("", |id| id.as_str());
        println!("{id}  {order}");
    }
    if page.pagination.next_cursor.is_some() {
        println!("there are more");
    }
    Ok(())
}
