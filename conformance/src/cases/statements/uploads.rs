//! PDFs that a person uploaded: returned as they are, whatever changes (§4.7 rule 4).
//!
//! It refuses to look into them: they are a person's.

use std::path::PathBuf;

use base64::{Engine as _, engine::general_purpose::STANDARD};

use crate::{
    case::{Case, Changes, Scene, Stop, definition::runs},
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
async fn uploaded_of(scene: &mut Scene<'_>, id: &str) -> Result<Document, Stop> {
    let document = Document::of(scene, id).await?;
    document.answer.has("/data/isUploaded", true)?;
    document.download.that(
        document.bytes().starts_with(b"%PDF-"),
        "The uploaded PDF does not begin as one.",
        "%PDF-",
        &document.download.shown(),
    )?;
    Ok(document)
}

async fn uploaded(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let id = scene.fixture(Fixture::PayoutUploaded)?;
    let first = uploaded_of(scene, &id).await?;
    let second = uploaded_of(scene, &id).await?;
    scene.snapshot(&first.answer);
    second.is_same_as(&first, "a person uploaded it")
}

async fn uploaded_seeded(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let dataset = Dataset::read();
    let Some(payout) = dataset.payout("uploaded") else {
        return Err(Stop::missing(
            "a payout of the data set with an uploaded statement",
        ));
    };
    let document = uploaded_of(scene, payout["id"].as_str().unwrap_or_default()).await?;
    let expected = STANDARD.decode(payout["uploadedStatement"].as_str().unwrap_or_default());
    is_byte_for_byte(&document, &expected.unwrap_or_default())
}

fn is_byte_for_byte(document: &Document, expected: &[u8]) -> Result<(), Stop> {
    document.download.that(
        document.bytes() == expected,
        "The PDF is not the one that was uploaded.",
        &String::from_utf8_lossy(expected),
        &document.download.shown(),
    )?;
    Ok(())
}

async fn uploaded_not_rebuilt(scene: &mut Scene<'_>) -> Result<(), Stop> {
    hold(scene, leased!(note_beside_upload)).await
}

async fn note_beside_upload(scene: &mut Scene<'_>, _: &mut Lease) -> Result<(), Stop> {
    const NOTE: &str = "/data/metadata/statementNote";
    let id = scene.fixture(Fixture::PayoutUploaded)?;
    let first = uploaded_of(scene, &id).await?;
    let before = scene.given(payout(scene, &id)?).await?;
    unmarked("statementNote", before.text(NOTE))?;
    let seen = noted_upload(scene, &id).await;
    lease::restore_note(scene, &id, before.at(NOTE).as_str()).await?;
    seen?.is_same_as(&first, "a person uploaded it, and only the note changed")
}

async fn noted_upload(scene: &mut Scene<'_>, id: &str) -> Result<Document, Stop> {
    lease::set_note(scene, id, &marked()).await?;
    uploaded_of(scene, id).await
}

async fn upload(scene: &mut Scene<'_>) -> Result<(), Stop> {
    hold(scene, leased!(upload_and_take_back)).await
}

async fn upload_and_take_back(scene: &mut Scene<'_>, lease: &mut Lease) -> Result<(), Stop> {
    let id = lease.payout().to_owned();
    let rendered = Document::of(scene, &id).await?;
    let first_mark = lease.po_number().to_owned();
    let seen = upload_and_look(scene, lease, &rendered).await;
    // Where nothing was uploaded there may be nothing to take back: then the first fault is the one to tell.
    let removed = scene.operate(Hook::RemoveUpload, &[("payout", &id)]).await;
    lease.set(scene, &first_mark).await?;
    seen?;
    removed?;
    let after = Document::of(scene, &id).await?;
    after.answer.has("/data/isUploaded", false)?;
    if scene.with_decisions() {
        after.is_same_as(&rendered, "the uploaded PDF was taken back")?;
    }
    Ok(())
}

async fn upload_and_look(
    scene: &mut Scene<'_>,
    lease: &mut Lease,
    rendered: &Document,
) -> Result<(), Stop> {
    let id = lease.payout().to_owned();
    let uploaded = upload_one(scene, &id).await?;
    rendered.is_still_there(scene).await?;
    lease.mark(scene).await?;
    let again = uploaded_of(scene, &id).await?;
    again.is_same_as(
        &uploaded,
        "a person uploaded it, and only the PO number changed",
    )?;
    if scene.with_decisions() {
        // It supersedes the first, which is kept.
        upload_one(scene, &id).await?;
        again.is_still_there(scene).await?;
    }
    Ok(())
}

/// Uploads a PDF, which then is the payout's statement to the last byte.
async fn upload_one(scene: &mut Scene<'_>, id: &str) -> Result<Document, Stop> {
    let pdf = pdf(&marked());
    let file = TemporaryFile::new(&pdf)?;
    let path = file.0.to_string_lossy().into_owned();
    let values = [("payout", id), ("file", &path)];
    scene.operate(Hook::UploadStatement, &values).await?;
    let uploaded = uploaded_of(scene, id).await?;
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
    fn new(bytes: &[u8]) -> Result<Self, Stop> {
        let path = std::env::temp_dir().join(format!("{}.pdf", marked()));
        let written = std::fs::write(&path, bytes);
        let fault = |error| Stop::Error(format!("{} cannot be written: {error}", path.display()));
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
