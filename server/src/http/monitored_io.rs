//! An I/O wrapper that reports reads and writes to the [`ConnectionState`], and lingers on close so
//! that the client can read its response.

use std::{
    io::{self, IoSlice},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use parking_lot::{Mutex, MutexGuard};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::connection_state::ConnectionState;

/// The state of one connection, shared by its stream, its requests and its timer.
#[derive(Clone)]
pub(super) struct SharedState(Arc<Mutex<ConnectionState>>);

impl SharedState {
    pub(super) fn new(state: ConnectionState) -> Self {
        Self(Arc::new(Mutex::new(state)))
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, ConnectionState> {
        self.0.lock()
    }
}

/// A stream that reports to the connection's state.
pub(super) struct MonitoredIo<S> {
    stream: S,
    state: SharedState,
    /// True if reading continues after the shutdown of the stream; unknown before it.
    lingers: Option<bool>,
}

impl<S> MonitoredIo<S> {
    pub(super) fn new(stream: S, state: SharedState) -> Self {
        Self { stream, state, lingers: None }
    }

    fn report_write(&self, written: &Poll<io::Result<usize>>) {
        match written {
            Poll::Ready(Ok(bytes)) => self.state.lock().wrote(*bytes),
            Poll::Ready(Err(_)) => {}
            Poll::Pending => self.state.lock().write_blocked(),
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for MonitoredIo<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(context, buffer))?;
        self.state.lock().read(&buffer.filled()[before..]);
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for MonitoredIo<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.report_write(&written);
        written
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.report_write(&written);
        written
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    /// Closing a socket with unread bytes resets it, and a client that is still sending (300 MB,
    /// answered 413) loses the response. So the rest is read and dropped.
    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let lingers = match self.lingers {
            Some(lingers) => lingers,
            None => {
                ready!(Pin::new(&mut self.stream).poll_shutdown(context))?;
                let lingers = self.state.lock().closes();
                self.lingers = Some(lingers);
                lingers
            }
        };
        if !lingers {
            return Poll::Ready(Ok(()));
        }
        let mut scratch = [0; 4096];
        loop {
            let mut dropped = ReadBuf::new(&mut scratch);
            ready!(Pin::new(&mut self.stream).poll_read(context, &mut dropped))?;
            if dropped.filled().is_empty() {
                return Poll::Ready(Ok(()));
            }
        }
    }
}
