//! The bench's own small world: a verb that does nothing, a verb that waits at a gate, and a method
//! for each workload. Made in memory; nothing of a church is in it.

use abide_engine::base::Problem;
use abide_engine::library::{Library, Sources};

/// Steps of the method that is measured, as in the peers' harnesses.
pub(super) const STEPS: usize = 10;
/// The method of ten steps that do nothing.
pub(super) const NOOPS: &str = "noops";
/// The method that waits at a gate.
pub(super) const WAITS: &str = "waits";
/// The verb that does nothing.
pub(super) const NOOP: &str = "noop";
/// The verb that waits at a gate.
pub(super) const GATE: &str = "gate";

const CONTRACTS: &str = "\
verbs:
  noop:
    version: 1
    summary: Does nothing, and proves it with a receipt.
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
    summary: Waits until its gate is opened, or time runs out.
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
";

const WAITING: &str = "\
method: waits
steps:
  - call: gate
    args: { key: \"{{goal.gate}}\", timeout: \"{{goal.timeout}}\" }
";

/// The compiled library.
///
/// # Errors
/// A bug, if the bench's own texts do not compile.
pub(super) fn library() -> Result<Library, Problem> {
    let mut noops = format!("method: {NOOPS}\nsteps:\n");
    for n in 1..=STEPS {
        noops.push_str(&format!("  - {{ id: s{n}, call: {NOOP}, args: {{ n: {n} }} }}\n"));
    }
    let one = |name: &str, text: &str| [(name.to_owned(), text.to_owned())].into();
    let mut sources = Sources { contracts: one("bench.yaml", CONTRACTS), ..Sources::default() };
    sources.methods.insert(format!("{NOOPS}.yaml"), noops);
    sources.methods.insert(format!("{WAITS}.yaml"), WAITING.to_owned());
    let library = Library::compile(sources);
    if library.methods.len() == 2 {
        return Ok(library);
    }
    let findings: Vec<String> = library.findings().iter().map(|f| format!("{f:?}")).collect();
    Err(Problem::bug("the bench's own methods do not compile").with_detail(findings.join("; ")))
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
