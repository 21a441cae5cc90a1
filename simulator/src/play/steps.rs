//! Carries out the steps of a scenario.

use std::sync::Arc;

use abide_engine::base::problem::Blame;
use abide_engine::base::{Problem, RunId, Span, Timestamp, Value, limits};
use abide_engine::diagnostic::Diagnostic;
use abide_engine::domain::StartRun;
use abide_engine::facade::InboundMessage;
use abide_engine::library::read_text;
use abide_engine::run::Control;
use abide_engine::store::{DeliveryState, NewInbound, is_infrastructure};

use super::Player;
use super::ask::{Answer, Ask, Question, Reported, put};
use super::journal::Exchange;
use super::life::{Life, death_of};
use super::meanwhile::Meanwhile;
use super::mischief::Fault;
use super::observe::heard;
use crate::report::LineKind;
use crate::scenario::{Action, Crash, Place, Publish, Start, StatusStep, Step, Text};

/// Largest number of questions that may be pending in the middle of the process's work.
const MEANWHILE_MAX: usize = 8;
/// Delay until a question that failed because of the database is asked again, about as long as a provider
/// waits before it delivers again.
const ASKS_AGAIN: Span = Span::from_secs(10);

/// Where an inbound text comes from, besides its sender.
pub(super) struct Origin {
    pub(super) tenant: Arc<str>,
    /// A name for the run that it starts.
    pub(super) name: Option<String>,
    pub(super) place: Place,
    pub(super) verb: &'static str,
}

