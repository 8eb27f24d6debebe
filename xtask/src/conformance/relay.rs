//! A slow connection to the server: passes bytes on later, in order. It does not read HTTP.

use std::{
    io,
    net::{SocketAddr, TcpListener as Listener},
    sync::Arc,
    thread::JoinHandle,
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{
        TcpListener, TcpStream,
        tcp::{OwnedReadHalf, OwnedWriteHalf},
    },
    sync::{Semaphore, mpsc, oneshot},
    time::Instant,
};

/// Open connections; further ones wait in the system's queue.
const CONNECTIONS: usize = 512;
const CHUNK_BYTES: usize = 16 * 1_024;
/// Chunks of one connection that are delayed at a time; then its client waits.
const CHUNKS_UNDER_WAY: usize = 64;

/// The near end of the way, before there is a far one: a server must know its public address before
/// it begins.
#[derive(Debug)]
pub(super) struct Entrance {
    listener: Listener,
    address: SocketAddr,
}

/// The way. Dropped, it ends, and every connection with it.
#[derive(Debug)]
pub(super) struct Relay {
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// Bytes, and when they arrive.
type Late = (Instant, Vec<u8>);

impl Entrance {
    pub(super) fn open() -> io::Result<Self> {
        let listener = Listener::bind((std::net::Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        Ok(Self { listener, address })
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Begins to carry what comes to `server`, so much later.
    pub(super) fn lead_to(self, server: SocketAddr, latency: Duration) -> io::Result<Relay> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let listener = {
            let _inside = runtime.enter();
            TcpListener::from_std(self.listener)?
        };
        let (stop, stopped) = oneshot::channel();
        let work = move || {
            runtime.block_on(async {
                tokio::select! {
                    _ = stopped => {}
                    () = accept(listener, server, latency) => {}
                }
            });
        };
        let thread = std::thread::Builder::new().name("relay".to_owned());
        Ok(Relay { stop: Some(stop), thread: Some(thread.spawn(work)?) })
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        // The end of the sender stops it.
        drop(self.stop.take());
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            eprintln!("the relay panicked; what it said stands above");
        }
    }
}

async fn accept(listener: TcpListener, server: SocketAddr, latency: Duration) {
    let connections = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        let permit = Arc::clone(&connections).acquire_owned().await;
        let permit = permit.expect("the semaphore is never closed");
        match listener.accept().await {
            Ok((client, _)) => {
                tokio::spawn(async move {
                    // A connection that breaks is seen by the client, who judges that.
                    let _ = carry(client, server, latency).await;
                    drop(permit);
                });
            }
            Err(error) => {
                eprintln!("the relay takes no connection any more: {error}");
                return;
            }
        }
    }
}

async fn carry(client: TcpStream, server: SocketAddr, latency: Duration) -> io::Result<()> {
    let server = TcpStream::connect(server).await?;
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    let (from_client, mut to_client) = client.into_split();
    let (mut from_server, to_server) = server.into_split();
    let (late, arriving) = mpsc::channel(CHUNKS_UNDER_WAY);
    let answers = async {
        tokio::io::copy(&mut from_server, &mut to_client).await?;
        to_client.shutdown().await
    };
    tokio::try_join!(send(from_client, late, latency), deliver(arriving, to_server), answers)?;
    Ok(())
}

/// Reads at once what the client sends, so that many chunks may be under way.
async fn send(
    mut client: OwnedReadHalf,
    late: mpsc::Sender<Late>,
    latency: Duration,
) -> io::Result<()> {
    loop {
        let mut chunk = vec![0; CHUNK_BYTES];
        let length = client.read(&mut chunk).await?;
        chunk.truncate(length);
        if length == 0 || late.send((Instant::now() + latency, chunk)).await.is_err() {
            return Ok(());
        }
    }
}

/// Writes each chunk when its time has come, and after the last one tells the server that no more
/// comes.
async fn deliver(mut arriving: mpsc::Receiver<Late>, mut server: OwnedWriteHalf) -> io::Result<()> {
    while let Some((at, chunk)) = arriving.recv().await {
        tokio::time::sleep_until(at).await;
        server.write_all(&chunk).await?;
    }
    server.shutdown().await
}

#[cfg(test)]
mod tests {
    use std::{
        io::{Read as _, Write as _},
        net::TcpStream as Stream,
    };

    use super::*;

    const LATENCY: Duration = Duration::from_millis(60);

    /// A relay to a server that gives back one connection's bytes.
    fn echo() -> (Relay, Stream, JoinHandle<()>) {
        let server = Listener::bind("127.0.0.1:0").unwrap();
        let address = server.local_addr().unwrap();
        let thread = std::thread::spawn(move || {
            let (mut reader, _) = server.accept().unwrap();
            let mut writer = reader.try_clone().unwrap();
            io::copy(&mut reader, &mut writer).unwrap();
            writer.shutdown(std::net::Shutdown::Write).unwrap();
        });
        let entrance = Entrance::open().unwrap();
        let near = entrance.address();
        let relay = entrance.lead_to(address, LATENCY).unwrap();
        (relay, Stream::connect(near).unwrap(), thread)
    }

    #[test]
    fn each_request_of_a_connection_is_late() {
        let (_relay, mut client, server) = echo();
        for _ in 0..2 {
            let begun = std::time::Instant::now();
            client.write_all(b"ask").unwrap();
            let mut answer = [0; 3];
            client.read_exact(&mut answer).unwrap();
            assert_eq!(&answer, b"ask");
            assert!(begun.elapsed() >= LATENCY, "{:?}", begun.elapsed());
        }
        drop(client);
        server.join().unwrap();
    }

    #[test]
    fn bytes_arrive_whole_in_order_and_with_their_end() {
        let (_relay, mut client, server) = echo();
        let sent: Vec<u8> = (0..2_000_000_u32).map(|number| number.to_le_bytes()[1]).collect();
        let mut reader = client.try_clone().unwrap();
        let reading = std::thread::spawn(move || {
            let mut read = Vec::new();
            reader.read_to_end(&mut read).unwrap();
            read
        });
        client.write_all(&sent).unwrap();
        client.shutdown(std::net::Shutdown::Write).unwrap();
        assert!(reading.join().unwrap() == sent, "other bytes arrived");
        server.join().unwrap();
    }

    #[test]
    fn dropped_relay_ends_its_connections() {
        let (relay, mut client, server) = echo();
        client.write_all(b"ask").unwrap();
        client.read_exact(&mut [0; 3]).unwrap();
        drop(relay);
        let end = client.read(&mut [0; 3]);
        assert!(matches!(end, Ok(0) | Err(_)), "{end:?}");
        server.join().unwrap();
    }
}
