//! Observes what a process did (new events, messages and waits) and adds lines about it to the story.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use abide_engine::base::{EventId, MessageId, PersonId, Problem, RunId, Timestamp, Value, limits};
use abide_engine::facade::{Direction, Engine, MessageFilter, RunView, WaitKind};
use abide_engine::ledger::EventKind;
use abide_engine::store::{CommitPart, LedgerRow, RunFilter};
use abide_verbs::event::{AnyEventKind, ChurchEventKind};
use serde::Serialize;

use super::Player;
use super::condition::SentText;
use super::crash_switch::CrashSwitch;
use super::process::Crashed;
use super::story::{StoryEvent, StoryEventKind};

/// The amount of work done so far. If two marks are equal, no work was done between them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct ActivityMark {
    /// Number of processes started.
    processes: u64,
    /// Number of commits that the current process began.
    commits: usize,
    /// Number of messages that the provider accepted.
    sent: usize,
}

/// The period in which a run waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct WaitPeriod {
    since: Timestamp,
    until: Timestamp,
}

/// What the story and the measurements need to know about an outbound message.
struct OutboundRecord {
    template: String,
    segments: u64,
}

/// What the story has already reported, and data that later observations need.
#[derive(Default)]
pub(super) struct Observed {
    events: BTreeSet<EventId>,
    /// The mark at the last observation.
    last_mark: ActivityMark,
    /// Number of messages that have gone from the provider to the simulated people (`arrived`),
    /// and number of messages that the story has reported (`told`).
    arrived: usize,
    told: usize,
    /// Number of messages that the provider had before the simulation started.
    before: usize,
    /// For each live run that waits, the period of its wait.
    waits: BTreeMap<RunId, WaitPeriod>,
    /// The records of the outbound messages, by id.
    outbound: BTreeMap<MessageId, OutboundRecord>,
    /// The names of the people in the directory.
    pub(super) names: BTreeMap<PersonId, String>,
}

impl Observed {
    /// Marks the first `sent` messages of the provider as sent before the simulation.
    pub(super) fn skip_past(&mut self, sent: usize) {
        (self.before, self.arrived, self.told) = (sent, sent, sent);
    }
}

/// A message that the forecast sends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ForecastText {
    /// When the message is sent.
    pub at: Timestamp,
    /// The recipient's phone number.
    pub to: String,
    /// The name of the message's template.
    pub kind: String,
    /// The body of the message.
    pub body: String,
}

