//! Reads and writes the rows of files: which tenant has stored which file.

use abide_engine::base::{Digest, Timestamp};
use abide_engine::params;
use abide_engine::store::{ColumnType, CopiedTable, CopyScope, LockRank, StoreError, Tx};

/// A file whose bytes are stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredFile {
    /// The digest of its bytes.
    pub digest: Digest,
    /// The number of its bytes.
    pub size: i64,
    /// The type that its bytes show.
    pub content_type: String,
}

/// The copy of the files of a tenant. Only the rows are copied: no step reads the bytes.
pub(super) const COPIED_FILES: CopiedTable = CopiedTable {
    name: "files",
    columns: &[
        ("tenant", ColumnType::Text),
        ("digest", ColumnType::Text),
        ("size", ColumnType::Int),
        ("content_type", ColumnType::Text),
        ("created_at", ColumnType::Int),
    ],
    scope: CopyScope::Tenant,
    read: "SELECT tenant, digest, size, content_type, created_at FROM files
           WHERE tenant = $2 LIMIT $1",
    write: "INSERT INTO files (tenant, digest, size, content_type, created_at)
            SELECT tenant, digest, size, content_type, created_at FROM {rows}
            WHERE true ON CONFLICT DO NOTHING",
};

/// Records that a tenant has stored a file. Returns false if the tenant has stored it before.
pub async fn insert_file(
    tx: &mut Tx,
    tenant: &str,
    file: &StoredFile,
    now: Timestamp,
) -> Result<bool, StoreError> {
    tx.lock_at(LockRank::Rows)?;
    let inserted = tx
        .execute(
            "INSERT INTO files (tenant, digest, size, content_type, created_at)
             VALUES ($1, $2, $3, $4, $5) ON CONFLICT (tenant, digest) DO NOTHING",
            &params![
                tenant,
                file.digest.to_string(),
                file.size,
                file.content_type.as_str(),
                now.micros()
            ],
        )
        .await?;
    Ok(inserted == 1)
}

/// Returns the file with this digest; `None` if the tenant has not stored it.
pub async fn find_file(
    tx: &mut Tx,
    tenant: &str,
    digest: Digest,
) -> Result<Option<StoredFile>, StoreError> {
    let row = tx
        .row(
            "SELECT size, content_type FROM files WHERE tenant = $1 AND digest = $2",
            &params![tenant, digest.to_string()],
        )
        .await?;
    let Some(row) = row else { return Ok(None) };
    let (size, content_type) = (row.int("size")?, row.text("content_type")?);
    Ok(Some(StoredFile { digest, size, content_type }))
}
