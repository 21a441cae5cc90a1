//! Tests of the member `data` of a contract.

use serde_json::json;

use super::super::{Contracts, Handler};
use super::*;
use crate::diagnostic::{Diagnostic, codes};

/// A contract of each action, in which a case replaces one part.
const CREATE: &str = "effect: write
    idempotency: { mode: keyed, key_field: phone }
    data: { table: leads, action: create, id: lead_id, record: lead, columns: { stage: status }, set: { source: web } }
    input_schema:
      type: object
      required: [name, phone]
      additionalProperties: false
      properties: { name: { type: string }, phone: { type: string }, stage: { type: string } }
    output_schema: { type: object, properties: { lead_id: { type: string }, lead: { type: object } } }
";
const GET: &str = "effect: read
    idempotency: safe-retry
    data: { table: leads, action: get, id: lead_id, record: lead, columns: { stage: status } }
    input_schema:
      type: object
      required: [lead_id]
      additionalProperties: false
      properties: { lead_id: { type: string } }
    output_schema: { type: object, properties: { lead: { type: object } } }
";
const LIST: &str = "effect: read
    idempotency: safe-retry
    data: { collection: kennels, action: list, record: kennels, where: { gone: null, size: [big, small] }, period: due_at }
    input_schema:
      type: object
      additionalProperties: false
      properties: { town: { type: string }, limit: { type: integer }, after: { type: string }, since: {}, until: {} }
    output_schema: { type: object, properties: { kennels: { type: array } } }
";
const UPDATE: &str = "effect: write
    idempotency: none
    data: { table: quotes, action: update, id: quote_id, set: { status: sent }, only_if: { status: [draft] } }
    input_schema:
      type: object
      required: [quote_id]
      additionalProperties: false
      properties: { quote_id: { type: string }, title: { type: string } }
    output_schema: { type: object, properties: { quote_id: { type: string } } }
";

fn load(contract: &str) -> Result<Contract, Diagnostic> {
    let head = "description: A tool.\n    risk: T1\n    timeout: 10s\n    handler: data\n";
    let text = format!("tools:\n  a.tool:\n    {head}    {contract}");
    let (contracts, mut findings) = Contracts::load(&text, "a.yaml");
    contracts.get("a.tool").cloned().ok_or_else(|| findings.remove(0))
}

fn tool(contract: &Contract) -> &DataTool {
    let Handler::Data(tool) = &contract.handler else { panic!("{:?}", contract.handler) };
    tool
}

#[test]
fn a_tool_of_each_action_is_read() {
    let create = load(CREATE).expect("a contract");
    let read = tool(&create);
    assert_eq!(read.source, DataSource::Table("leads".to_owned()));
    assert_eq!((read.action, read.column_of("stage")), (DataAction::Create, "status"));
    assert_eq!(read.column_members(&create).collect::<Vec<_>>(), ["name", "phone", "stage"]);
    assert_eq!(read.set["source"], json!("web"));

    let list = load(LIST).expect("a contract");
    let read = tool(&list);
    assert_eq!(read.source, DataSource::Collection("kennels".to_owned()));
    assert_eq!(read.column_members(&list).collect::<Vec<_>>(), ["town"]);
    assert_eq!(read.conditions["gone"], OneOf(vec![Value::Null]));
    assert_eq!(read.conditions["size"], OneOf(vec![json!("big"), json!("small")]));
    assert_eq!(read.period.as_deref(), Some("due_at"));

    let update = load(UPDATE).expect("a contract");
    assert_eq!(tool(&update).column_members(&update).collect::<Vec<_>>(), ["title"]);
    assert_eq!(tool(&update).only_if["status"], OneOf(vec![json!("draft")]));

    let get = load(GET).expect("a contract");
    assert_eq!(tool(&get).column_members(&get).count(), 0);
}

