//! Host faults that are the GPU's: a user pointer's memory is the program's own, and the program may unmap it, protect it
//! or truncate the file behind it while the GPU still has it mapped. KFD notices (`amdgpu_mn`), and the GPU's next access
//! is a GPU memory fault. Here the access is the host's, and so is the fault: a SIGSEGV or SIGBUS on a thread of the device.
//!
//! [`catch`] marks the place to which such a fault goes back. Work that a fault ends is left as it stands, without running
//! the destructors of what it had: it must hold no lock while it touches such memory. Faults elsewhere go to whoever
//! handled them before, as if we were not there. On hosts other than x86-64 nothing is caught.

#![allow(unsafe_code, reason = "handles SIGSEGV and SIGBUS, and leaves a function that one of them ended")]

/// A fault that ended some work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostFault {
    /// Host address.
    pub addr: u64,
    /// It was a store.
    pub write: bool,
    /// A page is there, and may not be accessed so.
    pub denied: bool,
    /// A SIGBUS: a mapping whose file has no such page any more, or no memory for it.
    pub bus: bool,
}

#[cfg(not(target_arch = "x86_64"))]
mod host {
    use super::HostFault;

    /// Nothing to do: nothing is caught.
    pub fn arm() {}

    /// Runs the work.
    pub fn catch<R>(work: impl FnOnce() -> R) -> Result<R, HostFault> {
        Ok(work())
    }
}

#[cfg(target_arch = "x86_64")]
mod host {
    use std::any::Any;
    use std::cell::Cell;
    use std::ffi::{c_int, c_void};
    use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
    use std::ptr::null_mut;
    use std::sync::atomic::{AtomicPtr, Ordering};

    use parking_lot::Mutex;

    use super::HostFault;

    const SIGNALS: [c_int; 2] = [libc::SIGSEGV, libc::SIGBUS];

    /// What handlers go by, and handlers are the process's.
    struct Armed {
        /// Who handled the signals before: never freed, for a handler may be reading it.
        before: [AtomicPtr<libc::sigaction>; 2],
        arming: Mutex<()>,
    }

    static ARMED: Armed =
        Armed { before: [AtomicPtr::new(null_mut()), AtomicPtr::new(null_mut())], arming: Mutex::new(()) };

    /// Where a fault goes back to: written by [`enter`], read by the handler.
    #[repr(C)]
    struct Landing {
        stack: u64,
        place: u64,
        mxcsr: u32,
        control: u16,
        fault: Cell<Option<HostFault>>,
    }

    thread_local! {
        static LANDING: Cell<*const Landing> = const { Cell::new(null_mut()) };
        /// When this thread last looked who handles the signals.
        static LOOKED: Cell<u64> = const { Cell::new(0) };
        /// The signal that was passed on and is being handled: its `siginfo_t`, and where our frame was.
        static PASSED_ON: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
    }

    /// Calls `work(data)`. 0 if it returned; 1 if a fault ended it, with this function's stack and saved registers as
    /// they were.
    ///
    /// # Safety
    /// `landing` and `data` are valid until this returns, and `work` does not unwind.
    #[unsafe(naked)]
    unsafe extern "sysv64" fn enter(
        landing: *mut Landing,
        work: unsafe extern "sysv64" fn(*mut c_void),
        data: *mut c_void,
    ) -> c_int {
        std::arch::naked_asm!(
            "push rbp",
            "push rbx",
            "push r12",
            "push r13",
            "push r14",
            "push r15",
            "push rdi",
            "mov [rdi], rsp",
            "lea rax, [rip + 2f]",
            "mov [rdi + 8], rax",
            "stmxcsr [rdi + 16]",
            "fnstcw [rdi + 20]",
            "mov rdi, rdx",
            "call rsi",
            "xor eax, eax",
            "jmp 3f",
            // The handler has put the stack pointer back.
            "2:",
            "cld",
            "mov rdi, [rsp]",
            "ldmxcsr [rdi + 16]",
            "fninit",
            "fldcw [rdi + 20]",
            "mov eax, 1",
            "3:",
            "pop rdi",
            "pop r15",
            "pop r14",
            "pop r13",
            "pop r12",
            "pop rbx",
            "pop rbp",
            "ret",
        )
    }

    enum Work<F, R> {
        Todo(F),
        Done(Result<R, Box<dyn Any + Send>>),
        Begun,
    }