impl Player<'_> {
    /// Reports what has happened since the last observation.
    /// If the process is down, leaves the report to a later observation.
    pub(super) async fn observe(&mut self) -> Result<(), Problem> {
        self.deliver_to_crowd();
        let (last_mark, activity_mark) = (self.observed.last_mark, self.activity_mark());
        if self.silent || last_mark == activity_mark {
            return Ok(());
        }
        self.observed.last_mark = activity_mark;
        let mut story_events = Vec::new();
        let Some(events) = self.new_events().await? else { return Ok(()) };
        events.iter().for_each(|event| self.recorder.event(event));
        story_events.extend(events.iter().filter_map(|event| self.describe(event)));
        if self.has_stepped(last_mark) {
            let Some(waits) = self.new_waits().await? else { return Ok(()) };
            story_events.extend(waits);
        }
        let Some(sent) = self.new_messages().await? else { return Ok(()) };
        story_events.extend(sent);
        let lines = self.formatter.format(story_events);
        self.add_lines(lines);
        Ok(())
    }

    /// Whether a run may have begun to wait since the given mark.
    fn has_stepped(&self, mark: ActivityMark) -> bool {
        let switch = self.process.switch();
        mark.processes != self.processes_started
            || switch.is_some_and(|switch| switch.held_since(mark.commits, CommitPart::Step))
    }

    pub(super) fn activity_mark(&self) -> ActivityMark {
        ActivityMark {
            processes: self.processes_started,
            commits: self.process.switch().map_or(0, CrashSwitch::commit_count),
            sent: self.environment.provider.sent_count(),
        }
    }

    /// Delivers to the crowd the messages that the provider has accepted since the last observation.
    fn deliver_to_crowd(&mut self) {
        let new = self.environment.provider.sent_since(self.observed.arrived);
        self.observed.arrived += new.len();
        for message in new {
            let tenant = self.environment.provider.sender(message.id);
            let tenant = tenant.as_ref().unwrap_or(&self.environment.tenant);
            self.crowd.receive(tenant, &message.to, &message.body, message.at);
        }
    }

    /// Returns the messages that the provider has accepted so far, each with its template.
    pub(super) fn sent(&self) -> Vec<SentText> {
        let sent = self.environment.provider.sent().into_iter();
        sent.map(|message| SentText {
            template: self.template(message.id),
            to: message.to,
            body: message.body,
        })
        .collect()
    }

    /// Returns the messages that were sent since the simulation started.
    pub(super) fn sent_texts(&self) -> Vec<ForecastText> {
        let sent = self.environment.provider.sent_since(self.observed.before);
        let sent_texts = sent.into_iter().map(|message| ForecastText {
            at: message.at,
            kind: self.template(message.id),
            to: message.to,
            body: message.body,
        });
        sent_texts.collect()
    }

    fn template(&self, message: MessageId) -> String {
        let known = self.observed.outbound.get(&message);
        known.map_or("unknown", |record| &record.template).to_owned()
    }

    fn segments(&self, message: MessageId) -> u64 {
        self.observed.outbound.get(&message).map_or(1, |record| record.segments)
    }

    pub(super) async fn new_events(&mut self) -> Result<Option<Vec<LedgerRow>>, Problem> {
        let mut events: Vec<LedgerRow> = Vec::new();
        let mut before = None;
        for rows in pages(USUAL_EVENTS) {
            let tenant = Arc::clone(&self.environment.tenant);
            let page = self
                .ask_process(move |engine| async move {
                    engine.tenant_events(&tenant, before, rows).await
                })
                .await;
            let Some(page) = unless_crashed(page)? else { return Ok(None) };
            let known = page.items.iter().any(|event| self.observed.events.contains(&event.id));
            before = page.items.last().map(|event| event.id);
            let new = page.items.into_iter().filter(|event| self.observed.events.insert(event.id));
            events.extend(new);
            if known || page.next_cursor.is_none() {
                break;
            }
        }
        events.reverse();
        Ok(Some(events))
    }

    async fn new_messages(&mut self) -> Result<Option<Vec<StoryEvent>>, Problem> {
        let new = self.environment.provider.sent_since(self.observed.told);
        let mut before = None;
        for rows in pages(new.len()) {
            if new.iter().all(|message| self.observed.outbound.contains_key(&message.id)) {
                break;
            }
            let filter = MessageFilter {
                direction: Some(Direction::Outbound),
                before,
                limit: rows,
                ..MessageFilter::default()
            };
            let tenant = Arc::clone(&self.environment.tenant);
            let page = self
                .ask_process(move |engine| async move { engine.messages(&tenant, &filter).await })
                .await;
            let Some(page) = unless_crashed(page)? else { return Ok(None) };
            before = page.items.last().map(|message| message.id);
            self.observed.outbound.extend(page.items.into_iter().filter_map(|message| {
                let segments = message.segments.and_then(|n| u64::try_from(n).ok());
                let (template, segments) = (message.kind?, segments.unwrap_or(1));
                Some((message.id, OutboundRecord { template, segments }))
            }));
            if page.next_cursor.is_none() {
                break;
            }
        }
        self.observed.told += new.len();
        self.totals.outbound += new.len() as u64;
        for message in &new {
            self.recorder.text(&message.to, self.segments(message.id));
        }
        let told = new.into_iter().map(|message| StoryEvent {
            at: message.at,
            what: StoryEventKind::Outbound {
                template: self.template(message.id),
                to: message.to,
                body: message.body,
            },
        });
        Ok(Some(told.collect()))
    }

    /// Returns story events for the waits that live runs have begun since the last observation;
    /// `None` if the process has crashed.
    pub(super) async fn new_waits(&mut self) -> Result<Option<Vec<StoryEvent>>, Problem> {
        let filter = RunFilter { waiting: true, limit: PAGE, ..RunFilter::default() };
        let tenant = Arc::clone(&self.environment.tenant);
        let runs = move |engine: Arc<Engine>| async move { engine.runs(&tenant, &filter).await };
        let page = self.ask_process(runs).await;
        let Some(page) = unless_crashed(page)? else { return Ok(None) };
        let mut told = Vec::new();
        for run in page.items {
            let Some((wait, text)) = self.wait_of(&run) else { continue };
            let before = self.observed.waits.insert(run.id, wait);
            if before != Some(wait) {
                // If only the deadline of a wait has moved, the story reports the
                // change at the current time, not at the beginning of the wait.
                let moved = before.is_some_and(|before| before.since == wait.since);
                let at = if moved { self.now() } else { wait.since };
                told.push(StoryEvent { at, what: StoryEventKind::Engine(text) });
            }
        }
        Ok(Some(told))
    }

    /// Returns the period in which a run waits, and a sentence about the wait.
    fn wait_of(&self, run: &RunView) -> Option<(WaitPeriod, String)> {
        let wait = run.waiting_on.as_ref()?;
        let until: Timestamp = wait.until.as_deref()?.parse().ok()?;
        let since = wait.since.as_deref().and_then(|since| since.parse().ok());
        let told = self.formatter.clock(until);
        let text = match wait.need {
            _ if wait.kind == WaitKind::Child => {
                format!("`{}` waits for its child runs, until {told}", run.method)
            }
            Some(need) => {
                format!("`{}` waits for {need} acceptances in total, until {told}", run.method)
            }
            None => format!("`{}` waits ({}), until {told}", run.method, wait.kind),
        };
        let since = since.unwrap_or_else(|| self.now());
        Some((WaitPeriod { since, until }, text))
    }

    /// Describes an event in a sentence, if the event is of interest to people.
    fn describe(&mut self, event: &LedgerRow) -> Option<StoryEvent> {
        let text = match AnyEventKind::of(&event.kind) {
            AnyEventKind::Engine(kind) => self.describe_engine_event(kind, event)?,
            AnyEventKind::Church(kind) => self.describe_church_event(kind, &event.body)?,
            AnyEventKind::Unknown => format!("an event of the unknown kind `{}`", event.kind),
        };
        Some(StoryEvent { at: event.at, what: StoryEventKind::Engine(text) })
    }

    fn describe_engine_event(&mut self, kind: EventKind, event: &LedgerRow) -> Option<String> {
        use EventKind as Kind;
        let body = &event.body;
        let word = |name: &str| body.get(name).and_then(Value::as_str).unwrap_or_default();
        Some(match kind {
            Kind::RunStarted => {
                self.totals.runs += 1;
                format!("`{}` starts", word("method"))
            }
            Kind::RunCompleted => format!("the run ends: {}", word("outcome").replace('_', " ")),
            Kind::RunFailed => format!("the run fails at `{}`: {}", word("step_id"), word("code")),
            Kind::RunFallback => {
                let ix = body.get("fallback").and_then(Value::as_u64).unwrap_or(0);
                format!("the goal is not met: the run starts fallback {}", ix + 1)
            }
            Kind::RunCancelled | Kind::RunPaused | Kind::RunResumed | Kind::RunRetried => {
                format!("the run is {}", kind.as_str().trim_start_matches("run."))
            }
            Kind::StepCaught => {
                format!("`{}` fails ({}), and the failure is caught", word("step_id"), word("code"))
            }
            Kind::UndoFailed => format!("`{}` cannot be undone: {}", word("step_id"), word("code")),
            Kind::SignalReceived => format!("the signal `{}` arrives", word("name")),
            Kind::AttemptFailed => format!("an attempt fails: {}", word("code")),
            Kind::ApprovalAsked => {
                format!("`{}` needs an approval: {}", word("step_id"), word("reason"))
            }
            Kind::ApprovalReminded => "the approval is still not decided".to_owned(),
            Kind::ApprovalEnded => format!("the approval is {}", word("state")),
            Kind::ShadowPlayed => {
                let messages = body.get("messages").and_then(Value::as_u64).unwrap_or(0);
                format!("the shadow run would send {messages} messages")
            }
            Kind::MessageWouldSend => format!("a shadow run would send `{}`", word("kind")),
            Kind::ApprovalWouldAsk => {
                format!("a shadow run would ask for an approval: {}", word("reason"))
            }
            Kind::Receipt => receipt(event)?,
            // Instead of these events of a branch, the story reports the receipts of the branch.
            Kind::BranchStarted | Kind::BranchFallback | Kind::BranchCompleted => return None,
            Kind::BranchFailed | Kind::BranchCancelled | Kind::BranchEnded => return None,
            Kind::BranchPaused | Kind::BranchResumed | Kind::BranchRetried => return None,
            Kind::BranchSkipped | Kind::BranchUpgraded | Kind::BranchUpgradeRefused => return None,
            // For each of these events, the story already reports
            // the command or the message that caused the event.
            Kind::RunEnded | Kind::RunSkipped | Kind::RunUpgraded => return None,
            Kind::RunMoved | Kind::BranchMoved => return None,
            Kind::RunUpgradeRefused | Kind::SignalIgnored => return None,
            Kind::InboundApplied | Kind::InboundSetAside | Kind::MessageUndelivered => return None,
            Kind::MethodPublished | Kind::MethodRolledBack | Kind::MethodDeleted => return None,
            Kind::ScheduleAdded | Kind::ScheduleRemoved => return None,
            Kind::TenantChanged | Kind::TenantPaused | Kind::TenantResumed => return None,
            Kind::TokenCreated | Kind::TokenRevoked => return None,
            Kind::PersonErased | Kind::EventsRedacted | Kind::ArchiveSealed => return None,
            // These events are details of how the engine works, so the story leaves them out.
            Kind::PlanProposed | Kind::CallJudged | Kind::AwaitEnded | Kind::ChildrenDone => {
                return None;
            }
            Kind::FactRead | Kind::TimersDropped | Kind::TimerDropped => return None,
            Kind::ScheduleMissed | Kind::ScheduleSkipped | Kind::ScheduleFailed => return None,
        })
    }

    fn describe_church_event(&self, kind: ChurchEventKind, body: &Value) -> Option<String> {
        use ChurchEventKind as Kind;
        match kind {
            Kind::Assignment => self.assigned(body),
            Kind::Request if body.get("was") == body.get("became") => None,
            Kind::Request => {
                let became = body.get("became").and_then(Value::as_str).unwrap_or_default();
                Some(format!("the request is {}", became.replace('_', " ")))
            }
            Kind::Offers => ended(body),
            // The story reports invitations and questions by the messages that contain them.
            Kind::Offered | Kind::Ask => None,
            // For each of these events, the story already reports the command that caused the event.
            Kind::CapacitySet | Kind::InboxClosed => None,
            Kind::InboxAnswered | Kind::InboxAssigned => None,
            Kind::ThreadTakenOver | Kind::ThreadHandedBack => None,
            Kind::FactWritten | Kind::FactRetired => None,
            Kind::ServiceWritten | Kind::ServiceRemoved => None,
        }
    }

    fn assigned(&self, body: &Value) -> Option<String> {
        let person: PersonId = body.get("person")?.as_str()?.parse().ok()?;
        let name = self.observed.names.get(&person)?;
        let role = body.get("role")?.as_str()?;
        Some(match (body.get("became")?.as_str()?, body.get("seat").and_then(Value::as_i64)) {
            ("accepted", Some(turn_source)) => format!("{name} takes {role} place {turn_source}"),
            ("waitlisted", _) => format!("{name} is on the waitlist for {role}"),
            (state, _) => format!("{name} is {state} for {role}"),
        })
    }
}

