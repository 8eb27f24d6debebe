//! Links to statements (§2.4, §4.7 rule 1, S9, S10): who can follow one, until when, what it leads
//! to, and under which name. How a link is signed is not known here: each part of it is changed in
//! turn.

mod altered;
mod expiry;
mod faults;
mod names;

use chrono::TimeDelta;

use crate::cases::prelude::*;

/// The longest lifetime of a link, in days (S9).
const LONGEST_DAYS: i64 = 7;

async fn is_pdf(context: &mut CaseContext<'_>, payout: &str) -> CaseResult<Document> {
    let document = Document::of(context, payout).await?;
    let response = &document.download;
    let media_type = response.header("content-type").unwrap_or("none");
    response.that(
        media_type.split(';').next() == Some("application/pdf") || !context.judges("S9"),
        "The link does not lead to a PDF.",
        "content-type: application/pdf",
        media_type,
    )?;
    response.must(
        document.bytes().starts_with(b"%PDF-"),
        "The download does not begin like a PDF.",
        "%PDF-",
    )?;
    if let Some(length) = response.header("content-length") {
        let expected = document.bytes().len().to_string();
        response.same("content-length is not the number of bytes.", expected.as_str(), length)?;
    }
    Ok(document)
}

/// The link of a rendered statement leads to a complete PDF, without a key.
#[case("§4.7.1", on = generateStatement, fixtures(Payout), changes = Restored)]
async fn download(context: &mut CaseContext<'_>) -> CaseResult {
    let id = context.fixture(Fixture::Payout)?;
    let document = is_pdf(context, &id).await?;
    let whole = document.bytes().trim_ascii_end().ends_with(b"%%EOF");
    document.download.that(
        whole,
        "The PDF is cut off.",
        "%%EOF at its end",
        &format!("{} bytes without", document.bytes().len()),
    )?;
    if context.judges("S9") {
        // The link is the permission: a key sent with it is ignored.
        let with_key = Request::get("").header("x-api-key", "none");
        document.is_still_there_for(context, with_key).await?;
    }
    not_by_another(context, document.response.text("/data/downloadUrl")).await
}

/// Requires that the signature of one document's link does not open another document.
async fn not_by_another(context: &mut CaseContext<'_>, link: &str) -> CaseResult {
    let Ok(uploaded) = context.fixture(Fixture::PayoutUploaded) else {
        return Ok(());
    };
    let other = context.given(statement(context, &uploaded)?).await?;
    let other = other.text("/data/downloadUrl").to_owned();
    for (link, other) in [(link, other.as_str()), (&other, link)] {
        let path = link.split_once('?').map_or(link, |(path, _)| path);
        let query = other.split_once('?').map_or("", |(_, query)| query);
        let mixed = format!("{path}?{query}");
        // Without a query, or with one that does not depend on the document, it is the link itself.
        if query.is_empty() || mixed == link {
            continue;
        }
        let response = follow(context, &mixed).await?;
        response.is_refused("The link to one document works with the query of another.")?;
    }
    Ok(())
}

/// The link of an uploaded statement leads to a PDF, without a key.
#[case("§4.7.1", on = generateStatement, fixtures(PayoutUploaded))]
async fn download_uploaded(context: &mut CaseContext<'_>) -> CaseResult {
    let id = context.fixture(Fixture::PayoutUploaded)?;
    is_pdf(context, &id).await?;
    Ok(())
}

/// A statement with a link, of a payout that has an uploaded one: nothing is rendered.
async fn link(context: &mut CaseContext<'_>) -> CaseResult<Response> {
    let id = context.fixture(Fixture::PayoutUploaded)?;
    context.given(statement(context, &id)?).await
}

/// A link lives at most 7 days.
#[case("S9", on = generateStatement, fixtures(PayoutUploaded))]
async fn lifetime(context: &mut CaseContext<'_>) -> CaseResult {
    let response = link(context).await?;
    let (now, ends) = (response.responded_at(), instant(&response, "/data/expiresAt")?);
    // The deployment's clock may have begun another second.
    let longest = TimeDelta::days(LONGEST_DAYS) + TimeDelta::seconds(2);
    response.that(
        ends > now && ends - now <= longest,
        "The link lives longer than 7 days, or has expired.",
        &format!("after {now}, and within {LONGEST_DAYS} days"),
        response.text("/data/expiresAt"),
    )
}

