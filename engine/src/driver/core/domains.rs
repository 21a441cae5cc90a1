//! Checks the domains of tenants: that the program has them, and that a tenant calls only tools of its own.

use crate::base::Problem;
use crate::contract::Contract;
use crate::library::{Bundle, Library};
use crate::policy::Settings;

/// Checks that the program has the domains that the settings name.
///
/// # Errors
/// `settings_invalid`.
pub(crate) fn check_names(library: &Library, settings: &Settings) -> Result<(), Problem> {
    let known = library.contracts.owners();
    let mut named = settings.domains.iter().flatten();
    match named.find(|domain| !known.contains(domain.as_str())) {
        None => Ok(()),
        Some(domain) => {
            let known: Vec<String> = known.into_iter().map(|name| format!("`{name}`")).collect();
            Err(Problem::caller("settings_invalid", format!("there is no domain `{domain}`"))
                .with_hint(format!("the domains are {}", known.join(" and "))))
        }
    }
}

/// Checks that a tenant has the domain of a tool. A run is pinned to an older contract, which may name no
/// domain, but which tools a tenant may call is not pinned: today's contract decides if there is one.
///
/// # Errors
/// `domain_disabled`.
pub(in crate::driver) fn check_tool(
    library: &Library,
    settings: &Settings,
    pinned: &Contract,
) -> Result<(), Problem> {
    let contract = library.contracts.get(&pinned.name).unwrap_or(pinned);
    let what = format!("`{}` is a tool of", contract.name);
    contract.belongs_to().map_or(Ok(()), |domain| settings.check_domain(domain, &what))
}

/// Checks that a tenant has the domains of all tools that a method calls itself.
///
/// # Errors
/// `domain_disabled`, which names the first tool that the tenant cannot call.
pub(in crate::driver) fn check_bundle(
    library: &Library,
    settings: &Settings,
    bundle: &Bundle,
) -> Result<(), Problem> {
    if settings.domains.is_none() {
        return Ok(());
    }
    bundle.called().try_for_each(|contract| check_tool(library, settings, contract))
}
