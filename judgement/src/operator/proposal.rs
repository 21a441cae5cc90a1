//! Lets a language model propose tools for a message whose reading leaves open what it wants. The model sees the message,
//! the tools, and the state in which the message was written. It reads no input and decides nothing.

use abide_agent::operator::{OperatorText, ProposedTools, is_open, read_proposed};
use abide_engine::base::{Problem, Value, text};
use abide_engine::domain::{
    DomainContext, SESSION_CHARS_MAX, SYSTEM_CHARS_MAX, limited, system_frame,
};
use abide_engine::model::ModelRequest;
use abide_engine::store::Tx;
use serde::Deserialize;
use serde_json::{Map, json};

use super::layers::Layers;
use super::request::OperatorRequest;
use crate::conversation;
use crate::data::operator as data;

/// The task that a model is asked to do.
const TASK: &str = "operator";
/// Maximum number of tools in a proposal.
const TOOLS_MAX: usize = 8;
/// Maximum number of characters of the message that the model reads.
const TEXT_CHARS_MAX: usize = 1_000;

/// What a model answers.
#[derive(Deserialize)]
struct Proposal {
    tools: Vec<String>,
    confidence: f32,
}

impl Layers {
    /// Returns what a model is to be asked about a message; `None` if its reading is clear, or if the same request has
    /// been classified before.
    ///
    /// # Errors
    /// Errors from the store.
    pub(super) async fn model_request(
        &self,
        tx: &mut Tx,
        cx: &DomainContext<'_>,
        request: &OperatorRequest,
    ) -> Result<Option<ModelRequest>, Problem> {
        if let Some(key) = &request.key
            && data::is_classified(tx, cx.tenant, key).await?
        {
            return Ok(None);
        }
        let mut wanted = request.clone();
        let reading = self.classify_in_session(tx, cx, &mut wanted).await?;
        if !is_open(&reading) {
            return Ok(None);
        }
        let session = match &wanted.session {
            Some(session) => {
                conversation::frame(tx, cx.tenant, session, &self.goals, cx.now).await?
            }
            None => Value::Null,
        };
        let tools: Map<String, Value> = self
            .contracts
            .iter()
            .map(|tool| (tool.name.clone(), tool.description.as_str().into()))
            .collect();
        let names: Vec<&String> = tools.keys().collect();
        let schema = json!({
            "type": "object",
            "required": ["tools", "confidence"],
            "additionalProperties": false,
            "properties": {
                "tools": { "type": "array", "maxItems": TOOLS_MAX, "items": { "enum": names } },
                "confidence": { "type": "number", "minimum": 0, "maximum": 1 },
            },
        });
        let context: Vec<&String> = wanted.context.keys().collect();
        let input = json!({
            "text": text::shortened(&wanted.message, TEXT_CHARS_MAX),
            "context": context,
            "tools": tools,
            "frames": {
                "system": limited(system_frame(&self.contracts, cx.settings), SYSTEM_CHARS_MAX),
                "session": limited(session, SESSION_CHARS_MAX),
            },
        });
        let instructions = include_str!("../../../prompts/operator.md");
        Ok(Some(ModelRequest { task: TASK, instructions, input, schema }))
    }

    /// Layer 1 with what a model proposes. Returns `None` if the rules do not accept the proposal.
    pub(super) fn classify_proposed(
        &self,
        cx: &DomainContext<'_>,
        request: &OperatorRequest,
        proposal: &Value,
    ) -> Option<abide_agent::operator::OperatorReading> {
        let Proposal { tools, confidence } = Proposal::deserialize(proposal).ok()?;
        let now = cx.now.to_jiff().to_zoned(cx.settings.zone());
        let said = OperatorText {
            text: &request.message,
            context: &request.context,
            contracts: &self.contracts,
            intents: &self.intents,
            now: &now,
        };
        read_proposed(&said, &ProposedTools { tools, confidence })
    }
}
