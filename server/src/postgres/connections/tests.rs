//! Pools on a database behind a proxy that falls silent, as a machine does that is gone.

use futures_util::future::join_all;
use payout_database::{TestDatabase, app_connect_options};
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, copy_bidirectional},
    net::{TcpStream, UnixListener, UnixStream},
    sync::watch,
};

use super::*;

const LIMIT: Duration = Duration::from_secs(20);
const SIZE: u32 = 8;

struct Proxy {
    connect: PgConnectOptions,
    /// Sessions that began before the latest change are silent.
    silenced: watch::Sender<()>,
    /// New sessions wait.
    holds_new: watch::Sender<bool>,
    counts: Arc<Counts>,
    _database: TestDatabase,
    _folder: tempfile::TempDir,
}

#[derive(Default)]
struct Counts {
    opened: AtomicUsize,
    /// Sessions that wait now.
    held: AtomicUsize,
    /// Silent sessions that were sent something.
    tried: AtomicUsize,
}

impl Proxy {
    async fn start() -> Self {
        let database = TestDatabase::create().await;
        let target = app_connect_options(database.app_url()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let connect = target.clone().socket(folder.path());
        let path = folder.path().join(format!(".s.PGSQL.{}", target.get_port()));
        let listener = UnixListener::bind(path).unwrap();
        let (silenced, holds_new) = (watch::Sender::new(()), watch::Sender::new(false));
        let counts = Arc::<Counts>::default();
        let (silence, holds, counted) = (silenced.clone(), holds_new.clone(), Arc::clone(&counts));
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let (target, counts) = (target.clone(), Arc::clone(&counted));
                let (silence, mut holds) = (silence.subscribe(), holds.subscribe());
                tokio::spawn(async move {
                    counts.opened.fetch_add(1, Ordering::SeqCst);
                    counts.held.fetch_add(1, Ordering::SeqCst);
                    holds.wait_for(|is_held| !is_held).await.unwrap();
                    counts.held.fetch_sub(1, Ordering::SeqCst);
                    serve(client, &target, silence, &counts).await;
                });
            }
        });
        Self { connect, silenced, holds_new, counts, _database: database, _folder: folder }
    }

    fn pool(&self) -> Connections {
        Connections::new(self.connect.clone(), SIZE, LIMIT)
    }

    fn opened(&self) -> usize {
        self.counts.opened.load(Ordering::SeqCst)
    }
}

/// Relays a session until it falls silent.
async fn serve(
    client: UnixStream,
    target: &PgConnectOptions,
    silence: watch::Receiver<()>,
    counts: &Counts,
) {
    if let Some(folder) = target.get_socket() {
        let path = folder.join(format!(".s.PGSQL.{}", target.get_port()));
        relay(client, UnixStream::connect(path).await.unwrap(), silence, counts).await;
    } else {
        let address = (target.get_host(), target.get_port());
        relay(client, TcpStream::connect(address).await.unwrap(), silence, counts).await;
    }
}

async fn relay(
    mut client: UnixStream,
    mut server: impl AsyncRead + AsyncWrite + Unpin,
    mut silence: watch::Receiver<()>,
    counts: &Counts,
) {
    tokio::select! {
        _ = copy_bidirectional(&mut client, &mut server) => return,
        _ = silence.changed() => {}
    }
    // A connection that is closed without being tried sends nothing.
    if client.read(&mut [0; 64]).await.is_ok_and(|length| length > 0) {
        counts.tried.fetch_add(1, Ordering::SeqCst);
        std::future::pending::<()>().await;
    }
}

async fn all(pool: &Connections) -> Vec<PooledConnection> {
    let leases = join_all((0..SIZE).map(|_| pool.get())).await;
    leases.into_iter().collect::<Result<_, _>>().unwrap()
}

async fn until(holds: impl Fn() -> bool) {
    let holds = async {
        while !holds() {
            tokio::task::yield_now().await;
        }
    };
    timeout(LIMIT, holds).await.expect("it happens in time");
}

/// Every connection of the pool has been idle for so long that it is pinged.
fn age(pool: &Connections) {
    for open in &mut pool.0.idle.lock().connections {
        open.used_at -= IDLE_LIMIT;
    }
}

#[tokio::test]
async fn of_connections_that_ended_only_one_is_tried() {
    let proxy = Proxy::start().await;
    let pool = Connections::new(proxy.connect.clone(), SIZE, Duration::from_secs(4));
    all(&pool).await.into_iter().for_each(PooledConnection::put_back);
    proxy.silenced.send_replace(());
    age(&pool);
    let mut lease = pool.get().await.unwrap();
    lease.ping().await.unwrap();
    assert_eq!(proxy.counts.tried.load(Ordering::SeqCst), 1);
    assert_eq!(pool.0.idle.lock().connections.len(), 0);
}

#[tokio::test]
async fn connections_opened_before_one_that_ended_are_not_used_again() {
    let proxy = Proxy::start().await;
    let pool = proxy.pool();
    let mut leases = all(&pool).await;
    let ended = std::io::Error::from(std::io::ErrorKind::UnexpectedEof);
    leases.pop().unwrap().note_end(&sqlx::Error::Io(ended));
    leases.into_iter().for_each(PooledConnection::put_back);
    let before = proxy.opened();
    pool.get().await.unwrap().put_back();
    pool.get().await.unwrap().put_back();
    assert_eq!(proxy.opened(), before + 1);
}

#[tokio::test]
async fn few_connect_at_a_time_and_the_others_take_what_is_returned() {
    let proxy = Proxy::start().await;
    let pool = proxy.pool();
    let lease = pool.get().await.unwrap();
    proxy.holds_new.send_replace(true);
    let callers = (1..SIZE).map(|_| {
        let pool = pool.clone();
        tokio::spawn(async move { pool.get().await.unwrap().put_back() })
    });
    let callers: Vec<_> = callers.collect();
    let held = || proxy.counts.held.load(Ordering::SeqCst);
    until(|| held() == CONCURRENT_CONNECTS).await;
    lease.put_back();
    let ended = || callers.iter().filter(|caller| caller.is_finished()).count();
    until(|| ended() == callers.len() - CONCURRENT_CONNECTS).await;
    assert_eq!(held(), CONCURRENT_CONNECTS);
    proxy.holds_new.send_replace(false);
    until(|| ended() == callers.len()).await;
    assert_eq!(proxy.opened(), 1 + CONCURRENT_CONNECTS);
}
