//! Answers a text: reads it as obligations, discharges them, and answers with what was verified.

use std::sync::{Arc, LazyLock};

use abide_agent::agenda::{Profile, classify};
use abide_agent::church::RoleWords;
use abide_agent::obligations::{
    Dialogue, DirectoryWords, Obligation, ObligationType, Obligations, ReadContext, SCHEMA, read,
};
use abide_engine::base::{Problem, RowId, Span, Timestamp, Value, text};
use abide_engine::contract::Schema;
use abide_engine::facade::{CallStatus, Engine};
use abide_engine::store::Tx;
use abide_engine::{boxed, transaction};
use serde::Serialize;
use utoipa::ToSchema;

use super::adapter::ToolAdapters;
use super::conductor::Conductor;
use super::standing::{OrderText, Seeker};
use super::telling::Telling;
use super::trace::Trace;

use crate::agenda::propose_goals;
use crate::data::agenda::{self as agenda_data, PendingTurn, SessionKey};
use crate::data::asked::{self, AskRow, ObligationStatus};
use crate::data::{contacts, ir};

/// Maximum number of characters of a text.
const TEXT_CHARS_MAX: usize = 4_000;
/// Maximum number of obligations of one request, of which each costs some calls.
const GIVEN_MAX: usize = 20;
/// The wire format of obligations.
static WIRE_FORMAT: LazyLock<Result<Schema, String>> = LazyLock::new(|| {
    let schema = serde_json::from_str(SCHEMA).map_err(|error| error.to_string())?;
    Schema::compile(schema).map_err(|fault| fault.what)
});
/// The session of a caller who names none.
const SESSION: &str = "default";
/// The field of the user's name, and that of where they live.
const PROFILE_FIELDS: [&str; 2] = ["name", "city"];

/// Answers texts. Cheap to clone.
#[derive(Clone)]
pub struct Asker {
    engine: Engine,
    adapters: Arc<ToolAdapters>,
}

/// A text to answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskRequest {
    /// The text. Empty if the obligations are given.
    pub text: String,
    /// The obligations, if a caller gives them instead of a text: a document in the wire format.
    pub obligations: Option<Value>,
    /// The conversation that it belongs to.
    pub session: Option<String>,
    /// Who asks.
    pub user: String,
    /// A second request with the same key is the same request.
    pub key: Option<String>,
}

/// The answer to a text.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct AskAnswer {
    /// Id of the request.
    pub ask_id: String,
    /// The answer: what was verified, a question, or an honest uncertainty.
    pub answer: String,
    /// What the text bound the agent to, with what arose from it.
    #[schema(value_type = Vec<Object>)]
    pub obligations: Vec<Obligation>,
    /// Whether the answer says something that was verified.
    pub verified: bool,
    /// Where the answer comes from: tools with their receipts and assertions.
    #[schema(value_type = Vec<Object>)]
    pub sources: Vec<Value>,
    /// The trace, if it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<Trace>,
}

impl Asker {
    /// Creates what answers the texts of an engine.
    #[must_use]
    pub const fn new(engine: Engine, adapters: Arc<ToolAdapters>) -> Self {
        Self { engine, adapters }
    }

    /// Answers a text.
    ///
    /// # Errors
    /// `text_invalid`, and the errors of the tools' calls that are not results, such as `overloaded`.
    #[boxed]
    pub async fn ask(&self, tenant: &str, request: AskRequest) -> Result<AskAnswer, Problem> {
        let given = given(&request)?;
        let begun = self.engine.now();
        let heard = self.hear(tenant, &request, given).await?;
        if let Some(answer) = heard.earlier {
            return Ok(answer);
        }
        let Heard { row, obligations, ids, dialogue, .. } = heard;
        let conductor = Conductor {
            engine: &self.engine,
            adapters: &self.adapters,
            tenant,
            user: &row.user,
            now: self.engine.now(),
            asked_at: row.at,
        };
        let mut telling = Telling { latest: dialogue, ..Telling::default() };
        for (obligation, id) in obligations.iter().zip(ids) {
            self.answer_one(&conductor, obligation, id, &mut telling).await?;
        }
        let answer = telling.into_answer(&row);
        self.finish(tenant, row, answer, begun).await
    }

