//! The result of each request, as its client saw it. A request whose connection broke is
//! unanswered, and may or may not have happened.

use std::{
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::Instant,
};

use super::{
    deployment::until,
    request::{Operation, Response},
};

/// One request that was sent.
#[derive(Clone, Debug)]
pub struct Record {
    /// Its number, which its `x-request-id` carries.
    pub number: u64,
    pub organization: usize,
    pub operation: Operation,
    pub replica: usize,
    /// Before its first byte was sent.
    pub begun: Instant,
    /// After the last byte of its response was read, or the connection broke.
    pub ended: Instant,
    /// `None` if the connection broke.
    pub response: Option<Response>,
}

impl Record {
    /// Its response's status; 0 without one.
    pub fn status(&self) -> u16 {
        self.response.as_ref().map_or(0, |response| response.status)
    }

    /// Limit and remaining credits of a response that reports a charge.
    pub fn charge(&self) -> Option<(i64, i64)> {
        self.response.as_ref().filter(|response| response.status != 402)?.credits
    }

    /// Returns true if something behind the server was unavailable.
    pub fn is_failed(&self) -> bool {
        self.status() >= 500
    }

    /// Returns true if it failed after its admission: its response reports the minute of the
    /// organisation, not of the address, and its credit was refunded.
    pub fn is_refunded(&self, requests_per_minute: i64) -> bool {
        let is_of_organization = |response: &Response| response.rate.0 == requests_per_minute;
        self.is_failed() && self.response.as_ref().is_some_and(is_of_organization)
    }
}

/// All requests sent so far.
#[derive(Debug, Default)]
pub struct Journal {
    records: Mutex<Vec<Record>>,
    passed: [AtomicU64; 2],
    failed: [AtomicU64; 2],
}

impl Journal {
    pub fn add(&self, record: Record) {
        match record.status() {
            200 => self.passed[record.replica].fetch_add(1, Ordering::SeqCst),
            500.. => self.failed[record.replica].fetch_add(1, Ordering::SeqCst),
            _ => 0,
        };
        self.records.lock().unwrap().push(record);
    }

    /// The number of a replica's responses with 200.
    fn passed(&self, replica: usize) -> u64 {
        self.passed[replica].load(Ordering::SeqCst)
    }

    /// Waits until a replica has answered 200 so many times more.
    pub async fn pass_on(&self, replica: usize, requests: u64) {
        let wanted = self.passed(replica) + requests;
        until("a replica responds", async || self.passed(replica) >= wanted).await;
    }

    /// Waits until both replicas together have answered 200 so many times more.
    pub async fn pass(&self, requests: u64) {
        let passed = || self.passed(0) + self.passed(1);
        let wanted = passed() + requests;
        until("both replicas respond", async || passed() >= wanted).await;
    }

    /// Waits until each replica has answered 5xx so many times more.
    pub async fn fail(&self, requests: u64) {
        let failed = || [0, 1].map(|replica| self.failed[replica].load(Ordering::SeqCst));
        let before = failed();
        let have_failed =
            async || failed().iter().zip(before).all(|(now, before)| *now >= before + requests);
        until("both replicas return 503", have_failed).await;
    }

    /// The number of an organisation's answered requests that began after this moment.
    pub fn answered_since(&self, organization: usize, since: Instant) -> u64 {
        let records = self.records.lock().unwrap();
        let newest = records.iter().rev().take_while(|record| record.ended > since);
        let answered = newest.filter(|record| {
            record.organization == organization && record.begun > since && record.response.is_some()
        });
        u64::try_from(answered.count()).unwrap()
    }

    pub fn records(&self) -> Vec<Record> {
        self.records.lock().unwrap().clone()
    }

    /// Waits until both replicas have answered 200 after this moment; returns the milliseconds
    /// until the later of the two.
    pub async fn recovered(&self, since: Instant) -> u128 {
        let passed = [0, 1].map(|replica| self.passed(replica));
        until("both replicas respond again", async || {
            (0..2).all(|replica| self.passed(replica) > passed[replica])
        })
        .await;
        let records = self.records.lock().unwrap();
        let first = |replica| {
            let own =
                records.iter().filter(|record| record.replica == replica && record.status() == 200);
            let ends = own.map(|record| record.ended).filter(|ended| *ended >= since);
            ends.min().expect("it was just waited for")
        };
        (first(0).max(first(1)) - since).as_millis()
    }
}
