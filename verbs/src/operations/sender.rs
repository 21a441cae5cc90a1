//! The church as the sender of messages: renders templates in the church's name,
//! and finds send times outside the recipients' quiet hours.

use abide_engine::base::{Problem, Timestamp, Value};
use abide_engine::store::Tx;
use abide_engine::template::{Rendered, StandardValues, Templates};
use jiff::tz::TimeZone;

use super::{OperationContext, time_zone};
use crate::data;
use crate::data::person::Person;

/// The church as the sender of messages: its name and time zone.
pub struct SenderProfile {
    name: String,
    zone_name: String,
    zone: TimeZone,
}

impl SenderProfile {
    /// Loads the name of the tenant, which its settings may give, or else its church. A tenant without a name signs
    /// no text.
    ///
    /// # Errors
    /// Returns errors from the store.
    pub async fn load(tx: &mut Tx, context: &OperationContext<'_>) -> Result<Self, Problem> {
        let name = match &context.settings.name {
            Some(name) => name.clone(),
            None => {
                let church = data::church::find(tx, context.tenant).await?;
                church.map(|church| church.name).unwrap_or_default()
            }
        };
        let zone = time_zone::of(context.settings);
        Ok(Self { name, zone_name: time_zone::name(context.settings).to_owned(), zone })
    }

    /// Returns the given instant if it is outside the person's quiet hours, otherwise the first instant
    /// after these quiet hours.
    #[must_use]
    pub fn permitted(
        &self,
        context: &OperationContext<'_>,
        person: &Person,
        at: Timestamp,
    ) -> Timestamp {
        let own = person.time_zone.as_deref().and_then(|name| TimeZone::get(name).ok());
        context.settings.quiet_hours.permitted(at, own.as_ref().unwrap_or(&self.zone))
    }

    /// Renders a template for a person, with the standard variables of the church.
    ///
    /// # Errors
    /// Returns errors from rendering, such as `message_too_long`.
    pub fn render(
        &self,
        templates: &Templates,
        person: &Person,
        template: &str,
        vars: &Value,
    ) -> Result<Rendered, Problem> {
        let first = person.name.split_whitespace().next().unwrap_or(&person.name);
        let own_zone = person.time_zone.as_deref().filter(|name| TimeZone::get(name).is_ok());
        let standard = StandardValues {
            church: &self.name,
            name: first,
            zone: own_zone.unwrap_or(&self.zone_name),
        };
        templates.render_in(person.language(), template, &standard.with(vars))
    }
}
