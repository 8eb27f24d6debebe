//! Which calls the tour makes, and what must come back.
//!
//! It refuses to depend on anything but the data set: the ids are those of `conformance/dataset.json`.

use std::{
    fmt::Write,
    net::SocketAddr,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

use super::call::{Call, Guide};
use crate::cli::output::say;
use crate::{cli::error::CliError, import::write::Imported};

const NORDWIND: &str = "ptn_01JV3N8Q5R0000000000000001";
const NORDWIND_IN_CRM: &str = "4815162342";
const PAYOUT: &str = "pay_01JV3N8Q5R0000000000000001";
const LONG_PAYOUT: &str = "pay_01JV3N8Q5R0000000000000002";
const FOREIGN_PAYOUT: &str = "pay_01JV3N8Q5R0200000000000001";

/// The keys that the tour shows, by organisation and name, and what each may do.
const SHOWN_KEYS: [(&str, &str, &str); 10] = [
    ("main", "all", "everything"),
    ("main", "partners-read", "list and read partners"),
    ("main", "partners-write", "update partners"),
    (
        "main",
        "commissions-read",
        "read payouts and commission lines",
    ),
    (
        "main",
        "commissions-write",
        "detach commission lines, generate statements",
    ),
    ("main", "expired", "nothing any more: 401"),
    ("other", "all", "everything, in another organisation"),
    ("exhausted", "all", "nothing this month: 402"),
    ("tight", "all", "everything, 5 times a minute"),
    ("unlimited", "all", "everything, without a credit allowance"),
];

/// What a person needs to begin: addresses, keys, and lines to paste.
#[must_use]
pub fn introduction(address: SocketAddr, imported: &[Imported], keys_file: &Path) -> String {
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
         curl -i -H 'x-api-key: {all}' 'http://{address}/api/v1/commission-lines?status=PENDING&limit=3'\n  \
         curl -i -X PATCH -H 'x-api-key: {all}' -H 'content-type: application/json' -d '{{\"name\":\"Nordwind Logistik GmbH\"}}' \
         'http://{address}/api/v1/partners/{NORDWIND_IN_CRM}'\n\n\
         A tour of real calls\n"
    );
    text
}

/// Makes every call of the tour; whether all were answered as the document says.
///
/// # Errors
/// The server gave no answer.
pub async fn run(
    address: SocketAddr,
    imported: &[Imported],
    folder: &Path,
) -> Result<bool, CliError> {
    let mut guide = Guide::new(format!("http://{address}"))?;
    let all = ("PAYOUT_KEY_MAIN_ALL", key(imported, "main", "all"));
    partners(&mut guide, all).await?;
    commissions(&mut guide, all).await?;
    refusals(&mut guide, all, imported).await?;
    let saved = statement(&mut guide, all, folder).await?;
    let (made, wrong) = guide.made_and_wrong();
    say!(
        "{} of {made} calls were answered as the document says.",
        made - wrong
    );
    if let Some(path) = saved {
        say!("The statement is saved: {}", path.display());
    }
    Ok(wrong == 0)
}

async fn partners(guide: &mut Guide, all: (&str, &str)) -> Result<(), CliError> {
    let read = |title, operation, path: &str| Call {
        title,
        operation,
        path: path.to_owned(),
        key: Some(all),
        body: None,
        expected_status: 200,
    };
    guide
        .call(read(
            "List partners, two on a page",
            "listPartners",
            "/api/v1/partners?limit=2",
        ))
        .await?;
    let by_external_id = format!("/api/v1/partners/{NORDWIND_IN_CRM}");
    let found = guide
        .call(read(
            "Get a partner by its id in the CRM",
            "getPartner",
            &by_external_id,
        ))
        .await?;
    let former = found["data"]["name"].clone();
    let rename = |title, name: Value| Call {
        body: Some(json!({ "name": name })),
        ..read(
            title,
            "updatePartner",
            &format!("/api/v1/partners/{NORDWIND}"),
        )
    };
    guide
        .call(rename("Rename a partner", "Nordwind Logistik GmbH".into()))
        .await?;
    guide
        .call(rename("… and give it its former name back", former))
        .await
        .map(drop)
}

