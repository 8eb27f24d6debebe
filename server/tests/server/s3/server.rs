//! An S3 server in this process on a free local port, and storage that uses it.

use std::net::SocketAddr;

use hyper_util::{
    rt::{TokioExecutor, TokioIo},
    server::conn::auto::Builder,
};
use payout_server::statements::storage::{AssetOptions, SetupError, Storage};
use s3s::{auth::SimpleAuth, service::S3ServiceBuilder};
use tempfile::TempDir;
use tokio::net::TcpListener;

pub const ACCESS_KEY_ID: &str = "an-access-key-id";
pub const SECRET_ACCESS_KEY: &str = "a/secret+access/key";
pub const BUCKET: &str = "statements";

/// An S3 server with one bucket. It stops with the test's runtime.
pub struct Server {
    pub address: SocketAddr,
    pub folder: TempDir,
}

impl Server {
    pub async fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join(BUCKET)).unwrap();
        let mut service = S3ServiceBuilder::new(s3s_fs::FileSystem::new(folder.path()).unwrap());
        service.set_auth(SimpleAuth::from_single(ACCESS_KEY_ID, SECRET_ACCESS_KEY));
        let service = service.build();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move {
            while let Ok((connection, _)) = listener.accept().await {
                let service = service.clone();
                tokio::spawn(async move {
                    let http = Builder::new(TokioExecutor::new());
                    // A client that disconnects is no failure of the server.
                    let _ = http.serve_connection(TokioIo::new(connection), service).await;
                });
            }
        });
        Self { address, folder }
    }

    pub async fn open(&self, place: &str) -> Result<Storage, SetupError> {
        open(self.address, place, SECRET_ACCESS_KEY).await
    }

    pub async fn storage(&self) -> Storage {
        self.open("s3://statements/ours").await.unwrap()
    }
}

pub async fn open(address: SocketAddr, place: &str, secret: &str) -> Result<Storage, SetupError> {
    let options = AssetOptions {
        assets: Some(place.parse().unwrap()),
        s3_endpoint: Some(format!("http://{address}").parse().unwrap()),
        ..AssetOptions::default()
    };
    let variable = |name: &str| match name {
        "AWS_ACCESS_KEY_ID" => Some(ACCESS_KEY_ID.to_owned()),
        "AWS_SECRET_ACCESS_KEY" => Some(secret.to_owned()),
        _ => None,
    };
    options.open_with(std::path::Path::new("/nowhere"), variable).await
}
