//! The tour of `tour.toml`: what is printed before it, and its requests in their order.

use std::{
    collections::BTreeMap,
    net::SocketAddr,
    path::{Path, PathBuf},
};

use payout_server::tools::Tenants;
use serde::Deserialize;

use super::guide::Guide;
use crate::{Error, import::Imported};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Tour {
    keys: Vec<[String; 3]>,
    try_it: String,
    chapters: Vec<Chapter>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Chapter {
    title: String,
    text: String,
    requests: Vec<Request>,
}

/// A request, and the status that must answer it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Request {
    pub(super) title: String,
    pub(super) operation: String,
    pub(super) path: String,
    /// Organisation and name; empty for a request without a key.
    #[serde(default = "key_of_every_scope")]
    pub(super) key: String,
    pub(super) idempotency_key: Option<String>,
    /// JSON.
    pub(super) body: Option<String>,
    #[serde(default = "ok")]
    pub(super) status: u16,
    /// The response must be the one before it again, marked as replayed.
    #[serde(default)]
    pub(super) is_replayed: bool,
    /// The fields of `data` that matter; without them, the first lines of the body are shown.
    #[serde(default)]
    pub(super) shows: Vec<String>,
    #[serde(default)]
    pub(super) save: BTreeMap<String, String>,
    /// The PDF that the response links to is downloaded afterwards.
    #[serde(default)]
    pub(super) download: bool,
    /// The page of the link in the response is read afterwards, which leaves the link unused.
    #[serde(default)]
    pub(super) opens: bool,
    /// The path of an affiliate link that is visited before; the request has its `{click}`.
    pub(super) visits: Option<String>,
    /// Lines whose hold is over are matured before, as an operator's daily command does.
    #[serde(default)]
    matures: bool,
}

fn key_of_every_scope() -> String {
    "main all".to_owned()
}

fn ok() -> u16 {
    200
}

impl Tour {
    pub(super) fn read() -> Result<Self, Error> {
        Ok(toml::from_str(include_str!("tour.toml"))?)
    }

    /// Addresses, keys, and `curl` commands to paste.
    pub(super) fn introduction(
        &self,
        address: SocketAddr,
        imported: &[Imported],
        keys_file: &Path,
    ) -> String {
        let keys = self.keys.iter().map(|[organization, name, may]| {
            let key = key(imported, organization, name);
            format!("  {key}  {organization:<9}  {name:<17}  {may}\n")
        });
        let try_it = self.try_it.replace("{address}", &address.to_string());
        format!(
            "API    http://{address}/api/v1\nDocs   http://{address}/docs\n\n\
             Keys (also in {})\n{}\nTry it\n{}\nA tour of real requests\n",
            keys_file.display(),
            keys.collect::<String>(),
            try_it.replace("{all}", key(imported, "main", "all"))
        )
    }

    /// Sends every request; returns whether all responses were as documented.
    pub(super) async fn run(
        &self,
        address: SocketAddr,
        imported: &[Imported],
        folder: &Path,
        tenants: &Tenants,
    ) -> Result<bool, Error> {
        let mut guide = Guide::new(format!("http://{address}"), imported)?;
        let (mut saved, mut links): (Vec<PathBuf>, Vec<String>) = Default::default();
        for Chapter { title, text, requests } in &self.chapters {
            anstream::println!("\u{1b}[1;4m{title}\u{1b}[0m\n{text}\n");
            for request in requests {
                if let Some(link) = &request.visits {
                    guide.visit(link).await?;
                }
                if request.matures {
                    let all = imported.iter().map(|organization| &organization.id);
                    guide.mature(tenants, all).await?;
                }
                let response = guide.send(request).await?;
                if request.download {
                    saved.extend(guide.download(&response["data"], folder).await?);
                }
                if request.opens {
                    links.extend(guide.read_link(&response["data"]).await?);
                }
            }
        }
        let (sent, wrong) = guide.sent_and_wrong();
        anstream::println!("{} of {sent} requests were answered as documented.", sent - wrong);
        for path in saved {
            anstream::println!("A statement is saved: {}", path.display());
        }
        for link in links {
            anstream::println!("A partner's portal, for one visit within five minutes:\n{link}");
        }
        Ok(wrong == 0)
    }
}

/// A key of the data set. A test makes the whole tour, so every key is there.
pub(super) fn key<'a>(imported: &'a [Imported], organization: &str, name: &str) -> &'a str {
    let mut keys =
        imported.iter().filter(|known| known.name == organization).flat_map(|known| &known.keys);
    let key = keys.find(|key| key.name == name);
    key.expect("the tour names keys of the data set").key.reveal()
}
