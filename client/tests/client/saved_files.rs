//! Saved PDFs: the whole PDF or no file, and no other file is changed.

use std::{fs, path::Path};

use payout_client::{Error, SaveError};
use tempfile::TempDir;
use tokio::task::yield_now;

use crate::{
    downloads::{PDF, begin, statement},
    stub::Stub,
};

const NAME: &str = "statement-Nordwind-2026-05.pdf";

async fn pdf() -> Stub {
    Stub::responding("200 OK", "", PDF).await
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[tokio::test]
async fn suggested_name_in_a_folder_holds_the_whole_pdf() {
    let (stub, folder) = (pdf().await, TempDir::new().unwrap());
    let download = begin(&stub).await.unwrap();
    let path = download.save_in(folder.path()).await.unwrap();
    assert_eq!(path, folder.path().join(NAME));
    assert_eq!(fs::read_to_string(path).unwrap(), PDF);
    assert_eq!(names(folder.path()), [NAME]);
}

#[tokio::test]
async fn existing_file_is_kept_unless_save_over_replaces_it() {
    let (stub, folder) = (pdf().await, TempDir::new().unwrap());
    let path = folder.path().join(NAME);
    fs::write(&path, "signed by hand").unwrap();
    let in_folder = begin(&stub).await.unwrap().save_in(folder.path()).await;
    let by_name = begin(&stub).await.unwrap().save_as(&path).await;
    for error in [in_folder.unwrap_err(), by_name.unwrap_err()] {
        let Error::Save(error) = error else { panic!("{error:?}") };
        assert!(matches!(&*error, SaveError::Exists { path: kept } if *kept == path), "{error:?}");
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), "signed by hand");

    begin(&stub).await.unwrap().save_over(&path).await.unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), PDF);
    assert_eq!(names(folder.path()), [NAME]);
}

#[tokio::test]
async fn existing_name_is_an_error_before_the_pdf_arrives() {
    let (stub, folder) = (Stub::stalling().await, TempDir::new().unwrap());
    fs::write(folder.path().join(NAME), "kept").unwrap();
    let saved = begin(&stub).await.unwrap().save_in(folder.path()).await;
    assert!(matches!(saved, Err(Error::Save(_))), "{saved:?}");
}

#[tokio::test]
async fn one_of_two_downloads_under_one_name_wins() {
    let (stub, folder) = (pdf().await, TempDir::new().unwrap());
    let (first, second) = (begin(&stub).await.unwrap(), begin(&stub).await.unwrap());
    let (first, second) =
        futures_util::future::join(first.save_in(folder.path()), second.save_in(folder.path()))
            .await;
    assert_ne!(first.is_ok(), second.is_ok());
    assert_eq!(names(folder.path()), [NAME]);
}

#[tokio::test]
async fn interrupted_download_leaves_no_file_and_the_old_one_as_it_was() {
    let stub = Stub::responding_exactly("200 OK\r\ncontent-length: 4096\r\n", PDF).await;
    let folder = TempDir::new().unwrap();
    let new = folder.path().join("new.pdf");
    let error = begin(&stub).await.unwrap().save_as(&new).await.unwrap_err();
    assert!(matches!(error, Error::Transport(_)), "{error:?}");
    assert!(names(folder.path()).is_empty());

    let old = folder.path().join("old.pdf");
    fs::write(&old, "old").unwrap();
    begin(&stub).await.unwrap().save_over(&old).await.unwrap_err();
    assert_eq!(fs::read_to_string(&old).unwrap(), "old");
    assert_eq!(names(folder.path()), ["old.pdf"]);
}

#[tokio::test]
async fn dropped_download_deletes_its_temporary_file() {
    let stub = Stub::stalling().await;
    let download = begin(&stub).await.unwrap();
    let folder = TempDir::new().unwrap();
    let target = folder.path().to_owned();
    let saving = tokio::spawn(async move { download.save_in(target).await });
    while names(folder.path()).is_empty() {
        yield_now().await;
    }
    let temporary = names(folder.path()).remove(0);
    assert!(temporary.starts_with(".statement-") && temporary.ends_with(".part"), "{temporary}");
    saving.abort();
    // A blocking thread may still be creating the file, and deletes it a moment later.
    while !names(folder.path()).is_empty() {
        yield_now().await;
    }
    assert!(saving.await.unwrap_err().is_cancelled());
}

#[tokio::test]
async fn unsafe_filename_of_a_server_is_not_used() {
    let (stub, folder) = (pdf().await, TempDir::new().unwrap());
    let inner = folder.path().join("inner");
    fs::create_dir(&inner).unwrap();
    let mut statement = statement(&stub.base_url);
    statement.filename = "../escaped.pdf".to_owned();
    let download = stub.client().download_statement(&statement).send().await;
    let error = download.unwrap().save_in(&inner).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the server suggests the filename \"../escaped.pdf\", which is not safe; \
         choose one with `save_as`"
    );
    assert_eq!(names(folder.path()), ["inner"]);
    assert!(names(&inner).is_empty());
}

#[tokio::test]
async fn missing_folder_is_named_with_the_system_error() {
    let (stub, folder) = (pdf().await, TempDir::new().unwrap());
    let missing = folder.path().join("missing");
    let error = begin(&stub).await.unwrap().save_in(&missing).await;
    let text = error.unwrap_err().to_string();
    assert!(text.contains("missing") && text.contains("cannot save the PDF as"), "{text}");
}

#[cfg(unix)]
#[tokio::test]
async fn saved_file_has_the_permissions_of_any_new_file() {
    use std::os::unix::fs::PermissionsExt as _;

    let (stub, folder) = (pdf().await, TempDir::new().unwrap());
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
    let other = folder.path().join("other");
    fs::write(&other, "").unwrap();
    let saved = begin(&stub).await.unwrap().save_in(folder.path()).await;
    assert_eq!(mode(&saved.unwrap()), mode(&other));
}
