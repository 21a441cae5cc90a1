//! Answers questions from the knowledge base, and shows to staff what only a person can answer.

use abide_agent::text::words;
use abide_engine::base::{PersonId, Problem};
use abide_engine::domain::{Applied, HandledAs};
use abide_engine::store::Tx;
use serde_json::json;

use super::handler::{MessageHandler, done};
use super::view::{SenderAsk, Standing};
use crate::data;
use crate::inbox::Reason;
use crate::knowledge::{FACTS_MAX, answer_to};

/// Texts that ask who writes.
const WHO: &[&str] = &["who is this", "whos this", "who are you", "who dis", "quien es"];
/// Words of a question that the invitation itself answers.
const ABOUT_THE_ASK: &[&str] =
    &["when", "time", "day", "date", "which", "service", "role", "team", "cuando", "hora"];

impl MessageHandler<'_> {
    /// Answers a question: from the knowledge base, with its source; from the invitation that it is about; or by
    /// handing it to staff, and saying so.
    pub(super) async fn question(
        &self,
        tx: &mut Tx,
        ask: Option<&SenderAsk>,
    ) -> Result<Applied, Problem> {
        let spoken = words(&self.inbound.body);
        let said = spoken.join(" ");
        if WHO.iter().any(|who| said.contains(who)) {
            return self.help(tx).await;
        }
        let Some(person) = ask
            .map(|ask| ask.person)
            .or_else(|| self.view.senders.first().map(|sender| sender.person))
        else {
            return self.unmatched(tx).await;
        };
        if self.answer_from_facts(tx, person).await? {
            return Ok(done(HandledAs::Question));
        }
        let is_asked = |ask: &&SenderAsk| matches!(ask.standing, Standing::Open | Standing::Place);
        let about_it = is_about_the_ask(&spoken);
        if let Some(ask) = ask.filter(is_asked).filter(|_| about_it) {
            let open = ask.standing == Standing::Open;
            let vars = json!({ "role": ask.role, "time": ask.time.to_string(), "open": open });
            self.answer(tx, person, "about_ask", &vars).await?;
            return Ok(done(HandledAs::Question));
        }
        let Some(ask) = ask else { return self.unmatched(tx).await };
        self.to_inbox_about(tx, ask, Reason::Question).await?;
        self.answer(tx, person, "question_passed_on", &json!({})).await?;
        Ok(done(HandledAs::Question))
    }
    /// Answers a question that stands beside a yes. The confirmation of the yes says which role and which time.
    pub(super) async fn besides_asked(
        &self,
        tx: &mut Tx,
        ask: &SenderAsk,
    ) -> Result<Applied, Problem> {
        let known = self.answer_from_facts(tx, ask.person).await?;
        if !known && !is_about_the_ask(&words(&self.inbound.body)) {
            self.to_inbox_about(tx, ask, Reason::Question).await?;
            self.answer(tx, ask.person, "question_passed_on", &json!({})).await?;
        }
        Ok(done(self.answered()))
    }

    /// Answers the message with a fact of the knowledge base that is not stale. Returns false if none answers it.
    async fn answer_from_facts(&self, tx: &mut Tx, person: PersonId) -> Result<bool, Problem> {
        let context = &self.context;
        let most = i64::try_from(FACTS_MAX).unwrap_or(i64::MAX);
        let mut facts = data::kb::list(tx, context.tenant, false, most).await?;
        facts.retain(|fact| !fact.is_stale(context.now, context.settings.kb_max_age));
        let Some(fact) = answer_to(&facts, &self.inbound.body) else { return Ok(false) };
        let vars = json!({ "text": fact.text, "source": fact.source });
        self.answer(tx, person, "kb_answer", &vars).await?;
        Ok(true)
    }
}

/// Whether a question asks for what the invitation says.
fn is_about_the_ask(spoken: &[String]) -> bool {
    spoken.iter().any(|word| ABOUT_THE_ASK.contains(&word.as_str()))
}
