//! The values that histories draw at random: methods, goals, names and messages from people.

/// Methods that histories publish: documented patterns, and `ERRAND`, which uses further features of the
/// language.
pub(super) const METHODS: &[&str] = &[
    include_str!("../../../docs/patterns/02_parallel_split.yaml"),
    include_str!("../../../docs/patterns/03_synchronization.yaml"),
    include_str!("../../../docs/patterns/07_structured_synchronizing_merge.yaml"),
    include_str!("../../../docs/patterns/14_multiple_instances_run_time.yaml"),
    include_str!("../../../docs/patterns/15_multiple_instances_without_prior_knowledge.yaml"),
    include_str!("../../../docs/patterns/16_deferred_choice.yaml"),
    include_str!("../../../docs/patterns/18_milestone.yaml"),
    include_str!("../../../docs/patterns/19_cancel_activity.yaml"),
    include_str!("../../../docs/patterns/20_cancel_case.yaml"),
    include_str!("../../../docs/patterns/21_structured_loop.yaml"),
    include_str!("../../../docs/patterns/24_persistent_trigger.yaml"),
    include_str!("../../../docs/patterns/26_cancel_multiple_instance_activity.yaml"),
    include_str!("../../../docs/patterns/32_cancelling_partial_join.yaml"),
    include_str!("../../../docs/patterns/34_static_partial_join_for_multiple_instances.yaml"),
    include_str!("../../../docs/patterns/36_dynamic_partial_join_for_multiple_instances.yaml"),
    include_str!("../../../docs/patterns/40_interleaved_routing.yaml"),
    ERRAND,
];

/// A method that reserves, looks up facts, schedules a signal to itself, notifies staff, and compensates.
const ERRAND: &str = "method: errand
limits: { max_duration: 9days, max_messages: 50 }
steps:
  - call: reserve
    args: { key: van, amount: '{{goal.people}}' }
    out: seats
    on_error: [ { set: { seats: '{{error.code}}' } } ]
  - call: fetch_kb
    args: { query: '{{goal.note}}', limit: 3 }
    out: facts
  - call: schedule
    args: { at: '{{now + 26h}}', payload: { note: '{{goal.note}}' } }
    out: timer
  - call: notify
    args: { targets: [staff], template: filled_n_of_m, vars: { n: 1, m: 2 } }
    compensate:
      call: notify
      occasion: back
      args: { targets: [staff], template: filled_n_of_m, vars: { n: 0, m: 2 } }
  - await: [ { signal: scheduled, timeout: 2days, out: due }, { signal: go, out: gone } ]
  - set: { note: '{{default(due, goal)}}' }
success_when: len(facts) > 0
fallbacks:
  - { if: timeout, then: [ { set: { late: true } } ] }
";

/// Sources that are not methods, or are methods with errors.
pub(super) const FAULTY: &[&str] = &[
    "",
    "method: errand\nsteps: [ { call: nothing } ]\n",
    "method: errand\nsteps: [ { set: { a: '{{' } } ]\n",
    "method: [\n",
    "method: Ärger\nsteps: []\n",
];

/// Names of signals to runs.
pub(super) const SIGNALS: &[&str] = &[
    "go",
    "accept",
    "refuse",
    "one",
    "other",
    "key_returned",
    "ready",
    "need",
    "wish",
    "nobody's",
];

pub(super) const ROLES: &[&str] = &["nursery", "children", "greeters", "ushers", "worship", "cafe"];

pub(super) const TIMES: &[&str] = &[
    "2025-10-05T09:00:00-05:00",
    "2025-10-05T11:00:00-05:00",
    "2025-10-05T16:00:00.000001Z",
    "2025-10-12T09:00:00-05:00",
    "2025-11-02T09:00:00-06:00",
];

/// Replies of people.
pub(super) const REPLIES: &[&str] = &[
    "yes",
    "Yes!",
    "sure, happy to",
    "no",
    "no sorry",
    "can't this week",
    "maybe",
    "who is this?",
    "I can't make it anymore",
    "something came up, I can't make it",
    "STOP",
    "START",
    "HELP",
    "YES",
];

/// Requests from staff.
pub(super) const ORDERS: &[&str] = &[
    "Fill 3 nursery spots for the 9am service",
    "Fill 2 greeters spots for the 11am service",
    "Fill 4 children spots for Sunday 9am",
    "Reduce nursery to 2 for the 9am service",
    "Fill nursery",
    "what's the weather",
    "yes",
];

/// Durations by which the clock moves forward.
pub(super) const SPANS: &[&str] =
    &["0s", "1us", "40s", "10m", "59m 59s", "1h", "3h", "6h", "8h", "26h", "3days"];

/// Cron expressions of schedules, some of them invalid.
pub(super) const CRONS: &[&str] =
    &["0 9 * * 1", "*/30 8-20 * * *", "0 2 * * *", "15 9 1 * *", "61 * * * *", "soon"];

/// Names of campuses. Their order by the rules of a locale differs from their order by bytes.
pub(super) const CAMPUSES: &[&str] =
    &["north", "North", "_north", "süd", "sud", "ßouth", "Ａ", "a b"];
