//! The request of a download. A link never leaves TLS; a PDF above the caller's limit is an error
//! before its body is read.

use std::time::Duration;

use bytes::Bytes;
use openapi_client::Location;
use reqwest::{
    Response, StatusCode,
    header::{CONTENT_LENGTH, TRANSFER_ENCODING},
};

use super::{
    body::{self, Download},
    source::Source,
};
use crate::{Client, DecodeError, Error, types::StatementResult};

/// The time limit of a download, from the first byte of its request to the last of the PDF.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(300);
/// The largest PDF that is downloaded: 64 MiB. An uploaded one has at most 25 MB.
const DEFAULT_LIMIT_BYTES: u64 = 64 * 1024 * 1024;

impl Client {
    /// Downloads the PDF of a statement, from the link that
    /// [`generate_statement`](Client::generate_statement) returned.
    ///
    /// The request goes to the link's host, without the API key. That host decides whether the link
    /// has expired, not the clock of this machine.
    ///
    /// ```
    /// use payout_client::{Client, Error};
    ///
    /// async fn save(client: &Client, payout: &str) -> Result<(), Error> {
    ///     let statement = client.generate_statement(payout).send().await?.into_inner().data;
    ///     let download = client.download_statement(&statement).limit_bytes(1 << 20).send().await?;
    ///     println!("saved as {}", download.save_in("statements").await?.display());
    ///     Ok(())
    /// }
    /// ```
    pub fn download_statement<'a>(
        &'a self,
        statement: &'a StatementResult,
    ) -> DownloadStatement<'a> {
        DownloadStatement {
            client: self,
            statement,
            timeout: DEFAULT_TIMEOUT,
            limit_bytes: DEFAULT_LIMIT_BYTES,
        }
    }
}

/// Builder for [`Client::download_statement`].
#[must_use = "`send` begins the download"]
#[derive(Clone, Debug)]
pub struct DownloadStatement<'a> {
    client: &'a Client,
    statement: &'a StatementResult,
    timeout: Duration,
    limit_bytes: u64,
}

impl DownloadStatement<'_> {
    /// Limits the time of the whole download, including reading it; five minutes unless set.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// The largest PDF to download; 64 MiB unless set.
    pub fn limit_bytes(mut self, limit_bytes: u64) -> Self {
        self.limit_bytes = limit_bytes;
        self
    }

    /// Sends the request, and reads the first bytes to check that they are those of a PDF.
    ///
    /// # Errors
    /// - [`Error::LinkExpired`]: generate the statement again for a new link to the same document
    /// - [`Error::NotFound`]: the PDF is gone
    /// - [`Error::Unexpected`]: any other error response, such as `LINK_INVALID` of an altered link
    /// - [`Error::InvalidRequest`]: the link leads from a server with TLS to a host without
    /// - [`Error::Decode`]: not a PDF, one of unknown length, or one above the limit
    /// - [`Error::Transport`]: no complete response arrived in time
    pub async fn send(self) -> Result<Download, Error> {
        let link = self.statement.download_url.url();
        if link.scheme() == "http" && !self.client.connection.base_url().starts_with("http:") {
            let problem = "the link leads to plain `http://`, which shows the PDF to the network; \
                           give the server's asset store an address with TLS";
            return Err(Error::invalid_request(Location::Body, "/downloadUrl", problem));
        }
        let expires_at = self.statement.expires_at;
        let mut source = Source::new(self.client, link.clone(), expires_at, self.timeout);
        loop {
            match self.begin(&source).await {
                Ok((response, length, first)) => {
                    let filename = self.statement.filename.clone();
                    let limit = self.limit_bytes;
                    return Ok(Download::new(source, response, filename, length, limit, first));
                }
                Err(error) => source.wait(error).await?,
            }
        }
    }

    /// The response, the length of the PDF if it is known, and its first bytes.
    async fn begin(&self, source: &Source) -> Result<(Response, Option<u64>, Bytes), Error> {
        let mut response = source.get(None).await?;
        if response.status() != StatusCode::OK {
            return Err(decode_error(&response, "expected 200 and the whole PDF"));
        }
        let headers = response.headers();
        let length = headers.get(CONTENT_LENGTH);
        let length = length.and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
        if length.is_none() && !headers.contains_key(TRANSFER_ENCODING) {
            let problem = "neither its length nor its end is announced, so the PDF cannot be \
                           checked to be complete";
            return Err(decode_error(&response, problem));
        }
        if length.is_some_and(|length| length > self.limit_bytes) {
            return Err(decode_error(&response, over_limit(self.limit_bytes)));
        }
        let first = body::first_bytes(&mut response).await?;
        Ok((response, length, first))
    }
}

pub(super) fn over_limit(limit_bytes: u64) -> String {
    format!("the PDF has more than {limit_bytes} bytes; raise the limit with `limit_bytes`")
}

pub(super) fn decode_error(response: &Response, problem: impl Into<String>) -> Error {
    let (status, headers) = (response.status(), response.headers().clone());
    Error::Decode(Box::new(DecodeError::new(status, headers, problem)))
}
