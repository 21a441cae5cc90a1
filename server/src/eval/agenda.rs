//! `agenda`: which goals an assistant pursues in the course of a dialogue, by the basic rules of the agenda.

use abide_agent::agenda::{AgendaDialogue, AgendaDialogueResult, play};

/// Plays a dialogue, turn by turn. Each user and session has goals of its own.
pub(super) fn eval(dialogue: AgendaDialogue) -> Result<AgendaDialogueResult, String> {
    Ok(play(dialogue))
}