#[test]
fn what_cannot_work_is_refused_at_its_key_with_a_remedy() {
    let data = "data";
    let cases = [
        (CREATE, "table: leads, ", "", data, "either a `table` or a `collection`"),
        (CREATE, "table: leads", "table: a, collection: b", data, "either a `table`"),
        (CREATE, "table: leads", "table: Leads;", data, "`Leads;` is not the name"),
        (CREATE, "stage: status", "stage: 'a b'", data, "`a b` is not the name"),
        (CREATE, "action: create", "action: upsert", data, "upsert"),
        (CREATE, "table:", "tabel:", data, "tabel"),
        (CREATE, "effect: write", "effect: read", "effect", "`action: create`"),
        (GET, "effect: read", "effect: write", "effect", "`action: get`"),
        (LIST, "effect: read", "effect: pure", "effect", "`action: list`"),
        (UPDATE, "effect: write", "effect: read", "effect", "`action: update`"),
        (CREATE, "id: lead_id, ", "", data, "`create` needs an `id`"),
        (CREATE, "id: lead_id", "id: name", data, "the result has no member `name`"),
        (GET, "id: lead_id", "id: lead", data, "the input has no member `lead`"),
        (GET, "required: [lead_id]", "required: []", data, "does not require `lead_id`"),
        (UPDATE, "id: quote_id, ", "", data, "`update` needs an `id`"),
        (LIST, "action: list", "action: list, id: town", data, "`list` has no `id`"),
        (CREATE, "record: lead", "record: row", data, "no member `row`"),
        (GET, "record: lead, ", "", data, "`get` needs a `record`"),
        (LIST, "record: kennels, ", "", data, "`list` needs a `record`"),
        (
            UPDATE,
            "properties: { quote_id: { type: string } }",
            "properties: {}",
            data,
            "no `record`",
        ),
        (GET, "columns:", "set: { a: 1 }, columns:", data, "`set` does not apply"),
        (CREATE, "set:", "only_if: { a: 1 }, set:", data, "`only_if` does not apply"),
        (UPDATE, "only_if:", "where:", data, "`where` does not apply"),
        (UPDATE, "only_if:", "period: due_at, only_if:", data, "`period` does not apply"),
        (
            LIST,
            "where:",
            "promised: { from: a, until: b, while: {} }, where:",
            data,
            "`promised` does not apply",
        ),
        (UPDATE, "status: [draft]", "status: []", data, "listed for `status`"),
        (LIST, "gone: null", "gone: { a: 1 }", data, "listed for `gone`"),
        (CREATE, "source: web", "status: new", data, "`status` would get two values"),
        (CREATE, "stage: status", "stage: name", data, "`name` would get two values"),
        (CREATE, "source: web", "created_at: now", data, "sets the column `created_at`"),
        (UPDATE, "title:", "tenant:", data, "sets the column `tenant`"),
        (CREATE, "additionalProperties: false", "minProperties: 1", "input_schema", "any column"),
        (GET, "properties: {", "properties: { more: {},", "input_schema", "the member `more`"),
        (CREATE, ", key_field: phone", "", "idempotency", "recognised by a key"),
        (UPDATE, "none", "{ mode: keyed, key_field: title }", "idempotency", "recognised"),
    ];
    for (contract, part, instead, key, words) in cases {
        assert!(contract.contains(part), "{part}");
        let changed = contract.replacen(part, instead, 1);
        let found = load(&changed).expect_err(&changed);
        assert_eq!(found.code, codes::BAD_CONTRACT, "{changed}");
        assert!(found.message.contains(words), "{changed}: {}", found.message);
        assert!(found.hint.is_some(), "{changed}");
        let line = changed.lines().position(|line| line.trim_start().starts_with(key));
        let line = line.expect("the key") + 7;
        assert_eq!(found.line as usize, line, "{changed}: {found:?}");
    }
}

#[test]
fn an_update_changes_something() {
    let nothing = UPDATE.replace("set: { status: sent }", "set: {}");
    assert!(load(&nothing).is_ok(), "it can change the title");
    let found = load(&nothing.replace(", title: { type: string }", "")).expect_err("nothing");
    assert!(found.message.contains("`update` would change no column"), "{}", found.message);
}

#[test]
fn the_handler_and_its_details_belong_together() {
    let found =
        load("effect: read\n    idempotency: none\n    input_schema: {}\n    output_schema: {}\n");
    assert!(found.expect_err("no data").message.contains("`handler: data` needs `data"));
    let other = GET.replace("data: {", "not_configured: { reason: r }\n    data: {");
    let found = load(&other).expect_err("two handlers");
    assert!(found.message.contains("`not_configured` needs"), "{}", found.message);
    let text =
        format!("tools:\n  a.tool:\n    description: d\n    risk: T0\n    timeout: 1s\n    {GET}");
    let (_, findings) = Contracts::load(&text, "a.yaml");
    assert!(findings[0].message.contains("`data` needs `handler: data`"), "{findings:?}");
}
