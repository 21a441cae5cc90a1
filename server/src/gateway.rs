//! Builds the gateway that the option `--sms` selects.

use std::sync::Arc;

use abide_engine::base::Problem;
use abide_engine::gateway::Gateway;
use abide_engine::store::Address;

use crate::cli::SmsKind;
use crate::database;

/// Returns the gateway that `sms` selects, for a process on the database at `address`.
///
/// # Errors
/// `not_configured` if this version cannot send through that gateway.
/// If the process started with another gateway instead, messages would be lost unnoticed.
pub(crate) fn gateway(sms: SmsKind, address: &Address) -> Result<Arc<dyn Gateway>, Problem> {
    match sms {
        SmsKind::Loopback => Ok(Arc::new(database::loopback(address))),
        SmsKind::Twilio => {
            let message = "this version cannot send through Twilio";
            Err(Problem::caller("not_configured", message)
                .with_hint("omit `--sms`: the loopback stores every message and sends nothing"))
        }
    }
}
