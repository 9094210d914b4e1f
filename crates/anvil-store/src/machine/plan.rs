//! A plan of plan mode that a session wants argued before its dialog opens.

use std::path::PathBuf;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Machine, read};
use crate::not_written;
use anvil_text::error::Result;

/// What a session in plan mode has asked for, and how far that has come.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanRecord {
    /// The arguments of `/anvil:debate --plan`, as typed.
    pub typed: String,
    pub stage: PlanStage,
}

/// How far the debate about a session's plan has come.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanStage {
    /// The next plan of the session is argued.
    Armed {
        /// Why the last plan was not argued.
        passed: Option<String>,
    },
    /// The first reply is requested. The debate's file has nothing of it yet.
    Requested {
        plan: PlanText,
        /// The time of the request.
        at: Timestamp,
        /// The turn of the request, if the client names it.
        prompt_id: Option<String>,
        /// The model has called for the dialog instead of writing a reply, and was told so.
        is_reminded: bool,
    },
    /// The debate is in its file.
    Argued {
        /// Its id.
        debate: String,
        is_reminded: bool,
        /// The plan that Claude put to the dialog in the turn that has the synthesis, before a Stop
        /// could save that.
        revised: Option<PlanText>,
    },
    /// The synthesis is saved, and the model revises the plan.
    Decided {
        /// The debate's id.
        debate: String,
        /// Why the synthesis decides nothing.
        void: Option<String>,
    },
    /// The debate can't begin; the next call goes to the dialog, which shows why.
    Passes { why: String },
}

/// A plan, as the model called for its approval.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanText {
    /// In Markdown.
    pub text: String,
    /// The plan's file.
    pub file: Option<PathBuf>,
}

impl Machine {
    /// What this session has asked for. `None`: nothing, or its record can't be read.
    pub fn plan(&self, session_id: &str) -> Option<PlanRecord> {
        read(&self.record("plans", session_id)?)
    }

    pub fn keep_plan(&self, session_id: &str, plan: &PlanRecord) -> Result<()> {
        let path = self.record("plans", session_id).ok_or_else(super::no_folder)?;
        let kept = self.put(&path, plan).map_err(not_written);
        self.forget_old("plans");
        kept
    }

    /// True if there was one.
    pub fn forget_plan(&self, session_id: &str) -> bool {
        let path = self.record("plans", session_id);
        path.is_some_and(|path| path.exists() && self.disk.remove(&path).is_ok())
    }
}
