//! The one static of the library, but for the symbol that debuggers read: between `hsa_init` and `hsa_shut_down` a runtime,
//! and what handles stand for.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};

use hsa_sys::{AgentHandle, Status};
use parking_lot::{Mutex, ReentrantMutex, RwLock};
use rocr_rs::image::{Image, Sampler};
use rocr_rs::{Agent, Environment, OpenOptions, Runtime, Signal};

use crate::api::code_object::{Code, CodeSymbol};
use crate::api::event::OnEvent;
use crate::api::executable::{Exec, Loaded, Reader, Symbol};
use crate::api::memory::Deallocation;
use crate::api::queue::{AnyQueue, SharedQueue, StoppedQueue};
use crate::api::share::Attached;
use crate::api::svm::Pending;
use crate::api::virtual_memory::Held;
use crate::debugger::{CodeObjects, RDebug};
use crate::exports::Tables;
use crate::ffi::{Library, Result};
use crate::locks::Locks;
use crate::table::{AddressTable, Table};
use crate::tools;

/// The list of code objects for debuggers.
#[allow(unsafe_code, reason = "a C symbol of this name, which nothing else defines")]
#[unsafe(no_mangle)]
pub static _amdgpu_r_debug: RDebug = RDebug::new();

static STATE: State = State {
    tables: Tables::new(),
    session: RwLock::new(None),
    uses: ReentrantMutex::new(RefCell::new(Uses { count: 0, ending: false, tools: Vec::new() })),
    signals: AddressTable::new(),
    queues: AddressTable::new(),
    code_objects: CodeObjects::new(),
    told: Mutex::new(Vec::new()),
    stopped: Mutex::new(Vec::new()),
};

/// All that there is.
pub struct State {
    /// The functions that tools may change.
    pub tables: Tables,
    session: RwLock<Option<Arc<Session>>>,
    /// Tools call `hsa_init` and `hsa_shut_down` while this is held.
    uses: ReentrantMutex<RefCell<Uses>>,
    /// Signals and doorbells by handle. Apart from the session: they are looked up most.
    pub signals: AddressTable<Target>,
    /// Queues by address.
    pub queues: AddressTable<AnyQueue>,
    /// What is in the list for debuggers.
    pub code_objects: CodeObjects,
    told: Mutex<Vec<&'static str>>,
    /// Queues that a memory fault stopped, until the fault is told.
    pub stopped: Mutex<Vec<StoppedQueue>>,
}

/// How often the library is initialised.
struct Uses {
    count: u32,
    /// Tools are being told that the runtime ends.
    ending: bool,
    tools: Vec<Library>,
}

/// What a signal's handle stands for.
#[derive(Clone)]
pub enum Target {
    /// A signal that the program created.
    Signal(Signal),
    /// The doorbell of a queue.
    Doorbell(AnyQueue),
}

/// What there is while the library is initialised.
pub struct Session {
    /// The runtime.
    pub runtime: Arc<Runtime>,
    /// Agents, hosts first.
    pub agents: Vec<Agent>,
    /// Executables.
    pub executables: Table<Arc<Exec>>,
    /// Code objects that were loaded.
    pub loaded: Table<Arc<Loaded>>,
    /// Symbols that the program has seen.
    pub symbols: Table<Arc<Symbol>>,
    /// Code objects of HSA 1.0, and symbols in them.
    pub codes: Table<Arc<Code>>,
    /// Their symbols.
    pub code_symbols: Table<Arc<CodeSymbol>>,
    /// Code object readers.
    pub readers: Table<Arc<Reader>>,
    /// Signal groups.
    pub groups: Table<Arc<Vec<u64>>>,
    /// ISAs that the program has named, by their text.
    pub isas: Mutex<Vec<String>>,
    /// By agent, the queue that all share who want one for cooperative kernels.
    pub cooperative: Mutex<BTreeMap<u64, SharedQueue>>,
    /// Locked memory.
    pub locks: Locks,
    /// Memory of other processes by the address that the program knows.
    pub attached: Mutex<BTreeMap<u64, Attached>>,
    /// Buffers of graphics drivers by address, each with what its exporter says.
    pub metadata: Mutex<BTreeMap<u64, Box<[u8]>>>,
    /// Images by the addresses of their descriptors.
    pub images: Mutex<BTreeMap<u64, Arc<Image>>>,
    /// Samplers.
    pub samplers: Mutex<BTreeMap<u64, Sampler>>,
    /// Virtual memory that the program has handles of.
    pub held_memory: Mutex<BTreeMap<u64, Held>>,
    /// Ranges that are to move, in the order in which that was asked for.
    pub prefetches: Mutex<Vec<Pending>>,
    /// What programs want to remember of allocations, by first address.
    pub user_data: Mutex<BTreeMap<u64, u64>>,
    /// Who wants to know of freed memory.
    pub deallocations: Mutex<Vec<Deallocation>>,
    /// Whether a tool wants to know of the runtime's own queues.
    pub queue_notifier: AtomicBool,
    /// Whether copies note when they ran.
    pub time_copies: AtomicBool,
    /// Whether memory is coherent by default, by agent: what was set is told back.
    pub coherency: AtomicU64,
    /// Who wants to be told of memory faults.
    pub fault_handlers: Mutex<Vec<(OnEvent, u64)>>,
}