    /// Lets a language model propose goals for a text that was answered. To be called when the answer has left; does
    /// nothing without a model.
    ///
    /// # Errors
    /// Errors from the store.
    #[boxed]
    pub async fn propose_goals(&self, tenant: &str, request: &AskRequest) -> Result<(), Problem> {
        let session = request.session.clone().unwrap_or_else(|| SESSION.to_owned());
        let key = SessionKey { user: request.user.clone(), session };
        let turn = PendingTurn {
            at: self.engine.now().micros(),
            text: request.text.clone(),
            classification: classify(&request.text),
            profile: Profile::default(),
            answer: None,
            proposals: Vec::new(),
        };
        propose_goals(&self.engine, tenant, &key, &turn).await
    }

    /// Stores the text with what it binds the agent to.
    async fn hear(
        &self,
        tenant: &str,
        request: &AskRequest,
        given: Option<Vec<Obligation>>,
    ) -> Result<Heard, Problem> {
        let settings = self.engine.settings(tenant).await?;
        let now = self.engine.now();
        let zoned = now.to_jiff().to_zoned(settings.zone());
        let (tenant, asker) = (tenant.to_owned(), self.clone());
        let task = transaction!([tenant, request = request.clone(), zoned, asker, given], |tx| {
            let session = request.session.clone().unwrap_or_else(|| SESSION.to_owned());
            let latest = asked::latest_ask(tx, &tenant, &request.user, &session, None).await?;
            let context = context(tx, &tenant, &request.user, &zoned, latest.as_ref()).await?;
            let obligations = match given.clone() {
                Some(given) => given,
                None => asker.read(&request, &context, now),
            };
            let row = AskRow {
                id: tx.mint(),
                key: request.key.clone(),
                user: request.user.clone(),
                session,
                text: request.text.clone(),
                dialogue: obligations.clone(),
                answer: None,
                verified: false,
                trace: None,
                at: now,
            };
            if let Some(earlier) = asked::put_ask(tx, &tenant, &row).await? {
                let done = earlier.answer.is_some().then(|| earlier_answer(&earlier));
                let ids = match done {
                    Some(_) => Vec::new(),
                    None => {
                        asked::put_obligations(tx, &tenant, earlier.id, &earlier.dialogue, now)
                            .await?
                    }
                };
                let obligations = earlier.dialogue.clone();
                return Ok(Heard {
                    row: earlier,
                    obligations,
                    ids,
                    dialogue: latest,
                    earlier: done,
                });
            }
            let ids = asked::put_obligations(tx, &tenant, row.id, &obligations, now).await?;
            Ok(Heard { row, obligations, ids, dialogue: latest, earlier: None })
        });
        self.engine.try_write(task).await
    }

    /// Reads a text as obligations, with the times that it says.
    fn read(&self, request: &AskRequest, context: &ReadContext, now: Timestamp) -> Vec<Obligation> {
        let obligations = read(&request.text, context);
        let Some(zoned) = &context.now else { return obligations };
        let library = self.engine.library();
        let seeker = Seeker {
            contracts: &library.contracts,
            adapters: &self.adapters,
            user: &request.user,
            now,
        };
        OrderText { text: &request.text, now: zoned, seeker }.timed(obligations)
    }

    /// Discharges one obligation, and adds what it says to the answer.
    async fn answer_one(
        &self,
        conductor: &Conductor<'_>,
        obligation: &Obligation,
        id: RowId,
        telling: &mut Telling,
    ) -> Result<(), Problem> {
        telling.executed.push(obligation.clone());
        match obligation.obligation_type {
            ObligationType::Clarify => {
                telling.ask(obligation.text("slot").unwrap_or("request"));
                telling.trace(obligation, ObligationStatus::Active);
            }
            ObligationType::Justify => telling.justify(obligation),
            ObligationType::Verify if obligation.kind() == "last_answer" => {
                self.verify_last(conductor, obligation, telling).await?;
            }
            _ => {
                let done = conductor.discharge(id, obligation).await?;
                telling.add(obligation, done);
            }
        }
        Ok(())
    }

