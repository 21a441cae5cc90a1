//! The written form of a contract: what a file contains, before the schemas are compiled.
//!
//! Contracts were first written with other keys, and tool registries elsewhere use yet others. All of them
//! are read: [`canonical`] replaces each by today's key.

use serde::Deserialize;
use serde_json::Map;

use super::data::DataTool;
use super::fault::{Fault, fault};
use super::handler::Handler;
use super::remote::RemoteTool;
use super::terms::{
    Approvers, Effect, FollowUp, Idempotency, Implies, NotConfigured, Recipients, Risk, Sends,
};
use super::{Contract, Schema, XType};
use crate::base::{Digest, Span, Value};

/// The former keys of contracts, each with the key that replaced it.
const FORMER_KEYS: [(&str, &str); 3] =
    [("summary", "description"), ("args", "input_schema"), ("result", "output_schema")];

/// Version of a contract that states none.
const fn first_version() -> u32 {
    1
}

/// A contract as written, with today's keys.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    #[serde(default = "first_version")]
    version: u32,
    description: String,
    effect: Effect,
    idempotency: WrittenIdempotency,
    risk: Risk,
    timeout: String,
    #[serde(default)]
    handler: HandlerKind,
    #[serde(default)]
    not_configured: Option<NotConfigured>,
    #[serde(default)]
    data: Option<Value>,
    #[serde(default)]
    remote: Option<Value>,
    #[serde(default)]
    permissions: Vec<String>,
    #[serde(default)]
    receipt_fields: Vec<String>,
    #[serde(default)]
    consumes: Vec<String>,
    #[serde(default)]
    produces: Vec<String>,
    #[serde(default)]
    satisfies: Vec<String>,
    #[serde(default)]
    breaks: Vec<String>,
    #[serde(default)]
    preconditions: Vec<String>,
    #[serde(default)]
    postconditions: Vec<String>,
    #[serde(default)]
    cost: Option<f64>,
    #[serde(default)]
    reliability: Option<f64>,
    #[serde(default)]
    latency: Option<String>,
    #[serde(default)]
    safer: Option<String>,
    #[serde(default)]
    approvers: Vec<Approvers>,
    #[serde(default)]
    compensated_by: Option<String>,
    #[serde(default)]
    irreversible: bool,
    #[serde(default)]
    value: Option<String>,
    #[serde(default)]
    at_most: Option<String>,
    #[serde(default)]
    implies: Option<Implies>,
    #[serde(default)]
    answered_later: bool,
    #[serde(default)]
    sets_timers: bool,
    #[serde(default)]
    sends: Option<Sends>,
    #[serde(default)]
    follow_ups: Vec<FollowUp>,
    input_schema: Value,
    output_schema: Value,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenIdempotency {
    mode: Idempotency,
    #[serde(default)]
    key_field: Option<String>,
}

/// What carries out the calls, as written. The details are in the key of the same name.
#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum HandlerKind {
    #[default]
    Code,
    Data,
    Remote,
    NotConfigured,
}

/// The keys with the details of handlers.
struct HandlerDetails {
    data: Option<Value>,
    remote: Option<Value>,
    not_configured: Option<NotConfigured>,
}

/// Returns today's key for a key of a contract.
pub(super) fn current_key(written: &str) -> &str {
    match written {
        "timeout_ms" => "timeout",
        _ => FORMER_KEYS
            .iter()
            .find(|(former, _)| *former == written)
            .map_or(written, |(_, key)| key),
    }
}

/// Returns a contract with today's keys and in full form: `idempotency` with its mode and key,
/// `timeout` as a duration.
pub(super) fn canonical(written: Value) -> Result<Value, Fault> {
    let Value::Object(mut members) = written else { return Ok(written) };
    for (former, key) in FORMER_KEYS {
        if let Some(value) = members.remove(former)
            && members.insert(key.to_owned(), value).is_some()
        {
            return Err(fault(key, format!("`{former}` is an older word for `{key}`: keep one")));
        }
    }
    if let Some(millis) = members.remove("timeout_ms") {
        let number = millis.as_u64();
        let millis =
            number.ok_or_else(|| fault("timeout", "`timeout_ms` must be a whole number"))?;
        if members.insert("timeout".to_owned(), format!("{millis}ms").into()).is_some() {
            return Err(fault("timeout", "give `timeout` or `timeout_ms`, not both"));
        }
    }
    if let Some(mode @ Value::String(_)) = members.get("idempotency") {
        let full = Map::from_iter([("mode".to_owned(), mode.clone())]);
        members.insert("idempotency".to_owned(), Value::Object(full));
    }
    if let Some(mode) = members.get_mut("idempotency").and_then(|it| it.get_mut("mode"))
        && mode == "safe_retry"
    {
        *mode = Idempotency::SafeRetry.as_str().into();
    }
    Ok(Value::Object(members))
}

