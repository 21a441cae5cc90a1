//! Everything that is stored about a person, for the person to see.

use abide_engine::base::{PersonId, Problem};
use abide_engine::boxed;
use abide_engine::store::Tx;
use serde::Serialize;
use utoipa::ToSchema;

use super::{PersonView, get};
use crate::data::person::record::{self, OfferRecord, PlaceRecord, QuestionRecord};

/// What is stored about a person, except the messages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct PersonRecord {
    /// The entry in the directory, with consent and opt-out.
    pub person: PersonView,
    /// What the person was offered.
    pub offers: Vec<OfferRecord>,
    /// What the person took on.
    pub places: Vec<PlaceRecord>,
    /// What the person was asked besides.
    pub questions: Vec<QuestionRecord>,
}

/// Returns what is stored about a person.
///
/// # Errors
/// `person_unknown` if the tenant has no person with this id.
#[boxed]
pub async fn record(tx: &mut Tx, tenant: &str, id: PersonId) -> Result<PersonRecord, Problem> {
    Ok(PersonRecord {
        person: get(tx, tenant, id).await?,
        offers: record::offers(tx, id).await?,
        places: record::places(tx, id).await?,
        questions: record::questions(tx, id).await?,
    })
}
