//! A statement with its bytes: the response, and what its link leads to. No key is sent with a
//! link.

use bytes::Bytes;
use chrono::TimeDelta;
use sha2::{Digest as _, Sha256};

use crate::cases::prelude::*;

#[derive(Clone, Debug)]
pub(crate) struct Document {
    pub(crate) response: Response,
    pub(crate) download: Response,
}

pub(crate) fn statement(context: &CaseContext<'_>, payout: &str) -> CaseResult<Request> {
    Ok(Request::post(format!("/api/v1/payouts/{payout}/statement")).with(&context.all()?))
}

pub(crate) async fn follow(context: &mut CaseContext<'_>, link: &str) -> CaseResult<Response> {
    context.follow(link, Request::get("")).await
}

/// Returns true if a link of an earlier response failed because it has expired meanwhile, by the
/// deployment's clock.
fn has_expired(earlier: &Response, download: &Response) -> CaseResult<bool> {
    let ends = instant(earlier, "/data/expiresAt")?;
    // That clock has whole seconds.
    Ok(!download.is_success() && download.responded_at() + TimeDelta::seconds(1) >= ends)
}

impl Document {
    pub(crate) async fn of(context: &mut CaseContext<'_>, payout: &str) -> CaseResult<Self> {
        let response = context.ok(statement(context, payout)?).await?;
        Self::behind(context, response).await
    }

    pub(crate) async fn behind(
        context: &mut CaseContext<'_>,
        response: Response,
    ) -> CaseResult<Self> {
        let download = follow(context, response.text("/data/downloadUrl")).await?;
        download.is(200)?;
        Ok(Self { response, download })
    }

    /// Downloads the document behind a response; `None` if the link expired first, because
    /// concurrent responses are followed one by one.
    pub(crate) async fn in_time(
        context: &mut CaseContext<'_>,
        response: Response,
    ) -> CaseResult<Option<Self>> {
        let download = follow(context, response.text("/data/downloadUrl")).await?;
        if has_expired(&response, &download)? {
            return Ok(None);
        }
        download.is(200)?;
        Ok(Some(Self { response, download }))
    }

    pub(crate) fn bytes(&self) -> &Bytes {
        &self.download.body
    }

    /// Requires that the link still leads to these bytes, unless it has expired, for instance
    /// during a hook.
    pub(crate) async fn is_still_there(&self, context: &mut CaseContext<'_>) -> CaseResult {
        self.is_still_there_for(context, Request::get("")).await
    }

    /// Like [`Document::is_still_there`], with this request.
    pub(crate) async fn is_still_there_for(
        &self,
        context: &mut CaseContext<'_>,
        request: Request,
    ) -> CaseResult {
        let link = self.response.text("/data/downloadUrl");
        let again = context.follow(link, request).await?;
        if has_expired(&self.response, &again)? {
            return Ok(());
        }
        again.is(200)?.that(
            again.body == self.download.body,
            "An earlier link no longer leads to its document.",
            "the bytes it led to",
            "others",
        )?;
        Ok(())
    }

    /// Asset, name, size and hash, for messages.
    fn summary(&self) -> String {
        let hash = hex::encode(Sha256::digest(self.bytes()));
        format!(
            "{} {:?}, {} bytes, SHA-256 {hash}",
            self.response.text("/data/assetId"),
            self.response.text("/data/filename"),
            self.bytes().len(),
        )
    }

    /// Requires the same document as an earlier one: asset, flag, bytes and, with decisions, name.
    pub(crate) fn is_same_as(
        &self,
        earlier: &Self,
        context: &CaseContext<'_>,
        why: &str,
    ) -> CaseResult {
        let alike = |pointer: &str| self.response.at(pointer) == earlier.response.at(pointer);
        let is_same = alike("/data/assetId")
            && (alike("/data/filename") || !context.judges("S10"))
            && alike("/data/isUploaded")
            && self.bytes() == earlier.bytes();
        self.response.that(
            is_same,
            &format!("The document is another one, although {why}."),
            &earlier.summary(),
            &self.summary(),
        )?;
        Ok(())
    }

    /// Requires a rebuilt document: other bytes and, with decisions, another asset.
    pub(crate) fn differs_from(
        &self,
        earlier: &Self,
        context: &CaseContext<'_>,
        why: &str,
    ) -> CaseResult {
        let asset = |document: &Self| document.response.text("/data/assetId").to_owned();
        let is_other = self.bytes() != earlier.bytes()
            && (!context.judges("S5") || asset(self) != asset(earlier));
        self.response.that(
            is_other,
            &format!("The PDF was not rebuilt, although {why}."),
            &format!("another document than {}", earlier.summary()),
            &self.summary(),
        )?;
        Ok(())
    }
}
