//! The root of a condition, found by bisection.

/// The number from 0 to 1 at which `below` turns from true to false. The interval is halved until it contains no other
/// float, so the result does not depend on a tolerance.
pub(super) fn root(below: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    loop {
        let middle = low + (high - low) / 2.0;
        if middle <= low || middle >= high {
            return middle;
        }
        if below(middle) { low = middle } else { high = middle }
    }
}
