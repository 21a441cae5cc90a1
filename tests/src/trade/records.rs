//! Records of a collection that only a home's contracts name.

use serde_json::json;

use super::{call, done};
use crate::campaign::church::{Church, Setup, on_both};

/// Four tools of a collection of dogs.
const CONTRACTS: &str = "risk: T1
tools:
  dogs.create:
    description: Adds a dog.
    effect: write
    idempotency: none
    timeout: 10s
    receipt_fields: [result.dog_id, effects.db_writes]
    handler: data
    data: { collection: dogs, action: create, id: dog_id, record: dog }
    input_schema: &dog
      type: object
      required: [name]
      additionalProperties: false
      properties: { name: { type: string, maxLength: 40 }, breed: { type: string, maxLength: 40 } }
    output_schema: { type: object, properties: { dog_id: { type: string }, dog: { type: object } } }
  dogs.list:
    description: Lists the dogs.
    effect: read
    idempotency: safe-retry
    timeout: 10s
    handler: data
    data: { collection: dogs, action: list, record: dogs, where: { archived_at: null } }
    input_schema:
      type: object
      additionalProperties: false
      properties: { breed: { type: string }, limit: { type: integer }, after: { type: string } }
    output_schema: { type: object, properties: { dogs: { type: array }, count: { type: integer } } }
  dogs.update:
    description: Changes a dog.
    effect: write
    idempotency: safe-retry
    timeout: 10s
    handler: data
    data: { collection: dogs, action: update, id: dog_id, record: dog }
    input_schema:
      type: object
      required: [dog_id, breed]
      additionalProperties: false
      properties: { dog_id: { type: string }, breed: { type: [string, 'null'] } }
    output_schema: { type: object, properties: { dog: { type: object } } }
  cats.get:
    description: Shows a cat.
    effect: read
    idempotency: safe-retry
    timeout: 10s
    handler: data
    data: { collection: cats, action: get, id: cat_id, record: cat }
    input_schema:
      type: object
      required: [cat_id]
      additionalProperties: false
      properties: { cat_id: { type: string } }
    output_schema: { type: object, properties: { cat: { type: object } } }
";

fn kennel() -> Setup {
    let mut setup = Setup::default();
    setup.sources.contracts.insert("home/dogs.yaml".to_owned(), CONTRACTS.to_owned());
    setup
}

on_both!(a_home_adds_a_collection_without_code, with kennel(), async |church: Church| {
    let rex = done(&church, "dogs.create", json!({ "name": "Rex", "breed": "collie" })).await;
    let bo = done(&church, "dogs.create", json!({ "name": "Bo" })).await;
    assert_eq!(rex["dog"]["breed"], "collie");
    let listed = done(&church, "dogs.list", json!({})).await;
    assert_eq!(listed["count"], 2);
    let first = done(&church, "dogs.list", json!({ "limit": 1 })).await;
    assert_eq!((&first["dogs"][0]["name"], &first["next"]), (&json!("Bo"), &bo["dog_id"]));
    let rest = done(&church, "dogs.list", json!({ "limit": 1, "after": first["next"] })).await;
    assert_eq!((&rest["dogs"][0]["name"], rest.get("next")), (&json!("Rex"), None));
    let collies = done(&church, "dogs.list", json!({ "breed": "collie" })).await;
    assert_eq!(collies["count"], 1);
    let change = json!({ "dog_id": rex["dog_id"], "breed": null });
    let changed = done(&church, "dogs.update", change).await;
    assert_eq!(changed["dog"].get("breed"), None);
    let cat = call(&church, "cats.get", json!({ "cat_id": rex["dog_id"] })).await;
    assert_eq!(cat["error"]["code"], "not_found", "a dog is no cat");
    church.assert_consistent().await;
});
