//! Publishes a debate into an issue, and pulls it from one.

pub(crate) mod carry;
pub(crate) mod comment;
mod error;
pub(crate) mod publish;
pub(crate) mod pull;
pub(crate) mod remote;
pub(crate) mod side;

pub use carry::{
    BodyWithDebate, CheckedBody, body_from, body_in, check, embed, extract, state_in, state_of,
};
pub use comment::{IssueQuestion, Posted};
pub use publish::{
    Publication, PublishResult, ReplyRoom, check_repository, comment_verdict, keep_current,
    publish, room,
};
pub use pull::{Pulled, Taken, pull};
pub use side::Side;
