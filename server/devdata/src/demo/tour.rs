//! The requests of the tour and their expected statuses. The ids are those of
//! `conformance/dataset.json`.

use std::{
    fmt::Write,
    net::SocketAddr,
    path::{Path, PathBuf},
};

use serde_json::json;

use super::request::{Guide, Request};
use crate::{Error, import::write::Imported, say};

const NORDWIND: &str = "ptn_01JV3N8Q5R0000000000000001";
const NORDWIND_IN_CRM: &str = "4815162342";
const PAYOUT: &str = "pay_01JV3N8Q5R0000000000000001";
const LONG_PAYOUT: &str = "pay_01JV3N8Q5R0000000000000002";
const FOREIGN_PAYOUT: &str = "pay_01JV3N8Q5R0200000000000001";

/// The keys to print, by organisation and name, and what each allows.
const SHOWN_KEYS: [(&str, &str, &str); 10] = [
    ("main", "all", "everything"),
    ("main", "partners-read", "list and read partners"),
    ("main", "partners-write", "update partners"),
    ("main", "commissions-read", "read payouts and commission lines"),
    ("main", "commissions-write", "detach commission lines, generate statements"),
    ("main", "expired", "nothing, it has expired: 401"),
    ("other", "all", "everything, in another organisation"),
    ("exhausted", "all", "nothing, no credits are left: 402"),
    ("tight", "all", "everything, 5 times a minute"),
    ("unlimited", "all", "everything, without a credit allowance"),
];

/// Addresses, keys, and `curl` commands to paste.
pub(super) fn introduction(address: SocketAddr, imported: &[Imported], keys_file: &Path) -> String {
    let mut text = format!(
        "API    http://{address}/api/v1\nDocs   http://{address}/docs\n\nKeys (also in {})\n",
        keys_file.display()
    );
    for (organization, name, may) in SHOWN_KEYS {
        let key = key(imported, organization, name);
        // Writing to a String cannot fail.
        let _ = writeln!(text, "  {key}  {organization:<9}  {name:<17}  {may}");
    }
    let all = key(imported, "main", "all");
    let _ = write!(
        text,
        "\nTry it\n  \
         curl -i -H 'x-api-key: {all}' 'http://{address}/api/v1/partners?limit=2'\n  \
         curl -i -H 'x-api-key: {all}' 'http://{address}/api/v1/payouts/{PAYOUT}'\n  \
         curl -i -H 'x-api-key: {all}' \
         'http://{address}/api/v1/commission-lines?status=PENDING&limit=3'\n  \
         curl -i -X PATCH -H 'x-api-key: {all}' -H 'content-type: application/json' \
         -d '{{\"name\":\"Nordwind Logistik GmbH\"}}' \
         'http://{address}/api/v1/partners/{NORDWIND_IN_CRM}'\n\n\
         A tour of real requests\n"
    );
    text
}

/// Sends every request of the tour; returns whether all responses were as documented.
pub(super) async fn run(
    address: SocketAddr,
    imported: &[Imported],
    folder: &Path,
) -> Result<bool, Error> {
    let mut guide = Guide::new(format!("http://{address}"))?;
    let tour = Tour { imported, all: key(imported, "main", "all") };
    tour.partners(&mut guide).await?;
    tour.commissions(&mut guide).await?;
    tour.errors(&mut guide).await?;
    let saved = tour.statement(&mut guide, folder).await?;
    let (sent, wrong) = guide.sent_and_wrong();
    say!("{} of {sent} requests were answered as documented.", sent - wrong);
    if let Some(path) = saved {
        say!("The statement is saved: {}", path.display());
    }
    Ok(wrong == 0)
}

struct Tour<'a> {
    imported: &'a [Imported],
    /// The key with every scope.
    all: &'a str,
}

