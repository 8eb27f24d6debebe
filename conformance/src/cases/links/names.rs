//! The filename, in the result and in the download's header (S9, S10). How names in other scripts
//! are written is open; they must be harmless.

use percent_encoding::percent_decode_str;
use regex::Regex;

use super::is_pdf;
use crate::cases::prelude::*;

/// Bytes of the longest filename.
const LONGEST_NAME: usize = 255;

/// A download is an attachment with the filename of the result.
#[case("S9", on = generateStatement, fixtures(Payout), changes = Restored)]
async fn attachment(context: &mut CaseContext<'_>) -> CaseResult {
    let mut ids = vec![context.fixture(Fixture::Payout)?];
    ids.extend(context.fixture(Fixture::PayoutUploaded));
    if context.deployment().features.contains(&Feature::Seeded) {
        // The partner's name is not ASCII.
        ids.extend(dataset::payout_id("paid").map(str::to_owned));
    }
    for id in ids {
        is_attachment(context, &id).await?;
    }
    Ok(())
}

async fn is_attachment(context: &mut CaseContext<'_>, payout: &str) -> CaseResult {
    let document = is_pdf(context, payout).await?;
    let response = &document.download;
    let disposition = response.header("content-disposition").unwrap_or("none");
    let filename = document.response.text("/data/filename");
    let mut parts = disposition.split(';').map(str::trim);
    response.that(
        parts.next() == Some("attachment"),
        "The download is not an attachment.",
        "content-disposition: attachment",
        disposition,
    )?;
    let parts: Vec<&str> = parts.collect();
    let ascii = parts.iter().find_map(|part| part.strip_prefix("filename="));
    let ascii = ascii.map(|name| name.trim_matches('"'));
    let whole = parts.iter().find_map(|part| part.strip_prefix("filename*=UTF-8''"));
    let whole = whole.map(|name| percent_decode_str(name).decode_utf8_lossy());
    response.that(
        whole.as_deref() == Some(filename) && ascii.is_some_and(str::is_ascii),
        "content-disposition does not name the file, in ASCII and in UTF-8.",
        &format!("filename=\"…\" in ASCII, and filename*=UTF-8''… that is {filename:?}"),
        disposition,
    )?;
    response.that(
        !filename.is_ascii() || ascii == Some(filename),
        "content-disposition and the result have different filenames.",
        filename,
        disposition,
    )?;
    Ok(())
}

/// The filename contains partner and month, and is safe on every system.
#[case("S10", on = generateStatement, fixtures(Payout), changes = Restored, requests = 12)]
async fn filename(context: &mut CaseContext<'_>) -> CaseResult {
    let mut fixtures = vec![context.fixture(Fixture::Payout)?];
    fixtures.extend(context.fixture(Fixture::PayoutOfManyLines));
    fixtures.extend(context.fixture(Fixture::PayoutUploaded));
    let changed = context.fixture(Fixture::Partner).unwrap_or_default();
    let form = Regex::new(r"^statement-(.+)-([0-9]{4}-[0-9]{2})\.pdf$").expect("a sound pattern");
    for id in fixtures {
        let of_payout = context.given(payout(context, &id)?).await?;
        let response = context.send(statement(context, &id)?).await?;
        let name = response.is(200)?.text("/data/filename");
        let ends = instant(&of_payout, "/data/periodEnd")?;
        let month = ends.format("%Y-%m").to_string();
        let parts = form.captures(name);
        response.that(
            parts.as_ref().is_some_and(|parts| parts[2] == month),
            "The filename has another form than S10 says.",
            &format!("statement-<partner>-{month}.pdf"),
            name,
        )?;
        let is_unsafe = |letter: char| letter.is_control() || r#"/\:*?"<>|%"#.contains(letter);
        response.that(
            !name.contains(is_unsafe) && name.len() <= LONGEST_NAME,
            "The filename is not safe on every system.",
            r#"none of / \ : * ? " < > | %, no control character, 255 bytes at most"#,
            name,
        )?;
        let partner = of_payout.text("/data/partner/name");
        // It contains the name at rendering, which may be one that a case gave the partner.
        let is_changed = of_payout.text("/data/partner/id") == changed;
        if is_changed || !partner.is_ascii() {
            continue;
        }
        // Other letters may be replaced; those of ASCII stay in their order.
        let plain = |text: &str| {
            let letters = text.chars().filter(char::is_ascii_alphanumeric);
            letters.collect::<String>().to_lowercase()
        };
        let printed = plain(parts.as_ref().map_or("", |parts| &parts[1]));
        response.that(
            !printed.is_empty() && plain(partner).starts_with(&printed),
            "The filename does not contain the partner's name.",
            partner,
            name,
        )?;
    }
    Ok(())
}
