//! Paging: the parameters `limit` and `cursor` of a list, whose response is `{items, next_cursor?}`.

use abide_engine::base::{BadId, TypedId, limits};
use abide_verbs::api::PageRequest;
use serde::{Deserialize, Deserializer};
use utoipa::IntoParams;

use crate::problem::ProblemDocument;

/// The parameters that select a page of a list. They are flattened into the query of each list.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct Paging {
    /// Maximum number of items on the page.
    #[serde(default = "default_limit", deserialize_with = "limit")]
    #[param(required = false, minimum = 1, maximum = 500, default = 50)]
    pub(super) limit: usize,
    /// The `next_cursor` of the previous page. Without a cursor, the answer is the first page.
    #[serde(default)]
    pub(super) cursor: Option<String>,
}

fn default_limit() -> usize {
    limits::PAGE_DEFAULT
}

/// Parses `limit` from the string in the query, because serde does not convert strings to numbers in the
/// fields of a flattened struct.
fn limit<'de, D: Deserializer<'de>>(d: D) -> Result<usize, D::Error> {
    let text = String::deserialize(d)?;
    text.parse().ok().filter(|limit| (1..=limits::PAGE_MAX).contains(limit)).ok_or_else(|| {
        serde::de::Error::custom(format!(
            "`limit` takes 1 to {}, not `{}`",
            limits::PAGE_MAX,
            text.chars().take(20).collect::<String>()
        ))
    })
}

impl Paging {
    /// Returns the id of the last item on the previous page; `None` if there is no previous page.
    pub(super) fn after<T: TypedId>(&self) -> Result<Option<T>, ProblemDocument> {
        let id = self.cursor.as_deref().map(str::parse).transpose();
        id.map_err(|e: BadId| ProblemDocument::invalid_cursor(e.to_string()))
    }

    /// Converts the parameters to the form in which functions of the domain take them.
    pub(super) fn into_request(self) -> PageRequest {
        PageRequest { cursor: self.cursor, limit: Some(self.limit) }
    }
}

#[cfg(test)]
mod tests {
    use axum::extract::FromRequestParts as _;
    use axum::http::Request;

    use super::*;
    use crate::http::extract::Query;

    #[derive(Debug, Deserialize)]
    struct ListQuery {
        role: Option<String>,
        #[serde(flatten)]
        paging: Paging,
    }

    async fn read(text: &str) -> Result<ListQuery, (u16, String)> {
        let request = Request::get(format!("/x?{text}")).body(()).expect("a request");
        let (mut parts, ()) = request.into_parts();
        let read = Query::<ListQuery>::from_request_parts(&mut parts, &()).await;
        read.map(|Query(query)| query).map_err(|problem| (problem.status, problem.detail))
    }

    #[tokio::test]
    async fn a_page_has_bounds() {
        let query = read("role=nursery&limit=7&cursor=c").await.expect("reads");
        assert_eq!(query.role.as_deref(), Some("nursery"));
        assert_eq!(query.paging, Paging { limit: 7, cursor: Some("c".into()) });
        assert_eq!(read("").await.expect("reads").paging.limit, limits::PAGE_DEFAULT);
        for text in ["limit=0", "limit=501", "limit=many", "limit=-1"] {
            let (status, detail) = read(text).await.expect_err("is refused");
            assert_eq!(status, 422);
            assert!(detail.contains("`limit` takes 1 to 500"), "{detail}");
        }
    }
}
