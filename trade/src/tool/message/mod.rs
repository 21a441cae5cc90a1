//! Texts to phones: what staff or programs write, and quotes and invoices.

mod sms;
mod text;

pub(super) use sms::{SendText, TextStatus};