    /// # Safety
    /// `data` is a valid `Work<F, R>`.
    unsafe extern "sysv64" fn call<F: FnOnce() -> R, R>(data: *mut c_void) {
        let data = data.cast::<Work<F, R>>();
        // SAFETY: says the caller; nobody else looks at it meanwhile.
        let work = unsafe { data.replace(Work::Begun) };
        if let Work::Todo(work) = work {
            let done = catch_unwind(AssertUnwindSafe(work));
            // SAFETY: as above; what is replaced has nothing to drop.
            unsafe { data.write(Work::Done(done)) };
        }
    }

    /// Runs the work. A fault in it is an error; what the work had is then lost, its locks among it.
    pub fn catch<R>(work: impl FnOnce() -> R) -> Result<R, HostFault> {
        fn run<F: FnOnce() -> R, R>(work: &mut Work<F, R>) -> Result<(), HostFault> {
            let mut landing = Landing { stack: 0, place: 0, mxcsr: 0, control: 0, fault: Cell::new(None) };
            let outer = LANDING.replace(&raw const landing);
            // SAFETY: both live in this frame and the caller's; `call` catches what unwinds.
            let fell = unsafe { enter(&mut landing, call::<F, R>, std::ptr::from_mut(work).cast()) };
            LANDING.set(outer);
            let fault = std::hint::black_box(&landing).fault.get();
            match fault {
                Some(fault) if fell != 0 => Err(fault),
                _ => Ok(()),
            }
        }
        let mut work = Work::Todo(work);
        run(&mut work)?;
        match work {
            Work::Done(Ok(result)) => Ok(result),
            Work::Done(Err(panic)) => resume_unwind(panic),
            // Not to be had: a fault is told above.
            Work::Todo(_) | Work::Begun => {
                Err(HostFault { addr: 0, write: false, denied: false, bus: false })
            }
        }
    }

    /// Sees to it that faults on this thread come to us. A program may have set handlers of its own since the last time:
    /// they are looked for whenever the coarse clock has gone on, for two system calls at every access are too many.
    pub fn arm() {
        let now = crate::clock::coarse_nanos();
        if LOOKED.replace(now) == now {
            return;
        }
        let ours = handler as unsafe extern "C" fn(_, _, _) as usize;
        for (signal, before) in SIGNALS.into_iter().zip(&ARMED.before) {
            let current = || {
                // SAFETY: all-zero is a valid value, and the call only fills it.
                unsafe {
                    let mut now = std::mem::zeroed::<libc::sigaction>();
                    (libc::sigaction(signal, std::ptr::null(), &mut now) == 0).then_some(now)
                }
            };
            if current().is_none_or(|now| now.sa_sigaction == ours) {
                continue;
            }
            let _alone = ARMED.arming.lock();
            let Some(now) = current().filter(|now| now.sa_sigaction != ours) else { continue };
            before.store(Box::into_raw(Box::new(now)), Ordering::Release);
            // SAFETY: a handler of the type that the flags say; all-zero is a valid value for the rest.
            unsafe {
                let mut action = std::mem::zeroed::<libc::sigaction>();
                action.sa_sigaction = ours;
                action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_RESTART;
                libc::sigaction(signal, &action, null_mut());
            }
        }
    }

