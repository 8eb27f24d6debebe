//! Links to statements (§2.4, §4.7 rule 1, S9, S10): who may follow one, until when, what it leads to, and under which name.
//!
//! It refuses to know how a link is signed: it changes each part of it, and none may work.
//!
//! | file | owns |
//! |---|---|
//! | [`altered`] | a link with one part of it changed |
//! | [`expiry`] | the end of a link |
//! | [`names`] | what the file is called |

mod altered;
mod expiry;
mod names;

use chrono::TimeDelta;

use super::money::{
    document::{Document, follow, statement},
    instant, told_at,
};
use crate::{
    case::{Case, CaseContext, CaseOutcome, Changes, definition::runs},
    exchange::{Request, Response},
    target::{Feature, Fixture},
};
use expiry::{expired, expired_code};
use names::{attachment, filename};

/// Days that a link may live (S9).
const LONGEST_DAYS: i64 = 7;

/// The cases.
pub(super) const CASES: &[Case] = &[
    Case::new(
        "links.download",
        "The link of a rendered statement leads to a whole PDF, without a key.",
        "§4.7.1",
        runs!(download),
    )
    .on("generateStatement")
    .fixtures(&[Fixture::Payout])
    .changes(Changes::Restored),
    Case::new(
        "links.download-uploaded",
        "The link of an uploaded statement leads to a PDF, without a key.",
        "§4.7.1",
        runs!(download_uploaded),
    )
    .on("generateStatement")
    .fixtures(&[Fixture::PayoutUploaded]),
    Case::new(
        "links.attachment",
        "A download is an attachment with the filename that the result told.",
        "S9",
        runs!(attachment),
    )
    .on("generateStatement")
    .fixtures(&[Fixture::Payout])
    .changes(Changes::Restored),
    Case::new(
        "links.lifetime",
        "A link lives 7 days at most.",
        "S9",
        runs!(lifetime),
    )
    .on("generateStatement")
    .fixtures(&[Fixture::PayoutUploaded]),
    Case::new(
        "links.range",
        "A range of a download is 206 with its bytes, and one beyond its end 416.",
        "S9",
        runs!(range),
    )
    .on("generateStatement")
    .fixtures(&[Fixture::PayoutUploaded])
    .requests(12)
    .features(&[Feature::LinksLocal]),
    Case::new(
        "links.altered",
        "A link that was changed in any part leads nowhere.",
        "§4.7.1",
        runs!(altered_links),
    )
    .on("generateStatement")
    .fixtures(&[Fixture::PayoutUploaded])
    .requests(80),
    Case::new(
        "links.altered-code",
        "A link that was changed is 403 LINK_INVALID, or 404.",
        "S9",
        runs!(altered_code),
    )
    .on("generateStatement")
    .fixtures(&[Fixture::PayoutUploaded])
    .features(&[Feature::LinksLocal])
    .requests(80),
    Case::new(
        "links.expired",
        "A link works until expiresAt, and not after it.",
        "§2.4.expiresAt",
        runs!(expired),
    )
    .on("generateStatement")
    .fixtures(&[Fixture::PayoutUploaded])
    .features(&[Feature::ShortLinks])
    .requests(60),
    Case::new(
        "links.expired-code",
        "An expired link is 403 LINK_EXPIRED, and one that was changed too is LINK_INVALID.",
        "S9",
        runs!(expired_code),
    )
    .on("generateStatement")
    .fixtures(&[Fixture::PayoutUploaded])
    .features(&[Feature::LinksLocal, Feature::ShortLinks])
    .requests(120),
    Case::new(
        "links.filename",
        "The filename tells partner and month, and is safe on every system.",
        "S10",
        runs!(filename),
    )
    .on("generateStatement")
    .fixtures(&[Fixture::Payout])
    .changes(Changes::Restored)
    .requests(12),
];

async fn is_pdf(context: &mut CaseContext<'_>, payout: &str) -> Result<Document, CaseOutcome> {
    let document = Document::of(context, payout).await?;
    let response = &document.download;
    let media_type = response.header("content-type").unwrap_or("none");
    response.that(
        media_type.split(';').next() == Some("application/pdf"),
        "The link leads to something else than a PDF.",
        "content-type: application/pdf",
        media_type,
    )?;
    response.that(
        document.bytes().starts_with(b"%PDF-"),
        "The download does not begin as a PDF.",
        "%PDF-",
        &response.shown(),
    )?;
    if let Some(length) = response.header("content-length") {
        response.that(
            length == document.bytes().len().to_string(),
            "content-length is not the number of bytes.",
            &document.bytes().len().to_string(),
            length,
        )?;
    }
    Ok(document)
}

async fn download(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let id = context.fixture(Fixture::Payout)?;
    let document = is_pdf(context, &id).await?;
    let whole = document.bytes().trim_ascii_end().ends_with(b"%%EOF");
    document.download.that(
        whole,
        "The PDF has no end: it broke off.",
        "%%EOF at its end",
        &format!("{} bytes without", document.bytes().len()),
    )?;
    // The link is the permission: a key beside it, of whatever kind, is not looked at.
    let with_key = Request::get("").header("x-api-key", "none");
    document.is_still_there_for(context, with_key).await?;
    not_by_another(context, document.response.text("/data/downloadUrl")).await
}

