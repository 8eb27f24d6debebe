//! Who gets a place in flight, and who waits: a pure state machine.
//!
//! It refuses to let a noisy party starve a quiet one: a freed place goes to the waiting party with the fewest, and a full
//! queue sends away the newest of the party that has the most.

use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    hash::Hash,
};

/// How many places there are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    /// Taken at once by all parties.
    pub(super) all: usize,
    /// Taken at once by one party.
    pub(super) per_party: usize,
    /// Waiting at once, all parties together.
    pub(super) queue: usize,
}

/// Places that parties `P` take, and tickets `T` of those that wait for one.
#[derive(Debug)]
pub(super) struct Places<P, T> {
    sizes: Sizes,
    taken: usize,
    queued: usize,
    arrivals: u64,
    parties: HashMap<P, Load<T>>,
    /// The parties that wait, the one to be served next first.
    queue: BTreeMap<Rank, P>,
}

/// Places taken, then the arrival of the first that waits: the smaller goes before the larger.
type Rank = (usize, u64);

#[derive(Debug)]
struct Load<T> {
    taken: usize,
    waiting: VecDeque<(u64, T)>,
}

/// What became of a request for a place.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Entered<T> {
    /// It has one.
    Placed,
    /// It waits under this number. Another one may have had to go.
    Queued(u64, Option<T>),
    /// The queue is full, and no other party has more in it.
    Refused,
}

impl<T> Load<T> {
    const NONE: Self = Self {
        taken: 0,
        waiting: VecDeque::new(),
    };

    fn rank(&self) -> Option<Rank> {
        self.waiting
            .front()
            .map(|(arrival, _)| (self.taken, *arrival))
    }

    fn all(&self) -> usize {
        self.taken + self.waiting.len()
    }
}

impl<P: Clone + Eq + Hash, T> Places<P, T> {
    pub(super) fn new(sizes: Sizes) -> Self {
        Self {
            sizes,
            taken: 0,
            queued: 0,
            arrivals: 0,
            parties: HashMap::new(),
            queue: BTreeMap::new(),
        }
    }

    /// How many are taken.
    pub(super) fn taken(&self) -> usize {
        self.taken
    }

    /// A request of `party` comes. The ticket is made only where it must wait.
    pub(super) fn enter(&mut self, party: &P, ticket: impl FnOnce() -> T) -> Entered<T> {
        let known = self.parties.get(party);
        let (taken, all) = known.map_or((0, 0), |load| (load.taken, load.all()));
        // Whoever waits cannot be served: else it would have been. So nobody is overtaken here.
        if self.taken < self.sizes.all && taken < self.sizes.per_party {
            self.taken += 1;
            self.change(party, |load| load.taken += 1);
            return Entered::Placed;
        }
        let mut sent_away = None;
        if self.queued >= self.sizes.queue {
            sent_away = self.send_away(all);
            if sent_away.is_none() {
                return Entered::Refused;
            }
        }
        let arrival = self.arrivals;
        self.arrivals += 1;
        self.queued += 1;
        self.change(party, |load| load.waiting.push_back((arrival, ticket())));
        Entered::Queued(arrival, sent_away)
    }

    /// A place of `party` becomes free. It is taken by whom this returns.
    pub(super) fn leave(&mut self, party: &P) -> Option<(P, T)> {
        self.taken -= 1;
        self.change(party, |load| load.taken -= 1);
        let ((taken, _), next) = self.queue.first_key_value()?;
        if *taken >= self.sizes.per_party {
            return None;
        }
        let next = next.clone();
        self.taken += 1;
        self.queued -= 1;
        let ticket = self.change(&next, |load| {
            load.taken += 1;
            load.waiting.pop_front()
        });
        ticket.map(|(_, ticket)| (next, ticket))
    }

    /// One that waited gives up; `None` where it does not wait any more.
    pub(super) fn abandon(&mut self, party: &P, arrival: u64) -> Option<T> {
        let waiting = &self.parties.get(party)?.waiting;
        let index = waiting.binary_search_by_key(&arrival, |(arrival, _)| *arrival);
        let index = index.ok()?;
        self.queued -= 1;
        let ticket = self.change(party, |load| load.waiting.remove(index));
        ticket.map(|(_, ticket)| ticket)
    }

    /// The newest of the party that has the most, where that is more than `all`.
    fn send_away(&mut self, all: usize) -> Option<T> {
        let waiting = self
            .queue
            .values()
            .map(|party| (self.parties[party].all(), party));
        let (most, noisiest) = waiting.max_by_key(|(all, _)| *all)?;
        if most <= all {
            return None;
        }
        let noisiest = noisiest.clone();
        self.queued -= 1;
        let ticket = self.change(&noisiest, |load| load.waiting.pop_back());
        ticket.map(|(_, ticket)| ticket)
    }

    /// Changes a party's load, and keeps its rank in step.
    fn change<R>(&mut self, party: &P, change: impl FnOnce(&mut Load<T>) -> R) -> R {
        let load = match self.parties.get_mut(party) {
            Some(load) => load,
            None => self.parties.entry(party.clone()).or_insert(Load::NONE),
        };
        let before = load.rank();
        let result = change(load);
        let after = load.rank();
        if load.all() == 0 {
            self.parties.remove(party);
        }
        if before != after {
            if let Some(rank) = before {
                self.queue.remove(&rank);
            }
            if let Some(rank) = after {
                self.queue.insert(rank, party.clone());
            }
        }
        result
    }
}

#[cfg(test)]
mod tests;
