//! The tool that finds people.

use abide_agent::obligations::people::{PeopleQuestion, answer, select};
use abide_engine::base::{Problem, Value};
use abide_engine::store::Tx;
use abide_engine::verb::{CallContext, VerbOutcome, WriteVerb};
use async_trait::async_trait;
use serde_json::{Map, json};

use super::{assertion, looked_up, read};
use crate::data::contacts;

/// What a filter of the tool is called in the question that it answers.
const RELATION: &str = "relation";

/// Finds people in the contacts database.
pub(super) struct PeopleSql;

#[async_trait]
impl WriteVerb for PeopleSql {
    async fn run(
        &self,
        tx: &mut Tx,
        cx: &CallContext<'_>,
        args: &Value,
        _: Option<&Value>,
    ) -> Result<VerbOutcome, Problem> {
        let mut asked = args.clone();
        if let Some(filters) = asked.get_mut("filters") {
            *filters = in_words_of_question(filters);
        }
        let question: PeopleQuestion = read(&asked)?;
        let people = contacts::people(tx, cx.tenant).await?;
        let found = select(&question.filters, &people);
        let rows: Vec<Value> =
            found.iter().map(|person| serde_json::to_value(person).unwrap_or_default()).collect();
        let mut stands = Vec::new();
        for person in &found {
            if person.is_friend {
                stands.push(assertion(&person.name, "friend", "user"));
            }
            if let Some(city) = &person.city {
                stands.push(assertion(&person.name, "city", city));
            }
        }
        let value = answer(&question, &people).unwrap_or_default();
        Ok(looked_up(json!({
            "rows": rows, "count": found.len(), "value": value, "assertions": stands,
        })))
    }
}

/// Says filters in the words of a question: `relation: friend` asks for the friends of the user.
fn in_words_of_question(filters: &Value) -> Value {
    match filters {
        Value::Array(items) => items.iter().map(in_words_of_question).collect(),
        Value::Object(members) => {
            let one = |(name, value): (&String, &Value)| match name.as_str() {
                RELATION => ("is_friend".to_owned(), Value::from("user")),
                _ => (name.clone(), in_words_of_question(value)),
            };
            Value::Object(members.iter().map(one).collect::<Map<String, Value>>())
        }
        other => other.clone(),
    }
}