/// Builds a contract from its canonical form.
pub(super) fn contract(name: &str, canonical: Value) -> Result<Contract, Fault> {
    check_name(name)?;
    let digest = Digest::of_value(&canonical);
    let written: Written = serde_json::from_value(canonical.clone()).map_err(|error| Fault {
        key: None,
        what: error.to_string(),
        hint: None,
    })?;
    let timeout = span("timeout", &written.timeout)?;
    if timeout <= Span::ZERO {
        return Err(fault("timeout", "a timeout must be longer than zero"));
    }
    check_annotations(&written.input_schema).map_err(|what| fault("input_schema", what))?;
    check_annotations(&written.output_schema).map_err(|what| fault("output_schema", what))?;
    let details = HandlerDetails {
        data: written.data,
        remote: written.remote,
        not_configured: written.not_configured,
    };
    let contract = Contract {
        name: name.to_owned(),
        version: written.version,
        description: written.description,
        effect: written.effect,
        idempotency: written.idempotency.mode,
        key_field: written.idempotency.key_field,
        risk: written.risk,
        timeout,
        handler: handler(written.handler, details)?,
        permissions: written.permissions,
        receipt_fields: written.receipt_fields,
        consumes: written.consumes,
        produces: written.produces,
        satisfies: written.satisfies,
        breaks: written.breaks,
        preconditions: written.preconditions,
        postconditions: written.postconditions,
        cost: written.cost,
        reliability: written.reliability,
        latency: written.latency.map(|text| span("latency", &text)).transpose()?,
        safer: written.safer,
        approvers: written.approvers,
        compensated_by: written.compensated_by,
        irreversible: written.irreversible,
        value: written.value,
        at_most: written.at_most,
        implies: written.implies,
        answered_later: written.answered_later,
        sets_timers: written.sets_timers,
        sends: written.sends,
        follow_ups: written.follow_ups,
        input: Schema::compile(written.input_schema)
            .map_err(|why| fault("input_schema", why.what))?,
        output: Schema::compile(written.output_schema)
            .map_err(|why| fault("output_schema", why.what))?,
        written: canonical.into(),
        files: Vec::new(),
        belongs_to: None,
        digest,
    };
    check_members(&contract)?;
    check_terms(&contract)?;
    match &contract.handler {
        Handler::Data(tool) => tool.check(&contract)?,
        Handler::Remote(_) if contract.effect != Effect::External => {
            return Err(fault("effect", "`handler: remote` needs `effect: external`"));
        }
        _ => {}
    }
    Ok(contract)
}

fn span(key: &str, text: &str) -> Result<Span, Fault> {
    text.parse().map_err(|error| fault(key, format!("{error}")))
}

/// Checks that a name has one or more parts of lower-case letters, digits and `_`, joined by dots.
fn check_name(name: &str) -> Result<(), Fault> {
    let part = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_lowercase())
            && part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
    };
    if name.split('.').all(part) && name.len() <= super::NAME_CHARS_MAX {
        return Ok(());
    }
    let what = format!(
        "a name has at most {} characters: parts of lower-case letters, digits and `_`, joined by dots",
        super::NAME_CHARS_MAX
    );
    Err(Fault { key: None, what, hint: None })
}

/// Combines the key `handler` with the details in the key of the same name.
fn handler(kind: HandlerKind, details: HandlerDetails) -> Result<Handler, Fault> {
    let HandlerDetails { data, remote, not_configured } = details;
    let needs = |key: &str, shape: &str| {
        fault("handler", format!("`handler: {key}` needs `{key}: {shape}`"))
    };
    let others = [
        ("data", data.is_some(), kind == HandlerKind::Data),
        ("remote", remote.is_some(), kind == HandlerKind::Remote),
        ("not_configured", not_configured.is_some(), kind == HandlerKind::NotConfigured),
    ];
    if let Some((key, ..)) = others.iter().find(|(_, written, fits)| *written && !fits) {
        return Err(fault(key, format!("`{key}` needs `handler: {key}`")));
    }
    Ok(match kind {
        HandlerKind::Code => Handler::Code,
        HandlerKind::Data => {
            let data = data.ok_or_else(|| needs("data", "{ table: …, action: … }"))?;
            Handler::Data(DataTool::read(data)?)
        }
        HandlerKind::Remote => {
            let remote = remote.ok_or_else(|| needs("remote", "{ url: …, secret_env: … }"))?;
            Handler::Remote(RemoteTool::read(remote)?)
        }
        HandlerKind::NotConfigured => {
            let why = not_configured.ok_or_else(|| needs("not_configured", "{ reason: … }"))?;
            Handler::NotConfigured(why)
        }
    })
}

