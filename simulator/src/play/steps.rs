//! Carries out scenario steps.

use std::sync::Arc;

use abide_engine::base::problem::Blame;
use abide_engine::base::{Problem, RunId, Span, Timestamp, Value, limits};
use abide_engine::diagnostic::Diagnostic;
use abide_engine::domain::StartRun;
use abide_engine::facade::InboundMessage;
use abide_engine::library::read_text;
use abide_engine::run::{ApprovalDecision, Control, StartConsent};
use abide_engine::store::{DeliveryState, NewInbound, is_infrastructure};

use super::Player;
use super::command::{
    CommandFromStep, CommandResult, EngineCommand, ReportedDelivery, Services, StepRef, execute,
};
use super::condition::Mismatch;
use super::faults::FaultKind;
use super::journal::Exchange;
use super::lifecycle::{ProcessState, scheduled_crash};
use super::process::Crashed;
use super::story::{StoryEvent, StoryEventKind};
use crate::report::LineKind;
use crate::scenario::{
    Action, CrashStep, MethodSource, PublishStep, ScenarioStep, SourcePosition, StartStep,
    StatusStep, TextStep,
};

/// Maximum number of commands that may wait for an answer while the process is working.
const PENDING_MAX: usize = 8;
/// Delay before a command that failed because of the database is sent again.
/// A real provider waits about as long before it delivers a message again.
const RETRY_DELAY: Span = Span::from_secs(10);

/// A message that a person writes to a tenant.
pub(super) struct WrittenText<'a> {
    pub(super) tenant: Arc<str>,
    /// The sender's phone number.
    pub(super) from: &'a str,
    pub(super) body: &'a str,
    /// The provider's id of the message; with `None`, the simulator creates a new id.
    pub(super) id: Option<&'a str>,
    pub(super) received_at: Timestamp,
    /// The name that the scenario step gives to the run that the message starts, if any.
    pub(super) run_name: Option<String>,
    pub(super) step: StepRef,
}

