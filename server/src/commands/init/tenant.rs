//! What differs from tenant to tenant: a name, a time zone and weekly services. `abide init` takes them from its options,
//! or asks for them, and stores them in the database.

use std::io::{BufRead, IsTerminal, Write};

use serde_json::{Value, json};

use crate::api_request::ApiRequest;
use crate::cli::InitArgs;
use crate::commands::context::Context;
use crate::commands::tenant::patch;
use crate::link::Link;
use crate::output;
use crate::problem::ProblemDocument;

/// Maximum number of services that are asked for. A church has a handful.
const SERVICES_MAX: usize = 50;

/// Stores what the options say. Asks for the rest if a person sits at the terminal, or if `--ask` is given.
///
/// # Errors
/// The problem of the first option that is refused. An answer that is refused is asked for again.
pub(super) async fn set_up(context: &Context, args: &InitArgs) -> Result<(), ProblemDocument> {
    let given = args.name.is_some() || args.time_zone.is_some() || !args.services.is_empty();
    let quiet = context.global.quiet || context.global.json;
    let asks = args.ask || (!given && !quiet && std::io::stdin().is_terminal());
    if !given && !asks {
        return Ok(());
    }
    let link = context.link().await?;
    let tenant = Tenant { link: &link, id: &context.global.tenant };
    for (setting, value) in [("name", &args.name), ("time_zone", &args.time_zone)] {
        if let Some(value) = value {
            tenant.set(setting, value).await?;
        }
    }
    for service in &args.services {
        tenant.add_service(service).await?;
    }
    if asks {
        let mut questions = Questions { input: std::io::stdin().lock(), tenant: &tenant };
        questions.ask(context, args).await?;
    }
    Ok(())
}

/// The tenant that is set up.
struct Tenant<'t> {
    link: &'t Link,
    id: &'t str,
}

impl Tenant<'_> {
    async fn set(&self, setting: &str, value: &str) -> Result<(), ProblemDocument> {
        let change = json!({ "settings": { setting: value } });
        patch(self.link, self.id, change).await.map(drop)
    }

    /// Adds a weekly service, written as `Sunday 9:00 first`.
    async fn add_service(&self, written: &str) -> Result<(), ProblemDocument> {
        let body = service(written)?;
        self.link.send(ApiRequest::post("/v1/services", body)).await.map(drop)
    }
}

/// Reads a service, written as `Sunday 9:00 first`: the day, the time and the name. The API checks what they say.
fn service(written: &str) -> Result<Value, ProblemDocument> {
    let mut words = written.split_whitespace();
    let (weekday, time) = (words.next(), words.next());
    let name = words.collect::<Vec<_>>().join(" ");
    match (weekday, time) {
        (Some(weekday), Some(time)) if !name.is_empty() => {
            Ok(json!({ "name": name, "weekday": weekday, "time": time }))
        }
        _ => {
            let detail = format!("`{}` is not a day, a time and a name", written.trim());
            Err(ProblemDocument::new(422, "invalid_service", detail)
                .with_hint("write it as `Sunday 9:00 first`"))
        }
    }
}

/// Asks the person who sets a tenant up. Each answer is one line.
struct Questions<'q, I> {
    input: I,
    tenant: &'q Tenant<'q>,
}

impl<I: BufRead> Questions<'_, I> {
    /// Asks for what the options do not say. An empty line leaves something out; the end of the input ends the questions.
    async fn ask(&mut self, context: &Context, args: &InitArgs) -> Result<(), ProblemDocument> {
        let settings = [
            ("name", &args.name, "What is your church or business called?"),
            ("time_zone", &args.time_zone, "In which time zone is it, such as America/Chicago?"),
        ];
        for (setting, _, question) in settings.into_iter().filter(|(_, given, _)| given.is_none()) {
            while let Some(answer) = self.line(question)? {
                match self.tenant.set(setting, &answer).await {
                    Ok(()) => break,
                    Err(problem) => context.print_problem(&problem),
                }
            }
        }
        let mut added = 0;
        while args.services.is_empty() && added < SERVICES_MAX {
            let question = match added {
                0 => {
                    "When are your weekly services, such as `Sunday 9:00 first`? Leave the line empty if there are none."
                }
                _ => "And the next one? Leave the line empty if there are no more.",
            };
            let Some(answer) = self.line(question)? else { break };
            match self.tenant.add_service(&answer).await {
                Ok(()) => added += 1,
                Err(problem) => context.print_problem(&problem),
            }
        }
        Ok(())
    }

    /// Asks one question. Returns `None` for an empty line, and at the end of the input.
    fn line(&mut self, question: &str) -> Result<Option<String>, ProblemDocument> {
        output::note(question);
        let unreadable = |error: std::io::Error| {
            ProblemDocument::new(422, "unreadable", format!("cannot read the answer: {error}"))
        };
        std::io::stderr().flush().map_err(unreadable)?;
        let mut line = String::new();
        self.input.read_line(&mut line).map_err(unreadable)?;
        let answer = line.trim();
        Ok((!answer.is_empty()).then(|| answer.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_service_is_a_day_a_time_and_a_name() {
        let read = service("  Sunday 9:00  first service ").expect("is a service");
        assert_eq!(read, json!({"name": "first service", "weekday": "Sunday", "time": "9:00"}));
        for wrong in ["", "Sunday", "Sunday 9:00"] {
            assert_eq!(service(wrong).expect_err(wrong).code, "invalid_service");
        }
    }
}
