//! The router of the whole API.

use axum::Router;

use super::access::RULES;
use super::guard::{Gate, Guard};
use super::idempotency::IdempotencyKeys;
use super::{App, layers, openapi};

impl App {
    /// Returns the router of the whole API, protected by `guard`.
    pub fn router(self, guard: Guard) -> Router {
        let keys = IdempotencyKeys::new(self.engine.clone());
        let gate = Gate::new(self.engine.clone(), guard, RULES);
        layers::wrap(Router::from(openapi::routes()).with_state(self), gate, keys)
    }
}
