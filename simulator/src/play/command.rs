//! What the world asks of a process, kept as data so that an unanswered question can be asked again.

use std::sync::Arc;

use abide_engine::base::{MessageId, Problem, RunId, Timestamp, Value, limits};
use abide_engine::diagnostic::Diagnostic;
use abide_engine::domain::{DomainContext, StartRun};
use abide_engine::facade::{DeliveryReport, Engine, InboundMessage, MessageFilter, Publication};
use abide_engine::run::Control;
use abide_engine::store::{DeliveryState, Part, ReportedId, work};
use abide_verbs::api::capacity::{self, NewCapacity};
use abide_verbs::api::people::{self, PersonInput};
use abide_verbs::api::seed;
use abide_verbs::data::church::{self, Church};

use crate::scenario::Place;

/// The tenant of a scenario; a copy of a live run keeps its own tenant.
pub(super) const TENANT: &str = "default";

/// A question to the process, and the step that asks it.
#[derive(Debug, Clone)]
pub(super) struct Ask {
    /// The tenant that it concerns.
    pub(super) tenant: Arc<str>,
    pub(super) question: Question,
    /// A name for the run that it starts.
    pub(super) name: Option<String>,
    pub(super) place: Place,
    pub(super) verb: &'static str,
}

impl Ask {
    /// Creates a question that does not name a run.
    pub(super) fn about(
        tenant: &Arc<str>,
        question: Question,
        (place, verb): (Place, &'static str),
    ) -> Self {
        Self { tenant: Arc::clone(tenant), question, name: None, place, verb }
    }
}

/// What the world asks of a process.
#[derive(Debug, Clone)]
pub(crate) enum Question {
    /// An inbound message is delivered.
    Receive(InboundMessage),
    /// A run is started.
    Start(StartRun),
    /// A run is sent a signal.
    Signal { run: RunId, name: String, data: Value, key: String },
    /// A run is cancelled, paused or resumed.
    Control(RunId, Control),
    /// The tenant's kill switch is turned on or off.
    Tenant { paused: bool },
    /// Settings change.
    Configure(Value),
    /// The demo church, with this time zone, is loaded into the tenant.
    DemoChurch { zone: String },
    /// People are added to the directory.
    People(Vec<PersonInput>),
    /// The capacity of a resource is set.
    Capacity { key: String, total: i64 },
    /// A method's text is published.
    Publish(String),
    /// The provider reports the delivery state of a message.
    Report(Reported),
}

/// A delivery report about the newest message of a template to a phone number.
#[derive(Debug, Clone)]
pub(crate) struct Reported {
    /// The recipient's phone number.
    pub(crate) to: String,
    /// The name of the template.
    pub(crate) kind: String,
    pub(crate) state: DeliveryState,
    pub(crate) error: Option<String>,
    pub(crate) at: Timestamp,
    /// The messages that the provider has for that number; it cannot report on any other.
    pub(crate) of: Vec<MessageId>,
}

impl Question {
    /// Whether it is a text. Any number of texts may be pending at once; of other questions, each waits until
    /// the one before is answered.
    pub(super) fn is_text(&self) -> bool {
        matches!(self, Self::Receive(_))
    }

