//! Loads the tenants' directories of people before the simulation starts.

use std::sync::Arc;

use abide_engine::base::{Problem, Value};
use abide_engine::transaction;
use abide_verbs::api::people::PersonInput;
use abide_verbs::directory::is_office;

use super::Player;
use super::checks::list_people;
use super::command::{CommandFromStep, EngineCommand, StepRef};
use super::condition::Mismatch;
use super::observe::unless_crashed;
use crate::scenario::{DemoDirectory, OtherTenant, OwnPerson, People};

impl Player<'_> {
    /// Loads the people of the scenario's own tenant, and sets up the tenants that the swarm added.
    pub(super) async fn load_people(&mut self) -> Result<(), Problem> {
        let (tenant, zone) = (Arc::clone(&self.environment.tenant), self.scenario.zone.clone());
        self.load_demo(&tenant, &self.scenario.people, zone).await?;
        self.add_people(&tenant, &self.scenario.people.own).await?;
        for other_tenant in &self.scenario.other_tenants {
            self.set_up_other_tenant(other_tenant).await?;
        }
        self.learn_names().await
    }

    /// Sets up another tenant: first its settings, then its people.
    async fn set_up_other_tenant(&mut self, other_tenant: &OtherTenant) -> Result<(), Problem> {
        let OtherTenant { tenant, zone, people, config } = other_tenant;
        let command = EngineCommand::Configure(Value::Object(config.clone().into_iter().collect()));
        self.send_command(CommandFromStep::new(tenant, command, StepRef::none("config"))).await?;
        self.load_demo(tenant, people, zone.clone()).await?;
        self.add_people(tenant, &people.own).await
    }

    /// Loads the demo of a tenant, if it has one.
    async fn load_demo(
        &mut self,
        tenant: &Arc<str>,
        people: &People,
        zone: String,
    ) -> Result<(), Problem> {
        let command = match people.demo {
            Some(DemoDirectory::Church) => EngineCommand::DemoChurch { zone },
            Some(DemoDirectory::Trade) => EngineCommand::DemoTrade,
            None => return Ok(()),
        };
        self.send_command(CommandFromStep::new(tenant, command, StepRef::none("people"))).await
    }

    async fn add_people(&mut self, tenant: &Arc<str>, people: &[OwnPerson]) -> Result<(), Problem> {
        let mut inputs = Vec::new();
        for person in people {
            match serde_json::from_value::<PersonInput>(person.record.clone()) {
                Ok(input) => inputs.push(input),
                Err(error) => {
                    let expected = format!("`{}` to be a valid person", person.name);
                    let found = error.to_string();
                    self.note_unmet(person.place, "invalid_person", Mismatch { expected, found });
                }
            }
        }
        if inputs.is_empty() {
            return Ok(());
        }
        self.send_command(CommandFromStep::new(
            tenant,
            EngineCommand::People(inputs),
            StepRef::none("people"),
        ))
        .await
    }

    /// Reads the names, phone numbers and offices of everyone in the directory of the scenario's tenant.
    /// Excludes people with an office from the simulated people who answer at random.
    pub(super) async fn learn_names(&mut self) -> Result<(), Problem> {
        let tenant = Arc::clone(&self.environment.tenant);
        let read = transaction!([tenant], |tx| list_people(tx, &tenant).await);
        let answer = self.ask_process(move |engine| async move { engine.read(read).await }).await;
        let people = unless_crashed(answer)?.unwrap_or_default();
        for person in &people {
            self.directory.learn(&person.name, &person.phone);
            if person.roles.iter().any(|role| is_office(role)) {
                self.crowd.exclude(&person.phone);
            }
        }
        self.formatter.directory = self.directory.clone();
        self.observed.names = people.into_iter().map(|person| (person.id, person.name)).collect();
        Ok(())
    }
}
