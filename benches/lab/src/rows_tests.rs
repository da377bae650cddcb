use super::*;

fn row() -> Row {
    Row {
        class: "pow2".into(),
        kind: "c2c".into(),
        precision: "f32".into(),
        shape: "16x16".into(),
        failure: "said \"no\", twice".into(),
        ours_us: Some(1.5),
        difference: Some(2.5),
        plan_ms: Some(3.5),
        ..Row::default()
    }
}

fn text(rows: &[Row]) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        writer.serialize(row).expect("a vector takes all");
    }
    let bytes = writer.into_inner().expect("a vector takes all");
    String::from_utf8(bytes).expect("text")
}

#[test]
fn rows_come_back_as_they_were_written() {
    let rows = [
        row(),
        Row {
            ratio: Some(1e-3),
            ..row()
        },
    ];
    let table = parse(&format!("# a note\n{}", text(&rows))).expect("a table");
    assert_eq!(table.notes, ["a note"]);
    assert_eq!(table.rows, rows);
    assert_eq!(table.rows[0].points(), 256.0);
}

#[test]
fn a_bad_line_is_named() {
    let good = text(&[row(), row()]);
    let bad = |from: &str, to: &str| {
        let (head, last) = good.trim_end().rsplit_once('\n').expect("lines");
        parse(&format!("{head}\n{}\n", last.replacen(from, to, 1))).expect_err("bad")
    };
    for (from, to, words) in [
        ("1.5", "fast", "line 3: column 15: invalid float"),
        ("1.5", "NaN", "line 3: ours_us is NaN"),
        ("1.5", "-1", "line 3: ours_us is -1"),
        ("2.5,3.5", "NaN,3.5", "line 3: difference is NaN"),
        ("2.5,3.5", "-1,3.5", "line 3: difference is -1"),
        ("2.5,3.5", "2.5,inf", "line 3: plan_ms is inf"),
        (
            "2.5,3.5",
            "2.5,0",
            "line 3: plan_ms is 0: expected a number above 0",
        ),
        ("1.5", "1.5,1", "line 3: 32 fields: expected 31"),
        ("f32", "f33", "line 3: there is no precision 'f33'"),
        ("c2c", "<b>", "line 3: there is no kind '<b>'"),
        ("16x16", "16y", "line 3: expected lengths"),
        ("f32", "\"f\n2\"", "line 3: there is no precision 'f\\n2'"),
        (
            "16x16",
            "\"1\n6\"",
            "line 3: expected lengths such as 1024, 1024x768, 2^20, 1e6 or 64k, got '1\\n6'",
        ),
    ] {
        let said = bad(from, to);
        assert!(said.starts_with(words), "{said}");
    }
    for text in ["", "a,b\n1,2\n"] {
        let said = parse(text).expect_err("no table");
        assert!(said.starts_with("line 1: no column 'class'"), "{said}");
    }
}
