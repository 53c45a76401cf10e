// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Tables and preformatted text of a page, in boxes that scroll sideways where
//! their content is wider than the page, also by keys; on paper the headings of a
//! table are on each page.
//!
//! What it does not do: it does not find out how wide anything is; `report.css`
//! has the browser compare the table with its box, and says so where it is wider.

use std::fmt::Write;

use crate::draw::escape;

/// Says that there is more; seen where the table is wider than its box.
const MORE: &str = "<p class=\"note sideways\">More to the right: move the table sideways.</p>";

/// Preformatted text in a box; `about`: its label for screen readers.
pub(crate) fn preformatted(about: &str, text: &str) -> String {
    let text = escape(text);
    format!("<pre role=\"region\" aria-label=\"{about}\" tabindex=\"0\">{text}</pre>")
}

/// Rows with a heading.
pub(crate) struct Wide {
    html: String,
}

impl Wide {
    /// A table with these classes, and what it shows in words for screen readers; `headings`: cells of its first row.
    pub fn new(class: &str, about: &str, headings: &str) -> Wide {
        let html = format!(
            "<div class=\"wide\" role=\"region\" aria-label=\"{about}\" tabindex=\"0\"><div class=\"fit\">{MORE}\n\
             <table class=\"{class}\">\n<thead>\n<tr>{headings}</tr>\n</thead>\n"
        );
        Wide { html }
    }

    /// Adds rows that stay together on paper.
    pub fn rows(&mut self, rows: &str) {
        let _ = write!(self.html, "<tbody>\n{rows}</tbody>\n");
    }

    /// The whole.
    pub fn html(self) -> String {
        self.html + "</table></div></div>\n"
    }
}
