//! What reaches the process in the middle of its work: the world does not wait until it rests, and not for its
//! answer either.

use std::sync::Arc;

use abide_engine::base::Problem;
use tokio::sync::oneshot;
use tokio::sync::oneshot::error::TryRecvError;

use super::Player;
use super::ask::{Answer, Ask, put};
use super::journal::Exchange;
use super::life::Life;
use super::mischief::Later;

/// Something that the process was asked and has not answered yet.
pub(super) struct Meanwhile {
    ask: Ask,
    answer: oneshot::Receiver<Result<Answer, Problem>>,
}

impl Meanwhile {
    /// True for what no text says: settings, the kill switch, an order from elsewhere.
    pub(super) fn is_no_text(&self) -> bool {
        !self.ask.question.is_text()
    }
}

impl Player<'_> {
    /// Asks something that reaches the process so much later. While the process is down it is kept,
    /// as all that nobody answers.
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

    /// Takes the answers that have come; what died with its process is asked again by the next one.
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

    /// Waits for all these answers: of what nothing in the process leads to commits any more, too.
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
