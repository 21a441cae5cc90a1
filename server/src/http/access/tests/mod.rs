//! Tests of the access to every route: by role, by tenant and by id, and what viewers read.

mod authors;
mod client;
mod foreign;
mod personal;
mod tokens;

use std::collections::BTreeSet;

use serde_json::{Value, json};

use self::client::{Answer, Client, create_token, operations};
use super::{Access, RULES};
use crate::http::testing::TestApi;
use crate::role::Role;

#[test]
fn every_route_has_a_rule_and_every_rule_has_a_route() {
    let described = crate::http::openapi::document();
    let routes: BTreeSet<(String, String)> = operations(&described).collect();
    let rules: Vec<(String, String)> =
        RULES.iter().map(|rule| (rule.method.to_owned(), rule.path.to_owned())).collect();
    let unique: BTreeSet<_> = rules.iter().cloned().collect();
    assert_eq!(unique.len(), rules.len(), "two rules for one route");
    let without: Vec<_> = routes.difference(&unique).collect();
    assert!(without.is_empty(), "add rules to `rules.rs` for {without:?}");
    let left: Vec<_> = unique.difference(&routes).collect();
    assert!(left.is_empty(), "no route for the rules of {left:?}");
}

/// A client of the test, and what it may be.
struct Case {
    name: String,
    client: Client,
    /// The role of the client's token; `None` if the client has no valid token.
    role: Option<Role>,
}

/// Creates a client of each role, and clients without a valid token.
async fn cases(api: &TestApi) -> Vec<Case> {
    let mut cases = Vec::new();
    for role in Role::ALL {
        let client = create_token(api, "default", json!({"role": role})).await;
        cases.push(Case { name: role.to_string(), client, role: Some(*role) });
    }
    let expired = create_token(api, "default", json!({"role": "admin", "expires": "1h"})).await;
    let revoked = create_token(api, "default", json!({"role": "admin"})).await;
    assert_eq!(api.post("/v1/clock/advance", r#"{"by": "1h"}"#).await.0, 200);
    let path = format!("/v1/tokens/{}", revoked.id);
    assert_eq!(api.send("DELETE", &path, "", "").await.0, 200);
    for (name, client) in [
        ("expired", expired),
        ("revoked", revoked),
        ("unknown", Client::with(&format!("abide_{}", "0".repeat(64)))),
        ("nobody", Client::without_token()),
    ] {
        cases.push(Case { name: name.to_owned(), client, role: None });
    }
    cases
}

/// Says what the rules expect of an answer: its status and its code, or `None` if the route itself answers.
fn expected(access: Access, role: Option<Role>, names_other: bool) -> Option<(u16, &'static str)> {
    match (access, role) {
        (Access::Open, _) => None,
        (_, None) => Some((401, "unauthorized")),
        (_, Some(_)) if names_other => Some((404, "unknown_tenant")),
        (Access::Operator, _) => Some((403, "forbidden")),
        (Access::Least(least), Some(role)) => (role < least).then_some((403, "forbidden")),
    }
}

#[tokio::test]
async fn every_route_admits_the_roles_of_its_rule_and_no_other_tenant() {
    let api = TestApi::seeded().await;
    client::make_tenant(&api, "north").await;
    let cases = cases(&api).await;
    for rule in RULES {
        for Case { name, client, role } in &cases {
            for tenant in [None, Some("default"), Some("north"), Some("nowhere")] {
                let path = client::some_path(rule.path);
                let answer = client.in_tenant(tenant).send(&api, rule.method, &path, "[").await;
                let case = format!("{} {path} by {name} for {tenant:?}: {answer:?}", rule.method);
                let other = tenant.is_some_and(|tenant| tenant != "default");
                match expected(rule.access, *role, other) {
                    Some((status, code)) => {
                        assert_eq!((answer.status, answer.code()), (status, code), "{case}");
                    }
                    None => assert!(is_from_the_route(&answer), "{case}"),
                }
            }
        }
    }
}

/// Whether an answer comes from the route, and not from the middleware before it. The route of calls has
/// tokens of its own.
fn is_from_the_route(answer: &Answer) -> bool {
    match answer.status {
        401 => answer.body["detail"].as_str().is_some_and(|it| it.contains("call")),
        403 | 405 => false,
        404 => !["unknown_tenant", "unknown_route"].contains(&answer.code()),
        _ => true,
    }
}

#[tokio::test]
async fn a_refusal_names_the_role_that_is_needed() {
    let api = TestApi::seeded().await;
    let staff = create_token(&api, "default", json!({"role": "staff"})).await;
    let refused = staff.send(&api, "POST", "/v1/schedules", "{}").await;
    let detail = refused.body["detail"].as_str().unwrap_or_default();
    assert!(detail.contains("needs the role `admin`") && detail.contains("`staff`"), "{refused:?}");
    let refused = staff.send(&api, "GET", "/v1/audit", "").await;
    assert!(refused.body["detail"].to_string().contains("all tenants"), "{refused:?}");
}

#[tokio::test]
async fn an_unknown_path_and_a_wrong_method_need_a_token_too() {
    let api = TestApi::seeded().await;
    let viewer = create_token(&api, "default", json!({"role": "viewer"})).await;
    for (method, path, code) in
        [("GET", "/v1/nowhere", "unknown_route"), ("PUT", "/v1/people", "method_not_allowed")]
    {
        assert_eq!(Client::without_token().send(&api, method, path, "").await.status, 401);
        assert_eq!(viewer.send(&api, method, path, "").await.code(), code, "{path}");
    }
    assert_eq!(viewer.send(&api, "HEAD", "/v1/people", "").await.status, 200);
}

#[tokio::test]
async fn a_token_sees_its_own_tenant_in_the_list_of_tenants() {
    let api = TestApi::seeded().await;
    client::make_tenant(&api, "north").await;
    let admin = create_token(&api, "default", json!({"role": "admin"})).await;
    let listed = admin.send(&api, "GET", "/v1/tenants", "").await;
    let ids: Vec<&Value> =
        listed.body["items"].as_array().into_iter().flatten().map(|one| &one["id"]).collect();
    assert_eq!(ids, ["default"]);
}