/// What signs the link of one document opens no other.
async fn not_by_another(context: &mut CaseContext<'_>, link: &str) -> Result<(), CaseOutcome> {
    let Ok(uploaded) = context.fixture(Fixture::PayoutUploaded) else {
        return Ok(());
    };
    let other = context.given(statement(context, &uploaded)?).await?;
    let other = other.text("/data/downloadUrl").to_owned();
    for (link, other) in [(link, other.as_str()), (&other, link)] {
        let path = link.split_once('?').map_or(link, |(path, _)| path);
        let query = other.split_once('?').map_or("", |(_, query)| query);
        let mixed = format!("{path}?{query}");
        // Without a query, or with one that says nothing of the document, it is the link itself.
        if query.is_empty() || mixed == link {
            continue;
        }
        let response = follow(context, &mixed).await?;
        response.that(
            !response.is_success(),
            "The link to one document, with the query of another's, works.",
            "no success",
            &response.status_line(),
        )?;
    }
    Ok(())
}

async fn download_uploaded(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let id = context.fixture(Fixture::PayoutUploaded)?;
    is_pdf(context, &id).await?;
    Ok(())
}

/// A statement with a link that leads to it, of a payout whose statement is there already: nothing is made.
async fn link(context: &mut CaseContext<'_>) -> Result<Response, CaseOutcome> {
    let id = context.fixture(Fixture::PayoutUploaded)?;
    context.given(statement(context, &id)?).await
}

async fn lifetime(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let response = link(context).await?;
    let (now, ends) = (told_at(&response), instant(&response, "/data/expiresAt")?);
    // The clock may have begun another second.
    let longest = TimeDelta::days(LONGEST_DAYS) + TimeDelta::seconds(2);
    response.that(
        ends > now && ends - now <= longest,
        "The link lives longer than 7 days, or not at all.",
        &format!("after {now}, and within {LONGEST_DAYS} days"),
        response.text("/data/expiresAt"),
    )?;
    Ok(())
}

async fn range(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let response = link(context).await?;
    let link = response.text("/data/downloadUrl").to_owned();
    let whole = follow(context, &link).await?;
    whole.is(200)?;
    let ranged = |range: &str| Request::get("").header("range", range);
    let length = whole.body.len();
    let part = context.follow(&link, ranged("bytes=1-4")).await?;
    part.is(206)?.that(
        Some(&part.body[..]) == whole.body.get(1..5),
        "A range of the download has other bytes.",
        "bytes 1 to 4 of the whole",
        &part.shown(),
    )?;
    let told = part.header("content-range").unwrap_or("none");
    let expected = format!("bytes 1-4/{length}");
    part.that(
        told == expected,
        "content-range does not say which bytes these are.",
        &expected,
        told,
    )?;
    let first = context.follow(&link, ranged("bytes=0-0")).await?;
    first.is(206)?.that(
        Some(&first.body[..]) == whole.body.get(..1),
        "The range bytes=0-0 is not the first byte.",
        "the first byte of the whole",
        &first.shown(),
    )?;
    // So many requests may take longer than a short link lives.
    let response = self::link(context).await?;
    let link = response.text("/data/downloadUrl").to_owned();
    // The last ones, and more than there are: both end where the file ends.
    for (asked, from) in [
        ("bytes=-4", length.saturating_sub(4)),
        ("bytes=2-99999999", 2),
        ("bytes=2-", 2),
    ] {
        let part = context.follow(&link, ranged(asked)).await?;
        let told = part.header("content-range").unwrap_or("none");
        let expected = format!("bytes {from}-{}/{length}", length - 1);
        part.is(206)?.that(
            Some(&part.body[..]) == whole.body.get(from..) && told == expected,
            &format!("The range {asked} is not the end of the file."),
            &format!("{expected}, and these bytes of the whole"),
            &format!("{told}\n{}", part.shown()),
        )?;
    }
    let beyond = ranged(&format!("bytes={length}-"));
    let beyond = context.follow(&link, beyond).await?;
    let is_error = ["code", "message"].iter().all(|name| {
        let text = beyond.text(&format!("/error/{name}"));
        !text.is_empty()
    });
    beyond.is(416)?.that(
        is_error,
        "The refusal of a range has not the error body.",
        "error.code and error.message",
        &beyond.shown(),
    )?;
    Ok(())
}

/// A link, after it was shown to work.
async fn working_link(context: &mut CaseContext<'_>) -> Result<String, CaseOutcome> {
    let response = link(context).await?;
    let link = response.text("/data/downloadUrl").to_owned();
    let control = follow(context, &link).await?;
    if control.status != 200 {
        return Err(CaseOutcome::inconclusive(
            "The link itself does not work, so that of a changed one proves nothing.",
            "200",
            control.status_line(),
            Some(control.exchange),
        ));
    }
    Ok(link)
}

async fn altered_links(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let link = working_link(context).await?;
    for (what, changed) in altered::links(&link) {
        let response = follow(context, &changed).await?;
        response.that(
            !response.is_success(),
            &format!("The link works with {what}."),
            "no success",
            &response.status_line(),
        )?;
    }
    Ok(())
}

async fn altered_code(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let link = working_link(context).await?;
    are_invalid(context, &link).await
}

/// This link with any part of it changed is none that was signed: nothing is told of its end.
async fn are_invalid(context: &mut CaseContext<'_>, link: &str) -> Result<(), CaseOutcome> {
    for (what, changed) in altered::links(link)
        .into_iter()
        .chain([altered::extended(link)])
    {
        let response = follow(context, &changed).await?;
        let is_refused = response.status == 403 && response.text("/error/code") == "LINK_INVALID";
        response.that(
            is_refused || response.status == 404,
            &format!("The link with {what} is refused otherwise than S9 says."),
            "403 with LINK_INVALID, or 404",
            &format!("{}\n{}", response.status_line(), response.shown()),
        )?;
    }
    Ok(())
}
