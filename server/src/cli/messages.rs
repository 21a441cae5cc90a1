//! `say` and `chat`: messages from a person's phone.

use clap::Args;

/// Arguments of `abide say`.
#[derive(Debug, Args)]
pub struct SayArgs {
    /// Phone number of the sender, in E.164 format
    #[arg(long, value_name = "PHONE")]
    pub from: String,
    /// Phone number that receives the message [default: the setting `sms_from`]
    #[arg(long, value_name = "PHONE")]
    pub to: Option<String>,
    /// Message id from the provider; a repeated id is processed once [default: a new id]
    #[arg(long, value_name = "ID")]
    pub id: Option<String>,
    /// Text of the message
    #[arg(required = true, value_name = "TEXT")]
    pub text: Vec<String>,
}

/// Arguments of `abide chat`.
#[derive(Debug, Args)]
pub struct ChatArgs {
    /// Phone number of the sender, in E.164 format
    #[arg(long, value_name = "PHONE")]
    pub from: String,
    /// Phone number that receives the messages [default: the setting `sms_from`]
    #[arg(long, value_name = "PHONE")]
    pub to: Option<String>,
}
