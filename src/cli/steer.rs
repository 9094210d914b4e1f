//! `anvil steer` and `again`: the user directs a debate from a shell.
use anvil_command::{SteerOptions, TakeOver};
use anvil_core::options::Statement;
use anvil_core::transcript::Author;
use anvil_engine::{Context, session};
use anvil_messages::Door;
use anvil_text::error::Result;

pub(super) fn steer(context: &Context<'_>, options: &SteerOptions, door: &Door) -> Result<()> {
    let take_over = options.owner.take_over;
    match options.statement()? {
        Some(Statement::Fact(fact)) => {
            session::note_fact(context, None, &fact, Author::person(), take_over)?;
            return super::print(anvil_messages::FACT_NOTED);
        }
        Some(Statement::Answer(answer)) => {
            let question = session::answer(context, None, &answer, take_over)?;
            return super::print(&anvil_messages::answer_line(&question));
        }
        Some(Statement::Motion(motion)) => {
            let debate = session::correct_motion(context, None, &motion, take_over)?;
            return super::print(&anvil_messages::motion_correction_line(&debate, door));
        }
        None => {}
    }
    let steering = options.steering()?;
    let debate = session::direct(context, None, &steering, take_over)?;
    super::print(&anvil_messages::steering_line(&debate, &steering, door))
}

pub(super) fn again(context: &Context<'_>, text: &str, owner: TakeOver, door: &Door) -> Result<()> {
    match session::again(context, None, &anvil_command::news(text)?, owner.take_over) {
        Ok(resumed) => super::print(&anvil_messages::reopening_lines(
            &resumed,
            &session::project(context),
            door,
        )),
        Err(stopped) => stopped.failure(),
    }
}
