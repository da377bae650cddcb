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
mod tests {
    use super::*;

    #[test]
    fn a_log_is_cut_to_its_errors() {
        let log = format!("warning: a\n\nx: error: b\n{}", "more\n".repeat(20));
        let head = errors_of(&log);
        assert!(
            head.starts_with("x: error: b") && head.ends_with("(9 more lines)"),
            "{head}"
        );
        assert_eq!(errors_of("a\nb\n"), "a\nb");
        assert_eq!(errors_of(""), "");
    }
}
