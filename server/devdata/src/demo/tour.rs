//! The requests of the tour and their expected statuses. The ids are those of
//! `conformance/dataset.json`; `life.rs` creates its own.

mod life;

use std::{
    fmt::Write,
    net::SocketAddr,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

use super::request::{Guide, Request};
use crate::{Error, import::Imported};

const NORDWIND: &str = "ptn_01JV3N8Q5R0000000000000001";
const NORDWIND_IN_CRM: &str = "4815162342";
const PAYOUT: &str = "pay_01JV3N8Q5R0000000000000001";
const LONG_PAYOUT: &str = "pay_01JV3N8Q5R0000000000000002";
const FOREIGN_PAYOUT: &str = "pay_01JV3N8Q5R0200000000000001";

/// The fields that the tour shows of partners, lines and payouts.
const PARTNER_FIELDS: &[&str] = &["id", "name", "domain", "status"];
const LINE_FIELDS: &[&str] = &["id", "status", "amount", "payoutId"];
const PAYOUT_FIELDS: &[&str] = &["id", "stage", "amount"];

/// The keys to print, by organisation and name, and what each allows.
const SHOWN_KEYS: [(&str, &str, &str); 10] = [
    ("main", "all", "everything"),
    ("main", "partners-read", "list and read partners"),
    ("main", "partners-write", "create and update partners"),
    ("main", "commissions-read", "list and read payouts and commission lines"),
    ("main", "commissions-write", "create and change payouts and lines, generate statements"),
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
         'http://{address}/api/v1/partners/{NORDWIND_IN_CRM}'\n  \
         curl -i -X POST -H 'x-api-key: {all}' -H 'content-type: application/json' \
         -H 'idempotency-key: try-it' \
         -d '{{\"partnerId\":\"{NORDWIND}\",\"amount\":\"12.50\",\"currency\":\"EUR\",\
         \"description\":\"A line of mine\"}}' \
         'http://{address}/api/v1/commission-lines'\n\n\
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
    let tour = Tour { imported, all: key(imported, "main", "all"), folder };
    tour.partners(&mut guide).await?;
    tour.commissions(&mut guide).await?;
    let paid = tour.life(&mut guide).await?;
    tour.errors(&mut guide).await?;
    let long = tour.statement(&mut guide).await?;
    let (sent, wrong) = guide.sent_and_wrong();
    anstream::println!("{} of {sent} requests were answered as documented.", sent - wrong);
    for path in [paid, long].into_iter().flatten() {
        anstream::println!("A statement is saved: {}", path.display());
    }
    Ok(wrong == 0)
}

struct Tour<'a> {
    imported: &'a [Imported],
    /// The key with every scope.
    all: &'a str,
    /// Statements are saved here.
    folder: &'a Path,
}

impl<'a> Tour<'a> {
    /// A request with the key of every scope.
    fn request(&self, title: &'a str, operation: &'a str, path: impl Into<String>) -> Request<'a> {
        Request::new(title, operation, path).key("PAYOUT_KEY_MAIN_ALL", self.all)
    }

    async fn partners(&self, guide: &mut Guide) -> Result<(), Error> {
        guide.chapter(
            "Partners",
            "Lists have pages. A partner has an id here, and can have one in the CRM.",
        );
        let list = "/api/v1/partners?limit=2";
        guide.send(self.request("List partners, two on a page", "listPartners", list)).await?;
        let path = format!("/api/v1/partners/{NORDWIND_IN_CRM}");
        let get = self.request("Get a partner by its id in the CRM", "getPartner", path);
        let former = guide.send(get.shows(PARTNER_FIELDS)).await?["data"]["name"].clone();
        let path = format!("/api/v1/partners/{NORDWIND}");
        let rename = |title, name| {
            let request = self.request(title, "updatePartner", path.as_str());
            request.body(json!({ "name": name })).shows(PARTNER_FIELDS)
        };
        guide.send(rename("Rename a partner", "Nordwind Logistik GmbH".into())).await?;
        guide.send(rename("… and restore its former name", former)).await?;
        Ok(())
    }

    async fn commissions(&self, guide: &mut Guide) -> Result<(), Error> {
        let text = "A line is in a payout, or waits in the pending pool. A payout's amount is the \
                    exact sum of its lines.";
        guide.chapter("Commission lines and payouts", text);
        let lines = |title, query: String| {
            let path = format!("/api/v1/commission-lines?{query}");
            self.request(title, "listCommissionLines", path).shows(LINE_FIELDS)
        };
        let pending = "status=PENDING&limit=2";
        let first = lines("List pending commission lines", pending.to_owned());
        let page = guide.send(first).await?;
        let cursor = page["pagination"]["nextCursor"].as_str().unwrap_or_default();
        let next = format!("{pending}&cursor={cursor}");
        guide.send(lines("… and their next page", next)).await?;
        let payout = format!("/api/v1/payouts/{PAYOUT}");
        let get = |title| self.request(title, "getPayout", payout.as_str()).shows(PAYOUT_FIELDS);
        guide.send(get("Get a payout")).await?;
        let attached = lines("List the lines attached to it", format!("payoutId={PAYOUT}"));
        let attached = guide.send(attached).await?;
        let line = attached["data"][0]["id"].as_str().unwrap_or("none");
        let path = format!("/api/v1/commission-lines/{line}/detach");
        let detach =
            |title| self.request(title, "detachCommissionLine", path.as_str()).shows(LINE_FIELDS);
        guide.send(detach("Detach one: it returns to the pending pool")).await?;
        guide.send(get("The payout's amount is reduced by it")).await?;
        let again = detach("Detach it again: 422, it is not attached");
        guide.send(again.expect(422)).await?;
        Ok(())
    }

    async fn errors(&self, guide: &mut Guide) -> Result<(), Error> {
        guide.chapter("Errors", "Every error has one shape, and a stable code for programs.");
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

    async fn statement(&self, guide: &mut Guide) -> Result<Option<PathBuf>, Error> {
        let text = "As long as a payout stays as it is, its statement is the same document.";
        guide.chapter("Statements", text);
        let path = format!("/api/v1/payouts/{LONG_PAYOUT}/statement");
        let generate = |title| self.request(title, "generateStatement", path.as_str());
        let first = generate("Generate the statement of a payout with 41 lines");
        let statement = guide.send(first).await?;
        let again = generate("… and again: the same document, with a new link");
        guide.send(again.shows(&["assetId", "filename", "expiresAt"])).await?;
        self.save(guide, &statement).await
    }

    /// Downloads a statement and saves it; returns where.
    async fn save(&self, guide: &mut Guide, statement: &Value) -> Result<Option<PathBuf>, Error> {
        let data = &statement["data"];
        let (Some(url), Some(filename)) = (data["downloadUrl"].as_str(), data["filename"].as_str())
        else {
            return Ok(None);
        };
        let pdf = guide.download(url).await?;
        let Some(pdf) = pdf.filter(|_| !filename.contains(['/', '\\'])) else {
            return Ok(None);
        };
        let path = self.folder.join(filename);
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
