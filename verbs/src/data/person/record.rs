//! Everything that is stored about what a person was asked, and what they took on.

use abide_engine::base::{AskId, OfferId, PersonId, RequestId};
use abide_engine::params;
use abide_engine::store::{StoreError, Tx};
use serde::Serialize;
use utoipa::ToSchema;

/// Maximum number of rows of each kind in the record of a person. Somebody who is asked every day for ten years
/// has fewer.
const RECORDS_MAX: i64 = 10_000;

/// An offer to a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct OfferRecord {
    /// Id of the offer.
    pub id: OfferId,
    /// The request.
    pub request_id: RequestId,
    /// The role.
    pub role: String,
    /// The state of the offer.
    pub state: String,
    /// When the invitation was planned to be sent, in RFC 3339.
    #[schema(format = DateTime)]
    pub planned_at: String,
    /// When the offer ended, in RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime)]
    pub ended_at: Option<String>,
}

/// What a person is to a role of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct PlaceRecord {
    /// The request.
    pub request_id: RequestId,
    /// The role.
    pub role: String,
    /// The state, such as `accepted`.
    pub state: String,
    /// When the service begins, in RFC 3339.
    #[schema(format = DateTime)]
    pub service_time: String,
}

/// A question to a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct QuestionRecord {
    /// Id of the question.
    pub id: AskId,
    /// The request.
    pub request_id: RequestId,
    /// What it was about.
    pub about: String,
    /// The state: open, or how it was answered.
    pub state: String,
    /// When it was planned to be sent, in RFC 3339.
    #[schema(format = DateTime)]
    pub planned_at: String,
}

/// Returns the offers to a person, the oldest first.
pub async fn offers(tx: &mut Tx, person: PersonId) -> Result<Vec<OfferRecord>, StoreError> {
    let rows = tx
        .rows(
            "SELECT o.id, o.request, o.role, o.state, o.planned_at, o.ended_at FROM offer o
             WHERE o.person = $1 ORDER BY o.id LIMIT $2",
            &params![person, RECORDS_MAX],
        )
        .await?;
    rows.iter()
        .map(|row| {
            Ok(OfferRecord {
                id: row.id("id")?,
                request_id: row.id("request")?,
                role: row.text("role")?,
                state: row.text("state")?,
                planned_at: row.at("planned_at")?.to_string(),
                ended_at: row.opt_at("ended_at")?.map(|at| at.to_string()),
            })
        })
        .collect()
}

/// Returns what a person is or was to the roles of requests.
pub async fn places(tx: &mut Tx, person: PersonId) -> Result<Vec<PlaceRecord>, StoreError> {
    let rows = tx
        .rows(
            "SELECT a.request, a.role, a.state, q.service_time FROM assignment a JOIN request q ON q.id = a.request
             WHERE a.person = $1 ORDER BY a.request, a.role LIMIT $2",
            &params![person, RECORDS_MAX],
        )
        .await?;
    rows.iter()
        .map(|row| {
            Ok(PlaceRecord {
                request_id: row.id("request")?,
                role: row.text("role")?,
                state: row.text("state")?,
                service_time: row.at("service_time")?.to_string(),
            })
        })
        .collect()
}

/// Returns the questions to a person, the oldest first.
pub async fn questions(tx: &mut Tx, person: PersonId) -> Result<Vec<QuestionRecord>, StoreError> {
    let rows = tx
        .rows(
            "SELECT a.id, a.request, a.about, a.state, a.planned_at FROM ask a
             WHERE a.person = $1 ORDER BY a.id LIMIT $2",
            &params![person, RECORDS_MAX],
        )
        .await?;
    rows.iter()
        .map(|row| {
            Ok(QuestionRecord {
                id: row.id("id")?,
                request_id: row.id("request")?,
                about: row.text("about")?,
                state: row.text("state")?,
                planned_at: row.at("planned_at")?.to_string(),
            })
        })
        .collect()
}
