//! Clang offload bundles (fat binaries): raw, compressed, and choosing the entry for an agent
