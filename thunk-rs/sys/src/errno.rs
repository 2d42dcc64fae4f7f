//! `Errno`: an error number of the kernel. A newtype, for the kernel may return numbers that we have no name for.

use core::fmt;

/// A positive error number as in `<errno.h>`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Errno(pub i32);

macro_rules! errnos {
    ($($name:ident = $text:literal;)*) => {
        #[allow(missing_docs, reason = "the names are those of errno(3)")]
        impl Errno {
            $(pub const $name: Errno = Errno(libc::$name);)*

            /// The symbolic name, if there is one here.
            pub fn symbol(self) -> Option<&'static str> {
                match self { $(Self::$name => Some(stringify!($name)),)* _ => None }
            }

            fn text(self) -> &'static str {
                match self { $(Self::$name => $text,)* _ => "unnamed error" }
            }
        }
    };
}

errnos! {
    EPERM = "operation not permitted";
    ENOENT = "no such file or directory";
    EINTR = "interrupted";
    EIO = "input/output error";
    ENXIO = "no such device or address";
    EBADF = "bad file descriptor";
    EAGAIN = "try again";
    ENOMEM = "out of memory";
    EACCES = "permission denied";
    EFAULT = "bad address";
    EBUSY = "busy";
    EEXIST = "exists already";
    ENODEV = "no such device";
    EINVAL = "invalid argument";
    ENOTTY = "unknown ioctl";
    ENOSPC = "no space left";
    EADDRINUSE = "address in use";
    ENOSYS = "not implemented";
    EOPNOTSUPP = "not supported";
    ETIME = "timer expired";
}

impl fmt::Debug for Errno {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.symbol() {
            Some(name) => f.write_str(name),
            None => write!(f, "errno {}", self.0),
        }
    }
}

impl fmt::Display for Errno {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?} ({})", self.text())
    }
}

impl core::error::Error for Errno {}
