//! The tools of the simulated plant: look at the ball, nudge it, push it.

use abide_engine::base::{Problem, Span, Value};
use abide_engine::store::Tx;
use abide_engine::verb::{CallContext, Effects, VerbOutcome, WriteVerb};
use async_trait::async_trait;
use serde::Deserialize;
use serde_json::json;

use super::{looked_up, read};
use crate::data::plant;
use crate::obligations::plant::{Ball, Vector, WALL, from_metres, in_metres};

/// The radius of "in place" if nobody says one, in metres.
const RADIUS: f64 = 0.1;
/// The radius of "at the centre" if nobody says one, in metres.
const CENTRE: f64 = 0.02;

#[derive(Deserialize)]
struct SenseArgs {
    #[serde(default)]
    pred: Option<String>,
    #[serde(default)]
    r: Option<f64>,
    #[serde(default)]
    ahead: Option<String>,
}

/// Looks where the ball is, and whether a predicate about it holds.
pub(super) struct BallSense;

#[async_trait]
impl WriteVerb for BallSense {
    async fn run(
        &self,
        tx: &mut Tx,
        cx: &CallContext<'_>,
        args: &Value,
        _: Option<&Value>,
    ) -> Result<VerbOutcome, Problem> {
        let SenseArgs { pred, r, ahead } = read(args)?;
        let ball = plant::ball(tx, cx.tenant, cx.now).await?.at(cx.now);
        let ahead = ahead.as_deref().map(str::parse::<Span>).transpose();
        let ahead = ahead.map_err(|error| Problem::caller("args_invalid", error.to_string()))?;
        let stays = |metres: f64| ball.stays_within(from_metres(metres), ahead.unwrap_or_default());
        let holds = match pred.as_deref() {
            Some("ball.outside_radius") => !stays(r.unwrap_or(RADIUS)),
            Some("ball.touch_wall" | "ball.hit_wall") => !stays(in_metres(WALL - 1)),
            Some("ball.at_center") => stays(r.unwrap_or(CENTRE)),
            _ => stays(r.unwrap_or(RADIUS)),
        };
        let distance = in_metres(ball.place.length());
        let value = format!("{distance} m from the centre");
        Ok(looked_up(json!({ "holds": holds, "distance": distance, "value": value })))
    }
}

/// Moves the ball towards the centre.
pub(super) struct BallNudge;

#[async_trait]
impl WriteVerb for BallNudge {
    async fn run(
        &self,
        tx: &mut Tx,
        cx: &CallContext<'_>,
        _: &Value,
        _: Option<&Value>,
    ) -> Result<VerbOutcome, Problem> {
        let ball = plant::ball(tx, cx.tenant, cx.now).await?.at(cx.now).nudged();
        stored(tx, cx, &ball).await
    }
}

#[derive(Deserialize)]
struct PushArgs {
    #[serde(default)]
    x: f64,
    #[serde(default)]
    y: f64,
    #[serde(default)]
    drift_x: Option<f64>,
    #[serde(default)]
    drift_y: Option<f64>,
}

/// Disturbs the ball: moves it, and changes what moves it from then on.
pub(super) struct BallPush;

#[async_trait]
impl WriteVerb for BallPush {
    async fn run(
        &self,
        tx: &mut Tx,
        cx: &CallContext<'_>,
        args: &Value,
        _: Option<&Value>,
    ) -> Result<VerbOutcome, Problem> {
        let PushArgs { x, y, drift_x, drift_y } = read(args)?;
        let ball = plant::ball(tx, cx.tenant, cx.now).await?.at(cx.now);
        let drift = Vector {
            x: drift_x.map_or(ball.drift.x, from_metres),
            y: drift_y.map_or(ball.drift.y, from_metres),
        };
        let by = Vector { x: from_metres(x), y: from_metres(y) };
        stored(tx, cx, &Ball { drift, ..ball.pushed(by) }).await
    }
}

/// Stores the ball, and says where it is.
async fn stored(tx: &mut Tx, cx: &CallContext<'_>, ball: &Ball) -> Result<VerbOutcome, Problem> {
    plant::put_ball(tx, cx.tenant, ball).await?;
    let distance = in_metres(ball.place.length());
    let mut effects = Effects::default();
    effects.wrote("plant_ball", "update", cx.tenant);
    Ok(VerbOutcome::done(json!({ "distance": distance }), effects))
}
