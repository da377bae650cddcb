use super::*;

#[test]
fn the_users_folder_comes_first_and_the_newest_name() {
    let paths = candidates("libamdhip64", Some("/rocm".into()));
    assert_eq!(paths.len(), 12);
    assert_eq!(paths[0], Path::new("/rocm/lib/libamdhip64.so.7"));
    assert_eq!(paths[4], Path::new("libamdhip64.so.7"));
    assert_eq!(paths[11], Path::new("/opt/rocm/lib/libamdhip64.so"));
    assert_eq!(candidates("libhiprtc", None).len(), 8);
}

#[test]
fn a_library_that_is_nowhere_is_named() {
    let reason = open("libmmafft-is-not-here").unwrap_err();
    assert!(reason.ends_with("libmmafft-is-not-here.so was not found"));
}
