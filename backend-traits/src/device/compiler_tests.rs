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
