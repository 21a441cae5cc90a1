//! The knowledge base: lists, writes and retires facts.

use abide_engine::base::{Problem, Timestamp};
use abide_engine::domain::DomainContext;
use abide_engine::store::Tx;
use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

use super::{Page, tenant_ledger};
use crate::data;
use crate::event::ChurchEventKind;
use crate::knowledge::{FACTS_MAX, Fact};

/// Maximum length of a fact's id, in characters.
const ID_CHARS_MAX: usize = 60;
/// Maximum length of a topic, a source or a reviewer, in characters.
const LINE_CHARS_MAX: usize = 200;
/// Maximum length of a fact's text, in characters: about one printed page.
/// A longer document should be split into several facts.
const TEXT_CHARS_MAX: usize = 2_000;

/// The writer of a fact, as the server knows them. The body of a request names no writer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Author {
    /// Name that people see beside the fact.
    pub name: String,
    /// What the ledger records, which holds no personal data: the id of a token, or `operator`.
    pub id: String,
}

/// A fact to write. The server adds who wrote it: the client whose token the request has.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewFact {
    /// The subject of the fact, or the question that it answers.
    pub topic: String,
    /// The fact itself, or the answer to the question.
    pub text: String,
    /// Where the fact comes from.
    pub source: String,
    /// The person who confirmed that the fact is true; defaults to the writer.
    pub reviewer: Option<String>,
    /// When the reviewer confirmed the fact, in RFC 3339; defaults to the current time.
    #[schema(format = DateTime)]
    pub reviewed_at: Option<String>,
}

/// A fact as the API shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct FactView {
    /// The id, chosen by the person who wrote the fact, such as `nursery-check-in`.
    pub id: String,
    /// The subject of the fact, or the question that it answers.
    pub topic: String,
    /// The fact itself, or the answer to the question.
    pub text: String,
    /// Where the fact comes from.
    pub source: String,
    /// The person who confirmed that the fact is true.
    pub reviewer: String,
    /// When the reviewer confirmed the fact.
    #[schema(format = DateTime)]
    pub reviewed_at: String,
    /// Whole days since `reviewed_at`.
    pub age_days: i64,
    /// Whether the review is older than the setting `kb_max_age`.
    pub stale: bool,
    /// Whether the fact is retired: it stays on record but searches no longer find it.
    pub retired: bool,
    /// Who wrote the fact: the label of the token, or its role if it has no label.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written_by: Option<String>,
}

/// Lists all facts that are not retired; if `retired` is true, lists all retired facts instead.
///
/// # Errors
/// Returns errors from the store.
pub fn list<'a>(
    tx: &'a mut Tx,
    cx: &'a DomainContext<'a>,
    retired: bool,
) -> BoxFuture<'a, Result<Page<FactView>, Problem>> {
    Box::pin(async move {
        let limit = i64::try_from(FACTS_MAX).unwrap_or(i64::MAX);
        let facts = data::kb::list(tx, cx.tenant, retired, limit).await?;
        Ok(Page {
            items: facts.into_iter().map(|fact| view(cx, fact)).collect(),
            next_cursor: None,
        })
    })
}

/// Writes a fact. If a fact with the same id exists, replaces it, even if it was retired.
///
/// # Errors
/// `invalid_fact` if a member is malformed; `kb_full` if the tenant has the maximum number
/// of facts that are not retired ([`FACTS_MAX`]).
pub fn put<'a>(
    tx: &'a mut Tx,
    cx: &'a DomainContext<'a>,
    id: &'a str,
    new: &'a NewFact,
    author: &'a Author,
) -> BoxFuture<'a, Result<FactView, Problem>> {
    Box::pin(async move {
        let fact = checked(cx, id, new, author)?;
        let stream = tenant_ledger::lock(tx, cx.tenant).await?;
        let known = data::kb::find(tx, cx.tenant, &fact.id).await?;
        let adds = known.as_ref().is_none_or(|known| known.retired);
        if adds
            && data::kb::count(tx, cx.tenant).await? >= i64::try_from(FACTS_MAX).unwrap_or(i64::MAX)
        {
            return Err(Problem::caller("kb_full", format!("there are already {FACTS_MAX} facts"))
                .with_hint("retire facts that are no longer needed"));
        }
        if known.as_ref() != Some(&fact) {
            data::kb::put(tx, cx.tenant, &fact).await?;
            let reviewed_at = fact.reviewed_at.to_string();
            let body = json!({"fact": fact.id, "added": adds, "reviewed_at": reviewed_at, "by": author.id});
            tenant_ledger::log(tx, stream, ChurchEventKind::FactWritten, body)?;
        }
        Ok(view(cx, fact))
    })
}

