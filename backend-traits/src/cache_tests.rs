use super::*;

fn cache() -> (tempfile::TempDir, Cache) {
    let folder = tempfile::tempdir().unwrap();
    let cache = Cache::at(folder.path().join("mmafft/cuda"), 1 << 20);
    (folder, cache)
}

fn names(cache: &Cache) -> Vec<String> {
    let entries = fs::read_dir(&cache.folder).unwrap();
    let names = entries.map(|e| e.unwrap().file_name().into_string().unwrap());
    names.collect()
}

#[test]
fn keeps_code_under_its_key() {
    let (_folder, cache) = cache();
    let (one, two) = (Cache::key(&["one"]), Cache::key(&["two"]));
    assert_eq!(cache.get(&one), None);
    cache.put(&one, b"code");
    assert_eq!(cache.get(&one).as_deref(), Some(&b"code"[..]));
    assert_eq!(cache.get(&two), None);
    assert_eq!(names(&cache), [format!("{}.code", one.0)]);
}

#[test]
fn every_text_counts_and_so_do_their_bounds() {
    let keys = [
        Cache::key(&["ab", "c"]),
        Cache::key(&["a", "bc"]),
        Cache::key(&["abc"]),
        Cache::key(&["ab", "c", ""]),
    ];
    for (i, key) in keys.iter().enumerate() {
        assert_eq!(key.0.len(), 64);
        assert!(!keys[..i].contains(key));
    }
}

#[test]
fn a_damaged_file_is_removed_and_made_again() {
    let (_folder, cache) = cache();
    let key = Cache::key(&["key"]);
    cache.put(&key, b"some code");
    let path = cache.path(&key);
    let good = fs::read(&path).unwrap();
    let mut damaged: Vec<Vec<u8>> = (0..good.len())
        .map(|at| {
            let mut bytes = good.clone();
            bytes[at] ^= 1;
            bytes
        })
        .collect();
    damaged.extend((0..good.len()).map(|end| good[..end].to_vec()));
    damaged.push([&good[..], b"more"].concat());
    for bytes in damaged {
        fs::write(&path, bytes).unwrap();
        assert_eq!(cache.get(&key), None);
        assert!(!path.exists());
    }
    cache.put(&key, b"some code");
    assert_eq!(cache.get(&key).as_deref(), Some(&b"some code"[..]));
}

#[test]
fn a_file_under_another_name_is_not_taken() {
    let (_folder, cache) = cache();
    let (one, two) = (Cache::key(&["one"]), Cache::key(&["two"]));
    cache.put(&one, b"code");
    fs::rename(cache.path(&one), cache.path(&two)).unwrap();
    assert_eq!(cache.get(&two), None);
}

#[test]
fn no_folder_means_no_cache_and_no_error() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "in the way").unwrap();
    // Below a file, and in a file system that takes no folders: root is refused as well.
    for path in [file.join("cuda"), "/proc/mmafft/cuda".into()] {
        let cache = Cache::at(path, LIMIT);
        let key = Cache::key(&["key"]);
        cache.put(&key, b"code");
        assert_eq!(cache.get(&key), None);
    }
}

#[cfg(unix)]
#[test]
fn a_read_only_folder_is_read_and_not_written() {
    use std::os::unix::fs::PermissionsExt;
    let (_folder, cache) = cache();
    let (one, two) = (Cache::key(&["one"]), Cache::key(&["two"]));
    cache.put(&one, b"code");
    let set = |mode| fs::set_permissions(&cache.folder, fs::Permissions::from_mode(mode));
    set(0o500).unwrap();
    cache.put(&two, b"code");
    assert_eq!(cache.get(&one).as_deref(), Some(&b"code"[..]));
    // Root writes where it likes.
    let root = File::create(cache.folder.join("probe")).is_ok();
    assert_eq!(cache.get(&two).is_some(), root);
    set(0o700).unwrap();
}

#[cfg(unix)]
#[test]
fn the_folder_is_the_users_alone() {
    use std::os::unix::fs::PermissionsExt;
    let (_folder, cache) = cache();
    let key = Cache::key(&["key"]);
    cache.put(&key, b"code");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&cache.folder), 0o700);
    assert_eq!(mode(cache.folder.parent().unwrap()), 0o700);
    assert_eq!(mode(&cache.path(&key)), 0o600);

    // Where everybody may write, nothing is believed.
    fs::set_permissions(&cache.folder, fs::Permissions::from_mode(0o777)).unwrap();
    assert_eq!(cache.get(&key), None);
    fs::remove_file(cache.path(&key)).unwrap();
    cache.put(&key, b"code");
    assert!(names(&cache).is_empty());

    // Nor in what a stranger owns. Only root can give a folder away.
    fs::set_permissions(&cache.folder, fs::Permissions::from_mode(0o700)).unwrap();
    cache.put(&key, b"code");
    assert!(cache.get(&key).is_some());
    if std::os::unix::fs::chown(&cache.folder, Some(54_321), None).is_ok() {
        assert_eq!(cache.get(&key), None);
    }
}

