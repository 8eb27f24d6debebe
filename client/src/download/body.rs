//! A PDF as it arrives. A body that does not begin like a PDF is an error, and so is one that ends
//! before or after its announced length.

use std::fmt;

use bytes::{Bytes, BytesMut};
use futures_util::{
    Stream, StreamExt as _, TryStreamExt as _,
    stream::{self, BoxStream},
};
use reqwest::{StatusCode, header::HeaderMap};

use crate::{
    Error,
    error::{DecodeError, without_link},
};

/// The first bytes of every PDF. (S8)
const PDF_MAGIC: &[u8] = b"%PDF-";

/// A PDF that is being downloaded.
///
/// Save it as a file ([`save_in`](Self::save_in), [`save_as`](Self::save_as),
/// [`save_over`](Self::save_over)), read it whole ([`bytes`](Self::bytes)), or in chunks
/// ([`chunk`](Self::chunk), [`bytes_stream`](Self::bytes_stream)). An interrupted download is
/// always an error. Dropping it cancels the download.
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
    chunks: BoxStream<'static, reqwest::Result<Bytes>>,
    /// The chunk that was read to check that it is a PDF.
    first: Option<Bytes>,
    missing_bytes: u64,
    length_bytes: u64,
    filename: String,
    headers: HeaderMap,
    progress: Box<dyn FnMut(u64) + Send>,
}

impl Download {
    /// Reads the first bytes, and checks that they are those of a PDF.
    pub(super) async fn begin(
        chunks: impl Stream<Item = reqwest::Result<Bytes>> + Send + 'static,
        headers: HeaderMap,
        filename: String,
        length_bytes: u64,
    ) -> Result<Self, Error> {
        let mut download = Self {
            chunks: chunks.fuse().boxed(),
            first: None,
            missing_bytes: length_bytes,
            length_bytes,
            filename,
            headers,
            progress: Box::new(|_| {}),
        };
        let mut first = BytesMut::new();
        while first.len() < PDF_MAGIC.len() {
            match download.chunks.try_next().await.map_err(without_link)? {
                Some(chunk) => first.extend_from_slice(&chunk),
                None => break,
            }
        }
        if !first.starts_with(PDF_MAGIC) {
            return Err(
                download.decode_error("not a PDF: it does not begin with `%PDF-`".to_owned())
            );
        }
        download.first = Some(first.freeze());
        Ok(download)
    }

    /// The filename that the server suggests, unchanged. [`save_in`](Self::save_in) uses it only if
    /// it is safe. (S10)
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
            None => self.chunks.try_next().await.map_err(without_link)?,
        };
        let arrived = chunk.as_ref().map_or(0, |chunk| chunk.len() as u64);
        match (self.missing_bytes.checked_sub(arrived), chunk) {
            (Some(0), None) => Ok(None),
            (Some(missing), None) => Err(self.decode_error(format!(
                "the PDF ends {missing} bytes short of its {} bytes",
                self.length_bytes
            ))),
            (Some(missing), Some(chunk)) => {
                self.missing_bytes = missing;
                (self.progress)(self.length_bytes - missing);
                Ok(Some(chunk))
            }
            (None, _) => Err(self
                .decode_error(format!("the PDF is longer than its {} bytes", self.length_bytes))),
        }
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

    fn decode_error(&self, problem: String) -> Error {
        Error::Decode(Box::new(DecodeError {
            status: StatusCode::OK,
            headers: self.headers.clone(),
            problem,
            body: Bytes::new(),
        }))
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
    use std::sync::{Arc, Mutex};

    use bytes::Bytes;
    use futures_util::stream;
    use reqwest::header::HeaderMap;

    use super::Download;
    use crate::Error;

    async fn begin(chunks: &[&'static str], length_bytes: u64) -> Result<Download, Error> {
        let chunks: Vec<_> =
            chunks.iter().map(|chunk| Ok(Bytes::from_static(chunk.as_bytes()))).collect();
        let filename = "statement.pdf".to_owned();
        Download::begin(stream::iter(chunks), HeaderMap::new(), filename, length_bytes).await
    }

    #[tokio::test]
    async fn first_bytes_are_checked_however_they_are_split() {
        let whole = begin(&["%P", "D", "F-1.7", " end"], 12).await.unwrap();
        assert_eq!(whole.bytes().await.unwrap(), "%PDF-1.7 end");
        for chunks in [&["%PDF", "_"][..], &["<html>"][..], &["%PDF"][..], &[][..]] {
            let error = begin(chunks, 5).await.unwrap_err();
            assert!(error.to_string().contains("not a PDF"), "{error}");
        }
    }

    #[tokio::test]
    async fn short_body_is_an_error_however_often_it_is_read() {
        let mut download = begin(&["%PDF-", "1"], 7).await.unwrap();
        for _ in 0..2 {
            assert!(download.chunk().await.unwrap().is_some());
        }
        for _ in 0..2 {
            let error = download.chunk().await.unwrap_err();
            assert!(error.to_string().contains("ends 1 bytes short"), "{error}");
        }
    }

    #[tokio::test]
    async fn progress_counts_the_bytes_read_up_to_the_length() {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let reports = Arc::clone(&seen);
        let download = begin(&["%PDF-", "1.", "7"], 8).await.unwrap();
        let download = download.on_progress(move |read| reports.lock().unwrap().push(read));
        download.bytes().await.unwrap();
        assert_eq!(*seen.lock().unwrap(), [5, 7, 8]);
    }

    #[tokio::test]
    async fn body_longer_than_announced_is_an_error() {
        let error = begin(&["%PDF-", "12"], 6).await.unwrap().bytes().await;
        assert!(error.unwrap_err().to_string().contains("is longer"));
    }
}