/// Checks that the members and arguments that a contract refers to exist.
fn check_members(contract: &Contract) -> Result<(), Fault> {
    let result = |key, member: &str| match contract.output.member(member) {
        Some(_) => Ok(()),
        None => Err(fault(key, format!("the result has no member `{member}`"))),
    };
    let argument = |key, name: &str| match contract.input.member(name) {
        Some(_) => Ok(()),
        None => Err(fault(key, format!("there is no argument `{name}`"))),
    };
    if let Some(member) = &contract.value {
        result("value", member)?;
    }
    let implied = contract.implies.iter().flat_map(|i| [Some(&i.item), i.only_if.as_ref()]);
    implied.flatten().try_for_each(|member| result("implies", member))?;
    if let Some(name) = &contract.at_most {
        argument("at_most", name)?;
    }
    let sends = contract.sends.iter();
    let named =
        sends.flat_map(|sends| [Some(&sends.to), sends.template.as_ref(), sends.vars.as_ref()]);
    named.flatten().try_for_each(|name| argument("sends", name))?;
    for follow_up in &contract.follow_ups {
        if let Recipients::Argument(name) = &follow_up.to {
            argument("follow_ups", name)?;
        }
    }
    if let Some(name) = &contract.key_field {
        if contract.idempotency != Idempotency::Keyed {
            return Err(fault("idempotency", "`key_field` needs `mode: keyed`"));
        }
        argument("idempotency", name)?;
    }
    for path in &contract.receipt_fields {
        match path.split_once('.') {
            Some(("result", rest)) => {
                result("receipt_fields", rest.split('.').next().unwrap_or(rest))?;
            }
            Some(("effects", _)) => {}
            _ => {
                let what = format!("`{path}` begins neither with `result.` nor with `effects.`");
                return Err(fault("receipt_fields", what));
            }
        }
    }
    Ok(())
}

/// Checks the terms whose values have a form of their own.
fn check_terms(contract: &Contract) -> Result<(), Fault> {
    for permission in &contract.permissions {
        let word = |word: &str| !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase());
        if !permission.split_once(':').is_some_and(|(act, on)| word(act) && word(on)) {
            let what = format!("`{permission}` is no permission such as `write:db`");
            return Err(fault("permissions", what));
        }
    }
    if contract.reliability.is_some_and(|share| !(0.0..=1.0).contains(&share)) {
        return Err(fault("reliability", "a reliability is a share from 0 to 1"));
    }
    if contract.cost.is_some_and(|cost| cost < 0.0) {
        return Err(fault("cost", "a cost is not negative"));
    }
    check_approvers(&contract.approvers)?;
    check_reversal(contract)
}

/// Checks a chain of approvers: each link names a role, and a person can take part once only.
fn check_approvers(chain: &[Approvers]) -> Result<(), Fault> {
    for Approvers { role, n } in chain {
        let is_word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        if role.is_empty() || !role.chars().all(is_word) {
            return Err(fault("approvers", format!("`{role}` is no role such as `supervisor`")));
        }
        if *n == 0 {
            return Err(fault(
                "approvers",
                format!("no `{role}` would have to approve: leave it out"),
            ));
        }
    }
    let people: u32 = chain.iter().map(|link| link.n).fold(0, u32::saturating_add);
    if people > super::APPROVERS_MAX {
        let what =
            format!("{people} people would have to approve: {} at most", super::APPROVERS_MAX);
        return Err(fault("approvers", what));
    }
    Ok(())
}

/// Checks that a contract of risk T4 says what makes up for a call, and that no contract says two things.
fn check_reversal(contract: &Contract) -> Result<(), Fault> {
    match (&contract.compensated_by, contract.irreversible) {
        (Some(_), true) => Err(fault(
            "irreversible",
            "`compensated_by` names a tool that makes up for it: keep one",
        )),
        (None, false) if contract.risk == Risk::T4 => Err(fault(
            "risk",
            "a tool of risk T4 names the tool that makes up for a call with `compensated_by`, or says \
             `irreversible: true`",
        )),
        _ => Ok(()),
    }
}

/// Checks that every `x-type` is known. A misspelt `x-type` would silently check nothing.
fn check_annotations(schema: &Value) -> Result<(), String> {
    match schema {
        Value::Object(members) => {
            if let Some(named) = members.get("x-type")
                && XType::of(schema).is_none()
            {
                return Err(format!("unknown `x-type: {named}`"));
            }
            members.values().try_for_each(check_annotations)
        }
        Value::Array(items) => items.iter().try_for_each(check_annotations),
        _ => Ok(()),
    }
}
