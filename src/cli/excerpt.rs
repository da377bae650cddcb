//! What a file says, in an error of one line.

/// At most so many characters are shown.
const LONGEST: usize = 40;

/// The beginning of a text, control characters escaped: a hostile file can neither flood nor control the terminal.
pub fn excerpt(text: &str) -> String {
    let mut shown = String::new();
    let mut rest = text.chars();
    for c in rest.by_ref().take(LONGEST) {
        match c.is_control() {
            true => shown.extend(c.escape_default()),
            false => shown.push(c),
        }
    }
    if !rest.as_str().is_empty() {
        shown.push_str("...");
    }
    shown
}
