//! Contains all SQL of the engine. Each file contains the statements about one kind of row. Each statement
//! is written once for both databases, and one atomic [`Commit`] writes a step of a run.
//! ARCHITECTURE.md explains lane A and lane B.

mod address;
mod approval;
mod archive;
mod audit;
mod backup;
mod barrier;
mod blob;
mod child;
mod commit;
mod conn;
mod consent;
mod contact;
mod conversation;
mod copy;
mod definition;
mod dialect;
mod due;
mod durability;
mod erased;
mod error;
mod event_log;
mod faults;
mod finish;
mod hooks;
mod inbound;
mod lane_b;
mod ledger;
mod leftovers;
mod lock;
mod locked;
mod member;
mod members;
mod message_writers;
mod migrate;
mod node;
mod open;
mod outbox;
mod overview;
mod param;
mod partition;
mod pii;
mod postgres;
mod preview;
mod read_step;
mod received;
mod redaction;
mod refs;
mod response;
mod row;
mod rows;
mod run;
mod run_filter;
mod run_list;
mod schedule;
mod seal;
mod shadow_report;
mod signal;
mod signal_batch;
mod snapshot;
mod sqlite;
mod step_commit;
#[expect(clippy::module_inception, reason = "`Store` is the main type, beside its parts")]
mod store;
mod switch;
mod tally;
mod temporary;
mod tenant;
mod tool_key;
mod topic;
mod turn;
mod tx;
mod undo;
mod upgrade;
mod var;
mod version;
mod wait;
mod wal;
mod writer;

pub use address::Address;
pub use approval::{ApprovalEnd, ApprovalFilter, ApprovalRow, ApprovalState};
pub use archive::{
    ArchiveCutoffs, ArchiveRow, ArchiveState, ArchivedGroup, ArchivedRows, ArchivedTable,
    ChainBase, Keep, Kept, KeptTable, kept, kept_tables,
};
pub(crate) use archive::{ArchiveRange, LEDGER, RUNS, VALUES, named_digests};
pub use audit::{ChangedStream, KeyRange, StreamHead, StreamPosition};
pub use child::{Branch, ChildRow, ParentLink};
pub use commit::{Commit, Committed, Head, TurnChange, Unwoken, VarRow, WaitRow};
pub use consent::{Consent, ContactConsent};
pub use contact::ContactId;
pub use conversation::Turn;
pub use copy::{CopiedTable, CopyScope, RunCopy};
pub use dialect::Dialect;
pub use due::Due;
pub use durability::DurabilitySetting;
pub use erased::tx_closure;
pub use error::{StoreError, is_conflict, is_fatal, is_infrastructure};
pub use event_log::{EventPosition, EventQuery};
pub use faults::{
    CommitPart, CommitParts, CommitPoint, FaultAction, StatementHooks, WorkKind, WorkPermit,
};
pub use hooks::{FaultHooks, NoFaults};
pub use inbound::{InboundResult, InboundRow, NewInbound, UnappliedMessage};
pub use ledger::{LedgerRow, ReceiptFilter};
pub use leftovers::Leftovers;
pub use lock::{DriverLock, holder};
pub use migrate::{CORE, ENGINE_MIGRATIONS, Migration, SchemaStatus};
pub use node::LiveNode;
pub use open::{ClockReadings, StoreOptions};
pub use outbox::{
    AttemptResult, Candidate, Cause, DeliveryState, HeldSend, MessageQuery, MessageState,
    OutboundRow, OutboxMessage, Outgoing, PostponedMessage, Queued, QueuedAbout, QueuedText,
    ReportedId, ReportedMessage, SendAttempt, ShadowMessage, StoredCause, TriedSend,
};
pub use overview::Overview;
pub use param::{ColumnType, Param};
pub use postgres::PLANNER;
pub use preview::{HeldMessages, HeldRuns};
pub use read_step::ReadStep;
pub use received::{NewReceived, ReceivedStored};
pub use redaction::{
    ErasureOrder, MessageTable, RedactedEvent, TextCursor, TextPage, TextTable, redacted_event,
};
pub use refs::{About, Fence, MethodRef, RunRef};
pub use response::RESPONSE_QUERIES;
pub use row::Row;
pub use rows::Rows;
pub use run::{DrivenBy, Inserted, NewRun, RunRow};
pub use run_filter::RunFilter;
pub use schedule::{ScheduleProgress, ScheduleRow, ScheduleTarget};
pub use seal::SealName;
pub use shadow_report::SentByRun;
pub use signal::{OpenSignals, SignalKind, SignalRow};
pub use signal_batch::{NewSignal, SignalStored};
pub use sqlite::Durability;
pub use store::Store;
pub use switch::{SwitchPhase, TenantJob};
pub use tally::Tally;
pub use temporary::TemporaryDatabase;
pub use tenant::TenantRow;
pub use tool_key::{KeyedCall, ToolKey};
pub use turn::{Claim, NO_CAPABLE_NODE};
pub use tx::{LockRank, Tx, WorkDue};
pub use undo::UndoRow;
pub use upgrade::{UpgradeResult, UpgradeRow, UpgradeState, UpgradedRun};
pub use version::{ActiveMethod, LiveBundle, VersionOrigin, VersionRow};
