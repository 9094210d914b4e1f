//! Every text of a debate, changed by one function: for a debate that leaves the machine. A field
//! that is added has to be named here.

use super::{Debate, Progress, StopReason};
use crate::options::{Named, Options};
use anvil_text::{without_folders, without_paths};

impl Debate {
    /// The same debate with each of its texts changed. What names files of this machine also keeps
    /// no folder.
    #[must_use]
    pub fn with_texts(mut self, change: &dyn Fn(&str) -> String) -> Self {
        let Self { id: _, question, options, progress, ownership: _ } = &mut self;
        let Options {
            position,
            motion,
            mode_text,
            voices,
            focus,
            framework,
            context_source,
            plan,
            follow_up,
            house_rules,
            output,
            blind: _,
            research: _,
            interactive: _,
            early_end: _,
            questions: _,
            quick: _,
            mode: _,
            fact_check: _,
            max_rounds: _,
            judges: _,
            review: _,
        } = options;
        let Progress {
            stop_reason,
            steering,
            status: _,
            place: _,
            step: _,
            cycle: _,
            retry_count: _,
            judgments: _,
            synthesis_requested: _,
            form_retry: _,
            awaits_block: _,
            started_at: _,
            updated_at: _,
        } = progress;
        for sources in [&mut *context_source, plan, follow_up, output].into_iter().flatten() {
            *sources = without_folders(&change(sources), ", ");
        }
        if let Some(words) = stop_reason.as_mut().and_then(StopReason::words_mut) {
            *words = without_paths(&change(words));
        }
        let named = voices.iter_mut().chain(framework);
        let named = named.flat_map(|Named { name, text }| [Some(name), text.as_mut()]).flatten();
        let optional = [position, motion, mode_text, focus, house_rules, steering];
        for text in named.chain(optional.into_iter().flatten()).chain([question]) {
            *text = change(text);
        }
        self
    }
}
