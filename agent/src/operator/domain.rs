//! The domains of the operator: which tools belong to each, and its risk.

use abide_language::contract::Risk;

use super::terms::OperatorDomain;

/// A domain with its tools.
struct DomainTools {
    domain: OperatorDomain,
    /// The patterns of its tools. A `*` is any text.
    patterns: &'static [&'static str],
    /// The risk of a tool whose own risk is unknown.
    risk: Risk,
}

/// The domains. The first with a matching pattern has the tool.
const DOMAINS: [DomainTools; 10] = [
    DomainTools {
        domain: OperatorDomain::Lead,
        patterns: &["leads.*", "customer.*"],
        risk: Risk::T1,
    },
    DomainTools {
        domain: OperatorDomain::Inspection,
        patterns: &["inspection.*", "media.*"],
        risk: Risk::T1,
    },
    DomainTools { domain: OperatorDomain::Quote, patterns: &["quote.*"], risk: Risk::T2 },
    DomainTools {
        domain: OperatorDomain::Task,
        patterns: &["os.*_task", "os.*_tasks"],
        risk: Risk::T0,
    },
    DomainTools {
        domain: OperatorDomain::Note,
        patterns: &["os.*_note", "os.*_notes"],
        risk: Risk::T0,
    },
    DomainTools { domain: OperatorDomain::Job, patterns: &["job.*", "calendar.*"], risk: Risk::T2 },
    DomainTools {
        domain: OperatorDomain::Invoice,
        patterns: &["invoice.*", "payment.*"],
        risk: Risk::T3,
    },
    DomainTools {
        domain: OperatorDomain::Comms,
        patterns: &["comms.*", "sms.*", "email.*"],
        risk: Risk::T3,
    },
    DomainTools {
        domain: OperatorDomain::Devops,
        patterns: &["os.health_check", "os.*_snapshot", "os.*_snapshots"],
        risk: Risk::T0,
    },
    DomainTools { domain: OperatorDomain::System, patterns: &["*"], risk: Risk::T0 },
];

impl OperatorDomain {
    /// Returns the domain that a tool belongs to.
    #[must_use]
    pub fn of_tool(tool: &str) -> Self {
        let has = |it: &&DomainTools| it.patterns.iter().any(|pattern| matches(pattern, tool));
        DOMAINS.iter().find(has).map_or(Self::System, |found| found.domain)
    }

    /// Returns the risk of a tool of this domain whose own risk is unknown.
    #[must_use]
    pub fn default_risk(self) -> Risk {
        let found = DOMAINS.iter().find(|it| it.domain == self);
        found.map_or(Risk::T0, |found| found.risk)
    }

    /// Returns the patterns of the tools of this domain. A `*` is any text.
    #[must_use]
    pub fn tool_patterns(self) -> &'static [&'static str] {
        DOMAINS.iter().find(|it| it.domain == self).map_or(&[], |found| found.patterns)
    }
}

/// Whether a name matches a pattern with at most one `*`.
fn matches(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((start, end)) => {
            name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_belongs_to_one_domain() {
        let cases = [
            ("leads.create", OperatorDomain::Lead, Risk::T1),
            ("media.tag", OperatorDomain::Inspection, Risk::T1),
            ("quote.send", OperatorDomain::Quote, Risk::T2),
            ("os.create_task", OperatorDomain::Task, Risk::T0),
            ("os.list_tasks", OperatorDomain::Task, Risk::T0),
            ("os.search_notes", OperatorDomain::Note, Risk::T0),
            ("invoice.void", OperatorDomain::Invoice, Risk::T3),
            ("email.send_quote", OperatorDomain::Comms, Risk::T3),
            ("os.health_check", OperatorDomain::Devops, Risk::T0),
            ("os.create_snapshot", OperatorDomain::Devops, Risk::T0),
            ("report.revenue", OperatorDomain::System, Risk::T0),
        ];
        for (tool, domain, risk) in cases {
            assert_eq!(OperatorDomain::of_tool(tool), domain, "{tool}");
            assert_eq!(domain.default_risk(), risk, "{tool}");
        }
    }
}
