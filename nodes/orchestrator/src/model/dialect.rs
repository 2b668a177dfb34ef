//! What a server accepts, learnt from its own complaints.

/// The form of requests that a server takes. Starts with everything and drops what is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dialect {
    /// The provider's second way to ask for structured output.
    pub other_form: bool,
    /// Whether a sampling temperature is sent.
    pub temperature: bool,
    /// Whether a seed is sent.
    pub seed: bool,
    /// The newer name of the limit on tokens, `max_completion_tokens`.
    pub completion_tokens: bool,
}

impl Default for Dialect {
    fn default() -> Self {
        Self { other_form: false, temperature: true, seed: true, completion_tokens: false }
    }
}

impl Dialect {
    /// What to try after status 400 with the words `complaint`; the form changes once in a call at most.
    #[must_use]
    pub fn after(self, complaint: &str, form_changed: bool) -> Option<Self> {
        let complaint = complaint.to_lowercase();
        if complaint.contains("max_completion_tokens") && !self.completion_tokens {
            return Some(Self { completion_tokens: true, ..self });
        }
        if complaint.contains("temperature") && self.temperature {
            return Some(Self { temperature: false, ..self });
        }
        if complaint.contains("seed") && self.seed {
            return Some(Self { seed: false, ..self });
        }
        (!form_changed).then_some(Self { other_form: !self.other_form, ..self })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_complaint_changes_one_thing_and_it_ends() {
        let mut dialect = Dialect::default();
        let everything = "max_completion_tokens, Temperature, seed";
        let (mut changes, mut form_changed) = (0, false);
        while let Some(next) = dialect.after(everything, form_changed) {
            form_changed |= next.other_form != dialect.other_form;
            (dialect, changes) = (next, changes + 1);
        }
        assert_eq!(changes, 4);
        assert_eq!(dialect, Dialect { other_form: true, temperature: false, seed: false, completion_tokens: true });
        assert!(Dialect::default().after("", false).unwrap().other_form);
    }
}
