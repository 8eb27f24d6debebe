//! A server that gives every request the same response, and the client of it.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    sync::mpsc::{Receiver, channel},
    thread,
};

use crate::{Client, Connection, Error};

/// A connection, with a provider of TLS, which the workspace's reqwest does not have.
pub(crate) fn connect(url: &str) -> Result<Connection, Error> {
    // Another test may have installed it.
    let _ = rustls::crypto::ring::default_provider().install_default();
    Connection::new(url)
}

/// A client and what the server has received from it.
pub(crate) struct Served {
    pub(crate) client: Client,
    received: Receiver<String>,
}

impl Served {
    /// Starts a server on a free port. It ends with the test.
    pub(crate) fn new(status: u16, body: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let length = match status {
            204 => String::new(),
            _ => format!("content-length: {}\r\n", body.len()),
        };
        let response =
            format!("HTTP/1.1 {status} Status\r\n{length}connection: close\r\n\r\n{body}");
        let (sender, received) = channel();
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let request = read(&stream);
                let is_head = request.starts_with("HEAD");
                let head = response.split_inclusive("\r\n\r\n").next().unwrap();
                let response = if is_head { head } else { &response };
                stream.write_all(response.as_bytes()).unwrap();
                let _ = sender.send(request);
            }
        });
        let connection = connect(&format!("http://{address}")).unwrap();
        Self { client: Client::new(connection), received }
    }

    /// The last request: method, target, headers other than those of every request, and body.
    pub(crate) fn sent(&self) -> String {
        self.received.recv().unwrap()
    }
}

fn read(stream: &TcpStream) -> String {
    let mut lines = BufReader::new(stream);
    let line = |lines: &mut BufReader<&TcpStream>| {
        let mut line = String::new();
        lines.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    };
    let mut text = line(&mut lines).trim_end_matches(" HTTP/1.1").to_owned();
    let mut length = 0;
    loop {
        let header = line(&mut lines);
        match header.split_once(": ") {
            None => break,
            Some(("content-length", value)) => length = value.parse().unwrap(),
            Some(("host" | "accept", _)) => {}
            Some(_) => text.push_str(&format!(" {header}")),
        }
    }
    let mut body = vec![0; length];
    lines.read_exact(&mut body).unwrap();
    if !body.is_empty() {
        text.push_str(&format!(" | {}", String::from_utf8_lossy(&body)));
    }
    text
}