    /// Answers whether the last answer holds: looks at what it rests on.
    async fn verify_last(
        &self,
        conductor: &Conductor<'_>,
        obligation: &Obligation,
        telling: &mut Telling,
    ) -> Result<(), Problem> {
        let latest = telling.latest.clone();
        let latest = latest.as_ref();
        if !telling.answers.is_empty() {
            return Ok(()); // the answers of this text are verified anyway
        }
        let Some(trace) = latest.and_then(|latest| latest.trace.clone()) else {
            telling.ask("request");
            telling.trace(obligation, ObligationStatus::Active);
            return Ok(());
        };
        let replayed = super::replay::replay(&self.engine, conductor.tenant, &trace).await?;
        match replayed.changed.is_empty() && latest.is_some_and(|it| it.verified) {
            true => {
                telling.answers.push(format!("Yes, I have checked again: {}", replayed.answer));
                telling.verified = true;
            }
            false => telling.uncertain("what the last answer rests on has changed"),
        }
        telling.trace(obligation, ObligationStatus::Resolved);
        Ok(())
    }

    /// Stores the answer, and queues the turn for the agenda.
    async fn finish(
        &self,
        tenant: &str,
        mut row: AskRow,
        said: AskAnswer,
        begun: Timestamp,
    ) -> Result<AskAnswer, Problem> {
        let (now, tenant) = (self.engine.now(), tenant.to_owned());
        let elapsed = now - begun;
        let is_named = row.session != SESSION;
        let key = SessionKey { user: row.user.clone(), session: row.session.clone() };
        row.dialogue.clone_from(&said.obligations);
        row.verified = said.verified;
        let task = transaction!([tenant, row, key, said], |tx| {
            let stored = asked::lock_ask(tx, row.id).await?;
            if let Some(earlier) = stored.filter(|stored| stored.answer.is_some()) {
                return Ok(earlier_answer(&earlier)); // a request with the same key was faster
            }
            let phrase = match is_named {
                true => agenda_data::take_phrase(tx, &tenant, &key).await?,
                false => None, // who names no session asks single questions
            };
            let mut row = row.clone();
            let answer = match &phrase {
                Some(phrase) => format!("{} {phrase}", ended(&said.answer)),
                None => said.answer.clone(),
            };
            let trace = said.trace.clone().map(|trace| Trace {
                answer: said.answer.clone(),
                at: now.to_string(),
                latency_ms: u64::try_from(elapsed.micros() / 1000).unwrap_or(0),
                ..trace
            });
            row.answer = Some(answer.clone());
            row.trace = serde_json::to_value(&trace).ok();
            asked::answer(tx, &row).await?;
            let turn = PendingTurn {
                at: now.micros(),
                text: row.text.clone(),
                classification: classify(&row.text),
                profile: profile(tx, &tenant, &row.user).await?,
                answer: Some(answer.clone()),
                proposals: Vec::new(),
            };
            if !row.text.is_empty() {
                agenda_data::queue(tx, &tenant, &key, &turn, now).await?;
            }
            Ok(AskAnswer { answer, trace, ..said.clone() })
        });
        let answer = self.engine.write(task).await?;
        count(&answer, elapsed);
        self.engine.take_up_due_work().await?;
        Ok(answer)
    }
}

