//! The requests that follow a link: the first, its repetitions, and those that go on after a cut.

use std::time::{Duration, Instant};

use reqwest::{
    Method, Request, Response, Url,
    header::{ACCEPT, ACCEPT_ENCODING, HeaderValue, IF_RANGE, RANGE, USER_AGENT},
};

use super::errors;
use crate::{Client, Error, Idempotency, Timestamp, call::random, retry::Repetitions};

pub(super) struct Source {
    client: Client,
    link: Url,
    expires_at: Timestamp,
    began: Instant,
    timeout: Duration,
    repetitions: Repetitions,
}

impl Source {
    pub(super) fn new(
        client: &Client,
        link: Url,
        expires_at: Timestamp,
        timeout: Duration,
    ) -> Self {
        let (options, shared) = (&client.connection.options, &client.connection.shared);
        let repetitions = Repetitions::new(options.retries, &shared.budget, Idempotency::ByNature);
        let (client, began) = (client.clone(), Instant::now());
        Self { client, link, expires_at, began, timeout, repetitions }
    }

    /// The PDF, or what is left of it after an offset while it has this entity tag.
    pub(super) async fn get(&self, rest: Option<(u64, &HeaderValue)>) -> Result<Response, Error> {
        let mut request = Request::new(Method::GET, self.link.clone());
        *request.timeout_mut() = Some(self.left());
        let headers = request.headers_mut();
        headers.insert(ACCEPT, HeaderValue::from_static("application/pdf"));
        // The `content-length` of a compressed body is not that of the PDF.
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        if let Some(user_agent) = self.client.connection.options.headers.get(USER_AGENT) {
            headers.insert(USER_AGENT, user_agent.clone());
        }
        if let Some((offset, etag)) = rest {
            headers.insert(RANGE, format!("bytes={offset}-").parse().expect("visible ASCII"));
            headers.insert(IF_RANGE, etag.clone());
        }
        let response = self.client.connection.http.send(request).await.map_err(Error::Transport)?;
        match response.status().is_success() {
            true => Ok(response),
            false => Err(errors::read(response, self.expires_at).await),
        }
    }

    /// Waits until the request may be repeated, or returns the error if it may not.
    pub(super) async fn wait(&mut self, error: Error) -> Result<(), Error> {
        // The time of the download is the limit, not that of the policy.
        let pause = self.repetitions.pause(&error, Duration::ZERO, random());
        let Some(pause) = pause.filter(|pause| *pause < self.left()) else { return Err(error) };
        tokio::time::sleep(pause).await;
        Ok(())
    }

    fn left(&self) -> Duration {
        self.timeout.saturating_sub(self.began.elapsed())
    }
}