    /// # Safety
    /// Called by the host's kernel, or by a handler that was set after ours.
    unsafe extern "C" fn handler(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
        const PRESENT: i64 = 1;
        const WRITE: i64 = 2;
        let landing = LANDING.try_with(Cell::get).unwrap_or(null_mut());
        // SAFETY: the kernel's, valid while the handler runs.
        let sent_by_someone = unsafe { (*info).si_code } <= 0;
        if landing.is_null() || sent_by_someone {
            // SAFETY: our own arguments.
            return unsafe { pass_on(signal, info, context) };
        }
        // SAFETY: as above; the landing lives in a frame of this thread that is still below.
        unsafe {
            let registers = &mut (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs;
            let bus = signal == libc::SIGBUS;
            let code = registers[libc::REG_ERR as usize];
            (*landing).fault.set(Some(HostFault {
                addr: (*info).si_addr().expose_provenance() as u64,
                write: !bus && code & WRITE != 0,
                denied: !bus && code & PRESENT != 0,
                bus,
            }));
            registers[libc::REG_RIP as usize] = (*landing).place.cast_signed();
            registers[libc::REG_RSP as usize] = (*landing).stack.cast_signed();
        }
    }

    /// A signal that is not ours.
    ///
    /// # Safety
    /// The arguments are a handler's.
    unsafe fn pass_on(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
        let here = 0u8;
        let own = (info.addr(), (&raw const here).addr());
        let passed = PASSED_ON.get();
        // A handler that was set after ours may pass signals on to us, to whom we pass them on: one round is enough.
        let in_circle = passed.0 == own.0 && own.1 < passed.1;
        let index = SIGNALS.iter().position(|known| *known == signal).unwrap_or(0);
        // SAFETY: null, or a box that is never freed.
        let before = unsafe { ARMED.before[index].load(Ordering::Acquire).as_ref() };
        // SAFETY: the kernel's, valid while the handler runs.
        let sent_by_someone = unsafe { (*info).si_code } <= 0;
        match before {
            Some(before)
                if !in_circle
                    && before.sa_sigaction != libc::SIG_DFL
                    && before.sa_sigaction != libc::SIG_IGN =>
            {
                if before.sa_flags & libc::SA_RESETHAND != 0 {
                    // Set for one signal: the next is not its any more. It has put back what was there before it, which
                    // is us, and to call it for ever would be no end.
                    ARMED.before[index].store(null_mut(), Ordering::Release);
                }
                PASSED_ON.set(own);
                // SAFETY: the handler that was set before, of the type that its flags say.
                unsafe {
                    if before.sa_flags & libc::SA_SIGINFO != 0 {
                        let call = std::mem::transmute::<
                            usize,
                            unsafe extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void),
                        >(before.sa_sigaction);
                        call(signal, info, context);
                    } else {
                        let call =
                            std::mem::transmute::<usize, unsafe extern "C" fn(c_int)>(before.sa_sigaction);
                        call(signal);
                    }
                }
                PASSED_ON.set((0, 0));
            }
            Some(before) if before.sa_sigaction == libc::SIG_IGN && sent_by_someone => {}
            _ => {
                // SAFETY: what the kernel does of its own: a fault happens again at once, a signal that was sent is
                // sent again.
                unsafe {
                    libc::signal(signal, libc::SIG_DFL);
                    if sent_by_someone {
                        libc::raise(signal);
                    }
                }
            }
        }
    }
}

pub use host::{arm, catch};

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;

    /// LLVM's handlers, which AMD's libraries bring along, are of this kind.
    #[test]
    fn a_handler_for_one_signal_is_called_once() {
        use std::mem::{MaybeUninit, zeroed};
        use std::sync::Mutex;

        static OLD: Mutex<Option<libc::sigaction>> = Mutex::new(None);

        unsafe extern "C" fn once(signal: i32) {
            if let Some(old) = OLD.lock().unwrap().as_ref() {
                // SAFETY: what `sigaction` told.
                unsafe { libc::sigaction(signal, old, std::ptr::null_mut()) };
            }
        }

        // SAFETY: the child calls nothing that another thread could have locked, and ends by a signal.
        let child = unsafe { libc::fork() };
        if child == 0 {
            // SAFETY: as above; all-zero is a valid `sigaction`, and nothing is at 16.
            unsafe {
                libc::alarm(10);
                arm();
                let mut action = zeroed::<libc::sigaction>();
                action.sa_sigaction = once as unsafe extern "C" fn(i32) as usize;
                action.sa_flags = libc::SA_RESETHAND | libc::SA_NODEFER;
                let mut old = MaybeUninit::zeroed();
                libc::sigaction(libc::SIGSEGV, &action, old.as_mut_ptr());
                *OLD.lock().unwrap() = Some(old.assume_init());
                // The clock by which it is found goes on.
                libc::usleep(50_000);
                arm();
                std::ptr::with_exposed_provenance::<u32>(16).read_volatile();
                libc::_exit(1);
            }
        }
        let mut status = 0;
        // SAFETY: our own child.
        assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
        assert_eq!(libc::WTERMSIG(status), libc::SIGSEGV, "status {status:#x}");
    }

    #[test]
    fn a_fault_comes_back_and_work_goes_on() {
        arm();
        for at in [16u64, 0x7_0000_1000] {
            let read = || {
                // SAFETY: nothing is there: that is what is tested.
                unsafe { std::ptr::with_exposed_provenance::<u32>(at as usize).read_volatile() }
            };
            let expected = HostFault { addr: at, write: false, denied: false, bus: false };
            assert_eq!(catch(read), Err(expected));
            // Within another, which does not notice.
            assert_eq!(catch(|| catch(read).map_err(|fault| fault.addr)), Ok(Err(at)));
        }
        let constant = 5u32;
        let write = || {
            // SAFETY: code cannot be written: that is what is tested.
            unsafe { (arm as fn() as *mut u32).write_volatile(constant) }
        };
        let fault = catch(write).unwrap_err();
        assert_eq!((fault.write, fault.denied), (true, true));
        assert_eq!(catch(|| 7), Ok(7));
        let panic = std::panic::catch_unwind(|| catch(|| panic!("text")));
        assert_eq!(*panic.unwrap_err().downcast_ref::<&str>().unwrap(), "text");
    }
}
