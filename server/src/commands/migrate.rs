//! `abide migrate`: migrates the database to the newest schema.

use std::sync::Arc;

use abide_engine::clock::SystemClock;
use abide_engine::store::{Address, DriverLock, Migration, SchemaStatus, Store};
use abide_simulator::domains;
use serde_json::{Value, json};

use super::context::{CommandResult, Context};
use crate::cli::MigrateArgs;
use crate::database;
use crate::exit::Exit;
use crate::output;
use crate::problem::ProblemDocument;

pub(super) async fn run(context: &Context, args: &MigrateArgs) -> CommandResult {
    let address = database::address(context.global.db.as_deref());
    let missing = address.file().is_some_and(|file| !file.exists());
    if missing && (args.dry_run || args.status) {
        let status = SchemaStatus { applied: 0, known: newest_number(&domains::migrations()) };
        return report(context, args, status, &address);
    }
    let options = database::store_options(address.clone(), Arc::new(SystemClock));
    let before = Store::schema(&options).await?;
    if args.dry_run || args.status {
        return report(context, args, before, &address);
    }
    refuse_newer(before)?;
    // Only one process at a time can take the lock of an embedded database file.
    // So the schema of the file does not change while another process uses the file.
    let _lock = address.file().map(DriverLock::take).transpose()?;
    let after = Store::migrate(&options).await?;
    let applied: Vec<Value> =
        migrations_between(&domains::migrations(), before.applied, after.applied);
    if context.json(&json!({"schema": after.applied, "applied": applied})) {
        return Ok(Exit::Success);
    }
    if applied.is_empty() {
        output::line(format_args!("{address} is at schema {}: nothing to do", after.applied));
    } else {
        output::line(format_args!("{address} migrated to schema {}", after.applied));
    }
    Ok(Exit::Success)
}

fn report(
    context: &Context,
    args: &MigrateArgs,
    status: SchemaStatus,
    address: &Address,
) -> CommandResult {
    let migrations = domains::migrations();
    let pending = migrations_between(&migrations, status.applied, status.known);
    let exit = if args.status && !status.is_current() { Exit::Failure } else { Exit::Success };
    let data = json!({"schema": status.applied, "newest": status.known, "pending": pending});
    if context.json(&data) {
        return Ok(exit);
    }
    let rows = migrations.iter().map(|m| {
        let applied = if m.number <= status.applied { "applied" } else { "pending" };
        [m.number.to_string(), m.name.to_owned(), applied.to_owned()]
    });
    output::line(format_args!("{address}: schema {} of {}", status.applied, status.known));
    output::line(output::table(["number", "name", "state"], rows));
    if let Some(problem) = status.refusal() {
        output::note(format_args!("hint: {}", problem.hint.unwrap_or_default()));
    }
    Ok(exit)
}

fn refuse_newer(status: SchemaStatus) -> Result<(), ProblemDocument> {
    match status.refusal() {
        Some(problem) if status.applied > status.known => Err(problem.into()),
        _ => Ok(()),
    }
}

fn newest_number(migrations: &[Migration]) -> i64 {
    migrations.iter().map(|m| m.number).max().unwrap_or(0)
}

/// Lists the migrations after `from`, up to and including `to`.
fn migrations_between(migrations: &[Migration], from: i64, to: i64) -> Vec<Value> {
    let between = migrations.iter().filter(|m| m.number > from && m.number <= to);
    between.map(|m| json!({"number": m.number, "name": m.name})).collect()
}