/// The state.
#[inline]
pub fn state() -> &'static State {
    &STATE
}

/// The session; `ERROR_NOT_INITIALIZED` without.
pub fn session() -> Result<Arc<Session>> {
    STATE.session.read().clone().ok_or(Status::ERROR_NOT_INITIALIZED)
}

/// Tells something on stderr, once.
pub fn tell_once(what: &'static str) {
    tell_once_of(what, what);
}

/// Tells something on stderr, once for each subject.
pub fn tell_once_of(subject: &'static str, what: impl Display) {
    let mut told = STATE.told.lock();
    if !told.contains(&subject) {
        told.push(subject);
        tell(what);
    }
}

/// Tells something on stderr. Not with `eprintln!`, which panics where stderr is closed, and a panic must not leave a C
/// function.
pub fn tell(what: impl Display) {
    let _ = writeln!(std::io::stderr(), "libhsa-runtime64: {what}");
}

/// `hsa_init`
pub fn init() -> Result {
    let uses = STATE.uses.lock();
    let count = uses.borrow().count;
    uses.borrow_mut().count = count.checked_add(1).ok_or(Status::ERROR_REFCOUNT_OVERFLOW)?;
    if count != 0 {
        return Ok(());
    }
    let environment = Environment::read();
    let session = match Session::open(&environment) {
        Ok(session) => Arc::new(session),
        Err(status) => {
            uses.borrow_mut().count = 0;
            return Err(status);
        }
    };
    crate::api::event::tell_of_faults(&session);
    *STATE.session.write() = Some(session);
    STATE.tables.reset();
    // Others wait until the tools are there; the tools themselves may call everything.
    let tools = tools::load(&environment.tools, environment.report_tools);
    uses.borrow_mut().tools = tools;
    Ok(())
}

/// `hsa_shut_down`
pub fn shut_down() -> Result {
    let uses = STATE.uses.lock();
    let Uses { count, ending, .. } = *uses.borrow();
    if count == 0 || ending {
        return Err(Status::ERROR_NOT_INITIALIZED);
    }
    if count != 1 {
        uses.borrow_mut().count -= 1;
        return Ok(());
    }
    uses.borrow_mut().ending = true;
    let tools = std::mem::take(&mut uses.borrow_mut().tools);
    tools::unload(&tools);
    STATE.tables.reset();
    STATE.code_objects.clear(&_amdgpu_r_debug);
    let session = STATE.session.write().take();
    *uses.borrow_mut() = Uses { count: 0, ending: false, tools: Vec::new() };
    // Taken before another hsa_init can give out new ones; dropped when this is over, since the runtime's threads end with it,
    // and a handler that runs on one may call us.
    let (signals, queues) = (STATE.signals.take_all(), STATE.queues.take_all());
    drop(uses);
    // What the program did not destroy goes in this order: doorbells hold queues, and queues the runtime.
    drop(signals);
    drop(queues);
    let stay = session.is_some_and(|session| session.runtime.environment().valgrind);
    tools::close(tools, stay);
    Ok(())
}

/// Agents' handles count up from here, as no address of memory does.
const AGENT_BASE: u64 = 0x4147_0000;

impl Session {
    fn open(environment: &Environment) -> Result<Session> {
        let options = OpenOptions { environment: environment.clone(), ..OpenOptions::default() };
        let runtime = Runtime::open(&options).map_err(|error| {
            tell(format_args!("hsa_init: {error}"));
            Status::ERROR_OUT_OF_RESOURCES
        })?;
        let agents = runtime.agents();
        Ok(Session {
            runtime,
            agents,
            executables: Table::default(),
            loaded: Table::default(),
            symbols: Table::default(),
            codes: Table::default(),
            code_symbols: Table::default(),
            readers: Table::default(),
            groups: Table::default(),
            isas: Mutex::default(),
            cooperative: Mutex::default(),
            locks: Locks::default(),
            attached: Mutex::default(),
            metadata: Mutex::default(),
            images: Mutex::default(),
            samplers: Mutex::default(),
            held_memory: Mutex::default(),
            prefetches: Mutex::default(),
            user_data: Mutex::default(),
            deallocations: Mutex::default(),
            queue_notifier: AtomicBool::new(false),
            time_copies: AtomicBool::new(false),
            coherency: AtomicU64::new(0),
            fault_handlers: Mutex::default(),
        })
    }

    /// An agent by its handle.
    pub fn agent(&self, handle: AgentHandle) -> Result<&Agent> {
        let index = handle.0.wrapping_sub(AGENT_BASE);
        usize::try_from(index)
            .ok()
            .and_then(|index| self.agents.get(index))
            .ok_or(Status::ERROR_INVALID_AGENT)
    }

    /// An agent of a node, which the program may not see.
    pub fn handle_of_node(&self, node: u32) -> AgentHandle {
        let index = self.agents.iter().position(|agent| agent.node_id() == node);
        index.map_or(AgentHandle::NULL, |index| AgentHandle(AGENT_BASE + index as u64))
    }

    /// The handle of an agent.
    pub fn handle(&self, agent: &Agent) -> AgentHandle {
        self.handle_of_node(agent.node_id())
    }
}
