//! A PDF as it arrives. A body that does not begin like a PDF is an error, and so is one that ends
//! before or after its announced length, or in the middle of its chunks.

use std::fmt;

use bytes::{Bytes, BytesMut};
use futures_util::{Stream, StreamExt as _, stream};
use reqwest::{
    Response, StatusCode,
    header::{CONTENT_RANGE, ETAG, HeaderMap},
};

use super::{
    request::{decode_error, over_limit},
    source::Source,
};
use crate::{Error, TransportError};

/// The first bytes of every PDF.
const PDF_MAGIC: &[u8] = b"%PDF-";

/// A PDF that is being downloaded.
///
/// Save it as a file ([`save_in`](Self::save_in), [`save_as`](Self::save_as),
/// [`save_over`](Self::save_over)), read it whole ([`bytes`](Self::bytes)), or in chunks
/// ([`chunk`](Self::chunk), [`bytes_stream`](Self::bytes_stream)). A download that is cut goes on
/// there, as the client's [`RetryPolicy`](crate::RetryPolicy) says, if the response had a strong
/// `etag`; otherwise it is an error. Dropping it cancels the download.
///
/// ```
/// use payout_client::{Download, Error};
///
/// async fn read(download: Download) -> Result<Vec<u8>, Error> {
///     let length = download.length_bytes().unwrap_or_default();
///     let download = download.on_progress(move |read| println!("{read} of {length} bytes"));
///     Ok(download.bytes().await?.to_vec())
/// }
/// ```
#[must_use = "a download that is not read is cancelled"]
pub struct Download {
    source: Source,
    response: Response,
    /// The bytes that were read to check that it is a PDF.
    first: Option<Bytes>,
    read_bytes: u64,
    /// The bytes of the response that an earlier one had already.
    known_bytes: u64,
    length_bytes: Option<u64>,
    limit_bytes: u64,
    filename: String,
    headers: HeaderMap,
    progress: Box<dyn FnMut(u64) + Send>,
}

impl Download {
    pub(super) fn new(
        source: Source,
        response: Response,
        filename: String,
        length_bytes: Option<u64>,
        limit_bytes: u64,
        first: Bytes,
    ) -> Self {
        Self {
            source,
            headers: response.headers().clone(),
            response,
            first: Some(first),
            read_bytes: 0,
            known_bytes: 0,
            length_bytes,
            limit_bytes,
            filename,
            progress: Box::new(|_| {}),
        }
    }

    /// The filename that the server suggests, unchanged. [`save_in`](Self::save_in) uses it only if
    /// it is safe.
    #[must_use]
    pub fn filename(&self) -> &str {
        &self.filename
    }

    /// The size of the PDF in bytes; `None` if the host sends it in chunks, of which the last one
    /// ends it.
    #[must_use]
    pub fn length_bytes(&self) -> Option<u64> {
        self.length_bytes
    }

    /// The headers of the response, including `etag`.
    #[must_use]
    pub fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// Calls `report` with the number of bytes read so far, each time that some have been, whether
    /// the PDF is saved or read.
    pub fn on_progress(mut self, report: impl FnMut(u64) + Send + 'static) -> Self {
        self.progress = Box::new(report);
        self
    }

