//! Every bound of the engine, each with the reason for its value.

/// A method's text: a thousand-line method is 60 KB; beyond this it is not written by people.
pub const METHOD_BYTES_MAX: usize = 1 << 20;
/// A file of settings: forty of them, each with a page of comments.
pub const SETTINGS_BYTES_MAX: usize = 256 * 1024;
/// YAML nodes of one document: an alias bomb stops here in milliseconds.
pub const YAML_NODES_MAX: usize = 60_000;
/// YAML nesting: a method nests steps four deep; parsers recurse, and every level costs stack.
pub const YAML_DEPTH_MAX: usize = 64;
/// The parser's own stack: the deepest document takes half of it in a build without optimisation.
pub const YAML_STACK_BYTES: usize = 8 << 20;
/// Steps of one method, so that checking and drawing stay under a tenth of a second.
pub const METHOD_STEPS_MAX: usize = 2_000;
/// Nesting of an expression: the parser and the evaluator recurse.
pub const EXPR_DEPTH_MAX: usize = 64;
/// Bytes of one expression's text.
pub const EXPR_BYTES_MAX: usize = 8 * 1024;
/// Work of one evaluation, in visited nodes and list items: bounds `minus` over long lists.
pub const EXPR_FUEL_MAX: u64 = 2_000_000;
/// Facts from the database that one step's expressions may ask for.
pub const EXPR_FACTS_MAX: usize = 64;
/// The head of a run: frames and waits only; variables are rows of their own.
pub const HEAD_BYTES_MAX: usize = 8 * 1024;
/// Frames of a run: nesting of steps, branches and children.
pub const FRAMES_MAX: usize = 64;
/// A value above this lives once, by digest; everything else points at it.
pub const INLINE_VALUE_BYTES_MAX: usize = 2 * 1024;
/// One variable: 10,000 person ids are 370 KB.
pub const VALUE_BYTES_MAX: usize = 4 << 20;
/// A goal, as JSON: what one person says they want, with room for a thousand ids. Every step of its
/// run may read it, and every page that shows the run does.
pub const GOAL_BYTES_MAX: usize = 64 * 1024;
/// The variables of a start, together, as JSON: with the goal they leave room in one request of HTTP,
/// and a batch of 256 starts stays under 100 MB.
pub const START_VARS_BYTES_MAX: usize = 256 * 1024;
/// What a signal carries, as JSON: the thousand open ones of a run are 64 MB.
pub const SIGNAL_BYTES_MAX: usize = 64 * 1024;
/// Nesting of a value from outside: receipts and events nest it further, and who reads them back
/// stops at 128.
pub const VALUE_DEPTH_MAX: usize = 64;
/// Items that a `foreach` walks: a congregation, not a phone book.
pub const FOREACH_ITEMS_MAX: usize = 100_000;
/// Rounds of a `foreach` whose step waits inside the run; beyond it each round is a child run.
pub const FOREACH_WAITING_MAX: u64 = 16;
/// Items of a `foreach` at work at a time: each is a run of its own and takes a worker.
pub const CONCURRENCY_MAX: u32 = 100;
/// Branches side by side: written by hand, each a child run.
pub const BRANCHES_MAX: usize = 32;
/// Children started in one commit: it stays in the tens of milliseconds.
pub const CHILDREN_CHUNK_MAX: usize = 100;
/// Rounds of a `repeat`: a loop that goes on for longer is a schedule.
pub const REPEAT_ROUNDS_MAX: u32 = 1_000;
/// Steps without a call that a run walks in one commit: a loop that only computes stops to save.
pub const WALK_STEPS_MAX: usize = 200;
/// Children inside children: runs, not steps; deeper is a mistake that feeds on itself.
pub const CHILDREN_DEPTH_MAX: usize = 16;
/// Runs that are judged and given an order in one commit: it stays in the tens of milliseconds.
pub const UPGRADE_RUNS_MAX: usize = 200;
/// People of one chunk of a bulk verb: a commit stays in the tens of milliseconds.
pub const CHUNK_PEOPLE_MAX: usize = 200;
/// Items of a list inside a receipt; longer lists become a count and a digest.
pub const RECEIPT_LIST_MAX: usize = 100;
/// Attempts of one call.
pub const ATTEMPTS_MAX: u32 = 100;
/// A key of idempotency or deduplication: index rows of PostgreSQL end at 2.7 KB.
pub const KEY_BYTES_MAX: usize = 200;
/// An inbound text: ten segments is long for a person; carriers cut at 1,600 characters.
pub const INBOUND_CHARS_MAX: usize = 1_600;
/// A rendered message, in segments: what carriers accept as one message.
pub const MESSAGE_SEGMENTS_MAX: usize = 10;
/// A template's text: a message of ten segments is 1.5 KB, the rest is front matter and comments.
pub const TEMPLATE_BYTES_MAX: usize = 64 * 1024;
/// Nesting of blocks, calls and literals in a template: its parser recurses.
pub const TEMPLATE_DEPTH_MAX: usize = 32;
/// Partials inside partials: rendering recurses.
pub const PARTIALS_DEPTH_MAX: usize = 32;
/// Rounds of all blocks of one rendering: loops in loops over data end within a second.
pub const RENDER_BLOCKS_MAX: usize = 200_000;
/// What a template may grow to while it renders, so that loops over data end.
pub const RENDER_BYTES_MAX: usize = 1 << 20;
/// Members of one writer batch: more would delay the first answer for little gain.
pub const BATCH_MEMBERS_MAX: usize = 256;
/// Jobs that wait for a writer before callers from outside are refused with `overloaded`: some
/// seconds of work. The driver's own wait for room.
pub const WRITER_QUEUE_MAX: usize = 4_096;
/// Rows of one deleting or sweeping statement.
pub const SWEEP_ROWS_MAX: usize = 1_000;
/// Due runs of one claim.
pub const CLAIM_RUNS_MAX: usize = 128;
/// Messages of a tenant that one round reads and applies: more would be read again before their turn.
pub const APPLY_MESSAGES_MAX: usize = 32;
/// Tenants whose messages are applied side by side.
pub const APPLY_TENANTS_MAX: usize = 8;
/// Tries of a message that cannot be applied for a reason that may pass, a second apart: then it is set
/// aside, for the tenant's deadlines wait for it.
pub const APPLY_TRIES_MAX: u32 = 30;
/// Messages of one slice: what a provider that takes 200 ms is handed within the second in which they must
/// begin to leave, and some fewer.
pub const SLICE_ROWS_MAX: usize = 50;
/// Gateway calls of one tenant at a time: providers refuse callers with about a hundred open calls.
pub const CALLS_MAX: usize = 16;
/// Messages that a provider is asked about at a time.
pub const LOOK_UPS_MAX: usize = 16;
/// Open signals of one run from outside, beyond which a sender gets 429.
pub const OPEN_SIGNALS_MAX: usize = 1_000;
/// Timers of one run that have not gone off: what it schedules for itself, by hand or in a loop.
pub const RUN_TIMERS_MAX: usize = 1_000;
/// Schedules of one tenant: a church has dozens; beyond this a loop makes them.
pub const SCHEDULES_MAX: usize = 10_000;
/// Missed times of one schedule that are made up for: more would only be late.
pub const CATCH_UP_MAX: usize = 100;
/// Claims of a run without one commit before it is set aside as poison.
pub const POISON_CLAIMS: i64 = 5;
/// A node's clock this far from the database's is told to the operator: NTP keeps it a thousand times
/// nearer.
pub const CLOCK_SKEW_NOTED: super::Span = super::Span::from_secs(2);
/// Beyond this a node takes no work: its deadlines would be wrong by what people notice.
pub const CLOCK_SKEW_MAX: super::Span = super::Span::from_secs(10);
/// Repeats of a whole transaction after a serialization error.
pub const TX_ATTEMPTS_MAX: u32 = 3;
/// Rounds of settling at one virtual instant before we say which run never ends.
pub const SETTLE_ROUNDS_MAX: u32 = 100_000;
/// A page of a list.
pub const PAGE_DEFAULT: usize = 50;
/// The longest page of a list.
pub const PAGE_MAX: usize = 500;
/// The longest timeout, wait or pause: ten years are a typing error, not a plan.
pub const DURATION_MAX: super::Span = super::Span::from_secs(3_650 * 86_400);
/// Messages that a method's own limit may name.
pub const METHOD_MESSAGES_MAX: u64 = 1_000_000;
/// Characters of a problem's message and of its detail: a screenful; what they quote may be megabytes.
pub const PROBLEM_CHARS_MAX: usize = 4_000;
/// Characters of one fault of a value against its schema: the validator quotes the whole value.
pub const FAULT_CHARS_MAX: usize = 200;
/// Findings that are shown for one file; whoever has more mends those first.
pub const FINDINGS_MAX: usize = 200;
