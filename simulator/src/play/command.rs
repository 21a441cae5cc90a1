//! Defines the commands that the simulator sends to the simulated process.
//! A command is plain data, so that the simulator can send it again if the process did not answer.

use std::sync::Arc;

use abide_engine::base::{MessageId, Problem, RunId, Span, Timestamp, Value, limits};
use abide_engine::diagnostic::Diagnostic;
use abide_engine::domain::{DomainContext, StartRun};
use abide_engine::facade::{
    ApprovalQuery, Decider, Decision, DeliveryReport, Direction, Engine, InboundMessage,
    MessageFilter, NewVersion, PublishOutcome,
};
use abide_engine::run::{ApprovalDecision, Control};
use abide_engine::store::{
    ApprovalFilter, ApprovalState, CommitPart, DeliveryState, ReportedId, RunRef,
};
use abide_engine::transaction;
use abide_judgement::obligations::AskRequest;
use abide_trade::demo::DemoContext;
use abide_verbs::api::capacity::{self, NewCapacity};
use abide_verbs::api::people::{self, PersonInput, PersonView};
use abide_verbs::api::seed;
use abide_verbs::data::church::{self, Church};

use super::HEAD;
use super::checks::list_people;
use super::judgement::{Judgement, OperatorCommand};
use crate::demo::load_trade;
use crate::scenario::{ScenarioStep, SourcePosition};

/// The id of a scenario's own tenant. A forecast uses the tenant of the copied run instead.
pub(super) const TENANT: &str = "default";

/// The scenario step that sends a command: its position in the scenario file, and its key, such as `start`.
#[derive(Debug, Clone, Copy)]
pub(super) struct StepRef {
    pub(super) place: SourcePosition,
    pub(super) key: &'static str,
}

impl StepRef {
    /// Creates the reference to a scenario step.
    pub(super) fn of(step: &ScenarioStep) -> Self {
        Self { place: step.place, key: step.action.kind().as_str() }
    }

    /// Creates the reference for a command that no scenario step sends.
    /// Error reports use `key` as the name of the command.
    pub(super) fn none(key: &'static str) -> Self {
        Self { place: HEAD, key }
    }
}

/// A command to the process, with the scenario step that sends the command.
#[derive(Debug, Clone)]
pub(super) struct CommandFromStep {
    /// The tenant that the command concerns.
    pub(super) tenant: Arc<str>,
    pub(super) command: EngineCommand,
    /// The name that the scenario step gives to the run that the command starts;
    /// `None` if the step gives no name or the command starts no run.
    pub(super) run_name: Option<String>,
    /// The node that gets the command, counted from 1, if it is not the first one. A node that is down or missing
    /// gets no command; the first one gets it then.
    pub(super) node: Option<usize>,
    /// Whether nobody sends the command again if the process dies before it answers.
    pub(super) gives_up: bool,
    pub(super) step: StepRef,
}

impl CommandFromStep {
    /// Creates a command to the first node whose scenario step gives no name to a run.
    pub(super) fn new(tenant: &Arc<str>, command: EngineCommand, step: StepRef) -> Self {
        Self {
            tenant: Arc::clone(tenant),
            command,
            run_name: None,
            node: None,
            gives_up: false,
            step,
        }
    }
}