/// Returns the number of rows to read with each query of a series:
/// `first` rows with the first query, and four times as many with each further query, up to [`PAGE`].
fn pages(first: usize) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(first.clamp(1, PAGE)), |rows| Some((rows * 4).min(PAGE)))
}

/// Number of events that the first query reads: those that one action usually produces, and one event
/// that was observed before. When a query returns an observed event, no further query is needed.
const USUAL_EVENTS: usize = 8;
/// Maximum number of rows that one query returns.
pub(super) const PAGE: usize = limits::PAGE_MAX;

/// Returns a process's answer, or `None` if the process has crashed.
pub(super) fn unless_crashed<T>(
    answer: Result<Result<T, Problem>, Crashed>,
) -> Result<Option<T>, Problem> {
    match answer {
        Ok(Ok(value)) => Ok(Some(value)),
        Ok(Err(problem)) => Err(problem),
        Err(Crashed) => Ok(None),
    }
}

/// Describes offers that ended for a reason other than a yes;
/// `None` if a yes ended the offers or the event lists no offers.
fn ended(body: &Value) -> Option<String> {
    let became = body.get("became")?.as_str()?;
    let count = body.get("offers")?.as_array()?.len();
    match (became, count) {
        ("accepted", _) | (_, 0) => None,
        (_, 1) => Some(format!("an offer is {became}")),
        _ => Some(format!("{count} offers are {became}")),
    }
}

