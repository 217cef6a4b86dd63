//! stub
pub struct Fence<'a> {
    pub language: &'a str,
}
pub fn fences(_t: &str) -> impl Iterator<Item = Fence<'_>> {
    std::iter::empty()
}
pub fn is(a: &str, b: &str) -> bool {
    a == b
}
