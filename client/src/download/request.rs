//! The request that follows a link.
//!
//! It refuses to carry the key, to leave TLS, and to begin what is larger than the caller's limit.

use std::time::Duration;

use progenitor_client::ClientInfo;
use reqwest::{
    Response, StatusCode,
    header::{ACCEPT, ACCEPT_ENCODING, CONTENT_LENGTH},
};

use super::{body::Download, refusal};
use crate::{
    Client, Error,
    error::{UnreadableResponse, unlinked},
    response::request_id,
    types::StatementResult,
};

/// How long a download may take, from the first byte of its request to the last of the PDF.
pub const DEFAULT_DOWNLOAD_TIMEOUT: Duration = Duration::from_mins(5);
/// The largest PDF that is downloaded: 64 MiB. An uploaded one has at most 25 MB. (S8)
pub const DEFAULT_DOWNLOAD_LIMIT_BYTES: u64 = 64 * 1024 * 1024;

impl Client {
    /// Download the PDF of a statement, from the link that
    /// [`generate_statement`](Client::generate_statement) gave.
    ///
    /// The request goes to the link's host, without the API key. Whether the link has expired is for its host to say,
    /// not for this machine's clock. (§2.4, S9)
    pub fn download_statement<'a>(
        &'a self,
        statement: &'a StatementResult,
    ) -> DownloadStatement<'a> {
        DownloadStatement {
            client: self,
            statement,
            timeout: DEFAULT_DOWNLOAD_TIMEOUT,
            limit_bytes: DEFAULT_DOWNLOAD_LIMIT_BYTES,
        }
    }
}

/// Builder for [`Client::download_statement`].
#[derive(Clone, Debug)]
pub struct DownloadStatement<'a> {
    client: &'a Client,
    statement: &'a StatementResult,
    timeout: Duration,
    limit_bytes: u64,
}

impl DownloadStatement<'_> {
    /// How long the whole download may take; [`DEFAULT_DOWNLOAD_TIMEOUT`] unless set. Reading counts, too.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// The largest PDF to download; [`DEFAULT_DOWNLOAD_LIMIT_BYTES`] unless set.
    #[must_use]
    pub fn limit_bytes(mut self, limit_bytes: u64) -> Self {
        self.limit_bytes = limit_bytes;
        self
    }

    /// Sends the request, and reads as far as needed to know that a PDF is coming.
    ///
    /// # Errors
    /// - [`Error::LinkExpired`]: generate the statement again for a new link to the same document
    /// - [`Error::Api`]: any other refusal; `LINK_INVALID` where the link was altered, `NOT_FOUND` where its PDF is gone
    /// - [`Error::InvalidRequest`]: the link leads from a server with TLS to a host without
    /// - [`Error::Unreadable`]: no PDF, one of unknown length, or one above the limit
    /// - [`Error::Transport`]: no complete answer came in time
    pub async fn send(self) -> Result<Download, Error> {
        let link = self.statement.download_url.url();
        if link.scheme() == "http" && !self.client.baseurl().starts_with("http:") {
            let problem = "the link leads to plain `http://`, which shows the PDF to the network; \
                           the server's asset store wants an address with TLS";
            return Err(Error::InvalidRequest(problem.to_owned()));
        }
        let request = self.client.client().get(link.clone());
        let response = request
            .header(ACCEPT, "application/pdf")
            // A body packed on its way has a length of its own, which says nothing about the PDF's.
            .header(ACCEPT_ENCODING, "identity")
            .timeout(self.timeout)
            .send()
            .await
            .map_err(unlinked)?;
        match response.status() {
            StatusCode::OK => self.begin(response).await,
            status if status.is_success() => Err(unreadable(
                &response,
                "it wants 200 and the whole PDF".to_owned(),
            )),
            _ => Err(refusal::read(response, self.statement.expires_at).await),
        }
    }

    async fn begin(&self, response: Response) -> Result<Download, Error> {
        let length_bytes = response
            .headers()
            .get(CONTENT_LENGTH)
            .and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
        let Some(length_bytes) = length_bytes else {
            let problem = "it has no `content-length`, so nobody can tell whether it is complete";
            return Err(unreadable(&response, problem.to_owned()));
        };
        if length_bytes > self.limit_bytes {
            let problem = format!(
                "the PDF has {length_bytes} bytes and the limit is {}; raise it by `limit_bytes`",
                self.limit_bytes
            );
            return Err(unreadable(&response, problem));
        }
        let headers = response.headers().clone();
        let filename = self.statement.filename.clone();
        Download::begin(response.bytes_stream(), headers, filename, length_bytes).await
    }
}

fn unreadable(response: &Response, problem: String) -> Error {
    Error::Unreadable(Box::new(UnreadableResponse {
        status: response.status(),
        request_id: request_id(response.headers()).map(str::to_owned),
        problem,
    }))
}

#[cfg(test)]
mod tests {
    use crate::{Error, connect, types::StatementResult};

    #[tokio::test]
    async fn link_that_leaves_tls_is_refused_before_anything_is_sent() {
        let statement: StatementResult = serde_json::from_value(serde_json::json!({
            "assetId": "ast_1",
            "filename": "statement.pdf",
            "downloadUrl": "http://files.example/ast_1.pdf?signature=abc",
            "expiresAt": "2026-06-01T13:00:00.000Z",
            "isUploaded": false,
        }))
        .unwrap();
        let client = connect("https://api.example", "pcp_test_key").unwrap();
        let error = client
            .download_statement(&statement)
            .send()
            .await
            .unwrap_err();
        assert!(matches!(error, Error::InvalidRequest(_)), "{error:?}");
    }
}