/// Describes a receipt that is of interest to people: a failed call, a search, or the end of a wait.
fn receipt(event: &LedgerRow) -> Option<String> {
    let tool = event.tool.as_deref()?;
    if event.status.as_deref() == Some("failed") {
        let code = event.body.pointer("/error/code").and_then(Value::as_str).unwrap_or("failed");
        return Some(format!("`{tool}` fails: {code}"));
    }
    let result = event.body.get("result")?;
    match tool {
        "search_people" => Some(format!("finds {} people who can serve", length(result, "people"))),
        "wait_for_replies" => {
            let have = length(result, "accepted");
            let reason = result.get("reason")?.as_str()?;
            Some(match reason {
                "enough" => format!("the wait ends: {have} said yes, which is enough"),
                "timeout" => format!("the wait times out: {have} said yes"),
                _ => format!("the wait ends: {have} said yes, and no more answers can come"),
            })
        }
        _ => None,
    }
}

/// Returns the length of a list in a receipt. The receipt may contain the list itself or only its length.
fn length(result: &Value, name: &str) -> u64 {
    match result.get(name) {
        Some(Value::Array(items)) => items.len() as u64,
        Some(Value::Object(bounded)) => bounded.get("count").and_then(Value::as_u64).unwrap_or(0),
        _ => 0,
    }
}
