//! Hands emails to a mail server (SMTP, RFC 5321).
//!
//! A mail server cannot be asked whether it has an email. If its answer to the text of an email is lost, it
//! stays unknown whether the email was sent, and the email is not sent again.

use abide_engine::adapter::{
    Adapter, AdapterCall, CallAnswer, CallLookup, EmailRequest, NotConfigured,
};
use abide_engine::base::{Problem, Value};
use async_trait::async_trait;
use lettre::message::{Mailbox, header::ContentType};
use lettre::transport::smtp::Error;
use lettre::{AsyncSmtpTransport, AsyncTransport, Message, Tokio1Executor};

use crate::secrets::Secrets;

/// The environment variable with the address of the mail server, such as
/// `smtps://user:password@mail.example.org`.
pub const SMTP_URL: &str = "ABIDE_SMTP_URL";
/// The environment variable with the address that emails come from.
pub const EMAIL_FROM: &str = "ABIDE_EMAIL_FROM";

/// Sends emails.
pub(crate) struct Smtp {
    secrets: Secrets,
}

type Transport = AsyncSmtpTransport<Tokio1Executor>;

impl Smtp {
    pub(crate) fn new(secrets: Secrets) -> Self {
        Self { secrets }
    }

    /// Builds the connection to the mail server and the email, and checks that the server is there.
    async fn prepare(&self, call: &AdapterCall) -> Result<(Transport, Message), Problem> {
        let (url, from) = (self.secrets.required(SMTP_URL)?, self.secrets.required(EMAIL_FROM)?);
        let message = message(call, &from)?;
        let transport =
            Transport::from_url(&url).map_err(|error| wrong_setting(SMTP_URL, error))?;
        let transport = transport.build();
        match transport.test_connection().await {
            Ok(true) => Ok((transport, message)),
            Ok(false) => Err(away("it answers, but does not accept emails")),
            Err(error) => Err(away(&error.to_string())),
        }
    }
}

#[async_trait]
impl Adapter for Smtp {
    fn missing(&self, _request: &Value) -> Option<NotConfigured> {
        let unset = |name: &&str| self.secrets.get(name).is_none();
        let unset: Vec<String> = [SMTP_URL, EMAIL_FROM]
            .iter()
            .filter(|name| unset(name))
            .map(|n| (*n).to_owned())
            .collect();
        if unset.is_empty() {
            return None;
        }
        Some(NotConfigured {
            reason: "There is no mail server to send emails through.".to_owned(),
            required_env: unset,
            next_steps: vec![
                format!(
                    "Set {SMTP_URL} to the address of the mail server, such as smtps://user:password@mail.example.org."
                ),
                format!("Set {EMAIL_FROM} to the address that emails come from."),
            ],
        })
    }

    async fn call(&self, call: &AdapterCall) -> CallAnswer {
        let (transport, message) = match self.prepare(call).await {
            Ok(ready) => ready,
            Err(problem) => return CallAnswer::NotDone { problem },
        };
        match transport.send(message).await {
            Ok(response) => {
                let said = response.first_line().unwrap_or_default().to_owned();
                CallAnswer::Done { answer: serde_json::json!({ "said": said }) }
            }
            Err(error) => failed(&error),
        }
    }

    async fn look_up(&self, _call: &AdapterCall) -> CallLookup {
        let reason = "a mail server cannot be asked whether it has an email".to_owned();
        CallLookup::NeverKnown { reason }
    }
}

/// Builds the email. Its `Message-ID` is made from the id of the call, so that a mailbox that gets it twice
/// shows it once.
fn message(call: &AdapterCall, from: &str) -> Result<Message, Problem> {
    let email: EmailRequest = serde_json::from_value(call.request.clone())
        .map_err(|error| Problem::bug(error.to_string()))?;
    let sender = mailbox(from).map_err(|error| wrong_setting(EMAIL_FROM, error))?;
    let host = sender.email.domain().to_owned();
    let mut message = Message::builder()
        .from(sender)
        .to(recipient(&email.to)?)
        .subject(email.subject)
        .message_id(Some(format!("<{}@{host}>", call.call)))
        .header(ContentType::TEXT_PLAIN);
    for cc in &email.cc {
        message = message.cc(recipient(cc)?);
    }
    message.body(email.body).map_err(|error| Problem::caller("args_invalid", error.to_string()))
}

fn mailbox(address: &str) -> Result<Mailbox, lettre::address::AddressError> {
    address.parse()
}

fn recipient(address: &str) -> Result<Mailbox, Problem> {
    mailbox(address).map_err(|error| {
        Problem::caller("args_invalid", format!("`{address}` is no email address: {error}"))
    })
}

fn wrong_setting(name: &str, error: impl std::fmt::Display) -> Problem {
    Problem::operator("not_configured", format!("{name} is wrong: {error}"))
        .with_hint(format!("correct {name}"))
}

/// Sorts a failed attempt. A reply of the server says that it did not take the email. Without a reply, it may
/// have.
fn failed(error: &Error) -> CallAnswer {
    match error.status() {
        Some(code) if error.is_permanent() => {
            let message = format!("the mail server refused the email with {code}: {error}");
            let problem = Problem::caller("refused", message).with_hint("check the addresses");
            CallAnswer::NotDone { problem }
        }
        Some(_) => CallAnswer::NotDone { problem: away(&error.to_string()) },
        None if error.is_client() => {
            let problem = Problem::caller("refused", format!("the email cannot be sent: {error}"));
            CallAnswer::NotDone { problem }
        }
        None => CallAnswer::Unknown { reason: error.to_string() },
    }
}

fn away(why: &str) -> Problem {
    Problem::transient("unavailable", format!("the mail server cannot take the email now: {why}"))
}
