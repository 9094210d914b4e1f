//! The right to submit the reply to one task, as its holder has it.

use anvil_store::{Attempt, Attempts, digest};

/// The right to submit the reply to one task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ticket {
    /// The debate's id.
    pub id: String,
    /// The task's id.
    pub task: String,
    /// The number of the attempt in the debate.
    pub attempt: u32,
    /// The reply needs this token. Empty for a task that the same user has claimed in a shell.
    pub token: String,
}

impl Ticket {
    /// The token that its holder gets: `critic-2.7.0123…`.
    pub fn whole_token(&self) -> String {
        format!("{}.{}.{}", self.task, self.attempt, self.token)
    }

    /// Reads a whole token as a ticket of this debate. `None`: it is no token.
    pub fn parse(token: &str, id: &str) -> Option<Self> {
        let mut parts = token.trim().split('.');
        let task = parts.next()?;
        let attempt = parts.next()?.parse().ok()?;
        let secret = parts.next()?;
        let is_name = (1..=60).contains(&task.len())
            && task.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'));
        let is_secret = secret.len() == 32 && secret.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !is_name || !is_secret || parts.next().is_some() {
            return None;
        }
        let id = id.to_owned();
        Some(Self { id, task: task.to_owned(), attempt, token: secret.to_owned() })
    }

    /// The attempt of this ticket, also if it has ended.
    pub(crate) fn attempt_of<'a>(&self, attempts: &'a Attempts) -> Option<&'a Attempt> {
        attempts.claims.iter().find(|attempt| {
            attempt.started.attempt == self.attempt
                && attempt.claim().is_some_and(|claim| {
                    let is_of_shell = self.token.is_empty() && !claim.holder.has_process();
                    claim.task == self.task
                        && (is_of_shell || claim.token == digest(self.token.as_bytes()))
                })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_truth_table_of_a_token() {
        let secret = "0123456789abcdef".repeat(2);
        let (id, task) = ("id".to_owned(), "critic-2".to_owned());
        let ticket = Ticket { id, task, attempt: 7, token: secret.clone() };
        let whole = ticket.whole_token();
        assert_eq!(Ticket::parse(&format!(" {whole}\n"), "id"), Some(ticket));
        for wrong in [
            String::new(),
            format!(".7.{secret}"),
            format!("Critic.7.{secret}"),
            format!("{}.7.{secret}", "c".repeat(61)),
            format!("critic-2.x.{secret}"),
            format!("critic-2.7.{}", &secret[1..]),
            format!("critic-2.7.{secret}0"),
            format!("critic-2.7.g{}", &secret[1..]),
            format!("{whole}.x"),
        ] {
            assert_eq!(Ticket::parse(&wrong, "id"), None, "{wrong}");
        }
    }
}
