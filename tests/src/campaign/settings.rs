//! Settings that another process changes: every process uses the new settings from its next step on.

use abide_engine::store::{Address, RunRef};
use serde_json::{Value, json};

use super::church::{Church, Setup, on_both};
use super::probe::probed;

const PATIENT: &str = "
method: patient
steps:
  - call: echo
    args: { value: 1 }
  - await: { signal: go, timeout: 20days }
  - call: echo
    args: { value: 2 }
";

const WELL: &str = "method: well\nsteps: [ { call: echo, args: { value: 1 } } ]\n";

fn setup() -> Setup {
    probed(&[("patient", PATIENT), ("well", WELL)])
}

/// Changes settings without notifying the church's process. On PostgreSQL, another process changes
/// the settings. An embedded file can have only one process, so SQL changes the settings in the file.
async fn change_settings_elsewhere(church: &mut Church, changes: Value, sql: &'static str) {
    match church.address() {
        Address::Postgres(_) => {
            let other = church.open_another().await;
            other.set_settings("default", &changes).await.expect("set");
        }
        Address::Sqlite(_) => church.execute(sql).await,
    }
}

const SHORT: &str =
    "UPDATE tenant SET policy = '{\"run_max_duration\":\"1h\"}', version = version + 1";
const AWAKE: &str =
    "UPDATE tenant SET policy = '{\"quiet_hours\":\"none\"}', version = version + 1";
const ASLEEP: &str =
    "UPDATE tenant SET policy = '{\"quiet_hours\":\"00:00-23:59\"}', version = version + 1";

on_both!(a_step_uses_settings_that_another_process_changed, with setup(), async |mut church: Church| {
    let run = church.start("patient", json!({})).await.expect("started").id;
    church.advance("2h").await;
    change_settings_elsewhere(&mut church, json!({"run_max_duration": "1h"}), SHORT).await;
    church.engine().signal(RunRef { tenant: "default", run }, "go", &Value::Null, None).await.expect("sent");
    church.engine().tick().await.expect("settled");
    let view = church.run(run).await;
    assert_eq!(view.error.expect("it took too long").code, "max_duration");
    church.assert_consistent().await;
});

on_both!(a_start_uses_settings_that_another_process_changed, with setup(), async |mut church: Church| {
    for _ in 0..2 {
        church.start("patient", json!({})).await.expect("started"); // the second start uses cached data
    }
    change_settings_elsewhere(&mut church, json!({"run_max_duration": "1h"}), SHORT).await;
    let run = church.start("patient", json!({})).await.expect("started").id;
    church.advance("61min").await;
    assert_eq!(church.run(run).await.error.expect("it took too long").code, "max_duration");
    church.assert_consistent().await;
});

on_both!(a_decision_to_send_uses_settings_that_another_process_changed, with setup(), async |mut church: Church| {
    church.start("well", json!({})).await.expect("started");
    church.advance("12h").await; // now it is ten in the evening
    change_settings_elsewhere(&mut church, json!({"quiet_hours": "none"}), AWAKE).await;
    church.fill(5).await;
    church.engine().tick().await.expect("settled");
    assert_eq!(church.provider.sent().len(), 12, "the quiet hours are off");
    church.assert_consistent().await;
});

on_both!(a_release_uses_settings_that_another_process_changed, with setup(), async |mut church: Church| {
    church.advance("20h").await; // now it is six in the morning: invitations wait until eight
    church.fill(5).await;
    assert_eq!(church.provider.sent(), []);
    church.move_clock("3h");
    change_settings_elsewhere(&mut church, json!({"quiet_hours": "00:00-23:59"}), ASLEEP).await;
    church.engine().tick().await.expect("settled");
    assert_eq!(church.provider.sent(), [], "the changed quiet hours apply");
    church.assert_consistent().await;
});
