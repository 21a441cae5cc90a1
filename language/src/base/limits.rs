//! The limits of the engine, with the reason for each value that is not obvious.

/// Maximum bytes of a method's source. A method of a thousand lines has 60 KB.
pub const METHOD_BYTES_MAX: usize = 1 << 20;
/// Maximum bytes of a settings file: room for forty settings, each with a page of comments.
pub const SETTINGS_BYTES_MAX: usize = 256 * 1024;
/// Maximum nodes of a YAML document after aliases are expanded. It stops an alias bomb within milliseconds.
pub const YAML_NODES_MAX: usize = 60_000;
/// Maximum nesting of a YAML document.
/// Methods nest steps four deep; parsers recurse, and each level takes stack.
pub const YAML_DEPTH_MAX: usize = 64;
/// Stack of the thread that parses YAML, in bytes.
/// The deepest permitted document uses half of it in an unoptimised build.
pub const YAML_STACK_BYTES: usize = 8 << 20;
/// Maximum steps of one method. This limit keeps checking and drawing a method under a tenth of a second.
pub const METHOD_STEPS_MAX: usize = 2_000;
/// Maximum nesting of an expression. The parser, the checker and the evaluator recurse.
pub const EXPR_DEPTH_MAX: usize = 64;
/// Maximum bytes of one expression.
pub const EXPR_BYTES_MAX: usize = 8 * 1024;
/// Maximum work of one evaluation, in visited nodes and list items.
/// The limit bounds functions such as `minus` over long lists.
pub const EXPR_FUEL_MAX: u64 = 2_000_000;
/// Maximum facts that one evaluation of an expression may ask the database for.
pub const EXPR_FACTS_MAX: usize = 64;
/// Maximum bytes of a run's state in its head, which has frames and waits only.
/// Variables have rows of their own.
pub const HEAD_BYTES_MAX: usize = 8 * 1024;
/// Maximum frames of one run, that is, of nested steps and loops.
pub const FRAMES_MAX: usize = 64;
/// Maximum bytes of a value that is stored in place.
/// A longer value is stored once under its digest, and other rows refer to it.
pub const INLINE_VALUE_BYTES_MAX: usize = 2 * 1024;
/// Maximum bytes of one variable as JSON. 10,000 ids of people take 370 KB.
pub const VALUE_BYTES_MAX: usize = 4 << 20;
/// Maximum bytes of a goal as JSON: one person's wish, with room for a thousand ids.
/// Every step of the run may read the goal, and every page that shows the run loads it.
pub const GOAL_BYTES_MAX: usize = 64 * 1024;
/// Maximum bytes of all variables of a start together, as JSON.
/// With the goal they fit into one HTTP request, and a batch of 256 starts stays under 100 MB.
pub const START_VARS_BYTES_MAX: usize = 256 * 1024;
/// Maximum bytes of a signal's data as JSON. At this limit, the thousand open signals of a run take 64 MB.
pub const SIGNAL_BYTES_MAX: usize = 64 * 1024;
/// Maximum nesting of a value from outside.
/// Receipts and events nest the value deeper, and the JSON reader stops at 128 levels.
pub const VALUE_DEPTH_MAX: usize = 64;
/// Maximum items of one `foreach`: enough for a congregation, not for a phone book.
pub const FOREACH_ITEMS_MAX: usize = 100_000;
/// Maximum rounds of a waiting `foreach` that stay inside one run. If there can be more,
/// each round becomes a child run, because the head of one run could not hold the state of all rounds.
pub const FOREACH_WAITING_MAX: u64 = 16;
/// Maximum items of a `foreach` that run at the same time. Each is a run of its own and takes a worker.
pub const CONCURRENCY_MAX: u32 = 100;
/// Maximum branches of a `parallel`. Branches are written by hand, and each is a child run.
pub const BRANCHES_MAX: usize = 32;
/// Maximum child runs started in one commit. It keeps a commit within tens of milliseconds.
pub const CHILDREN_CHUNK_MAX: usize = 100;
/// Maximum rounds of a `repeat`. A loop that runs longer should be a schedule.
pub const REPEAT_ROUNDS_MAX: u32 = 1_000;
/// Maximum steps without a call that a run passes in one commit.
/// A loop that only computes commits after these.
pub const WALK_STEPS_MAX: usize = 200;
/// Maximum nesting of child runs (not of steps). Deeper nesting is most likely unintended recursion.
pub const CHILDREN_DEPTH_MAX: usize = 16;
/// Maximum runs that one commit checks and orders to upgrade.
/// This limit keeps a commit within tens of milliseconds.
pub const UPGRADE_RUNS_MAX: usize = 200;
/// Maximum people per chunk of a verb that acts on many people.
/// This limit keeps a commit within tens of milliseconds.
pub const CHUNK_PEOPLE_MAX: usize = 200;
/// Maximum items of a list in a receipt.
/// A longer list is replaced by its count, its digest and its first items.
pub const RECEIPT_LIST_MAX: usize = 100;
/// Maximum attempts of one call.
pub const ATTEMPTS_MAX: u32 = 100;
/// Maximum bytes of an idempotency or deduplication key. PostgreSQL's index rows have at most 2.7 KB.
pub const KEY_BYTES_MAX: usize = 200;
/// Maximum characters of an inbound message.
/// Few people write ten segments; carriers cut at 1,600 characters.
pub const INBOUND_CHARS_MAX: usize = 1_600;
/// Maximum segments of a rendered message. Carriers accept this many as one message.
pub const MESSAGE_SEGMENTS_MAX: usize = 10;
/// Maximum bytes of a template file.
/// A message of ten segments has 1.5 KB; the rest is front matter and comments.
pub const TEMPLATE_BYTES_MAX: usize = 64 * 1024;
/// Maximum nesting of blocks, calls and literals in a template, because the template parser recurses.
pub const TEMPLATE_DEPTH_MAX: usize = 32;
/// Maximum nesting of partials in partials, because rendering recurses.
pub const PARTIALS_DEPTH_MAX: usize = 32;
/// Maximum iterations of all blocks in one rendering. It ends nested loops over data within a second.
pub const RENDER_BLOCKS_MAX: usize = 200_000;
/// Maximum bytes that a rendering may produce. It ends loops over data.
pub const RENDER_BYTES_MAX: usize = 1 << 20;
/// Maximum members of one batch of the writer. More members would delay the first answer for little gain.
pub const BATCH_MEMBERS_MAX: usize = 256;
/// Maximum jobs queued for a writer before callers from outside are refused with `overloaded`:
/// a few seconds of work. Jobs of the driver wait for room instead.
pub const WRITER_QUEUE_MAX: usize = 4_096;
/// Maximum rows that one statement deletes or sweeps.
pub const SWEEP_ROWS_MAX: usize = 1_000;
/// Maximum due runs that one claim takes.
pub const CLAIM_RUNS_MAX: usize = 128;
/// Maximum inbound messages of a tenant that one round reads and applies.
/// More messages would be read again before they can be applied.
pub const APPLY_MESSAGES_MAX: usize = 32;
/// Maximum tenants whose inbound messages are applied concurrently.
pub const APPLY_TENANTS_MAX: usize = 8;
/// Maximum tries, one second apart, to apply an inbound message that fails for a temporary reason.
/// Then the message is set aside, because the deadlines of the tenant wait for it.
pub const APPLY_TRIES_MAX: u32 = 30;
/// Maximum messages of one slice. All of them must begin to be sent within a second. With [`CALLS_MAX`]
/// calls at a time, a provider that takes 200 ms per call accepts 80 in that second, which leaves a margin.
pub const SLICE_ROWS_MAX: usize = 50;
/// Maximum concurrent gateway calls for one tenant.
/// Providers refuse callers with about a hundred open calls.
pub const CALLS_MAX: usize = 16;
/// Maximum overdue messages that a provider is asked about in one round.
pub const LOOK_UPS_MAX: usize = 16;
/// Maximum open signals from outside for one run. Beyond this limit the sender gets status 429.
pub const OPEN_SIGNALS_MAX: usize = 1_000;
/// Maximum pending timers of one run: messages that it scheduled for itself.
pub const RUN_TIMERS_MAX: usize = 1_000;
/// Maximum schedules of one tenant. A church has dozens; only a runaway loop creates more than this.
pub const SCHEDULES_MAX: usize = 10_000;
/// Maximum missed times of one schedule that are caught up. Older times would be too late to be useful.
pub const CATCH_UP_MAX: usize = 100;
/// Number of claims of a run without a commit after which the run
/// is paused, because its step crashes the process.
pub const POISON_CLAIMS: i64 = 5;
/// Skew between the clocks of a node and of the database above which the operator is warned.
/// NTP keeps the skew a thousand times smaller.
pub const CLOCK_SKEW_NOTED: super::Span = super::Span::from_secs(2);
/// Clock skew above which a node takes no work, because people would notice that its deadlines are off.
pub const CLOCK_SKEW_MAX: super::Span = super::Span::from_secs(10);
/// Maximum attempts of a transaction that fails with a serialization error, including the first attempt.
pub const TX_ATTEMPTS_MAX: u32 = 3;
/// Maximum rounds of work at one virtual instant.
/// Then the driver gives up with an error: some run never settles.
pub const SETTLE_ROUNDS_MAX: u32 = 100_000;
/// Default number of items on a page of a list.
pub const PAGE_DEFAULT: usize = 50;
/// Maximum number of items on a page of a list.
pub const PAGE_MAX: usize = 500;
/// Maximum timeout, wait or pause: ten years. A longer duration is a typing error.
pub const DURATION_MAX: super::Span = super::Span::from_secs(3_650 * 86_400);
/// Maximum value of a method's `max_messages`.
pub const METHOD_MESSAGES_MAX: u64 = 1_000_000;
/// Maximum characters of a problem's message, and of its detail: a screenful.
/// The input that they quote may have megabytes.
pub const PROBLEM_CHARS_MAX: usize = 4_000;
/// Maximum characters of one violation of a schema. The validator quotes the whole value.
pub const FAULT_CHARS_MAX: usize = 200;
/// Maximum findings that are kept for one file, per severity. An author with more has to fix these first.
pub const FINDINGS_MAX: usize = 200;
