//! A person whom the domain has taken out of its work, because they are to be erased.

use serde::Serialize;
use utoipa::ToSchema;

use crate::base::RequestId;
use crate::erasure::PersonalData;
use crate::store::ContactId;

/// A person who was taken out of all work, and what is known about them.
#[derive(Debug, Clone)]
pub struct RemovedPerson {
    /// The contact of the person's phone number.
    pub contact: ContactId,
    /// Whether other people have the same number.
    pub is_number_shared: bool,
    /// What is known about the person.
    pub data: PersonalData,
    /// The places that the person had.
    pub places: Vec<GivenUpPlace>,
}

/// A place that a person had at a service that is still to come.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct GivenUpPlace {
    /// The request whose place it was.
    pub request: RequestId,
    /// The role of the place.
    pub role: String,
    /// When the service begins, in RFC 3339.
    #[schema(format = DateTime)]
    pub service_time: String,
}
