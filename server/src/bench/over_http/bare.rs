//! A bare server that only stores: what webhooks cost without abide.

use abide_engine::base::Problem;
use abide_engine::store::Address;
use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::post;
use tokio::sync::{mpsc, oneshot};

use super::callers::call_all;
use super::replies::inbound;
use crate::api_request::ApiRequest;
use crate::bench::figures::Rate;
use crate::bench::raw::BareTable;
use crate::server_address::ServerAddress;

/// Maximum number of bodies that one commit stores.
const BATCH: usize = 128;

/// A body to store, and the channel that reports its commit.
type Insert = (String, oneshot::Sender<()>);

/// Measures the rate at which a bare server stores the bodies of `n` webhooks.
///
/// # Errors
/// Any problem of the database or of the server.
pub(super) async fn measure(address: &Address, n: usize) -> Result<Rate, Problem> {
    let table = BareTable::create(address).await?;
    let (inserts, queue) = mpsc::channel(BATCH * 8);
    let writer = tokio::spawn(write_all(table, queue));
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.map_err(no_socket)?;
    let url = format!("http://{}", listener.local_addr().map_err(no_socket)?);
    let server = ServerAddress { url, key: "none".to_owned() };
    let routes = Router::new().route("/insert", post(insert)).with_state(inserts);
    let served = tokio::spawn(async move { axum::serve(listener, routes).await });
    let calls = call_all(&server, n, |nth| {
        ApiRequest::post("/insert", inbound("bare", nth, format!("+1512200{nth:04}")))
    })
    .await;
    served.abort();
    let _ = served.await;
    let written =
        writer.await.map_err(|e| Problem::bug(format!("the bare writer died: {e}")))??;
    let rate = calls?.rate;
    if written != n as u64 {
        return Err(Problem::bug(format!("the bare server stored {written} of {n} bodies")));
    }
    Ok(rate)
}

async fn insert(State(inserts): State<mpsc::Sender<Insert>>, body: String) -> StatusCode {
    let (stored, answer) = oneshot::channel();
    match inserts.send((body, stored)).await {
        Ok(()) if answer.await.is_ok() => StatusCode::NO_CONTENT,
        _ => StatusCode::SERVICE_UNAVAILABLE,
    }
}

/// Stores the bodies of the queue, as many in one commit as have arrived. Returns how many are stored.
async fn write_all(
    mut table: BareTable,
    mut queue: mpsc::Receiver<Insert>,
) -> Result<u64, Problem> {
    let (mut batch, mut written) = (Vec::new(), 0);
    while queue.recv_many(&mut batch, BATCH).await > 0 {
        let bodies: Vec<&str> = batch.iter().map(|(body, _): &Insert| body.as_str()).collect();
        table.insert(&bodies).await?;
        written += batch.len() as u64;
        for (_, stored) in batch.drain(..) {
            let _ = stored.send(());
        }
    }
    table.remove().await?;
    Ok(written)
}

fn no_socket(error: std::io::Error) -> Problem {
    Problem::operator("cannot_listen", "the benchmark cannot listen on a port of this machine")
        .with_detail(error.to_string())
}
