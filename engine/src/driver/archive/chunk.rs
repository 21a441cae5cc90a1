//! Chooses the rows of the next chunk.

use crate::archive::ArchiveConfig;
use crate::base::{Problem, StreamId, Timestamp, TypedId as _};
use crate::store::{
    ArchiveCutoffs, ArchiveRange, ArchivedGroup, ArchivedRows, Keep, LEDGER, Param, RUNS, Tx,
    VALUES,
};

use super::super::core::{ArchivePlace as Place, tenant_stream};

/// Number of large values that one look reads. Each has some kilobytes.
const VALUES_PER_LOOK: i64 = 100;

/// Whose rows a chunk contains.
#[derive(Debug, Clone)]
pub(super) enum Source {
    /// Units that begin to leave. They may leave only if they still qualify.
    New(&'static ArchivedGroup),
    /// Units that have begun to leave.
    Leaving(&'static ArchivedGroup),
    /// Large values that nothing names any more.
    Values,
    /// The first events of the tenant's own stream.
    Events,
}

/// Rows that leave in one transaction.
#[derive(Debug, Clone)]
pub(super) struct Chunk {
    pub(super) source: Source,
    /// The ids of the units.
    pub(super) ids: Vec<Param>,
    /// The instant before which the units ended.
    pub(super) before: Timestamp,
    /// The rows, in the order in which they leave.
    pub(super) rows: Vec<ArchivedRows>,
    /// Whether these are all rows of the units.
    pub(super) whole: bool,
}

/// What one look for rows has found.
pub(super) enum Found {
    /// Rows that may leave, and where the search goes on after them.
    Chunk(Box<Chunk>, Place),
    /// None at this place. The search goes on at another one.
    Nothing(Place),
    /// Values that need not wait any more, because something else names them. The search goes on at another place.
    Needed(Vec<Param>, Place),
    /// None at all.
    End,
}

/// What is searched for rows that may leave.
pub(super) struct Search<'a> {
    pub(super) config: &'a ArchiveConfig,
    pub(super) tenant: &'a str,
    pub(super) cutoffs: ArchiveCutoffs,
    /// Maximum number of rows of a chunk.
    pub(super) rows_max: i64,
}

impl Search<'_> {
    fn group(&self, at: usize) -> Option<&'static ArchivedGroup> {
        std::iter::once(&RUNS).chain(self.config.groups).nth(at)
    }

    /// Looks for rows that may leave, at one place.
    pub(super) async fn look(&self, tx: &mut Tx, place: Place) -> Result<Found, Problem> {
        let Some(group) = self.group(place.group) else {
            return match place.group - self.config.groups.len() {
                1 => self.look_at_values(tx, place).await,
                _ => self.look_at_events(tx, place).await,
            };
        };
        let before = match group.keep {
            Keep::Runs => self.cutoffs.runs,
            Keep::Messages => self.cutoffs.messages,
        };
        let leaving = tx.leaving(group, self.tenant).await?;
        if !leaving.is_empty() {
            let chunk = self.read(tx, Source::Leaving(group), leaving, before).await?;
            return Ok(Found::Chunk(Box::new(chunk), place));
        }
        let range = ArchiveRange { after: place.after, before };
        let units = tx.archivable(group, self.tenant, range).await?;
        let next = match units.next {
            Some(after) => Place { after, ..place },
            None => place.next_group(),
        };
        if units.ids.is_empty() {
            return Ok(Found::Nothing(next));
        }
        let chunk = self.read(tx, Source::New(group), units.ids, before).await?;
        Ok(Found::Chunk(Box::new(chunk), next))
    }

    async fn read(
        &self,
        tx: &mut Tx,
        source: Source,
        ids: Vec<Param>,
        before: Timestamp,
    ) -> Result<Chunk, Problem> {
        let (Source::New(group) | Source::Leaving(group)) = source else {
            return Err(Problem::bug("a chunk of units has a group"));
        };
        let (mut rows, mut room) = (Vec::new(), self.rows_max);
        for table in group.tables {
            if room == 0 {
                break;
            }
            let found = match table.name {
                "ledger" => read_events(tx, &ids, room).await?,
                _ => tx.archived_rows(table, ids.clone(), room).await?,
            };
            room -= i64::try_from(found.rows.len()).unwrap_or(room);
            rows.push(found);
        }
        Ok(Chunk { source, ids, before, rows, whole: room > 0 })
    }

    async fn look_at_values(&self, tx: &mut Tx, place: Place) -> Result<Found, Problem> {
        let values = tx.old_values(self.tenant, place.after_value, VALUES_PER_LOOK).await?;
        let next = match values.next {
            Some(after_value) => Place { after_value, ..place },
            None => place.next_group(),
        };
        if !values.needed.is_empty() {
            // The others are found again from the same place.
            return Ok(Found::Needed(values.needed, place));
        }
        if values.free.is_empty() {
            return Ok(Found::Nothing(next));
        }
        let ids = values.free;
        let rows = vec![tx.archived_rows(&VALUES, ids.clone(), VALUES_PER_LOOK).await?];
        let (source, before) = (Source::Values, self.cutoffs.runs);
        let chunk = Chunk { source, ids, before, rows, whole: true };
        Ok(Found::Chunk(Box::new(chunk), next))
    }

    async fn look_at_events(&self, tx: &mut Tx, place: Place) -> Result<Found, Problem> {
        let stream = StreamId::from_uuid(tenant_stream(tx, self.tenant).await?);
        let before = self.cutoffs.events;
        let base = tx.chain_bases(&[stream]).await?.first().map_or(0, |base| base.seq);
        let events = tx.old_events(stream, base, before, self.rows_max).await?;
        if events.rows.is_empty() {
            return Ok(Found::End);
        }
        let (source, rows) = (Source::Events, vec![events]);
        let chunk = Chunk { source, ids: Vec::new(), before, rows, whole: true };
        Ok(Found::Chunk(Box::new(chunk), place))
    }
}

/// Reads at most `room` events of some streams, of each stream the first ones that have not left.
async fn read_events(tx: &mut Tx, ids: &[Param], room: i64) -> Result<ArchivedRows, Problem> {
    let streams = ids.iter().filter_map(|id| match id {
        Param::Id(Some(id)) => Some(StreamId::from_uuid(*id)),
        _ => None,
    });
    let streams: Vec<StreamId> = streams.collect();
    let bases = tx.chain_bases(&streams).await?;
    let mut all = ArchivedRows { table: &LEDGER, rows: Vec::new() };
    for stream in streams {
        let left = room - i64::try_from(all.rows.len()).unwrap_or(room);
        if left <= 0 {
            break;
        }
        let base = bases.iter().find(|base| base.stream == stream).map_or(0, |base| base.seq);
        all.rows.extend(tx.events_to_archive(stream, base, left).await?.rows);
    }
    Ok(all)
}
