//! Loads the directories of people before the simulation starts.

use std::sync::Arc;

use abide_engine::base::{Problem, Value};
use abide_engine::store::work;
use abide_verbs::api::people::PersonInput;
use abide_verbs::directory::is_office;

use super::ask::{Ask, Question};
use super::look::everybody;
use super::observe::alive;
use super::{HEAD, Player};
use crate::report::LineKind;
use crate::scenario::{Demo, Neighbour, OwnPerson};

impl Player<'_> {
    /// Loads the people of all tenants.
    pub(super) async fn people(&mut self) -> Result<(), Problem> {
        let (tenant, zone) = (Arc::clone(&self.home.tenant), self.scenario.zone.clone());
        match self.scenario.people.demo {
            Some(Demo::Church) => self.demo_church((&tenant, zone)).await?,
            Some(Demo::Trade) => {
                let expected = "`people: { demo: trade }` to be supported".to_owned();
                let found = "this build does not support it yet".to_owned();
                self.note(HEAD, "not_configured", (expected, found));
                self.say(LineKind::Stage, "the demo trade: not configured".to_owned());
            }
            None => {}
        }
        self.own_people((&tenant, &self.scenario.people.own)).await?;
        for neighbour in &self.scenario.neighbours {
            self.neighbour(neighbour).await?;
        }
        self.learn_names().await
    }

    /// Sets up another tenant: first its settings, then its people.
    async fn neighbour(&mut self, neighbour: &Neighbour) -> Result<(), Problem> {
        let Neighbour { tenant, zone, people, config } = neighbour;
        let question = Question::Configure(Value::Object(config.clone().into_iter().collect()));
        self.put(Ask::about(tenant, question, (HEAD, "config"))).await?;
        if people.demo == Some(Demo::Church) {
            self.demo_church((tenant, zone.clone())).await?;
        }
        self.own_people((tenant, &people.own)).await
    }

    async fn demo_church(&mut self, (tenant, zone): (&Arc<str>, String)) -> Result<(), Problem> {
        self.put(Ask::about(tenant, Question::DemoChurch { zone }, (HEAD, "people"))).await
    }

    async fn own_people(
        &mut self,
        (tenant, people): (&Arc<str>, &[OwnPerson]),
    ) -> Result<(), Problem> {
        let mut inputs = Vec::new();
        for person in people {
            match serde_json::from_value::<PersonInput>(person.record.clone()) {
                Ok(input) => inputs.push(input),
                Err(error) => {
                    let expected = format!("`{}` to be a valid person", person.name);
                    self.note(person.place, "invalid_person", (expected, error.to_string()));
                }
            }
        }
        if inputs.is_empty() {
            return Ok(());
        }
        self.put(Ask::about(tenant, Question::People(inputs), (HEAD, "people"))).await
    }

    /// Reads the names, phones and offices of everyone in the directory.
    pub(super) async fn learn_names(&mut self) -> Result<(), Problem> {
        let tenant = Arc::clone(&self.home.tenant);
        let read = work(move |tx| {
            let tenant = Arc::clone(&tenant);
            Box::pin(async move { everybody(tx, &tenant).await })
        });
        let answer = self.process_ask(move |engine| async move { engine.read(read).await }).await;
        let people = alive(answer)?.unwrap_or_default();
        for person in &people {
            self.cast.learn(&person.name, &person.phone);
            if person.roles.iter().any(|role| is_office(role)) {
                self.crowd.leave_out(&person.phone);
            }
        }
        self.teller.cast = self.cast.clone();
        self.seen.names = people.into_iter().map(|person| (person.id, person.name)).collect();
        Ok(())
    }
}
