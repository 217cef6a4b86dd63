//! Connections that can be cut as a network cuts them.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpSocket, TcpStream};

/// Cuts a connection: nothing more is written, and the client gets a reset.
#[derive(Clone, Debug, Default)]
pub(super) struct Shears(Arc<AtomicBool>);

impl Shears {
    pub(super) fn cut(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    fn are_shut(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Accepts connections.
#[derive(Debug)]
pub(super) struct Lines(TcpListener);

impl Lines {
    /// Listens on an address. With the usual queue, one in sixty of a thousand simultaneous connections was lost.
    pub(super) fn listen(address: SocketAddr) -> io::Result<Self> {
        const QUEUE: u32 = 4_096;
        let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
        socket.set_reuseaddr(true)?;
        socket.bind(address)?;
        Ok(Self(socket.listen(QUEUE)?))
    }
}

impl Listener for Lines {
    type Io = Line;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Line, SocketAddr) {
        loop {
            // `axum` waits where too many files are open, and goes on after what concerns one connection alone.
            let (stream, address) = Listener::accept(&mut self.0).await;
            if stream.set_nodelay(true).is_ok() {
                return (Line { stream, shears: Shears::default() }, address);
            }
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.0.local_addr()
    }
}

/// One connection.
#[derive(Debug)]
pub(super) struct Line {
    stream: TcpStream,
    shears: Shears,
}

impl Connected<IncomingStream<'_, Lines>> for Shears {
    fn connect_info(line: IncomingStream<'_, Lines>) -> Self {
        line.io().shears.clone()
    }
}

impl Drop for Line {
    fn drop(&mut self) {
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
        Pin::new(&mut self.stream).poll_read(cx, buf)
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
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.shears.are_shut() {
            return Poll::Ready(Ok(()));
        }
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
