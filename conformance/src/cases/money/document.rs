//! A statement with its bytes: the response, and what its link leads to.
//!
//! It refuses to send a key with a link: the link is the permission.

use bytes::Bytes;
use chrono::TimeDelta;
use sha2::{Digest as _, Sha256};

use super::{instant, told_at};
use crate::{
    case::{CaseContext, CaseOutcome},
    exchange::{Request, Response},
};

/// A statement.
#[derive(Clone, Debug)]
pub(in crate::cases) struct Document {
    /// The response that names it.
    pub(in crate::cases) response: Response,
    /// What the link led to.
    pub(in crate::cases) download: Response,
}

/// POST of a payout's statement.
pub(in crate::cases) fn statement(
    context: &CaseContext<'_>,
    payout: &str,
) -> Result<Request, CaseOutcome> {
    Ok(Request::post(format!("/api/v1/payouts/{payout}/statement")).with(&context.all()?))
}

/// Follows a link, without a key.
///
/// # Errors
/// No response came.
pub(in crate::cases) async fn follow(
    context: &mut CaseContext<'_>,
    link: &str,
) -> Result<Response, CaseOutcome> {
    context.follow(link, Request::get("")).await
}

/// Whether a link of an earlier response no longer leads anywhere because it has ended meanwhile, by the deployment's clock.
///
/// # Errors
/// The earlier response does not tell when.
fn has_ended(earlier: &Response, download: &Response) -> Result<bool, CaseOutcome> {
    let ends = instant(earlier, "/data/expiresAt")?;
    // That clock tells whole seconds.
    Ok(!download.is_success() && told_at(download) + TimeDelta::seconds(1) >= ends)
}

impl Document {
    /// The statement of a payout, downloaded.
    ///
    /// # Errors
    /// There is none, or its link does not lead to it.
    pub(in crate::cases) async fn of(
        context: &mut CaseContext<'_>,
        payout: &str,
    ) -> Result<Self, CaseOutcome> {
        let response = context.send(statement(context, payout)?).await?;
        response.is(200)?;
        Self::behind(context, response).await
    }

    /// The statement that an response names, downloaded.
    ///
    /// # Errors
    /// Its link does not lead to it.
    pub(in crate::cases) async fn behind(
        context: &mut CaseContext<'_>,
        response: Response,
    ) -> Result<Self, CaseOutcome> {
        let download = follow(context, response.text("/data/downloadUrl")).await?;
        download.is(200)?;
        Ok(Self { response, download })
    }

    /// The same; none where the link ended before it was followed: responses that came at once are followed one by one.
    ///
    /// # Errors
    /// Its link does not lead to it, and has not ended.
    pub(in crate::cases) async fn in_time(
        context: &mut CaseContext<'_>,
        response: Response,
    ) -> Result<Option<Self>, CaseOutcome> {
        let download = follow(context, response.text("/data/downloadUrl")).await?;
        if has_ended(&response, &download)? {
            return Ok(None);
        }
        download.is(200)?;
        Ok(Some(Self { response, download }))
    }

    /// The PDF.
    pub(in crate::cases) fn bytes(&self) -> &Bytes {
        &self.download.body
    }

    /// That the link leads to these bytes still. Where it has ended, nothing is said: hooks may have outlasted it.
    ///
    /// # Errors
    /// It leads elsewhere, or nowhere.
    pub(in crate::cases) async fn is_still_there(
        &self,
        context: &mut CaseContext<'_>,
    ) -> Result<(), CaseOutcome> {
        self.is_still_there_for(context, Request::get("")).await
    }

    /// The same for a request of its own form.
    ///
    /// # Errors
    /// As [`Document::is_still_there`].
    pub(in crate::cases) async fn is_still_there_for(
        &self,
        context: &mut CaseContext<'_>,
        request: Request,
    ) -> Result<(), CaseOutcome> {
        let link = self.response.text("/data/downloadUrl");
        let again = context.follow(link, request).await?;
        if has_ended(&self.response, &again)? {
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
            self.response.text("/data/assetId"),
            self.response.text("/data/filename"),
            self.bytes().len(),
        )
    }

    /// That this is the same document as an earlier one: asset, name, flag and bytes.
    ///
    /// # Errors
    /// It is another.
    pub(in crate::cases) fn is_same_as(
        &self,
        earlier: &Self,
        why: &str,
    ) -> Result<(), CaseOutcome> {
        let alike = |pointer: &str| self.response.at(pointer) == earlier.response.at(pointer);
        let is_same = alike("/data/assetId")
            && alike("/data/filename")
            && alike("/data/isUploaded")
            && self.bytes() == earlier.bytes();
        self.response.that(
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
        context: &CaseContext<'_>,
        why: &str,
    ) -> Result<(), CaseOutcome> {
        let asset = |document: &Self| document.response.text("/data/assetId").to_owned();
        let is_other = self.bytes() != earlier.bytes()
            && (!context.with_decisions() || asset(self) != asset(earlier));
        self.response.that(
            is_other,
            &format!("The PDF was not rebuilt, though {why}."),
            &format!("another document than {}", earlier.told()),
            &self.told(),
        )?;
        Ok(())
    }
}
