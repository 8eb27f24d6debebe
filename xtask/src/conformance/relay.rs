//! A slow connection to the server: passes on what clients send later, in order. It does not read
//! HTTP.

use std::{io, net::SocketAddr, time::Duration};

use futures_util::StreamExt as _;
use tokio::{
    io::{AsyncWriteExt as _, copy, copy_buf},
    net::{TcpListener, TcpStream},
    task::JoinSet,
    time::sleep,
};
use tokio_util::io::{ReaderStream, StreamReader};

const CHUNK_BYTES: usize = 16 * 1_024;
/// Chunks of one connection that are delayed at a time; then its client waits.
const DELAYED_CHUNKS: usize = 64;

/// Connects each client to `server`, so much later. Dropping the future ends every connection.
pub(super) async fn relay(listener: TcpListener, server: SocketAddr, latency: Duration) {
    let mut connections = JoinSet::new();
    loop {
        match listener.accept().await {
            // The client sees a connection that breaks, and judges that.
            Ok((client, _)) => drop(connections.spawn(pass_on(client, server, latency))),
            Err(error) => {
                anstream::eprintln!("the relay accepts no further connection: {error}");
                return;
            }
        }
        while connections.try_join_next().is_some() {}
    }
}

async fn pass_on(mut client: TcpStream, server: SocketAddr, latency: Duration) -> io::Result<()> {
    let mut server = TcpStream::connect(server).await?;
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    let (from_client, mut to_client) = client.split();
    let (mut from_server, mut to_server) = server.split();
    // Each chunk waits for itself, so that many may be under way.
    let delay = |chunk| async move {
        sleep(latency).await;
        chunk
    };
    let chunks = ReaderStream::with_capacity(from_client, CHUNK_BYTES).map(delay);
    let mut late = StreamReader::new(chunks.buffered(DELAYED_CHUNKS));
    let request = async {
        copy_buf(&mut late, &mut to_server).await?;
        to_server.shutdown().await
    };
    let respond = async {
        copy(&mut from_server, &mut to_client).await?;
        to_client.shutdown().await
    };
    tokio::try_join!(request, respond)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::{
        io::{Read as _, Write as _},
        net::{TcpListener as Listener, TcpStream as Stream},
        thread::JoinHandle,
    };

    use tokio::runtime::{Builder, Runtime};

    use super::*;

    const LATENCY: Duration = Duration::from_millis(60);

    /// A relay to a server that sends one connection's bytes back.
    fn echo() -> (Runtime, Stream, JoinHandle<()>) {
        let server = Listener::bind("127.0.0.1:0").unwrap();
        let address = server.local_addr().unwrap();
        let thread = std::thread::spawn(move || {
            let (mut reader, _) = server.accept().unwrap();
            let mut writer = reader.try_clone().unwrap();
            io::copy(&mut reader, &mut writer).unwrap();
            writer.shutdown(std::net::Shutdown::Write).unwrap();
        });
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let near = listener.local_addr().unwrap();
        runtime.spawn(relay(listener, address, LATENCY));
        (runtime, Stream::connect(near).unwrap(), thread)
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
