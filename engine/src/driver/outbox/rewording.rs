//! Lets a language model reword messages before they leave, if the settings say so. What it writes is checked, and on
//! doubt the message leaves as it is. A message is held meanwhile, so that after a crash it leaves as well.

use std::sync::Arc;

use serde_json::json;

use super::super::core::{Core, DriveMode, ask_model};
use super::super::current_part::{OUTBOX, as_part};
use crate::base::{Problem, Span, limits};
use crate::model::ModelRequest;
use crate::store::QueuedText;
use crate::template::{Rendered, Template};
use crate::transaction;

/// The longest time that a message waits for its rewording. It then leaves as it is.
const HELD_MAX: Span = Span::from_secs(10);
/// How the model is to reword.
const INSTRUCTIONS: &str = include_str!("../../../../prompts/phrase.md");

/// Holds the next messages of a tenant that may be reworded, and lets the model reword them. Each message is reworded
/// once. While the model is busy, messages leave as they are.
pub(super) async fn begin(core: &Arc<Core>, tenant: &str) -> Result<(), Problem> {
    if !core.model.as_ref().is_some_and(|model| model.rewords) {
        return Ok(());
    }
    let (now, limit) = (core.now(), i64::try_from(limits::SLICE_ROWS_MAX).unwrap_or(1));
    let read = transaction!([tenant = tenant.to_owned()], |tx| {
        Ok(tx.texts_to_release(&tenant, now, limit).await?)
    });
    let library = core.library();
    let is_allowed = |text: &QueuedText| {
        let template = library.templates.of_message(&text.kind, &text.body);
        template.is_some_and(Template::may_be_reworded)
    };
    let texts = core.store.read(read).await?.into_iter();
    let texts: Vec<QueuedText> =
        texts.filter(|text| is_allowed(text) && core.rewordings.begin(text.id, now)).collect();
    if texts.is_empty() {
        return Ok(());
    }
    let ids: Vec<_> = texts.iter().map(|text| text.id).collect();
    let hold = transaction!([ids], |tx| Ok(tx.hold_for_rewording(&ids, now + HELD_MAX).await?));
    core.store.write(hold).await?;
    for text in texts {
        let rewords = replace(Arc::clone(core), text);
        match core.drive_mode {
            DriveMode::InLine => rewords.await,
            DriveMode::Tasks(_) => drop(tokio::spawn(as_part(OUTBOX, rewords))),
        }
    }
    Ok(())
}

/// Lets the model reword a message, and the message leave.
async fn replace(core: Arc<Core>, text: QueuedText) {
    let (other, id) = (other_words(&core, &text).await, text.id);
    let now = core.now();
    let reword = transaction!([other], |tx| Ok(tx.reword(id, other.as_ref(), now).await?));
    if let Err(problem) = core.store.write(reword).await {
        tracing::warn!(code = %problem.code, "a message is not reworded: {problem}");
    }
    core.rewordings.end();
    core.bells.outbox.ring();
}

/// Returns a message in other words; `None` if the model gives none that say the same.
async fn other_words(core: &Core, text: &QueuedText) -> Option<Rendered> {
    let library = core.library();
    let template = library.templates.of_message(&text.kind, &text.body)?;
    let request = ModelRequest {
        task: "phrase",
        instructions: INSTRUCTIONS,
        input: json!({ "text": text.body, "language": template.language() }),
        schema: json!({
            "type": "object",
            "required": ["text"],
            "additionalProperties": false,
            "properties": { "text": { "type": "string", "minLength": 1, "maxLength": 1000 } },
        }),
    };
    let answer = ask_model(core, &request).await?;
    match template.reworded(&text.body, answer["text"].as_str()?) {
        Ok(rendered) => Some(rendered).filter(|rendered| rendered.body() != text.body),
        Err(fault) => {
            metrics::counter!("abide_rewordings_refused_total", "fault" => fault.as_str())
                .increment(1);
            None
        }
    }
}
