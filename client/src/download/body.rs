//! A PDF as it arrives.
//!
//! It refuses what does not begin like a PDF, and to end early: the last byte has come, or there is an error.

use std::fmt;

use bytes::{Bytes, BytesMut};
use futures_util::{
    Stream, StreamExt as _, TryStreamExt as _,
    stream::{self, BoxStream},
};
use reqwest::{StatusCode, header::HeaderMap};

use crate::{
    Error,
    error::{UnreadableResponse, unlinked},
    response::request_id,
};

/// What every PDF begins with. (S8)
const PDF_BEGINS_WITH: &[u8] = b"%PDF-";

/// A PDF that is being downloaded.
///
/// Save it as a file ([`save_in`](Self::save_in), [`save_as`](Self::save_as), [`save_over`](Self::save_over)), take it
/// as a whole ([`bytes`](Self::bytes)), or piece by piece ([`chunk`](Self::chunk), [`bytes_stream`](Self::bytes_stream)).
/// In every way an interrupted download is an error. Dropping it ends it.
#[must_use = "nothing is kept of a download that is not read"]
pub struct Download {
    chunks: BoxStream<'static, reqwest::Result<Bytes>>,
    /// What was read to know that it is a PDF.
    begun: Option<Bytes>,
    missing_bytes: u64,
    length_bytes: u64,
    filename: String,
    headers: HeaderMap,
}

impl Download {
    /// Reads as far as needed to know that it is a PDF.
    pub(super) async fn begin(
        chunks: impl Stream<Item = reqwest::Result<Bytes>> + Send + 'static,
        headers: HeaderMap,
        filename: String,
        length_bytes: u64,
    ) -> Result<Self, Error> {
        let mut download = Self {
            chunks: chunks.fuse().boxed(),
            begun: None,
            missing_bytes: length_bytes,
            length_bytes,
            filename,
            headers,
        };
        let mut begun = BytesMut::new();
        while begun.len() < PDF_BEGINS_WITH.len() {
            match download.chunks.try_next().await.map_err(unlinked)? {
                Some(chunk) => begun.extend_from_slice(&chunk),
                None => break,
            }
        }
        if !begun.starts_with(PDF_BEGINS_WITH) {
            return Err(
                download.unreadable("it is no PDF: it does not begin with `%PDF-`".to_owned())
            );
        }
        download.begun = Some(begun.freeze());
        Ok(download)
    }

    /// The filename that the server suggests, as it came. [`save_in`](Self::save_in) uses it only if it is safe. (S10)
    #[must_use]
    pub fn filename(&self) -> &str {
        &self.filename
    }

    /// How many bytes the PDF has.
    #[must_use]
    pub fn length_bytes(&self) -> u64 {
        self.length_bytes
    }

    /// The headers of the answer; `etag` among them.
    #[must_use]
    pub fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// The next bytes; `None` after the last of the PDF, and only then.
    ///
    /// # Errors
    /// [`Error::Transport`] or [`Error::Unreadable`] when the PDF does not come whole and in time.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, Error> {
        let chunk = match self.begun.take() {
            Some(begun) => Some(begun),
            None => self.chunks.try_next().await.map_err(unlinked)?,
        };
        let arrived = chunk.as_ref().map_or(0, |chunk| chunk.len() as u64);
        match (self.missing_bytes.checked_sub(arrived), chunk) {
            (Some(0), None) => Ok(None),
            (Some(missing), None) => Err(self.unreadable(format!(
                "it ends {missing} bytes before the {} that it announced",
                self.length_bytes
            ))),
            (Some(missing), Some(chunk)) => {
                self.missing_bytes = missing;
                Ok(Some(chunk))
            }
            (None, _) => Err(self.unreadable(format!(
                "it goes on after the {} bytes that it announced",
                self.length_bytes
            ))),
        }
    }

    /// The whole PDF, in memory.
    ///
    /// # Errors
    /// As [`chunk`](Self::chunk).
    pub async fn bytes(mut self) -> Result<Bytes, Error> {
        let mut whole = BytesMut::new();
        while let Some(chunk) = self.chunk().await? {
            whole.extend_from_slice(&chunk);
        }
        Ok(whole.freeze())
    }

    /// The PDF as a stream of bytes. Its end is the PDF's end: a download that breaks off ends it with an error.
    pub fn bytes_stream(self) -> impl Stream<Item = Result<Bytes, Error>> + Send + Unpin + 'static {
        stream::try_unfold(self, |mut download| async move {
            let chunk = download.chunk().await?;
            Ok(chunk.map(|chunk| (chunk, download)))
        })
        .boxed()
    }

    fn unreadable(&self, problem: String) -> Error {
        Error::Unreadable(Box::new(UnreadableResponse {
            status: StatusCode::OK,
            request_id: request_id(&self.headers).map(str::to_owned),
            problem,
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
    use bytes::Bytes;
    use futures_util::stream;
    use reqwest::header::HeaderMap;

    use super::Download;
    use crate::Error;

    async fn begin(chunks: &[&'static str], length_bytes: u64) -> Result<Download, Error> {
        let chunks: Vec<_> = chunks
            .iter()
            .map(|chunk| Ok(Bytes::from_static(chunk.as_bytes())))
            .collect();
        let filename = "statement.pdf".to_owned();
        Download::begin(
            stream::iter(chunks),
            HeaderMap::new(),
            filename,
            length_bytes,
        )
        .await
    }

    #[tokio::test]
    async fn first_bytes_are_judged_however_they_are_cut() {
        let whole = begin(&["%P", "D", "F-1.7", " end"], 12).await.unwrap();
        assert_eq!(whole.bytes().await.unwrap(), "%PDF-1.7 end");
        for chunks in [&["%PDF", "_"][..], &["<html>"][..], &["%PDF"][..], &[][..]] {
            let error = begin(chunks, 5).await.unwrap_err();
            assert!(error.to_string().contains("no PDF"), "{error}");
        }
    }

    #[tokio::test]
    async fn short_body_never_ends_well_however_often_it_is_asked() {
        let mut download = begin(&["%PDF-", "1"], 7).await.unwrap();
        for _ in 0..2 {
            assert!(download.chunk().await.unwrap().is_some());
        }
        for _ in 0..2 {
            let error = download.chunk().await.unwrap_err();
            assert!(error.to_string().contains("ends 1 bytes before"), "{error}");
        }
    }

    #[tokio::test]
    async fn body_longer_than_announced_is_an_error() {
        let error = begin(&["%PDF-", "12"], 6).await.unwrap().bytes().await;
        assert!(error.unwrap_err().to_string().contains("goes on"));
    }
}
