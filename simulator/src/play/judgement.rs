//! Carries out the requests of people to the operator and to the assistant, through the services that the routes
//! `POST /v1/operator` and `POST /v1/ask` call, and reads what the judgement has stored.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use abide_agent::agenda::GoalStatus;
use abide_engine::base::{PlanId, Problem, RunId, Span};
use abide_engine::facade::{ApprovalQuery, ApprovalView, Decider, Engine, PlanRunView};
use abide_engine::library::Library;
use abide_engine::store::{ApprovalFilter, ApprovalState};
use abide_engine::transaction;
use abide_judgement::data::audit::{self, StoredJudgement};
use abide_judgement::obligations::{AskRequest, Asker, ToolAdapters};
use abide_judgement::operator::{Layers, Operator, OperatorCaller, OperatorRequest};
use abide_trade::files::FileStore;
use abide_verbs::api::people::PersonView;
use abide_verbs::directory::{ACTING, SUPERVISOR};

use super::Player;
use super::checks::list_people;
use super::command::{CommandFromStep, CommandResult, EngineCommand, StepRef, TENANT};
use super::condition::{AnswerFact, GoalFact};
use super::observe::unless_crashed;
use crate::domains;
use crate::report::LineKind;
use crate::scenario::{AskStep, OPEN_APPROVAL, OperatorStep, ScenarioStep};

/// How long a client waits for an answer. The service itself goes on.
const CLIENT_WAIT: Span = Span::from_secs(60);
/// How long the operator itself waits for the run of a plan, by the machine's clock. It is longer than any simulation
/// takes, because a simulation has a clock of its own: see [`CLIENT_WAIT`].
const PLAN_WAIT: Duration = Duration::from_secs(3_600);
/// What a message names instead of an approval if none is open anywhere.
const NO_APPROVAL: &str = "none";
/// How a message begins that approves something.
const APPROVE: &str = "APPROVE:";
/// Maximum number of rows that one query returns.
const PAGE: usize = 500;

/// What the services of the judgement need besides the engine. Cheap to clone.
#[derive(Clone)]
pub(super) struct Judgement {
    layers: Layers,
    adapters: Arc<ToolAdapters>,
}

/// A request to the operator, and who sends it.
#[derive(Debug, Clone)]
pub(crate) struct OperatorCommand {
    /// The phone number of the person who sends it.
    pub(crate) phone: String,
    pub(crate) request: OperatorRequest,
}

impl OperatorCommand {
    /// Whether the request approves something: the plan that it computes, or what its message names.
    pub(crate) fn decides(&self) -> bool {
        self.request.consented || self.request.message.starts_with(APPROVE)
    }
}

impl Judgement {
    pub(super) fn of(library: &Library, files: FileStore) -> Self {
        let layers = domains::operator_layers(library, files);
        Self { layers, adapters: domains::tool_adapters(library) }
    }

    /// Sends a message to the operator, as `POST /v1/operator` does for the holder of a token of the person's role.
    ///
    /// # Errors
    /// `forbidden` if the person is not staff, or approves something and is no supervisor; the errors of the operator.
    pub(super) async fn operate(
        self,
        engine: Arc<Engine>,
        tenant: Arc<str>,
        command: OperatorCommand,
    ) -> Result<CommandResult, Problem> {
        let OperatorCommand { phone, request } = command;
        let forbidden = |what: &str| Problem::caller("forbidden", format!("{phone} {what}"));
        let person = person_of(&engine, &tenant, &phone).await?;
        let has = |role: &str| person.iter().flat_map(|it| &it.roles).any(|own| own == role);
        if !ACTING.iter().any(|role| has(role)) {
            return Err(forbidden("may not ask the operator"));
        }
        let may_consent = has(SUPERVISOR);
        if request.consented && !may_consent {
            return Err(forbidden("cannot approve a plan"));
        }
        let decides = |person: PersonView| Decider::Caller {
            id: person.id.to_string(),
            name: person.name,
            any_role: false,
        };
        let decider = person.filter(|_| may_consent).map(decides);
        let caller = OperatorCaller { decider, wait: PLAN_WAIT };
        let operator = Operator::new((*engine).clone(), self.layers);
        let work = async move { operator.process(&tenant, request, &caller).await };
        let answer = answered(&engine, work).await?;
        Ok(answer.map_or(CommandResult::Unanswered, |answer| CommandResult::Answered {
            answer: answer.plan.plan_id.to_string(),
            run: answer.run_id,
        }))
    }

