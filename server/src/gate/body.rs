//! Reading a request's body, bounded in size, in time, and in the memory of all bodies together.

use std::{
    error::Error,
    io::{
        self,
        ErrorKind::{InvalidData, InvalidInput},
    },
    iter,
    time::Duration,
};

use bytes::{Bytes, BytesMut};
use futures_util::StreamExt;
use poem::{Body, Request, http::header::CONTENT_LENGTH};
use tokio::sync::OwnedSemaphorePermit;

use crate::{
    contract::{Problem, types::ErrorCode},
    permits::Permits,
    problem::Failure,
};

/// How large a body may be, how long it may take to arrive, and the memory for all of them.
#[derive(Clone, Debug)]
pub struct BodyLimits {
    /// Above it: 413.
    pub size_bytes: usize,
    /// After it: 408.
    pub time: Duration,
    /// One permit for each byte of a body in memory; without one in time: 503.
    pub memory: Permits,
}

/// A body in memory, and its share of the memory for bodies.
#[derive(Default)]
struct CountedBytes {
    bytes: BytesMut,
    memory: Option<OwnedSemaphorePermit>,
}

impl AsRef<[u8]> for CountedBytes {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl CountedBytes {
    fn append(&mut self, piece: &[u8], memory: OwnedSemaphorePermit) {
        self.bytes.extend_from_slice(piece);
        match &mut self.memory {
            Some(held) => held.merge(memory),
            None => self.memory = Some(memory),
        }
    }
}

/// Takes the body from the request and reads it whole. Its memory is counted until the bytes are
/// dropped.
///
/// # Errors
/// 413, 408 (also where the client broke off), 400 for malformed chunks, or 503.
pub(crate) async fn read(request: &mut Request, limits: &BodyLimits) -> Result<Bytes, Problem> {
    if declared_bytes(request).is_some_and(|length| length > limits.size_bytes) {
        return Err(too_large(limits));
    }
    let body = request.take_body();
    if body.is_empty() {
        return Ok(Bytes::new());
    }
    let read = tokio::time::timeout(limits.time, collect(body, limits));
    read.await.unwrap_or_else(|_| {
        let seconds = limits.time.as_secs();
        let message = format!("The body did not arrive within {seconds} s.");
        Err(Problem::new(ErrorCode::RequestTimeout, message))
    })
}

/// Memory is taken as bytes arrive: a length that is only declared takes none.
async fn collect(body: Body, limits: &BodyLimits) -> Result<Bytes, Problem> {
    let mut pieces = body.into_bytes_stream();
    let mut whole = CountedBytes::default();
    while let Some(piece) = pieces.next().await {
        let piece = piece.map_err(|error| broken(&error))?;
        if whole.bytes.len() + piece.len() > limits.size_bytes {
            return Err(too_large(limits));
        }
        let memory = limits.memory.acquire(piece.len()).await;
        whole.append(&piece, memory.ok_or(Failure::overloaded("bytes of bodies"))?);
    }
    Ok(Bytes::from_owner(whole))
}

/// A client may repeat what got a 408, but not what it wrote wrong.
fn broken(error: &io::Error) -> Problem {
    let mut causes =
        iter::successors(Some(error as &(dyn Error + 'static)), |error| (*error).source());
    let is_malformed = causes.any(|cause| {
        let cause = cause.downcast_ref::<io::Error>();
        // How the HTTP library reports sizes, extensions and trailers of chunks.
        cause.is_some_and(|cause| matches!(cause.kind(), InvalidInput | InvalidData))
    });
    if is_malformed {
        let message = "The body is malformed: its chunks, their extensions or its trailers.";
        return Problem::new(ErrorCode::InvalidJson, message);
    }
    // The client never reads this response: its connection is broken.
    Problem::new(ErrorCode::RequestTimeout, "The body ended before it was complete.")
}

/// The length in the head; a body in chunks has none, and is counted as it arrives.
fn declared_bytes(request: &Request) -> Option<usize> {
    let length = request.headers().get(CONTENT_LENGTH)?;
    length.to_str().ok()?.parse().ok()
}

fn too_large(limits: &BodyLimits) -> Problem {
    let message = format!("The body is larger than {} bytes.", limits.size_bytes);
    Problem::new(ErrorCode::PayloadTooLarge, message)
}
