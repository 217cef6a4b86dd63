//! Connections that can be cut as a network cuts them.

use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Body;
use axum::http::{Request, Response};
use axum::serve::Listener;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::time::{Sleep, sleep};

use super::door::Door;
use super::limits::Limits;
use super::room::{Room, Seat};
use super::written::{Flushed, Written};

/// What hyper keeps of what a client sends: a whole head, or a part of a body. Far more than the head of any client.
const HEAD: usize = 64 << 10;

/// Cuts a connection: nothing more is written, and the client gets a reset.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shears(Arc<AtomicBool>);

impl Shears {
    pub(crate) fn cut(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    fn are_shut(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Accepts connections.
#[derive(Debug)]
pub(crate) struct Lines(TcpListener);

impl Lines {
    /// Listens on an address. With the usual queue, one in sixty of a thousand simultaneous connections was lost.
    pub(crate) fn listen(address: SocketAddr) -> io::Result<Self> {
        const QUEUE: u32 = 4_096;
        let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
        socket.set_reuseaddr(true)?;
        socket.bind(address)?;
        Ok(Self(socket.listen(QUEUE)?))
    }

    pub(crate) fn address(&self) -> io::Result<SocketAddr> {
        self.0.local_addr()
    }

    /// Answers the requests of all connections that the door lets in, within these limits.
    pub(crate) async fn answer<F>(
        mut self,
        door: Door,
        limits: Limits,
        answers: impl Fn(Shears, Request<Body>) -> F + Clone + Send + 'static,
    ) where
        F: Future<Output = Response<Body>> + Send + 'static,
    {
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new()).header_read_timeout(limits.head).max_buf_size(HEAD);
        let room = Room::new(&limits, door.sends_on());
        loop {
            let line = self.accept(&room, limits.read).await;
            let (door, answers, shears) = (door.clone(), answers.clone(), line.shears.clone());
            let (flushed, seat) = (line.flushed.clone(), line.seat.clone());
            let served = seat.clone();
            let service = service_fn(move |request: Request<hyper::body::Incoming>| {
                seat.begins();
                // An open connection has room for a whole answer on its way, and most of them wait.
                let answer =
                    door.admit(request.map(Body::new)).map(|it| Box::pin(answers(shears.clone(), it)));
                let (flushed, seat) = (flushed.clone(), seat.clone());
                async move {
                    let answer = match answer {
                        Ok(answer) => answer.await,
                        Err(refused) => *refused,
                    };
                    Ok::<_, Infallible>(answer.map(|body| Written::new(body, &flushed, seat)))
                }
            });
            let connection = http.serve_connection(TokioIo::new(line), service);
            // What ends one connection concerns no other.
            let task = tokio::spawn(async move { drop(connection.await) });
            served.is_served_by(task.abort_handle());
        }
    }

    async fn accept(&mut self, room: &Arc<Room>, read: Duration) -> Line {
        loop {
            // `axum` waits where too many files are open, and goes on after what concerns one connection alone.
            let (stream, _) = Listener::accept(&mut self.0).await;
            if stream.set_nodelay(true).is_ok() {
                return Line {
                    stream,
                    shears: Shears::default(),
                    flushed: Flushed::default(),
                    seat: room.seat().await,
                    read,
                    begun: None,
                };
            }
        }
    }
}

/// One connection.
pub(crate) struct Line {
    stream: TcpStream,
    shears: Shears,
    flushed: Flushed,
    seat: Arc<Seat>,
    /// How long a head may take that has begun.
    read: Duration,
    /// The end of this time, and of which wait for a head.
    begun: Option<(u64, Pin<Box<Sleep>>)>,
}

impl Line {
    /// Whether a head that has begun takes too long. A connection on which nothing has come may wait longer.
    fn is_too_slow(&mut self, cx: &mut Context<'_>, has_come: bool) -> bool {
        let wait = self.seat.wait();
        self.begun.take_if(|(begun, _)| wait != Some(*begun));
        match (&mut self.begun, wait) {
            (Some((_, end)), _) => !has_come && end.as_mut().poll(cx).is_ready(),
            (none, Some(wait)) if has_come => {
                *none = Some((wait, Box::pin(sleep(self.read))));
                false
            }
            (None, _) => false,
        }
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.seat.leaves();
        if self.shears.are_shut() {
            // Without it the client would see an orderly end. If it fails, it does.
            let _ = self.stream.set_zero_linger();
        }
    }
}

impl AsyncRead for Line {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let came = Pin::new(&mut self.stream).poll_read(cx, buf);
        if self.is_too_slow(cx, buf.filled().len() > before) {
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        came
    }
}

impl AsyncWrite for Line {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        if self.shears.are_shut() {
            return Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()));
        }
        Pin::new(&mut self.stream).poll_write(cx, buf)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        if self.shears.are_shut() {
            return Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()));
        }
        Pin::new(&mut self.stream).poll_write_vectored(cx, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        // It comes once all is written.
        self.flushed.is_so();
        self.seat.is_written();
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.shears.are_shut() {
            return Poll::Ready(Ok(()));
        }
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
