//! Responses that are no answer of a model.

use axum::body::Body;
use axum::http::{HeaderValue, Response, StatusCode, header};

/// JSON text.
pub(crate) fn json(text: String) -> Response<Body> {
    self::text(StatusCode::OK, "application/json", text)
}

/// Any text.
pub(crate) fn text(status: StatusCode, kind: &'static str, text: String) -> Response<Body> {
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}