impl<'a> Tour<'a> {
    /// A request with the key of every scope.
    fn request(&self, title: &'a str, operation: &'a str, path: impl Into<String>) -> Request<'a> {
        Request::new(title, operation, path).key("PAYOUT_KEY_MAIN_ALL", self.all)
    }

    async fn partners(&self, guide: &mut Guide) -> Result<(), Error> {
        let list = "/api/v1/partners?limit=2";
        guide.send(self.request("List partners, two on a page", "listPartners", list)).await?;
        let path = format!("/api/v1/partners/{NORDWIND_IN_CRM}");
        let get = self.request("Get a partner by its id in the CRM", "getPartner", path);
        let former = guide.send(get).await?["data"]["name"].clone();
        let path = format!("/api/v1/partners/{NORDWIND}");
        let rename = |title, name| {
            let request = self.request(title, "updatePartner", path.as_str());
            request.body(json!({ "name": name }))
        };
        guide.send(rename("Rename a partner", "Nordwind Logistik GmbH".into())).await?;
        guide.send(rename("… and restore its former name", former)).await?;
        Ok(())
    }

    async fn commissions(&self, guide: &mut Guide) -> Result<(), Error> {
        let lines = |title, query: String| {
            let path = format!("/api/v1/commission-lines?{query}");
            self.request(title, "listCommissionLines", path)
        };
        let pending = "status=PENDING&limit=2";
        let first = lines("List pending commission lines", pending.to_owned());
        let page = guide.send(first).await?;
        let cursor = page["pagination"]["nextCursor"].as_str().unwrap_or_default();
        let next = format!("{pending}&cursor={cursor}");
        guide.send(lines("… and their next page", next)).await?;
        let payout = format!("/api/v1/payouts/{PAYOUT}");
        guide.send(self.request("Get a payout", "getPayout", payout.as_str())).await?;
        let attached = lines("List the lines attached to it", format!("payoutId={PAYOUT}"));
        let attached = guide.send(attached).await?;
        let line = attached["data"][0]["id"].as_str().unwrap_or("none");
        let path = format!("/api/v1/commission-lines/{line}/detach");
        let detach = |title| self.request(title, "detachCommissionLine", path.as_str());
        guide.send(detach("Detach one: it returns to the pending pool")).await?;
        let reduced = "The payout's amount is reduced by it";
        guide.send(self.request(reduced, "getPayout", payout.as_str())).await?;
        let again = detach("Detach it again: 422, it is not attached");
        guide.send(again.expect(422)).await?;
        Ok(())
    }

    async fn errors(&self, guide: &mut Guide) -> Result<(), Error> {
        let list = |title| Request::new(title, "listPartners", "/api/v1/partners?limit=1");
        guide.send(list("Without a key: 401").expect(401)).await?;
        let reader = key(self.imported, "main", "commissions-read");
        let no_scope = list("With a key that lacks the scope: 403");
        let no_scope = no_scope.key("PAYOUT_KEY_MAIN_COMMISSIONS_READ", reader);
        guide.send(no_scope.expect(403)).await?;
        let title = "With an invalid body: 422, all violations at once";
        let invalid = self.request(title, "updatePartner", format!("/api/v1/partners/{NORDWIND}"));
        let invalid = invalid.body(json!({ "name": "", "domain": 7, "colour": "red" }));
        guide.send(invalid.expect(422)).await?;
        let spent = key(self.imported, "exhausted", "all");
        let no_credit = list("Without credits: 402, and when there are new ones");
        let no_credit = no_credit.key("PAYOUT_KEY_EXHAUSTED_ALL", spent);
        guide.send(no_credit.expect(402)).await?;
        let title = "The payout of another organisation: 404, as if it did not exist";
        let foreign = self.request(title, "getPayout", format!("/api/v1/payouts/{FOREIGN_PAYOUT}"));
        guide.send(foreign.expect(404)).await?;
        Ok(())
    }

    /// Generates a statement and downloads it; returns where it was saved.
    async fn statement(&self, guide: &mut Guide, folder: &Path) -> Result<Option<PathBuf>, Error> {
        let path = format!("/api/v1/payouts/{LONG_PAYOUT}/statement");
        let generate = |title| self.request(title, "generateStatement", path.as_str());
        let first = generate("Generate the statement of a payout with 41 lines");
        let statement = guide.send(first).await?;
        guide.send(generate("… and again: the same document, with a new link")).await?;
        let data = &statement["data"];
        let (Some(url), Some(filename)) = (data["downloadUrl"].as_str(), data["filename"].as_str())
        else {
            return Ok(None);
        };
        let pdf = guide.download(url).await?;
        let Some(pdf) = pdf.filter(|_| !filename.contains(['/', '\\'])) else {
            return Ok(None);
        };
        let path = folder.join(filename);
        std::fs::write(&path, pdf)
            .map_err(|error| format!("cannot write {}: {error}", path.display()))?;
        Ok(Some(path))
    }
}

/// A key of the data set. A test makes the whole tour, so every key is there.
fn key<'a>(imported: &'a [Imported], organization: &str, name: &str) -> &'a str {
    let mut keys =
        imported.iter().filter(|known| known.name == organization).flat_map(|known| &known.keys);
    let key = keys.find(|key| key.name == name);
    key.expect("the tour names keys of the data set").key.reveal()
}
