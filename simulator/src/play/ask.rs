//! What the world asks of a process, kept as data: whoever gets no answer asks again.

use std::sync::Arc;

use abide_engine::base::{Problem, RunId, Value};
use abide_engine::diagnostic::Diagnostic;
use abide_engine::domain::{DomainContext, StartRun};
use abide_engine::engine::{Engine, InboundMessage, Publication};
use abide_engine::run::Control;
use abide_engine::store::work;
use abide_verbs::api::capacity::{self, NewCapacity};
use abide_verbs::api::people::{self, PersonInput};
use abide_verbs::api::seed;
use abide_verbs::data::church::{self, Church};

use crate::scenario::Place;

/// The tenant that scenarios play in.
pub(super) const TENANT: &str = "default";

/// Something that is asked of the process, with the step that asks it.
#[derive(Debug, Clone)]
pub(super) struct Ask {
    pub(super) question: Question,
    /// A name for the run that comes of it.
    pub(super) name: Option<String>,
    pub(super) place: Place,
    pub(super) verb: &'static str,
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
}

/// Something between the world and the process, with how many of our messages the provider had by then:
/// that order holds whatever the clock does.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) what: Exchange,
    pub(crate) sent: usize,
}

/// What went between the world and the process.
#[derive(Debug, Clone)]
pub(crate) enum Exchange {
    /// The provider took a message to us.
    Heard { id: String, from: String, body: String },
    /// The process is asked: from now on it may have done it.
    Asked(Question),
    /// It has answered: it is done for good. How a message was dealt with.
    Answered(Question, Option<String>),
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

/// Has the engine answer a question.
pub(super) async fn put(engine: Arc<Engine>, question: Question) -> Result<Answer, Problem> {
    let run = match question {
        Question::Publish(text) => return publish(&engine, &text).await,
        Question::Receive(message) => {
            let taken = engine.receive(TENANT, message).await;
            return taken.map(|received| Answer::Taken(received.handled_as, received.run_id));
        }
        Question::Start(start) => engine.start_run(TENANT, start).await.map(|run| Some(run.id)),
        Question::Signal { run, name, data, key } => {
            engine.signal((TENANT, run), &name, &data, Some(&key)).await.map(|_| Some(run))
        }
        Question::Control(run, control) => {
            engine.control(TENANT, run, control).await.map(|_| Some(run))
        }
        Question::Tenant { paused } => engine.pause_tenant(TENANT, paused).await.map(|_| None),
        Question::Configure(changes) => engine.set_settings(TENANT, &changes).await.map(|()| None),
        Question::Capacity { key, total } => {
            set_capacity(&engine, key, NewCapacity { total }).await.map(|()| None)
        }
        Question::DemoChurch { zone } => demo_church(&engine, zone).await.map(|()| None),
        Question::People(inputs) => {
            let now = engine.now();
            let task = work(move |tx| {
                let inputs = inputs.clone();
                Box::pin(async move { people::upsert(tx, TENANT, now, &inputs).await.map(drop) })
            });
            engine.write(task).await.map(|()| None)
        }
    };
    run.map(Answer::Done)
}

async fn publish(engine: &Engine, text: &str) -> Result<Answer, Problem> {
    Ok(match engine.publish(TENANT, ("published.yaml", text), false).await? {
        Publication::Done(published) => Answer::Published(published.name),
        Publication::Faulty(findings) => Answer::Faulty(findings),
    })
}

async fn set_capacity(engine: &Engine, key: String, new: NewCapacity) -> Result<(), Problem> {
    let (settings, now) = (engine.settings(TENANT).await?, engine.now());
    let templates = Arc::clone(&engine.library().templates);
    let task = work(move |tx| {
        let (settings, templates) = (Arc::clone(&settings), Arc::clone(&templates));
        let (key, new) = (key.clone(), new.clone());
        Box::pin(async move {
            let (settings, templates) = (&*settings, &*templates);
            let cx = DomainContext { tenant: TENANT, now, settings, templates };
            capacity::set(tx, &cx, &key, &new).await.map(drop)
        })
    });
    engine.write(task).await
}

async fn demo_church(engine: &Engine, zone: String) -> Result<(), Problem> {
    let now = engine.now();
    let task = work(move |tx| {
        let zone = zone.clone();
        Box::pin(async move {
            seed::seed(tx, TENANT, now).await?;
            let church = Church { name: seed::NAME.to_owned(), time_zone: zone };
            Ok(church::put(tx, TENANT, &church).await?)
        })
    });
    engine.write(task).await
}
