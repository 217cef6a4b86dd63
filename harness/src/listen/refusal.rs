//! Errors and headers of a provider, in its own shape.

use axum::body::Body;
use axum::http::{HeaderValue, Response, StatusCode, header};
use balk_guards::wire::{Dialect, Failure, Headers, Limit};

/// An error of a provider, in its own shape.
pub(crate) fn refuse(dialect: Dialect, id: &str, failure: &Failure) -> Response<Body> {
    let failure = Failure { request_id: Some(id.into()), ..failure.clone() };
    let mut response = with_headers(dialect, id, failure.retry_after, Body::from(failure.body(dialect)));
    // Every status of a script is one; a request that is refused has one of the provider's.
    *response.status_mut() =
        StatusCode::from_u16(failure.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(JSON));
    response
}

/// A response with the headers of this provider.
pub(crate) fn with_headers(
    dialect: Dialect,
    id: &str,
    retry_after: Option<u64>,
    body: Body,
) -> Response<Body> {
    let limit = Limit { limit: 1_000_000, remaining: 999_999, reset: 1 };
    let headers = Headers { request_id: id.into(), now: CREATED, limits: Some([limit; 2]), retry_after };
    let mut response = Response::new(body);
    for (name, value) in headers.of(dialect) {
        if let Ok(value) = HeaderValue::from_str(&value) {
            response.headers_mut().insert(name, value);
        }
    }
    response
}

/// The type of a body of JSON.
pub(crate) const JSON: &str = "application/json";

/// When everything was created, in seconds since 1970: a server that plays the same twice has no clock.
pub(crate) const CREATED: u64 = 1_767_225_600;