    /// The next bytes; `None` after the last byte of the PDF, and only then.
    ///
    /// # Errors
    /// [`Error::Transport`] or [`Error::Decode`]: the PDF does not arrive complete and in time.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, Error> {
        let chunk = match self.first.take() {
            Some(first) => Some(first),
            None => self.next_chunk().await?,
        };
        let Some(chunk) = chunk else { return Ok(None) };
        self.read_bytes += chunk.len() as u64;
        if self.read_bytes > self.length_bytes.unwrap_or(self.limit_bytes) {
            let problem = match self.length_bytes {
                Some(length) => format!("the PDF is longer than its {length} bytes"),
                None => over_limit(self.limit_bytes),
            };
            return Err(decode_error(&self.response, problem));
        }
        (self.progress)(self.read_bytes);
        Ok(Some(chunk))
    }

    async fn next_chunk(&mut self) -> Result<Option<Bytes>, Error> {
        loop {
            let error = match self.response.chunk().await {
                Ok(Some(mut chunk)) => {
                    let known = chunk.len().min(usize::try_from(self.known_bytes).unwrap_or(0));
                    self.known_bytes -= known as u64;
                    match chunk.split_off(known) {
                        new if new.is_empty() => continue,
                        new => return Ok(Some(new)),
                    }
                }
                Ok(None) if self.length_bytes.is_some_and(|length| self.read_bytes < length) => {
                    let problem = format!("the PDF ends after {} bytes", self.read_bytes);
                    Error::Transport(TransportError::new(problem))
                }
                Ok(None) => return Ok(None),
                Err(error) => Error::Transport(error.into()),
            };
            self.go_on(error).await?;
        }
    }

    /// Requests the rest after an interruption, if the host can tell that the PDF is the same.
    async fn go_on(&mut self, mut error: Error) -> Result<(), Error> {
        let etag = self.headers.get(ETAG).filter(|etag| !etag.as_bytes().starts_with(b"W/"));
        let (Some(etag), Some(length)) = (etag, self.length_bytes) else { return Err(error) };
        let range = format!("bytes {}-{}/{length}", self.read_bytes, length - 1);
        loop {
            self.source.wait(error).await?;
            let response = match self.source.get(Some((self.read_bytes, etag))).await {
                Ok(response) => response,
                Err(further) => {
                    error = further;
                    continue;
                }
            };
            let has = |name, value: &[u8]| {
                response.headers().get(name).is_some_and(|sent| sent.as_bytes() == value)
            };
            let is_same = has(ETAG, etag.as_bytes());
            self.known_bytes = match response.status() {
                StatusCode::PARTIAL_CONTENT if is_same && has(CONTENT_RANGE, range.as_bytes()) => 0,
                // A host without ranges.
                StatusCode::OK if is_same => self.read_bytes,
                _ => {
                    let problem = "the PDF changed while it was downloaded; begin again";
                    return Err(decode_error(&response, problem));
                }
            };
            self.response = response;
            return Ok(());
        }
    }

    /// The whole PDF, in memory.
    ///
    /// # Errors
    /// Fails where [`chunk`](Self::chunk) fails.
    pub async fn bytes(mut self) -> Result<Bytes, Error> {
        let mut whole = BytesMut::new();
        while let Some(chunk) = self.chunk().await? {
            whole.extend_from_slice(&chunk);
        }
        Ok(whole.freeze())
    }

    /// The PDF as a stream of bytes, which ends with an error if the download is interrupted.
    pub fn bytes_stream(self) -> impl Stream<Item = Result<Bytes, Error>> + Send + Unpin + 'static {
        stream::try_unfold(self, |mut download| async move {
            let chunk = download.chunk().await?;
            Ok(chunk.map(|chunk| (chunk, download)))
        })
        .boxed()
    }
}

/// The first bytes of a body, which must be those of a PDF.
pub(super) async fn first_bytes(response: &mut Response) -> Result<Bytes, Error> {
    let mut first = BytesMut::new();
    while first.len() < PDF_MAGIC.len() {
        let lost = |error: reqwest::Error| Error::Transport(error.into());
        let Some(chunk) = response.chunk().await.map_err(lost)? else { break };
        first.extend_from_slice(&chunk);
    }
    match first.starts_with(PDF_MAGIC) {
        true => Ok(first.freeze()),
        false => Err(decode_error(response, "not a PDF: it does not begin with `%PDF-`")),
    }
}

impl fmt::Debug for Download {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Download")
            .field("filename", &self.filename)
            .field("length_bytes", &self.length_bytes)
            .field("read_bytes", &self.read_bytes)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use futures_util::stream;
    use reqwest::Body;

    use super::first_bytes;

    #[tokio::test]
    async fn first_bytes_are_checked_however_they_are_split() {
        let first = async |chunks: &'static [&str]| {
            let chunks = stream::iter(chunks.iter().copied().map(Ok::<_, std::io::Error>));
            let body = Body::wrap_stream(chunks);
            first_bytes(&mut hyper::Response::new(body).into()).await
        };
        assert_eq!(first(&["%P", "D", "F-1.7", " end"]).await.unwrap(), "%PDF-1.7");
        for chunks in [&["%PDF", "_"][..], &["<html>"], &["%PDF"], &[]] {
            let error = first(chunks).await.unwrap_err();
            assert!(error.to_string().contains("not a PDF"), "{error}");
        }
    }
}
