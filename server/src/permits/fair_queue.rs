//! Decides which request gets a permit and which one waits, as a pure state machine. A released
//! permit goes to the waiting client with the fewest permits. A full queue evicts the newest
//! request of the client that uses most.

use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    hash::Hash,
};

#[derive(Clone, Copy, Debug)]
pub(crate) struct Capacity {
    pub(crate) all: usize,
    pub(crate) per_client: usize,
    /// Waiting requests of all clients.
    pub(crate) queue: usize,
}

/// Permits of clients `C` and waiting requests `T`.
pub(super) struct FairQueue<C, T> {
    capacity: Capacity,
    granted: usize,
    queued: usize,
    arrivals: u64,
    clients: HashMap<C, Usage<T>>,
    /// Waiting clients in the order of service.
    waiting: BTreeMap<Rank, C>,
}

/// Permits, then the arrival of the first waiting request. The smallest rank is served first.
type Rank = (usize, u64);

struct Usage<T> {
    granted: usize,
    waiting: VecDeque<(u64, T)>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Enqueued<T> {
    Granted,
    /// The request waits under this number, perhaps in place of another.
    Queued {
        arrival: u64,
        evicted: Option<T>,
    },
    /// The queue is full, and no other client uses more.
    Rejected,
}

impl<T> Usage<T> {
    const NONE: Self = Self { granted: 0, waiting: VecDeque::new() };

    fn rank(&self) -> Option<Rank> {
        let first = self.waiting.front();
        first.map(|(arrival, _)| (self.granted, *arrival))
    }

    fn all(&self) -> usize {
        self.granted + self.waiting.len()
    }
}

impl<C: Clone + Eq + Hash, T> FairQueue<C, T> {
    pub(super) fn new(capacity: Capacity) -> Self {
        Self {
            capacity,
            granted: 0,
            queued: 0,
            arrivals: 0,
            clients: HashMap::new(),
            waiting: BTreeMap::new(),
        }
    }

    pub(super) fn granted(&self) -> usize {
        self.granted
    }

    /// Grants a permit, or queues the request that `request` creates.
    pub(super) fn enter(&mut self, client: &C, request: impl FnOnce() -> T) -> Enqueued<T> {
        let known = self.clients.get(client);
        let (granted, all) = known.map_or((0, 0), |usage| (usage.granted, usage.all()));
        // A waiting request that could take the permit would have it already, so none is overtaken.
        if self.granted < self.capacity.all && granted < self.capacity.per_client {
            self.granted += 1;
            self.change(client, |usage| usage.granted += 1);
            return Enqueued::Granted;
        }
        let mut evicted = None;
        if self.queued >= self.capacity.queue {
            evicted = self.evict(all);
            if evicted.is_none() {
                return Enqueued::Rejected;
            }
        }
        let arrival = self.arrivals;
        self.arrivals += 1;
        self.queued += 1;
        self.change(client, |usage| usage.waiting.push_back((arrival, request())));
        Enqueued::Queued { arrival, evicted }
    }

    /// Releases a permit of `client`, and returns the request that gets it.
    pub(super) fn release(&mut self, client: &C) -> Option<(C, T)> {
        self.granted -= 1;
        self.change(client, |usage| usage.granted -= 1);
        let ((granted, _), next) = self.waiting.first_key_value()?;
        if *granted >= self.capacity.per_client {
            return None;
        }
        let next = next.clone();
        self.granted += 1;
        self.queued -= 1;
        let request = self.change(&next, |usage| {
            usage.granted += 1;
            usage.waiting.pop_front()
        });
        request.map(|(_, request)| (next, request))
    }

    /// Removes a waiting request, or returns `None` if it does not wait any more.
    pub(super) fn cancel(&mut self, client: &C, arrival: u64) -> Option<T> {
        let waiting = &self.clients.get(client)?.waiting;
        let index = waiting.binary_search_by_key(&arrival, |(arrival, _)| *arrival);
        let index = index.ok()?;
        self.queued -= 1;
        let request = self.change(client, |usage| usage.waiting.remove(index));
        request.map(|(_, request)| request)
    }

    /// Removes the newest request of the client that uses most, if that is more than `all`.
    fn evict(&mut self, all: usize) -> Option<T> {
        let usages = self.waiting.values().map(|client| (self.clients[client].all(), client));
        let (most, noisiest) = usages.max_by_key(|(all, _)| *all)?;
        if most <= all {
            return None;
        }
        let noisiest = noisiest.clone();
        self.queued -= 1;
        let request = self.change(&noisiest, |usage| usage.waiting.pop_back());
        request.map(|(_, request)| request)
    }

    fn change<O>(&mut self, client: &C, change: impl FnOnce(&mut Usage<T>) -> O) -> O {
        let usage = match self.clients.get_mut(client) {
            Some(usage) => usage,
            None => self.clients.entry(client.clone()).or_insert(Usage::NONE),
        };
        let before = usage.rank();
        let output = change(usage);
        let after = usage.rank();
        if usage.all() == 0 {
            self.clients.remove(client);
        }
        if before != after {
            if let Some(rank) = before {
                self.waiting.remove(&rank);
            }
            if let Some(rank) = after {
                self.waiting.insert(rank, client.clone());
            }
        }
        output
    }
}

#[cfg(test)]
mod tests;
