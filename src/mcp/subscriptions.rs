//! Subscriptions: a client is told when a debate has changed.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use tokio::time::sleep;

use super::uri;
use crate::engine::Engine;
use crate::world::World;

/// Between two looks at the files of a debate.
const LOOKS: Duration = Duration::from_millis(300);

/// Most resources that one client watches.
const MOST: usize = 200;

/// The resources that a client watches, each with what its files looked like.
type Seen = BTreeMap<String, Vec<Option<(u64, SystemTime)>>>;

/// What one client watches.
#[derive(Clone, Debug, Default)]
pub(super) struct Watched(Arc<Mutex<Seen>>);

impl Watched {
    fn all(&self) -> MutexGuard<'_, Seen> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Watches a resource as it is now; true for the first one. What is too many is not watched.
    pub(super) fn add(&self, world: &World, uri: &str) -> bool {
        let mut all = self.all();
        let was_empty = all.is_empty();
        if let Some((id, _)) = uri::parse(uri).filter(|_| all.len() < MOST) {
            all.entry(uri.to_owned()).or_insert_with(|| Engine::new(world).task_signature(id));
        }
        was_empty && !all.is_empty()
    }

    /// Watches it no longer.
    pub(super) fn remove(&self, uri: &str) {
        self.all().remove(uri);
    }

    /// What has changed since it was looked at last. `None`: nothing is watched.
    fn changed(&self, world: &World) -> Option<Vec<String>> {
        let engine = Engine::new(world);
        let mut all = self.all();
        let mut changed = Vec::new();
        for (uri, before) in all.iter_mut() {
            let now = uri::parse(uri).map(|(id, _)| engine.task_signature(id)).unwrap_or_default();
            if *before != now {
                *before = now;
                changed.push(uri.clone());
            }
        }
        (!all.is_empty()).then_some(changed)
    }
}

/// Tells of changes until that fails, or nothing is watched any more.
pub(super) async fn watch<F: Future<Output = bool>>(world: &World, watched: &Watched, tell: impl Fn(String) -> F) {
    loop {
        sleep(LOOKS).await;
        let Some(changed) = watched.changed(world) else { return };
        for uri in changed {
            if !tell(uri).await {
                return;
            }
        }
    }
}
