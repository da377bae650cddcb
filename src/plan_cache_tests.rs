use super::*;
use mmafft_backend_traits::Shape;

fn of(n: usize) -> Request {
    Request::forward(Shape::d1(n))
}

#[test]
fn the_oldest_goes_first() {
    let cache = PlanCache::bounded(Planner::cpu().unwrap(), 2, usize::MAX);
    let first = cache.get(&of(8)).unwrap();
    cache.get(&of(9)).unwrap();
    assert!(Arc::ptr_eq(&first, &cache.get(&of(8)).unwrap()));
    cache.get(&of(10)).unwrap();
    assert_eq!(cache.len(), 2);
    assert!(cache.find(&of(8)).is_some() && cache.find(&of(9)).is_none());
    cache.clear();
    assert!(cache.is_empty());
}

#[test]
fn bytes_are_bounded_too() {
    let cache = PlanCache::bounded(Planner::cpu().unwrap(), 100, 1);
    for n in 8..20 {
        cache.get(&of(n)).unwrap();
        assert_eq!(cache.len(), 1);
    }
}

#[test]
fn errors_are_not_kept() {
    let cache = PlanCache::new(Planner::cpu().unwrap());
    assert!(cache.get(&of(0)).is_err());
    assert!(cache.is_empty());
}