impl Player<'_> {
    /// Returns the tenant that a scenario step concerns.
    pub(super) fn tenant_of(&self, step: &ScenarioStep) -> Arc<str> {
        Arc::clone(step.tenant.as_ref().unwrap_or(&self.environment.tenant))
    }

    /// Returns the phone number from which a tenant sends its messages.
    fn number_of(&self, tenant: &Arc<str>) -> String {
        let other_tenant = self.scenario.other_tenants.iter().find(|other| other.tenant == *tenant);
        let own = other_tenant.and_then(|other| other.config.get("sms_from")?.as_str());
        own.unwrap_or(&self.environment.settings.sms_from).to_owned()
    }

    pub(super) async fn carry_out(&mut self, step: &ScenarioStep) -> Result<(), Problem> {
        let tenant = self.tenant_of(step);
        match &step.action {
            Action::Text(text) => self.send_text(text, step).await,
            Action::Start(start) => self.start_run(start, step).await,
            Action::Signal(signal) => {
                let number = self.next_number();
                let command = |run| EngineCommand::Signal {
                    run,
                    name: signal.name.clone(),
                    data: signal.data.clone(),
                    key: signal.key.clone().unwrap_or_else(|| format!("step-{number}")),
                };
                self.send_run_command(signal.run.as_deref(), step, command).await
            }
            Action::Cancel { run } => {
                let cancel = |run| EngineCommand::Control(run, Control::Cancel);
                self.send_run_command(run.as_deref(), step, cancel).await
            }
            Action::Hold { pause, run: Some(run) } => {
                let control = if *pause { Control::Pause } else { Control::Resume };
                self.send_run_command(Some(run), step, |run| EngineCommand::Control(run, control))
                    .await
            }
            Action::Hold { pause, run: None } => self.set_kill_switch(*pause, step).await,
            Action::Crash(crash) => self.crash_step(crash).await,
            Action::Clock { by } => self.jump_clock(*by).await,
            Action::Config(changes) => {
                let to = |(name, value): (&String, &Value)| match value.as_str() {
                    Some(text) => format!("{name} is {text}"),
                    None => format!("{name} is {value}"),
                };
                let news: Vec<String> = changes.iter().map(to).collect();
                self.add_line(LineKind::Stage, format!("settings change: {}", news.join(", ")));
                let changes = changes.clone().into_iter().collect();
                let command = EngineCommand::Configure(Value::Object(changes));
                self.send_command(CommandFromStep::new(&tenant, command, StepRef::of(step))).await
            }
            Action::Capacity { key, total } => {
                let (key, total) = (key.clone(), i64::try_from(*total).unwrap_or(i64::MAX));
                self.add_line(
                    LineKind::Stage,
                    format!("the capacity of `{key}` is set to {total}"),
                );
                let command = EngineCommand::Capacity { key, total };
                self.send_command(CommandFromStep::new(&tenant, command, StepRef::of(step))).await
            }
            Action::Roles { of, roles } => {
                let listed = if roles.is_empty() { "none".to_owned() } else { roles.join(", ") };
                self.add_line(LineKind::Stage, format!("the roles of {} are: {listed}", of.text));
                let phone = self.directory.phone(&of.text).unwrap_or(&of.text).to_owned();
                let command = EngineCommand::Roles { phone, roles: roles.clone() };
                self.send_command(CommandFromStep::new(&tenant, command, StepRef::of(step))).await
            }
            Action::Operator(operator) => self.send_operator(operator, step).await,
            Action::Ask(ask) => self.send_question(ask, step).await,
            Action::Publish(publish) => self.publish(publish, step).await,
            Action::Advance => Ok(()),
            Action::Status(status) => self.report_delivery(status, step).await,
            Action::Decide { approve, by } => {
                let decision =
                    if *approve { ApprovalDecision::Approve } else { ApprovalDecision::Deny };
                let word = if *approve { "approves" } else { "refuses" };
                self.add_line(LineKind::Stage, format!("{} {word} it", by.text));
                let phone = self.directory.phone(&by.text).unwrap_or(&by.text).to_owned();
                let command = EngineCommand::Decide { phone, decision };
                self.send_command(CommandFromStep::new(&tenant, command, StepRef::of(step))).await
            }
        }
    }

    /// Sends a command to the process, or stores the command until a process runs.
    pub(super) async fn send_command(
        &mut self,
        step_command: CommandFromStep,
    ) -> Result<(), Problem> {
        let is_busy = self.pending.iter().any(|one| one.comes_before(&step_command.command));
        if is_busy || self.pending.len() >= PENDING_MAX {
            self.finish_pending().await?;
        }
        let parts = step_command.command.may_interrupt();
        let later = self.environment.faults.mid_work_delay(parts);
        if let Some(later) = later {
            self.send_mid_work(step_command, later).await;
            return self.advance_to_now().await;
        }
        self.journal
            .enter(&step_command.tenant, Exchange::CommandSent(step_command.command.clone()));
        let (tenant, command) = (Arc::clone(&step_command.tenant), step_command.command.clone());
        let judgement = self.environment.judgement.clone();
        let executes = move |engine| async move {
            execute(Services { engine, judgement }, &tenant, command).await
        };
        let asked = match self.process_for(&step_command) {
            Some(process) => process.ask(executes).await,
            None => Err(Crashed),
        };
        match asked {
            Ok(answer) => {
                if let Ok(answer) = &answer
                    && !answer.is_missing()
                {
                    let answered =
                        Exchange::CommandDone(step_command.command.clone(), answer.handled_as());
                    self.journal.enter(&step_command.tenant, answered);
                }
                self.handle_result(step_command, answer)?;
            }
            Err(_) if self.other_node(&step_command).is_some() => {
                self.keep_unanswered(step_command);
            }
            Err(_) => {
                self.unanswered.push(step_command);
                if matches!(self.process, ProcessState::Up(_)) {
                    self.crash(Span::ZERO);
                }
            }
        }
        self.advance_to_now().await
    }

    /// Handles the result of a command.
    /// If the command failed because of the database, sends it again later.
    pub(super) fn handle_result(
        &mut self,
        step_command: CommandFromStep,
        answer: Result<CommandResult, Problem>,
    ) -> Result<(), Problem> {
        match answer {
            Ok(answer) => self.apply_result(step_command, answer),
            Err(problem) if problem.blame == Blame::Bug => return Err(problem),
            Err(problem) if is_infrastructure(&problem) => {
                self.postpone(self.now() + RETRY_DELAY, step_command);
            }
            Err(problem) => {
                let found = problem.to_string();
                let expected = format!("`{}` to be accepted", step_command.step.key);
                self.add_line(
                    LineKind::Stage,
                    format!("`{}` is refused: {problem}", step_command.step.key),
                );
                self.note_unmet(
                    step_command.step.place,
                    &problem.code,
                    Mismatch { expected, found },
                );
            }
        }
        Ok(())
    }

    fn apply_result(&mut self, step_command: CommandFromStep, answer: CommandResult) {
        match answer {
            CommandResult::Done(run)
            | CommandResult::Received { run, .. }
            | CommandResult::Answered { run, .. } => self.name_run(step_command.run_name, run),
            CommandResult::Unanswered => {}
            CommandResult::InvalidMethod(findings) => {
                self.report_invalid_method(step_command.step.place, &findings)
            }
            CommandResult::Published(method) => {
                self.add_line(LineKind::Stage, format!("`{method}` is published"));
            }
        }
    }

    /// Keeps a command that a process has not answered. The next process gets it; if another node than the first one has
    /// not answered, the first one gets it, as a load balancer would send it there. A caller who gives up sends nothing.
    pub(super) fn keep_unanswered(&mut self, step_command: CommandFromStep) {
        if step_command.gives_up {
            return;
        }
        match step_command.node {
            Some(_) => {
                let again = CommandFromStep { node: None, ..step_command };
                self.postpone(self.now(), again);
            }
            None => self.unanswered.push(step_command),
        }
    }

    /// Postpones a command until the instant `at`.
    fn postpone(&mut self, at: Timestamp, step_command: CommandFromStep) {
        let number = self.next_number();
        self.postponed.insert((at, number), step_command);
    }

    /// Returns the instant at which the next postponed command is due; `None` if no command is postponed.
    pub(super) fn next_postponed(&self) -> Option<Timestamp> {
        self.postponed.first_key_value().map(|((at, _), _)| *at)
    }

    /// Sends every postponed command that is due by now. Returns whether a command was sent.
    pub(super) async fn send_postponed(&mut self) -> Result<bool, Problem> {
        let mut sent = false;
        while self.next_postponed().is_some_and(|at| at <= self.now()) {
            let Some((_, step_command)) = self.postponed.pop_first() else { break };
            Box::pin(self.send_command(step_command)).await?;
            sent = true;
        }
        Ok(sent)
    }

    /// Lets the process do the work that is due now.
    /// If the process has crashed and its downtime is over, starts a new process first.
    async fn advance_to_now(&mut self) -> Result<(), Problem> {
        let now = self.now();
        Box::pin(self.advance_to(now)).await
    }

    async fn send_text(&mut self, text: &TextStep, step: &ScenarioStep) -> Result<(), Problem> {
        for who in &text.from {
            let from = self.directory.phone(&who.text).unwrap_or(&who.text).to_owned();
            let written = WrittenText {
                tenant: self.tenant_of(step),
                from: &from,
                body: &text.body,
                id: text.id.as_deref(),
                received_at: text.received_at.map_or_else(|| self.now(), |at| self.wall(at)),
                run_name: text.name.clone(),
                step: StepRef::of(step),
            };
            self.deliver(written).await?;
        }
        Ok(())
    }

    /// Simulates that the provider receives a message for
    /// the tenant and delivers the message to the process.
    pub(super) async fn deliver(&mut self, text: WrittenText<'_>) -> Result<(), Problem> {
        let WrittenText { tenant, from, body, id, received_at, run_name, step } = text;
        let number = self.next_number();
        let message = InboundMessage {
            id: id.map_or_else(|| format!("sim-{number}"), str::to_owned),
            from: from.to_owned(),
            to: self.number_of(&tenant),
            body: body.to_owned(),
            received_at: Some(received_at),
        };
        let kept = NewInbound {
            gateway: "loopback".to_owned(),
            provider_id: message.id.clone(),
            from: message.from.clone(),
            to: message.to.clone(),
            body: message.body.clone(),
            carrier_word: None,
            received_at,
        };
        let is_repeated = self.environment.provider.store_inbound(&tenant, kept);
        let (id, from_them, said) = (message.id.clone(), from.to_owned(), body.to_owned());
        self.journal.enter(&tenant, Exchange::TextReceived { id, from: from_them, body: said });
        let is_down = self.process.down_until().is_some();
        let note = inbound_note(is_repeated, is_down);
        let (from_them, said) = (from.to_owned(), body.to_owned());
        let what = StoryEventKind::Inbound { from: from_them, body: said, note };
        self.add_event(StoryEvent { at: self.now(), what });
        self.totals.inbound += 1;
        self.recorder.reply(from);
        let command = EngineCommand::Receive(message);
        let step_command =
            CommandFromStep { run_name, ..CommandFromStep::new(&tenant, command, step) };
        if self.environment.faults.occurs(FaultKind::DeliveredLate) {
            self.postpone(self.now() + self.environment.faults.lateness(), step_command);
            return Ok(());
        }
        let again = CommandFromStep { run_name: None, ..step_command.clone() };
        self.send_command(step_command).await?;
        self.redeliver(again).await
    }

    /// Delivers the newest message again, an older message, or both, if faults require it.
    /// A real provider delivers a message again if it got no acknowledgement of the message.
    async fn redeliver(&mut self, newest: CommandFromStep) -> Result<(), Problem> {
        let older = self.environment.faults.older(self.delivered.len());
        let older = older.map(|ix| self.delivered[ix].clone());
        let newest_again =
            self.environment.faults.occurs(FaultKind::DeliveredAgain).then(|| newest.clone());
        self.delivered.push(newest);
        for step_command in newest_again.into_iter().chain(older) {
            self.send_command(step_command).await?;
        }
        Ok(())
    }

    async fn start_run(&mut self, start: &StartStep, step: &ScenarioStep) -> Result<(), Problem> {
        let number = self.next_number();
        let command = EngineCommand::Start(StartRun {
            method: start.method.clone(),
            goal: start.goal.clone(),
            vars: start.vars.clone().into_iter().collect(),
            dry_run: start.dry_run,
            key: Some(format!("step-{number}")),
            consent: StartConsent::Given, // a scenario starts runs as an admin
            ..StartRun::default()
        });
        let (run_name, tenant) = (start.name.clone(), self.tenant_of(step));
        let step = StepRef::of(step);
        self.send_command(CommandFromStep {
            run_name,
            ..CommandFromStep::new(&tenant, command, step)
        })
        .await
    }

    async fn send_run_command(
        &mut self,
        name: Option<&str>,
        step: &ScenarioStep,
        command: impl FnOnce(RunId) -> EngineCommand,
    ) -> Result<(), Problem> {
        let tenant = self.tenant_of(step);
        match self.find_run(&tenant, name).await? {
            Some(run) => {
                self.send_command(CommandFromStep::new(&tenant, command(run), StepRef::of(step)))
                    .await
            }
            None => {
                let expected = format!("a run for `{}`", step.action.kind());
                self.note_unmet(
                    step.place,
                    "unmet",
                    Mismatch { expected, found: "no run was started".to_owned() },
                );
                Ok(())
            }
        }
    }

    /// Simulates that the provider reports the delivery state of a message.
    async fn report_delivery(
        &mut self,
        status: &StatusStep,
        step: &ScenarioStep,
    ) -> Result<(), Problem> {
        let to = self.directory.phone(&status.to.text).unwrap_or(&status.to.text).to_owned();
        let state = status.state.unwrap_or(DeliveryState::Undelivered);
        let (kind, to_whom) = (status.template.clone(), &status.to.text);
        self.add_line(LineKind::Stage, format!("`{kind}` to {to_whom} is {}", state.as_str()));
        let error = status.code.clone();
        let of = self.environment.provider.sent().into_iter().filter(|message| message.to == to);
        let (of, at) = (of.map(|message| message.id).collect(), self.now());
        let command = EngineCommand::Report(ReportedDelivery { to, kind, state, error, at, of });
        let tenant = self.tenant_of(step);
        self.send_command(CommandFromStep::new(&tenant, command, StepRef::of(step))).await
    }

    async fn set_kill_switch(&mut self, paused: bool, step: &ScenarioStep) -> Result<(), Problem> {
        let text = if paused { "staff throw the kill switch" } else { "staff resume sending" };
        self.add_line(LineKind::Stage, text.to_owned());
        let (tenant, command) = (self.tenant_of(step), EngineCommand::Tenant { paused });
        self.send_command(CommandFromStep::new(&tenant, command, StepRef::of(step))).await
    }

    async fn crash_step(&mut self, crash: &CrashStep) -> Result<(), Problem> {
        let number = self.next_number();
        match scheduled_crash(crash, self.seed ^ number) {
            Some(scheduled) => {
                self.schedule_crash(scheduled);
                Ok(())
            }
            None => {
                self.crash(crash.down);
                self.advance_to_now().await
            }
        }
    }

    /// Moves the wall clock by the time `by`: forward, or back if `by` is negative.
    /// The elapsed time does not change.
    async fn jump_clock(&mut self, by: Span) -> Result<(), Problem> {
        self.drift = self.drift + by;
        self.went_back = self.went_back + Span::from_micros((-by.micros()).max(0));
        let from = self.formatter.clock(self.now());
        let jumped = self.set_clock(self.now() + by).await;
        let to = self.formatter.clock(self.now());
        self.add_line(LineKind::Stage, format!("the wall clock jumps from {from} to {to}"));
        if jumped.is_err() {
            self.crash(Span::ZERO);
        }
        self.advance_to_now().await
    }

    async fn publish(&mut self, publish: &PublishStep, step: &ScenarioStep) -> Result<(), Problem> {
        let text = match &publish.source {
            MethodSource::Yaml(text) => text.clone(),
            MethodSource::File(path) => {
                let scenario = std::path::Path::new(&self.scenario.file);
                let path = scenario.parent().map_or_else(|| path.clone(), |dir| dir.join(path));
                match read_text(&path, limits::METHOD_BYTES_MAX) {
                    Ok(text) => text,
                    Err(error) => {
                        let found = format!("{}: {error}", path.display());
                        self.note_unmet(
                            step.place,
                            "unmet",
                            Mismatch { expected: "a method's text".to_owned(), found },
                        );
                        return Ok(());
                    }
                }
            }
        };
        let command = EngineCommand::Publish { text, shadow: publish.shadow };
        let tenant = self.tenant_of(step);
        self.send_command(CommandFromStep::new(&tenant, command, StepRef::of(step))).await
    }

    /// Reports that a method that a scenario step publishes does not compile.
    /// The version that was active before stays active.
    fn report_invalid_method(&mut self, place: SourcePosition, findings: &[Diagnostic]) {
        for fault in findings.iter().filter(|finding| finding.is_error()) {
            let found = format!("line {}, column {}: {}", fault.line, fault.col, fault.message);
            self.note_unmet(
                place,
                fault.code,
                Mismatch { expected: "the method to compile".to_owned(), found },
            );
        }
        let line = "a method is not published: it does not compile";
        self.add_line(LineKind::Stage, line.to_owned());
    }
}

/// Returns the remark that the story adds to an inbound message; `None` if nothing is unusual.
fn inbound_note(is_repeated: bool, is_down: bool) -> Option<&'static str> {
    match (is_repeated, is_down) {
        (true, true) => Some("delivered again, while no process runs"),
        (true, false) => Some("delivered again"),
        (false, true) => Some("no process runs: the provider keeps it"),
        (false, false) => None,
    }
}