/// A range of a download is 206 with its bytes, and one beyond its end is 416.
#[case("S9", on = generateStatement, fixtures(PayoutUploaded), features(LinksLocal), requests = 16)]
async fn range(context: &mut CaseContext<'_>) -> CaseResult {
    let link = link_now(context).await?;
    let whole = follow(context, &link).await?;
    whole.is(200)?;
    let ranged = |range: &str| Request::get("").header("range", range);
    let length = whole.body.len();
    // Suffixes, and more than there is, end with the file.
    for (range, from, to) in [
        ("bytes=1-4", 1, 5),
        ("bytes=0-0", 0, 1),
        ("bytes=-4", length.saturating_sub(4), length),
        ("bytes=2-99999999", 2, length),
        ("bytes=2-", 2, length),
    ] {
        // A short link may expire during so many requests.
        let link = link_now(context).await?;
        let part = context.follow(&link, ranged(range)).await?;
        let shown = part.header("content-range").unwrap_or("none");
        let expected = format!("bytes {from}-{}/{length}", to - 1);
        part.is(206)?.that(
            Some(&part.body[..]) == whole.body.get(from..to) && shown == expected,
            &format!("The range {range} has other bytes, or another content-range."),
            &format!("{expected}, and these bytes of the whole"),
            &format!("{shown}\n{}", part.shown()),
        )?;
    }
    let link = link_now(context).await?;
    let beyond = ranged(&format!("bytes={length}-"));
    let beyond = context.follow(&link, beyond).await?;
    let is_error = ["code", "message"].iter().all(|name| {
        let text = beyond.text(&format!("/error/{name}"));
        !text.is_empty()
    });
    beyond.is(416)?.must(
        is_error,
        "The error of a range has not the error body.",
        "error.code and error.message",
    )
}

async fn link_now(context: &mut CaseContext<'_>) -> CaseResult<String> {
    Ok(link(context).await?.text("/data/downloadUrl").to_owned())
}

async fn working_link(context: &mut CaseContext<'_>) -> CaseResult<String> {
    let link = link_now(context).await?;
    let control = follow(context, &link).await?;
    if control.status != 200 {
        return Err(CaseOutcome::inconclusive(
            "The link itself does not work, so that a changed one would prove nothing.",
            "200",
            control.status_line(),
            Some(control.exchange),
        ));
    }
    Ok(link)
}

/// A link that was changed in any part does not work.
#[case("§4.7.1", on = generateStatement, fixtures(PayoutUploaded), requests = 80)]
async fn altered(context: &mut CaseContext<'_>) -> CaseResult {
    let link = working_link(context).await?;
    for (what, changed) in altered::links(&link) {
        let response = follow(context, &changed).await?;
        response.is_refused(&format!("The link works with {what}."))?;
    }
    Ok(())
}

/// A link that was changed is 403 LINK_INVALID, or 404.
#[case("S9", on = generateStatement, fixtures(PayoutUploaded), features(LinksLocal), requests = 80)]
async fn altered_code(context: &mut CaseContext<'_>) -> CaseResult {
    let link = working_link(context).await?;
    are_invalid(context, &link).await
}

/// Requires that this link is invalid with any part changed, and that the error does not say
/// whether it has expired.
async fn are_invalid(context: &mut CaseContext<'_>, link: &str) -> CaseResult {
    for (what, changed) in altered::links(link).into_iter().chain([altered::extended(link)]) {
        let response = follow(context, &changed).await?;
        let is_refused = response.status == 403 && response.text("/error/code") == "LINK_INVALID";
        response.must(
            is_refused || response.status == 404,
            &format!("The link with {what} is not rejected as S9 says."),
            "403 with LINK_INVALID, or 404",
        )?;
    }
    Ok(())
}
