//! What the file is called: in the result, and in the download's header (S9, S10).
//!
//! It refuses to say how a name in another script is written: only that nothing in it does harm.

use percent_encoding::percent_decode_str;
use regex::Regex;

use super::is_pdf;
use crate::{
    case::{Scene, Stop},
    cases::money::{dataset::Dataset, document::statement, instant, payout},
    target::{Feature, Fixture},
};

/// Bytes of the longest filename.
const LONGEST_NAME: usize = 255;

pub(super) async fn attachment(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let mut ids = vec![scene.fixture(Fixture::Payout)?];
    ids.extend(scene.fixture(Fixture::PayoutUploaded));
    if scene.deployment().features.contains(&Feature::Seeded) {
        // One whose partner has a name that is not written in ASCII.
        let dataset = Dataset::read();
        ids.extend(
            dataset
                .payout("paid")
                .and_then(|payout| payout["id"].as_str())
                .map(str::to_owned),
        );
    }
    for id in ids {
        is_attachment(scene, &id).await?;
    }
    Ok(())
}

async fn is_attachment(scene: &mut Scene<'_>, payout: &str) -> Result<(), Stop> {
    let document = is_pdf(scene, payout).await?;
    let answer = &document.download;
    let told = answer.header("content-disposition").unwrap_or("none");
    let filename = document.answer.text("/data/filename");
    let mut parts = told.split(';').map(str::trim);
    answer.that(
        parts.next() == Some("attachment"),
        "The download is no attachment.",
        "content-disposition: attachment",
        told,
    )?;
    let parts: Vec<&str> = parts.collect();
    let ascii = parts.iter().find_map(|part| part.strip_prefix("filename="));
    let ascii = ascii.map(|name| name.trim_matches('"'));
    let whole = parts
        .iter()
        .find_map(|part| part.strip_prefix("filename*=UTF-8''"));
    let whole = whole.map(|name| percent_decode_str(name).decode_utf8_lossy());
    answer.that(
        whole.as_deref() == Some(filename) && ascii.is_some_and(str::is_ascii),
        "content-disposition does not name the file, in ASCII and in UTF-8.",
        &format!("filename=\"…\" in ASCII, and filename*=UTF-8''… that says {filename:?}"),
        told,
    )?;
    answer.that(
        !filename.is_ascii() || ascii == Some(filename),
        "content-disposition names the file otherwise than the result does.",
        filename,
        told,
    )?;
    if scene.deployment().features.contains(&Feature::LinksLocal) {
        answer.that(
            answer.number("content-length").is_some(),
            "The download does not say how long it is.",
            "content-length",
            "none",
        )?;
    }
    Ok(())
}

pub(super) async fn filename(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let mut fixtures = vec![scene.fixture(Fixture::Payout)?];
    fixtures.extend(scene.fixture(Fixture::PayoutOfManyLines));
    fixtures.extend(scene.fixture(Fixture::PayoutUploaded));
    let borrowed = scene.fixture(Fixture::Partner).unwrap_or_default();
    let form = Regex::new(r"^statement-(.+)-([0-9]{4}-[0-9]{2})\.pdf$").expect("a sound pattern");
    for id in fixtures {
        let of_payout = scene.given(payout(scene, &id)?).await?;
        let answer = scene.send(statement(scene, &id)?).await?;
        let name = answer.is(200)?.text("/data/filename");
        let ends = instant(&of_payout, "/data/periodEnd")?;
        let month = ends.format("%Y-%m").to_string();
        let told = form.captures(name);
        answer.that(
            told.as_ref().is_some_and(|told| told[2] == month),
            "The filename is not of the form that was decided.",
            &format!("statement-<partner>-{month}.pdf"),
            name,
        )?;
        let is_unsafe = |letter: char| letter.is_control() || r#"/\:*?"<>|%"#.contains(letter);
        answer.that(
            !name.contains(is_unsafe) && name.len() <= LONGEST_NAME,
            "The filename is not safe on every system.",
            r#"none of / \ : * ? " < > | %, no control character, 255 bytes at most"#,
            name,
        )?;
        let partner = of_payout.text("/data/partner/name");
        // It tells the name of when it was made, which another run may have lent to the partner that cases change.
        let is_lent = of_payout.text("/data/partner/id") == borrowed;
        if is_lent || !partner.is_ascii() {
            continue;
        }
        // Whatever is done to the other letters of a name, those of ASCII stay in their order.
        let plain = |text: &str| {
            let letters = text.chars().filter(char::is_ascii_alphanumeric);
            letters.collect::<String>().to_lowercase()
        };
        let told = plain(told.as_ref().map_or("", |told| &told[1]));
        answer.that(
            !told.is_empty() && plain(partner).starts_with(&told),
            "The filename does not tell the partner.",
            partner,
            name,
        )?;
    }
    Ok(())
}
