//! The bytes of each request, and the responses that it may have. The history identifies a request
//! by the number in its `x-request-id`.

use super::{dataset::Organization, http::Response};

/// Prefix of every `x-request-id`; the request's number follows.
pub const REQUEST_ID: &str = "fault-";
const ABSENT: &str = "ptn_01JV3N8Q5RZZZZZZZZZZZZZZZZ";

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
    /// 403: free.
    WithoutScope,
    /// 422 of the form: free.
    WithBadLimit,
    /// 400: free.
    WithBrokenJson,
}

impl Operation {
    /// The bytes on the wire.
    pub fn bytes(self, organization: &Organization, number: u64) -> Vec<u8> {
        let key = match self {
            Self::WithoutScope => &organization.narrow_key,
            _ => &organization.key,
        };
        let (method, path, body) = match self {
            Self::GetPayout(index) => {
                ("GET", format!("payouts/{}", organization.payouts[index]), None)
            }
            Self::GetPartner(index) => {
                ("GET", format!("partners/{}", organization.partners[index]), None)
            }
            Self::ListPartners => ("GET", "partners?limit=2".to_owned(), None),
            Self::GetAbsentPartner => ("GET", format!("partners/{ABSENT}"), None),
            Self::DetachLine(index) => {
                ("POST", format!("commission-lines/{}/detach", organization.lines[index]), None)
            }
            Self::UpdatePartner(index) => (
                "PATCH",
                format!("partners/{}", organization.partners[index]),
                Some(format!(r#"{{"name":"Renamed by {number}"}}"#)),
            ),
            Self::WithoutScope => ("GET", "partners?limit=1".to_owned(), None),
            Self::WithBadLimit => ("GET", "partners?limit=0".to_owned(), None),
            Self::WithBrokenJson => (
                "PATCH",
                format!("partners/{}", organization.partners[0]),
                Some(r#"{"name":"#.to_owned()),
            ),
        };
        request(method, &path, key, &format!("{REQUEST_ID}{number}"), body.as_deref())
    }

    /// The id of the resource that it changes; `None` for a read.
    pub fn changes(self, organization: &Organization) -> Option<&str> {
        match self {
            Self::DetachLine(index) => Some(&organization.lines[index]),
            Self::UpdatePartner(index) => Some(&organization.partners[index]),
            _ => None,
        }
    }

    /// Returns true if its response is metered (A7).
    pub fn is_metered(self) -> bool {
        !matches!(self, Self::WithoutScope | Self::WithBadLimit | Self::WithBrokenJson)
    }

    /// Why its request cannot get this response; `None` if it can.
    pub fn objection(self, response: &Response) -> Option<String> {
        let code = response.code.as_deref().unwrap_or("");
        let own: &[(u16, &str)] = match self {
            Self::GetPayout(_)
            | Self::GetPartner(_)
            | Self::ListPartners
            | Self::UpdatePartner(_) => &[(200, "")],
            Self::GetAbsentPartner => &[(404, "NOT_FOUND")],
            Self::DetachLine(_) => &[(200, ""), (422, "LINE_NOT_IN_PAYOUT")],
            Self::WithoutScope => &[(403, "INSUFFICIENT_SCOPE")],
            Self::WithBadLimit => &[(422, "VALIDATION_FAILED")],
            Self::WithBrokenJson => &[(400, "INVALID_JSON")],
        };
        let gate =
            [(402, "API_CREDITS_EXHAUSTED"), (429, "RATE_LIMITED"), (503, "SERVICE_UNAVAILABLE")];
        let is_own = own.contains(&(response.status, code));
        let has_credits = response.credits.is_some();
        if !is_own && !gate.contains(&(response.status, code)) {
            return Some(format!("{self:?} got {} {code}", response.status));
        }
        if response.status == 402 && !self.is_metered() {
            return Some(format!("{self:?} costs nothing, but got 402"));
        }
        if has_credits != (is_own && self.is_metered() || response.status == 402) {
            return Some(format!(
                "{self:?}, got {}, reports credits: {has_credits}",
                response.status
            ));
        }
        None
    }
}

/// A request with a key, in bytes.
pub fn request(method: &str, path: &str, key: &str, id: &str, body: Option<&str>) -> Vec<u8> {
    let head = format!(
        "{method} /api/v1/{path} HTTP/1.1\r\nhost: localhost\r\nx-api-key: {key}\r\n\
         x-request-id: {id}\r\n"
    );
    let rest = match body {
        Some(body) => format!(
            "content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        ),
        None if method == "GET" => "\r\n".to_owned(),
        None => "content-length: 0\r\n\r\n".to_owned(),
    };
    (head + &rest).into_bytes()
}
