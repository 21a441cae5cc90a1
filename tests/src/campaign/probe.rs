//! Verbs for tests: `echo` returns its argument, and `attempt` fails a given number of times.
//! `claims` returns how often the run was claimed. `slip` and `misbehave` are faulty verbs.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use abide_engine::base::{Problem, Value};
use abide_engine::store::Tx;
use abide_engine::verb::{CallContext, Effects, PureVerb, Verb, VerbOutcome, WriteVerb};
use async_trait::async_trait;
use serde_json::json;

use super::church::Setup;

const CONTRACTS: &str = r#"
verbs:
  echo:
    version: 1
    summary: Gives back what it gets.
    effect: pure
    idempotency: safe_retry
    risk: T0
    timeout: 10s
    value: value
    args: { type: object, required: [value], properties: { value: {} } }
    result: { type: object, required: [value], properties: { value: {} } }

  slip:
    version: 1
    summary: Panics while it computes.
    effect: pure
    idempotency: safe_retry
    risk: T0
    timeout: 10s
    args: { type: object }
    result: { type: object }

  attempt:
    version: 1
    summary: Fails as often as it is told and then says how many tries it took.
    effect: write
    idempotency: safe_retry
    risk: T1
    timeout: 2days
    value: tries
    args:
      type: object
      required: [failures]
      properties: { failures: { type: integer }, transient: { type: [boolean, "null"] } }
    result: { type: object, required: [tries], properties: { tries: { type: integer } } }

  claims:
    version: 1
    summary: Says how often the only live run was claimed without coming further.
    effect: write
    idempotency: safe_retry
    risk: T1
    timeout: 10s
    value: claims
    args: { type: object }
    result: { type: object, required: [claims], properties: { claims: { type: integer } } }

  misbehave:
    version: 1
    summary: Writes something, and then panics or breaks its contract.
    effect: write
    idempotency: safe_retry
    risk: T1
    timeout: 10s
    value: tries
    args: { type: object, required: [how], properties: { how: { enum: [panic, wrong_result] } } }
    result: { type: object, required: [tries], properties: { tries: { type: integer } } }
"#;

/// Builds a setup with the test verbs and these methods.
pub(crate) fn probed(methods: &[(&str, &str)]) -> Setup {
    let mut setup = Setup::default();
    setup.sources.contracts.insert("probes.yaml".to_owned(), CONTRACTS.to_owned());
    setup.verbs = setup
        .verbs
        .with("echo", Verb::Pure(Arc::new(Echo)))
        .with("slip", Verb::Pure(Arc::new(Slip)))
        .with("attempt", Verb::Write(Arc::new(Attempt::default())))
        .with("claims", Verb::Write(Arc::new(Claims)))
        .with("misbehave", Verb::Write(Arc::new(Misbehave)));
    methods.iter().fold(setup, |setup, (name, text)| setup.method(name, *text))
}

/// Counts the rows that test verbs wrote in committed transactions. There is at most one such row.
pub(crate) const WRITTEN: &str = "SELECT COUNT(*) FROM meta WHERE k = 'probe'";

struct Echo;

impl PureVerb for Echo {
    fn run(&self, _cx: &CallContext<'_>, args: &Value) -> Result<VerbOutcome, Problem> {
        Ok(VerbOutcome::done(json!({ "value": args["value"] }), Effects::default()))
    }
}

struct Slip;

impl PureVerb for Slip {
    fn run(&self, _cx: &CallContext<'_>, _args: &Value) -> Result<VerbOutcome, Problem> {
        panic!("a probe slips on purpose")
    }
}

/// A verb that fails a given number of times.
/// The verb counts its tries in memory, where no rollback undoes them.
#[derive(Default)]
struct Attempt {
    tries: AtomicI64,
}

#[async_trait]
impl WriteVerb for Attempt {
    async fn run(
        &self,
        tx: &mut Tx,
        _cx: &CallContext<'_>,
        args: &Value,
        _cursor: Option<&Value>,
    ) -> Result<VerbOutcome, Problem> {
        let tries = self.tries.fetch_add(1, Ordering::SeqCst) + 1;
        tx.set_meta("probe", &tries.to_string()).await?;
        if tries > args["failures"].as_i64().unwrap_or(0) {
            return Ok(VerbOutcome::done(json!({ "tries": tries }), Effects::default()));
        }
        Err(match args["transient"].as_bool() {
            Some(false) => Problem::caller("refused", "the probe refuses").with_hint("ask again"),
            _ => Problem::transient("not_yet", "the probe is not ready"),
        })
    }
}

struct Claims;

#[async_trait]
impl WriteVerb for Claims {
    async fn run(
        &self,
        tx: &mut Tx,
        _cx: &CallContext<'_>,
        _args: &Value,
        _cursor: Option<&Value>,
    ) -> Result<VerbOutcome, Problem> {
        let row = tx.row("SELECT claims FROM turn", &[]).await?.expect("a live run");
        Ok(VerbOutcome::done(json!({ "claims": row.int("claims")? }), Effects::default()))
    }
}

struct Misbehave;

#[async_trait]
impl WriteVerb for Misbehave {
    async fn run(
        &self,
        tx: &mut Tx,
        _cx: &CallContext<'_>,
        args: &Value,
        _cursor: Option<&Value>,
    ) -> Result<VerbOutcome, Problem> {
        tx.set_meta("probe", "misbehaved").await?;
        assert!(args["how"] != "panic", "a probe misbehaves on purpose");
        Ok(VerbOutcome::done(json!({ "tries": "three" }), Effects::default()))
    }
}
