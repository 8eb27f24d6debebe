//! A PDF as it arrives. A body that does not begin like a PDF is an error, and so is one that ends
//! before or after its announced length.

use std::fmt;

use bytes::{Bytes, BytesMut};
use futures_util::{Stream, StreamExt as _, stream};
use reqwest::{
    Response, StatusCode,
    header::{CONTENT_RANGE, ETAG, HeaderMap, HeaderValue},
};

use super::{request::decode_error, source::Source};
use crate::{Error, TransportError, response::lost};

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
///     let length_bytes = download.length_bytes();
///     let download = download.on_progress(move |read| println!("{read} of {length_bytes} bytes"));
///     Ok(download.bytes().await?.to_vec())
/// }
/// ```
#[must_use = "a download that is not read is cancelled"]
pub struct Download {
    source: Source,
    response: Response,
    /// What was read to check that it is a PDF.
    first: Option<Bytes>,
    missing_bytes: u64,
    length_bytes: u64,
    filename: String,
    headers: HeaderMap,
    progress: Box<dyn FnMut(u64) + Send>,
}

impl Download {
    pub(super) fn new(
        source: Source,
        response: Response,
        filename: String,
        length_bytes: u64,
        first: Bytes,
    ) -> Self {
        let (headers, progress) = (response.headers().clone(), Box::new(|_| {}));
        let (first, missing_bytes) = (Some(first), length_bytes);
        Self { source, response, first, missing_bytes, length_bytes, filename, headers, progress }
    }

    /// The filename that the server suggests, unchanged. [`save_in`](Self::save_in) uses it only if
    /// it is safe.
    #[must_use]
    pub fn filename(&self) -> &str {
        &self.filename
    }

    /// The size of the PDF in bytes.
    #[must_use]
    pub fn length_bytes(&self) -> u64 {
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
        let Some(missing) = self.missing_bytes.checked_sub(chunk.len() as u64) else {
            let problem = format!("the PDF is longer than its {} bytes", self.length_bytes);
            return Err(decode_error(&self.response, problem));
        };
        self.missing_bytes = missing;
        (self.progress)(self.length_bytes - missing);
        Ok(Some(chunk))
    }

    async fn next_chunk(&mut self) -> Result<Option<Bytes>, Error> {
        loop {
            let error = match self.response.chunk().await {
                Ok(None) if self.missing_bytes > 0 => {
                    let (missing, length) = (self.missing_bytes, self.length_bytes);
                    let problem = format!("the PDF ends {missing} bytes short of its {length}");
                    Error::Transport(TransportError::new(problem))
                }
                Ok(chunk) => return Ok(chunk),
                Err(error) => lost(error),
            };
            self.go_on(error).await?;
        }
    }

    /// Requests the rest after an interruption, if the host can tell that the PDF is the same.
    async fn go_on(&mut self, mut error: Error) -> Result<(), Error> {
        let offset = self.length_bytes - self.missing_bytes;
        let etag = self.headers.get(ETAG).filter(|etag| !etag.as_bytes().starts_with(b"W/"));
        let Some(etag) = etag else { return Err(error) };
        loop {
            self.source.wait(error).await?;
            match self.source.get(Some((offset, etag))).await {
                Ok(response) if self.is_rest(&response, offset, etag) => {
                    self.response = response;
                    return Ok(());
                }
                Ok(response) => {
                    let problem = "the PDF changed while it was downloaded; begin again";
                    return Err(decode_error(&response, problem));
                }
                Err(further) => error = further,
            }
        }
    }

    fn is_rest(&self, response: &Response, offset: u64, etag: &HeaderValue) -> bool {
        let length = self.length_bytes;
        let range = format!("bytes {offset}-{}/{length}", length - 1);
        response.status() == StatusCode::PARTIAL_CONTENT
            && response.headers().get(CONTENT_RANGE).is_some_and(|sent| *sent == range)
            && response.headers().get(ETAG) == Some(etag)
    }

    /// The whole PDF, in memory.
    ///
    /// # Errors
    /// As for [`chunk`](Self::chunk).
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
            .field("missing_bytes", &self.missing_bytes)
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
