//! A statement with its bytes: the answer, and what its link leads to.
//!
//! It refuses to send a key with a link: the link is the permission.

use bytes::Bytes;
use chrono::TimeDelta;
use sha2::{Digest as _, Sha256};

use super::{instant, told_at};
use crate::{
    case::{Scene, Stop},
    exchange::{Answer, Call},
};

/// A statement.
#[derive(Clone, Debug)]
pub(in crate::cases) struct Document {
    /// The answer that names it.
    pub(in crate::cases) answer: Answer,
    /// What the link led to.
    pub(in crate::cases) download: Answer,
}

/// POST of a payout's statement.
pub(in crate::cases) fn statement(scene: &Scene<'_>, payout: &str) -> Result<Call, Stop> {
    Ok(Call::post(format!("/api/v1/payouts/{payout}/statement")).with(&scene.all()?))
}

/// Follows a link, without a key.
///
/// # Errors
/// No answer came.
pub(in crate::cases) async fn follow(scene: &mut Scene<'_>, link: &str) -> Result<Answer, Stop> {
    scene.follow(link, Call::get("")).await
}

/// Whether a link of an earlier answer no longer leads anywhere because it has ended meanwhile, by the deployment's clock.
///
/// # Errors
/// The earlier answer does not tell when.
fn has_ended(earlier: &Answer, download: &Answer) -> Result<bool, Stop> {
    let ends = instant(earlier, "/data/expiresAt")?;
    // That clock tells whole seconds.
    Ok(!download.is_success() && told_at(download) + TimeDelta::seconds(1) >= ends)
}

impl Document {
    /// The statement of a payout, downloaded.
    ///
    /// # Errors
    /// There is none, or its link does not lead to it.
    pub(in crate::cases) async fn of(scene: &mut Scene<'_>, payout: &str) -> Result<Self, Stop> {
        let answer = scene.send(statement(scene, payout)?).await?;
        answer.is(200)?;
        Self::behind(scene, answer).await
    }

    /// The statement that an answer names, downloaded.
    ///
    /// # Errors
    /// Its link does not lead to it.
    pub(in crate::cases) async fn behind(
        scene: &mut Scene<'_>,
        answer: Answer,
    ) -> Result<Self, Stop> {
        let download = follow(scene, answer.text("/data/downloadUrl")).await?;
        download.is(200)?;
        Ok(Self { answer, download })
    }

    /// The same; none where the link ended before it was followed: answers that came at once are followed one by one.
    ///
    /// # Errors
    /// Its link does not lead to it, and has not ended.
    pub(in crate::cases) async fn in_time(
        scene: &mut Scene<'_>,
        answer: Answer,
    ) -> Result<Option<Self>, Stop> {
        let download = follow(scene, answer.text("/data/downloadUrl")).await?;
        if has_ended(&answer, &download)? {
            return Ok(None);
        }
        download.is(200)?;
        Ok(Some(Self { answer, download }))
    }

    /// The PDF.
    pub(in crate::cases) fn bytes(&self) -> &Bytes {
        &self.download.body
    }

    /// That the link leads to these bytes still. Where it has ended, nothing is said: hooks may have outlasted it.
    ///
    /// # Errors
    /// It leads elsewhere, or nowhere.
    pub(in crate::cases) async fn is_still_there(&self, scene: &mut Scene<'_>) -> Result<(), Stop> {
        self.is_still_there_for(scene, Call::get("")).await
    }

    /// The same for a request of its own form.
    ///
    /// # Errors
    /// As [`Document::is_still_there`].
    pub(in crate::cases) async fn is_still_there_for(
        &self,
        scene: &mut Scene<'_>,
        call: Call,
    ) -> Result<(), Stop> {
        let link = self.answer.text("/data/downloadUrl");
        let again = scene.follow(link, call).await?;
        if has_ended(&self.answer, &again)? {
            return Ok(());
        }
        again.is(200)?.that(
            again.body == self.download.body,
            "An earlier link does not lead to its document any more.",
            "the bytes it led to",
            "others",
        )?;
        Ok(())
    }

    /// Bytes and names, for people.
    fn told(&self) -> String {
        let hash = hex::encode(Sha256::digest(self.bytes()));
        format!(
            "{} {:?}, {} bytes, SHA-256 {hash}",
            self.answer.text("/data/assetId"),
            self.answer.text("/data/filename"),
            self.bytes().len(),
        )
    }

    /// That this is the same document as an earlier one: asset, name, flag and bytes.
    ///
    /// # Errors
    /// It is another.
    pub(in crate::cases) fn is_same_as(&self, earlier: &Self, why: &str) -> Result<(), Stop> {
        let alike = |pointer: &str| self.answer.at(pointer) == earlier.answer.at(pointer);
        let is_same = alike("/data/assetId")
            && alike("/data/filename")
            && alike("/data/isUploaded")
            && self.bytes() == earlier.bytes();
        self.answer.that(
            is_same,
            &format!("It is not the same document, though {why}."),
            &earlier.told(),
            &self.told(),
        )?;
        Ok(())
    }

    /// That it was rebuilt: other bytes, and where decisions are judged by another asset.
    ///
    /// # Errors
    /// It was not.
    pub(in crate::cases) fn differs_from(
        &self,
        earlier: &Self,
        scene: &Scene<'_>,
        why: &str,
    ) -> Result<(), Stop> {
        let asset = |document: &Self| document.answer.text("/data/assetId").to_owned();
        let is_other = self.bytes() != earlier.bytes()
            && (!scene.with_decisions() || asset(self) != asset(earlier));
        self.answer.that(
            is_other,
            &format!("The PDF was not rebuilt, though {why}."),
            &format!("another document than {}", earlier.told()),
            &self.told(),
        )?;
        Ok(())
    }
}
