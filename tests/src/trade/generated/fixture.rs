//! Makes the rows that calls of a tool need, through the tools that make such rows.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use abide_engine::base::Value;
use abide_engine::contract::{Contract, Contracts, Effect};
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;

use super::input::{Extent, Given, input, members, row_of};
use crate::campaign::church::Church;
use crate::trade::call;

/// The calls that bring the rows of a tool's input into the state that the tool needs, in their order.
/// Each works on the same rows as the tool.
const PREPARATIONS: &[(&str, &[&str])] = &[
    ("ask.forget", &["ask.save"]),
    ("email.send_invoice", &["invoice.add_line_item", "invoice.finalize"]),
    ("email.send_quote", &["quote.add_line_item", "quote.finalize"]),
    ("inspection.generate_scope_summary", &["inspection.add_items"]),
    ("integrations.xero.push_invoice", &["invoice.add_line_item", "invoice.finalize"]),
    ("invoice.finalize", &["invoice.add_line_item"]),
    ("invoice.send", &["invoice.add_line_item", "invoice.finalize"]),
    ("job.complete", &["job.start"]),
    ("job.reschedule", &["job.schedule"]),
    ("payment.record", &["invoice.add_line_item", "invoice.finalize"]),
    ("quote.finalize", &["quote.add_line_item"]),
    ("quote.send", &["quote.add_line_item", "quote.finalize"]),
];

/// Which row a member of an input gets.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    /// A new one, which the call may change.
    Fresh,
    /// One that all calls share, because they only refer to it.
    Shared,
}

/// The rows of one church.
pub(super) struct Fixture<'a> {
    church: &'a Church,
    contracts: &'a Contracts,
    /// The ids of shared rows, by the tools that made them.
    shared: Mutex<BTreeMap<String, Value>>,
    count: AtomicU32,
}

impl<'a> Fixture<'a> {
    pub(super) const fn new(church: &'a Church, contracts: &'a Contracts) -> Self {
        let shared = Mutex::new(BTreeMap::new());
        Self { church, contracts, shared, count: AtomicU32::new(0) }
    }

    /// Makes new rows for a call of a tool, prepares them, and returns the input of the call.
    ///
    /// # Errors
    /// What a tool answered that makes or prepares a row.
    pub(super) async fn input(&self, tool: &Contract, extent: Extent) -> Result<Value, String> {
        self.prepared(tool, extent, Scope::Fresh).await
    }

    fn prepared<'f>(
        &'f self,
        tool: &'f Contract,
        extent: Extent,
        scope: Scope,
    ) -> BoxFuture<'f, Result<Value, String>> {
        async move {
            let mut rows = BTreeMap::new();
            let members = members(tool, extent);
            let names: BTreeSet<_> = members.iter().filter_map(|it| row_of(tool, it)).collect();
            for name in names {
                let id = self.row(tool, &name, scope).await?;
                rows.insert(name, id);
            }
            for step in preparations(tool) {
                let step = self.contracts.get(step).ok_or_else(|| format!("no tool `{step}`"))?;
                let input = input(step, Extent::Required, &self.given(&rows))?;
                self.done(step, input).await?;
            }
            input(tool, extent, &self.given(&rows))
        }
        .boxed()
    }

    fn given<'r>(&self, rows: &'r BTreeMap<String, Value>) -> Given<'r> {
        Given { rows, number: self.count.fetch_add(1, Ordering::Relaxed) }
    }

    /// Returns the id of a row for a call of a tool.
    async fn row(&self, tool: &Contract, name: &str, scope: Scope) -> Result<Value, String> {
        let maker = self.maker(tool, name)?;
        let known = self.shared().get(&maker.name).cloned();
        if let Some(id) = known.filter(|_| scope == Scope::Shared) {
            return Ok(id);
        }
        // What the preparations change belongs to this row alone.
        let inner = if preparations(maker).is_empty() { Scope::Shared } else { Scope::Fresh };
        let input = self.prepared(maker, Extent::All, inner).await?;
        let id = match self.done(maker, input).await? {
            Some(result) => result[name].clone(),
            // Only tools need such a row that are not configured either.
            None => "nothing".into(),
        };
        if scope == Scope::Shared {
            self.shared().insert(maker.name.clone(), id.clone());
        }
        Ok(id)
    }

    /// Returns the tool that makes a row: of the tools whose result has the id of the row, the one of the
    /// same domain, or the one whose name says that it creates something.
    fn maker(&self, tool: &Contract, name: &str) -> Result<&'a Contract, String> {
        let makes = |it: &&Contract| {
            matches!(it.effect, Effect::Write | Effect::External)
                && it.produces.iter().any(|produced| produced == name)
                && it.output.member(name).is_some()
        };
        let fits = |it: &&Contract| {
            (it.domain() != tool.domain(), !it.name.contains(".create"), it.name.clone())
        };
        let maker = self.contracts.iter().filter(makes).min_by_key(fits);
        maker.ok_or_else(|| format!("no tool produces the `{name}` that `{}` needs", tool.name))
    }

    /// Makes a call that belongs to the fixture. Returns its result; `None` if its tool is not configured.
    async fn done(&self, tool: &Contract, input: Value) -> Result<Option<Value>, String> {
        let receipt = call(self.church, &tool.name, input).await;
        match receipt["status"].as_str() {
            Some("succeeded") => Ok(Some(receipt["result"].clone())),
            Some("not_configured") if !tool.is_implemented() => Ok(None),
            _ => Err(format!("the preparation `{}` ended so: {receipt:#}", tool.name)),
        }
    }

    fn shared(&self) -> MutexGuard<'_, BTreeMap<String, Value>> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn preparations(tool: &Contract) -> &'static [&'static str] {
    PREPARATIONS.iter().find(|(name, _)| *name == tool.name).map_or(&[], |(_, steps)| steps)
}
