//! Measures how long it takes to compile a method of three hundred steps that
//! use every construct: once without errors, and once with a misspelt variable.
//!
//! To print the times: `cargo test --release --workspace --lib -- three_hundred --nocapture`.
//! The asserted limit is far above the usual times, so that the test does not fail on a busy machine.

use std::fmt::Write as _;
use std::io::Write as _;
use std::time::{Duration, Instant};

use super::{compile, with_definitions};

/// Number of steps in one copy of [`PART`]; twenty copies have three hundred steps.
const PART_STEPS: usize = 15;
const PARTS: usize = 20;
/// Time limit of one compilation, generous enough for an unoptimised build on a busy machine.
const PATIENCE: Duration = Duration::from_secs(5);

/// Fifteen steps that use every construct of the language.
/// In each copy, `{n}` is replaced by the number of the copy, and `{x}` by a variable.
const PART: &str = "
  - id: find_{n}
    call: search_people
    args: { filter: { roles: [nursery], is_active: true }, limit: 20 }
    out: people_{n}
    retry: { attempts: 3, backoff: fixed, first: 5s }
    timeout: 1m
  - id: take_{n}
    call: reserve
    args: { key: hall, amount: 1 }
    compensate: { id: give_back_{n}, call: reserve, args: { key: hall, amount: -1 } }
    on_error:
      - set: { why_{n}: \"{{error.code}}: {{error.message}}\" }
  - set: { have_{n}: \"{{len({x})}}\", rest_{n}: \"{{people_{n}.minus(take(people_{n}, 3))}}\" }
  - parallel:
      - - await: { signal: first_{n}, timeout: 1h, out: first_{n} }
      - - await: [ { signal: second_{n}, timeout: 2h, out: second_{n} }, { signal: never_{n} } ]
    join: any
  - switch:
      - if: have_{n} > 2 and goal.role == 'nursery'
        then: [ { set: { many_{n}: true } } ]
      - else:
          - await: { timeout: 10m }
  - repeat:
      until: timeout or have_{n} > 3
      max: 3
      steps:
        - await: { signal: again_{n}, timeout: 1h, out: again_{n} }
  - foreach: person in people_{n}
    concurrency: 4
    when: len(people_{n}) > 0
    limits: { max_duration: 1day }
    steps:
      - set: { last_{n}: \"{{person}}\" }
";

/// Returns a method of three hundred steps, some of which read the variable `variable`.
fn method(variable: &str) -> String {
    let mut text =
        "method: large\ninputs:\n  type: object\n  properties: { role: { type: string } }\nsteps:"
            .to_owned();
    for n in 0..PARTS {
        let variable = variable.replace("{n}", &n.to_string());
        text.push_str(&PART.replace("{x}", &variable).replace("{n}", &n.to_string()));
    }
    let _ =
        write!(text, "fallbacks:\n  - {{ if: timeout, then: [ {{ set: {{ late: true }} }} ] }}\n");
    text.push_str("success_when: have_0 > 0\non_cancel: [ { set: { off: true } } ]\n");
    text
}

#[test]
#[expect(clippy::disallowed_methods, reason = "measures time; the asserted limit is far above it")]
fn three_hundred_steps_with_every_construct_are_checked_at_once() {
    let (sound, faulty) = (method("people_{n}"), method("poeple_{n}"));
    let (compiling, linting, steps) = with_definitions(|definitions| {
        let begun = Instant::now();
        let (method, findings) = compile("large.yaml", &sound, definitions);
        let compiling = begun.elapsed();
        let method = method.unwrap_or_else(|| panic!("{findings:#?}"));

        let begun = Instant::now();
        let (none, findings) = compile("large.yaml", &faulty, definitions);
        let linting = begun.elapsed();
        assert!(none.is_none());
        let errors = findings.iter().filter(|finding| finding.is_error()).count();
        assert!(errors >= PARTS, "{findings:#?}");
        (compiling, linting, method.graph().nodes.len())
    });
    assert!(steps >= PARTS * PART_STEPS, "{steps} steps");
    let told = format!("{steps} steps: compiled in {compiling:?}, linted in {linting:?}");
    let _ = writeln!(std::io::stderr(), "{told}");
    assert!(compiling < PATIENCE && linting < PATIENCE, "{compiling:?}, {linting:?}");
}
