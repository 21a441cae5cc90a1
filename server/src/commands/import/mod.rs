//! `abide import people FILE.csv`: imports the valid rows.
//! It lists the invalid rows, each with its line and the reason.

mod rows;

use serde_json::{Value, json};

use super::context::{CommandResult, Context};
use crate::api_request::ApiRequest;
use crate::cli::ImportCommand;
use crate::exit::Exit;
use crate::link::Link;
use crate::output::progress::Progress;
use crate::output::{self, counted};
use crate::problem::ProblemDocument;
use rows::{Batch, InvalidRow, Row, Rows};

/// Maximum number of people per request. Each request is one commit.
/// The body of such a request stays far below the maximum size of a request body.
const PEOPLE_PER_REQUEST: usize = 200;

pub(super) async fn run(context: &Context, command: ImportCommand) -> CommandResult {
    let ImportCommand::People(args) = command;
    let mut rows = Rows::open(&args.file)?;
    let progress = Progress::for_bytes(rows.bytes());
    let link = context.link().await?;
    let mut import = Import { link: &link, stored: 0, invalid: Vec::new() };
    loop {
        let Batch { valid, invalid } = rows.next(PEOPLE_PER_REQUEST)?;
        let is_done = valid.is_empty() && invalid.is_empty();
        import.invalid.extend(invalid);
        import.send(valid).await?;
        progress.set_done(rows.bytes_read());
        if is_done {
            break;
        }
    }
    progress.finish();
    let Import { stored, mut invalid, .. } = import;
    invalid.sort_by_key(|row| row.line);
    print(context, &args.file.display().to_string(), stored, &invalid);
    Ok(if invalid.is_empty() { Exit::Success } else { Exit::Failure })
}

/// Prints how many rows of `file` were stored, and why the other rows were not stored.
fn print(context: &Context, file: &str, stored: usize, invalid: &[InvalidRow]) {
    let listed: Vec<Value> =
        invalid.iter().map(|row| json!({"line": row.line, "reason": row.reason})).collect();
    if context.json(&json!({"imported": stored, "bad": listed})) {
        return;
    }
    for row in invalid {
        output::line(format_args!("{file}:{}: {}", row.line, row.reason));
    }
    let skipped = match invalid.len() {
        0 => String::new(),
        n => format!("; {} skipped", counted(n, "invalid row")),
    };
    output::note(format_args!("{} imported{skipped}", counted(stored, "row")));
}

/// An import under way: the number of people stored, and the invalid rows.
struct Import<'a> {
    link: &'a Link,
    stored: usize,
    invalid: Vec<InvalidRow>,
}

impl Import<'_> {
    /// Sends rows. The server accepts or rejects a request as a whole. The rows of a rejected request are
    /// split into two halves and sent again, until each invalid row is alone in its request.
    async fn send(&mut self, rows: Vec<Row>) -> Result<(), ProblemDocument> {
        let mut parts = vec![rows];
        while let Some(mut part) = parts.pop() {
            if part.is_empty() {
                continue;
            }
            let people: Vec<&Value> = part.iter().map(|row| &row.person).collect();
            match self.link.send(ApiRequest::post("/v1/people", json!(people))).await {
                Ok(_) => self.stored += part.len(),
                Err(problem) if !is_about_a_row(&problem) => return Err(problem),
                Err(problem) if part.len() == 1 => {
                    self.invalid.extend(part.pop().map(|row| row.into_invalid(&problem)));
                }
                Err(_) => {
                    let later = part.split_off(part.len() / 2);
                    parts.extend([later, part]);
                }
            }
        }
        Ok(())
    }
}

/// Whether a row of the request caused the problem. Other problems are caused by the server, its database
/// or a missing permission.
fn is_about_a_row(problem: &ProblemDocument) -> bool {
    [404, 409, 422].contains(&problem.status)
}
