//! `abide import people FILE.csv`: imports the valid rows, and lists the invalid ones with line and reason.

mod rows;

use serde_json::{Value, json};

use super::{Context, Outcome};
use crate::ask::Ask;
use crate::cli::ImportCommand;
use crate::exit::Exit;
use crate::link::Link;
use crate::output::bar::Bar;
use crate::output::{self, counted};
use crate::problem::ProblemDocument;
use rows::{Bad, Row, Rows};

/// Maximum number of people per request. Each request is one commit and stays far below the largest body.
const PEOPLE_A_REQUEST: usize = 200;

pub(super) async fn run(context: &Context, command: ImportCommand) -> Outcome {
    let ImportCommand::People(args) = command;
    let shown = args.file.display().to_string();
    let mut rows = Rows::open(&args.file)?;
    let bar = Bar::over(rows.bytes(), context.global.quiet);
    let link = context.link().await?;
    let mut import = Import { link: &link, kept: 0, bad: Vec::new() };
    loop {
        let (good, bad) = rows.next(PEOPLE_A_REQUEST)?;
        let is_done = good.is_empty() && bad.is_empty();
        import.bad.extend(bad);
        import.send(good).await?;
        bar.reach(rows.at());
        if is_done {
            break;
        }
    }
    bar.end();
    let Import { kept, mut bad, .. } = import;
    bad.sort_by_key(|bad| bad.line);
    tell(context, (&shown, kept), &bad);
    Ok(if bad.is_empty() { Exit::Done } else { Exit::Unwell })
}

fn tell(context: &Context, (file, kept): (&str, usize), bad: &[Bad]) {
    let listed: Vec<Value> =
        bad.iter().map(|bad| json!({"line": bad.line, "reason": bad.reason})).collect();
    if context.json(&json!({"imported": kept, "bad": listed})) {
        return;
    }
    for bad in bad {
        output::line(format_args!("{file}:{}: {}", bad.line, bad.reason));
    }
    let rest = match bad.len() {
        0 => String::new(),
        n => format!("; {} skipped", counted(n, "invalid row")),
    };
    output::note(format_args!("{} imported{rest}", counted(kept, "row")));
}

/// An import under way: the number of people stored, and the rows that were refused.
struct Import<'a> {
    link: &'a Link,
    kept: usize,
    bad: Vec<Bad>,
}

impl Import<'_> {
    /// Sends rows. The server accepts or refuses a request as a whole. A refused request is split into two
    /// halves and sent again, until each invalid row is alone in its request.
    async fn send(&mut self, rows: Vec<Row>) -> Result<(), ProblemDocument> {
        let mut parts = vec![rows];
        while let Some(mut part) = parts.pop() {
            if part.is_empty() {
                continue;
            }
            let people: Vec<&Value> = part.iter().map(|row| &row.person).collect();
            match self.link.send(Ask::post("/v1/people", json!(people))).await {
                Ok(_) => self.kept += part.len(),
                Err(problem) if !is_about_a_row(&problem) => return Err(problem),
                Err(problem) if part.len() == 1 => {
                    self.bad.extend(part.pop().map(|row| row.refused(&problem)));
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

/// Whether a problem is caused by a row, and not by the server, its database or a missing permission.
fn is_about_a_row(problem: &ProblemDocument) -> bool {
    [404, 409, 422].contains(&problem.status)
}
