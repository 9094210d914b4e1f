//! Subscriptions: notifies a client when a debate has changed.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use tokio::time::sleep;

use super::uri;
use crate::engine::Engine;
use crate::system::world::World;

/// Time between two looks at a debate's files.
const POLL_INTERVAL: Duration = Duration::from_millis(300);

/// Most resources that one client can subscribe to.
const MAX_RESOURCES: usize = 200;

/// The subscribed resources, each with the last signature of its files.
type Signatures = BTreeMap<String, Vec<Option<(u64, SystemTime)>>>;

/// The subscriptions of one client.
#[derive(Clone, Debug, Default)]
pub(super) struct Watched(Arc<Mutex<Signatures>>);

impl Watched {
    fn all(&self) -> MutexGuard<'_, Signatures> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Subscribes to a resource as it is now; true for the first one. Ignores resources above
    /// [`MAX_RESOURCES`].
    pub(super) fn add(&self, world: &World, uri: &str) -> bool {
        let mut all = self.all();
        let was_empty = all.is_empty();
        if let Some((id, _)) = uri::parse(uri).filter(|_| all.len() < MAX_RESOURCES) {
            all.entry(uri.to_owned())
                .or_insert_with(|| Engine::new(world).workers().task_signature(id));
        }
        was_empty && !all.is_empty()
    }

    pub(super) fn remove(&self, uri: &str) {
        self.all().remove(uri);
    }

    /// The resources that changed since the last look. `None`: no subscription is left.
    fn changed(&self, world: &World) -> Option<Vec<String>> {
        let engine = Engine::new(world);
        let mut all = self.all();
        let mut changed = Vec::new();
        for (uri, before) in all.iter_mut() {
            let now = uri::parse(uri)
                .map(|(id, _)| engine.workers().task_signature(id))
                .unwrap_or_default();
            if *before != now {
                *before = now;
                changed.push(uri.clone());
            }
        }
        (!all.is_empty()).then_some(changed)
    }
}

/// Reports changes until that fails or no subscription is left.
pub(super) async fn watch<F: Future<Output = bool>>(
    world: &World,
    watched: &Watched,
    notify: impl Fn(String) -> F,
) {
    loop {
        sleep(POLL_INTERVAL).await;
        let Some(changed) = watched.changed(world) else { return };
        for uri in changed {
            if !notify(uri).await {
                return;
            }
        }
    }
}
