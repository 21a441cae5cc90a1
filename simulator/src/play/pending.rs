//! Sends commands that reach the process while the process is working.
//! The simulator continues without waiting for the results of these commands.

use std::mem::discriminant;
use std::sync::Arc;

use abide_engine::base::Problem;
use tokio::sync::oneshot;
use tokio::sync::oneshot::error::TryRecvError;

use super::Player;
use super::command::{CommandFromStep, CommandResult, EngineCommand, Services, execute};
use super::faults::CommandDelay;
use super::journal::Exchange;

/// A command to the process that the process has not answered yet.
pub(super) struct PendingCommand {
    step_command: CommandFromStep,
    result: oneshot::Receiver<Result<CommandResult, Problem>>,
}

impl PendingCommand {
    /// Whether `next` may be sent only after this command is answered, because the same caller gives both.
    pub(super) fn comes_before(&self, next: &EngineCommand) -> bool {
        let command = &self.step_command.command;
        !command.may_overlap() && discriminant(command) == discriminant(next)
    }
}

impl Player<'_> {
    /// Sends a command that reaches the process later, while the process is working.
    /// If no process runs, keeps the command for the next process.
    pub(super) async fn send_mid_work(
        &mut self,
        step_command: CommandFromStep,
        delay: CommandDelay,
    ) {
        let judgement = self.environment.judgement.clone();
        let Some(process) = self.process_for(&step_command) else {
            return self.keep_unanswered(step_command);
        };
        let (tenant, command) = (Arc::clone(&step_command.tenant), step_command.command.clone());
        let journal = Arc::clone(&self.journal);
        let switch = process.shared_switch();
        let moment = switch.moment_after(delay);
        let submitted = process.submit(move |engine| async move {
            switch.wait_for(moment).await;
            let asked = Exchange::CommandSent(command.clone());
            journal.enter(&tenant, asked);
            let services = Services { engine, judgement };
            let answer = execute(services, &tenant, command.clone()).await;
            if let Ok(answer) = &answer
                && !answer.is_missing()
            {
                let answered = Exchange::CommandDone(command, answer.handled_as());
                journal.enter(&tenant, answered);
            }
            answer
        });
        match submitted.await {
            Ok(result) => self.pending.push(PendingCommand { step_command, result }),
            Err(_) => self.keep_unanswered(step_command),
        }
    }

    /// Handles the results that have arrived for pending commands.
    /// If a crash lost a pending command, keeps the command for the next process.
    pub(super) async fn collect_answers(&mut self) -> Result<(), Problem> {
        let mut arrived = Vec::new();
        for mut one in std::mem::take(&mut self.pending) {
            match one.result.try_recv() {
                Ok(answer) => arrived.push((one.step_command, answer)),
                Err(TryRecvError::Closed) => self.keep_unanswered(one.step_command),
                Err(TryRecvError::Empty) => self.pending.push(one),
            }
        }
        for (step_command, answer) in arrived {
            self.handle_result(step_command, answer)?;
        }
        Ok(())
    }

    /// Waits for the results of all pending commands. Ends the delay of commands that were to wait until
    /// a further commit begins, because an idle process may never begin another commit.
    pub(super) async fn finish_pending(&mut self) -> Result<(), Problem> {
        for mut one in std::mem::take(&mut self.pending) {
            let answer = match self.process_for(&one.step_command) {
                Some(process) => {
                    let switch = process.shared_switch();
                    let released = process.ask(move |_| async move { switch.release_waiters() });
                    match released.await {
                        Ok(()) => process.wait_for(&mut one.result).await.ok(),
                        Err(_) => None,
                    }
                }
                None => None,
            };
            match answer {
                Some(answer) => self.handle_result(one.step_command, answer)?,
                None => self.keep_unanswered(one.step_command),
            }
        }
        Ok(())
    }
}
