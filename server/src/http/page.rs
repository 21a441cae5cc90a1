//! Lists: `{items, next_cursor?}`, asked for with `limit` and `cursor`.

use abide_engine::base::{BadId, TypedId, limits};
use abide_verbs::api::PageRequest;
use serde::{Deserialize, Deserializer};

use crate::problem::ProblemDocument;

/// Which part of a list is wanted; flattened into the query of each list.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct Paging {
    /// Items of the page.
    #[serde(default = "default_limit", deserialize_with = "limit")]
    pub(super) limit: usize,
    /// Where the last page ended, as it was answered.
    #[serde(default)]
    pub(super) cursor: Option<String>,
}

fn default_limit() -> usize {
    limits::PAGE_DEFAULT
}

/// A number in a query is a text; a flattened one is not turned into a number for us.
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
    /// The id that the last page ended with.
    pub(super) fn after<T: TypedId>(&self) -> Result<Option<T>, ProblemDocument> {
        let id = self.cursor.as_deref().map(str::parse).transpose();
        id.map_err(|e: BadId| {
            ProblemDocument::new(422, "invalid_cursor", e.to_string())
                .with_hint("give `next_cursor` of the page before, as it was")
        })
    }

    /// As the church's lists want it.
    pub(super) fn request(self) -> PageRequest {
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
    struct Wanted {
        role: Option<String>,
        #[serde(flatten)]
        paging: Paging,
    }

    async fn read(query: &str) -> Result<Wanted, (u16, String)> {
        let request = Request::get(format!("/x?{query}")).body(()).expect("a request");
        let (mut parts, ()) = request.into_parts();
        let read = Query::<Wanted>::from_request_parts(&mut parts, &()).await;
        read.map(|Query(wanted)| wanted).map_err(|problem| (problem.status, problem.detail))
    }

    #[tokio::test]
    async fn a_page_has_bounds() {
        let wanted = read("role=nursery&limit=7&cursor=c").await.expect("reads");
        assert_eq!(wanted.role.as_deref(), Some("nursery"));
        assert_eq!(wanted.paging, Paging { limit: 7, cursor: Some("c".into()) });
        assert_eq!(read("").await.expect("reads").paging.limit, limits::PAGE_DEFAULT);
        for query in ["limit=0", "limit=501", "limit=many", "limit=-1"] {
            let (status, detail) = read(query).await.expect_err("is refused");
            assert_eq!(status, 422);
            assert!(detail.contains("`limit` takes 1 to 500"), "{detail}");
        }
    }
}
