//! Sends the id of a trace with every request, and shows what each took:
//! `trace_requests <trace id> <partner id>`.
//!
//! The server writes the header `x-request-id` to its log, so that its entries are found by the id
//! of the trace.

use std::time::Instant;

use payout_client::{
    BoxFuture, Client, Middleware, Next, Operation, TransportError,
    reqwest::{Request, Response, header::HeaderValue},
};

use super::{Arguments, Outcome, exactly};

struct Trace {
    id: HeaderValue,
}

impl Middleware for Trace {
    fn handle<'a>(
        &'a self,
        mut request: Request,
        next: Next<'a>,
    ) -> BoxFuture<'a, Result<Response, TransportError>> {
        Box::pin(async move {
            request.headers_mut().insert("x-request-id", self.id.clone());
            let operation = next.operation().map_or("request", Operation::id);
            let (attempt, began) = (next.attempt(), Instant::now());
            let result = next.run(request).await;
            let outcome = match &result {
                Ok(response) => response.status().to_string(),
                Err(error) => error.to_string(),
            };
            println!("{operation} {attempt}: {outcome} after {:?}", began.elapsed());
            result
        })
    }
}

pub(crate) async fn trace_requests(arguments: Arguments) -> Outcome {
    let [id, partner] = exactly(arguments, "trace_requests <trace id> <partner id>")?;
    let id = HeaderValue::try_from(id)?;

    let client = Client::builder().from_env().middleware(Trace { id }).build()?;
    let response = client.get_partner(partner).send().await?;
    let trace = response.request_id().unwrap_or("none");
    println!("{} is {} (trace {trace})", response.data.id, response.data.status);
    Ok(())
}
