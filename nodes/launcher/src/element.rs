//! A launch file as a tree of elements that know their file and line.

use std::path::Path;
use std::sync::Arc;

/// One XML element of a launch file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Element {
    /// The file it stands in.
    pub file: Arc<Path>,
    /// Line of its start tag, from 1.
    pub line: usize,
    /// Its name.
    pub tag: String,
    /// Attributes in the order of the file, unescaped.
    pub attributes: Vec<(String, String)>,
    /// Elements inside it, in order.
    pub children: Vec<Element>,
}

impl Element {
    /// Raw text of an attribute, before substitution.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes
            .iter()
            .find(|(n, _)| n == name)
            .map(|(_, v)| v.as_str())
    }

    /// The children with this name, in order.
    pub fn children_named<'a>(&'a self, tag: &'a str) -> impl Iterator<Item = &'a Element> + 'a {
        self.children.iter().filter(move |c| c.tag == tag)
    }
}
