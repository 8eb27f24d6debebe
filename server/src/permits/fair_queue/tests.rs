//! Tests which request a full queue evicts, and the invariants of random histories.

use std::collections::HashMap;

use super::{Capacity, Enqueued, FairQueue};

const CAPACITY: Capacity = Capacity { all: 4, per_client: 2, queue: 3 };

/// The tests number the requests.
type Queue = FairQueue<char, u32>;

fn grant(queue: &mut Queue, client: char) {
    let enqueued = queue.enter(&client, || unreachable!("a permit is free"));
    assert_eq!(enqueued, Enqueued::Granted);
}

fn enqueue(queue: &mut Queue, client: char, request: u32) -> u64 {
    match queue.enter(&client, || request) {
        Enqueued::Queued { arrival, evicted: None } => arrival,
        other => panic!("{other:?}"),
    }
}

#[test]
fn full_queue_evicts_the_newest_of_the_noisiest() {
    let mut queue = Queue::new(CAPACITY);
    for client in ['a', 'a', 'b', 'c'] {
        grant(&mut queue, client);
    }
    enqueue(&mut queue, 'a', 1);
    enqueue(&mut queue, 'a', 2);
    enqueue(&mut queue, 'b', 3);
    assert_eq!(queue.enter(&'a', || 4), Enqueued::Rejected, "its client uses most");
    let enqueued = queue.enter(&'d', || 5);
    assert!(matches!(enqueued, Enqueued::Queued { evicted: Some(2), .. }), "{enqueued:?}");
}

/// The expected state of a queue, derived from its inputs and outputs.
#[derive(Default)]
struct Model {
    granted: HashMap<char, usize>,
    waiting: Vec<(char, u64, u32)>,
}

impl Model {
    fn agrees(&self, queue: &Queue, capacity: Capacity) {
        let granted: usize = self.granted.values().sum();
        assert_eq!(queue.granted, granted);
        assert!(granted <= capacity.all);
        assert!(self.granted.values().all(|granted| *granted <= capacity.per_client));
        assert_eq!(queue.queued, self.waiting.len());
        assert!(self.waiting.len() <= capacity.queue);
        if granted < capacity.all {
            let mut waiting = self.waiting.iter();
            assert!(
                waiting.all(|(client, ..)| self.granted[client] == capacity.per_client),
                "a permit is free, and a request waits that could have it"
            );
        }
        let clients = queue.clients.values();
        assert!(clients.into_iter().all(|load| load.all() > 0), "a client that left has no entry");
    }

    fn release(&mut self, queue: &mut Queue, client: char, capacity: Capacity) {
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
        let served = queue.release(&client);
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
        let mut random = fastrand::Rng::with_seed(seed);
        let capacity = Capacity {
            all: 1 + random.usize(..6),
            per_client: 1 + random.usize(..4),
            queue: random.usize(..6),
        };
        let (mut queue, mut model) = (Queue::new(capacity), Model::default());
        for request in 0..300 {
            let client = char::from(b'a' + u8::try_from(random.usize(..5)).unwrap());
            let has_permit = model.granted.get(&client).is_some_and(|granted| *granted > 0);
            match random.usize(..5) {
                0 | 1 if has_permit => model.release(&mut queue, client, capacity),
                2 if !model.waiting.is_empty() => {
                    let index = random.usize(..model.waiting.len());
                    let (client, arrival, request) = model.waiting.remove(index);
                    assert_eq!(queue.cancel(&client, arrival), Some(request));
                }
                _ => match queue.enter(&client, || request) {
                    Enqueued::Granted => *model.granted.entry(client).or_default() += 1,
                    Enqueued::Queued { arrival, evicted } => {
                        model.waiting.retain(|(.., waiting)| Some(*waiting) != evicted);
                        model.granted.entry(client).or_default();
                        model.waiting.push((client, arrival, request));
                    }
                    Enqueued::Rejected => assert_eq!(model.waiting.len(), capacity.queue),
                },
            }
            model.agrees(&queue, capacity);
        }
        let clients: Vec<char> = model.granted.keys().copied().collect();
        while model.granted.values().any(|granted| *granted > 0) {
            for client in &clients {
                if model.granted[client] > 0 {
                    model.release(&mut queue, *client, capacity);
                }
            }
        }
        model.agrees(&queue, capacity);
        assert!(queue.clients.is_empty() && queue.waiting.is_empty(), "seed {seed}");
    }
}