/// Returns the obligations that a caller gives instead of a text.
fn given(request: &AskRequest) -> Result<Option<Vec<Obligation>>, Problem> {
    let length = request.text.chars().count();
    let is_empty = request.text.trim().is_empty();
    if length > TEXT_CHARS_MAX || is_empty == request.obligations.is_none() {
        let why =
            format!("a request has a text of 1 to {TEXT_CHARS_MAX} characters, or obligations");
        return Err(Problem::caller("text_invalid", why)
            .with_hint("ask one thing at a time, or give `obligations` without a text"));
    }
    let Some(document) = &request.obligations else { return Ok(None) };
    let invalid = |why: String| {
        Problem::caller("obligations_invalid", format!("these are no obligations: {why}"))
            .with_hint("see contracts/obligations.schema.json")
    };
    let wire_format = WIRE_FORMAT.as_ref().map_err(|why| Problem::bug(why.clone()))?;
    wire_format.check(document).map_err(invalid)?;
    let read: Obligations =
        serde_json::from_value(document.clone()).map_err(|error| invalid(error.to_string()))?;
    if read.obligations.len() > GIVEN_MAX {
        return Err(invalid(format!("there are more than {GIVEN_MAX}")));
    }
    Ok(Some(read.obligations))
}

/// A text that was stored.
#[derive(Clone)]
struct Heard {
    row: AskRow,
    obligations: Vec<Obligation>,
    ids: Vec<RowId>,
    /// The request before it in the session.
    dialogue: Option<AskRow>,
    /// The answer that it has got already.
    earlier: Option<AskAnswer>,
}

/// Returns what a reader knows beside a text.
async fn context(
    tx: &mut Tx,
    tenant: &str,
    user: &str,
    now: &jiff::Zoned,
    latest: Option<&AskRow>,
) -> Result<ReadContext, Problem> {
    let mut dialogue = Dialogue::default();
    if let Some(latest) = latest {
        dialogue.hear(&latest.dialogue);
    }
    dialogue.memory = ir::memory(tx, tenant, user).await?;
    let people = contacts::people(tx, tenant).await?;
    let role_words: &[RoleWords] = &[];
    let directory = DirectoryWords::of(&people, role_words);
    Ok(ReadContext { now: Some(now.clone()), directory, dialogue })
}

async fn profile(tx: &mut Tx, tenant: &str, user: &str) -> Result<Profile, Problem> {
    let [name, city] = PROFILE_FIELDS;
    Ok(Profile {
        display_name: ir::fact(tx, tenant, user, name).await?,
        home_location: ir::fact(tx, tenant, user, city).await?,
    })
}

/// Returns the answer to a request that has got one.
fn earlier_answer(row: &AskRow) -> AskAnswer {
    AskAnswer {
        ask_id: row.id.to_string(),
        answer: row.answer.clone().unwrap_or_default(),
        obligations: row.dialogue.clone(),
        verified: row.verified,
        sources: Vec::new(),
        trace: Trace::of(row),
    }
}

/// Ends a sentence, so that another one can follow.
fn ended(answer: &str) -> String {
    let answer = text::shortened(answer, TEXT_CHARS_MAX);
    if answer.ends_with(['.', '?', '!']) { answer } else { format!("{answer}.") }
}

fn count(answer: &AskAnswer, elapsed: Span) {
    metrics::histogram!("abide_ask_seconds").record(elapsed.micros() as f64 / 1e6);
    let asks_back = answer.obligations.iter().any(|it| it.is(ObligationType::Clarify));
    let failed = answer.obligations.iter().any(|it| it.is(ObligationType::Justify));
    let end = match (answer.verified, asks_back, failed) {
        (true, ..) => "verified",
        (false, true, _) => "clarify",
        (false, false, true) => "verify_failed",
        _ => "done",
    };
    metrics::counter!("abide_ask_total", "end" => end).increment(1);
    for traced in answer.trace.iter().flat_map(|trace| &trace.obligations) {
        // Another candidate had to be tried, or a person asked.
        let escalated = traced.runs.iter().any(|run| run.status != CallStatus::Succeeded.as_str());
        metrics::counter!(
            "abide_obligations_total",
            "type" => traced.obligation_type.clone(),
            "status" => traced.status.as_str(),
            "escalated" => if escalated { "yes" } else { "no" },
        )
        .increment(1);
    }
}
