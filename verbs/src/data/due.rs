//! When something falls due by itself.

use abide_engine::base::Timestamp;
use abide_engine::store::{StoreError, Tx};

/// The first of: an open offer or question that expires, a service that begins before its request is
/// final, people who are to be told that their offer was taken back (at once). A kill switch holds its
/// tenant's.
pub async fn next(tx: &mut Tx) -> Result<Option<Timestamp>, StoreError> {
    let row = tx
        .row(
            "SELECT
                (SELECT o.expires_at FROM offer o JOIN tenant t ON t.id = o.tenant
                    WHERE o.state = 'pending' AND t.paused = 0
                    ORDER BY o.expires_at, o.id LIMIT 1),
                (SELECT MIN(expires_at) FROM ask WHERE state = 'open'),
                (SELECT MIN(r.service_time) FROM request r
                    WHERE r.status IN ('draft', 'open', 'partially_filled', 'filled')
                    AND NOT EXISTS (SELECT 1 FROM tenant t WHERE t.id = r.tenant AND t.paused = 1)),
                (SELECT CAST(0 AS BIGINT) FROM offer WHERE notice = 1 LIMIT 1)",
            &[],
        )
        .await?;
    let Some(row) = row else { return Ok(None) };
    let mut first = None;
    for column in 0..4 {
        first = first.into_iter().chain(row.opt_at(column)?).min();
    }
    Ok(first)
}
