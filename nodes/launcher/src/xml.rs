//! Text of a launch file to elements. Knows XML, not what launch files mean.

use std::path::Path;
use std::sync::Arc;

use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;

use crate::element::Element;
use crate::error::LaunchError;

/// Elements nested deeper than this are refused, so that no file can exhaust the stack.
const MAX_DEPTH: usize = 64;

/// Reads the root element of one launch file. Elements, attributes and comments may stand in it.
///
/// # Errors
/// [`LaunchError::Xml`] with the line at which the text stops being a launch file.
pub fn parse(file: &Path, text: &str) -> Result<Element, LaunchError> {
    Parser {
        file: Arc::from(file),
        text,
        open: Vec::new(),
        root: None,
    }
    .run()
}

struct Parser<'a> {
    file: Arc<Path>,
    text: &'a str,
    /// Elements whose end tag has not come yet, outermost first.
    open: Vec<Element>,
    root: Option<Element>,
}

impl Parser<'_> {
    fn run(mut self) -> Result<Element, LaunchError> {
        let mut reader = Reader::from_str(self.text);
        loop {
            let offset = offset(reader.buffer_position());
            match reader.read_event() {
                Ok(Event::Start(start)) => {
                    let element = self.element(&start, offset)?;
                    self.open.push(element);
                    if self.open.len() > MAX_DEPTH {
                        let text = format!("elements are nested deeper than {MAX_DEPTH}");
                        return Err(self.fault(offset, text));
                    }
                }
                Ok(Event::Empty(start)) => {
                    let element = self.element(&start, offset)?;
                    self.close(element, offset)?;
                }
                Ok(Event::End(_)) => match self.open.pop() {
                    Some(element) => self.close(element, offset)?,
                    None => return Err(self.fault(offset, "an end tag without a start tag")),
                },
                Ok(Event::Text(t)) if t.trim().is_empty() => {}
                Ok(Event::Text(_) | Event::CData(_) | Event::GeneralRef(_)) => {
                    let text = "text between tags; values stand in attributes";
                    return Err(self.fault(offset, text));
                }
                Ok(Event::DocType(_)) => {
                    return Err(self.fault(offset, "a document type is not allowed"));
                }
                Ok(Event::Decl(_) | Event::PI(_) | Event::Comment(_)) => {}
                Ok(Event::Eof) => break,
                Err(error) => {
                    let at = self::offset(reader.error_position());
                    return Err(self.fault(at, error.to_string()));
                }
            }
        }
        if let Some(element) = self.open.last() {
            let text = format!("<{}> of line {} is never closed", element.tag, element.line);
            return Err(self.fault(self.text.len(), text));
        }
        match self.root.take() {
            Some(root) => Ok(root),
            None => Err(self.fault(0, "no element in the file")),
        }
    }

    fn element(&self, start: &BytesStart<'_>, offset: usize) -> Result<Element, LaunchError> {
        let mut attributes = Vec::new();
        for attribute in start.attributes() {
            let attribute = attribute.map_err(|e| self.fault(offset, e.to_string()))?;
            let name = attribute.key.as_ref().to_owned();
            let value = attribute
                .normalized_value(XmlVersion::Implicit1_0)
                .map_err(|e| self.fault(offset, format!("attribute `{name}`: {e}")))?;
            attributes.push((name, value.into_owned()));
        }
        Ok(Element {
            file: self.file.clone(),
            line: line_at(self.text, offset),
            tag: start.name().as_ref().to_owned(),
            attributes,
            children: Vec::new(),
        })
    }

    fn close(&mut self, element: Element, offset: usize) -> Result<(), LaunchError> {
        if let Some(parent) = self.open.last_mut() {
            parent.children.push(element);
        } else if self.root.is_none() {
            self.root = Some(element);
        } else {
            return Err(self.fault(offset, "a second root element"));
        }
        Ok(())
    }

    fn fault(&self, offset: usize, text: impl Into<String>) -> LaunchError {
        LaunchError::Xml {
            file: self.file.to_path_buf(),
            line: line_at(self.text, offset),
            text: text.into(),
        }
    }
}

fn offset(position: u64) -> usize {
    usize::try_from(position).unwrap_or(usize::MAX)
}

/// Line of a byte offset, from 1; an offset past the end is on the last line.
fn line_at(text: &str, offset: usize) -> usize {
    1 + text.bytes().take(offset).filter(|b| *b == b'\n').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Element, String> {
        parse(Path::new("a.launch.xml"), text).map_err(|e| e.to_string())
    }

    #[test]
    fn keeps_lines_attributes_and_order() {
        let root = read(
            "<?xml version=\"1.0\"?>\n<launch>\n  <!-- c -->\n  <a x=\"1 &amp; 2\"\n y='3'/>\n  <b/>\n</launch>\n",
        )
        .unwrap();
        assert_eq!(root.line, 2);
        let a = &root.children[0];
        assert_eq!((a.tag.as_str(), a.line), ("a", 4));
        assert_eq!(a.attribute("x"), Some("1 & 2"));
        assert_eq!(a.attribute("y"), Some("3"));
        assert_eq!(root.children[1].line, 6);
    }

    #[test]
    fn refuses_what_is_no_launch_file() {
        for (text, complaint) in [
            ("", "no element"),
            ("<launch>", "never closed"),
            ("<launch>\n<a></b>\n</launch>", "a.launch.xml:2"),
            ("<launch>hello</launch>", "text between tags"),
            ("<launch/><launch/>", "second root"),
            ("<launch a='1' a='2'/>", "a.launch.xml:1"),
            (
                "<!DOCTYPE launch [<!ENTITY a 'b'>]><launch/>",
                "document type",
            ),
            ("<launch a='&nosuch;'/>", "nosuch"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(complaint), "{text}: {error}");
        }
        let deep = "<a>".repeat(70);
        assert!(read(&deep).unwrap_err().contains("deeper"));
    }
}
