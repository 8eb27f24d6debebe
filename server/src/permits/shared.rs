//! Shares entries by key for as long as a caller holds them.

use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Arc, Mutex, PoisonError, Weak},
};

/// Entries by key; the next `get` removes those that nobody holds.
#[derive(Debug)]
pub(crate) struct Shared<K, V>(Mutex<HashMap<K, Weak<V>>>);

impl<K, V> Default for Shared<K, V> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: Eq + Hash, V> Shared<K, V> {
    /// Returns the entry that a caller holds, or a new one.
    pub(crate) fn get(&self, key: K, new: impl FnOnce() -> V) -> Arc<V> {
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        entries.retain(|_, entry| entry.strong_count() > 0);
        if let Some(entry) = entries.get(&key).and_then(Weak::upgrade) {
            return entry;
        }
        let entry = Arc::new(new());
        entries.insert(key, Arc::downgrade(&entry));
        entry
    }

    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}
