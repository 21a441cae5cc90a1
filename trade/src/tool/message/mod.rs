//! What the business sends: texts, emails, and quotes and invoices by either.

mod document;
mod email;
mod letter;
mod log;
mod mail;
mod sms;
mod text;

pub(super) use document::{EmailDocument, SendDocument};
pub(super) use email::{EmailStatus, SendEmail};
pub(super) use sms::{SendText, TextStatus};