/// The commands that the simulator can send to a process.
#[derive(Debug, Clone)]
pub(crate) enum EngineCommand {
    /// An inbound message is delivered.
    Receive(InboundMessage),
    /// A run is started.
    Start(StartRun),
    /// A run is sent a signal.
    Signal { run: RunId, name: String, data: Value, key: String },
    /// A run is cancelled, paused or resumed.
    Control(RunId, Control),
    /// The person with this phone number decides about the oldest open approval.
    Decide { phone: String, decision: ApprovalDecision },
    /// The person with this phone number has these roles and no others.
    Roles { phone: String, roles: Vec<String> },
    /// The tenant's kill switch is turned on or off.
    Tenant { paused: bool },
    /// Settings change.
    Configure(Value),
    /// The demo church, with this time zone, is loaded into the tenant.
    DemoChurch { zone: String },
    /// The demo of the trade is loaded into the tenant.
    DemoTrade,
    /// People are added to the directory.
    People(Vec<PersonInput>),
    /// The capacity of a resource is set.
    Capacity { key: String, total: i64 },
    /// A version of a method, with this YAML source, is published.
    Publish {
        /// The YAML source.
        text: String,
        /// Whether new runs go on with the version before, each accompanied by a shadow run of this one.
        shadow: bool,
    },
    /// A person sends a message to the operator.
    Operator(OperatorCommand),
    /// A person asks the assistant something. The user is a phone number.
    Ask(AskRequest),
    /// The provider reports the delivery state of a message.
    Report(ReportedDelivery),
}

/// A delivery report about the newest message with a given template to a given phone number.
#[derive(Debug, Clone)]
pub(crate) struct ReportedDelivery {
    /// The recipient's phone number.
    pub(crate) to: String,
    /// The name of the template.
    pub(crate) kind: String,
    pub(crate) state: DeliveryState,
    pub(crate) error: Option<String>,
    pub(crate) at: Timestamp,
    /// The ids of all messages that the provider accepted for this phone number.
    /// The provider cannot report the delivery state of any other message.
    pub(crate) of: Vec<MessageId>,
}

impl EngineCommand {
    /// Whether the command delivers an inbound message, or asks the operator or the assistant. Several such commands may
    /// wait for an answer at the same time. The caller who gives commands of any other kind, such as orders to runs,
    /// gives the next one only when the previous one is answered.
    pub(super) fn may_overlap(&self) -> bool {
        matches!(self, Self::Receive(_) | Self::Operator(_) | Self::Ask(_))
    }

    /// If the command may arrive while the process is working, returns the kinds of commits during which
    /// it may arrive. Inbound messages, settings and the kill switch may arrive while messages are
    /// released. A signal, an order to a run, a message to the operator or a question may arrive while a run is claimed or
    /// stepped. Returns an empty list for every other command. Such a command is sent only while the process is idle, because later scenario
    /// steps may depend on its answer.
    pub(super) fn may_interrupt(&self) -> &'static [CommitPart] {
        match self {
            Self::Receive(_) | Self::Tenant { .. } | Self::Configure(_) => &[CommitPart::Release],
            Self::Signal { .. }
            | Self::Control(..)
            | Self::Decide { .. }
            | Self::Operator(_)
            | Self::Ask(_) => &[CommitPart::Claim, CommitPart::Step],
            Self::Start(_) | Self::DemoChurch { .. } | Self::DemoTrade => &[],
            Self::People(_) | Self::Roles { .. } | Self::Capacity { .. } => &[],
            Self::Publish { .. } | Self::Report(_) => &[],
        }
    }
}

/// The result of a command.
pub(super) enum CommandResult {
    /// The command is done. Contains the run that the command concerns, if any.
    Done(Option<RunId>),
    /// The inbound message is accepted.
    /// Contains how the message was handled, and the run that the message concerns, if any.
    Received { handled_as: String, run: Option<RunId> },
    /// The operator or the assistant has answered. Contains what the answer is known by: the id of the plan, or the
    /// id of the request and the answer; and the run of the plan, if there is one.
    Answered { answer: String, run: Option<RunId> },
    /// The client did not wait for the answer.
    Unanswered,
    /// A version of a method is published. Contains the method's name.
    Published(String),
    /// The source of a method was refused. Contains all findings, at least one of which is an error.
    InvalidMethod(Vec<Diagnostic>),
}

impl CommandResult {
    /// Whether there is no answer.
    pub(super) fn is_missing(&self) -> bool {
        matches!(self, Self::Unanswered)
    }

