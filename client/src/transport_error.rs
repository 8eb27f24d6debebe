//! The errors that leave a request without a complete response.

use std::{error::Error, fmt, io};

use openapi_client::{Visible, with_causes};

/// Why no complete response arrived. `Display` has all its causes.
///
/// A middleware returns one of its own where it sends nothing, and so does the test of a caller:
///
/// ```
/// use payout_client::{Error, TransportError};
///
/// let error = Error::Transport(TransportError::new("the network is down").not_sent());
/// assert!(!error.was_sent());
/// assert_eq!(error.to_string(), "no complete response arrived: the network is down");
/// ```
pub struct TransportError {
    cause: Box<dyn Error + Send + Sync>,
    was_sent: bool,
    is_timeout: bool,
}

impl TransportError {
    /// An error of a request that the server may have received. Time ran out if an [`io::Error`]
    /// among its causes says so.
    pub fn new(cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        let cause = cause.into();
        let is_timeout = is_timeout(&*cause);
        Self { cause, was_sent: true, is_timeout }
    }

    /// Says that nothing of the request was sent.
    #[must_use]
    pub fn not_sent(self) -> Self {
        Self { was_sent: false, ..self }
    }

    /// Says that time ran out.
    #[must_use]
    pub fn timed_out(self) -> Self {
        Self { is_timeout: true, ..self }
    }

    /// Returns true if the server may have received the request, false if there was no connection.
    #[must_use]
    pub fn was_sent(&self) -> bool {
        self.was_sent
    }

    /// Returns true if time ran out.
    #[must_use]
    pub fn is_timeout(&self) -> bool {
        self.is_timeout
    }

    /// The error below, such as an [`std::io::Error`].
    #[must_use]
    pub fn cause(&self) -> &(dyn Error + Send + Sync + 'static) {
        &*self.cause
    }
}

impl From<reqwest::Error> for TransportError {
    fn from(error: reqwest::Error) -> Self {
        let was_sent = !error.is_connect() && !error.is_builder();
        Self { was_sent, ..Self::new(error) }
    }
}

fn is_timeout(error: &(dyn Error + 'static)) -> bool {
    let io = error.downcast_ref::<io::Error>();
    io.is_some_and(|error| error.kind() == io::ErrorKind::TimedOut)
        || error.source().is_some_and(is_timeout)
}

/// Its causes are in the text, so that a log of `{error}` has the reason; `source` repeats none.
impl Error for TransportError {}

impl fmt::Display for TransportError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        Visible(&with_causes(&*self.cause)).fmt(formatter)
    }
}

impl fmt::Debug for TransportError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "TransportError({self})")
    }
}
