//! One HTTP/1.1 connection that is kept alive: prepared bytes out, an answer in. As lean as it can be, because what the
//! load takes of the machine, the server lacks.
//!
//! It refuses an answer whose length is not told: where one ends and the next begins would be a guess.

use std::{io, net::SocketAddr};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

/// Holds the answers of most calls; a longer one makes the buffer grow, once for its connection.
const BUFFER_BYTES: usize = 4 * 1_024;
/// A longer answer than any that is measured: a length above it is a mistake.
const ANSWER_LIMIT_BYTES: usize = 64 * 1_024 * 1_024;

/// Why a call has no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConnectionError {
    /// The connection broke, or ended before the answer did.
    #[error(transparent)]
    Broken(#[from] io::Error),
    /// The head is none of HTTP/1.1, or one that this client does not read.
    #[error("its head {0}")]
    Head(&'static str),
}

/// An open connection, and what was read from it.
#[derive(Debug)]
pub(crate) struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

/// An answer, read whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Answer<'a> {
    pub(crate) status: u16,
    /// Whether the server ends the connection after it.
    pub(crate) closes: bool,
    pub(crate) body: &'a [u8],
}

/// What the head says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Head {
    status: u16,
    closes: bool,
    /// Bytes of the head, with the empty line that ends it.
    length: usize,
    body_length: usize,
}

impl Connection {
    /// Connects; what is written goes out at once.
    ///
    /// # Errors
    /// The server takes no connection.
    pub(crate) async fn open(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self {
            stream,
            buffer: vec![0; BUFFER_BYTES],
        })
    }

    /// Sends a request, and reads its answer to the last byte.
    ///
    /// # Errors
    /// The connection breaks, or the answer is not understood.
    pub(crate) async fn call(&mut self, request: &[u8]) -> Result<Answer<'_>, ConnectionError> {
        self.stream.write_all(request).await?;
        let mut filled = 0;
        let head = loop {
            filled += self.read(filled).await?;
            if let Some(head) = parse(&self.buffer[..filled])? {
                break head;
            }
            if filled == self.buffer.len() {
                self.buffer.resize(2 * filled, 0);
            }
        };
        let end = head.length + head.body_length;
        if self.buffer.len() < end {
            self.buffer.resize(end, 0);
        }
        while filled < end {
            filled += self.read(filled).await?;
        }
        if filled > end {
            return Err(ConnectionError::Head("is followed by more than it tells"));
        }
        Ok(Answer {
            status: head.status,
            closes: head.closes,
            body: &self.buffer[head.length..end],
        })
    }

    async fn read(&mut self, from: usize) -> io::Result<usize> {
        match self.stream.read(&mut self.buffer[from..]).await? {
            0 => Err(io::Error::new(
                io::ErrorKind::UnexpectedEof,
                "the server ended the connection before the answer did",
            )),
            count => Ok(count),
        }
    }
}

/// Reads a head; `None` where its end has not come yet.
fn parse(bytes: &[u8]) -> Result<Option<Head>, ConnectionError> {
    let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") else {
        return Ok(None);
    };
    let mut lines = bytes[..end].split(|byte| *byte == b'\n');
    let status = lines.next().and_then(status);
    let status = status.ok_or(ConnectionError::Head("is none of HTTP/1.1"))?;
    let (mut body_length, mut closes) = (None, false);
    for line in lines {
        if let Some(value) = value(line, b"content-length") {
            body_length = value.parse().ok();
        } else if let Some(value) = value(line, b"connection") {
            closes = value.eq_ignore_ascii_case("close");
        }
    }
    let body_length = body_length.filter(|length| *length <= ANSWER_LIMIT_BYTES);
    let body_length = body_length.ok_or(ConnectionError::Head(
        "tells no content-length, or a senseless one",
    ))?;
    Ok(Some(Head {
        status,
        closes,
        length: end + 4,
        body_length,
    }))
}

