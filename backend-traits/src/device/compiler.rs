//! What the vendors' run-time compilers have in common.

/// Lines of a compiler's log that go into an error.
const LOG_LINES: usize = 12;

/// The lines of a compiler's log that say most: from the first error on.
pub fn errors_of(log: &str) -> String {
    let lines: Vec<&str> = log.lines().filter(|line| !line.trim().is_empty()).collect();
    let first = lines.iter().position(|line| line.contains("error"));
    let from = &lines[first.unwrap_or(0)..];
    let mut text = from[..from.len().min(LOG_LINES)].join("\n");
    if from.len() > LOG_LINES {
        text.push_str(&format!("\n({} more lines)", from.len() - LOG_LINES));
    }
    text
}

#[cfg(test)]
#[path = "compiler_tests.rs"]
mod tests;
