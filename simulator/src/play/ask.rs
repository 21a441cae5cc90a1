//! What the world asks of a process, kept as data: whoever gets no answer asks again.

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

/// The tenant that scenarios play in; a copy is played in its own.
pub(super) const TENANT: &str = "default";

/// Something that is asked of the process, with the step that asks it.
#[derive(Debug, Clone)]
pub(super) struct Ask {
    /// The tenant that it concerns.
    pub(super) tenant: Arc<str>,
    pub(super) question: Question,
    /// A name for the run that comes of it.
    pub(super) name: Option<String>,
    pub(super) place: Place,
    pub(super) verb: &'static str,
}

impl Ask {
    /// Something that no run comes of that has a name.
    pub(super) fn about(
        tenant: &Arc<str>,
        question: Question,
        (place, verb): (Place, &'static str),
    ) -> Self {
        Self { tenant: Arc::clone(tenant), question, name: None, place, verb }
    }
}

/// What is asked.
#[derive(Debug, Clone)]
pub(crate) enum Question {
    /// A message is delivered.
    Receive(InboundMessage),
    /// A run is started.
    Start(StartRun),
    /// A run is signalled.
    Signal { run: RunId, name: String, data: Value, key: String },
    /// A run is cancelled, paused or let go.
    Control(RunId, Control),
    /// The kill switch is thrown or released.
    Tenant { paused: bool },
    /// Settings change.
    Configure(Value),
    /// The tenant becomes the demo church, in this time zone.
    DemoChurch { zone: String },
    /// People are added to the directory.
    People(Vec<PersonInput>),
    /// How much there is of something is set.
    Capacity { key: String, total: i64 },
    /// A method's text is published.
    Publish(String),
    /// The provider reports what became of a message.
    Report(Reported),
}

/// A delivery report about the newest message to somebody from a template.
#[derive(Debug, Clone)]
pub(crate) struct Reported {
    /// The number.
    pub(crate) to: String,
    /// The template.
    pub(crate) kind: String,
    pub(crate) state: DeliveryState,
    pub(crate) error: Option<String>,
    pub(crate) at: Timestamp,
    /// What the provider has for that number: it reports on nothing else.
    pub(crate) of: Vec<MessageId>,
}

impl Question {
    /// True for a text: any number of them may be on their way at once. Of two orders the second comes when the
    /// first is answered.
    pub(super) fn is_text(&self) -> bool {
        matches!(self, Self::Receive(_))
    }

    /// What this may meet in the middle of the process's work: what texts and settings do meets texts on their way,
    /// an order to a run meets a step. None for what a story is set up with, and for what names its runs: that
    /// is there before the story goes on.
    pub(super) fn meets(&self) -> Option<Part> {
        match self {
            Self::Receive(_) | Self::Tenant { .. } | Self::Configure(_) => Some(Part::Release),
            Self::Control(..) => Some(Part::Step),
            _ => None,
        }
    }
}

/// What a process answered.
pub(super) enum Answer {
    /// It is done; the run that came of it, if one did.
    Done(Option<RunId>),
    /// The message is taken, and dealt with in this way; the run that it concerns.
    Taken(String, Option<RunId>),
    /// The method of this name is published.
    Published(String),
    /// The text has errors among these findings.
    Faulty(Vec<Diagnostic>),
}

impl Answer {
    /// How a message was dealt with.
    pub(super) fn handled_as(&self) -> Option<String> {
        match self {
            Self::Taken(handled_as, _) => Some(handled_as.clone()),
            _ => None,
        }
    }
}

/// Has the engine answer a question.
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
        Problem::caller("unknown_message", format!("nobody was sent `{kind}` at this number"))
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
