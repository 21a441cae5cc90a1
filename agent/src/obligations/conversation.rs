//! A conversation with one user: each text is read, answered and remembered.

use super::answer::{AnsweredObligations, KnownFacts, answer};
use super::people::KnownPerson;
use super::read::{ReadContext, is_bare_name, read};
use super::wire::{Obligation, ObligationType};

/// Maximum number of earlier texts that a conversation takes up at its start, because each of them costs as much as
/// the text that is to be answered.
pub const TEXTS_MAX: usize = 50;
/// The field of the user's name.
const NAME: &str = "name";

/// A conversation with one user.
#[derive(Debug, Clone)]
pub struct Conversation {
    context: ReadContext,
    people: Vec<KnownPerson>,
}

impl Conversation {
    /// Begins a conversation about some people.
    #[must_use]
    pub fn new(context: ReadContext, people: Vec<KnownPerson>) -> Self {
        Self { context, people }
    }

    /// Returns what is known when the next text arrives.
    #[must_use]
    pub fn context(&self) -> &ReadContext {
        &self.context
    }

    /// Reads and answers a text, and remembers it.
    pub fn say(&mut self, text: &str) -> AnsweredObligations {
        let facts = KnownFacts {
            now: self.context.now.clone(),
            people: self.people.clone(),
            memory: self.context.dialogue.memory.clone(),
        };
        let answered = answer(&read(text, &self.context), facts);
        self.context.dialogue.hear(&answered.obligations);
        answered
    }

    /// Remembers a text that was said before. A bare name is that of the user, who was asked for it.
    pub fn hear(&mut self, text: &str) {
        let answered = self.say(text);
        let is_unread =
            answered.obligations.iter().all(|o: &Obligation| o.is(ObligationType::Clarify));
        if is_unread && is_bare_name(text) {
            self.context.dialogue.hear(&[Obligation::save(NAME, text.trim())]);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn answered(prior: &[&str], text: &str) -> String {
        let people = json!([
            { "name": "Ana", "city": "Seattle", "is_friend": true },
            { "name": "Ben", "city": "Boise", "is_friend": true },
            { "name": "Cy", "city": "Seattle", "is_friend": false },
        ]);
        let people = serde_json::from_value(people).expect("people");
        let mut conversation = Conversation::new(ReadContext::new(None), people);
        prior.iter().for_each(|text| conversation.hear(text));
        conversation.say(text).answer.unwrap_or_else(|| "-".to_owned())
    }

    #[test]
    fn the_three_life_cycles_of_the_design_are_answered() {
        assert_eq!(answered(&[], "What's 2+2?"), "4");
        assert_eq!(answered(&[], "List my friends in Seattle"), "Ana");
        assert_eq!(answered(&[], "What's your name?"), "-");
        assert_eq!(answered(&["Sam"], "What's your name?"), "Sam");
        assert_eq!(answered(&["What's your name?", "Sam"], "What's your name?"), "Sam");
        assert_eq!(answered(&["My name is Sam"], "What's your name?"), "Sam");
    }

    #[test]
    fn the_latest_fact_counts() {
        let prior = ["my name is Catherine", "sorry, it's Katherine with a K"];
        assert_eq!(answered(&prior, "what did I say my name was"), "Katherine");
        assert_eq!(
            answered(
                &["I used to live in Denver but now I live in Salem"],
                "where do I live these days?"
            ),
            "Salem"
        );
        assert_eq!(answered(&["my brother lives in Reno"], "where do I live"), "-");
        assert_eq!(
            answered(&["hi", "my email is sam.lowe@example.com"], "whats my email"),
            "sam.lowe@example.com"
        );
        assert_eq!(answered(&["my name is Sam", "forget my name"], "what's my name"), "-");
    }
}
