//! HSA and AQL ABI: packets, queues, signals as the hardware reads them
