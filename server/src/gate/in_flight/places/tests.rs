//! Caps, fairness, and that nothing is lost, by hand and at random.

use std::collections::HashMap;

use super::{Entered, Places, Sizes};

const SIZES: Sizes = Sizes {
    all: 4,
    per_party: 2,
    queue: 3,
};

/// Tickets are numbered by whoever asks.
type Table = Places<char, u32>;

fn table(sizes: Sizes) -> Table {
    Places::new(sizes)
}

fn place(table: &mut Table, party: char) {
    let entered = table.enter(&party, || unreachable!("a place is free"));
    assert_eq!(entered, Entered::Placed);
}

fn queue(table: &mut Table, party: char, ticket: u32) -> u64 {
    match table.enter(&party, || ticket) {
        Entered::Queued(arrival, None) => arrival,
        other => panic!("{other:?}"),
    }
}

#[test]
fn party_has_its_cap_though_places_are_free() {
    let mut table = table(SIZES);
    place(&mut table, 'a');
    place(&mut table, 'a');
    queue(&mut table, 'a', 1);
    place(&mut table, 'b');
    assert_eq!(table.leave(&'b'), None, "a has its share");
    assert_eq!(table.leave(&'a'), Some(('a', 1)));
}

#[test]
fn freed_place_goes_to_the_party_with_the_fewest() {
    let mut table = table(SIZES);
    for party in ['a', 'a', 'b', 'c'] {
        place(&mut table, party);
    }
    queue(&mut table, 'b', 1);
    queue(&mut table, 'd', 2);
    assert_eq!(table.leave(&'a'), Some(('d', 2)));
    assert_eq!(table.leave(&'a'), Some(('b', 1)));
}

#[test]
fn ties_go_by_arrival_and_a_party_is_served_in_its_order() {
    let mut table = table(SIZES);
    for party in ['a', 'a', 'b', 'b'] {
        place(&mut table, party);
    }
    queue(&mut table, 'd', 1);
    queue(&mut table, 'c', 2);
    queue(&mut table, 'c', 3);
    assert_eq!(table.leave(&'a'), Some(('d', 1)));
    assert_eq!(table.leave(&'a'), Some(('c', 2)));
    assert_eq!(table.leave(&'b'), Some(('c', 3)));
    assert_eq!(table.leave(&'b'), None);
}

#[test]
fn full_queue_sends_away_the_newest_of_the_noisiest() {
    let mut table = table(SIZES);
    for party in ['a', 'a', 'b', 'c'] {
        place(&mut table, party);
    }
    queue(&mut table, 'a', 1);
    queue(&mut table, 'a', 2);
    queue(&mut table, 'b', 3);
    assert_eq!(
        table.enter(&'a', || 4),
        Entered::Refused,
        "it would be the noisiest itself"
    );
    let entered = table.enter(&'d', || 5);
    assert!(
        matches!(entered, Entered::Queued(_, Some(2))),
        "{entered:?}"
    );
}

#[test]
fn who_gives_up_is_not_served() {
    let mut table = table(SIZES);
    for party in ['a', 'a', 'b', 'b'] {
        place(&mut table, party);
    }
    let first = queue(&mut table, 'c', 1);
    queue(&mut table, 'c', 2);
    assert_eq!(table.abandon(&'c', first), Some(1));
    assert_eq!(table.abandon(&'c', first), None);
    assert_eq!(table.leave(&'a'), Some(('c', 2)));
    assert_eq!(table.abandon(&'c', 2), None, "it has a place");
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

/// What should hold of a table, told by what went in and came out.
#[derive(Default)]
struct Model {
    taken: HashMap<char, usize>,
    waiting: Vec<(char, u64, u32)>,
}

impl Model {
    fn agrees(&self, table: &Table, sizes: Sizes) {
        let taken: usize = self.taken.values().sum();
        assert_eq!(table.taken, taken);
        assert!(taken <= sizes.all);
        assert!(self.taken.values().all(|taken| *taken <= sizes.per_party));
        assert_eq!(table.queued, self.waiting.len());
        assert!(self.waiting.len() <= sizes.queue);
        if taken < sizes.all {
            let mut waiting = self.waiting.iter();
            assert!(
                waiting.all(|(party, ..)| self.taken[party] == sizes.per_party),
                "a place is free, and somebody waits who could have it"
            );
        }
        let parties = table.parties.values();
        assert!(
            parties.into_iter().all(|load| load.all() > 0),
            "no trace of who left"
        );
    }

    fn leave(&mut self, table: &mut Table, party: char, sizes: Sizes) {
        *self.taken.get_mut(&party).unwrap() -= 1;
        let count = |taken: &HashMap<char, usize>, party| taken.get(&party).copied().unwrap_or(0);
        let able = self
            .waiting
            .iter()
            .copied()
            .filter(|(party, ..)| count(&self.taken, *party) < sizes.per_party);
        let due = able.min_by_key(|(party, arrival, _)| (count(&self.taken, *party), *arrival));
        let served = table.leave(&party);
        assert_eq!(served, due.map(|(party, _, ticket)| (party, ticket)));
        if let Some((party, _, ticket)) = due {
            self.waiting.retain(|(_, _, waiting)| *waiting != ticket);
            *self.taken.entry(party).or_default() += 1;
        }
    }
}

#[test]
fn random_histories_keep_every_law() {
    for seed in 0..200 {
        let mut random = Random(seed);
        let sizes = Sizes {
            all: 1 + random.below(6),
            per_party: 1 + random.below(4),
            queue: random.below(6),
        };
        let (mut table, mut model) = (table(sizes), Model::default());
        for ticket in 0..300 {
            let party = char::from(b'a' + u8::try_from(random.below(5)).unwrap());
            let has_place = model.taken.get(&party).is_some_and(|taken| *taken > 0);
            match random.below(5) {
                0 | 1 if has_place => model.leave(&mut table, party, sizes),
                2 if !model.waiting.is_empty() => {
                    let index = random.below(model.waiting.len());
                    let (party, arrival, ticket) = model.waiting.remove(index);
                    assert_eq!(table.abandon(&party, arrival), Some(ticket));
                }
                _ => match table.enter(&party, || ticket) {
                    Entered::Placed => *model.taken.entry(party).or_default() += 1,
                    Entered::Queued(arrival, sent_away) => {
                        model
                            .waiting
                            .retain(|(.., waiting)| Some(*waiting) != sent_away);
                        model.taken.entry(party).or_default();
                        model.waiting.push((party, arrival, ticket));
                    }
                    Entered::Refused => assert_eq!(model.waiting.len(), sizes.queue),
                },
            }
            model.agrees(&table, sizes);
        }
        let parties: Vec<char> = model.taken.keys().copied().collect();
        while model.taken.values().any(|taken| *taken > 0) {
            for party in &parties {
                if model.taken[party] > 0 {
                    model.leave(&mut table, *party, sizes);
                }
            }
        }
        model.agrees(&table, sizes);
        assert!(
            table.parties.is_empty() && table.queue.is_empty(),
            "seed {seed}"
        );
    }
}
