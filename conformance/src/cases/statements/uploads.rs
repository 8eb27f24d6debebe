//! Uploaded PDFs: returned unchanged, whatever changes (§4.7 rule 4).

use std::path::PathBuf;

use base64::{Engine as _, engine::general_purpose::STANDARD};

use crate::cases::prelude::*;
use crate::cases::{
    dataset,
    money::{
        document::{Document, statement},
        lock::{self, HOOKS, Lock, marker},
    },
};

pub(super) const CASES: &[Case] = cases! {
    Case::ANY.on("generateStatement");
    { "statements.uploaded" "§4.7.4" run(uploaded)
      "An uploaded PDF is returned with isUploaded true, the same each time."
      .fixtures(&[Fixture::PayoutUploaded]) }
    { "statements.uploaded-seeded" "§4.7.4" run(uploaded_seeded)
      "The uploaded PDF of the data set is returned with its exact bytes."
      .features(&[Feature::Seeded]) }
    { "statements.uploaded-not-rebuilt" "§4.7.4" lock(uploaded_not_rebuilt)
      "A changed note does not change an uploaded PDF: it is never rendered again."
      .fixtures(&[Fixture::PayoutUploaded, Fixture::PayoutNoted])
      .hooks(&[Hook::SetPoNumber, Hook::ClearPoNumber, Hook::SetNote, Hook::ClearNote])
      .changes(Changes::Restored).requests(30) }
    { "statements.upload" "§4.7.4" lock(upload)
      "An uploaded PDF replaces the rendered one, byte for byte, until it is removed."
      .fixtures(&[Fixture::PayoutNoted])
      .hooks(&[HOOKS[0], HOOKS[1], Hook::UploadStatement, Hook::RemoveUpload])
      .changes(Changes::Restored).requests(40) }
};

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

async fn uploaded(context: &mut CaseContext<'_>) -> CaseResult {
    let id = context.fixture(Fixture::PayoutUploaded)?;
    let first = uploaded_of(context, &id).await?;
    let second = uploaded_of(context, &id).await?;
    context.snapshot(&first.response);
    second.is_same_as(&first, context, "it was uploaded")
}

async fn uploaded_seeded(context: &mut CaseContext<'_>) -> CaseResult {
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

async fn uploaded_not_rebuilt(context: &mut CaseContext<'_>, _: &mut Lock) -> CaseResult {
    let id = context.fixture(Fixture::PayoutUploaded)?;
    let first = uploaded_of(context, &id).await?;
    let before = lock::note_before(context, &id).await?;
    let noted = noted_upload(context, &id).await;
    lock::restore_note(context, &before).await?;
    noted?.is_same_as(&first, context, "it was uploaded, and only the note changed")
}

async fn noted_upload(context: &mut CaseContext<'_>, id: &str) -> CaseResult<Document> {
    lock::set_note(context, id, &marker()).await?;
    uploaded_of(context, id).await
}

async fn upload(context: &mut CaseContext<'_>, lock: &mut Lock) -> CaseResult {
    let id = lock.payout().to_owned();
    let rendered = Document::of(context, &id).await?;
    let first_marker = lock.po_number().to_owned();
    let outcome = upload_replaces(context, lock, &rendered).await;
    let removed = remove_upload(context, &id).await;
    let number = lock.set(context, &first_marker).await;
    // Where nothing was uploaded there may be nothing to remove: the first fault is reported.
    outcome?;
    removed.and(number)?;
    let after = Document::of(context, &id).await?;
    after.response.has("/data/isUploaded", false)?;
    if context.judges("S5") {
        after.is_same_as(&rendered, context, "the uploaded PDF was removed")?;
    }
    Ok(())
}

/// Removes the uploaded PDF; where the hook fails and the payout still has one, that is reported.
async fn remove_upload(context: &mut CaseContext<'_>, id: &str) -> CaseResult {
    let removed = context.operate(Hook::RemoveUpload, &[("payout", id)]).await;
    if removed.is_err() {
        let shown = context.send_to_restore(statement(context, id)?).await;
        let is_uploaded = |shown: &Response| shown.at("/data/isUploaded") != false;
        if shown.as_ref().map_or(true, is_uploaded) {
            context.remains(format!("the payout {id} has a statement that the suite uploaded"));
        }
    }
    removed.map(drop)
}

async fn upload_replaces(
    context: &mut CaseContext<'_>,
    lock: &mut Lock,
    rendered: &Document,
) -> CaseResult {
    let id = lock.payout().to_owned();
    let uploaded = upload_one(context, &id).await?;
    rendered.is_still_there(context).await?;
    lock.mark(context).await?;
    let again = uploaded_of(context, &id).await?;
    again.is_same_as(&uploaded, context, "it was uploaded, and only the PO number changed")?;
    if context.judges("S8") {
        // A second upload supersedes the first, which is kept.
        upload_one(context, &id).await?;
        again.is_still_there(context).await?;
    }
    Ok(())
}

/// Uploads a PDF, which then is the payout's statement, byte for byte.
async fn upload_one(context: &mut CaseContext<'_>, id: &str) -> CaseResult<Document> {
    let pdf = pdf(&marker());
    let file = TemporaryFile::new(&pdf)?;
    let path = file.0.to_string_lossy().into_owned();
    let values = [("payout", id), ("file", &path)];
    context.operate(Hook::UploadStatement, &values).await?;
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
            |error| CaseOutcome::Error(format!("{} cannot be written: {error}", path.display()));
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
