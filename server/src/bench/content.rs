//! Compiles the methods of the benchmark, and the contracts of the verbs that they call. Nothing here belongs to a church.

use abide_engine::base::{Problem, Span};
use abide_engine::library::{Library, Sources};

/// Number of steps of the measured method, the same as in the benchmarks of other engines.
pub(super) const STEPS: usize = 10;
/// Name of the method of ten steps that do nothing.
pub(super) const NOOPS: &str = "noops";
/// Name of the method that waits until a gate opens.
pub(super) const WAITS: &str = "waits";
/// Name of the method that waits until its run is sent the signal [`SIGNAL`].
pub(super) const LISTENS: &str = "listens";
/// Name of the signal for which a run of the method [`LISTENS`] waits.
pub(super) const SIGNAL: &str = "go";
/// Name of the method that pauses until an instant, and then calls the verb [`MARK`].
pub(super) const PAUSES: &str = "pauses";
/// Name of the method that calls the verb [`FAIL_ONCE`] until it succeeds.
pub(super) const RETRIES: &str = "retries";
/// How long the method [`RETRIES`] pauses before its second attempt, or up to a quarter longer.
pub(super) const RETRY_PAUSE: Span = Span::from_secs(2);
/// Name of the verb that does nothing.
pub(super) const NOOP: &str = "noop";
/// Name of the verb that waits until a gate opens.
pub(super) const GATE: &str = "gate";
/// Name of the verb that notes how late it is called.
pub(super) const MARK: &str = "mark";
/// Name of the verb that calls an outside system, which is not available at the first attempt, and notes at the second how late
/// it is called.
pub(super) const FAIL_ONCE: &str = "fail_once";

const CONTRACTS: &str = "\
verbs:
  noop:
    version: 1
    summary: Does nothing, and leaves a receipt.
    effect: pure
    idempotency: safe_retry
    risk: T0
    timeout: 1s
    args:
      type: object
      additionalProperties: false
      properties: { n: { type: integer } }
    result:
      type: object
      required: [n]
      properties: { n: { type: integer } }
  gate:
    version: 1
    summary: Waits until its gate is opened, or until the timeout.
    effect: wait
    idempotency: safe_retry
    risk: T0
    timeout: 1s
    args:
      type: object
      required: [key]
      additionalProperties: false
      properties:
        key: { type: string }
        timeout: { type: string, x-type: duration }
    result:
      type: object
      required: [open]
      properties: { open: { type: boolean } }
  mark:
    version: 1
    summary: Notes how late it is called.
    effect: pure
    idempotency: safe_retry
    risk: T0
    timeout: 1s
    args:
      type: object
      required: [due]
      additionalProperties: false
      properties: { due: { type: string } }
    result: { type: object }
  fail_once:
    version: 1
    summary: Calls an outside system that is not available at the first attempt.
    effect: external
    idempotency: safe_retry
    risk: T0
    timeout: 1m
    args: { type: object, additionalProperties: false }
    result: { type: object }
";

/// The timeout is longer than any measurement. Nothing handles it: a run whose time is out just ends.
const LISTENING: &str = "\
method: listens
steps:
  - await: { signal: go, timeout: 7days, out: answer }
";

const WAITING: &str = "\
method: waits
steps:
  - call: gate
    args: { key: \"{{goal.gate}}\", timeout: \"{{goal.timeout}}\" }
";

const PAUSING: &str = "\
method: pauses
steps:
  - await: { until: \"{{instant(goal.due)}}\", at_most: 7days }
  - call: mark
    args: { due: \"{{goal.due}}\" }
";

/// Number of methods of the benchmark.
const METHODS: usize = 5;

fn retrying() -> String {
    format!(
        "method: {RETRIES}\nsteps:\n  - call: {FAIL_ONCE}\n    args: {{}}\n    retry: {{ attempts: 2, backoff: fixed, first: {RETRY_PAUSE} }}\n"
    )
}

/// Compiles the contracts and methods of the benchmark.
///
/// # Errors
/// Reports a bug if the contracts or methods of the benchmark do not compile.
pub(super) fn library() -> Result<Library, Problem> {
    let mut noops = format!("method: {NOOPS}\nsteps:\n");
    for n in 1..=STEPS {
        noops.push_str(&format!("  - {{ id: s{n}, call: {NOOP}, args: {{ n: {n} }} }}\n"));
    }
    let one = |name: &str, text: &str| [(name.to_owned(), text.to_owned())].into();
    let mut sources = Sources { contracts: one("bench.yaml", CONTRACTS), ..Sources::default() };
    sources.methods.insert(format!("{NOOPS}.yaml"), noops);
    sources.methods.insert(format!("{WAITS}.yaml"), WAITING.to_owned());
    sources.methods.insert(format!("{LISTENS}.yaml"), LISTENING.to_owned());
    sources.methods.insert(format!("{PAUSES}.yaml"), PAUSING.to_owned());
    sources.methods.insert(format!("{RETRIES}.yaml"), retrying());
    let library = Library::compile(sources);
    if library.methods.len() == METHODS {
        return Ok(library);
    }
    let findings: Vec<String> = library.findings().iter().map(|f| format!("{f:?}")).collect();
    Err(Problem::bug("the benchmark's methods do not compile").with_detail(findings.join("; ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_methods_compile() {
        let library = library().expect("compiles");
        assert_eq!(library.method(NOOPS).expect("is there").graph.main.len(), STEPS);
    }
}