    /// Asks the assistant, as `POST /v1/ask` does.
    ///
    /// # Errors
    /// The errors of the assistant.
    pub(super) async fn ask(
        self,
        engine: Arc<Engine>,
        tenant: Arc<str>,
        request: AskRequest,
    ) -> Result<CommandResult, Problem> {
        let person = person_of(&engine, &tenant, &request.user).await?;
        let user = person.map_or_else(|| request.user.clone(), |person| person.id.to_string());
        let asker = Asker::new((*engine).clone(), self.adapters);
        let work = async move { asker.ask(&tenant, AskRequest { user, ..request }).await };
        let answer = answered(&engine, work).await?;
        Ok(answer.map_or(CommandResult::Unanswered, |answer| CommandResult::Answered {
            answer: format!("{} {}", answer.ask_id, answer.answer),
            run: None,
        }))
    }
}

/// Waits for the answer of a service, as a client does. Returns `None` if the client gives up. The service then goes on,
/// as it does in production: each request has a task of its own.
async fn answered<T: Send + 'static>(
    engine: &Engine,
    work: impl Future<Output = Result<T, Problem>> + Send + 'static,
) -> Result<Option<T>, Problem> {
    let (clock, gives_up) = (engine.clock(), engine.now() + CLIENT_WAIT);
    let work = tokio::spawn(work);
    tokio::select! {
        biased;
        done = work => match done {
            Ok(answer) => answer.map(Some),
            Err(failed) => Err(Problem::bug(format!("a request fails: {failed}"))),
        },
        () = clock.until(gives_up) => Ok(None),
    }
}

/// Returns the first person with this phone number.
async fn person_of(
    engine: &Engine,
    tenant: &Arc<str>,
    phone: &str,
) -> Result<Option<PersonView>, Problem> {
    let read = transaction!([tenant = Arc::clone(tenant)], |tx| list_people(tx, &tenant).await);
    Ok(engine.read(read).await?.into_iter().find(|person| person.phone == phone))
}

