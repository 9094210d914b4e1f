//! The tokens that this server has issued. A token is the right to save the reply to one task.

use std::sync::{Mutex, PoisonError};

use anvil_engine::Ticket;

/// The tickets of the tasks that clients hold. If the server ends, the tokens stay valid: a token
/// contains the whole ticket.
#[derive(Debug, Default)]
pub(crate) struct Held(Mutex<Vec<Ticket>>);

impl Held {
    /// Stores a ticket, and drops an earlier one for the same task.
    pub(crate) fn add(&self, ticket: &Ticket) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|other| other.task != ticket.task || other.id != ticket.id);
        all.push(ticket.clone());
    }

    pub(crate) fn forget(&self, ticket: &Ticket) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).retain(|other| other != ticket);
    }

    /// The tickets of a debate.
    pub(crate) fn tickets(&self, id: &str) -> Vec<Ticket> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().filter(|ticket| ticket.id == id).cloned().collect()
    }
}
