//! What a file or a name says, on a terminal.

/// At most so many characters are shown.
const LONGEST: usize = 40;

/// The beginning of a text, control characters escaped: a hostile file can neither flood nor control the terminal.
pub fn excerpt(text: &str) -> String {
    let beginning: String = text.chars().take(LONGEST).collect();
    let mut shown = escaped(&beginning, &[]);
    if beginning.len() < text.len() {
        shown.push_str("...");
    }
    shown
}

/// A whole text as one line, such as an error with names of files in it: control characters are escaped.
pub fn line(text: &str) -> String {
    escaped(text, &[])
}

/// A whole text of several lines: all other control characters are escaped.
pub fn lines(text: &str) -> String {
    escaped(text, &['\n', '\t'])
}

/// A text without the characters that control a terminal, but for those in `kept`.
fn escaped(text: &str, kept: &[char]) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match (c.is_control() || is_direction(c)) && !kept.contains(&c) {
            true => shown.extend(c.escape_default()),
            false => shown.push(c),
        }
    }
    shown
}

/// Whether a character changes the direction of what is written, which can make a name look like another one.
fn is_direction(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_controls_the_terminal() {
        let hostile = "a\u{1b}[31m\r\n\tb\u{202e}";
        assert_eq!(line(hostile), "a\\u{1b}[31m\\r\\n\\tb\\u{202e}");
        assert_eq!(lines(hostile), "a\\u{1b}[31m\\r\n\tb\\u{202e}");
        assert_eq!(excerpt(&"é".repeat(41)), "é".repeat(40) + "...");
        assert_eq!(excerpt("\0"), "\\u{0}");
    }
}
