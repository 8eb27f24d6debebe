//! What identifies a request with an idempotency key.

use poem::http::HeaderMap;
use sha2::{Digest, Sha256};

use crate::{
    contract::{Idempotency, Operation},
    id::OrganizationId,
};

const KEY_HEADER: &str = "idempotency-key";

/// A request with an idempotency key (X9).
#[derive(Debug)]
pub(in crate::gate) struct IdempotentRequest {
    /// The operation's id: each has keys of its own.
    pub(super) operation: &'static str,
    pub(super) key: String,
    /// SHA-256 of path and body: the same request has the same.
    pub(super) hash: [u8; 32],
}

impl IdempotentRequest {
    /// The request of an operation that takes such a key, where its valid headers have one.
    pub(in crate::gate) fn of(
        operation: Operation,
        path: &str,
        headers: &HeaderMap,
        body: &[u8],
    ) -> Option<Self> {
        let info = operation.info();
        if info.idempotency != Idempotency::ByKey {
            return None;
        }
        let key = headers.get(KEY_HEADER)?.to_str().ok()?.to_owned();
        let mut hash = Sha256::new();
        hash.update(path);
        // No path contains it.
        hash.update([0]);
        hash.update(body);
        Some(Self { operation: info.id, key, hash: hash.finalize().into() })
    }

    /// Operation and key.
    pub(super) fn id(&self) -> String {
        format!("{} {}", self.operation, self.key)
    }

    /// The number of the lock that only one request with this key holds at a time.
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