/// Retires a fact: it stays on record but searches no longer find it.
/// Does nothing if the fact is retired already.
///
/// # Errors
/// `fact_unknown` if there is no fact with this id.
pub fn retire<'a>(
    tx: &'a mut Tx,
    cx: &'a DomainContext<'a>,
    id: &'a str,
    author: &'a Author,
) -> BoxFuture<'a, Result<FactView, Problem>> {
    Box::pin(async move {
        let stream = tenant_ledger::lock(tx, cx.tenant).await?;
        let known = data::kb::find(tx, cx.tenant, id).await?.ok_or_else(|| {
            Problem::caller("fact_unknown", format!("there is no fact `{id}`"))
                .with_hint("list the facts with `abide kb list`")
        })?;
        if known.retired {
            return Ok(view(cx, known));
        }
        let fact = Fact { retired: true, ..known };
        data::kb::put(tx, cx.tenant, &fact).await?;
        let body = json!({"fact": fact.id, "by": author.id});
        tenant_ledger::log(tx, stream, ChurchEventKind::FactRetired, body)?;
        Ok(view(cx, fact))
    })
}

fn view(cx: &DomainContext<'_>, fact: Fact) -> FactView {
    FactView {
        age_days: fact.age_days(cx.now),
        stale: fact.is_stale(cx.now, cx.settings.kb_max_age),
        reviewed_at: fact.reviewed_at.to_string(),
        id: fact.id,
        topic: fact.topic,
        text: fact.text,
        source: fact.source,
        reviewer: fact.reviewer,
        retired: fact.retired,
        written_by: fact.written_by,
    }
}

fn checked(
    cx: &DomainContext<'_>,
    id: &str,
    new: &NewFact,
    author: &Author,
) -> Result<Fact, Problem> {
    let fits = !id.is_empty() && id.chars().count() <= ID_CHARS_MAX;
    if !fits || !id.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-') {
        let shown: String = id.chars().take(80).collect();
        return Err(invalid(format!("`{shown}` is not a valid id"))
            .with_hint("use lower-case letters, digits and `-`, such as `nursery-check-in`"));
    }
    let reviewed_at: Timestamp = match &new.reviewed_at {
        None => cx.now,
        Some(text) => text.parse().map_err(|e: abide_engine::base::time::BadTime| {
            invalid(format!("`reviewed_at`: {e}"))
        })?,
    };
    if reviewed_at > cx.now {
        return Err(invalid("`reviewed_at` is in the future"));
    }
    Ok(Fact {
        id: id.to_owned(),
        topic: line("topic", &new.topic, LINE_CHARS_MAX)?,
        text: line("text", &new.text, TEXT_CHARS_MAX)?,
        source: line("source", &new.source, LINE_CHARS_MAX)?,
        reviewer: line("reviewer", new.reviewer.as_ref().unwrap_or(&author.name), LINE_CHARS_MAX)?,
        reviewed_at,
        retired: false,
        written_by: Some(author.name.clone()),
    })
}

fn line(name: &str, text: &str, most: usize) -> Result<String, Problem> {
    let text = text.trim();
    match text.chars().count() {
        0 => Err(invalid(format!("`{name}` is empty"))),
        n if n > most => Err(invalid(format!("`{name}` has {n} characters; the limit is {most}"))),
        _ => Ok(text.to_owned()),
    }
}

fn invalid(message: impl Into<String>) -> Problem {
    Problem::caller("invalid_fact", message)
}
