//! Questions that reach the process in the middle of its work, and for whose answer the world does not wait.

use std::sync::Arc;

use abide_engine::base::Problem;
use tokio::sync::oneshot;
use tokio::sync::oneshot::error::TryRecvError;

use super::Player;
use super::ask::{Answer, Ask, put};
use super::journal::Exchange;
use super::life::Life;
use super::mischief::Later;

/// A question to the process that is not answered yet.
pub(super) struct Meanwhile {
    ask: Ask,
    answer: oneshot::Receiver<Result<Answer, Problem>>,
}

impl Meanwhile {
    /// Whether it is not a text: a change of settings, the kill switch or an order to a run.
    pub(super) fn is_no_text(&self) -> bool {
        !self.ask.question.is_text()
    }
}

impl Player<'_> {
    /// Asks a question that reaches the process later, in the middle of its work. While no process runs it is
    /// kept with the unanswered questions.
    pub(super) async fn put_meanwhile(&mut self, ask: Ask, later: Later) {
        let Life::Up(process) = &self.life else { return self.unanswered.push(ask) };
        let (tenant, question) = (Arc::clone(&ask.tenant), ask.question.clone());
        let journal = Arc::clone(&self.journal);
        let switch = process.shared_switch();
        let moment = switch.moment(later);
        let begun = process.begin(move |engine| async move {
            switch.comes(moment).await;
            let asked = Exchange::Asked(question.clone());
            journal.enter(&tenant, asked);
            let answer = put(engine, &tenant, question.clone()).await;
            if let Ok(answer) = &answer {
                let answered = Exchange::Answered(question, answer.handled_as());
                journal.enter(&tenant, answered);
            }
            answer
        });
        match begun.await {
            Ok(answer) => self.meanwhile.push(Meanwhile { ask, answer }),
            Err(_) => self.unanswered.push(ask),
        }
    }

    /// Handles the answers that have arrived. Questions that died with their process go to the next one.
    pub(super) async fn collect(&mut self) -> Result<(), Problem> {
        let mut come = Vec::new();
        for mut one in std::mem::take(&mut self.meanwhile) {
            match one.answer.try_recv() {
                Ok(answer) => come.push((one.ask, answer)),
                Err(TryRecvError::Closed) => self.unanswered.push(one.ask),
                Err(TryRecvError::Empty) => self.meanwhile.push(one),
            }
        }
        for (ask, answer) in come {
            self.hear(ask, answer)?;
        }
        Ok(())
    }

    /// Waits for the answers to all pending questions, also to those whose moment would never come because
    /// the process has no more commits to make.
    pub(super) async fn finish_meanwhile(&mut self) -> Result<(), Problem> {
        for mut one in std::mem::take(&mut self.meanwhile) {
            let answer = match &self.life {
                Life::Up(process) => {
                    let switch = process.shared_switch();
                    let hurried = process.ask(move |_| async move { switch.hurry() });
                    match hurried.await {
                        Ok(()) => process.finish(&mut one.answer).await.ok(),
                        Err(_) => None,
                    }
                }
                Life::Unborn | Life::Down(_) => None,
            };
            match answer {
                Some(answer) => self.hear(one.ask, answer)?,
                None => self.unanswered.push(one.ask),
            }
        }
        Ok(())
    }
}