impl Player<'_> {
    /// Returns the tenant at which a step happens.
    fn tenant_of(&self, step: &Step) -> Arc<str> {
        Arc::clone(step.tenant.as_ref().unwrap_or(&self.home.tenant))
    }

    /// Returns the phone number that a tenant's texts come from.
    fn number_of(&self, tenant: &Arc<str>) -> String {
        let neighbour = self.scenario.neighbours.iter().find(|other| other.tenant == *tenant);
        let own = neighbour.and_then(|other| other.config.get("sms_from")?.as_str());
        own.unwrap_or(&self.home.settings.sms_from).to_owned()
    }

    pub(super) async fn act(&mut self, step: &Step) -> Result<(), Problem> {
        let (place, tenant) = (step.place, self.tenant_of(step));
        match &step.action {
            Action::Text(text) => self.text(text, step).await,
            Action::Start(start) => self.start(start, step).await,
            Action::Signal(signal) => {
                let number = self.next_number();
                let question = |run| Question::Signal {
                    run,
                    name: signal.name.clone(),
                    data: signal.data.clone(),
                    key: signal.key.clone().unwrap_or_else(|| format!("step-{number}")),
                };
                self.order(signal.run.as_deref(), step, question).await
            }
            Action::Cancel { run } => {
                let cancel = |run| Question::Control(run, Control::Cancel);
                self.order(run.as_deref(), step, cancel).await
            }
            Action::Hold { pause, run: Some(run) } => {
                let control = if *pause { Control::Pause } else { Control::Resume };
                self.order(Some(run), step, |run| Question::Control(run, control)).await
            }
            Action::Hold { pause, run: None } => self.tenant(*pause, step).await,
            Action::Crash(crash) => self.crash(crash).await,
            Action::Clock { by } => self.jump(*by).await,
            Action::Config(changes) => {
                let to = |(name, value): (&String, &Value)| match value.as_str() {
                    Some(text) => format!("{name} is {text}"),
                    None => format!("{name} is {value}"),
                };
                let news: Vec<String> = changes.iter().map(to).collect();
                self.say(LineKind::Stage, format!("settings change: {}", news.join(", ")));
                let changes = changes.clone().into_iter().collect();
                let question = Question::Configure(Value::Object(changes));
                self.put(Ask::about(&tenant, question, (place, "config"))).await
            }
            Action::Capacity { key, total } => {
                let (key, total) = (key.clone(), i64::try_from(*total).unwrap_or(i64::MAX));
                self.say(LineKind::Stage, format!("the capacity of `{key}` is set to {total}"));
                let question = Question::Capacity { key, total };
                self.put(Ask::about(&tenant, question, (place, "capacity"))).await
            }
            Action::Publish(publish) => self.publish((&tenant, publish), place).await,
            Action::Advance => Ok(()),
            Action::Status(status) => self.report_delivery(status, step).await,
            Action::Decide { .. } => {
                let verb = step.action.verb();
                let found = "this build does not support it yet".to_owned();
                self.note(place, "not_configured", (format!("`{verb}` to be done"), found));
                self.say(LineKind::Stage, format!("`{verb}`: not configured"));
                Ok(())
            }
        }
    }

    /// Asks the process, or keeps the question until a process runs.
    pub(super) async fn put(&mut self, ask: Ask) -> Result<(), Problem> {
        // Questions that are not texts are asked one after the other.
        let is_busy = !ask.question.is_text() && self.meanwhile.iter().any(Meanwhile::is_no_text);
        if is_busy || self.meanwhile.len() >= MEANWHILE_MAX {
            self.finish_meanwhile().await?;
        }
        let later = ask.question.meets().and_then(|part| self.home.mischief.later(part));
        if let Some(later) = later {
            self.put_meanwhile(ask, later).await;
            return self.reach_now().await;
        }
        self.journal.enter(&ask.tenant, Exchange::Asked(ask.question.clone()));
        let (tenant, question) = (Arc::clone(&ask.tenant), ask.question.clone());
        let ask_it = move |engine| async move { put(engine, &tenant, question).await };
        match self.process_ask(ask_it).await {
            Ok(answer) => {
                if let Ok(answer) = &answer {
                    let answered = Exchange::Answered(ask.question.clone(), answer.handled_as());
                    self.journal.enter(&ask.tenant, answered);
                }
                self.hear(ask, answer)?;
            }
            Err(_) => {
                self.unanswered.push(ask);
                if matches!(self.life, Life::Up(_)) {
                    self.fall(Span::ZERO);
                }
            }
        }
        self.reach_now().await
    }

    /// Handles an answer. A question that failed because of the database is asked again later.
    pub(super) fn hear(
        &mut self,
        ask: Ask,
        answer: Result<Answer, Problem>,
    ) -> Result<(), Problem> {
        match answer {
            Ok(answer) => self.answered(ask, answer),
            Err(problem) if problem.blame == Blame::Bug => return Err(problem),
            Err(problem) if is_infrastructure(&problem) => {
                self.put_off(self.now() + ASKS_AGAIN, ask);
            }
            Err(problem) => {
                let found = problem.to_string();
                let expected = format!("`{}` to be accepted", ask.verb);
                self.say(LineKind::Stage, format!("`{}` is refused: {problem}", ask.verb));
                self.note(ask.place, &problem.code, (expected, found));
            }
        }
        Ok(())
    }

    fn answered(&mut self, ask: Ask, answer: Answer) {
        match answer {
            Answer::Done(run) | Answer::Taken(_, run) => self.name_run(ask.name, run),
            Answer::Faulty(findings) => self.refused(ask.place, &findings),
            Answer::Published(method) => {
                self.say(LineKind::Stage, format!("`{method}` is published"));
            }
        }
    }

    /// Postpones a question to an instant.
    fn put_off(&mut self, at: Timestamp, ask: Ask) {
        let number = self.next_number();
        self.later.insert((at, number), ask);
    }

    /// Returns when the next postponed question is due.
    pub(super) fn next_put_off(&self) -> Option<Timestamp> {
        self.later.first_key_value().map(|((at, _), _)| *at)
    }

    /// Asks every postponed question that is due by now; returns whether there was any.
    pub(super) async fn put_off_comes(&mut self) -> Result<bool, Problem> {
        let mut came = false;
        while self.next_put_off().is_some_and(|at| at <= self.now()) {
            let Some((_, ask)) = self.later.pop_first() else { break };
            Box::pin(self.put(ask)).await?;
            came = true;
        }
        Ok(came)
    }

    /// Does what is due at this instant, in a new process if the old one has crashed and restarts at once.
    async fn reach_now(&mut self) -> Result<(), Problem> {
        let now = self.now();
        Box::pin(self.reach(now)).await
    }

    async fn text(&mut self, text: &Text, step: &Step) -> Result<(), Problem> {
        for who in &text.from {
            let from = self.cast.phone(&who.text).unwrap_or(&who.text).to_owned();
            let what = (from.as_str(), text.body.as_str(), text.id.as_deref());
            let received_at = text.received_at.map_or_else(|| self.now(), |at| self.wall(at));
            let from = Origin {
                tenant: self.tenant_of(step),
                name: text.name.clone(),
                place: step.place,
                verb: step.action.verb(),
            };
            self.deliver(what, received_at, from).await?;
        }
        Ok(())
    }

    /// The provider receives a text for the tenant, under `id` or a new id, and delivers it.
    pub(super) async fn deliver(
        &mut self,
        (from, body, id): (&str, &str, Option<&str>),
        received_at: Timestamp,
        Origin { tenant, name, place, verb }: Origin,
    ) -> Result<(), Problem> {
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
        let again = self.home.provider.keep(&tenant, kept);
        let (id, from_them, said) = (message.id.clone(), from.to_owned(), body.to_owned());
        self.journal.enter(&tenant, Exchange::Heard { id, from: from_them, body: said });
        let down = self.life.down_until().is_some();
        self.tell_happening(heard(self.now(), from, body, (again, down)));
        self.totals.inbound += 1;
        self.tape.reply(from);
        let ask = Ask { tenant, question: Question::Receive(message), name, place, verb };
        if self.home.mischief.comes(Fault::DeliveredLate) {
            self.put_off(self.now() + self.home.mischief.lateness(), ask);
            return Ok(());
        }
        let again = Ask { name: None, ..ask.clone() };
        self.put(ask).await?;
        self.deliver_again(again).await
    }

    /// Redelivers this message or an older one, as a provider does that missed our acknowledgement.
    async fn deliver_again(&mut self, newest: Ask) -> Result<(), Problem> {
        let older = self.home.mischief.older(self.delivered.len());
        let older = older.map(|ix| self.delivered[ix].clone());
        let newest_again = self.home.mischief.comes(Fault::DeliveredAgain).then(|| newest.clone());
        self.delivered.push(newest);
        for ask in newest_again.into_iter().chain(older) {
            self.put(ask).await?;
        }
        Ok(())
    }

    async fn start(&mut self, start: &Start, step: &Step) -> Result<(), Problem> {
        let number = self.next_number();
        let question = Question::Start(StartRun {
            method: start.method.clone(),
            goal: start.goal.clone(),
            vars: start.vars.clone().into_iter().collect(),
            dry_run: start.dry_run,
            key: Some(format!("step-{number}")),
            ..StartRun::default()
        });
        let (name, tenant) = (start.name.clone(), self.tenant_of(step));
        self.put(Ask { tenant, question, name, place: step.place, verb: "start" }).await
    }

    async fn order(
        &mut self,
        name: Option<&str>,
        step: &Step,
        question: impl FnOnce(RunId) -> Question,
    ) -> Result<(), Problem> {
        let verb = step.action.verb();
        let tenant = self.tenant_of(step);
        match self.run_called((&tenant, name)).await? {
            Some(run) => self.put(Ask::about(&tenant, question(run), (step.place, verb))).await,
            None => {
                let expected = format!("a run for `{verb}`");
                self.note(step.place, "unmet", (expected, "no run was started".to_owned()));
                Ok(())
            }
        }
    }

    /// The provider reports the delivery state of a message.
    async fn report_delivery(&mut self, status: &StatusStep, step: &Step) -> Result<(), Problem> {
        let to = self.cast.phone(&status.to.text).unwrap_or(&status.to.text).to_owned();
        let named = status.state.as_deref().and_then(DeliveryState::named);
        let state = named.unwrap_or(DeliveryState::Undelivered);
        let (kind, to_whom) = (status.template.clone(), &status.to.text);
        self.say(LineKind::Stage, format!("`{kind}` to {to_whom} is {}", state.as_str()));
        let error = status.code.clone();
        let of = self.home.provider.sent().into_iter().filter(|message| message.to == to);
        let (of, at) = (of.map(|message| message.id).collect(), self.now());
        let question = Question::Report(Reported { to, kind, state, error, at, of });
        let tenant = self.tenant_of(step);
        self.put(Ask::about(&tenant, question, (step.place, step.action.verb()))).await
    }

    async fn tenant(&mut self, paused: bool, step: &Step) -> Result<(), Problem> {
        let text = if paused { "staff throw the kill switch" } else { "staff resume sending" };
        self.say(LineKind::Stage, text.to_owned());
        let (tenant, question) = (self.tenant_of(step), Question::Tenant { paused });
        self.put(Ask::about(&tenant, question, (step.place, step.action.verb()))).await
    }

    async fn crash(&mut self, crash: &Crash) -> Result<(), Problem> {
        let number = self.next_number();
        match death_of(crash, self.seed ^ number) {
            Some(death) => {
                self.doom(death);
                Ok(())
            }
            None => {
                self.fall(crash.down);
                self.reach_now().await
            }
        }
    }

    /// Moves the wall clock; elapsed time does not change.
    async fn jump(&mut self, by: Span) -> Result<(), Problem> {
        self.drift = self.drift + by;
        self.went_back = self.went_back + Span::from_micros((-by.micros()).max(0));
        let from = self.teller.clock(self.now());
        let jumped = self.set_clock(self.now() + by).await;
        let to = self.teller.clock(self.now());
        self.say(LineKind::Stage, format!("the wall clock jumps from {from} to {to}"));
        if jumped.is_err() {
            self.fall(Span::ZERO);
        }
        self.reach_now().await
    }

    /// Publishes a method's text.
    async fn publish(
        &mut self,
        (tenant, publish): (&Arc<str>, &Publish),
        place: Place,
    ) -> Result<(), Problem> {
        let text = match publish {
            Publish::Yaml(text) => text.clone(),
            Publish::File(path) => {
                let scenario = std::path::Path::new(&self.scenario.file);
                let path = scenario.parent().map_or_else(|| path.clone(), |dir| dir.join(path));
                match read_text(&path, limits::METHOD_BYTES_MAX) {
                    Ok(text) => text,
                    Err(error) => {
                        let found = format!("{}: {error}", path.display());
                        self.note(place, "unmet", ("a method's text".to_owned(), found));
                        return Ok(());
                    }
                }
            }
        };
        self.put(Ask::about(tenant, Question::Publish(text), (place, "publish"))).await
    }

    /// Records that a published text does not compile; the version published before stays active.
    fn refused(&mut self, place: Place, findings: &[Diagnostic]) {
        for fault in findings.iter().filter(|finding| finding.is_error()) {
            let found = format!("line {}, column {}: {}", fault.line, fault.col, fault.message);
            self.note(place, fault.code, ("the method to compile".to_owned(), found));
        }
        let told = "a method is not published: it does not compile";
        self.say(LineKind::Stage, told.to_owned());
    }
}