/// `HTTP/1.1 200 OK`.
fn status(line: &[u8]) -> Option<u16> {
    let code = line.strip_prefix(b"HTTP/1.1 ")?.get(..3)?;
    std::str::from_utf8(code).ok()?.parse().ok()
}

/// The value of a header line with this name in lower case.
fn value<'a>(line: &'a [u8], name: &[u8]) -> Option<&'a str> {
    let (found, rest) = line.split_at_checked(name.len())?;
    if !found.eq_ignore_ascii_case(name) {
        return None;
    }
    let value = std::str::from_utf8(rest.strip_prefix(b":")?);
    value.ok().map(str::trim)
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;

    use super::*;

    const ANSWER: &[u8] =
        b"HTTP/1.1 200 OK\r\nX-Other: 9\r\nContent-Length: 5\r\nconnection: Close\r\n\r\nhello";

    /// Calls a server that answers the first request with these pieces, then ends the connection.
    async fn answered(pieces: &'static [&'static [u8]]) -> Result<(u16, Vec<u8>), ConnectionError> {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            stream.set_nodelay(true).unwrap();
            let mut request = [0; 4];
            stream.read_exact(&mut request).await.unwrap();
            for piece in pieces {
                stream.write_all(piece).await.unwrap();
                // The client's turn: with one thread it reads each piece before the next is written.
                for _ in 0..8 {
                    tokio::task::yield_now().await;
                }
            }
        });
        let mut connection = Connection::open(address).await.unwrap();
        let answer = connection.call(b"GET ").await?;
        Ok((answer.status, answer.body.to_vec()))
    }

    #[test]
    fn head_is_read_wherever_it_is_cut() {
        for cut in 0..ANSWER.len() - 5 {
            assert_eq!(parse(&ANSWER[..cut]).unwrap(), None, "{cut}");
        }
        let head = parse(ANSWER).unwrap().unwrap();
        assert_eq!((head.status, head.body_length), (200, 5));
        assert!(head.closes);
        assert_eq!(&ANSWER[head.length..], b"hello");
    }

    #[test]
    fn head_without_a_length_is_refused() {
        let refused: [&[u8]; 5] = [
            b"HTTP/1.1 200 OK\r\n\r\n",
            b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n",
            b"HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n",
            b"HTTP/1.1 200 OK\r\ncontent-length: 99999999999\r\n\r\n",
            b"HTTP/1.0 200 OK\r\ncontent-length: 0\r\n\r\n",
        ];
        for head in refused {
            assert!(parse(head).is_err(), "{}", String::from_utf8_lossy(head));
        }
    }

    #[tokio::test]
    async fn answer_in_pieces_is_put_together() {
        let whole = Ok::<_, ()>((200, b"hello".to_vec()));
        assert_eq!(answered(&[ANSWER]).await.map_err(drop), whole);
        let pieces: &[&[u8]] = &[
            b"HTTP/1.1 2",
            b"00 OK\r\ncontent-length: 5\r\n\r",
            b"\nhe",
            b"llo",
        ];
        assert_eq!(answered(pieces).await.map_err(drop), whole);
    }

    #[tokio::test]
    async fn answer_longer_than_the_buffer_is_read_whole() {
        const BODY: [u8; 3 * BUFFER_BYTES] = [b'x'; 3 * BUFFER_BYTES];
        let (status, body) =
            answered(&[b"HTTP/1.1 200 OK\r\ncontent-length: 12288\r\n\r\n", &BODY])
                .await
                .unwrap();
        assert_eq!((status, body.as_slice()), (200, &BODY[..]));
    }

    #[tokio::test]
    async fn answer_that_ends_early_or_late_is_no_answer() {
        let cut = answered(&[b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhel"]).await;
        assert!(matches!(cut, Err(ConnectionError::Broken(_))));
        let more = answered(&[b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhello"]).await;
        assert!(matches!(more, Err(ConnectionError::Head(_))));
    }
}
