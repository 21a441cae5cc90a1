//! Limits the rendering of a user's template: the nesting of partials and the number of block iterations.
//!
//! Handlebars has no such limits, so extra tags are inserted into the template.
//! Each of these tags counts an event and prints nothing.
//! The names of the inserted tags contain a space, so no source can use them.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};

use handlebars::template::{HelperTemplate, Parameter, TemplateElement, TemplateMapping};
use handlebars::{
    Handlebars, Helper, HelperDef, Output, RenderContext, RenderError, RenderErrorReason, Template,
};

use crate::base::limits::{PARTIALS_DEPTH_MAX, RENDER_BLOCKS_MAX};

/// The event that an inserted tag counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Count {
    Enter,
    Leave,
    Block,
}

impl Count {
    const ALL: [Self; 3] = [Self::Enter, Self::Leave, Self::Block];

    fn tag(self) -> &'static str {
        match self {
            Self::Enter => "enter partial",
            Self::Leave => "leave partial",
            Self::Block => "enter block",
        }
    }
}

/// Registers the counting helpers.
/// The counters of the helpers start at zero, so `registry` may be used for one rendering only.
pub(super) fn register(registry: &mut Handlebars<'_>) {
    let (depth, blocks) = (Arc::default(), Arc::default());
    for count in Count::ALL {
        let meter = Meter { count, depth: Arc::clone(&depth), blocks: Arc::clone(&blocks) };
        registry.register_helper(count.tag(), Box::new(meter));
    }
}

/// Inserts depth counters into a partial. If partials include each other endlessly, the
/// counters make the rendering fail with an error before the stack overflows.
pub(super) fn bound_partial(partial: &mut Template) {
    insert(partial, 0, Count::Enter);
    let end = partial.elements.len();
    insert(partial, end, Count::Leave);
}

/// Inserts an iteration counter into every block, and depth counters into every inline partial.
pub(super) fn bound_blocks(template: &mut Template) {
    for element in &mut template.elements {
        match element {
            TemplateElement::HelperBlock(block) => {
                for branch in [&mut block.template, &mut block.inverse].into_iter().flatten() {
                    bound_blocks(branch);
                    insert(branch, 0, Count::Block);
                }
            }
            TemplateElement::DecoratorBlock(block) | TemplateElement::PartialBlock(block) => {
                if let Some(inner) = &mut block.template {
                    bound_blocks(inner);
                    bound_partial(inner);
                }
            }
            _ => {}
        }
    }
}

/// A parsed tag that is copied for each counter, because only the `handlebars` parser can build a tag.
static PATTERN: LazyLock<Option<(Box<HelperTemplate>, TemplateMapping)>> = LazyLock::new(|| {
    let template = Template::compile("{{count 1}}").ok()?;
    match (template.elements.into_iter().next()?, template.mapping.into_iter().next()?) {
        (TemplateElement::Expression(tag), place) => Some((tag, place)),
        _ => None,
    }
});

fn insert(template: &mut Template, at: usize, count: Count) {
    if let Some((tag, place)) = &*PATTERN {
        let mut tag = tag.clone();
        tag.name = Parameter::Name(count.tag().to_owned());
        template.elements.insert(at, TemplateElement::Expression(tag));
        template.mapping.insert(at, place.clone());
    }
}

struct Meter {
    count: Count,
    depth: Arc<AtomicUsize>,
    blocks: Arc<AtomicUsize>,
}

impl HelperDef for Meter {
    fn call<'reg: 'rc, 'rc>(
        &self,
        _: &Helper<'rc>,
        _: &'reg Handlebars<'reg>,
        _: &'rc handlebars::Context,
        _: &mut RenderContext<'reg, 'rc>,
        _: &mut dyn Output,
    ) -> Result<(), RenderError> {
        let refusal = match self.count {
            Count::Leave => {
                self.depth.fetch_sub(1, Ordering::Relaxed);
                return Ok(());
            }
            Count::Enter if self.depth.fetch_add(1, Ordering::Relaxed) >= PARTIALS_DEPTH_MAX => {
                format!("partials nested deeper than {PARTIALS_DEPTH_MAX}")
            }
            Count::Block if self.blocks.fetch_add(1, Ordering::Relaxed) >= RENDER_BLOCKS_MAX => {
                format!("more than {RENDER_BLOCKS_MAX} block iterations")
            }
            Count::Enter | Count::Block => return Ok(()),
        };
        Err(RenderErrorReason::Other(refusal).into())
    }
}
