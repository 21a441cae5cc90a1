//! The demo of the contacts database: some people, some of them friends of whoever asks, and one computed fact.

use abide_engine::base::Problem;
use abide_engine::store::Tx;

use crate::data::contacts::{self, NewContact};
use crate::data::ir;

const CONTACTS: [NewContact<'_>; 5] = [
    NewContact { name: "Maya Chen", city: "Seattle", is_friend: true },
    NewContact { name: "Omar Haddad", city: "Seattle", is_friend: true },
    NewContact { name: "Priya Nair", city: "Boise", is_friend: true },
    NewContact { name: "Tom Reed", city: "Seattle", is_friend: false },
    NewContact { name: "Lena Fox", city: "Austin", is_friend: false },
];

/// Adds the demo to a tenant. Loading it again changes nothing.
///
/// # Errors
/// Errors from the store.
pub async fn load(tx: &mut Tx, tenant: &str) -> Result<(), Problem> {
    contacts::put_contacts(tx, tenant, &CONTACTS).await?;
    ir::put_computed(tx, tenant, "ask.eval_math", "2+2", "4").await?;
    Ok(())
}
