//! A stream that tells its [`Activity`] what passes over it.
//!
//! It refuses to close while the client may still be sending: it says that nothing more will come, and reads on until the
//! client has heard.

use std::{
    io::{self, IoSlice},
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, ready},
};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::activity::Activity;

/// The activity of one connection, shared by its stream, its requests, and whoever looks at the time.
#[derive(Clone, Debug)]
pub(super) struct Watch(Arc<Mutex<Activity>>);

impl Watch {
    pub(super) fn new(activity: Activity) -> Self {
        Self(Arc::new(Mutex::new(activity)))
    }

    pub(super) fn activity(&self) -> MutexGuard<'_, Activity> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A stream, and who watches it.
#[derive(Debug)]
pub(super) struct Watched<S> {
    stream: S,
    watch: Watch,
    /// Whether to read on after the last word was said; not known before.
    lingers: Option<bool>,
}

impl<S> Watched<S> {
    pub(super) fn new(stream: S, watch: Watch) -> Self {
        Self {
            stream,
            watch,
            lingers: None,
        }
    }

    fn note_write(&self, written: &Poll<io::Result<usize>>) {
        match written {
            Poll::Ready(Ok(bytes)) => self.watch.activity().wrote(*bytes),
            Poll::Ready(Err(_)) => {}
            Poll::Pending => self.watch.activity().write_blocked(),
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Watched<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(context, buffer))?;
        self.watch.activity().read(&buffer.filled()[before..]);
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Watched<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.note_write(&written);
        written
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.note_write(&written);
        written
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    /// Closing a socket that holds unread bytes resets it, and a reset takes the answer from a client that has not read
    /// it yet: one that is told 413 while it sends 300 MB.
    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let lingers = match self.lingers {
            Some(lingers) => lingers,
            None => {
                ready!(Pin::new(&mut self.stream).poll_shutdown(context))?;
                let lingers = self.watch.activity().closes();
                self.lingers = Some(lingers);
                lingers
            }
        };
        if !lingers {
            return Poll::Ready(Ok(()));
        }
        let mut scratch = [0; 4096];
        loop {
            let mut thrown_away = ReadBuf::new(&mut scratch);
            ready!(Pin::new(&mut self.stream).poll_read(context, &mut thrown_away))?;
            if thrown_away.filled().is_empty() {
                return Poll::Ready(Ok(()));
            }
        }
    }
}
