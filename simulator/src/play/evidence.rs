//! A story played under faults, then healed and left until nothing is left to do: what it leaves for those
//! who judge it by laws.

use std::collections::BTreeMap;

use abide_engine::base::{Problem, RunId, Span};
use abide_engine::engine::{Engine, MessageView, RunView};
use abide_engine::gateway::SentMessage;
use abide_engine::policy::QuietHours;
use abide_engine::run::Control;
use abide_engine::store::{LedgerRow, NewInbound, RunFilter};
use jiff::tz::TimeZone;

use super::ask::{Ask, Entry, Question, TENANT};
use super::observe::alive;
use super::rest::{messages, runs};
use super::{HEAD, Options, Player};
use crate::scenario::Scenario;

/// How long everything may take to end once nothing goes wrong any more, and how often that is looked at:
/// a budget of the month lets a few texts go each month.
const HEALED_MAX: Span = Span::from_secs(365 * 86_400);
const LOOKED_AT: Span = Span::from_secs(3 * 86_400);
/// Events of one question.
const PAGE: usize = 500;

/// What is known of a story that has ended.
pub(crate) struct Evidence {
    /// What the provider accepted from us, in order.
    pub(crate) sent: Vec<SentMessage>,
    /// What was written to us, each message once.
    pub(crate) heard: Vec<NewInbound>,
    /// What went between the world and the processes, in order.
    pub(crate) journal: Vec<Entry>,
    /// When nobody may be texted unasked, as the story began, and where that is.
    pub(crate) quiet: (QuietHours, TimeZone),
    /// The zones of those who are elsewhere, by their numbers.
    pub(crate) elsewhere: BTreeMap<String, TimeZone>,
    /// Our records of messages, of both directions.
    pub(crate) messages: Vec<MessageView>,
    /// All runs.
    pub(crate) runs: Vec<RunView>,
    /// All events of the tenant, in order.
    pub(crate) events: Vec<LedgerRow>,
    /// What did not hold in commits that were looked at.
    pub(crate) broken: Vec<String>,
    /// What the audit found at the end.
    pub(crate) audit: Vec<String>,
    /// Commits that were begun, by all processes.
    pub(crate) commits: u64,
    /// How often the process died.
    pub(crate) crashes: u64,
}

/// Plays a story to its end, heals everything and lets time pass until every run has ended, or a time in
/// which each should have.
///
/// # Errors
/// As [`super::simulate`]; what a process does that it must never do, such as a bug's answer, too.
pub(crate) async fn evidence(
    scenario: &Scenario,
    options: &Options<'_>,
) -> Result<Evidence, Problem> {
    let mut player = Player::new(scenario, options)?;
    player.silent = options.on_line.is_none();
    let played = player.play_until_healed().await;
    player.end();
    let mut evidence = played?;
    evidence.broken = player.broken;
    evidence.commits = player.totals.commits;
    evidence.crashes = player.totals.crashes;
    Ok(evidence)
}

impl Player<'_> {
    async fn play_until_healed(&mut self) -> Result<Evidence, Problem> {
        let zone = TimeZone::get(&self.scenario.zone).unwrap_or(TimeZone::UTC);
        let quiet = (self.home.settings.quiet_hours, zone);
        self.play().await?;
        let faults_end = self.options.mischief.as_ref().and_then(|mix| mix.lasts);
        let healed = self.last_instant().max(self.wall(faults_end.unwrap_or(Span::ZERO)));
        self.reach(healed).await?;
        self.deaths.clear();
        self.let_all_go().await?;
        let ends = self.now() + HEALED_MAX;
        while self.now() < ends && self.is_busy().await? {
            self.reach(self.now() + LOOKED_AT).await?;
        }
        let audit = self.breaches().await?;
        let sent = self.home.provider.sent();
        let heard = self.home.provider.heard();
        let journal = std::mem::take(&mut self.journal);
        let read = self
            .process_ask(|engine| async move {
                let events = events(&engine).await?;
                Ok((messages(&engine).await?, runs(&engine).await?, events))
            })
            .await;
        let (messages, runs, events) = alive(read)?
            .ok_or_else(|| Problem::bug("the process died after everything was healed"))?;
        Ok(Evidence {
            sent,
            heard,
            journal,
            quiet,
            elsewhere: self.elsewhere(),
            messages,
            runs,
            events,
            audit,
            broken: Vec::new(),
            commits: 0,
            crashes: 0,
        })
    }

    fn elsewhere(&self) -> BTreeMap<String, TimeZone> {
        let own = self.scenario.people.own.iter();
        own.filter_map(|person| {
            let zone = person.record.get("time_zone")?.as_str()?;
            Some((person.phone.clone(), TimeZone::get(zone).ok()?))
        })
        .collect()
    }

    /// Whatever somebody holds up goes on.
    async fn let_all_go(&mut self) -> Result<(), Problem> {
        if let Some(until) = self.life.down_until() {
            self.reach(until).await?;
        }
        let order = |question| Ask { question, name: None, place: HEAD, verb: "resume" };
        self.put(order(Question::Tenant { paused: false })).await?;
        for run in self.paused().await? {
            self.put(order(Question::Control(run, Control::Resume))).await?;
        }
        Ok(())
    }

    async fn paused(&mut self) -> Result<Vec<RunId>, Problem> {
        let filter =
            RunFilter { status: Some("paused".to_owned()), limit: PAGE, ..RunFilter::default() };
        let page =
            self.process_ask(move |engine| async move { engine.runs(TENANT, &filter).await }).await;
        let paused = alive(page)?.map(|page| page.items).unwrap_or_default();
        Ok(paused.into_iter().map(|run| run.id).collect())
    }

    /// True while there is a run that has not ended, or a text that has not left.
    async fn is_busy(&mut self) -> Result<bool, Problem> {
        let read = self
            .process_ask(|engine| async move {
                let live = runs(&engine).await?.iter().any(RunView::is_live);
                let on_its_way = |message: &MessageView| {
                    matches!(message.state.as_str(), "queued" | "sending" | "unknown" | "stored")
                };
                Ok(live || messages(&engine).await?.iter().any(on_its_way))
            })
            .await;
        Ok(alive(read)?.unwrap_or(true) || self.next_put_off().is_some())
    }
}

/// All events, oldest first.
async fn events(engine: &Engine) -> Result<Vec<LedgerRow>, Problem> {
    let (mut events, mut before) = (Vec::new(), None);
    loop {
        let page = engine.tenant_events(TENANT, before, PAGE).await?;
        before = page.items.last().map(|event| event.id);
        events.extend(page.items);
        if page.next_cursor.is_none() {
            events.reverse();
            return Ok(events);
        }
    }
}
