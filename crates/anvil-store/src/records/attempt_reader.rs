//! The attempts of a debate for a process that follows them: each look reads on from the last byte.

use std::rc::Rc;

use super::attempt_record::AttemptRecord;
use super::attempts::{AttemptLine, Attempts};
use anvil_text::error::Result;

/// Follows the record of a debate's attempts.
#[derive(Clone, Debug)]
pub struct AttemptReader {
    record: AttemptRecord,
    attempts: Rc<Attempts>,
    /// The bytes that were read: whole lines.
    read: u64,
}

impl AttemptReader {
    /// Reads nothing yet.
    pub fn new(record: AttemptRecord) -> Self {
        Self { record, attempts: Rc::default(), read: 0 }
    }

    /// The attempts as they are now.
    pub fn attempts(&mut self) -> Result<Rc<Attempts>> {
        let (mut lines, mut end) = self.record.lines_from(self.read)?;
        // A record that lost lines is another one. Of the lines about one turn the last counts, and
        // the first may be in the attempts already.
        if self.read > 0 && (end < self.read || lines.iter().any(AttemptLine::is_turn)) {
            self.attempts = Rc::default();
            (lines, end) = self.record.lines_from(0)?;
        }
        if !lines.is_empty() {
            Rc::make_mut(&mut self.attempts).read_on(lines);
        }
        self.read = end;
        Ok(Rc::clone(&self.attempts))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::AttemptEvent;
    use anvil_core::attempt::{EndedLine, SubmittedLine, TurnLine};
    use anvil_core::debate::Debate;
    use anvil_system::disk::Disk;
    use jiff::Timestamp;

    #[test]
    fn what_is_read_on_is_what_is_read_whole() {
        let temp = tempfile::tempdir().unwrap();
        let folder = temp.path().join("debates/one");
        fs_err::create_dir_all(&folder).unwrap();
        let file = folder.join("attempts.jsonl");
        let record = AttemptRecord::at(&Disk::default(), &folder);
        let mut reader = AttemptReader::new(record.clone());
        let mut check = |of: &str| {
            assert_eq!(*reader.attempts().unwrap(), record.read().unwrap(), "{of}");
        };
        check("no file");
        let at = Timestamp::UNIX_EPOCH;
        let started = |attempt: u32| {
            format!(
                "{{\"schema\":1,\"event\":\"started\",\"attempt\":{attempt},\"at\":\"{at}\",\
                 \"seat\":\"critic\",\"slot\":\"critic, round 1\",\"generation\":\"2.0\",\
                 \"agent\":\"claude\",\"command\":[],\"pid\":1,\"started\":1,\"token\":\"\"}}\n"
            )
        };
        let append = |text: &str| {
            let before = fs_err::read_to_string(&file).unwrap_or_default();
            fs_err::write(&file, before + text).unwrap();
        };
        append(&started(1));
        check("an attempt");
        assert_eq!(record.read().unwrap().all.len(), 1);
        let ended = EndedLine { attempt: 1, at, ..EndedLine::default() };
        for event in
            [AttemptEvent::Ended(ended), AttemptEvent::Submitted(SubmittedLine { attempt: 1, at })]
        {
            record.note(event).unwrap();
            check("an event");
        }
        let line = started(2);
        let (begin, end) = line.split_at(40);
        append(begin);
        check("half a line");
        append(end);
        check("the line");
        assert_eq!(record.read().unwrap().all.len(), 2);
        append("{\"schema\":1,\"ev\n");
        check("a torn line");
        let debate = Debate::new("one".into(), "Why?".into(), 2, at);
        for words in [1, 2] {
            record.note_turn(TurnLine { words, ..TurnLine::new(&debate, at, at) });
            check("a turn, and again");
        }
        append(&started(3));
        check("an attempt after turns");
        let whole = fs_err::read_to_string(&file).unwrap();
        fs_err::write(&file, whole.lines().next().unwrap().to_owned() + "\n").unwrap();
        check("a record that lost lines");
        fs_err::remove_file(&file).unwrap();
        check("a record that is gone");
    }
}