    /// Returns how an inbound message was handled, or what the operator or the assistant answered.
    pub(super) fn handled_as(&self) -> Option<String> {
        match self {
            Self::Received { handled_as, .. } => Some(handled_as.clone()),
            Self::Answered { answer, .. } => Some(answer.clone()),
            _ => None,
        }
    }
}

/// The engine of a process, with what its services need besides.
pub(super) struct Services {
    pub(super) engine: Arc<Engine>,
    pub(super) judgement: Judgement,
}

/// Executes a command on the engine.
pub(super) async fn execute(
    services: Services,
    tenant: &Arc<str>,
    command: EngineCommand,
) -> Result<CommandResult, Problem> {
    let Services { engine, judgement } = services;
    let run = match command {
        EngineCommand::Publish { text, shadow } => {
            let version = NewVersion { file: "published.yaml", text: &text, shadow };
            return publish(&engine, tenant, version).await;
        }
        EngineCommand::Receive(message) => {
            let taken = engine.receive(tenant, message).await;
            return taken.map(|received| CommandResult::Received {
                handled_as: received.handled_as.as_str().to_owned(),
                run: received.run_id,
            });
        }
        EngineCommand::Operator(operator) => {
            return judgement.operate(engine, Arc::clone(tenant), operator).await;
        }
        EngineCommand::Ask(request) => {
            return judgement.ask(engine, Arc::clone(tenant), request).await;
        }
        EngineCommand::Start(start) => {
            engine.start(tenant, start).await.map(|started| Some(started.run))
        }
        EngineCommand::Signal { run, name, data, key } => {
            engine.signal(RunRef { tenant, run }, &name, &data, Some(&key)).await.map(|_| Some(run))
        }
        EngineCommand::Control(run, control) => {
            engine.control(tenant, run, control).await.map(|_| Some(run))
        }
        EngineCommand::Decide { phone, decision } => {
            decide(&engine, tenant, &phone, decision).await.map(Some)
        }
        EngineCommand::Roles { phone, roles } => {
            set_roles(&engine, tenant, &phone, roles).await.map(|()| None)
        }
        EngineCommand::Tenant { paused } => {
            engine.set_tenant_paused(tenant, paused).await.map(|_| None)
        }
        EngineCommand::Configure(changes) => {
            engine.set_settings(tenant, &changes).await.map(|()| None)
        }
        EngineCommand::Capacity { key, total } => {
            set_capacity(&engine, tenant, key, NewCapacity { total }).await.map(|()| None)
        }
        EngineCommand::Report(reported) => report(&engine, tenant, reported).await.map(|()| None),
        EngineCommand::DemoChurch { zone } => {
            demo_church(&engine, tenant, zone).await.map(|()| None)
        }
        EngineCommand::DemoTrade => demo_trade(&engine, tenant).await.map(|()| None),
        EngineCommand::People(inputs) => add_people(&engine, tenant, inputs).await.map(|()| None),
    };
    run.map(CommandResult::Done)
}

async fn publish(
    engine: &Engine,
    tenant: &str,
    version: NewVersion<'_>,
) -> Result<CommandResult, Problem> {
    Ok(match engine.publish(tenant, version).await? {
        PublishOutcome::Published(published) => CommandResult::Published(published.name),
        PublishOutcome::Invalid(findings) => CommandResult::InvalidMethod(findings),
    })
}

/// How long after a decision the same one of the same person is a repeat, which is sent because the process
/// crashed before it answered.
const REPEATED_WITHIN: Span = Span::from_secs(60);

