//! Reads a request's body within limits on its size, its time, and the memory of all bodies.

use std::{
    error::Error,
    io::{
        self,
        ErrorKind::{InvalidData, InvalidInput},
    },
    iter,
    sync::Arc,
    time::Duration,
};

use bytes::{Bytes, BytesMut};
use futures_util::StreamExt;
use poem::{Body, Request, http::header::CONTENT_LENGTH};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::timeout,
};

use crate::{
    contract::{Problem, types::ErrorCode},
    problem::Failure,
};

#[derive(Clone, Debug)]
pub struct BodyLimits {
    /// A larger body gets a 413.
    pub size_bytes: usize,
    /// A body that arrives later gets a 408.
    pub time: Duration,
    /// One permit for each byte in memory.
    pub memory: Arc<Semaphore>,
    /// A body that waits longer for its permits gets a 503.
    pub memory_wait: Duration,
}

/// A body, with its permits of the memory for bodies.
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

/// Takes the body from the request and reads it whole. The returned bytes hold their permits until
/// they are dropped.
///
/// # Errors
/// Returns 413, 408 (also if the client broke off), 400 for malformed chunks, or 503.
pub(crate) async fn read(request: &mut Request, limits: &BodyLimits) -> Result<Bytes, Problem> {
    if declared_bytes(request).is_some_and(|length| length > limits.size_bytes) {
        return Err(too_large(limits));
    }
    let body = request.take_body();
    if body.is_empty() {
        return Ok(Bytes::new());
    }
    let read = timeout(limits.time, collect(body, limits));
    read.await.unwrap_or_else(|_| {
        let seconds = limits.time.as_secs();
        let message = format!("The body did not arrive within {seconds} s.");
        Err(Problem::new(ErrorCode::RequestTimeout, message))
    })
}

/// Acquires memory as bytes arrive: a declared length alone takes none.
async fn collect(body: Body, limits: &BodyLimits) -> Result<Bytes, Problem> {
    let mut pieces = body.into_bytes_stream();
    let mut whole = CountedBytes::default();
    while let Some(piece) = pieces.next().await {
        let piece = piece.map_err(|error| broken(&error))?;
        if whole.bytes.len() + piece.len() > limits.size_bytes {
            return Err(too_large(limits));
        }
        let bytes = u32::try_from(piece.len()).unwrap_or(u32::MAX);
        let memory = Arc::clone(&limits.memory).acquire_many_owned(bytes);
        let Ok(Ok(memory)) = timeout(limits.memory_wait, memory).await else {
            return Err(Failure::overloaded("bytes of bodies").into());
        };
        whole.append(&piece, memory);
    }
    Ok(Bytes::from_owner(whole))
}

/// Returns 408 for a request that the client may repeat, and 400 for one that it must correct.
fn broken(error: &io::Error) -> Problem {
    let mut causes =
        iter::successors(Some(error as &(dyn Error + 'static)), |error| (*error).source());
    let is_malformed = causes.any(|cause| {
        let cause = cause.downcast_ref::<io::Error>();
        // The HTTP library reports wrong sizes, extensions and trailers of chunks so.
        cause.is_some_and(|cause| matches!(cause.kind(), InvalidInput | InvalidData))
    });
    if is_malformed {
        let message = "The body is malformed: its chunks, their extensions or its trailers.";
        return Problem::new(ErrorCode::InvalidJson, message);
    }
    // The client never reads this response: its connection is broken.
    Problem::new(ErrorCode::RequestTimeout, "The body ended before it was complete.")
}

/// Returns the length from the head; a body in chunks has none, and is counted as it arrives.
fn declared_bytes(request: &Request) -> Option<usize> {
    let length = request.headers().get(CONTENT_LENGTH)?;
    length.to_str().ok()?.parse().ok()
}

fn too_large(limits: &BodyLimits) -> Problem {
    let message = format!("The body is larger than {} bytes.", limits.size_bytes);
    Problem::new(ErrorCode::PayloadTooLarge, message)
}
