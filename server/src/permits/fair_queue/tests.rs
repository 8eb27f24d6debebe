//! Limits and fairness, and that nothing is lost, by hand and at random.

use std::collections::HashMap;

use super::{Capacity, Enqueued, FairQueue};

const CAPACITY: Capacity = Capacity { all: 4, per_client: 2, queue: 3 };

/// Requests are numbered by the tests.
type Table = FairQueue<char, u32>;

fn table(capacity: Capacity) -> Table {
    FairQueue::new(capacity)
}

fn grant(table: &mut Table, client: char) {
    let enqueued = table.enter(&client, || unreachable!("a permit is free"));
    assert_eq!(enqueued, Enqueued::Granted);
}

fn queue(table: &mut Table, client: char, request: u32) -> u64 {
    match table.enter(&client, || request) {
        Enqueued::Queued { arrival, evicted: None } => arrival,
        other => panic!("{other:?}"),
    }
}

#[test]
fn client_has_its_limit_although_permits_are_free() {
    let mut table = table(CAPACITY);
    grant(&mut table, 'a');
    grant(&mut table, 'a');
    queue(&mut table, 'a', 1);
    grant(&mut table, 'b');
    assert_eq!(table.release(&'b'), None, "a has its share");
    assert_eq!(table.release(&'a'), Some(('a', 1)));
}

#[test]
fn released_permit_goes_to_the_client_with_the_fewest() {
    let mut table = table(CAPACITY);
    for client in ['a', 'a', 'b', 'c'] {
        grant(&mut table, client);
    }
    queue(&mut table, 'b', 1);
    queue(&mut table, 'd', 2);
    assert_eq!(table.release(&'a'), Some(('d', 2)));
    assert_eq!(table.release(&'a'), Some(('b', 1)));
}

#[test]
fn ties_go_by_arrival_and_a_client_is_served_in_its_order() {
    let mut table = table(CAPACITY);
    for client in ['a', 'a', 'b', 'b'] {
        grant(&mut table, client);
    }
    queue(&mut table, 'd', 1);
    queue(&mut table, 'c', 2);
    queue(&mut table, 'c', 3);
    assert_eq!(table.release(&'a'), Some(('d', 1)));
    assert_eq!(table.release(&'a'), Some(('c', 2)));
    assert_eq!(table.release(&'b'), Some(('c', 3)));
    assert_eq!(table.release(&'b'), None);
}

#[test]
fn full_queue_evicts_the_newest_of_the_noisiest() {
    let mut table = table(CAPACITY);
    for client in ['a', 'a', 'b', 'c'] {
        grant(&mut table, client);
    }
    queue(&mut table, 'a', 1);
    queue(&mut table, 'a', 2);
    queue(&mut table, 'b', 3);
    assert_eq!(table.enter(&'a', || 4), Enqueued::Rejected, "it would be the noisiest itself");
    let enqueued = table.enter(&'d', || 5);
    assert!(matches!(enqueued, Enqueued::Queued { evicted: Some(2), .. }), "{enqueued:?}");
}

#[test]
fn cancelled_request_is_not_served() {
    let mut table = table(CAPACITY);
    for client in ['a', 'a', 'b', 'b'] {
        grant(&mut table, client);
    }
    let first = queue(&mut table, 'c', 1);
    queue(&mut table, 'c', 2);
    assert_eq!(table.cancel(&'c', first), Some(1));
    assert_eq!(table.cancel(&'c', first), None);
    assert_eq!(table.release(&'a'), Some(('c', 2)));
    assert_eq!(table.cancel(&'c', 2), None, "it has a permit");
}

/// A generator with a fixed seed (SplitMix64).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut value = self.0;
        value = (value ^ (value >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        value = (value ^ (value >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((value ^ (value >> 31)) % bound as u64).unwrap()
    }
}

/// What must hold of a queue, derived from its inputs and outputs.
#[derive(Default)]
struct Model {
    granted: HashMap<char, usize>,
    waiting: Vec<(char, u64, u32)>,
}

impl Model {
    fn agrees(&self, table: &Table, capacity: Capacity) {
        let granted: usize = self.granted.values().sum();
        assert_eq!(table.granted, granted);
        assert!(granted <= capacity.all);
        assert!(self.granted.values().all(|granted| *granted <= capacity.per_client));
        assert_eq!(table.queued, self.waiting.len());
        assert!(self.waiting.len() <= capacity.queue);
        if granted < capacity.all {
            let mut waiting = self.waiting.iter();
            assert!(
                waiting.all(|(client, ..)| self.granted[client] == capacity.per_client),
                "a permit is free, and a request waits that could have it"
            );
        }
        let clients = table.clients.values();
        assert!(clients.into_iter().all(|load| load.all() > 0), "no entry of a client that left");
    }

    fn release(&mut self, table: &mut Table, client: char, capacity: Capacity) {
        *self.granted.get_mut(&client).unwrap() -= 1;
        let count =
            |granted: &HashMap<char, usize>, client| granted.get(&client).copied().unwrap_or(0);
        let able = self
            .waiting
            .iter()
            .copied()
            .filter(|(client, ..)| count(&self.granted, *client) < capacity.per_client);
        let next =
            able.min_by_key(|(client, arrival, _)| (count(&self.granted, *client), *arrival));
        let served = table.release(&client);
        assert_eq!(served, next.map(|(client, _, request)| (client, request)));
        if let Some((client, _, request)) = next {
            self.waiting.retain(|(_, _, waiting)| *waiting != request);
            *self.granted.entry(client).or_default() += 1;
        }
    }
}

#[test]
fn random_histories_keep_every_invariant() {
    for seed in 0..200 {
        let mut random = Random(seed);
        let capacity = Capacity {
            all: 1 + random.below(6),
            per_client: 1 + random.below(4),
            queue: random.below(6),
        };
        let (mut table, mut model) = (table(capacity), Model::default());
        for request in 0..300 {
            let client = char::from(b'a' + u8::try_from(random.below(5)).unwrap());
            let has_permit = model.granted.get(&client).is_some_and(|granted| *granted > 0);
            match random.below(5) {
                0 | 1 if has_permit => model.release(&mut table, client, capacity),
                2 if !model.waiting.is_empty() => {
                    let index = random.below(model.waiting.len());
                    let (client, arrival, request) = model.waiting.remove(index);
                    assert_eq!(table.cancel(&client, arrival), Some(request));
                }
                _ => match table.enter(&client, || request) {
                    Enqueued::Granted => *model.granted.entry(client).or_default() += 1,
                    Enqueued::Queued { arrival, evicted } => {
                        model.waiting.retain(|(.., waiting)| Some(*waiting) != evicted);
                        model.granted.entry(client).or_default();
                        model.waiting.push((client, arrival, request));
                    }
                    Enqueued::Rejected => assert_eq!(model.waiting.len(), capacity.queue),
                },
            }
            model.agrees(&table, capacity);
        }
        let clients: Vec<char> = model.granted.keys().copied().collect();
        while model.granted.values().any(|granted| *granted > 0) {
            for client in &clients {
                if model.granted[client] > 0 {
                    model.release(&mut table, *client, capacity);
                }
            }
        }
        model.agrees(&table, capacity);
        assert!(table.clients.is_empty() && table.waiting.is_empty(), "seed {seed}");
    }
}