async fn commissions(guide: &mut Guide, all: (&str, &str)) -> Result<(), CliError> {
    let ok = |title, operation, path: String| Call {
        title,
        operation,
        path,
        key: Some(all),
        body: None,
        expected_status: 200,
    };
    let filtered = "/api/v1/commission-lines?status=PENDING&limit=2".to_owned();
    let page = guide
        .call(ok(
            "List pending commission lines",
            "listCommissionLines",
            filtered.clone(),
        ))
        .await?;
    let cursor = page["pagination"]["nextCursor"]
        .as_str()
        .unwrap_or_default();
    let second = format!("{filtered}&cursor={cursor}");
    guide
        .call(ok(
            "… and the next page of them",
            "listCommissionLines",
            second,
        ))
        .await?;
    let payout = format!("/api/v1/payouts/{PAYOUT}");
    guide
        .call(ok("Get a payout", "getPayout", payout.clone()))
        .await?;
    let attached = format!("/api/v1/commission-lines?payoutId={PAYOUT}");
    let lines = guide
        .call(ok(
            "List the lines attached to it",
            "listCommissionLines",
            attached,
        ))
        .await?;
    let line = lines["data"][0]["id"].as_str().unwrap_or("none").to_owned();
    let detach = format!("/api/v1/commission-lines/{line}/detach");
    guide
        .call(ok(
            "Detach one: it returns to the pending pool",
            "detachCommissionLine",
            detach.clone(),
        ))
        .await?;
    guide
        .call(ok(
            "The payout's amount has become less by it",
            "getPayout",
            payout,
        ))
        .await?;
    let again = Call {
        expected_status: 422,
        ..ok(
            "Detach it again: 422, it is attached to nothing",
            "detachCommissionLine",
            detach,
        )
    };
    guide.call(again).await.map(drop)
}

/// A statement, downloaded as a partner's finance department would; where it was saved.
async fn statement(
    guide: &mut Guide,
    all: (&str, &str),
    folder: &Path,
) -> Result<Option<PathBuf>, CliError> {
    let generate = |title| Call {
        title,
        operation: "generateStatement",
        path: format!("/api/v1/payouts/{LONG_PAYOUT}/statement"),
        key: Some(all),
        body: None,
        expected_status: 200,
    };
    let made = guide
        .call(generate("Generate the statement of a payout with 41 lines"))
        .await?;
    let again = generate("… and again: the same document, with a new link");
    guide.call(again).await?;
    let data = &made["data"];
    let (Some(url), Some(filename)) = (data["downloadUrl"].as_str(), data["filename"].as_str())
    else {
        return Ok(None);
    };
    let pdf = guide.download(url).await?;
    let Some(pdf) = pdf.filter(|_| !filename.contains(['/', '\\'])) else {
        return Ok(None);
    };
    let path = folder.join(filename);
    std::fs::write(&path, pdf).map_err(|error| {
        CliError::told(format!("{} cannot be written: {error}", path.display()))
    })?;
    Ok(Some(path))
}

async fn refusals(
    guide: &mut Guide,
    all: (&str, &str),
    imported: &[Imported],
) -> Result<(), CliError> {
    let partners = "/api/v1/partners?limit=1";
    let refused = |title, expected_status, key, operation, path: String| Call {
        title,
        operation,
        path,
        key,
        body: None,
        expected_status,
    };
    let no_key = refused(
        "Without a key: 401",
        401,
        None,
        "listPartners",
        partners.to_owned(),
    );
    guide.call(no_key).await?;
    let reader = Some((
        "PAYOUT_KEY_MAIN_COMMISSIONS_READ",
        key(imported, "main", "commissions-read"),
    ));
    let no_scope = refused(
        "With a key that lacks the scope: 403",
        403,
        reader,
        "listPartners",
        partners.to_owned(),
    );
    guide.call(no_scope).await?;
    let path = format!("/api/v1/partners/{NORDWIND}");
    let invalid = Call {
        body: Some(json!({ "name": "", "domain": 7, "colour": "red" })),
        ..refused(
            "With a body that breaks rules: 422, all violations at once",
            422,
            Some(all),
            "updatePartner",
            path,
        )
    };
    guide.call(invalid).await?;
    let spent = Some((
        "PAYOUT_KEY_EXHAUSTED_ALL",
        key(imported, "exhausted", "all"),
    ));
    let no_credit = refused(
        "Without credits: 402, and how long until there are new ones",
        402,
        spent,
        "listPartners",
        partners.to_owned(),
    );
    guide.call(no_credit).await?;
    let path = format!("/api/v1/payouts/{FOREIGN_PAYOUT}");
    let foreign = refused(
        "The payout of another organisation: 404, as if there were none",
        404,
        Some(all),
        "getPayout",
        path,
    );
    guide.call(foreign).await.map(drop)
}

/// A key of the data set.
///
/// # Panics
/// Never: a test makes the whole tour.
fn key<'a>(imported: &'a [Imported], organization: &str, name: &str) -> &'a str {
    let mut keys = imported
        .iter()
        .filter(|known| known.name == organization)
        .flat_map(|known| &known.keys);
    let key = keys.find(|key| key.name == name);
    key.expect("the tour names keys of the data set")
        .key
        .reveal()
}
