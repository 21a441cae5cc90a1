//! The words of the operator: what it decides about a text, and why.

use abide_language::words;

words! {
    /// What the operator does with a text.
    pub enum OperatorIntent {
        /// The text says clearly what to do, and names all that it takes.
        Execute = "execute",
        /// The text asks for something that must not or cannot be done.
        Refuse = "refuse",
        /// The text leaves open what is meant, or lacks something.
        Clarify = "clarify",
    }
}

words! {
    /// The part of the business that a text is about.
    pub enum OperatorDomain {
        /// People who asked for work, and customers.
        Lead = "lead",
        /// Inspections of sites, with their photos.
        Inspection = "inspection",
        /// Offers of work at a price.
        Quote = "quote",
        /// Tasks of staff.
        Task = "task",
        /// Notes.
        Note = "note",
        /// Agreed work and its times.
        Job = "job",
        /// What customers owe and pay.
        Invoice = "invoice",
        /// Texts, emails and the log of both.
        Comms = "comms",
        /// Whether the system works.
        Devops = "devops",
        /// Everything else.
        System = "system",
    }
}

words! {
    /// How soon a text wants to be acted on.
    pub enum Urgency {
        /// When there is time.
        Low = "low",
        /// As usual.
        Normal = "normal",
        /// Today, or before other work.
        High = "high",
        /// At once.
        Critical = "critical",
    }
}

words! {
    /// A rule that a text can conflict with. The rules are in their order: an earlier one counts more.
    pub enum Directive {
        /// Safety, confidentiality and the law.
        Safety = "safety",
        /// The contracts of the tools.
        ContractCorrectness = "contract_correctness",
        /// The system keeps working.
        OperationalContinuity = "operational_continuity",
        /// Leads become quotes, jobs and payments.
        RevenueFlow = "revenue_flow",
        /// What people read is ours.
        BrandIntegrity = "brand_integrity",
        /// What the user wants, and soon.
        UserIntent = "user_intent",
    }
}
