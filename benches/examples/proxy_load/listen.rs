//! A server that answers every request in one way, on the HTTP libraries of the proxy.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};

use axum::body::Body;
use axum::http::{Request, Response};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpSocket;
use tokio::runtime::{Builder, Runtime};

/// Answers the requests of all connections, as long as the runtime is there.
pub(crate) fn listen<F>(
    answers: impl Fn(Request<Incoming>) -> F + Clone + Send + 'static,
) -> io::Result<(SocketAddr, Runtime)>
where
    F: Future<Output = Response<Body>> + Send + 'static,
{
    let runtime = Builder::new_multi_thread().enable_all().build()?;
    let listener = {
        let _inside = runtime.enter();
        let socket = TcpSocket::new_v4()?;
        socket.bind((Ipv4Addr::LOCALHOST, 0).into())?;
        socket.listen(4_096)?
    };
    let address = listener.local_addr()?;
    runtime.spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            if stream.set_nodelay(true).is_err() {
                continue;
            }
            let answers = answers.clone();
            let service = service_fn(move |request| {
                let answer = answers(request);
                async move { Ok::<_, io::Error>(answer.await) }
            });
            let connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
            tokio::spawn(async move { drop(connection.await) });
        }
    });
    Ok((address, runtime))
}
