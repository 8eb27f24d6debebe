//! Uploaded PDFs: returned unchanged, whatever changes (§4.7 rule 4).

use std::io::Write as _;

use base64::{Engine as _, engine::general_purpose::STANDARD};

use crate::cases::prelude::*;

/// A PDF of one empty page; comments may follow its end.
const PDF: &str = include_str!("upload.pdf");

async fn uploaded_of(context: &mut CaseContext<'_>, id: &str) -> CaseResult<Document> {
    let document = Document::of(context, id).await?;
    document.response.has("/data/isUploaded", true)?;
    document.download.must(
        document.bytes().starts_with(b"%PDF-"),
        "The uploaded PDF does not begin like a PDF.",
        "%PDF-",
    )?;
    Ok(document)
}

/// An uploaded PDF is returned with isUploaded true, the same each time.
#[case("§4.7.4", on = generateStatement, fixtures(PayoutUploaded))]
async fn uploaded(context: &mut CaseContext<'_>) -> CaseResult {
    let id = context.fixture(Fixture::PayoutUploaded)?;
    let first = uploaded_of(context, &id).await?;
    let second = uploaded_of(context, &id).await?;
    context.snapshot(&first.response);
    second.is_same_as(&first, context, "it was uploaded")
}

/// The uploaded PDF of the data set is returned with its exact bytes.
#[case("§4.7.4", on = generateStatement, features(Seeded))]
async fn seeded(context: &mut CaseContext<'_>) -> CaseResult {
    let Some(payout) = dataset::payout("uploaded") else {
        return Err(CaseOutcome::missing("a payout of the data set with an uploaded statement"));
    };
    let document = uploaded_of(context, payout["id"].as_str().unwrap_or_default()).await?;
    let expected = STANDARD.decode(payout["uploadedStatement"].as_str().unwrap_or_default());
    is_byte_for_byte(&document, &expected.unwrap_or_default())
}

fn is_byte_for_byte(document: &Document, expected: &[u8]) -> CaseResult {
    document.download.must(
        document.bytes() == expected,
        "The PDF is not the one that was uploaded.",
        &String::from_utf8_lossy(expected),
    )
}

/// A changed note does not change an uploaded PDF: it is never rendered again.
#[case("§4.7.4", on = generateStatement, fixtures(PayoutUploaded), hooks(SetNote, ClearNote),
       changes = Restored, requests = 30)]
async fn not_rebuilt(context: &mut CaseContext<'_>) -> CaseResult {
    let id = context.fixture(Fixture::PayoutUploaded)?;
    let first = uploaded_of(context, &id).await?;
    context.set_note(&id, Some(&marker())).await?;
    let noted = uploaded_of(context, &id).await?;
    noted.is_same_as(&first, context, "it was uploaded, and only the note changed")
}

/// An uploaded PDF replaces the rendered one, byte for byte, until it is removed.
#[case("§4.7.4", on = generateStatement, fixtures(PayoutNoted),
       hooks(SetPoNumber, ClearPoNumber, UploadStatement, RemoveUpload), changes = Restored,
       requests = 48)]
async fn upload(context: &mut CaseContext<'_>) -> CaseResult {
    let id = context.fixture(Fixture::PayoutNoted)?;
    let number = context.renumber(&id).await?;
    let rendered = Document::of(context, &id).await?;
    let uploaded = upload_one(context, &id).await?;
    rendered.is_still_there(context).await?;
    context.renumber(&id).await?;
    let again = uploaded_of(context, &id).await?;
    again.is_same_as(&uploaded, context, "it was uploaded, and only the PO number changed")?;
    if context.judges("S8") {
        // A second upload supersedes the first, which is kept.
        upload_one(context, &id).await?;
        again.is_still_there(context).await?;
    }
    context.undo().await?;
    context.set_po_number(&id, Some(&number)).await?;
    let after = Document::of(context, &id).await?;
    after.response.has("/data/isUploaded", false)?;
    if context.judges("S5") {
        after.is_same_as(&rendered, context, "the uploaded PDF was removed")?;
    }
    Ok(())
}

/// Uploads a PDF, which then is the payout's statement, byte for byte.
async fn upload_one(context: &mut CaseContext<'_>, id: &str) -> CaseResult<Document> {
    let pdf = format!("{PDF}% {}\n", marker());
    let file = tempfile::Builder::new().suffix(".pdf").tempfile();
    let file = file.and_then(|mut file| file.write_all(pdf.as_bytes()).map(|()| file));
    let file =
        file.map_err(|error| CaseOutcome::error(format!("a PDF cannot be written: {error}")))?;
    context.upload(id, &file.path().to_string_lossy()).await?;
    let uploaded = uploaded_of(context, id).await?;
    is_byte_for_byte(&uploaded, pdf.as_bytes())?;
    Ok(uploaded)
}
