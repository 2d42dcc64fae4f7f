//! The thunk (ROCt): topology, memory, queues and events over KFD
