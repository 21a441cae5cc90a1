//! The HTTP API on top of the engine: the routes, the middleware and the OpenAPI description.

mod access;
mod app;
mod detach;
mod extract;
mod guard;
mod idempotency;
mod layers;
mod observe;
mod openapi;
mod page;
mod refusal;
mod router;
mod routes;
#[cfg(test)]
mod testing;

pub use app::App;
pub use guard::Guard;
pub(crate) use guard::SameProcess;
pub(crate) use openapi::reference_page;
