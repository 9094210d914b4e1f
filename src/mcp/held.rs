//! The tokens that this server has issued. A token is the right to save the reply to one task.

use std::sync::{Mutex, PoisonError};

use crate::engine::Ticket;

/// The tickets of the tasks that clients hold. If the server ends, the tokens stay valid: a token
/// contains the whole ticket.
#[derive(Debug, Default)]
pub(super) struct Held(Mutex<Vec<Ticket>>);

impl Held {
    /// Stores a ticket, and drops an earlier one for the same task.
    pub(super) fn add(&self, ticket: &Ticket) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|other| other.task != ticket.task || other.id != ticket.id);
        all.push(ticket.clone());
    }

    pub(super) fn forget(&self, ticket: &Ticket) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).retain(|other| other != ticket);
    }

    pub(super) fn tickets(&self, id: &str) -> Vec<Ticket> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().filter(|ticket| ticket.id == id).cloned().collect()
    }
}

/// A ticket as the client sees it: `critic-2.7.0123…`.
pub(super) fn token(ticket: &Ticket) -> String {
    format!("{}.{}.{}", ticket.task, ticket.generation, ticket.token)
}

/// Reads a token as a ticket of this debate. `None`: it is not a token.
pub(super) fn ticket(token: &str, id: &str) -> Option<Ticket> {
    let mut parts = token.trim().split('.');
    let (task, generation, secret) = (parts.next()?, parts.next()?.parse().ok()?, parts.next()?);
    let is_name = |char: char| char.is_ascii_lowercase() || char.is_ascii_digit() || char == '-';
    let is_token = secret.len() == 32 && secret.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_whole = parts.next().is_none()
        && (1..=60).contains(&task.len())
        && task.chars().all(is_name)
        && is_token;
    is_whole.then(|| Ticket {
        id: id.to_owned(),
        task: task.to_owned(),
        generation,
        token: secret.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_names_its_task() {
        let own = Ticket {
            id: "one".into(),
            task: "cycle-2-critic-1".into(),
            generation: 7,
            token: "0a".repeat(16),
        };
        assert_eq!(ticket(&token(&own), "one"), Some(own));
        for wrong in [
            "",
            "critic-1",
            "critic-1.1.",
            "critic-1.x.00",
            "../x.1.00",
            "critic-1.1.zz",
            ".1.",
            "a.1.b.c",
        ] {
            assert_eq!(ticket(wrong, "one"), None, "{wrong}");
        }
    }
}
