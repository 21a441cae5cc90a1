//! Lists the rows that are copied for a forecast: the facts and the simulated plant, because a step may look them up. What
//! was asked, planned and talked about is not copied: no step reads it.

use abide_engine::copied;
use abide_engine::store::CopiedTable;

/// The tables to copy. They are inserted into the forecast's database in this sequence.
pub static COPIED: [CopiedTable; 6] = [
    copied!(
        "source",
        [id Id, tenant Text, kind Text, uri Text, info_jsonb Text, created_at Int],
        Tenant,
        "WHERE tenant = $2"
    ),
    copied!(
        "entity",
        [id Id, tenant Text, type Text, key Text, alias_jsonb Text, created_at Int],
        Tenant,
        "WHERE tenant = $2"
    ),
    copied!(
        "relation",
        [id Id, tenant Text, src_id Id, rel_type Text, dst_id Id, attrs_jsonb Text],
        Tenant,
        "WHERE tenant = $2"
    ),
    copied!(
        "modifier",
        [id Id, tenant Text, target_kind Text, target_id Id, key Text, value Text, unit Text],
        Tenant,
        "WHERE tenant = $2"
    ),
    copied!(
        "assertion",
        [id Id, tenant Text, subject_id Id, predicate Text, object Text, valid_from Int, valid_to Int,
         source_id Id],
        Tenant,
        "WHERE tenant = $2"
    ),
    copied!(
        "plant_ball",
        [tenant Text, x Int, y Int, drift_x Int, drift_y Int, at Int],
        Tenant,
        "WHERE tenant = $2"
    ),
];
