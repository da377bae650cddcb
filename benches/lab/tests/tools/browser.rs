//! The report in a browser: on a phone, and on paper.

use super::lab::{folder, report, text};
use mmafft_testing::skip;
use std::path::Path;
use std::process::{Command, Output};

/// Names under which the browser goes.
const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// A browser without a window, with a profile of its own.
fn browse(folder: &Path, arguments: &[&str]) -> Option<Output> {
    let profile = format!("--user-data-dir={}", text(&folder.join("profile")));
    let always = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--hide-scrollbars",
        "--allow-file-access-from-files",
        "--virtual-time-budget=10000",
        "--enable-logging=stderr",
        &profile,
    ];
    BROWSERS.iter().find_map(|browser| {
        let mut command = Command::new(browser);
        command.args(always).args(arguments).output().ok()
    })
}

/// A page as wide as a phone, which says what it finds in its own title. A frame, because a
/// window is never that narrow.
const PHONE: &str = r#"<!DOCTYPE html>
<iframe id="phone" src="report.html" style="width:360px;height:740px;border:0"></iframe>
<script>
onload = () => {
  const page = document.getElementById('phone').contentDocument;
  const root = page.documentElement;
  const boxes = [...page.querySelectorAll('.box')];
  const scrolling = boxes.filter(box => box.scrollWidth > box.clientWidth).length;
  const plots = Math.max(...[...page.querySelectorAll('svg')].map(s => s.clientWidth));
  const text = Math.min(...[...page.querySelectorAll('svg text')].map(t => {
    return parseFloat(getComputedStyle(t).fontSize) * t.ownerSVGElement.clientWidth / 420;
  }));
  document.title = `width ${root.scrollWidth}, boxes ${scrolling}, plots ${plots}, text ${text.toFixed(1)}.`;
};
</script>
"#;

pub fn the_report_fits_a_phone_and_paper() {
    let folder = folder("browser");
    let page = report::page(&folder);
    let phone = folder.join("phone.html");
    std::fs::write(&phone, PHONE).expect("a page");
    let address = |path: &Path| format!("file://{}", text(path));
    let Some(seen) = browse(&folder, &["--dump-dom", &address(&phone)]) else {
        skip("needs chromium");
    };
    let (dom, log) = (
        String::from_utf8_lossy(&seen.stdout),
        String::from_utf8_lossy(&seen.stderr),
    );
    assert!(!log.contains("CONSOLE"), "{log}");
    let found = |name: &str| -> f64 {
        let rest = dom.split(&format!("{name} ")).nth(1);
        let number = rest.and_then(|rest| rest.split([',', '<']).next());
        let number = number.map(|number| number.trim_end_matches('.').parse());
        number
            .and_then(Result::ok)
            .unwrap_or_else(|| panic!("{name}: {dom}"))
    };
    // The page does not scroll sideways; its tables do, and the plots can be read.
    assert!(found("title>width") <= 360.0, "{dom}");
    assert_eq!(found("boxes"), 4.0);
    assert!(found("plots") > 250.0 && found("text") >= 7.0, "{dom}");

    let paper = folder.join("report.pdf");
    let print = format!("--print-to-pdf={}", text(&paper));
    let printed = browse(&folder, &[&print, &address(&page)]).expect("it ran before");
    let log = String::from_utf8_lossy(&printed.stderr);
    assert!(!log.contains("CONSOLE"), "{log}");
    let pdf = std::fs::read(paper).expect("the paper");
    assert!(pdf.starts_with(b"%PDF") && pdf.len() > 10_000);
}
