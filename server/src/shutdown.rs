//! Shutdown signals: SIGTERM and Ctrl-C.

/// Resolves once the process receives SIGTERM or Ctrl-C.
pub(crate) async fn requested() {
    let interrupt = async {
        // If no handler can be installed, Ctrl-C cannot be detected.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    #[cfg(unix)]
    let terminate = async {
        use tokio::signal::unix::{SignalKind, signal};
        match signal(SignalKind::terminate()) {
            Ok(mut terminate) => {
                terminate.recv().await;
            }
            Err(_) => std::future::pending().await,
        }
    };
    #[cfg(not(unix))]
    let terminate = std::future::pending::<()>();
    tokio::select! {
        () = interrupt => {}
        () = terminate => {}
    }
}
