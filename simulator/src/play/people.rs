//! The directory that a story begins with.

use std::sync::Arc;

use abide_engine::base::Problem;
use abide_engine::store::work;
use abide_verbs::api::people::PersonInput;
use abide_verbs::directory::is_office;

use super::ask::{Ask, Question};
use super::look::everybody;
use super::observe::alive;
use super::{HEAD, Player};
use crate::report::LineKind;
use crate::scenario::Demo;

impl Player<'_> {
    /// Fills the directory before the story begins.
    pub(super) async fn people(&mut self) -> Result<(), Problem> {
        match self.scenario.people.demo {
            Some(Demo::Church) => self.demo_church().await?,
            Some(Demo::Trade) => {
                let expected = "`people: { demo: trade }` to be there".to_owned();
                let found = "this build does not have it yet".to_owned();
                self.note(HEAD, "not_configured", (expected, found));
                self.say(LineKind::Stage, "the demo trade: not configured".to_owned());
            }
            None => {}
        }
        self.own_people().await?;
        self.learn_names().await
    }

    async fn demo_church(&mut self) -> Result<(), Problem> {
        let question = Question::DemoChurch { zone: self.scenario.zone.clone() };
        self.put(Ask { question, name: None, place: HEAD, verb: "people" }).await
    }

    async fn own_people(&mut self) -> Result<(), Problem> {
        let mut inputs = Vec::new();
        for person in &self.scenario.people.own {
            match serde_json::from_value::<PersonInput>(person.record.clone()) {
                Ok(input) => inputs.push(input),
                Err(error) => {
                    let expected = format!("`{}` to be a person", person.name);
                    self.note(person.place, "invalid_person", (expected, error.to_string()));
                }
            }
        }
        if inputs.is_empty() {
            return Ok(());
        }
        let question = Question::People(inputs);
        self.put(Ask { question, name: None, place: HEAD, verb: "people" }).await
    }

    /// Learns who is in the directory.
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
