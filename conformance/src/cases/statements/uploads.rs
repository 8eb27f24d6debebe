//! PDFs that a person uploaded: returned as they are, whatever changes (§4.7 rule 4).
//!
//! It refuses to look into them: they are a person's.

use std::path::PathBuf;

use base64::{Engine as _, engine::general_purpose::STANDARD};

use crate::{
    case::{Case, CaseContext, CaseOutcome, Changes, definition::runs},
    cases::money::{
        dataset::Dataset,
        document::Document,
        lease::{self, HOOKS, Lease, hold, leased, marked, unmarked},
        payout,
    },
    target::{Feature, Fixture, Hook},
};

pub(super) const CASES: &[Case] = &[
    Case::new(
        "statements.uploaded",
        "An uploaded PDF is returned with isUploaded true, the same each time.",
        "§4.7.4",
        runs!(uploaded),
    )
    .on("generateStatement")
    .fixtures(&[Fixture::PayoutUploaded]),
    Case::new(
        "statements.uploaded-seeded",
        "The uploaded PDF of the data set is returned with its exact bytes.",
        "§4.7.4",
        runs!(uploaded_seeded),
    )
    .on("generateStatement")
    .features(&[Feature::Seeded]),
    Case::new(
        "statements.uploaded-not-rebuilt",
        "A note does not change an uploaded PDF: it is never rendered again.",
        "§4.7.4",
        runs!(uploaded_not_rebuilt),
    )
    .on("generateStatement")
    .fixtures(&[Fixture::PayoutUploaded, Fixture::PayoutNoted])
    .hooks(&[
        Hook::SetPoNumber,
        Hook::ClearPoNumber,
        Hook::SetNote,
        Hook::ClearNote,
    ])
    .changes(Changes::Restored)
    .requests(30),
    Case::new(
        "statements.upload",
        "A PDF that is uploaded takes the rendered one's place, byte for byte, until it is taken back.",
        "§4.7.4",
        runs!(upload),
    )
    .on("generateStatement")
    .fixtures(&[Fixture::PayoutNoted])
    .hooks(&[
        HOOKS[0],
        HOOKS[1],
        Hook::UploadStatement,
        Hook::RemoveUpload,
    ])
    .changes(Changes::Restored)
    .requests(40),
];

/// The uploaded document of a payout.
async fn uploaded_of(context: &mut CaseContext<'_>, id: &str) -> Result<Document, CaseOutcome> {
    let document = Document::of(context, id).await?;
    document.response.has("/data/isUploaded", true)?;
    document.download.that(
        document.bytes().starts_with(b"%PDF-"),
        "The uploaded PDF does not begin as one.",
        "%PDF-",
        &document.download.shown(),
    )?;
    Ok(document)
}

async fn uploaded(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let id = context.fixture(Fixture::PayoutUploaded)?;
    let first = uploaded_of(context, &id).await?;
    let second = uploaded_of(context, &id).await?;
    context.snapshot(&first.response);
    second.is_same_as(&first, "a person uploaded it")
}

async fn uploaded_seeded(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let dataset = Dataset::read();
    let Some(payout) = dataset.payout("uploaded") else {
        return Err(CaseOutcome::missing(
            "a payout of the data set with an uploaded statement",
        ));
    };
    let document = uploaded_of(context, payout["id"].as_str().unwrap_or_default()).await?;
    let expected = STANDARD.decode(payout["uploadedStatement"].as_str().unwrap_or_default());
    is_byte_for_byte(&document, &expected.unwrap_or_default())
}

fn is_byte_for_byte(document: &Document, expected: &[u8]) -> Result<(), CaseOutcome> {
    document.download.that(
        document.bytes() == expected,
        "The PDF is not the one that was uploaded.",
        &String::from_utf8_lossy(expected),
        &document.download.shown(),
    )?;
    Ok(())
}

async fn uploaded_not_rebuilt(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    hold(context, leased!(note_beside_upload)).await
}