#[test]
fn the_oldest_leave_when_there_is_too_much() {
    let (_folder, cache) = cache();
    let cache = Cache {
        limit: 1000,
        ..cache
    };
    let keys: Vec<Key> = (0..6).map(|i| Cache::key(&[&i.to_string()])).collect();
    let code = [7u8; 200];
    let age = |key: &Key, seconds| {
        let file = File::open(cache.path(key)).unwrap();
        let then = SystemTime::now() - Duration::from_secs(seconds);
        file.set_modified(then).unwrap();
    };
    for (i, key) in keys[..4].iter().enumerate() {
        cache.put(key, &code);
        age(key, 100 - i as u64);
    }
    assert_eq!(names(&cache).len(), 4);
    // The first is used again, so that the second is now the oldest.
    assert!(cache.get(&keys[0]).is_some());
    cache.put(&keys[4], &code);
    assert!(cache.path(&keys[0]).exists() && !cache.path(&keys[1]).exists());
    assert_eq!(names(&cache).len(), 4);
    // What would fill it alone is not kept.
    cache.put(&keys[5], &[0; 1000]);
    assert_eq!(names(&cache).len(), 4);
}

#[test]
fn what_a_dead_process_left_is_removed() {
    let (_folder, cache) = cache();
    cache.put(&Cache::key(&["one"]), b"code");
    let (old, new) = (
        cache.folder.join("a.1.0.tmp"),
        cache.folder.join("b.1.0.tmp"),
    );
    fs::write(&new, "").unwrap();
    let file = File::create(&old).unwrap();
    file.set_modified(SystemTime::now() - 2 * UNFINISHED_FOR)
        .unwrap();
    cache.put(&Cache::key(&["two"]), b"code");
    assert!(!old.exists() && new.exists());
}

/// Names the folder for a second process of this test, which fills it as well.
const OTHER: &str = "MMAFFT_TEST_CACHE_FOLDER";

fn fill(folder: &Path) {
    // Small enough that the writers also remove each other's files.
    let cache = Cache::at(folder.into(), 20_000);
    for round in 0..40u32 {
        for i in 0..8u32 {
            let key = Cache::key(&[&i.to_string()]);
            let code = vec![i as u8; 4000];
            if let Some(found) = cache.get(&key) {
                assert_eq!(found, code, "round {round}");
            }
            cache.put(&key, &code);
        }
    }
}

#[test]
fn threads_and_processes_fill_it_at_once() {
    if let Some(folder) = std::env::var_os(OTHER) {
        return fill(Path::new(&folder));
    }
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("cuda");
    let name = "cache::tests::threads_and_processes_fill_it_at_once";
    let other = std::process::Command::new(std::env::current_exe().unwrap())
        .args([name, "--exact"])
        .env(OTHER, &folder)
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| fill(&folder));
        }
    });
    let other = other.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&other.stdout);
    // A name that matches nothing would succeed as well.
    assert!(
        other.status.success() && said.contains("1 passed"),
        "{other:?}"
    );
    let cache = Cache::at(folder, 20_000);
    assert!(names(&cache).iter().all(|name| name.ends_with(".code")));
}

#[test]
fn the_place_follows_the_environment() {
    let place = |set: &[(&str, &str)]| {
        base(|name| {
            let found = set.iter().find(|(n, _)| *n == name);
            found.map(|(_, value)| OsString::from(value))
        })
    };
    assert_eq!(place(&[]), None);
    assert_eq!(place(&[(VARIABLE, "off"), ("HOME", "/home/me")]), None);
    assert_eq!(
        place(&[(VARIABLE, "/x"), ("HOME", "/home/me")]),
        Some("/x".into())
    );
    if !cfg!(windows) {
        let home = Some("/home/me/.cache/mmafft".into());
        assert_eq!(place(&[("HOME", "/home/me"), (VARIABLE, "")]), home);
        assert_eq!(
            place(&[("HOME", "/home/me"), ("XDG_CACHE_HOME", "cache")]),
            home
        );
        let chosen = place(&[("HOME", "/home/me"), ("XDG_CACHE_HOME", "/cache")]);
        assert_eq!(chosen, Some("/cache/mmafft".into()));
    }
}
