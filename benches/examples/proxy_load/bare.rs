//! A proxy that only passes requests and answers on.

use std::sync::Arc;

use axum::body::Body;
use axum::http::header::{CONNECTION, HOST};
use axum::http::{Request, Response, StatusCode, Uri};
use balk_benches::served::{Failure, serve};
use hyper::body::Incoming;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;

use crate::listen::listen;

/// Serves as it, before this provider.
pub(crate) fn serve_bare(upstream: &str) -> Result<(), Failure> {
    let mut connector = HttpConnector::new();
    connector.set_nodelay(true);
    let client: Client<_, Incoming> = Client::builder(TokioExecutor::new()).build(connector);
    let base: Arc<str> = format!("http://{upstream}").into();
    let (address, _runtime) = listen(move |request: Request<Incoming>| {
        let (client, base) = (client.clone(), base.clone());
        async move { pass(&client, &base, request).await }
    })?;
    serve(address, |_| ())
}

async fn pass(
    client: &Client<HttpConnector, Incoming>,
    base: &str,
    mut request: Request<Incoming>,
) -> Response<Body> {
    let uri: Result<Uri, _> = format!("{base}{}", request.uri()).parse();
    if let Ok(uri) = uri {
        *request.uri_mut() = uri;
    }
    request.headers_mut().remove(HOST);
    request.headers_mut().remove(CONNECTION);
    match client.request(request).await {
        Ok(response) => response.map(Body::new),
        Err(_) => {
            let mut response = Response::new(Body::empty());
            *response.status_mut() = StatusCode::BAD_GATEWAY;
            response
        }
    }
}
