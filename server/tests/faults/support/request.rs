//! The requests, and the responses that each may have. The history identifies a request by the
//! number in its `x-request-id`.

use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

use super::load::Target;

/// Prefix of every `x-request-id`; the request's number follows.
pub const REQUEST_ID: &str = "fault-";

/// The checked parts of a response.
#[derive(Clone, Debug)]
pub struct Response {
    pub status: u16,
    /// `error.code`; empty for a success.
    pub code: String,
    /// Requests a minute, of the organisation or of an address without a valid key, and how many
    /// remain.
    pub rate: (i64, i64),
    /// The month's credits and how many remain; on metered responses and 402 only.
    pub credits: Option<(i64, i64)>,
    /// True if it repeats an earlier response; `None` if the request was sent more than once.
    pub is_replayed: Option<bool>,
    pub body: Value,
}

impl Response {
    /// Sends a request and reads its response; an error if the connection breaks.
    pub async fn read(request: RequestBuilder) -> reqwest::Result<Self> {
        let response = request.send().await?;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let text = response.text().await?;
        let body: Value = serde_json::from_str(&text).expect("every body is JSON");
        let number = |name: &str| -> Option<i64> {
            let mut values = headers.get_all(name).iter();
            let value = values.next()?.to_str().unwrap().parse().unwrap();
            assert!(values.next().is_none(), "{name} was sent more than once");
            Some(value)
        };
        let pair = |of: [&str; 2]| match of.map(number) {
            [Some(limit), Some(remaining)] => Some((limit, remaining)),
            [None, None] => None,
            one => panic!("{status}: one header without the other: {one:?}"),
        };
        let code = body["error"]["code"].as_str().unwrap_or_default().to_owned();
        let has_envelope = body.get("data").is_some() || body["error"]["message"].is_string();
        assert!(has_envelope && (status < 300) == code.is_empty(), "{status}: {body}");
        let rate = pair(["x-ratelimit-limit-minute", "x-ratelimit-remaining-minute"]);
        let credits = pair(["x-service-credits-limit-month", "x-service-credits-remaining-month"]);
        let is_replayed = Some(headers.contains_key("idempotent-replayed"));
        Ok(Self { status, code, rate: rate.expect("a rate limit"), credits, is_replayed, body })
    }
}

/// One kind of request; numbers are indexes of the organisation's lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// 200.
    GetPayout(usize),
    /// 200.
    GetPartner(usize),
    /// 200.
    ListPartners,
    /// 404 after admission: metered.
    GetAbsentPartner,
    /// 200 for one of the concurrent requests, 422 after admission for the others: metered.
    DetachLine(usize),
    /// 200, with a name that no other request sets.
    UpdatePartner(usize),
    /// 200, or 422 when the payout has no lines any more. It makes a document only where none is.
    Statement(usize),
    /// 403: free.
    WithoutScope,
    /// 422 of the form: free.
    WithBadLimit,
    /// 400: free.
    WithBrokenJson,
}

impl Operation {
    /// The request of an organisation to a replica.
    pub fn request(
        self,
        target: &Target,
        replica: usize,
        organization: usize,
        number: u64,
    ) -> RequestBuilder {
        let own = &target.organizations[organization];
        let key = if self == Self::WithoutScope { &own.narrow_key } else { &own.key };
        let (method, path) = match self {
            Self::GetPayout(index) => (Method::GET, format!("payouts/{}", own.payouts[index])),
            Self::GetPartner(index) => (Method::GET, format!("partners/{}", own.partners[index])),
            Self::ListPartners => (Method::GET, "partners?limit=2".to_owned()),
            Self::GetAbsentPartner => (Method::GET, "partners/absent".to_owned()),
            Self::DetachLine(index) => {
                (Method::POST, format!("commission-lines/{}/detach", own.lines[index]))
            }
            Self::Statement(index) => {
                (Method::POST, format!("payouts/{}/statement", own.payouts[index]))
            }
            Self::UpdatePartner(index) => {
                (Method::PATCH, format!("partners/{}", own.partners[index]))
            }
            Self::WithoutScope => (Method::GET, "partners?limit=1".to_owned()),
            Self::WithBadLimit => (Method::GET, "partners?limit=0".to_owned()),
            Self::WithBrokenJson => (Method::PATCH, format!("partners/{}", own.partners[0])),
        };
        let request = target.request(replica, method, &format!("/api/v1/{path}"), key);
        let request = request.header("x-request-id", format!("{REQUEST_ID}{number}"));
        match self {
            Self::UpdatePartner(_) => {
                request.json(&json!({ "name": format!("Renamed by {number}") }))
            }
            Self::WithBrokenJson => {
                request.header("content-type", "application/json").body("{\"name\":")
            }
            _ => request,
        }
    }

    /// Returns true if each 200 changes something.
    pub fn is_change(self) -> bool {
        matches!(self, Self::DetachLine(_) | Self::UpdatePartner(_))
    }

    /// Returns true if its response is metered (A7).
    pub fn is_metered(self) -> bool {
        !matches!(self, Self::WithoutScope | Self::WithBadLimit | Self::WithBrokenJson)
    }

    /// Why its request cannot get this response; `None` if it can.
    pub fn objection(self, response: &Response) -> Option<String> {
        let own: &[(u16, &str)] = match self {
            Self::GetPayout(_)
            | Self::GetPartner(_)
            | Self::ListPartners
            | Self::UpdatePartner(_) => &[(200, "")],
            Self::GetAbsentPartner => &[(404, "NOT_FOUND")],
            Self::DetachLine(_) => &[(200, ""), (422, "LINE_NOT_IN_PAYOUT")],
            Self::Statement(_) => &[(200, ""), (422, "NO_COMMISSION_LINES")],
            Self::WithoutScope => &[(403, "INSUFFICIENT_SCOPE")],
            Self::WithBadLimit => &[(422, "VALIDATION_FAILED")],
            Self::WithBrokenJson => &[(400, "INVALID_JSON")],
        };
        let gate =
            [(402, "API_CREDITS_EXHAUSTED"), (429, "RATE_LIMITED"), (503, "SERVICE_UNAVAILABLE")];
        let (status, code) = (response.status, response.code.as_str());
        let is_own = own.contains(&(status, code));
        let has_credits = response.credits.is_some();
        if !is_own && !gate.contains(&(status, code)) {
            return Some(format!("{self:?} got {status} {code}"));
        }
        if status == 402 && !self.is_metered() {
            return Some(format!("{self:?} costs nothing, but got 402"));
        }
        let reports = is_own && self.is_metered() || status == 402;
        let problem = format!("{self:?}, got {status}, reports credits: {has_credits}");
        (has_credits != reports).then_some(problem)
    }
}
