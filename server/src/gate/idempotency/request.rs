//! Identifies requests with an idempotency key.

use openapi_runtime::PathValues;
use poem::http::HeaderMap;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::{
    contract::{Idempotency, Operation},
    id::OrganizationId,
};

const KEY_HEADER: &str = "idempotency-key";

/// A request with an idempotency key (X9).
#[derive(Debug)]
pub(in crate::gate) struct IdempotentRequest {
    /// The operation's id; each operation has keys of its own.
    pub(super) operation: &'static str,
    pub(super) key: String,
    /// SHA-256 of the path's values and the body's JSON value, which is equal for equal requests.
    pub(super) value_hash: [u8; 32],
    /// SHA-256 of the bytes of path and body, by which a server of the previous version compares.
    pub(super) bytes_hash: [u8; 32],
}

impl IdempotentRequest {
    /// Returns the request if its operation takes such a key and its valid headers have one.
    pub(in crate::gate) fn of(
        operation: Operation,
        raw_path: &str,
        path: &PathValues,
        headers: &HeaderMap,
        body: &[u8],
    ) -> Option<Self> {
        let info = operation.info();
        if info.idempotency != Idempotency::ByKey {
            return None;
        }
        let key = headers.get(KEY_HEADER)?.to_str().ok()?.to_owned();
        let canonical = if info.has_body { canonical(body) } else { Vec::new() };
        let value_hash = hash_of(path.values(), &canonical);
        let bytes_hash = hash_of([raw_path], body);
        Some(Self { operation: info.id, key, value_hash, bytes_hash })
    }

    /// Returns operation and key, which identify the response.
    pub(super) fn id(&self) -> String {
        format!("{} {}", self.operation, self.key)
    }

    /// Returns the number of the lock that only one request with this key holds at a time.
    pub(super) fn lock(&self, organization: &OrganizationId) -> i64 {
        let mut hash = Sha256::new();
        for part in [organization.as_str(), self.operation, &self.key] {
            hash.update(part);
            hash.update([0]);
        }
        let hash: [u8; 32] = hash.finalize().into();
        let (first, _) = hash.split_first_chunk().expect("it has 32 bytes");
        i64::from_be_bytes(*first)
    }
}

/// Hashes the parts of a path, each followed by a byte that no part contains, and the body.
fn hash_of<'a>(path: impl IntoIterator<Item = &'a str>, body: &[u8]) -> [u8; 32] {
    let mut hash = Sha256::new();
    for part in path {
        hash.update(part);
        hash.update([0]);
    }
    hash.update(body);
    hash.finalize().into()
}

/// Returns the body as a JSON value, which does not depend on the order of keys, on spacing or on
/// escapes.
fn canonical(body: &[u8]) -> Vec<u8> {
    let Ok(mut value) = serde_json::from_slice::<Value>(body) else {
        return body.to_vec();
    };
    value.sort_all_objects();
    value.to_string().into_bytes()
}
