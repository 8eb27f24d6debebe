//! Ids of what is in the deployment, by name: named by the target file or found through the API.

use std::{collections::BTreeMap, sync::Arc};

use parking_lot::Mutex;

use crate::target::{Fixture, TargetFile};

/// Fixtures by name. Clones share the lines to detach, so that each is handed out once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fixtures {
    ids: BTreeMap<Fixture, String>,
    discovered: Vec<Fixture>,
    lines: Arc<Mutex<Vec<String>>>,
}

impl Fixtures {
    pub(crate) fn named(file: &TargetFile) -> Self {
        let ids = Fixture::ALL.iter().filter_map(|fixture| {
            let id = file.fixtures.first(*fixture)?;
            Some((*fixture, id.to_owned()))
        });
        let lines = file.fixtures.get(Fixture::LinesToDetach).iter();
        let lines = lines.map(|id| id.0.clone()).collect();
        Self { ids: ids.collect(), discovered: Vec::new(), lines: Arc::new(Mutex::new(lines)) }
    }

    pub(crate) fn id(&self, fixture: Fixture) -> Option<&str> {
        self.ids.get(&fixture).map(String::as_str)
    }

    /// Returns true if the fixture was found through the API, not named by the target file.
    pub(crate) fn was_discovered(&self, fixture: Fixture) -> bool {
        self.discovered.contains(&fixture)
    }

    pub(crate) fn lacks_one_of(&self, fixtures: &[Fixture]) -> bool {
        fixtures.iter().any(|fixture| self.id(*fixture).is_none())
    }

    /// Adds what was found, if anything, unless the fixture is known.
    pub(crate) fn add(&mut self, fixture: Fixture, id: Option<&str>) {
        if let Some(id) = id.filter(|id| !id.is_empty())
            && self.id(fixture).is_none()
        {
            self.ids.insert(fixture, id.to_owned());
            self.discovered.push(fixture);
        }
    }

    /// A random line that may be detached: two runs at once should seldom take the same one.
    pub(crate) fn take_line(&self) -> Option<String> {
        let mut lines = self.lines.lock();
        let random = usize::try_from(getrandom::u32().unwrap_or_default()).unwrap_or_default();
        let index = random.checked_rem(lines.len())?;
        Some(lines.swap_remove(index))
    }

    pub(crate) fn return_lines(&self, lines: impl Iterator<Item = String>) {
        self.lines.lock().extend(lines);
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        self.lines.lock().clone()
    }
}
