//! A small writer for MuJoCo's XML: elements, attributes and numbers that read back exactly.

use std::fmt::Write as _;

/// XML text in the making.
#[derive(Debug, Default)]
pub(crate) struct Xml {
    text: String,
    open: Vec<String>,
}

impl Xml {
    /// Opens an element.
    pub(crate) fn open(&mut self, name: &str, attributes: &[(&str, String)]) {
        self.start(name, attributes);
        self.text.push_str(">\n");
        self.open.push(name.to_owned());
    }

    /// Writes an element without content.
    pub(crate) fn leaf(&mut self, name: &str, attributes: &[(&str, String)]) {
        self.start(name, attributes);
        self.text.push_str("/>\n");
    }

    /// Closes the element opened last.
    pub(crate) fn close(&mut self) {
        if let Some(name) = self.open.pop() {
            self.text.push_str(&"  ".repeat(self.open.len()));
            // Writing to a String cannot fail.
            let _ = writeln!(self.text, "</{name}>");
        }
    }

    /// The text; closes what is open.
    pub(crate) fn finish(mut self) -> String {
        while !self.open.is_empty() {
            self.close();
        }
        self.text
    }

    fn start(&mut self, name: &str, attributes: &[(&str, String)]) {
        self.text.push_str(&"  ".repeat(self.open.len()));
        let _ = write!(self.text, "<{name}");
        for (key, value) in attributes {
            let _ = write!(self.text, " {key}=\"{}\"", escape(value));
        }
    }
}

fn escape(value: &str) -> String {
    value.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

/// Numbers separated by blanks; the shortest text that reads back to the same double.
pub(crate) fn nums(values: &[f64]) -> String {
    values.iter().map(f64::to_string).collect::<Vec<_>>().join(" ")
}

/// Attribute with a text value.
pub(crate) fn text(value: impl Into<String>) -> String {
    value.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_nest_and_values_are_escaped() {
        let mut xml = Xml::default();
        xml.open("a", &[("k", text("x\"<&"))]);
        xml.leaf("b", &[("v", nums(&[0.1, -2e-7]))]);
        assert_eq!(xml.finish(), "<a k=\"x&quot;&lt;&amp;\">\n  <b v=\"0.1 -0.0000002\"/>\n</a>\n");
    }
}
