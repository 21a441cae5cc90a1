//! The limits of the engine, with the reason for each value that is not obvious.

/// Maximum bytes of a method's source. A method of a thousand lines has 60 KB.
pub const METHOD_BYTES_MAX: usize = 1 << 20;
/// Maximum bytes of a settings file: room for forty settings, each with a page of comments.
pub const SETTINGS_BYTES_MAX: usize = 256 * 1024;
/// Maximum nodes of a YAML document after aliases are expanded. With this limit, a
/// short document whose aliases expand to millions of nodes fails within milliseconds.
pub const YAML_NODES_MAX: usize = 60_000;
/// Maximum nesting of a YAML document.
/// Real methods nest steps four levels deep. The parsers recurse, so each level takes stack memory.
pub const YAML_DEPTH_MAX: usize = 64;
/// Stack of the thread that parses YAML, in bytes.
/// The deepest permitted document uses half of the stack in an unoptimised build.
pub const YAML_STACK_BYTES: usize = 8 << 20;
/// Maximum steps of one method. This limit keeps checking and drawing a method under a tenth of a second.
pub const METHOD_STEPS_MAX: usize = 2_000;
/// Maximum nesting of an expression. The parser, the checker and the evaluator recurse.
pub const EXPR_DEPTH_MAX: usize = 64;
/// Maximum bytes of one expression.
pub const EXPR_BYTES_MAX: usize = 8 * 1024;
/// Maximum work of one evaluation of an expression, in visited nodes and list items.
/// The limit bounds functions such as `minus` over long lists.
pub const EXPR_FUEL_MAX: u64 = 2_000_000;
/// Maximum database queries of one evaluation of an expression.
pub const EXPR_FACTS_MAX: usize = 64;
/// Maximum bytes of a run's state in its head: its position in nested steps and loops, and its waits.
/// Variables have rows of their own.
pub const HEAD_BYTES_MAX: usize = 8 * 1024;
/// Maximum depth of nested steps and loops within one run.
pub const FRAMES_MAX: usize = 64;
/// Maximum bytes of a value that is stored in the row that uses it.
/// A longer value is stored once under its digest, and the rows that use it refer to the digest.
pub const INLINE_VALUE_BYTES_MAX: usize = 2 * 1024;
/// Maximum bytes of one variable as JSON. 10,000 ids of people take 370 KB.
pub const VALUE_BYTES_MAX: usize = 4 << 20;
/// Maximum bytes of a goal as JSON: enough for a thousand ids of people.
/// The limit is low because every step of the run may read the goal, and every view of the run loads it.
pub const GOAL_BYTES_MAX: usize = 64 * 1024;
/// Maximum bytes of all variables with which a run is started, as JSON.
/// With the goal they fit into one HTTP request, and 256 such requests in one batch stay under 100 MB.
pub const START_VARS_BYTES_MAX: usize = 256 * 1024;
/// Maximum bytes of a signal's data as JSON. If all signals have this
/// size, the [`OPEN_SIGNALS_MAX`] unhandled signals of a run take 64 MB.
pub const SIGNAL_BYTES_MAX: usize = 64 * 1024;
/// Maximum nesting of a value from outside.
/// Receipts and events wrap the value in further levels. The sum
/// must stay below the 128 levels at which the JSON reader stops.
pub const VALUE_DEPTH_MAX: usize = 64;
/// Maximum items of one `foreach`: enough for a congregation, not for a phone book.
pub const FOREACH_ITEMS_MAX: usize = 100_000;
/// Maximum rounds that stay inside one run, for a `foreach` whose rounds can wait.
/// If more rounds are possible, each round becomes a child run, because
/// the head of one run has no space for the state of all rounds.
pub const FOREACH_WAITING_MAX: u64 = 16;
/// Maximum items of a `foreach` that are processed at the same time, each by a child run.
pub const CONCURRENCY_MAX: u32 = 100;
/// Maximum branches of a `parallel`. Branches are written by hand, and each is a child run.
pub const BRANCHES_MAX: usize = 32;
/// Maximum child runs started in one commit. This limit keeps a commit within tens of milliseconds.
pub const CHILDREN_CHUNK_MAX: usize = 100;
/// Maximum rounds of a `repeat`. A method that needs more rounds should be started by a schedule instead.
pub const REPEAT_ROUNDS_MAX: u32 = 1_000;
/// Maximum number of steps that one commit of a run covers, if none of the steps makes a call.
/// A loop without calls therefore commits after this number of steps.
pub const WALK_STEPS_MAX: usize = 200;
/// Maximum nesting of child runs (not of steps). Deeper nesting is most likely unintended recursion.
pub const CHILDREN_DEPTH_MAX: usize = 16;
/// Maximum runs to which one commit sends the order `upgrade`, after checking them.
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
/// Maximum bytes of an idempotency or deduplication key. Keys
/// are indexed, and PostgreSQL's index rows have at most 2.7 KB.
pub const KEY_BYTES_MAX: usize = 200;
/// Maximum characters of an inbound message.
/// Carriers cut a message at this length, which is about ten segments; few people write as much.
pub const INBOUND_CHARS_MAX: usize = 1_600;
/// Maximum segments of a rendered message. Carriers accept this many as one message.
pub const MESSAGE_SEGMENTS_MAX: usize = 10;
/// Maximum bytes of a template file.
/// A message of ten segments has 1.5 KB; front matter and comments may take the other bytes.
pub const TEMPLATE_BYTES_MAX: usize = 64 * 1024;
/// Maximum nesting of blocks, calls and literals in a template, because the template parser recurses.
pub const TEMPLATE_DEPTH_MAX: usize = 32;
/// Maximum nesting of partials in partials, because rendering recurses.
pub const PARTIALS_DEPTH_MAX: usize = 32;
/// Maximum iterations of all blocks in one rendering. This limit ends nested loops within a second.
pub const RENDER_BLOCKS_MAX: usize = 200_000;
/// Maximum bytes that a rendering may produce. This limit ends long loops over data.
pub const RENDER_BYTES_MAX: usize = 1 << 20;
/// Maximum jobs that the writer takes at once. A larger batch would delay the first result for little gain.
pub const BATCH_MEMBERS_MAX: usize = 256;
/// Maximum jobs queued for a writer. This number of jobs takes a few seconds. If the queue is full,
/// a job from outside fails with `overloaded`, and a job of the driver waits.
pub const WRITER_QUEUE_MAX: usize = 4_096;
/// Maximum rows that one clean-up statement reads, updates or deletes.
pub const SWEEP_ROWS_MAX: usize = 1_000;
/// Maximum due runs that one claim takes.
pub const CLAIM_RUNS_MAX: usize = 128;
/// Maximum inbound messages of a tenant that are read and applied together on an embedded database.
/// All of them are interpreted when they are read, but applying one message may change the meaning
/// of a later one. In a larger batch, more messages would have to be interpreted a second time.
pub const APPLY_MESSAGES_MAX: usize = 200;
/// Like [`APPLY_MESSAGES_MAX`], on a database server. Each statement is a round trip there, and the messages for one request
/// share their statements. So when many requests are answered at once, a larger batch is applied faster.
pub const APPLY_MESSAGES_OF_SERVER_MAX: usize = 1_000;
/// Maximum tenants whose inbound messages are applied concurrently.
pub const APPLY_TENANTS_MAX: usize = 8;
/// Maximum tries, one second apart, to apply an inbound message that fails for a temporary reason.
/// After the last try, the message is set aside, because all deadlines of the tenant wait for it.
pub const APPLY_TRIES_MAX: u32 = 30;
/// Maximum messages of one tenant that are released together.
/// The sending of all of them must begin within a second. With [`CALLS_MAX`] concurrent requests
/// of 200 ms each, a provider accepts 80 messages in a second.
pub const SLICE_ROWS_MAX: usize = 50;
/// Maximum concurrent requests to a provider for one tenant.
/// Providers reject clients that have about a hundred open requests.
pub const CALLS_MAX: usize = 16;
/// Maximum overdue messages whose state is requested from a provider at once.
pub const LOOK_UPS_MAX: usize = 16;
/// Maximum unhandled signals from outside for one run. The sender of a further signal gets HTTP status 429.
pub const OPEN_SIGNALS_MAX: usize = 1_000;
/// Maximum pending timers of one run: messages that the run scheduled for itself.
pub const RUN_TIMERS_MAX: usize = 1_000;
/// Maximum schedules of one tenant. A church has dozens; only a runaway loop creates more than this.
pub const SCHEDULES_MAX: usize = 10_000;
/// Maximum missed times of one schedule that are caught up. Older times would be too late to be useful.
pub const CATCH_UP_MAX: usize = 100;
/// Number of times that a run can be claimed without a commit. After that,
/// the run is paused, because its step apparently crashes the process.
pub const POISON_CLAIMS: i64 = 5;
/// Skew between the clocks of a node and of the database above which the operator is warned.
/// NTP keeps the skew a thousand times smaller.
pub const CLOCK_SKEW_NOTED: super::Span = super::Span::from_secs(2);
/// Clock skew above which a node drives no runs, because people would notice that its deadlines are wrong.
pub const CLOCK_SKEW_MAX: super::Span = super::Span::from_secs(10);
/// Maximum attempts of a transaction that fails with a serialization error, including the first attempt.
pub const TX_ATTEMPTS_MAX: u32 = 3;
/// Maximum rounds of one part of the driver at one instant of the virtual clock, and maximum number of instants
/// to which one call of `advance` sets this clock on its way. Beyond either limit the call fails, because work
/// that falls due endlessly would never let it return.
pub const SETTLE_ROUNDS_MAX: u32 = 100_000;
/// Default number of items on a page of a list.
pub const PAGE_DEFAULT: usize = 50;
/// Maximum number of items on a page of a list.
pub const PAGE_MAX: usize = 500;
/// Maximum duration that a method may contain: ten years. A longer duration is most likely a mistake.
pub const DURATION_MAX: super::Span = super::Span::from_secs(3_650 * 86_400);
/// Maximum value of a method's `max_messages`.
pub const METHOD_MESSAGES_MAX: u64 = 1_000_000;
/// Maximum value of a method's `max_tool_calls`.
pub const METHOD_CALLS_MAX: u64 = 1_000_000;
/// Maximum characters of a problem's message, and of its detail: about one screen.
/// The limit is needed because the input that a message quotes may have megabytes.
pub const PROBLEM_CHARS_MAX: usize = 4_000;
/// Maximum characters of the message about one schema violation. The
/// limit is needed because the message quotes the whole invalid value.
pub const FAULT_CHARS_MAX: usize = 200;
/// Maximum findings that are kept for one file, per severity. Further findings are only counted.
pub const FINDINGS_MAX: usize = 200;
/// Maximum rows that leave the database for an archive in one transaction.
pub const ARCHIVE_ROWS_MAX: i64 = 1_000;
/// Maximum rows that leave in one transaction while a server works. Deleting them takes a few milliseconds, for which
/// other writes wait.
pub const ARCHIVE_ROWS_BESIDE_WORK: i64 = 250;
/// Size at which the file of an archive is sealed and the next one begun. An audit reads a file as a whole.
pub const ARCHIVE_BYTES_MAX: i64 = 256 << 20;
/// Maximum archives of a tenant that are begun on one day: their names have three digits.
pub const ARCHIVES_PER_DAY_MAX: u32 = 999;
