//! All SQL of the engine, in one file per noun. Each statement has one portable text for both databases,
//! and one atomic [`Commit`] writes a step of a run. ARCHITECTURE.md explains the two lanes.

mod address;
mod audit;
mod backup;
mod barrier;
mod blob;
mod child;
mod commit;
mod conn;
mod consent;
mod contact;
mod copy;
mod definition;
mod dialect;
mod due;
mod durability;
mod error;
mod faults;
mod inbound;
mod ledger;
mod lock;
mod migrate;
mod node;
mod outbox;
mod overview;
mod param;
mod partition;
mod pii;
mod postgres;
mod preview;
mod row;
mod rows;
mod run;
mod schedule;
mod scratch;
mod signal;
mod sqlite;
#[expect(clippy::module_inception, reason = "`Store` is the main type, beside its parts")]
mod store;
mod switch;
mod tally;
mod tenant;
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
pub use child::{BRANCH_WALKS, Branch, ChildOf, ChildRow};
pub use commit::{Commit, Committed, Head, TurnChange, VarRow, WaitRow};
pub use contact::ContactId;
pub use copy::{CopiedTable, CopyScope, RunCopy};
pub use dialect::Dialect;
pub use due::Due;
pub use durability::DurabilityFact;
pub use error::{StoreError, is_clash, is_fatal, is_infrastructure};
pub use faults::{CommitPoint, Faults, Holding, NoFaults, Part, Turn, Verdict, Work};
pub use inbound::{InboundRow, NewInbound};
pub use ledger::{EventPlace, LedgerRow};
pub use lock::{DriverLock, holder};
pub use migrate::{
    BARRIER, CORE, FAIR_OUTBOX, LIMITS, Migration, OUTBOX, REPORTS, SCHEDULES, SchemaStatus,
    TENANTS, VERSIONS,
};
pub use node::LiveNode;
pub use outbox::{
    Candidate, Cause, DeliveryState, HeldBack, HeldSend, MessageQuery, OutboxMessage, Outgoing,
    Queued, ReportedId, ReportedMessage, SentRow,
};
pub use overview::Overview;
pub use param::{Kind, Param};
pub use preview::{HeldKind, HeldRuns};
pub use row::Row;
pub use rows::Rows;
pub use run::{Inserted, NewRun, RunFilter, RunRow};
pub use schedule::{ScheduleRow, Stand, Target};
pub use scratch::Scratch;
pub use signal::SignalRow;
pub use sqlite::Durability;
pub use store::{Options, Store, work};
pub use switch::{SwitchPhase, TenantJob};
pub use tally::Tally;
pub use tenant::TenantRow;
pub use turn::{Claim, NO_CAPABLE_NODE};
pub use tx::{Rank, Stirred, Tx};
pub use undo::UndoRow;
pub use upgrade::{UpgradeRow, UpgradedRun};
pub use version::{ActiveMethod, VersionRow};
