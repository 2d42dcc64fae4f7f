//! HSA runtime (ROCr): agents, memory pools, signals, AQL queues, executables