impl Player<'_> {
    pub(super) async fn send_operator(
        &mut self,
        operator: &OperatorStep,
        step: &ScenarioStep,
    ) -> Result<(), Problem> {
        let (number, tenant) = (self.next_number(), self.tenant_of(step));
        let mut message = operator.message.clone();
        if message.contains(OPEN_APPROVAL) {
            let open = self.open_approval(&tenant).await?;
            message = message.replace(OPEN_APPROVAL, open.as_deref().unwrap_or(NO_APPROVAL));
        }
        self.add_line(LineKind::Stage, format!("{} to the operator: “{message}”", operator.from));
        let phone = self.directory.phone(&operator.from.text).unwrap_or(&operator.from.text);
        let request = OperatorRequest {
            message,
            mode: operator.mode,
            consented: operator.explicit_approval,
            context: operator.context.clone(),
            session: operator.session.clone(),
            key: Some(operator.key.clone().unwrap_or_else(|| format!("step-{number}"))),
        };
        let command = OperatorCommand { phone: phone.to_owned(), request };
        let command = EngineCommand::Operator(command);
        let (run_name, node) = (operator.name.clone(), operator.node);
        let command = CommandFromStep::new(&tenant, command, StepRef::of(step));
        let gives_up = operator.gives_up;
        self.send_command(CommandFromStep { run_name, node, gives_up, ..command }).await
    }

    pub(super) async fn send_question(
        &mut self,
        ask: &AskStep,
        step: &ScenarioStep,
    ) -> Result<(), Problem> {
        let (number, tenant) = (self.next_number(), self.tenant_of(step));
        self.add_line(LineKind::Stage, format!("{} asks: “{}”", ask.from, ask.text));
        let user = self.directory.phone(&ask.from.text).unwrap_or(&ask.from.text).to_owned();
        let key = ask.key.clone().unwrap_or_else(|| format!("step-{number}"));
        let (text, session) = (ask.text.clone(), ask.session.clone());
        let command = EngineCommand::Ask(AskRequest {
            text,
            obligations: None,
            session,
            user,
            key: Some(key),
        });
        let command = CommandFromStep::new(&tenant, command, StepRef::of(step));
        self.send_command(CommandFromStep { node: ask.node, ..command }).await
    }

    /// Returns the id of the approval that has been open for longest: of the tenant, or else of another one.
    async fn open_approval(&mut self, tenant: &Arc<str>) -> Result<Option<String>, Problem> {
        let others = self.environment.tenants.iter().filter(|other| *other != tenant);
        let tenants: Vec<Arc<str>> = std::iter::once(tenant).chain(others).cloned().collect();
        let read = self.ask_process(move |engine| async move {
            let filter = ApprovalFilter { state: Some(ApprovalState::Pending), before: None };
            for tenant in tenants {
                let query = ApprovalQuery { filter, limit: PAGE };
                let open = engine.approvals(&tenant, query).await?.items;
                if let Some(oldest) = open.last() {
                    return Ok(Some(oldest.id.to_string()));
                }
            }
            Ok(None)
        });
        Ok(unless_crashed(read.await)?.flatten())
    }

    /// Returns the answers to questions, oldest first for each person.
    pub(super) async fn answers(&mut self) -> Result<Vec<AnswerFact>, Problem> {
        Ok(self.judged().await?.0)
    }

    /// Returns the active goals of all conversations.
    pub(super) async fn goals(&mut self) -> Result<Vec<GoalFact>, Problem> {
        Ok(self.judged().await?.1)
    }

    async fn judged(&mut self) -> Result<(Vec<AnswerFact>, Vec<GoalFact>), Problem> {
        let read = transaction!(|tx| {
            let stored = audit::stored(tx, TENANT).await?;
            let people = list_people(tx, TENANT).await?;
            let phone = |user: &str| {
                let known = people.iter().find(|person| person.id.to_string() == user);
                known.map_or_else(|| user.to_owned(), |person| person.phone.clone())
            };
            let answers = stored.asks.iter().filter_map(|ask| {
                let answer = ask.answer.clone()?;
                Some(AnswerFact { to: phone(&ask.user), answer, verified: ask.verified })
            });
            let goals =
                stored.goals.iter().filter(|it| it.goal.status == GoalStatus::Active).map(|it| {
                    GoalFact {
                        of: phone(&it.key.user),
                        session: it.key.session.clone(),
                        goal: it.goal.clone(),
                    }
                });
            Ok((answers.collect(), goals.collect()))
        });
        let read = self.ask_process(move |engine| async move { engine.read(read).await });
        Ok(unless_crashed(read.await)?.unwrap_or_default())
    }
}

/// What the judgement has stored for a tenant at the end of a simulation.
#[derive(Default)]
pub(crate) struct JudgementEvidence {
    pub(crate) stored: StoredJudgement,
    /// The run of each plan that has one.
    pub(crate) runs: BTreeMap<PlanId, RunId>,
    /// The approvals that were asked for, newest first.
    pub(crate) approvals: Vec<ApprovalView>,
}

impl JudgementEvidence {
    pub(super) async fn read(engine: &Engine, tenant: &Arc<str>) -> Result<Self, Problem> {
        let read = transaction!([tenant = Arc::clone(tenant)], |tx| {
            let stored = audit::stored(tx, &tenant).await?;
            let mut runs = BTreeMap::new();
            for planned in stored.plans.iter().filter_map(|asked| asked.planned.as_ref()) {
                let plan = planned.plan.plan_id;
                let run = PlanRunView::by_key(tx, &tenant, &plan.to_string()).await?;
                runs.extend(run.map(|run| (plan, run.run)));
            }
            Ok((stored, runs))
        });
        let (stored, runs) = engine.read(read).await?;
        let (mut approvals, mut before): (Vec<ApprovalView>, _) = (Vec::new(), None);
        loop {
            let filter = ApprovalFilter { state: None, before };
            let page = engine.approvals(tenant, ApprovalQuery { filter, limit: PAGE }).await?;
            before = page.items.last().map(|approval| approval.id);
            approvals.extend(page.items);
            if page.next_cursor.is_none() {
                return Ok(Self { stored, runs, approvals });
            }
        }
    }
}
