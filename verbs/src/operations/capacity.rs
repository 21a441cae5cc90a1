//! Reserves amounts of a capacity and gives amounts back, under the lock of the capacity's row.

use abide_engine::base::{Problem, RunId};
use abide_engine::store::Tx;

use super::OperationContext;
use crate::data;
use crate::data::capacity::{Capacity, Hold, Reservation};

/// Reserves an amount of a capacity, or gives an amount back if `amount` is negative.
/// Returns the capacity after the change. Does nothing if the call has made its reservation already.
///
/// An amount that is given back is taken first from what the run's own calls have reserved,
/// then from what the oldest calls of other runs have reserved.
/// So a run can give back an amount that an earlier run reserved.
///
/// # Errors
/// `capacity_unknown` if staff have not set this capacity; `capacity_exceeded` if the amount to reserve
/// is more than what is free; `not_reserved` if the amount to give back is more than what is reserved.
pub async fn reserve(
    tx: &mut Tx,
    context: &OperationContext<'_>,
    wanted: Reservation<'_>,
) -> Result<Capacity, Problem> {
    let found = data::capacity::lock(tx, context.tenant, wanted.key).await?;
    let mut capacity = found.ok_or_else(|| unknown(wanted.key))?;
    if data::capacity::is_recorded(tx, wanted.call).await? {
        return Ok(capacity);
    }
    capacity.used = used_after(&capacity, wanted.amount)?;
    if wanted.amount < 0 {
        let amount = -wanted.amount;
        // Each call that `holds` returns has at least 1 reserved, so `amount` calls are enough.
        let holds =
            data::capacity::holds(tx, context.tenant, wanted.key, wanted.run, amount).await?;
        data::capacity::set_held(tx, &take_from(holds, amount)).await?;
    }
    data::capacity::record(tx, context.tenant, wanted, context.now).await?;
    data::capacity::set_used(tx, context.tenant, &capacity, context.now).await?;
    Ok(capacity)
}

/// Gives back all amounts that are still reserved for calls of a run.
///
/// # Errors
/// Returns errors from the store.
pub async fn release_all(
    tx: &mut Tx,
    context: &OperationContext<'_>,
    run: RunId,
) -> Result<(), Problem> {
    for (key, held) in data::capacity::held_by(tx, run).await? {
        if let Some(mut capacity) = data::capacity::lock(tx, context.tenant, &key).await? {
            capacity.used -= held;
            data::capacity::set_used(tx, context.tenant, &capacity, context.now).await?;
        }
    }
    Ok(data::capacity::release_all(tx, run).await?)
}

/// Returns the capacity's reserved amount (`used`) after `amount` more is reserved,
/// or given back if `amount` is negative.
fn used_after(capacity: &Capacity, amount: i64) -> Result<i64, Problem> {
    let Capacity { key, total, used } = capacity;
    let after = used + amount;
    if amount > 0 && after > *total {
        let free = (total - used).max(0);
        return Err(Problem::caller(
            "capacity_exceeded",
            format!("`{key}` has {free} of {total} free, not {amount}"),
        )
        .with_hint("reserve less, wait until some is given back, or raise the capacity"));
    }
    if after < 0 {
        return Err(Problem::caller(
            "not_reserved",
            format!("`{key}` has {used} reserved, so {} cannot be given back", -amount),
        )
        .with_hint("give back at most what was reserved"));
    }
    Ok(after)
}

/// Takes `amount` from the amounts that these calls have reserved, from the first call on.
/// Returns the calls whose reserved amount changed.
fn take_from(holds: Vec<Hold>, mut amount: i64) -> Vec<Hold> {
    let mut changed = Vec::new();
    for hold in holds {
        if amount == 0 {
            break;
        }
        let taken = hold.held.min(amount);
        amount -= taken;
        changed.push(Hold { held: hold.held - taken, ..hold });
    }
    changed
}

fn unknown(key: &str) -> Problem {
    Problem::caller("capacity_unknown", format!("there is no capacity `{key}`"))
        .with_hint(format!("set it with `abide capacity set {key} TOTAL`"))
}

#[cfg(test)]
mod tests {
    use abide_engine::base::{CallId, TypedId};

    use super::*;

    #[test]
    fn reserved_is_never_more_than_there_is_nor_less_than_nothing() {
        let cases = [
            ((5, 0), 5, Ok(5)),
            ((5, 4), 1, Ok(5)),
            ((5, 4), 2, Err("capacity_exceeded")),
            ((5, 4), -4, Ok(0)),
            ((5, 4), -5, Err("not_reserved")),
            ((3, 5), -1, Ok(4)),
            ((3, 5), 1, Err("capacity_exceeded")),
        ];
        for ((total, used), amount, expected) in cases {
            let capacity = Capacity { key: "van".to_owned(), total, used };
            let found = used_after(&capacity, amount).map_err(|problem| problem.code.to_string());
            assert_eq!(found, expected.map_err(ToOwned::to_owned), "{used}/{total} {amount}");
        }
    }

    #[test]
    fn what_is_given_back_is_taken_in_order() {
        let hold = |n, held| Hold { call: CallId::from_uuid(uuid::Uuid::from_u128(n)), held };
        let holds = vec![hold(1, 2), hold(2, 3), hold(3, 1)];
        assert_eq!(take_from(holds.clone(), 3), [hold(1, 0), hold(2, 2)]);
        assert_eq!(take_from(holds, 2), [hold(1, 0)]);
    }
}