/// Lets a person decide about the oldest open approval of the tenant. Returns the run that waits for it. A
/// repeat is about the same approval, though another one may be open by now.
async fn decide(
    engine: &Engine,
    tenant: &str,
    phone: &str,
    decision: ApprovalDecision,
) -> Result<RunId, Problem> {
    let person = find_person(engine, tenant, phone).await?;
    let query = |state| {
        let filter = ApprovalFilter { state: Some(state), before: None };
        ApprovalQuery { filter, limit: limits::PAGE_MAX }
    };
    let (since, person_id) = (engine.now() - REPEATED_WITHIN, person.id.to_string());
    let decided = engine.approvals(tenant, query(decision.state())).await?.items;
    let repeated = decided.into_iter().find(|approval| {
        let recent = |at: &String| at.parse::<Timestamp>().is_ok_and(|at| at >= since);
        let voted = approval.votes.iter().any(|it| it.by == person_id && recent(&it.at));
        let decided = approval.decided_by.as_ref() == Some(&person.name);
        voted || decided && approval.decided_at.as_ref().is_some_and(recent)
    });
    let open = engine.approvals(tenant, query(ApprovalState::Pending)).await?.items;
    let meant = repeated.or_else(|| open.into_iter().next_back()).ok_or_else(|| {
        Problem::caller("unknown_approval", "nothing is to be decided at this time")
    })?;
    let (approval, by) = (meant.id, Decider::Person(person.id));
    engine.decide(tenant, Decision { approval, decision, by, reason: None }).await?;
    Ok(meant.run_id)
}

/// Returns the first person with this phone number.
async fn find_person(engine: &Engine, tenant: &str, phone: &str) -> Result<PersonView, Problem> {
    let read = transaction!([tenant = tenant.to_owned()], |tx| list_people(tx, &tenant).await);
    let mut people = engine.read(read).await?.into_iter();
    people.find(|person| person.phone == phone).ok_or_else(|| {
        Problem::caller("person_unknown", format!("nobody in the directory has {phone}"))
    })
}

async fn set_roles(
    engine: &Engine,
    tenant: &str,
    phone: &str,
    roles: Vec<String>,
) -> Result<(), Problem> {
    let PersonView { id, name, phone, .. } = find_person(engine, tenant, phone).await?;
    let (id, roles) = (Some(id), Some(roles));
    let changed = PersonInput { id, name, phone, roles, ..PersonInput::default() };
    add_people(engine, tenant, vec![changed]).await
}

async fn report(engine: &Engine, tenant: &str, reported: ReportedDelivery) -> Result<(), Problem> {
    let ReportedDelivery { to, kind, state, error, at, of } = reported;
    let filter = MessageFilter {
        to: Some(to),
        direction: Some(Direction::Outbound),
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
    let (region, now) = (engine.settings(tenant).await?.region, engine.now());
    let task = transaction!([tenant = tenant.to_owned(), inputs], |tx| {
        people::upsert(tx, &tenant, region, now, &inputs).await.map(drop)
    });
    engine.write(task).await
}

async fn set_capacity(
    engine: &Engine,
    tenant: &str,
    key: String,
    new: NewCapacity,
) -> Result<(), Problem> {
    let (settings, now) = (engine.settings(tenant).await?, engine.now());
    let templates = Arc::clone(&engine.library().templates);
    let task = transaction!([settings, templates, tenant = tenant.to_owned(), key, new], |tx| {
        let (settings, templates) = (&*settings, &*templates);
        let cx = DomainContext { tenant: &tenant, now, settings, templates };
        capacity::set(tx, &cx, &key, &new).await.map(drop)
    });
    engine.write(task).await
}

async fn demo_church(engine: &Engine, tenant: &str, zone: String) -> Result<(), Problem> {
    let now = engine.now();
    let task = transaction!([tenant = tenant.to_owned(), zone], |tx| {
        seed::seed(tx, &tenant, now).await?;
        let church = Church { name: seed::NAME.to_owned(), time_zone: zone };
        Ok(church::put(tx, &tenant, &church).await?)
    });
    engine.write(task).await
}

async fn demo_trade(engine: &Engine, tenant: &str) -> Result<(), Problem> {
    let (settings, now) = (engine.settings(tenant).await?, engine.now());
    let task = transaction!([settings, tenant = tenant.to_owned()], |tx| {
        let cx = DemoContext { tenant: &tenant, now, settings: &settings };
        load_trade(tx, &cx).await.map(drop)
    });
    engine.write(task).await
}
