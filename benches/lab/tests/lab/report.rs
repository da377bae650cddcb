//! `mmafft-lab report`: the page's structure, bad files.

use super::{folder, lab, refused, text};
use std::path::{Path, PathBuf};

const HEAD: &str = "device,driver,backend,peer,class,kind,precision,shape,batch,placement,bytes,\
    together,runs,ours_us,ours_least_us,ours_most_us,peer_us,peer_least_us,peer_most_us,copy_us,\
    fraction,peer_fraction,ratio,engine,passes,plan,difference,plan_ms,failure";

/// A row with ours at `ours` and the peer at 100 µs.
fn row(class: &str, precision: &str, shape: &str, ours: f64) -> String {
    let (fraction, ratio) = (50.0 / ours, 100.0 / ours);
    format!(
        "A & B <1>,CUDA 13,cuda,cufft-12,{class},c2c,{precision},{shape},4,in place,100,1,9,{ours},\
         {ours},{ours},100,99,101,50,{fraction},0.5,{ratio},simt,2,16·16 + 8,1e-7,300,\n"
    )
}

/// Writes tables with two classes, a failure, and markup wherever there is text.
pub fn tables(folder: &Path) -> [PathBuf; 2] {
    let mut first = format!("# mmafft 0.1.0, today: mmafft bench <b>\n{HEAD}\n");
    for (i, precision) in ["f32", "f64", "split-f16"].iter().enumerate() {
        for bits in 1..=27 {
            let shape = (1u64 << bits).to_string();
            first += &row(
                "pow2",
                precision,
                &shape,
                80.0 + 10.0 * i as f64 + f64::from(bits),
            );
        }
    }
    first += &row("launch", "f32", "64", 101.0);
    let mut second = format!("{HEAD}\n");
    for shape in ["512x512x256", "1024x1024", "2160x3840"] {
        second += &row("<script>alert(1)</script>", "f32", shape, 120.0);
    }
    second += "A & B <1>,CUDA 13,cuda,cufft-12,pow2,c2c,f16,1048576,4,in place,100,1,9,,,,,,,,,,,\
        simt,2,16,,,\"no <memory>, none\"\n";
    let paths = [folder.join("first<1>.csv"), folder.join("second.csv")];
    std::fs::write(&paths[0], first).expect("a table");
    std::fs::write(&paths[1], second).expect("a table");
    paths
}

/// A page of these tables.
pub fn page(folder: &Path) -> PathBuf {
    let [first, second] = tables(folder);
    let page = folder.join("report.html");
    let run = lab(&["report", text(&first), text(&second), "-o", text(&page)]);
    assert!(run.status.success() && run.stdout.is_empty(), "{run:?}");
    page
}

#[test]
fn the_page_is_whole_and_well_formed() {
    let html = std::fs::read_to_string(page(&folder("report-page"))).expect("the page");
    let options = roxmltree::ParsingOptions {
        allow_dtd: true,
        ..Default::default()
    };
    let document = roxmltree::Document::parse_with_options(&html, options).expect("XML");
    let all = |name: &str| -> Vec<roxmltree::Node<'_, '_>> {
        let named = |n: &roxmltree::Node<'_, '_>| n.is_element() && n.tag_name().name() == name;
        document.descendants().filter(named).collect()
    };
    let root = document.root_element();
    assert_eq!(
        (root.tag_name().name(), root.attribute("lang")),
        ("html", Some("en"))
    );
    // Nothing is loaded and nothing runs; what a file says is text.
    for name in ["script", "link", "img", "iframe", "b", "memory"] {
        assert!(all(name).is_empty(), "<{name}>");
    }
    assert!(!html.contains("@import") && !html.contains("url("));
    let mut ids: Vec<&str> = Vec::new();
    for node in document.descendants() {
        assert_eq!(node.attribute("src"), None);
        ids.extend(node.attribute("id"));
    }
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), count, "an id is there twice");
    for link in all("a") {
        let target = link
            .attribute("href")
            .and_then(|href| href.strip_prefix('#'));
        assert!(ids.contains(&target.expect("a link within the page")));
    }
    // Tables: captions, scopes, a box of their own that a keyboard reaches.
    let tables = all("table");
    assert_eq!(tables.len(), 1 + 3);
    for table in &tables {
        let parent = table.parent().expect("a box");
        assert_eq!(parent.attribute("class"), Some("box"));
        assert_eq!(parent.attribute("tabindex"), Some("0"));
        let captions = table
            .children()
            .filter(|n| n.has_tag_name("caption"))
            .count();
        assert_eq!(captions, 1);
    }
    assert!(all("th").iter().all(|th| th.attribute("scope").is_some()));
    assert_eq!(all("tr").len(), tables.len() + 6 + 3 * 27 + 1 + 3 + 1);
    // Copy and ratio of three precisions and of one class more; a launch has a ratio alone.
    let svgs = all("svg");
    assert_eq!((svgs.len(), all("figure").len()), (2 * 4 + 1, svgs.len()));
    assert!(svgs.iter().all(|svg| svg.attribute("role") == Some("img")));
    for words in [
        "first&lt;1&gt;.csv",
        "mmafft bench &lt;b&gt;",
        "A &amp; B &lt;1&gt;",
        "not measured: no &lt;memory&gt;, none",
        "512×512×256",
        "▽ 0.83 below",
    ] {
        assert!(html.contains(words), "{words}");
    }
}

#[test]
fn a_bad_table_is_one_line_with_its_place() {
    let folder = folder("report-refused");
    let (table, out) = (folder.join("t.csv"), folder.join("r.html"));
    let said_of = |content: &str| {
        std::fs::write(&table, content).expect("a table");
        refused(&["report", text(&table), "-o", text(&out)])
    };
    for (content, words) in [
        ("", "t.csv, line 1: no column 'class'"),
        ("a,b\n1,2\n", "t.csv, line 1: no column 'class'"),
        (&format!("{HEAD}\n"), "t.csv, line 2: no rows"),
        (
            &format!("# note\n{HEAD}\n{}a,b\n", row("x", "f32", "8", 1.0)),
            "t.csv, line 4: 2 fields: expected 29",
        ),
        (
            &format!(
                "{HEAD}\n{}",
                row("x", "f32", "8", 1.0).replace("in place,100", "in place,many")
            ),
            "t.csv, line 2: column 11: invalid digit",
        ),
        (
            &format!("{HEAD}\n{}", row("x", "f32", "8*8", 1.0)),
            "t.csv, line 2: expected lengths",
        ),
    ] {
        let said = said_of(content);
        assert!(said.contains(words), "{said}");
    }
    assert!(!out.exists());
    let said = refused(&["report", "nowhere.csv", "-o", text(&out)]);
    assert!(said.contains("nowhere.csv"), "{said}");
    let good = tables(&folder)[1].clone();
    let said = refused(&["report", text(&good), "-o", "/nonexistent/folder/r.html"]);
    assert!(said.contains("/nonexistent/folder/r.html"), "{said}");
}
