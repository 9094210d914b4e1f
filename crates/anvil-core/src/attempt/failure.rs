//! Why an attempt brought no reply.

use serde::{Deserialize, Serialize};

/// The kinds of failures of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// The service was overloaded, limited the rate or could not be reached: worth another try
    /// after a while.
    Transient,
    /// The account's quota is used up.
    Quota,
    /// Not logged in, or not allowed.
    Login,
    /// The model refused.
    Refusal,
    /// The service does not take the request as it is: too long, an unknown model, a wrong setting.
    /// Such a request fails again.
    Rejected,
    /// The program succeeded and wrote nothing.
    Empty,
    /// The output is not in the form of a reply, or too long.
    Misshapen,
    /// The program ended with an error of its own, or was killed.
    Crash,
    /// The program took longer than allowed.
    TimeLimit,
    /// The program does not exist, or can't be started.
    Missing,
    /// Stopped because its debate was stopped.
    Interrupted,
    /// The end is not known: the machine or the wrapper died.
    Lost,
}

impl FailureKind {
    /// The word for people.
    pub fn label(self) -> &'static str {
        match self {
            Self::Transient => "the service failed temporarily",
            Self::Quota => "the quota is used up",
            Self::Login => "not logged in",
            Self::Refusal => "the model refused",
            Self::Rejected => "the service rejected it",
            Self::Empty => "the reply was empty",
            Self::Misshapen => "the output could not be read",
            Self::Crash => "the program failed",
            Self::TimeLimit => "it took too long",
            Self::Missing => "the program could not be started",
            Self::Interrupted => "it was stopped",
            Self::Lost => "it was lost",
        }
    }

    /// True if the next agent of a list takes the seat.
    pub fn gives_up_seat(self) -> bool {
        matches!(self, Self::Missing | Self::Login | Self::Quota)
    }

    /// False for a failure that says nothing about the program.
    pub fn counts(self) -> bool {
        !matches!(self, Self::Interrupted | Self::Lost)
    }
}
