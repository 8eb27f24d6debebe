//! Uploaded PDFs: returned unchanged, whatever changes (§4.7 rule 4).

use std::path::PathBuf;

use base64::{Engine as _, engine::general_purpose::STANDARD};

use crate::cases::prelude::*;

async fn uploaded_of(context: &mut CaseContext<'_>, id: &str) -> CaseResult<Document> {
    let document = Document::of(context, id).await?;
    document.response.has("/data/isUploaded", true)?;
    document.download.that(
        document.bytes().starts_with(b"%PDF-"),
        "The uploaded PDF does not begin like a PDF.",
        "%PDF-",
        &document.download.shown(),
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
    document.download.that(
        document.bytes() == expected,
        "The PDF is not the one that was uploaded.",
        &String::from_utf8_lossy(expected),
        &document.download.shown(),
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
    let pdf = pdf(&marker());
    let file = TemporaryFile::new(&pdf)?;
    context.upload(id, &file.0.to_string_lossy()).await?;
    let uploaded = uploaded_of(context, id).await?;
    is_byte_for_byte(&uploaded, &pdf)?;
    Ok(uploaded)
}

/// A PDF of one empty page, another one for each marker.
fn pdf(marker: &str) -> Vec<u8> {
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] >>".to_owned(),
    ];
    let mut pdf = format!("%PDF-1.4\n% {marker}\n");
    let mut table = "0000000000 65535 f \n".to_owned();
    for (index, object) in objects.iter().enumerate() {
        table.push_str(&format!("{:010} 00000 n \n", pdf.len()));
        pdf.push_str(&format!("{} 0 obj\n{object}\nendobj\n", index + 1));
    }
    let begins = pdf.len();
    let size = objects.len() + 1;
    pdf.push_str(&format!(
        "xref\n0 {size}\n{table}trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{begins}\n\
         %%EOF\n"
    ));
    pdf.into_bytes()
}

/// A file for the hook to read; dropping it deletes it.
struct TemporaryFile(PathBuf);

impl TemporaryFile {
    fn new(bytes: &[u8]) -> CaseResult<Self> {
        let path = std::env::temp_dir().join(format!("{}.pdf", marker()));
        let written = std::fs::write(&path, bytes);
        let fault =
            |error| CaseOutcome::error(format!("{} cannot be written: {error}", path.display()));
        written.map_err(fault)?;
        Ok(Self(path))
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        // What cannot be deleted is left in the folder of temporary files.
        let _ = std::fs::remove_file(&self.0);
    }
}
