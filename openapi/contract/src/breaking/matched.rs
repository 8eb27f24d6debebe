//! Pairs the elements of two lists.

use std::mem;

/// The pairs of two lists, and the elements that are in no pair.
#[derive(Debug)]
pub(super) struct Matched<T> {
    pub(super) both: Vec<(T, T)>,
    pub(super) removed: Vec<T>,
    pub(super) added: Vec<T>,
}

impl<T> Matched<T> {
    pub(super) fn of(old: Vec<T>, new: Vec<T>) -> Self {
        Self { both: Vec::new(), removed: old, added: new }
    }

    /// Pairs those that correspond, of the elements that are in no pair yet.
    pub(super) fn pair(&mut self, correspond: impl Fn(&T, &T) -> bool) {
        for before in mem::take(&mut self.removed) {
            match self.added.iter().position(|after| correspond(&before, after)) {
                Some(index) => {
                    let after = self.added.remove(index);
                    self.both.push((before, after));
                }
                None => self.removed.push(before),
            }
        }
    }
}
