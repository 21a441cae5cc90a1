//! Emails: each has a row that says to whom it goes and whether the mail server has accepted it.

use abide_engine::adapter::{EmailRequest, SMTP};
use abide_engine::base::{Problem, TypedId as _, Value};
use abide_engine::store::Tx;
use abide_engine::verb::{CallContext, Effects, ExternalRequest, Prepared};
use serde_json::json;

use crate::cell::Cell;
use crate::data::{self, StoredRow};
use crate::refusal;
use crate::tool::input::{Input, known};

/// The state of an email that a mail server is to get.
pub(super) const SENDING: &str = "sending";
/// The state of an email that a mail server has accepted.
pub(super) const SENT: &str = "sent";

/// Returns the id of the email of a call: each call sends at most one.
fn id(cx: &CallContext<'_>) -> Result<String, Problem> {
    Ok(known("emails")?.id(cx.call.uuid()))
}

/// Stores that an email is to be sent, and says what the mail server must get. An earlier attempt of the
/// same call may have stored the email already.
pub(super) async fn prepare(
    tx: &mut Tx,
    cx: &CallContext<'_>,
    request: EmailRequest,
) -> Result<Prepared, Problem> {
    let (table, id) = (known("emails")?, id(cx)?);
    if data::find(tx, table, cx.tenant, &id).await?.is_none() {
        let mut row = StoredRow::new(table, id, cx.now);
        row.set("recipient", Cell::Text(request.to.clone()));
        row.set("cc", Cell::Text(json!(request.cc).to_string()));
        row.set("subject", Cell::Text(request.subject.clone()));
        row.set("state", Cell::Text(SENDING.to_owned()));
        data::insert_unless_known(tx, cx.tenant, &row).await?;
    }
    ExternalRequest::new(SMTP, request.to.as_str(), &request).map(Prepared::Call)
}

/// Records that the mail server has accepted the email of the call, and returns its row.
pub(super) async fn conclude(
    tx: &mut Tx,
    cx: &CallContext<'_>,
    effects: &mut Effects,
) -> Result<StoredRow, Problem> {
    let (table, id) = (known("emails")?, id(cx)?);
    let found = data::lock(tx, table, cx.tenant, &id).await?;
    let mut row = found.ok_or_else(|| Problem::bug(format!("the email `{id}` has no row")))?;
    row.set("state", Cell::Text(SENT.to_owned()));
    row.set("sent_at", Cell::Int(cx.now.micros()));
    let columns = [table.column("state"), table.column("sent_at")];
    let columns: Vec<_> =
        columns.into_iter().collect::<Result<_, String>>().map_err(Problem::bug)?;
    data::update(tx, cx.tenant, &mut row, &columns, cx.now).await?;
    // The row was inserted before the mail server was asked, in a commit that has no receipt.
    effects.wrote(table.name, "insert", row.id());
    Ok(row)
}

/// Returns what every tool that sends or shows an email says about it.
pub(super) fn result(email: &StoredRow) -> Value {
    json!({
        "message_id": email.id(),
        "to": email.text("recipient"),
        "state": email.text("state"),
    })
}

/// Returns the other people who get the same email.
pub(super) fn cc(input: &Input<'_>) -> Result<Vec<String>, Problem> {
    let addresses = input.list("cc").iter().map(|address| match address {
        Value::String(address) => Ok(address.clone()),
        _ => Err(refusal::invalid("cc", "is not a list of addresses")),
    });
    addresses.collect()
}