    /// Returns which commits this may interrupt in the middle of the process's work: inbound texts, settings
    /// and the kill switch interrupt a release of texts, and an order to a run interrupts a step. `None` for
    /// questions that set a simulation up or name its runs, because later steps depend on their answers.
    pub(super) fn meets(&self) -> Option<Part> {
        match self {
            Self::Receive(_) | Self::Tenant { .. } | Self::Configure(_) => Some(Part::Release),
            Self::Control(..) => Some(Part::Step),
            _ => None,
        }
    }
}

/// A process's answer.
pub(super) enum Answer {
    /// Done, with the run that it concerns, if any.
    Done(Option<RunId>),
    /// The message is accepted and was handled in this way, with the run that it concerns, if any.
    Taken(String, Option<RunId>),
    /// A version of this method is published.
    Published(String),
    /// The text was refused; errors are among these findings.
    Faulty(Vec<Diagnostic>),
}

impl Answer {
    /// Returns how a message was handled.
    pub(super) fn handled_as(&self) -> Option<String> {
        match self {
            Self::Taken(handled_as, _) => Some(handled_as.clone()),
            _ => None,
        }
    }
}

/// Puts a question to the engine and returns its answer.
pub(super) async fn put(
    engine: Arc<Engine>,
    tenant: &str,
    question: Question,
) -> Result<Answer, Problem> {
    let run = match question {
        Question::Publish(text) => return publish(&engine, tenant, &text).await,
        Question::Receive(message) => {
            let taken = engine.receive(tenant, message).await;
            return taken.map(|received| Answer::Taken(received.handled_as, received.run_id));
        }
        Question::Start(start) => engine.start_run(tenant, start).await.map(|run| Some(run.id)),
        Question::Signal { run, name, data, key } => {
            engine.signal((tenant, run), &name, &data, Some(&key)).await.map(|_| Some(run))
        }
        Question::Control(run, control) => {
            engine.control(tenant, run, control).await.map(|_| Some(run))
        }
        Question::Tenant { paused } => engine.pause_tenant(tenant, paused).await.map(|_| None),
        Question::Configure(changes) => engine.set_settings(tenant, &changes).await.map(|()| None),
        Question::Capacity { key, total } => {
            set_capacity(&engine, tenant, (key, NewCapacity { total })).await.map(|()| None)
        }
        Question::Report(reported) => report(&engine, tenant, reported).await.map(|()| None),
        Question::DemoChurch { zone } => demo_church(&engine, tenant, zone).await.map(|()| None),
        Question::People(inputs) => add_people(&engine, tenant, inputs).await.map(|()| None),
    };
    run.map(Answer::Done)
}

async fn publish(engine: &Engine, tenant: &str, text: &str) -> Result<Answer, Problem> {
    Ok(match engine.publish(tenant, ("published.yaml", text), false).await? {
        Publication::Done(published) => Answer::Published(published.name),
        Publication::Faulty(findings) => Answer::Faulty(findings),
    })
}

async fn report(engine: &Engine, tenant: &str, reported: Reported) -> Result<(), Problem> {
    let Reported { to, kind, state, error, at, of } = reported;
    let filter = MessageFilter {
        to: Some(to),
        direction: Some("outbound".to_owned()),
        limit: limits::PAGE_MAX,
        ..MessageFilter::default()
    };
    let messages = engine.messages(tenant, &filter).await?.items;
    let mut known = messages.into_iter().filter(|message| of.contains(&message.id));
    let message = known.find(|message| message.kind.as_deref() == Some(&*kind));
    let message = message.ok_or_else(|| {
        Problem::caller("unknown_message", format!("no `{kind}` was sent to this number"))
    })?;
    let message = ReportedId::Ours(message.id);
    engine.delivery_report(tenant, DeliveryReport { message, state, error, at }).await.map(drop)
}

async fn add_people(
    engine: &Engine,
    tenant: &str,
    inputs: Vec<PersonInput>,
) -> Result<(), Problem> {
    let (now, owned) = (engine.now(), tenant.to_owned());
    let task = work(move |tx| {
        let (tenant, inputs) = (owned.clone(), inputs.clone());
        Box::pin(async move { people::upsert(tx, &tenant, now, &inputs).await.map(drop) })
    });
    engine.write(task).await
}

async fn set_capacity(
    engine: &Engine,
    tenant: &str,
    (key, new): (String, NewCapacity),
) -> Result<(), Problem> {
    let (settings, now) = (engine.settings(tenant).await?, engine.now());
    let (templates, owned) = (Arc::clone(&engine.library().templates), tenant.to_owned());
    let task = work(move |tx| {
        let (settings, templates) = (Arc::clone(&settings), Arc::clone(&templates));
        let (tenant, key, new) = (owned.clone(), key.clone(), new.clone());
        Box::pin(async move {
            let (settings, templates) = (&*settings, &*templates);
            let cx = DomainContext { tenant: &tenant, now, settings, templates };
            capacity::set(tx, &cx, &key, &new).await.map(drop)
        })
    });
    engine.write(task).await
}

async fn demo_church(engine: &Engine, tenant: &str, zone: String) -> Result<(), Problem> {
    let (now, owned) = (engine.now(), tenant.to_owned());
    let task = work(move |tx| {
        let (tenant, zone) = (owned.clone(), zone.clone());
        Box::pin(async move {
            seed::seed(tx, &tenant, now).await?;
            let church = Church { name: seed::NAME.to_owned(), time_zone: zone };
            Ok(church::put(tx, &tenant, &church).await?)
        })
    });
    engine.write(task).await
}
