//! Sends batches of spans by the server's HTTP client and its TLS. The SDK's thread has no runtime
//! of its own, so requests run on the server's.

use std::{error::Error, future::Future, pin::Pin, sync::Arc, time::Duration};

use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use parking_lot::Mutex;
use reqwest::redirect::Policy;
use tokio::runtime::Handle;

use super::first_set;
use crate::{telemetry::with_causes, tls};

/// The unit is a millisecond.
const TIMEOUTS: [&str; 2] = ["OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "OTEL_EXPORTER_OTLP_TIMEOUT"];
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(10);

/// A clone shares the connections and the last failure.
#[derive(Clone, Debug)]
pub(super) struct Client {
    http: reqwest::Client,
    runtime: Handle,
    /// The exporter's own error only says that there was one.
    failure: Arc<Mutex<Option<String>>>,
}

impl Client {
    /// Must be called within the server's runtime.
    pub(super) fn new() -> Result<Self, Box<dyn Error>> {
        let timeout = match first_set(&TIMEOUTS) {
            None => DEFAULT_TIMEOUT,
            Some((name, set)) => {
                let milliseconds = set.parse();
                Duration::from_millis(
                    milliseconds
                        .map_err(|_| format!("{name} is no number of milliseconds: {set}"))?,
                )
            }
        };
        let http = reqwest::Client::builder()
            .tls_backend_preconfigured(tls::client_config().unwrap_or_else(|error| {
                tracing::warn!(error, "no collector of spans can be reached over TLS");
                tls::without_certificates()
            }))
            .timeout(timeout)
            .redirect(Policy::none())
            .no_proxy()
            .build()?;
        Ok(Self { http, runtime: Handle::current(), failure: Arc::default() })
    }

    /// Returns why the last request failed that got no response.
    pub(super) fn take_failure(&self) -> Option<String> {
        self.failure.lock().take()
    }
}

impl HttpClient for Client {
    fn send_bytes<'client, 'sent>(
        &'client self,
        request: Request<Bytes>,
    ) -> Pin<Box<dyn Future<Output = Result<Response<Bytes>, HttpError>> + Send + 'sent>>
    where
        'client: 'sent,
        Self: 'sent,
    {
        let http = self.http.clone();
        let answered = self.runtime.spawn(async move {
            let response = http.execute(request.try_into()?).await?;
            let (status, headers) = (response.status(), response.headers().clone());
            let mut answer = Response::new(response.bytes().await?);
            (*answer.status_mut(), *answer.headers_mut()) = (status, headers);
            Ok::<_, reqwest::Error>(answer)
        });
        Box::pin(async move {
            let answered = answered.await?;
            if let Err(error) = &answered {
                *self.failure.lock() = Some(with_causes(error));
            }
            Ok(answered?)
        })
    }
}