async fn note_beside_upload(
    context: &mut CaseContext<'_>,
    _: &mut Lease,
) -> Result<(), CaseOutcome> {
    const NOTE: &str = "/data/metadata/statementNote";
    let id = context.fixture(Fixture::PayoutUploaded)?;
    let first = uploaded_of(context, &id).await?;
    let before = context.given(payout(context, &id)?).await?;
    unmarked("statementNote", before.text(NOTE))?;
    let seen = noted_upload(context, &id).await;
    lease::restore_note(context, &id, before.at(NOTE).as_str()).await?;
    seen?.is_same_as(&first, "a person uploaded it, and only the note changed")
}

async fn noted_upload(context: &mut CaseContext<'_>, id: &str) -> Result<Document, CaseOutcome> {
    lease::set_note(context, id, &marked()).await?;
    uploaded_of(context, id).await
}

async fn upload(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    hold(context, leased!(upload_and_take_back)).await
}

async fn upload_and_take_back(
    context: &mut CaseContext<'_>,
    lease: &mut Lease,
) -> Result<(), CaseOutcome> {
    let id = lease.payout().to_owned();
    let rendered = Document::of(context, &id).await?;
    let first_mark = lease.po_number().to_owned();
    let seen = upload_and_look(context, lease, &rendered).await;
    // Where nothing was uploaded there may be nothing to take back: then the first fault is the one to tell.
    let removed = context
        .operate(Hook::RemoveUpload, &[("payout", &id)])
        .await;
    lease.set(context, &first_mark).await?;
    seen?;
    removed?;
    let after = Document::of(context, &id).await?;
    after.response.has("/data/isUploaded", false)?;
    if context.with_decisions() {
        after.is_same_as(&rendered, "the uploaded PDF was taken back")?;
    }
    Ok(())
}

async fn upload_and_look(
    context: &mut CaseContext<'_>,
    lease: &mut Lease,
    rendered: &Document,
) -> Result<(), CaseOutcome> {
    let id = lease.payout().to_owned();
    let uploaded = upload_one(context, &id).await?;
    rendered.is_still_there(context).await?;
    lease.mark(context).await?;
    let again = uploaded_of(context, &id).await?;
    again.is_same_as(
        &uploaded,
        "a person uploaded it, and only the PO number changed",
    )?;
    if context.with_decisions() {
        // It supersedes the first, which is kept.
        upload_one(context, &id).await?;
        again.is_still_there(context).await?;
    }
    Ok(())
}

/// Uploads a PDF, which then is the payout's statement to the last byte.
async fn upload_one(context: &mut CaseContext<'_>, id: &str) -> Result<Document, CaseOutcome> {
    let pdf = pdf(&marked());
    let file = TemporaryFile::new(&pdf)?;
    let path = file.0.to_string_lossy().into_owned();
    let values = [("payout", id), ("file", &path)];
    context.operate(Hook::UploadStatement, &values).await?;
    let uploaded = uploaded_of(context, id).await?;
    is_byte_for_byte(&uploaded, &pdf)?;
    Ok(uploaded)
}

/// A PDF of one empty page, its own for each mark.
fn pdf(mark: &str) -> Vec<u8> {
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] >>".to_owned(),
    ];
    let mut pdf = format!("%PDF-1.4\n% {mark}\n");
    let mut table = "0000000000 65535 f \n".to_owned();
    for (index, object) in objects.iter().enumerate() {
        table.push_str(&format!("{:010} 00000 n \n", pdf.len()));
        pdf.push_str(&format!("{} 0 obj\n{object}\nendobj\n", index + 1));
    }
    let begins = pdf.len();
    let size = objects.len() + 1;
    pdf.push_str(&format!(
        "xref\n0 {size}\n{table}trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{begins}\n%%EOF\n"
    ));
    pdf.into_bytes()
}

/// A file for the hook to read; gone with the case.
struct TemporaryFile(PathBuf);

impl TemporaryFile {
    fn new(bytes: &[u8]) -> Result<Self, CaseOutcome> {
        let path = std::env::temp_dir().join(format!("{}.pdf", marked()));
        let written = std::fs::write(&path, bytes);
        let fault =
            |error| CaseOutcome::Error(format!("{} cannot be written: {error}", path.display()));
        written.map_err(fault)?;
        Ok(Self(path))
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        // What cannot be deleted is left to whoever empties the folder of temporary files.
        let _ = std::fs::remove_file(&self.0);
    }
}
