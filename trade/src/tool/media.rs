//! The tools of media.

use abide_engine::base::{Digest, Problem, Value};
use abide_engine::store::Tx;
use abide_engine::verb::{CallContext, Effects, VerbOutcome, WriteVerb};
use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use super::input::{Input, known, shown};
use crate::cell::Cell;
use crate::data::{self, StoredFile, StoredRow};
use crate::files::{FileStore, NewFile, unknown_file};
use crate::refusal;

/// `media.create_asset`: stores a file, or takes one that the tenant has stored, and adds an asset for it.
pub(super) struct CreateAsset(pub(super) FileStore);

#[async_trait]
impl WriteVerb for CreateAsset {
    async fn run(
        &self,
        tx: &mut Tx,
        cx: &CallContext<'_>,
        args: &Value,
        _cursor: Option<&Value>,
    ) -> Result<VerbOutcome, Problem> {
        let (input, media) = (Input::of(cx, args), known("media")?);
        let mut effects = Effects::default();
        let file = match (input.text("content"), input.text("digest")) {
            (Some(content), None) => self.store(tx, &input, content, &mut effects).await?,
            (None, Some(digest)) => find(tx, &input, digest).await?,
            _ => return Err(refusal::invalid("content", "or `digest` is needed, but not both")),
        };
        let mut asset = StoredRow::new(media, data::new_id(tx, media), cx.now);
        input.assign(tx, &mut asset, &["name", "tags", "entity_type", "entity_id"]).await?;
        asset.set("digest", Cell::Text(file.digest.to_string()));
        asset.set("size", Cell::Int(file.size));
        asset.set("content_type", Cell::Text(file.content_type));
        input.insert(tx, &asset, &mut effects).await?;
        let result = json!({ "media_id": asset.id(), "media": shown(&asset)? });
        Ok(VerbOutcome::done(result, effects))
    }
}

impl CreateAsset {
    /// Stores the file that is the content of the input.
    async fn store(
        &self,
        tx: &mut Tx,
        input: &Input<'_>,
        content: &str,
        effects: &mut Effects,
    ) -> Result<StoredFile, Problem> {
        let bytes = STANDARD.decode(content);
        let bytes = bytes.map_err(|_| refusal::invalid("content", "is not base64 with padding"))?;
        // The bytes are on disk before the row, so that no row names a file that is missing.
        let file = self.0.write(NewFile::of(bytes)?).await?;
        if data::insert_file(tx, input.tenant, &file, input.now).await? {
            effects.wrote("files", "insert", file.digest);
            effects.files_written.push(file.digest.to_string());
        }
        Ok(file)
    }
}

/// Returns the file that the tenant has stored under a digest.
async fn find(tx: &mut Tx, input: &Input<'_>, digest: &str) -> Result<StoredFile, Problem> {
    let found = match Digest::parse(digest) {
        Some(digest) => data::find_file(tx, input.tenant, digest).await?,
        None => None,
    };
    found.ok_or_else(|| unknown_file(digest))
}
