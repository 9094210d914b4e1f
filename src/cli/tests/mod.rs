//! What the screens of the program have in common.

#[cfg(unix)]
mod next_reply;
