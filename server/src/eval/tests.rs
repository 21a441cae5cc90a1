//! Tests each kind of input with a file of cases. A case has the field `in` (the input) and one of
//! `out` (fields that the output must have), `raw` (the exact output) or `error` (a part of the message).

use std::io::Cursor;
use std::sync::LazyLock;

use serde_json::{Value, json};

use super::*;

/// The intents and the tools of the program.
static CONTEXT: LazyLock<EvalContext> = LazyLock::new(|| EvalContext {
    intents: Arc::clone(Intents::builtin()),
    operator_intents: Arc::clone(OperatorIntents::builtin()),
    contracts: Arc::clone(&crate::library::load(None).expect("the library").contracts),
});

fn eval(kind: &str, lines: impl Into<Vec<u8>>) -> Vec<String> {
    let mut output = Vec::new();
    run(kind, &CONTEXT, Cursor::new(lines.into()), &mut output).expect("a known kind");
    let output = String::from_utf8(output).expect("UTF-8");
    output.lines().map(str::to_owned).collect()
}

fn check(kind: &str, cases: &str) {
    let cases: Vec<Value> =
        cases.lines().map(|line| serde_json::from_str(line).expect("a case")).collect();
    let lines: String = cases.iter().map(|case| format!("{}\n", case["in"])).collect();
    let answers = eval(kind, lines);
    assert_eq!(answers.len(), cases.len(), "one line out per line in");
    for (case, line) in cases.iter().zip(&answers) {
        check_one(case, line);
    }
}

fn check_one(case: &Value, line: &str) {
    if let Some(raw) = case["raw"].as_str() {
        return assert_eq!(line, raw, "{case}");
    }
    let answer: Value = serde_json::from_str(line).expect("a line of JSON");
    if let Some(part) = case["error"].as_str() {
        let error = answer["error"].as_str().unwrap_or_else(|| panic!("{case}: {line}"));
        return assert!(error.contains(part), "{case}: {line}");
    }
    let expected = case["out"].as_object().expect("`out`, `raw` or `error`");
    assert!(answer.get("error").is_none(), "{case}: {line}");
    for (name, value) in expected {
        assert_eq!(&answer[name], value, "{name} of {case}: {line}");
    }
}

#[test]
fn durations_follow_the_humantime_dialect() {
    check("durations", include_str!("cases/durations.jsonl"));
}

#[test]
fn schedules_fire_by_the_wall_clock_or_by_elapsed_time() {
    check("cron", include_str!("cases/cron.jsonl"));
}

#[test]
fn replies_are_read_in_their_context() {
    check("volunteer-replies", include_str!("cases/volunteer-replies.jsonl"));
}

#[test]
fn requests_of_staff_are_read_with_their_slots() {
    check("staff-requests", include_str!("cases/staff-requests.jsonl"));
}

#[test]
fn requests_of_a_trade_are_read_as_tools() {
    check("ops-requests", include_str!("cases/ops-requests.jsonl"));
}

#[test]
fn time_phrases_are_read() {
    check("times", include_str!("cases/times.jsonl"));
}

#[test]
fn texts_become_obligations_and_verified_answers() {
    check("obligations", include_str!("cases/obligations.jsonl"));
}

#[test]
fn goals_of_a_dialogue_are_kept() {
    check("agenda", include_str!("cases/agenda.jsonl"));
}

#[test]
fn segments_are_counted_as_carriers_bill_them() {
    check("segments", include_str!("cases/segments.jsonl"));
}

#[test]
fn templates_render_as_handlebars_does_and_escape_when_asked() {
    check("templates", include_str!("cases/templates.jsonl"));
}

#[test]
fn a_bad_line_is_answered_and_the_next_one_goes_on() {
    let good = r#"{"input":"1s"}"#;
    let mut lines = format!("{good}\n\n{{\"input\"\n{}\n", "[".repeat(100_000)).into_bytes();
    lines.extend_from_slice(b"{\"input\": \"\xff\"}\r\n");
    lines.extend(std::iter::repeat_n(b'x', 2 << 20));
    lines.extend_from_slice(format!("\n{good}").as_bytes());
    let answers = eval("durations", lines);
    let said: Vec<_> = answers.iter().map(|line| line.contains("\"error\"")).collect();
    assert_eq!(said, [false, true, true, true, true, true, false], "{answers:#?}");
    assert!(answers[4].contains("not UTF-8 from byte 12 on"), "{}", answers[4]);
    assert!(answers[5].contains("longer than"), "{}", answers[5]);
}

#[test]
fn no_input_gives_no_output() {
    assert!(eval("durations", "").is_empty());
}

#[test]
fn an_unknown_kind_is_told_the_known_ones() {
    let problem = run("duration", &CONTEXT, Cursor::new(""), Vec::new()).expect_err("no such kind");
    assert_eq!(problem.code, "unknown_kind");
    assert!(problem.hint.expect("a hint").contains("durations"));
    let problem =
        run("twilio-signatures", &CONTEXT, Cursor::new(""), Vec::new()).expect_err("not yet");
    assert_eq!(problem.code, "not_configured");
}

#[test]
fn each_answer_is_flushed_before_the_next_line_is_read() {
    struct Counted(usize);
    impl Write for Counted {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            self.0 += 1;
            Ok(())
        }
    }
    let mut output = Counted(0);
    let line = json!({ "input": "1s" }).to_string() + "\n";
    run("durations", &CONTEXT, Cursor::new(line.repeat(3)), &mut output).expect("answers");
    assert_eq!(output.0, 3);
}
